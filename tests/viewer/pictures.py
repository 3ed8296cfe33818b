#!/usr/bin/env python3
"""Makes the pictures of docs/viewer.md anew: the real window on a virtual screen, looking at a bundled frame.

    pictures.py BROKKR [FOLDER]    writes viewer-policy.png, viewer-pattern.png and viewer-draws.png to docs/images, or to FOLDER

The times in them are those of this computer: make them on a quiet one.
"""
import pathlib
import shutil
import sys
import tempfile
import time

from session import SOURCE, Session, on_a_screen

FRAME = SOURCE / "scenes" / "0ad-acropolis-bay.bkf"
WINDOW = (1360, 760)
OUTPUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else SOURCE / "docs" / "images").resolve()


def settled(session):
    """Until the frame stands in the window and nothing more is drawn."""
    session.settings()
    session.last_shot.unlink()
    session.wait_for_rest(3)


def at(session, x, y):
    left, top, _, _ = session.screen.geometry(session.window)
    return left + x, top + y


def zoom_into_the_time_line(session):
    session.screen.move(*at(session, 1120, 575))
    for _ in range(3):
        time.sleep(0.2)
        session.screen.button(4, True)
        session.screen.button(4, False)


def show_the_owners(session):
    session.screen.click(*at(session, 1060, 480))  # what is over the image
    time.sleep(0.5)
    session.screen.click(*at(session, 1010, 519))  # the second choice
    session.screen.move(*at(session, 600, 40))


def choose_a_draw(session):
    session.screen.move(*at(session, 700, 350))
    time.sleep(1)  # the pointer is known to be over the image by then
    session.screen.click(*at(session, 700, 350))
    settled(session)
    session.screen.move(*at(session, 200, 380))


PICTURES = {
    "policy": ({"panel": "Policy"}, zoom_into_the_time_line),
    "pattern": ({"panel": "Pattern"}, show_the_owners),
    "draws": ({"panel": "Scene", "docks": {"Draws": "left", "Inspect": "left below"}, "dock_widths": [520, 300],
               "dock_shares": [0.68, 0.5]}, choose_a_draw),
}


def body(screen, folder):
    for name, (settings, act) in PICTURES.items():
        session = Session(screen, folder, WINDOW, None, FRAME, settings=settings)
        settled(session)
        act(session)
        settled(session)
        time.sleep(6)  # a note about the pictures taken so far is gone
        session.screenshot()
        shutil.move(session.last_shot, OUTPUT / f"viewer-{name}.png")
        session.close()


with tempfile.TemporaryDirectory(prefix="brokkr-") as name:
    sys.exit(on_a_screen(*WINDOW, body, name))
