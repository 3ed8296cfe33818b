#!/usr/bin/env python3
"""Who may speak to `brokkr capture`, and that no program outlives it unasked.

    handover_test.py BROKKR PROGRAM

Most programs here are scripts that speak as the capture layer does; PROGRAM, which really draws, does with --forever.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
BROKKR = pathlib.Path(sys.argv.pop()).resolve()
LONG = 120  # seconds; no condition takes this long

# Helpers for the scripts: `say` sends a message over the inherited socket or, like a program that closed it, over a new
# one; `note` leaves a line for the test.
PRELUDE = """
import json, os, select, signal, socket, subprocess, sys, time
file, inode, path = os.environ["BROKKR_CAPTURE_STATUS"].split(":", 2)
def note(name, text=""):
    with open(name + ".part", "w") as out: out.write(str(text))
    os.rename(name + ".part", name)
def connect():
    own = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.connect(path)
    own.recv(1)
    return own
inherited = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=os.dup(int(file)))
def say(message, to=inherited):
    select.select([], [to], [])
    to.send(message if isinstance(message, bytes) else json.dumps(message).encode())
written = {"file": "x.bkf", "frame": 1, "draws": 2, "triangles": 3, "skipped": 0, "state_checks": 0, "state_differences": 0}
"""
MALFORMED = """
for message in (b"", b"{", b"nonsense", b"[]", b"null", b"\\xff\\xfe", b"{" * 60000, b"[" * 60000, b'{"pid": 1}', b'{"file": 5}',
                b'{"file": "x.bkf"}', b'{"file": "x.bkf", "frame": -1}', b'{"swap": "many"}', b'{"swap": -5}', b'{"ended": 1e300}',
                b'{"swap": 18446744073709551615}', b'{"error": {}}', b'{"swaps": 1}', b" " * 100000):
    say(message)
