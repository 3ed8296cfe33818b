"""Elevations of Jacksboro, Tennessee (NASA's SRTM, in matplotlib's sample data), drawn by VTK. pip install pyvista matplotlib"""

import matplotlib.cbook
import numpy
import pyvista

FRAMES = 12  # the program ends after so many; VTK swaps more often
STEP = 3  # every third point of the grid of 344 x 403

data = matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz", asfileobj=True)
if not hasattr(data, "files"):
    data = numpy.load(data)
heights = data["elevation"][::STEP, ::STEP].astype(numpy.float32)
rows, columns = heights.shape
x, y = numpy.meshgrid(STEP / 2 * numpy.arange(columns), STEP / 2 * numpy.arange(rows, 0, -1))
grid = pyvista.StructuredGrid(x, y, 0.025 * heights)
grid["Elevation, m"] = heights.ravel(order="F")
terrain = grid.extract_surface()

plotter = pyvista.Plotter(window_size=(1280, 720), lighting="none")
plotter.render_window.SetMultiSamples(0)
plotter.set_background("#16202c", top="#8fa9bf")
plotter.add_light(pyvista.Light(position=(-200, 260, 160), focal_point=(100, 90, 15), intensity=1.0))
plotter.add_light(pyvista.Light(position=(200, -300, 300), focal_point=(100, 90, 15), intensity=0.25))
plotter.add_mesh(terrain, scalars="Elevation, m", cmap="gist_earth", clim=(180, 1050), smooth_shading=True, ambient=0.15, specular=0.1,
                 scalar_bar_args={"color": "white", "fmt": "%.0f", "n_labels": 4, "position_x": 0.3, "position_y": 0.03, "width": 0.4, "height": 0.08})
lines = terrain.contour(numpy.arange(300, 1100, 100), scalars="Elevation, m")
plotter.add_mesh(lines.translate((0, 0, 0.1)), color="black", line_width=1, opacity=0.5)
plotter.add_axes(color="white")
plotter.camera_position = [(-5, -70, 72), (92, 88, 8), (0, 0, 1)]
plotter.show(interactive_update=True, auto_close=False)
for frame in range(FRAMES):
    plotter.update()
