#!/usr/bin/env python3
"""What `brokkr bench` measures, writes and refuses, on frames of no size. Asserts no times.

    bench_test.py BROKKR [BROKKR_GL_BENCH]
"""
import csv
import hashlib
import io
import json
import os
import pathlib
import pty
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from test_frame import TRIANGLE, container, frame

PROGRAM = os.path.abspath(sys.argv.pop(1))
PEER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
SIZE = 64
ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = str(ROOT / "tools" / "check-frame-log")
QUICK = ["--frames", "3", "--rounds", "2"]


def peer_is_there():
    """Whether the reference was built and finds an OpenGL: CI has one, a plain computer may not."""
    if PEER is None or not os.path.exists(PEER):
        return False
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([PEER, "--device", "software", "--serve"], input="", capture_output=True, text=True, timeout=600,
                             cwd=folder)
    return run.returncode == 0




def hears_ctrl_c():
    """A test that runs in the background of a shell may ignore it, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.file = self.write("one.bkf", container(frame(SIZE), TRIANGLE))

    def texts_of(self, picture):
        root = xml.etree.ElementTree.parse(self.path / picture).getroot()
        return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]

    def write(self, name, data):
        path = self.path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    def run_program(self, *arguments, code=0):
        words = [PROGRAM, "bench", *(str(argument) for argument in arguments)]
        environment = {key: value for key, value in os.environ.items() if key != "BROKKR_CAPTURES"}
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path, env=environment)
        self.assertEqual(run.returncode, code, f"{words}: {run.stderr}{run.stdout}")
        if code:
            lines = run.stderr.strip().splitlines()
            self.assertTrue(lines and lines[-1].startswith("brokkr: "), run.stderr)
            return lines[-1]
        return run.stdout

    def bench(self, *arguments, code=0):
        """Runs it and returns its JSON."""
        self.run_program(*arguments, *QUICK, "--json", "result.json", code=code)
        return json.loads((self.path / "result.json").read_text())

    def test_alone(self):
        document = self.bench(self.file, "--against", "none")
        self.assertEqual((document["kind"], document["format"]), ("brokkr bench", 1))
        facts = document["environment"]
        for key in ("processor", "cores", "date", "commit", "niceness", "load_before", "load_after", "command", "version"):
            self.assertIn(key, facts)
        self.assertIn("--against none", facts["command"])
        self.assertEqual((facts["frames"], facts["rounds"], facts["peers"]), (3, 2, {}))
        (row,) = document["results"]
        self.assertEqual((row["name"], row["shading"], row["group"]), ("one", "flat", "captures"))
        self.assertEqual((row["width"], row["height"], row["triangles"]), (SIZE, SIZE, 1))
        self.assertEqual(row["fragments"], SIZE * (SIZE - 1) // 2)
        for times in (row["brokkr"], row["launch"]):
            self.assertEqual((len(times["rounds_ms"]), len(times["rounds_least_ms"])), (2, 2))
            self.assertEqual(times["least_ms"], min(times["rounds_least_ms"]))
            self.assertAlmostEqual(times["median_ms"], sum(times["rounds_ms"]) / 2)
            self.assertGreater(times["least_ms"], 0)
        self.assertLess(row["launch"]["least_ms"], row["brokkr"]["median_ms"])
        start = row["start"]
        self.assertGreater(min(start["load_ms"], start["prepare_ms"], start["first_ms"]), 0)
        self.assertEqual((start["shaders"], start["shader_work"]["compiled"]), ("", 0))
        self.assertNotIn("peers", row)
        self.assertLessEqual(row["memory"]["resident_kib"], row["memory"]["peak_kib"])

    def test_standard_output_is_a_table_or_what_was_asked_for(self):
        table = self.run_program(self.file, "--against", "none", *QUICK)
        self.assertRegex(table, r"one +flat +64x64 +1 +\d")
        rows = list(csv.DictReader(io.StringIO(self.run_program(self.file, "--against", "none", *QUICK, "--csv", "-"))))
        self.assertEqual([(row["name"], row["width"], row["error"]) for row in rows], [("one", "64", "")])
        self.assertEqual(len(json.loads(self.run_program(self.file, "--against", "none", *QUICK, "--json", "-"))["results"]), 1)

    def test_shadings_and_sizes(self):
        scene = "generated:sphere-100k?triangles=300"
        document = self.bench(scene, "--against", "none", "--shading", "flat,phong", "--shading", "textured", "--size", "96x64")
        self.assertEqual([row["shading"] for row in document["results"]], ["flat", "phong", "textured"])
        self.assertEqual({(row["width"], row["height"]) for row in document["results"]}, {(96, 64)})
        self.assertEqual({row["name"] for row in document["results"]}, {scene})
        self.assertEqual(document["geomeans"]["generated"]["rows"], 3)

    def test_another_instruction_set_takes_turns(self):
        own = self.bench(self.file, "--against", "none")["results"][0]["isa"]
        self.assertNotIn("beside", self.bench(self.file, "--against", "none", "--beside-isa", own)["results"][0])
        # Every x86 processor that runs v3 or v4 runs v2, which a build may lack.
        row = self.bench(self.file, "--against", "none", "--beside-isa", "v2")["results"][0]
        if "beside" not in row:
            row = self.bench(self.file, "--against", "none", "--beside-isa", "v3")["results"][0]
        if "beside" not in row:
            self.skipTest("one instruction set only")
        self.assertNotEqual(row["beside"]["isa"], row["isa"])
        self.assertEqual(len(row["beside"]["rounds_ms"]), 2)
        self.assertGreater(row["beside"]["least_ms"], 0)
        table = self.run_program(self.file, "--against", "none", *QUICK, "--beside-isa", row["beside"]["isa"])
        self.assertRegex(table.splitlines()[0], "Brokkr " + row["beside"]["isa"])
        text = self.run_program(self.file, "--against", "none", *QUICK, "--beside-isa", row["beside"]["isa"], "--csv", "-")
        line = next(csv.DictReader(io.StringIO(text)))
        self.assertEqual((line["beside_isa"], line["beside_ratio"], line["error"]), (row["beside"]["isa"], "", ""))
        self.assertGreaterEqual(float(line["beside_ms"]), float(line["beside_least_ms"]))

    def test_pipeline_options_reach_the_pipeline(self):
        document = self.bench(self.file, "--against", "none", "--workers", "3", "--rasterizers", "7", "--bin", "8")
        row = document["results"][0]
        self.assertEqual((row["workers"], row["rasterizers"]), (3, 7))

    def check_log(self, *names, code=0):
        run = subprocess.run([sys.executable, CHECK, *names], capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout + run.stderr

    def test_log(self):
        table = self.run_program(self.file, "--frames", "7", "--log", "log.csv", "--pattern", "hilbert", "--bin", "16",
                                 "--rasterizers", "5")
        self.assertRegex(table, r"one +7 +\d")
        self.assertIn("1 % low = 1000 / mean", table)
        rows = list(csv.DictReader(io.StringIO((self.path / "log.csv").read_text())))
        self.assertEqual([row["FrameId"] for row in rows], [str(i) for i in range(7)])
        for row in rows:
            self.assertEqual((row["Triangles"], row["Fragments"]), ("1", str(SIZE * (SIZE - 1) // 2)))
            self.assertEqual((row["BinPattern"], row["BinSize"], row["Rasterizers"]), ("hilbert", "16", "5"))
            self.assertEqual((row["Policy"], row["Application"], row["MsGPUBusy"]), ("fill-level", "brokkr", "0.0000"))
            self.assertLessEqual(float(row["MsGeometry"]) + float(row["MsRaster"]), float(row["MsCPUBusy"]))
            self.assertLess(float(row["msUntilRenderStart"]), 0)
        manifest = json.loads((self.path / "log.json").read_text())
        self.assertEqual(manifest["scene"]["sha256"], hashlib.sha256(pathlib.Path(self.file).read_bytes()).hexdigest())
        self.assertEqual((manifest["settings"]["pattern"], manifest["settings"]["used"]["rasterizers"]), ("hilbert", 5))
        self.assertIn("PresentMon, 7 frames, manifest agrees", self.check_log("log.csv"))
        self.assertEqual(len(self.run_program(self.file, "--frames", "2", "--log", "-").splitlines()), 3)

    def test_log_as_mangohud(self):
        self.run_program(self.file, "--frames", "5", "--log", "log.csv", "--log-format", "mangohud")
        self.assertIn("MangoHud, 5 frames, manifest agrees", self.check_log("log.csv"))

    def test_wrong_logs_are_found_out(self):
        self.run_program(self.file, "--frames", "3", "--log", "log.csv")
        good = (self.path / "log.csv").read_text()
        for old, new, mention in (("msBetweenPresents", "MsBetweenPresents", "heading"), ("QueuePeak", "Peak", "Brokkr's columns"),
                                  (",1,van-der-corput", ",0,van-der-corput", "FrameId"),
                                  (",van-der-corput,", ",,", "BinPattern is empty")):
            self.assertIn(old, good)
            self.write("bad.csv", good.replace(old, new))
            self.assertIn(mention, self.check_log("bad.csv", code=1))
        lines = good.splitlines()
        columns = len(lines[0].split(","))
        self.write("bad.csv", "\n".join(lines[:2] + [lines[2].rsplit(",", 1)[0]] + lines[3:]) + "\n")
        self.assertIn(f"line 3: {columns - 1} fields under {columns} columns", self.check_log("bad.csv", code=1))
        self.write("log.csv", "\n".join(lines[:3]) + "\n")  # the manifest knows three frames
        self.assertIn("manifest's frames", self.check_log("log.csv", code=1))

    def test_logs_side_by_side_and_as_a_picture(self):
        for name, pattern in (("a", "hilbert"), ("b", "z-curve")):
            self.run_program(self.file, "--frames", "20", "--log", name + ".csv", "--pattern", pattern)
        result = json.loads(self.run_program("--compare", "a.json", "b.json", "--json", "-"))
        texts = {name: (self.path / (name + ".csv")).read_text() for name in "ab"}
        times = {name: sorted(float(row["msBetweenPresents"]) for row in csv.DictReader(io.StringIO(text)))
                 for name, text in texts.items()}
        medians = {name: (values[9] + values[10]) / 2 for name, values in times.items()}
        ratio = result["ratio_of_medians"]
        self.assertAlmostEqual(ratio["ratio"], medians["a"] / medians["b"], places=2)
        self.assertTrue(ratio["low"] <= ratio["ratio"] <= ratio["high"], ratio)
        self.assertTrue(result["same_scene"])
        self.assertEqual(result["after"]["settings"]["pattern"], "z-curve")
        self.assertFalse(result["run_together"])
        self.assertIn("did not run together", self.run_program("--compare", "a.json", "b.json"))
        self.assertIn("a.json", self.run_program("--compare", "a.json", self.write("c.json", "{}"), code=1))
        (self.path / "b.csv").unlink()
        self.assertIn("b.csv", self.run_program("--compare", "a.json", "b.json", code=1))

        def plot(*arguments, code=0):
            run = subprocess.run([PROGRAM, "plot", *arguments], capture_output=True, text=True, timeout=600, cwd=self.path)
            self.assertEqual(run.returncode, code, run.stderr)
            return run.stderr
        plot("a.csv", "-o", "a.svg", "--title", "A <b>")
        texts = self.texts_of("a.svg")
        self.assertIn("A <b>", texts)
        words = [PROGRAM, "plot", "a.csv", "-o"]
        self.assertEqual(subprocess.check_output([*words, "said.svg"], text=True, cwd=self.path), "said.svg: frame times of 1 log\n")
        self.assertEqual(subprocess.check_output(["sh", "-c", '"$@" | cat', "sh", *words, "-"], cwd=self.path),
                         (self.path / "said.svg").read_bytes())
        self.assertTrue(any(text.startswith("median") for text in texts))
        # A frame far above the others is cut off at the top, marked and counted.
        lines = (self.path / "a.csv").read_text().splitlines(keepends=True)
        column = lines[0].split(",").index("msBetweenPresents")
        cells = lines[5].split(",")
        cells[column] = "4000"
        self.write("b.csv", "".join([*lines, ",".join(cells), *lines[1:] * 9]))
        plot("a.csv", "-o", "a.png")
        self.assertTrue((self.path / "a.png").read_bytes().startswith(b"\x89PNG"))
        plot("a.csv", "b.csv", "-o", "two.svg")
        texts = self.texts_of("two.svg")
        self.assertTrue({"Frame times", "a", "b", "1 frame above, 4000 ms"} <= set(texts), texts)
        (self.path / "b.csv").unlink()
        self.assertIn("--output", plot("a.csv", code=2))
        self.assertIn(".svg", plot("a.csv", "-o", "a.gif", code=2))
        self.assertIn("b.csv", plot("b.csv", "-o", "b.svg", code=1))
        self.assertIn("too many", plot(*["a.csv"] * 7, "-o", "b.svg", code=2))
        self.assertIn("no column", plot(self.write("d.csv", "x,y\n1,2\n"), "-o", "b.svg", code=1))
        # Rows without a time are left out with a word, which --strict makes an error.
        rows = "Application;FrameTime\ngame.exe;16,5\ndwm.exe;NA\ngame.exe;NA\ndwm.exe;4,1\n"
        self.write("na.csv", rows)
        self.assertEqual(plot("na.csv", "-o", "na.svg"), "na.csv: 2 rows were left out because the frame time is NA\n")
        self.assertTrue({"na: game.exe", "na: dwm.exe"} <= set(self.texts_of("na.svg")))
        self.assertIn("na.csv: 1 row was", plot("na.csv", "-o", "na.svg", "--application", "Game"))
        self.assertIn("2 rows were left out because the frame time is NA (a warning, which --strict refuses)",
                      plot("na.csv", "-o", "b.svg", "--strict", code=1))
        self.assertFalse((self.path / "b.svg").exists())
        # Times at the limits of floating-point numbers: no axis shows them, and no picture takes forever.
        for time in ("5e-324", "1e-310", "1e-30", "0"):
            self.write("e.csv", f"msBetweenPresents,MsGeometry,MsRaster\n{time},{time},{time}\n")
            plot("e.csv", "-o", "e.svg")
            self.assertNotRegex((self.path / "e.svg").read_text(), r"\b(inf|nan)\b")
        for time in ("1.7e308", "-1.7e308", "2e12"):
            self.assertIn("line 2", plot(self.write("e.csv", f"msBetweenPresents\n{time}\n"), "-o", "b.svg", code=1))

    def start_log(self, *arguments, log="log.csv"):
        """A log of more frames than anyone waits for, once it holds some; its program is ended in any case."""
        arguments = arguments or ("--frames", "1000000")
        command = subprocess.Popen([PROGRAM, "bench", self.file, "--log", "log.csv", *arguments], cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c)
        self.addCleanup(lambda: (command.kill(), command.communicate()))
        log = self.path / log
        while command.poll() is None and (not log.exists() or log.read_text().count("\n") < 10):
            time.sleep(0.01)
        self.assertIsNone(command.poll(), "the program ended by itself")
        return command

    def plot_says(self):
        """What `brokkr plot` says of the log."""
        run = subprocess.run([PROGRAM, "plot", "log.csv", "-o", "log.svg"], capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr

    def lines_of_log(self):
        text = (self.path / "log.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        return text.count("\n") - 1

    def test_logs_that_signals_end_are_whole(self):
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            command = self.start_log()
            command.send_signal(number)
            out, err = command.communicate(timeout=600)
            self.assertEqual(command.returncode, 128 + number, err)
            frames = self.lines_of_log()
            self.assertGreaterEqual(frames, 9)
            self.assertRegex(out, rf"one +{frames} +\d")
            self.assertIn(f"log.csv holds {frames} of 1000000 frames: ended by {name}", err)
            manifest = json.loads((self.path / "log.json").read_text())
            self.assertEqual((manifest["complete"], manifest["ended_by"], manifest["statistics"]["frames"]), (False, name, frames))
            self.assertIn(f"{frames} frames, manifest agrees", self.check_log("log.csv"))
            self.assertIn(f"log.csv: the recording was cut off by {name}; it holds {frames} frames of 1000000", self.plot_says())
            (self.path / "log.csv").unlink()

    def test_a_log_whose_program_is_killed_can_be_read(self):
        command = self.start_log()
        begun = json.loads((self.path / "log.json").read_text())
        self.assertEqual((begun["complete"], begun["frames_asked"], begun["statistics"]), (False, 1000000, None))
        self.assertEqual(begun["scene"]["sha256"], hashlib.sha256(pathlib.Path(self.file).read_bytes()).hexdigest())
        command.kill()
        command.communicate(timeout=600)
        frames = self.lines_of_log()
        self.assertGreaterEqual(frames, 9)
        self.assertIn(f"{frames} frames, cut off", self.check_log("log.csv"))
        self.assertIn(f"log.csv: the recording was cut off; it holds {frames} frames of 1000000", self.plot_says())
        self.assertIn("the recording was cut off", self.run_program("--compare", "log.json", "log.json"))

    def test_a_b(self):
        self.run_program(self.file, "--ab", "--pattern hilbert --bin=16", "--workers", "2", "--pairs", "32", "--json", "ab.json",
                         "--csv", "ab.csv", "--log", "ab-log.csv")
        document = json.loads((self.path / "ab.json").read_text())
        self.assertEqual((document["kind"], document["ended_by"]), ("brokkr bench race", None))
        self.assertEqual(document["environment"]["a"]["options"], "--workers 2")
        self.assertEqual(document["environment"]["b"]["options"], "--workers 2 --bin 16 --pattern hilbert")
        (row,) = document["results"]
        self.assertEqual((row["pairs"], len(row["order"]), set(row["order"]) - {"A", "B"}), (32, 32, set()))
        self.assertTrue(row["same_picture"])
        self.assertEqual([row[name]["used"]["pattern"] for name in "ab"], ["van-der-corput", "hilbert"])
        self.assertEqual([row[name]["used"]["bin"] for name in "ab"], [64, 16])
        # The median over the turns of the ratio of their medians, with an interval between order statistics.
        def median(values):
            values = sorted(values)
            return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
        turns = range(0, 32, row["turn_pairs"])
        ratios = sorted(median(row["a"]["ms"][at : at + row["turn_pairs"]]) / median(row["b"]["ms"][at : at + row["turn_pairs"]])
                        for at in turns)
        self.assertEqual(len(ratios), 7)
        ratio = row["ratio"]
        self.assertAlmostEqual(ratio["ratio"], ratios[3])
        self.assertAlmostEqual(ratio["low"], ratios[0])
        self.assertAlmostEqual(ratio["high"], ratios[-1])
        expected = "B is faster" if ratios[0] > 1 else "A is faster" if ratios[-1] < 1 else "not significant"
        self.assertEqual(row["verdict"], expected)
        self.assertEqual(row["load"]["cores"], os.cpu_count())
        self.assertTrue(all(isinstance(warning, str) for warning in row["warnings"]))
        (line,) = csv.DictReader(io.StringIO((self.path / "ab.csv").read_text()))
        self.assertEqual((line["pairs"], line["verdict"], float(line["a_ms"])), ("32", expected, row["a"]["median_ms"]))
        # Both logs are ordinary logs, and refer to each other.
        for name, pattern in (("a", "van-der-corput"), ("b", "hilbert")):
            self.assertIn("32 frames, manifest agrees", self.check_log(f"ab-log-{name}.csv"))
            lines = list(csv.DictReader(io.StringIO((self.path / f"ab-log-{name}.csv").read_text())))
            self.assertEqual({line["BinPattern"] for line in lines}, {pattern})
            for line, ms in zip(lines, row[name]["ms"]):
                self.assertAlmostEqual(float(line["msBetweenPresents"]), ms, delta=1e-4)
        again = json.loads(self.run_program("--compare", "ab-log-a.json", "ab-log-b.json", "--json", "-"))
        self.assertTrue(again["run_together"])
        self.assertAlmostEqual(again["ratio_of_medians"]["ratio"], ratios[3], delta=0.01)
        self.assertIn("The two ran together", self.run_program("--compare", "ab-log-a.json", "ab-log-b.json"))

    def test_a_benchmark_that_a_signal_ends_keeps_what_was_measured(self):
        # On a terminal the program shows its progress. The second frame takes seconds, most of which the signal cuts
        # off.
        scene = "generated:sphere-100k"
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            words = [PROGRAM, "bench", self.file, scene, "--against", "none", "--frames", "3", "--rounds", "100",
                     "--json", "part.json", "--workers", "1"]
            master, slave = pty.openpty()
            command = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=slave, text=True, cwd=self.path, preexec_fn=hears_ctrl_c)
            os.close(slave)
            said = b""
            while f"timing {scene}".encode() not in said:
                said += os.read(master, 4096)
            command.send_signal(number)
            out, _ = command.communicate(timeout=600)
            self.assertEqual(command.returncode, 128 + number)
            document = json.loads((self.path / "part.json").read_text())
            first, *rest = document["results"]
            self.assertEqual((document["ended_by"], first["name"], len(first["brokkr"]["rounds_ms"])), (name, "one", 100))
            self.assertNotIn("cut_off", first)
            self.assertEqual([(row["name"], row["cut_off"]) for row in rest], [(scene, True)] * len(rest))
            self.assertRegex(out, r"one +flat +64x64 +1 +\d")
            while f"ended by {name} after {1 + len(rest)} workload".encode() not in said:
                said += os.read(master, 4096)
            os.close(master)

    def test_a_b_that_a_signal_ends_keeps_its_pairs(self):
        command = self.start_log("--ab", "--bin 32", "--pairs", "1000000", "--json", "ab.json", log="log-b.csv")
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=600)
        self.assertEqual(command.returncode, 130, err)
        document = json.loads((self.path / "ab.json").read_text())
        pairs = document["results"][0]["pairs"]
        self.assertEqual(document["ended_by"], "SIGINT")
        self.assertGreaterEqual(pairs, 9)
        self.assertRegex(out, rf" {pairs}\n")
        for name in ("log-a.csv", "log-b.csv"):
            self.assertIn(f"{pairs} frames, manifest agrees", self.check_log(name))

    def test_a_b_as_a_table(self):
        table = self.run_program(self.file, "generated:sphere-100k?triangles=300", "--size", "64x64", "--ab", "--size '32x32'", "--pairs",
                                 "30")
        self.assertRegex(table, r"B: --size 32x32\n")
        self.assertRegex(table, r"one +flat +[\d.]+ \([\d.]+\) +[\d.]+ \([\d.]+\) +\d+, \d+ +30\n")
        self.assertRegex(table, r"one: A / B = .* confidence\): (not significant|[AB] is faster)\n")
        self.assertIn("one: A and B draw different pictures", table)
        self.assertIn("too few pairs", self.run_program(self.file, "--ab", "", "--pairs", "3"))

    def test_a_b_of_two_programs(self):
        # Another build, which draws with other options, stands for a changed program.
        other = self.script(f'echo turn >> "$0.turns"; exec {PROGRAM} "$@" --bin 8')
        self.run_program(self.file, "--ab-program", other, "--pairs", "6", "--frames", "3", "--size", "32x32", "--json", "ab.json")
        document = json.loads((self.path / "ab.json").read_text())
        self.assertEqual(document["environment"]["b"]["program"], other)
        self.assertTrue(os.path.samefile(document["environment"]["a"]["program"], PROGRAM))
        (row,) = document["results"]
        for name in "ab":
            self.assertEqual([len(turn) for turn in row[name]["turns_ms"]], [3] * 6)
            self.assertEqual(row[name]["ms"], [sorted(turn)[1] for turn in row[name]["turns_ms"]])
        self.assertEqual(pathlib.Path(other + ".turns").read_text().count("turn"), 6)
        self.assertIsNone(row["same_picture"])
        self.assertIsNotNone(row["ratio"]["low"])
        broken = self.script("echo out of luck >&2; exit 3")
        self.assertIn("out of luck", self.run_program(self.file, "--ab-program", broken, "--pairs", "6", code=1))
        self.assertIn("nowhere", self.run_program(self.file, "--ab-program", "nowhere", code=1))

    def log_with(self, name, ms, load, **changes):
        """A log of these times and its manifest."""
        lines = "".join(f"brokkr,{sum(ms[: i + 1]) / 1000:.6f},{value:.4f}\n" for i, value in enumerate(ms))
        self.write(name + ".csv", "Application,TimeInSeconds,msBetweenPresents\n" + lines)
        manifest = {"kind": "brokkr frame log", "log": name + ".csv", "begun": "2026-11-22 06:00:00 UTC", "load": load,
                    "scene": {"geometry_sha256": "0"}, "machine": {"processor": "P", "cores": 2}, **changes}
        self.write(name + ".json", json.dumps(manifest))
        return name + ".json"

    def test_runs_apart_are_not_called_faster_where_the_load_differed(self):
        load = {"wall_s": 1, "cores": 2, "own_cores": 1.9, "others": 0.01, "load_before": 0.2, "load_after": 0.9}
        times = [10 + (i * 7 % 11) / 10 for i in range(60)]
        fast = self.log_with("fast", times, load)
        slow = self.log_with("slow", [3.1 * ms for ms in times], {**load, "others": 0.68})
        for pair in ((fast, slow), (slow, fast)):
            text = self.run_program("--compare", *pair)
            self.assertIn("not significant", text)
            self.assertIn("did not run together", text)
            self.assertRegex(text, r"other programs took \d+ % of the processors before and \d+ % after")
            self.assertNotIn("confidence", text)
            self.assertNotIn("times as fast", text)
        unknown = self.log_with("unknown", [3.1 * ms for ms in times], None)
        text = self.run_program("--compare", fast, unknown)
        self.assertIn("it is unknown whether the load of the computer differed", text)
        self.assertIn("not significant", text)
        self.assertNotIn("confidence", text)
        # The computer was idle both times: the ratio is reported, with the remark that it is valid only for these two
        # runs.
        twice = self.log_with("twice", [2 * ms for ms in times], load)
        text = self.run_program("--compare", twice, fast)
        self.assertRegex(text, r"before / after = 2\.000 \(.*\): after is faster")
        self.assertIn("did not run together", text)
        self.assertIn("not significant", self.run_program("--compare", fast, fast))
        other = self.log_with("other", times, load, machine={"processor": "P", "cores": 64})
        self.assertIn("different computers", self.run_program("--compare", fast, other))

    def test_draws_and_depth_of_generated_scenes(self):
        document = self.bench("generated:sphere-100k?triangles=300&draws=20", "generated:overlap-10k?triangles=500&depth=1",
                              "generated:overlap-10k?triangles=500&depth=4", "--against", "none", "--hierarchical-depth", "off",
                              "--size", "128x128")
        draws, once, four = document["results"]
        self.assertEqual((draws["draws"], draws["triangles"]), (20, 300))
        self.assertAlmostEqual(four["fragments"] / once["fragments"], 4, delta=0.5)

    def test_comparison(self):
        before = self.bench(self.file, "--against", "none")
        after = json.loads(json.dumps(before))
        for times in (after["results"][0]["brokkr"], before["results"][0]["brokkr"]):
            times.update(median_ms=6.0, least_ms=4.0, rounds_ms=[5.0, 7.0])
        after["results"][0]["brokkr"].update(median_ms=3.0, least_ms=2.0, rounds_ms=[2.5, 3.5])
        a, b = self.write("a.json", json.dumps(before)), self.write("b.json", json.dumps(after))
        result = json.loads(self.run_program("--compare", a, b, "--json", "-"))
        (row,) = result["results"]
        self.assertEqual((row["before_ms"], row["after_ms"], row["ratio"], row["least"]), (6, 3, 2, 2))
        self.assertAlmostEqual(row["low"], 5 / 3.5)
        self.assertAlmostEqual(row["high"], 7 / 2.5)
        self.assertAlmostEqual(result["geomeans"]["all"]["ratio"], 2)
        self.assertRegex(self.run_program("--compare", a, b), r"one +flat +6\.00 +3\.00 +2\.00")
        self.assertIn("did not run together", self.run_program("--compare", a, b))
        # The verdict depends on the other work of the computer.
        quiet = {"wall_s": 1, "cores": 2, "own_cores": 1.9, "others": 0.01, "load_before": 0.2, "load_after": 0.9}

        def verdict(load_before, load_after, peer=None):
            for document, load, times in ((before, load_before, 10.0), (after, load_after, peer)):
                document["results"][0]["load"] = load
                document["results"][0].pop("peers", None)
                if peer:
                    document["results"][0]["peers"] = {"llvmpipe": {"median_ms": times, "rounds_ms": [0.9 * times, 1.1 * times]}}
            names = self.write("x.json", json.dumps(before)), self.write("y.json", json.dumps(after))
            (line,) = json.loads(self.run_program("--compare", *names, "--json", "-"))["results"]
            return line["verdict"], line["doubt"]
        self.assertEqual(verdict(quiet, quiet), ("after is faster", None))
        self.assertEqual(verdict(quiet, quiet, 10.5), ("after is faster", None))
        self.assertEqual(verdict(None, None, 10.5), ("after is faster", None))
        for doubtful, reason in (((quiet, {**quiet, "others": 0.6}), "60 % after"), ((None, quiet), "it is unknown"),
                                 ((quiet, quiet, 5.0), "llvmpipe itself took"), ((None, None, 5.0), "llvmpipe itself took"),
                                 ((quiet, {**quiet, "others": 0.6}, 10.0), "60 % after")):
            said, doubt = verdict(*doubtful)
            self.assertEqual(said, "not significant")
            self.assertIn(reason, doubt)

        after["results"][0]["name"] = "another"
        self.assertIn("no row in common", self.run_program("--compare", a, self.write("c.json", json.dumps(after)), code=1))
        self.assertIn("d.json", self.run_program("--compare", a, self.write("d.json", "{}"), code=1))
        self.assertIn("e.json", self.run_program("--compare", a, self.write("e.json", "not JSON"), code=1))
        del after["results"][0]["name"]
        self.assertIn("f.json", self.run_program("--compare", a, self.write("f.json", json.dumps(after)), code=1))
        after["format"] = 99
        self.assertIn("format", self.run_program("--compare", a, self.write("g.json", json.dumps(after)), code=1))
        self.assertIn("nowhere.json", self.run_program("--compare", a, "nowhere.json", code=1))
        self.run_program("--compare", a, code=2)

    def test_usage_errors(self):
        for arguments, mention in (
                ([], "FILE"),
                ([self.file, "--shading", "pretty"], "pretty"),
                ([self.file, "--shading", "phong"], "phong"),
                ([self.file, "--shading", "material"], "material"),
                ([self.file, "--against", "nobody"], "nobody"),
                ([self.file, "--against", "none,llvmpipe"], "none"),
                ([self.file, "--frames", "0"], "--frames"),
                ([self.file, "--rounds", "0"], "--rounds"),
                ([self.file, "--curves"], "--curves"),
                (["--curve", "colours"], "--curve"),
                (["--suite", "--log", "x.csv"], "--log"),
                ([self.file, "--log", "x.csv", "--shading", "flat,phong"], "phong"),
                ([self.file, "--log", "x.json"], "x.json"),
                ([self.file, "--log-format", "mangohud"], "--log-format"),
                ([self.file, "--log", "x.csv", "--log-format", "xml"], "xml"),
                ([self.file, "--json", "-", "--csv", "-"], "--csv"),
                ([self.file, "--ab", "--pattern"], "--pattern"),
                ([self.file, "--ab", "--pattern nobody"], "nobody"),
                ([self.file, "--ab", "--frames 3"], "--frames"),
                ([self.file, "--ab", "hilbert"], "hilbert"),
                ([self.file, "--ab", "--camera 'fov=40"], "quote"),
                ([self.file, "--ab", "", "--against", "llvmpipe"], "--against"),
                ([self.file, "--ab", "", "--frames", "3"], "--pairs"),
                ([self.file, "--ab", "", "--log", "-"], "--log"),
                ([self.file, "--ab-program", PROGRAM, "--log", "x.csv"], "--log"),
                ([self.file, "--pairs", "3"], "--pairs"),
                (["generated:city", "--camera", "fov=40"], "--camera")):
            self.assertIn(mention, self.run_program(*arguments, code=2), arguments)
        self.assertEqual([path.name for path in self.path.iterdir()], ["one.bkf"])

    def test_failures(self):
        self.assertIn("missing.bkf", self.run_program("missing.bkf", "--against", "none", code=1))
        self.assertIn("nowhere", self.run_program("--suite", "--captures", "nowhere", "--against", "none", code=1))
        self.assertIn("--gl-bench", self.run_program(self.file, "--gl-bench", "no-such-program", code=1))
        self.assertIn("nowhere", self.run_program(self.file, "--against", "none", *QUICK, "--json", "nowhere/x.json", code=1))
        self.assertIn("generated:nothing", self.run_program("generated:nothing", "--against", "none", code=1))
        # One bad workload does not affect the others.
        document = self.bench("missing.bkf", self.file, "--against", "none", code=1)
        self.assertIn("missing.bkf", document["results"][0]["error"])
        self.assertIn("brokkr", document["results"][1])

    def script(self, text):
        path = pathlib.Path(self.write("peer", "#!/bin/sh\n" + text))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_peer_that_misbehaves_is_an_error_and_nothing_hangs(self):
        self.assertIn("out of luck", self.run_program(self.file, "--gl-bench", self.script("echo out of luck >&2; exit 3"), code=1))
        for program in ("/bin/true", self.script("echo nonsense; cat >/dev/null"), self.script("echo '{}'; cat >/dev/null")):
            line = self.run_program(self.file, "--gl-bench", program, code=1)
            self.assertIn(f"{program} did not answer as brokkr-gl-bench does", line)
            self.assertIn("use --against none", line)
        hello = """echo '{"renderer": "r", "version": "v", "vendor": "", "device": "", "software": true}'\n"""
        wrong = hello + """while read line; do echo '{"error": "cannot do this"}'; done"""
        self.assertIn("cannot do this", self.run_program(self.file, "--gl-bench", self.script(wrong), code=1))
        self.assertIn("ended", self.run_program(self.file, "--gl-bench", self.script(hello + "read line"), code=1))
        self.assertIn("not a GPU's driver", self.run_program(self.file, "--against", "gpu", "--gl-bench", self.script(wrong), code=1))

    def test_a_peer_that_draws_something_else_fails(self):
        hello = """echo '{"renderer": "r", "version": "v", "vendor": "", "device": "", "software": true}'\n"""
        text = hello + f"""
