"""Fits that converge: each returns its losses and is run with different numbers of threads, which must not change a
bit of them."""
import numpy as np
import pytest

from brokkr_render import diff
from diff_scenes import CUBE_T, CUBE_V, Adam, clip, eyes, look_at, sphere


def f32(a):
    return np.ascontiguousarray(a, np.float32)


def picture(pos, tri, color, size, topology):
    """Antialiased vertex colours, and a function that takes gradients back to positions and colours."""
    rast, _ = diff.rasterize(pos, tri, (size, size), grad_db=False)
    image, _ = diff.interpolate(color, rast, tri)
    out = diff.antialias(image, rast, pos, tri, topology)

    def back(g):
        g_image, g_pos = diff.antialias_backward(image, rast, pos, tri, f32(g), topology)
        g_color, g_rast, _ = diff.interpolate_backward(color, rast, tri, g_image)
        return g_pos + diff.rasterize_backward(pos, tri, rast, g_rast), g_color

    return out, back


def fit_cube(steps):
    """Vertices and colours of a cube from pictures of 16 x 16 pixels."""
    rng = np.random.default_rng(3)
    topology = diff.antialias_construct_topology_hash(CUBE_T)
    true_color = f32(rng.random((8, 3)))
    v, c = CUBE_V + rng.uniform(-0.25, 0.25, CUBE_V.shape), rng.random((8, 3))
    adam, losses = Adam(v, c), []
    for step in range(steps):
        M = look_at(eyes(8, 2.6, rng))
        want, _ = picture(f32(clip(CUBE_V, M)), CUBE_T, true_color, 16, topology)
        got, back = picture(f32(clip(v, M)), CUBE_T, f32(c), 16, topology)
        losses.append(float(((got - want) ** 2).mean()))
        g_pos, g_color = back(2 * (got - want) / got.size)
        g_v = np.einsum("nij,nvi->vj", M, g_pos.astype(np.float64))[:, :3]
        rate = 1e-2 * 10 ** (-1.5 * step / steps)
        adam.update((rate, rate), g_v, g_color)
    return losses, np.linalg.norm(v - CUBE_V, axis=1).mean(), np.abs(c - true_color).mean()


def rotation(q):
    """The matrix of a quaternion (w, x, y, z), and its derivatives [4, 3, 3] by the quaternion that is normalized."""
    n = np.linalg.norm(q)
    w, x, y, z = u = q / n

    def matrix(w, x, y, z):
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    d = np.array([[[0, -2 * z, 2 * y], [2 * z, 0, -2 * x], [-2 * y, 2 * x, 0]],
                  [[0, 2 * y, 2 * z], [2 * y, -4 * x, -2 * w], [2 * z, 2 * w, -4 * x]],
                  [[-4 * y, 2 * x, 2 * w], [2 * x, 0, 2 * z], [-2 * w, 2 * z, -4 * y]],
                  [[-4 * z, -2 * w, 2 * x], [2 * w, -4 * z, 2 * y], [2 * x, 2 * y, 0]]])
    project = (np.eye(4) - np.outer(u, u)) / n
    return matrix(w, x, y, z), np.einsum("kl,lij->kij", project, d)


