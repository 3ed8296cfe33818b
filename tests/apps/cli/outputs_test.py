#!/usr/bin/env python3
"""Where `brokkr` writes: whole files or none, through links, into devices, and never over what is protected.

    outputs_test.py BROKKR
"""
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

from test_frame import TRIANGLE, container, frame

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[3]
PNG = b"\x89PNG\r\n\x1a\n"


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "one.bkf").write_bytes(container(frame(16), TRIANGLE))

    def run_program(self, *arguments, code=0):
        """Standard output as bytes; of a run that fails the one line on standard error."""
        words = [PROGRAM, *map(str, arguments)]
        run = subprocess.run(words, capture_output=True, timeout=600, cwd=self.path)
        error = run.stderr.decode()
        self.assertEqual(run.returncode, code, f"{words}: {error}{run.stdout[:200]}")
        if code == 0:
            return run.stdout
        self.assertEqual((error.count("\n"), run.stdout), (1, b""), f"{words}: {error}")
        return error

    def render(self, output, code=0):
        return self.run_program("render", "one.bkf", "-o", output, code=code)

    def no_parts(self):
        self.assertEqual([path.name for path in self.path.rglob("*.part-*")], [])

    def test_a_name_without_a_folder_lies_in_the_current_one(self):
        for file in (SOURCE / "assets").iterdir():
            shutil.copy(file, self.path)
        self.run_program("optimize", "courtyard.obj", "-o", "opt.obj")
        self.run_program("render", "opt.obj", "-o", "opt.png", "--size", "160x90")
        self.run_program("render", "courtyard.obj", "-o", "courtyard.png", "--size", "160x90")
        self.run_program("compare", "opt.png", "courtyard.png", "--tolerance", "0.02", "--max-percent", "0.1")
        for command in (("render", "one.bkf", "-o", "a.png", "--stats", "a.json", "--trace", "t.json", "--aov", "depth=d.pfm"),
                        ("pattern", "hilbert", "-o", "p.png"), ("optimize", "opt.obj", "-o", "b.bkf", "--json", "b.json")):
            self.run_program(*command)
        for name in ("a.png", "a.json", "t.json", "d.pfm", "p.png", "b.bkf", "b.json", "opt.mtl"):
            self.assertGreater((self.path / name).stat().st_size, 0, name)

    def test_files_are_named(self):
        """The last line names what the command itself does not, and nothing where the data goes to standard output."""
        for words, files in ((("info", "one.bkf", "--json", "i.json"), "i.json"), (("pixel", "one.bkf", 1, 1, "--json", "p.json"), "p.json"),
                             (("machines", "--json", "m.json"), "m.json"),
                             (("bench", "one.bkf", "--against", "none", "--frames", 1, "--rounds", 1, "--csv", "b.csv", "--json", "b.json"),
                              "b.json, b.csv"),
                             (("bench", "one.bkf", "--frames", 2, "--log", "l.csv"), "l.csv, l.json"),
                             (("pattern", "hilbert", "--save", "h.json"), "h.json")):
            self.assertEqual(self.run_program(*words).decode().splitlines()[-1], f"wrote {files}")
        self.assertIn(b"also       s.json", self.run_program("render", "one.bkf", "-o", "a.png", "--json", "s.json"))
        json.loads(self.run_program("bench", "one.bkf", "--against", "none", "--frames", 1, "--rounds", 1, "--csv", "b.csv", "--json", "-"))

    def test_a_folder_that_cannot_hold_the_output_is_refused_first(self):
        """An hour of tracing for nothing: the samples are never taken."""
        scene = str(SOURCE / "assets" / "spheres.glb")
        for words in (("trace", scene, "--samples", 1000000, "-o", "nowhere/a.png"), ("render", "one.bkf", "--frames", 1000000, "-o", "nowhere/a.png"),
                      ("render", "one.bkf", "--frames", 1000000, "--no-output", "--aov", "depth=nowhere/a.pfm"),
                      ("capture", "--frame", 1, "-o", "nowhere/a.bkf", "--", "sleep", 1000)):
            if words[0] == "trace" and b"trace" not in self.run_program("--help"):
                continue
            self.assertRegex(self.run_program(*words, code=1), r"nowhere/a\.\w+: cannot be created \(No such file or directory\); check")

    def test_captures_are_frame_files(self):
        self.assertIn("'a.txt' does not end in .bkf", self.run_program("capture", "--frame", 1, "-o", "a.txt", "--", "sleep", 1000, code=2))

    def test_textures_that_lie_elsewhere_are_named(self):
        """A scene names files in its own folder alone."""
        words = [PROGRAM, "optimize", SOURCE / "assets" / "courtyard.obj", "-o", "opt.obj"]
        error = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600, cwd=self.path).stderr
        for name in ("paving", "plaster", "crate", "leaves"):
            self.assertRegex(error, rf"warning: opt\.obj: '[^']*/{name}\.png' is not in its folder")
        self.run_program("render", "opt.obj", "-o", "opt.png", "--size", "64x64")

    def test_a_pipe_is_written_and_stays(self):
        pipe = self.path / "pipe.json"
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
        reader.start()
        self.run_program("render", "one.bkf", "--no-output", "--stats", pipe)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        reader.join(60)
        self.assertEqual(json.loads(read[0])["file"], "one.bkf")
        self.no_parts()

    def test_a_device_is_written_and_stays(self):
        null = self.path / "null"
        try:
            os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            null.write_bytes(b"x")
        except OSError as error:
            self.skipTest(f"no device can be made here: {error}")
        self.run_program("render", "one.bkf", "--no-output", "--stats", null)
        self.assertTrue(stat.S_ISCHR(null.stat().st_mode))
        self.no_parts()

    def test_a_socket_and_a_folder_are_refused_and_stay(self):
        (self.path / "folder.png").mkdir()
        self.assertIn("folder.png", self.render("folder.png", code=1))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.path / "socket.png"))
            self.assertIn("socket.png", self.render("socket.png", code=1))
        self.assertTrue(stat.S_ISSOCK((self.path / "socket.png").stat().st_mode))
        self.no_parts()

    def test_a_picture_to_standard_output(self):
        self.render("a.png")
        picture = (self.path / "a.png").read_bytes()
        self.assertEqual(self.render("-"), picture)
        with open(self.path / "b.png", "wb") as file:
            subprocess.run([PROGRAM, "render", "one.bkf", "-o", "-"], stdout=file, check=True, cwd=self.path)
        self.assertEqual((self.path / "b.png").read_bytes(), picture)
        self.run_program("pattern", "hilbert", "-o", "p.png")
        self.assertEqual(self.run_program("pattern", "hilbert", "-o", "-"), (self.path / "p.png").read_bytes())
        self.assertIn("traceEvents", json.loads(self.run_program("render", "one.bkf", "--no-output", "--trace", "-")))
        for words in (("--stats", "-"), ("--trace", "-")):
            self.assertIn("standard output", self.run_program("render", "one.bkf", "-o", "-", *words, code=2))
        self.run_program("render", "one.bkf", "one.bkf", "-o", "-", code=2)
        self.assertEqual(list(self.path.glob("-*")), [])

    def test_every_layer_has_a_file(self):
        scene = ["render", "generated:sphere-100k?triangles=300", "--views", 3, "--view-size", 32]
        self.run_program(*scene, "-o", "view-{}.png")
        self.assertEqual(sorted(p.name for p in self.path.glob("*.png")), [f"view-{n}.png" for n in range(3)])
        for number in range(3):
            self.run_program(*scene, "--layer", number, "-o", "alone.png")
            self.assertEqual((self.path / f"view-{number}.png").read_bytes(), (self.path / "alone.png").read_bytes())
        self.assertNotEqual((self.path / "view-0.png").read_bytes(), (self.path / "view-1.png").read_bytes())
        self.run_program("render", scene[1], "generated:city?triangles=300", *scene[2:], "-o", "a-{}.exr")
        self.assertEqual(len(list(self.path.glob("a-generated-*-[012].exr"))), 6)

    def test_views_are_layers_of_one_exr(self):
        scene = ["generated:city?triangles=300", "--views", "3", "--view-size", "32"]
        said = self.run_program("render", *scene, "-o", "all.exr")
        self.assertIn(b"all.exr (3 layers)", said)
        data = (self.path / "all.exr").read_bytes()
        names = [data.find(f"view00{view}.{channel}\0".encode()) for view in range(3) for channel in "BGR"]
        self.assertNotIn(-1, names)
        self.assertEqual(names, sorted(names))
        self.run_program("render", *scene, "-o", "one.exr", "--layer", "1")
        self.assertNotIn(b"view00", (self.path / "one.exr").read_bytes())

    def test_a_terminal_is_spared_a_picture(self):
        for words in (["render", "one.bkf", "-o", "-"], ["pattern", "hilbert", "-o", "-"], ["check", "one.bkf", "-o", "-"]):
            near, far = pty.openpty()
            run = subprocess.run([PROGRAM, *words], stdout=far, stderr=subprocess.PIPE, cwd=self.path, timeout=600)
            os.close(near), os.close(far)
            self.assertEqual(run.returncode, 2)
            self.assertIn(b"terminal", run.stderr)

    def test_links_are_followed_and_stay(self):
        (self.path / "far").mkdir()
        for name, target in (("first.png", "far/second.png"), ("far/second.png", "third.png"), ("new.png", "far/new.png")):
            (self.path / name).symlink_to(target)
        (self.path / "far" / "third.png").write_bytes(b"old")
        self.render("first.png")
        self.render("new.png")
        self.assertEqual([(self.path / name).is_symlink() for name in ("first.png", "far/second.png", "new.png")], [True] * 3)
        for name in ("third.png", "new.png"):
            self.assertFalse((self.path / "far" / name).is_symlink())
            self.assertEqual((self.path / "far" / name).read_bytes()[:8], PNG)
        self.no_parts()

    def test_a_replaced_file_keeps_its_mode_and_owner(self):
        picture = self.path / "kept.png"
        picture.write_bytes(b"old")
        picture.chmod(0o640)
        owner = (4321, 4322) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        os.chown(picture, *owner)
        self.render(picture)
        found = picture.stat()
        self.assertEqual((stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid), (0o640, *owner))
        self.assertEqual(picture.read_bytes()[:8], PNG)

    def test_a_new_file_has_the_mode_that_the_user_wants(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        self.render("new.png")
        self.assertEqual(stat.S_IMODE((self.path / "new.png").stat().st_mode), 0o640)

    def test_a_read_only_file_is_refused(self):
        picture = self.path / "protected.png"
        picture.write_bytes(b"old")
        picture.chmod(0o444)
        message = self.render(picture, code=1)
        self.assertIn("protected.png", message)
        self.assertIn("read-only", message)
        self.assertEqual(picture.read_bytes(), b"old")
        self.no_parts()

    def test_a_limit_of_file_sizes_leaves_no_part(self):
        def limited(*arguments):
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, cwd=self.path, preexec_fn=limit)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run)
            return run.stderr
        scene = "generated:sphere-100k?triangles=3000"
        for words in (("render", scene, "--size", "640x360", "--no-output", "--aov", "depth=d.pfm"),
                      ("render", scene, "--size", "640x360", "-o", "a.png"), ("optimize", scene, "-o", "a.bkf")):
            self.assertIn("ulimit -f", limited(*words))
        self.assertEqual([path.name for path in self.path.iterdir()], ["one.bkf"])


    def refused(self, *words):
        """The line that says why, after which nothing new lies in the folder."""
        before = {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}
        error = self.run_program(*words, code=2)
        self.assertEqual({path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}, before, words)
        return error

    def test_two_outputs_are_two_files(self):
        (self.path / "sub").mkdir()
        (self.path / "link.png").symlink_to("a.png")
        (self.path / "up").symlink_to(".")
        scene = str(SOURCE / "assets" / "courtyard.obj")
        for first, second, words in (
                ("--output", "--trace", ("render", "one.bkf", "-o", "a.png", "--trace", "a.png")),
                ("--output", "--trace", ("render", "one.bkf", "-o", "a.png", "--trace", "./sub/../a.png")),
                ("--output", "--trace", ("render", "one.bkf", "-o", self.path / "a.png", "--trace", "a.png")),
                ("--output", "--trace", ("render", "one.bkf", "-o", "a.png", "--trace", "link.png")),
                ("--output", "--trace", ("render", "one.bkf", "-o", "up/a.png", "--trace", "a.png")),
                ("--output", "--trace", ("render", "one.bkf", "-o", "{}.png", "--trace", "one.png")),
                ("--json", "--trace", ("render", "one.bkf", "--no-output", "--json", "s.json", "--trace", "s.json")),
                ("--output", "--aov", ("render", "one.bkf", "-o", "a.exr", "--aov", "depth=a.exr")),
                ("--aov", "--aov", ("render", "one.bkf", "--no-output", "--aov", "depth=d.pfm", "--aov", "draw=d.pfm")),
                ("--json", "--trace", ("render", "one.bkf", "--no-output", "--stats", "-", "--trace", "-")),
                ("--output", "--sample-map", ("trace", scene, "-o", "a.png", "--sample-map", "a.png")),
                ("--output", "--depth", ("extract", "one.bkf", "-o", "a.png", "--depth", "a.png")),
                ("--csv", "--json", ("reyes", "teapot", "--csv", "r.json", "--json", "r.json")),
                ("--error", "--write-patches", ("reyes", "teapot", "--error", "r", "--write-patches", "r")),
                ("--json", "--csv", ("bench", "one.bkf", "--json", "b.json", "--csv", "b.json")),
                ("--json", "--log", ("bench", "one.bkf", "--json", "b.json", "--log", "b.csv")),
                ("--json", "--csv", ("bench", "one.bkf", "--json", "-", "--csv", "-"))):
            error = self.refused(*words)
            self.assertIn(first, error)
            self.assertIn(second, error)

    def test_no_output_is_an_input(self):
        self.render("t.png")
        (self.path / "link.bkf").symlink_to("one.bkf")
        (self.path / "f.frag").write_text("out vec4 c; uniform sampler2D t; void main() { c = texture(t, vec2(0)); }")
        (self.path / "p.json").write_text("{}")
        scene = str(SOURCE / "assets" / "courtyard.obj")
        shutil.copy(scene, self.path / "c.obj")
        for words in (("trim", "one.bkf", "-o", "one.bkf"), ("trim", "one.bkf", "-o", "./one.bkf"), ("trim", "link.bkf", "-o", "one.bkf"),
                      ("trim", "one.bkf", "-o", "link.bkf"), ("optimize", "one.bkf", "-o", "one.bkf"),
                      ("optimize", "c.obj", "-o", "c.obj"),
                      ("render", "one.bkf", "--no-output", "--trace", "one.bkf"),
                      ("render", "one.bkf", "--no-output", "--pattern", "p.json", "--stats", "p.json"),
                      ("render", "--fragment", "f.frag", "--texture", "t=t.png", "-o", "t.png"),
                      ("render", "--fragment", "f.frag", "--no-output", "--trace", "f.frag"),
                      ("trace", "c.obj", "--sample-map", "c.obj", "-o", "x.png")):
            self.assertIn("would be overwritten", self.refused(*words))
        self.assertIn("does not end in .json", self.refused("info", "--json", "one.bkf", "c.obj"))

    def test_no_output_is_a_file_that_a_scene_names(self):
        self.render("skin.png")
        (self.path / "sub").mkdir()
        (self.path / "link.png").symlink_to("skin.png")
        for name, texture in (("s", "skin.png"), ("t", "s.png"), ("u", "v-1.png")):
            (self.path / f"{name}.obj").write_text(f"mtllib of-{name}.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n")
            (self.path / f"of-{name}.mtl").write_text(f"newmtl m\nmap_Kd {texture}\n")
        for name in ("s.png", "v-1.png"):
            shutil.copy(self.path / "skin.png", self.path / name)
        (self.path / "f.frag").write_text('#include "common.json"\nout vec4 c; void main() { c = vec4(1); }')
        (self.path / "common.json").write_text("// nothing\n")
        kept = {path: path.read_bytes() for path in self.path.rglob("*") if path.is_file()}
        small = ("--size", "32x32")
        for words in (("render", "s.obj", "-o", "skin.png", *small), ("render", "s.obj", "-o", "sub/../skin.png", *small),
                      ("render", "s.obj", "-o", "link.png", *small), ("render", "s.obj", "t.obj", *small),
                      ("render", "u.obj", "-o", "v-{}.png", "--views", "2", "--view-size", "32"),
                      ("render", "--fragment", "f.frag", "--no-output", "--stats", "common.json", *small),
                      ("optimize", "s.obj", "-o", "of-s.obj")):
            with self.subTest(words):
                self.assertIn("would be lost", self.run_program(*words, code=1))
                self.assertEqual({path: path.read_bytes() for path in kept}, kept)
        self.run_program("render", "s.obj", "-o", "other.png", *small)

    def test_inputs_of_one_name_do_not_share_an_output(self):
        for folder in ("x", "y"):
            (self.path / folder).mkdir()
            shutil.copy(self.path / "one.bkf", self.path / folder / "same.bkf")
        for words in ((), ("-o", "{}.png"), ("--no-output", "--stats", "{}.json"), ("--no-output", "--aov", "depth={}.pfm")):
            error = self.refused("render", "x/same.bkf", "y/same.bkf", *words)
            self.assertIn("x/same.bkf", error)
            self.assertIn("y/same.bkf", error)
        self.run_program("render", "x/same.bkf", "one.bkf", "-o", "{}.png")

    def test_a_device_may_take_two_outputs(self):
        self.run_program("render", "one.bkf", "--no-output", "--stats", "/dev/null", "--trace", "/dev/null")

    def test_names_as_long_as_the_system_has_them(self):
        for length in (200, 245, 249, 250, 255):
            name = "n" * (length - 4) + ".png"
            self.render(name)
            self.assertEqual((self.path / name).read_bytes()[:8], PNG)
            self.render(name)  # and over the old one
        self.run_program("pattern", "hilbert", "-o", "\u00e4" * 125 + ".png")
        self.assertIn("n" * 252, self.render("n" * 252 + ".png", code=1))
        self.no_parts()

    def test_signals_leave_no_part_of_a_file(self):
        """The signal comes while a part is there; half a file has no name of its own."""
        scene = "generated:sphere-100k?triangles=300"
        words = [PROGRAM, "render", scene, "--size", "4000x4000", "--no-output", "--memory-limit", "4000", "--aov", "depth=d.pfm"]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            met = False
            for _ in range(20):
                process = subprocess.Popen(words, cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (1, 2, 15)])
                while process.poll() is None and not met:
                    met = any(".part-" in name for name in os.listdir(self.path))
                process.send_signal(number)
                code = process.wait(timeout=600)
                self.no_parts()
                if met:
                    self.assertIn(code, (-number, 128 + number, 0))
                    break
            self.assertTrue(met, "no part was seen")
            if (self.path / "d.pfm").exists():
                self.assertEqual((self.path / "d.pfm").stat().st_size, len(b"Pf\n4000 4000\n-1.0\n") + 4 * 4000 * 4000)

    def test_a_signal_that_is_ignored_stays_so(self):
        words = [PROGRAM, "render", "one.bkf", "-o", "a.png", "--frames", "200"]
        for number in (signal.SIGHUP, signal.SIGINT):
            process = subprocess.Popen(words, cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
            while process.poll() is None:
                process.send_signal(number)
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
