"""Meshes, materials and scenes from arrays; scenes and captures from files."""
from __future__ import annotations

import os
import pathlib
import warnings as _warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

import numpy as np

from . import _brokkr, _check

if TYPE_CHECKING:
    from .render import Picture

_TEXTURES = {"base_color_texture": True, "metallic_roughness_texture": False, "normal_texture": False,
             "emission_texture": True}  # whether they are sRGB


class Material:
    """A metallic-roughness material, as glTF defines it. Colours are linear light, 0..1 (emission may be more); textures
    uint8 [H, W, 3 or 4]."""

    def __init__(self, base_color: Any = (0.8, 0.8, 0.8, 1.0), *, metallic: float = 0.0, roughness: float = 0.8,
                 emission: Any = (0, 0, 0), opacity: float = 1.0, alpha_cutoff: float = 0.0, unlit: bool = False,
                 base_color_texture: Any = None, metallic_roughness_texture: Any = None, normal_texture: Any = None,
                 emission_texture: Any = None):
        self.base_color = _check.color(base_color, "base_color")
        self.base_color[3] *= _check.real(opacity, "opacity", 0, 1)
        self.metallic = _check.real(metallic, "metallic", 0, 1)
        self.roughness = _check.real(roughness, "roughness", 0, 1)
        self.emission = _check.color(emission, "emission", 1e6)[:3]
        self.alpha_cutoff = _check.real(alpha_cutoff, "alpha_cutoff", 0, 1)
        self.unlit = bool(unlit)
        self.textures: dict[str, np.ndarray] = {}
        for name, value in (("base_color_texture", base_color_texture),
                            ("metallic_roughness_texture", metallic_roughness_texture),
                            ("normal_texture", normal_texture), ("emission_texture", emission_texture)):
            if value is not None:
                self.textures[name] = _check.texels(value, name)

    def _require_valid(self) -> None:
        """Raises if a value that was set later is wrong."""
        textures: dict[str, Any] = dict(self.textures)
        Material(self.base_color, metallic=self.metallic, roughness=self.roughness, emission=self.emission,
                 alpha_cutoff=self.alpha_cutoff, unlit=self.unlit, **textures)


class Mesh:
    """Triangles. positions: float [V, 3]; triangles: integers [T, 3], 0 <= i < V; normals: [V, 3]; uv: [V, 2]; colors:
    [V, 3 or 4] in linear light. Faces without normals are flat-shaded by normals that are computed here."""

    def __init__(self, positions: Any, triangles: Any, *, normals: Any = None, uv: Any = None, colors: Any = None,
                 material: Material | None = None, name: str = ""):
        self.positions = _check.floats(positions, "positions", (None, 3))
        v = len(self.positions)
        self.triangles = _check.indices(triangles, "triangles", (None, 3), v, "vertices")
        self.normals = None if normals is None else _check.floats(normals, "normals", (v, 3))
        self.uv = None if uv is None else _check.floats(uv, "uv", (v, 2))
        self.colors = None
        if colors is not None:
            array = _check.floats(colors, "colors", (v, 3), (v, 4))
            if _check.as_numpy(colors, "colors").dtype.kind in "iu" and array.max(initial=0) > 1:
                raise ValueError(f"colors: {_check.described(colors)} up to {array.max():g} came; wanted linear light, 0..1")
            if array.shape[1] == 3:
                array = np.concatenate([array, np.ones((v, 1), np.float32)], axis=1)
            self.colors = np.ascontiguousarray(array)
        if material is not None and not isinstance(material, Material):
            raise TypeError(f"material: {_check.described(material)} came; wanted a Material")
        self.material = material or Material()
        if not isinstance(name, str):
            raise TypeError(f"name: {_check.described(name)} came; wanted a str")
        self.name = name

    def _require_valid(self, name: str) -> None:
        """Raises if an array that was set or changed later is wrong, and makes arrays that were set what a mesh holds."""
        try:
            again = Mesh(self.positions, self.triangles, normals=self.normals, uv=self.uv, colors=self.colors,
                         material=self.material, name=self.name)
            again.material._require_valid()
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
        self.__dict__.update(again.__dict__)

    @classmethod
    def from_trimesh(cls, mesh: Any) -> Mesh:
        """From an object with vertices, faces and, where it has them, vertex_normals and visual.uv."""
        uv = getattr(getattr(mesh, "visual", None), "uv", None)
        return cls(np.asarray(mesh.vertices), np.asarray(mesh.faces), normals=np.asarray(mesh.vertex_normals), uv=uv)

    def smooth_normals(self) -> np.ndarray:
        """Mean normals of the faces around each vertex, float32 [V, 3]."""
        p = self.positions.astype(np.float64)
        a, b, c = (p[self.triangles[:, i]] for i in range(3))
        with np.errstate(invalid="ignore", over="ignore"):
            faces = np.cross(b - a, c - a)
            normals = np.zeros_like(p)
            for i in range(3):
                np.add.at(normals, self.triangles[:, i], faces)
            length = np.linalg.norm(normals, axis=1, keepdims=True)
            return np.where(length > 0, normals / np.where(length > 0, length, 1), [0.0, 0.0, 1.0]).astype(np.float32)


