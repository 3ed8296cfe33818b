"""pygfx: five lit knots, on Vulkan through wgpu. pip install pygfx glfw rendercanvas

It is no program of OpenGL: tests/apps/import/capture.py records it, and `brokkr import` reads it (docs/guide/vulkan.md).
"""

import pygfx
from rendercanvas.glfw import RenderCanvas, loop

canvas = RenderCanvas(size=(640, 480), update_mode="continuous", max_fps=30)
renderer = pygfx.WgpuRenderer(canvas)
scene = pygfx.Scene()
scene.add(pygfx.AmbientLight(), pygfx.DirectionalLight())
for i in range(5):
    knot = pygfx.Mesh(pygfx.torus_knot_geometry(1, 0.3, 64, 12),
                      pygfx.MeshPhongMaterial(color=(0.2 * i, 0.6, 1 - 0.2 * i)))
    knot.local.position = (3 * i - 6, 0, 0)
    scene.add(knot)
camera = pygfx.PerspectiveCamera(50, 4 / 3)
camera.show_object(scene)
canvas.request_draw(lambda: renderer.render(scene, camera))
loop.run()
