"""PyQtGraph on PyQt 5: a surface, points, lines and a grid. pip install pyqtgraph PyQt5 PyOpenGL numpy"""

import numpy
import pyqtgraph
import pyqtgraph.opengl
from pyqtgraph.Qt import QtCore

application = pyqtgraph.mkQApp()
view = pyqtgraph.opengl.GLViewWidget()
view.resize(800, 600)
view.setCameraPosition(distance=5)
x = numpy.linspace(-1, 1, 50)
heights = 0.4 * numpy.sin(4 * x)[:, None] * numpy.cos(3 * x)[None, :]
view.addItem(pyqtgraph.opengl.GLGridItem())
view.addItem(pyqtgraph.opengl.GLSurfacePlotItem(x=x, y=x, z=heights, shader="shaded", color=(0.4, 0.7, 0.9, 1)))
random = numpy.random.default_rng(1)
view.addItem(pyqtgraph.opengl.GLScatterPlotItem(pos=random.normal(size=(200, 3)), size=6, color=(1, 0.7, 0.3, 0.8)))
line = numpy.linspace(0, 20, 300)
view.addItem(pyqtgraph.opengl.GLLinePlotItem(pos=numpy.stack([numpy.cos(line), numpy.sin(line), line / 10 - 1], 1),
                                             antialias=True))
view.show()
timer = QtCore.QTimer()
timer.timeout.connect(lambda: view.orbit(2, 0))
timer.start(30)
application.exec()