class Instance:
    """A mesh at a place. pose: float [4, 4], mesh to world, row by row, for columns."""

    def __init__(self, mesh: Mesh, pose: Any = None):
        if not isinstance(mesh, Mesh):
            raise TypeError(f"mesh: {_check.described(mesh)} came; wanted a Mesh")
        self.mesh = mesh
        self.pose = np.eye(4, dtype=np.float32) if pose is None else _check.floats(pose, "pose", (4, 4), finite=True)


class Scene:
    """Meshes or instances, and a light's direction. Several instances may share a mesh."""

    def __init__(self, meshes: Sequence[Mesh | Instance] | Mesh | Instance, *, light: Any = (0.4, 0.8, 0.45)):
        if isinstance(meshes, (Mesh, Instance)):
            meshes = [meshes]
        try:
            parts = list(meshes)
        except TypeError:
            raise TypeError(f"meshes: {_check.described(meshes)} came; wanted a list of Mesh or Instance") from None
        self.instances: list[Instance] = []
        for i, one in enumerate(parts):
            if not isinstance(one, (Mesh, Instance)):
                raise TypeError(f"meshes[{i}]: {_check.described(one)} came; wanted a Mesh or an Instance")
            self.instances.append(Instance(one) if isinstance(one, Mesh) else one)
        if not self.instances:
            raise ValueError("meshes: none came; wanted at least one")
        self.light = _check.floats(light, "light", (3,), finite=True)
        self._path: str | None = None
        self._bytes: bytes | None = None
        self._frame: Any = None
        self._memory_limit = 0

    @classmethod
    def _of_file(cls, path: str, data: bytes | None, frame: Any, memory_limit: int) -> Scene:
        self = cls.__new__(cls)
        self._path, self._bytes, self._frame, self._memory_limit = path, data, frame, memory_limit
        self.instances = []
        self.light = np.array([0.4, 0.8, 0.45], np.float32)
        return self

    def _require_valid(self) -> None:
        """Raises if something that was set or changed later is wrong."""
        self.light = _check.floats(self.light, "light", (3,), finite=True)
        if self._path is not None:
            return
        if not isinstance(self.instances, list) or not self.instances:
            raise ValueError(f"instances: {_check.described(self.instances)} came; wanted a list of at least one Instance")
        for i, one in enumerate(self.instances):
            if not isinstance(one, Instance) or not isinstance(one.mesh, Mesh):
                raise TypeError(f"instances[{i}]: {_check.described(one)} came; wanted an Instance of a Mesh")
        for number, group in enumerate(self._groups()):
            group[0].mesh._require_valid(f"meshes[{number}]")
        for i, one in enumerate(self.instances):
            one.pose = _check.floats(one.pose, f"instances[{i}].pose", (4, 4), finite=True)

    @property
    def meshes(self) -> list[Mesh]:
        """The meshes, each once, in the order of the numbers in the output "mesh"."""
        if self._path is not None:
            return [Mesh(m["positions"], m["triangles"], normals=m.get("normals"), uv=m.get("uv"), name=m["name"],
                         material=Material(np.clip(m["base_color"], 0, 1))) for m in self._frame.meshes]
        return [group[0].mesh for group in self._groups()]

    @property
    def names(self) -> list[str]:
        return [mesh.name for mesh in self.meshes]

    @property
    def bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """(low, high) in world space; None for an empty scene."""
        if self._path is not None:
            return self._frame.bounds
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for one in self.instances:
            p = one.mesh.positions[np.isfinite(one.mesh.positions).all(axis=1)]
            if len(p) == 0:
                continue
            a, b = p.min(axis=0), p.max(axis=0)
            corners = np.array([[x, y, z, 1] for x in (a[0], b[0]) for y in (a[1], b[1]) for z in (a[2], b[2])])
            world = corners @ one.pose[:3].T
            low, high = np.minimum(low, world.min(axis=0)), np.maximum(high, world.max(axis=0))
        return (tuple(map(float, low)), tuple(map(float, high))) if (low <= high).all() else None

    def _groups(self) -> list[list[Instance]]:
        groups: dict[int, list[Instance]] = {}
        for one in self.instances:
            groups.setdefault(id(one.mesh), []).append(one)
        return list(groups.values())


