#!/usr/bin/env python3
"""The programs of tools/ that draw measurements and look at the CUDA machine: pictures, counts, and errors of one line.

    tools_test.py BROKKR

Plots are tested where /usr/bin/python3 has matplotlib.
"""
import argparse
import contextlib
import importlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from test_frame import TRIANGLE, container, frame

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
PYTHON = "/usr/bin/python3"
sys.dont_write_bytecode = True
sys.path[:0] = [str(TOOLS), str(TOOLS / "research")]


def has_matplotlib():
    try:
        return subprocess.run([PYTHON, "-c", "import matplotlib"], capture_output=True).returncode == 0
    except OSError:
        return False


def has_lab():
    """Whether the program has the commands that only measure (-DBROKKR_RESEARCH=ON)."""
    return subprocess.run([PROGRAM, "queues", "--list"], capture_output=True).returncode == 0


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def run_tool(self, name, *arguments, code=0):
        """Standard output; of a run that fails the one line on standard error."""
        tool = TOOLS / name
        words = [str(word) for word in (tool if tool.exists() else TOOLS / "research" / name, *arguments)]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, code, f"{words}: {run.stderr}{run.stdout}")
        if code == 0:
            return run.stdout
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 1, f"{words}: {run.stderr}")
        self.assertTrue(lines[0].startswith(f"tools/{name}: "), lines[0])
        return lines[0]

    def brokkr(self, *arguments):
        subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, timeout=600, cwd=self.path)


class Gate(Folder):
    """tools/bench --gate compares with earlier figures, with a program that draws nothing and writes given results."""
    def result(self, ratio, beside=None, name="one", peer="llvmpipe"):
        row = {"name": name, "shading": "flat", "width": 64, "height": 32, "isa": "v4",
               "peers": {peer: {"median_ms": ratio, "ratio": {"median": ratio}}}}
        if beside is not None:
            row["beside"] = {"isa": "v3", "ratios": {peer: {"median": beside}}}
        return {"results": [row]}

    def gate(self, before, *runs, code=0):
        for i, run in enumerate(runs):
            self.write(f"run{i}.json", json.dumps(run))
        self.write("before.json", json.dumps(before))
        # The n-th start writes run n, or the last run.
        program = self.write("brokkr", f"""#!/bin/sh
for word in "$@"; do [ "$last" = --json ] && out=$word; last=$word; done
echo "$@" >> {self.path}/words
n=$(($(wc -l < {self.path}/words) - 1)); [ -e {self.path}/run$n.json ] || n=$((n - 1))
cp {self.path}/run$n.json "$out"
""")
        program.chmod(0o755)
        run = subprocess.run([TOOLS / "bench", "--gate", self.path / "before.json", "--brokkr", program, "--results",
                              self.path / "out"], capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, code, run.stderr)
        words = self.path / "words"
        self.starts = words.read_text().splitlines() if words.exists() else []
        return run.stdout if code == 0 else run.stderr.splitlines()[-1]

    def test_as_fast(self):
        table = self.gate(self.result(2.0, 1.5), self.result(1.92, 1.6))
        self.assertIn("one flat 64x32 v4: 2.00 -> 1.92 (-4.0%)", table)
        self.assertIn("one flat 64x32 v3: 1.50 -> 1.60 (+6.7%)", table)
        self.assertEqual(len(self.starts), 1)
        self.assertIn("--beside-isa v3", self.starts[0])

    def test_slower_twice(self):
        line = self.gate(self.result(2.0, 1.5), self.result(2.0, 1.4), code=1)
        self.assertIn("slower", line)
        self.assertIn("one flat 64x32 v3", line)
        self.assertNotIn("one flat 64x32 v4", line)
        self.assertEqual(len(self.starts), 2)

    def test_slower_once(self):
        self.gate(self.result(2.0), self.result(1.5), self.result(2.1))
        self.assertEqual(len(self.starts), 2)

    def test_peers_that_both_have(self):
        before = self.result(2.0)
        before["results"][0]["peers"]["lavapipe"] = {"median_ms": 1.5, "ratio": {"median": 1.5}}
        self.assertIn("one flat 64x32 v4", self.gate(before, self.result(1.6), code=1))
        self.assertIn("none was timed now", self.gate(self.result(2.0, peer="lavapipe"), self.result(2.0), code=1))

    def test_size_of_the_earlier_pictures(self):
        before = self.result(2.0)
        self.gate(before, self.result(2.0))
        self.assertIn("--size 64x32", self.starts[0])
        before["results"].append(before["results"][0] | {"name": "two", "width": 128})
        self.gate(before, before)
        self.assertNotIn("--size", self.starts[-1])

    def test_a_row_that_is_missing(self):
        self.assertIn("one flat 64x32 v4", self.gate(self.result(2.0), self.result(2.0, name="two"), code=1))

    def test_files_without_figures(self):
        self.assertIn("holds no row with a peer", self.gate({"results": []}, self.result(1), code=1))
        self.assertEqual(self.starts, [])
        self.assertIn("before.json", self.gate({"other": 1}, self.result(1), code=1))


