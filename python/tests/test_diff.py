"""Differentiable rendering with numpy: the definition against central differences in float64, the library's stages
against the definition, bits over workers, and what is refused."""
import hashlib

import numpy as np
import pytest

from brokkr_render import diff
from diff_scenes import CUBE_T, CUBE_V, clip, eyes, look_at, sphere

H, W = 40, 52


def scene(dtype=np.float64, n=2, seed=1):
    rng = np.random.default_rng(seed)
    v = CUBE_V + rng.uniform(-0.1, 0.1, CUBE_V.shape)
    pos = clip(v, look_at(eyes(n, 2.6, rng), W / H)).astype(np.float32)
    return pos.astype(dtype), CUBE_T


def check(f, x, g, got, steps=(1e-5, 1e-6), tolerance=1e-8, most=30):
    """Central differences of <f(x), g> at some places against `got`."""
    assert got.shape == x.shape
    scale, flat = np.abs(got).max(), x.reshape(-1)
    assert scale > 0
    for i in range(0, flat.size, max(1, flat.size // most)):
        kept, best = flat[i], np.inf
        for h in steps:
            flat[i] = kept + h
            above = (f(x) * g).sum()
            flat[i] = kept - h
            below = (f(x) * g).sum()
            flat[i] = kept
            best = min(best, abs((above - below) / (2 * h) - got.reshape(-1)[i]))
        assert best <= tolerance * scale, (i, best / scale)


def test_definition_of_rasterize():
    pos, tri = scene()
    rast, db = diff.rasterize(pos, tri, (H, W))
    ids = diff.triangle_ids(rast)
    from brokkr_render import _definition as d
    n = d.Weights(pos, tri, ids)
    inside = np.zeros(ids.shape, bool)
    inside[n.at] = (n.b >= 0).all(1)  # rast is clamped elsewhere
    rng = np.random.default_rng(0)
    g, g_db = rng.standard_normal((2, *rast.shape)) * inside[..., None]
    g[..., 3] = 0
    both = np.concatenate([g, g_db], -1)
    f = lambda p: np.concatenate(d.rasterize(p, tri, ids), -1)
    check(f, pos, both, diff.rasterize_backward(pos, tri, rast, g, g_db))


def test_definition_of_interpolate():
    pos, tri = scene()
    rast, db = diff.rasterize(pos, tri, (H, W))
    rng = np.random.default_rng(0)
    for shape in ((8, 5), (2, 8, 5)):
        attr = rng.standard_normal(shape)
        g, g_da = rng.standard_normal((2, H, W, 5)), rng.standard_normal((2, H, W, 4))
        both = np.concatenate([g, g_da], -1)
        run = lambda a, r, b: np.concatenate(diff.interpolate(a, r, tri, b, [3, 0]), -1)
        g_attr, g_rast, g_db = diff.interpolate_backward(attr, rast, tri, g, db, [3, 0], g_da)
        check(lambda a: run(a, rast, db), attr, both, g_attr)
        check(lambda b: run(attr, rast, b), db, both, g_db, most=200)
        at = np.argwhere(rast[..., 3] > 0)[::40]
        for n, y, x in at:
            for k in range(2):
                def value(h):
                    r = rast[n:n + 1].copy()
                    r[0, y, x, k] += h
                    return run(attr if attr.ndim == 2 else attr[n:n + 1], r, db[n:n + 1])[0, y, x] @ both[n, y, x]
                assert abs((value(1e-5) - value(-1e-5)) / 2e-5 - g_rast[n, y, x, k]) <= 1e-8 * np.abs(g_rast).max()


def test_definition_of_antialias():
    pos, tri = scene()
    rast, _ = diff.rasterize(pos, tri, (H, W))
    rng = np.random.default_rng(0)
    color, g = rng.standard_normal((2, 2, H, W, 3))
    g_color, g_pos = diff.antialias_backward(color, rast, pos, tri, g)
    check(lambda c: diff.antialias(c, rast, pos, tri), color, g, g_color, most=200)
    check(lambda p: diff.antialias(color, rast, p, tri), pos, g, g_pos, steps=(1e-5, 1e-6, 1e-7), most=64)
    assert (diff.antialias_backward(color, rast, pos, tri, g, pos_gradient_boost=4.0)[1] == g_pos * 4).all()


CASES = [(f, b, da, bias) for f in diff.FILTERS for b in diff.BOUNDARIES
         for da, bias in (((True, False), (True, True), (False, True)) if "mipmap" in f else ((False, False),))]


def lookup_case(case, dtype, seed=0):
    mode, boundary, has_da, has_bias = case
    rng = np.random.default_rng(seed)
    n = 3 if boundary == "cube" else 2
    tex = rng.standard_normal((1, 6, 8, 8, 2) if boundary == "cube" else (1, 4, 8, 2)).astype(np.float32).astype(dtype)
    uv = (rng.uniform(-1, 1, (2, 7, 9, 3)) if boundary == "cube" else rng.uniform(-1.2, 1.8, (2, 7, 9, 2))).astype(np.float32).astype(dtype)
    da = rng.uniform(-0.3, 0.3, (2, 7, 9, 2 * n)).astype(np.float32).astype(dtype) if has_da else None
    bias = rng.uniform(-0.5, 1, (2, 7, 9)).astype(np.float32).astype(dtype) if has_bias else None
    return tex, uv, da, bias, dict(filter_mode=mode, boundary_mode=boundary)


@pytest.mark.parametrize("case", CASES)
def test_definition_of_texture(case):
    tex, uv, da, bias, options = lookup_case(case, np.float64)
    g = np.random.default_rng(3).standard_normal((*uv.shape[:3], 2))
    grads = diff.texture_backward(tex, uv, g, da, bias, **options)
    check(lambda t: diff.texture(t, uv, da, bias, **options), tex, g, grads.tex, tolerance=1e-8)
    if "mipmap" in case[0]:
        mip = diff.texture_construct_mip(tex, cube_mode=case[1] == "cube")
        given = diff.texture_backward(tex, uv, g, da, bias, mip, **options)
        whole = given.tex + diff.texture_construct_mip_backward(tex, mip, given.mip)
        assert np.allclose(whole, grads.tex, rtol=0, atol=1e-14)
    if case[0] == "nearest":
        assert not grads.uv.any()
        return
    # Each pixel's output depends on its own coordinates alone: one difference for all of them.
    for name, x, got in (("uv", uv, grads.uv), ("uv_da", da, grads.uv_da), ("bias", bias, grads.mip_level_bias)):
        if x is None or (name != "uv" and case[0] != "linear-mipmap-linear"):
            continue
        x4, got4 = x.reshape(*uv.shape[:3], -1), got.reshape(*uv.shape[:3], -1)
        for k in range(x4.shape[-1]):
            def value(h):
                moved = x4.copy()
                moved[..., k] += h
                moved = moved.reshape(x.shape)
                args = dict(uv=uv, uv_da=da, mip_level_bias=bias)
                args[{"bias": "mip_level_bias"}.get(name, name)] = moved
                return (diff.texture(tex, **args, **options) * g).sum(-1)
            h = 1e-6
            right, left = (value(h) - value(0)) / h, (value(0) - value(-h)) / h
            kink = np.abs(right - left) > 1e-3 * np.abs(got).max()
            assert kink.mean() < 0.05
            error = np.minimum(*(np.abs((value(h) - value(-h)) / (2 * h) - got4[..., k]) for h in (1e-5, 3e-6)))
            smooth = np.abs((value(2e-5) - value(1e-5)) / 1e-5 - (value(-1e-5) - value(-2e-5)) / 1e-5) < 1e-2 * np.abs(got).max()
            use = smooth & ~kink
            assert use.mean() > 0.8
            assert error[use].max() <= 1e-8 * np.abs(got).max(), name


def close(a, b, tolerance=2e-6):
    assert a.dtype == np.float32 and a.shape == b.shape
    assert np.abs(a - b).max() <= tolerance * max(np.abs(b).max(), 1e-3)


def test_stages_are_the_definition():
    pos, tri = scene(np.float32)
    wide = lambda a: None if a is None else np.asarray(a, np.float64)
    rast, db = diff.rasterize(pos, tri, (H, W))
    r64, d64 = diff.rasterize(wide(pos), tri, (H, W))
    close(rast, r64)
    close(db, d64)
    rng = np.random.default_rng(5)
    g, g_db = rng.standard_normal((2, 2, H, W, 4)).astype(np.float32)
    close(diff.rasterize_backward(pos, tri, rast, g, g_db), diff.rasterize_backward(wide(pos), tri, wide(rast), wide(g), wide(g_db)))
    attr, g, g_da = (rng.standard_normal(s).astype(np.float32) for s in ((2, 8, 4), (2, H, W, 4), (2, H, W, 8)))
    out = diff.interpolate(attr, rast, tri, db, "all")
    want = diff.interpolate(wide(attr), wide(rast), tri, wide(db), "all")
    for a, b in zip(out, want):
        close(a, b)
    for a, b in zip(diff.interpolate_backward(attr, rast, tri, g, db, "all", g_da),
                    diff.interpolate_backward(wide(attr), wide(rast), tri, wide(g), wide(db), "all", wide(g_da))):
        close(a, b)
    close(diff.antialias(out[0], rast, pos, tri), diff.antialias(wide(out[0]), wide(rast), wide(pos), tri))
    for a, b in zip(diff.antialias_backward(out[0], rast, pos, tri, g),
                    diff.antialias_backward(wide(out[0]), wide(rast), wide(pos), tri, wide(g))):
        close(a, b)


@pytest.mark.parametrize("case", CASES)
def test_texture_stages_are_the_definition(case):
    tex, uv, da, bias, options = lookup_case(case, np.float32)
    wide = lambda a: None if a is None else np.asarray(a, np.float64)
    close(diff.texture(tex, uv, da, bias, **options), diff.texture(wide(tex), wide(uv), wide(da), wide(bias), **options), 4e-6)
    g = np.random.default_rng(3).standard_normal((*uv.shape[:3], 2)).astype(np.float32)
    got = diff.texture_backward(tex, uv, g, da, bias, **options)
    want = diff.texture_backward(wide(tex), wide(uv), wide(g), wide(da), wide(bias), **options)
    for name in ("tex", "uv", "uv_da", "mip_level_bias"):
        a, b = getattr(got, name), getattr(want, name)
        if a is not None:
            close(a, b, 2e-5)


def test_silhouette_gradient_is_that_of_the_area():
    """The antialiased picture's gradient against the covered area, by 16 x 16 samples a pixel."""
    rng = np.random.default_rng(1)
    v = CUBE_V + rng.uniform(-0.1, 0.1, CUBE_V.shape)
    M = look_at([[1.5, 1.2, 2.0]])
    weight = np.add.outer(np.sin(np.arange(48) / 7), np.cos(np.arange(48) / 9))[None, :, :, None]

    def area(v):
        rast, _ = diff.rasterize(clip(v, M).astype(np.float32), CUBE_T, (48 * 16, 48 * 16))
        return ((rast[0, ..., 3] > 0).reshape(48, 16, 48, 16).mean((1, 3))[None, :, :, None] * weight).sum()

    pos = clip(v, M)
    rast, _ = diff.rasterize(pos, CUBE_T, (48, 48))
    mask = (rast[..., 3:] > 0).astype(np.float64)
    g_pos = diff.antialias_backward(mask, rast, pos, CUBE_T, weight)[1]
    g_v = np.einsum("nij,nvi->vj", M, g_pos)[:, :3]
    want = np.zeros_like(v)
    for i in range(8):
        for k in range(3):
            step = np.zeros_like(v)
            step[i, k] = 0.02
            want[i, k] = (area(v + step) - area(v - step)) / 0.04
    cosine = (want * g_v).sum() / np.linalg.norm(want) / np.linalg.norm(g_v)
    assert cosine > 0.98
    assert 0.9 < np.linalg.norm(g_v) / np.linalg.norm(want) < 1.1


def by_differences(value, x, step):
    """Central differences of a number by each element of x."""
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[i] = step
        out[i] = (value(x + moved) - value(x - moved)) / (2 * step)
    return out


def assert_same_direction(got, want, cosine=0.98, length=0.1):
    assert (want * got).sum() / np.linalg.norm(want) / np.linalg.norm(got) > cosine
    assert abs(np.linalg.norm(got) / np.linalg.norm(want) - 1) < length


def waves(size):
    return np.add.outer(np.sin(np.arange(size) / 7), np.cos(np.arange(size) / 9))[None, :, :, None]


def fine_picture(pos, tri, color, size, samples=16):
    """Means of samples x samples pixels."""
    rast, _ = diff.rasterize(pos.astype(np.float32), tri, (size * samples, size * samples), grad_db=False)
    image, _ = diff.interpolate(color.astype(np.float32), rast, tri)
    return image.reshape(1, size, samples, size, samples, -1).mean((2, 4), dtype=np.float64)


def edge_gradient(pos, tri, color, weight):
    rast, _ = diff.rasterize(pos, tri, weight.shape[1:3])
    image, _ = diff.interpolate(color, rast, tri)
    return diff.antialias_edges_backward(image, rast, pos, tri, np.broadcast_to(weight, image.shape).astype(pos.dtype))[1]


def test_edge_gradient_is_that_of_the_area():
    """A closed body before nothing, in perspective."""
    v, weight = CUBE_V + np.random.default_rng(1).uniform(-0.1, 0.1, CUBE_V.shape), waves(48)
    M, white = look_at([[1.5, 1.2, 2.0]]), np.ones((8, 1))
    want = by_differences(lambda v: (fine_picture(clip(v, M), CUBE_T, white, 48) * weight).sum(), v, 0.02)
    g_pos = edge_gradient(clip(v, M), CUBE_T, white, weight)
    assert_same_direction(np.einsum("nij,nvi->vj", M, g_pos)[:, :3], want)


def test_edge_gradient_where_surfaces_intersect():
    """Two squares that cross along a line: it moves with x, y and z of both, and antialias knows nothing of it."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
    flat = np.concatenate([corners * 0.8, np.zeros((4, 1))], 1)
    tilted = np.concatenate([corners * 0.6, (corners @ [0.4, 0.13])[:, None]], 1)
    pos = np.concatenate([np.concatenate([flat, tilted]), np.ones((8, 1))], 1)[None]
    tri = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], np.int32)
    color, weight = np.repeat([[0.2], [1.0]], 4, 0), waves(48) + 1
    want = by_differences(lambda p: (fine_picture(p, tri, color, 48) * weight).sum(), pos, 0.02)
    want[..., 3] = 0  # a change of w alone bends the squares
    got = edge_gradient(pos, tri, color, weight)
    got[..., 3] = 0
    assert np.abs(want[0, :, 2]).min() > 0
    assert_same_direction(got, want, 0.97, 0.12)
    rast, _ = diff.rasterize(pos, tri, (48, 48))
    image, _ = diff.interpolate(color, rast, tri)
    blind = diff.antialias_backward(image, rast, pos, tri, weight.astype(np.float64))[1]
    assert not blind[..., 2].any()


def test_edges_of_the_library_are_the_definition():
    pos, tri = scene(np.float32)
    rng = np.random.default_rng(2)
    v = np.concatenate([pos, pos[:, :, [1, 0, 2, 3]] * np.float32([0.9, -0.8, 1, 1])], 1)  # a second cube that crosses
    t = np.concatenate([tri, tri + 8])
    rast, _ = diff.rasterize(v, t, (H, W))
    color, g = rng.standard_normal((2, 2, H, W, 3)).astype(np.float32)
    g_color, got = diff.antialias_edges_backward(color, rast, v, t, g)
    want = diff.antialias_edges_backward(*(a.astype(np.float64) for a in (color, rast, v)), t, g.astype(np.float64))[1]
    close(got, want, 2e-6)
    assert (diff.antialias_edges(color, rast, v, t) == color).all() and (g_color == g).all()
    assert np.allclose(diff.antialias_edges_backward(color, rast, v, t, g, 2.0)[1], 2 * got, rtol=1e-6)
    ids = diff.triangle_ids(rast)
    assert (diff.antialias_edges_backward(color, rast, v, t, g, ids=ids)[1] == got).all()


def test_bits_are_the_same_for_all_workers():
    v, tri, uv = sphere()
    pos = clip(v, look_at(eyes(2, 3, np.random.default_rng(0)))).astype(np.float32)
    rng = np.random.default_rng(4)
    tex, g = rng.random((1, 64, 64, 3)).astype(np.float32), rng.standard_normal((2, 200, 200, 3)).astype(np.float32)

    def digest():
        rast, db = diff.rasterize(pos, tri, (200, 200))
        st, da = diff.interpolate(uv.astype(np.float32), rast, tri, db, "all")
        color = diff.texture(tex, st, da)
        out = diff.antialias(color, rast, pos, tri)
        g_color, g_pos = diff.antialias_backward(color, rast, pos, tri, g)
        t = diff.texture_backward(tex, st, g_color, da)
        g_uv, g_rast, g_db = diff.interpolate_backward(uv.astype(np.float32), rast, tri, t.uv, db, "all", t.uv_da)
        g_pos2 = diff.rasterize_backward(pos, tri, rast, g_rast, g_db)
        g_pos3 = diff.antialias_edges_backward(color, rast, pos, tri, g)[1]
        h = hashlib.sha256()
        for a in (rast, db, st, da, color, out, g_color, g_pos, t.tex, t.uv, t.uv_da, g_uv, g_rast, g_db, g_pos2, g_pos3):
            h.update(a.tobytes())
        return h.hexdigest()

    try:
        seen = set()
        for workers in (1, 2, 3, 7):
            diff.set_workers(workers)
            seen.add(digest())
        for isa in ("v3", "emulated"):
            try:
                diff.set_workers(2, isa)
            except ValueError:
                continue  # not in this build, or not for this processor
            seen.add(digest())
    finally:
        diff.set_workers()
    assert len(seen) == 1


def test_ranges_and_ids():
    pos, tri = scene(np.float32, 1)
    whole = diff.rasterize(pos, tri, (H, W))[0]
    rast, db, ids = diff.rasterize(pos[0], tri, (H, W), ranges=[[0, 12], [4, 2], [0, 0]], ids="int32")
    assert (rast[0] == whole[0]).all() and not rast[2].any() and (ids[2] == -1).all()
    assert set(np.unique(ids[1])) <= {-1, 4, 5} and (diff.triangle_ids(rast) == ids).all()
    g = np.ones_like(rast)
    assert (diff.rasterize_backward(pos[0], tri, rast, g, ids=ids) == diff.rasterize_backward(pos[0], tri, rast, g)).all()
    attr = np.ones((8, 1), np.float32)
    assert (diff.interpolate(attr, rast, tri, ids=ids)[0][..., 0] > 0.999)[ids >= 0].all()
    assert diff.rasterize(pos, tri, (H, W), grad_db=False)[1].shape == (1, H, W, 0)


def test_depth_peeler():
    pos, tri = scene(np.float32)
    with diff.DepthPeeler(pos, tri, (H, W)) as peeler:
        layers = [peeler.rasterize_next_layer()[0] for _ in range(3)]
    assert (layers[0] == diff.rasterize(pos, tri, (H, W))[0]).all()
    both = layers[1][..., 3] > 0
    assert (both == (layers[0][..., 3] > 0)).mean() > 0.97  # a closed body: what has a front has a back
    assert (layers[0][..., 2] <= layers[1][..., 2])[both].all() and not layers[2][..., 3].any()
    with pytest.raises(RuntimeError, match="DepthPeeler: is closed"):
        peeler.rasterize_next_layer()


def test_refusals_name_the_argument():
    pos, tri = scene(np.float32)
    rast, db = diff.rasterize(pos, tri, (H, W))
    attr, color = np.ones((8, 3), np.float32), np.ones((2, H, W, 3), np.float32)
    tex, uv = np.ones((1, 4, 4, 3), np.float32), np.zeros((2, 3, 3, 2), np.float32)
    bad = tri.copy()
    bad[3, 1] = 8
    for error, message, call in (
            (ValueError, r"pos: \[\?, \?, 4\] is wanted; float32 \[2, 8, 3\] came", lambda: diff.rasterize(pos[..., :3], tri, (H, W))),
            (TypeError, "pos: float32 is wanted; int64", lambda: diff.rasterize(pos.astype(int), tri, (H, W))),
            (TypeError, "pos: .* None came", lambda: diff.rasterize(None, tri, (H, W))),
            (ValueError, r"pos: ", lambda: diff.rasterize(pos, tri, (H, W), ranges=[[0, 1]])),
            (ValueError, "pos: ", lambda: diff.rasterize(pos[:, :0], tri[:0], (H, W))),
            (ValueError, r"tri: index 8 at \[3, 1\] is outside of 0 .. 7", lambda: diff.rasterize(pos, bad, (H, W))),
            (ValueError, r"tri: index -1", lambda: diff.rasterize(pos, np.full((1, 3), -1), (H, W))),
            (TypeError, "tri: int32 is wanted; float32", lambda: diff.rasterize(pos, tri.astype(np.float32), (H, W))),
            (ValueError, r"tri: \[\?, 3\]", lambda: diff.rasterize(pos, tri[:, :2], (H, W))),
            (ValueError, "tri: holds 4294967296", lambda: diff.rasterize(pos, np.full((1, 3), 2**32), (H, W))),
            (ValueError, "resolution: ", lambda: diff.rasterize(pos, tri, (0, W))),
            (ValueError, "resolution: ", lambda: diff.rasterize(pos, tri, 64)),
            (TypeError, "resolution: ", lambda: diff.rasterize(pos, tri, (64.0, 64))),
            (ValueError, "ranges: image 1 has first 10 and count 5 of 12", lambda: diff.rasterize(pos[0], tri, (H, W), ranges=[[0, 1], [10, 5]])),
            (ValueError, "ids: ", lambda: diff.rasterize(pos, tri, (H, W), ids="int64")),
            (ValueError, "rast: ", lambda: diff.interpolate(attr, rast[..., :3], tri)),
            (ValueError, "attr: ", lambda: diff.interpolate(np.ones((3, 8, 3), np.float32), rast, tri)),
            (ValueError, "tri: ", lambda: diff.interpolate(attr[:4], rast, tri)),
            (TypeError, "rast: float64 is wanted", lambda: diff.interpolate(attr.astype(float), rast, tri)),
            (ValueError, "diff_attrs: 3 is no channel", lambda: diff.interpolate(attr, rast, tri, db, [3])),
            (ValueError, "diff_attrs: ", lambda: diff.interpolate(attr, rast, tri, db, "some")),
            (ValueError, "rast_db: ", lambda: diff.interpolate(attr, rast, tri, None, [0])),
            (ValueError, "grad_out: ", lambda: diff.interpolate_backward(attr, rast, tri, color[..., :2])),
            (ValueError, "color: ", lambda: diff.antialias(color[:1], rast, pos, tri)),
            (TypeError, "topology_hash: ", lambda: diff.antialias(color, rast, pos, tri, 3)),
            (ValueError, "topology_hash: ", lambda: diff.antialias(color, rast, pos, tri, diff.antialias_construct_topology_hash(tri[:2]))),
            (ValueError, "tex: ", lambda: diff.texture(tex[0], uv)),
            (ValueError, "tex: 1 or 2 textures", lambda: diff.texture(np.ones((3, 4, 4, 3), np.float32), uv)),
            (ValueError, "tex: ", lambda: diff.texture(np.ones((1, 6, 4, 2, 3), np.float32), np.ones((1, 1, 1, 3), np.float32), boundary_mode="cube")),
            (ValueError, "tex: level 0 has 6 x 3", lambda: diff.texture_construct_mip(np.ones((1, 6, 3, 1), np.float32))),
            (ValueError, "uv: ", lambda: diff.texture(tex, uv[..., :1])),
            (ValueError, "uv_da: ", lambda: diff.texture(tex, uv, filter_mode="linear-mipmap-linear")),
            (ValueError, "uv_da: ", lambda: diff.texture(tex, uv, uv)),
            (ValueError, "filter_mode: ", lambda: diff.texture(tex, uv, filter_mode="cubic")),
            (ValueError, "boundary_mode: ", lambda: diff.texture(tex, uv, boundary_mode="mirror")),
            (ValueError, r"mip\[0\]: ", lambda: diff.texture(tex, uv, mip_level_bias=uv[..., 0], mip=[tex])),
            (ValueError, "mip_level_bias: ", lambda: diff.texture(tex, uv, mip_level_bias=uv)),
            (ValueError, "max_mip_level: ", lambda: diff.texture(tex, uv, mip_level_bias=uv[..., 0], max_mip_level=-1)),
            (ValueError, "color: ", lambda: diff.antialias_edges(color[:1], rast, pos, tri)),
            (TypeError, "pos_gradient_boost: ", lambda: diff.antialias_edges_backward(color, rast, pos, tri, color, "2")),
            (ValueError, "isa: one of '', .* is wanted; 'v9' came", lambda: diff.set_workers(1, "v9")),
            (TypeError, "isa: ", lambda: diff.set_workers(1, 3)),
            (ValueError, "machine: ", lambda: diff.set_workers(1, machine="gpu")),
            (ValueError, "workers: 5000 came", lambda: diff.set_workers(5000)),
            (ValueError, "workers: ", lambda: diff.set_workers(-1)),
            (TypeError, "workers: ", lambda: diff.set_workers(1.5))):
        with pytest.raises(error, match="^" + message):
            call()


def test_not_finite_and_strange_numbers():
    pos, tri = scene(np.float32)
    rast, _ = diff.rasterize(pos, tri, (H, W))
    attr, g = np.ones((8, 2), np.float32), np.ones((2, H, W, 2), np.float32)
    g[0, 20, 26, 0] = np.nan
    grad = diff.interpolate_backward(attr, rast, tri, g)[0]
    assert np.isnan(grad[:, 0]).all() and np.isfinite(grad[:, 1]).all()
    for value in (np.nan, np.inf, -5, 1e9):
        odd = rast.copy()
        odd[..., 3] = value
        assert not diff.interpolate(attr, odd, tri)[0].any()
        assert not diff.rasterize_backward(pos, tri, odd, odd).any()
    uv = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30], np.float32).reshape(1, 1, 5, 1).repeat(2, 3)
    for boundary in ("wrap", "clamp", "zero"):
        assert np.isfinite(diff.texture(np.ones((1, 4, 4, 1), np.float32), uv, boundary_mode=boundary)).all()
    strange = pos.copy()
    strange[0, 0] = np.nan
    strange[1, 1, 3] = -1
    diff.rasterize(strange, tri, (H, W))
