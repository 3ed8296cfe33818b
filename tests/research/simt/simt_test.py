#!/usr/bin/env python3
"""Tests our own kernels on the simulated device: `--machine simt`, and `brokkr simt` with run_frame and queues.

    simt_test.py BROKKR
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/cli"))
from program import SCENE, InFolder, brokkr


class Simt(InFolder):
    def ask(self, *words):
        done = brokkr(*words)
        self.assertEqual(done.returncode, 0, done.stderr)  # stderr may have progress lines if the run is long
        return done.stdout

    def picture(self, *words):
        file = self.folder / "picture.png"
        self.ask("render", SCENE, "--size", "96x64", "-o", file, *words)
        return file.read_bytes()

    def test_the_picture_is_the_cpus_fast_and_timed(self):
        cpu = self.picture("--machine", "cpu")
        self.assertEqual(self.picture("--machine", "simt"), cpu)
        self.assertEqual(self.picture("--machine", "simt", "--simt-config", "h200-4"), cpu)

    def test_statistics_tell_cycles_lanes_stalls_and_hits(self):
        said = json.loads(self.ask("render", SCENE, "--size", "64x64", "--no-output", "--machine", "simt", "--simt-config", "h200-4",
                                   "--stats", "-"))
        self.assertEqual(said["statistics"]["machine"], "simt")
        kernels = {kernel["kernel"]: kernel for kernel in said["simt"]["kernels"]}
        frame = next(kernel for name, kernel in kernels.items() if name.startswith("run_frame"))
        for count in ("cycles", "warp_instructions", "thread_instructions", "l1_hits"):
            self.assertGreater(frame[count], 0, count)
        self.assertGreater(frame["occupancy"]["stalled"], 0)
        self.assertTrue(0 < frame["lanes_used"] <= 1)
        self.assertLessEqual(frame["thread_instructions"], 32 * frame["warp_instructions"])

    def test_lanes_are_told_by_function(self):
        rows = json.loads(self.ask("simt", "run_frame", "--frame", SCENE, "--size", "64x64", "--lanes", "--json", "-"))
        self.assertEqual(sorted((row["lost"] for row in rows), reverse=True), [row["lost"] for row in rows])
        functions = {row["function"]: row for row in rows}
        self.assertTrue(any("decide" in name for name in functions), sorted(functions))
        for row in rows:
            self.assertEqual(row["lost"], round(row["warp_instructions"] * (32 - row["lanes"])))

    def test_queues_are_programs(self):
        names = [row["program"] for row in json.loads(self.ask("simt", "queue-mix", "queue-atomics", "--json", "-"))]
        self.assertTrue(any(name.startswith("queue ") for name in names), names)
        self.assertIn("atomics of one word", names)

    def test_wrong_words(self):
        for words, expected in ((["render", SCENE, "--machine", "cpu", "--simt-config", "h200"], "--simt-config is for --machine simt"),
                                (["simt", "run_frame", "--cycles", "5"], "--cycles is not for our own kernels"),
                                (["simt", "even", "--lanes"], "--lanes is for our own kernels")):
            done = brokkr(*words)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(expected, done.stderr)
        done = brokkr("render", SCENE, "--no-output", "--machine", "simt", "--simt-config", "none.json")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done)
        self.assertIn("none.json", done.stderr)

    def test_a_machine_that_cannot_be_read_is_named_in_one_line(self):
        file = self.folder / "mine.json"
        for text, expected in (("", "it is empty"), ("  \n", "it is empty"), ('{"cores": 4,\n', "line 2, column 1"), ("[]", "not an object"),
                               ('{"cores": 0}', "cores"), ("\x00\x01", "line 1, column 1")):
            file.write_text(text)
            for words in (["simt", "even", "--config", file], ["render", SCENE, "--no-output", "--machine", "simt", "--simt-config", file]):
                done = brokkr(*words)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done)
                for part in (str(file), expected):
                    self.assertIn(part, done.stderr)
                self.assertNotIn("json.exception", done.stderr)
                if "cores" not in text or "column" in expected:
                    self.assertIn("docs/research/simt.md", done.stderr)

    def test_run_frame_finds_the_bundled_scene_from_any_folder(self):
        done = brokkr("simt", "run_frame", "--size", "16x16", "--lanes", "--json", "-", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout))


if "  simt " not in brokkr("--help").stdout:
    sys.exit(77)
WITHOUT = brokkr("render", SCENE, "--no-output", "--size", "8x8", "--machine", "simt")
if WITHOUT.returncode != 0 and "without nvcc" in WITHOUT.stderr:
    # The message is one line.
    sys.exit(77 if WITHOUT.stderr.count("\n") == 1 and WITHOUT.returncode == 1 else 1)
unittest.main()
