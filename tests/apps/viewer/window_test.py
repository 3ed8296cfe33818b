#!/usr/bin/env python3
"""The viewer's window among a window manager's: full screen and back, minimized and back.

    window_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb, a library of X or openbox is missing.
"""
import sys
import time

from session import FRAME, Session, on_a_screen, rendered, wait_for

SIZE = (320, 240)
WINDOW = (640, 420)
SCREEN = (800, 600)
POINTER = 8  # rows at the bottom for the pointer's tip: Xvfb draws it into its pixels
GROUND = (14, 15, 18)  # around the image


def only_the_image(session, whole):
    """Whether the screen shows the image in its middle, and nothing but the viewer's ground around it."""
    left, top = (SCREEN[0] - SIZE[0]) // 2, (SCREEN[1] - SIZE[1]) // 2
    line = bytes(GROUND) * SCREEN[0]
    rows = session.screen.pixels(0, 0, SCREEN[0], SCREEN[1] - POINTER)
    inner = slice(3 * left, 3 * (left + SIZE[0]))
    side = bytes(GROUND) * left
    middle = rows[top : top + SIZE[1]]
    return (all(row == line for row in rows[:top] + rows[top + SIZE[1] :]) and [row[inner] for row in middle] == whole
            and all(row[: 3 * left] == side and row[3 * (left + SIZE[0]) :] == side for row in middle))


def fills_the_screen(session, whole):
    start = session.screen.geometry(session.window)
    session.screen.place(session.window, 10, 30)  # not in the middle of the screen, where full screen has the image as well
    wait_for("another place", lambda: session.screen.geometry(session.window)[:2] != start[:2])
    session.screen.move(SCREEN[0] - 1, SCREEN[1] - 1)
    wait_for("the image at another place", lambda: session.shows(whole))
    before = session.screen.geometry(session.window)
    assert before[2:] == WINDOW and before[:2] != (0, 0), before
    for _ in range(2):
        time.sleep(0.2)  # the same key again at once looks like one that is held
        session.screen.key("F11")
        wait_for("a window as large as the screen", lambda: session.screen.geometry(session.window) == (0, 0, *SCREEN))
        wait_for("the image alone on the screen", lambda: only_the_image(session, whole))
        time.sleep(0.2)
        session.screen.key("F11")
        wait_for("the window as it was", lambda: session.screen.geometry(session.window) == before)
        wait_for("the image in the window", lambda: session.shows(whole))


def sleeps_while_minimized(session, whole):
    iconic = 3
    state = lambda: session.screen.property(session.window, "WM_STATE")[:1]
    for continuous in (False, True):
        if continuous:  # frames that nobody sees are not drawn
            session.screen.key("r")
            begin = session.cpu_seconds()
            wait_for("work", lambda: session.cpu_seconds() > begin + 0.2)
        session.screen.minimize(session.window)
        wait_for("a minimized window", lambda: state() == [iconic])
        session.wait_for_rest()  # after the frame under way
        session.screen.activate(session.window)
        wait_for("the window again", lambda: state() != [iconic])
        wait_for("the image again", lambda: session.shows(whole))
    session.screen.key("r")


def body(screen, folder):
    screen.manage()
    whole = rendered(folder, FRAME, SIZE)
    session = Session(screen, folder, WINDOW, SIZE, FRAME)
    session.screen.key("F2")
    wait_for("the frame", lambda: session.shows(whole))
    session.step(fills_the_screen, whole)
    session.step(sleeps_while_minimized, whole)
    session.close()


sys.exit(on_a_screen(*SCREEN, body, *sys.argv[2:3]))
