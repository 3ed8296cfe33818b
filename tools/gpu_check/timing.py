"""Steps that measure times: `brokkr bench`, with and without OpenGL, and queues.

Each is a separate run with a separate limit, so that the findings do not depend on each other.
"""
import json
import os
import pathlib
import re
import time

from .process import Failed, Skip, must_run, run

GENERATED = ["sphere-1m", "sphere-100k", "overlap-10k", "terrain", "city"]
CURVES = ["triangles", "pixels", "views", "overdraw", "draws", "workers"]
VARIANTS = ["two blocks", "no vertex reuse", "no graph"]
SHORT = ["--frames", "10", "--rounds", "2", "--turn", "250"]  # of a benchmark's turns


def bench(check, name, arguments, seconds, program=None, against=None, environment=None):
    """Returns shortened rows of `brokkr bench`."""
    check.need_gpu()
    report = check.output / f"bench-{name}.json"
    report.unlink(missing_ok=True)
    if against is None:
        find_peer(check)
        against = check.against
    command = [program or check.program, "bench", *arguments, "--machine", check.machine, "--against", against, "--json", report]
    status, output = run(command, check.limit(seconds), check.output / f"bench-{name}.log", environment)
    try:
        document = json.loads(report.read_text())
    except (OSError, ValueError):
        last = [line for line in output.splitlines() if line.strip()][-2:]
        raise Failed(f"exit status {status}: " + " | ".join(last)[:400]) from None
    rows = []
    for row in document["results"]:
        short = {key: row[key] for key in ("name", "shading", "curve", "series", "x", "width", "height", "layers", "triangles",
                                           "fragments", "error") if key in row}
        if "error" not in row:
            short.update(frame_ms=row["brokkr"]["median_ms"], launch_ms=row["launch"]["median_ms"],
                         peers={peer: times["median_ms"] for peer, times in row.get("peers", {}).items()})
        rows.append(short)
    wrong = [f"{row['name']} {row['shading']}: {row['error']}" for row in rows if "error" in row]
    if wrong:
        raise Failed("; ".join(wrong)[:600], {"rows": rows})
    return {"rows": rows, "environment": document["environment"]}


def find_peer(check):
    """Chooses OpenGL on the GPU as the peer if it is available; otherwise benchmarks run without a peer."""
    if check.against is not None:
        return
    check.against, wanted = "none", "llvmpipe" if check.options.rehearse else "gpu"
    if check.build_dir != pathlib.Path(check.options.prebuilt or "").resolve():
        build = ["cmake", "--build", check.build_dir, "--parallel", str(os.cpu_count() or 2), "--target", "brokkr-gl-bench"]
        run(build, check.limit(120), check.output / "peer-build.log")
    arguments = ["generated:sphere-100k", "--frames", "2", "--rounds", "1", "--machine", "cpu"]
    report = check.output / "peer.json"
    status, output = run([check.program, "bench", *arguments, "--against", wanted, "--json", report], check.limit(60),
                         check.output / "peer.log")
    if status == 0:
        check.against = wanted
        check.peer = json.loads(report.read_text())["environment"]["peers"]
    else:
        check.peer = ([line for line in output.splitlines() if line.strip()] or ["no output"])[-1][:300]


def opengl(check):
    check.need_gpu()
    find_peer(check)
    if check.against == "none":
        raise Skip(f"benchmarks go without OpenGL: {check.peer}")
    return {"peers": check.peer}


def scene(check, name):
    rows, end = [], time.monotonic() + check.limit(90)
    for shading in ("flat", "phong", "textured"):
        try:
            found = bench(check, f"{name}-{shading}", [f"generated:{name}", "--shading", shading, *SHORT], end - time.monotonic())
        except Failed as reason:
            raise Failed(f"{shading}: {reason.args[0]}", {"rows": rows}) from None
        rows += found["rows"]
    return {"rows": rows}


def captures(check):
    frames = [path for path in check.frame_files() if path.endswith(".bkf")]
    if not frames:
        raise Skip("no frame to draw")
    return bench(check, "frames", [*frames, "--shading", "flat", *SHORT], 60)


def curve(check, name):
    return bench(check, f"curve-{name}", ["--curve", name, "--frames", "5", "--rounds", "1", "--turn", "100"], 75)


def variant(check, name):
    """Times the generated scenes again, shaded flat and with one change, for comparison with "bench ..." of the same
    scenes."""
    program, arguments, environment = {
        "two blocks": (check.two_program, [], {}),
        "no vertex reuse": (check.program, ["--reuse", "none"], {}),
        "no graph": (check.program, [], {"BROKKR_CUDA_GRAPH": "0"})}[name]
    if not program.exists():
        raise Skip("no program with two blocks per multiprocessor was built")
    scenes = [f"generated:{scene}" for scene in GENERATED]
    return bench(check, name.replace(" ", "-"), [*scenes, "--shading", "flat", *SHORT, *arguments], 60, program, "none", environment)


def patterns(check):
    check.need_gpu()
    listed = must_run([check.program, "pattern", "--list"], check.limit(20), check.output / "patterns.log", "list of patterns")
    names = re.findall(r"^\s*([a-z][a-z0-9-]+)", listed, re.M)
    rows, end = [], time.monotonic() + check.limit(60)
    for ownership in ("static", "stealing"):
        for name in names:
            if time.monotonic() > end - 2:
                return {"rows": rows, "left_out": "time was up"}
            found = bench(check, f"pattern-{name}-{ownership}", [
                "generated:city", "--pattern", name, "--ownership", ownership, *SHORT], end - time.monotonic(), None, "none")
            rows += [{**row, "pattern": name, "ownership": ownership} for row in found["rows"]]
    return {"rows": rows}


def queues(check):
    check.need_gpu()
    report = check.output / "queues.json"
    command = [check.program, "queues", "--machine", check.machine, "--quick", "--json", report]
    must_run(command, check.limit(90), check.output / "queues.log", "queue experiments")
    rows = json.loads(report.read_text())["measurements"]
    return {"measurements": len(rows), "queues": len({row["queue"] for row in rows})}