class Checks(Folder):
    """tools/layers, tools/functions and tools/comments find the faults that they are there for, and nothing else."""
    def faults(self, tool, *arguments):
        run = subprocess.run([TOOLS / tool, *map(str, arguments)], capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, 1 if run.stderr else 0)
        return run.stderr.splitlines()

    def source(self, name, text):
        path = self.path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_layers(self):
        self.source("engine/machine/machine.h", "__shfl_sync();\n")
        self.source("engine/frame/mesh.h", '#include "machine/machine.h"\n')
        self.source("engine/pipeline/kernel.cu", "threadIdx.x;  // and __shfl_sync\n")
        self.source("apps/viewer/viewer.h", "")
        self.source("apps/viewer/main.cpp", '#include "lab/lab.h"\n')
        self.source("research/lab/lab.h", '#include "frame/mesh.h"\n#include "viewer/viewer.h"\n')
        self.source("research/probe/film.h", '#include "probe/drawing.h"\n')
        self.source("research/probe/drawing.h", "")
        self.source("research/probe/g80_model.h", '#include "probe/drawing.h"\n#include "probe/g80_raster.h"\n')
        self.source("research/probe/g80_raster.h", "")
        self.source("research/probe/probe_command.cpp", '#include "probe/film.h"\n#include "probe/g80_model.h"\n')
        self.assertEqual(self.faults("layers", self.path / "src"), [])
        self.source("apps/capture/frame.h", '#include "frame/mesh.h"\n#include "pipeline/renderer.h"\n')
        self.source("apps/log/log.h", '#include "lab/lab.h"\n')
        self.source("engine/frame/upward.cpp", '\n#include "pipeline/renderer.h"\n#include "lab/lab.h"\n')
        self.source("engine/pipeline/renderer.h", "#ifdef __CUDA_ARCH__\n")
        self.source("attic/old.h", "")
        self.source("engine/lab/old.h", "")
        self.source("research/probe/g80_raster.h", '#include "probe/film.h"\n')
        self.source("research/probe/film.h", '#include "probe/g80_raster.h"\n')
        faults = self.faults("layers", self.path / "src")
        self.assertEqual([fault.split(": ")[0] for fault in faults],
                         ["src/attic", "src/engine/lab", "src/apps/capture/frame.h:2", "src/apps/log/log.h:1",
                          "src/engine/frame/upward.cpp:2", "src/engine/frame/upward.cpp:3", "src/engine/pipeline/renderer.h:1",
                          "src/research/probe/film.h:1", "src/research/probe/g80_raster.h:1"])

    def test_comments(self):
        def faults(*lines):
            path = self.source("engine/frame/words.h", "\n".join(lines) + "\n")
            run = subprocess.run([TOOLS / "comments", path], capture_output=True, text=True, timeout=600)
            self.assertEqual(run.returncode, 1 if run.stdout else 0)
            return [line.split(": ", 1)[1] for line in run.stdout.splitlines()]

        self.assertEqual(faults("// Returns true if the file is open, and `anew` is a name.", "bool is_open();",
                                'const char* text = "// prepare it anew";', "int count = 0;  // of the list", "int x;  // NaN: 0"), [])
        self.assertEqual(faults("// Whether it is open.", "bool is_open();"),
                         ["the comment begins with 'Whether'; begin with its subject or verb"])
        for turn, line in (("anew", "// Prepares the frame anew."), ("Whoever", "// Whoever adds an element sets the bit."),
                           ("Of the", "// All are sorted. Of the rest none is kept."), ("a list of its own", "// Has a list of its own."),
                           ("that which", "// Removes that which is not used."), ("as it was", "// The file stays as it was."),
                           ("of which the", "// A list of keys, of which the smallest wins."), ("what is no", "// Drops what is no number."),
                           ("is none of the", "// The value is none of the names."),
                           ("of the samples that", "float depth[4];  // of the samples that wait for a run")):
            found = faults(line)
            self.assertEqual(len(found), 1, line)
            self.assertIn(f"the comment says '{turn}'; ", found[0])

    def test_functions(self):
        body = "  if (x) { x = '{'; }\n"
        short = self.source("short.cpp", "namespace a {\nstruct B : C {\n  B() : x{1} {\n" + 67 * body + "  }\n};\n" +
                            "const int table[] = {\n" + 90 * "  1,\n" + "};\n}\n")
        self.assertEqual(self.faults("functions", short), [])
        long = self.source("long.cpp", "int first();\n\nauto run(int x)\n    -> int {\n" + 68 * body + "}\n")
        faults = self.faults("functions", long)
        self.assertEqual(len(faults), 1)
        self.assertTrue(faults[0].endswith("long.cpp:3: run: 71 lines: more than 70"), faults[0])
        six = self.source("six.cpp", "void run(int a, std::map<int, int> b, int c, int d, int e = g(1, 2), int f = 0) {}\n")
        self.assertEqual(self.faults("functions", six), [])
        seven = self.source("seven.cpp", "template <class T, class U>\nvoid run(T a, U b, int c, int d,\n         int e, int f, int g) {}\n")
        faults = self.faults("functions", seven)
        self.assertEqual(len(faults), 1)
        self.assertTrue(faults[0].endswith("seven.cpp:1: run: 7 parameters; give it a struct"), faults[0])


