"""opengl.py CAPTURE.rdc: replays a RenderDoc capture of OpenGL or OpenGL ES, so that Brokkr's capture layer records it.

`brokkr import` starts this program with the layer (libbrokkr-capture.so), which records frame 1: the calls between the
first swap of this program and the second. Between them the program replays the captured frame. RenderDoc draws the
window's picture into a framebuffer object. The program copies it into a window of its own, which the layer takes for the
captured program's. A line of JSON on its output says what was replayed; an error is one line on stderr and exit code 1.
"""
import ctypes
import json
import sys

import replay
import renderdoc as rd

# Names of OpenGL, GLX and EGL.
NONE, TRUE, NO_ERROR = 0, 1, 0
TEXTURE, TEXTURE_2D, TEXTURE_2D_MULTISAMPLE, NEAREST = 0x1702, 0x0DE1, 0x9100, 0x2600
READ_FRAMEBUFFER, DRAW_FRAMEBUFFER = 0x8CA8, 0x8CA9
COLOR, DEPTH, STENCIL, COLOR_BIT = 0x8CE0, 0x8D00, 0x8D20, 0x4000
OBJECT_TYPE, OBJECT_NAME, MAJOR_VERSION, MINOR_VERSION = 0x8CD0, 0x8CD1, 0x821B, 0x821C
GLX_SCREEN, GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_RENDER_TYPE, GLX_RGBA_BIT = 0x800C, 0x8010, 4, 0x8011, 1
GLX_DOUBLEBUFFER, GLX_RED, GLX_GREEN, GLX_BLUE, GLX_ALPHA, GLX_SAMPLES = 5, 8, 9, 10, 11, 100001
GLX_MAJOR, GLX_MINOR, GLX_PROFILE, GLX_CORE = 0x2091, 0x2092, 0x9126, 1
GLX_PBUFFER_WIDTH, GLX_PBUFFER_HEIGHT = 0x8041, 0x8040
EGL_NONE, EGL_DRAW, EGL_ES_API, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT = 0x3038, 0x3059, 0x30A0, 0x3033, 1
EGL_RED, EGL_GREEN, EGL_BLUE, EGL_ALPHA, EGL_SAMPLES = 0x3024, 0x3023, 0x3022, 0x3021, 0x3031
EGL_RENDERABLE, EGL_ES3_BIT, EGL_OPENGL_BIT, EGL_WIDTH, EGL_HEIGHT = 0x3040, 0x40, 0x8, 0x3057, 0x3056
EGL_MAJOR, EGL_MINOR, EGL_PROFILE, EGL_CORE = 0x3098, 0x30FB, 0x30FD, 1


class Failed(Exception):
    """The capture cannot be replayed: the reason."""


def words(*numbers, end=NONE):
    return (ctypes.c_int * (len(numbers) + 1))(*numbers, end)


