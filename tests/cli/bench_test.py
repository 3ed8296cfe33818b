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
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from test_frame import TRIANGLE, container, frame

PROGRAM = sys.argv.pop(1)
PEER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
SIZE = 64
CHECK = str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-frame-log")
QUICK = ["--frames", "3", "--rounds", "2"]


def peer_is_there():
    """Whether the reference was built and finds an OpenGL: CI has one, a plain computer may not."""
    if PEER is None or not os.path.exists(PEER):
        return False
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([PEER, "--device", "software", "--serve"], input="", capture_output=True, text=True, timeout=600,
                             cwd=folder)
    return run.returncode == 0


HAS_MATPLOTLIB = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True).returncode == 0


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
        self.write("bad.csv", "\n".join(lines[:2] + [lines[2].rsplit(",", 1)[0]] + lines[3:]) + "\n")
        self.assertIn("line 3: 31 fields under 32", self.check_log("bad.csv", code=1))
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
        self.assertRegex(self.run_program("--compare", "a.json", "b.json"), r"median: after is .* with 95 % confidence")
        self.assertIn("a.json", self.run_program("--compare", "a.json", self.write("c.json", "{}"), code=1))
        (self.path / "b.csv").unlink()
        self.assertIn("b.csv", self.run_program("--compare", "a.json", "b.json", code=1))

        def plot(*arguments, code=0):
            run = subprocess.run([PROGRAM, "plot", *arguments], capture_output=True, text=True, timeout=600, cwd=self.path)
            self.assertEqual(run.returncode, code, run.stderr)
            return run.stderr
        if HAS_MATPLOTLIB:
            plot("a.csv", "-o", "a.svg", "--title", "A <b>")
            texts = self.texts_of("a.svg")
            self.assertIn("A <b>", texts)
            self.assertTrue(any(text.startswith("median") for text in texts))
            # A frame far above the others is cut off, marked and counted.
            lines = (self.path / "a.csv").read_text().splitlines(keepends=True)
            column = lines[0].split(",").index("msBetweenPresents")
            cells = lines[5].split(",")
            cells[column] = "4000"
            self.write("b.csv", "".join([*lines, ",".join(cells), *lines[1:] * 9]))
            plot("a.csv", "b.csv", "-o", "two.svg")
            texts = self.texts_of("two.svg")
            self.assertTrue({"Frame times", "a", "b", "1 frame above, 4000 ms"} <= set(texts), texts)
            (self.path / "b.csv").unlink()
        else:
            self.assertIn("matplotlib", plot("a.csv", "-o", "a.svg", code=1))
        self.assertIn("--output", plot("a.csv", code=2))
        self.assertIn(".svg", plot("a.csv", "-o", "a.gif", code=2))
        self.assertIn("b.csv", plot("b.csv", "-o", "b.svg", code=1))
        self.assertIn("too many", plot(*["a.csv"] * 7, "-o", "b.svg", code=2))
        self.assertIn("no column", plot(self.write("d.csv", "x,y\n1,2\n"), "-o", "b.svg", code=1))
        self.assertFalse((self.path / "b.svg").exists())

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
                (["generated:city", "--camera", "fov=40"], "--camera")):
            self.assertIn(mention, self.run_program(*arguments, code=2), arguments)
        self.assertEqual([path.name for path in self.path.iterdir()], ["one.bkf"])

    def test_failures(self):
        self.assertIn("missing.bkf", self.run_program("missing.bkf", "--against", "none", code=1))
        self.assertIn("nowhere", self.run_program("--suite", "--captures", "nowhere", "--against", "none", code=1))
        self.assertIn("--gl-bench", self.run_program(self.file, "--gl-bench", "no-such-program", code=1))
        self.assertIn("nowhere", self.run_program(self.file, "--against", "none", *QUICK, "--json", "nowhere/x.json", code=1))
        self.assertIn("generated:nothing", self.run_program("generated:nothing", "--against", "none", code=1))
        # One bad workload does not cost the others.
        document = self.bench("missing.bkf", self.file, "--against", "none", code=1)
        self.assertIn("missing.bkf", document["results"][0]["error"])
        self.assertIn("brokkr", document["results"][1])

    def script(self, text):
        path = pathlib.Path(self.write("peer", "#!/bin/sh\n" + text))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_peer_that_misbehaves_is_an_error_and_nothing_hangs(self):
        self.assertIn("out of luck", self.run_program(self.file, "--gl-bench", self.script("echo out of luck >&2; exit 3"), code=1))
        self.run_program(self.file, "--gl-bench", self.script("echo nonsense; cat >/dev/null"), code=1)
        hello = """echo '{"renderer": "r", "version": "v", "vendor": "", "device": "", "software": true}'\n"""
        wrong = hello + """while read line; do echo '{"error": "cannot do this"}'; done"""
        self.assertIn("cannot do this", self.run_program(self.file, "--gl-bench", self.script(wrong), code=1))
        self.assertIn("ended", self.run_program(self.file, "--gl-bench", self.script(hello + "read line"), code=1))
        self.assertIn("no GPU", self.run_program(self.file, "--against", "gpu", "--gl-bench", self.script(wrong), code=1))

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
