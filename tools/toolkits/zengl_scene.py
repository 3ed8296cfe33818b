"""ZenGL on GLFW: instances into an image of four samples, shown by a blit. pip install zengl glfw"""

import struct

import glfw
import zengl

glfw.init()
for hint, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3),
                    (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)):
    glfw.window_hint(hint, value)
window = glfw.create_window(800, 600, "zengl", None, None)
glfw.make_context_current(window)
context = zengl.context()
image = context.image((800, 600), "rgba8unorm", samples=4)
depth = context.image((800, 600), "depth24plus", samples=4)
image.clear_value = (0.1, 0.2, 0.25, 1)
block = context.buffer(size=16)
pipeline = context.pipeline(
    vertex_shader="""#version 330 core
        layout(std140) uniform Common { float turn; }; out vec3 tint;
        vec2 corners[3] = vec2[](vec2(1.0, 0.0), vec2(-0.5, 0.86), vec2(-0.5, -0.86));
        void main() {
          float a = turn + float(gl_InstanceID) * 0.4, c = cos(a), s = sin(a), r = 0.1 + 0.02 * float(gl_InstanceID);
          vec2 p = corners[gl_VertexID] * r;
          gl_Position = vec4(p.x * c - p.y * s + 0.7 * c, p.x * s + p.y * c + 0.7 * s, 0.03 * gl_InstanceID, 1.0);
          tint = vec3(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2) + 0.1;
        }""",
    fragment_shader="""#version 330 core
        in vec3 tint; layout(location = 0) out vec4 color; void main() { color = vec4(pow(tint, vec3(0.45)), 1.0); }""",
    layout=[{"name": "Common", "binding": 0}],
    resources=[{"type": "uniform_buffer", "binding": 0, "buffer": block}],
    framebuffer=[image, depth], topology="triangles", vertex_count=3, instance_count=15)
for frame in range(2000):
    context.new_frame()
    block.write(struct.pack("4f", 0.03 * frame, 0, 0, 0))
    image.clear()
    depth.clear()
    pipeline.render()
    image.blit()
    context.end_frame()
    glfw.swap_buffers(window)
    glfw.poll_events()
