"""What the programs that replay RenderDoc captures share: they open the capture, and end with one line."""
import ctypes
import os
import signal
import sys

try:
    import renderdoc as rd
except ImportError as error:
    sys.exit(f"{error.name} is not installed for {sys.executable}; "
             "install the Debian packages python3-renderdoc and python3-numpy")

PR_SET_PDEATHSIG = 1
NEEDED = {"Vulkan": "a Vulkan driver is needed, for instance Debian's mesa-vulkan-drivers",
          "OpenGL": "a display and an OpenGL driver are needed, for instance xvfb-run and Debian's libgl1-mesa-dri",
          "OpenGLES": "a display and an OpenGL ES driver are needed, for instance xvfb-run and Debian's libgl1-mesa-dri"}


def open_capture(path, drivers):
    """Opens a capture of one of these drivers and returns the replay. Ends the program with one line if it cannot."""
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    capture = rd.OpenCaptureFile()
    result = capture.OpenFile(path, "", None)
    if result != rd.ResultCode.Succeeded:
        sys.exit(f"{path}: RenderDoc cannot read it ({result.Message()}); name a file that RenderDoc saved")
    if capture.DriverName() not in drivers:
        sys.exit(f"{path}: it is a capture of {capture.DriverName()}, and the import replays only Vulkan and OpenGL; "
                 "run the program on one of them (DXVK and vkd3d run Direct3D on Vulkan)")
    result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        sys.exit(f"{path}: this computer cannot replay it ({result.Message()}); {NEEDED[capture.DriverName()]}")
    return controller


def run(main):
    """Runs main and ends the process: 1 after one line on stderr if it fails."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # a replay without end does not outlive `brokkr import`
    code = 0
    try:
        main()
    except SystemExit as end:
        print(end.code, file=sys.stderr)
        code = 1
    except Exception as error:  # RenderDoc's bindings raise what they like
        what = f"{type(error).__name__}: {error}"
        print(f"{sys.argv[1]}: the import does not know something in it ({what})", file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # RenderDoc's destructors may end the process with a signal
