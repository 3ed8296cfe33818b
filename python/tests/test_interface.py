"""Shapes, types, units, errors."""
import importlib
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import brokkr_render as brokkr

ALL = [o for o in brokkr.OUTPUTS if o != "overdraw"]


def test_version_is_the_librarys(root):
    text = (root / "src/engine/brokkr/version.h").read_text()
    assert f'"{brokkr.__version__}"' in text


def test_outputs_have_their_shapes_and_types(scene, renderer):
    camera = brokkr.Camera.orbit(3, target=(1, 0, 0), distance=7)
    r = renderer.render(scene, size=(40, 30), camera=camera, outputs=ALL)
    for name in ALL:
        dtype, pixel = brokkr.OUTPUTS[name]
        assert r[name].shape == (3, 30, 40, *pixel) and r[name].dtype == dtype
    nothing = r.triangle == -1
    assert nothing.any() and not nothing.all()
    assert np.array_equal(nothing, r.instance == -1) and np.array_equal(nothing, r.mesh == -1)
    assert np.array_equal(nothing, np.isinf(r.depth)) and (r.window_depth[nothing] == 1).all()
    for name in ("barycentric", "normal", "position", "uv", "color"):
        assert (r[name][nothing] == 0).all(), name
    assert np.allclose(np.linalg.norm(r.normal[~nothing], axis=-1), 1, atol=1e-5)
    assert set(np.unique(r.instance)) == {-1, 0, 1, 2} and set(np.unique(r.mesh)) == {-1, 0, 1}
    assert r.statistics.triangles_in > 0 and r.statistics.to_dict()["triangles_in"] == r.statistics.triangles_in
    assert np.allclose(r.linear[..., 3], r.color[..., 3] / 255)


