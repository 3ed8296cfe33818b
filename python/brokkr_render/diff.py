"""Differentiable rendering with numpy arrays: each operation has an explicit backward function.

Arrays are float32; float64 arrays run the numpy definition of the operations, for checks. Rows of pictures run from the
bottom to the top, positions are in clip space. Every array with a DLPack interface or the buffer protocol is accepted;
results are numpy arrays. Gradients have the same bits for any number of workers and on every machine.
docs/guide/gradients.md explains shapes and units.
"""
from __future__ import annotations

from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from . import _brokkr, _check
from . import _definition as _def

FILTERS = ("nearest", "linear", "linear-mipmap-nearest", "linear-mipmap-linear")
BOUNDARIES = ("wrap", "clamp", "zero", "cube")

_machine = _brokkr.DiffMachine()


def set_workers(workers: int = 0, isa: str = "", *, machine: str = "cpu") -> None:
    """Threads that the operations use (0: one per processor), and the CPU's instruction set (empty: the best). machine:
    "cpu", "cuda", "emulated", or "auto" (a GPU if there is one); a GPU works on copies of the arrays. Results have the
    same bits with any."""
    global _machine
    if not isinstance(isa, str):
        raise TypeError(f"isa: a str such as 'v3' is wanted; {type(isa).__name__} came")
    from .render import isas

    _choice("isa", isa, ("", *isas(), "emulated"))
    _choice("machine", machine, ("cpu", "cuda", "emulated", "auto"))
    _machine = _brokkr.DiffMachine(_whole("workers", workers, 0, 1024), isa, machine)


def _whole(name, value, low=-(2**31), high=2**31 - 1):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: an integer is wanted; {type(value).__name__} came")
    if value < low:
        raise ValueError(f"{name}: {value} came; at least {low} is wanted")
    if value > high:
        raise ValueError(f"{name}: {value} came; at most {high} is wanted")
    return int(value)


def _real(name, value):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name}: a number is wanted; {type(value).__name__} came")
    return float(value)


def _numpy(name, a):
    if isinstance(a, np.ndarray):
        return a
    if a is None:
        raise TypeError(f"{name}: an array is wanted; None came")
    try:
        if hasattr(a, "detach"):  # a tensor of torch
            a = a.detach().cpu()
        return np.from_dlpack(a) if hasattr(a, "__dlpack__") else np.asarray(a)
    except Exception as e:
        raise TypeError(f"{name}: {type(a).__name__} is no array that can be read: {e}") from None


def _came(a):
    return f"{a.dtype} {list(a.shape)} came"


def _fit(name, a, shapes):
    """shapes: tuples of sizes, None for any."""
    for s in shapes:
        if a.ndim == len(s) and all(w is None or w == g for w, g in zip(s, a.shape)):
            return
    wanted = " or ".join("[" + ", ".join("?" if x is None else str(x) for x in s) + "]" for s in shapes)
    raise ValueError(f"{name}: {wanted} is wanted; {_came(a)}")


def _floats(name, a, *shapes, dtype=None):
    a = _numpy(name, a)
    if a.dtype not in (np.float32, np.float64):
        raise TypeError(f"{name}: float32 is wanted; {_came(a)}")
    if dtype is not None and a.dtype != dtype:
        raise TypeError(f"{name}: {dtype} is wanted, as the other arrays have it; {_came(a)}. Give all as float32")
    _fit(name, a, shapes)
    return np.ascontiguousarray(a)


def _ints(name, a, *shapes):
    a = _numpy(name, a)
    if a.dtype.kind not in "iu":
        raise TypeError(f"{name}: int32 is wanted; {_came(a)}")
    _fit(name, a, shapes)
    if a.dtype != np.int32:
        if a.size and (a.max() > 2**31 - 1 or a.min() < -2**31):
            raise ValueError(f"{name}: holds {a.max() if a.max() > 2**31 - 1 else a.min()}, which is no int32")
        a = a.astype(np.int32)
    return np.ascontiguousarray(a)


