"""Steps that draw frames: CUDA against the CPU, and under compute-sanitizer."""
import json
import os
import pathlib
import re

from .process import Failed, Skip, must_run, run, tool


def render(check, path, machine, frames):
    stem = f"{pathlib.Path(path).stem}-{machine}{'-again' if check.options.rehearse and frames > 3 else ''}"
    names = {kind: check.output / f"{stem}-{kind}.pfm" for kind in ("depth", "draw", "triangle")}
    picture, stats = check.output / f"{stem}.png", check.output / f"{stem}.json"
    command = [check.program, "render", path, "-o", picture, "--machine", machine, "--frames", str(frames), "--stats", stats]
    for kind, name in names.items():
        command += ["--aov", f"{kind}={name}"]
    must_run(command, check.limit(check.options.seconds), check.output / f"{stem}.log", f"rendering on {machine}")
    return dict(names, color=picture, statistics=json.loads(stats.read_text()))


def frame(check, path):
    if not check.program.exists():
        raise Skip("no program was built")
    cpu = render(check, path, "cpu", 3)
    times = {"cpu_ms": cpu["statistics"]["frames"]["median_ms"]}
    if not check.gpu:
        raise Skip(f"no GPU; the CPU machine draws it in {times['cpu_ms']:.2f} ms")
    cuda = render(check, path, check.machine, check.options.frames)
    times["cuda_ms"] = cuda["statistics"]["frames"]["median_ms"]
    times["cuda_min_ms"] = cuda["statistics"]["frames"]["min_ms"]
    # Coverage, winner and depth have the same bits on every machine; colour may round differently.
    result, wrong = dict(times), []
    for kind, tolerance in (("depth", 0), ("draw", 0), ("triangle", 0), ("color", 1 / 255 + 1e-6)):
        command = [check.program, "compare", cuda[kind], cpu[kind], "--tolerance", str(tolerance), "--json", "-"]
        status, output = run(command, check.limit(60), check.output / f"compare-{pathlib.Path(path).stem}-{kind}.log")
        try:
            result[kind] = json.loads(output)
        except ValueError:
            result[kind] = {"error": output.strip()[:300]}
        if status != 0:
            wrong.append(f"{kind}: {result[kind].get('differing', '?')} pixels differ")
    if wrong:
        raise Failed("; ".join(wrong), result)
    return result


def sanitizer(check, which):
    check.need_gpu()
    if check.options.rehearse:
        raise Skip("a rehearsal has no kernel to look at")
    sanitizer = tool("compute-sanitizer")
    if not sanitizer:
        raise Skip("no compute-sanitizer (it comes with the CUDA toolkit)")
    frames = check.frame_files()
    if not frames:
        raise Skip("no frame to render")
    smallest = min(frames, key=os.path.getsize)
    picture = check.output / "sanitizer.png"
    command = [sanitizer, "--tool", which, "--error-exitcode", "86", check.program, "render", smallest, "-o", picture,
               "--machine", "cuda", "--size", "160x90", "--workers", "4"]
    seconds = check.limit(90)
    status, output = run(command, seconds, check.output / f"sanitizer-{which}.log")
    summary = re.findall(r"ERROR SUMMARY: .*|RACECHECK SUMMARY: .*", output)
    if status == 124:
        raise Skip(f"not done after {seconds:.0f} s; run it alone: " + " ".join(map(str, command)))
    if which == "racecheck" and status == 86 and summary:
        # A key is loaded before it is swapped, without a barrier between. racecheck reports that as a hazard, but it is
        # intended.
        return {"frame": os.path.basename(smallest), "summary": summary[-1], "judged": False}
    if status != 0:
        raise Failed(f"exit status {status}; {summary[-1] if summary else 'no summary'}; see sanitizer-{which}.log")
    return {"frame": os.path.basename(smallest), "summary": summary[-1] if summary else ""}
