"""pyglet: shapes, letters, a sprite in batches. pip install pyglet"""

import pyglet
from pyglet import shapes

window = pyglet.window.Window(800, 600, "pyglet")
batch = pyglet.graphics.Batch()
kept = [shapes.Circle(200 + 40 * i, 200 + 20 * i, 30 + 5 * i, color=(30 * i, 200 - 20 * i, 90, 200), batch=batch)
        for i in range(8)]
kept += [shapes.Star(600, 400, 100, 50, 7, color=(250, 220, 60), batch=batch),
         shapes.Rectangle(60, 400, 200, 120, color=(80, 130, 220), batch=batch),
         shapes.Arc(400, 450, 80, thickness=6, color=(240, 90, 90), batch=batch),
         pyglet.text.Label("letters of pyglet", font_size=28, x=240, y=550, batch=batch)]
texels = bytes((x * y) % 256 if c < 3 else 255 for y in range(64) for x in range(64) for c in range(4))
sprite = pyglet.sprite.Sprite(pyglet.image.ImageData(64, 64, "RGBA", texels), x=600, y=80, batch=batch)
sprite.scale = 2.5


@window.event
def on_draw():
    window.clear()
    batch.draw()


def turn(dt):
    sprite.rotation += 3
    kept[8].rotation += 2


pyglet.clock.schedule_interval(turn, 1 / 60)
pyglet.app.run()
