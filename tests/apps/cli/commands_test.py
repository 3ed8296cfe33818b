#!/usr/bin/env python3
"""What each command of `brokkr` does and writes, on small frames whose pictures are known.

    commands_test.py BROKKR
"""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

from test_frame import TRIANGLE, container, draw, frame

PROGRAM = sys.argv.pop(1)
SOURCE = pathlib.Path(__file__).resolve().parents[3]
SIZE = 16


def read_pfm(path):
    """Rows from bottom to top."""
    data = path.read_bytes()
    kind, width, height, scale = data.split(None, 4)[:4]
    assert kind == b"Pf" and float(scale) < 0, (kind, scale)
    width, height = int(width), int(height)
    values = struct.unpack(f"<{width * height}f", data[-4 * width * height :])
    return [list(values[row * width : (row + 1) * width]) for row in range(height)]


def read_png(path):
    """RGB rows from top to bottom."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, stored = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        chunk = data[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            stored += chunk
        position += length + 12
    assert depth == 8 and color in (2, 6)
    channels = 3 if color == 2 else 4
    raw, stride, rows, above = zlib.decompress(stored), width * channels, [], bytes(width * channels)
    for row in range(height):
        kind, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1 : (row + 1) * (stride + 1)])
        for i in range(stride):
            left, up = (line[i - channels] if i >= channels else 0), above[i]
            corner = above[i - channels] if i >= channels else 0
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        above = bytes(line)
        rows.append([tuple(line[i : i + 3]) for i in range(0, stride, channels)])
    return rows


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.file = self.write("one.bkf", container(frame(SIZE), TRIANGLE))

    def write(self, name, data):
        (self.path / name).write_bytes(data)
        return str(self.path / name)

    def run_program(self, *arguments, code=0):
        words = [PROGRAM] + [str(argument) for argument in arguments]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, code, f"{words}: {run.stderr}{run.stdout}")
        if code == 0:
            self.assertEqual(run.stderr, "", "a program that has no terminal and takes no time is silent")
        return run.stdout

    def covered(self, x, y):
        """Whether the triangle over the lower left half covers the pixel; its diagonal is no top or left edge."""
        return x + y < SIZE - 1

    def test_render_writes_the_picture_that_the_frame_describes(self):
        text = self.run_program("render", self.file, "-o", "out.png")
        self.assertIn("out.png: 16x16", text)
        rows = read_png(self.path / "out.png")
        self.assertEqual((len(rows), len(rows[0])), (SIZE, SIZE))
        for y in range(SIZE):
            for x in range(SIZE):
                black = rows[SIZE - 1 - y][x] == (0, 0, 0)
                self.assertEqual(black, not self.covered(x, y), (x, y))

    def test_a_computer_without_a_gpu_says_so(self):
        (cuda, *_) = [machine for machine in json.loads(self.run_program("machines", "--json", "-")) if machine["machine"] == "cuda"]
        if cuda["available"] or pathlib.Path("/proc/driver/nvidia").exists():
            self.skipTest("there is a GPU")
        reason = "built without CUDA" if "built without" in cuda["note"] else "no NVIDIA driver was found"
        self.assertEqual(cuda["note"], reason)
        run = subprocess.run([PROGRAM, "render", self.file, "--no-output", "--machine", "cuda"], capture_output=True, text=True,
                             timeout=600)
        self.assertEqual(run.returncode, 1)
        self.assertIn(reason, run.stderr)
        self.assertIn("--machine cpu", run.stderr)

    def test_a_file_alone_is_rendered_to_its_name(self):
        self.run_program(self.file)
        self.assertTrue((self.path / "one.png").exists())
        self.run_program("render", self.file, "--no-output")
        self.assertEqual(sorted(path.name for path in self.path.iterdir()), ["one.bkf", "one.png"])

    def test_aovs(self):
        self.run_program("render", self.file, "--no-output", "--aov", "depth=d.pfm", "--aov", "draw=c.pfm",
                         "--aov", "triangle=t.pfm", "--aov", "overdraw=o.pfm", "--aov", "depth=d.exr")
        depth, commands, triangles, overdraw = (read_pfm(self.path / f"{name}.pfm") for name in "dcto")
        for y in range(SIZE):
            for x in range(SIZE):
                inside = self.covered(x, y)
                self.assertEqual(depth[y][x], 0.5 if inside else 1.0, (x, y))
                self.assertEqual(commands[y][x], 1 if inside else -1, (x, y))
                self.assertEqual(triangles[y][x], 0 if inside else -1, (x, y))
                self.assertEqual(overdraw[y][x], 1 if inside else 0, (x, y))
        self.assertEqual((self.path / "d.exr").read_bytes()[:4], b"\x76\x2f\x31\x01")

    def test_fuzz_settings(self):
        text = self.run_program("fuzz-settings", self.file, "--runs", 12, "--seed", 7, "--machine", "cpu")
        self.assertIn("12 settings of seed 7 drew the same bits", text)
        result = json.loads(self.run_program("fuzz-settings", self.file, "--runs", "3", "--machine", "cpu", "--json", "-"))
        self.assertEqual((result["runs"], result["passed"], result["difference"]), (3, True, None))
        self.run_program("fuzz-settings", self.file, "--budget", "1", code=2)

    def test_several_files_and_frames(self):
        other = self.write("two.bkf", container(frame(2 * SIZE), TRIANGLE))
        text = self.run_program("render", self.file, other, "-o", "{}-drawn.png", "--frames", "3", "--stats", "{}.json")
        self.assertIn("median of 3", text)
        self.assertEqual(len(read_png(self.path / "two-drawn.png")), 2 * SIZE)
        for name in ("one", "two"):
            stats = json.loads((self.path / f"{name}.json").read_text())
            self.assertEqual(stats["frames"]["count"], 3)
            self.assertLessEqual(stats["frames"]["min_ms"], stats["frames"]["median_ms"])
            self.assertEqual(stats["statistics"]["triangles_in"], 1)

    def test_folders_of_frames(self):
        """Every command that takes several frames takes their folder, and goes on after one that cannot be read."""
        folder = self.path / "all"
        folder.mkdir()
        for name in ("a.bkf", "c.bkf"):
            (folder / name).write_bytes(container(frame(SIZE), TRIANGLE))
        (folder / "b.bkf").write_bytes(b"BRKF")
        (folder / "note.txt").write_text("no frame")
        for words in (("info", "--json", "i.json"), ("render", "-o", "{}.png")):
            run = subprocess.run([PROGRAM, words[0], "all", *words[1:]], capture_output=True, text=True, timeout=600, cwd=self.path)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
            self.assertTrue(run.stderr.startswith("brokkr: all/b.bkf: field 'header'"), run.stderr)
        self.assertEqual(len(json.loads((self.path / "i.json").read_text())), 2)
        self.assertEqual(sorted(path.name for path in self.path.glob("*.png")), ["a.png", "c.png"])
        (folder / "b.bkf").unlink()
        (folder / "scene.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        run = subprocess.run([PROGRAM, "check", "all"], capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual([line.split(": ")[1] for line in run.stderr.splitlines()], ["all/a.bkf", "all/c.bkf"])  # they have no pictures
        (folder / "scene.obj").unlink()
        result = json.loads(self.run_program("bench", "all", "--against", "none", "--frames", 1, "--rounds", 1, "--json", "-"))
        self.assertEqual([row["name"] for row in result["results"]], ["a", "c"])

    def test_statistics_on_standard_output_are_json_alone(self):
        stats = json.loads(self.run_program("render", self.file, "-o", "x.png", "--json", "-"))
        self.assertEqual(stats["statistics"]["fragments"], SIZE * (SIZE - 1) // 2)

    def test_trace(self):
        self.run_program("render", self.file, "--no-output", "--trace", "t.json")
        trace = json.loads((self.path / "t.json").read_text())
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        self.assertIn("geometry", {event.get("name") for event in events})

    def test_size_scales_a_captured_frame(self):
        self.run_program("render", self.file, "--no-output", "--size", "32x8", "--aov", "depth=d.pfm")
        depth = read_pfm(self.path / "d.pfm")
        self.assertEqual((len(depth), len(depth[0])), (8, 32))
        self.assertEqual((depth[0][0], depth[7][31]), (0.5, 1.0))
        self.assertAlmostEqual(sum(value == 0.5 for row in depth for value in row), 128, delta=8)

    def test_command_limit(self):
        self.run_program("render", self.file, "--no-output", "--command-limit", "1", "--aov", "depth=d.pfm")
        self.assertEqual({value for row in read_pfm(self.path / "d.pfm") for value in row}, {1.0})

    def test_options_do_not_change_the_picture(self):
        self.run_program("render", self.file, "-o", "a.png")
        for number, options in enumerate((["--machine", "emulated"], ["--pattern", "hilbert", "--rasterizers", "7"],
                                          ["--bin", "8", "--workers", "3"], ["--ownership", "static", "--order", "strict"],
                                          ["--policy", "raster-first", "--reuse", "none", "--isa", "v2"])):
            if "--isa" in options and "v2" not in self.run_program("machines"):
                continue
            self.run_program("render", self.file, "-o", f"{number}.png", *options)
            self.assertEqual((self.path / "a.png").read_bytes(), (self.path / f"{number}.png").read_bytes(), options)

    def with_reference(self, wrong):
        """The frame and its depth in which `wrong` pixels differ."""
        values = [0.5 if self.covered(x, y) else 1.0 for y in range(SIZE) for x in range(SIZE)]
        for pixel in range(wrong):
            values[pixel] += 0.25
        blob = TRIANGLE + struct.pack(f"<{len(values)}f", *values)
        reference = {"target": 0, "before": 2,
                     "depth": {"offset": len(TRIANGLE), "type": "f32", "size": [SIZE, SIZE], "origin": "bottom-left"}}
        text = frame(SIZE, len(blob), references=[reference])
        return self.write(f"reference-{wrong}.bkf", container(text, blob))

    def test_check(self):
        good, bad = self.with_reference(0), self.with_reference(4)
        result = json.loads(self.run_program("check", good, "--min", "100", "--min-hard", "100", "--json", "-"))
        self.assertTrue(result["passed"])
        self.assertEqual(result["references"][0]["agree"], SIZE * SIZE)
        result = json.loads(self.run_program("check", bad, "--min", "99", "--json", "-", "-o", "diff.png", code=1))
        self.assertFalse(result["passed"])
        self.assertEqual(result["references"][0]["agree"], SIZE * SIZE - 4)
        self.assertAlmostEqual(result["references"][0]["worst"], 0.25, places=6)
        row = read_png(self.path / "diff.png")[SIZE - 1]
        self.assertTrue(all(red > 2 * green for red, green, _ in row[:4]), row)
        self.assertTrue(all(red == green for red, green, _ in row[4:]), row)
        self.assertIn("98.4375", self.run_program("check", bad, "--min", "98"))

    def test_check_of_several_files_goes_on_after_one_that_fails(self):
        good, bad = self.with_reference(0), self.with_reference(4)
        text = self.run_program("check", good, bad, "-o", "diff-{}.png")
        self.assertEqual([line for line in text.splitlines() if line.endswith(".bkf")], [good, bad])
        self.assertTrue((self.path / "diff-reference-0.png").exists() and (self.path / "diff-reference-4.png").exists())
        words = [PROGRAM, "check", bad, "missing.bkf", self.file, good, "--min", "100", "--json", "-"]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, 1)
        self.assertEqual([(row["file"], row["passed"]) for row in json.loads(run.stdout)], [(bad, False), (good, True)])
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 3, lines)
        for line, name in zip(lines, (bad, "missing.bkf", self.file)):
            self.assertTrue(line.startswith(f"brokkr: {name}: "), line)
        self.run_program("check", good, bad, "-o", "diff.png", code=2)
        with open(self.path / "difference.png", "wb") as file:
            subprocess.run([PROGRAM, "check", bad, "-o", "-"], stdout=file, check=True, cwd=self.path)
        self.assertEqual((self.path / "difference.png").read_bytes(), (self.path / "diff-reference-4.png").read_bytes())

    def test_check_knows_which_pixels_a_shader_may_have_discarded(self):
        values = struct.pack(f"<{SIZE * SIZE}f", *[1.0] * (SIZE * SIZE))  # the driver discarded all of it
        reference = {"target": 0, "before": 2, "depth": {"offset": len(TRIANGLE), "type": "f32", "size": [SIZE, SIZE]}}
        commands = json.loads(frame(SIZE))["commands"][:1] + [draw(flags=["fragment-discard"])]
        text = frame(SIZE, len(TRIANGLE + values), references=[reference], commands=commands)
        file = self.write("discard.bkf", container(text, TRIANGLE + values))
        result = json.loads(self.run_program("check", file, "--json", "-"))["references"][0]
        inside = SIZE * (SIZE - 1) // 2
        self.assertEqual((result["hard_pixels"], result["hard_percent"]), (SIZE * SIZE - inside, 100))
        self.assertEqual(result["agree"], SIZE * SIZE - inside)

    def test_compare(self):
        self.run_program("render", self.file, "-o", "a.png", "--aov", "depth=a.pfm")
        self.run_program("render", self.file, "-o", "b.png", "--aov", "depth=b.pfm", "--command-limit", "1")
        self.run_program("compare", "a.png", "a.png")
        result = json.loads(self.run_program("compare", "a.pfm", "b.pfm", "--json", "-", code=1))
        self.assertEqual((result["differing"], result["worst"]), (SIZE * (SIZE - 1) // 2, 0.5))
        self.run_program("compare", "a.pfm", "b.pfm", "--tolerance", "0.5")
        self.run_program("compare", "a.pfm", "b.pfm", "--max-percent", "50")
        self.run_program("compare", "a.png", "b.png", code=1)

    def test_info(self):
        info = json.loads(self.run_program("info", self.file, "--json", "-"))
        self.assertEqual((info["draws"], info["clears"], info["triangles"], info["unique_vertices"]), (1, 1, 1, 3))
        self.assertEqual(info["targets"][0]["size"], [SIZE, SIZE])
        self.assertEqual(info["bounds"]["lower"], [-1, -1, 0])
        self.assertEqual(len(json.loads(self.run_program("info", self.file, self.file, "--json", "-"))), 2)
        text = self.run_program("info", self.file)
        self.assertIn("triangles        1\n", text)

    def test_info_passes_no_control_characters_to_the_terminal(self):
        asset = {"generator": "\x1b[31m", "application": "\x1b]0;x\x07é", "frame": 0, "license": "a\nb"}
        file = self.write("escape.bkf", container(frame(SIZE, asset=asset), TRIANGLE))
        text = self.run_program("info", file)
        self.assertNotIn("\x1b", text)
        self.assertIn("é", text)

    def test_pixel(self):
        history = json.loads(self.run_program("pixel", self.file, 3, 4, "--json", "-", "--bin", 8, "--rasterizers", 3,
                                              "--pattern", "diagonal"))
        self.assertEqual([event["kind"] for event in history["events"]], ["clear", "fragment"])
        fragment = history["events"][1]
        self.assertEqual((fragment["command"], fragment["triangle"], fragment["batch"], fragment["result"], fragment["depth"]),
                         (1, 0, 0, "passed", 0.5))
        self.assertEqual((history["bin"], history["rasterizers"]), ({"edge": 8, "x": 0, "y": 0}, 3))
        self.assertEqual(history["end"]["visible_id"], 0)
        self.assertEqual(history["end"]["color"], fragment["after"]["color"])
        self.assertRegex(self.run_program("pixel", self.file, 3, 4), r"1 +1 +draw a +0 +0 +0 +0\.5000000 +passed")
        for x, y in ((0, 0), (SIZE - 2, 0), (SIZE - 1, 0), (SIZE - 1, SIZE - 1), (5, 7)):
            found = json.loads(self.run_program("pixel", self.file, x, y, "--json", "-"))["fragments"]
            self.assertEqual(found, int(self.covered(x, y)), (x, y))
            top = json.loads(self.run_program("pixel", self.file, x, SIZE - 1 - y, "--from-top", "--json", "-"))
            self.assertEqual((top["y"], top["fragments"]), (y, found))
        self.assertEqual(len(json.loads(self.run_program("pixel", self.file, 3, 4, "--before", 1, "--json", "-"))["events"]), 1)
        for words in (("pixel", self.file, SIZE, 0), ("pixel", self.file, 0, SIZE), ("pixel", self.file, 0),
                      ("pixel", self.file, 0, -1)):
            self.run_program(*words, code=2)
        self.run_program("pixel", "missing.bkf", 0, 0, code=1)

    def test_pattern(self):
        rows = [[int(word) for word in line.split()] for line in
                self.run_program("pattern", "diagonal", "-n", "5", "--bins", "7x6").splitlines()]
        self.assertEqual([len(row) for row in rows], [7] * 6)
        for row in rows:
            self.assertEqual(sorted(row[:5]), [0, 1, 2, 3, 4])
        self.run_program("pattern", "hilbert", "-n", "20", "--bins", "8x4", "--cells", "10", "-o", "p.png")
        picture = read_png(self.path / "p.png")
        self.assertEqual((len(picture), len(picture[0])), (40, 80))
        self.assertIn("van-der-corput", self.run_program("pattern", "--list"))
        self.run_program("pattern", "van-der-corput", "--weights", "2,1,1", "--save", "weighted.json")
        for line in self.run_program("pattern", "weighted.json").splitlines():
            self.assertEqual(sorted(line.split()), ["0", "0", "1", "2"])

    def test_patterns_as_json(self):
        names = json.loads(self.run_program("pattern", "--list", "--json", "-"))
        self.assertIn("van-der-corput", [one["name"] for one in names])
        # The document is the file that --save writes, alone and beside a picture, and any command reads it.
        text = self.run_program("pattern", "diagonal", "-n", "5", "--bins", "5x5", "--json", "-", "--save", "saved.json")
        self.assertEqual(text, (self.path / "saved.json").read_text())
        pattern = json.loads(text)
        self.assertEqual((pattern["name"], pattern["rasterizers"], len(pattern["owner"])), ("diagonal", 5, 25))
        said = self.run_program("pattern", "diagonal", "-n", "5", "--bins", "5x5", "--json", "p.json", "-o", "p.png")
        self.assertEqual((self.path / "p.json").read_text(), text)
        self.assertEqual(said, "p.png: diagonal over 5 rasterizers, 5x5 bins\nwrote p.json\n")
        self.run_program("render", self.file, "--pattern", "p.json", "-o", "out.png")

    def test_plots_as_json(self):
        self.write("log.csv", b"msBetweenPresents\n1\n2\n4\n")
        expected = {"frames": 3, "least_ms": 1, "median_ms": 2, "most_ms": 4}
        for words in (("--json", "-"), ("--json", "-", "-o", "log.svg")):
            (curve,) = json.loads(self.run_program("plot", "log.csv", *words))
            self.assertEqual(curve["name"], "log")
            self.assertEqual({name: curve["statistics"][name] for name in expected}, expected)
        self.assertTrue((self.path / "log.svg").exists())
        self.assertEqual(self.run_program("plot", "log.csv", "--json", "log.json"), "wrote log.json\n")
        self.run_program("plot", "log.csv", "-o", "-", "--json", "-", code=2)

    def test_ranks_as_json(self):
        if "  ranks " not in self.run_program("--help"):
            self.skipTest("the program has no ranks")
        document = lambda *words: json.loads(self.run_program("ranks", *words, "--json", "-"))
        costs = document("measure", self.file, "--most", 2, "--repeats", 1, "-o", "costs.json")
        self.assertEqual(costs, json.loads((self.path / "costs.json").read_text()))
        self.assertEqual(self.run_program("ranks", "model", "table2", "costs.json", "--json", "t.json").splitlines()[-1], "wrote t.json")
        (row,) = json.loads((self.path / "t.json").read_text())["rows"]
        self.assertEqual([row[name] for name in ("frame", "width", "height", "draws", "primitives")], ["one", SIZE, SIZE, 1, 1])
        rows = document("model", "fig13", "costs.json")["rows"]
        self.assertGreater(min(row["2"] for row in rows), 0)
        (balance,) = document("balance", self.file, "--most", 2)
        self.assertGreaterEqual(min(pattern["fragments"] for pattern in balance["patterns"]), 1)
        owners = document("owners", self.file, "--most", 2)
        self.assertEqual(sorted({rank for row in owners["owner"] for rank in row}), [0])  # one square has one owner
        for task in ("measure", "owners"):
            self.run_program("ranks", task, self.file, code=2)

    def start(self, *words):
        """A program whose signals are those of a terminal, and that is ended in any case."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGTERM)])
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def work_for(self, process, ticks):
        """Waits until the process has computed for so many more hundredths of a second."""
        used = lambda: sum(map(int, pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
        until = used() + ticks
        while process.poll() is None and used() < until:
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "the program ended by itself")

    def ended(self, process, number, pipe=None):
        """What the program says that a signal ends, while it reads `pipe` if there is one."""
        if pipe is None:
            process.send_signal(number)
        else:
            with open(pipe, "wb"):  # the program has opened it, too
                process.send_signal(number)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 128 + number, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        return out, err

    def test_signals_end_render_with_a_line(self):
        # Pipes tell when the program reads, which it does not do before it is ready for signals.
        for number in (signal.SIGINT, signal.SIGTERM):
            name = signal.Signals(number).name
            nothing = f"brokkr: ended by {name}; nothing was written\n"
            for turn, words in enumerate(([], ["--frames", "1000000"])):
                pipe = self.path / f"pipe-{name}-{turn}.bkf"
                os.mkfifo(pipe)
                # While it reads.
                process = self.start("render", pipe, "-o", "a.png", *words)
                self.assertEqual(self.ended(process, number, pipe), ("", nothing))
                self.assertFalse((self.path / "a.png").exists())
            # Many frames: those that were drawn count, and the last one is the picture.
            process = self.start("render", pipe, "-o", "a.png", "--frames", "1000000", "--json", "a.json")
            pipe.write_bytes(pathlib.Path(self.file).read_bytes())
            self.work_for(process, 50)
            out, err = self.ended(process, number)
            frames = json.loads((self.path / "a.json").read_text())["frames"]["count"]
            self.assertGreater(frames, 1)
            self.assertEqual(err.replace(" ", ""), f"brokkr:endedby{name}after{frames}of1000000frames\n")
            self.assertIn("a.png: 16x16", out)
            self.assertEqual(len(read_png(self.path / "a.png")), SIZE)
            (self.path / "a.png").unlink()

    def test_a_signal_ends_a_frame_that_takes_long(self):
        # Each of many triangles covers the picture and lies before the last one.
        corners = [f"v {x} {y} {i / 4000}" for i in range(4000) for x, y in ((-9, -9), (9, -9), (0, 18))]
        faces = [f"f {3 * i + 1} {3 * i + 2} {3 * i + 3}" for i in range(4000)]
        pipe = self.path / "pipe.obj"
        os.mkfifo(pipe)
        process = self.start("render", pipe, "-o", "a.png", "--machine", "emulated", "--size", "4096x4096", "--samples", "1",
                             "--camera", "eye=0,0,3 target=0,0,0", "--memory-limit", "8000")
        pipe.write_text("\n".join(corners + faces) + "\n")
        self.work_for(process, 300)
        self.assertEqual(self.ended(process, signal.SIGINT), ("", "brokkr: ended by SIGINT; nothing was written\n"))
        self.assertFalse((self.path / "a.png").exists())

    def test_signals_between_files(self):
        pipe = self.path / "two.bkf"
        os.mkfifo(pipe)
        process = self.start("render", self.file, pipe, "-o", "{}.png")
        # It has drawn the first file when it reads the second one.
        self.assertEqual(self.ended(process, signal.SIGINT, pipe)[1], "brokkr: ended by SIGINT after 1 of 2 files\n")
        self.assertTrue((self.path / "one.png").exists())
        self.assertFalse((self.path / "two.png").exists())

    def test_signals_end_patterns_with_a_line(self):
        if "  patterns " not in self.run_program("--help"):
            self.skipTest("the program has no lab")
        pipe = self.path / "pipe.bkf"
        os.mkfifo(pipe)
        line = "brokkr: ended by SIGINT; the same command continues with what is finished in lab/parts\n"
        process = self.start("patterns", pipe, "-o", "lab", "--json", "all.json")
        self.assertEqual(self.ended(process, signal.SIGINT, pipe), ("", line))
        self.assertFalse((self.path / "all.json").exists())
        # While it measures; what is finished is not measured again.
        words = ("patterns", self.write("large.bkf", container(frame(512), TRIANGLE)), "-o", "lab", "--no-plots", "--only", "orientation",
                 "--only", "search")
        process = self.start(*words)
        while process.poll() is None and not list(self.path.glob("lab/parts/orientation*")):
            time.sleep(0.01)
        out, err = self.ended(process, signal.SIGINT)
        self.assertEqual((err, out.splitlines()[0].split(":")[0]), (line, "lab/patterns-orientation.csv"))
        document = json.loads(self.run_program(*words[:-2], "--json", "-"))
        self.assertEqual([len(document["frames"]), list(document["results"])], [1, ["orientation"]])
        self.assertEqual(set(document["results"]["orientation"][0]), {"frame", "samples", "angle", "sigma"})
        self.assertIn("1 parts were already measured", self.run_program(*words[:-2]))

    def test_machines(self):
        machines = json.loads(self.run_program("machines", "--json", "-"))
        found = {machine["machine"]: machine for machine in machines if machine["available"]}
        self.assertIn("cpu", found)
        self.assertEqual(found["emulated"]["width"], 32)
        self.assertGreater(found["cpu"]["workers"], 0)
        self.assertIn("emulated", self.run_program("machines"))

    def test_help_names_every_command_and_option(self):
        text = self.run_program("--help")
        for command in ("render", "check", "info", "compare", "pattern", "machines"):
            self.assertIn(command, text)
            self.assertIn("--help", self.run_program(command, "--help"))
        for heading in ("Look and draw:", "Capture and files:", "Inspect and compare:", "Measure:"):
            self.assertIn(heading, text)
        # --help shows the common options, --help-all every one.
        first, every = self.run_program("render", "--help"), self.run_program("render", "--help-all")
        self.assertIn("--help-all", first)
        self.assertIn("--pattern", first)
        self.assertNotIn("--ownership", first)
        self.assertLessEqual(first.count("\n  -"), 26)
        self.assertIn("--ownership", every)
        self.assertEqual(self.run_program("help", "render"), first)
        self.assertEqual(self.run_program("help"), text)
        self.run_program("help", "no-such", code=2)
        self.assertRegex(self.run_program("--version"), r"^brokkr \d+\.\d+\.\d+\n$")

    def test_program_and_texture_of_a_frame(self):
        text = "#version 130\nvoid main() { gl_FragColor = vec4(1.0); }\n"
        texels = bytes([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 8, 7, 255])
        captured = self.write("programs.bkf", container(frame(
            SIZE, len(TRIANGLE) + len(texels),
            programs=[{"fragment": [text], "version": 130, "samplers": [{"name": "base", "kind": "2d"}]},
                      {"fixedFunction": {}}],
            textures=[{"kind": "2d", "format": "rgba8", "size": [2, 2, 1],
                       "data": {"offset": len(TRIANGLE), "type": "u8", "size": len(texels)}},
                      {"kind": "2d", "format": "depth24", "base": "depth", "size": [SIZE, SIZE, 1]}],
            commands=[draw(program=0, varyings={"offset": 0, "type": "f32", "count": 0},
                           uniforms={"offset": 0, "type": "u32", "count": 0}, textures=[[0, -1]])]),
            TRIANGLE + texels, version=2))
        facts = json.loads(self.run_program("info", "--json", "-", captured))
        self.assertEqual([(p["version"], p["fixed_function"], p["draws"]) for p in facts["programs"]],
                         [(130, False, 1), (110, True, 0)])
        self.assertEqual([(t["format"], t["content"], t["bytes"]) for t in facts["captured_textures"]],
                         [("rgba8", "stored", 16), ("depth24", "missing", 0)])
        self.run_program("extract", captured, "--program", 0, "-o", "p.frag")
        self.assertEqual((self.path / "p.frag").read_text(), text)
        self.run_program("extract", captured, "--texture", 0, "-o", "t.png")
        self.assertEqual(read_png(self.path / "t.png"), [[(0, 0, 255), (9, 8, 7)], [(255, 0, 0), (0, 255, 0)]])
        self.run_program("extract", captured, "--texture", 0, "-o", "t.bin")
        self.assertEqual((self.path / "t.bin").read_bytes(), texels)
        (part,) = json.loads(self.run_program("extract", captured, "--program", 0, "-o", "p.frag", "--json", "-"))
        self.assertEqual(part, {"file": "p.frag", "frame": captured, "what": "program", "number": 0, "glsl": 130, "bytes": len(text)})
        said = self.run_program("extract", captured, "--texture", 0, "-o", "t.png", "--json", "t.json")
        self.assertTrue(said.startswith("t.png: texture 0") and said.endswith("wrote t.json\n"), said)
        (part,) = json.loads((self.path / "t.json").read_text())
        self.assertEqual((part["what"], part["format"], part["width"], part["height"], part["bytes"]), ("texture", "rgba8", 2, 2, 16))
        for words, code in ((("--program", 1, "-o", "x.frag"), 1), (("--program", 2, "-o", "x.frag"), 1),
                            (("--texture", 1, "-o", "x.png"), 1), (("--texture", 9, "-o", "x.png"), 1),
                            (("--texture", 0), 2), (("--program", 0, "--texture", 0, "-o", "x.frag"), 2),
                            (("--program", 0, "-o", "x.png"), 2)):
            self.run_program("extract", captured, *words, code=code)
            self.assertFalse(list(self.path.glob("x.*")))
        self.run_program("render", captured, "-o", "picture.png")

    def test_the_documentation_lists_the_options_that_there_are(self):
        overview = self.run_program("--help")
        if not all(f"  {command} " in overview for command in ("queues", "simt")):
            self.skipTest("needs a program with the lab and the SIMT machine")
        document = (SOURCE / "docs" / "reference" / "command-line.md").read_text()
        self.assertTrue(document.endswith(self.run_program("--help-markdown")),
                        "docs/reference/command-line.md is old: replace its end by `brokkr --help-markdown`")

    def limits_of(self, command, name, value):
        """What the refusal of a value says that it may be; nothing where the option takes it, or is no number."""
        # An unknown option is reported last, so no command starts its work.
        words = [PROGRAM, command, f"{name}={value}", "--no-such-option"]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path)
        match = re.search(r"is not (?:a number|a whole number|a power of two|WIDTHxHEIGHT, each) of (\S+) to (\S+?)[;\s]", run.stderr)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        if match is None:
            return None
        self.assertIn(name, run.stderr)
        return float(match[1]), float(match[2])

    def test_limits_are_those_that_are_named(self):
        """Every command refuses a number just outside its range, and the default in its help is inside."""
        checked = set()
        for section in self.run_program("--help-markdown").split("\n## ")[1:]:
            command = section.split("\n", 1)[0].strip()
            for name, unit, text in re.findall(r"^\| `(?:-\w, )?(--[\w-]+) (\S+)` \| (.*) \|$", section, re.MULTILINE):
                if (name, text) in checked:
                    continue
                checked.add((name, text))
                limits = self.limits_of(command, name, "none")
                if limits is None:
                    continue
                low, high = limits
                self.assertLess(low, high, name)
                for outside in (low - 1, high + max(1, high * 1e-6)):
                    outside = f"{outside:.0f}x{outside:.0f}" if unit == "WxH" else f"{outside:.0f}"
                    self.assertEqual(self.limits_of(command, name, outside), limits, f"{command} {name} {outside}")
                for default in re.findall(r"\(([\d.]+)[);:]", text):
                    self.assertTrue(low <= float(default) <= high, f"{command} {name}: {default} is not in {limits}")
        self.assertGreater(len(checked), 60)


if __name__ == "__main__":
    unittest.main()
