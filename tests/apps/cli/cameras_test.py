"""Cameras from files, and images of other values than colours."""
import json
import math
import struct
import unittest

from program import InFolder, brokkr

# A triangle in the plane z = 0 that faces +z, with a second material beside it.
OBJ = """mtllib two.mtl
v -1 -1 0
v 1 -1 0
v 0 1 0
vt 0 0
vt 1 0
vt 0.5 1
usemtl red
f 1/1 2/2 3/3
"""
MTL = "newmtl blue\nKd 0 0 1\nnewmtl red\nKd 1 0 0\n"
WIDTH, HEIGHT = 64, 48


def read_pfm(path):
    magic, size, scale, data = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    channels = 3 if magic == b"PF" else 1
    values = struct.unpack(f"<{width * height * channels}f", data)
    return [[values[(y * width + x) * channels:(y * width + x + 1) * channels] for x in range(width)] for y in range(height)]


def exr_channels(path):
    data = path.read_bytes()
    at = data.index(b"channels\0chlist\0") + len(b"channels\0chlist\0") + 4
    names = []
    while data[at] != 0:
        end = data.index(0, at)
        names.append(data[at:end].decode())
        at = end + 1 + 16
    return names


class InScene(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "a.obj").write_text(OBJ)
        (self.folder / "two.mtl").write_text(MTL)

    def ok(self, *words):
        run = brokkr(*words, folder=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def fails(self, code, *words):
        run = brokkr(*words, folder=self.folder)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        return run.stderr


class Cameras(InScene):
    def nerf(self, **more):
        # At (0, 0, 3), looking along -z; and at (3, 0, 0), looking along -x.
        first = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]]
        second = [[0, 0, 1, 3], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]]
        document = {"w": WIDTH, "h": HEIGHT, "fl_x": 60.0, "fl_y": 60.0,
                    "frames": [{"transform_matrix": m} for m in (first, second)], **more}
        (self.folder / "transforms.json").write_text(json.dumps(document))

    def test_nerf_equals_the_same_camera_in_words(self):
        self.nerf()
        fov = math.degrees(2 * math.atan(HEIGHT / 2 / 60))
        self.ok("render", "a.obj", "--cameras", "transforms.json", "--no-output", "--aov", "position=p{}.pfm", "--aov",
                "distance=d{}.pfm")
        self.ok("render", "a.obj", "--size", f"{WIDTH}x{HEIGHT}", "--camera", f"eye=0,0,3 target=0,0,0 fov={fov:.9g}",
                "--no-output", "--aov", "position=q.pfm")
        first, same = read_pfm(self.folder / "p0.pfm"), read_pfm(self.folder / "q.pfm")
        covered = 0
        for row, other in zip(first, same):
            for a, b in zip(row, other):
                covered += a != (0, 0, 0)
                for x, y in zip(a, b):
                    self.assertAlmostEqual(x, y, delta=1e-4)
        self.assertGreater(covered, 500)
        self.assertAlmostEqual(read_pfm(self.folder / "d0.pfm")[HEIGHT // 2][WIDTH // 2][0], 3, delta=1e-3)
        # The second camera sees the triangle from its edge.
        self.assertTrue(all(math.isinf(d[0]) for row in read_pfm(self.folder / "d1.pfm") for d in row))

    def test_principal_points_move_the_picture(self):
        self.nerf()
        self.ok("render", "a.obj", "--cameras", "transforms.json", "--layer", 0, "--no-output", "--aov", "depth=a.pfm")
        self.nerf(cx=WIDTH / 2 + 5, cy=HEIGHT / 2 + 3)
        self.ok("render", "a.obj", "--cameras", "transforms.json", "--layer", 0, "--no-output", "--aov", "depth=b.pfm")
        middle, moved = (read_pfm(self.folder / name) for name in ("a.pfm", "b.pfm"))
        # Rows run bottom to top: cy counts from the top.
        same = sum(middle[y][x] == moved[y - 3][x + 5] for y in range(3, HEIGHT) for x in range(WIDTH - 5))
        self.assertGreater(same, 0.98 * (HEIGHT - 3) * (WIDTH - 5))
        self.assertNotEqual(middle, moved)

    def test_colmap_equals_nerf(self):
        self.nerf(cx=40, cy=20)
        model = self.folder / "sparse"
        model.mkdir()
        (model / "cameras.txt").write_text(f"# lenses\n7 PINHOLE {WIDTH} {HEIGHT} 60 60 40 20\n")
        # World to camera with y down and z forward, at (0, 0, 3): a half turn around x.
        (model / "images.txt").write_text("# images\n1 0 1 0 0 0 0 3 7 one.png\n\n2 0 1 0 0 0 0 3 7 two.png\n1 2 -1\n")
        self.ok("render", "a.obj", "--cameras", "sparse", "--layer", 1, "--no-output", "--aov", "position=c.pfm")
        self.ok("render", "a.obj", "--cameras", "sparse/cameras.txt", "--layer", 1, "--no-output", "--aov", "position=l.pfm")
        self.assertEqual((self.folder / "l.pfm").read_bytes(), (self.folder / "c.pfm").read_bytes())  # the file beside it is read
        self.ok("render", "a.obj", "--cameras", "transforms.json", "--layer", 0, "--no-output", "--aov", "position=n.pfm")
        for row, other in zip(read_pfm(self.folder / "c.pfm"), read_pfm(self.folder / "n.pfm")):
            for a, b in zip(row, other):
                for x, y in zip(a, b):
                    self.assertAlmostEqual(x, y, delta=1e-4)

    def test_files_that_are_no_cameras(self):
        words = ("render", "a.obj", "--no-output", "--cameras")
        (self.folder / "bad.json").write_text("{")
        self.assertIn("bad.json", self.fails(1, *words, "bad.json"))
        (self.folder / "bad.json").write_text('{"frames": []}')
        self.assertIn("'frames'", self.fails(1, *words, "bad.json"))
        self.nerf(frames=[{"transform_matrix": [[1, 0], [0, 1]]}])
        self.assertIn("'transform_matrix'", self.fails(1, *words, "transforms.json"))
        pose = {"transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3]]}
        (self.folder / "angle.json").write_text(json.dumps({"camera_angle_x": 45, "frames": [pose]}))
        line = self.fails(1, *words, "angle.json")
        self.assertIn("frame 0, field 'camera_angle_x': 45 is not", line)
        self.assertIn("radians", line)
        self.nerf(frames=[{"transform_matrix": [[0] * 4] * 4}])
        self.assertIn("frame 0", self.fails(1, *words, "transforms.json"))
        (self.folder / "cameras.txt").write_text("1 OPENCV_FISHEYE 64 48 60 60 32 24 0 0 0 0\n")
        (self.folder / "images.txt").write_text("1 1 0 0 0 0 0 3 1 a.png\n\n")
        self.assertIn("OPENCV_FISHEYE", self.fails(1, *words, "images.txt"))
        model = self.folder / "model"
        model.mkdir()
        self.assertIn("model: this folder has neither transforms.json nor", self.fails(1, *words, "model"))
        (model / "images.bin").write_bytes(b"\0" * 8)
        self.assertIn("model_converter", self.fails(1, *words, "model"))
        (model / "images.txt").write_text("1 1 0 0 0 0 0 3 1 a.png\n\n")
        line = self.fails(1, *words, "model")
        self.assertIn("model/images.txt: COLMAP's cameras.txt is not beside it; copy it there", line)
        (self.folder / "images.bin").write_bytes(b"\0" * 8)
        self.assertIn("model_converter", self.fails(1, *words, "images.bin"))
        self.nerf()
        self.assertIn("--views", self.fails(2, *words, "transforms.json", "--views", 2))
        self.nerf(k1=0.1)
        self.assertIn("distortion", self.ok(*words, "transforms.json").stderr)
        self.fails(1, *words, "transforms.json", "--strict")

    def test_elevation(self):
        for degrees in (0, 60):
            self.ok("render", "a.obj", "--size", "64x64", "--camera", "eye=0,0,3 target=0,0,0", "--elevation", degrees,
                    "--no-output", "--aov", f"distance=e{degrees}.pfm")
        level, above = (read_pfm(self.folder / f"e{d}.pfm")[32][32][0] for d in (0, 60))
        self.assertAlmostEqual(level, above, delta=0.1)
        covered = [sum(not math.isinf(d[0]) for row in read_pfm(self.folder / f"e{n}.pfm") for d in row) for n in (0, 60)]
        self.assertLess(covered[1], 0.7 * covered[0])


class Aovs(InScene):
    def test_values(self):
        names = ("normal", "uv", "albedo", "instance", "material", "barycentric", "position")
        self.ok("render", "a.obj", "--size", "64x64", "--camera", "eye=0,0,3 target=0,0,0", "--no-output",
                *(word for name in names for word in ("--aov", f"{name}={name}.pfm")))
        values = {name: read_pfm(self.folder / f"{name}.pfm") for name in names}
        inside = {name: values[name][32][32] for name in names}
        for got, wanted in zip(inside["normal"], (0, 0, 1)):
            self.assertAlmostEqual(got, wanted, delta=1e-6)
        self.assertEqual(inside["albedo"], (1, 0, 0))
        self.assertEqual(inside["instance"], (0,))
        self.assertAlmostEqual(inside["position"][2], 0, delta=1e-6)
        u, v, zero = inside["uv"]
        x, y = inside["position"][:2]
        self.assertAlmostEqual(v, (y + 1) / 2, delta=1e-5)
        self.assertAlmostEqual(u, (x + 1) / 2, delta=1e-5)
        self.assertEqual(zero, 0)
        self.assertAlmostEqual(inside["barycentric"][0] * -1 + inside["barycentric"][1], x, delta=1e-5)
        for name in ("instance", "material"):
            self.assertEqual(values[name][0][0], (-1,))
        self.assertEqual(values["albedo"][0][0], (0, 0, 0))
        self.assertGreaterEqual(inside["material"][0], 0)

    def test_views_times_aovs(self):
        words = ("render", "a.obj", "--views", 3, "--view-size", 16, "--no-output")
        self.ok(*words, "--aov", "depth=d{}.pfm", "--aov", "normal=all.exr", "--aov", "depth=all.exr")
        self.assertIn("d0.pfm", self.ok(*words, "--aov", "depth=d{}.pfm").stdout)
        self.assertEqual(sorted(p.name for p in self.folder.glob("d*.pfm")), ["d0.pfm", "d1.pfm", "d2.pfm"])
        self.assertEqual(sorted(exr_channels(self.folder / "all.exr")),
                         sorted([f"view00{v}-depth.Y" for v in range(3)] +
                                [f"view00{v}-normal.{c}" for v in range(3) for c in "RGB"]))
        self.assertIn("{}", self.fails(2, *words, "--aov", "depth=d.pfm"))
        self.ok(*words, "--layer", 2, "--aov", "depth=two.pfm")
        self.assertEqual((self.folder / "two.pfm").read_bytes(), (self.folder / "d2.pfm").read_bytes())
        self.assertIn("layer 0 of 3", self.ok("render", "a.obj", "--views", 3, "--view-size", 16, "-o", "one.png").stdout)
        self.assertIn("twice", self.fails(2, *words, "--aov", "depth=a.exr", "--aov", "depth=a.exr"))

    def test_an_empty_vertex_shader_is_said(self):
        (self.folder / "empty.vert").write_text("")
        self.assertIn("empty.vert", self.fails(1, "render", "a.obj", "--no-output", "--vertex", "empty.vert"))

    def test_folders(self):
        scenes = self.folder / "scenes"
        scenes.mkdir()
        for name in ("one", "two"):
            (scenes / f"{name}.obj").write_text(OBJ.replace("mtllib two.mtl\n", ""))
        (scenes / "note.txt").write_text("no scene")
        self.ok("render", "scenes", "--size", "16x16", "-o", "{}-drawn.png")
        self.assertEqual(sorted(p.name for p in self.folder.glob("*.png")), ["one-drawn.png", "two-drawn.png"])
        self.assertIn("{}", self.fails(2, "render", "scenes", "--size", "16x16", "-o", "same.png"))
        (self.folder / "empty").mkdir()
        self.assertIn("empty", self.fails(1, "render", "empty"))

    def test_trace_writes_what_the_pipeline_sees(self):
        camera = ("--size", "32x32", "--camera", "eye=0,0,3 target=0,0,0", "--aov")
        traced = brokkr("trace", "a.obj", "-o", "t.png", "--samples", 4, *camera, "depth=t.pfm", folder=self.folder)
        if traced.returncode == 2 and "neither a command" in traced.stderr:
            self.skipTest("built without research")
        self.assertEqual(traced.returncode, 0, traced.stderr)
        self.ok("render", "a.obj", "--no-output", *camera, "depth=r.pfm")
        self.assertEqual((self.folder / "t.pfm").read_bytes(), (self.folder / "r.pfm").read_bytes())


if __name__ == "__main__":
    unittest.main()
