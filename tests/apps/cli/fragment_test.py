#!/usr/bin/env python3
"""`brokkr render --fragment`: a user's own shader on scenes and without one, its options, and its errors.

    fragment_test.py BROKKR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from commands_test import PROGRAM, read_png

ROOT = pathlib.Path(__file__).resolve().parents[3]
COURTYARD = ROOT / "assets" / "courtyard.obj"
TINT = """in vec3 b_normal;
uniform vec3 tint = vec3(0.0, 1.0, 0.0);
out vec4 color;
void main() {
  color = vec4(tint * step(0.5, length(b_normal)), 1.0);
}
"""
TOY = "uniform sampler2D look;\nvoid mainImage(out vec4 c, in vec2 at) { c = texture(look, at / iResolution.xy) * fract(iTime); }\n"


def run(*words, folder):
    return subprocess.run([PROGRAM, "render", *map(str, words)], capture_output=True, text=True, cwd=folder)


class Fragment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tint.frag").write_text(TINT)
        (self.folder / "toy.frag").write_text(TOY)

    def pixels(self, *words):
        done = run(*words, "--size", "16x12", "-o", "p.png", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [pixel for row in read_png(self.folder / "p.png") for pixel in row]

    def fails(self, code, *words):
        done = run(*words, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        self.assertEqual(list(self.folder.glob("*.png")), [])
        return done.stderr

    def test_scene_is_drawn_by_the_shader(self):
        self.assertIn((0, 255, 0), {pixel[:3] for pixel in self.pixels(COURTYARD, "--fragment", "tint.frag")})
        red = self.pixels(COURTYARD, "--fragment", "tint.frag", "--uniform", "tint=1,0,0")
        self.assertIn((255, 0, 0), {pixel[:3] for pixel in red})

    def test_toy_needs_no_scene(self):
        done = run("--fragment", "toy.frag", "--time", "3.6", "--size", "16x12", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = read_png(self.folder / "toy.png")
        self.assertEqual({pixel[:3] for row in rows for pixel in row}, {(153, 153, 153)})

    def test_texture_of_a_file(self):
        crate = self.pixels("--fragment", "toy.frag", "--time", "0.5", "--texture", f"look={ROOT / 'assets' / 'crate.png'}")
        self.assertGreater(len(set(crate)), 1)

    def test_files_that_lie_beside_it(self):
        (self.folder / "parts").mkdir()
        (self.folder / "parts" / "one.glsl").write_text('#include "../two.glsl"\nfloat one() { return two() / 2.0; }\n')
        (self.folder / "two.glsl").write_text('\ufeff#include "parts/one.glsl"\n/* two */\nfloat two() { return 2.0; }')
        main = '// #include "none.glsl"\n#if 0\n#include "none.glsl"\n#endif\n%s#include "parts/one.glsl"\nvoid mainImage(out ' \
               "vec4 c, vec2 u) {\n  c = vec4(0, one(), %s, 1); }\n"
        for head, blue in (("", "0"), ("#version 300 es\n", "0.0")):
            (self.folder / "i.frag").write_text(main % (head, blue))
            self.assertEqual({pixel[:3] for pixel in self.pixels("--fragment", "i.frag")}, {(0, 255, 0)})
        (self.folder / "p.png").unlink()
        (self.folder / "i.frag").write_text(main % ("", "lost"))
        self.assertIn("i.frag:7: 'lost'", self.fails(1, "--fragment", "i.frag"))
        (self.folder / "two.glsl").write_text("\n\nfloat two() { return lost; }")
        self.assertIn("i.frag:5: 'lost'", self.fails(1, "--fragment", "i.frag"))
        (self.folder / "two.glsl").unlink()
        self.assertIn("two.glsl cannot be included", self.fails(1, "--fragment", "i.frag"))

    def test_loops_that_are_ended(self):
        (self.folder / "long.frag").write_text("void mainImage(out vec4 c, vec2 u) { float s = 0.0;\n"
                                               "for (int i = 0; i < 100000; ++i) s += 1.0; c = vec4(s); }")
        done = run("--fragment", "long.frag", "--size", "8x8", "-o", "p.png", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("long.frag: a loop of its shader was stopped after 65 536 iterations", done.stderr)
        (self.folder / "p.png").unlink()
        self.assertIn("--strict refuses", self.fails(1, "--fragment", "long.frag", "--size", "8x8", "--strict"))

    def test_buffers(self):
        (self.folder / "a.glsl").write_text("void mainImage(out vec4 c, vec2 u) { c = texelFetch(iChannel0, ivec2(u), 0) + STEP; }")
        (self.folder / "all.glsl").write_text("#define STEP 0.1\n")
        (self.folder / "i.glsl").write_text("void mainImage(out vec4 c, vec2 u) { c = texelFetch(iChannel2, ivec2(u), 0); }")
        words = ["--fragment", "i.glsl", "--buffer-a", "a.glsl", "--common", "all.glsl"]
        four = self.pixels(*words, "--channel", "image:2=buffer-a", "--time", "0.05")
        self.assertEqual({pixel[:3] for pixel in four}, {(102, 102, 102)})
        self.assertEqual({pixel[:3] for pixel in self.pixels(*words, "--channel", "image:2=buffer-a")}, {(26, 26, 26)})
        (self.folder / "k.glsl").write_text("void mainImage(out vec4 c, vec2 u) { c = vec4(texelFetch(iChannel0, ivec2(32, 0), 0).x,"
                                            " iMouse.zw / 10.0, 1); }")
        keys = self.pixels("--fragment", "k.glsl", "--channel", "image:0=keyboard", "--key", "32", "--mouse", "1,2,5,10")
        self.assertEqual({pixel[:3] for pixel in keys}, {(255, 128, 255)})
        (self.folder / "p.png").unlink()
        for channel in ("image:4=noise", "x:0=noise", "image:0", "b:0=noise", "image:0=buffer-b"):
            self.assertIn("--channel", self.fails(2, *words, "--channel", channel))
        self.assertIn("--mouse", self.fails(2, *words, "--mouse", "1"))
        self.assertIn("a.glsl:1: 'STEP'", self.fails(1, *words[:4]))

    def test_exports_of_shadertoy(self):
        def export(**parts):
            return {"ver": "0.1", "info": {"name": "x"}, "renderpass": [
                {"type": "common", "name": "Common", "code": "#define STEP 0.1\n", "inputs": [], "outputs": []},
                {"type": "buffer", "name": "Buffer A", "code": "void mainImage(out vec4 c, vec2 u) { c = texelFetch(iChannel3, "
                 "ivec2(u), 0) + STEP; }", "outputs": [{"id": "4dXGR8", "channel": 0}],
                 "inputs": [{"id": "4dXGR8", "src": "/media/previz/buffer00.png", "ctype": "buffer", "channel": 3,
                             "sampler": {"filter": "nearest", "wrap": "clamp"}}]},
                {"type": "image", "name": "Image", "code": "void mainImage(out vec4 c, vec2 u) { c = texture(iChannel1, "
                 "u / iResolution.xy) * vec4(1, texture(iChannel0, vec2(0.5, 0.75)).x, 0, 1); }",
                 "outputs": [{"id": "4dfGRr", "channel": 0}],
                 "inputs": [{"id": "4dXGR8", "ctype": "buffer", "channel": 1, "sampler": {}},
                            {"id": "x", "ctype": "music", "channel": 0}], **parts}]}

        for form in (lambda one: one, lambda one: [one], lambda one: {"Shader": one}):
            (self.folder / "toy.json").write_text(json.dumps(form(export())))
            done = run("--fragment", "toy.json", "--time", "0.05", "--size", "8x8", "-o", "p.png", folder=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual({pixel[:3] for row in read_png(self.folder / "p.png") for pixel in row}, {(102, 51, 0)})
        (self.folder / "p.png").unlink()
        missing = [{"id": "1", "src": "/media/a/lost.jpg", "ctype": "texture", "channel": 0}]
        (self.folder / "toy.json").write_text(json.dumps(export(inputs=missing)))
        done = run("--fragment", "toy.json", "--size", "8x8", "-o", "p.png", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("'/media/a/lost.jpg' of type 'texture' is missing; noise replaces it", done.stderr)
        (self.folder / "p.png").unlink()
        self.fails(1, "--fragment", "toy.json", "--strict")
        for text in ("{}", "[]", "{", '{"renderpass": []}'):
            (self.folder / "toy.json").write_text(text)
            self.assertIn("toy.json", self.fails(1, "--fragment", "toy.json"))
        (self.folder / "toy.json").write_text(json.dumps(export(code="\nvoid mainImage(out vec4 c, vec2 u) { c = lost; }")))
        self.assertIn("toy.json (Image):2: 'lost'", self.fails(1, "--fragment", "toy.json"))

    def test_errors_are_one_line(self):
        (self.folder / "bad.frag").write_text("out vec4 c;\nvoid main() {\n  c = vec5(1.0);\n}\n")
        self.assertIn("bad.frag:3: 'vec5'", self.fails(1, COURTYARD, "--fragment", "bad.frag"))
        self.assertIn("no uniform 'tin' (did you mean 'tint'?)",
                      self.fails(1, COURTYARD, "--fragment", "tint.frag", "--uniform", "tin=1"))
        self.assertIn("tint.frag:2: uniform 'tint' has 3 numbers, not 2",
                      self.fails(1, COURTYARD, "--fragment", "tint.frag", "--uniform", "tint=1,2"))
        self.assertIn("none.frag", self.fails(1, COURTYARD, "--fragment", "none.frag"))
        for word in ("tint", "=1", "tint=", "tint=1,,2", "tint=red"):
            self.assertIn("--uniform", self.fails(2, COURTYARD, "--fragment", "tint.frag", "--uniform", word))
        self.assertIn("name one with --fragment", self.fails(2, COURTYARD, "--time", "1"))
        self.assertIn("FILE is missing", self.fails(2))


if __name__ == "__main__":
    if subprocess.run([PROGRAM, "shaders", "--help"], capture_output=True).returncode != 0:
        sys.exit(1)
    probe = subprocess.run([PROGRAM, "shaders", "/dev/null"], capture_output=True, text=True)
    if "built without" in probe.stderr:
        plain = subprocess.run([PROGRAM, "render", "--fragment", ROOT / "shaders" / "examples" / "forge.frag", "--no-output"],
                               capture_output=True, text=True)
        sys.exit(0 if plain.returncode == 1 and "BROKKR_SHADERS=ON" in plain.stderr else 1)
    unittest.main(argv=sys.argv[:1])
