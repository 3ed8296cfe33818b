"""Any arguments: a result, or an exception that names the argument; never a crash."""
import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

import brokkr_render as brokkr  # noqa: E402

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
