#!/usr/bin/env python3
"""Tests tools/reproduce: its table, reading and comparing values, and measurements in their small form.

    reproduce_test.py BROKKR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BROKKR = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools/research")]
from command_line import Wrong  # noqa: E402
from reproduction import page, runs, table, values  # noqa: E402

IMAGES = ("queues", "schedule", "batches", "patterns", "performance")


def run(*words):
    return subprocess.run([sys.executable, str(ROOT / "tools/reproduce"), *map(str, words)], capture_output=True, text=True, cwd=ROOT)


class Table(unittest.TestCase):
    def test_it_is_whole(self):
        seeds, measurements, rows = table.read()
        self.assertEqual(len(rows), len({row.name for row in rows}))
        self.assertEqual({row.seed for row in rows}, set(seeds))
        self.assertGreaterEqual(len(rows), 107)

    def test_every_measured_picture_is_listed_once(self):
        pictures = [picture for m in table.read()[1].values() for picture in m.pictures]
        self.assertEqual(len(pictures), len(set(pictures)))
        there = {path.name for kind in IMAGES for path in (ROOT / "docs/images").glob(f"{kind}-*.png")}
        self.assertEqual(there - set(pictures), set())
        for picture in pictures:
            self.assertTrue((ROOT / "docs/images" / picture).exists(), picture)

    def test_pictures_of_rows_are_there(self):
        for row in table.read()[2]:
            for picture in row.pictures:
                self.assertTrue((ROOT / "docs/research" / picture).exists(), f"{row.name}: {picture}")

    def test_pages_have_the_commands(self):
        self.assertNotIn("has not the command", run("--check").stdout)

    def test_a_row_without_a_reason_is_refused(self):
        row = table.Row("a", "1", "what", "measured", "absent")
        self.assertEqual(list(table.wrong({"a": "A"}, {}, [row])), ["a/1: is absent, and does not say why"])

    def test_unknown_names_are_refused(self):
        refused = run("nothing")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("nothing", refused.stderr)

    def test_names_select(self):
        seeds, measurements, rows = table.read()
        mine, wanted = table.selected(["8.10"], seeds, measurements, rows)
        self.assertEqual([row.name for row in mine], ["steffen12/8.10"])
        self.assertEqual([m.name for m in wanted], ["simt-branch"])
        mine, wanted = table.selected(["kim17"], seeds, measurements, rows)
        self.assertEqual({row.seed for row in mine}, {"kim17"})


class Values(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "a.csv").write_text("queue,warps,ms,other\nBQ,1,2,x\nBQ,4,8,x\nGQ,1,3,x\nGQ,4,20,y\n")

    def tearDown(self):
        self.folder.cleanup()

    def read(self, **fields):
        return values.read({"name": "n", "from": "a.csv", "column": "ms", **fields}, self.path)

    def test_columns_are_added(self):
        self.assertEqual(self.read(where={"queue": "BQ"}, column="warps + ms", take="max"), 12)
        self.assertEqual(self.read(where={"queue": "BQ"}, column="warps", take="sum", over={"column": "warps + ms"}), 1 / 3)

    def test_readings(self):
        self.assertEqual(self.read(where={"queue": "BQ", "warps": "max"}), 8)
        self.assertEqual(self.read(where={"queue": "GQ", "warps": "max"}, over={"where": {"queue": "BQ"}}), 2.5)
        self.assertEqual(self.read(where={"warps": 1}, take="sum", scale=10, add=1), 51)
        self.assertEqual(self.read(where={"warps": [1, 4]}, take="count"), 4)
        self.assertEqual(self.read(where={"queue": "GQ"}, column="warps", take="argmin", by="ms"), 1)
        self.assertEqual(self.read(column="warps", take="least-error", by=["warps", "ms"]), 1)
        self.assertEqual(self.read(text="GQ,4,(\\d+)"), "20")

    def test_what_cannot_be_read_is_named(self):
        for fields in ({"where": {"queue": "LCRQ"}}, {"where": {"nothing": 1}}, {"text": "LCRQ"}, {"from": "b.csv"}):
            with self.assertRaises(Wrong) as caught:
                self.read(**fields)
            self.assertIn(str(self.path), str(caught.exception))

    def test_agreements(self):
        self.assertEqual(values.compare(2, 2.2), (values.AGREES, 1.1))
        self.assertEqual(values.compare(2, 2.8)[0], values.NEAR)
        self.assertEqual(values.compare(10, 2), (values.DIFFERS, 0.2))
        self.assertEqual(values.compare(10, 2, from_one=True), (values.SAME_SIDE, 0.2))
        self.assertEqual(values.compare(10, 0.9, from_one=True)[0], values.DIFFERS)
        self.assertEqual(values.compare([3, 6], 4), (values.AGREES, None))
        self.assertEqual(values.compare({"least": 2}, 0.5), (values.DIFFERS, 0.25))
        self.assertEqual(values.compare({"most": 2}, 0.5), (values.AGREES, None))
        self.assertEqual(values.compare("drawn", 3), (values.SHOWN, None))

    def test_an_exact_value_that_differs_is_a_fault(self):
        (self.path / "m").mkdir()
        (self.path / "m/a.csv").write_text("ms\n3\n")
        (self.path / "m/run.json").write_text(json.dumps({"form": "quick"}))
        row = table.Row("a", "1", "what", "counted", "whole", "m", values=({"name": "n", "paper": 9, "from": "a.csv", "column": "ms", "exact": True},))
        lines, words, faults = page.lines_of(row, self.path)
        self.assertEqual(words, [values.DIFFERS])
        self.assertEqual(len(faults), 1)


class Runs(unittest.TestCase):
    def places(self, folder):
        class Options:
            brokkr, simt, captures = BROKKR, BROKKR, None
            work, results, images = folder, folder / "results", folder
        return runs.Places(Options)

    def test_a_limit_ends_a_command_and_what_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            measurement = table.Measurement("slow", ("sleep 60",), ("sleep 60",), "out/slow", 1, 0.1)
            running = runs.Running(measurement, self.places(pathlib.Path(folder)), True)
            running.limit = lambda: 0.2
            self.assertIn("took more than", runs.run_all([running], 1)[0])

    def test_a_failure_is_named_and_the_rest_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            places = self.places(pathlib.Path(folder))
            bad = table.Measurement("bad", ("false",), ("false",), "out/bad", 1, 1)
            good = table.Measurement("good", ("echo",), ("printf 'a\\n1\\n' > out/good/a.csv",), "out/good", 1, 1)
            failed = runs.run_all([runs.Running(m, places, True) for m in (bad, good)], 2)
            self.assertEqual(len(failed), 1)
            self.assertIn("bad: `false` ended with 1", failed[0])
            self.assertEqual((places.results / "good/a.csv").read_text(), "a\n1\n")
            record = runs.record_of(places.results, "good")
            self.assertEqual((record["form"], record["results"]), ("quick", ["a.csv"]))
            self.assertTrue(record["changed"] or runs.is_done(good, places, True))
            self.assertFalse(runs.is_done(good, places, False))

    def test_measurements_run_in_their_small_form(self):
        names = ("queue-properties", "queues", "batches-steps", "ranks", "micropolygons-error")
        with tempfile.TemporaryDirectory() as folder:
            done = run("--quick", "--brokkr", BROKKR, "--work", folder, *names)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (pathlib.Path(folder) / "reproduction.md").read_text()
            for name in names:
                self.assertIn(f"| {name} | `", text)
            self.assertIn("kerbl18/6.1: largest batch, NVIDIA's model, indices: 96, paper 96: agrees 1.00", done.stdout)


if __name__ == "__main__":
    unittest.main()
