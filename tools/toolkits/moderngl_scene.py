"""moderngl and moderngl-window on GLFW: instances, a uniform block, a texture. pip install moderngl-window glfw"""

import moderngl
import moderngl_window
import numpy


class Scene(moderngl_window.WindowConfig):
    gl_version, window_size, samples, title = (3, 3), (800, 600), 4, "moderngl"

    def __init__(self, **options):
        super().__init__(**options)
        self.program = self.ctx.program(
            vertex_shader="""#version 330
                in vec3 place; in vec3 offset; out vec3 normal; out vec2 uv;
                layout(std140) uniform View { mat4 turn; vec4 zoom; };
                void main() {
                  vec4 p = turn * vec4(place * 0.3 + offset, 1.0);
                  normal = mat3(turn) * normalize(place); uv = place.xy;
                  gl_Position = vec4(p.xy * zoom.xy, p.z * 0.25, 1.0 + 0.2 * p.z);
                }""",
            fragment_shader="""#version 330
                in vec3 normal; in vec2 uv; out vec4 color; uniform sampler2D wood;
                void main() { color = texture(wood, uv) * (0.3 + 0.7 * max(normalize(normal).z, 0.0)); color.a = 1.0; }""")
        corners = numpy.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], "f4")
        faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
        offsets = numpy.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)], "f4")
        self.cubes = self.ctx.vertex_array(
            self.program, [(self.ctx.buffer(corners.tobytes()), "3f", "place"),
                           (self.ctx.buffer(offsets.tobytes()), "3f/i", "offset")],
            index_buffer=self.ctx.buffer(numpy.array(faces, "i4").tobytes()))
        texels = (numpy.random.default_rng(3).random((64, 64, 4)) * 255).astype("u1")
        self.wood = self.ctx.texture((64, 64), 4, texels.tobytes())
        self.wood.build_mipmaps()
        self.view = self.ctx.buffer(reserve=80)
        self.angle = 0.0

    def on_render(self, time, frame_time):
        self.angle += 0.05
        c, s = numpy.cos(self.angle), numpy.sin(self.angle)
        turn = numpy.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]) @ numpy.array(
            [[1, 0, 0, 0], [0, 0.8, -0.6, 0], [0, 0.6, 0.8, 0], [0, 0, 0, 1]])
        self.view.write(numpy.append(turn.T.ravel(), [0.5, 0.66, 0, 0]).astype("f4").tobytes())
        self.ctx.clear(0.1, 0.15, 0.2)
        self.ctx.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self.view.bind_to_uniform_block(0)
        self.wood.use()
        self.cubes.render(instances=27)


moderngl_window.run_window_config(Scene, args=["--window", "glfw"])
