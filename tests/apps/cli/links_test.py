#!/usr/bin/env python3
"""tools/links: every link of the repository's pages leads somewhere, and a broken one is found; CITATION.cff has the version."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOOD = "# One page\n\n## Its `part` (a)\n\n[file](sub/two.md), [part](#its-part-a), ![picture](a.png)\n\n```sh\n[not](a-link)\n```\n"


def links(*folder):
    return subprocess.run([sys.executable, str(ROOT / "tools/links"), *map(str, folder)], capture_output=True, text=True)


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "sub").mkdir()
        (self.path / "a.png").write_bytes(b"")
        (self.path / "one.md").write_text(GOOD)
        (self.path / "sub/two.md").write_text("# Two\n\n[back](../one.md#one-page)\n")

    def found(self, text):
        (self.path / "sub/two.md").write_text(f"# Two\n\n{text}\n")
        done = links(self.path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stdout

    def test_pages_of_the_repository(self):
        done = links()
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_good_pages(self):
        done = links(self.path)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_a_file_that_is_missing(self):
        self.assertEqual(self.found("[there](../three.md)"), "sub/two.md:3: there is no ../three.md\n")

    def test_a_picture_that_is_missing(self):
        self.assertEqual(self.found("![a](../b.png)"), "sub/two.md:3: there is no ../b.png\n")
        self.assertEqual(self.found('<img src="b.png">'), "sub/two.md:3: there is no b.png\n")

    def test_an_anchor_that_is_missing(self):
        self.assertEqual(self.found("[part](../one.md#its-part)"), "sub/two.md:3: ../one.md has no heading for #its-part\n")
        self.assertEqual(self.found("[part](#one)"), "sub/two.md:3: two.md has no heading for #one\n")

    def test_a_path_in_backticks_that_is_missing(self):
        self.assertEqual(self.found("`src/nowhere.cpp`"), "sub/two.md:3: there is no src/nowhere.cpp\n")

    def test_a_file_outside_of_the_repository(self):
        self.assertIn("lies outside", self.found("[out](../../../../etc/passwd)"))

    def test_a_folder_without_pages_is_an_error(self):
        done = links(self.path / "nothing")
        self.assertIn("there are no pages", done.stderr)
        self.assertEqual(done.returncode, 1)


class Citation(unittest.TestCase):
    def test_it_names_the_version_of_the_headers(self):
        header = next((ROOT / "src").rglob("version.h")).read_text()
        version = re.search(r'#define BROKKR_VERSION "(.*)"', header)[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())


class Options(unittest.TestCase):
    def test_the_page_lists_every_option(self):
        table = next((ROOT / "src").rglob("options.def")).read_text()
        names = re.findall(r'^BROKKR_OPTION\((?:[^"]*?), "([a-z-]+)"', table, re.MULTILINE)
        self.assertGreater(len(names), 20)
        page = (ROOT / "docs/reference/options.md").read_text()
        self.assertEqual([name for name in names if f"| `--{name}" not in page], [])


if __name__ == "__main__":
    unittest.main()
