"""Trimesh's viewer: meshes with colours of faces. pip install trimesh 'pyglet<2'"""

import numpy as np
import trimesh

scene = trimesh.Scene()
for i in range(5):
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.5)
    mesh.visual.face_colors = np.random.default_rng(i).integers(60, 255, (len(mesh.faces), 4), dtype=np.uint8) | [0, 0, 0, 255]
    mesh.apply_translation([1.2 * i, 0.4 * i, 0])
    scene.add_geometry(mesh)
scene.add_geometry(trimesh.creation.box(extents=(7, 0.1, 2)))
scene.show(resolution=(800, 600), callback=lambda one: one.apply_transform(
    trimesh.transformations.rotation_matrix(0.02, [0, 1, 0])))
