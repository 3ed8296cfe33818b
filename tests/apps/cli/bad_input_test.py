#!/usr/bin/env python3
"""What `brokkr` says to wrong input: the exit code, one line on standard error, nothing on standard output.

    bad_input_test.py BROKKR
"""
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

from test_frame import TRIANGLE, container, draw, frame

USAGE, FAILURE = 2, 1
program = sys.argv[1]
has_research = "  probe " in subprocess.run([program, "--help"], capture_output=True, text=True).stdout
problems = []


def expect(code, arguments, *mentions, cwd=None, limits=(), **environment):
    """Runs the program; every one of `mentions` must be in its message. `limits`: of resources, as setrlimit has them."""
    def limit():
        for which, value in limits:
            resource.setrlimit(which, (value, value))
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600, cwd=cwd, errors="replace",
                         env={**os.environ, **environment}, preexec_fn=limit)
    name = "brokkr " + " ".join(arguments)
    message = run.stderr.rstrip("\n")
    if run.returncode != code:
        problems.append(f"{name}: exit code {run.returncode}, expected {code}: {message[:300]}")
    elif message.count("\n") or not message.startswith("brokkr: "):
        problems.append(f"{name}: not one line of ours: {message[:300]!r}")
    elif run.stdout:
        problems.append(f"{name}: wrote to standard output: {run.stdout[:200]!r}")
    else:
        for mention in mentions:
            if mention not in message:
                problems.append(f"{name}: message does not name {mention!r}: {message[:300]}")