def _resolution(resolution):
    try:
        h, w = resolution
    except (TypeError, ValueError):
        raise ValueError(f"resolution: (height, width) is wanted; {resolution!r} came") from None
    h, w = _whole("resolution", h), _whole("resolution", w)
    if not (1 <= h <= 16384 and 1 <= w <= 16384):
        raise ValueError(f"resolution: sides are 1 to 16384; {h} x {w} came")
    return h, w


def _triangles(tri, vertices):
    tri = _ints("tri", tri, (None, 3))
    if tri.size and not (0 <= tri.min() and tri.max() < vertices):
        at = np.argwhere((tri < 0) | (tri >= vertices))[0]
        raise ValueError(f"tri: index {tri[tuple(at)]} at {at.tolist()} is outside of 0 .. {vertices - 1}")
    return tri


def _mesh(pos, tri, ranges=None):
    pos = _floats("pos", pos, *(((None, 4),) if ranges is not None else ((None, None, 4), (None, 4))))
    tri = _triangles(tri, pos.shape[-2])
    if pos.shape[-2] < 1:
        raise ValueError(f"pos: at least one vertex is wanted; {_came(pos)}")
    if pos.ndim == 3 and not 1 <= pos.shape[0] <= 65536:
        raise ValueError(f"pos: 1 to 65536 images are possible; {_came(pos)}")
    if ranges is not None:
        ranges = _ints("ranges", ranges, (None, 2))
        if not 1 <= len(ranges) <= 65536:
            raise ValueError(f"ranges: 1 to 65536 images are possible; {_came(ranges)}")
        first, count = ranges.astype(np.int64).T
        wrong = (first < 0) | (count < 0) | (first + count > len(tri))
        if wrong.any():
            i = int(np.argmax(wrong))
            raise ValueError(f"ranges: image {i} has first {first[i]} and count {count[i]} of {len(tri)} triangles")
    return pos, tri, ranges


def _raster(rast, dtype=None):
    rast = _floats("rast", rast, (None, None, None, 4), dtype=dtype)
    if 0 in rast.shape:
        raise ValueError(f"rast: at least one pixel is wanted; {_came(rast)}")
    return rast, rast.shape[:3]


def _ids_of(ids, rast, triangles):
    """Numbers of triangles; -1 for none and for invalid numbers."""
    if ids is None:
        number = np.where((rast[..., 3] >= 1) & (rast[..., 3] <= triangles), rast[..., 3], 0)
        return number.astype(np.int64) - 1
    return np.where((ids >= 0) & (ids < triangles), ids, -1)


def _given_ids(ids, size):
    return None if ids is None else _ints("ids", ids, size)


def _optional(name, a, shape, dtype):
    return None if a is None else _floats(name, a, shape, dtype=dtype)


def triangle_ids(rast: Any) -> np.ndarray:
    """int32 [N, H, W]: number of the triangle of each pixel, -1: none. Raises where float32 may have rounded numbers; ask
    for `ids="int32"` there."""
    rast, _ = _raster(rast)
    if rast.dtype == np.float32 and rast.size and rast[..., 3].max() >= 2**24:
        raise ValueError('rast: float32 rounds numbers above 2^24; use rasterize(..., ids="int32")')
    return _ids_of(None, rast, 2**31 - 1).astype(np.int32)


def _visible(size, pos, tri, ranges):
    ids = np.empty(size, np.int32)
    _machine.visible(size, pos.astype(np.float32, copy=False), tri, ranges, ids)
    return ids


def _rasterize_ids(size, pos, tri, found, grad_db, ids):
    _choice("ids", ids, ("float32", "int32"))
    grad_db = _flag("grad_db", grad_db)
    if ids == "float32" and pos.dtype == np.float32 and len(tri) >= 2**24:
        raise ValueError(f'tri: {len(tri)} triangles; float32 counts to 2^24: use ids="int32"')
    if pos.dtype == np.float64:
        rast, db = _def.rasterize(pos, tri, found)
    else:
        rast, db = np.empty((*size, 4), np.float32), np.empty((*size, 4), np.float32) if grad_db else None
        _machine.rasterize(size, pos, tri, found, rast, db)
    if not grad_db:
        db = np.zeros((*size, 0), pos.dtype)
    return (rast, db, found) if ids == "int32" else (rast, db)


