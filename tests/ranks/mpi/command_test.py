"""`mpirun brokkr render` as a user meets it: the same file as one rank writes, reports, and faults that end all ranks
with one line that names rank and cause.

    command_test.py BROKKR SILENT MPIRUN [its options]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BROKKR, SILENT, MPIRUN = sys.argv[1], sys.argv[2], sys.argv[3:]
FRAME = "scenes/gl-feature-test.bkf"
LIMIT = 600  # seconds: a hang


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

        # A file that only some ranks see; a setting that differs; a frame that differs.
        mine, theirs = folder / "mine.bkf", folder / "theirs.bkf"
        mine.write_bytes(pathlib.Path(FRAME).read_bytes())
        start = [*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, ":", "-n", "1", BROKKR, "render"]
        for arguments, words in [([theirs, "-o", other], "rank 1: "), ([mine, "-o", other, "--merge", "7"], "--merge")]:
            result = subprocess.run([*start, *arguments], capture_output=True, text=True, timeout=LIMIT)
            ours = lines_of_ours(result)
            check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and words in ours[0],
                  f"one line names rank and cause: {words}", result)

        # Too little memory on one rank.
        result = subprocess.run([*start, mine, "-o", other, "--memory-limit", "1"], capture_output=True, text=True, timeout=LIMIT)
        ours = lines_of_ours(result)
        check(result.returncode != 0 and len(ours) == 1 and "rank 1" in ours[0] and "memory" in ours[0],
              "memory of one rank", result)

        # A rank that dies: the others wait for nothing. It ends itself before it answers.
        died = [*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, ":", "-n", "1", "/bin/sh", "-c", "kill -9 $$"]
        result = subprocess.run(died, capture_output=True, text=True, timeout=LIMIT)
        check(result.returncode != 0, "a rank died", result)
        # One that lives, and never answers.
        result = subprocess.run([*MPIRUN, "-n", "1", BROKKR, "render", mine, "-o", other, "--timeout", "3", ":", "-n", "1", SILENT],
                                capture_output=True, text=True, timeout=LIMIT)
        check(result.returncode != 0 and any("rank 1 has not answered for 3 s" in line for line in lines_of_ours(result)),
              "a rank that never answers", result)

        # Measurement and model, of a frame so small that it takes no time.
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

        # What makes no sense is said before MPI starts.
        for arguments in (["--merge", "5"], ["--ranks", "cpd", "--aov", "depth=d.pfm"], ["--ranks", "sometimes"]):
            result = run(["render", FRAME, "-o", other, *arguments])
            check(result.returncode == 2 and len(result.stderr.splitlines()) == 1, f"usage: {arguments}", result)
    print("passed")


main()
