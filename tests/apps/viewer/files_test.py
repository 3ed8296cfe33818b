#!/usr/bin/env python3
"""Files that are dropped onto the viewer's window, and loads that are cancelled.

    files_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import shutil
import sys

from drop import Source
from session import FRAME, NOT_A_FRAME, OTHER, Session, on_a_screen, rendered, wait_for

SIZE = (320, 240)
WINDOW = (700, 560)  # a message at the bottom does not cover the image
LARGE = 1000  # vertices along each side of a scene that takes seconds to load


def draws(session, file):
    """Whether the image is this file's, by the command that stands in its PNG."""
    _, command = session.facts()
    return str(file) in command


def takes_a_good_file(session, source, expected, other):
    name = session.folder / "näme with spaces.bkf"
    shutil.copy(OTHER, name)
    source.drop(session.window, name)
    wait_for("the dropped file", lambda: session.shows(other))
    source.drop(session.window, FRAME)
    wait_for("the first file", lambda: session.shows(expected))


def says_what_is_wrong_with_a_bad_file(session, source, expected):
    bad, notes, empty = (session.folder / name for name in ("bad.bkf", "notes.txt", "empty"))
    bad.write_bytes(NOT_A_FRAME)
    notes.write_text("not a scene")
    empty.mkdir(exist_ok=True)
    for path in (bad, notes, empty, session.folder / "missing.bkf"):
        source.drop(session.window, path)
        wait_for(f"an error about {path.name}", session.shows_error)
        assert session.shows(expected), f"{path.name} changes the picture"
        if path == bad:
            session.screenshot()
            shutil.copy(session.last_shot, session.folder / "error.png")
        session.screen.key("Escape")
        wait_for("no error", lambda: not session.shows_error())
    assert draws(session, FRAME), "another file is shown"


def keeps_a_sequence_beside_a_bad_file(session, source, expected, other):
    frames = session.folder / "frames"
    frames.mkdir(exist_ok=True)
    shutil.copy(FRAME, frames / "frame2.bkf")
    shutil.copy(OTHER, frames / "frame10.bkf")
    source.drop(session.window, frames)
    wait_for("the first of a folder", lambda: session.shows(expected))
    session.screen.key("Right")
    wait_for("the next of a folder", lambda: session.shows(other))
    source.drop(session.window, session.folder / "bad.bkf")
    wait_for("an error", session.shows_error)
    session.screen.key("Escape")
    session.screen.key("Left")
    wait_for("the first of a folder", lambda: session.shows(expected))
    source.drop(session.window, FRAME)  # ends the sequence
    wait_for("it alone", lambda: draws(session, FRAME))


def write_large_scene(path):
    n = LARGE
    with open(path, "w") as file:
        for y in range(n):
            file.write("".join(f"v {x} {y} {x * y % 7}\n" for x in range(n)))
        for first in range(1, n * (n - 1), n):
            file.write("".join(f"f {i} {i + 1} {i + n + 1} {i + n}\n" for i in range(first, first + n - 1)))


def cancels_a_load(session, source, expected, other, large):
    source.drop(session.window, large)
    wait_for("the progress of a load", lambda: not session.shows(expected))
    session.screen.key("Escape")
    wait_for("the old picture", lambda: session.shows(expected))
    session.wait_for_rest()  # the load has ended by now
    assert session.shows(expected) and draws(session, FRAME), "what was cancelled came nevertheless"
    source.drop(session.window, OTHER)
    wait_for("another file", lambda: session.shows(other))


def closes_during_a_load(session, source, other, large):
    source.drop(session.window, large)
    wait_for("the progress of a load", lambda: not session.shows(other))
    session.close()


def body(screen, folder):
    expected, other = rendered(folder, FRAME, SIZE), rendered(folder, OTHER, SIZE)
    large = folder / "large.obj"
    write_large_scene(large)
    session = Session(screen, folder, WINDOW, SIZE, FRAME)
    source = Source(screen)
    screen.key("F2")
    wait_for("the frame", lambda: session.shows(expected))
    session.step(takes_a_good_file, source, expected, other)
    session.step(says_what_is_wrong_with_a_bad_file, source, expected)
    session.step(keeps_a_sequence_beside_a_bad_file, source, expected, other)
    session.step(cancels_a_load, source, expected, other, large)
    session.step(closes_during_a_load, source, other, large)
    large.unlink()


sys.exit(on_a_screen(740, 600, body, *sys.argv[2:3]))
