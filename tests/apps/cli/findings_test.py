#!/usr/bin/env python3
"""Files, shaders and logs as people have them: each folder of tests/findings is one thing that programs write or that
public bug reports tell of.

A scene with a folder right/ beside it draws the picture of the scene in there, which says the same in plain words, byte
for byte. A shader draws green. What a scene leaves out or guesses is one line of warning, which --strict refuses.
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

from program import InFolder, brokkr

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "viewer"))
import png  # noqa: E402

FINDINGS = pathlib.Path(__file__).resolve().parents[2] / "findings"
SCENES = (".obj", ".ply", ".stl", ".gltf", ".glb")
# The warnings of each scene; all others have none.
WARNINGS = {
    "glb-length-padded": ["it says 992 bytes, and the file has 988"],
    "gltf-image-missing": ["'none.png' is missing", "without its picture it has no colour; drawn with the default material"],
    "gltf-required-KHR_materials_ior": ["extension KHR_materials_ior is required but not supported"],
    "mtl-Tr-1": ["material 'red' would be invisible (Tr 1); drawn opaque (2 times)"],
    "obj-picture-empty": ["a.mtl, line 3: tex2.png: is empty"],
    "obj-picture-of-other-format": ["a.mtl, line 3: tex.gif: has an unsupported picture format, GIF"],
    "obj-texcoord-missing": ["line 6: texture coordinate 4 is not among the 0; drawn without it (12 times)"],
    "obj-texture-absolute-windows": ["is taken from tex.png"],
    "obj-texture-other-case": ["'TEX.PNG' is taken from tex.png"],
    "obj-unknown-material": ["line 15: material 'gone' is in none of the MTL files; drawn with the default material"],
    "ply-texture-above": ["'../wedge/tex.png' is not in the scene's folder or below it"],
    "stl-bytes-behind": ["2 bytes after its 4 triangles are left out"],
    "stl-count-zero": ["it says 0 triangles but has the bytes of 4, which are drawn"],
    "stl-nan-facet": ["facet 5: a vertex is not finite or beyond 1e15; the facet is left out"],
}


def scene_of(folder):
    return next(file for file in sorted(folder.iterdir()) if file.suffix in SCENES)


class Findings(InFolder):
    def copied(self, name):
        """A copy of the folder, in which nothing else lies."""
        folder = self.folder / name
        shutil.copytree(FINDINGS / name, folder, dirs_exist_ok=True)
        return folder

    def render(self, scene, *words):
        picture = scene.parent / "picture.png"
        done = brokkr("render", scene.name, "-o", picture, "--size", "96x96", *words, folder=scene.parent)
        return done, picture

    def drawn(self, name, *words):
        """The picture's rows and what was said."""
        done, picture = self.render(scene_of(self.copied(name)), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return png.read(picture)[0], done.stderr

    def test_scenes_draw_what_their_plain_twins_draw(self):
        names = sorted(folder.parent.name for folder in FINDINGS.glob("*/right"))
        self.assertGreater(len(names), 30)
        for name in names:
            with self.subTest(name):
                folder = self.copied(name)
                # The plain twin may name pictures that lie beside the other.
                for file in folder.iterdir():
                    if file.is_file() and not (folder / "right" / file.name).exists() and file.suffix not in SCENES:
                        shutil.copy(file, folder / "right")
                done, picture = self.render(scene_of(folder))
                self.assertEqual(done.returncode, 0, done.stderr)
                right, wanted = self.render(scene_of(folder / "right"))
                self.assertEqual((right.returncode, right.stderr), (0, ""))
                self.assertEqual(picture.read_bytes(), wanted.read_bytes())

    def test_warnings_are_one_line_each_and_strict_refuses_them(self):
        for folder in sorted(FINDINGS.iterdir()):
            scenes = [file for file in folder.iterdir() if file.suffix in SCENES]
            if not scenes:
                continue
            with self.subTest(folder.name):
                scene = scene_of(self.copied(folder.name))
                done, _ = self.render(scene)
                said = done.stderr.splitlines()
                wanted = WARNINGS.get(folder.name, ())
                self.assertEqual(len(said), len(wanted), said)
                for line, words in zip(said, wanted):
                    self.assertTrue(line.startswith(f"brokkr: warning: {scene.name}: "), line)
                    self.assertIn(words, line)
                strict, _ = self.render(scene, "--strict")
                self.assertEqual(strict.returncode, 1 if wanted else 0, strict.stderr)
                if wanted:
                    self.assertIn(wanted[0], strict.stderr)
                    self.assertEqual(len(strict.stderr.splitlines()), 1, strict.stderr)
                info = brokkr("info", scene.name, "--json", "-", folder=scene.parent)
                self.assertEqual(info.returncode, 0, info.stderr)
                listed = json.loads(info.stdout).get("warnings", [])
                self.assertEqual(len(listed), len(wanted), listed)
                for line, words in zip(listed, wanted):
                    self.assertIn(words, line)

    def test_shaders_are_green(self):
        names = sorted(folder.name for folder in FINDINGS.iterdir() if folder.name.startswith(("frag-", "toy-")))
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name):
                folder = self.copied(name)
                shader = next(folder.glob("*.frag"))
                done = brokkr("render", "--fragment", shader.name, "-o", "t.png", "--size", "64x64", folder=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                if name == "toy-long-loop":  # ends at the limit, and says so
                    self.assertIn("a loop of its shader was stopped after 65 536 iterations", done.stderr)
                    continue
                self.assertEqual(set(png.read(folder / "t.png")[0]), {bytes((0, 255, 0)) * 64}, done.stderr)
                self.assertEqual(done.stderr, "")

    def test_colours(self):
        """Of vertices and of facets, and of a map of emission: each shows all of its colours."""
        def hues(rows):
            """Which of red, green and blue lead by far in some pixel."""
            return {max(range(3), key=pixel.__getitem__) for row in rows for pixel in zip(row[::3], row[1::3], row[2::3])
                    if max(pixel) > sorted(pixel)[1] + 60}
        obj, ply = (self.drawn(name)[0] for name in ("obj-vertex-colours", "ply-vertex-colours"))
        self.assertEqual(obj, ply)
        self.assertGreaterEqual(hues(obj), {1, 2})  # red is behind
        self.assertGreater(len(hues(self.drawn("stl-colours")[0])), 1)
        self.assertGreater(len(hues(self.drawn("mtl-emission-map")[0])), 1)
        points = self.drawn("ply-points")[0]
        self.assertEqual(hues(points), {0})
        wide = self.drawn("ply-points", "--point-size", "12")[0]
        red = lambda rows: sum(r > g + 60 for row in rows for r, g in zip(row[::3], row[1::3]))  # noqa: E731
        self.assertGreater(red(wide), 4 * red(points))

    def test_clamped_pictures_do_not_repeat(self):
        clamped = self.drawn("mtl-clamp")[0]
        folder = self.folder / "mtl-clamp"
        text = (folder / "a.mtl").read_text()
        (folder / "a.mtl").write_text(text.replace("-clamp on ", ""))
        done, picture = self.render(folder / "s.obj")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(png.read(picture)[0], clamped)
        # Behind the name it means the same.
        (folder / "a.mtl").write_text(text.replace("-clamp on tex.png", "tex.png -clamp on"))
        done, picture = self.render(folder / "s.obj")
        self.assertEqual(png.read(picture)[0], clamped)

    def test_logs(self):
        def plotted(name):
            folder = self.copied(name)
            done = brokkr("plot", next(folder.glob("*.csv")).name, "-o", "p.svg", folder=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout, re.findall(">([^<>]+)<", (folder / "p.svg").read_text())
        for name in ("log-mangohud-before-0.6.9", "log-semicolons"):
            self.assertIn("median 16.99", " ".join(plotted(name)[1]), name)
        said, texts = plotted("log-presentmon-two-programs")
        self.assertIn("in 2 curves", said)
        self.assertTrue(any("dwm.exe" in text for text in texts) and any("game.exe" in text for text in texts), texts)


if __name__ == "__main__":
    unittest.main()
