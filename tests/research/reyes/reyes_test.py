#!/usr/bin/env python3
"""Tests `brokkr reyes`: pictures, reports, overlays and refusals.

    reyes_test.py BROKKR
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/cli"))
from commands_test import PROGRAM, read_png

SMALL = ["--size", "80x60", "--rate", "3", "--workers", "1"]


def run(*words):
    return subprocess.run([PROGRAM, "reyes", *map(str, words)], capture_output=True, text=True)


class Reyes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draws(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def fails(self, code, *words):
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_picture_and_what_it_took(self):
        picture = self.folder / "pot.png"
        said = self.draws("teapot", *SMALL, "-o", picture)
        for part in ("80x60, full quality", "splits", "grids", "triangles"):
            self.assertIn(part, said)
        rows = read_png(picture)
        self.assertEqual((len(rows), len(rows[0])), (60, 80))
        self.assertGreater(len({pixel for row in rows for pixel in row}), 50)

    def test_an_animation_has_a_row_for_each_frame(self):
        table, report = self.folder / "frames.csv", self.folder / "frames.json"
        self.draws("tea-set", *SMALL, "--frames", 3, "--orbit", 90, "--tasks", 20, "--csv", table, "--json", report,
                   "-o", self.folder / "f{}.png")
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["frame"] for row in rows], ["0", "1", "2"])
        for row in rows:
            self.assertLessEqual(int(row["splits"]), 20)
            self.assertEqual(row["missed"], "false")  # there is no budget
        document = json.loads(report.read_text())
        self.assertEqual(len(document["frames"]), 3)
        self.assertEqual([f["grids"] for f in document["frames"]], [int(row["grids"]) for row in rows])
        self.assertEqual(len(list(self.folder.glob("f*.png"))), 3)
        first, last = (read_png(self.folder / f"f000{k}.png") for k in (0, 2))
        self.assertNotEqual(first, last)

    def test_misses_are_counted(self):
        report = json.loads(self.draws("teapot", *SMALL, "--budget", "0.0001", "--frames", 2, "--json", "-"))
        self.assertEqual([frame["missed"] for frame in report["frames"]], [True, True])
        self.assertEqual([frame["splits"] for frame in report["frames"]], [0, 0])
        for frame in report["frames"]:
            # on a busy computer even such a frame may have waited
            self.assertIn(frame["miss"], ("least", "processors"))
            self.assertGreater(frame["least_ms"], 0.0001)
        said = self.draws("teapot", *SMALL, "--budget", "0.0001", "--frames", 2)
        self.assertIn("2 of 2 frames late", said)
        self.assertIn("  late  ", said)

    def test_the_bound_of_priorities_comes_down(self):
        halvings, pictures = [], []
        for words in ([], ["--decreasing-priorities"]):
            picture, table = self.folder / "bound.png", self.folder / "bound.csv"
            self.draws("tea-set", *SMALL, "--priority", "distance", "--grid", 2, *words, "-o", picture, "--csv", table)
            with table.open() as file:
                halvings.append(int(next(csv.DictReader(file))["halvings"]))
            pictures.append(read_png(picture))
        self.assertEqual(halvings[0], 0)
        self.assertGreater(halvings[1], 0)
        self.assertEqual(pictures[0], pictures[1])  # full quality does not depend on the order of splits

    def test_the_difference_is_black_where_the_limit_is_far(self):
        same, other = self.folder / "same.png", self.folder / "other.png"
        words = ["teapot", *SMALL, "--grid", 4, "--difference", 20]
        self.draws(*words, "--tasks", 1000000, "-o", same)
        self.draws(*words, "--tasks", 3, "-o", other)
        self.assertEqual({pixel for row in read_png(same) for pixel in row}, {(0, 0, 0)})
        self.assertGreater(sum(pixel != (0, 0, 0) for row in read_png(other) for pixel in row), 20)

    def test_errors_by_distance(self):
        table = self.folder / "error.csv"
        self.draws("teapot", *SMALL, "--tasks", 10, "--fixation", "20,30", "--error", table)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        for priority in ("both", "size"):
            rings = [row for row in rows if row["priority"] == priority]
            self.assertEqual(len(rings), 16)
            self.assertEqual(sum(int(row["pixels"]) for row in rings), 80 * 60)

    def test_patches_are_written_and_read(self):
        file, again = self.folder / "cup.bpt", self.folder / "again.bpt"
        self.draws("tea-set", *SMALL, "--phase", "0.25", "--write-patches", file)
        self.draws(file, *SMALL, "--write-patches", again)
        self.assertEqual(file.read_text(), again.read_text())

    def test_overlays_change_the_picture(self):
        pictures = {}
        for name, words in {"plain": [], "depth": ["--look", "depth"], "lines": ["--grid-lines"], "mark": ["--mark"]}.items():
            self.draws("teapot", *SMALL, *words, "-o", self.folder / f"{name}.png")
            pictures[name] = read_png(self.folder / f"{name}.png")
        for name in ("depth", "lines", "mark"):
            self.assertNotEqual(pictures[name], pictures["plain"], name)

    def test_mistakes(self):
        self.assertIn("teapot", self.fails(1, "taepot"))
        self.assertIn("missing.bpt", self.fails(1, self.folder / "missing.bpt"))
        self.assertIn("--fixation", self.fails(2, "teapot", "--fixation", "middle"))
        self.assertIn("--difference", self.fails(2, "teapot", "--difference", "4"))
        self.assertIn("--error", self.fails(2, "teapot", "--error", "e.csv"))
        self.assertIn("give only one of them", self.fails(2, "teapot", "--budget", "5", "--tasks", "5"))
        self.assertIn("--rate", self.fails(2, "teapot", "--rate", "0"))
        self.assertIn("camera", self.fails(1, "teapot", "--camera", "fov=900"))
        self.assertIn("standard output", self.fails(2, "teapot", "-o", "-", "--json", "-"))
        bad = self.folder / "bad.bpt"
        for text, field in {"0\n": "'patches'", "1\n3 3\nnan 0 0\n": "'patch 1'", "x": "'patches'"}.items():
            bad.write_text(text)
            error = self.fails(1, bad)
            self.assertIn(str(bad), error)
            self.assertIn(field, error)


if __name__ == "__main__":
    unittest.main()