def rasterize(pos: Any, tri: Any, resolution: Sequence[int], ranges: Any = None, grad_db: bool = True,
              ids: Literal["float32", "int32"] = "float32") -> tuple[np.ndarray, ...]:
    """The raster [N, H, W, 4] (u, v, z/w, number of the triangle + 1) and its derivatives [N, H, W, 4] (du/dX, du/dY,
    dv/dX, dv/dY) of triangles tri [T, 3] with clip-space positions pos [N, V, 4]. With `ranges` [N, 2], pos is [V, 4] and
    image i has ranges[i, 1] triangles from ranges[i, 0] on. `grad_db=False` leaves the derivatives out ([N, H, W, 0]).
    `ids="int32"` adds the numbers of triangles [N, H, W], -1: none."""
    if ranges is None:
        pos = _floats("pos", pos, (None, None, 4))
    pos, tri, ranges = _mesh(pos, tri, ranges)
    size = (len(ranges) if ranges is not None else pos.shape[0], *_resolution(resolution))
    return _rasterize_ids(size, pos, tri, _visible(size, pos, tri, ranges), grad_db, ids)


def rasterize_backward(pos: Any, tri: Any, rast: Any, grad_rast: Any = None, grad_rast_db: Any = None,
                       ids: Any = None) -> np.ndarray:
    """The gradient of pos from those of u, v and z/w, and of the derivatives."""
    pos, tri, _ = _mesh(pos, tri)
    rast, size = _raster(rast, pos.dtype)
    if pos.ndim == 3:
        _fit("pos", pos, ((size[0], None, 4),))
    ids = _given_ids(ids, size)
    grad_rast = _optional("grad_rast", grad_rast, (*size, 4), pos.dtype)
    if grad_rast_db is not None and _numpy("grad_rast_db", grad_rast_db).shape[-1] == 0:
        grad_rast_db = None
    grad_rast_db = _optional("grad_rast_db", grad_rast_db, (*size, 4), pos.dtype)
    if pos.dtype == np.float64:
        return _def.rasterize_backward(pos, tri, _ids_of(ids, rast, len(tri)), grad_rast, grad_rast_db)
    grad = np.empty_like(pos)
    _machine.rasterize_backward(size, pos, tri, rast, ids, grad_rast, grad_rast_db, grad)
    return grad


def _attributes(attr, rast, tri, rast_db, diff_attrs, ids):
    attr = _floats("attr", attr, (None, None), (None, None, None))
    given = attr.shape
    rast, size = _raster(rast, attr.dtype)
    if attr.ndim == 3 and attr.shape[0] == 1:
        attr = attr[0]
    if attr.ndim == 3:
        _fit("attr", attr, ((size[0], None, None), (1, None, None)))
    if not 1 <= attr.shape[-1] <= 4096 or attr.shape[-2] < 1:
        raise ValueError(f"attr: at least one vertex and 1 to 4096 channels are wanted; {_came(attr)}")
    tri = _triangles(tri, attr.shape[-2])
    channels = _channels(diff_attrs)
    if isinstance(channels, str):
        if channels != "all":
            raise ValueError(f"diff_attrs: a list of channels or 'all' is wanted; {channels!r} came")
        channels = list(range(attr.shape[-1]))
    diff = channels or []
    for k in diff:
        if not 0 <= k < attr.shape[-1]:
            raise ValueError(f"diff_attrs: {k} is no channel of attr, which has {attr.shape[-1]}")
    if diff:
        if rast_db is None:
            raise ValueError("rast_db: is wanted for diff_attrs; None came")
        rast_db = _floats("rast_db", rast_db, (*size, 4), dtype=attr.dtype)
    return attr, given, rast, size, tri, rast_db if diff else None, diff, _given_ids(ids, size)


