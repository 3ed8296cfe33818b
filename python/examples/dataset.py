"""A data set: random scenes with colour, depth and instance numbers, as a file that numpy.load reads."""
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import box, grid, save, torus, turn


def main(out="dataset.png", count=8):
    rng = np.random.default_rng(7)
    p, t, n, _ = torus(32, 16)
    ring = brokkr.Mesh(p, t, normals=n, material=brokkr.Material((0.2, 0.5, 0.9), roughness=0.5))
    block = box(color=(0.9, 0.7, 0.2))
    parts = [ring, ring, block, block, block, box((-6, -1.2, -6), (6, -1, 6), (0.5, 0.5, 0.5))]
    scene = brokkr.Scene([brokkr.Instance(m) for m in parts])
    poses = np.stack([np.stack([turn(rng.uniform(0, 360), rng.integers(3), rng.uniform((-2, -0.4, -2), (2, 0.8, 2)))
                                for _ in parts[:-1]] + [np.eye(4)]) for _ in range(count)])
    camera = brokkr.Camera.orbit(count, distance=7, elevation=35)
    r = brokkr.Renderer().render(scene, size=(96, 96), camera=camera, poses=poses, outputs=("color", "depth", "instance"))
    np.savez_compressed(str(out).replace(".png", ".npz"), color=r.color, depth=r.depth, instance=r.instance, poses=poses)
    far = r.depth[np.isfinite(r.depth)].max()
    grey = (255 * np.clip(1 - r.depth / far, 0, 1)).astype(np.uint8)[..., None].repeat(4, -1)
    palette = np.concatenate([rng.integers(60, 255, (len(parts), 4)), np.zeros((1, 4))]).astype(np.uint8)
    sheet = np.concatenate([r.color, grey, palette[r.instance]])
    sheet[..., 3] = 255
    save(out, grid(sheet, count))


if __name__ == "__main__":
    main(*sys.argv[1:])
