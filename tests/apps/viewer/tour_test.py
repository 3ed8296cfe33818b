#!/usr/bin/env python3
"""The first minutes with the window: start screen, tour, a frame from the open dialog, patterns, A/B, and a capture.

    tour_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import pathlib
import shutil
import sys

from session import BROKKR, OTHER, Session, on_a_screen, wait_for

WINDOW = (1280, 800)
CARD = (180, 230)      # the first one of the tour
IMAGE = (0, 120, 880, 480)
PANEL = (910, 120, 360, 530)  # what is open at the right
DIALOG = (340, 130, 600, 540)


def region(session, part):
    x, y, _, _ = session.screen.geometry(session.window)
    return session.screen.raw(x + part[0], y + part[1], part[2], part[3])


def changes(session, part, act):
    """Acts, waits until that part of the window looks different, and until nothing more is drawn."""
    before = region(session, part)
    act()
    wait_for("another picture", lambda: region(session, part) != before)
    session.wait_for_rest()


def presses_return(session, part):
    """Return stays down until the window has seen it."""
    before = region(session, part)
    session.screen.key_down("Return")
    wait_for("an answer to Return", lambda: region(session, part) != before)
    session.screen.key_down("Return", False)


def starts_with_the_tour(session):
    """The first card opens a frame with the settings of the paper, and the owners over the image."""
    session.wait_for_cards()
    assert session.save().name == "brokkr-window-1.png", session.last_shot
    x, y, _, _ = session.screen.geometry(session.window)
    changes(session, (0, 30, 1200, 600), lambda: session.screen.click(x + CARD[0], y + CARD[1]))
    _, command = session.facts()
    assert "--rasterizers 20" in command and "--ownership static" in command, command


def switches_patterns(session, folder):
    """The overlay changes with the pattern; the image does not."""
    rows, settings, _ = session.settings()
    session.screen.key("Escape")
    session.wait_for_rest()
    overlay = region(session, IMAGE)
    session.screen.key("p")
    wait_for("another overlay", lambda: region(session, IMAGE) != overlay)
    wait_for("another pattern", lambda: session.facts()[0]["pattern"] != settings["pattern"])
    assert session.settings()[0] == rows, "the pattern changes the image"
    session.save()
    shutil.copy(session.last_shot, folder / "tour-pattern.png")


def opens_a_frame(session):
    changes(session, DIALOG, lambda: session.screen.key("o", "Control_L"))
    changes(session, DIALOG, lambda: session.screen.type("/no/such.bkf"))
    presses_return(session, DIALOG)
    session.wait_for_rest()  # the dialog says that there is no such file, and stays; what is typed now is the whole path
    changes(session, DIALOG, lambda: session.screen.type(str(OTHER)))
    presses_return(session, DIALOG)
    wait_for("the frame", lambda: OTHER.name in session.facts()[1])


def races_patterns(session):
    """A/B runs until it is stopped, and its numbers change meanwhile."""
    session.screen.key("b")
    seen = set()

    def ran():
        seen.add(region(session, PANEL))
        return len(seen) > 4
    wait_for("results of A/B", ran)
    session.screen.key("b")
    session.wait_for_rest()


def captures_a_program(session, folder):
    if not shutil.which("glxgears") or not (pathlib.Path(BROKKR).parent / "lib/brokkr/libbrokkr-capture.so").exists():
        return print("no capture: glxgears (mesa-utils) or the capture library is missing")
    changes(session, DIALOG, lambda: session.screen.key("k", "Control_L"))
    changes(session, DIALOG, lambda: session.screen.type("glxgears"))
    presses_return(session, DIALOG)
    file = folder / "brokkr-glxgears-1.bkf"
    wait_for("a captured frame", file.exists)
    wait_for("that it is shown", lambda: file.name in session.facts()[1])


def body(screen, folder):
    session = Session(screen, folder, WINDOW, None, settings={})
    session.step(starts_with_the_tour)
    session.step(switches_patterns, folder)
    session.step(opens_a_frame)
    session.step(races_patterns)
    session.step(captures_a_program, folder)
    session.close()


sys.exit(on_a_screen(*WINDOW, body, *sys.argv[2:3]))
