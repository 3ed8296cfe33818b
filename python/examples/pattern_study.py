"""The distribution of a frame's work: fragments per bin of the picture, and their balance between rasterizers."""
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import save


def main(out="pattern.png"):
    r = brokkr.Renderer("cpu").render("generated:city?triangles=20000", size=(640, 384), outputs=("color", "overdraw"))
    s = r.statistics.to_dict()
    bins = np.array(s["bin_fragments"], float).reshape(s["bins_y"], s["bins_x"])[::-1]  # its rows run from the bottom
    heat = np.kron(bins / bins.max(), np.ones((64, 64)))[:384, :640]
    print(f"{s['rasterizers']} rasterizers, variation of their load {s['load_cv']:.3f}")
    fragments = np.clip(r.overdraw / max(r.overdraw.max(), 1), 0, 1)
    colour = lambda v: (255 * np.stack([v, v**2, 0.4 * (1 - v)], -1)).astype(np.uint8)
    save(out, np.concatenate([colour(fragments), colour(heat)], axis=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
