"""GTK 4, an area of OpenGL. apt install gir1.2-gtk-4.0 python3-gi python3-opengl"""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402
import scene  # noqa: E402


class Area(Gtk.GLArea):
    def __init__(self):
        super().__init__()
        self.frame, self.cube = 0, None
        self.set_has_depth_buffer(True)
        self.set_size_request(scene.WIDTH, scene.HEIGHT)
        self.connect("render", self.render)

    def render(self, area, context):
        self.cube = self.cube or scene.Scene()
        self.cube.draw(self.frame)
        scene.keep_picture(self.frame)
        self.frame += 1
        if self.frame == scene.FRAMES:
            GLib.idle_add(application.quit)
        else:
            GLib.timeout_add(20, self.queue_render)
        return True


def activate(app):
    window = Gtk.ApplicationWindow(application=app, decorated=False)
    window.set_child(Area())
    window.present()


application = Gtk.Application()
application.connect("activate", activate)
application.run()
