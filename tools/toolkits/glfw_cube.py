"""GLFW, four samples a pixel. pip install glfw PyOpenGL"""

import glfw
import scene

glfw.init()
glfw.window_hint(glfw.SAMPLES, 4)
glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 3)
glfw.window_hint(glfw.CONTEXT_VERSION_MINOR, 3)
glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
window = glfw.create_window(scene.WIDTH, scene.HEIGHT, "GLFW", None, None)
glfw.make_context_current(window)
cube = scene.Scene()
for frame in range(scene.FRAMES):
    cube.draw(frame)
    scene.keep_picture(frame)
    glfw.swap_buffers(window)
    glfw.poll_events()
