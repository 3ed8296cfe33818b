"""Kivy, OpenGL ES by SDL: widgets, letters, a mesh. apt install python3-kivy, or pip install kivy"""

import math
import os

os.environ.update(KIVY_NO_ARGS="1", KIVY_NO_CONSOLELOG="1")
from kivy.app import App  # noqa: E402
from kivy.config import Config  # noqa: E402

Config.set("graphics", "width", 640)
Config.set("graphics", "height", 480)
from kivy.graphics import Color, Ellipse, Line, Mesh, PopMatrix, PushMatrix, Rectangle, Rotate  # noqa: E402
from kivy.clock import Clock  # noqa: E402
from kivy.uix.boxlayout import BoxLayout  # noqa: E402
from kivy.uix.button import Button  # noqa: E402
from kivy.uix.label import Label  # noqa: E402
from kivy.uix.slider import Slider  # noqa: E402
from kivy.uix.widget import Widget  # noqa: E402


class Picture(Widget):
    def __init__(self, **options):
        super().__init__(**options)
        self.angle = 0
        Clock.schedule_interval(self.draw, 0)

    def draw(self, _):
        self.angle += 3
        self.canvas.clear()
        x, y = self.center
        with self.canvas:
            Color(0.2, 0.4, 0.8)
            Rectangle(pos=self.pos, size=self.size)
            PushMatrix()
            Rotate(angle=self.angle, origin=(x, y))
            Color(1, 0.8, 0.2, 0.75)
            Ellipse(pos=(x - 90, y - 60), size=(180, 120))
            Color(1, 1, 1)
            Line(circle=(x, y, 100), width=3)
            points = [(math.cos(a * 0.7), math.sin(a * 0.7)) for a in range(9)]
            corners = [value for c, s in points for value in (x + 70 * c, y + 70 * s, c, s)]
            Color(0.8, 0.2, 0.3, 0.6)
            Mesh(vertices=corners, indices=list(range(9)), mode="triangle_fan")
            PopMatrix()


class Scene(App):
    def build(self):
        self.layout = BoxLayout(orientation="vertical")
        self.layout.add_widget(Picture())
        row = BoxLayout(size_hint_y=0.3)
        for widget in (Button(text="Button"), Label(text="letters äöü", font_size=28), Slider(value=40)):
            row.add_widget(widget)
        self.layout.add_widget(row)
        return self.layout


Scene().run()
