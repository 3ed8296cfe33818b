"""Cameras: one, or N in one object."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _check


def _normalized(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


class Camera:
    """The camera of a view. Every argument may have a leading N: one object is then N cameras.

    eye, target, up: float [3] or [N, 3], in the scene's units. fov: vertical, in degrees, 1..170, or [N]. near, far:
    distances along the viewing axis; None: fitted to the scene. Looks along -z of the camera's own axes, as OpenGL does.
    """

    def __init__(self, eye: Any = (0, 0, 1), target: Any = (0, 0, 0), *, up: Any = (0, 1, 0), fov: Any = 45.0,
                 near: float | None = None, far: float | None = None):
        vectors = {}
        for name, value in (("eye", eye), ("target", target), ("up", up)):
            vectors[name] = _check.floats(value, name, (3,), (None, 3), finite=True).astype(np.float64)
        fov_array = _check.floats(fov, "fov", (), (None,), finite=True).astype(np.float64)
        if fov_array.size and not ((fov_array >= 1) & (fov_array <= 170)).all():
            raise ValueError(f"fov: {_check.described(fov)} came; wanted 1..170 degrees")
        lengths = {name: v.shape[0] for name, v in vectors.items() if v.ndim == 2}
        if fov_array.ndim == 1:
            lengths["fov"] = fov_array.shape[0]
        if len(set(lengths.values())) > 1:
            raise ValueError(f"camera: {', '.join(f'{k} has {v}' for k, v in lengths.items())} entries; wanted one number N")
        self.single = not lengths
        n = next(iter(lengths.values()), 1)
        if n == 0:
            raise ValueError("camera: 0 cameras came; wanted at least one")
        e, t, u = (np.broadcast_to(vectors[k], (n, 3)) for k in ("eye", "target", "up"))
        self._fov = np.broadcast_to(fov_array, (n,))
        z = e - t
        if not (np.linalg.norm(z, axis=1) > 0).all():
            raise ValueError("target: is where the eye is; wanted another point")
        z = _normalized(z)
        x = np.cross(u, z)
        if not (np.linalg.norm(x, axis=1) > 1e-9).all():
            raise ValueError("up: is along the viewing axis, or 0; wanted another direction")
        x = _normalized(x)
        y = np.cross(z, x)
        view = np.zeros((n, 4, 4))
        view[:, 0, :3], view[:, 1, :3], view[:, 2, :3], view[:, 3, 3] = x, y, z, 1
        view[:, :3, 3] = -np.einsum("nij,nj->ni", view[:, :3, :3], e)
        self._view = view
        self._projection: np.ndarray | None = None
        self._near = None if near is None else _check.real(near, "near", 1e-12, 1e18)
        self._far = None if far is None else _check.real(far, "far", 1e-12, 1e18)
        if self._near is not None and self._far is not None and self._near >= self._far:
            raise ValueError(f"far: {far} is not behind near, {near}; wanted a larger one")

    @classmethod
    def from_matrices(cls, view: Any, projection: Any) -> Camera:
        """view: world to camera, projection: camera to clip space; float [4, 4] or [N, 4, 4], row by row, for columns."""
        v = _check.floats(view, "view", (4, 4), (None, 4, 4), finite=True).astype(np.float64)
        p = _check.floats(projection, "projection", (4, 4), (None, 4, 4), finite=True).astype(np.float64)
        if v.ndim == p.ndim == 3 and len(v) != len(p):
            raise ValueError(f"projection: {len(p)} matrices came; wanted {len(v)}, as many as of view")
        self = cls.__new__(cls)
        self.single = v.ndim == p.ndim == 2
        n = max(len(v) if v.ndim == 3 else 1, len(p) if p.ndim == 3 else 1)
        if (v.ndim == 3 and len(v) == 0) or (p.ndim == 3 and len(p) == 0):
            raise ValueError("view: 0 matrices came; wanted at least one")
        self._view = np.broadcast_to(v, (n, 4, 4)).copy()
        if (np.abs(np.linalg.det(self._view[:, :3, :3])) < 1e-12).any():
            raise ValueError("view: a matrix has no inverse; wanted a rotation and a translation")
        self._projection = np.broadcast_to(p, (n, 4, 4)).copy()
        self._near = self._far = None
        return self

    @classmethod
    def from_opencv(cls, K: Any, R: Any, t: Any, *, size: tuple[int, int], near: float, far: float) -> Camera:
        """An OpenCV camera: x to the right, y down, z forward; pixel centres at +0.5.

        K: float [3, 3] or [N, 3, 3], in pixels. R, t: world to camera, [3, 3] and [3], or with N. size: (width, height).
        """
        width, height = _check.size(size)
        near, far = _check.real(near, "near", 1e-12, 1e18), _check.real(far, "far", 1e-12, 1e18)
        if near >= far:
            raise ValueError(f"far: {far} is not behind near, {near}; wanted a larger one")
        k = _check.floats(K, "K", (3, 3), (None, 3, 3), finite=True).astype(np.float64).reshape(-1, 3, 3)
        r = _check.floats(R, "R", (3, 3), (None, 3, 3), finite=True).astype(np.float64).reshape(-1, 3, 3)
        o = _check.floats(t, "t", (3,), (None, 3), finite=True).astype(np.float64).reshape(-1, 3)
        n = max(len(k), len(r), len(o))
        for name, a in (("K", k), ("R", r), ("t", o)):
            if len(a) not in (1, n):
                raise ValueError(f"{name}: {len(a)} came; wanted 1 or {n}")
        view = np.zeros((n, 4, 4))
        flip = np.diag([1.0, -1.0, -1.0])
        view[:, :3, :3], view[:, :3, 3], view[:, 3, 3] = flip @ r, (flip @ o[..., None])[..., 0], 1
        p = np.zeros((n, 4, 4))
        p[:, 0, 0], p[:, 1, 1] = 2 * k[:, 0, 0] / width, 2 * k[:, 1, 1] / height
        p[:, 0, 1] = -2 * k[:, 0, 1] / width
        p[:, 0, 2], p[:, 1, 2] = 1 - 2 * k[:, 0, 2] / width, 2 * k[:, 1, 2] / height - 1
        p[:, 2, 2], p[:, 2, 3] = -(far + near) / (far - near), -2 * far * near / (far - near)
        p[:, 3, 2] = -1
        made = cls.from_matrices(view, p)
        made.single = all(np.ndim(a) == d for a, d in ((K, 2), (R, 2), (t, 1)))
        return made

    @classmethod
    def orbit(cls, n: int, *, target: Any = (0, 0, 0), distance: float = 3.0, elevation: float = 20.0,
              fov: float = 45.0) -> Camera:
        """n cameras around the vertical axis through `target`, `elevation` degrees above it, the first in front (+z)."""
        n = _check.integer(n, "n", 1, 65536)
        distance = _check.real(distance, "distance", 1e-9, 1e9)
        up = np.radians(_check.real(elevation, "elevation", -89, 89))
        a = 2 * np.pi * np.arange(n) / n
        d = np.stack([np.sin(a) * np.cos(up), np.full(n, np.sin(up)), np.cos(a) * np.cos(up)], axis=1)
        centre = _check.floats(target, "target", (3,), finite=True)
        return cls(centre + distance * d, np.broadcast_to(centre, (n, 3)), fov=fov)

    def __len__(self) -> int:
        return len(self._view)

    def __repr__(self) -> str:
        return f"Camera({len(self)} cameras)" if not self.single else "Camera()"

    @property
    def eye(self) -> np.ndarray:
        """float32 [N, 3]."""
        r, t = self._view[:, :3, :3], self._view[:, :3, 3]
        return (-np.linalg.solve(r, t[..., None])[..., 0]).astype(np.float32)

    def matrices(self, size: tuple[int, int], bounds: tuple | None = None) -> np.ndarray:
        """World to clip space, float32 [N, 4, 4]. `bounds`: (low, high), the box to which near and far are fitted."""
        if self._projection is not None:
            return np.ascontiguousarray(self._projection @ self._view, np.float32)
        width, height = size
        n = len(self)
        near = np.full(n, self._near if self._near is not None else 0.1)
        far = np.full(n, self._far if self._far is not None else 100.0)
        if bounds is not None:
            low, high = (np.asarray(b, np.float64) for b in bounds)
            centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-6)
            along = -(np.einsum("nj,j->n", self._view[:, 2, :3], centre) + self._view[:, 2, 3])
            if self._far is None:
                far = np.maximum(along + 1.01 * radius, 2e-3 * radius)
            if self._near is None:
                near = np.maximum(along - 1.01 * radius, far * 1e-3)
        near = np.minimum(near, far * 0.999)
        f = 1 / np.tan(np.radians(self._fov) / 2)
        p = np.zeros((n, 4, 4))
        p[:, 0, 0], p[:, 1, 1] = f * height / width, f
        p[:, 2, 2], p[:, 2, 3] = -(far + near) / (far - near), -2 * far * near / (far - near)
        p[:, 3, 2] = -1
        return np.ascontiguousarray(p @ self._view, np.float32)
