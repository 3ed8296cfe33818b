#!/usr/bin/env python3
"""The viewer's panels as a user has them: a frame-time log with F9, draws step by step, OpenGL's and the
game's own picture while a key is held.

    panels_test.py BROKKR reference|alone [FOLDER]    "alone": the viewer was built without the OpenGL reference

Exit code 77: Xvfb or a library of X is missing.
"""
import csv
import json
import subprocess
import sys
import time

import png
from session import BROKKR, FRAME, SOURCE, Session, on_a_screen, rendered, wait_for

REFERENCE = sys.argv[2] == "reference"
SIZE = (320, 240)
WINDOW = (640, 420)


def draws_step_by_step(session, folder, whole):
    session.screen.key("comma")
    time.sleep(0.2)  # the same key pressed again at once would look like a held key
    session.screen.key("comma")
    # The last two draws of the frame are commands 11 and 10, so up to 10 means before 11.
    wait_for("the frame up to a draw", lambda: session.shows(rendered(folder, FRAME, SIZE, "--command-limit", "11")))
    session.screen.key("x")
    wait_for("the frame without it", lambda: session.shows(rendered(folder, FRAME, SIZE, "--command-limit", "10")))
    session.screen.key("BackSpace")
    wait_for("all draws", lambda: session.shows(whole))


def records_a_log(session, folder):
    session.screen.key("r")
    session.screen.key("F9")
    log = wait_for("a log", lambda: next(iter(folder.glob("brokkr-*.csv")), None))
    wait_for("some frames", lambda: len(log.read_text().splitlines()) > 33)
    session.screen.key("p")
    time.sleep(1)
    session.screen.key("F9")
    wait_for("a manifest", log.with_suffix(".json").exists)
    if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True).returncode == 0:
        wait_for("a plot", log.with_suffix(".svg").exists)
    session.screen.key("r")
    check = subprocess.run([sys.executable, str(SOURCE / "tools" / "check-frame-log"), str(log)], capture_output=True, text=True)
    assert check.returncode == 0 and "manifest agrees" in check.stdout, check.stderr
    rows = list(csv.DictReader(log.open()))
    assert {row["Runtime"] for row in rows} == {"OpenGL"} and int(rows[0]["SwapChainAddress"], 16) != 0
    assert len({row["BinPattern"] for row in rows}) > 1, "the pattern was switched while it recorded"
    manifest = json.loads(log.with_suffix(".json").read_text())
    assert manifest["window"]["renderer"] and manifest["scene"]["file"] == str(FRAME), manifest


