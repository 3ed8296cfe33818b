#!/usr/bin/env python3
"""Branches that no lane enters: a texture that is not bound, or has no alpha, or a value that only the folder knows
decides them. Every machine draws them. And a broken program, which the translator must not make: it is not run.

    dead_branches_test.py BROKKR
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import test_frame

BROKKR = pathlib.Path(sys.argv.pop()).resolve()
TEXTS = pathlib.Path(__file__).resolve().parents[2] / "engine" / "shader" / "texts"
MACHINES = [["--shaders", "interpreted"], ["--shaders", "compiled"], ["--machine", "emulated"]]
EMPTY = {"offset": 0, "count": 0}
# Behaves like brokkr-glsl, but negates floats with the instruction for booleans.
BROKEN = """#!{python}
import struct, subprocess, sys
real = subprocess.Popen(["{real}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def take(stream, count):
    data = stream.read(count)
    if len(data) < count: sys.exit(0)
    return data
def forward():
    head = take(sys.stdin.buffer, 8)
    real.stdin.write(head)
    for _ in range(struct.unpack("<2I", head)[1]):
        size = take(sys.stdin.buffer, 4)
        real.stdin.write(size + take(sys.stdin.buffer, struct.unpack("<I", size)[0]))
    real.stdin.flush()
while True:
    forward()
    status, size = struct.unpack("<2I", take(real.stdout, 8))
    words = list(struct.unpack("<%dI" % (size // 4), take(real.stdout, size)))
    at = 5
    while at < len(words):
        if words[at] & 0xffff == 127: words[at] += 168 - 127  # OpFNegate: OpLogicalNot
        at += max(words[at] >> 16, 1)
    sys.stdout.buffer.write(struct.pack("<2I", status, size) + struct.pack("<%dI" % len(words), *words))
    sys.stdout.buffer.flush()
"""


def run(*words, folder, **environment):
    return subprocess.run([BROKKR, *map(str, words)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **environment})


def frame_of(text, textures=()):
    """A triangle over the whole target; `textures`: the base formats of what the samplers s0, s1 … read, None: nothing."""
    blob = struct.pack("<12f", -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)
    stored, bound = [], []
    for base in textures:
        bound.append([len(stored), 0] if base else [-1, -1])
        if not base:
            continue
        offset = len(blob)
        blob += bytes(range(64))
        stored.append({"kind": "2d", "format": "rgba8", "base": base, "size": [4, 4, 1],
                       "data": {"offset": offset, "type": "u8", "size": 64}})
    draw = test_frame.draw(program=0, varyings={**EMPTY, "type": "f32"}, uniforms={**EMPTY, "type": "u32"},
                           textures=bound)
    json = test_frame.frame(
        size=8, blob_size=len(blob), textures=stored,
        samplers=[{"wrap": ["repeat"] * 3, "magnifyLinear": False, "minifyLinear": False, "mip": "none"}],
        programs=[{"fragment": [text], "outputs": [{"location": 0, "name": "gl_FragColor", "type": "vec4"}],
                   "samplers": [{"name": f"s{i}", "kind": "2d"} for i in range(len(textures))]}],
        commands=[{"type": "clear", "target": 0, "color": [0, 0, 0, 1], "depth": 1.0}, draw])
    return test_frame.container(json, blob, version=2)


class DeadBranches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draws(self, *words):
        """The picture's bytes, the same of every machine."""
        pictures = set()
        for number, machine in enumerate(MACHINES):
            done = run("render", *words, "--size", "24x16", "-o", f"{number}.png", *machine, folder=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""), (words, machine))
            pictures.add((self.folder / f"{number}.png").read_bytes())
        self.assertEqual(len(pictures), 1, words)

    def test_shaders(self):
        for name in ("switch_constant", "switch_nested"):
            self.draws("--fragment", TEXTS / f"{name}.frag")

    def test_textures_decide_a_branch(self):
        text = (TEXTS / "unbound_in_branch.frag").read_text().replace("t;", "s0;").replace("texture(t", "texture(s0")
        nested = """#version 450 compatibility
uniform sampler2D s0, s1;
void main() {
  vec4 sum = gl_FragCoord;
  for (int i = 0; i < int(gl_FragCoord.x) % 4; ++i) {
    vec4 texel = texture(s0, sum.xy);
    if (texel.a < 1.0) {
      float deep = texture(s1, sum.yx).g;
      for (int k = 0; k < 3; ++k) { deep += dFdx(deep) + texel.r; if (deep > 2.0) break; }
      sum = mat4(deep) * sum + texture(s1, vec2(deep));
    } else if (sum.x > 9.0) {
      sum = sum.yzwx * 0.5;
    }
    switch (int(texel.a * 2.0)) {
      case 0: sum += vec4(texture(s1, sum.xx).b); break;
      case 1: sum = sum.wzyx;
      default: sum.y += 0.25;
    }
  }
  gl_FragColor = fract(sum * 0.1);
}
"""
        for program in (text, nested):
            for textures in ([None, None], ["rgb", None], ["rgba", "rgb"], ["luminance", "rgba"]):
                (self.folder / "a.bkf").write_bytes(frame_of(program, textures))
                for words in (["bench", "a.bkf", "--frames", "1", "--against", "none"], ["pixel", "a.bkf", "5", "3"],
                              ["trim", "a.bkf", "-o", "t.bkf"]):
                    done = run(*words, folder=self.folder)
                    self.assertEqual(done.returncode, 0, (words, done.stderr))
                self.draws("a.bkf")

    def test_a_broken_program_is_not_run(self):
        helpers = self.folder / "libexec"
        helpers.mkdir()
        fake = helpers / "brokkr-glsl"
        fake.write_text(BROKEN.format(python=sys.executable, real=BROKKR.parent / "src/engine/shader/brokkr-glsl"))
        fake.chmod(0o755)
        text = "#version 120\nvoid main() { gl_FragColor = vec4(1.0 - abs(-gl_FragCoord.x) + -gl_FragCoord.y); }\n"
        (self.folder / "a.bkf").write_bytes(frame_of(text))
        self.draws("a.bkf")
        for machine in MACHINES:
            done = run("render", "a.bkf", "-o", "b.png", *machine, folder=self.folder, BROKKR_LIBEXEC=str(helpers))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
            self.assertIn("drawn in false colours: program 0: its translation is broken", done.stderr)
            self.assertIn("please report it", done.stderr)
            self.assertTrue((self.folder / "b.png").exists())


if __name__ == "__main__":
    if subprocess.run([BROKKR, "shaders", "--help"], capture_output=True).returncode != 0:
        sys.exit(77)  # built without run-time shaders
    unittest.main()