def test_geometry_agrees_with_itself(scene, renderer):
    """Position, depth and barycentrics describe the same place of a surface in three ways."""
    camera = brokkr.Camera((1, 2, 7), (1, 0, 0))
    r = renderer.render(scene, size=(64, 48), camera=camera, outputs=ALL)
    hit = r.triangle >= 0
    eye, forward = np.array([1, 2, 7.0]), np.array([0, -2, -7.0]) / np.sqrt(53)
    along = (r.position - eye) @ forward
    assert np.allclose(along[hit], r.depth[hit], rtol=1e-3)
    y, x = np.argwhere(hit & (r.mesh == 0))[len(np.argwhere(hit)) // 3]
    mesh, pose = scene.instances[r.instance[y, x]].mesh, scene.instances[r.instance[y, x]].pose
    corners = mesh.positions[mesh.triangles[r.triangle[y, x]]]
    u, v = r.barycentric[y, x]
    point = pose[:3, :3] @ (u * corners[0] + v * corners[1] + (1 - u - v) * corners[2]) + pose[:3, 3]
    assert np.allclose(point, r.position[y, x], atol=1e-5)


def test_rows_run_from_the_top(renderer):
    up = brokkr.Mesh([[-1, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    r = renderer.render(up, size=(32, 32), camera=brokkr.Camera((0, 0, 4)), outputs=("triangle", "position"))
    rows = np.argwhere(r.triangle >= 0)[:, 0]
    assert rows.max() < 17 and r.position[rows.min(), 16, 1] > r.position[rows.max(), 16, 1]


def test_opencv_camera(renderer):
    f, w, h = 50.0, 64, 48
    K = [[f, 0, 30.0], [0, f, 20.0], [0, 0, 1]]
    camera = brokkr.Camera.from_opencv(K, np.eye(3), [0, 0, 0], size=(w, h), near=0.1, far=10)
    at = np.array([0.3, 0.2, 2.0])
    dot = brokkr.Mesh(at + 0.06 * np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]]), [[0, 1, 2]])
    r = renderer.render(dot, size=(w, h), camera=camera, outputs=("triangle", "depth"))
    y, x = np.argwhere(r.triangle >= 0).mean(axis=0) + 0.5
    assert abs(x - (30 + f * 0.3 / 2)) < 1 and abs(y - (20 + f * 0.2 / 2)) < 1
    assert np.allclose(r.depth[r.triangle >= 0], 2, rtol=1e-4)


def test_out_is_filled_and_returned(mesh, renderer):
    p = renderer.prepare(mesh, size=(16, 8), views=2, outputs=("color", "depth"))
    out = {"color": np.zeros((2, 8, 16, 4), np.uint8), "depth": np.zeros((2, 8, 16), np.float32)}
    r = p.render(out=out)
    assert r["color"] is out["color"] and out["color"].any() and np.isfinite(out["depth"]).any()
    for bad in (np.zeros((2, 8, 16, 3), np.uint8), np.zeros((2, 8, 16, 4)), np.zeros((2, 8, 32, 4), np.uint8)[:, :, ::2]):
        with pytest.raises(ValueError, match=r"out\['color'\].*wanted a contiguous, writable uint8\[2, 8, 16, 4\]"):
            p.render(out={"color": bad})
    with pytest.raises(ValueError, match="out: 'normal'"):
        p.render(out={"normal": out["depth"]})


@pytest.mark.parametrize("make, kind, words", [
    (lambda: brokkr.Mesh([[0, 0, 0]], [[0, 0, 1]]), ValueError, "triangles: holds 1; wanted 0..0"),
    (lambda: brokkr.Mesh([[0, 0, 0]], [[0, 0, -1]]), ValueError, "triangles: holds -1"),
    (lambda: brokkr.Mesh([[0, 0]], [[0, 0, 0]]), ValueError, "positions: .*wanted float32 .N, 3."),
    (lambda: brokkr.Mesh([[0, 0, 0]], [[0.5, 0, 0]]), TypeError, "triangles: .*integers"),
    (lambda: brokkr.Mesh("text", [[0, 0, 0]]), TypeError, "positions"),
    (lambda: brokkr.Mesh([[0, 0, 0]], [[0, 0, 0]], normals=[[0, 0, 1]] * 2), ValueError, "normals"),
    (lambda: brokkr.Mesh([[0, 0, 0]], [[0, 0, 0]], material=3), TypeError, "material"),
    (lambda: brokkr.Material((2,)), ValueError, "base_color"),
    (lambda: brokkr.Material((255, 0, 0)), ValueError, r"base_color: \(255, 0, 0\) came; wanted 0..1"),
    (lambda: brokkr.Material("red"), TypeError, "base_color: 'red' is not of real numbers"),
    (lambda: brokkr.Material(base_color_texture="wood.png"), TypeError, "base_color_texture: 'wood.png' came"),
    (lambda: brokkr.Mesh(np.eye(3), [[0, 1, 2]], colors=np.full((3, 3), 255, np.uint8)), ValueError,
     r"colors: uint8\[3, 3\] up to 255 came; wanted linear light"),
    (lambda: brokkr.Renderer("cpu").prepare(brokkr.Mesh(np.eye(3), [[0, 1, 2]]), size=(8, 8)).set_cameras(None), TypeError,
     r"cameras: None came; wanted a Camera or float32 \[1, 4, 4\]"),
    (lambda: brokkr.Shader("wood.frag"), ValueError, "text: 'wood.frag' came; wanted GLSL.*read_text"),
    (lambda: brokkr.Shader(""), ValueError, "text: '' came; wanted GLSL"),
    (lambda: brokkr.Renderer("simt"), ValueError, "machine: 'simt' came; wanted one of auto, cpu, cuda, emulated"),
    (lambda: brokkr.Material(roughness=2), ValueError, "roughness: 2.0 came"),
    (lambda: brokkr.Material(base_color_texture=np.zeros((4, 4))), TypeError, "base_color_texture"),
    (lambda: brokkr.Scene([]), ValueError, "meshes"),
    (lambda: brokkr.Scene([1]), TypeError, r"meshes\[0\]"),
    (lambda: brokkr.Camera((0, 0, 0), (0, 0, 0)), ValueError, "target"),
    (lambda: brokkr.Camera((0, 1, 0), up=(0, 1, 0)), ValueError, "up"),
    (lambda: brokkr.Camera(fov=180), ValueError, "fov"),
    (lambda: brokkr.Camera(near=2, far=1), ValueError, "far"),
    (lambda: brokkr.Camera(np.ones((3, 3)), np.zeros((2, 3))), ValueError, "one number N"),
    (lambda: brokkr.Renderer("gpu"), ValueError, "machine: 'gpu' came; wanted one of auto"),
    (lambda: brokkr.Renderer(workers=0), ValueError, "workers"),
    (lambda: brokkr.render("missing.glb"), FileNotFoundError, "missing.glb"),
    (lambda: brokkr.render(3), TypeError, "scene"),
    (lambda: brokkr.render("generated:nothing"), brokkr.FileError, "generated:nothing"),
    (lambda: brokkr.load(b"glTF", name="a.glb"), brokkr.FileError, "a.glb"),
    (lambda: brokkr.load(b"", name="a.xyz"), brokkr.FileError, "unknown"),
    (lambda: brokkr.Renderer("cpu", memory_limit=1).render("generated:city?triangles=100", size=(4000, 4000)),
     brokkr.MemoryLimitError, "memory limit"),
])
def test_errors_name_argument_and_wish(make, kind, words):
    with pytest.raises(kind, match=words) as raised:
        make()
    assert "--" not in str(raised.value)


def test_errors_have_their_parts(mesh, renderer):
    with pytest.raises(MemoryError) as raised:
        brokkr.Renderer("cpu", memory_limit=1).render(mesh, size=(4000, 4000))
    assert raised.value.field and "raise the memory limit" in raised.value.remedy and isinstance(raised.value, brokkr.Error)
    with pytest.raises(brokkr.ShaderError, match="vek4") as raised:
        renderer.render(mesh, size=(8, 8), shader=brokkr.Shader("out vec4 c;\nvoid main() { c = vek4(1); }", name="wood"))
    assert (raised.value.name, raised.value.line) == ("wood", 2)


def test_machine_that_is_missing(mesh):
    if any(m["available"] for m in brokkr.machines() if m["name"] not in ("CPU", "emulated warp")):
        pytest.skip("there is a GPU")
    with pytest.raises(brokkr.MachineError, match="CUDA"):
        brokkr.Renderer("cuda").render(mesh, size=(8, 8))


def test_loading_reports_progress_and_stops(root):
    seen = []
    brokkr.load(root / "assets/courtyard.obj", progress=seen.append, warnings="ignore")
    assert all(0 <= s <= 1 for s in seen)

    def stop(_):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        brokkr.load("generated:sphere-100k", progress=stop)
        brokkr.Renderer("cpu").prepare("generated:sphere-100k", size=(64, 64), progress=stop)


def test_command_line_runs():
    done = subprocess.run([sys.executable, "-m", "brokkr_render", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and brokkr.__version__ in done.stdout


def test_package_is_typed(tmp_path):
    folder = pathlib.Path(brokkr.__file__).parent
    assert (folder / "py.typed").exists()
    native = {name for name in dir(brokkr._brokkr) if not name.startswith("_")}
    if (folder / "_brokkr.pyi").exists():
        stubs = (folder / "_brokkr.pyi").read_text()
        assert not [name for name in native if f"def {name}(" not in stubs and f"class {name}" not in stubs]
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "-p", "brokkr_render"],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def annotations_missing(module):
    """Public functions and methods with a parameter or a result that no type checker knows."""
    functions = []
    for name, one in vars(module).items():
        if name.startswith("_") or getattr(one, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(one):
            functions.append((name, one))
        elif inspect.isclass(one):
            functions += [(f"{name}.{k}", getattr(f, "__func__", f)) for k, f in vars(one).items()
                          if (k == "__init__" or not k.startswith("_")) and inspect.isfunction(getattr(f, "__func__", f))]
    missing = []
    for name, function in functions:
        signature = inspect.signature(function)
        untyped = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
        if signature.return_annotation is signature.empty and not name.endswith("__init__"):
            untyped.append("return")
        if untyped and function.__module__ == module.__name__:
            missing.append((name, untyped))
    return missing


@pytest.mark.parametrize("name", ("camera", "diff", "errors", "jax", "render", "scene", "torch"))
def test_public_functions_are_annotated(name):
    if name in ("jax", "torch"):
        pytest.importorskip(name)
    module = importlib.import_module(f"brokkr_render.{name}")
    assert not annotations_missing(module)


def test_dlpack_and_buffers(mesh, renderer):
    picture = brokkr.render(mesh, size=(20, 10))
    assert np.array_equal(np.from_dlpack(picture), picture.color) and np.asarray(picture).shape == (10, 20, 4)
    assert picture._repr_png_().startswith(b"\x89PNG")

    class Foreign:  # an array of another library
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    again = brokkr.Mesh(Foreign(mesh.positions), Foreign(mesh.triangles.astype(np.int32)), normals=Foreign(mesh.normals))
    assert np.array_equal(brokkr.render(again, size=(20, 10)).color[..., 3], picture.color[..., 3])


def test_table_and_statistics(mesh):
    table = brokkr.Table(a=[1, 2], b=["x", "y"])
    assert list(table.rows()) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    pandas = pytest.importorskip("pandas")
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    assert len(brokkr.render(mesh, size=(8, 8)).statistics.to_pandas()) == 1


def test_outs_have_memory_of_their_own(renderer):
    ready = renderer.prepare(brokkr.Mesh(np.eye(3), [[0, 1, 2]]), size=(8, 6), views=2, outputs=("color", "depth"))
    memory = np.zeros(2 * 6 * 8 * 4, np.uint8)
    color, depth = memory.reshape(2, 6, 8, 4), np.zeros((2, 6, 8), np.float32)
    assert ready.render(out={"color": color, "depth": depth})["color"] is color
    with pytest.raises(ValueError, match=r"out\['depth'\]: shares memory with out\['color'\]"):
        ready.render(out={"color": color, "depth": memory.view(np.float32).reshape(2, 6, 8)})
    odd = np.zeros(len(memory) + 1, np.uint8)[1:].view(np.float32).reshape(2, 6, 8)
    with pytest.raises(ValueError, match=r"out\['depth'\]: .*not aligned"):
        ready.render(out={"depth": odd})


def test_a_tensor_of_torch_receives_a_picture(renderer):
    torch = pytest.importorskip("torch")
    mesh = brokkr.Mesh(torch.eye(3, requires_grad=True), torch.tensor([[0, 1, 2]]))
    out = torch.zeros(1, 8, 8, 4, dtype=torch.uint8)
    expected = renderer.render(mesh, size=(8, 8))["color"]
    renderer.prepare(mesh, size=(8, 8)).render(out={"color": out})
    assert expected.any() and np.array_equal(out.numpy()[0], expected)


@pytest.mark.parametrize("name, value", [
    ("positions", np.zeros((1, 3), np.float32)), ("triangles", [[0, 1, 99]]), ("normals", np.zeros((1, 3), np.float32)),
    ("uv", np.zeros((1, 2), np.float32)), ("colors", np.zeros((2, 4), np.float32)), ("material", 5)])
def test_what_changes_in_a_mesh_is_checked_again(renderer, name, value):
    points = np.eye(3, dtype=np.float32)
    mesh = brokkr.Mesh(points, [[0, 1, 2]], normals=points, uv=points[:, :2], colors=points)
    setattr(mesh, name, value)
    # a mesh of one vertex has no triangle 0, 1, 2
    with pytest.raises((ValueError, TypeError), match=f"^mesh: {'triangles' if name == 'positions' else name}: "):
        renderer.render(mesh, size=(8, 8))


def test_what_changes_in_a_scene_is_checked_again(renderer):
    def scene():
        return brokkr.Scene(brokkr.Mesh(np.eye(3), [[0, 1, 2]], normals=np.eye(3)))

    for change, message in ((lambda s: s.instances[0].mesh.triangles.__setitem__((0, 0), 2**31), r"^meshes\[0\]: triangles: "),
                            (lambda s: setattr(s.instances[0], "pose", np.eye(3)), r"^instances\[0\]\.pose: "),
                            (lambda s: setattr(s.instances[0], "mesh", 3), r"^instances\[0\]: "),
                            (lambda s: s.instances.clear(), "^instances: "),
                            (lambda s: setattr(s, "light", (1,)), "^light: "),
                            (lambda s: setattr(s.instances[0].mesh.material, "base_color", "x"), r"^meshes\[0\]: base_color: ")):
        one = scene()
        change(one)
        with pytest.raises((ValueError, TypeError), match=message):
            renderer.render(one, size=(8, 8))
    changed = scene()
    changed.instances[0].mesh.positions = np.eye(3) * 2  # float64: becomes what a mesh holds
    assert renderer.render(changed, size=(8, 8))["color"].any()


def test_messages_about_machines_and_paths_name_the_argument(renderer, tmp_path):
    for isa in ("v9", "v\0", "emulated"):
        with pytest.raises(ValueError, match="^isa: .*wanted one of "):
            brokkr.Renderer("cpu", isa=isa)
    for machine in brokkr.machines():
        if machine["name"] == "CPU" and machine["available"]:
            brokkr.Renderer("cpu", isa=machine["isa"])  # as `machines` calls it
    picture = brokkr.render(brokkr.Mesh(np.eye(3), [[0, 1, 2]]), size=(8, 8))
    with pytest.raises(OSError, match="^path: .*folder exists"):
        picture.save(tmp_path / "none" / "a.png")
    with pytest.raises(TypeError, match="^path: "):
        picture.save(None)
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0
