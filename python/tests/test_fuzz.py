"""Any arguments: a result, or an exception that names the argument; never a crash."""
import re

import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

import brokkr_render as brokkr  # noqa: E402
from brokkr_render import diff  # noqa: E402

RENDERER = brokkr.Renderer("cpu", workers=1, memory_limit=256)
ALLOWED = (ValueError, TypeError, brokkr.Error, FileNotFoundError, OverflowError)

arrays = hnp.arrays(st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.complex64, "U3"]),
                    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
anything = st.one_of(arrays, st.none(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=8),
                     st.lists(st.floats(), max_size=4), st.just(object()))
small = settings(max_examples=150, deadline=None, derandomize=True)


def tried(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except ALLOWED as error:
        assert str(error)
        if isinstance(error, (ValueError, TypeError)):
            assert re.match(r"[A-Za-z_]\w*(\[[^]]*\])?( \(\w+\))?(, \w+)*: ", str(error)), str(error)
        return None


@small
@given(anything, anything, anything, anything)
def test_mesh(positions, triangles, normals, uv):
    tried(brokkr.Mesh, positions, triangles, normals=normals, uv=uv)


@small
@given(hnp.arrays(np.float32, (5, 3)), hnp.arrays(np.int32, (4, 3), elements=st.integers(0, 4)), anything, anything)
def test_meshes_of_any_numbers_are_drawn(positions, triangles, eye, size):
    """Also infinities and NaN among positions."""
    mesh = brokkr.Mesh(positions, triangles)
    camera = tried(brokkr.Camera, eye)
    tried(RENDERER.render, mesh, size=(16, 12), camera=camera if camera is None or len(camera) < 4 else None,
          outputs=("color", "depth", "normal", "barycentric", "position"))
    tried(RENDERER.render, mesh, size=size)


@small
@given(anything, anything, anything, anything)
def test_cameras(eye, target, up, fov):
    tried(brokkr.Camera, eye, target, up=up, fov=fov)
    tried(brokkr.Camera.from_matrices, eye, target)
    tried(brokkr.Camera.from_opencv, eye, target, up, size=(8, 8), near=0.1, far=2)


@small
@given(anything, anything, anything, anything)
def test_prepared(cameras, positions, poses, out):
    mesh = brokkr.Mesh(np.eye(3), [[0, 1, 2]])
    ready = tried(RENDERER.prepare, mesh, size=(8, 8), views=2, groups=cameras) or RENDERER.prepare(mesh, size=(8, 8), views=2)
    for function, value in ((ready.set_cameras, cameras), (ready.set_poses, poses), (ready.render, {"color": out})):
        tried(function, value)
    tried(ready.set_positions, 0, positions)
    tried(ready.set_texture, 0, positions)
    tried(ready.set_uniforms, a=positions)
    tried(ready.render)


@small
@given(st.binary(max_size=200), st.sampled_from(["a.glb", "a.obj", "a.ply", "a.stl", "a.bkf", "a.gltf", "a"]))
def test_files_of_any_bytes(data, name):
    tried(brokkr.load, data, name=name, warnings="ignore")
    tried(brokkr.load, b"glTF\x02\0\0\0" + data, name=name, warnings="ignore")


@small
@given(anything, anything, anything)
def test_texts_and_options(a, b, c):
    tried(brokkr.Shader, a, uniforms=b, textures=c)
    tried(brokkr.Renderer, a, workers=b, memory_limit=c)
    tried(brokkr.Material, a, roughness=b, base_color_texture=c)
    tried(brokkr.Scene, a, light=b)
    tried(brokkr.render, a, size=b)
    tried(RENDERER.prepare, brokkr.Mesh(np.eye(3), [[0, 1, 2]]), size=(8, 8), outputs=a, shading=b, background=c)


some = st.floats(width=32, allow_nan=True, allow_infinity=True)


def odd_or(strategy):
    """Mostly what is wanted, so that calls go deep; sometimes anything."""
    return st.one_of(strategy, strategy, strategy, anything)


positions = hnp.arrays(np.float32, (2, 4, 4), elements=some)
triangles = hnp.arrays(np.int32, (3, 3), elements=st.integers(0, 3))
rasters = hnp.arrays(np.float32, (2, 3, 5, 4), elements=some)
pictures = hnp.arrays(np.float32, (2, 3, 5, 2), elements=some)
numbers = st.one_of(st.none(), hnp.arrays(np.int32, (2, 3, 5), elements=st.integers(-2, 4)))


@small
@given(odd_or(positions), odd_or(triangles), odd_or(st.tuples(st.integers(-1, 20), st.integers(-1, 20))), anything, anything)
def test_rasterize(pos, tri, resolution, ranges, ids):
    tried(diff.rasterize, pos, tri, resolution)
    tried(diff.rasterize, pos, tri, (3, 5), ids=ids)
    tried(diff.rasterize, pos, tri, resolution, ranges)
    tried(diff.rasterize, pos[0] if isinstance(pos, np.ndarray) and len(np.shape(pos)) == 3 and len(pos) else pos, tri, (3, 5), ranges)
    peeler = tried(diff.DepthPeeler, pos, tri, resolution)
    if peeler is not None:
        peeler.rasterize_next_layer()
    tried(diff.antialias_construct_topology_hash, tri)


@small
@given(odd_or(positions), odd_or(triangles), odd_or(rasters), odd_or(pictures), odd_or(pictures), numbers, anything)
def test_gradients(pos, tri, rast, color, g, ids, boost):
    tried(diff.rasterize_backward, pos, tri, rast, rast, rast, ids)
    tried(diff.rasterize_backward, pos, tri, rast, color, g)
    attr = pos[..., :2] if isinstance(pos, np.ndarray) and pos.ndim else pos
    for channels in (None, "all", [1], boost):
        tried(diff.interpolate, attr, rast, tri, rast, channels, ids)
        tried(diff.interpolate_backward, attr, rast, tri, g, rast, channels, boost, ids)
    tried(diff.antialias, color, rast, pos, tri, None, ids)
    tried(diff.antialias_backward, color, rast, pos, tri, g, None, 1.0, ids)
    tried(diff.antialias_backward, color, rast, pos, tri, g, boost, boost)
    tried(diff.antialias_edges_backward, color, rast, pos, tri, g, 1.0, ids)
    tried(diff.antialias_edges_backward, color, rast, pos, tri, g, boost, boost)
    tried(diff.triangle_ids, rast)


@small
@given(odd_or(hnp.arrays(np.float32, (1, 4, 8, 2), elements=some)), odd_or(hnp.arrays(np.float32, (2, 3, 5, 2), elements=some)),
       odd_or(hnp.arrays(np.float32, (2, 3, 5, 4), elements=some)), odd_or(hnp.arrays(np.float32, (2, 3, 5), elements=some)),
       odd_or(st.sampled_from(diff.FILTERS)), odd_or(st.sampled_from(diff.BOUNDARIES)), odd_or(st.integers(0, 3)))
def test_textures(tex, uv, da, bias, mode, boundary, most):
    cube = boundary == "cube" if isinstance(boundary, str) else False
    if cube and isinstance(tex, np.ndarray) and tex.shape == (1, 4, 8, 2):
        tex, uv, da = np.repeat(tex[:, None, :, :4], 6, 1), np.resize(uv, (2, 3, 5, 3)) if np.size(uv) else uv, None
    options = dict(filter_mode=mode, boundary_mode=boundary, max_mip_level=most)
    tried(diff.texture, tex, uv, da, bias, **options)
    tried(diff.texture_backward, tex, uv, da, da, bias, **options)
    tried(diff.texture_backward, tex, uv, uv, da, bias, **options)
    tried(diff.texture, tex, uv, da, bias, mip=bias, **options)
    tried(diff.texture_construct_mip, tex, most, cube)


@small
@given(anything, anything, anything)
def test_set_workers(workers, isa, machine):
    try:
        tried(diff.set_workers, workers, isa, machine=machine)
    finally:
        diff.set_workers()
