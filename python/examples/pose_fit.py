"""Finds an object's pose from a depth picture: Gauss-Newton, whose difference quotients are one batch of poses."""
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import save, torus, turn

STEP = 0.03  # radians, and units: a few pixels


def pose(v):
    """Angles in radians around x, y, z, and a place."""
    m = np.eye(4)
    for axis in range(3):
        m = turn(np.degrees(v[axis]), axis) @ m
    m[:3, 3] = v[3:]
    return m


def main(out="pose_fit.png", steps=40):
    p, t, n, _ = torus(40, 20)
    p = p * [1, 1, 0.6]  # a ring that looks different from each side
    scene = brokkr.Scene([brokkr.Mesh(p, t, normals=n)])
    batch = brokkr.Renderer().prepare(scene, size=(64, 64), views=13, outputs=("depth", "color"),
                                      poses=np.broadcast_to(np.eye(4), (13, 1, 4, 4)))
    batch.set_cameras(brokkr.Camera((0, 2, 4)))

    def depths(vectors):
        batch.set_poses(np.stack([pose(v) for v in vectors])[:, None])
        r = batch.render()
        # Means of 4 x 4 pixels: outlines then move smoothly.
        return np.minimum(r.depth, 5).reshape(13, 16, 4, 16, 4).mean((2, 4)).reshape(13, -1).astype(float), r.color[0]

    truth = np.array([0.3, 0.5, -0.2, 0.25, -0.1, 0.2])
    wanted, picture = depths([truth] * 13)
    wanted = wanted[0]
    guess, sides = np.zeros(6), np.concatenate([np.zeros((1, 6)), STEP * np.eye(6), -STEP * np.eye(6)])
    damping = 1.0
    best = np.inf
    shown = []
    for step in range(steps):
        values, color = depths(guess + sides)
        shown.append(color)
        residual = values[0] - wanted
        jacobian = ((values[1:7] - values[7:]) / (2 * STEP)).T
        loss = residual @ residual
        if loss < best:
            best, kept, damping = loss, guess.copy(), damping * 0.5
            system = jacobian.T @ jacobian, jacobian.T @ residual
        else:
            guess, damping = kept.copy(), damping * 4
        guess = kept - np.linalg.solve(system[0] + damping * np.diag(np.diag(system[0]) + 1e-9), system[1])
    error = np.degrees(np.arccos(np.clip((np.trace(pose(kept)[:3, :3].T @ pose(truth)[:3, :3]) - 1) / 2, -1, 1)))
    print(f"error: {error:.2f} degrees, {np.linalg.norm(kept[3:] - truth[3:]):.4f}")
    sheet = np.concatenate([picture, shown[0], shown[-1]], axis=1)
    sheet[..., 3] = 255
    save(out, sheet)
    return error


if __name__ == "__main__":
    main(*sys.argv[1:])
