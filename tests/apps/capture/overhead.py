#!/usr/bin/env python3
"""What an armed capture that never fires costs a program: pairs of runs, with and without it, in turns.

  tests/apps/capture/overhead.py build/release/brokkr --pairs 15 -- glmark2 -s 64x64 -b build:nframes=500

The program must end by itself after the same work each time. Prints the median and the quartiles of the
pairs' ratios, and the ratio of the least times (which a busy machine disturbs least).
"""
import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """(wall, processor) seconds of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended, wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("brokkr")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    runs = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        armed = [arguments.brokkr, "capture", "--frame", "1000000000", "-o", folder + "/never.bkf", "--"]
        for pair in range(arguments.pairs):
            # The first run may find the machine in a different state, so the order changes from pair to pair.
            for with_layer in ((False, True) if pair % 2 == 0 else (True, False)):
                ended, *times = run((armed if with_layer else []) + arguments.program)
                # The layer never reaches its frame, and brokkr says so; any other end is a failure.
                if with_layer and b"before the requested frame" not in ended.stderr:
                    sys.exit(ended.stderr.decode(errors="replace"))
                if not with_layer and ended.returncode != 0:
                    sys.exit(f"{arguments.program[0]} ended with {ended.returncode}")
                runs[with_layer].append(times)
    for what, name in enumerate(("wall time", "processor time")):
        plain, layer = ([times[what] for times in runs[with_layer]] for with_layer in (False, True))
        low, middle, high = (100 * (q - 1) for q in statistics.quantiles(map(lambda a, b: a / b, layer, plain), n=4))
        least = 100 * (min(layer) / min(plain) - 1)
        print(f"{name}: least {min(plain):.2f} s, with the layer {min(layer):.2f} s ({least:+.1f} %); "
              f"{len(plain)} pairs: {middle:+.1f} % (quartiles {low:+.1f} … {high:+.1f} %)")


if __name__ == "__main__":
    main()
