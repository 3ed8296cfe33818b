#!/usr/bin/env python3
"""`brokkr trim`: what goes, what stays, and that no file is written whose pictures are others.

    trim_test.py BROKKR
"""
import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
import test_frame

BROKKR = sys.argv[1]
SIZE, EDGE = 8, 128  # of the target; of the textures
# Reads the lower quarter of the rows.
SHADER = "uniform sampler2D map; void main() { gl_FragColor = texture2D(map, gl_FragCoord.xy / vec2(8.0, 32.0)); }"
NEAREST = {"wrap": ["repeat", "repeat", "repeat"], "magnifyLinear": False, "minifyLinear": False, "mip": "none"}
CLEAR = {"type": "clear", "target": 0, "color": [0, 0, 0, 1], "depth": 1.0}


class Blob:
    """Parts of a blob, each at a multiple of 16 bytes."""

    def __init__(self):
        self.bytes = b""

    def add(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 16)
        offset = len(self.bytes)
        self.bytes += data
        return offset


def texels(seed):
    return b"".join(struct.pack("<I", (i * 2654435761 + seed) & 0xffffffff) for i in range(EDGE * EDGE))


def textured_frame():
    """Two textures of equal texels, one draw for each; another texture, a program, a vertex that nothing needs."""
    blob = Blob()
    positions = blob.add(struct.pack("<16f", -1, -1, 0, 1, 9, 9, 9, 1, 3, -1, 0, 1, -1, 3, 0, 1))
    indices = blob.add(struct.pack("<3I", 0, 2, 3))
    stored = [blob.add(texels(1)), blob.add(texels(1)), blob.add(texels(7))]
    textures = [{"kind": "2d", "format": "rgba8", "size": [EDGE, EDGE, 1],
                 "data": {"offset": offset, "type": "u8", "size": EDGE * EDGE * 4}} for offset in stored]
    empty = {"offset": 0, "count": 0}
    draws = [test_frame.draw(program=1, position={"offset": positions, "type": "f32x4", "count": 4},
                             indices={"offset": indices, "type": "u32", "count": 3}, varyings={**empty, "type": "f32"},
                             uniforms={**empty, "type": "u32"}, textures=[[texture, 0]]) for texture in (0, 1)]
    text = test_frame.frame(
        size=SIZE, blob_size=len(blob.bytes), textures=textures, samplers=[NEAREST],
        programs=[{"fragment": ["void main() { discard; }"], "version": 110},
                  {"fragment": [SHADER], "version": 110, "samplers": [{"name": "map", "kind": "2d"}]}],
        targets=[{"id": 0, "size": [SIZE, SIZE], "samples": 0, "colors": [["rgba8", "rgba"]], "depth": "depth24"}],
        commands=[CLEAR, *draws])
    return test_frame.container(text, blob.bytes, version=2)


def two_targets(**state):
    """A draw into each of two targets; that of target 0 with this in its state."""
    color = {"colors": [["rgba8_srgb", "rgba"]], "format": "rgba8_srgb"}
    empty = {"varyings": {"offset": 0, "type": "f32", "count": 0}, "uniforms": {"offset": 0, "type": "u32", "count": 0}}
    text = test_frame.frame(
        size=SIZE, states=[{**test_frame.STATE, **state}, test_frame.STATE],
        targets=[{"id": i, "size": [SIZE, SIZE], "samples": 0, **color} for i in (0, 1)],
        programs=[{"fragment": ["void main() { gl_FragColor = vec4(1.0); }"], "version": 110}],
        commands=[CLEAR, test_frame.draw(program=0, **empty), {**CLEAR, "target": 1, "color": [0.2, 0.3, 0.4, 1]},
                  test_frame.draw(program=0, target=1, state=1, **empty)])
    return test_frame.container(text, test_frame.TRIANGLE, version=2)


LOADED = bytes(i % 251 + 1 for i in range(4 * SIZE * SIZE))


def loaded_frame(*covering):
    """A target with contents from before the frame, these commands, and a white triangle over half of it."""
    blob = Blob()
    blob.add(test_frame.TRIANGLE)
    contents = blob.add(LOADED)
    empty = {"varyings": {"offset": 0, "type": "f32", "count": 0}, "uniforms": {"offset": 0, "type": "u32", "count": 0}}
    text = test_frame.frame(
        size=SIZE, blob_size=len(blob.bytes),
        textures=[{"kind": "2d", "format": "rgba8", "size": [SIZE, SIZE, 1], "data": {"offset": contents, "type": "u8", "size": len(LOADED)}}],
        targets=[{"id": 0, "size": [SIZE, SIZE], "samples": 0, "colors": [["rgba8", "rgba"]], "depth": "depth24"}],
        programs=[{"fragment": ["void main() { gl_FragColor = vec4(1.0); }"], "version": 110}],
        commands=[{"type": "load", "target": 0, "plane": "color0", "texture": 0}, *covering, test_frame.draw(program=0, **empty)])
    return test_frame.container(text, blob.bytes, version=2)


