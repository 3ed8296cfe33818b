#!/usr/bin/env python3
"""A shader of the user's own in the viewer: it is dropped, edited, broken and mended.

    shader_test.py BROKKR [FOLDER]    leaves its pictures in FOLDER

Exit code 77: Xvfb or a library of X is missing, or the program was built without shaders.
"""
import shlex
import shutil
import subprocess
import sys

import png
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
    # The command in a saved picture draws it again.
    command = shlex.split(session.facts()[1])
    assert command[:2] == ["brokkr", "render"] and str(session.folder / "own.frag") in command, command
    again = session.folder / "again.png"
    subprocess.run([BROKKR, *command[1:], "-o", str(again)], check=True, stdout=subprocess.DEVNULL)
    assert png.read(again)[0] == red, command


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


def plays_shadertoy(screen, folder):
    """Keys, mouse and a buffer that counts pictures are the shader's where it fills the picture."""
    (folder / "a.frag").write_text("void mainImage(out vec4 c, vec2 u) { c = texelFetch(iChannel0, ivec2(u), 0) + 1.0; }")
    (folder / "toy.frag").write_text("""void mainImage(out vec4 c, vec2 u) {
  bool key = texelFetch(iChannel1, ivec2(38, 0), 0).x > 0.5, late = texelFetch(iChannel0, ivec2(u), 0).x > 20.5;
  c = key ? vec4(0, 1, 0, 1) : iMouse.z > 0.0 ? vec4(0, 0, 1, 1) : late ? vec4(1) : vec4(1, 0, 0, 1); }""")
    words = ["--fragment", "toy.frag", "--buffer-a", "a.frag", "--channel", "image:1=keyboard"]

    def picture(color):
        (folder / "plain.frag").write_text(f"void mainImage(out vec4 c, vec2 u) {{ c = vec4({color}, 1); }}")
        return rendered(folder, "generated:screen", SIZE, "--fragment", str(folder / "plain.frag"))

    red, green, blue, white = (picture(color) for color in ("1, 0, 0", "0, 1, 0", "0, 0, 1", "1, 1, 1"))
    session = Session(screen, folder, WINDOW, SIZE, *words)
    screen.key("F2")
    wait_for("the toy's picture", lambda: session.shows(red))
    screen.key_down("Up")
    wait_for("the picture of a held key", lambda: session.shows(green))
    screen.key_down("Up", False)
    x, y, width, height = screen.geometry(session.window)
    screen.move(x + width // 2, y + height // 2)
    screen.button(1, True)
    wait_for("the picture of a pressed button", lambda: session.shows(blue))
    screen.button(1, False)

    def is_late():
        screen.key("Down")
        return session.shows(white)

    wait_for("the buffer's twentieth picture", is_late)
    session.close()


def run(screen, folder):
    plays_shadertoy(screen, folder)
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
