"""Spherical harmonics up to degree 3, the shapes of a hydrogen atom's orbitals, drawn by VTK. pip install pyvista"""

import numpy
import pyvista

FRAMES = 12  # the program ends after so many; VTK swaps more often
ROWS, COLUMNS = 45, 65  # points of a shape

polar, around = numpy.meshgrid(numpy.linspace(0, numpy.pi, ROWS), numpy.linspace(0, 2 * numpy.pi, COLUMNS), indexing="ij")
x, y, z = numpy.sin(polar) * numpy.cos(around), numpy.sin(polar) * numpy.sin(around), numpy.cos(polar)
# By degree, then by order; all but for a factor.
HARMONICS = [[numpy.ones_like(z)],
             [y, z, x],
             [x * y, y * z, 3 * z**2 - 1, x * z, x**2 - y**2],
             [y * (3 * x**2 - y**2), x * y * z, y * (5 * z**2 - 1), z * (5 * z**2 - 3), x * (5 * z**2 - 1), z * (x**2 - y**2),
              x * (x**2 - 3 * y**2)]]


def shape(value):
    """The surface whose distance from the centre is the value's size, in the colour of the value."""
    value = value / numpy.abs(value).max()
    radius = numpy.abs(value)
    grid = pyvista.StructuredGrid(radius * x, radius * y, radius * z)
    grid["value"] = value.ravel(order="F")
    return grid.extract_surface()


plotter = pyvista.Plotter(window_size=(1280, 720), lighting="none")
plotter.render_window.SetMultiSamples(0)
plotter.set_background("#0f141c", top="#2b3a4d")
plotter.add_light(pyvista.Light(position=(-6, -14, 12), focal_point=(0, 0, 0), intensity=0.9))
plotter.add_light(pyvista.Light(position=(12, -10, -2), focal_point=(0, 0, 0), intensity=0.35))
for degree, values in enumerate(HARMONICS):
    for number, value in enumerate(values):
        place = (2.05 * (number - degree), 0, 2.1 * (1.5 - degree))
        plotter.add_mesh(shape(value).translate(place), scalars="value", cmap="RdYlBu", clim=(-1, 1), smooth_shading=True, ambient=0.15,
                         specular=0.5, specular_power=30, show_scalar_bar=False)
plotter.add_text("Real spherical harmonics, degrees 0 to 3", font_size=11, color="white", position=(24, 676))
plotter.camera_position = [(0, -17.6, 3.2), (0, 0, 0.1), (0, 0, 1)]
plotter.camera.view_angle = 30
plotter.show(interactive_update=True, auto_close=False)
for frame in range(FRAMES):
    plotter.update()
