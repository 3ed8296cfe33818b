#!/usr/bin/env python3
"""What the program writes of itself for others to read: manual pages, and completions as shells use them.

    pages_test.py BROKKR
"""
import shutil
import subprocess
import sys
import unittest

BROKKR = sys.argv.pop()


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, **more)


def commands():
    text = run(BROKKR, "--help-markdown", check=True).stdout
    return [line[3:] for line in text.splitlines() if line.startswith("## ")]


class ManualPages(unittest.TestCase):
    def test_every_command_has_a_page_that_man_formats_without_a_warning(self):
        for page in ["brokkr", *(f"brokkr-{command}" for command in commands())]:
            text = run(BROKKR, "--help-man", page, check=True).stdout
            self.assertIn(f'.SH NAME\n{page.replace("-", chr(92) + "-")} ', text)
            if shutil.which("man"):
                shown = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-", input=text)
                self.assertEqual(shown.stderr, "", page)

    def test_options_of_the_table_are_in_the_page(self):
        text = run(BROKKR, "--help-man", "brokkr-render", check=True).stdout
        self.assertIn(r"\fB\-o, \-\-output\fR", text)
        self.assertIn(r"\-\-hierarchical\-depth", text)

    def test_other_names_are_refused(self):
        for words in (["--help-man", "brokkr-nothing"], ["--completion", "tcsh"]):
            refused = run(BROKKR, *words)
            self.assertEqual(refused.returncode, 2)
            self.assertEqual(refused.stderr.count("\n"), 1)
            self.assertIn(words[1], refused.stderr)


class Completions(unittest.TestCase):
    def script(self, shell):
        return run(BROKKR, "--completion", shell, check=True).stdout

    def bash(self, *words):
        """What bash offers for the last word."""
        typed = " ".join(f"'{word}'" for word in words)
        program = self.script("bash") + (
            f"compopt() {{ :; }}\nCOMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}\n_brokkr\n"
            'printf "%s\\n" "${COMPREPLY[@]}"\n')
        return set(run("bash", "-c", program, check=True, cwd="scenes").stdout.split())

    def test_bash_offers_commands_options_values_and_files(self):
        self.assertTrue(set(commands()) <= self.bash("brokkr", ""))
        self.assertEqual(self.bash("brokkr", "ben"), {"bench"})
        self.assertEqual(self.bash("brokkr", "render", "--polic"), {"--policy"})
        self.assertEqual(self.bash("brokkr", "render", "--policy", "f"), {"fill-level", "fair", "foveated"})
        self.assertEqual(self.bash("brokkr", "render", "mine"), {"minetest.bkf"})
        self.assertEqual(self.bash("brokkr", "render", "-o", "minetest.b"), {"minetest.bkf"})

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_them_too(self):
        def fish(line):
            asked = run("fish", "--no-config", "-c", self.script("fish") + f"\ncomplete -C '{line}'", check=True)
            return {row.split("\t")[0] for row in asked.stdout.splitlines()}

        self.assertTrue(set(commands()) <= fish("brokkr "))
        self.assertEqual(fish("brokkr render --policy fo"), {"foveated"})
        self.assertIn("--hierarchical-depth", fish("brokkr render --hier"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_every_specification(self):
        # _arguments needs a line editor; a stand-in of the same name prints its arguments word by word.
        program = ("_arguments() { for word in $@; do print -r -- $word; done }\n_describe() { print -r -- ${(P)2} }\n"
                   "_files() { }\nwords=(brokkr %s '') CURRENT=%d\n")
        said = run("zsh", "-f", "-c", program % ("render", 3) + self.script("zsh"), check=True)
        self.assertEqual(said.stderr, "")
        for piece in ("--policy[", "(-o --output)-o[", "(fill-level", "*:FILE:_files"):
            self.assertIn(piece, said.stdout)
        said = run("zsh", "-f", "-c", program % ("", 2) + self.script("zsh"), check=True)
        for command in commands():
            self.assertIn(f"{command}:", said.stdout)


if __name__ == "__main__":
    unittest.main()