class Glx:
    """The window system of programs that use GLX."""

    ERROR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def __init__(self):
        self.library = ctypes.CDLL("libGL.so.1")
        # X ends a program at an error. A swap of a window that is never shown is one in Mesa, if it has alpha.
        self.ignore = self.ERROR(lambda display, error: 0)
        for name in ("glXGetCurrentContext", "glXGetCurrentDisplay", "glXGetProcAddressARB", "glXChooseFBConfig"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.glXGetCurrentDrawable.restype = self.library.glXCreatePbuffer.restype = ctypes.c_ulong
        self.context = self.library.glXGetCurrentContext()
        if self.context:
            self.display = ctypes.c_void_p(self.library.glXGetCurrentDisplay())
            self.theirs = (self.library.glXGetCurrentDrawable(), self.context)

    def find(self, name):
        return self.library.glXGetProcAddressARB(name.encode())

    def open(self, size, alpha, version):
        """Makes a window, and a context for it. Returns false if there is none with these bits of alpha."""
        wanted = words(GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_RENDER_TYPE, GLX_RGBA_BIT, GLX_DOUBLEBUFFER, TRUE,
                       GLX_RED, 8, GLX_GREEN, 8, GLX_BLUE, 8, GLX_ALPHA, alpha)
        count, screen, value = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self.library.glXQueryContext(self.display, ctypes.c_void_p(self.context), GLX_SCREEN, ctypes.byref(screen))
        configs = self.library.glXChooseFBConfig(self.display, screen, wanted, ctypes.byref(count))

        def of(config, name):
            self.library.glXGetFBConfigAttrib(self.display, config, name, ctypes.byref(value))
            return value.value
        for config in (ctypes.c_void_p * count.value).from_address(configs) if configs else ():
            config = ctypes.c_void_p(config)
            if [of(config, name) for name in (GLX_RED, GLX_ALPHA, GLX_SAMPLES)] == [8, alpha, 0]:
                break
        else:
            return False
        create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                                  ctypes.c_void_p)(self.find("glXCreateContextAttribsARB"))
        ctypes.CDLL("libX11.so.6").XSetErrorHandler(self.ignore)
        context = create(self.display, config, self.context, TRUE,
                         words(GLX_MAJOR, version[0], GLX_MINOR, version[1], GLX_PROFILE, GLX_CORE))
        window = self.library.glXCreatePbuffer(self.display, config,
                                               words(GLX_PBUFFER_WIDTH, size[0], GLX_PBUFFER_HEIGHT, size[1]))
        self.ours = (window, context)
        return bool(context and window)

    def use(self, one):
        if not self.library.glXMakeCurrent(self.display, ctypes.c_ulong(one[0]), ctypes.c_void_p(one[1])):
            raise Failed("the window system refuses a context")

    def swap(self):
        self.library.glXSwapBuffers(self.display, ctypes.c_ulong(self.ours[0]))