def usage_errors(folder, good):
    out = str(folder / "out.png")
    expect(USAGE, ["nonsense"], "nonsense")
    expect(USAGE, ["render"], "FILE")
    expect(USAGE, ["render", good, "--no-such-option"], "--no-such-option")
    expect(USAGE, ["--no-such-option"], "--no-such-option")
    expect(USAGE, ["render", good, "-o"], "output")
    expect(USAGE, ["render", good, "-o", out, "--bin", "100"], "--bin", "100", "8 to 256")
    expect(USAGE, ["render", good, "-o", out, "--bin", "512"], "--bin")
    expect(USAGE, ["render", good, "-o", out, "--bin", "64", "--bin", "32"], "--bin")
    expect(USAGE, ["render", good, "-o", out, "--rasterizers", "4097"], "--rasterizers", "4096")
    expect(USAGE, ["render", good, "-o", out, "--workers", "-1"], "--workers")
    expect(USAGE, ["render", good, "-o", out, "--workers", "4097"], "--workers", "0 to 4096")
    expect(USAGE, ["render", good, "-o", out, "--store", "4194305"], "--store", "0 to 4194304")
    expect(USAGE, ["render", good, "-o", out, "--workers", "many"], "--workers", "many")
    expect(USAGE, ["render", good, "-o", out, "--pattern", "zigzag"], "--pattern", "zigzag", "hilbert")
    expect(USAGE, ["render", good, "-o", out, "--machine", "abacus"], "--machine", "abacus")
    expect(USAGE, ["render", good, "-o", out, "--ownership", "shared"], "--ownership")
    expect(USAGE, ["render", good, "-o", out, "--order", "random"], "--order")
    expect(USAGE, ["render", good, "-o", out, "--shading", "pretty"], "--shading")
    for size in ("0x0", "10", "axb", "100000x1", "-5x5", "10x"):
        expect(USAGE, ["render", good, "-o", out, "--size", size], "--size")
    expect(USAGE, ["render", good, "-o", out, "--frames", "0"], "--frames")
    expect(USAGE, ["render", good, "-o", str(folder / "out.gif")], "output", ".png")
    expect(USAGE, ["render", good, "-o", out, "--aov", "depth"], "--aov")
    expect(USAGE, ["render", good, "-o", out, "--aov", "colour=x.pfm"], "--aov", "colour")
    expect(USAGE, ["render", good, "-o", out, "--aov", "depth=x.png"], "--aov", ".pfm")
    expect(USAGE, ["render", good, "-o", out, "--target", "77"], "--target", "77")
    expect(USAGE, ["render", good, "-o", out, "--layer", "3"], "--layer")
    expect(USAGE, ["render", good, good, "-o", out], "{}")
    expect(USAGE, ["check"], "FILE")
    expect(USAGE, ["check", good, "--min", "101"], "--min")
    expect(USAGE, ["info"], "FILE")
    expect(USAGE, ["pattern"], "NAME")
    expect(USAGE, ["pattern", "zigzag", "-n", "4", "-o", out], "zigzag", "hilbert")
    expect(USAGE, ["pattern", "hilbert", "-n", "0", "-o", out], "--rasterizers")
    expect(USAGE, ["pattern", "hilbert", "-n", "5000", "-o", out], "4096")
    expect(USAGE, ["pattern", "hilbert", "-n", "4", "-o", str(folder / "p.txt")], ".png")
    expect(USAGE, ["pattern", "hilbert", "--weights", "2,0"], "--weights", "'0'")
    expect(USAGE, ["pattern", "hilbert", "--weights", "4000,97"], "--weights", "4096")
    expect(USAGE, ["pattern", "hilbert", "--weights", "2,1", "-n", "2"], "--rasterizers")
    expect(USAGE, ["pattern", "hilbert", "--weights", "2,1", "--save", "p.png"], ".json")
    expect(USAGE, ["machines", "extra"], "'extra' is one word too many")
    # The parser counts words; the message says what to change.
    expect(USAGE, ["machines", "--views", "4"], "there is no option '--views'; see")
    expect(USAGE, ["-o", out, good], "there is no option '-o'", "brokkr render FILE -o")
    expect(USAGE, ["render", good, "-o", out, "--size", "8x8", "--size", "9x9"], "--size is given more than once")
    expect(USAGE, ["render", good, "-o", out, "--aov"], "--aov: its value is missing", "--aov NAME=FILE")
    expect(USAGE, ["render", good, "-o=" + out], "--output", "begins with '='")
    expect(USAGE, ["render", good, "--isa", "avx2"], "v3")
    # No option is ignored without a word.
    for words in (["--quotas", "1,2"], ["--fixation", "1,2", "--policy", "fair"], ["--view-deadline", "8"], ["--view-priority", "1"]):
        expect(USAGE, ["render", good, "-o", out, *words], words[0] + ": is for --policy")
    expect(USAGE, ["render", good, "-o", out, "--no-output"], "--output, --no-output", "only one")
    expect(USAGE, ["render", good, "-o", out, "--views", "4"], "--views", "captured frame")
    expect(USAGE, ["render", good, "-o", out, "--cameras", "none.json"], "--cameras", "captured frame")
    expect(USAGE, ["render", "generated:city?triangles=300", "-o", out, "--view-size", "8"], "--view-size", "--views")
    expect(USAGE, ["render", good, "-o", out, "--aov", "normals=x.exr"], "(did you mean 'normal'?)")
    expect(USAGE, ["render", good, "-o", out, "--aov", "depth="], "names no file")
    expect(USAGE, ["pattern", "hilbert", "--highlight"], "--highlight", "-o FILE.png")
    expect(USAGE, ["bench", good, "--captures", "."], "--captures", "--suite")
    expect(FAILURE, ["compare", "a.exr", "b.exr"], "a.exr", ".pfm")
    for name, words in (("good.bkf", "this is a frame file"), ("notes.txt", "neither apitrace nor RenderDoc")):
        (folder / "notes.txt").write_text("not a recording")
        expect(FAILURE, ["import", str(folder / name)], name, words)
    expect(FAILURE, ["import", str(folder)], "this is not a file")
    (folder / "no-frames").mkdir()
    for command in ("info", "check", "bench"):
        expect(FAILURE, [command, str(folder / "no-frames")], "no-frames", "this folder holds no frame and no scene")
    (folder / "scene.obj").write_text("v 0 0 0")
    expect(FAILURE, ["shaders", str(folder / "scene.obj")], "this is a scene", "--fragment")
    if subprocess.run([program, "version"], capture_output=True).stdout != subprocess.run([program, "--version"], capture_output=True).stdout:
        problems.append("brokkr version does not say the version")
    if has_research:
        expect(USAGE, ["trace", good], "-o", ".png")
        expect(USAGE, ["trace", good, "-o", str(folder / "out.gif")], "-o", ".png")
        expect(USAGE, ["trace", good, "-o", out, "--structure", "octree"], "--structure", "grug")
        expect(USAGE, ["trace", good, "-o", out, "--grid", "64"], "--grid", "grug")
        expect(USAGE, ["trace", good, "-o", out, "--metric", "contrast"], "--adaptive")
        expect(USAGE, ["trace", good, "-o", out, "--sky", "blue"], "--sky", "blue")
        expect(USAGE, ["trace", good, "-o", out, "--sun", "1,-1,1"], "--sun")
        expect(USAGE, ["trace", good, "-o", out, "--focus", "2"], "--focus", "--aperture")
        expect(USAGE, ["trace", good, "-o", str(folder / "out.jpg")], ".png, .pfm or .exr")
        expect(FAILURE, ["trace", good, "-o", out], "captured", ".obj")
        expect(USAGE, ["probe", "E9"], "E9", "E1.1")
        expect(USAGE, ["probe", "draw", "--slow", "600,10"], "--slow", "600,10", "512x512")
        for wrong in ("1", "1,2,-5", "a,b", "1,2,3,4,5", "1,,3", "1,2,99999999999"):
            expect(USAGE, ["probe", "draw", "--slow", wrong], "--slow", wrong, "X,Y")
        expect(USAGE, ["probe", "draw", "--slow", "1,2,3,9"], "branch 9", "1 to 4")
        expect(USAGE, ["probe", "E1.5", "--slow", "1,2"], "--slow", "draw")
        expect(USAGE, ["probe", "E1.5", "--save", "x.json"], "--save", "map")
        expect(USAGE, ["probe", "E1.5", "--by", "order"], "--by", "map")
        expect(USAGE, ["probe", "map", "--bin", "64"], "--bin", "--on brokkr")
        expect(USAGE, ["probe", "E1.5", "--film", "4"], "--film", "--output")
        expect(USAGE, ["probe", "draw", "--primitives", "strip", "--fill", "tiles"], "--fill", "strip")
        expect(USAGE, ["probe", "draw", "--cost", "-5"], "--cost", "-5")
        expect(USAGE, ["probe", "draw", "--background", "-1"], "--background", "-1")
        expect(USAGE, ["probe", "draw", "--slow", "512,0"], "--slow", "512,0", "512x512")
        expect(FAILURE, ["probe", "draw", "--slow-list", str(folder / "none.csv")], "none.csv")
        (folder / "slow.csv").write_text("# x,y,cost\n1,2,3\n7\n")
        expect(FAILURE, ["probe", "draw", "--slow-list", str(folder / "slow.csv")], "slow.csv:3", "'7'")
        expect(FAILURE, ["probe", "E1.5", "--on", "driver", "--device", "77"])
    if "  simt " in subprocess.run([program, "--help"], capture_output=True, text=True).stdout:
        expect(USAGE, ["simt"], "--list")
        expect(USAGE, ["simt", "evne"], "evne", "(did you mean 'even'?)")
        expect(USAGE, ["simt", "figure"], "number")
        expect(USAGE, ["simt", "figure", "9.9"], "9.9", "8.12")
        expect(USAGE, ["simt", "figure", "8.1", "--mimd"], "--mimd", "leave it out")
        expect(USAGE, ["simt", "even", "--ways", "3"], "--ways", "power of two")
        expect(USAGE, ["simt", "even", "--policy", "best"], "--policy", "spatial")
        expect(FAILURE, ["simt", "even", "--config", "none.json"], "none.json", "--list")
        expect(FAILURE, ["simt", "even", "--config", "/dev/zero"], "/dev/zero", "limit")
        (folder / "machine.json").write_text('{"memory": {"chanels": 3}}')
        expect(FAILURE, ["simt", "even", "--config", str(folder / "machine.json")], "memory.chanels", "did you mean 'channels'")
    expect(USAGE, ["--"], "FILE")
    expect(USAGE, ["render", good, "-o", out, "--isa", "v2", "--machine", "emulated"], "--isa", "emulated")
    expect(USAGE, ["render", good, "-o", out, "--warps", "3", "--machine", "cpu"], "--warps", "cpu")
    expect(USAGE, ["render", good, "-o", str(folder / "a-{}-{}.png")], "--output", "{}")
    expect(USAGE, ["capture", "-o", "a-{}-{}.bkf", "--frame", "1", "--", "true"], "--output", "{}")
    for camera, field in (("eye=1e-30,0,0", "eye"), ("up=0,1e-30,0", "up"), ("far=1e-40", "far"), ("near=1e-40", "near"),
                          ("far=1e30", "far")):
        expect(USAGE, ["render", "generated:city?triangles=300", "-o", out, "--camera", camera], "--camera", f"field '{field}'")
    expect(USAGE, ["compare", good], "B")
    if (folder / "out.png").exists():
        problems.append("a wrong command line left a picture behind")