while read line; do
  case $line in
    *'"read"'*)
      file=$(echo "$line" | sed 's/.*"file":"\\([^"]*\\)".*/\\1/')
      head -c {SIZE * SIZE * 8} /dev/zero >"$file"
      echo '{{"width": {SIZE}, "height": {SIZE}, "channels": "u8"}}' ;;
    *'"draw"'*) echo '{{"samples_ms": [1.0], "cpu_ms": 1, "draw_calls": 1, "rss_kib": 1}}' ;;
    *) echo '{{"width": {SIZE}, "height": {SIZE}, "layers": 1, "triangles": 1}}' ;;
  esac
done"""
        self.assertIn("depth differs from llvmpipe", self.run_program(self.file, "--gl-bench", self.script(text), code=1))

    @unittest.skipUnless(peer_is_there(), "no OpenGL reference here")
    def test_against_llvmpipe(self):
        document = self.bench(self.file, "generated:city?triangles=600&textured=1", "--against", "llvmpipe", "--gl-bench", PEER,
                              "--size", "96x80", "--shading", "flat")
        self.assertEqual(list(document["environment"]["peers"]), ["llvmpipe", "llvmpipe tuned"])
        self.assertIn("llvmpipe", document["environment"]["peers"]["llvmpipe"]["renderer"])
        self.assertIn("MALLOC_TOP_PAD_", document["environment"]["peers"]["llvmpipe tuned"]["environment"])
        for row in document["results"]:
            self.assertEqual(set(row["peers"]), {"llvmpipe", "llvmpipe tuned"})
            for peer in row["peers"].values():
                self.assertEqual(peer["family"], "llvmpipe")
                self.assertLessEqual(peer["depth_differs_percent"], 0.5)
                self.assertLessEqual(peer["color_differs_percent"], 0.5)
                self.assertGreater(peer["least_ms"], 0)
                self.assertAlmostEqual(peer["ratio"]["least"], peer["least_ms"] / row["brokkr"]["least_ms"])
                self.assertLessEqual(peer["ratio"]["low"], peer["ratio"]["high"])
            self.assertEqual(row["best_peer"], min(row["peers"], key=lambda name: row["peers"][name]["median_ms"]))
        self.assertEqual(set(document["geomeans"]["all"]["ratios"]), {"llvmpipe", "llvmpipe tuned", "best"})

    @unittest.skipUnless(peer_is_there(), "no OpenGL reference here")
    def test_the_peer_computes_vertices_with_the_frames_own_programs(self):
        for name, shadings in (("glxgears", "flat,program"), ("neverball", "flat")):  # neverball: points have own sizes
            document = self.bench(ROOT / f"scenes/{name}.bkf", "--against", "llvmpipe", "--gl-bench", PEER, "--shading", shadings)
            for row in document["results"]:
                for peer in row["peers"].values():
                    self.assertLessEqual(peer["depth_differs_percent"], 0.5)
                    self.assertLessEqual(peer["color_differs_percent"], 0.5)

    @unittest.skipUnless(peer_is_there(), "no OpenGL reference here")
    def test_a_frame_that_is_cut_off_fails(self):
        message = self.run_program(self.file, *QUICK, "--gl-bench", PEER, "--shading", "flat", "--against", "llvmpipe",
                                   "--budget", "0.000001", code=1)
        self.assertIn("cut off", message)

    @unittest.skipUnless(peer_is_there(), "no OpenGL reference here")
    def test_views_are_layers_of_both(self):
        row = self.bench("generated:views?triangles=300", "--views", "5", "--view-size", "128", "--gl-bench", PEER)["results"][0]
        self.assertEqual((row["width"], row["height"], row["layers"]), (128, 128, 5))
        self.assertEqual(row["triangles"], 5 * 300)

    def test_a_curve(self):
        self.run_program("--curve", "draws", "--against", "none", "--frames", "1", "--rounds", "1", "--turn", "0",
                         "--json", "curve.json")
        document = json.loads((self.path / "curve.json").read_text())
        self.assertEqual([row["x"] for row in document["results"]], [1, 10, 100, 1000, 10000, 100000])
        for row in document["results"]:
            self.assertEqual((row["curve"], row["triangles"], row["draws"]), ("draws", 120000, row["x"]))
            self.assertAlmostEqual(row["brokkr"]["cost_ns"], row["brokkr"]["median_ms"] * 1e6 / row["x"], places=3)
        self.assertIn("(draws 1000)", self.run_program("--compare", "curve.json", "curve.json"))


if __name__ == "__main__":
    unittest.main()
