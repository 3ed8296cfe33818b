"""Tests `mpirun brokkr render` as a user runs it: it writes the same file as one rank, it reports, and faults end all
ranks with one line that names rank and cause.

    command_test.py BROKKR SILENT STRANGER MPIRUN [its options]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

BROKKR, SILENT, STRANGER, MPIRUN = *sys.argv[1:4], sys.argv[4:]
FRAME = "tests/frames/gl-feature-test.bkf"
LIMIT = 600  # seconds; a longer run counts as a hang


def run(arguments, ranks=0, **options):
    start = [*MPIRUN, "-n", str(ranks)] if ranks else []
    return subprocess.run([*start, BROKKR, *arguments], capture_output=True, text=True, timeout=LIMIT, **options)


def check(condition, what, result=None):
    if condition:
        return
    print(f"FAILED: {what}")
    if result is not None:
        print("exit", result.returncode, "\nout:", result.stdout, "\nerr:", result.stderr)
    sys.exit(1)


def lines_of_ours(result):
    return [line for line in result.stderr.splitlines() if line.startswith("brokkr: ") and "warning" not in line]


def wait_for(condition):
    until = time.monotonic() + LIMIT
    while not condition():
        check(time.monotonic() < until, "what was waited for")
        time.sleep(0.02)


def is_drawing(process):
    """Returns true if the process is brokkr and has worked for a while."""
    words = pathlib.Path(f"/proc/{process}/stat").read_text()
    return "(brokkr)" in words and int(words.rpartition(")")[2].split()[11]) > 20


def extras(folder):
    """Checks that the files beside the picture equal those of one rank."""
    aovs = lambda name: [word for aov in ("depth", "draw", "triangle", "overdraw") for word in ("--aov", f"{aov}={folder}/{name}-{aov}.pfm")]
    check(run(["render", FRAME, "-o", folder / "a.png", *aovs("one")]).returncode == 0, "one rank's values")
    result = run(["render", FRAME, "-o", folder / "b.png", *aovs("many"), "--stats", folder / "stats.json", "--trace",
                  folder / "trace.json"], ranks=3)
    check(result.returncode == 0, "values, counts and time lines of ranks", result)
    for aov in ("depth", "draw", "triangle", "overdraw"):
        check((folder / f"one-{aov}.pfm").read_bytes() == (folder / f"many-{aov}.pfm").read_bytes(), f"{aov} is that of one rank")
    stats = json.loads((folder / "stats.json").read_text())
    check([r["rank"] for r in stats["ranks"]] == [0, 1, 2] and all(r["statistics"]["batches"] > 0 for r in stats["ranks"]),
          "counts of each rank")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    check({e["pid"] for e in events if e["ph"] == "X"} == {0, 1, 2}, "time lines of all ranks")
    for shading in ("triangle", "batch"):
        for way in ("cpd", "duplicate"):
            result = run(["render", FRAME, "-o", folder / "b.png", "--shading", shading, "--ranks", way], ranks=2)
            check(result.returncode == 0, f"{shading}, {way}", result)
            run(["render", FRAME, "-o", folder / "a.png", "--shading", shading])
            check((folder / "a.png").read_bytes() == (folder / "b.png").read_bytes(), f"{shading} by its number, {way}")


def spread(folder):
    """Checks whole views and whole frames for each rank."""
    scene = ["render", "generated:city?triangles=2000", "--views", "5", "--view-size", "48", "--samples", "1"]
    check(run([*scene, "-o", folder / "one-{}.png"]).returncode == 0, "views of one rank")
    result = run([*scene, "-o", folder / "many-{}.png", "--ranks", "views", "--rank-stats", folder / "views.json"], ranks=3)
    check(result.returncode == 0 and "5 views by 3 ranks" in result.stdout, "views of three", result)
    for view in range(5):
        check((folder / f"one-{view}.png").read_bytes() == (folder / f"many-{view}.png").read_bytes(), f"view {view}")
    check([r["views"] for r in json.loads((folder / "views.json").read_text())["ranks"]] == [2, 2, 1], "turns")
    result = run(["render", FRAME, "--ranks", "views", "--no-output"], ranks=2)
    ours = lines_of_ours(result)
    check(result.returncode == 1 and len(ours) == 1 and "has no views that can be drawn separately" in ours[0], "a frame without views", result)
    files = [FRAME, "tests/frames/measured/glmark2-shadow.bkf"]
    result = run(["render", *files, "-o", folder / "f-{}.png", "--ranks", "frames", "--frames", "3", "--size", "64x48"], ranks=2)
    check(result.returncode == 0 and "6 frames by 2 ranks" in result.stdout, "frames of two ranks", result)
    for file in files:
        run(["render", file, "-o", folder / "alone.png", "--size", "64x48"])
        written = folder / f"f-{pathlib.Path(file).stem}.png"
        check(written.read_bytes() == (folder / "alone.png").read_bytes(), f"{file} by some rank")
    result = run(["render", FRAME, folder / "missing.bkf", "--ranks", "frames", "--no-output"], ranks=2)
    ours = lines_of_ours(result)
    check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and "missing.bkf" in ours[0], "a frame that is not there",
          result)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one, many, other = folder / "one.png", folder / "many.png", folder / "other.png"
        check(run(["render", FRAME, "-o", one]).returncode == 0, "one rank draws")
        result = run(["render", FRAME, "-o", many, "--rank-stats", folder / "ranks.json"], ranks=3)
        check(result.returncode == 0, "three ranks draw", result)
        check(one.read_bytes() == many.read_bytes(), "three ranks write the picture of one")
        check(result.stdout.count("3 ranks, cpd") == 1, "rank 0 alone prints", result)
        report = json.loads((folder / "ranks.json").read_text())
        check([r["rank"] for r in report["ranks"]] == [0, 1, 2], "the report is of all ranks")
        projected = sum(r["projected"] for r in report["ranks"])
        check(projected == report["ranks"][0]["frame_primitives"] > 0, "each primitive is projected once")
        result = run(["render", FRAME, "-o", other, "--ranks", "duplicate", "--rank-stats", folder / "ranks.csv",
                      "--machine", "emulated"], ranks=2)
        check(result.returncode == 0 and one.read_bytes() == other.read_bytes(), "duplicates do, on another machine", result)
        check(len((folder / "ranks.csv").read_text().splitlines()) == 3, "a line for each rank")

        # This computer has no GPU: targets go through host memory. If the user requested another link, a line says why.
        result = run(["render", FRAME, "-o", other, "--rank-link", "nccl", "--machine", "cpu"], ranks=2)
        ours = lines_of_ours(result)
        check(result.returncode == 0 and one.read_bytes() == other.read_bytes() and len(ours) == 1 and
              "--rank-link nccl" in ours[0] and "rank 0: it does not draw on a GPU" in ours[0], "ranks without a GPU", result)
        result = run(["render", FRAME, "-o", other, "--rank-link", "auto", "--machine", "cpu"], ranks=2)
        check(result.returncode == 0 and not lines_of_ours(result), "which nobody is told unasked", result)

        # A budget interrupts each rank. The picture has the parts that all ranks completed.
        result = run(["render", "generated:city?triangles=400000", "--size", "2000x2000", "-o", other, "--budget", "0.01"], ranks=2)
        check(result.returncode == 0 and "cut off: the picture is partial" in result.stdout, "a budget of ranks", result)

        extras(folder)
        spread(folder)

        # A file that only some ranks can read; a setting that differs; a frame that differs.
        mine, theirs = folder / "mine.bkf", folder / "theirs.bkf"
        mine.write_bytes(pathlib.Path(FRAME).read_bytes())
        start = [*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, ":", "-n", "1", BROKKR, "render"]
        for arguments, words in [([theirs, "-o", other], "rank 1: "), ([mine, "-o", other, "--merge", "7"], "--merge")]:
            result = subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=LIMIT)
            ours = lines_of_ours(result)
            check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and words in ours[0],
                  f"one line names rank and cause: {words}", result)

        theirs.write_bytes(pathlib.Path("tests/frames/measured/glmark2-shadow.bkf").read_bytes())
        result = subprocess.run([*start, theirs, "-o", other], capture_output=True, text=True, timeout=LIMIT)
        ours = lines_of_ours(result)
        check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and "mine.bkf is '" in ours[0], "another frame", result)

        # Too little memory on one rank.
        result = subprocess.run([*start, mine, "-o", other, "--memory-limit", "1"], capture_output=True, text=True, timeout=LIMIT)
        ours = lines_of_ours(result)
        check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and "memory" in ours[0],
              "memory of one rank", result)

        # Another version of the program: the error comes before any frame is drawn.
        result = subprocess.run([*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, ":", "-n", "1", STRANGER],
                                capture_output=True, text=True, timeout=LIMIT)
        ours = lines_of_ours(result)
        check(result.returncode != 0 and len(ours) == 1 and "rank 1: version is '0.0.1' there" in ours[0], "another version", result)

        # A rank that dies while frames are drawn: mpirun names it and ends all ranks.
        started = folder / "started"
        tell = ["/bin/sh", "-c", f"echo $$ > {started}; exec \"$@\"", "sh", BROKKR, "render", mine, "--no-output", "--frames", "1000000"]
        with subprocess.Popen([*MPIRUN, "-n", "1", BROKKR, *tell[5:], ":", "-n", "1", *tell], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            wait_for(lambda: started.exists() and started.read_text().endswith("\n") and is_drawing(int(started.read_text())))
            os.kill(int(started.read_text()), signal.SIGKILL)
            out, err = process.communicate(timeout=LIMIT)
        check(process.returncode != 0 and "process rank 1" in out + err and "signal 9" in out + err, f"a rank died: {out}{err}")

        # The others do not wait for a rank that dies. It ends itself before it answers.
        died = [*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, ":", "-n", "1", "/bin/sh", "-c", "kill -9 $$"]
        result = subprocess.run(died, capture_output=True, text=True, timeout=LIMIT)
        check(result.returncode != 0, "a rank died", result)
        # A rank that runs but never answers.
        result = subprocess.run([*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, "--timeout", "3", ":", "-n", "1", SILENT],
                                capture_output=True, text=True, timeout=LIMIT)
        check(result.returncode != 0 and any("rank 1 has not answered for 3 s" in line for line in lines_of_ours(result)),
              "a rank that never answers", result)

        # Measurement and model of a frame so small that it takes almost no time.
        costs = folder / "costs.json"
        result = run(["ranks", "measure", FRAME, "-o", costs, "--most", "4", "--repeats", "1"])
        check(result.returncode == 0, "costs are measured", result)
        launches = json.loads(costs.read_text())["frames"][0]["launches"]
        check(len(launches) == 2 * (1 + 2 + 4) and all(ms > 0 for launch in launches for ms in launch["segment_ms"]),
              "each rank was measured both ways")
        result = run(["ranks", "model", "fig13", costs, "-o", folder / "fig13.csv"])
        check(result.returncode == 0 and "modelled" in result.stdout and "paper:" in result.stdout, "a figure", result)
        check((folder / "fig13.csv").read_text().startswith("frame,way,2,4\n"), "a figure's table")
        result = run(["ranks", "model", "fig18", costs])
        check(result.returncode == 1 and "--most 16" in result.stderr, "too few ranks were measured", result)
        result = run(["ranks", "balance", FRAME, "--most", "4"])
        check(result.returncode == 0 and "van-der-corput" in result.stdout, "balance of patterns", result)
        result = run(["ranks", "owners", FRAME, "-o", folder / "owners.png"])
        check(result.returncode == 0 and (folder / "owners.png").stat().st_size > 1000, "a picture of owners", result)

        # Started by a launcher that Open MPI does not know, such as another MPI's mpirun: each process would take
        # itself for the only rank.
        result = run(["render", FRAME, "-o", other], env=dict(os.environ, PMI_RANK="0", PMI_SIZE="2"))
        ours = lines_of_ours(result)
        check(result.returncode == 1 and len(ours) == 1 and "does not know the other ranks" in ours[0], "another MPI", result)

        # Invalid options are refused before MPI starts.
        for arguments in (["--merge", "5"], ["--ranks", "sometimes"],
                          ["--ranks", "views", "--merge", "5"]):
            result = run(["render", FRAME, "-o", other, *arguments])
            check(result.returncode == 2 and len(result.stderr.splitlines()) == 1, f"usage: {arguments}", result)
    print("passed")


main()
