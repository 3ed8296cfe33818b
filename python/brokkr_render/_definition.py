"""Differentiable rendering in numpy, in the dtype of its inputs: tests compare the library's stages with it,
and float64 arrays run it. It is slow and meant for checks.

Written from Laine et al. 2020, section 3, Pidhorskyi et al. 2024 (edges) and Olano and Greer 1997. Shapes are those of brokkr_render.diff.
"""
import numpy as np


def _ndc(shape, dtype):
    _, h, w = shape
    fx = (2 * np.arange(w, dtype=dtype) + 1) / w - 1
    fy = (2 * np.arange(h, dtype=dtype) + 1) / h - 1
    return fx, fy


def _positions(pos, image, vertex):
    return pos[vertex] if pos.ndim == 2 else pos[image[:, None], vertex]


def _add(target, per_image, image, vertex, values):
    np.add.at(target, (image[:, None], vertex) if per_image else vertex, values)


class Weights:
    """Covered pixels as lists: vertices, weights b, and everything that gradients need."""

    def __init__(self, pos, tri, ids):
        self.shape, self.pos = ids.shape, pos
        self.at = np.nonzero(ids >= 0)
        self.image, y, x = self.at
        self.vertex = tri[ids[self.at]]
        fx, fy = _ndc(ids.shape, pos.dtype)
        self.fx, self.fy = fx[x], fy[y]
        self.p = p = _positions(pos, self.image, self.vertex)
        self.w = w = p[..., 3]
        self.X, self.Y = X, Y = p[..., 0] - self.fx[:, None] * w, p[..., 1] - self.fy[:, None] * w
        j, k = [1, 2, 0], [2, 0, 1]
        a = X[:, j] * Y[:, k] - Y[:, j] * X[:, k]
        s = a.sum(1, keepdims=True)
        self.inverse = np.where(s != 0, 1 / np.where(s != 0, s, 1), 0)
        self.b = a * self.inverse
        a_x, a_y = Y[:, j] * w[:, k] - w[:, j] * Y[:, k], w[:, j] * X[:, k] - X[:, j] * w[:, k]
        self.s_x, self.s_y = a_x.sum(1, keepdims=True), a_y.sum(1, keepdims=True)
        self.b_x, self.b_y = (a_x - self.b * self.s_x) * self.inverse, (a_y - self.b * self.s_y) * self.inverse
        self.sum_z, self.sum_w = (self.b * p[..., 2]).sum(1), (self.b * w).sum(1)
        self.zw = self.sum_z / np.where(self.sum_w != 0, self.sum_w, 1)


def rasterize(pos, tri, ids):
    n = Weights(pos, tri, ids)
    rast, db = np.zeros((2, *n.shape, 4), pos.dtype)
    _, h, w = n.shape
    u = np.clip(n.b[:, 0], 0, 1)
    v = np.minimum(np.maximum(n.b[:, 1], 0), 1 - u)
    rast[n.at] = np.stack([u, v, np.clip(n.zw, -1, 1), ids[n.at] + 1], 1)
    db[n.at] = np.stack([n.b_x[:, 0] * 2 / w, n.b_y[:, 0] * 2 / h, n.b_x[:, 1] * 2 / w, n.b_y[:, 1] * 2 / h], 1)
    return rast, db


