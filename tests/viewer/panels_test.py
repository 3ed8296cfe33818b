#!/usr/bin/env python3
"""The viewer's panels as a user has them: a frame-time log with F9, draws step by step, OpenGL's picture while a key is held.

    panels_test.py BROKKR reference|alone [FOLDER]    "alone": the viewer was built without the OpenGL reference

Exit code 77: Xvfb or a library of X is missing.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import png
from screen import Screen, Unavailable

BROKKR, REFERENCE = sys.argv[1], sys.argv[2] == "reference"
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FRAME = SOURCE / "scenes" / "gl-feature-test.bkf"
SIZE = (320, 240)
WINDOW = (640, 420)
ASIDE = (20, 400)  # for the pointer, which Xvfb draws into its pixels


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"{what} did not come about within {seconds} s")
        time.sleep(0.05)


def rendered(folder, *options):
    out = folder / "rendered.png"
    subprocess.run([BROKKR, "render", str(FRAME), "-o", str(out), "--size", f"{SIZE[0]}x{SIZE[1]}", *options], check=True,
                   stdout=subprocess.DEVNULL)
    return png.read(out)[0]


class Session:
    def __init__(self, screen, folder):
        self.screen, self.folder = screen, folder
        environment = dict(os.environ, DISPLAY=screen.name, XDG_CONFIG_HOME=str(folder / "config"), LP_NUM_THREADS="2")
        environment.pop("WAYLAND_DISPLAY", None)
        self.log = open(folder / "viewer.log", "w+")
        words = [BROKKR, "view", "--fresh", "--window", f"{WINDOW[0]}x{WINDOW[1]}", "--size", f"{SIZE[0]}x{SIZE[1]}", str(FRAME)]
        self.process = subprocess.Popen(words, cwd=folder, env=environment, stderr=self.log)
        self.window = wait_for("a window", self.find_window)
        screen.move(*ASIDE)
        wait_for("the user interface", lambda: any(screen.raw(0, 10, 200, 1)[::4]))

    def find_window(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise AssertionError(f"the viewer ended with {self.process.returncode}: {self.log.read()}")
        windows = self.screen.windows()
        return windows[-1] if windows else None

    def image(self):
        """The middle of the window, where the image is while everything else is hidden."""
        x, y, w, h = self.screen.geometry(self.window)
        return self.screen.pixels(x + int(w / 2 - SIZE[0] / 2 + 0.5), y + int(h / 2 - SIZE[1] / 2 + 0.5), *SIZE)

    def shows(self, rows):
        return self.image() == rows

    def close(self):
        self.screen.ask_to_close(self.window)
        assert self.process.wait(30) == 0, "the viewer did not end well"
        self.log.seek(0)
        text = self.log.read()
        assert text == "", text


def draws_step_by_step(session, folder, whole):
    session.screen.key("comma")
    time.sleep(0.2)  # the same key again at once looks like one that is held
    session.screen.key("comma")
    # The last two draws of the frame are the commands 11 and 10: up to 10 means before 11.
    wait_for("the frame up to a draw", lambda: session.shows(rendered(folder, "--command-limit", "11")))
    session.screen.key("x")
    wait_for("the frame without it", lambda: session.shows(rendered(folder, "--command-limit", "10")))
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
    # OpenGL has no colours for captured draws: it shows their depth in shades of grey.
    def is_depth():
        rows = session.image()
        grey = all(row[0::3] == row[1::3] == row[2::3] for row in rows)
        return grey and len(set(rows[SIZE[1] // 4])) > 3
    if REFERENCE:
        wait_for("OpenGL's picture", is_depth)
    session.screen.key_down("c", False)
    wait_for("Brokkr's picture", lambda: session.shows(whole))
    if REFERENCE:
        session.screen.key_down("v")
        wait_for("the difference", lambda: sum(value == 0 for row in session.image() for value in row) > 0.98 * 3 * SIZE[0] * SIZE[1])
        session.screen.key_down("v", False)
        wait_for("Brokkr's picture", lambda: session.shows(whole))


def run(screen, folder):
    whole = rendered(folder)
    session = Session(screen, folder)
    session.screen.key("F2")
    wait_for("the frame", lambda: session.shows(whole))
    for step, arguments in ((draws_step_by_step, (folder, whole)), (shows_opengl_while_a_key_is_held, (whole,)),
                            (records_a_log, (folder,))):
        begin = time.monotonic()
        step(session, *arguments)
        print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    session.close()


def main():
    with tempfile.TemporaryDirectory(prefix="brokkr-") as name:
        folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else name).resolve()
        folder.mkdir(exist_ok=True)
        try:
            screen = Screen(folder, 700, 460)
        except Unavailable as missing:
            print(f"skipped: {missing}")
            return 77
        try:
            run(screen, folder)
        finally:
            screen.close()
    return 0


sys.exit(main())
