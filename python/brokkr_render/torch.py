"""Differentiable rendering with torch: the names, arguments and shapes of nvdiffrast's functions.

    import brokkr_render.torch as dr  # was: import nvdiffrast.torch as dr

Operations run on the CPU; tensors of other devices are copied there, and results back. Gradients have the same bits
every time. float64 tensors run the numpy definition, for torch.autograd.gradcheck. What differs from nvdiffrast stands
in docs/guide/gradients.md.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import torch as _torch

from . import diff as _diff

_log_level = 1


def get_log_level() -> int:
    return _log_level


def set_log_level(level: int) -> None:
    """0: everything, 1: warnings, 2 and more: errors only."""
    global _log_level
    _log_level = _diff._whole("level", level)


def _host(name, tensor):
    """A numpy array of a tensor, which must be a tensor."""
    if not isinstance(tensor, _torch.Tensor):
        raise TypeError(f"{name}: a torch.Tensor is wanted; {type(tensor).__name__} came")
    return tensor.detach().cpu().contiguous().numpy()


def _maybe(name, tensor):
    return None if tensor is None else _host(name, tensor)


def _back(array, like):
    return None if array is None else _torch.from_numpy(np.ascontiguousarray(array)).to(like.device)


class RasterizeContext:
    """What nvdiffrast's functions take as their first argument. It holds nothing: the operations share their machine, as
    brokkr_render.diff.set_workers sets it."""

    def __init__(self, output_db: bool = True, mode: str = "automatic", device: Any = None):
        self.output_db = bool(output_db)

    def set_context(self) -> None:
        """There is no context to make current."""

    def release_context(self) -> None:
        """There is no context to release."""


class RasterizeCudaContext(RasterizeContext):
    def __init__(self, device: Any = None):
        super().__init__(device=device)


class RasterizeGLContext(RasterizeContext):
    pass


def _context(glctx):
    if not isinstance(glctx, RasterizeContext):
        raise TypeError(f"glctx: a RasterizeContext is wanted; {type(glctx).__name__} came")
    return glctx


class _Rasterize(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, pos, tri, found, grad_db):
        host, triangles = _host("pos", pos), _host("tri", tri)
        rast, db = _diff._rasterize_ids(found.shape, host, _diff._ints("tri", triangles, (None, 3)), found, grad_db, "float32")
        out = _back(rast, pos), _back(db, pos)
        ctx.save_for_backward(pos, tri, out[0])
        ctx.found = found
        return out

    @staticmethod
    def backward(ctx, grad_rast, grad_db):
        pos, tri, rast = ctx.saved_tensors
        grad_db = None if grad_db is None or grad_db.shape[-1] == 0 else _host("grad_rast_db", grad_db)
        grad = _diff.rasterize_backward(_host("pos", pos), _host("tri", tri), _host("rast", rast),
                                        _host("grad_rast", grad_rast), grad_db, ids=ctx.found)
        return _back(grad, pos), None, None, None


def _raster_of(pos, tri, found, grad_db, ids):
    _diff._choice("ids", ids, ("float32", "int32"))
    if ids == "float32" and pos.dtype == _torch.float32 and len(tri) >= 2**24:
        raise ValueError(f'tri: {len(tri)} triangles; float32 counts to 2^24: use ids="int32"')
    rast, db = _Rasterize.apply(pos, tri, found, grad_db)
    return (rast, db, _back(found, pos)) if ids == "int32" else (rast, db)


def rasterize(glctx: RasterizeContext, pos: _torch.Tensor, tri: _torch.Tensor, resolution: Sequence[int],
              ranges: _torch.Tensor | None = None, grad_db: bool = True, ids: str = "float32") -> tuple[_torch.Tensor, ...]:
    """brokkr_render.diff.rasterize. `grad_db=False`: no gradient flows through the derivatives, which are given all the
    same, as nvdiffrast does."""
    want_db = _context(glctx).output_db
    host_pos = _host("pos", pos)
    if ranges is None:
        host_pos = _diff._floats("pos", host_pos, (None, None, 4))
    host_pos, host_tri, host_ranges = _diff._mesh(host_pos, _host("tri", tri), _maybe("ranges", ranges))
    size = (len(host_ranges) if host_ranges is not None else host_pos.shape[0], *_diff._resolution(resolution))
    out = _raster_of(pos, tri, _diff._visible(size, host_pos, host_tri, host_ranges), want_db, ids)
    return out if grad_db else (out[0], out[1].detach(), *out[2:])


class DepthPeeler:
    """brokkr_render.diff.DepthPeeler with tensors."""

    def __init__(self, glctx: RasterizeContext, pos: _torch.Tensor, tri: _torch.Tensor, resolution: Sequence[int],
                 ranges: _torch.Tensor | None = None, grad_db: bool = True, ids: str = "float32"):
        _context(glctx)
        self._pos, self._tri, self._grad_db, self._ids = pos, tri, grad_db, ids
        self._peeler = _diff.DepthPeeler(_host("pos", pos), _host("tri", tri), resolution, _maybe("ranges", ranges),
                                         False, "int32")

    def __enter__(self) -> DepthPeeler:
        return self

    def __exit__(self, *_: Any) -> None:
        self._peeler.__exit__()

    def rasterize_next_layer(self) -> tuple[_torch.Tensor, ...]:
        if self._peeler._peeler is None:
            raise RuntimeError("DepthPeeler: is closed")
        found = np.empty(self._peeler._size, np.int32)
        self._peeler._peeler.next(found)
        out = _raster_of(self._pos, self._tri, found, True, self._ids)
        return out if self._grad_db else (out[0], out[1].detach(), *out[2:])


def triangle_ids(rast: _torch.Tensor) -> _torch.Tensor:
    """brokkr_render.diff.triangle_ids."""
    return _back(_diff.triangle_ids(_host("rast", rast)), rast)


class _Interpolate(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, attr, rast, tri, rast_db, diff_attrs, ids):
        ctx.save_for_backward(attr, rast, tri, *(() if rast_db is None else (rast_db,)))
        ctx.diff_attrs, ctx.ids = diff_attrs, _maybe("ids", ids)
        out, da = _diff.interpolate(_host("attr", attr), _host("rast", rast), _host("tri", tri),
                                    _maybe("rast_db", rast_db), diff_attrs, ctx.ids)
        return _back(out, attr), _back(da, attr)

    @staticmethod
    def backward(ctx, grad_out, grad_da):
        attr, rast, tri, *rest = ctx.saved_tensors
        db = rest[0] if rest else None
        g_attr, g_rast, g_db = _diff.interpolate_backward(
            _host("attr", attr), _host("rast", rast), _host("tri", tri), _host("grad_out", grad_out),
            _maybe("rast_db", db), ctx.diff_attrs, _host("grad_out_da", grad_da), ctx.ids)
        return _back(g_attr, attr), _back(g_rast, rast), None, None if db is None else _back(g_db, db), None, None


def interpolate(attr: _torch.Tensor, rast: _torch.Tensor, tri: _torch.Tensor, rast_db: _torch.Tensor | None = None,
                diff_attrs: Any = None, ids: _torch.Tensor | None = None) -> tuple[_torch.Tensor, _torch.Tensor]:
    """brokkr_render.diff.interpolate."""
    if isinstance(diff_attrs, _torch.Tensor):
        diff_attrs = diff_attrs.cpu().tolist()
    return _Interpolate.apply(attr, rast, tri, rast_db if diff_attrs is not None else None, diff_attrs, ids)


class _Mip(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, tex, max_mip_level, cube):
        ctx.save_for_backward(tex)
        ctx.mip = _diff.texture_construct_mip(_host("tex", tex), max_mip_level, cube)
        return tuple(_back(l, tex) for l in ctx.mip.levels)

    @staticmethod
    def backward(ctx, *grads):
        (tex,) = ctx.saved_tensors
        g = _diff.texture_construct_mip_backward(_host("tex", tex), ctx.mip, [_host("grad_mip", g) for g in grads])
        return _back(g, tex), None, None


def texture_construct_mip(tex: _torch.Tensor, max_mip_level: int | None = None,
                          cube_mode: bool = False) -> list[_torch.Tensor]:
    """Smaller levels of tex, as a list of tensors; gradients flow through them to tex."""
    host = _diff._tex(_host("tex", tex), bool(cube_mode))
    if _diff._level_count(host, bool(cube_mode), max_mip_level) == 0:
        return []
    return list(_Mip.apply(tex, max_mip_level, bool(cube_mode)))


class _Texture(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, tex, uv, uv_da, bias, filter_mode, boundary_mode, *mip):
        ctx.sampling = _diff._Sampling(_host("tex", tex), _host("uv", uv), _maybe("uv_da", uv_da),
                                       _maybe("mip_level_bias", bias),
                                       [_host(f"mip[{i}]", l) for i, l in enumerate(mip)], filter_mode, boundary_mode, None)
        ctx.like, ctx.given = tex.new_empty(0), len(mip)
        return _back(ctx.sampling.forward(), tex)

    @staticmethod
    def backward(ctx, grad_out):
        g_tex, g_levels, g_uv, g_da, g_bias = ctx.sampling.backward(_host("grad_out", grad_out))
        g_levels = g_levels or (None,) * ctx.given
        return (*(_back(g, ctx.like) for g in (g_tex, g_uv, g_da, g_bias)), None, None,
                *(_back(g, ctx.like) for g in g_levels))


def texture(tex: _torch.Tensor, uv: _torch.Tensor, uv_da: _torch.Tensor | None = None,
            mip_level_bias: _torch.Tensor | None = None, mip: Sequence[_torch.Tensor] | None = None,
            filter_mode: str = "auto", boundary_mode: str = "wrap", max_mip_level: int | None = None) -> _torch.Tensor:
    """brokkr_render.diff.texture."""
    filter_mode = _diff._filter_of(filter_mode, uv_da, mip_level_bias)
    _diff._choice("boundary_mode", boundary_mode, _diff.BOUNDARIES)
    if "mipmap" not in filter_mode:
        uv_da = mip_level_bias = None
        mip = []
    elif mip is None:
        mip = texture_construct_mip(tex, max_mip_level, boundary_mode == "cube")
    elif not isinstance(mip, (list, tuple)):
        raise TypeError(f"mip: a list of tensors is wanted; {type(mip).__name__} came")
    if max_mip_level is not None:
        mip = list(mip)[:_diff._whole("max_mip_level", max_mip_level, 0)]
    return _Texture.apply(tex, uv, uv_da, mip_level_bias, filter_mode, boundary_mode, *mip)


def antialias_construct_topology_hash(tri: _torch.Tensor) -> _diff.Topology:
    """brokkr_render.diff.antialias_construct_topology_hash; warns where more than a third of the edges are open."""
    topology = _diff.antialias_construct_topology_hash(_host("tri", tri))
    if _log_level <= 1 and topology.open_edges > len(topology.opposite):
        import warnings
        warnings.warn(f"tri: {topology.open_edges} of {3 * len(topology.opposite)} edges have one triangle; vertices with "
                      "equal positions but different numbers make each edge a silhouette", stacklevel=2)
    return topology


class _Antialias(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, color, rast, pos, tri, topology, boost, ids):
        ctx.save_for_backward(color, rast, pos, tri)
        ctx.rest = topology, boost, _maybe("ids", ids)
        out = _diff.antialias(_host("color", color), _host("rast", rast), _host("pos", pos), _host("tri", tri), topology,
                              ctx.rest[2])
        return _back(out, color)

    @staticmethod
    def backward(ctx, grad_out):
        color, rast, pos, tri = ctx.saved_tensors
        topology, boost, ids = ctx.rest
        g_color, g_pos = _diff.antialias_backward(_host("color", color), _host("rast", rast), _host("pos", pos),
                                                  _host("tri", tri), _host("grad_out", grad_out), topology, boost, ids)
        return _back(g_color, color), None, _back(g_pos, pos), None, None, None, None


def antialias(color: _torch.Tensor, rast: _torch.Tensor, pos: _torch.Tensor, tri: _torch.Tensor,
              topology_hash: _diff.Topology | None = None, pos_gradient_boost: float = 1.0,
              ids: _torch.Tensor | None = None) -> _torch.Tensor:
    """brokkr_render.diff.antialias."""
    if topology_hash is None:
        topology_hash = antialias_construct_topology_hash(tri)
    return _Antialias.apply(color, rast, pos, tri, topology_hash, _diff._real("pos_gradient_boost", pos_gradient_boost), ids)


class _Edges(_torch.autograd.Function):
    @staticmethod
    def forward(ctx, color, rast, pos, tri, boost, ids):
        ctx.save_for_backward(color, rast, pos, tri)
        ctx.rest = boost, _maybe("ids", ids)
        _diff.antialias_edges(_host("color", color), _host("rast", rast), _host("pos", pos), _host("tri", tri),
                              ctx.rest[1])
        return color.clone()

    @staticmethod
    def backward(ctx, grad_out):
        color, rast, pos, tri = ctx.saved_tensors
        boost, ids = ctx.rest
        _, g_pos = _diff.antialias_edges_backward(_host("color", color), _host("rast", rast), _host("pos", pos),
                                                  _host("tri", tri), _host("grad_out", grad_out), boost, ids)
        return grad_out, None, _back(g_pos, pos), None, None, None


def antialias_edges(color: _torch.Tensor, rast: _torch.Tensor, pos: _torch.Tensor, tri: _torch.Tensor,
                    pos_gradient_boost: float = 1.0, ids: _torch.Tensor | None = None) -> _torch.Tensor:
    """brokkr_render.diff.antialias_edges."""
    return _Edges.apply(color, rast, pos, tri, _diff._real("pos_gradient_boost", pos_gradient_boost), ids)