def shows_opengl_while_a_key_is_held(session, whole):
    session.screen.key_down("c")
    # OpenGL has no colours for captured draws, so it shows their depth in shades of grey.
    def is_depth():
        rows = session.image(*SIZE)
        grey = all(row[0::3] == row[1::3] == row[2::3] for row in rows)
        return grey and len(set(rows[SIZE[1] // 4])) > 3
    if REFERENCE:
        wait_for("OpenGL's picture", is_depth)
    session.screen.key_down("c", False)
    wait_for("Brokkr's picture", lambda: session.shows(whole))
    if REFERENCE:
        session.screen.key_down("v")
        wait_for("the difference", lambda: sum(value == 0 for row in session.image(*SIZE) for value in row) > 0.98 * 3 * SIZE[0] * SIZE[1])
        session.screen.key_down("v", False)
        wait_for("Brokkr's picture", lambda: session.shows(whole))


def shows_frame_times(session):
    """The strip under the image, in whichever panel: a bar for each frame that was shown."""
    def bars():
        x, y, _, height = session.screen.geometry(session.window)
        rows = session.screen.pixels(x + WINDOW[0] - 200, y + height - 120, 190, 80)
        near = lambda row, i: any(all(abs(row[i + c] - color[c]) < 12 for c in range(3))
                                  for color in ((110, 180, 250), (255, 190, 77)))
        return sum(near(row, i) for row in rows for i in range(0, len(row) - 2, 3))

    session.screen.key("F2")
    wait_for("the strip of frame times", lambda: bars() > 5)
    session.screen.key("t")
    wait_for("that it is hidden", lambda: bars() == 0)
    session.screen.key("t")
    wait_for("the strip again", lambda: bars() > 5)
    session.screen.key("F2")


def cells(rows, columns=16, lines=12):
    """Mean colours of a grid of cells, by which pictures of different sizes are compared."""
    width, height = len(rows[0]) // 3, len(rows)
    found = []
    for line in range(lines):
        for column in range(columns):
            part = [row[3 * (column * width // columns) : 3 * ((column + 1) * width // columns)]
                    for row in rows[line * height // lines : (line + 1) * height // lines]]
            found.append([sum(sum(row[c::3]) for row in part) / (sum(map(len, part)) / 3) for c in range(3)])
    return found


def difference(a, b):
    return max(abs(x - y) for cell, other in zip(cells(a), cells(b)) for x, y in zip(cell, other))


def shows_the_games_own_picture_while_a_key_is_held(session, whole, folder):
    subprocess.run([BROKKR, "extract", str(FRAME), "-o", str(folder / "original.png")], check=True, stdout=subprocess.DEVNULL)
    original = png.read(folder / "original.png")[0]
    assert difference(original, whole) > 60, "the game has other colours"
    session.screen.key_down("g")
    wait_for("the game's own picture", lambda: difference(original, session.image(*SIZE)) < 6)
    # The original is twice as large as displayed, and is reduced like Brokkr's own image: a pixel is the mean of four.
    assert len(original) == 2 * SIZE[1]
    for y, row in enumerate(session.image(*SIZE)):
        above, below = original[2 * y], original[2 * y + 1]
        for i in range(0, len(row)):
            at = 6 * (i // 3) + i % 3
            mean = (above[at] + above[at + 3] + below[at] + below[at + 3]) / 4
            assert abs(row[i] - mean) <= 2, (i // 3, y, row[i], mean)
    session.screen.key_down("g", False)
    wait_for("Brokkr's picture", lambda: session.shows(whole))


def shows_a_pattern_of_a_file(screen, folder, whole):
    """The Pattern panel is open from the start. The file is read once: it may be gone afterwards."""
    file = folder / "mine.json"
    file.write_text(json.dumps({"format": "brokkr pattern", "version": 1, "name": "mine", "rasterizers": 4, "width": 2,
                                "height": 2, "owner": [0, 1, 2, 3]}))
    session = Session(screen, folder, (1000, 800), SIZE, "--pattern", file, FRAME,
                      settings={"panel": "Pattern", "options": {"policy": "edf"}})
    pattern = lambda: session.facts()[0]["pattern"]
    session.screen.key("F2")
    wait_for("the frame", lambda: session.shows(whole))
    session.screen.key("F2")
    wait_for("the user interface", session.has_menu)
    assert pattern() == str(file)
    assert session.facts()[0]["policy"] == "edf", "what is remembered holds where the command line says nothing"
    file.unlink()
    session.screen.key("o")
    wait_for("another policy", lambda: session.facts()[0]["policy"] == "priority")
    assert pattern() == str(file), "the pattern changed with the policy"
    x, y, width, _ = session.screen.geometry(session.window)
    session.screen.click(x + width - 380 + 60, y + 290)  # the picture of the first pattern in the panel
    wait_for("the pattern that was clicked", lambda: pattern() == "diagonal")
    assert session.settings()[0] == whole
    assert not session.shows_error()
    session.close()


def body(screen, folder):
    whole = rendered(folder, FRAME, SIZE)
    session = Session(screen, folder, WINDOW, SIZE, FRAME)
    session.screen.key("F2")
    wait_for("the frame", lambda: session.shows(whole))
    session.step(draws_step_by_step, folder, whole)
    session.step(shows_opengl_while_a_key_is_held, whole)
    session.step(shows_the_games_own_picture_while_a_key_is_held, whole, folder)
    session.step(records_a_log, folder)
    session.step(shows_frame_times)
    session.close()
    shows_a_pattern_of_a_file(screen, folder, whole)


sys.exit(on_a_screen(1040, 860, body, *sys.argv[3:4]))
