#!/usr/bin/env python3
"""The parts of the viewer's window at every size: the picture of a scene fills the room that the panels leave, panels are
moved with the mouse, and text has the size that the monitor or the user wants.

    layout_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import json
import shutil
import sys

from session import SOURCE, Session, on_a_screen, wait_for

SCENE = SOURCE / "assets" / "courtyard.obj"
PANELS = 8
MENU = 20     # rows, at scale 1
STATUS = 24   # likewise
STRIP = 41    # likewise; there in windows that are 300 rows high
GROUND = (28, 28, 31)  # around the image
COLUMN = 400  # of panels, likewise, where the image keeps 30 % of the width


def room(window, columns=1, scale=1):
    """Where the image may be: its left edge, top, width and height. `columns`: at the right side, then at the left."""
    width = max(window[0] - round(columns * COLUMN * scale), round(0.3 * window[0]))
    left = (window[0] - width) // 2 if columns == 2 else 0
    strip = STRIP if window[1] >= 300 * scale else 0
    return left, round(MENU * scale), width, window[1] - round((MENU + STATUS + strip) * scale)


def picture_in(session, where, slack=0):
    """Whether the picture, bit for bit, stands there on the screen, and is as large as the place."""
    rows, settings, _ = session.settings()
    left, top, width, height = where
    if any(abs(a - b) > slack for a, b in zip(settings["size"], (width, height))):
        return False
    if slack:
        return True
    x, y, _, _ = session.screen.geometry(session.window)
    return session.screen.pixels(x + left, y + top, width, height) == rows


def shows_the_scene(session, where, slack=0):
    x, y, w, h = session.screen.geometry(session.window)
    session.screen.move(x + w // 2, y + h - 2)  # the pointer is drawn into the pixels
    corner = lambda: session.screen.pixels(x + where[0] + slack + 5, y + where[1] + slack + 5, 1, 1)[0]
    wait_for("a picture", lambda: corner() != bytes(GROUND))
    wait_for("the scene, as large as there is room", lambda: picture_in(session, where, slack))


def shows_every_panel(session, window):
    """Each panel is another picture at the right side; the wheel reaches the end of a panel that is longer than it."""
    x, y, _, _ = session.screen.geometry(session.window)
    left, top, width, _ = room(window)
    right = lambda: session.screen.raw(x + left + width, y + top, window[0] - width, window[1] - 2 * MENU)
    seen = set()
    for _ in range(PANELS):
        before = right()
        session.screen.key("Tab", "Control_L")
        wait_for("the next panel", lambda: right() != before)
        seen.add(right())
    assert len(seen) == PANELS, len(seen)


def fits(screen, folder, window):
    session = Session(screen, folder, window, None, SCENE, settings={"panel": "Scene"})
    shows_the_scene(session, room(window))
    session.screenshot()
    shutil.copy(session.last_shot, folder / f"layout-{window[0]}x{window[1]}.png")
    shows_every_panel(session, window)
    session.close()


def moves_panels(screen, folder):
    window = (1280, 720)
    session = Session(screen, folder, window, None, SCENE, settings={"panel": "Scene"})
    shows_the_scene(session, room(window))
    x, y, _, _ = session.screen.geometry(session.window)
    tab = (x + window[0] - COLUMN + 20, y + MENU + 16)
    session.screen.drag(tab, (x + 100, y + 200))
    session.screen.move(x + 600, y + window[1] - 2)
    wait_for("a panel at the left side", lambda: picture_in(session, room(window, 2)))
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-two-columns.png")
    edge = (x + COLUMN - 2, y + 300)
    session.screen.drag(edge, (edge[0] - 100, edge[1]))
    _, top, width, height = room(window, 2)
    wait_for("a narrower column", lambda: picture_in(session, (COLUMN - 100, top, width + 100, height), slack=4))
    session.close()
    remembered = json.loads((folder / "config" / "brokkr" / "viewer.json").read_text())
    assert remembered["docks"] == {"Scene": "left"} and remembered["dock_widths"][0] < COLUMN, remembered
    session = Session(screen, folder, window, None, SCENE, settings=remembered)
    shows_the_scene(session, (COLUMN - 100, top, width + 100, height), slack=4)
    session.close()


def has_the_size_of_the_monitor(screen, folder):
    window = (1600, 900)
    session = Session(screen, folder, window, None, "--scale", 1.5, SCENE)
    shows_the_scene(session, room(window, 1, 1.5), slack=12)
    session.close()
    screen.set_dpi(192)
    session = Session(screen, folder, window, None, SCENE)
    shows_the_scene(session, room(window, 1, 2), slack=16)
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-scale-2.png")
    for _ in range(3):
        before = session.settings()[1]["size"]
        session.screen.key("minus", "Control_L")
        wait_for("smaller text", lambda: session.settings()[1]["size"][0] > before[0])
    icon = screen.property(session.window, "_NET_WM_ICON")
    assert icon[:2] == [16, 16] and any(pixel >> 24 for pixel in icon[2:]), "the window has no icon"
    session.close()


def body(screen, folder):
    for window in ((320, 200), (640, 480), (1280, 720), (3840, 2160)):
        fits(screen, folder, window)
        print(window, flush=True)
    moves_panels(screen, folder)
    has_the_size_of_the_monitor(screen, folder)


sys.exit(on_a_screen(3840, 2160, body, *sys.argv[2:3]))
