#!/usr/bin/env python3
"""Tests brokkr batches --driver: the counts of OpenGL, and the results without OpenGL. tools/research/plot-batches: the
tables of a page.

    batches_test.py BROKKR
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "tools/research/plot-batches"
PYTHON = "/usr/bin/python3"
BROKKR = pathlib.Path(sys.argv.pop(1)).resolve()
MESH = "generated:sphere-100k?triangles=2000"


def brokkr(*words, **environment):
    return subprocess.run([BROKKR, "batches", *map(str, words)], capture_output=True, text=True, env={**os.environ, **environment})


def has_matplotlib():
    try:
        return subprocess.run([PYTHON, "-c", "import matplotlib"], capture_output=True).returncode == 0
    except OSError:
        return False


def has_peer():
    places = (BROKKR.parent / "src/apps/reference", BROKKR.parent, BROKKR.parent.parent / "libexec/brokkr")
    return any((place / "brokkr-gl-bench").exists() for place in places)


@unittest.skipIf(brokkr("--help").returncode != 0, "needs a program with the lab")
class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rows(self, *words, **environment):
        """Returns the rows of the table asr, and the text on standard error."""
        done = brokkr(MESH, *words, "-o", self.folder, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "batches-asr.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), done.stderr, done.stdout

    def test_without_opengl_all_else_is_measured(self):
        rows, said, _ = self.rows("--models", "nvidia,amd", "--methods", "original,batch", "--steps", "--driver", "99")
        self.assertEqual(len(rows), 8)
        self.assertTrue(all(float(row["asr"]) > 0.5 and row["driver"] == row["measured"] == "" for row in rows))
        lines = said.strip().splitlines()
        self.assertEqual(len(lines), 1, said)
        self.assertIn("warning: --driver: ", lines[0])
        self.assertIn("its columns stay empty", lines[0])

    @unittest.skipUnless(has_peer(), "needs brokkr-gl-bench")
    def test_what_llvmpipe_counts_is_what_its_model_predicts(self):
        rows, said, printed = self.rows("--models", "llvmpipe", "--methods", "original,hoppe,forsyth,batch", "--driver", "software")
        if "its columns stay empty" in said or not rows[0]["driver"].startswith("llvmpipe"):
            self.skipTest(said or f"the driver is {rows[0]['driver']}")
        for row in rows:
            self.assertEqual(row["asr"], row["measured"], row)
        self.assertIn("llvmpipe (LLVM", printed)

    @unittest.skipUnless(has_matplotlib(), "needs matplotlib")
    def test_tables_for_the_page_tell_the_least_and_how_far_ours_is_from_the_best_rival(self):
        unindexed = ROOT / "tests/frames/measured/glmark2-shadow.bkf"
        self.rows(unindexed, "--models", "nvidia,amd", "--methods", "original,forsyth,batch")
        done = subprocess.run([PYTHON, TOOL, self.folder, "--output", self.folder, "--markdown"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        titles = [line for line in done.stdout.splitlines() if line.startswith("Runs")]
        self.assertEqual(titles, ["Runs per triangle, nvidia", "Runs per triangle, amd"])
        lines = done.stdout.split("Runs per triangle, amd\n\n")[1].splitlines()
        self.assertEqual(lines[0], "| amd | triangles | original | forsyth | batch | perfect | batch to best rival |")
        self.assertTrue(lines[2].startswith("| sphere-100k | 2 028 | "), lines[2])
        self.assertEqual(lines[2].count("**"), 2)
        self.assertNotIn("glmark2", done.stdout)

    def test_models_without_a_strategy_are_not_rendered(self):
        refused = brokkr(MESH, "--models", "nvidia,llvmpipe", "--methods", "original", "--frames", "1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--frames: the pipeline has no reuse strategy 'llvmpipe'", refused.stderr)


if __name__ == "__main__":
    unittest.main()
