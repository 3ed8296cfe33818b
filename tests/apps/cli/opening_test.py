#!/usr/bin/env python3
"""What `brokkr FILE`, `brokkr view FILE` and `brokkr render FILE` do where a file, a part of it or the display is missing.

    opening_test.py BROKKR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_frame import TRIANGLE, container, frame

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
NO_SERVER = ":4711"
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


class Opening(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.write("one.bkf", container(frame(16), TRIANGLE))

    def write(self, name, data):
        (self.path / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    def run_program(self, *words, display=None, code=0):
        """The lines on standard error."""
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        if display:
            environment["DISPLAY"] = display
        run = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600, cwd=self.path, env=environment)
        self.assertEqual(run.returncode, code, f"{words}: {run.stderr}")
        return run.stderr.splitlines()

    def refused(self, file, *mentions, ways=(("view",), ("render",), ())):
        for way in ways:
            for display in (None, NO_SERVER):
                errors = self.run_program(*way, file, display=display, code=1)
                self.assertIn(file, errors[-1])
                for mention in mentions:
                    self.assertIn(mention, errors[-1], (way, file))
                stale = display and not way and (PROGRAM.parent / "brokkr-view").exists()
                self.assertEqual(len(errors), 2 if stale else 1, errors)

    def test_what_cannot_be_shown_is_refused(self):
        self.refused("missing.bkf", "cannot be opened")
        self.write("notes.txt", "x")
        self.refused("notes.txt", "name a .bkf, .obj,")
        self.refused("generated:citty", "did you mean")
        (self.path / "empty").mkdir()
        self.refused("empty", "no frames or scenes", ways=[("view",)])
        errors = self.run_program("view", "one.bkf", "missing.obj", code=1)
        self.assertEqual((len(errors), "missing.obj" in errors[0]), (1, True), errors)

    def test_a_recording_of_apitrace_is_for_import(self):
        self.write("game.trace", "x")
        self.refused("game.trace", "brokkr import")

    def test_a_display_that_is_gone_gives_a_picture(self):
        errors = self.run_program("one.bkf", display=NO_SERVER)
        self.assertTrue((self.path / "one.png").exists())
        if (PROGRAM.parent / "brokkr-view").exists():
            self.assertEqual(len(errors), 1)
            self.assertIn(NO_SERVER, errors[0])
            self.assertIn("picture", errors[0])

    def test_a_missing_material_file_is_a_warning(self):
        self.write("scene.obj", f"mtllib gone.mtl\n{SQUARE}usemtl a\nf 1 2 3 4\n")
        for words in (["render", "scene.obj", "-o", "a.png", "--size", "64x64"], ["optimize", "scene.obj", "-o", "b.obj"]):
            warnings = self.run_program(*words)
            self.assertEqual(len(warnings), 1, warnings)
            self.assertTrue(warnings[0].startswith("brokkr: warning: scene.obj: "), warnings)
            self.assertIn("gone.mtl", warnings[0])
        words = [PROGRAM, "info", "scene.obj"]
        self.assertRegex(subprocess.check_output(words, text=True, cwd=self.path), r"(?m)^warning +.*gone\.mtl")
        (warning,) = json.loads(subprocess.check_output([*words, "--json", "-"], text=True, cwd=self.path))["warnings"]
        self.assertIn("gone.mtl", warning)
        self.write("plain.obj", f"{SQUARE}f 1 2 3 4\n")
        self.run_program("render", "plain.obj", "-o", "plain.png", "--size", "64x64")
        self.assertEqual((self.path / "a.png").read_bytes(), (self.path / "plain.png").read_bytes())

    def test_a_missing_texture_is_a_warning(self):
        self.write("scene.mtl", "newmtl a\nKd 1 0 0\nmap_Kd gone.png\n")
        self.write("red.mtl", "newmtl a\nKd 1 0 0\n")
        for name in ("scene", "red"):
            self.write(f"{name}.obj", f"mtllib {name}.mtl\n{SQUARE}usemtl a\nf 1 2 3 4\n")
            warnings = self.run_program("render", f"{name}.obj", "-o", f"{name}.png", "--size", "64x64")
            self.assertEqual(["gone.png" in warning for warning in warnings], [True] * (name == "scene"), warnings)
        self.assertEqual((self.path / "scene.png").read_bytes(), (self.path / "red.png").read_bytes())


if __name__ == "__main__":
    unittest.main()
