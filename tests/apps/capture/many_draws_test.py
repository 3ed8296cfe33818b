#!/usr/bin/env python3
"""A frame of many draws takes a time that grows with their number, and no faster.

    many_draws_test.py BROKKR PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile

program = pathlib.Path(sys.argv.pop()).resolve()
brokkr = pathlib.Path(sys.argv.pop()).resolve()
DRAWS = 24000
# The last quarter of the draws may take this many times as long as the first. If each draw looked at all earlier ones,
# the factor would exceed four.
MOST = 2
ATTEMPTS = 4  # processor time excludes other programs, but they still affect caches and clock rates

found = []
with tempfile.TemporaryDirectory() as folder:
    for _ in range(ATTEMPTS):
        run = subprocess.run([brokkr, "capture", "--frame", "1", "-o", "many.bkf", "--", program, "--many", str(DRAWS)],
                             cwd=folder, capture_output=True, text=True, timeout=900)
        if run.returncode and "no " in run.stderr and "capture test program:" in run.stderr + run.stdout:
            print("skipped:", run.stderr, run.stdout)
            sys.exit(77)
        quarters = [float(line.removesuffix(" ms")) for line in run.stdout.splitlines() if line.endswith(" ms")]
        if run.returncode or len(quarters) != 4:
            sys.exit(f"exit code {run.returncode}: {run.stderr}{run.stdout}")
        info = subprocess.run([brokkr, "info", "many.bkf"], cwd=folder, capture_output=True, text=True, timeout=600, check=True)
        if f"{DRAWS}" not in info.stdout.replace(" ", "").replace("\u202f", ""):
            sys.exit(f"the frame has not {DRAWS} draws: {info.stdout}")
        found.append(quarters)
        if quarters[3] <= MOST * quarters[0]:
            sys.exit(0)
sys.exit(f"the last of {DRAWS} draws took longer and longer: ms of each quarter {found}")
