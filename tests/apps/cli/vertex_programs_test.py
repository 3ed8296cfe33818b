#!/usr/bin/env python3
"""Captured frames with vertex programs: every command runs or shows them, and none relies on stored vertices.

    vertex_programs_test.py BROKKR
"""
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import test_frame

BROKKR = sys.argv[1]
SIZE = 8
VERTEX = """#version 330
in vec2 place;
in vec3 tint;
uniform float scale;
out vec3 color;
void main() { gl_Position = vec4(place * scale, 0.0, 1.0); color = tint; }
"""
FRAGMENT = """#version 330
in vec3 color;
out vec4 result;
void main() { result = vec4(color, 1.0); }
"""
PLACES = [-2, -2, 2, -2, -2, 2]  # the lower left half at scale 0.5
CLEAR = {"type": "clear", "target": 0, "color": [0, 0, 0, 1], "depth": 1.0}
REASONS = {"vertices as the driver computed them: clip planes": 3, "stippled lines": 2}


NEAREST = {"magnifyLinear": False, "minifyLinear": False, "mip": "none", "wrap": ["repeat"] * 3}
SHIFTED = (VERTEX.replace("uniform float scale;", "uniform float scale; uniform sampler2D shifts;")
           .replace("place * scale", "place * scale - vec2(texelFetch(shifts, ivec2(4000 + gl_VertexID, 0), 0).r, 0.0)"))

LAST_SHIFT = (FRAGMENT.replace("out vec4", "uniform sampler2D shifts; out vec4")
              .replace("vec4(color, 1.0)", "vec4(color, 1.0) + texelFetch(shifts, textureSize(shifts, 0) - 1, 0)"))


def vertex_frame(scale=0.5, stored=None, places_of_file=PLACES, vertex=VERTEX, shifts=()):
    """A triangle of bytes for attributes. `stored`: positions of the driver, 12 numbers; none if it is left out. `shifts`:
    the texels of a texture for the vertex shader SHIFTED, from 0 to 255; the fragment shader reads the last one."""
    blob = b""

    def add(data):
        nonlocal blob
        blob += b"\0" * (-len(blob) % 16)
        offset = len(blob)
        blob += data
        return offset

    places = add(struct.pack("<6b", *places_of_file))
    tints = add(bytes([255, 0, 51] * 3))
    uniforms = add(struct.pack("<f", scale))
    depth = add(struct.pack("<64f", *[0.5 if x + y < SIZE - 1 else 1.0 for y in range(SIZE) for x in range(SIZE)]))
    textures, more = [], {}
    if shifts:
        texels = add(b"".join(bytes([one, 0, 0, 255]) for one in shifts))
        textures = [{"kind": "2d", "format": "rgba8", "size": [len(shifts), 1, 1],
                     "data": {"offset": texels, "type": "u8", "size": 4 * len(shifts)}}]
        more = {"vertexTextures": [[0, 0]], "textures": [[0, 0]]}
    draw = test_frame.draw(program=0, **more, uniforms={"offset": 0, "type": "u32", "count": 0}, vertexProgram=0,
                           vertexUniforms={"offset": uniforms, "type": "u32", "count": 1},
                           attributes=[{"offset": places, "type": "i8", "count": 6},
                                       {"offset": tints, "type": "u8", "normalized": True, "count": 9}])
    del draw["position"]
    if stored is None:
        draw["vertexCount"] = 3
    else:
        draw["position"] = {"offset": add(struct.pack("<12f", *stored)), "type": "f32x4", "count": 3}
        draw["varyings"] = {"offset": add(struct.pack("<9f", *[1, 0, 0.2] * 3)), "type": "f32", "count": 9}
    text = test_frame.frame(
        size=SIZE, blob_size=len(blob), commands=[CLEAR, draw],
        programs=[{"fragment": [FRAGMENT if not shifts else LAST_SHIFT], "version": 330,
                   "samplers": [{"name": "shifts", "kind": "2d"}] if shifts else [],
                   "varyings": [{"name": "color", "type": "vec3", "offset": 0}]}],
        vertexPrograms=[{"vertex": [vertex], "version": 330,
                         "attributes": [{"name": "place", "type": "vec2"}, {"name": "tint", "type": "vec3"}],
                         "samplers": [{"name": "shifts", "kind": "2d"}] if shifts else [],
                         "uniforms": [{"name": "scale", "type": "float", "offset": 0}]}],
        textures=textures, samplers=[NEAREST],
        targets=[{"id": 0, "size": [SIZE, SIZE], "samples": 0, "colors": [["rgba8", "rgba"]], "depth": "depth24"}],
        references=[{"target": 0, "before": 2,
                     "depth": {"offset": depth, "type": "f32", "size": [SIZE, SIZE], "origin": "bottom-left"}}],
        skipped={"draws": 0, "triangles": 0, "reasons": REASONS})
    return test_frame.container(text, blob, version=3)