def interpolate(attr: Any, rast: Any, tri: Any, rast_db: Any = None, diff_attrs: Sequence[int] | str | None = None,
                ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Attributes of pixels [N, H, W, A] from those of vertices, attr [V, A], [1, V, A] or [N, V, A]; 0 where no triangle
    is. With rast_db, also d/dX and d/dY [N, H, W, 2 D] of the D channels in `diff_attrs` ("all": every one)."""
    attr, _, rast, size, tri, db, diff, ids = _attributes(attr, rast, tri, rast_db, diff_attrs, ids)
    if attr.dtype == np.float64:
        out, da = _def.interpolate(attr, tri, rast, _ids_of(ids, rast, len(tri)), db, diff)
    else:
        out = np.empty((*size, attr.shape[-1]), np.float32)
        da = np.empty((*size, 2 * len(diff)), np.float32) if diff else None
        _machine.interpolate(size, np.empty((attr.shape[-2], 4), np.float32), tri, rast, ids, attr, db, diff, out, da)
    return out, np.zeros((*size, 0), attr.dtype) if da is None else da


def interpolate_backward(attr: Any, rast: Any, tri: Any, grad_out: Any, rast_db: Any = None,
                         diff_attrs: Sequence[int] | str | None = None, grad_out_da: Any = None,
                         ids: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Gradients of attr, rast and rast_db (None without diff_attrs)."""
    attr, given, rast, size, tri, db, diff, ids = _attributes(attr, rast, tri, rast_db, diff_attrs, ids)
    g = _floats("grad_out", grad_out, (*size, attr.shape[-1]), dtype=attr.dtype)
    if grad_out_da is not None and not diff:
        grad_out_da = None
    g_da = _optional("grad_out_da", grad_out_da, (*size, 2 * len(diff)), attr.dtype)
    if attr.dtype == np.float64:
        g_attr, g_rast, g_db = _def.interpolate_backward(attr, tri, rast, _ids_of(ids, rast, len(tri)), db, diff, g, g_da)
    else:
        g_attr, g_rast, g_db = np.empty_like(attr), np.empty_like(rast), np.empty_like(rast) if diff else None
        _machine.interpolate_backward(size, np.empty((attr.shape[-2], 4), np.float32), tri, rast, ids, attr, g, db, diff,
                                      g_da, g_attr, g_rast, g_db)
    return g_attr.reshape(given), g_rast, g_db if diff else None


class Mips(NamedTuple):
    """Smaller levels of a texture, each half as large as the one before; made by texture_construct_mip."""
    levels: tuple[np.ndarray, ...]
    cube: bool


def _choice(name, value, all_of):
    if not isinstance(value, str) or value not in all_of:
        raise ValueError(f"{name}: one of {', '.join(map(repr, all_of))} is wanted; {_check.described(value)} came")
    return value


def _flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: True or False is wanted; {_check.described(value)} came")
    return bool(value)


def _tex(tex, cube):
    tex = _floats("tex", tex, (None, 6, None, None, None) if cube else (None, None, None, None))
    if 0 in tex.shape or max(tex.shape[-3:-1]) > 32768 or tex.shape[-1] > 4096:
        raise ValueError(f"tex: sides are 1 to 32768, channels 1 to 4096; {_came(tex)}")
    if cube and tex.shape[-3] != tex.shape[-2]:
        raise ValueError(f"tex: faces of a cube are square; {_came(tex)}")
    return tex


def _level_count(tex, cube, max_mip_level):
    limit = -1 if max_mip_level is None else min(_whole("max_mip_level", max_mip_level, 0), 15)
    return _brokkr.DiffMachine.mip_levels((tex.shape[0], *tex.shape[-3:], cube), limit)


def texture_construct_mip(tex: Any, max_mip_level: int | None = None, cube_mode: bool = False) -> Mips:
    """Levels of tex by averages of 2 x 2 texels, down to 1 x 1 or to `max_mip_level`."""
    cube = _flag("cube_mode", cube_mode)
    tex = _tex(tex, cube)
    levels = _level_count(tex, cube, max_mip_level)
    out: list[np.ndarray] = []
    if tex.dtype == np.float64:
        for _ in range(levels):
            out.append(_def.shrink(out[-1] if out else tex))
        return Mips(tuple(out), cube)
    shapes = _level_shapes(tex.shape, levels)
    packed = np.empty((tex.shape[0], sum(int(np.prod(s[1:])) for s in shapes)), np.float32)
    _machine.construct_mip((tex.shape[0], *tex.shape[-3:], cube), levels, tex, packed)
    return Mips(_unpack(packed, shapes), cube)


def texture_construct_mip_backward(tex: Any, mip: Mips, grad_levels: Sequence[Any]) -> np.ndarray:
    """The gradient of tex from those of the levels."""
    tex = _tex(tex, mip.cube)
    shapes = _level_shapes(tex.shape, len(mip.levels))
    grads = [_floats(f"grad_levels[{i}]", g, s, dtype=tex.dtype) for i, (g, s) in enumerate(zip(grad_levels, shapes))]
    if tex.dtype == np.float64:
        for i in range(len(grads) - 1, 0, -1):
            grads[i - 1] = grads[i - 1] + _def.shrink_backward(grads[i], grads[i - 1])
        return _def.shrink_backward(grads[0], tex) if grads else np.zeros_like(tex)
    out = np.zeros_like(tex)
    _machine.construct_mip_backward((tex.shape[0], *tex.shape[-3:], mip.cube), len(grads), _pack(grads, tex), out)
    return out


def _level_shapes(shape, levels):
    shapes = []
    for _ in range(levels):
        shape = (*shape[:-3], max(shape[-3] // 2, 1), max(shape[-2] // 2, 1), shape[-1])
        shapes.append(shape)
    return shapes


def _pack(levels, tex):
    n = tex.shape[0]
    return np.ascontiguousarray(np.concatenate([l.reshape(n, -1) for l in levels], 1)) if levels else np.zeros((n, 0), np.float32)


def _unpack(packed, shapes):
    out, at = [], 0
    for s in shapes:
        size = int(np.prod(s[1:]))
        out.append(packed[:, at:at + size].reshape(s))
        at += size
    return tuple(out)


def _filter_of(filter_mode, uv_da, mip_level_bias):
    if _choice("filter_mode", filter_mode, ("auto", *FILTERS)) != "auto":
        return filter_mode
    return "linear" if uv_da is None and mip_level_bias is None else "linear-mipmap-linear"


def _channels(diff_attrs):
    """None, "all", or a list of channels."""
    if diff_attrs is None or isinstance(diff_attrs, str):
        return diff_attrs
    try:
        return [_whole("diff_attrs", k) for k in diff_attrs]
    except TypeError as error:
        if str(error).startswith("diff_attrs"):
            raise
        raise TypeError(f"diff_attrs: a list of channels or 'all' is wanted; {_check.described(diff_attrs)} came") from None


class _Sampling:
    """Checked arguments of a lookup."""

    def __init__(self, tex, uv, uv_da, mip_level_bias, mip, filter_mode, boundary_mode, max_mip_level):
        _choice("boundary_mode", boundary_mode, BOUNDARIES)
        self.filter, self.boundary = _filter_of(filter_mode, uv_da, mip_level_bias), boundary_mode
        self.cube = cube = boundary_mode == "cube"
        self.tex = tex = _tex(tex, cube)
        n = 3 if cube else 2
        self.uv = uv = _floats("uv", uv, (None, None, None, n), dtype=tex.dtype)
        if 0 in uv.shape:
            raise ValueError(f"uv: at least one pixel is wanted; {_came(uv)}")
        self.size = size = uv.shape[:3]
        if tex.shape[0] not in (1, size[0]):
            raise ValueError(f"tex: 1 or {size[0]} textures are wanted, as uv has images; {_came(tex)}")
        self.uv_da = self.bias = None
        self.levels, self.made = (), False
        if "mipmap" in self.filter:
            if uv_da is None and mip_level_bias is None:
                raise ValueError(f"uv_da: {self.filter} needs uv_da or mip_level_bias; None came")
            self.uv_da = _optional("uv_da", uv_da, (*size, 2 * n), tex.dtype)
            self.bias = _optional("mip_level_bias", mip_level_bias, size, tex.dtype)
            if mip is None:
                mip, self.made = texture_construct_mip(tex, max_mip_level, cube), True
            if isinstance(mip, Mips):
                if mip.cube != cube:
                    raise ValueError("mip: was made for another boundary_mode")
                levels = mip.levels
            elif isinstance(mip, (list, tuple)):
                levels = mip
            else:
                raise TypeError(f"mip: a list of levels, or what texture_construct_mip gives, is wanted; {type(mip).__name__} came")
            if len(levels) > 15:
                raise ValueError(f"mip: at most 15 levels are possible; {len(levels)} came")
            shapes = _level_shapes(tex.shape, len(levels))
            for i, s in enumerate(shapes):
                before = tex.shape if i == 0 else shapes[i - 1]
                if before[-3] == before[-2] == 1:
                    raise ValueError(f"mip[{i}]: there is no level after 1 x 1")
            self.levels = tuple(_floats(f"mip[{i}]", l, s, dtype=tex.dtype) for i, (l, s) in enumerate(zip(levels, shapes)))
            if max_mip_level is not None:
                self.levels = self.levels[:_whole("max_mip_level", max_mip_level, 0)]
        self.packed = None
        if tex.dtype == np.float32 and self.levels:
            self.packed = _pack(self.levels, tex)

    def native(self):
        return (self.size, self.tex, self.packed, len(self.levels), self.uv, self.uv_da, self.bias,
                FILTERS.index(self.filter), BOUNDARIES.index(self.boundary))

    def definition(self):
        return _def.Lookup(self.tex, self.levels, self.uv, self.uv_da, self.bias, self.filter, self.boundary)

    def forward(self):
        if self.tex.dtype == np.float64:
            return self.definition().forward()
        out = np.empty((*self.size, self.tex.shape[-1]), np.float32)
        _machine.texture(*self.native(), out)
        return out

    def backward(self, grad_out):
        """Gradients of tex, of the levels, of uv, uv_da and the bias."""
        g = _floats("grad_out", grad_out, (*self.size, self.tex.shape[-1]), dtype=self.tex.dtype)
        if self.tex.dtype == np.float64:
            levels, g_uv, g_da, g_bias = self.definition().backward(g)
            g_tex, g_levels = levels[0], tuple(levels[1:])
        else:
            g_tex, g_uv = np.empty_like(self.tex), np.empty_like(self.uv)
            packed = None if self.packed is None else np.empty_like(self.packed)
            g_da = None if self.uv_da is None else np.empty_like(self.uv_da)
            g_bias = None if self.bias is None else np.empty_like(self.bias)
            _machine.texture_backward(*self.native(), g, g_tex, packed, g_uv, g_da, g_bias)
            g_levels = () if packed is None else _unpack(packed, _level_shapes(self.tex.shape, len(self.levels)))
        return g_tex, g_levels, g_uv, None if self.uv_da is None else g_da, None if self.bias is None else g_bias


def texture(tex: Any, uv: Any, uv_da: Any = None, mip_level_bias: Any = None, mip: Mips | Sequence[Any] | None = None,
            filter_mode: str = "auto", boundary_mode: str = "wrap", max_mip_level: int | None = None) -> np.ndarray:
    """Colours [N, H, W, C] of a texture tex [N or 1, height, width, C] at uv [N, H, W, 2]; of a cube [N or 1, 6, size,
    size, C] in directions [N, H, W, 3]. Mipmap filters choose the level by uv_da [N, H, W, 4] (cubes: 6) and
    mip_level_bias [N, H, W]; their levels are `mip`, or made of tex."""
    return _Sampling(tex, uv, uv_da, mip_level_bias, mip, filter_mode, boundary_mode, max_mip_level).forward()


class TextureGradients(NamedTuple):
    tex: np.ndarray
    mip: tuple[np.ndarray, ...]
    uv: np.ndarray
    uv_da: np.ndarray | None
    mip_level_bias: np.ndarray | None


def texture_backward(tex: Any, uv: Any, grad_out: Any, uv_da: Any = None, mip_level_bias: Any = None,
                     mip: Mips | Sequence[Any] | None = None, filter_mode: str = "auto", boundary_mode: str = "wrap",
                     max_mip_level: int | None = None) -> TextureGradients:
    """Gradients of the arguments of `texture`. If `mip` is None, that of tex includes what its levels contribute, and
    `mip` is empty; otherwise `mip` has the gradients of the levels."""
    s = _Sampling(tex, uv, uv_da, mip_level_bias, mip, filter_mode, boundary_mode, max_mip_level)
    g_tex, g_levels, g_uv, g_da, g_bias = s.backward(grad_out)
    if s.made and s.levels:
        g_tex = g_tex + texture_construct_mip_backward(s.tex, Mips(s.levels, s.cube), g_levels)
        g_levels = ()
    return TextureGradients(g_tex, g_levels, g_uv, g_da, g_bias)


class Topology(NamedTuple):
    """The triangles that meet at each edge; made by antialias_construct_topology_hash."""
    opposite: np.ndarray
    open_edges: int


def antialias_construct_topology_hash(tri: Any) -> Topology:
    """For each edge the vertex beyond it. Vertices that share a position but no number make every edge a silhouette:
    `open_edges` counts them."""
    tri = _ints("tri", tri, (None, 3))
    if tri.size and tri.min() < 0:
        raise ValueError(f"tri: index {tri.min()} came; at least 0 is wanted")
    opposite = np.empty_like(tri)
    return Topology(opposite, _brokkr.diff_topology(tri, int(tri.max()) + 1 if tri.size else 0, opposite))


def _picture(color, rast, pos, tri, ids):
    color = _floats("color", color, (None, None, None, None))
    if not 1 <= color.shape[-1] <= 4096:
        raise ValueError(f"color: 1 to 4096 channels are wanted; {_came(color)}")
    rast, size = _raster(rast, color.dtype)
    _fit("color", color, ((*size, None),))
    pos, tri, _ = _mesh(pos, tri)
    if pos.dtype != color.dtype:
        raise TypeError(f"pos: {color.dtype} is wanted, as color has it; {_came(pos)}")
    if pos.ndim == 3:
        _fit("pos", pos, ((size[0], None, 4),))
    return color, rast, size, pos, tri, _given_ids(ids, size)


def _blending(color, rast, pos, tri, topology_hash, ids):
    color, rast, size, pos, tri, ids = _picture(color, rast, pos, tri, ids)
    if topology_hash is None:
        topology_hash = antialias_construct_topology_hash(tri)
    if not isinstance(topology_hash, Topology):
        raise TypeError("topology_hash: what antialias_construct_topology_hash gives is wanted; "
                        f"{type(topology_hash).__name__} came")
    if topology_hash.opposite.shape != tri.shape:
        raise ValueError(f"topology_hash: was made of {len(topology_hash.opposite)} triangles; tri has {len(tri)}")
    return color, rast, size, pos, tri, topology_hash.opposite, ids


def antialias(color: Any, rast: Any, pos: Any, tri: Any, topology_hash: Topology | None = None,
              ids: Any = None) -> np.ndarray:
    """Blends color [N, H, W, C] over the silhouettes that pass between centres of neighbouring pixels."""
    color, rast, size, pos, tri, opposite, ids = _blending(color, rast, pos, tri, topology_hash, ids)
    if color.dtype == np.float64:
        return _def.Silhouettes(pos, tri, rast, _ids_of(ids, rast, len(tri)), opposite).forward(color)
    out = np.empty_like(color)
    _machine.antialias(size, pos, tri, rast, ids, opposite, color, color.shape[-1], out)
    return out


def antialias_backward(color: Any, rast: Any, pos: Any, tri: Any, grad_out: Any, topology_hash: Topology | None = None,
                       pos_gradient_boost: float = 1.0, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Gradients of color and of pos, the latter times `pos_gradient_boost`."""
    color, rast, size, pos, tri, opposite, ids = _blending(color, rast, pos, tri, topology_hash, ids)
    g = _floats("grad_out", grad_out, color.shape, dtype=color.dtype)
    boost = _real("pos_gradient_boost", pos_gradient_boost)
    if color.dtype == np.float64:
        return _def.Silhouettes(pos, tri, rast, _ids_of(ids, rast, len(tri)), opposite).backward(color, g, boost)
    g_color, g_pos = np.empty_like(color), np.empty_like(pos)
    _machine.antialias_backward(size, pos, tri, rast, ids, opposite, color, color.shape[-1], g, boost, g_color, g_pos)
    return g_color, g_pos


def antialias_edges(color: Any, rast: Any, pos: Any, tri: Any, ids: Any = None) -> np.ndarray:
    """The picture color [N, H, W, C] as it is. Its gradient reaches pos through the boundaries between triangles
    [Pidhorskyi24], which also fits masks, depths and normals, and surfaces that intersect."""
    return _picture(color, rast, pos, tri, ids)[0]


def antialias_edges_backward(color: Any, rast: Any, pos: Any, tri: Any, grad_out: Any, pos_gradient_boost: float = 1.0,
                             ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Gradients of color, which is grad_out, and of pos, the latter times `pos_gradient_boost`. Triangles that share an
    edge by their vertices' numbers are one surface, without a boundary."""
    color, rast, size, pos, tri, ids = _picture(color, rast, pos, tri, ids)
    g = _floats("grad_out", grad_out, color.shape, dtype=color.dtype)
    boost = _real("pos_gradient_boost", pos_gradient_boost)
    if color.dtype == np.float64:
        return g, _def.edges_backward(pos, tri, _ids_of(ids, rast, len(tri)), color, g, boost)
    g_pos = np.empty_like(pos)
    _machine.edges_backward(size, pos, tri, rast, ids, color, color.shape[-1], g, boost, g_pos)
    return g, g_pos


class DepthPeeler:
    """Layers of triangles behind one another, from near to far. `with DepthPeeler(…) as p: p.rasterize_next_layer()`
    gives what rasterize gives, for one layer after the other; pixels that have no triangle left are empty."""

    def __init__(self, pos: Any, tri: Any, resolution: Sequence[int], ranges: Any = None, grad_db: bool = True,
                 ids: Literal["float32", "int32"] = "float32"):
        if ranges is None:
            pos = _floats("pos", pos, (None, None, 4))
        self._pos, self._tri, ranges = _mesh(pos, tri, ranges)
        self._size = (len(ranges) if ranges is not None else self._pos.shape[0], *_resolution(resolution))
        self._grad_db, self._ids = grad_db, ids
        self._peeler: Any = _machine.peel(self._size, self._pos.astype(np.float32, copy=False), self._tri, ranges)

    def __enter__(self) -> DepthPeeler:
        return self

    def __exit__(self, *_: Any) -> None:
        self._peeler = None

    def rasterize_next_layer(self) -> tuple[np.ndarray, ...]:
        if self._peeler is None:
            raise RuntimeError("DepthPeeler: is closed")
        found = np.empty(self._size, np.int32)
        self._peeler.next(found)
        return _rasterize_ids(self._size, self._pos, self._tri, found, self._grad_db, self._ids)
