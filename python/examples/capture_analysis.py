"""A captured frame of a program: its largest draws, the picture after each quarter, and the history of a pixel."""
import pathlib
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import grid, save

FRAME = pathlib.Path(__file__).resolve().parents[2] / "scenes/minetest.bkf"


def main(out="capture.png", path=FRAME):
    capture = brokkr.load(path, warnings="ignore")
    draws = capture.draws
    for i in np.argsort(-draws["triangles"])[:5]:
        print(f"command {draws['command'][i]:4d}: {draws['triangles'][i]:7d} triangles  {draws['label'][i]}")
    ends = [int(draws["command"][len(draws["command"]) * q // 4 - 1]) + 1 for q in (1, 2, 3, 4)]
    pictures = np.stack([capture.render(up_to=end).color for end in ends])
    pictures[..., 3] = 255
    save(out, grid(pictures[:, ::2, ::2], 2))
    width, height = capture.size
    history = capture.pixel(width // 2, height // 2)
    print(f"the middle: {len(history['events'])} events")


if __name__ == "__main__":
    main(*sys.argv[1:])
