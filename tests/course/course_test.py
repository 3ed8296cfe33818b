#!/usr/bin/env python3
"""The course in docs/course: its recordings are what their frame files say, its solutions are right, its skeletons build and
say in words and pictures what is missing, and the commands of its pages work.

    course_test.py CMAKE CXX FOLDER    builds in FOLDER, and later only what has changed
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
CXX = sys.argv.pop()
CMAKE = sys.argv.pop()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COURSE = ROOT / "docs/course"
STEPS = range(7)
# Words that the first line of a skeleton's test must contain, and the pictures that it must write.
FIRST = ["multiply gives", "is word", "to_clip gives", "should be 10 11 12", "plane through", "never: depth", "the texel at"]
PICTURES = [[], ["clear", "driver"], [], ["soup", "driver"], ["soup", "driver"], ["soup", "driver"], ["soup", "driver"]]


def run(*words, folder=None):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=folder)


class Course(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.build = FOLDER / "all"
        # Build without optimisation, which compiles in a third of the time.
        for step in ([CMAKE, "-S", COURSE, "-B", cls.build, f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-Werror"],
                     [CMAKE, "--build", cls.build, "--parallel", "2", "--target", "all", "solution"]):
            done = run(*step)
            if done.returncode != 0 or "warning:" in done.stdout + done.stderr:
                raise AssertionError(done.stdout + done.stderr)
        for picture in cls.build.glob("mp*/*.png"):
            picture.unlink()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_recordings_are_what_their_frame_files_say(self):
        done = run(sys.executable, ROOT / "tools/research/course-recordings", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_solutions_are_right_and_measured(self):
        for k in STEPS:
            done = run(self.build / f"mp{k}/test-solution")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, rf"(?m)^leaderboard: mp{k} .*\d (ns|cycles)")
            self.assertIn(f"mp{k}: all ", done.stdout)
            self.assertEqual(list((self.build / f"mp{k}").glob("*.png")), [])

    def test_skeletons_say_what_is_missing(self):
        for k in STEPS:
            done = run(self.build / f"mp{k}/test")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(FIRST[k], done.stdout.splitlines()[0])
            self.assertNotIn("leaderboard", done.stdout)
            for name in PICTURES[k]:
                picture = self.build / f"mp{k}/mp{k}-{name}.png"
                width, height = struct.unpack(">II", picture.read_bytes()[16:24])
                self.assertEqual(width % 3, 2, "three pictures and two lines of four pixels")
                self.assertGreater(width, 3 * height)
                self.assertIn(str(picture), done.stdout)
                picture.unlink()

    def test_pages_begin_with_a_picture_and_name_their_commands(self):
        for k in STEPS:
            page = (COURSE / f"mp{k}/README.md").read_text()
            self.assertRegex(page, r"\A# [^\n]+\n\n!\[[^\]]+\]\(\.\./images/[\w-]+\.(png|svg)\)")
            self.assertIn(f"```sh\ncmake -S docs/course/mp{k} -B build/mp{k}\ncmake --build build/mp{k}\nbuild/mp{k}/test\n```", page)

    # Follow the pages. One step represents all, because each has the same CMakeLists.txt.
    def test_a_step_builds_alone_on_own_solutions(self):
        texts = {(COURSE / f"mp{k}/CMakeLists.txt").read_text().replace(f"mp{k}", "mpN").replace(f"({k})", "(N)") for k in STEPS}
        self.assertEqual(len(texts), 1)
        alone = FOLDER / "alone"
        done = run(CMAKE, "-S", COURSE / "mp1", "-B", alone, f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=None", "-DOWN=ON")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(CMAKE, "--build", alone, "--target", "mp1_test")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((alone / "test").exists())

    def test_bad_input_gets_one_line(self):
        done = run(self.build / "mp0/test", "--pages")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        folder = pathlib.Path(self.folder.name)
        lines = (COURSE / "recordings/pixels.txt").read_text().splitlines()
        lines[2] = "clear color 0.1 zero 0 1"
        (folder / "bad.txt").write_text("\n".join(lines))
        (folder / "read.cpp").write_text('#include <cstdio>\n#include <exception>\n#include "common/recording.h"\n'
                                         "int main(int, char** words) { try { course::read_recording(words[1]); }"
                                         " catch (const std::exception& error) { std::puts(error.what()); } }\n")
        done = run(CXX, "-std=c++20", f"-I{COURSE}", folder / "read.cpp", next(self.build.rglob("libcourse_common.a")), "-o",
                   folder / "read")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(folder / "read", folder / "bad.txt")
        self.assertEqual(done.stdout, f"{folder}/bad.txt:3: no green\n")


if __name__ == "__main__":
    unittest.main()
