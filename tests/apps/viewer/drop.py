"""Files dropped onto a window, as a file manager does it: version 5 of the XDND protocol, with the test as its source."""
import ctypes
import time

SELECTION_REQUEST, SELECTION_NOTIFY, CLIENT_MESSAGE = 30, 31, 33


class Event(ctypes.Structure):
    """XEvent, as the longs that it is made of; the fields of each kind begin at the fifth."""
    _fields_ = [("words", ctypes.c_long * 24)]


class Source:
    def __init__(self, screen):
        self.screen, self.x, self.display = screen, screen.x, screen.display
        create = self.x.XCreateSimpleWindow
        create.restype = ctypes.c_ulong
        self.window = create(self.display, ctypes.c_ulong(screen.root), 0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))

    def drop(self, window, *paths):
        """Ends when the window says that it has taken them."""
        atom, send = self.screen.atom, self.screen.send
        assert self.screen.property(window, "XdndAware"), "the window takes no drops"
        self.data = "".join(path.as_uri() + "\r\n" for path in paths).encode()
        self.x.XSetSelectionOwner(self.display, ctypes.c_ulong(atom("XdndSelection")), ctypes.c_ulong(self.window),
                                  ctypes.c_ulong(0))
        x, y, w, h = self.screen.geometry(window)
        send(window, "XdndEnter", [self.window, 5 << 24, atom("text/uri-list")])
        send(window, "XdndPosition", [self.window, 0, (x + w // 2) << 16 | (y + h // 2), 0, atom("XdndActionCopy")])
        accepted = self._answer("XdndStatus")[1] & 1
        assert accepted, "the window does not want these"
        send(window, "XdndDrop", [self.window])
        taken = self._answer("XdndFinished")[1]  # GLFW 3.3 writes the number of bytes here, not only a bit
        assert taken, "the window did not take them"

    def _answer(self, kind, seconds=60):
        """Data of the window's next message of this kind. Hands out the files meanwhile."""
        until = time.monotonic() + seconds
        event = Event()
        while time.monotonic() < until:
            if not self.x.XPending(self.display):
                time.sleep(0.01)
                continue
            self.x.XNextEvent(self.display, ctypes.byref(event))
            words = event.words
            name = words[0] & 0xFFFFFFFF
            if name == SELECTION_REQUEST:
                self._hand_out(*words[5:10])
            elif name == CLIENT_MESSAGE and words[5] == self.screen.atom(kind):
                return list(words[7:12])
        raise AssertionError(f"no {kind} within {seconds} s")

    def _hand_out(self, requestor, selection, target, place, when):
        self.x.XChangeProperty(self.display, ctypes.c_ulong(requestor), ctypes.c_ulong(place), ctypes.c_ulong(target), 8, 0,
                               self.data, len(self.data))
        reply = Event()
        reply.words[0] = SELECTION_NOTIFY
        reply.words[4:9] = [requestor, selection, target, place, when]
        self.x.XSendEvent(self.display, ctypes.c_ulong(requestor), 0, ctypes.c_long(0), ctypes.byref(reply))
        self.x.XSync(self.display, 0)
