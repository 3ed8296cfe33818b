#!/usr/bin/env python3
"""Makes the pictures of docs/guide/viewer.md anew: the real window on a virtual screen, looking at a bundled frame.

    pictures.py BROKKR [FOLDER] [NAME…]    writes viewer-policy.png, viewer-pattern.png, viewer-draws.png and
                                           viewer-probe.png, or only those named, to docs/images, or to FOLDER

The times in them are those of this computer: make them on a quiet one.
"""
import pathlib
import shutil
import sys
import tempfile
import time

from session import SOURCE, Session, on_a_screen

FRAME = SOURCE / "tests/frames/0ad-acropolis-bay.bkf"
OWN = SOURCE / "assets" / "courtyard.obj"
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


def place_a_slow_fragment(session):
    for x, y in ((900, 60), (900, 117), (765, 275)):  # of the G80 model, a film
        session.screen.move(*at(session, x, y))
        time.sleep(0.5)
        session.screen.click(*at(session, x, y))
        time.sleep(0.5)
    settled(session)
    session.screen.move(*at(session, 780, 470))
    time.sleep(0.5)
    session.screen.click(*at(session, 780, 470))
    settled(session)
    session.screen.move(*at(session, 300, 40))


PICTURES = {
    "policy": ({"panel": "Policy"}, zoom_into_the_time_line),
    "pattern": ({"panel": "Pattern"}, show_the_owners),
    "draws": ({"panel": "Scene", "docks": {"Draws": "left", "Inspect": "left below"}, "dock_widths": [520, 300],
               "dock_shares": [0.68, 0.5]}, choose_a_draw),
    "probe": ({"panel": "Probe", "dock_widths": [400, 640]}, place_a_slow_fragment),
}


def body(screen, folder):
    for name, (settings, act) in PICTURES.items():
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        session = Session(screen, folder, WINDOW, None, OWN if name == "probe" else FRAME, settings=settings)
        settled(session)
        act(session)
        settled(session)
        time.sleep(6)  # a note about the pictures taken so far is gone
        session.screenshot()
        shutil.move(session.last_shot, OUTPUT / f"viewer-{name}.png")
        session.close()


with tempfile.TemporaryDirectory(prefix="brokkr-") as name:
    sys.exit(on_a_screen(*WINDOW, body, name))
