"""brokkr_render.torch: autograd, nvdiffrast's names and shapes."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import brokkr_render.torch as dr  # noqa: E402
from brokkr_render import diff  # noqa: E402
from diff_scenes import CUBE_T, CUBE_V, clip, eyes, look_at  # noqa: E402

TRI = torch.from_numpy(CUBE_T)


def positions(dtype=torch.float64, n=1):
    rng = np.random.default_rng(2)
    v = CUBE_V + rng.uniform(-0.1, 0.1, CUBE_V.shape)
    return torch.from_numpy(clip(v, look_at(eyes(n, 2.6, rng)))).float().to(dtype)


def test_gradcheck():
    pos = positions().requires_grad_()
    ctx = dr.RasterizeContext()
    rast, db = (t.detach() for t in dr.rasterize(ctx, pos, TRI, (12, 12)))
    ids = dr.rasterize(ctx, pos, TRI, (12, 12), ids="int32")[2]
    inside = (rast[..., 0] > 0.01) & (rast[..., 1] > 0.01) & (rast[..., 0] + rast[..., 1] < 0.99)

    def raster(p):  # pixels that are not clamped; triangles as they are
        r, d = dr._raster_of(p, TRI, ids.numpy(), True, "float32")
        return r[inside][:, :3], d[inside]

    check = lambda f, *x: torch.autograd.gradcheck(f, x, eps=1e-6, atol=1e-6, rtol=1e-5, nondet_tol=0.0)
    assert check(raster, pos)
    attr = torch.rand(8, 2, dtype=torch.float64, requires_grad=True)
    moving = rast.clone()[..., :2].requires_grad_()
    full = lambda uv: torch.cat([uv, rast[..., 2:]], -1)
    assert check(lambda a, uv, d: dr.interpolate(a, full(uv), TRI, d, "all"), attr, moving, db.clone().requires_grad_())
    color = torch.rand(1, 12, 12, 2, dtype=torch.float64, requires_grad=True)
    assert check(lambda c, p: dr.antialias(c, rast, p, TRI), color, pos)
    tex = torch.rand(1, 4, 4, 2, dtype=torch.float64, requires_grad=True)
    uv = (torch.arange(18, dtype=torch.float64) * 0.0537 + 0.01).reshape(1, 3, 3, 2).requires_grad_()
    da = (torch.rand(1, 3, 3, 4, dtype=torch.float64) * 0.2 + 0.3).requires_grad_()
    for mode in ("linear", "linear-mipmap-linear"):
        assert check(lambda t, u, d: dr.texture(t, u, d, filter_mode=mode), tex, uv, da)
    cube = torch.rand(1, 6, 4, 4, 1, dtype=torch.float64, requires_grad=True)
    direction = torch.tensor([[0.9, 0.2, -0.35], [-0.3, 0.8, 0.11], [0.2, -0.37, -1.1]], dtype=torch.float64)
    assert check(lambda t, u: dr.texture(t, u, boundary_mode="cube"), cube, direction.reshape(1, 1, 3, 3).requires_grad_())


def test_names_and_shapes_and_gradients_reach_everything():
    pos = positions(torch.float32, 2).requires_grad_()
    attr, tex = torch.rand(8, 2, requires_grad=True), torch.rand(1, 8, 8, 3, requires_grad=True)
    for context in (dr.RasterizeContext(), dr.RasterizeCudaContext(), dr.RasterizeGLContext(output_db=True)):
        rast, db = dr.rasterize(context, pos, TRI, [24, 32])
    assert rast.shape == db.shape == (2, 24, 32, 4) and rast.dtype == torch.float32
    uv, da = dr.interpolate(attr, rast, TRI, db, "all")
    assert uv.shape == (2, 24, 32, 2) and da.shape == (2, 24, 32, 4)
    mip = dr.texture_construct_mip(tex)
    assert [tuple(l.shape) for l in mip] == [(1, 4, 4, 3), (1, 2, 2, 3), (1, 1, 1, 3)]
    topology = dr.antialias_construct_topology_hash(TRI)
    out = dr.antialias(dr.texture(tex, uv, da, mip=mip), rast, pos, TRI, topology_hash=topology, pos_gradient_boost=2.0)
    weight = torch.rand_like(out)
    (out * weight).sum().backward()
    first = [t.grad.clone() for t in (pos, attr, tex)]
    assert all(g.abs().max() > 0 for g in first)
    for t in (pos, attr, tex):
        t.grad = None
    rast, db = dr.rasterize(context, pos, TRI, [24, 32])
    uv, da = dr.interpolate(attr, rast, TRI, db, "all")
    (dr.antialias(dr.texture(tex, uv, da), rast, pos, TRI, pos_gradient_boost=2.0) * weight).sum().backward()
    assert all(torch.equal(g, t.grad) for g, t in zip(first, (pos, attr, tex))), "the same bits every time"
    out, empty = dr.interpolate(attr, rast, TRI)
    assert empty.shape == (2, 24, 32, 0)
    with dr.DepthPeeler(context, pos, TRI, [24, 32]) as peeler:
        near, far = peeler.rasterize_next_layer()[0], peeler.rasterize_next_layer()[0]
    assert torch.equal(near, rast) and far[..., 3].max() > 0
    far[..., 2].sum().backward()
    ranged, _ = dr.rasterize(context, pos[0], TRI, [24, 32], ranges=torch.tensor([[0, 12], [2, 4]], dtype=torch.int32))
    assert torch.equal(ranged[0], rast[0]) and set(dr.triangle_ids(ranged)[1].unique().tolist()) <= {-1, 2, 3, 4, 5}
    assert not dr.rasterize(context, pos, TRI, [8, 8], grad_db=False)[1].requires_grad
    level = dr.get_log_level()
    dr.set_log_level(3)
    assert dr.get_log_level() == 3
    dr.set_log_level(level)


def test_antialias_edges():
    pos = positions(torch.float32).requires_grad_()
    rast, _ = dr.rasterize(dr.RasterizeContext(), pos.detach(), TRI, (24, 32))
    color = torch.rand(1, 24, 32, 3, requires_grad=True)
    out = dr.antialias_edges(color, rast, pos, TRI, pos_gradient_boost=2.0)
    assert torch.equal(out, color)
    weight = torch.rand_like(out)
    (out * weight).sum().backward()
    want = diff.antialias_edges_backward(color, rast, pos, TRI, weight, 2.0)
    assert torch.equal(color.grad, weight) and np.array_equal(pos.grad.numpy(), want[1]) and want[1].any()


def test_custom_mips_get_gradients_of_their_own():
    tex = torch.rand(1, 4, 4, 1, requires_grad=True)
    mip = [torch.rand(1, 2, 2, 1, requires_grad=True), torch.rand(1, 1, 1, 1, requires_grad=True)]
    dr.texture(tex, torch.rand(1, 5, 5, 2), mip_level_bias=torch.full((1, 5, 5), 1.5), mip=mip).sum().backward()
    assert not tex.grad.any()
    assert float(mip[0].grad.sum()) == pytest.approx(12.5) and float(mip[1].grad.sum()) == pytest.approx(12.5)


def test_refusals():
    ctx, pos = dr.RasterizeContext(), positions(torch.float32)
    rast, db = dr.rasterize(ctx, pos, TRI, (8, 8))
    for error, message, call in (
            (TypeError, "glctx: ", lambda: dr.rasterize(None, pos, TRI, (8, 8))),
            (TypeError, "pos: a torch.Tensor is wanted; ndarray came", lambda: dr.rasterize(ctx, pos.numpy(), TRI, (8, 8))),
            (ValueError, "pos: ", lambda: dr.rasterize(ctx, pos[0], TRI, (8, 8))),
            (ValueError, "tri: index 9", lambda: dr.rasterize(ctx, pos, TRI + 2, (8, 8))),
            (TypeError, "attr: float32 is wanted", lambda: dr.interpolate(torch.ones(8, 3, dtype=torch.float16), rast, TRI)),
            (ValueError, "ids: ", lambda: dr.rasterize(ctx, pos, TRI, (8, 8), ids="x")),
            (ValueError, "color: ", lambda: dr.antialias(torch.ones(1, 8, 9, 3), rast, pos, TRI)),
            (TypeError, "mip: ", lambda: dr.texture(torch.ones(1, 2, 2, 1), torch.zeros(1, 1, 1, 2), mip_level_bias=torch.zeros(1, 1, 1), mip=3)),
            (ValueError, "filter_mode: ", lambda: dr.texture(torch.ones(1, 2, 2, 1), torch.zeros(1, 1, 1, 2), filter_mode="x"))):
        with pytest.raises(error, match="^" + message):
            call()
    with pytest.warns(UserWarning, match="^tri: "):
        dr.antialias_construct_topology_hash(torch.arange(6, dtype=torch.int32).reshape(2, 3))


def test_numpy_and_torch_agree():
    pos = positions(torch.float32, 2)
    rast, db = diff.rasterize(pos, TRI, (16, 16))  # numpy functions take tensors through DLPack
    assert np.array_equal(rast, dr.rasterize(dr.RasterizeContext(), pos, TRI, (16, 16))[0].numpy())
