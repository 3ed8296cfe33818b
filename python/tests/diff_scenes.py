"""Meshes and cameras for the tests of differentiable rendering."""
import numpy as np

CUBE_V = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], np.float64) * 0.5
CUBE_T = np.array([[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4],
                   [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]], np.int32)


def sphere(rings=16, sectors=24):
    """Vertices, triangles and (u, v) of a sphere of radius 1; its seam has two columns of vertices."""
    a, b = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, sectors + 1), indexing="ij")
    v = np.stack([np.sin(a) * np.cos(b), np.cos(a), np.sin(a) * np.sin(b)], -1).reshape(-1, 3)
    uv = np.stack([b / (2 * np.pi), 1 - a / np.pi], -1).reshape(-1, 2)
    tri = []
    for r in range(rings):
        for s in range(sectors):
            p, q = r * (sectors + 1) + s, (r + 1) * (sectors + 1) + s
            if r > 0:
                tri.append([p, p + 1, q])
            if r + 1 < rings:
                tri.append([p + 1, q + 1, q])
    return v, np.array(tri, np.int32), uv


def look_at(eye, aspect=1.0, fov=40.0, near=0.5, far=20.0):
    """View-projection matrices [N, 4, 4] of cameras at eye [N, 3] that look at the origin."""
    eye = np.atleast_2d(np.asarray(eye, np.float64))
    z = eye / np.linalg.norm(eye, axis=1, keepdims=True)
    up = np.where(np.abs(z[:, 1:2]) > 0.95, [[1.0, 0, 0]], [[0, 1.0, 0]])
    x = np.cross(up, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.cross(z, x)
    V = np.zeros((len(eye), 4, 4))
    V[:, 0, :3], V[:, 1, :3], V[:, 2, :3], V[:, 3, 3] = x, y, z, 1
    V[:, :3, 3] = -np.einsum("nij,nj->ni", V[:, :3, :3], eye)
    f = 1 / np.tan(np.radians(fov) / 2)
    P = np.array([[f / aspect, 0, 0, 0], [0, f, 0, 0], [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)],
                  [0, 0, -1, 0]])
    return P @ V


def eyes(n, distance, rng):
    d = rng.standard_normal((n, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True) * distance


def clip(v, M):
    """Clip-space positions [N, V, 4]."""
    return np.einsum("nij,vj->nvi", M, np.concatenate([v, np.ones((len(v), 1))], 1))


class Adam:
    def __init__(self, *parameters):
        self.p = parameters
        self.m, self.s, self.step = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters], 0

    def update(self, rates, *grads):
        self.step += 1
        for p, m, s, g, rate in zip(self.p, self.m, self.s, grads, rates):
            m += 0.1 * (g - m)
            s += 0.01 * (g * g - s)
            p -= rate * (m / (1 - 0.9**self.step)) / (np.sqrt(s / (1 - 0.99**self.step)) + 1e-10)
