#!/usr/bin/env python3
"""The parts of the viewer's window at every size: the picture of a scene fills the room that the panels leave, panels are
moved with the mouse, and text has the size that the monitor or the user wants.

    layout_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import json
import shutil
import sys
import time

from session import FRAME, SOURCE, Session, on_a_screen, wait_for

SCENE = SOURCE / "assets" / "courtyard.obj"
PANELS = 8
MENU = 20     # rows, at scale 1
STATUS = 24   # likewise
STRIP = 41    # likewise; there in windows that are 300 rows high
GROUND = (28, 28, 31)  # around the image; that of the scene is brighter
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
    wait_for("a picture", lambda: min(corner()) > max(GROUND))
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


def drag_until(session, what, start, end, reached):
    """Drags again where the press was not heard at its place: on a busy computer the pointer may have left it by then."""
    def tried():
        session.screen.drag(start, end, pause=0.5)
        x, y, w, h = session.screen.geometry(session.window)
        session.screen.move(x + w // 2, y + h - 2)
        until = time.monotonic() + 8
        while time.monotonic() < until:
            if reached():
                return True
        return False
    wait_for(what, tried)


def moves_panels(screen, folder):
    window = (1280, 720)
    session = Session(screen, folder, window, None, SCENE, settings={"panel": "Scene"})
    shows_the_scene(session, room(window))
    x, y, _, _ = session.screen.geometry(session.window)
    tab = (x + window[0] - COLUMN + 20, y + MENU + 16)
    drag_until(session, "a panel at the left side", tab, (x + 100, y + 200), lambda: picture_in(session, room(window, 2)))
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-two-columns.png")
    edge = (x + COLUMN - 2, y + 300)
    _, top, width, height = room(window, 2)
    narrower = (COLUMN - 100, top, width + 100, height)
    drag_until(session, "a narrower column", edge, (edge[0] - 100, edge[1]), lambda: picture_in(session, narrower, slack=4))
    session.close()
    remembered = json.loads((folder / "config" / "brokkr" / "viewer.json").read_text())
    assert remembered["docks"] == {"Scene": "left"} and remembered["dock_widths"][0] < COLUMN, remembered
    session = Session(screen, folder, window, None, SCENE, settings=remembered)
    shows_the_scene(session, narrower, slack=4)
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
    screen.set_dpi(96)


def near(pixels, color, tolerance=6):
    """How many pixels of a row have this colour."""
    return sum(all(abs(pixels[i + c] - color[c]) <= tolerance for c in range(3)) for i in range(0, len(pixels), 3))


def explains_colours(screen, folder):
    """The steps of the overdraw mode stand over the image's corner, from 32 (white) down to none."""
    window, red, yellow = (1280, 720), (216, 48, 32), (232, 200, 16)
    session = Session(screen, folder, window, (320, 240), "--shading", "overdraw", FRAME, settings={"panel": "Scene"})
    x, y, _, _ = session.screen.geometry(session.window)
    corner = lambda: b"".join(session.screen.pixels(x, y + 500, 200, 150))
    wait_for("a legend", lambda: near(corner(), red) > 50 and near(corner(), yellow) > 50)
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-legend.png")
    session.screen.key("F2")
    wait_for("the image alone", lambda: near(corner(), red) == 0)
    session.close()


def zooms_the_time_line(screen, folder):
    """The wheel shows a part of it, larger; under the pointer it stays the same. A double click shows all of it again."""
    window, geometry, raster, idle = (1280, 720), (235, 160, 60), (70, 140, 225), (70, 72, 78)
    session = Session(screen, folder, window, (320, 240), FRAME, settings={"panel": "Policy"})
    x, y, _, _ = session.screen.geometry(session.window)
    left, width = x + window[0] - COLUMN + 8, COLUMN - 20

    def legend():
        """The row with the three colours' names, right above the time line."""
        rows = session.screen.pixels(left, y, width, window[1])
        return next((i for i, row in enumerate(rows) if all(6 <= near(row, color) <= 16 for color in (geometry, raster, idle))),
                    None)

    def time_line():
        """Its two blocks' colours, each from left to right; above the pointer, which covers what is right below it."""
        top, kinds = y + wait_for("a legend", legend), [geometry, raster, idle]
        colors = b"".join(session.screen.pixels(left, top + down, width, 1)[0] for down in (43, 57))
        return [next((k for k, color in enumerate(kinds) if near(colors[i : i + 3], color)), None)
                for i in range(0, len(colors), 3)]

    def magnified(whole, part, times, at):
        """Whether `part` is what lies around place `at` of `whole`, that much larger; where colours meet it may differ."""
        told = []
        for block in (0, width):
            for i in range(width):
                there = at + round((i - at) / times)
                around = whole[block + max(0, there - 3) : block + min(width, there + 4)]
                if len(set(around)) == 1:
                    told.append(part[block + i] == around[0])
        return len(told) > width // 2 and sum(told) > 0.97 * len(told)

    wait_for("a time line", lambda: len(set(time_line())) > 1)
    session.wait_for_rest()
    whole = time_line()
    changes = [i for i in range(5, width - 10) for block in (0, width) if whole[block + i] != whole[block + i + 1]]
    assert changes, "the blocks did one thing only"
    at, middle = changes[0] + 4, y + legend() + 74
    session.screen.move(left + at, middle)
    for _ in range(6):
        session.screen.button(4, True)
        session.screen.button(4, False)
    wait_for("a part of the time line",
             lambda: (part := time_line()) != whole and any(magnified(whole, part, 0.8 ** -k, at) for k in range(1, 7)))
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-time-line.png")
    part = time_line()
    start = at + 200 if at < width // 2 else at - 150
    session.screen.drag((left + start, middle), (left + at, middle), pause=0.5)
    wait_for("another part of it", lambda: time_line() != part)

    def all_of_it():
        """After a double click, which a viewer that shows few frames a second may take for two clicks."""
        for pressed in (True, False, True, False):
            session.screen.button(1, pressed)
            time.sleep(0.1)
        return time_line() == whole

    wait_for("all of it again", all_of_it)
    session.close()


def body(screen, folder):
    for step in (explains_colours, zooms_the_time_line, moves_panels, has_the_size_of_the_monitor):
        begin = time.monotonic()
        step(screen, folder)
        print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    for window in ((320, 200), (640, 480), (1280, 720), (3840, 2160)):
        fits(screen, folder, window)
        print(window, flush=True)


sys.exit(on_a_screen(3840, 2160, body, *sys.argv[2:3]))