DRIVER = [-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1]  # what VERTEX computes at scale 0.5
OTHER = [-1, -1, 0, 1, 0.5, -1, 0, 1, -1, 1, 0, 1]


def test_frame_file(folder):
    """A frame with computed vertices only."""
    file = folder / "old.bkf"
    file.write_bytes(test_frame.container(test_frame.frame(), test_frame.TRIANGLE))
    return file


class VertexPrograms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def write(self, name="frame.bkf", **changes):
        file = self.path / name
        file.write_bytes(vertex_frame(**changes))
        return str(file)

    def run_brokkr(self, *arguments, code=0):
        result = subprocess.run([BROKKR, *arguments], capture_output=True, text=True, timeout=300, cwd=self.path)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def check(self, file, *arguments, code=0):
        self.run_brokkr("check", file, "--json", str(self.path / "check.json"), *arguments, code=code)
        return json.loads((self.path / "check.json").read_text())

    def picture(self, file):
        self.run_brokkr("render", file, "-o", str(self.path / "picture.png"), "--machine", "cpu")
        return (self.path / "picture.png").read_bytes()

    def test_pictures_come_from_programs_and_not_from_stored_vertices(self):
        left_out = self.picture(self.write(stored=None))
        self.assertEqual(left_out, self.picture(self.write(stored=DRIVER)))
        self.assertEqual(left_out, self.picture(self.write(stored=OTHER)))
        self.assertNotEqual(left_out, self.picture(self.write(scale=0.25)))

    def test_check_compares_vertices_with_the_drivers(self):
        report = self.check(self.write(stored=DRIVER), "--min-vertices", "100", "--min", "100")
        self.assertEqual(report["vertices"], {"draws": 1, "positions": 3, "same": 3, "within_2_ulps": 3, "percent": 100.0,
                                              "worst_pixels": 0.0})
        report = self.check(self.write(stored=OTHER), "--min", "100")
        self.assertEqual(report["vertices"]["within_2_ulps"], 2)
        self.assertEqual(report["vertices"]["worst_pixels"], 2)
        self.check(self.write(stored=OTHER), "--min-vertices", "99", code=1)
        self.assertIsNone(self.check(self.write(stored=None))["vertices"])
        text = self.run_brokkr("check", self.write(stored=OTHER)).stdout
        self.assertIn("vertices of 1 draw: 2 of 3 positions (66.6667 %) within 2 units", text)

    def test_info_lists_programs_and_reasons(self):
        file = self.write()
        text = self.run_brokkr("info", file).stdout
        self.assertRegex(text, r"vertex programs +1 for 1 draw, 15 words of attributes\n")
        self.assertRegex(text, r"without them +3 clip planes\n")
        self.run_brokkr("info", file, "--json", str(self.path / "info.json"))
        info = json.loads((self.path / "info.json").read_text())
        self.assertEqual(info["expanded_draws"], {"clip planes": 3})
        self.assertEqual(info["skipped"]["reasons"], {"stippled lines": 2})
        self.assertEqual(info["vertex_programs"][0]["attributes"],
                         [{"name": "place", "type": "vec2"}, {"name": "tint", "type": "vec3"}])
        self.assertEqual(info["vertex_programs"][0]["draws"], 1)

    def test_shaders_and_extract_show_texts(self):
        file = self.write()
        self.assertRegex(self.run_brokkr("shaders", file).stdout, r"vertex program +draws +text[^\n]*\n[- ]*\n? *0 +1 +GLSL 330")
        self.assertIn("place * scale", self.run_brokkr("shaders", file, "--vertex-program", "0", "--print", "glsl").stdout)
        self.run_brokkr("shaders", file, "--vertex-program", "0", "--print", "ir")
        self.assertIn("--vertex-program: there is no program 1; the last one is 0",
                      self.run_brokkr("shaders", file, "--vertex-program", "1", "--print", "ir", code=1).stderr)
        self.run_brokkr("extract", file, "--vertex-program", "0", "-o", str(self.path / "game.vert"))
        self.assertEqual((self.path / "game.vert").read_text(), VERTEX)
        self.assertIn("the last one is 0",
                      self.run_brokkr("extract", file, "--vertex-program", "1", "-o", "game.vert", code=1).stderr)

    def test_trim_leaves_out_what_the_program_computes(self):
        small = str(self.path / "small.bkf")
        self.run_brokkr("trim", self.write(stored=DRIVER), "-o", small)
        self.assertIsNone(self.check(small)["vertices"])
        self.assertEqual(self.picture(small), self.picture(self.write(stored=DRIVER)))
        text = self.run_brokkr("trim", self.write(stored=OTHER), "-o", small).stdout
        self.assertIn("1 draw with the driver's vertices", text)
        self.assertEqual(self.check(small)["vertices"]["within_2_ulps"], 2)

    def test_trim_keeps_texels_of_vertex_programs(self):
        file = self.write(vertex=SHIFTED, shifts=[0] * 4000 + [0, 128, 64] + [0] * 8000)
        other = self.write(name="other.bkf", vertex=SHIFTED, shifts=[0] * 12003)
        self.assertNotEqual(self.picture(file), self.picture(other))
        small = str(self.path / "small.bkf")
        self.run_brokkr("trim", file, "-o", small)
        self.assertEqual(self.picture(small), self.picture(file))

    def test_a_program_that_cannot_run_is_named_once(self):
        for text, reason in (("#version 330\nvoid main() { gl_Position = vec4(nothing); }\n", "line 2"),
                             ("#version 330\nin vec4 other;\nvoid main() { gl_Position = other; }\n",
                              "the frame holds no attribute 'other'"),
                             ("#version 330\nvoid main() { }\n", "it does not write gl_Position")):
            result = self.run_brokkr("render", self.write(stored=DRIVER, vertex=text), "-o", "a.png", "--machine", "cpu")
            lines = [line for line in result.stderr.splitlines() if "vertex program 0" in line]
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertIn(reason, lines[0])
        # The driver's vertices show it all the same.
        self.assertEqual((self.path / "a.png").read_bytes(), self.picture(self.write(stored=DRIVER)))

    def test_the_camera_of_a_game_moves(self):
        file = self.path / "game.bkf"
        file.write_bytes(test_frame.game())
        still = self.picture(str(file))

        def moved(camera):
            self.run_brokkr("render", str(file), "-o", "moved.png", "--camera", camera, "--machine", "cpu")
            return (self.path / "moved.png").read_bytes()

        self.assertNotEqual(moved("eye=1,0,0"), still)
        self.assertNotEqual(moved("fov=70"), still)
        self.assertNotEqual(moved("fov=70"), moved("eye=1,0,0"))
        self.run_brokkr("render", str(file), "-o", "moved.png", "--camera", "eye=a", code=2)

    def test_bench_draws_what_another_camera_sees(self):
        file = self.path / "game.bkf"
        file.write_bytes(test_frame.game())

        def pixels(*camera):
            self.run_brokkr("bench", str(file), "--against", "none", "--frames", "1", "--rounds", "1", "--json", "bench.json",
                            *camera)
            return json.loads((self.path / "bench.json").read_text())["results"][0]["fragments"]

        self.assertGreater(pixels(), 0)
        self.assertEqual(pixels("--camera", "eye=0,0,0"), pixels())
        self.assertEqual(pixels("--camera", "eye=900,0,0"), 0)

    def test_uniforms_of_a_game_get_other_values(self):
        def drawn(file, *uniforms, code=0):
            words = [word for one in uniforms for word in ("--uniform", one)]
            run = self.run_brokkr("render", file, "-o", "u.png", "--machine", "cpu", *words, code=code)
            return run.stderr if code else (self.path / "u.png").read_bytes()

        file = self.write()
        self.assertEqual(drawn(file, "scale=0.25"), self.picture(self.write("quarter.bkf", scale=0.25)))
        self.assertEqual(drawn(file, "scale=3", "scale=0.5"), drawn(file))
        for uniform, code, words in (("scael=1", 1, "its programs have no uniform 'scael' (did you mean 'scale'?)"),
                                     ("scale=1,2", 1, "the uniform 'scale' has 1 number, not 2"),
                                     ("scale", 2, "is not NAME=VALUE"), ("scale=a", 2, "--uniform")):
            line = drawn(file, uniform, code=code)
            self.assertIn(words, line)
            self.assertEqual(len(line.splitlines()), 1, line)
        scene = self.path / "a.obj"
        scene.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("--uniform: needs a shader", drawn(str(scene), "scale=1", code=2))

    def test_a_frame_without_a_camera_says_so(self):
        for file, reason in ((self.write(), "no matrix of its vertex programs is a perspective view"),
                             (str(test_frame_file(self.path)), "it holds no vertex programs")):
            result = self.run_brokkr("render", file, "-o", "a.png", "--camera", "eye=1,0,0", code=1)
            self.assertIn(reason, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_bad_files_are_one_line(self):
        file = self.path / "bad.bkf"
        good = vertex_frame()
        file.write_bytes(good.replace(b'"count": 6', b'"count": 5'))
        self.assertIn("attributes 0, field 'count': 5 is not a multiple of 2",
                      self.run_brokkr("info", str(file), code=1).stderr)
        file.write_bytes(good.replace(b'"vertexCount": 3', b'"vertexCount": 4'))
        self.assertIn("'place' has 3 values, and the draw reads 4", self.run_brokkr("info", str(file), code=1).stderr)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        shader = Path(folder) / "a.vert"
        shader.write_text(VERTEX)
        if "built without" in subprocess.run([BROKKR, "shaders", str(shader)], capture_output=True, text=True).stderr:
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
