#!/usr/bin/env python3
"""tools/make-frames: a frame is made, left alone where it is whole, made again where it is not; failures are one line.

    make_frames_test.py BROKKR

What glxgears draws stands for a game: it needs no download.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BROKKR = pathlib.Path(sys.argv.pop(1)).resolve()
TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools/make-frames"


def version_of(package):
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return query.stdout if query.returncode == 0 else ""


def can_capture():
    libraries = [*BROKKR.parent.glob("lib/brokkr/libbrokkr-capture.so"), *BROKKR.parent.glob("../lib/**/libbrokkr-capture.so")]
    return bool(libraries) and shutil.which("Xvfb") is not None and version_of("mesa-utils") == "8.5.0-1"


class MakeFrames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *words, code=0, path=None):
        environment = {**os.environ, **({"PATH": str(path)} if path else {})}
        command = [sys.executable, str(TOOL), "--no-install", "--brokkr", str(BROKKR), "-o", str(self.folder), *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_the_list_names_packages_with_versions_and_every_frame_that_figures_name(self):
        listed = self.run_tool("--list").stdout
        names = {line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")}
        self.assertLessEqual({"0ad-acropolis-bay", "cube2-colos", "minetest", "openarena-ctf-gate1", "warzone2100-rush"}, names)
        self.assertIn("neverball=1.6.0", listed)

    def test_unknown_names_are_refused(self):
        self.assertIn("there is no frame 'doom'", self.run_tool("--only", "doom", code=2).stderr)

    def test_what_is_missing_is_one_line_and_the_next_frame_is_tried(self):
        nothing = self.folder / "no programs"
        nothing.mkdir()
        (nothing / "dpkg-query").write_text("#!/bin/sh\nexit 1\n")
        (nothing / "dpkg-query").chmod(0o755)
        lines = self.run_tool("--only", "glxgears", "--only", "0ad-acropolis-bay", code=1, path=nothing).stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertTrue(lines[0].startswith("tools/make-frames: glxgears: a package is missing; install it: "), lines[0])
        self.assertIn("mesa-utils=8.5.0-1", lines[0])
        self.assertIn("0ad-data=0.0.26-1", lines[1])

    @unittest.skipUnless(can_capture(), "needs Xvfb, mesa-utils 8.5.0-1 and the capture library")
    def test_a_frame_is_made_once_and_again_where_it_is_cut_off(self):
        path = self.folder / "glxgears.bkf"
        self.assertIn("triangles", self.run_tool("--only", "glxgears").stdout)
        info = subprocess.run([BROKKR, "info", path], capture_output=True, text=True)
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertIn("glxgears 8.5.0", info.stdout)
        whole = path.stat()
        self.assertIn("is there and whole", self.run_tool("--only", "glxgears").stdout)
        self.assertEqual(path.stat().st_mtime_ns, whole.st_mtime_ns)
        path.write_bytes(path.read_bytes()[:-1000])
        self.run_tool("--only", "glxgears")
        self.assertGreater(path.stat().st_size, whole.st_size - 1000)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["glxgears.bkf"])


if __name__ == "__main__":
    unittest.main()
