"""brokkr_render.jax: custom_vjp under jit and grad."""
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import brokkr_render.jax as bj  # noqa: E402
from brokkr_render import diff  # noqa: E402
from diff_scenes import CUBE_T, CUBE_V, clip, eyes, look_at  # noqa: E402


def positions(dtype=np.float64, n=1):
    rng = np.random.default_rng(2)
    v = CUBE_V + rng.uniform(-0.1, 0.1, CUBE_V.shape)
    return jnp.asarray(clip(v, look_at(eyes(n, 2.6, rng))).astype(np.float32).astype(dtype))


def test_check_grads():
    pos, rng = positions(), np.random.default_rng(0)
    rast, db = bj.rasterize(pos, CUBE_T, (12, 12))
    inside = np.asarray((rast[..., 0] > 0.02) & (rast[..., 1] > 0.02) & (rast[..., 0] + rast[..., 1] < 0.98))
    weight = jnp.asarray(rng.standard_normal((1, 12, 12, 7)) * inside[..., None])

    def raster(p):
        r, d = bj.rasterize(p, CUBE_T, (12, 12))
        return (jnp.concatenate([r[..., :3], d], -1) * weight).sum()

    check = lambda f, *args: check_grads(f, args, order=1, modes=["rev"], eps=1e-6, atol=1e-6, rtol=1e-6)
    check(raster, pos)
    attr = jnp.asarray(rng.standard_normal((8, 2)))
    check(lambda a, d: bj.interpolate(a, rast, CUBE_T, d, "all"), attr, db)
    color = jnp.asarray(rng.standard_normal((1, 12, 12, 3)))
    check(lambda c, p: bj.antialias(c, rast, p, CUBE_T), color, pos)
    tex = jnp.asarray(rng.standard_normal((1, 4, 4, 2)))
    uv = jnp.asarray((np.arange(18) * 0.0537 + 0.01).reshape(1, 3, 3, 2))
    da = jnp.asarray(rng.random((1, 3, 3, 4)) * 0.2 + 0.3)
    check(lambda t, u, d: bj.texture(t, u, d), tex, uv, da)
    check(lambda t, u: bj.texture(t, u), tex, uv)


def test_jit_and_vmap_and_numpy_agree():
    pos = positions(np.float32, 2)
    color = jnp.asarray(np.random.default_rng(1).random((8, 3)), jnp.float32)
    weight = np.random.default_rng(2).standard_normal((2, 20, 24, 3)).astype(np.float32)

    def loss(p, c):
        rast, _ = bj.rasterize(p, CUBE_T, (20, 24))
        image, _ = bj.interpolate(c, rast, CUBE_T)
        return (bj.antialias(image, rast, p, CUBE_T) * weight).sum()

    plain, compiled = jax.grad(loss, (0, 1))(pos, color), jax.jit(jax.grad(loss, (0, 1)))(pos, color)
    assert all(np.array_equal(a, b) for a, b in zip(plain, compiled))
    p, c = np.asarray(pos), np.asarray(color)
    rast, _ = diff.rasterize(p, CUBE_T, (20, 24))
    image, _ = diff.interpolate(c, rast, CUBE_T)
    g_image, g_pos = diff.antialias_backward(image, rast, p, CUBE_T, weight)
    g_color, g_rast, _ = diff.interpolate_backward(c, rast, CUBE_T, g_image)
    assert np.array_equal(g_color, plain[1])
    assert np.array_equal(g_pos + diff.rasterize_backward(p, CUBE_T, rast, g_rast), plain[0])
    many = jax.vmap(lambda x: bj.rasterize(x, CUBE_T, (8, 8))[0])(jnp.stack([pos, pos[::-1]]))
    assert many.shape == (2, 2, 8, 8, 4) and np.array_equal(many[0, 0], many[1, 1])
    layers = bj.depth_layers(pos, CUBE_T, (20, 24), 2)
    assert np.array_equal(layers[0][0], rast) and layers[1][0][..., 3].max() > 0


def test_antialias_edges():
    pos = positions(np.float32)
    rast, _ = bj.rasterize(pos, CUBE_T, (20, 24))
    color, weight = np.random.default_rng(2).standard_normal((2, 1, 20, 24, 3)).astype(np.float32)

    def loss(c, p):
        return (bj.antialias_edges(c, rast, p, CUBE_T, 2.0) * weight).sum()

    g_color, g_pos = jax.jit(jax.grad(loss, (0, 1)))(jnp.asarray(color), pos)
    want = diff.antialias_edges_backward(color, np.asarray(rast), np.asarray(pos), CUBE_T, weight, 2.0)
    assert np.array_equal(g_color, weight) and np.array_equal(g_pos, want[1]) and want[1].any()


def test_refusals():
    pos = positions(np.float32)
    rast, db = bj.rasterize(pos, CUBE_T, (8, 8))
    for error, message, call in (
            (TypeError, "tri: a constant is wanted", lambda: jax.jit(lambda t: bj.rasterize(pos, t, (8, 8)))(CUBE_T)),
            (ValueError, "tri: index 8", lambda: bj.rasterize(pos, CUBE_T + 1, (8, 8))),
            (ValueError, "pos: ", lambda: bj.rasterize(pos[0], CUBE_T, (8, 8))),
            (TypeError, "pos: ", lambda: bj.rasterize(CUBE_T, CUBE_T, (8, 8))),
            (ValueError, "rast_db: ", lambda: bj.interpolate(jnp.ones((8, 1), jnp.float32), rast, CUBE_T, None, [0])),
            (ValueError, "tex: ", lambda: bj.texture(jnp.ones((2, 2), jnp.float32), jnp.ones((1, 1, 1, 2), jnp.float32))),
            (ValueError, "color: ", lambda: bj.antialias(jnp.ones((1, 8, 7, 3), jnp.float32), rast, pos, CUBE_T))):
        with pytest.raises(error, match="^" + message):
            call()
