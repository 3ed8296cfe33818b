"""PyBullet's window: falling boxes with a shadow map. pip install pybullet"""

import time

import pybullet

pybullet.connect(pybullet.GUI, options="--width=800 --height=600")
pybullet.setGravity(0, 0, -10)
pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE),
                         pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=[4, 4, 0.01],
                                                    rgbaColor=[0.6, 0.7, 0.8, 1]))
for i in range(12):
    half = [0.2 + 0.02 * i, 0.2, 0.15]
    pybullet.createMultiBody(1, pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half),
                             pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=half,
                                                        rgbaColor=[0.3 + 0.05 * i, 0.5, 0.9 - 0.06 * i, 1]),
                             [0.1 * (i % 3), 0.07 * (i % 2), 0.5 + 0.45 * i])
while True:
    pybullet.stepSimulation()
    time.sleep(0.01)