def near_misses(folder, good):
    """A slip of the hand gets a suggestion, another word gets none."""
    out = str(folder / "out.png")
    for words, meant in ((["rendr", good], "render"), (["render", good, "--polcy", "edf"], "--policy"),
                         (["render", good, "--polciy=edf"], "--policy"), (["--vresion"], "--version"),
                         (["render", good, "-o", out, "--pattern", "hilbrt"], "hilbert"), (["pattern", "hilbrt"], "hilbert"),
                         (["optimize", good, "-o", "x.bkf", "--method", "hope"], "hoppe")):
        expect(USAGE, words, f"(did you mean '{meant}'?)")
    expect(FAILURE, ["render", "generated:citty", "-o", out], "(did you mean 'city'?)")
    for words in (["nonsense"], ["render", good, "--no-such-option"], ["render", good, "--pattern", "zigzag"]):
        run = subprocess.run([program, *words], capture_output=True, text=True, timeout=600)
        if "did you mean" in run.stderr:
            problems.append(f"brokkr {' '.join(words)}: guesses far: {run.stderr}")


def bad_files(folder, valid):
    def file(name, data):
        path = folder / name
        path.write_bytes(data)
        return str(path)

    out = str(folder / "bad.png")
    text = frame()
    hostile = {
        "empty.bkf": b"",
        "short.bkf": valid[:3],
        "header.bkf": valid[:31],
        "truncated.bkf": valid[:-1],
        "half.bkf": valid[: len(valid) // 2],
        "longer.bkf": valid + b"x",
        "magic.bkf": container(text, TRIANGLE, magic=b"BRKX"),
        "version.bkf": container(text, TRIANGLE, version=5),
        "program.bkf": container(frame(programs=[{}], commands=[draw(program=0)]), TRIANGLE, version=2),
        "short-texture.bkf": container(frame(textures=[{"kind": "2d", "format": "bc1", "size": [16384, 16384, 1], "data":
                                                        {"offset": 0, "type": "u8", "size": 16}}]), TRIANGLE, version=2),
        "length.bkf": valid[:8] + struct.pack("<Q", 2**63) + valid[16:],
        "bomb.bkf": valid[:16] + struct.pack("<Q", 2**62) + valid[24:],
        "notzstd.bkf": valid[:32] + b"\0" * (len(valid) - 32),
        "notjson.bkf": container("{", TRIANGLE),
        "array.bkf": container("[]", TRIANGLE),
        "deep.bkf": container("[" * 200000, TRIANGLE),
        "deepvalue.bkf": container(text.replace('"triangles"', "[" * 100000 + "]" * 100000), TRIANGLE),
        "notutf8.bkf": container(b'{"asset": "\xff\xfe"}', TRIANGLE),
        "state.bkf": container(frame(commands=[draw(state=9)]), TRIANGLE),
        "target.bkf": container(frame(commands=[{"type": "clear", "target": 5, "depth": 1.0}]), TRIANGLE),
        "offset.bkf": container(frame(commands=[draw(position={"offset": 2**63, "type": "f32x4", "count": 3})]), TRIANGLE),
        "count.bkf": container(frame(commands=[draw(position={"offset": 0, "type": "f32x4", "count": 4})]), TRIANGLE),
        "instances.bkf": container(frame(commands=[draw(instances=2**31)]), TRIANGLE),
        "negative.bkf": container(frame(targets=[{"id": 0, "size": [-8, 8], "samples": 0}]), TRIANGLE),
        "huge.bkf": container(frame(targets=[{"id": 0, "size": [2**30, 2**30], "samples": 0}]), TRIANGLE),
        "mode.bkf": container(frame(commands=[draw(mode="hexagons")]), TRIANGLE),
        "codec.bkf": container(frame(blob={"codec": "lzma", "size": 48}), TRIANGLE),
        "blob.bkf": container(frame(blob={"codec": "none", "size": 480}), TRIANGLE),
    }
    for name, data in hostile.items():
        path = file(name, data)
        for command in (["render", path, "-o", out], ["info", path], ["check", path]):
            expect(FAILURE, command, name)
    broken_obj = file("broken.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 99999\n")
    expect(FAILURE, ["render", broken_obj, "-o", out], "broken.obj")
    expect(FAILURE, ["render", file("empty.obj", b""), "-o", out], "empty.obj")
    for index in (b"4294967297", b"-4294967295", b"99999999999999999999"):
        long = file("long.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 " + index + b"\n")
        expect(FAILURE, ["render", "--strict", long, "-o", out], "long.obj", "line 5", "is not among the 3")
    expect(FAILURE, ["info", file("empty.gltf", b"")], "empty.gltf", "it is empty")
    pattern = b'{"format": "brokkr pattern", "version": 1, "name": "x", "rasterizers": 2, "width": 9223372036854775808, '
    wide = file("wide.json", pattern + b'"height": 1, "owner": [0]}')
    good = file("fine.bkf", valid)
    expect(FAILURE, ["render", good, "-o", out, "--pattern", wide], "wide.json", "9223372036854775808")
    library = file("library.so", b"\x7fELF, but nothing of ours")
    expect(FAILURE, ["capture", "--frame", "1", "--library", library, "--", "true"], "library.so", "--library")
    expect(FAILURE, ["render", file("scene.fbx", b"x"), "-o", out], "scene.fbx")
    for name in ("missing.bkf", "missing.obj", "no/such/folder.bkf"):
        path = str(folder / name)
        expect(FAILURE, ["render", path, "-o", out], path)
        expect(FAILURE, [path], path, cwd=folder)
        expect(FAILURE, ["info", path], path)
        expect(FAILURE, ["check", path], path)
    (folder / "empty").mkdir()
    expect(FAILURE, ["render", str(folder / "empty"), "-o", out], "empty")  # a folder without scenes
    (folder / "empty").rmdir()
    expect(FAILURE, ["compare", str(folder / "a.pfm"), str(folder / "b.pfm")], "a.pfm")
    expect(FAILURE, ["compare", file("bad.pfm", b"Pf\n-1 5\n-1\n"), file("bad2.pfm", b"")], "bad.pfm")
    if (folder / "bad.png").exists():
        problems.append("a wrong file left a picture behind")


def wrong_scenes(folder):
    """What cannot be traced or split is named in one line; brokkr render says the same of the same file."""
    out = str(folder / "scene.png")

    def file(name, text):
        (folder / name).write_text(text)
        return str(folder / name)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    for name, text, *mentions in (("nan", corners + "v nan 0 0\nf 1 2 4\n", "line 5", "vertex 4 is not finite", "export"),
                                  ("infinite", corners + "v 0 -inf 0\nf 1 2 4\n", "line 5", "vertex 4 is not finite"),
                                  ("far", corners + "v 0 1e30 0\nf 1 2 4\n", "line 5", "1e15"),
                                  ("short", corners + "v 0 1\nf 1 2 4\n", "line 5", "vertex 4 is not finite"),
                                  ("empty", "# nothing\n", "no faces")):
        path = file(name + "-scene.obj", text)
        for command in (["trace"] if has_research else []) + ["render"]:
            expect(FAILURE, [command, path, "-o", out], name + "-scene.obj", *mentions)
    if not has_research:
        return
    flat = file("flat.obj", corners + "v 2 0 0\nf 1 2 4\n")
    expect(FAILURE, ["trace", flat, "-o", out], "flat.obj", "no triangle with an area")
    one = file("one.obj", corners + "v 2 0 0\nf 1 2 3\nf 1 2 4\n")
    run = subprocess.run([program, "trace", one, "-o", out, "--size", "8x8", "--samples", "4"], capture_output=True, text=True)
    if run.returncode or run.stderr or "1 triangle without area left out" not in run.stdout:
        problems.append(f"brokkr trace: of a triangle without an area it says {run.stdout!r}, {run.stderr!r}")
    (folder / "scene.png").unlink(missing_ok=True)
    expect(FAILURE, ["trace", file("lit.obj", corners + "f 1 2 3\n"), "-o", out, "--sky", "0", "--sun", "0"], "lit.obj", "has no light", "--sky")
    patch = "1\n3 3\n" + "".join(f"{x} {y} 0\n" for x in range(4) for y in range(4))
    for name, text, *mentions in (("none", "0\n", "patches"), ("nothing", "", "patches"),
                                  ("nan", patch.replace("3 3 0", "3 nan 0"), "patch 1", "point 16"),
                                  ("cut", patch[:-6], "patch 1", "point 16"), ("degrees", patch.replace("3 3\n", "2 2\n", 1), "bicubic")):
        expect(FAILURE, ["reyes", file(name + ".bpt", text), "-o", out], name + ".bpt", *mentions)
    if (folder / "scene.png").exists():
        problems.append("a wrong scene left a picture behind")


def unwritable(folder, good):
    expect(FAILURE, ["render", good, "-o", str(folder / "no-such-folder" / "x.png")], "no-such-folder")
    expect(FAILURE, ["render", good, "-o", str(folder / "x.png"), "--stats", str(folder / "nowhere" / "s.json")], "nowhere")
    expect(FAILURE, ["pattern", "diagonal", "-n", "4", "-o", str(folder / "nowhere" / "p.png")], "nowhere")
    expect(FAILURE, ["bench", good, "--against", "none"], "/no/such/folder", "TMPDIR", TMPDIR="/no/such/folder")
    # One gigabyte of address space cannot hold the stacks of so many threads.
    expect(FAILURE, ["render", good, "--no-output", "--workers", "4096"], "workers", limits=[(resource.RLIMIT_AS, 2**30)])
    # No references in this file: nothing to check is a failure, not a success.
    expect(FAILURE, ["check", good], "good.bkf", "reference")


def strange_places(folder, good):
    """Names that the system refuses, files where folders should be, a current folder that is gone: no message of a library's."""
    long, below_a_file = "n" * 300, good + "/sub"
    known = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    for name in (long, long + ".bkf", below_a_file + ".bkf", "a/" * 3000 + "x.bkf"):
        for words in (["render", name, "--no-output"], ["info", name], ["check", name], ["trim", name, "-o", str(folder / "t.bkf")],
                      ["optimize", name, "-o", str(folder / "o.bkf")]):
            expect(FAILURE, words, name[:200])
    for name in (str(folder / long) + ".png", below_a_file + ".png"):
        expect(FAILURE, ["render", good, "-o", name], name[-100:])
        expect(FAILURE, ["pattern", "hilbert", "-o", name], name[-100:])
    expect(FAILURE, ["render", good, "--no-output", "--pattern", "./" + long + ".json"], long)
    expect(FAILURE, ["capture", "--frame", "1", "-o", below_a_file + "/x.bkf", "--", "true"], "sub")
    expect(FAILURE, ["capture", "--frame", "1", "--library", below_a_file, "--", "true"], "sub")
    if "  patterns " in known:
        expect(FAILURE, ["patterns", good, "-o", below_a_file], "sub", "folder")
        expect(USAGE, ["patterns", good, "-o", good], "good.bkf", "read by FILE")
        expect(FAILURE, ["batches", good, "-o", below_a_file], "sub", "folder")
    if "  probe " in known:
        expect(FAILURE, ["probe", "E1.5", "-o", below_a_file], "sub", "folder")
    if "  simt " in known and "sad" in subprocess.run([program, "simt", "--list"], capture_output=True, text=True).stdout:
        expect(FAILURE, ["simt", "sad", "--config", long], long)
        expect(FAILURE, ["simt", "sad", "-o", below_a_file], "sub", "folder")
    for words in (["capture", "--frame", "1", "--", "true"], ["render", "generated:sphere-100k?triangles=99", "--size", "8x8", "-o", "a.png"],
                  ["optimize", "generated:sphere-100k?triangles=99", "-o", "a.obj"], ["pattern", "hilbert", "-o", "a.png"]):
        gone = folder / "gone"
        gone.mkdir()
        run = subprocess.run(["sh", "-c", 'rmdir ../gone; exec "$0" "$@"', program, *words], cwd=gone, capture_output=True, text=True,
                             timeout=600)
        if run.returncode != FAILURE or run.stderr.count("\n") != 1 or "filesystem error" in run.stderr or "folder" not in run.stderr:
            problems.append(f"{words} in a folder that is gone: {run}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        valid = container(frame(), TRIANGLE)
        good = folder / "good.bkf"
        good.write_bytes(valid)
        run = subprocess.run([program, "info", str(good)], capture_output=True, text=True, timeout=600)
        if run.returncode != 0:
            print(f"the file that the others are made from is not accepted: {run.stderr}")
            return 1
        usage_errors(folder, str(good))
        near_misses(folder, str(good))
        bad_files(folder, valid)
        wrong_scenes(folder)
        unwritable(folder, str(good))
        strange_places(folder, str(good))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
