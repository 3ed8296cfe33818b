#!/usr/bin/env python3
"""A shader of the user's own in the viewer: it is dropped, edited, broken and mended.

    shader_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing, or the program was built without shaders.
"""
import shutil
import subprocess
import sys

from drop import Source
from session import BROKKR, SKIPPED, SOURCE, Session, on_a_screen, rendered, wait_for

SIZE = (320, 240)
WINDOW = (900, 560)
SCENE = SOURCE / "assets" / "spheres.glb"
TEXT = """in vec3 b_normal;
uniform vec3 tint = vec3({});
uniform float gain = 1.0;
out vec4 color;
void main() {{ color = vec4(abs(normalize(b_normal)) * tint * gain, 1.0); }}
"""


def write(session, text):
    file = session.folder / "own.frag"
    file.write_text(text)
    return file


def drawn_by(session, text):
    return rendered(session.folder, SCENE, SIZE, "--fragment", str(write(session, text)))


def takes_a_dropped_shader(session, source):
    red = drawn_by(session, TEXT.format("1.0, 0.2, 0.1"))
    source.drop(session.window, session.folder / "own.frag")
    wait_for("the shader's picture", lambda: session.shows(red))


def reads_it_again_when_it_is_written(session):
    blue = drawn_by(session, TEXT.format("0.1, 0.4, 1.0"))
    wait_for("the new text's picture", lambda: session.shows(blue))
    return blue


def goes_on_while_the_text_has_a_fault(session, before):
    write(session, TEXT.format("1.0") + "nonsense\n")
    session.wait_for_rest()
    assert session.shows(before), "a text with a fault changes the picture"
    session.screen.key("F2")
    session.wait_for_rest()
    session.screenshot()
    session.screen.key("F2")
    shutil.copy(session.last_shot, session.folder / "fault.png")
    green = drawn_by(session, TEXT.format("0.2, 1.0, 0.2"))
    wait_for("the mended text's picture", lambda: session.shows(green))


def run(screen, folder):
    scene = rendered(folder, SCENE, SIZE)
    session = Session(screen, folder, WINDOW, SIZE, SCENE)
    source = Source(screen)
    screen.key("F2")
    wait_for("the scene", lambda: session.shows(scene))
    session.step(takes_a_dropped_shader, source)
    blue = reads_it_again_when_it_is_written(session)
    session.step(goes_on_while_the_text_has_a_fault, blue)
    session.close()


if __name__ == "__main__":
    if "built without" in subprocess.run([BROKKR, "shaders", "/dev/null"], capture_output=True, text=True).stderr:
        sys.exit(SKIPPED)
    sys.exit(on_a_screen(1000, 640, run, *sys.argv[2:]))
