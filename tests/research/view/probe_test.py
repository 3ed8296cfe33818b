#!/usr/bin/env python3
"""Tests the viewer's panel Probe: a film of the G80 model, and a slow fragment that a click places.

    probe_test.py BROKKR

Exit code 77: Xvfb or a library of X is missing.
"""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/viewer"))
from session import SOURCE, Session, has_color, on_a_screen, wait_for

SCENE = SOURCE / "assets" / "courtyard.obj"
WINDOW = (1000, 760)
SETTINGS = {"panel": "Probe"}
# Pixels from the top left corner of the window, at scale 1.
SUBJECT, MODEL, DRAW, FILM, SIZE = (870, 136), (870, 201), (676, 397), (634, 446), 160
RED, LATE = (192, 32, 32), (250, 235, 120)


def body(screen, folder):
    session = Session(screen, folder, WINDOW, (160, 120), SCENE, settings=SETTINGS)
    session.settings()
    x, y, _, _ = screen.geometry(session.window)

    def click(place):
        screen.move(x + place[0], y + place[1])
        time.sleep(0.3)  # by then the window knows the pointer's position
        screen.click(x + place[0], y + place[1])
        time.sleep(0.3)

    film = lambda: screen.pixels(x + FILM[0], y + FILM[1], SIZE, SIZE)
    click(SUBJECT)
    click(MODEL)
    click(DRAW)
    screen.move(x + 300, y + 500)  # so that no tooltip hides the film
    wait_for("the film", lambda: has_color(film(), LATE))
    assert not has_color(film(), RED)
    click((FILM[0] + SIZE // 5, FILM[1] + SIZE // 2))
    wait_for("tiles that are held up", lambda: has_color(film(), RED))
    # A click on the same place removes the slow fragment.
    click((FILM[0] + SIZE // 5, FILM[1] + SIZE // 2))
    wait_for("the film without it", lambda: has_color(film(), LATE) and not has_color(film(), RED))
    session.close()


if __name__ == "__main__":
    sys.exit(on_a_screen(*WINDOW, body))
