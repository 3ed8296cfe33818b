#!/usr/bin/env python3
"""Tests traced pictures and micropolygons in the window, as a user sees them.

    painting_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/viewer"))
import png
from session import ASIDE, BROKKR, Session, on_a_screen, wait_for

SIZE = (160, 96)
WINDOW = (760, 420)
SCREEN = (800, 460)
MIDDLE = (WINDOW[0] // 2, WINDOW[1] // 2)
# A room with an open front and a lamp below its ceiling.
ROOM = """mtllib room.mtl
v -1 0 1
v 1 0 1
v 1 0 -1
v -1 0 -1
v -1 2 1
v 1 2 1
v 1 2 -1
v -1 2 -1
v -0.4 1.98 0.4
v 0.4 1.98 0.4
v 0.4 1.98 -0.4
v -0.4 1.98 -0.4
usemtl white
f 1 2 3 4
f 5 8 7 6
f 4 3 7 8
usemtl red
f 1 4 8 5
usemtl blue
f 2 6 7 3
usemtl lamp
f 9 12 11 10
"""
MATERIALS = """newmtl white
Kd 0.7 0.7 0.7
newmtl red
Kd 0.7 0.2 0.2
newmtl blue
Kd 0.2 0.2 0.7
newmtl lamp
Kd 0 0 0
Ke 8 8 7
"""


def drawn_again(session, command, output):
    """Draws the command that a picture contains with the tested program."""
    words = shlex.split(command)
    assert words[0] == "brokkr", command
    subprocess.run([BROKKR, *words[1:], "-o", str(output)], check=True, stdout=subprocess.DEVNULL, cwd=session.folder)
    return png.read(output)[0] if output.suffix == ".png" else output.read_bytes()


def done(session):
    rows, settings, command = session.settings()
    return (rows, command) if settings.get("trace", {}).get("done") else None


def traces_a_scene(session, folder):
    session.screen.key("F2")
    rows, command = wait_for("a picture with all samples", lambda: done(session))
    assert command.startswith("brokkr trace") and "--samples 16" in command, command
    assert rows == drawn_again(session, command, folder / "again.png"), "brokkr trace draws another picture"
    wait_for("the picture in the window", lambda: session.shows(rows))
    exr = session.last_shot.with_suffix(".exr")
    wait_for("its light", exr.exists)
    wait_for("all of its light", lambda: exr.read_bytes() == drawn_again(session, command, folder / "again.exr"))
    session.wait_for_rest()

    session.screen.drag(MIDDLE, (MIDDLE[0] + 40, MIDDLE[1] + 10))
    session.screen.move(*ASIDE)
    moved, command = wait_for("another camera's picture", lambda: (lambda d: d if d and "--camera" in d[1] else None)(done(session)))
    assert moved != rows
    assert moved == drawn_again(session, command, folder / "again.png"), "brokkr trace draws another picture"
    session.screen.key("l")
    wait_for("the pipeline's frame", lambda: session.settings()[2].startswith("brokkr render"))
    session.screen.key("l")
    wait_for("the traced picture again", lambda: (done(session) or [None])[0] == moved)


def pauses_and_goes_on(session):
    samples = lambda: session.settings()[1]["trace"]["mean_samples"]
    first = samples()
    wait_for("more samples", lambda: samples() > first)
    session.screen.key("space")
    wait_for("a pause", lambda: session.settings()[1]["trace"]["paused"])
    paused = samples()
    session.wait_for_rest()
    assert samples() == paused, "samples were taken meanwhile"
    session.screen.key("space")
    wait_for("samples again", lambda: samples() > paused)


def shows_the_sample_map(session):
    """Checks that the picture has heat colours, which the room has not, and a legend with numbers."""
    session.screen.key("F2")
    def has_heat():
        rows = session.image(*SIZE)
        return len({row[3 * x : 3 * x + 3] for row in rows[::8] for x in range(0, SIZE[0], 8)}) > 1 and rows != session.settings()[0]
    wait_for("the map", has_heat)


def follows_the_eye(session, folder):
    session.screen.key("F2")
    command = lambda: session.settings()[2]
    wait_for("micropolygons", lambda: command().startswith("brokkr reyes teapot"))
    x, y, w, h = session.screen.geometry(session.window)
    left, top = x + w // 2 - SIZE[0] // 2, y + h // 2 - SIZE[1] // 2
    session.screen.move(left + 50, top + 40)
    wait_for("a fixation point under the mouse", lambda: f"--fixation 50,{SIZE[1] - 40}" in command())
    session.screen.click(left + 60, top + 30)
    fixed = f"--fixation 60,{SIZE[1] - 30}"
    wait_for("one where it was clicked", lambda: fixed in command())
    session.screen.move(left + 90, top + 60)
    session.screen.move(*ASIDE)
    rows, _, line = session.settings()
    assert fixed in line, line
    assert rows == drawn_again(session, line, folder / "again.png"), "brokkr reyes draws another picture"
    session.wait_for_rest()

    phase = lambda: session.settings()[1]["micropolygons"]["phase"]
    assert phase() == 0
    session.screen.key("space")
    wait_for("movement", lambda: phase() > 0)
    session.screen.key("space")
    session.wait_for_rest()
    rest = phase()
    assert phase() == rest, "it moves on"


def shows_files_of_patches(screen, folder):
    file = folder / "my patches.bpt"
    subprocess.run([BROKKR, "reyes", "teapot", "--write-patches", str(file)], check=True, stdout=subprocess.DEVNULL)
    session = Session(screen, folder, WINDOW, SIZE, file, settings={"micropolygons": {"limit": 0, "rate": 2}})
    rows, _, command = wait_for("a picture", session.settings)
    assert "--budget" not in command and "--tasks" not in command and "--rate 2" in command, command
    assert rows == drawn_again(session, command, folder / "again.png"), "brokkr reyes draws another picture"
    session.close()


def refuses_other_names(screen, folder):
    for words, said in ((["--reyes", "kettle"], "kettle: there are no patches of this name"), (["--reyes", "--trace"], "give only one of them")):
        ended = subprocess.run([BROKKR, "view", *words], cwd=folder, capture_output=True, text=True,
                               env={"DISPLAY": screen.name, "HOME": str(folder), "PATH": "/usr/bin:/bin"})
        assert ended.returncode in (1, 2) and said in ended.stderr and ended.stderr.count("\n") == 1, ended.stderr


def body(screen, folder):
    (folder / "room.obj").write_text(ROOM)
    (folder / "room.mtl").write_text(MATERIALS)
    refuses_other_names(screen, folder)
    room = folder / "room.obj"
    even = {"adaptive": False, "samples": 16}
    session = Session(screen, folder, WINDOW, SIZE, "--trace", room, settings={"trace": even})
    session.step(traces_a_scene, folder)
    session.close()
    session = Session(screen, folder, WINDOW, SIZE, "--trace", room, settings={"trace": {"samples": 65536, "map_opacity": 1}})
    session.step(pauses_and_goes_on)
    session.step(shows_the_sample_map)
    session.close()
    session = Session(screen, folder, WINDOW, SIZE, "--reyes", "teapot", "--workers", "1",
                      settings={"micropolygons": {"limit": 2, "splits": 60}})
    session.step(follows_the_eye, folder)
    session.close()
    shows_files_of_patches(screen, folder)


if __name__ == "__main__":
    sys.exit(on_a_screen(*SCREEN, body, sys.argv[2] if len(sys.argv) > 2 else None))
