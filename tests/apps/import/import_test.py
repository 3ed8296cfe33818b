#!/usr/bin/env python3
"""brokkr import of RenderDoc captures: Vulkan and OpenGL programs, captured and imported here, look like the driver's.

    import_test.py BROKKR [EDGES UPLOADS PLANES CORE]

EDGES, UPLOADS, PLANES and CORE are the programs of edges.cpp, uploads.cpp, planes.cpp and core.cpp.
Programs and packages that are missing skip their case, with a line that names them.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BROKKR = pathlib.Path(sys.argv.pop(1)).resolve()
EDGES, UPLOADS, PLANES, CORE = (
    pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None for _ in range(4))
HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # Debian's, for which its packages have modules
SCREEN = "xvfb-run", "-a", "-s", "-screen 0 1280x720x24"
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIVM_PERF": "no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling"}
ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "GALLIUM_DRIVER": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}


def missing(vulkan=True):
    """The Debian packages that every case with a program needs and that are not there."""
    lacking = []
    try:
        found = subprocess.run([PYTHON, "-c", "import renderdoc, numpy"], capture_output=True).returncode == 0
    except OSError:
        found = False
    if not found:
        lacking.append("python3-renderdoc python3-numpy")
    if shutil.which("xvfb-run") is None:
        lacking.append("xvfb")
    if vulkan and not list(pathlib.Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")):
        lacking.append("mesa-vulkan-drivers")
    return " ".join(lacking)


def needs(program, package, vulkan=True):
    lacking = " ".join(filter(None, [missing(vulkan), "" if shutil.which(program) else package]))
    return unittest.skipIf(lacking, f"needs the Debian packages {lacking}")


def run(*words, environment=None):
    """Runs a program. If xvfb-run cannot remove its folder, because its server still writes there, it hides the
    program's exit status; then the program runs again."""
    for _ in range(5):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})
        if "xvfb-run: error: problem while cleaning up" not in done.stderr:
            break
    return done


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, code, *words):
        done = run(BROKKR, "import", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def test_options_of_apitrace_are_refused(self):
        capture = self.folder / "frame.rdc"
        capture.write_bytes(b"RDOC" + bytes(100))
        self.assertIn("--frame is for recordings of apitrace", self.refused(2, capture, "--frame", "3"))

    def test_a_damaged_capture_is_one_line(self):
        capture = self.folder / "frame.rdc"
        capture.write_bytes(b"RDOC" + bytes(100))
        line = self.refused(1, capture, "-o", self.folder / "frame.bkf")
        if missing():
            self.assertIn("install", line)
        else:
            self.assertIn("frame.rdc: RenderDoc cannot read it", line)
        self.assertFalse((self.folder / "frame.bkf").exists())

    def test_another_file_of_that_name_is_one_line(self):
        capture = self.folder / "frame.rdc"
        capture.write_bytes(bytes(100))
        line = self.refused(1, capture, "-o", self.folder / "frame.bkf")
        self.assertIn("frame.rdc: it does not begin as a capture of RenderDoc", line)

    def test_missing_packages_are_one_line(self):
        for script, words, module in (("rdc.py", ["a.rdc", "b.bkf"], "numpy"), ("opengl.py", ["a.rdc"], "renderdoc")):
            path = HERE.parents[2] / "src/apps/import" / script
            done = run(sys.executable, "-S", "-E", path, *words)  # without the packages of the computer
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^{module} is not installed for .*; install the Debian packages python3-rend")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def capture(self, frame, *program, environment=None, options=()):
        path = self.folder / "frame.rdc"
        done = run(*SCREEN, PYTHON, HERE / "capture.py", *options, path, frame, *program, environment=environment)
        self.assertTrue(path.exists(), done.stdout + done.stderr)
        return path

    def imported(self, path, *more, environment=None):
        frame = self.folder / "frame.bkf"
        done = run("xvfb-run", "-a", BROKKR, "import", path, "-o", frame, *more, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 draws skipped", done.stdout)
        info = json.loads(run(BROKKR, "info", "--json", "-", frame).stdout)
        return frame, info

    def check(self, frame, within_2, psnr):
        """The picture is the driver's: percent of the pixels within 2 of 255, and decibels."""
        done = run(BROKKR, "check", "--color", frame, "--json", "-")
        row = json.loads(done.stdout)["references"][0]
        self.assertGreaterEqual(row["within_2_percent"], within_2, row)
        self.assertGreaterEqual(row["psnr_db"] or 1000, psnr, row)
        # Depth agrees with the driver's.
        done = run(BROKKR, "check", "--min", "99.9", frame)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def as_opengl(self, frame, program):
        """The frame shows what a capture of the program's OpenGL calls shows, and what the Vulkan driver drew."""
        row = json.loads(run(BROKKR, "check", "--color", frame, "--json", "-").stdout)["references"][0]
        self.assertLessEqual(row["most"], 2, row)
        other = self.folder / "opengl.bkf"
        done = run(*SCREEN, BROKKR, "capture", "--frame", 5, "-o", other, "--", program,
                   environment={"LIBGL_ALWAYS_SOFTWARE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        pictures = [self.folder / "vulkan.png", self.folder / "opengl.png"]
        for one, picture in zip((frame, other), pictures):
            run(BROKKR, "render", one, "-o", picture)
        done = run(BROKKR, "compare", *pictures)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def of_opengl(self, frame, program, *words):
        """A capture of a program's OpenGL calls, and its frame, which shows the driver's picture and depth."""
        path = self.capture(frame, program, *words, environment=SOFTWARE, options=["--opengl"])
        imported, info = self.imported(path, environment=SOFTWARE)
        done = run(BROKKR, "check", "--color", "--limits", "exact", imported)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run(BROKKR, "check", "--min", "99.9", imported)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return path, imported, info

    @needs("es2gears_x11", "mesa-utils", vulkan=False)
    def test_gears_of_opengl_es(self):
        _, _, info = self.of_opengl(20, shutil.which("es2gears_x11"))
        self.assertEqual((info["draws"], info["skipped"]["draws"], info["frame"]), (3, 0, 20))
        # The replay draws into a target that it copies to the window.
        self.assertEqual([(target["id"], target["main"]) for target in info["targets"]], [(1, True), (0, False)])
        self.assertEqual(info["blits"], 1)

    # Every kind of draw, and every kind of picture that draws read. The imported frame shows what the one shows that
    # `brokkr capture` records in the program itself.
    @unittest.skipIf(CORE is None, "needs libx11-dev and libgl-dev")
    @needs("sh", "dash", vulkan=False)
    def test_opengl_of_the_core_profile(self):
        for samples in (0, 4):
            path, frame, info = self.of_opengl(5, CORE, samples)
            self.assertEqual((info["draws"], info["skipped"]["draws"]), (4, 0))
            self.assertEqual(sorted(target["id"] for target in info["targets"]), [0, 1, 2])
            other = self.folder / "opengl.bkf"
            done = run(*SCREEN, BROKKR, "capture", "--frame", 5, "-o", other, "--", CORE, samples, environment=SOFTWARE)
            self.assertEqual(done.returncode, 0, done.stderr)
            numbers = json.loads(run(BROKKR, "info", "--json", "-", other).stdout)
            for key in ("draws", "triangles", "unique_vertices"):
                self.assertEqual(info[key], numbers[key], key)
            pictures = [self.folder / "imported.png", self.folder / "captured.png"]
            for one, picture in zip((frame, other), pictures):
                run(BROKKR, "render", one, "--target", 0, "-o", picture)
            # In a window, Mesa's samples lie upside down.
            differ = 0.1 if samples == 0 else 1
            done = run(BROKKR, "compare", "--tolerance", 0.01, "--max-percent", differ, *pictures)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.damaged(path)

    def damaged(self, path):
        """Parts of a capture, and captures of other interfaces, are one line each."""
        whole = path.read_bytes()
        meta = 40 + int.from_bytes(whole[36:40], "little")  # after the small picture
        name = whole.index(b"OpenGL", meta)
        other = bytearray(whole)
        other[meta + 8:meta + 12] = (1).to_bytes(4, "little")
        other[name:name + 6] = b"D3D11\0"
        damaged = self.folder / "damaged.rdc"
        for data, said in ((whole[:45], "RenderDoc cannot read it"), (whole[:name], "RenderDoc cannot read it"),
                           (whole[:len(whole) // 2], "this computer cannot replay it"),
                           (other, "it is a capture of D3D11, and the import replays only Vulkan and OpenGL")):
            damaged.write_bytes(data)
            done = run("xvfb-run", "-a", BROKKR, "import", damaged, "-o", self.folder / "none.bkf")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(f"damaged.rdc: {said}", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = run(BROKKR, "import", path, "-o", self.folder / "none.bkf", environment={"DISPLAY": ""})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("this computer cannot replay it", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = run("xvfb-run", "-a", BROKKR, "import", path, "-o", self.folder / "none.bkf", "--timeout", 0.1)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("did not end within --timeout", done.stderr)
        self.assertIn("is not a capture library", self.refused(1, path, "--library", HERE / "capture.py"))
        self.assertFalse((self.folder / "none.bkf").exists())

    @needs("vkcube", "vulkan-tools")
    def test_vkcube(self):
        frame, info = self.imported(self.capture(20, shutil.which("vkcube"), "--c", 400), "--license", "Apache-2.0")
        self.assertEqual((info["application"], info["license"], info["draws"]), ("frame", "Apache-2.0", 1))
        self.check(frame, 99.99, 80)

    # zink clips by distances that the vertex shader writes. The fragment shader discards what a plane cuts away.
    @unittest.skipIf(PLANES is None, "needs libx11-dev and libgl-dev")
    @needs("sh", "dash")
    def test_clip_distances(self):
        frame, _ = self.imported(self.capture(5, PLANES, environment=ZINK))
        row = json.loads(run(BROKKR, "check", "--color", frame, "--json", "-").stdout)["references"][0]
        self.assertGreaterEqual(row["within_2_percent"], 99.7, row)  # an edge may differ by a pixel
        done = run(BROKKR, "check", "--min", "99.7", frame)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    # Shaders are replaced by empty ones while the draws of a slow pass are read. What the frame wrote before it, and what
    # the shaders of earlier passes drew, stays the driver's.
    @unittest.skipIf(UPLOADS is None, "needs libx11-dev and libgl-dev")
    @needs("sh", "dash")
    def test_slow_passes_read_the_same(self):
        path = self.capture(5, UPLOADS, environment=ZINK)
        done = run("xvfb-run", "-a", PYTHON, HERE / "follow_check.py", path, self.folder, "slow")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertTrue(found["same"], found)
        self.assertGreater(found["emptied"], 0, found)
        frame, info = self.imported(path)
        self.assertEqual(info["draws"], 7)
        self.as_opengl(frame, UPLOADS)

    # Commands between draws are followed instead of replaying the frame for each draw; commands of zink are not known.
    def follow(self, path):
        done = run("xvfb-run", "-a", PYTHON, HERE / "follow_check.py", path, self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        self.assertTrue(found["same"], found)
        return found

    @needs("glxgears", "mesa-utils")
    def test_followed_states_are_those_of_replays_of_zink(self):
        self.follow(self.capture(20, shutil.which("glxgears"), environment=ZINK))

    @needs("vkd3d-gears", "vkd3d-demos")
    def test_followed_states_are_those_of_replays_of_vkd3d(self):
        found = self.follow(self.capture(20, shutil.which("vkd3d-gears")))
        self.assertLess(found["followed"], found["replayed"], found)

    @needs("glxgears", "mesa-utils")
    def test_gears_of_opengl_through_zink(self):
        frame, _ = self.imported(self.capture(20, shutil.which("glxgears"), environment=ZINK))
        self.check(frame, 99.9, 45)

    # The main target has several samples a pixel and is resolved to the presented picture. Both stand upright.
    @needs("glxgears", "mesa-utils")
    def test_several_samples(self):
        frame, info = self.imported(self.capture(20, shutil.which("glxgears"), "-samples", 4, environment=ZINK))
        main = next(target for target in info["targets"] if target["main"])
        self.assertNotEqual(main["id"], 0)
        row = json.loads(run(BROKKR, "check", "--color", frame, "--json", "-").stdout)["references"][0]
        self.assertGreaterEqual(row["within_2_percent"], 99.99, row)
        pictures = [self.folder / "presented.png", self.folder / "main.png"]
        for target, picture in zip((0, main["id"]), pictures):
            run(BROKKR, "render", frame, "--target", target, "-o", picture)
        done = run(BROKKR, "compare", *pictures)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipIf(EDGES is None, "needs libx11-dev and libgl-dev")
    @needs("sh", "dash")
    def test_edges_through_sample_centres(self):
        frame, _ = self.imported(self.capture(5, EDGES, environment=ZINK))
        done = run(BROKKR, "check", "--color", frame, "--json", "-")
        row = json.loads(done.stdout)["references"][0]
        self.assertEqual(row["pixels"], 256 * 256)
        self.assertLessEqual(row["most"], 2, row)

    @needs("vkd3d-gears", "vkd3d-demos")
    def test_gears_of_direct3d_12_through_vkd3d(self):
        frame, _ = self.imported(self.capture(20, shutil.which("vkd3d-gears")))
        self.check(frame, 99.9, 45)


if __name__ == "__main__":
    unittest.main()
