#!/usr/bin/env python3
"""`brokkr shaders`: what it says of a shader, what it draws, and how it refuses.

    shaders_test.py BROKKR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import test_frame
from commands_test import PROGRAM, read_png

FRAME = pathlib.Path(__file__).resolve().parents[3] / "scenes/glxgears.bkf"
TEXTS = pathlib.Path(__file__).resolve().parents[3] / "tests/engine/shader/texts"
RAMP = """#version 330
in vec2 at;
uniform vec3 tint;
uniform bool holes;
out vec4 color;
void main() {
  if (holes && at.x < 0.5) discard;
  color = vec4(at * tint.xy, tint.z, 1.0);
}
"""


def run(*words):
    return subprocess.run([PROGRAM, "shaders", *map(str, words)], capture_output=True, text=True)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "ramp.frag"
        self.file.write_text(RAMP)

    def fails(self, code, *words):
        done = run(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def text_of(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class Shaders(Files):
    def test_summary_names_inputs_and_outputs(self):
        text = self.text_of(self.file)
        for part in ("1 discard,", "at", "tint", "holes", "color", "colour 0", "smooth"):
            self.assertIn(part, text)

    def test_summary_as_json(self):
        summary = json.loads(self.text_of(self.file, "--json", "-"))
        self.assertEqual((summary["file"], summary["discards"]), (str(self.file), 1))
        self.assertIn({"kind": "uniform", "name": "holes", "numbers": 1, "how": "uint"}, summary["values"])
        self.assertIn("--print", self.fails(2, self.file, "--json", "-", "--print", "ir"))

    def test_the_picture_is_named(self):
        self.assertIn("wrote ", self.text_of(self.file, "-o", self.folder / "ramp.png", "--size", "8x4"))

    def test_every_text_of_the_tests_becomes_instructions(self):
        for file in sorted(TEXTS.glob("*.frag")):
            self.assertIn("output ", self.text_of(file, "--print", "ir"), file)

    def test_print_glsl_shows_what_the_compiler_sees(self):
        self.file.write_text("#version 120\n#define C vec4(0.5)\nvoid main() { gl_FragColor = C; }\n")
        text = self.text_of(self.file, "--print", "glsl")
        self.assertNotIn("define", text)
        self.assertIn("vec4(0.5)", text.replace(" ", ""))

    def test_given_uniforms_become_constants(self):
        self.assertIn("discard", self.text_of(self.file, "--print", "ir"))
        text = self.text_of(self.file, "--print", "ir", "--uniform", "holes=0", "--uniform", "tint=1,1,0.25")
        self.assertNotIn("discard", text)
        self.assertIn("output 0.25 -> color.2", text)

    def test_picture(self):
        picture = self.folder / "ramp.png"
        self.text_of(self.file, "--print", "ir", "-o", picture, "--size", "8x4", "--uniform", "tint=1,1,0.2")
        rows = read_png(picture)
        self.assertEqual((len(rows), len(rows[0])), (4, 8))
        for row in range(4):
            for column in range(8):
                red, green, blue = rows[row][column]
                self.assertLessEqual(abs(red - 255 * (column + 0.5) / 8), 0.51)
                self.assertLessEqual(abs(green - 255 * (3 - row + 0.5) / 4), 0.51)
                self.assertEqual(blue, 51)

    def test_texture(self):
        source, picture, shader = self.folder / "a.png", self.folder / "b.png", self.folder / "copy.frag"
        self.text_of(self.file, "--print", "ir", "-o", source, "--size", "16x16", "--uniform", "tint=1,0.5,0.2")
        shader.write_text("uniform sampler2D map; varying vec2 at; void main() { gl_FragColor = texture2D(map, at); }\n")
        self.text_of(shader, "--print", "ir", "-o", picture, "--size", "16x16", "--texture", f"map={source}")
        self.assertEqual(read_png(picture), read_png(source))

    def test_shadertoy(self):
        picture, toy = self.folder / "toy.png", self.folder / "toy.frag"
        toy.write_text("void mainImage(out vec4 c, in vec2 at) {\n  c = vec4(at / iResolution.xy, iTime, 0.0);\n}\n")
        self.assertIn("iResolution", self.text_of(toy))
        self.text_of(toy, "--print", "ir", "-o", picture, "--size", "8x4", "--uniform", "iTime=0.2")
        for row, pixels in enumerate(read_png(picture)):
            for column, (red, green, blue) in enumerate(pixels):
                self.assertLessEqual(abs(red - 255 * (column + 0.5) / 8), 0.51)
                self.assertLessEqual(abs(green - 255 * (3 - row + 0.5) / 4), 0.51)
                self.assertEqual(blue, 51)
        toy.write_text(toy.read_text().replace("iTime", "iTmie"))
        self.assertIn(f"{toy}:2: 'iTmie'", self.fails(1, toy))

    def test_errors_name_the_line(self):
        self.file.write_text(RAMP.replace("tint.z", "tnit.z"))
        self.assertIn(f"{self.file}:8: 'tnit': undeclared identifier", self.fails(1, self.file))
        self.file.write_text("#version 450\n#extension GL_ARB_shader_group_vote : enable\nout vec4 c; "
                             "void main() { c = vec4(anyInvocationARB(gl_FragCoord.x > 3.0)); }")
        self.assertIn(f"{self.file}:3: SPIR-V instruction 4429", self.fails(1, self.file))
        self.file.write_text("")
        self.assertIn("entry point", self.fails(1, self.file))

    def test_a_compiler_that_breaks_off_is_one_line(self):
        macros = "".join(f"#define A{i + 1} A{i} + A{i} + A{i} + A{i}\n" for i in range(20))
        self.file.write_text("#define A0 1.0\n" + macros + "void main() { gl_FragColor = vec4(A20); }\n")
        self.assertIn(str(self.file), self.fails(1, self.file))

    def test_usage(self):
        self.assertIn("did you mean 'tint'", self.fails(2, self.file, "--uniform", "tnit=1"))
        self.assertIn("not NAME=VALUE", self.fails(2, self.file, "--uniform", "tint"))
        self.assertIn("has 3 numbers, not 4", self.fails(2, self.file, "--uniform", "tint=1,2,3,4"))
        self.assertIn("is not a number", self.fails(2, self.file, "--uniform", "tint=a"))
        self.assertIn("no sampler 'x'", self.fails(2, self.file, "-o", self.folder / "a.png", "--texture", "x=y.png"))
        self.assertIn(".png", self.fails(2, self.file, "-o", self.folder / "a.exr"))
        self.assertIn("missing.frag", self.fails(1, self.folder / "missing.frag"))


class FramePrograms(Files):
    """The programs of a captured frame: two of GLSL, one of which fails, and one of fixed function."""

    def setUp(self):
        super().setUp()
        self.frame = self.folder / "frame.bkf"
        place = {"offset": 48, "type": "f32", "count": 12}
        words = {"offset": 48, "type": "u32", "count": 0}
        color = [{"name": "gl_Color", "type": "vec4", "offset": 0}]
        programs = [
            {"fragment": ["uniform sampler2D map; void main() { gl_FragColor = gl_Color + texture2D(map, gl_Color.xy); }"],
             "varyings": color, "samplers": [{"name": "map", "kind": "2d"}]},
            {"fragment": ["\x1b[31m\n\tvoid main() { gl_FragColor = nothing; }"], "varyings": color},
            {"varyings": [*color, {"name": "gl_TexCoord[0]", "type": "vec4", "offset": 4}],
             "samplers": [{"name": "unit0", "kind": "2d"}], "fixedFunction": {"units": [{"unit": 0, "mode": "decal"}]}}]
        draws = [test_frame.draw(program=program, varyings=place, uniforms=words, textures=textures)
                 for program, textures in ((0, [[-1, -1]]), (1, []), (0, [[-1, -1]]))]
        text = test_frame.frame(blob_size=96, programs=programs, commands=draws)
        self.frame.write_bytes(test_frame.container(text, test_frame.TRIANGLE + bytes(48), version=2))

    def test_table_lists_all_and_says_why_one_fails(self):
        rows = [line.split() for line in self.text_of(self.frame).splitlines()]
        self.assertEqual(rows[1][:4], ["0", "2", "GLSL", "110"])
        self.assertEqual(rows[1][-3:], ["1", "0", "1"])  # a lookup, no discard, a texture that is not there
        self.assertEqual(rows[2][:5], ["1", "1", "GLSL", "110", "fails"])
        self.assertEqual(rows[3][:4], ["2", "0", "fixed", "function"])
        self.assertEqual(rows[4][:3], ["program", "1:", "line"])
        self.assertEqual(len(rows), 5)

    def test_the_table_as_json(self):
        tables = json.loads(self.text_of(self.frame, "--json", "-"))
        self.assertEqual([one["draws"] for one in tables["programs"]], [2, 1, 0])
        self.assertEqual((tables["programs"][0]["lookups"], tables["programs"][0]["without_texture"]), (1, 1))
        self.assertIn("line 1", tables["programs"][1]["failure"])
        self.assertEqual(tables["vertex_programs"], [])

    def test_one_program_is_printed(self):
        self.assertIn("texture2D", self.text_of(self.frame, "--program", 0, "--print", "glsl"))
        self.assertIn("sample", self.text_of(self.frame, "--program", 0, "--print", "ir"))
        self.assertIn("map0", self.text_of(self.frame, "--program", 2, "--print", "glsl"))
        self.assertIn("program 1: line 1", self.fails(1, self.frame, "--program", 1, "--print", "ir"))
        self.assertIn("there is no program 3; the last one is 2", self.fails(1, self.frame, "--program", 3, "--print", "ir"))

    def test_frames_without_programs(self):
        self.frame.write_bytes(test_frame.container(test_frame.frame(), test_frame.TRIANGLE))
        text = self.text_of(self.frame)
        self.assertEqual((text.count("\n"), "holds no programs" in text), (1, True))

    def test_usage_of_frames(self):
        self.assertIn("give both", self.fails(2, self.frame, "--program", 0))
        self.assertIn("give both", self.fails(2, self.frame, "--print", "ir"))
        self.assertIn("--uniform", self.fails(2, self.frame, "--uniform", "a=1"))
        self.assertIn("--program", self.fails(2, self.file, "--program", 0))


class Cache(unittest.TestCase):
    """A frame's programs are compiled once, for all starts."""

    def work_of(self, cache):
        done = subprocess.run([PROGRAM, "render", FRAME, "--no-output", "--shaders", "compiled", "--stats", "-"], capture_output=True,
                              text=True, env={**os.environ, "XDG_CACHE_HOME": cache})
        if "there is no C++ compiler" in done.stderr:
            self.skipTest("no compiler")
        self.assertEqual(done.returncode, 0, done.stderr)
        statistics = json.loads(done.stdout)["statistics"]
        self.assertEqual(statistics["shaders"], "compiled")
        work = statistics["shader_work"]
        self.assertGreater(work["translate_ms"], 0)
        return work

    def test_a_second_start_compiles_nothing(self):
        with tempfile.TemporaryDirectory() as cache:
            first, second = self.work_of(cache), self.work_of(cache)
        self.assertGreater(first["compiled"], 0)
        self.assertGreater(first["compile_ms"], 0)
        self.assertEqual((first["cached"], second["cached"]), (0, first["compiled"]))
        self.assertEqual((second["compiled"], second["compile_ms"]), (0, 0))
        self.assertGreater(second["cache_ms"], 0)


if __name__ == "__main__":
    if "built without" in run(TEXTS / "text.frag").stderr:
        sys.exit(77)
    unittest.main()