def fit_pose(steps):
    """The rotation of a cube of coloured faces from one picture, with noise that fades."""
    rng = np.random.default_rng(5)
    v = CUBE_V[CUBE_T.reshape(-1)]  # faces have colours of their own: no vertex is shared
    tri = np.arange(36, dtype=np.int32).reshape(12, 3)
    topology = diff.antialias_construct_topology_hash(tri)
    color = f32(np.repeat(rng.random((6, 3)), 6, 0))
    M = look_at([[0.4, 0.6, 2.8]])
    true = np.array([0.85, 0.25, -0.4, 0.2])
    true /= np.linalg.norm(true)

    def show(q):
        R, dR = rotation(q)
        out, back = picture(f32(clip(v @ R.T, M)), tri, color, 48, topology)
        return out, lambda g: np.einsum("vj,kji,vi->k", np.einsum("nij,nvi->vj", M, back(g)[0].astype(np.float64))[:, :3], dR, v)

    angle = lambda q: 2 * np.degrees(np.arccos(min(1, abs(q @ true) / np.linalg.norm(q))))
    want, _ = show(true)
    # A rough search, as one picture has local minima, and then the gradient.
    tries = [true] + [q / np.linalg.norm(q) for q in rng.standard_normal((60, 4))]
    q = min(tries[1:], key=lambda t: ((show(t)[0] - want) ** 2).mean()).copy()
    start, adam, losses, best = angle(q), Adam(q), [], (np.inf, q)
    for step in range(steps):
        noise = 0.2 * max(0, 1 - 2 * step / steps) ** 2
        noisy = q + rng.standard_normal(4) * noise
        got, back = show(noisy)
        loss = float(((got - want) ** 2).mean())
        losses.append(loss)
        if loss < best[0]:
            best = loss, noisy.copy()
            q[:] = noisy  # in place: the optimizer holds it
        g = back(2 * (got - want) / got.size)
        adam.update((0.02 * 10 ** (-2 * step / steps),), g)
    return losses, start, angle(best[1])


