#!/usr/bin/env python3
"""`brokkr check --color`: what passes, what fails and is named, which options go together.

    check_color_test.py BROKKR
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
SIZE = 8


def png(color):
    """A picture of SIZE x SIZE pixels of one colour."""
    def chunk(name, data):
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\0" + bytes(color) * SIZE) * SIZE
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def frame(reference, text="void main() { gl_FragColor = vec4(0.2, 0.4, 0.6, 1.0); }", kind="png", loads=()):
    """A frame whose one triangle covers the target with what `text` computes; `loads`: commands before it."""
    blob = struct.pack("<12f", -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)
    picture = len(blob)
    blob += reference + b"\0" * (-len(reference) % 16)
    texels = len(blob)
    blob += b"\x80" * SIZE * SIZE * 4
    texture = {"kind": "2d", "format": "rgba8", "size": [SIZE, SIZE, 1],
               "data": {"offset": texels, "type": "u8", "size": SIZE * SIZE * 4}}
    draw = test_frame.draw(program=0, varyings={"offset": 0, "type": "f32", "count": 0},
                           uniforms={"offset": 0, "type": "u32", "count": 0})
    document = test_frame.frame(
        size=SIZE, blob_size=len(blob), programs=[{"fragment": [text], "version": 110}],
        targets=[{"id": 0, "size": [SIZE, SIZE], "samples": 0, "colors": [["rgba8", "rgba"]], "depth": "depth24"}],
        textures=[texture] if loads else [],
        commands=[{"type": "clear", "target": 0, "color": [0, 0, 0, 1], "depth": 1.0}, *loads, draw],
        references=[{"target": 0, "before": 2 + len(loads), "color": {"offset": picture, "size": len(reference), "type": kind}}])
    return test_frame.container(document, blob, version=2)


class CheckColor(unittest.TestCase):
    def check(self, content, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "frame.bkf"
            path.write_bytes(content)
            done = subprocess.run([BROKKR, "check", "--color", str(path), *options], cwd=folder, capture_output=True, text=True)
            pictures = sorted(p.name for p in Path(folder).glob("*.png"))
        return done, pictures

    def test_the_games_own_picture_passes(self):
        done, pictures = self.check(frame(png((51, 102, 153))), "--limits", "exact", "-o", "sides.png")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("equal", done.stdout)
        self.assertEqual(pictures, ["sides.png"])

    def test_another_picture_fails(self):
        done, _ = self.check(frame(png((51, 102, 190))), "--json", "-")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its colours are not the game's", done.stderr)
        document = json.loads(done.stdout)
        self.assertFalse(document["passed"])
        self.assertEqual(document["limits"], "driver")
        self.assertEqual(document["references"][0]["flips"], SIZE * SIZE)
        self.assertEqual(document["references"][0]["most"], 37)

    def test_limits_decide(self):
        close = frame(png((54, 105, 150)))  # all pixels within 4, none within 2
        self.assertEqual(self.check(close, "--limits", "driver")[0].returncode, 0)
        self.assertEqual(self.check(close, "--limits", "exact")[0].returncode, 1)

    def test_a_program_that_cannot_run_is_named(self):
        done, _ = self.check(frame(png((51, 102, 153)), text="void main() { gl_FragColor = nowhere; }"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stdout)
        self.assertIn("1 draw in false colours", done.stdout)
        self.assertIn("a program of the frame could not run", done.stderr)

    def test_planes_are_loaded_without_programs_too(self):
        load = {"type": "load", "target": 0, "plane": "color0", "texture": 0}
        done, _ = self.check(frame(png((51, 102, 153)), text="void main() { gl_FragColor = nowhere; }", loads=[load]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 draw in false colours", done.stdout)

    def test_a_picture_with_loss_is_refused(self):
        done, _ = self.check(frame(b"\xff\xd8\xff\xe0" + b"\0" * 60, kind="jpeg"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no lossless picture", done.stderr)

    def test_options_of_colours_need_color(self):
        for options in (["--peer"], ["--limits", "exact"]):
            done = subprocess.run([BROKKR, "check", "x.bkf", *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--color", done.stderr)


MOST_BYTES = 16 << 20  # of the bundled frames, which packages hold


class BundledFrames(unittest.TestCase):
    def test_they_have_their_games_colours(self):
        root = Path(__file__).resolve().parents[3]
        folders = "scenes", "tests/frames/measured", "tests/frames/vulkan"
        frames, measured, vulkan = (sorted((root / folder).glob("*.bkf")) for folder in folders)
        self.assertGreater(len(frames), 5)
        self.assertGreater(len(measured), 6)
        self.assertEqual(len(vulkan), 3)
        self.assertLess(sum(path.stat().st_size for path in frames), MOST_BYTES)
        for path in frames + measured + vulkan:
            with self.subTest(path.name):
                done = subprocess.run([BROKKR, "check", "--color", "--limits", "exact", path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("false colours", done.stdout + done.stderr)


if __name__ == "__main__":
    shader = Path(__file__).resolve().parents[3] / "tests/engine/shader/texts/text.frag"
    if "built without" in subprocess.run([BROKKR, "shaders", str(shader)], capture_output=True, text=True).stderr:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=1)
