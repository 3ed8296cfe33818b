#!/usr/bin/env python3
"""Pictures of every screen of the window, to look at: start, dialogues, help, the tour, each panel, the tabs of a draw.

    screens.py BROKKR FOLDER [--frame FILE] [--only NAME,NAME…] [WIDTHxHEIGHT[*SCALE]…]

writes FOLDER/WIDTHxHEIGHT/NAME.png, for 1280x800, 1920x1080 and 3840x2160*2 if no size is named. FILE is a captured frame;
one with vertex programs has the panel Uniforms, too. --only takes the names of pictures: capture,panel-log,draw-mesh.
"""
import pathlib
import sys
import time

import png
from session import SOURCE, Session, on_a_screen, wait_for

ARGUMENTS = sys.argv[3:]


def taken(option, otherwise):
    """The value of an option, which is taken out of the arguments."""
    if option not in ARGUMENTS:
        return otherwise
    at = ARGUMENTS.index(option)
    value = ARGUMENTS[at + 1]
    del ARGUMENTS[at : at + 2]
    return value


FRAME = pathlib.Path(taken("--frame", SOURCE / "scenes/extremetuxracer.bkf")).resolve()
ONLY = taken("--only", "")
SIZES = ARGUMENTS or ["1280x800", "1920x1080", "3840x2160*2"]
OUTPUT = pathlib.Path(sys.argv[2]).resolve()
OWN = SOURCE / "assets/courtyard.obj"
SHADER = SOURCE / "shaders/examples/toon.frag"
# Name of the picture; panel, scene, more of the command line.
PANELS = [("scene", "Scene", FRAME, []), ("uniforms", "Uniforms", FRAME, []), ("shader", "Shader", OWN, ["--fragment", SHADER]),
          ("pipeline", "Pipeline", FRAME, []), ("policy", "Policy", FRAME, []), ("pattern", "Pattern", FRAME, []),
          ("draws", "Draws", FRAME, []), ("ab", "A/B", FRAME, []), ("compare", "Compare", FRAME, []), ("log", "Log", FRAME, []),
          ("probe", "Probe", OWN, []), ("trace", "Trace", OWN, ["--trace"]), ("reyes", "Micropolygons", None, ["--reyes=tea-set"])]
# The tabs of a draw in turn, and the words' distance from the dock's left edge, in font sizes.
TABS = {"picture": 2, "state": 5, "texture": 8, "mesh": 11.5, "vertex": 14.5, "fragment": 18}
EM = 14  # pixels at scale 1


def wanted(*names):
    return not ONLY or any(name in ONLY.split(",") for name in names)


def keep(session, folder, name):
    """The window as it is when nothing more is drawn."""
    if not wanted(name):
        return
    session.wait_for_rest(1, most=0.3)
    x, y, width, height = session.screen.geometry(session.window)
    png.write(folder / f"{name}.png", session.screen.pixels(x, y, width, height))
    print(folder / f"{name}.png", flush=True)


def words_of(scale):
    return ["--scale", str(scale)] if scale != 1 else []


def region(session):
    x, y, width, height = session.screen.geometry(session.window)
    return session.screen.raw(x, y, width, height)


def changes(session, act):
    before = region(session)
    act()
    wait_for("another picture", lambda: region(session) != before)
    session.wait_for_rest(1, most=0.3)


def begins(screen, home, folder, size, scale):
    """Start screen, dialogues, help, and a card of the tour."""
    if not wanted("start", "open", "capture", "help", "tour"):
        return
    session = Session(screen, home, size, None, *words_of(scale), settings={})
    session.wait_for_cards()
    keep(session, folder, "start")
    for name, keys in (("open", ("o", "Control_L")), ("capture", ("k", "Control_L")), ("help", ("F1",))):
        changes(session, lambda: screen.key(*keys))
        keep(session, folder, name)
        changes(session, lambda: screen.key("Escape"))
    x, y, _, _ = session.screen.geometry(session.window)
    changes(session, lambda: screen.click(x + round(180 * scale), y + round(230 * scale)))
    session.facts()
    keep(session, folder, "tour")
    session.close()


def shows_panels(screen, home, folder, size, scale):
    for name, panel, scene, words in PANELS:
        if not wanted(f"panel-{name}", *(["paper"] if name == "pattern" else [])):
            continue
        files = [scene] if scene else []
        session = Session(screen, home, size, None, *files, *words, *words_of(scale), settings={"panel": panel})
        # Until the picture is there, and with a shader drawn by it.
        wait_for("the picture", lambda: "--fragment" not in words or "--fragment" in session.facts()[1])
        session.facts()
        session.last_shot.unlink()
        if name == "ab":
            screen.key("b")
            time.sleep(15)
            screen.key("b")
        if name == "trace":
            time.sleep(5)
            screen.key("space")
        keep(session, folder, f"panel-{name}")
        if name == "pattern":
            changes(session, lambda: screen.key("k"))
            keep(session, folder, "paper")
        session.close()


def shows_a_draw(screen, home, folder, size, scale):
    """A click on the image chooses a draw, and its tabs are clicked one after another."""
    if not wanted(*(f"draw-{tab}" for tab in TABS)):
        return
    session = Session(screen, home, size, None, FRAME, *words_of(scale), settings={"panel": "Draws"})
    session.facts()
    session.last_shot.unlink()
    session.wait_for_rest(1, most=0.3)
    x, y, width, height = session.screen.geometry(session.window)
    is_wide = width >= 1600 * scale
    image = (x + round((0.5 if is_wide else 0.35) * width), y + round(0.6 * height))
    screen.move(*image)
    session.wait_for_rest(1, most=0.3)
    changes(session, lambda: screen.click(*image))
    # The tabs are below the dock's title, the slider and the buttons.
    left = x if is_wide else x + width - tabs_width(width, scale)
    top = y + round((172 if is_wide else 200) * scale)
    for tab, ems in TABS.items():
        place = (round(left + ems * EM * scale), top)
        screen.move(*place)
        session.wait_for_rest(1, most=0.3)
        for down in (True, False):  # a busy computer may show no picture between the two unless there is time
            screen.button(1, down)
            time.sleep(1)
        screen.move(*image)
        keep(session, folder, f"draw-{tab}")
    session.close()


def tabs_width(width, scale):
    return round(max(0.29 * width, 380 * scale))


def body(screen, home):
    for name in SIZES:
        size, _, scale = name.partition("*")
        size = tuple(int(number) for number in size.split("x"))
        scale = float(scale or 1)
        folder = OUTPUT / name.replace("*", "-")
        folder.mkdir(parents=True, exist_ok=True)
        for step in (begins, shows_panels, shows_a_draw):
            step(screen, home, folder, size, scale)


largest = tuple(max(int(name.partition("*")[0].split("x")[i]) for name in SIZES) for i in (0, 1))
sys.exit(on_a_screen(*largest, body))
