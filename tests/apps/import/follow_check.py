"""follow_check.py FILE.rdc FOLDER [slow]: imports a capture twice, and compares the frame files.

The second time, each draw has a replay; with `slow`, each pass of several draws counts as slow. It prints a line of JSON:
whether the files are the same, the number of replays of each, and how often the second import emptied the shaders.
"""
import json
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src/apps/import"))
import follow
import frame_file
import rdc
from rdc import rd


def imported(path, out):
    capture = rd.OpenCaptureFile()
    capture.OpenFile(path, "", None)
    _, controller = capture.OpenCapture(rd.ReplayOptions(), None)
    importer = rdc.Importer(path, controller)
    frame, facts = importer.run()
    frame_file.write(out, frame, importer.blob)
    controller.Shutdown()
    return facts["replays"]


def main():
    path, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    followed = imported(path, str(folder / "followed.bkf"))
    emptied = []
    if "slow" in sys.argv[3:]:
        empty = rdc.Importer.empty_shaders
        rdc.Importer.empty_shaders = lambda self, is_empty: (empty(self, is_empty), emptied.append(is_empty))
        rdc.MOST_SECONDS = 0
    else:
        follow.Follower.at = follow.Follower.replayed
    replayed = imported(path, str(folder / "replayed.bkf"))
    same = (folder / "followed.bkf").read_bytes() == (folder / "replayed.bkf").read_bytes()
    print(json.dumps({"same": same, "followed": followed, "replayed": replayed, "emptied": sum(emptied)}), flush=True)
    os._exit(0)


main()
