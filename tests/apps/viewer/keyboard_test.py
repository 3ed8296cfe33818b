#!/usr/bin/env python3
"""Keys go by what stands on them, whatever the keyboard's layout.

    keyboard_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb, setxkbmap or a library of X is missing.
"""
import sys

from session import FRAME, Session, on_a_screen, wait_for

SIZE = (320, 180)
WINDOW = (960, 560)
SCREEN = (1000, 600)
# As setxkbmap names them: French, German, American by Dvorak.
LAYOUTS = (["fr"], ["de"], ["us", "-variant", "dvorak"])


def press_and_wait(session, what, changed, key, *modifiers):
    """Presses the key, and waits until the settings that the window shows have changed and stay. On a busy computer the
    window shows an earlier frame for a while, or a key is lost: then the key is pressed again."""
    before, _ = session.facts()
    looks_for_a_press, looks = 8, 0

    def has_changed():
        nonlocal looks
        if looks % looks_for_a_press == 0:
            session.screen.key(key, *modifiers)
        looks += 1
        now, _ = session.facts()
        return now if changed(before, now) else None

    now = wait_for(what, has_changed)

    def stays():
        nonlocal now
        earlier = now
        now, _ = session.facts()
        return now if now == earlier else None

    return wait_for(what, stays)


def limit_of(settings):
    return settings.get("command-limit")


def keys_of(screen, folder, layout):
    screen.set_layout(*layout)
    session = Session(screen, folder, WINDOW, SIZE, FRAME)
    shaded = press_and_wait(session, "M, the next shading", lambda a, b: a["shading"] != b["shading"], "m")
    # The comma's key, which is M's place on a French keyboard, leaves the shading and goes to the draw before.
    fewer = press_and_wait(session, "a comma, fewer draws", lambda a, b: limit_of(a) != limit_of(b), "comma")
    assert fewer["shading"] == shaded["shading"], (layout, fewer["shading"])
    assert limit_of(fewer) is not None, layout
    # A full stop is on a key of its own, or with Shift on the semicolon's.
    stop = ("semicolon", "Shift_L") if layout == ["fr"] else ("period",)
    session.screen.key("comma")
    more = press_and_wait(session, "a full stop, more draws",
                          lambda a, b: limit_of(b) is None or limit_of(b) > limit_of(a), *stop)
    assert more["shading"] == shaded["shading"], layout
    session.close()


def main(screen, folder):
    for layout in LAYOUTS:
        keys_of(screen, folder, layout)
        print(*layout, "done", flush=True)


if __name__ == "__main__":
    sys.exit(on_a_screen(*SCREEN, main, sys.argv[2] if len(sys.argv) > 2 else None))