class Egl:
    """The window system of programs that use EGL."""

    def __init__(self):
        self.library = ctypes.CDLL("libEGL.so.1")
        for name in ("eglGetCurrentContext", "eglGetCurrentDisplay", "eglGetCurrentSurface", "eglGetProcAddress",
                     "eglCreateContext", "eglCreatePbufferSurface"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.context = self.library.eglGetCurrentContext()
        if self.context:
            self.display = ctypes.c_void_p(self.library.eglGetCurrentDisplay())
            self.theirs = (self.library.eglGetCurrentSurface(EGL_DRAW), self.context)

    def find(self, name):
        return self.library.eglGetProcAddress(name.encode())

    def open(self, size, alpha, version):
        is_es = self.library.eglQueryAPI() == EGL_ES_API
        wanted = words(EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED, 8, EGL_GREEN, 8, EGL_BLUE, 8, EGL_ALPHA, alpha,
                       EGL_RENDERABLE, EGL_ES3_BIT if is_es else EGL_OPENGL_BIT, end=EGL_NONE)
        configs, count, value = (ctypes.c_void_p * 256)(), ctypes.c_int(), ctypes.c_int()
        self.library.eglChooseConfig(self.display, wanted, configs, 256, ctypes.byref(count))

        def of(config, name):
            self.library.eglGetConfigAttrib(self.display, config, name, ctypes.byref(value))
            return value.value
        for config in configs[:count.value]:
            config = ctypes.c_void_p(config)
            if [of(config, name) for name in (EGL_RED, EGL_ALPHA, EGL_SAMPLES)] == [8, alpha, 0]:
                break
        else:
            return False
        core = () if is_es else (EGL_PROFILE, EGL_CORE)
        context = self.library.eglCreateContext(
            self.display, config, ctypes.c_void_p(self.context),
            words(EGL_MAJOR, version[0], EGL_MINOR, version[1], *core, end=EGL_NONE))
        window = self.library.eglCreatePbufferSurface(
            self.display, config, words(EGL_WIDTH, size[0], EGL_HEIGHT, size[1], end=EGL_NONE))
        self.ours = (window, context)
        return bool(context and window)

    def use(self, one):
        surface = ctypes.c_void_p(one[0])
        if not self.library.eglMakeCurrent(self.display, surface, surface, ctypes.c_void_p(one[1])):
            raise Failed("the window system refuses a context")

    def swap(self):
        self.library.eglSwapBuffers(self.display, ctypes.c_void_p(self.ours[0]))


class Gl:
    """Functions of OpenGL, all of whose arguments are integers or pointers."""

    def __init__(self, system):
        self.system = system

    def __call__(self, name, *arguments):
        found = self.system.find("gl" + name)
        if not found:
            raise Failed(f"the driver lacks gl{name}")
        kinds = [ctypes.c_int64 if isinstance(one, int) else ctypes.c_void_p for one in arguments]
        return ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(found)(*arguments)

    def integer(self, name, *arguments):
        value = ctypes.c_int()
        self(name, *arguments, ctypes.addressof(value))
        return value.value


class Player:
    def __init__(self, controller):
        self.c, self.actions = controller, []
        self._walk(controller.GetRootActions())
        self.images = {str(one.resourceId): one for one in controller.GetTextures()}
        presents = [one for one in self.actions if one.flags & rd.ActionFlags.Present]
        if not presents:
            raise Failed("the captured frame shows no picture; capture another frame")
        self.present = presents[-1]
        self.shown = str(self.present.copyDestination)
        if self.shown not in self.images:
            raise Failed("the captured frame does not say which picture it shows")
        self.system = next((one for one in (Glx(), Egl()) if one.context), None)
        if self.system is None:
            raise Failed("RenderDoc replays it with neither GLX nor EGL")
        self.gl = Gl(self.system)

    def _walk(self, actions):
        for one in actions:
            self.actions.append(one)
            self._walk(one.children)

    def picture(self):
        """The textures that stand for the window, by attachment."""
        for one in self.actions:
            drawn = [str(output) for output in one.outputs] + [str(one.copyDestination)]
            if self.shown not in drawn or one.flags & rd.ActionFlags.Present:
                continue
            self.c.SetFrameEvent(one.eventId, True)
            planes = {}
            for point in (COLOR, DEPTH, STENCIL):
                kind, name = (self.gl.integer("GetFramebufferAttachmentParameteriv", DRAW_FRAMEBUFFER, point, what)
                              for what in (OBJECT_TYPE, OBJECT_NAME))
                if kind == TEXTURE:
                    planes[point] = name
            if COLOR in planes:
                return planes
        raise Failed("no draw, clear or copy of the captured frame goes to the picture that it shows; "
                     "capture another frame")

    def _open(self, image):
        """Opens a window like the captured one."""
        version = (self.gl.integer("GetIntegerv", MAJOR_VERSION), self.gl.integer("GetIntegerv", MINOR_VERSION))
        alpha = 8 if image.format.compCount == 4 else 0
        for bits in (alpha, 8 - alpha):
            if self.system.open((image.width, image.height), bits, version):
                return
        raise Failed("the window system has no window of 8 bits a channel")

    def _show(self, planes, image):
        """Copies the picture into the window. The layer knows a target by all its planes."""
        gl, name = self.gl, ctypes.c_uint()
        gl("GenFramebuffers", 1, ctypes.addressof(name))
        gl("BindFramebuffer", READ_FRAMEBUFFER, name.value)
        gl("BindFramebuffer", DRAW_FRAMEBUFFER, 0)
        target = TEXTURE_2D_MULTISAMPLE if image.msSamp > 1 else TEXTURE_2D
        for point, texture in planes.items():
            gl("FramebufferTexture2D", READ_FRAMEBUFFER, point, target, texture, 0)
        while gl("GetError") != NO_ERROR:
            continue
        gl("Clear", COLOR_BIT)  # the layer then does not read what the window held before
        box = (0, 0, image.width, image.height)
        gl("BlitFramebuffer", *box, *box, COLOR_BIT, NEAREST)
        if gl("GetError") != NO_ERROR:
            raise Failed(f"the driver does not copy a picture of format {image.format.Name()} to a window")
        gl("Finish")

    def run(self):
        image = self.images[self.shown]
        planes = self.picture()
        self._open(image)
        self.system.use(self.system.ours)
        self.system.swap()
        self.system.use(self.system.theirs)
        self.c.SetFrameEvent(self.present.eventId, True)
        self.gl("Finish")
        self.system.use(self.system.ours)
        self._show(planes, image)
        self.system.swap()
        return {"frame": self.c.GetFrameInfo().frameNumber}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: opengl.py CAPTURE.rdc")
    path = sys.argv[1]
    controller = replay.open_capture(path, ("OpenGL", "OpenGLES"))
    try:
        facts = Player(controller).run()
    except Failed as reason:
        sys.exit(f"{path}: {reason}")
    print(json.dumps(facts))


if __name__ == "__main__":
    replay.run(main)