def rasterize_backward(pos, tri, ids, g_rast, g_db):
    n = Weights(pos, tri, ids)
    _, h, w = n.shape
    zero = np.zeros(len(n.image), pos.dtype)
    g_u, g_v, g_zw = (g_rast[n.at][:, k] for k in range(3)) if g_rast is not None else (zero, zero, zero)
    g_sum_z = g_zw / np.where(n.sum_w != 0, n.sum_w, 1)
    g_sum_w = -g_sum_z * n.zw
    g_z, g_w = n.b * g_sum_z[:, None], n.b * g_sum_w[:, None]
    g_b = np.stack([g_u, g_v, zero], 1)
    g_b += g_sum_z[:, None] * (n.p[..., 2] - n.p[:, 2:, 2]) + g_sum_w[:, None] * (n.w - n.w[:, 2:])
    g_X, g_Y = np.zeros_like(n.X), np.zeros_like(n.Y)
    g_s = np.zeros((len(zero), 1), pos.dtype)
    j, k = [1, 2, 0], [2, 0, 1]
    if g_db is not None:
        d = g_db[n.at] * np.array([2 / w, 2 / h, 2 / w, 2 / h], pos.dtype)
        d_x, d_y = np.stack([d[:, 0], d[:, 2], zero], 1), np.stack([d[:, 1], d[:, 3], zero], 1)
        g_b = g_b - (d_x * n.s_x + d_y * n.s_y) * n.inverse
        g_b[:, 2] = 0
        g_s -= (d_x * n.b_x + d_y * n.b_y).sum(1, keepdims=True) * n.inverse
        g_ax = (d_x - (d_x * n.b).sum(1, keepdims=True)) * n.inverse
        g_ay = (d_y - (d_y * n.b).sum(1, keepdims=True)) * n.inverse
        for i in range(3):  # a_x = Y_j w_k - w_j Y_k, a_y = w_j X_k - X_j w_k
            J, K = j[i], k[i]
            g_Y[:, J] += g_ax[:, i] * n.w[:, K]; g_w[:, K] += g_ax[:, i] * n.Y[:, J]
            g_w[:, J] -= g_ax[:, i] * n.Y[:, K]; g_Y[:, K] -= g_ax[:, i] * n.w[:, J]
            g_w[:, J] += g_ay[:, i] * n.X[:, K]; g_X[:, K] += g_ay[:, i] * n.w[:, J]
            g_X[:, J] -= g_ay[:, i] * n.w[:, K]; g_w[:, K] -= g_ay[:, i] * n.X[:, J]
    g_s -= (g_b * n.b).sum(1, keepdims=True) * n.inverse
    g_a = g_b * n.inverse + g_s
    for i in range(3):  # a_i = X_j Y_k - Y_j X_k
        J, K = j[i], k[i]
        g_X[:, J] += g_a[:, i] * n.Y[:, K]; g_Y[:, K] += g_a[:, i] * n.X[:, J]
        g_Y[:, J] -= g_a[:, i] * n.X[:, K]; g_X[:, K] -= g_a[:, i] * n.Y[:, J]
    g_w = g_w - n.fx[:, None] * g_X - n.fy[:, None] * g_Y
    g_pos = np.zeros_like(pos)
    _add(g_pos, pos.ndim == 3, n.image, n.vertex, np.stack([g_X, g_Y, g_z, g_w], 2))
    return g_pos


def _of_pixels(attr, tri, rast, ids):
    at = np.nonzero(ids >= 0)
    vertex = tri[ids[at]]
    u, v = rast[at][:, 0:1], rast[at][:, 1:2]
    return at, vertex, u, v, _positions(attr, at[0], vertex)


def interpolate(attr, tri, rast, ids, db, diff):
    at, _, u, v, a = _of_pixels(attr, tri, rast, ids)
    out = np.zeros((*ids.shape, attr.shape[-1]), attr.dtype)
    out[at] = u * a[:, 0] + v * a[:, 1] + (1 - u - v) * a[:, 2]
    if not diff:
        return out, None
    da = np.zeros((*ids.shape, len(diff), 2), attr.dtype)
    by_u, by_v = (a[:, 0] - a[:, 2])[:, diff], (a[:, 1] - a[:, 2])[:, diff]
    d = db[at][:, None, :]
    da[at] = np.stack([d[..., 0] * by_u + d[..., 2] * by_v, d[..., 1] * by_u + d[..., 3] * by_v], 2)
    return out, da.reshape(*ids.shape, len(diff) * 2)


