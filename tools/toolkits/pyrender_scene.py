"""pyrender: physically based materials, three lights, shadows. pip install pyrender"""

import numpy

if not hasattr(numpy, "infty"):
    numpy.infty = numpy.inf  # pyrender's name, which NumPy 2 lacks
import pyrender  # noqa: E402
import trimesh  # noqa: E402

scene = pyrender.Scene(ambient_light=[0.1, 0.1, 0.1], bg_color=[0.2, 0.25, 0.3])
shapes = (trimesh.creation.icosphere(subdivisions=3, radius=0.5), trimesh.creation.cylinder(radius=0.3, height=1.2),
          trimesh.creation.box(extents=(0.8, 0.8, 0.8)))
for i, shape in enumerate(shapes):
    pose = numpy.eye(4)
    pose[0, 3] = 1.2 * i - 1.2
    material = pyrender.MetallicRoughnessMaterial(baseColorFactor=[0.9 - 0.3 * i, 0.4, 0.3 + 0.3 * i, 1],
                                                  metallicFactor=0.3 * i, roughnessFactor=0.3)
    scene.add(pyrender.Mesh.from_trimesh(shape, material=material, smooth=i == 0), pose=pose)
pyrender.Viewer(scene, viewport_size=(800, 600), use_raymond_lighting=True)