"""


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Handover(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def until(self, condition, what):
        end = time.monotonic() + LONG
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    def noted(self, name):
        """What a script noted, once it has."""
        self.until((self.path / name).exists, name)
        return (self.path / name).read_text().strip()

    def start(self, script, *options, words=None):
        if words is None:
            (self.path / "game.py").write_text(PRELUDE + script)
            words = [sys.executable, "game.py"]
        command = [BROKKR, "capture", "--frame", "1", "-o", "x.bkf", *options, "--", *words]
        process = subprocess.Popen(command, cwd=self.path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, code):
        out, error = process.communicate(timeout=LONG)
        self.assertEqual(process.returncode, code, f"{out}{error}")
        return out, error

    def is_gone(self, pid):
        self.until(lambda: not is_alive(int(pid)), f"process {pid} runs on")

    def test_a_program_may_end_at_once(self):
        """_exit() right after the frame, and in a child that was forked while the frame is written."""
        run = subprocess.run([BROKKR, "capture", "--frame", "1", "-o", "x.bkf", "--", PROGRAM, "--many", "20000", "at-once"],
                             cwd=self.path, capture_output=True, text=True, timeout=LONG)
        if "capture test program: no " in run.stderr:
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(sorted(os.listdir(self.path)), ["x.bkf"])
        info = subprocess.run([BROKKR, "info", "x.bkf"], cwd=self.path, capture_output=True, text=True, timeout=LONG)
        self.assertEqual(info.returncode, 0, info.stderr)

    def test_malformed_messages_are_named_once_and_ignored(self):
        game = 'note("pid", os.getpid())\n' + MALFORMED + "say(written)\ntime.sleep(1000)"
        out, error = self.finish(self.start(game, "--json", "x.json"), 0)
        frames = json.loads((self.path / "x.json").read_text())
        self.assertEqual([(one["frame"], one["draws"], one["triangles"]) for one in frames], [(1, 2, 3)])
        self.assertEqual(out, "x.bkf: frame 1, 2 draws, 3 triangles, 0 draws skipped\nwrote x.json\n")
        self.assertEqual(error.count("is not from the capture layer"), 1, error)
        self.assertIn(self.noted("pid"), error)
        self.is_gone(self.noted("pid"))

    def test_malformed_messages_of_a_program_that_ends(self):
        _, error = self.finish(self.start(MALFORMED + "sys.exit(3)"), 1)
        self.assertIn("exit code 3 without showing a frame", error)

    def test_an_error_of_the_layer_ends_the_program(self):
        game = 'note("pid", os.getpid())\nsay({"error": "no feedback"})\ntime.sleep(1000)'
        self.assertIn("no feedback", self.finish(self.start(game), 1)[1])
        self.is_gone(self.noted("pid"))

    def test_numbers_in_messages_are_no_targets(self):
        """A message cannot make brokkr end a process that is none of the program's."""
        with subprocess.Popen(["sleep", "1000"]) as bystander:
            game = f'say({{**written, "pid": {bystander.pid}}})\nsay({{"swaps": True, "pid": {bystander.pid}}})\ntime.sleep(1000)'
            self.finish(self.start(game), 0)
            self.assertTrue(is_alive(bystander.pid))
            bystander.kill()

    def test_a_program_that_closed_what_it_inherited(self):
        game = """
os.closerange(3, 1000)
own = connect()
say(b"{", own), say(written, own)
time.sleep(1000)
"""
        self.assertIn("x.bkf: frame 1", self.finish(self.start(game), 0)[0])

    def test_the_folder_is_private_and_goes(self):
        process = self.start('note("path", path)\nsay(written)\ntime.sleep(1000)', "--keep-running")
        socket_path = pathlib.Path(self.noted("path"))
        self.assertEqual(stat.S_IMODE(socket_path.parent.stat().st_mode), 0o700)
        process.send_signal(signal.SIGINT)
        self.finish(process, 130)
        self.assertFalse(socket_path.parent.exists())

    def test_a_foreign_process_is_not_heard(self):
        """This test is none of the program's processes."""
        process = self.start('note("path", path)\nwhile not os.path.exists("go"): time.sleep(0.01)\nsys.exit(0)')
        path = self.noted("path")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as foreign:
            foreign.connect(path)
            self.assertEqual(foreign.recv(1), b"")  # no answer, and the connection is closed
            with self.assertRaises(OSError):
                for _ in range(1000):
                    foreign.send(b'{"error": "forged"}')
        (self.path / "go").touch()
        error = self.finish(process, 1)[1]
        self.assertNotIn("forged", error)
        self.assertIn("without showing a frame", error)

    def test_no_file_is_opened_by_the_layer(self):
        """A link where the socket should be leads nowhere; a number that is another file is not written to."""
        victim = self.path / "victim"
        victim.write_text("untouched")
        (self.path / "status").symlink_to(victim)
        with open(victim, "a") as file:
            for address in (f"-1:0:{self.path}/status", f"{file.fileno()}:{os.fstat(file.fileno()).st_ino}:{self.path}/status",
                            "nonsense", "1:2", ":::", f"99999999999999999999:0:{victim}"):
                library = BROKKR.parent / "lib/brokkr/libbrokkr-capture.so"
                environment = {**os.environ, "LD_PRELOAD": str(library), "BROKKR_CAPTURE_OUTPUT": str(self.path / "y.bkf"),
                               "BROKKR_CAPTURE_FRAME": "1", "BROKKR_CAPTURE_STATUS": address,
                               "BROKKR_CAPTURE_KEEP_RUNNING": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
                run = subprocess.run([PROGRAM], env=environment, pass_fds=[file.fileno()], capture_output=True, timeout=LONG)
                if run.returncode == 77:
                    self.skipTest("no driver")
                self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(victim.read_text(), "untouched")
        self.assertTrue((self.path / "y.bkf").exists())

    def test_a_launcher_that_ends_first(self):
        """It forks twice into a session of its own; the game that is left is waited for, heard and ended."""
        game = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note("pid", os.getpid())
        say({"swaps": True})
        while not os.path.exists("go"): time.sleep(0.01)
        say(written)
        time.sleep(1000)
    os._exit(0)
note("launcher", os.getpid())
"""
        process = self.start(game)
        self.is_gone(self.noted("launcher"))
        self.noted("pid")
        self.assertIsNone(process.poll())
        (self.path / "go").touch()
        self.finish(process, 0)
        self.is_gone(self.noted("pid"))

    def test_all_that_a_program_started_is_ended(self):
        """Also what it started through others, and what does not listen to SIGTERM."""
        game = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
note("pid", os.getpid())
child = subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 1000 & echo $! > inner.part; mv inner.part inner; wait"])
note("child", child.pid)
while not os.path.exists("inner"): time.sleep(0.01)
say(written)
time.sleep(1000)
"""
        self.finish(self.start(game), 0)
        for name in ("pid", "child", "inner"):
            self.is_gone(self.noted(name))

    def test_a_timeout_says_how_far_the_program_came(self):
        error = self.finish(self.start("time.sleep(1000)", "--timeout", "0.5"), 1)[1]
        self.assertIn("no frame has been shown", error)
        for seconds in (0.5, 2, 8, 32, 128):  # until the program is heard
            error = self.finish(self.start('say({"swaps": True, "swap": 3})\ntime.sleep(1000)', "--timeout", str(seconds)), 1)[1]
            if "no frame has been shown" not in error:
                break
        self.assertIn("it has shown 3 frames so far", error)

    def test_a_program_with_rights_of_a_group(self):
        """The system drops preloaded libraries from it; it is started without the rights, and draws."""
        program = self.path / "game"
        shutil.copy(PROGRAM, program)
        other = next((group for group in os.getgroups() + [1] if group != os.getegid()), None)
        try:
            os.chown(program, -1, other)
        except PermissionError:
            self.skipTest("this user has no second group")
        program.chmod(0o2755)
        out, error = self.finish(self.start("", words=["./game"]), 0)
        self.assertIn("x.bkf: frame 1", out)
        self.assertIn("game has rights of another user or group", error)

    def test_ctrl_c_ends_the_program(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            (self.path / "pid").unlink(missing_ok=True)
            process = self.start('note("pid", os.getpid())\ntime.sleep(1000)')
            pid = self.noted("pid")
            process.send_signal(number)
            self.finish(process, code)
            self.is_gone(pid)

    def test_a_timeout_ends_the_program(self):
        seconds = 0.5
        while not (self.path / "pid").exists():  # a slow computer ends the program before it has noted its number
            self.finish(self.start('note("pid", os.getpid())\ntime.sleep(1000)', "--timeout", str(seconds)), 1)
            self.assertLess(seconds, LONG)
            seconds *= 2
        self.is_gone(self.noted("pid"))

    def test_brokkr_is_killed(self):
        """The program that it started ends."""
        process = self.start('note("pid", os.getpid())\ntime.sleep(1000)')
        pid = self.noted("pid")
        process.kill()
        self.is_gone(pid)

    def drawing(self, *options):
        """PROGRAM behind a shell, without the socket that it should inherit, and its number."""
        shell = f"exec 200>&- 201>&- 202>&- 203>&- 204>&-; {PROGRAM} --forever & echo $! > game.part; mv game.part game; wait"
        return self.start("", "--every", "1000000", *options, words=["bash", "-c", shell]), self.noted("game")

    def until_it_draws(self, process):
        self.until(lambda: (self.path / "x-1.bkf").exists() or process.poll() is not None, "the first frame")
        if process.poll() is not None:
            self.skipTest("no driver")

    def test_brokkr_is_killed_while_a_game_draws_behind_a_shell(self):
        for drawing in (True, False):
            process, pid = self.drawing()
            if drawing:
                self.until_it_draws(process)
            process.kill()
            self.is_gone(pid)
            (self.path / "game").unlink()

    def test_a_game_that_may_go_on_is_released(self):
        process, pid = self.drawing("--keep-running")
        self.until_it_draws(process)
        process.kill()
        process.wait()
        time.sleep(0.5)  # the layer checks five times a second whether somebody listens
        self.assertTrue(is_alive(pid))
        os.kill(int(pid), signal.SIGKILL)
        self.is_gone(pid)


if __name__ == "__main__":
    unittest.main()
