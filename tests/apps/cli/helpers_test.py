#!/usr/bin/env python3
"""Programs that `brokkr` starts, and code that it keeps: what others may have changed is not run, damaged code is made
anew, and nothing outlives the program that started it.

    helpers_test.py BROKKR
"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
GLSL = PROGRAM.parent / "src" / "engine" / "shader" / "brokkr-glsl"
LONG = 300  # seconds; no condition takes this long
SHADER = "out vec4 c; void main() { c = vec4(sin(gl_FragCoord.x)); }"


def processes(part):
    """Those that live with `part` in their command line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and part.encode() in (folder / "cmdline").read_bytes():
                if (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return found


def until(condition, what):
    end = time.monotonic() + LONG
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come")
        time.sleep(0.02)
    return value


class Helpers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "a.frag").write_text(SHADER)

    def words(self, *more):
        return [PROGRAM, "render", "--fragment", "a.frag", "--size", "32x32", *more]

    def environment(self, **more):
        return {**os.environ, "XDG_CACHE_HOME": str(self.path / "cache"), **more}

    def render(self, *more, code=0, **environment):
        """Standard error."""
        run = subprocess.run(self.words(*more), cwd=self.path, env=self.environment(**environment), capture_output=True, text=True,
                             timeout=LONG)
        self.assertEqual(run.returncode, code, run)
        return run.stderr

    def script(self, name, text):
        file = self.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return file


class CodeCache(Helpers):
    def kept(self):
        return sorted((self.path / "cache" / "brokkr").glob("*.so"))

    def test_damaged_code_is_made_anew(self):
        self.render("-o", "a.png", "--shaders", "compiled")
        if not self.kept():
            self.skipTest("no compiler")
        picture = (self.path / "a.png").read_bytes()
        good = {file.name: file.read_bytes() for file in self.kept()}
        for shaders, damage in (("compiled", lambda data: data[:3000]), ("auto", lambda data: data[:3000]),
                                ("compiled", lambda data: data[:4096] + bytes(len(data) - 4096))):
            for file in self.kept():
                file.write_bytes(damage(file.read_bytes()))
            self.assertEqual(self.render("-o", "b.png", "--shaders", shaders), "")
            self.assertEqual((self.path / "b.png").read_bytes(), picture)
            self.render("-o", "b.png", "--shaders", "compiled")
            self.assertEqual({file.name: len(file.read_bytes()) for file in self.kept()},
                             {name: len(data) for name, data in good.items()})
            self.assertEqual((self.path / "b.png").read_bytes(), picture)


class Trust(Helpers):
    def helper(self):
        """A folder with a helper that leaves a mark where it is run."""
        folder = self.path / "libexec"
        self.script("libexec/brokkr-glsl", f"touch {self.path}/mark\n")
        folder.chmod(0o755)
        return folder

    def refused(self, folder, remedy):
        error = self.render("--no-output", code=1, BROKKR_LIBEXEC=str(folder))
        self.assertEqual(error.count("\n"), 1, error)
        self.assertIn("is not run", error)
        self.assertIn(remedy, error)
        self.assertFalse((self.path / "mark").exists())

    def test_what_only_its_user_may_write_is_run(self):
        self.render("--no-output", code=1, BROKKR_LIBEXEC=str(self.helper()))
        self.assertTrue((self.path / "mark").exists())
        shutil.copy(GLSL, self.path / "libexec" / "brokkr-glsl")
        self.assertEqual(self.render("--no-output", BROKKR_LIBEXEC=str(self.path / "libexec")), "")

    def test_a_file_that_others_may_write_is_not_run(self):
        for mode in (0o777, 0o757):
            folder = self.helper()
            (folder / "brokkr-glsl").chmod(mode)
            self.refused(folder, "chmod")

    def test_a_folder_that_others_may_write_is_none_of_helpers(self):
        for mode in (0o777, 0o1777):
            folder = self.helper()
            folder.chmod(mode)
            self.refused(folder, "chmod")

    def test_a_folder_above_that_others_may_write_is_none_of_helpers(self):
        (self.path / "up").mkdir()
        shutil.move(self.helper(), self.path / "up" / "libexec")
        (self.path / "up").chmod(0o777)
        self.refused(self.path / "up" / "libexec", "chmod")

    def test_links_are_followed_to_what_they_name(self):
        folder = self.helper()
        (self.path / "open").mkdir()
        shutil.move(folder / "brokkr-glsl", self.path / "open" / "brokkr-glsl")
        (self.path / "open").chmod(0o777)
        (folder / "brokkr-glsl").symlink_to(self.path / "open" / "brokkr-glsl")
        self.refused(folder, "chmod")

    @unittest.skipIf(os.geteuid() != 0, "needs another user and group")
    def test_what_other_users_and_groups_may_change_is_not_run(self):
        folder = self.helper()
        os.chown(folder / "brokkr-glsl", 4321, 4321)
        self.refused(folder, "another user")
        folder = self.helper()
        os.chown(folder / "brokkr-glsl", 0, 4321)
        (folder / "brokkr-glsl").chmod(0o775)
        self.refused(folder, "chmod")