@unittest.skipUnless(has_lab(), "needs a program with the lab")
class TimeLimit(Folder):
    def test_a_run_at_the_limit_is_a_result(self):
        words = [PROGRAM, "queues", "pairs", "--queues", "BQ", "--warps", "2", "--loops", "100000000", "--runs", "1", "--seconds", "0.1", "-o", "."]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=self.path)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = (self.path / "queues-pairs.csv").read_text().splitlines()[1:]
        ended = [row for row in rows if row.endswith("ended after 0.1 s")]
        self.assertEqual(len(ended), len(rows))
        things = "configuration" if len(rows) == 1 else "configurations"
        self.assertEqual(run.stderr.splitlines()[-1], f"warning: queues: {len(rows)} {things} did not end within the time limit (--seconds); "
                         "the rows say so")


@unittest.skipUnless(has_lab(), "needs a program with the lab")
@unittest.skipUnless(has_matplotlib(), "needs python3-matplotlib")
class Plots(Folder):
    def measure(self):
        """tool, folder, tables, pictures of small runs."""
        self.brokkr("queues", "atomics", "--quick", "-o", "queues")
        self.brokkr("schedule", "overhead", "--quick", "--workers", "2", "-o", "schedule")
        self.brokkr("batches", *(f"generated:tree?triangles={n}000" for n in (1, 2, 3)), "-o", "batches")
        self.brokkr("patterns", self.write("one.bkf", container(frame(64), TRIANGLE)), "--quick", "--no-plots", "--only",
                    "orientation", "-o", "patterns")
        return [("plot-queues", "queues", "atomics", ["atomics"]), ("plot-schedule", "schedule", "overhead", ["overhead"]),
                ("plot-batches", "batches", "asr", ["asr", "time"]), ("plot-patterns", "patterns", "orientation", ["orientation"])]

    def test_pictures_and_errors(self):
        for tool, kind, table, pictures in self.measure():
            with self.subTest(tool):
                output = self.run_tool(tool, kind, "--output", "images")
                for picture in pictures:
                    path = f"images/{kind}-{picture}.png"
                    self.assertIn(path, output)
                    self.assertTrue((self.path / path).read_bytes().startswith(b"\x89PNG"))
                if kind == "patterns":  # the page shows the pictures that were drawn last
                    page = (self.path / "patterns/report.html").read_text()
                self.run_tool(tool, kind, "--output", "images", "--format", "pdf")
                self.assertTrue((self.path / f"images/{kind}-{pictures[0]}.pdf").read_bytes().startswith(b"%PDF"))
                self.check_errors(tool, kind, self.path / kind / f"{kind}-{table}.csv")
        self.assertIn("patterns-orientation.png", page)
        self.assertIn("map-one.png", page)

    def check_errors(self, tool, kind, path):
        good = path.read_bytes()
        lines = good.splitlines(keepends=True)
        header = lines[0].decode().strip().split(",")
        numeric = {"queues": "threads", "schedule": "overhead", "batches": "asr", "patterns": "angle"}[kind]
        column = header.index(numeric)
        cells = lines[1].decode().strip().split(",")
        cells[column] = "many"
        wrong = [
            (b"", "the file is empty"),
            (b"\xff\xfe\x00", "not a text file"),
            (good[:-4], "cut off"),
            (b"".join([*lines[:2], lines[2][:9]]), "line 3"),
            (b"".join([lines[0], ",".join(cells).encode(), b"\n", *lines[2:]]), f"line 2: column '{numeric}': 'many'"),
            (good.replace(numeric.encode(), b"other", 1), f"no column '{numeric}'")]
        one = kind == "queues"  # all of these read the same lines
        for content, expected in wrong if one else wrong[-1:]:
            path.write_bytes(content)
            line = self.run_tool(tool, kind, "--output", "images", code=1)
            for word in (path.name, expected, f"run `brokkr {kind}"):
                self.assertIn(word, line)
        self.assertIn("--bad", self.run_tool(tool, kind, "--bad", code=2))
        if not one:
            return
        path.write_bytes(lines[0])
        self.assertIn("no measurement that succeeded", self.run_tool(tool, kind, "--output", "images", code=1))
        path.write_bytes(good)
        self.assertIn(path.name, self.run_tool(tool, kind, "--output", path, code=1))
        self.assertIn("/nowhere", self.run_tool(tool, "/nowhere", code=1))
        self.assertIn("DIR", self.run_tool(tool, code=2))

    def test_what_patterns_json_lacks(self):
        (self.path / "patterns").mkdir()
        settings = {"experiments": [], "frames": [{"triangles": 1, "maps": "none"}]}
        for text, expected in (("{", "no JSON"), ("[]", "object"), (json.dumps(settings), "'maps'")):
            self.write("patterns/patterns.json", text)
            line = self.run_tool("plot-patterns", "patterns", code=1)
            self.assertIn("patterns.json", line)
            self.assertIn(expected, line)

    def test_a_measurement_that_is_missing(self):
        self.brokkr("batches", "generated:tree?triangles=1000", "-o", "batches")
        path = self.path / "batches/batches-asr.csv"
        lines = path.read_text().splitlines(keepends=True)
        # Another model that has only one of the methods.
        path.write_text("".join(lines + [lines[1].replace(",nvidia,", ",another,")]))
        self.assertIn("no row of another", self.run_tool("plot-batches", "batches", "--output", "images", code=1))


