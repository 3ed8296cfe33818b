"""SDL 2 with a context of OpenGL ES. apt install libsdl2-2.0-0; pip install pysdl2 PyOpenGL"""

import scene
import sdl2

sdl2.SDL_Init(sdl2.SDL_INIT_VIDEO)
for name, value in ((sdl2.SDL_GL_CONTEXT_PROFILE_MASK, sdl2.SDL_GL_CONTEXT_PROFILE_ES),
                    (sdl2.SDL_GL_CONTEXT_MAJOR_VERSION, 3), (sdl2.SDL_GL_CONTEXT_MINOR_VERSION, 0),
                    (sdl2.SDL_GL_MULTISAMPLEBUFFERS, 1), (sdl2.SDL_GL_MULTISAMPLESAMPLES, 4)):
    sdl2.SDL_GL_SetAttribute(name, value)
window = sdl2.SDL_CreateWindow(b"SDL", 0, 0, scene.WIDTH, scene.HEIGHT, sdl2.SDL_WINDOW_OPENGL)
context = sdl2.SDL_GL_CreateContext(window)
cube = scene.Scene("300 es")
for frame in range(scene.FRAMES):
    cube.draw(frame)
    scene.keep_picture(frame)
    sdl2.SDL_GL_SwapWindow(window)
    sdl2.SDL_PumpEvents()