class Endings(Helpers):
    def start(self, *more, **environment):
        return subprocess.Popen(self.words(*more), cwd=self.path, env=self.environment(**environment), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL,
                                preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (1, 2, 3, 15)])

    def test_compilers_end_with_the_program(self):
        for turn, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)):
            # Two levels of compilers, as for a driver that has started another program.
            duration = f"{86000 + os.getpid() % 1000}.{turn}"
            compiler = self.script("cxx", f"sleep {duration} & sh -c 'sleep {duration}; true'\n")
            process = self.start("--no-output", "--shaders", "compiled", CXX=str(compiler))
            until(lambda: len(processes(duration)) >= 3 or process.poll() is not None, "compilers")
            self.assertIsNone(process.poll())
            process.send_signal(number)
            caught = number in (signal.SIGTERM, signal.SIGINT)
            self.assertEqual(process.wait(timeout=LONG), 128 + number if caught else -number)
            until(lambda: not processes(duration), "the end of compilers")

    def test_the_compiler_of_glsl_ends_with_the_program(self):
        lines = "".join(f"c = sin(c * {i}.5 + c.yzwx); if (c.x > {i}.0) c += cos(c.wxyz);\n" for i in range(3000))
        (self.path / "a.frag").write_text("out vec4 c; void main() { c = gl_FragCoord;\n" + lines + "}")
        (self.path / "libexec").mkdir(mode=0o755)
        shutil.copy(GLSL, self.path / "libexec" / "brokkr-glsl")
        name = str(self.path / "libexec" / "brokkr-glsl")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            for _ in range(20):
                process = self.start("--no-output", BROKKR_LIBEXEC=str(self.path / "libexec"))
                until(lambda: processes(name) or process.poll() is not None, "brokkr-glsl")
                met = processes(name)
                try:
                    # The process stops in the middle of its work, so that only the signal can end it.
                    time.sleep(0.05)
                    for one in met:
                        os.kill(one, signal.SIGSTOP)
                except ProcessLookupError:
                    met = []
                process.send_signal(number)
                process.wait(timeout=LONG)
                if met:
                    break
            self.assertTrue(met, "brokkr-glsl was not seen")
            self.addCleanup(lambda: [os.kill(one, signal.SIGKILL) for one in processes(name)])
            until(lambda: not processes(name), "the end of brokkr-glsl")


class Streams(Helpers):
    def test_compilers_run_for_a_program_without_streams(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            shutil.rmtree(self.path / "cache", ignore_errors=True)
            line = 'exec "$0" render --fragment a.frag --size 32x32 --shaders compiled -o a.png ' + closed
            run = subprocess.run(["sh", "-c", line, PROGRAM], cwd=self.path, env=self.environment(), capture_output=True, text=True,
                                 timeout=LONG)
            if "2>&-" not in closed:
                self.assertNotIn("sh:", run.stderr, closed)
                self.assertLessEqual(run.stderr.count("\n"), 1, closed)
            if ">&-" not in closed.replace("2>&-", ""):
                self.assertEqual(run.returncode, 0, (closed, run))
            self.assertTrue((self.path / "a.png").exists(), (closed, run))
            (self.path / "a.png").unlink()


class Limits(Helpers):
    def test_few_open_files_are_an_error_of_one_line(self):
        """However few they are: a picture, or one line of ours that says what to do."""
        for most in range(3, 20):
            shutil.rmtree(self.path / "cache", ignore_errors=True)
            run = subprocess.run(self.words("-o", "a.png", "--shaders", "compiled"), cwd=self.path, env=self.environment(),
                                 capture_output=True, text=True, timeout=LONG,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            if run.stderr.startswith(str(PROGRAM)) or "error while loading shared libraries" in run.stderr:
                continue  # the program itself cannot be loaded
            self.assertLessEqual(run.stderr.count("\n"), 1, run)
            self.assertNotIn("sh:", run.stderr)
            self.assertNotIn("filesystem error", run.stderr)
            if run.returncode:
                self.assertRegex(run.stderr, "ulimit|close other|interpreted|install|permissions")


if __name__ == "__main__":
    if not GLSL.exists():
        print("skipped: there is no", GLSL)
        sys.exit(77)
    unittest.main()
