#!/usr/bin/env python3
"""Tests `brokkr probe` as its page describes it: experiments, the user's drawings, films, and a map that other commands
accept.

    probe_test.py BROKKR
"""
import csv
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/cli"))
from program import SCENE, InFolder, brokkr
from test_frame import TRIANGLE, container, frame


class Probe(InFolder):
    def ask(self, *words):
        done = brokkr("probe", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_all_experiments_have_names(self):
        names = re.findall(r"^(\S+)  ", self.ask("--list"), re.M)
        paper = [f"E{k}.{i}" for k, most in ((1, 5), (2, 2), (3, 2), (4, 5)) for i in range(1, most + 1)]
        self.assertEqual(names, paper + [f"5.{k}" for k in range(1, 6)] + ["map", "draw"])

    def test_a_table_a_film_and_black_tiles(self):
        out = self.folder / "out"
        text = self.ask("E1.2", "-o", out, "--film", 3)
        self.assertIn("from a black tile to the next", text)
        self.assertEqual({path.name for path in out.iterdir()},
                         {f"probe-E1.2{end}" for end in (".csv", ".png", "-pixels.csv", "-stall.png", "-warp.png", "-000.png", "-001.png", "-002.png")})
        rows = {row["measurement"]: row for row in csv.DictReader((out / "probe-E1.2.csv").read_text().splitlines())}
        self.assertEqual(rows["from a black tile to the next"]["verdict"], "agrees")
        pixels = list(csv.DictReader((out / "probe-E1.2-pixels.csv").read_text().splitlines()))
        self.assertEqual(len(pixels), 512 * 512)
        self.assertEqual({row["black"] for row in pixels}, {"0", "1"})
        black = [row for row in pixels if row["black"] == "1"]
        self.assertGreater(len(black), 256)
        last = max(pixels, key=lambda row: int(row["order"]))
        self.assertEqual(last["black"], "0", "what comes after all that waits is not held up")

    def test_a_drawing_of_ones_own(self):
        (self.folder / "slow.txt").write_text("# one in the same subtile, of another branch\n101,320,1000000,2\n")
        for kind in ("triangle", "quads", "strip", "lines", "stacks", "points"):
            words = ["--edge", 64, "--overlap", 2] + ([] if kind == "strip" else ["--fill", "shuffle", "--calls", 3])
            said = json.loads(self.ask("draw", "--primitives", kind, *words, "--background", 10, "--json", "-"))
            cost, over = (row["subject"] for row in said["results"]["draw"])
            self.assertGreater(cost, 0)
            self.assertGreater(over, 1.9, kind)
        cost = lambda *words: json.loads(self.ask("draw", *words, "--json", "-"))["results"]["draw"][0]["subject"]
        one, two = cost("--slow", "100,320"), cost("--slow", "100,320", "--slow-list", self.folder / "slow.txt")
        self.assertAlmostEqual(two / one, 2, delta=0.05)
        self.assertAlmostEqual(cost("--slow", "100,320", "--cost", 500000) / one, 0.5, delta=0.05)

    def test_situations_say_whether_it_helps(self):
        said = json.loads(self.ask("5.2", "5.3", "--json", "-"))["results"]
        for name in ("5.2", "5.3"):
            self.assertLessEqual({row["advice"] for row in said[name] if "advice" in row}, {"helps", "no help", "harms"})
        self.assertTrue(any("mask" in row["measurement"] for row in said["5.3"]))

    def test_a_saved_map_is_a_pattern_for_every_command(self):
        saved, picture = self.folder / "g80.json", self.folder / "frame.bkf"
        text = self.ask("map", "--save", saved)
        self.assertRegex(text, r"tile +16 x 16")
        self.assertRegex(text, r"equals +g80")
        picture.write_bytes(container(frame(), TRIANGLE))
        commands = {"render": [picture, "--no-output"], "check": [SCENE], "pixel": [picture, "1", "1"], "fuzz-settings": [picture, "--runs", "2"],
                    "bench": [picture, "--frames", "1"], "batches": [picture],
                    "ranks": ["measure", picture, "--most", "1", "--repeats", "1", "-o", self.folder / "costs.json"]}
        take = {name for name in re.findall(r"^  ([a-z-]+)  ", brokkr("--help").stdout, re.M) if "--pattern P" in brokkr(name, "--help").stdout}
        self.assertEqual(take, {*commands, "probe", "view"}, "what takes a pattern is tried here, but for the window")
        for name, words in commands.items():
            done = brokkr(name, *words, "--pattern", saved, "--machine", "cpu")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        self.assertEqual(brokkr("pattern", saved).returncode, 0)
        again = self.ask("--on", "brokkr", "--machine", "cpu", "map", "--pattern", saved, "--bin", 16)
        self.assertRegex(again, r"equals +g80")

    def test_patterns_of_the_pipeline_are_recovered(self):
        for pattern in ("van-der-corput", "hilbert"):
            text = self.ask("--on", "brokkr", "--machine", "cpu", "map", "--pattern", pattern, "--rasterizers", 6, "--bin", 16)
            self.assertRegex(text, r"tile +16 x 16")
            self.assertRegex(text, rf"equals .*\b{pattern}\b")


if __name__ == "__main__":
    if "  probe " not in brokkr("--help").stdout:
        sys.exit(77)
    unittest.main()
