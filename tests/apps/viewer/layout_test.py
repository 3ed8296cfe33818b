#!/usr/bin/env python3
"""The parts of the viewer's window at every size: the picture of a scene fills the room that the panels leave, docks are
dragged with the mouse, small frames are enlarged, and text has the size that the monitor or the user wants.

    layout_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import json
import shutil
import sys
import time

from session import FRAME, SOURCE, Session, on_a_screen, wait_for

SCENE = SOURCE / "assets" / "courtyard.obj"
PANELS = 8    # at least so many look different
MENU = 23     # rows, at scale 1
STATUS = 27   # likewise
BOTTOM = 105  # of the time lines, likewise
GROUND = (14, 15, 18)  # around the image; that of the scene is brighter
COLUMN = 380  # least width of the right dock, likewise
TWO_DOCKS = 1600


def picture_stands(session, least=0.3):
    """Whether the picture, bit for bit, stands in the window, has at least that part of its width, and no dock covers it.
    Its place in the window: left, top, width and height."""
    rows, settings, command = session.settings()
    assert f" --size {settings['size'][0]}x{settings['size'][1]}" in command, command
    x, y, width, height = session.screen.geometry(session.window)
    session.screen.move(x + width // 2, y + height - 2)  # the pointer is drawn into the pixels, and facts over the image
    if settings["size"][0] < least * width - 1:
        return None
    window = session.screen.pixels(x, y, width, height)
    for top in range(height - len(rows) + 1):
        at = window[top].find(rows[0])
        if at >= 0 and at % 3 == 0:
            same = all(window[top + i][at : at + len(row)] == row for i, row in enumerate(rows))
            return (at // 3, top, *settings["size"]) if same else None
    return None


def shows_the_scene(session, fits=lambda place: True):
    """The place of the scene's picture once it has one that `fits`: the first pictures may be of a window that is still being
    laid out."""
    def stands():
        place = picture_stands(session)
        return place if place and fits(place) else None
    return wait_for("the scene, as large as there is room", stands)


def shows_every_panel(session):
    """Panels look different; in a narrow window their section is at the right, too."""
    x, y, width, height = session.screen.geometry(session.window)
    high = height - 3 * MENU - STATUS - (BOTTOM if height > 400 else 0)
    right = lambda: session.screen.raw(x + width * 3 // 4, y + 3 * MENU, width // 4, high)
    seen = {right()}
    for _ in range(3 * PANELS):
        session.screen.key("Tab", "Control_L")
        session.wait_for_rest(seconds=0.7, most=0.05)  # a panel may need several pictures to lie as it stays
        seen.add(right())
        if len(seen) >= PANELS:
            return
    raise AssertionError(f"only {len(seen)} panels look different")


def fits(screen, folder, window):
    session = Session(screen, folder, window, None, SCENE, settings={"panel": "Scene"})
    shows_the_scene(session, lambda place: (place[0] > 0) == (window[0] >= TWO_DOCKS))
    session.screenshot()
    shutil.copy(session.last_shot, folder / f"layout-{window[0]}x{window[1]}.png")
    shows_every_panel(session)
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


def drags_the_dock(screen, folder):
    window = (1280, 720)
    session = Session(screen, folder, window, None, SCENE, settings={"panel": "Scene"})
    width = window[0] - COLUMN
    shows_the_scene(session, lambda place: place[2] == width)
    x, y, _, _ = session.screen.geometry(session.window)
    edge = (x + width + 1, y + 300)
    narrower = lambda: (place := picture_stands(session)) is not None and abs(place[2] - (width - 100)) <= 6
    drag_until(session, "a wider dock", edge, (edge[0] - 100, edge[1]), narrower)
    session.close()
    remembered = json.loads((folder / "config" / "brokkr" / "viewer.json").read_text())
    assert remembered["dock_parts"][1] > 0.3, remembered
    session = Session(screen, folder, window, None, SCENE, settings=remembered)
    wait_for("the same width", narrower)
    session.close()


def has_the_size_of_the_monitor(screen, folder):
    window = (1600, 900)
    widths = []
    for dpi, scale in ((96, ()), (96, ("--scale", 1.5)), (192, ())):
        screen.set_dpi(dpi)
        session = Session(screen, folder, window, None, *scale, SCENE)
        widths.append(shows_the_scene(session, lambda place: dpi == 96 or place[2] < widths[-1])[2])
        session.screenshot()
        shutil.copy(session.last_shot, folder / f"layout-scale-{len(widths)}.png")
        if dpi == 96:
            session.close()
    for _ in range(3):
        before = session.facts()[0]["size"]
        session.screen.key("minus", "Control_L")
        wait_for("smaller text", lambda: session.facts()[0]["size"][0] > before[0])
    icon = screen.property(session.window, "_NET_WM_ICON")
    assert icon[:2] == [16, 16] and any(pixel >> 24 for pixel in icon[2:]), "the window has no icon"
    session.close()
    screen.set_dpi(96)


def fits_small_frames(screen, folder):
    """A small frame is enlarged by a whole factor; 1:1 is remembered."""
    window = (1280, 720)
    session = Session(screen, folder, window, None, "--size", "160x120", FRAME, settings={"panel": "Scene"})
    x, y, _, _ = session.screen.geometry(session.window)
    rows = wait_for("a picture", lambda: session.settings()[0])

    def factor():
        """Of the frame on the screen, whose rows are repeated pixel by pixel; 0: it does not stand there."""
        screen.move(x + window[0] // 2, y + window[1] - 2)
        pixels = screen.pixels(x, y, *window)
        for times in (4, 1):
            wanted = [b"".join(row[i : i + 3] * times for i in range(0, len(row), 3)) for row in rows]
            if any(wanted[60] in row for row in pixels):
                return times
        return 0
    wait_for("the frame four times as large", lambda: factor() == 4)
    screen.key("z")
    wait_for("the frame as it is", lambda: factor() == 1)
    session.close()
    remembered = json.loads((folder / "config" / "brokkr" / "viewer.json").read_text())
    assert remembered["one_to_one"], remembered
    session = Session(screen, folder, window, None, "--size", "160x120", FRAME, settings=remembered)
    wait_for("the frame as it is", lambda: factor() == 1)
    screen.key("f")
    wait_for("the frame four times as large", lambda: factor() == 4)
    session.close()


def near(pixels, color, tolerance=6):
    """How many pixels of a row have this colour."""
    return sum(all(abs(pixels[i + c] - color[c]) <= tolerance for c in range(3)) for i in range(0, len(pixels), 3))


def explains_colours(screen, folder):
    """The steps of the overdraw mode stand over the image's corner, from 32 (white) down to none."""
    window, red, yellow = (1280, 720), (216, 48, 32), (232, 200, 16)
    session = Session(screen, folder, window, (320, 240), "--shading", "overdraw", FRAME, settings={"panel": "Scene"})
    x, y, _, _ = session.screen.geometry(session.window)
    corner = lambda: b"".join(session.screen.pixels(x, y + 380, 200, 200))
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
    left, width, low = x + 9, 980, y + window[1] - STATUS - BOTTOM
    rows = (low + 46, low + 80)  # of two blocks

    def time_line():
        """Its two blocks' colours, each from left to right."""
        kinds = [geometry, raster, idle]
        colors = b"".join(session.screen.pixels(left, row, width, 1)[0] for row in rows)
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
    at, middle = changes[0] + 4, low + 62
    session.screen.move(left + at, middle)
    time.sleep(0.5)
    for _ in range(6):
        session.screen.button(4, True)
        session.screen.button(4, False)
    time.sleep(1)
    session.screen.move(x + 600, y + 300)  # the tip is gone
    wait_for("a part of the time line",
             lambda: (part := time_line()) != whole and any(magnified(whole, part, 0.8 ** -k, at) for k in range(1, 7)))
    session.screenshot()
    shutil.copy(session.last_shot, folder / "layout-time-line.png")
    part = time_line()
    start = at + 200 if at < width // 2 else at - 150
    session.screen.drag((left + start, middle), (left + at, middle), pause=0.5)
    session.screen.move(x + 600, y + 300)
    wait_for("another part of it", lambda: time_line() != part)

    def all_of_it():
        """After a double click, which a viewer that shows few frames a second may take for two clicks."""
        session.screen.move(left + at, middle)
        time.sleep(0.3)
        for pressed in (True, False, True, False):
            session.screen.button(1, pressed)
            time.sleep(0.1)
        session.screen.move(x + 600, y + 300)
        time.sleep(0.5)
        return time_line() == whole

    wait_for("all of it again", all_of_it)
    session.close()


def body(screen, folder):
    for step in (explains_colours, zooms_the_time_line, drags_the_dock, fits_small_frames, has_the_size_of_the_monitor):
        begin = time.monotonic()
        step(screen, folder)
        print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    for window in ((320, 200), (640, 480), (1280, 720), (3840, 2160)):
        fits(screen, folder, window)
        print(window, flush=True)


sys.exit(on_a_screen(3840, 2160, body, *sys.argv[2:3]))
