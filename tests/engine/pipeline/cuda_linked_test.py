"""Programs that NVRTC compiles and nvJitLink links into CUDA's kernel draw the bits of the CPU's interpreter, come from the
cache the second time, and where they cannot be made the GPU interprets. Argument: the program. 77: there is no NVRTC."""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

BROKKR = sys.argv[1]
FRAMES = sorted(pathlib.Path("scenes").glob("*.bkf"))
WITH_VERTEX_PROGRAMS = [pathlib.Path("tests/frames/measured/glmark2-shadow.bkf"), pathlib.Path("scenes/neverball.bkf"),
                        pathlib.Path("tests/frames/vulkan/vkd3d-gears.bkf")]
AOVS = ["depth", "draw", "triangle"]


def render(frame, folder, cache, *options):
    """Exit status, what is said, the bits of the picture, statistics."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    aovs = [word for aov in AOVS for word in ("--aov", f"{aov}={folder / aov}.pfm")]
    done = subprocess.run([BROKKR, "render", frame, "--size", "96x72", *options, "-o", folder / "color.png", *aovs,
                           "--stats", folder / "stats.json"],
                          env={**os.environ, "XDG_CACHE_HOME": str(cache)}, capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr, None, None
    bits = [(folder / name).read_bytes() for name in ("color.png", *(f"{aov}.pfm" for aov in AOVS))]
    return 0, done.stderr, bits, json.loads((folder / "stats.json").read_text())["statistics"]


def same_bits(folder, cache):
    for frame in FRAMES:
        status, said, expected, _ = render(frame, folder, cache, "--machine", "cpu", "--shaders", "interpreted")
        assert status == 0, said
        status, said, linked, stats = render(frame, folder, cache, "--machine", "cuda", "--shaders", "compiled")
        if status != 0 and "was not found; install CUDA's toolkit" in said:
            print(said)
            sys.exit(77)
        assert status == 0, f"{frame}: {said}"
        assert (stats["shaders"], stats["kernel"], stats["shaders_problem"]) == ("compiled", "linked", ""), frame
        assert stats["program_draws"] > 0, frame
        for name, a, b in zip(["colour", *AOVS], expected, linked):
            assert a == b, f"{frame}: {name} differs"
        print(frame, "has the CPU's bits", flush=True)


def from_cache(folder, cache):
    """What is there is taken at once, without waiting for a compiler; it is a file that only its user reads or writes."""
    files = {path: path.stat().st_mtime_ns for path in (cache / "brokkr").iterdir()}
    assert len(files) == len(FRAMES) and all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in files), files
    status, said, _, stats = render(FRAMES[0], folder, cache, "--machine", "cuda")
    assert status == 0, said
    assert (stats["shaders"], stats["kernel"]) == ("compiled", "linked"), stats
    assert set((cache / "brokkr").iterdir()) == set(files)


def vertices(folder, cache):
    """The geometry stage runs vertex programs that are linked with the others; they have the bits of the host's stage."""
    for frame in WITH_VERTEX_PROGRAMS:
        status, said, expected, _ = render(frame, folder, cache, "--machine", "cpu", "--shaders", "interpreted")
        assert status == 0, said
        status, said, linked, stats = render(frame, folder, cache, "--machine", "cuda", "--shaders", "compiled",
                                             "--vertex-stage", "pipeline")
        assert status == 0, f"{frame}: {said}"
        assert (stats["shaders"], stats["kernel"], stats["shaders_problem"]) == ("compiled", "linked-vertices", ""), frame
        assert stats["vertex_program_runs"] > 0, frame
        for name, a, b in zip(["colour", *AOVS], expected, linked):
            assert a == b, f"{frame}, vertex programs: {name} differs"
        print(frame, "with its vertex programs in the geometry stage has the CPU's bits", flush=True)


def without(folder):
    """A cache that others may write is not used: the GPU interprets, and says why where it is asked."""
    cache = pathlib.Path(tempfile.mkdtemp(dir=folder))
    (cache / "brokkr").mkdir()
    (cache / "brokkr").chmod(0o777)
    status, said, _, stats = render(FRAMES[0], folder, cache, "--machine", "cuda")
    assert status == 0 and "refused" not in said, said
    assert (stats["shaders"], stats["kernel"]) == ("interpreted", "all"), stats
    assert "is refused" in stats["shaders_problem"], stats
    status, said, _, _ = render(FRAMES[0], folder, cache, "--machine", "cuda", "--shaders", "compiled")
    assert status == 1 and "is refused" in said and len(said.strip().splitlines()) == 1, said


def main():
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder, "cache")
        same_bits(folder, cache)
        from_cache(folder, cache)
        vertices(folder, cache)
        without(folder)


if __name__ == "__main__":
    main()
