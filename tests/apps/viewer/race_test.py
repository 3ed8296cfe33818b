#!/usr/bin/env python3
"""A/B of two patterns, one of them from a file: what the viewer's A/B panel says that it drew and timed.

    race_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing.
"""
import ctypes
import json
import os
import sys
import time

from session import ASIDE, FRAME, Session, on_a_screen, rendered, wait_for

SIZE = (160, 120)
WINDOW = (760, 1000)
# The position of the panel in the window: left edge, lists A and B, the button; in pixels from the upper left corner.
LEFT, LISTS, A, B, START = 386, 519, 172, 201, (423, 230)
STATUS_BAR = 26
LIST = 170  # from the middle of a closed list to the last of the eight lines that it opens with
WHEEL_DOWN = 5  # X's number of this button


class Opened:
    """Tells whether a file was opened since it was last asked."""

    IN_OPEN = 0x20

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.handle = libc.inotify_init1(os.O_NONBLOCK)
        assert libc.inotify_add_watch(self.handle, os.fsencode(path), self.IN_OPEN) > 0, os.strerror(ctypes.get_errno())

    def again(self):
        try:
            return bool(os.read(self.handle, 4096))
        except BlockingIOError:
            return False


def letters(row, ground):
    """The red of a row of pixels as 0 on its ground and 255 within letters, so that text compares on any ground."""
    return [max(0, 255 * (value - ground) // (255 - ground)) for value in row[::3]]


class Panel:
    """The panel's part of the window, by screenshots."""

    def __init__(self, session):
        self.session = session

    def look(self):
        self.rows = self.session.screenshot()[0][:-STATUS_BAR]
        return self

    def text(self, middle):
        """The text of a closed list, as rows of letters()."""
        lines = [letters(row[3 * (LISTS + 4) : 3 * (LISTS + 180)], row[3 * (LISTS + 3)]) for row in self.rows[middle - 7 : middle + 8]]
        width = 1 + max(x for line in lines for x, value in enumerate(line) if value > 5)
        return [line[:width] for line in lines]

    def find(self, text, top):
        """The rows below `top` where this text stands with nothing behind it."""
        rows = [letters(row[3 * LEFT : 3 * (LEFT + 240)], row[3 * (LEFT + 2)]) for row in self.rows]
        blank = [0] * 6
        # Its brightest pixel is compared first: almost no place has it.
        brightest, row, column = max((value, i, j) for i, line in enumerate(text) for j, value in enumerate(line))
        def stands(x, y):
            return abs(brightest - rows[y + row][x + column]) < 40 and all(abs(a - b) < 40 for line, row in zip(text, rows[y:]) for a, b in zip(line + blank, row[x:]))
        return [y for y in range(top, len(rows) - len(text)) if any(stands(x, y) for x in range(60))]

    def click(self, x, y):
        left, top, _, _ = self.session.screen.geometry(self.session.window)
        self.session.screen.click(left + x, top + y)

    def choose_last(self, middle):
        """The last line of a list: the pattern of the file."""
        self.click(LISTS + 60, middle)
        x, y, _, _ = self.session.screen.geometry(self.session.window)
        self.session.screen.move(x + LISTS + 60, y + middle + LIST)
        for _ in range(12):
            self.session.screen.button(WHEEL_DOWN, True)
            self.session.screen.button(WHEEL_DOWN, False)
            time.sleep(0.05)
        self.click(LISTS + 60, middle + LIST)
        self.session.screen.move(*ASIDE)


def measures_both_patterns(session, panel, opened):
    a, b, button = A, B, START[1]
    diagonal, corput = panel.look().text(a), panel.text(b)
    panel.choose_last(a)
    wait_for("the pattern of the file as A", lambda: panel.look().text(a) != diagonal)
    mine = panel.text(a)
    panel.click(*START)
    session.screen.move(*ASIDE)

    def drawn():
        """The rows of the result that name the file's pattern, and those that name B's."""
        panel.look()
        assert not panel.find(diagonal, button), "a pattern was drawn that nobody chose"
        return panel.find(mine, button), panel.find(corput, button)
    in_a, in_b = wait_for("a result", lambda: all(drawn()) and drawn())
    assert len(in_a) == len(in_b) == 1 and in_a < in_b, f"A drew what {in_a} name, B what {in_b} name"
    # A setting changes while frames alternate: the comparison restarts with the same two patterns and without the file.
    settings = session.facts()[0]
    for option, key in (("policy", "o"), ("shading", "m"), ("pattern", "p")):
        session.screen.key(key)
        wait_for(f"another {option}", lambda: session.facts()[0][option] != settings[option])
        in_a, in_b = wait_for("a result", lambda: all(drawn()) and drawn())  # below hints, which may differ
        assert len(in_a) == len(in_b) == 1 and in_a < in_b, option
    panel.choose_last(b)
    wait_for("the file's pattern twice", lambda: panel.look().text(b) == mine)
    panel.click(*START)
    session.screen.move(*ASIDE)
    wait_for("a result of it twice", lambda: [len(rows) for rows in drawn()] == [2, 0])
    assert not opened.again(), "the pattern's file was read again"


def body(screen, folder):
    file = folder / "mine.json"
    file.write_text(json.dumps({"format": "brokkr pattern", "version": 1, "name": "mine", "rasterizers": 4, "width": 2,
                                "height": 2, "owner": [0, 1, 2, 3]}))
    session = Session(screen, folder, WINDOW, SIZE, "--pattern", file, FRAME,
                      settings={"panel": "A/B"})
    opened = Opened(file)
    whole = rendered(folder, FRAME, SIZE)
    screen.key("F2")
    wait_for("the frame", lambda: session.shows(whole))
    screen.key("F2")
    wait_for("the user interface", session.has_menu)
    session.step(measures_both_patterns, Panel(session), opened)
    session.close()
    file.read_text()
    assert opened.again(), "the watch sees who opens the file"


sys.exit(on_a_screen(WINDOW[0] + 40, WINDOW[1] + 40, body, *sys.argv[2:3]))
