"""capture.py FILE.rdc FRAME PROGRAM [ARGUMENTS…]: starts a program under RenderDoc and captures one frame of it.

FRAME is a number, or a time as 60s: the first frame that begins 60 seconds after the start. The script ends the program
afterwards. The exit code is 0 if the file was written.
"""
import os
import pathlib
import signal
import sys
import time

import renderdoc as rd


def children():
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            yield int(entry.parent.name)


def main():
    out, frame, program, words = sys.argv[1], sys.argv[2], sys.argv[3], " ".join(sys.argv[4:])
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    options = rd.GetDefaultCaptureOptions()
    started = rd.ExecuteAndInject(program, os.getcwd(), words, [], out.removesuffix(".rdc"), options, False)
    control = rd.CreateTargetControl("", started.ident, "brokkr", True)
    if control is None:
        sys.exit(f"{program} does not run under RenderDoc")
    begin = time.monotonic() + float(frame[:-1]) if frame.endswith("s") else None
    if begin is None:
        control.QueueCapture(int(frame), 1)
    code = 1
    while control.Connected():
        if begin is not None and time.monotonic() >= begin:
            control.TriggerCapture(1)
            begin = None
        message = control.ReceiveMessage(None)
        if message.type == rd.TargetControlMessageType.NewCapture:
            os.replace(message.newCapture.path, out)
            code = 0
            break
        if message.type == rd.TargetControlMessageType.Noop:
            time.sleep(0.01)
    control.Shutdown()
    for process in children():
        os.kill(process, signal.SIGKILL)
    rd.ShutdownReplay()
    return code


if __name__ == "__main__":
    sys.exit(main())
