"""The program that a test is about, the last word of its command line; and tests that have a folder of their own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop()).resolve())
SCENE = pathlib.Path(__file__).resolve().parents[3] / "tests/frames/gl-feature-test.bkf"


def brokkr(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600, cwd=folder)


class InFolder(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()
