#!/usr/bin/env python3
"""Tests the window of several ranks: `mpirun -n 2 brokkr view`. It shows the pictures of one rank, frame after frame.

    ranks_test.py BROKKR MPIRUN…    MPIRUN with its options; leaves its pictures in no folder

Exit code 77: Xvfb or a library of X is missing.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/viewer"))
import png
from session import BROKKR, FRAME, Session, on_a_screen, rendered, wait_for

MPIRUN = sys.argv[2:]
SIZE = (320, 240)
WINDOW = (640, 420)
CITY = "generated:city?triangles=3000"


def process_of(session, rank):
    """Returns the process that mpirun has started as this rank."""
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            is_ours = re.search(rf"^PPid:\t{session.process.pid}$", status.read_text(), re.M)
            if is_ours and f"OMPI_COMM_WORLD_RANK={rank}\0".encode() in (status.parent / "environ").read_bytes():
                return int(status.parent.name)
        except OSError:
            continue
    raise AssertionError(f"mpirun has no rank {rank}")


def shows_what_one_rank_draws(session, folder):
    session.screen.key("F2")
    whole = rendered(folder, CITY, SIZE, "--samples", "1")  # ranks draw one
    wait_for("the scene", lambda: session.shows(whole))
    # The camera turns while frames arrive.
    x, y, width, height = session.screen.geometry(session.window)
    session.screen.drag((x + width // 2, y + height // 2), (x + width // 2 + 60, y + height // 2 + 15))
    session.screen.move(20, 400)
    wait_for("another view", lambda: not session.shows(whole))
    session.screen.key("m")  # another shading
    session.wait_for_rest()
    rows, settings, command = session.settings()
    assert "--camera" in command and "--shading" in command, command
    out = folder / "again.png"
    subprocess.run([BROKKR, *shlex.split(command)[1:], "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    assert png.read(out)[0] == rows, f"another picture than that of {command}"


def ends_with_a_rank(session):
    """Checks that a rank that dies ends all ranks and the window, with a message that names it."""
    os.kill(process_of(session, 1), signal.SIGKILL)
    assert session.process.wait(60) != 0
    session.log.seek(0)
    text = session.log.read()
    assert "process rank 1" in text and "signal 9" in text, text


def says_that_a_rank_has_no_such_file(session, elsewhere, name, whole):
    """Checks a relative path that exists only in one rank's folder. The session continues, and draws as soon as all
    have the file."""
    wait_for("an error", session.shows_error)
    assert session.process.poll() is None
    session.screen.key("Escape")
    wait_for("no error", lambda: not session.shows_error())
    shutil.copy(FRAME, elsewhere / name)
    session.screen.key("F2")
    session.screen.key("r")  # starts continuous rendering
    wait_for("the frame, now that all ranks have it", lambda: session.shows(whole))
    session.screen.key("r")


def body(screen, folder):
    start = [*MPIRUN, "-n", "2"]
    session = Session(screen, folder, WINDOW, SIZE, CITY, start=start)
    session.step(shows_what_one_rank_draws, folder)
    session.close()  # all ranks end without errors
    partly, elsewhere = folder / "partly", folder / "elsewhere"
    partly.mkdir()
    elsewhere.mkdir()
    name = "only-here.bkf"
    shutil.copy(FRAME, partly / name)
    other_rank = [":", "-n", "1", "-wdir", elsewhere, BROKKR, "view", "--fresh", name]
    session = Session(screen, partly, WINDOW, SIZE, name, *other_rank, start=[*MPIRUN, "-n", "1"])
    session.step(says_that_a_rank_has_no_such_file, elsewhere, name, rendered(partly, FRAME, SIZE))
    session.close()
    again = folder / "dying"
    again.mkdir()
    session = Session(screen, again, WINDOW, SIZE, FRAME, start=start)
    session.screen.key("F2")
    whole = rendered(again, FRAME, SIZE)
    wait_for("the frame", lambda: session.shows(whole))
    session.step(ends_with_a_rank)


sys.exit(on_a_screen(800, 600, body))