def raw_png():
    """The black picture of SIZE x SIZE pixels, not compressed."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(3 * SIZE)) * SIZE
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def frame_with_references():
    """A cleared target with pictures and depths before its second clear and at its end."""
    blob = Blob()
    blob.add(test_frame.TRIANGLE)
    references = []
    for before in (1, 3):
        picture, depth = blob.add(raw_png()), blob.add(struct.pack("<f", 1) * SIZE * SIZE)
        references.append({"target": 0, "before": before, "color": {"offset": picture, "size": len(raw_png()), "type": "png"},
                           "depth": {"offset": depth, "type": "f32", "size": [SIZE, SIZE], "origin": "bottom-left"}})
    text = test_frame.frame(size=SIZE, blob_size=len(blob.bytes), commands=[CLEAR, CLEAR, test_frame.draw()], references=references)
    return test_frame.container(text, blob.bytes, version=2)


class Trim(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def run_program(self, *words, code=0):
        done = subprocess.run([BROKKR, *words], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code != 0:
            self.assertEqual((done.stderr.count("\n"), done.stdout), (1, ""), done.stderr)
        return done.stdout if code == 0 else done.stderr

    def trim(self, content, *options, code=0):
        (self.path / "in.bkf").write_bytes(content)
        said = self.run_program("trim", "in.bkf", "-o", "out.bkf", *options, code=code)
        return said if code else json.loads(self.run_program("info", "--json", "-", "out.bkf"))

    def test_what_nothing_needs_goes(self):
        self.trim(textured_frame())
        self.run_program("extract", "out.bkf", "--program", "0", "-o", "p.frag")
        self.assertEqual((self.path / "p.frag").read_text(), SHADER)
        self.assertIn("there is no program 1; the last one is 0", self.run_program("extract", "out.bkf", "--program", "1", "-o", "p.frag", code=1))
        self.assertIn("there is no texture 1; the last one is 0", self.run_program("extract", "out.bkf", "--texture", "1", "-o", "t.bin", code=1))
        self.run_program("render", "in.bkf", "-o", "in.png")
        self.run_program("render", "out.bkf", "-o", "out.png")
        self.assertEqual((self.path / "in.png").read_bytes(), (self.path / "out.png").read_bytes())
        self.assertLess((self.path / "out.bkf").stat().st_size, (self.path / "in.bkf").stat().st_size / 3)

    def test_the_numbers_as_json(self):
        (self.path / "in.bkf").write_bytes(textured_frame())
        numbers = json.loads(self.run_program("trim", "in.bkf", "-o", "out.bkf", "--json", "-"))
        self.assertEqual((numbers["input"], numbers["output"]), ("in.bkf", "out.bkf"))
        self.assertEqual(numbers["bytes"]["file"]["after"], (self.path / "out.bkf").stat().st_size)
        self.assertLess(numbers["textures"]["after"], numbers["textures"]["before"])

    def test_texels_that_are_read_stay(self):
        self.trim(textured_frame())
        self.run_program("extract", "out.bkf", "--texture", "0", "-o", "t.bin")
        kept, read = (self.path / "t.bin").read_bytes(), (30 * EDGE + 121) * 4  # up to the last texel that is read
        self.assertEqual(len(kept), EDGE * EDGE * 4)
        self.assertEqual(kept[:read], texels(1)[:read])
        half = EDGE * EDGE * 2
        self.assertEqual(len({kept[i:i + 4] for i in range(half, half + half // 2, 4)}), 1)
        self.trim(textured_frame(), "--all-texels")
        self.run_program("extract", "out.bkf", "--texture", "0", "-o", "t.bin")
        self.assertEqual((self.path / "t.bin").read_bytes(), texels(1))

    def test_loads_that_no_picture_shows_are_emptied(self):
        for covering, options, kept in (([], [], LOADED), ([CLEAR], [], bytes(len(LOADED))), ([CLEAR], ["--all-texels"], LOADED)):
            self.trim(loaded_frame(*covering), *options)
            self.run_program("extract", "out.bkf", "--texture", "0", "-o", "t.bin")
            self.assertEqual((self.path / "t.bin").read_bytes(), kept)

    def test_commands_and_targets(self):
        self.assertEqual(self.trim(textured_frame(), "--commands", "2")["draws"], 1)
        known = self.trim(two_targets(), "--target", "1")
        self.assertEqual(([target["id"] for target in known["targets"]], known["commands"]), ([1], 2))

    def test_pictures_of_the_game(self):
        """Which of them stay, and that they take fewer bytes."""
        for kept, pictures, depths in ((["--references", "all"], [1, 3], [1, 3]), (["--references", "color"], [1, 3], []),
                                       (["--references", "depth"], [], [1, 3]), (["--references", "final"], [3], []),
                                       (["--references", "none"], [], [])):
            references = self.trim(frame_with_references(), *kept)["references"]
            self.assertEqual([r["before"] for r in references if r["color_bytes"]], pictures, kept)
            self.assertEqual([r["before"] for r in references if r["depth"][0]], depths, kept)
            for reference in references:
                self.assertLess(reference["color_bytes"], len(raw_png()))

    def test_another_picture_is_refused(self):
        """Clears are encoded as sRGB where a state of the frame asks for it: it would go with its draw."""
        error = self.trim(two_targets(framebufferSrgb=True), "--target", "1", code=1)
        self.assertIn("colour of target 1 would change at", error)
        self.assertFalse((self.path / "out.bkf").exists())

    def test_wrong_words(self):
        (self.path / "in.bkf").write_bytes(two_targets())
        for words, mention in ((["in.bkf"], "-o"), (["in.bkf", "-o", "x.png"], ".bkf"),
                               (["in.bkf", "-o", "x.bkf", "--target", "7"], "it has 0, 1")):
            self.assertIn(mention, self.run_program("trim", *words, code=2))
        (self.path / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("name a .bkf file", self.run_program("trim", "mesh.obj", "-o", "x.bkf", code=1))
        (self.path / "a.txt").write_text("a\n")
        self.assertIn("this is no frame file; name a .bkf file", self.run_program("trim", "a.txt", "-o", "x.bkf", code=1))


if __name__ == "__main__":
    shader = Path(__file__).resolve().parents[3] / "tests/engine/shader/texts/text.frag"
    if "built without" in subprocess.run([BROKKR, "shaders", str(shader)], capture_output=True, text=True).stderr:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=1)
