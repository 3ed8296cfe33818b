"""Differentiable rendering with JAX: operations with custom_vjp, which work under jit, grad and vmap.

Names, arguments and shapes are those of brokkr_render.diff. Operations run on the CPU as callbacks. tri, ranges and the
topology must be constants: no tracers. float64 arrays (jax_enable_x64) run the numpy definition, for check_grads.
"""
from __future__ import annotations

from typing import Any, Sequence

import jax as _jax
import jax.numpy as _jnp
import numpy as np

from . import diff as _diff
from .diff import Mips, Topology  # noqa: F401


def _constant(name, a):
    if a is None:
        return None
    if isinstance(a, _jax.core.Tracer):
        raise TypeError(f"{name}: a constant is wanted; an array that jit or grad traces came")
    return np.asarray(a)


def _call(function, shapes, dtype, *args):
    """`function` of numpy arrays, as an operation with results of these shapes."""
    wanted = tuple(_jax.ShapeDtypeStruct(s, dtype) for s in shapes)

    def host(*a):
        return tuple(np.ascontiguousarray(r) for r in function(*(np.asarray(x) for x in a)))

    return _jax.pure_callback(host, wanted, *args, vmap_method="sequential")


def _float(name, a, dtype=None):
    a = _jnp.asarray(a)
    if a.dtype not in (np.float32, np.float64) or (dtype is not None and a.dtype != dtype):
        raise TypeError(f"{name}: {dtype or 'float32'} is wanted; {a.dtype} {list(a.shape)} came")
    return a


def _dims(name, a, *counts):
    if a.ndim not in counts:
        raise ValueError(f"{name}: {' or '.join(map(str, counts))} dimensions are wanted; {a.dtype} {list(a.shape)} came")


def _rasterize(pos, tri, size, find):
    shapes = ((*size, 4), (*size, 4))

    @_jax.custom_vjp
    def run(p):
        return _call(lambda a: _diff._rasterize_ids(size, np.ascontiguousarray(a), tri, find(a), True, "float32"), shapes,
                     p.dtype, p)

    def forward(p):
        out = run(p)
        return out, (p, out[0])

    def backward(kept, g):
        p, rast = kept
        return _call(lambda a, r, x, y: (_diff.rasterize_backward(a, tri, r, x, y),), (p.shape,), p.dtype, p, rast, *g)

    run.defvjp(forward, backward)
    return run(pos)


def rasterize(pos: Any, tri: Any, resolution: Sequence[int], ranges: Any = None) -> tuple[_jax.Array, _jax.Array]:
    """The raster [N, H, W, 4] and its derivatives [N, H, W, 4]."""
    pos = _float("pos", pos)
    _dims("pos", pos, 3 if ranges is None else 2)
    blank = np.zeros(pos.shape, pos.dtype)
    _, tri, ranges = _diff._mesh(blank, _constant("tri", tri), _constant("ranges", ranges))
    size = (pos.shape[0] if ranges is None else len(ranges), *_diff._resolution(resolution))
    return _rasterize(pos, tri, size, lambda a: _diff._visible(size, np.ascontiguousarray(a), tri, ranges))


def depth_layers(pos: Any, tri: Any, resolution: Sequence[int], count: int,
                 ranges: Any = None) -> list[tuple[_jax.Array, _jax.Array]]:
    """The first `count` layers from near to far, each as `rasterize` gives it."""
    pos = _float("pos", pos)
    _dims("pos", pos, 3 if ranges is None else 2)
    blank = np.zeros(pos.shape, pos.dtype)
    _, tri, ranges = _diff._mesh(blank, _constant("tri", tri), _constant("ranges", ranges))
    size = (pos.shape[0] if ranges is None else len(ranges), *_diff._resolution(resolution))

    def layer(number):
        def find(a):
            peeler = _diff.DepthPeeler(a, tri, size[1:], ranges, False, "int32")
            for _ in range(number):
                peeler.rasterize_next_layer()
            return peeler.rasterize_next_layer()[2]
        return find

    return [_rasterize(pos, tri, size, layer(i)) for i in range(_diff._whole("count", count, 1))]


def interpolate(attr: Any, rast: Any, tri: Any, rast_db: Any = None,
                diff_attrs: Sequence[int] | str | None = None) -> tuple[_jax.Array, _jax.Array]:
    """Attributes of pixels and their derivatives."""
    attr = _float("attr", attr)
    rast = _float("rast", rast, attr.dtype)
    _dims("attr", attr, 2, 3)
    _dims("rast", rast, 4)
    tri = _constant("tri", tri)
    has_db = diff_attrs is not None
    if has_db and rast_db is None:
        raise ValueError("rast_db: is wanted for diff_attrs; None came")
    size, channels, wanted = rast.shape[:3], attr.shape[-1], _diff._channels(diff_attrs)
    count = channels if isinstance(wanted, str) else len(wanted or ())
    # Checks the arguments where they are, not in a callback.
    _diff._attributes(np.zeros(attr.shape, attr.dtype), np.zeros(rast.shape, rast.dtype), tri,
                      np.zeros(rast.shape, rast.dtype) if has_db else None, wanted, None)
    shapes = ((*size, channels), (*size, 2 * count))

    @_jax.custom_vjp
    def run(a, r, *db):
        return _call(lambda a, r, *db: _diff.interpolate(a, r, tri, *(db or (None,)), wanted), shapes, attr.dtype, a, r,
                     *db)

    def forward(*args):
        return run(*args), args

    def backward(args, g):
        def host(a, r, *rest):
            *db, x, y = rest
            grads = _diff.interpolate_backward(a, r, tri, x, db[0] if db else None, wanted, y)
            return grads if db else grads[:2]
        return _call(host, tuple(a.shape for a in args), attr.dtype, *args, *g)

    run.defvjp(forward, backward)
    return run(attr, rast, *((_float("rast_db", rast_db, attr.dtype),) if has_db else ()))


