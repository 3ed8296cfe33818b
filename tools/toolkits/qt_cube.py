"""Qt 5, a window of OpenGL with four samples a pixel. pip install PyQt5 PyOpenGL"""

import os
import sys

import scene
from PyQt5 import QtGui

form = QtGui.QSurfaceFormat()
form.setVersion(3, 3)
form.setProfile(QtGui.QSurfaceFormat.CompatibilityProfile)
form.setSamples(4)
form.setDepthBufferSize(24)


class Window(QtGui.QOpenGLWindow):
    def initializeGL(self):
        self.cube, self.frame = scene.Scene(), 0

    def paintGL(self):
        self.cube.draw(self.frame)
        scene.keep_picture(self.frame)
        self.frame += 1
        if self.frame == scene.FRAMES:
            os._exit(0)  # closing the window here crashes PyQt
        self.update()


application = QtGui.QGuiApplication(sys.argv)
window = Window()
window.setFormat(form)
window.resize(scene.WIDTH, scene.HEIGHT)
window.show()
application.exec_()
