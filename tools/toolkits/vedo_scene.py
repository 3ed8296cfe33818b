"""vedo (on VTK): a lit surface with scalars, glyphs, axes, letters. pip install vedo"""

import numpy
import vedo

sphere = vedo.Sphere(res=60)
sphere.pointdata["height"] = sphere.coordinates[:, 2]
sphere.cmap("viridis", "height").add_scalarbar()
random = numpy.random.default_rng(2)
points = vedo.Points(random.normal(size=(500, 3)), r=6, c="tomato")
plotter = vedo.Plotter(size=(800, 600), axes=1)
plotter.show(sphere, points, vedo.Text2D("letters of vedo"), interactive=False)
for _ in range(400):
    plotter.azimuth(1)
    plotter.render()
