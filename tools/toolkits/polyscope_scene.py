"""Polyscope: a mesh with a scalar field, points and a network of curves. pip install polyscope numpy"""

import numpy
import polyscope

polyscope.set_window_size(900, 600)
polyscope.init()
sides = 40
a, b = numpy.meshgrid(numpy.linspace(0, 2 * numpy.pi, sides, False), numpy.linspace(0, 2 * numpy.pi, sides, False))
places = numpy.stack([(1 + 0.4 * numpy.cos(b)) * numpy.cos(a), 0.4 * numpy.sin(b), (1 + 0.4 * numpy.cos(b)) * numpy.sin(a)],
                     -1).reshape(-1, 3)
numbers = numpy.arange(sides * sides).reshape(sides, sides)
right, up = numpy.roll(numbers, -1, 1), numpy.roll(numbers, -1, 0)
corner = numpy.roll(right, -1, 0)
faces = numpy.concatenate([numpy.stack([numbers, right, corner], -1).reshape(-1, 3),
                           numpy.stack([numbers, corner, up], -1).reshape(-1, 3)])
mesh = polyscope.register_surface_mesh("ring", places, faces, smooth_shade=True)
mesh.add_scalar_quantity("height", places[:, 1], enabled=True)
random = numpy.random.default_rng(1)
polyscope.register_point_cloud("points", random.normal(size=(300, 3)) * 0.6)
line = numpy.linspace(0, 20, 300)
polyscope.register_curve_network("spiral", numpy.stack([numpy.cos(line), line / 10 - 1, numpy.sin(line)], 1), "line")
polyscope.show()
