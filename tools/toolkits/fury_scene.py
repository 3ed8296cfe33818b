"""FURY: spheres, arrows and lines, through VTK's shaders. pip install fury"""

import numpy as np
from fury import actor, window

scene = window.Scene()
points = np.random.default_rng(5).uniform(-4, 4, (40, 3))
colors = (points + 4) / 8
scene.add(actor.sphere(points, colors, radii=0.4))
scene.add(actor.arrow(points[:12], points[12:24], colors[12:24], heights=1.5))
scene.add(actor.line([points[i:i + 5] for i in range(0, 40, 5)], colors=(1, 0.6, 0.1)))
manager = window.ShowManager(scene, size=(800, 600))
manager.initialize()
manager.add_timer_callback(True, 30, lambda *_: (scene.azimuth(2), manager.render()))
manager.start()
