#!/usr/bin/env python3
"""Pictures of every screen of the window, to look at: start, dialogs, each panel, the tabs of a draw, help, tour, A/B.

    screens.py BROKKR FOLDER [WIDTHxHEIGHT[*SCALE]…]    FOLDER/WIDTHxHEIGHT/NAME.png (1280x800 1920x1080 3840x2160*2)
"""
import pathlib
import sys
import time

import png
from session import SOURCE, Session, on_a_screen

FRAME = SOURCE / "scenes/extremetuxracer.bkf"
SIZES = ["1280x800", "1920x1080", "3840x2160*2"]
PANELS = ["Scene", "Pipeline", "Policy", "Pattern", "Draws", "Shader", "A/B", "Compare", "Log", "Trace", "Probe"]
OUTPUT = pathlib.Path(sys.argv[2]).resolve()


def keep(session, folder, name):
    """The window as it is when nothing more is drawn."""
    session.wait_for_rest(1)
    x, y, width, height = session.screen.geometry(session.window)
    png.write(folder / f"{name}.png", session.screen.pixels(x, y, width, height))
    print(folder / f"{name}.png", flush=True)


def at(session, part):
    """A point of the window; `part` counts from 0 to 1."""
    x, y, width, height = session.screen.geometry(session.window)
    return x + round(part[0] * width), y + round(part[1] * height)


def words_of(scale):
    return ["--scale", str(scale)] if scale != 1 else []


def begins(screen, home, folder, size, scale):
    session = Session(screen, home, size, None, *words_of(scale), settings={})
    session.wait_for_cards()
    keep(session, folder, "start")
    for name, key in (("open", "o"), ("capture", "k")):
        session.screen.key(key, "Control_L")
        time.sleep(1)
        keep(session, folder, name)
        session.screen.key("Escape")
        session.wait_for_rest(1)
    session.close()


def shows_panels(screen, home, folder, size, scale):
    for panel in PANELS:
        session = Session(screen, home, size, None, FRAME, *words_of(scale), settings={"panel": panel})
        session.settings()  # the frame stands there
        session.last_shot.unlink()
        if panel == "A/B":
            session.screen.key("b")
            time.sleep(15)
            session.screen.key("b")
        keep(session, folder, f"panel-{panel.replace('/', '')}")
        if panel == "Pattern":
            session.screen.key("k")
            keep(session, folder, "paper")
        if panel == "Scene":
            session.screen.key("F1")
            keep(session, folder, "help")
        session.close()


def shows_a_draw(screen, home, folder, size, scale):
    """The tabs stand in a row above the preview; a click on the image chooses the draw."""
    for tab in ("picture", "state", "texture", "mesh", "program"):
        session = Session(screen, home, size, None, FRAME, *words_of(scale), settings={"panel": "Draws"})
        session.settings()
        session.last_shot.unlink()
        session.screen.move(*at(session, (0.42, 0.62)))
        time.sleep(1)
        session.screen.click(*at(session, (0.42, 0.62)))
        keep(session, folder, f"draw-{tab}")
        session.close()


def body(screen, home):
    wanted = [name for name in sys.argv[3:]] or SIZES
    for name in wanted:
        size, _, scale = name.partition("*")
        size = tuple(int(number) for number in size.split("x"))
        scale = float(scale or 1)
        folder = OUTPUT / name.replace("*", "-")
        folder.mkdir(parents=True, exist_ok=True)
        for step in (begins, shows_panels, shows_a_draw):
            step(screen, home, folder, size, scale)


largest = tuple(max(int(name.partition("*")[0].split("x")[i]) for name in sys.argv[3:] or SIZES) for i in (0, 1))
sys.exit(on_a_screen(*largest, body))
