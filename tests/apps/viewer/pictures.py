#!/usr/bin/env python3
"""Makes the pictures of the window in docs/images anew: the real window on a virtual screen, looking at bundled frames.

    pictures.py BROKKR [FOLDER] [NAME…]    writes viewer-*.png and README's animation hero.png to docs/images, or to
                                           FOLDER; all, or only those named

The times in them are those of this computer: make them on a quiet one.
"""
import pathlib
import struct
import sys
import tempfile
import time

import png
from png import chunk, packed
from session import SOURCE, Session, on_a_screen, wait_for

FRAME = SOURCE / "scenes/supertuxkart.bkf"
DRAWS = SOURCE / "scenes/openarena.bkf"
OWN = SOURCE / "assets" / "courtyard.obj"
SCREEN = (1680, 945)
WINDOW = (1360, 800)
WIDE = (1680, 945)
OUTPUT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else SOURCE / "docs" / "images").resolve()
HERO_LIMIT = 3_000_000  # bytes


def settled(session):
    """Until the frame stands in the window and nothing more is drawn."""
    session.settings()
    session.last_shot.unlink()
    session.wait_for_rest(3)


def at(session, x, y):
    left, top, _, _ = session.screen.geometry(session.window)
    return left + x, top + y


def as_it_is(session):
    pass


def zoom_into_the_time_line(session):
    """Geometry at the left, rasterization beside it."""
    session.screen.move(*at(session, 120, 725))
    time.sleep(0.2)
    session.screen.button(4, True)
    session.screen.button(4, False)


def as_in_the_paper(session):
    session.screen.key("k")
    session.screen.move(*at(session, 600, 795))


def draw_the_film(session):
    session.screen.click(*at(session, 1300, 164))
    session.screen.move(*at(session, 600, 940))
    session.wait_for_rest(3)


def choose_a_draw(session):
    session.screen.move(*at(session, 780, 500))
    time.sleep(1)  # the pointer is known to be over the image by then
    session.screen.click(*at(session, 780, 500))
    settled(session)
    session.screen.click(*at(session, 173, 171))  # the tab Mesh
    session.screen.move(*at(session, 780, 500))


def trace(session):
    session.screen.key("l")
    time.sleep(20)
    session.screen.key("space")


# Window, file, settings, and the steps to take.
PICTURES = {
    "viewer-start": (WINDOW, None, {}, as_it_is),
    "viewer-policy": (WINDOW, "generated:city", {"panel": "Policy"}, zoom_into_the_time_line),
    "viewer-pattern": (WINDOW, FRAME, {"panel": "Pattern"}, as_in_the_paper),
    "viewer-draws": (WIDE, DRAWS, {"panel": "Pipeline"}, choose_a_draw),
    "viewer-probe": (WIDE, OWN, {"panel": "Probe"}, draw_the_film),
    "viewer-trace": (WINDOW, OWN, {"panel": "Trace"}, trace),
    "viewer-reyes": (WINDOW, "--reyes=tea-set", {"panel": "Micropolygons"}, as_it_is),
}


def changed_part(before, after):
    """Left, top, width and height of the smallest rectangle that holds all changes."""
    differing = [y for y, (a, b) in enumerate(zip(before, after)) if a != b]
    top, height = differing[0], differing[-1] - differing[0] + 1
    lefts, rights = [], []
    for y in differing:
        pixels = [i // 3 for i, (a, b) in enumerate(zip(before[y], after[y])) if a != b]
        lefts.append(pixels[0])
        rights.append(pixels[-1])
    return min(lefts), top, max(rights) - min(lefts) + 1, height


def write_animation(path, frames, seconds):
    """An animated PNG (APNG 1.0). Colours have 5 bits, which nobody sees and which packs well."""
    coarse = bytes((v >> 3) * 255 // 31 for v in range(256))
    frames = [[row.translate(coarse) for row in frame] for frame in frames]
    width, height = len(frames[0][0]) // 3, len(frames[0])
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data += chunk(b"acTL", struct.pack(">II", len(frames), 0))
    number = 0
    for i, frame in enumerate(frames):
        left, top, wide, high = (0, 0, width, height) if i == 0 else changed_part(frames[i - 1], frame)
        data += chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, wide, high, left, top, round(seconds * 100), 100, 0, 0))
        number += 1
        pixels = packed([row[3 * left : 3 * (left + wide)] for row in frame[top : top + high]])
        if i == 0:
            data += chunk(b"IDAT", pixels)
        else:
            data += chunk(b"fdAT", struct.pack(">I", number) + pixels)
            number += 1
    data += chunk(b"IEND", b"")
    assert len(data) < HERO_LIMIT, f"{len(data)} bytes: use fewer patterns"
    path.write_bytes(data)


def make_hero(screen, folder):
    """P is pressed again and again: overlay and loads change, the image does not. Without the status bar and its times."""
    session = Session(screen, folder, (1120, 700), None, FRAME, settings={"panel": "Pattern", "time_line": False})
    settled(session)
    x, y, width, height = screen.geometry(session.window)

    def shown():
        """The loads are at the end of the panel; the pointer is then moved to the status bar, which the picture leaves out."""
        screen.move(x + width - 150, y + height // 2)
        time.sleep(0.5)
        for _ in range(40):
            screen.button(5, True)
            screen.button(5, False)
        screen.move(x + width // 2, y + height - 8)
        session.wait_for_rest(3)
        return screen.pixels(x, y, width, height - 32)

    def command():
        """The command of the frame that the window shows."""
        text = session.facts()[1]
        session.last_shot.unlink()
        return text

    frames, drawn = [], command()
    for key in "kppppp":
        frames.append(shown())
        screen.key(key)
        wait_for("the next frame", lambda: command() != drawn)
        drawn = command()
    session.close()
    write_animation(OUTPUT / "hero.png", frames, 1.4)


def body(screen, folder):
    wanted = sys.argv[3:]
    for name, (window, file, settings, act) in PICTURES.items():
        if wanted and name not in wanted:
            continue
        session = Session(screen, folder, window, None, *([file] if file else []), settings=settings)
        if file:
            settled(session)
        else:
            session.wait_for_cards()
        act(session)
        if act is not trace and file:
            session.wait_for_rest(3)
        time.sleep(6)  # a note about the pictures taken so far is gone
        if file:
            (OUTPUT / f"{name}.png").write_bytes(png.without_texts(session.save()))
        else:
            x, y, width, height = screen.geometry(session.window)
            png.write(OUTPUT / f"{name}.png", screen.pixels(x, y, width, height))
        session.close()
    if not wanted or "hero" in wanted:
        make_hero(screen, folder)


with tempfile.TemporaryDirectory(prefix="brokkr-") as name:
    sys.exit(on_a_screen(*SCREEN, body, name))