def interpolate_backward(attr, tri, rast, ids, db, diff, g_out, g_da):
    at, vertex, u, v, a = _of_pixels(attr, tri, rast, ids)
    g = g_out[at]
    part = np.stack([u * g, v * g, (1 - u - v) * g], 1)
    g_rast, g_db = np.zeros_like(rast), np.zeros_like(rast)
    g_rast[at] = np.stack([(g * (a[:, 0] - a[:, 2])).sum(1), (g * (a[:, 1] - a[:, 2])).sum(1), u[:, 0] * 0, u[:, 0] * 0], 1)
    if diff and g_da is not None:
        d, gd = db[at][:, None, :], g_da[at].reshape(len(u), len(diff), 2)
        by_u, by_v = gd[..., 0] * d[..., 0] + gd[..., 1] * d[..., 1], gd[..., 0] * d[..., 2] + gd[..., 1] * d[..., 3]
        for i, k in enumerate(diff):
            part[:, 0, k] += by_u[:, i]; part[:, 1, k] += by_v[:, i]; part[:, 2, k] -= by_u[:, i] + by_v[:, i]
        a_u, a_v = (a[:, 0] - a[:, 2])[:, diff], (a[:, 1] - a[:, 2])[:, diff]
        g_db[at] = np.stack([(gd[..., 0] * a_u).sum(1), (gd[..., 1] * a_u).sum(1), (gd[..., 0] * a_v).sum(1),
                             (gd[..., 1] * a_v).sum(1)], 1)
    g_attr = np.zeros_like(attr)
    _add(g_attr, attr.ndim == 3, at[0], vertex, part)
    return g_attr, g_rast, g_db


class Silhouettes:
    """Pairs of neighbours that a silhouette divides: at the distance d from the surface's pixel, 0..1."""

    def __init__(self, pos, tri, rast, ids, opposite):
        self.pos, (n, h, w) = pos, ids.shape
        fx, fy = _ndc(ids.shape, pos.dtype)
        kept = []
        for axis in (0, 1):
            a = (slice(None), slice(None), slice(0, w - 1)) if axis == 0 else (slice(None), slice(0, h - 1), slice(None))
            b = (slice(None), slice(None), slice(1, w)) if axis == 0 else (slice(None), slice(1, h), slice(None))
            i, y, x = np.nonzero(ids[a] != ids[b])
            y2, x2 = (y, x + 1) if axis == 0 else (y + 1, x)
            first, second = ids[i, y, x], ids[i, y2, x2]
            is_second = (first < 0) | ((second >= 0) & (rast[i, y2, x2, 2] < rast[i, y, x, 2]))
            t = np.where(is_second, second, first)
            sy, sx = np.where(is_second, y2, y), np.where(is_second, x2, x)
            oy, ox = np.where(is_second, y, y2), np.where(is_second, x, x2)
            scale = np.where(is_second, -0.5, 0.5).astype(pos.dtype) * (w if axis == 0 else h)
            cx, cy = fx[sx], fy[sy]

            def near(vertex):
                p = pos[vertex] if pos.ndim == 2 else pos[i, vertex]
                return np.stack([p[:, 0] - cx * p[:, 3], p[:, 1] - cy * p[:, 3], p[:, 3]], 1)

            best = np.full(len(i), 2, pos.dtype)
            edge, P, Q = np.full(len(i), -1), np.zeros((len(i), 3), pos.dtype), np.zeros((len(i), 3), pos.dtype)
            for e in range(3):
                p, q, o = (near(tri[t, (e + k) % 3]) for k in range(3))
                line = np.cross(p, q)
                l = line[:, axis]
                by_x, by_y = np.abs(line[:, 0]) * h, np.abs(line[:, 1]) * w
                ends = p[:, 1 - axis] * q[:, 1 - axis]
                front = line[:, 0] * (p[:, 1] - q[:, 1]) if axis == 0 else line[:, 1] * (q[:, 0] - p[:, 0])
                ok = (by_x > by_y if axis == 0 else by_y >= by_x) & (ends <= 0) & (front > 0)
                d = -scale * line[:, 2] / np.where(ok, l, 1)
                ok &= (d >= 0) & (d <= 1) & (d < best)
                far = opposite[t, e]
                r = near(np.maximum(far, 0))
                ok &= (far < 0) | ((line * o).sum(1) * (line * r).sum(1) > 0)
                best[ok], edge[ok], P[ok], Q[ok] = d[ok], e, p[ok], q[ok]
            k = edge >= 0
            kept.append([c[k] for c in (i, sy, sx, oy, ox, t, edge, best, scale, cx, cy, P, Q, np.full(len(i), axis))])
        (self.i, self.sy, self.sx, self.oy, self.ox, t, edge, self.d, self.scale, self.cx, self.cy, self.P, self.Q,
         self.axis) = (np.concatenate(c) for c in zip(*kept))
        self.p, self.q = tri[t, edge], tri[t, (edge + 1) % 3]
        far = self.d > 0.5
        self.ty, self.tx = np.where(far, self.oy, self.sy), np.where(far, self.ox, self.sx)

    def forward(self, color):
        out = color.copy()
        S, O = color[self.i, self.sy, self.sx], color[self.i, self.oy, self.ox]
        np.add.at(out, (self.i, self.ty, self.tx), (self.d - 0.5)[:, None].astype(color.dtype) * (S - O))
        return out

    def backward(self, color, g, boost):
        f, gt = (self.d - 0.5)[:, None], g[self.i, self.ty, self.tx]
        g_color = g.copy()
        np.add.at(g_color, (self.i, self.sy, self.sx), f * gt)
        np.add.at(g_color, (self.i, self.oy, self.ox), -f * gt)
        g_d = (gt * (color[self.i, self.sy, self.sx] - color[self.i, self.oy, self.ox])).sum(1) * boost
        line = np.cross(self.P, self.Q)
        rows = np.arange(len(g_d))
        g_line = np.zeros_like(line)  # d = -scale l_w / l_axis
        g_line[:, 2] = -self.scale * g_d / line[rows, self.axis]
        g_line[rows, self.axis] = -self.d * g_d / line[rows, self.axis]
        g_pos = np.zeros_like(self.pos)
        for vertex, g_v in ((self.p, np.cross(self.Q, g_line)), (self.q, np.cross(g_line, self.P))):
            part = np.zeros((len(g_d), 4), self.pos.dtype)
            part[:, :2], part[:, 3] = g_v[:, :2], g_v[:, 2] - self.cx * g_v[:, 0] - self.cy * g_v[:, 1]
            np.add.at(g_pos, vertex if self.pos.ndim == 2 else (self.i, vertex), part)
        return g_color, g_pos


