"""Ursina (on Panda3D): lit and textured models, a sky, letters. pip install ursina"""

from ursina import Entity, Sky, Text, Ursina, camera, color, time
from ursina.shaders import lit_with_shadows_shader
from ursina.lights import DirectionalLight

app = Ursina(size=(960, 640), borderless=False, development_mode=False)
ground = Entity(model="plane", scale=12, texture="grass", shader=lit_with_shadows_shader)
cubes = [Entity(model="cube", x=2 * i - 4, y=0.5 + i % 2, texture="brick", color=color.hsv(60 * i, 0.5, 1),
                shader=lit_with_shadows_shader) for i in range(5)]
ball = Entity(model="sphere", z=-2, y=1, color=color.azure, shader=lit_with_shadows_shader)
DirectionalLight(shadows=True).look_at((1, -2, 1))
Sky()
Text("letters", origin=(0, 0), y=0.4, scale=3)
camera.position, camera.rotation_x = (0, 6, -14), 20


def update():
    for cube in cubes:
        cube.rotation_y += 60 * time.dt


app.run()
