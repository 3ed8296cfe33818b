"""Pictures are the command line's, and batches are single pictures, to the bit."""
import subprocess
import sys

import numpy as np
import pytest

import brokkr_render as brokkr
from conftest import sphere

FILES = ["assets/courtyard.obj", "scenes/glxgears.bkf", "scenes/minetest.bkf"]


@pytest.mark.parametrize("file", FILES)
def test_the_command_lines_picture(root, tmp_path, file):
    size = [] if file.endswith(".bkf") else ["--size", "160x120"]
    done = subprocess.run([sys.executable, "-m", "brokkr_render", "render", str(root / file), *size, "-o", "cli.png"],
                          cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    mine = brokkr.render(root / file) if file.endswith(".bkf") else brokkr.render(root / file, size=(160, 120))
    mine.save(tmp_path / "python.png")
    assert (tmp_path / "cli.png").read_bytes() == (tmp_path / "python.png").read_bytes()


def test_batches_are_single_pictures(scene, renderer):
    camera = brokkr.Camera.orbit(5, target=(1, 0, 0), distance=7)
    outputs = ("color", "depth", "triangle", "normal")
    all_ = renderer.render(scene, size=(50, 37), camera=camera, outputs=outputs)
    matrices = camera.matrices((50, 37), scene.bounds)
    one = renderer.prepare(scene, size=(50, 37), outputs=outputs)
    for i in range(5):
        one._native.set_views(matrices[i:i + 1].copy(), camera.eye[i:i + 1].copy())
        r = one.render()
        for name in outputs:
            assert np.array_equal(r[name][0], all_[name][i]), (i, name)


def test_changes_are_as_prepared_anew(renderer):
    p, f, n, uv = sphere()
    texture = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    material = lambda t: brokkr.Material((1, 1, 1), base_color_texture=t)
    make = lambda q, t: brokkr.Scene([brokkr.Mesh(q, f, normals=n, uv=uv, material=material(t))])
    camera = brokkr.Camera((0, 0.5, 3))
    # Far and near: what needed no clipping before does after the change.
    changed, turned = (p * [1, 1.4, 40] + [0, 0.2, 0]).astype(np.float32), texture[::-1].copy()
    scene = make(p, texture)
    ready = renderer.prepare(scene, size=(64, 64), outputs=("color", "triangle"))
    ready.set_cameras(camera.matrices((64, 64), ((-2, -2, -2), (2, 2, 2))))
    ready.render()
    ready.set_positions(0, changed)
    ready.set_texture(0, turned)
    got = ready.render()
    anew = renderer.prepare(make(changed, turned), size=(64, 64), outputs=("color", "triangle"))
    anew.set_cameras(camera.matrices((64, 64), ((-2, -2, -2), (2, 2, 2))))
    want = anew.render()
    assert np.array_equal(got.color, want.color) and np.array_equal(got.triangle, want.triangle)


def test_poses_and_groups(scene, renderer):
    moved = np.stack([one.pose for one in scene.instances])
    moved[:, 1, 3] += 0.3
    ready = renderer.prepare(scene, size=(40, 40), outputs=("instance",))
    ready.set_poses(moved)
    other = brokkr.Scene([brokkr.Instance(o.mesh, m) for o, m in zip(scene.instances, moved)])
    want = renderer.prepare(other, size=(40, 40), outputs=("instance",))
    views = brokkr.Camera((1, 1, 8), (1, 0, 0)).matrices((40, 40), scene.bounds)
    ready.set_cameras(views)
    want.set_cameras(views)
    assert np.array_equal(ready.render().instance, want.render().instance)
    # Each view its own world.
    worlds = np.stack([np.stack([o.pose for o in scene.instances]), moved])
    both = renderer.prepare(scene, size=(40, 40), views=2, outputs=("instance",), poses=worlds)
    both.set_cameras(views)
    assert np.array_equal(both.render().instance[1], want.render().instance[0])
    # A mesh for each view.
    groups = renderer.prepare(scene, size=(40, 40), views=3, outputs=("mesh",), groups=[0, 1, 1])
    groups.set_cameras(views)
    seen = groups.render().mesh
    assert set(np.unique(seen[0])) == {-1, 0} and set(np.unique(seen[2])) == {-1, 1}


def test_the_machine_does_not_matter(scene):
    if "emulated" not in str(brokkr.machines()):
        pytest.skip("built without the emulated machine")
    camera = brokkr.Camera.orbit(2, target=(1, 0, 0), distance=7)
    results = [brokkr.Renderer(machine, workers=workers).render(scene, size=(33, 21), camera=camera,
                                                                 outputs=("color", "depth", "triangle", "barycentric"))
               for machine, workers in (("cpu", 1), ("cpu", 3), ("emulated", 2))]
    for other in results[1:]:
        for name in results[0]:
            assert np.array_equal(results[0][name], other[name]), name


def test_shader_uniforms_textures_time(mesh, renderer):
    text = """uniform vec3 tint = vec3(1, 0, 0); uniform sampler2D wood; uniform float b_time; in vec2 b_uv;
              out vec4 color; void main() { color = vec4(tint * texture(wood, b_uv).rgb * (b_time > 1.0 ? 0.5 : 1.0), 1); }"""
    shader = brokkr.Shader(text, textures={"wood": np.full((2, 2, 3), 255, np.uint8)})
    assert shader.uniforms["tint"] == ("float", [1, 0, 0])
    ready = renderer.prepare(mesh, size=(16, 16), shader=shader)
    middle = lambda: ready.render().color[0, 8, 8].tolist()
    assert middle() == [255, 0, 0, 255]
    ready.set_uniforms(tint=(0, 1, 0))
    assert middle() == [0, 255, 0, 255]
    ready.set_uniforms(time=2.0)
    assert 120 < middle()[1] < 190
    with pytest.raises(brokkr.ShaderError):
        ready.set_uniforms(missing=1)
    with pytest.raises(ValueError, match="prepare it again"):
        ready.set_positions(0, mesh.positions)


def test_capture(root):
    capture = brokkr.load(root / "scenes/glxgears.bkf", warnings="ignore")
    draws = capture.draws
    assert len(draws["command"]) == len(draws["label"]) > 0 and draws["triangles"].sum() > 0
    whole, part = capture.render(), capture.render(up_to=int(draws["command"][len(draws["command"]) // 2]))
    assert not np.array_equal(whole.color, part.color)
    width, height = capture.size
    history = capture.pixel(width // 2, height // 2)
    assert history["events"]
    reference = capture.reference()
    assert reference is not None and reference.color.shape == whole.color.shape
    with pytest.raises(ValueError, match="x: "):
        capture.pixel(width, 0)


def test_scene_of_a_file(root):
    scene = brokkr.load(root / "assets/courtyard.obj", warnings="ignore")
    assert len(scene.meshes) == len(scene.names) > 0 and scene.bounds[0] < scene.bounds[1]
    data = (root / "assets/courtyard.obj").read_bytes()
    again = brokkr.load(data, name="courtyard.obj", warnings="ignore")
    assert sum(len(m.triangles) for m in again.meshes) == sum(len(m.triangles) for m in scene.meshes)  # without its materials


def test_overdraw(scene, renderer):
    r = renderer.render(scene, size=(32, 32), outputs=("overdraw",))
    assert r.overdraw.max() >= 2


def test_samples(scene, renderer):
    camera = brokkr.Camera((1, 1, 8), (1, 0, 0))
    one, four = (renderer.render(scene, size=(40, 30), camera=camera, outputs=("color", "depth"), samples=n) for n in (1, 4))
    edge = (one.color != four.color).any(-1)
    assert 0 < edge.mean() < 0.3, "only edges change"
    assert np.array_equal(np.isinf(one.depth)[~edge], np.isinf(four.depth)[~edge])
    assert np.array_equal(brokkr.render(scene, size=(40, 30), camera=camera).color, four.color)
    with pytest.raises(ValueError, match="samples: 3 came"):
        renderer.render(scene, size=(8, 8), samples=3)
    with pytest.raises(ValueError, match="samples: 4 came, .*triangle"):
        renderer.render(scene, size=(8, 8), outputs=("triangle",), samples=4)
