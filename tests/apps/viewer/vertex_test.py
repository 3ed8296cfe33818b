#!/usr/bin/env python3
"""Vertex programs of a captured frame in the window: the mouse moves the game's own camera, and the panel Uniforms edits
what the programs read. `brokkr render` draws the same pictures from the lines in the screenshots.

    vertex_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing, or the programs cannot be translated.
"""
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import png
import test_frame
from session import BROKKR, Session, on_a_screen, wait_for

WINDOW = (1280, 800)
PANEL = (910, 120, 360, 500)  # what is open at the right


def region(session, part):
    x, y, _, _ = session.screen.geometry(session.window)
    return session.screen.raw(x + part[0], y + part[1], part[2], part[3])


def drawn_again(folder, command):
    """The rows of the picture that the line of a screenshot draws."""
    words = shlex.split(command)
    assert words[0] == "brokkr", command
    out = folder / "again.png"
    subprocess.run([BROKKR, *words[1:], "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    return png.read(out)[0]


def moves_the_games_camera(session, folder, captured):
    x, y, _, _ = session.screen.geometry(session.window)
    session.screen.drag((x + 430, y + 330), (x + 520, y + 360), pause=0.3)
    session.screen.move(x + 20, y + 400)
    wait_for("another camera", lambda: "--camera" in session.facts()[1])
    session.wait_for_rest()
    rows, _, command = session.settings()
    assert rows != captured, "the picture did not move"
    assert rows == drawn_again(folder, command), command
    shutil.copy(session.last_shot, folder / "vertex-moved.png")
    session.screen.key("Home")
    wait_for("the game's own picture", lambda: session.settings()[0] == captured)


def edits_a_uniform(session, folder, captured):
    """A click chooses the draw; a drag over its first number moves its own camera, and no other draw."""
    x, y, _, _ = session.screen.geometry(session.window)
    panel = region(session, PANEL)
    session.screen.move(x + 440, y + 500)  # the floor
    session.wait_for_rest()
    session.screen.click(x + 440, y + 500)
    wait_for("the uniforms of a draw", lambda: region(session, PANEL) != panel)
    session.wait_for_rest()
    shutil.copy(session.save(), folder / "vertex-uniforms.png")
    for row in range(340, 480, 12):
        session.screen.drag((x + 1090, y + row), (x + 1200, y + row), pause=0.2)
        session.wait_for_rest()
        if "uniforms" in session.facts()[0]:
            break
    rows, settings, _ = session.settings()
    assert "uniforms" in settings, "no uniform could be dragged"
    assert len(settings["uniforms"]) == 1, settings["uniforms"]
    assert rows != captured, "a changed uniform changes nothing"
    shutil.copy(session.save(), folder / "vertex-edited.png")


def body(screen, folder):
    file = folder / "game.bkf"
    file.write_bytes(test_frame.game())
    made = subprocess.run([BROKKR, "render", str(file), "-o", str(folder / "captured.png")], capture_output=True, text=True)
    if "built without" in made.stderr:
        raise SystemExit(77)
    assert made.returncode == 0 and "vertex program" not in made.stderr, made.stderr
    session = Session(screen, folder, WINDOW, None, file, settings={"panel": "Uniforms"})
    captured = session.settings()[0]
    assert captured == png.read(folder / "captured.png")[0]
    session.step(moves_the_games_camera, folder, captured)
    session.step(edits_a_uniform, folder, captured)
    session.close()


sys.exit(on_a_screen(*WINDOW, body, *sys.argv[2:3]))