class _Facet:
    """The triangle t of each pixel (i, y, x), -1: none, and its plane of z/w over normalized device coordinates."""

    def __init__(self, pos, tri, shape, i, y, x, t):
        fx, fy = _ndc(shape, pos.dtype)
        self.fx, self.fy, self.i = fx[x], fy[y], i
        self.vertex = tri[np.maximum(t, 0)] if len(tri) else np.zeros((len(t), 3), int)
        self.p = p = _positions(pos, i, self.vertex)
        w = p[..., 3]
        X, Y = p[..., 0] - self.fx[:, None] * w, p[..., 1] - self.fy[:, None] * w
        j, k = [1, 2, 0], [2, 0, 1]
        a = X[:, j] * Y[:, k] - Y[:, j] * X[:, k]
        s = a.sum(1)
        self.b = a / np.where(s != 0, s, 1)[:, None]
        whole = (a * w).sum(1)  # the same at every pixel
        self.m = (t >= 0) & (s != 0) & (whole != 0)
        self.w = np.where(self.m, (self.b * w).sum(1), 1)
        whole = np.where(self.m, whole, 1)
        self.depth = (a * p[..., 2]).sum(1) / whole
        self.slope = np.stack([((Y[:, j] * w[:, k] - w[:, j] * Y[:, k]) * p[..., 2]).sum(1) / whole,
                               ((w[:, j] * X[:, k] - X[:, j] * w[:, k]) * p[..., 2]).sum(1) / whole], 1)

    def add(self, g_pos, g, m):
        """g: gradients [P, 3] of x, y and z/w of the point at the pixel's centre."""
        share = (self.b / self.w[:, None])[m]
        part = np.zeros((len(share), 3, 4), g_pos.dtype)
        part[..., :3] = share[..., None] * g[m][:, None]
        place = np.stack([self.fx, self.fy, self.depth], 1)[m]
        part[..., 3] = -share * (g[m] * place).sum(1)[:, None]
        _add(g_pos, g_pos.ndim == 3, self.i[m], self.vertex[m], part)


