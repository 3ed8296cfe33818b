"""Code that the programs of tools/try-toolkits share: a scene that depends only on the frame's number, and the
picture."""

import ctypes
import os

import OpenGL

OpenGL.ERROR_CHECKING = False
from OpenGL.GL import *  # noqa: E402

WIDTH, HEIGHT = 640, 480
FRAMES = 8  # a program ends after so many frames
SHOWN = 4  # the frame whose picture is kept; the first is 0
PICTURE = os.environ.get("BROKKR_TRY_PICTURE")  # the picture's path, if it is wanted

VERTEX = """#version 150
in vec3 place; in vec3 tint; out vec3 color; uniform float turn;
void main() {
  float c = cos(turn), s = sin(turn);
  vec3 p = vec3(c * place.x + s * place.z, place.y, c * place.z - s * place.x);
  p = vec3(p.x, 0.9 * p.y - 0.4 * p.z, 0.4 * p.y + 0.9 * p.z);
  color = tint;
  gl_Position = vec4(p.xy, 0.2 * p.z, 1.6 + 0.3 * p.z);
}"""
FRAGMENT = """#version 150
in vec3 color; out vec4 shown;
void main() { shown = vec4(fract(color.x * 8.0) < 0.5 ? color : color.zxy, 1.0); }"""


class Scene:
    """A cube of twelve triangles. Needs a current context of OpenGL 3.2, or of OpenGL ES 3.0 if `version` says so."""

    def __init__(self, version="150"):
        self.program = glCreateProgram()
        for kind, text in ((GL_VERTEX_SHADER, VERTEX), (GL_FRAGMENT_SHADER, FRAGMENT)):
            shader = glCreateShader(kind)
            if version.endswith("es"):
                text = text.replace("#version 150", f"#version {version}\nprecision highp float;")
            glShaderSource(shader, text)
            glCompileShader(shader)
            glAttachShader(self.program, shader)
            glDeleteShader(shader)
        glBindAttribLocation(self.program, 0, "place")
        glBindAttribLocation(self.program, 1, "tint")
        glLinkProgram(self.program)
        numbers = []
        for axis in range(3):
            for side in (-1.0, 1.0):
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)):
                    corner = [float(a), float(b)]
                    corner.insert(axis, side)
                    numbers += corner + [0.5 + 0.4 * corner[0], 0.5 + 0.3 * corner[1], 0.5 + 0.2 * corner[2]]
        self.array = glGenVertexArrays(1)
        glBindVertexArray(self.array)
        buffer = glGenBuffers(1)
        glBindBuffer(GL_ARRAY_BUFFER, buffer)
        glBufferData(GL_ARRAY_BUFFER, (GLfloat * len(numbers))(*numbers), GL_STATIC_DRAW)
        for number in (0, 1):
            glVertexAttribPointer(number, 3, GL_FLOAT, False, 24, ctypes.c_void_p(12 * number))
            glEnableVertexAttribArray(number)
        glBindVertexArray(0)

    def draw(self, frame):
        glEnable(GL_DEPTH_TEST)
        glClearColor(0.2, 0.3, 0.4, 1.0)
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT)
        glUseProgram(self.program)
        glUniform1f(glGetUniformLocation(self.program, "turn"), 0.3 * frame)
        glBindVertexArray(self.array)
        glDrawArrays(GL_TRIANGLES, 0, 36)
        glBindVertexArray(0)
        glUseProgram(0)


def keep_picture(frame, width=WIDTH, height=HEIGHT):
    """Writes the back buffer of the shown frame as PPM. Call it before the swap."""
    if frame != SHOWN or not PICTURE:
        return
    glPixelStorei(GL_PACK_ALIGNMENT, 1)
    pixels = bytes(glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE))
    with open(PICTURE, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, height) + pixels)