class Table(dict):
    """Columns of one length, by name: lists or NumPy arrays. Only to_pandas needs pandas."""

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(dict(self))

    def rows(self) -> Iterator[dict]:
        for values in zip(*self.values()):
            yield dict(zip(self, values))

    def __repr__(self) -> str:
        count = len(next(iter(self.values()), []))
        return f"Table({count} rows: {', '.join(self)})"


class Capture:
    """A captured frame of a program, whose draws are replayed."""

    def __init__(self, path: str, frame: Any):
        self.path, self._frame = path, frame
        self._prepared: Any = None

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the target that the frame shows."""
        width, height, _ = self._frame.size(self._frame.main_target)
        return width, height

    @property
    def draws(self) -> Table:
        """A row for each draw: command, label, triangles, instances, elements, target, program (-1: none), blend, and
        whether depth is tested and written."""
        names = ("command", "label", "triangles", "instances", "elements", "target", "program", "blend", "depth_test",
                 "depth_write")
        rows = self._frame.draws
        columns = list(zip(*rows)) if rows else [()] * len(names)
        return Table({name: list(c) if name == "label" else np.array(c) for name, c in zip(names, columns)})

    def _ready(self, renderer: Any) -> tuple[Any, Any]:
        from .render import default_renderer

        renderer = renderer or default_renderer()
        if self._prepared is None or self._prepared[0] is not renderer:
            made = _brokkr.prepare(renderer._native, self._frame, renderer.memory_limit or 0, None, None, [], [])
            self._prepared = (renderer, made)
        return renderer, self._prepared[1]

    def render(self, *, up_to: int | None = None, shading: str = "program", renderer: Any = None) -> Picture:
        """The frame, or its state before the command `up_to` (a number of `draws["command"]`)."""
        from .render import Picture, Statistics, shadings

        _check.choice(shading, "shading", shadings())
        limit = -1 if up_to is None else _check.integer(up_to, "up_to", 0, self._frame.commands)
        renderer, prepared = self._ready(renderer)
        width, height = self.size
        color = np.empty((height, width, 4), np.uint8)
        stats, _ = _brokkr.render(renderer._native, prepared, [("color", color)], self._frame.main_target, shading, limit,
                                  True, 1) if self._frame.size(self._frame.main_target)[2] == 1 else self._layers(
                                      renderer, prepared, color, shading, limit)
        return Picture(color, None, Statistics(stats))

    def _layers(self, renderer: Any, prepared: Any, color: np.ndarray, shading: str, limit: int) -> Any:
        layers = self._frame.size(self._frame.main_target)[2]
        all_layers = np.empty((layers, *color.shape), np.uint8)
        stats = _brokkr.render(renderer._native, prepared, [("color", all_layers)], self._frame.main_target, shading,
                               limit, True, 1)
        color[:] = all_layers[0]
        return stats

    def reference(self) -> Picture | None:
        """The picture of the program's own driver; None if the capture lacks it."""
        from .render import Picture

        data = self._frame.reference
        if data is None:
            return None
        pixels: Any = _brokkr.read_image(data, f"{self.path}: reference")
        return Picture(pixels, None, None)

    def pixel(self, x: int, y: int, *, shading: str = "program", renderer: Any = None) -> dict:
        """The history of a pixel in order; (0, 0) is at the bottom left, as on the command line."""
        import json

        from .render import shadings

        width, height = self.size
        x, y = _check.integer(x, "x", 0, width - 1), _check.integer(y, "y", 0, height - 1)
        _check.choice(shading, "shading", shadings())
        renderer, prepared = self._ready(renderer)
        return json.loads(_brokkr.pixel(renderer._native, prepared, self._frame.main_target, x, y, shading))

    def __repr__(self) -> str:
        return f"Capture({self.path!r}, {len(self._frame.draws)} draws)"


