#!/usr/bin/env python3
"""Tests brokkr trace as a user runs it: bright pictures, time limits, Ctrl-C, output.

    trace_test.py PROGRAM
"""
import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COURTYARD = str(ROOT / "assets/courtyard.obj")


class Trace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def trace(self, *words, code=0):
        run = subprocess.run([PROGRAM, "trace", COURTYARD, "--size", "64x40", *words], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def test_the_first_example_is_bright_and_says_what_it_wrote(self):
        run = self.trace("-o", "a.png", "--samples", "16")
        self.assertEqual(run.stderr, "")
        self.assertRegex(run.stdout, r"^a\.png: 64x40 pixels, 16\.0 samples each, [\d ]+ rays in \d+\.\d s, exposure [+-]\d\.\d\d")
        exposure = float(re.search(r"exposure ([+-][\d.]+)", run.stdout)[1])
        self.assertLess(abs(exposure), 3, "the scene is neither black nor white")
        self.assertIn("exposure +1.50", self.trace("-o", "b.png", "--samples", "4", "--exposure", "1.5").stdout)

    def test_linear_files_have_the_skys_light(self):
        self.trace("-o", "a.pfm", "--samples", "4", "--sky", "0.25", "--sun", "0")
        data = (self.path / "a.pfm").read_bytes().split(b"\n", 3)[3]
        values = struct.unpack(f"<{len(data) // 4}f", data)
        self.assertEqual(values[-1], 0.25, "the corner above shows the sky")

    def test_seconds_end_it(self):
        run = self.trace("-o", "a.png", "--seconds", "0.2", "--json", "run.json")
        report = json.loads((self.path / "run.json").read_text())
        self.assertGreaterEqual(report["least_samples"], 4, run.stdout)
        self.assertLess(report["most_samples"], 1048576)
        self.assertIn("a.png:", run.stdout)

    def test_json_alone_on_standard_output(self):
        self.assertEqual(json.loads(self.trace("-o", "a.png", "--samples", "4", "--json", "-").stdout)["least_samples"], 4)
        self.assertIn("standard output", self.trace("-o", "-", "--json", "-", code=2).stderr)

    def test_a_grid_counts_the_groups_that_rays_enter(self):
        report = json.loads(self.trace("-o", "a.png", "--samples", "4", "--bounces", "0", "--structure", "grug", "--json", "-").stdout)
        self.assertGreater(report["groups_entered"], report["segments"], "most rays cross several groups")
        self.assertLess(report["groups_entered"], report["steps"])

    def test_ctrl_c_saves_what_there_is(self):
        run = subprocess.Popen([PROGRAM, "trace", COURTYARD, "-o", "a.png", "--size", "64x40", "--samples", "1000000"], cwd=self.path,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not self.traces(run):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        said, complaint = run.communicate()
        self.assertEqual(run.returncode, 128 + signal.SIGINT, complaint)
        self.assertIn("SIGINT", complaint)
        self.assertIn("a.png: 64x40 pixels", said)
        self.assertTrue((self.path / "a.png").exists())

    def traces(self, run):
        """Returns true if it traces: its signals are noted before its threads start."""
        self.assertIsNone(run.poll(), "it ended by itself")
        return len(list(pathlib.Path(f"/proc/{run.pid}/task").iterdir())) > 1


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
