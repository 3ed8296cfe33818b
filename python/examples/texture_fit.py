"""Finds a texture from pictures of an object: `uv` says which texel each pixel shows, and pixels vote."""
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import save, torus

SIDE = 64


def main(out="texture_fit.png"):
    p, t, n, uv = torus(64, 32)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    truth = np.stack([128 + 120 * np.sin(x / 5), 128 + 120 * np.cos(y / 7), np.where((x // 8 + y // 8) % 2, 230, 30)], -1)
    truth = truth.astype(np.uint8)
    sampled = lambda texels: brokkr.Mesh(p, t, normals=n, uv=uv, material=brokkr.Material(
        (1, 1, 1), unlit=True, base_color_texture=texels))
    cameras = brokkr.Camera(np.concatenate([brokkr.Camera.orbit(12, distance=3.2, elevation=e).eye for e in (-50, 0, 50)]))
    renderer = brokkr.Renderer()
    r = renderer.render(sampled(truth), size=(128, 128), camera=cameras, outputs=("color", "uv", "triangle"))
    seen = r.triangle >= 0
    at = np.floor(r.uv[seen] * SIDE).astype(int) % SIDE
    texel = (SIDE - 1 - at[:, 1]) * SIDE + at[:, 0]  # texture rows run from the top
    votes = np.bincount(texel, minlength=SIDE * SIDE)
    sums = np.stack([np.bincount(texel, r.color[seen][:, c], SIDE * SIDE) for c in range(3)], -1)
    found = np.where(votes[:, None] > 0, sums / np.maximum(votes, 1)[:, None], 0).reshape(SIDE, SIDE, 3).astype(np.uint8)
    known = (votes > 0).reshape(SIDE, SIDE)
    error = np.abs(found.astype(int) - truth)[known].mean()
    print(f"{known.mean():.0%} of the texels seen, mean error {error:.1f} of 255")
    again = renderer.render(sampled(found), size=(128, 128), camera=brokkr.Camera((0, 2, 2.6))).color
    first = renderer.render(sampled(truth), size=(128, 128), camera=brokkr.Camera((0, 2, 2.6))).color
    big = lambda a: np.concatenate([np.kron(a, np.ones((2, 2, 1), np.uint8)), np.full((128, 128, 1), 255, np.uint8)], -1)
    sheet = np.concatenate([big(truth), big(found), first, again], axis=1)
    sheet[..., 3] = 255
    save(out, sheet)
    return error


if __name__ == "__main__":
    main(*sys.argv[1:])