def edges_backward(pos, tri, ids, color, g, boost):
    """The gradient of pos from boundaries between triangles."""
    n, h, w = ids.shape
    g_pos = np.zeros_like(pos)
    for axis in (0, 1):
        a = (slice(None), slice(None), slice(0, w - 1)) if axis == 0 else (slice(None), slice(0, h - 1), slice(None))
        b = (slice(None), slice(None), slice(1, w)) if axis == 0 else (slice(None), slice(1, h), slice(None))
        i, y, x = np.nonzero(ids[a] != ids[b])
        there = (i, y, x + 1) if axis == 0 else (i, y + 1, x)
        here, size = (i, y, x), (w, h)[axis]
        A, B = (_Facet(pos, tri, ids.shape, *at, ids[at]) for at in (here, there))
        g_d = ((g[here] + g[there]) * (color[here] - color[there])).sum(1) / 2 * size / 2 * boost
        one_surface = A.m & B.m & ((A.vertex[:, :, None] == B.vertex[:, None, :]).any(2).sum(1) >= 2)
        both, step = A.m & B.m & ~one_surface, 2 / size
        s_a, s_b = A.slope[:, axis], B.slope[:, axis]
        a_at_a, a_at_b = A.depth <= B.depth - s_b * step, A.depth + s_a * step <= B.depth
        crosses = both & a_at_a & ~a_at_b & ((s_a - s_b) * step > 1e-7)
        angle = np.where(crosses, s_a - s_b, 1)
        along = np.zeros((len(i), 3), pos.dtype)
        along[:, axis] = np.where(both & ~a_at_a & a_at_b, g_d / 2, g_d)
        for facet, moves, sign in ((A, a_at_b, 1), (B, ~a_at_a, -1)):
            by_crossing = sign * (g_d / angle)[:, None] * np.concatenate([facet.slope, -np.ones((len(i), 1))], 1)
            m = (facet.m & (ids[there if facet is A else here] < 0)) | (both & moves)
            facet.add(g_pos, np.where(crosses[:, None], by_crossing, along), m | crosses)
    return g_pos


def _to_face(face, v):
    low, axis, rows = (face & 1).astype(bool), face >> 1, np.arange(len(face))
    x, y, z = v.T
    s = np.where(axis == 0, np.where(low, z, -z), np.where((axis == 1) | ~low, x, -x))
    t = np.where(axis == 1, np.where(low, -z, z), -y)
    return np.stack([s, t, np.where(low, -1, 1) * v[rows, axis]], 1)


def _from_face(face, f):
    low, axis = (face & 1).astype(bool), face >> 1
    s, t, m = f.T
    major = np.where(low, -m, m)
    return np.stack([np.where(axis == 0, major, np.where((axis == 1) | ~low, s, -s)), np.where(axis == 1, major, -t),
                     np.where(axis == 0, np.where(low, s, -s), np.where(axis == 1, np.where(low, -t, t), major))], 1)


def _face_of(v):
    a = np.abs(v)
    axis = np.where((a[:, 0] >= a[:, 1]) & (a[:, 0] >= a[:, 2]), 0, np.where(a[:, 1] >= a[:, 2], 1, 2))
    return axis * 2 + (v[np.arange(len(v)), axis] < 0)


