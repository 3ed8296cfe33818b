"""VisPy on PyQt 5: a surface, markers, lines, a volume and letters. pip install vispy PyQt5"""

import numpy
from vispy import app, scene

app.use_app("pyqt5")
canvas = scene.SceneCanvas(size=(800, 600), show=True, bgcolor="#203040")
view = canvas.central_widget.add_view()
view.camera = scene.TurntableCamera(fov=40, distance=5, azimuth=30)
x, y = numpy.meshgrid(numpy.linspace(-1, 1, 50), numpy.linspace(-1, 1, 50))
scene.visuals.SurfacePlot(x=x[0], y=y[:, 0], z=(0.4 * numpy.sin(4 * x) * numpy.cos(3 * y)).T, shading="smooth",
                          color=(0.4, 0.7, 0.9, 1), parent=view.scene)
random = numpy.random.default_rng(1)
markers = scene.visuals.Markers(parent=view.scene)
markers.set_data(random.normal(size=(300, 3)) * 0.7, face_color=random.random((300, 3)), size=8)
line = numpy.linspace(0, 20, 400)
scene.visuals.Line(numpy.stack([numpy.cos(line), numpy.sin(line), line / 15 - 0.7], 1), color="orange", width=2,
                   parent=view.scene)
scene.visuals.Text("letters", pos=(0, 0, 1), color="white", font_size=20, parent=view.scene)


def turn(_):
    view.camera.azimuth += 2
    canvas.update()


timer = app.Timer(interval=0.02, connect=turn, start=True)
app.run()
