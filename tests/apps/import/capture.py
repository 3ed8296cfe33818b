"""capture.py [--opengl] FILE.rdc FRAME PROGRAM [ARGUMENTS…]: starts a program under RenderDoc and captures one frame.

FRAME is a number, or a time as 60s: the first frame that begins 60 seconds after the start. RenderDoc is loaded as a
layer of Vulkan, so that it draws no messages over the picture of a program that uses OpenGL through zink; with --opengl,
it is loaded into the program and captures OpenGL too. The script ends the program afterwards. The exit code is 0 if the
file was written.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

import renderdoc as rd

AGAIN = 20  # seconds without a captured frame until the next window's turn
SECONDS = 60  # until the program makes its Vulkan device


def descendants():
    """The processes that this one started, and theirs."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while True:
        more = {process for process, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


def connect():
    """RenderDoc's control of a process that this one started, or None."""
    number = rd.EnumerateRemoteTargets("", 0)
    while number != 0:
        # Not by force: the program may be another capture's.
        control = rd.CreateTargetControl("", number, "brokkr", False)
        if control is not None:
            if control.GetPID() in descendants():
                return control
            control.Shutdown()
        number = rd.EnumerateRemoteTargets("", number)
    return None


def start(program, words):
    """Starts the program with RenderDoc as a layer."""
    return subprocess.Popen([program, *words], env={**os.environ, "ENABLE_VULKAN_RENDERDOC_CAPTURE": "1"})


def inject(program, words, out):
    """Starts the program with RenderDoc in it, and returns the control."""
    started = rd.ExecuteAndInject(program, os.getcwd(), " ".join(words), [], out.removesuffix(".rdc"),
                                  rd.GetDefaultCaptureOptions(), False)
    return rd.CreateTargetControl("", started.ident, "brokkr", True)


class Wish:
    """The frame to capture: a number, or the first frame at a time."""

    def __init__(self, text):
        self.number = None if text.endswith("s") else int(text)
        self.at = time.monotonic() + float(text[:-1]) if self.number is None else None
        self.is_told = False

    def tell(self, control, is_new):
        if self.number is not None and is_new:
            control.QueueCapture(self.number, 1)
        if self.at is not None and time.monotonic() >= self.at:
            # RenderDoc captures the frames of one window. A program may have made one that it no longer shows.
            if self.is_told:
                control.CycleActiveWindow()
            control.TriggerCapture(1)
            self.at, self.is_told = time.monotonic() + AGAIN, True


def wait_for_file(control, wish):
    """Returns the path of the captured frame, or None if the connection ends."""
    wish.tell(control, True)
    while control.Connected():
        message = control.ReceiveMessage(None)
        if message.type == rd.TargetControlMessageType.NewCapture:
            return message.newCapture.path
        if message.type == rd.TargetControlMessageType.Noop:
            time.sleep(0.01)
        wish.tell(control, False)
    return None


def main():
    words = sys.argv[1:]
    is_opengl = words[0] == "--opengl"
    out, frame, program, *words = words[is_opengl:]
    wish = Wish(frame)
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    control = inject(program, words, out) if is_opengl else None
    process = None if is_opengl else start(program, words)
    path, end = None, time.monotonic() + SECONDS
    while path is None:
        if control is not None:
            path = wait_for_file(control, wish)
            control.Shutdown()
            end = time.monotonic() + SECONDS
        # A program may load the layer more than once: zink makes a device to see what the driver can.
        if path is None and (process is None or process.poll() is not None or time.monotonic() > end):
            sys.exit(f"{program} does not run under RenderDoc, or ended before the frame")
        if path is None:
            time.sleep(0.02)
            control = connect()
    os.replace(path, out)
    for process in descendants():
        os.kill(process, signal.SIGKILL)
    rd.ShutdownReplay()
    return 0


if __name__ == "__main__":
    sys.exit(main())