def _text_of_path(path: Any, name: str) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        raise TypeError(f"{name}: {_check.described(path)} came; wanted a path") from None
    if not isinstance(text, str):
        raise TypeError(f"{name}: {_check.described(path)} came; wanted a path of str")
    if "\0" in text:
        raise ValueError(f"{name}: {_check.described(path)} holds a null character; wanted a path")
    return text


def _path_of(path: Any, name: str) -> str:
    text = _text_of_path(path, name)
    if not text.startswith("generated:") and not pathlib.Path(text).exists():
        raise FileNotFoundError(2, "No such file", text)
    return text


def load(path: str | os.PathLike | bytes, *, name: str = "scene.glb", memory_limit: int | None = None,
         progress: Callable[[float], Any] | None = None, warnings: str = "warn") -> Scene | Capture:
    """A scene (.obj, .gltf, .glb, .ply, .stl, "generated:NAME") or a capture (.bkf).

    path: or the file's bytes, whose kind is the ending of `name`. memory_limit: MiB. progress: called with 0..1 on this
    thread; what it raises ends the loading. warnings: "warn" (warnings.warn), "ignore" or "error".
    """
    limit = 0 if memory_limit is None else _check.integer(memory_limit, "memory_limit", 1, 1 << 24)
    _check.choice(warnings, "warnings", ("warn", "ignore", "error"))
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: {_check.described(progress)} came; wanted a function of one float, or None")
    lines: list[str] = []
    if isinstance(path, (bytes, bytearray, memoryview)):
        content = bytes(path)
        data: bytes | None = content
        text = name
        if not isinstance(name, str) or "\0" in name:
            raise TypeError(f"name: {_check.described(name)} came; wanted a str such as 'scene.glb'")
        frame = _brokkr.load_bytes(content, name, 0, 0, "", 0, limit, progress, lines.append)
    else:
        data, text = None, _path_of(path, "path")
        frame = _brokkr.load_path(text, 0, 0, "", 0, limit, progress, lines.append)
    for line in lines:
        if warnings == "error":
            from .errors import FileError

            raise FileError(line)
        if warnings == "warn":
            _warnings.warn(line, stacklevel=2)
    if text.endswith(".bkf") or frame.is_capture:
        return Capture(text, frame)
    return Scene._of_file(text, data, frame, limit)
