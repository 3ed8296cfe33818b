"""Panda3D: its shader generator, with shadows. pip install panda3d PyOpenGL"""

import scene
from panda3d.core import AmbientLight, DirectionalLight, PNMImage, loadPrcFileData

loadPrcFileData("", f"win-size {scene.WIDTH} {scene.HEIGHT}\naudio-library-name null\nsync-video 0\n"
                    "clock-mode non-real-time\nframebuffer-multisample 1\nmultisamples 4\n")
from direct.showbase.ShowBase import ShowBase  # noqa: E402


class Show(ShowBase):
    def __init__(self):
        super().__init__()
        self.teapot = self.loader.loadModel("models/teapot")
        self.teapot.reparentTo(self.render)
        floor = self.loader.loadModel("models/box")
        floor.setScale(20, 20, 0.2)
        floor.setPos(-10, -10, -1)
        floor.reparentTo(self.render)
        sun = DirectionalLight("sun")
        sun.setShadowCaster(True, 512, 512)
        sun.getLens().setFilmSize(20, 20)
        sun.getLens().setNearFar(1, 40)
        node = self.render.attachNewNode(sun)
        node.setPos(6, -8, 14)
        node.lookAt(0, 0, 0)
        self.render.setLight(node)
        sky = AmbientLight("sky")
        sky.setColor((0.3, 0.3, 0.4, 1))
        self.render.setLight(self.render.attachNewNode(sky))
        self.render.setShaderAuto()
        self.disableMouse()
        self.camera.setPos(0, -16, 7)
        self.camera.lookAt(0, 0, 0)


show = Show()
for frame in range(scene.FRAMES):
    show.teapot.setH(10 * frame)
    show.graphicsEngine.renderFrame()
    if frame == scene.SHOWN and scene.PICTURE:
        image = PNMImage()
        show.win.getScreenshot(image)
        image.write(scene.PICTURE)
