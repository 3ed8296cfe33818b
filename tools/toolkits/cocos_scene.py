"""cocos2d: layers, labels and a transition of a grid, in immediate mode of OpenGL. pip install cocos2d 'pyglet<2'"""

import cocos
from cocos.actions import Repeat, RotateBy, Waves3D

cocos.director.director.init(width=800, height=600, caption="cocos2d")
layer = cocos.layer.ColorLayer(40, 90, 160, 255)
label = cocos.text.Label("letters of cocos2d", font_size=40, position=(400, 300), anchor_x="center", anchor_y="center")
layer.add(label)
label.do(Repeat(RotateBy(360, duration=4)))
scene = cocos.scene.Scene(layer)
scene.do(Waves3D(waves=4, amplitude=30, grid=(16, 12), duration=60))
cocos.director.director.run(scene)