def fit_texture(steps):
    """A texture on a sphere through mipmaps, from pictures that are far too small for it."""
    rng = np.random.default_rng(7)
    v, tri, uv = sphere()
    uv = f32(uv)
    x, y = np.meshgrid(np.arange(64), np.arange(32))
    true = f32(np.stack([np.sin(x * 2 * np.pi / 32) * 0.4 + 0.5, np.cos(y / 5) * 0.4 + 0.5, (x // 16 + y // 8) % 2 * 0.8 + 0.1], -1))[None]
    tex = np.full(true.shape, 0.5)
    adam, losses = Adam(tex), []
    for step in range(steps):
        pos = f32(clip(v, look_at(eyes(2, 3.0, rng))))
        rast, db = diff.rasterize(pos, tri, (48, 48))
        st, da = diff.interpolate(uv, rast, tri, db, "all")
        covered = rast[..., 3:] > 0
        want = diff.texture(true, st, da) * covered
        got = diff.texture(f32(tex), st, da) * covered
        losses.append(float(((got - want) ** 2).mean()))
        g = diff.texture_backward(f32(tex), st, f32(2 * (got - want) * covered / got.size), da)
        adam.update((0.05 * 10 ** (-step / steps),), g.tex)
    rows = slice(6, 26)  # towards the poles texels are smaller than anything that a picture shows
    return losses, np.abs(0.5 - true[:, rows]).mean(), np.abs(tex - true)[:, rows].mean()


def fit_environment(steps):
    """An environment map, reflected by a sphere, and the colour and exponent of a Phong term whose light moves."""
    rng = np.random.default_rng(11)
    v, tri, _ = sphere()
    attr = f32(v)
    faces = rng.random((6, 3))
    true = f32(np.broadcast_to(faces[:, None, None], (6, 8, 8, 3)) * (0.7 + 0.3 * np.sin(np.arange(8))[None, None, :, None]))[None]
    true_phong = np.array([0.8, 0.5, 0.3, np.log(12.0)])
    env, phong = np.full(true.shape, 0.5), np.array([0.5, 0.5, 0.5, np.log(5.0)])
    adam, losses = Adam(env, phong), []
    for step in range(steps):
        eye = eyes(2, 3.0, rng)
        pos = f32(clip(v, look_at(eye)))
        rast, _ = diff.rasterize(pos, tri, (40, 40))
        point, _ = diff.interpolate(attr, rast, tri)
        covered = rast[..., 3] > 0
        normal = point / np.maximum(np.linalg.norm(point, axis=-1, keepdims=True), 1e-6)
        view = point - eye[:, None, None, :]
        view /= np.linalg.norm(view, axis=-1, keepdims=True)
        reflected = f32(view - 2 * (view * normal).sum(-1, keepdims=True) * normal)
        light = eyes(2, 1.0, rng)[:, None, None, :]
        lit = np.clip((reflected * light).sum(-1), 1e-3, 1)

        def shade(tex, p):
            return (diff.texture(f32(tex), reflected, boundary_mode="cube") + p[:3] * (lit ** np.exp(p[3]))[..., None]) * covered[..., None]

        error = shade(env, phong) - shade(true, true_phong)
        losses.append(float((error ** 2).mean()))
        g = 2 * error / error.size * covered[..., None]
        power = lit ** np.exp(phong[3])
        g_phong = np.append((g * power[..., None]).sum((0, 1, 2)),
                            (g * phong[:3] * (power * np.log(lit) * np.exp(phong[3]))[..., None]).sum())
        g_env = diff.texture_backward(f32(env), reflected, f32(g), boundary_mode="cube").tex
        rate = 0.03 * 10 ** (-step / steps)
        adam.update((rate, rate), g_env, g_phong)
    return losses, np.abs(env - true).mean(), np.abs(phong - true_phong)


def fit_mask(steps):
    """The vertices of a body from its masks in 24 x 24 pixels, which nothing smooths: the gradient of their edges."""
    rng = np.random.default_rng(13)
    v, white = CUBE_V * [1.25, 0.8, 1.0] + rng.uniform(-0.05, 0.05, CUBE_V.shape), np.ones((8, 1), np.float32)
    adam, losses = Adam(v), []

    def show(v, M):
        pos = f32(clip(v, M))
        rast, _ = diff.rasterize(pos, CUBE_T, (24, 24), grad_db=False)
        return pos, rast, diff.interpolate(white, rast, CUBE_T)[0]

    for step in range(steps):
        M = look_at(eyes(8, 2.6, rng))
        pos, rast, got = show(v, M)
        want = show(CUBE_V, M)[2]
        losses.append(float(((got - want) ** 2).mean()))
        g_pos = diff.antialias_edges_backward(got, rast, pos, CUBE_T, f32(2 * (got - want) / got.size))[1]
        g_v = np.einsum("nij,nvi->vj", M, g_pos.astype(np.float64))[:, :3]
        adam.update((1e-2 * 10 ** (-1.5 * step / steps),), g_v)
    return losses, np.linalg.norm(v - CUBE_V, axis=1).mean()


def with_workers(workers, fit, steps):
    try:
        diff.set_workers(workers)
        return fit(steps)
    finally:
        diff.set_workers()


@pytest.mark.parametrize("fit, steps", ((fit_cube, 40), (fit_pose, 30), (fit_texture, 30), (fit_environment, 30), (fit_mask, 40)))
def test_the_same_seed_gives_the_same_losses(fit, steps):
    one = with_workers(1, fit, steps)[0]
    assert len(set(one)) > 1
    for workers in (2, 3, 7):
        assert with_workers(workers, fit, steps)[0] == one


def test_cube():
    losses, vertices, colors = fit_cube(400)
    assert losses[-1] < losses[0] / 100
    assert vertices < 0.01 and colors < 0.02


def test_pose():
    losses, start, end = fit_pose(200)
    assert start > 5 and end < 1


def test_texture():
    losses, start, end = fit_texture(300)
    assert losses[-1] < losses[0] / 50
    assert end < start / 5


def test_environment():
    losses, env, phong = fit_environment(300)
    assert losses[-1] < losses[0] / 200
    assert env < 0.03 and (phong[:3] < 0.03).all() and phong[3] < 0.1


def test_mask():
    losses, vertices = fit_mask(300)
    assert np.mean(losses[-20:]) < np.mean(losses[:5]) / 10
    assert vertices < 0.03