@unittest.skipUnless(has_lab(), "needs a program with the lab")
class Report(Folder):
    """`brokkr patterns` draws its report without Python: nothing that it could start is in PATH."""
    FIGURES = {"spacing": ["spacing"], "orientation": ["orientation"], "load": ["families", "variation"], "partition": ["partition"],
               "pipeline": ["pipeline", "prediction"], "blocks": ["blocks"]}

    def test_pictures_and_page(self):
        self.write("one.bkf", container(frame(64), TRIANGLE))
        only = [word for name in self.FIGURES for word in ("--only", name)]
        run = subprocess.run([PROGRAM, "patterns", "one.bkf", "--quick", "-o", "out", *only], cwd=self.path, env={"PATH": "/nowhere"},
                             capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.endswith("out/report.html\n"), run.stdout)
        page = (self.path / "out/report.html").read_text()
        for name in (picture for pictures in self.FIGURES.values() for picture in pictures):
            with self.subTest(name):
                self.assertIn(f'src="patterns-{name}.svg"', page)
                svg = xml.etree.ElementTree.parse(self.path / f"out/patterns-{name}.svg").getroot()
                self.assertGreater(len(svg), 20)
                self.assertNotIn("nan", (self.path / f"out/patterns-{name}.svg").read_text())
                if (self.path / f"out/patterns-{name}.png").exists():
                    self.assertTrue((self.path / f"out/patterns-{name}.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("Van der Corput", page)
        self.assertIn("map-one.png", page)


class Release(unittest.TestCase):
    def run_release(self, *words):
        return subprocess.run([TOOLS / "release", *words], capture_output=True, text=True)

    def test_notes_are_one_section_of_the_changelog(self):
        changelog = (TOOLS.parent / "CHANGELOG.md").read_text()
        notes = self.run_release("--notes")
        self.assertEqual(notes.returncode, 0, notes.stderr)
        self.assertIn("### Added", notes.stdout)
        self.assertIn(notes.stdout.strip(), changelog)
        self.assertNotIn("\n## ", notes.stdout)

    def test_errors(self):
        refused = self.run_release("--nothing")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr.count("\n"), 1)
        self.assertIn("--nothing", refused.stderr)


class GpuCheck(Folder):
    def test_errors(self):
        for arguments, code, expected in (
                (["--budget", "0"], 2, "--budget"), (["--frames", "many"], 2, "--frames"), (["--bad"], 2, "--bad"),
                (["missing.bkf"], 1, "missing.bkf"), (["--prebuilt", "/nowhere"], 1, "--prebuilt /nowhere"),
                (["--prebuilt-two", "/nowhere"], 1, "--prebuilt-two /nowhere"),
                (["--output", self.write("file", ""), "--rehearse"], 1, "file")):
            self.assertIn(expected, self.run_tool("gpu-check", *arguments, code=code))

    def test_errors_of_archives(self):
        (self.path / "empty").mkdir()
        for arguments, code, expected in (
                (["--from", "missing.tar.xz"], 1, "missing.tar.xz"), (["--from", self.write("not.tar.xz", "x")], 1, "--pack"),
                (["--results", "empty"], 1, "steps.tsv"), (["--minutes", "0"], 2, "--minutes")):
            self.assertIn(expected, self.run_tool("gpu-check", *arguments, code=code))

    RUNNER = TOOLS / "gpu_check" / "run.sh"

    def runner(self, *arguments):
        return subprocess.run(["sh", self.RUNNER, *arguments], cwd=self.path, capture_output=True, text=True)

    def test_the_order_of_a_first_meeting(self):
        steps = self.runner("--list").stdout.splitlines()
        wanted = ["tiny frame, 1 block", "tiny frame, 2 blocks", "tiny frame, all blocks", "memcheck", "synccheck", "CUDA tests",
                  "sphere-1m flat, brokkr", "OpenGL", "suite city flat", "queues", "schedule", "patterns pipeline", "batches", "sweep"]
        self.assertEqual([step for step in steps if step in wanted], wanted)
        for arguments, expected in ((["--minutes", "x"], "--minutes"), (["--bad"], "--bad"), (["--only"], "--only")):
            done = self.runner(*arguments)
            self.assertEqual((done.returncode, expected in done.stderr), (2, True), done.stderr)

    def archive(self, program):
        """What an archive unpacks to, with a program of the test's own."""
        for name in ("bin", "lib", "scenes", "reports"):
            (self.path / "gpu-check" / name).mkdir(parents=True)
        runner, brokkr = self.path / "gpu-check" / "run", self.path / "gpu-check" / "bin" / "brokkr"
        shutil.copy(self.RUNNER, runner)
        for name in ("revision", "blocks", "architectures"):
            self.write(f"gpu-check/{name}", "1")
        brokkr.write_text(program)
        brokkr.chmod(0o755)
        return runner

    def test_a_command_that_hangs_is_ended_and_the_next_step_runs(self):
        machines = json.dumps([{"name": "Some GPU", "isa": "sm_1"}], indent=1)
        runner = self.archive(f"#!/bin/sh\n[ $1 = machines ] && {{ echo '{machines}'; exit; }}\n[ $1 = queues ] && exec sleep 1000\n"
                              "echo done with $1\n[ $1 = schedule ]\n")
        done = subprocess.run([runner, "--output", "out", "--silence", "1", "--only", "queues", "--only", "schedule", "--only",
                               "batches", "--after", "cp -r -t copies"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        steps = {line.split("\t")[0]: line.split("\t")[1:] for line in (self.path / "out" / "steps.tsv").read_text().splitlines()}
        self.assertEqual(steps["environment"][0], "ok")
        self.assertEqual(steps["queues"][0::2], ["failed", "hung: silent for 1 s"])
        self.assertEqual(steps["schedule"][0], "ok")
        self.assertEqual(steps["batches"][0::2], ["failed", "done with batches"])
        self.assertIn("sleep 1000", (self.path / "out" / "queues.log").read_text())
        self.assertIn("--after failed", done.stderr)  # there is no folder copies
        # Good results are kept; the rest is repeated.
        (self.path / "copies").mkdir()
        done = subprocess.run([runner, "--output", "out", "--resume", "--only", "schedule", "--only", "batches", "--after",
                               "cp -r -t copies"], cwd=self.path, capture_output=True, text=True)
        self.assertNotIn("schedule ", done.stdout)
        self.assertIn("batches ", done.stdout)
        self.assertEqual((self.path / "copies" / "out" / "steps.tsv").read_text(), (self.path / "out" / "steps.tsv").read_text())

    def test_the_page_of_an_archives_results(self):
        row = {"name": "generated:sphere-1m", "shading": "flat", "width": 1920, "height": 1080, "triangles": 1002252,
               "brokkr": {"median_ms": 0.25}, "launch": {"median_ms": 0.2}, "peers": {"gpu": {"median_ms": 0.5}}}
        report = json.dumps({"results": [row, dict(row, error="out of | memory")]})
        (self.path / "run" / "reports").mkdir(parents=True)
        self.write("run/environment.txt", "date: 2026-11-22T13:00:00Z\nblocks: 2\ngpu: NVIDIA H200, sm_90\n")
        self.write("run/steps.tsv", "sphere-1m flat, brokkr\tok\t3\t\nsphere-1m flat, brokkr-3\tok\t3\t\n"
                   "suite sphere-1m flat\tok\t4\ta | b\nqueues\tfailed\t30\thung: silent for 30 s\n")
        for name in ("sphere-1m-flat--brokkr", "sphere-1m-flat--brokkr-3", "suite-sphere-1m-flat", "sweep-brokkr-2-32-0--"):
            self.write(f"run/{name}.json", report)
        self.write("run/broken.json", "{")
        self.write("run/queues.log", "no")
        self.write("run/reports/brokkr-kernel.cu.ptxas", "Compiling entry function 'f' for 'sm_90'\n 8 bytes stack frame, 4 bytes spill "
                   "stores, 2 bytes spill loads\n Used 128 registers")
        self.run_tool("gpu-check", "--results", "run", "--pages", "pages")
        page = self.path / "pages" / "2026-11-22-nvidia-h200"
        text = (page / "README.md").read_text()
        for line in ("# NVIDIA H200, sm_90", "| queues | failed | 30 | hung: silent for 30 s |", "| 2 | 0.2500 | 0.2000 |",
                     "| 3 | 0.2500 | 0.2000 |", "| sphere-1m | flat | 1920x1080 | 1002252 | 0.2500 | 0.2000 | 0.5000 | 2.00 |",
                     "| sphere-1m | flat | 1920x1080 | 1002252 | failed: out of / memory |  |  |  |",
                     "| sphere-1m | brokkr-2 | 32 | 0 | - | 0.2500 | 0.2000 |", "| brokkr-kernel.cu | f | sm_90 | 128 | 8 | 6 |",
                     "- [suite-sphere-1m-flat.json](suite-sphere-1m-flat.json)"):
            self.assertIn(line, text)
        self.assertFalse((page / "queues.log").exists())
        self.assertTrue((page / "environment.txt").exists())

    def test_no_time_left(self):
        for before in ("", "[", "[1]", '{"steps": 1}', '{"steps": [1, {"step": "build", "status": "ok"}]}'):
            (self.path / "out").mkdir(exist_ok=True)
            self.write("out/summary.json", before)
            self.run_tool("gpu-check", "--rehearse", "--prebuilt", PROGRAM.parent, "--budget", "1", "--resume", "--output", "out")
            steps = json.loads((self.path / "out/summary.json").read_text())["steps"]
            self.assertEqual({step["status"] for step in steps}, {"skipped"})
            names = {step["step"] for step in steps}
            self.assertLess({"environment", "build", "CUDA tests", "bench city", "variant no graph", "curve workers", "queues"}, names)
            self.assertIn("| bench city | skipped |", (self.path / "out/summary.md").read_text())

    def rehearsal(self):
        check = importlib.import_module("gpu_check.check")
        return check.Check(argparse.Namespace(
            prebuilt=str(PROGRAM.parent), prebuilt_two=None, frame=[], output=str(self.path / "out"), budget=120, resume=False,
            rehearse=True, seconds=60, frames=4))

    def test_a_frame_and_what_is_kept_of_it(self):
        frames, summary = importlib.import_module("gpu_check.frames"), importlib.import_module("gpu_check.summary")
        check = self.rehearsal()
        check.gpu = {"name": "none"}
        good, bad = self.write("good.bkf", container(frame(16), TRIANGLE)), self.write("bad.bkf", "nothing")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            check.step("frame good.bkf", frames.frame, str(good))
            check.step("frame bad.bkf", frames.frame, str(bad))
        self.assertRegex(said.getvalue(), r"frame good.bkf +ok +[0-9.]+ s")
        first, second = check.steps
        self.assertEqual((first["status"], first["note"]), ("ok", ""))
        self.assertEqual([first["found"][kind]["differing"] for kind in ("depth", "draw", "triangle", "color")], [0] * 4)
        self.assertEqual(second["status"], "failed")
        self.assertIn("bad.bkf", second["note"])
        text = summary.markdown(check.steps)
        self.assertIn("| frame bad.bkf | failed |", text)
        self.assertRegex(text, r"\| good\.bkf \| [0-9.]+ \| [0-9.]+ \| 0 \| 0 \| 0 \|")
        check.options.resume = True
        self.assertEqual(list(check.finished_before()), ["frame good.bkf"])


class SassCost(Folder):
    # A loop with a way around one of its instructions.
    LISTING = """
\t.section\t.text.f,"ax",@progbits
f:
\t//## File "/x/src/a.h", line 3
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   IADD3 R1, R1, 0x1, RZ ;
        /*0020*/              @P0 BRA `(.L_x_1) ;
        /*0030*/                   FADD R2, R2, R2 ;
.L_x_1:
        /*0040*/              @P1 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
"""

    def test_ways_through_a_loop(self):
        flow, report = importlib.import_module("sass.flow"), importlib.import_module("sass.report")
        (function,) = flow.read_functions(self.LISTING)
        self.assertEqual((function.name, len(function.code)), ("f", 6))
        ((head, body),) = function.loops.items()
        self.assertEqual(function.cost(body, head), ((3, 0), (4, 0), (4, 0)))
        addition = {b for b in body if any(i.opcode == "FADD" for i in function.all_code([b]))}
        self.assertEqual(function.cost(body, head, [addition]), ((4, 0), (4, 0), (4, 0)))
        # The addition is a load of a spilled register.
        (spilling,) = flow.read_functions(self.LISTING.replace("FADD", "LDL"))
        self.assertEqual(spilling.cost(body, head), ((3, 0), (4, 1), (4, 1)))
        self.assertEqual(report.registers(function), 3)
        self.assertEqual(report.kinds(function)["float"], 1)

    def test_the_lines_that_mark_the_paths_are_in_the_sources(self):
        paths = importlib.import_module("sass.paths")
        for _, _, loop, _, via, *never in paths.PATHS:
            for marker in [loop, *via, *(never[0] if never else [])]:
                if isinstance(marker, tuple) and all(marker):
                    self.assertTrue(paths.lines_of(*marker))

    def test_errors(self):
        empty, stats = self.write("empty", ""), self.write("stats.json", '{"statistics": {"batches": 1}}')
        for arguments, code, expected in (
                (["--bad"], 2, "--bad"), (["--blocks-per-sm", "9"], 2, "--blocks-per-sm"), (["--clock", "0"], 2, "--clock"),
                (["--multiprocessors", "none"], 2, "--multiprocessors"), (["--cubin", "missing"], 1, "missing: there is no such file"),
                (["--ptxas", "missing"], 1, "missing"), (["--stats", "missing"], 1, "missing"), (["--stats", empty], 1, "empty"),
                (["--stats", stats], 1, "stats.json: field 'triangles_in'"),
                (["--cubin", stats, "--nvdisasm", "/nowhere/nvdisasm"], 1, "/nowhere/nvdisasm"),
                (["--cubin", stats, "--nvdisasm", "/bin/false"], 1, "false: exit status 1")):
            self.assertIn(expected, self.run_tool("sass-cost", *arguments, code=code))


class GpuModel(Folder):
    STATISTICS = {"batches": 3106, "triangles_in": 99372, "triangles_out": 27929, "vertex_shader_runs": 112000, "queue_elements": 1900,
                  "fragments": 124000, "fragments_shaded": 124000, "bins_x": 10, "bins_y": 6, "rasterizers": 60,
                  "triangle_rasterizer_pairs": 29000, "store_bytes": 1, "frame_bytes": 1 << 20, "ordered_phases": 0,
                  "rasterizer_fragments": [2000] * 60}

    def model(self, *arguments, code=0, **changes):
        stats = self.write("stats.json", json.dumps({"statistics": {**self.STATISTICS, **changes}}))
        return self.run_tool("gpu-model", "--stats", stats, *arguments, code=code)

    def milliseconds(self, *arguments, **changes):
        output = self.path / "model.json"
        last = self.model(*arguments, "--json", output, **changes).strip().splitlines()[-1]
        values = [json.loads(output.read_text())["results"][which]["frame_ms"] for which in ("middle", "low", "high")]
        self.assertTrue(0 < values[1] <= values[0] <= values[2], last)
        self.assertEqual(last, "Modelled, not measured: {:.3f} ms ({:.3f} to {:.3f})".format(*values))
        return values[0]

    def test_time_follows_what_it_is_made_of(self):
        whole = self.milliseconds()
        large = self.milliseconds(batches=31000, triangles_in=992000)
        self.assertGreater(large, whole)
        self.assertGreater(self.milliseconds("--blocks-per-sm", "1", batches=31000, triangles_in=992000), large)
        self.assertGreater(self.milliseconds("--multiprocessors", "16"), whole)
        direct = {"triangles_direct": self.STATISTICS["triangles_out"], "queue_elements": 0, "triangle_rasterizer_pairs": 0}
        self.assertLess(self.milliseconds(**direct), whole)
        self.assertGreater(self.milliseconds("--reductions", "0.001", **direct), 2 * whole, "L2 makes keys smaller at its own pace")
        batches = {"batches": 31000, "triangles_in": 992000, **direct}
        clipping = self.milliseconds("--clipping", **batches)
        self.assertGreater(clipping, self.milliseconds(**batches), "tasks of one batch")
        self.assertGreater(self.milliseconds("--clipping", "--decide-late", **batches), clipping, "a decision's round trip")
        many = {"rasterizers": 510, "rasterizer_fragments": [200] * 510, **direct}
        self.assertGreater(self.milliseconds("--ask-all", **many), self.milliseconds(**many), "a search among 510")
        self.assertNotEqual(self.milliseconds("--seeds", "2"), whole, "a mean of two")
        self.assertGreaterEqual(self.milliseconds("--bandwidth", "0.05"), 2 * whole, "what is read and written must pass")

    def test_changes_of_a_word_wait_for_each_other(self):
        events = importlib.import_module("gpu_model.events")

        def change(word, times):
            for _ in range(times):
                yield events.Atomic(word, "change")

        one, others = events.Word("one"), [events.Word("other") for _ in range(100)]
        alone = events.Simulation(trip=200, turn=10)
        for other in others:
            alone.start(change(other, 1))
        self.assertEqual(alone.run(), 210)
        together = events.Simulation(trip=200, turn=10)
        for _ in others:
            together.start(change(one, 1))
        self.assertEqual(together.run(), 200 + 100 * 10)
        self.assertEqual((one.changes, one.waited), (100, 10 * sum(range(100))))

    def test_nobody_waits_for_a_change_without_an_answer(self):
        events = importlib.import_module("gpu_model.events")

        def change(word, request, times):
            for _ in range(times):
                yield request(word)
            yield events.Wait(1, "end")

        word = events.Word("word")
        sent = events.Simulation(trip=200, turn=10)
        sent.start(change(word, events.Change, 5))
        self.assertEqual((sent.run(), word.changes, word.free), (1, 5, 100 + 5 * 10))

    def test_errors(self):
        self.assertIn("'ordered_phases' is 2", self.model(code=1, ordered_phases=2))
        self.assertIn("nothing is drawn", self.model(code=1, batches=0))
        self.assertIn("missing", self.model("--passes", "missing", code=1))
        self.assertIn("one scene, or --stats", self.run_tool("gpu-model", code=2))
        self.assertIn("--multiprocessors", self.model("--multiprocessors", "0", code=2))
        self.assertIn("/nowhere: ", self.run_tool("gpu-model", "generated:city", "--brokkr", "/nowhere", code=1))


if __name__ == "__main__":
    unittest.main()
