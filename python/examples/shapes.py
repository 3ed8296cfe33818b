"""Meshes that the examples draw."""
import numpy as np

import brokkr_render as brokkr


def torus(rings=48, sides=24, radius=1.0, thickness=0.4):
    """positions [V, 3], triangles [T, 3], normals, uv: around the vertical axis; seams have their own vertices."""
    a, b = np.meshgrid(np.linspace(0, 2 * np.pi, rings + 1), np.linspace(0, 2 * np.pi, sides + 1), indexing="ij")
    n = np.stack([np.cos(b) * np.cos(a), np.sin(b), np.cos(b) * np.sin(a)], -1)
    p = np.stack([radius * np.cos(a), 0 * a, radius * np.sin(a)], -1) + thickness * n
    i, j = np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij")
    k = (i * (sides + 1) + j).ravel()
    t = np.concatenate([np.stack([k, k + 1, k + sides + 1], 1), np.stack([k + 1, k + sides + 2, k + sides + 1], 1)])
    return p.reshape(-1, 3), t, n.reshape(-1, 3), np.stack([a, b], -1).reshape(-1, 2) / (2 * np.pi)


def box(low=(-0.5, -0.5, -0.5), high=(0.5, 0.5, 0.5), color=(0.8, 0.8, 0.8)):
    """A box with flat faces, as a Mesh."""
    low, high = np.array(low, float), np.array(high, float)
    positions, triangles, normals = [], [], []
    for axis in range(3):
        for side in (0, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            corners = []
            for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
                c = np.zeros(3)
                c[axis], c[u], c[v] = (low, high)[side][axis], (low, high)[s][u], (low, high)[t][v]
                corners.append(c)
            n = np.zeros(3)
            n[axis] = 2 * side - 1
            k = len(positions)
            order = (0, 1, 2, 0, 2, 3) if side else (0, 2, 1, 0, 3, 2)
            positions += corners
            normals += [n] * 4
            triangles += [[k + order[0], k + order[1], k + order[2]], [k + order[3], k + order[4], k + order[5]]]
    return brokkr.Mesh(positions, triangles, normals=normals, material=brokkr.Material(color))


def turn(angle, axis=1, at=(0, 0, 0)):
    """A pose: `angle` degrees around an axis, and then to a place."""
    m = np.eye(4)
    u, v = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    m[u, u], m[u, v], m[v, u], m[v, v] = c, -s, s, c
    m[:3, 3] = at
    return m


def grid(pictures, columns):
    """uint8 [N, H, W, 4] side by side."""
    n, h, w, c = pictures.shape
    rows = -(-n // columns)
    sheet = np.zeros((rows * columns, h, w, c), np.uint8)
    sheet[:n] = pictures
    return sheet.reshape(rows, columns, h, w, c).swapaxes(1, 2).reshape(rows * h, columns * w, c)


def save(path, pixels):
    """Writes uint8 [H, W, 3 or 4] as PNG."""
    pixels = np.asarray(pixels, np.uint8)
    if pixels.shape[-1] == 3:
        pixels = np.concatenate([pixels, np.full((*pixels.shape[:2], 1), 255, np.uint8)], -1)
    brokkr.Picture(np.ascontiguousarray(pixels), None, None).save(path)
