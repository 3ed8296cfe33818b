"""A virtual X screen: real key and mouse events go in through XTEST, its pixels come out of Xvfb's frame buffer file."""
import ctypes
import ctypes.util
import os
import pathlib
import shutil
import struct
import subprocess
import time


class Unavailable(Exception):
    """What is needed is not installed."""


class XClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("pad", ctypes.c_long * 24)]


class Screen:
    def __init__(self, folder, width, height):
        if not shutil.which("Xvfb"):
            raise Unavailable("Xvfb is not installed (xvfb)")
        self.folder, self.manager = pathlib.Path(folder), None
        self.x = self._library("libX11.so.6", "libx11-6")
        self.test = self._library("libXtst.so.6", "libxtst6")
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-fbdir", str(folder),
             "-nolisten", "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        # The number and the newline may arrive separately; the server ends if nobody reads them.
        with os.fdopen(read) as ready:
            number = ready.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = ":" + number
        for function in ("XOpenDisplay", "XDefaultRootWindow", "XInternAtom", "XStringToKeysym"):
            getattr(self.x, function).restype = ctypes.c_ulong if function != "XOpenDisplay" else ctypes.c_void_p
        self.display = self._open()
        self.root = self.x.XDefaultRootWindow(self.display)
        self.file = open(pathlib.Path(folder) / "Xvfb_screen0", "rb", buffering=0)
        # XWD: big-endian words; the pixels follow the header, its name and the colours.
        header = struct.unpack(">25I", self.file.read(100))
        self.width, self.height, self.stride = header[4], header[5], header[12]
        self.offset = header[0] + 12 * header[19]
        assert header[11] == 32 and header[7] == 0, "32 bits a pixel, little-endian"

    @staticmethod
    def _library(name, package):
        try:
            return ctypes.CDLL(name)
        except OSError:
            raise Unavailable(f"{name} is not installed ({package})") from None

    def _open(self):
        """A server that has said its number may still be too busy for a connection."""
        for _ in range(100):
            display = self.x.XOpenDisplay(self.name.encode())
            if display:
                return ctypes.c_void_p(display)
            time.sleep(0.1)
        raise RuntimeError(f"Xvfb {self.name} takes no connection")

    def set_layout(self, *words):
        """A keyboard as setxkbmap names it, for windows that open from now on."""
        if not shutil.which("setxkbmap"):
            raise Unavailable("setxkbmap is not installed (x11-xkb-utils)")
        subprocess.run(["setxkbmap", "-display", self.name, *words], check=True)
        # A new connection reads which key has which sign.
        before, self.display = self.display, self._open()
        self.x.XCloseDisplay(before)

    def close(self):
        if self.manager:
            self.manager.terminate()
            self.manager.wait()
        self.x.XCloseDisplay(self.display)
        self.server.terminate()
        self.server.wait()
        self.file.close()

    # The rows of a rectangle, 3 bytes per pixel (red, green, blue), top to bottom.
    def pixels(self, left, top, width, height):
        rows = []
        for y in range(top, top + height):
            row = os.pread(self.file.fileno(), 4 * width, self.offset + y * self.stride + 4 * left)
            rgb = bytearray(3 * width)
            rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
            rows.append(bytes(rgb))
        return rows

    # The same as stored in memory: fast, to find out whether something changed.
    def raw(self, left, top, width, height):
        return b"".join(os.pread(self.file.fileno(), 4 * width, self.offset + y * self.stride + 4 * left)
                        for y in range(top, top + height))

    def _flush(self):
        self.x.XSync(self.display, 0)

    def _code(self, name):
        symbol = self.x.XStringToKeysym(name.encode())
        assert symbol, name
        return self.x.XKeysymToKeycode(self.display, ctypes.c_ulong(symbol))

    def key(self, name, *modifiers):
        codes = [self._code(m) for m in modifiers] + [self._code(name)]
        for code in codes:
            self.test.XTestFakeKeyEvent(self.display, code, 1, 0)
        for code in reversed(codes):
            self.test.XTestFakeKeyEvent(self.display, code, 0, 0)
        self._flush()

    def key_down(self, name, down=True):
        self.test.XTestFakeKeyEvent(self.display, self._code(name), int(down), 0)
        self._flush()

    def type(self, text):
        names = {"/": "slash", ".": "period", "-": "minus", ":": "colon", "?": "question", "=": "equal", "_": "underscore",
                 "&": "ampersand"}
        for character in text:
            shifted = character.isupper() or character in ":?_&"
            self.key(names.get(character, character), *(["Shift_L"] if shifted else []))

    def move(self, x, y):
        self.test.XTestFakeMotionEvent(self.display, 0, x, y, 0)
        self._flush()

    def button(self, number, down):
        self.test.XTestFakeButtonEvent(self.display, number, int(down), 0)
        self._flush()

    def click(self, x, y, number=1):
        self.move(x, y)
        time.sleep(0.15)  # the UI knows what is under the pointer one picture later
        self.button(number, True)
        time.sleep(0.15)
        self.button(number, False)
        time.sleep(0.15)

    def drag(self, start, end, number=1, pause=0.05):
        """`pause`: until the widget under the pointer is known; on a busy computer a picture takes a while."""
        self.move(*start)
        time.sleep(pause)
        self.button(number, True)
        time.sleep(pause)
        for i in range(1, 6):
            self.move(*(a + (b - a) * i // 5 for a, b in zip(start, end)))
            time.sleep(0.02)
        time.sleep(pause)
        self.button(number, False)

    def atom(self, name):
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def property(self, window, name):
        """The 32-bit values of a window's property; none where it has no such property."""
        kind, form = ctypes.c_ulong(), ctypes.c_int()
        count, after, data = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
        self.x.XGetWindowProperty(self.display, ctypes.c_ulong(window), ctypes.c_ulong(self.atom(name)), ctypes.c_long(0),
                                  ctypes.c_long(64), 0, ctypes.c_ulong(0), ctypes.byref(kind), ctypes.byref(form),
                                  ctypes.byref(count), ctypes.byref(after), ctypes.byref(data))
        values = [data[i] for i in range(count.value)] if form.value == 32 else []
        if data:
            self.x.XFree(data)
        return values

    def set_dpi(self, dpi):
        """What desktops write for programs that start from now on: Xft.dpi among the server's resources."""
        text = f"Xft.dpi:\t{dpi}\n".encode()
        string, resource_manager, replace = 31, 23, 0
        self.x.XChangeProperty(self.display, ctypes.c_ulong(self.root), ctypes.c_ulong(resource_manager),
                               ctypes.c_ulong(string), 8, replace, text, len(text))
        self._flush()

    # Top-level windows; the newest comes last.
    def windows(self):
        if self.manager:
            return self.property(self.root, "_NET_CLIENT_LIST")
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self.x.XQueryTree(self.display, ctypes.c_ulong(self.root), ctypes.byref(root), ctypes.byref(parent),
                          ctypes.byref(children), ctypes.byref(count))
        found = [children[i] for i in range(count.value)]
        # Ignore GLFW's helper window of one pixel.
        return [w for w in found if self.geometry(w)[2] > 16]

    def geometry(self, window):
        """Place on the screen and size, without the window manager's frame."""
        root, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
        size = [ctypes.c_uint() for _ in range(4)]
        self.x.XGetGeometry(self.display, ctypes.c_ulong(window), ctypes.byref(root), ctypes.byref(x), ctypes.byref(y),
                            *(ctypes.byref(s) for s in size))
        self.x.XTranslateCoordinates(self.display, ctypes.c_ulong(window), ctypes.c_ulong(self.root), 0, 0, ctypes.byref(x),
                                     ctypes.byref(y), ctypes.byref(root))
        return x.value, y.value, size[0].value, size[1].value

    def place(self, window, x, y):
        self.x.XMoveWindow(self.display, ctypes.c_ulong(window), x, y)
        self._flush()

    # Provides a window manager: without one, a window can neither be minimized nor made full screen.
    def manage(self):
        if not shutil.which("openbox"):
            raise Unavailable("openbox, a window manager, is not installed (openbox)")
        environment = dict(os.environ, DISPLAY=self.name, HOME=str(self.folder), XDG_CONFIG_HOME=str(self.folder / "openbox"))
        self.manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(600):
            if self.property(self.root, "_NET_SUPPORTING_WM_CHECK"):
                return
            time.sleep(0.05)
        raise RuntimeError("openbox did not start")

    def minimize(self, window):
        self.x.XIconifyWindow(self.display, ctypes.c_ulong(window), 0)
        self._flush()

    # Activates a window as a task bar does.
    def activate(self, window):
        self.send(window, "_NET_ACTIVE_WINDOW", [2], to=self.root, mask=0x180000)

    def send(self, window, kind, values, to=None, mask=0):
        """A client message about `window`, to it or to another."""
        event = XClientMessage(type=33, window=window, message_type=self.atom(kind), format=32)
        for i, value in enumerate(values):
            event.data[i] = value
        self.x.XSendEvent(self.display, ctypes.c_ulong(to or window), 0, ctypes.c_long(mask), ctypes.byref(event))
        self._flush()

    def resize(self, window, width, height):
        self.x.XResizeWindow(self.display, ctypes.c_ulong(window), width, height)
        self._flush()

    # Sends the message of a window manager when the user closes a window.
    def ask_to_close(self, window):
        self.send(window, "WM_PROTOCOLS", [self.atom("WM_DELETE_WINDOW")])
