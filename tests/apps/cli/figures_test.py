#!/usr/bin/env python3
"""tools/research/figures: every command runs in its small form, and the pages have the commands.

    figures_test.py BROKKR
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

BROKKR = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
FIGURES = ROOT / "tools/research/figures"
GLOBS = ("queues", "schedule", "batches", "patterns", "performance")


def run(*words):
    return subprocess.run([sys.executable, str(FIGURES), *map(str, words)], capture_output=True, text=True, cwd=ROOT)


def has_lab():
    return subprocess.run([BROKKR, "queues", "--list"], capture_output=True).returncode == 0


def has_matplotlib():
    plots = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True)
    return plots.returncode == 0


class Figures(unittest.TestCase):
    def listed(self):
        return [line.split(": ") for line in run("--list").stdout.splitlines() if not line.startswith(" ")]

    def test_every_measured_picture_is_listed_once(self):
        pictures = [picture for line in self.listed() for picture in line[2].split()]
        self.assertEqual(len(pictures), len(set(pictures)))
        there = {path.name for kind in GLOBS for path in (ROOT / "docs/images").glob(f"{kind}-*.png")}
        self.assertEqual(there - set(pictures), set())
        for picture in pictures:
            self.assertTrue((ROOT / "docs/images" / picture).exists(), picture)

    def test_pages_have_the_commands(self):
        self.assertNotIn("has not the command", run("--check").stdout)

    def test_unknown_names_are_refused(self):
        refused = run("nothing")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("nothing", refused.stderr)

    @unittest.skipUnless(has_lab(), "needs a program with the lab")
    def test_every_command_runs_in_its_small_form(self):
        with tempfile.TemporaryDirectory() as folder:
            images = pathlib.Path(folder) / "images"
            plots = [] if has_matplotlib() else ["--no-plots"]
            for name, *_ in self.listed():
                with self.subTest(name):
                    done = run(name, "--quick", "--brokkr", BROKKR, "--work", folder, "--output", images, *plots)
                    self.assertEqual(done.returncode, 0, done.stderr)
            if not plots:
                self.assertTrue((images / "queues-balanced.png").exists())
                self.assertTrue((images / "batches-k-cache.png").exists())


if __name__ == "__main__":
    unittest.main()