def texture(tex: Any, uv: Any, uv_da: Any = None, mip_level_bias: Any = None, filter_mode: str = "auto",
            boundary_mode: str = "wrap", max_mip_level: int | None = None) -> _jax.Array:
    """Colours of a texture; levels are made of tex."""
    filter_mode = _diff._filter_of(filter_mode, uv_da, mip_level_bias)
    tex = _float("tex", tex)
    names, given = ["tex", "uv"], [tex, _float("uv", uv, tex.dtype)]
    for name, a in (("uv_da", uv_da), ("mip_level_bias", mip_level_bias)):
        if a is not None and "mipmap" in filter_mode:
            names.append(name)
            given.append(_float(name, a, tex.dtype))
    options = dict(filter_mode=filter_mode, boundary_mode=boundary_mode, max_mip_level=max_mip_level)

    def named(arrays):
        return dict(zip(names, arrays))

    sampling = _diff._Sampling(**{"uv_da": None, "mip_level_bias": None, "mip": None, **options,
                                  **named(np.zeros(a.shape, a.dtype) for a in given)})
    shape = (*sampling.size, tex.shape[-1])

    @_jax.custom_vjp
    def run(*args):
        return _call(lambda *a: (_diff.texture(**named(a), **options),), (shape,), tex.dtype, *args)[0]

    def backward(args, g):
        def host(*a):
            grads = _diff.texture_backward(**named(a[:-1]), grad_out=a[-1], **options)
            return [getattr(grads, n) for n in names]
        return _call(host, tuple(a.shape for a in args), tex.dtype, *args, g)

    run.defvjp(lambda *args: (run(*args), args), backward)
    return run(*given)


def antialias_construct_topology_hash(tri: Any) -> Topology:
    """brokkr_render.diff.antialias_construct_topology_hash."""
    return _diff.antialias_construct_topology_hash(_constant("tri", tri))


def antialias(color: Any, rast: Any, pos: Any, tri: Any, topology_hash: Topology | None = None,
              pos_gradient_boost: float = 1.0) -> _jax.Array:
    """Blends colours over silhouettes."""
    color = _float("color", color)
    rast, pos, tri = _float("rast", rast, color.dtype), _float("pos", pos, color.dtype), _constant("tri", tri)
    if topology_hash is None:
        topology_hash = antialias_construct_topology_hash(tri)
    blank = [np.zeros(a.shape, a.dtype) for a in (color, rast, pos)]
    _diff._blending(blank[0], blank[1], blank[2], tri, topology_hash, None)

    @_jax.custom_vjp
    def run(c, r, p):
        return _call(lambda c, r, p: (_diff.antialias(c, r, p, tri, topology_hash),), (c.shape,), c.dtype, c, r, p)[0]

    def backward(kept, g):
        c, r, p = kept
        g_color, g_pos = _call(lambda c, r, p, g: _diff.antialias_backward(c, r, p, tri, g, topology_hash, pos_gradient_boost),
                               (c.shape, p.shape), c.dtype, c, r, p, g)
        return g_color, _jnp.zeros_like(r), g_pos

    run.defvjp(lambda *args: (run(*args), args), backward)
    return run(color, rast, pos)


def antialias_edges(color: Any, rast: Any, pos: Any, tri: Any, pos_gradient_boost: float = 1.0) -> _jax.Array:
    """brokkr_render.diff.antialias_edges."""
    color = _float("color", color)
    rast, pos, tri = _float("rast", rast, color.dtype), _float("pos", pos, color.dtype), _constant("tri", tri)
    boost = _diff._real("pos_gradient_boost", pos_gradient_boost)
    blank = [np.zeros(a.shape, a.dtype) for a in (color, rast, pos)]
    _diff.antialias_edges(blank[0], blank[1], blank[2], tri)

    @_jax.custom_vjp
    def run(c, r, p):
        return c

    def backward(kept, g):
        c, r, p = kept
        (g_pos,) = _call(lambda c, r, p, g: _diff.antialias_edges_backward(c, r, p, tri, g, boost)[1:], (p.shape,), c.dtype,
                         c, r, p, g)
        return g, _jnp.zeros_like(r), g_pos

    run.defvjp(lambda *args: (run(*args), args), backward)
    return run(color, rast, pos)