class Lookup:
    """Lookups of a texture: `tex` [N or 1, (6,) h, w, C], `mips` a list of smaller levels."""

    def __init__(self, tex, mips, uv, uv_da, bias, filter_mode, boundary_mode):
        self.levels = [tex, *mips]
        self.cube, self.boundary = boundary_mode == "cube", boundary_mode
        self.nearest = filter_mode == "nearest"
        shape = uv.shape[:3]
        self.shape, self.channels, dtype = shape, tex.shape[-1], tex.dtype
        count = int(np.prod(shape))
        self.image = np.repeat(np.arange(shape[0]), shape[1] * shape[2]) if tex.shape[0] > 1 else np.zeros(count, int)
        self.v = v = uv.reshape(count, -1)
        da = None if uv_da is None else uv_da.reshape(count, v.shape[1], 2)
        self.da = da
        self.face, self.ok = np.zeros(count, int), np.ones(count, bool)
        h, w = tex.shape[-3:-1]
        if self.cube:
            self.face = _face_of(v)
            self.on = _to_face(self.face, v)
            self.ok = self.on[:, 2] > 0
            self.m = np.where(self.ok, self.on[:, 2], 1)
            self.st = self.on[:, :2] / self.m[:, None] / 2 + 0.5
            if da is not None:
                self.on_d = np.stack([_to_face(self.face, da[:, :, k]) for k in range(2)], 2)  # [P, 3, 2]
                ratio = self.on[:, :2, None] / self.m[:, None, None]
                self.st_d = (self.on_d[:, :2] - ratio * self.on_d[:, 2:]) / (2 * self.m[:, None, None])
        else:
            self.st = v - np.floor(v) if boundary_mode == "wrap" else np.clip(v, 0, 1) if boundary_mode == "clamp" else v
            self.st_d = da
        most = len(mips)
        level = np.zeros(count, dtype)
        self.has_levels = filter_mode.startswith("linear-mipmap")
        self.two = filter_mode == "linear-mipmap-linear"
        if self.has_levels and da is not None:
            size = np.array([w, h], dtype)
            J = self.st_d * size[:, None]
            a, c, b = (J[:, 0] ** 2).sum(1), (J[:, 1] ** 2).sum(1), (J[:, 0] * J[:, 1]).sum(1)
            root = np.sqrt((a - c) ** 2 + 4 * b * b)
            square = np.clip((a + c + root) / 2, 1e-30, 1e30)
            level = np.log2(square) / 2
            r = np.where(root > 0, root, 1)
            tilt, cross = np.where(root > 0, (a - c) / r, 0), np.where(root > 0, 2 * b / r, 0)
            self.level_by_J = np.stack([(tilt + 1)[:, None] * J[:, 0] + cross[:, None] * J[:, 1],
                                        (1 - tilt)[:, None] * J[:, 1] + cross[:, None] * J[:, 0]], 1)
            self.level_by_J *= (size[:, None] / (2 * np.log(2)) / square[:, None, None])
        if self.has_levels and bias is not None:
            level = level + bias.reshape(count)
        self.free = (level > 0) & (level < most)
        level = np.clip(level, 0, most)
        self.first = np.floor(level + 0.5 if self.has_levels and not self.two else level).astype(int)
        self.second = np.minimum(self.first + 1, most)
        self.f = level - self.first if self.two else np.zeros(count, dtype)

    def taps(self, level):
        """Image, face, y, x, weight, and its derivatives by s and t, of the texels of each lookup."""
        h, w = (np.array([t.shape[k] for t in self.levels])[level] for k in (-3, -2))
        s, t = self.st.T
        if self.nearest:
            x, y = np.floor(s * w).astype(int), np.floor(t * h).astype(int)
            ok = self.ok & ((x >= 0) & (y >= 0) & (x < w) & (y < h) if self.boundary == "zero" else True)
            x, y = np.clip(x, 0, w - 1), np.clip(y, 0, h - 1)
            zero = np.zeros_like(s)
            return [(self.face, y, x, np.where(ok, 1, zero), zero, zero)]
        u, v = s * w - 0.5, t * h - 0.5
        u0, v0 = np.floor(u), np.floor(v)
        fu, fv = u - u0, v - v0
        out, missing = [], []
        for i in range(4):
            x, y = u0.astype(int) + (i & 1), v0.astype(int) + (i >> 1)
            wu, wv = (fu if i & 1 else 1 - fu), (fv if i >> 1 else 1 - fv)
            by_s, by_t = (w if i & 1 else -w) * wv, (h if i >> 1 else -h) * wu
            out_x, out_y = (x < 0) | (x >= w), (y < 0) | (y >= h)
            ok, face = self.ok, self.face
            if self.cube:
                missing.append(out_x & out_y)
                d = _from_face(face, np.stack([2 * x + 1 - w, 2 * y + 1 - w, w], 1))
                next_face = _face_of(d)
                there = _to_face(next_face, d)
                texel = lambda c: np.where(np.abs(c) == w, np.where(c > 0, w - 1, 0), (c + w - 1) >> 1)
                beyond = out_x | out_y
                x, y = np.where(beyond, texel(there[:, 0]), x), np.where(beyond, texel(there[:, 1]), y)
                face = np.where(beyond, next_face, face)
                x, y = np.clip(x, 0, w - 1), np.clip(y, 0, w - 1)
            elif self.boundary == "wrap":
                x, y = x % w, y % h
            else:
                if self.boundary == "zero":
                    ok = ok & ~out_x & ~out_y
                x, y = np.clip(x, 0, w - 1), np.clip(y, 0, h - 1)
            out.append([face, y, x, np.where(ok, wu * wv, 0), np.where(ok, by_s, 0), np.where(ok, by_t, 0)])
        if self.cube:  # a corner has no fourth texel: the other three share its weight
            corner = np.any(missing, 0)
            for k in (3, 4, 5):
                share = sum(np.where(m, o[k], 0) for m, o in zip(missing, out)) / 3
                for m, o in zip(missing, out):
                    o[k] = np.where(corner, np.where(m, 0, o[k] + share), o[k])
        return out

    def _texels(self, level, face, y, x):
        out = np.zeros((len(level), self.channels), self.levels[0].dtype)
        for l in np.unique(level):
            k = level == l
            tex = self.levels[l]
            out[k] = tex[self.image[k], face[k], y[k], x[k]] if self.cube else tex[self.image[k], y[k], x[k]]
        return out

    def _read(self, level):
        value = by_s = by_t = 0
        for face, y, x, weight, w_s, w_t in self.taps(level):
            c = self._texels(level, face, y, x)
            value, by_s, by_t = value + weight[:, None] * c, by_s + w_s[:, None] * c, by_t + w_t[:, None] * c
        return value, by_s, by_t

    def forward(self):
        c = self._read(self.first)[0]
        if self.two:
            c = c + self.f[:, None] * (self._read(self.second)[0] - c)
        return c.reshape(*self.shape, self.channels)

    def backward(self, g_out):
        g = g_out.reshape(len(self.v), self.channels)
        g_levels = [np.zeros_like(t) for t in self.levels]
        for level, share in ((self.first, 1 - self.f), (self.second, self.f)):
            for face, y, x, weight, _, _ in self.taps(level):
                part = (weight * share)[:, None] * g
                for l in np.unique(level[share != 0]):
                    k = (level == l) & (share != 0)
                    at = (self.image[k], face[k], y[k], x[k]) if self.cube else (self.image[k], y[k], x[k])
                    np.add.at(g_levels[l], at, part[k])
        c, by_s, by_t = self._read(self.first)
        g_level = np.zeros(len(g), g.dtype)
        if self.two:
            c2, s2, t2 = self._read(self.second)
            g_level = np.where(self.free, (g * (c2 - c)).sum(1), 0)
            by_s, by_t = by_s + self.f[:, None] * (s2 - by_s), by_t + self.f[:, None] * (t2 - by_t)
        g_st = np.stack([(g * by_s).sum(1), (g * by_t).sum(1)], 1)
        g_d = None
        if self.da is not None:
            g_d = g_level[:, None, None] * self.level_by_J if self.two else np.zeros_like(self.st_d)
        g_bias = g_level.reshape(self.shape)
        if not self.cube:
            return g_levels, g_st.reshape(*self.shape, 2), None if g_d is None else g_d.reshape(*self.shape, 4), g_bias
        m, ratio = self.m[:, None], self.on[:, :2] / self.m[:, None]
        g_ratio, g_m, g_da = g_st / 2, np.zeros(len(g), g.dtype), None
        if g_d is not None:
            half = g_d / (2 * m[:, :, None])
            g_on_d = np.concatenate([half, -(half * ratio[:, :, None]).sum(1, keepdims=True)], 1)
            g_ratio = g_ratio - (half * self.on_d[:, 2:]).sum(2)
            g_m -= (g_d * self.st_d).sum((1, 2)) / self.m
            g_da = np.stack([_from_face(self.face, g_on_d[:, :, k]) for k in range(2)], 2)
            g_da = np.where(self.ok[:, None, None], g_da, 0).reshape(*self.shape, 6)
        g_on = np.concatenate([g_ratio / m, (g_m - (g_ratio / m * ratio).sum(1))[:, None]], 1)
        g_v = np.where(self.ok[:, None], _from_face(self.face, g_on), 0)
        return g_levels, g_v.reshape(*self.shape, 3), g_da, g_bias


def shrink(tex):
    """The next smaller level: averages of 2 x 2 texels, of 2 where a side is 1."""
    h, w = tex.shape[-3:-1]
    if h > 1:
        tex = (tex[..., 0::2, :, :] + tex[..., 1::2, :, :]) / 2
    if w > 1:
        tex = (tex[..., 0::2, :] + tex[..., 1::2, :]) / 2
    return tex


def shrink_backward(g, large):
    """Spreads the gradient of a level over the one that it was made of."""
    for axis in (-3, -2):
        if large.shape[axis] > 1:
            g = np.repeat(g, 2, axis) / 2
    return g
