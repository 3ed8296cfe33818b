"""Renderers, batches, pictures and shaders."""
from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import re
import struct
import zlib
from typing import Any, Callable, Literal, Mapping, Sequence

import numpy as np

from . import _brokkr, _check
from .camera import Camera
from .scene import _TEXTURES, Capture, Mesh, Scene, Table, _text_of_path, load

Output = Literal["color", "linear", "depth", "window_depth", "stencil", "triangle", "mesh", "instance", "barycentric",
                 "normal", "position", "uv", "overdraw"]

#: name of an output: dtype, and the shape of one pixel
OUTPUTS: dict[str, tuple[type, tuple[int, ...]]] = {
    "color": (np.uint8, (4,)), "linear": (np.float32, (4,)), "depth": (np.float32, ()), "window_depth": (np.float32, ()),
    "stencil": (np.uint8, ()), "triangle": (np.int32, ()), "mesh": (np.int32, ()), "instance": (np.int32, ()),
    "barycentric": (np.float32, (2,)), "normal": (np.float32, (3,)), "position": (np.float32, (3,)),
    "uv": (np.float32, (2,)), "overdraw": (np.int32, ())}


@functools.lru_cache(maxsize=None)
def _choices() -> dict[str, list[str]]:
    return _brokkr.choices()


def shadings() -> list[str]:
    """Names of the shading modes."""
    return list(_choices()["shading"])


@functools.lru_cache(maxsize=None)
def _linear_table() -> np.ndarray:
    c = np.arange(256) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


class Statistics:
    """Counts and times of one launch; times end in _ms."""

    def __init__(self, native: Any):
        self._native = native

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return getattr(self._native, name)
        except AttributeError:
            pass
        values = self.to_dict()
        if name in values:
            return values[name]
        raise AttributeError(f"statistics have no {name!r}; to_dict() lists them")

    def to_dict(self) -> dict:
        return json.loads(self._native.to_json())

    def to_pandas(self) -> Any:
        """One row of the numbers and texts."""
        plain = {k: [v] for k, v in self.to_dict().items() if isinstance(v, (int, float, str))}
        return Table(plain).to_pandas()

    def __repr__(self) -> str:
        n = self._native
        return f"Statistics({n.machine} {n.isa}, {n.triangles_in} triangles, {n.frame_ms:.3f} ms)"


def _png(rows: np.ndarray) -> bytes:
    height, width = rows.shape[:2]
    lines = np.zeros((height, 1 + width * 4), np.uint8)
    lines[:, 1:] = np.ascontiguousarray(rows).reshape(height, -1)

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) +
            part(b"IDAT", zlib.compress(lines.tobytes(), 1)) + part(b"IEND", b""))


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """One picture. color: uint8 [H, W, 4], rows from the top; depth: float32 [H, W], the distance along the viewing axis,
    inf in empty pixels, or None."""

    color: np.ndarray
    depth: np.ndarray | None
    statistics: Statistics | None

    @property
    def size(self) -> tuple[int, int]:
        return self.color.shape[1], self.color.shape[0]

    def save(self, path: str | os.PathLike) -> None:
        """Writes a .png, without alpha, as a window shows the picture."""
        text = _text_of_path(path, "path")
        if not text.lower().endswith(".png"):
            raise ValueError(f"path: {text!r} came; wanted a name that ends in .png")
        try:
            _brokkr.write_png(text, np.ascontiguousarray(self.color), True)
        except RuntimeError as error:
            raise OSError(f"path: {error}") from None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.color if dtype is None else self.color.astype(dtype)
        return array.copy() if copy and array is self.color else array

    @property
    def __array_interface__(self) -> dict:
        return self.color.__array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        return self.color.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.color.__dlpack_device__()

    def _repr_png_(self) -> bytes:
        opaque = self.color.copy()
        opaque[..., 3] = 255 if self.depth is None else np.where(np.isinf(self.depth), opaque[..., 3], 255)
        return _png(opaque)

    def __repr__(self) -> str:
        return f"Picture({self.size[0]} x {self.size[1]})"


class Result(dict):
    """Arrays by output. `statistics`: of the launch; `aborted`: it was ended early and the arrays are partial."""

    statistics: Statistics
    aborted: bool = False

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"result has no {name!r}; it has {', '.join(self)}") from None


class Shader:
    """A GLSL fragment shader (1.10 to 4.60) or a Shadertoy shader. uniforms: numbers by name, matrices column by column;
    textures: uint8 [H, W, 3 or 4] by the names of sampler2Ds; time: seconds (b_time, iTime)."""

    def __init__(self, text: str, *, uniforms: Mapping[str, Any] | None = None, textures: Mapping[str, Any] | None = None,
                 time: float = 0.0, name: str = "shader"):
        if not isinstance(text, str):
            raise TypeError(f"text: {_check.described(text)} came; wanted GLSL as a str")
        if not text.strip() or re.fullmatch(r"[^\s{};]+\.\w+", text):
            raise ValueError(f"text: {_check.described(text)} came; wanted GLSL, of a file pathlib.Path(name).read_text()")
        if not isinstance(name, str):
            raise TypeError(f"name: {_check.described(name)} came; wanted a str")
        self.text, self.name = text, name
        self.values = _uniforms({} if uniforms is None else uniforms)
        self.time = _check.real(time, "time", -1e9, 1e9)
        if textures is not None and not isinstance(textures, Mapping):
            raise TypeError(f"textures: {_check.described(textures)} came; wanted a dict of names and arrays")
        self.textures = {str(k): _check.texels(v, f"textures[{k!r}]") for k, v in (textures or {}).items()}
        self._native = _brokkr.shader(text, name, self.values, self.textures, self.time)

    @property
    def uniforms(self) -> dict[str, tuple[str, list[float]]]:
        """The shader's own uniforms, by name: type ("float", "int", "uint") and values. Raises ShaderError."""
        frame = _brokkr.load_path(_smallest_scene(), 8, 8, "", 0, 0, None, None)
        return {name: (kind, values) for name, kind, values in _brokkr.shader_uniforms(frame, self._native)}


@functools.lru_cache(maxsize=None)
def _smallest_scene() -> str:
    names = [name for name, _ in _brokkr.sources() if name.startswith("generated:")]
    return "generated:sphere-100k?triangles=20" if "generated:sphere-100k" in names else names[0]


def _uniforms(values: Mapping[str, Any]) -> dict[str, list[float]]:
    if not isinstance(values, Mapping):
        raise TypeError(f"uniforms: {_check.described(values)} came; wanted a dict of names and numbers")
    made = {}
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"uniforms: the name {_check.described(name)} came; wanted a str")
        array = _check.as_numpy(value, f"uniforms[{name!r}]")
        if array.dtype.kind not in "fiub":
            raise TypeError(f"uniforms[{name!r}]: {_check.described(value)} came; wanted numbers")
        made[name] = [float(v) for v in array.ravel()]
    return made


#: short names of the instruction sets that `machines` lists
_ISAS = {"x86-64-v2": "v2", "x86-64-v3": "v3", "x86-64-v4": "v4", "AArch64 NEON": "neon"}


def isas() -> list[str]:
    """The instruction sets that this library has and this processor runs, best first."""
    return [_ISAS.get(m["isa"], m["isa"]) for m in _brokkr.machines() if m["name"] == "CPU" and m["available"]]


class Renderer:
    """Draws one call at a time. Several renderers can run in parallel, also in forked processes. machine: "auto" takes a GPU
    where there is one; workers: threads (None: as many as this process may use); memory_limit: MiB."""

    def __init__(self, machine: Literal["auto", "cpu", "cuda", "emulated"] = "auto", *, workers: int | None = None,
                 isa: str | None = None, memory_limit: int | None = None,
                 shaders: Literal["auto", "interpreted", "compiled"] = "auto"):
        _check.choice(machine, "machine", ("auto", "cpu", "cuda", "emulated"))
        _check.choice(shaders, "shaders", _choices()["shaders"])
        count = 0 if workers is None else _check.integer(workers, "workers", 1, 4096)
        self.memory_limit = None if memory_limit is None else _check.integer(memory_limit, "memory_limit", 1, 1 << 24)
        if isa is not None and not isinstance(isa, str):
            raise TypeError(f"isa: {_check.described(isa)} came; wanted a str such as 'v3', or None")
        if isa:
            isa = _ISAS.get(isa, isa)
            _check.choice(isa, "isa", isas())
        self._native = _brokkr.Renderer(machine, count, isa or "", self.memory_limit or 0, shaders)

    def prepare(self, scene: Scene | Mesh | str | os.PathLike, *, size: tuple[int, int], views: int = 1,
                outputs: Sequence[str] = ("color",), shader: Shader | str | None = None, shading: str = "program",
                background: Any = None, groups: Any = None, poses: Any = None, samples: int = 1,
                progress: Callable[[float], Any] | None = None) -> Prepared:
        """Prepares a batch of `views` pictures. It can be drawn any number of times, each time by one call. A CPU draws and
        reads back many small views a few at a time, so that they stay in the caches.

        groups: int [N], the number of the only mesh that each view sees. poses: float [N, instances, 4, 4], each view's
        own world (otherwise all views see one). background: sRGB-encoded, 0..1; None: transparent black, or a file's own.
        samples: coverage samples of a pixel, 1, 2, 4 or 8, of which pictures show the average; only for "color", "linear"
        and depths.
        """
        return Prepared(self, scene, _check.size(size), _check.integer(views, "views", 1, 65536), outputs, shader, shading,
                        background, groups, poses, samples, progress)

    def render(self, scene: Scene | Mesh | str | os.PathLike, *, size: tuple[int, int], camera: Camera | None = None,
               outputs: Sequence[str] = ("color",), shader: Shader | str | None = None, shading: str = "program",
               background: Any = None, groups: Any = None, poses: Any = None, samples: int = 1,
               out: Mapping[str, Any] | None = None) -> Result:
        """Prepares and draws once: arrays [N, H, W, ...] for a camera of N, [H, W, ...] for one."""
        if camera is not None and not isinstance(camera, Camera):
            raise TypeError(f"camera: {_check.described(camera)} came; wanted a Camera or None")
        views = len(camera) if camera is not None else 1
        prepared = self.prepare(scene, size=size, views=views, outputs=outputs, shader=shader, shading=shading,
                                background=background, groups=groups, poses=poses, samples=samples)
        if camera is not None:
            prepared.set_cameras(camera)
        single = camera is None or camera.single
        if single and out is not None:
            out = {k: _check.as_numpy(v, f"out[{k!r}]")[None] for k, v in _mapping(out).items()}
        result = prepared.render(out=out)
        if single:
            for name in result:
                result[name] = result[name][0]
        return result

    def request_abort(self) -> None:
        """From any thread: ends the launch that is running."""
        self._native.request_abort()


def _mapping(out: Any) -> Mapping[str, Any]:
    if not isinstance(out, Mapping):
        raise TypeError(f"out: {_check.described(out)} came; wanted a dict of arrays by output")
    return out


def _scene_of(scene: Any) -> Scene:
    if isinstance(scene, Scene):
        scene._require_valid()
        return scene
    if isinstance(scene, Mesh):
        scene._require_valid("mesh")
        return Scene([scene])
    if isinstance(scene, (str, os.PathLike)):
        loaded = load(scene)
        if isinstance(loaded, Capture):
            raise TypeError(f"scene: {loaded.path} is a capture, with views of its own; use load(path).render()")
        return loaded
    raise TypeError(f"scene: {_check.described(scene)} came; wanted a Scene, a Mesh or a path")


class Prepared:
    """A batch that is drawn many times: cameras, poses, positions and uniforms change without a new preparation."""

    def __init__(self, renderer: Renderer, scene: Any, size: tuple[int, int], views: int, outputs: Sequence[str],
                 shader: Shader | str | None, shading: str, background: Any, groups: Any, poses: Any, samples: int,
                 progress: Any):
        self.renderer, self.scene, self.size, self.views = renderer, _scene_of(scene), size, views
        if isinstance(outputs, str):
            outputs = (outputs,)
        try:
            names = list(outputs)
        except TypeError:
            raise TypeError(f"outputs: {_check.described(outputs)} came; wanted a list of names such as 'color'") from None
        self.outputs = tuple(_check.choice(o, "outputs", tuple(OUTPUTS)) for o in names)
        self.shading = _check.choice(shading, "shading", shadings())
        if "overdraw" in self.outputs:
            self.shading = "overdraw"
        if _check.integer(samples, "samples", 1, 8) not in (1, 2, 4, 8):
            raise ValueError(f"samples: {samples} came; wanted 1, 2, 4 or 8")
        self.samples = int(samples)
        exact = [o for o in self.outputs if o not in ("color", "linear", "depth", "window_depth")]
        if self.samples > 1 and exact:
            raise ValueError(f"samples: {samples} came, which have no average of {exact[0]}; wanted 1")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: {_check.described(progress)} came; wanted a function of one float, or None")
        if isinstance(shader, str):
            shader = Shader(shader)
        if shader is not None and not isinstance(shader, Shader):
            raise TypeError(f"shader: {_check.described(shader)} came; wanted a Shader, GLSL as a str, or None")
        if size[0] * size[1] * views > 1 << 31:
            raise ValueError(f"views: {views} of {size[0]} x {size[1]} came; wanted at most 2^31 pixels in all")
        self._shader = shader
        self._bounds = self.scene.bounds
        self._first_vertex: dict[int, tuple[int, int]] = {}
        if self.scene._path is not None:
            if groups is not None or poses is not None or background is not None:
                raise ValueError("scene: a file has its own views, poses and background; make a Scene of its meshes")
            frame, commands, instances = self._of_file(views)
        else:
            frame, commands, instances = self._of_arrays(views, background, groups, poses)
        self._native = _brokkr.prepare(renderer._native, frame, renderer.memory_limit or 0,
                                       None if shader is None else shader._native, progress, commands, instances)
        if self.scene._path is None and self._bounds is not None:
            self._fit()

    def _of_file(self, views: int) -> tuple[Any, list[int], list[int]]:
        s, (width, height) = self.scene, self.size
        assert s._path is not None
        arguments = (width, height, "", views, s._memory_limit, None, None)
        frame = (_brokkr.load_path(s._path, *arguments) if s._bytes is None else
                 _brokkr.load_bytes(s._bytes, s._path, *arguments))
        numbers = [-1] * frame.commands
        for i, row in enumerate(frame.draws):
            numbers[row[0]] = i
        return frame, numbers, []

    def _of_arrays(self, views: int, background: Any, groups: Any, poses: Any) -> tuple[Any, list[int], list[int]]:
        scene, (width, height) = self.scene, self.size
        grouped = scene._groups()
        count = len(scene.instances)
        parts: dict[str, list[np.ndarray]] = {"positions": [], "normals": [], "uv": [], "colors": [], "indices": []}
        has = {name: any(getattr(g[0].mesh, name) is not None for g in grouped) for name in ("uv", "colors")}
        materials: list[dict] = []
        textures: list[tuple[str, bool, np.ndarray]] = []
        self._texture_numbers: dict[tuple[int, str], int] = {}
        instance_order: list[int] = []
        draws: list[list[int]] = []
        vertex = element = 0
        for number, group in enumerate(grouped):
            mesh = group[0].mesh
            v, t = len(mesh.positions), mesh.triangles.size
            self._first_vertex[id(mesh)] = (vertex, v)
            parts["positions"].append(mesh.positions)
            parts["normals"].append(mesh.normals if mesh.normals is not None else mesh.smooth_normals())
            if has["uv"]:
                parts["uv"].append(mesh.uv if mesh.uv is not None else np.zeros((v, 2), np.float32))
            if has["colors"]:
                parts["colors"].append(mesh.colors if mesh.colors is not None else np.ones((v, 4), np.float32))
            parts["indices"].append(mesh.triangles.ravel())
            m = mesh.material
            record = {"base_color": m.base_color, "metallic": m.metallic, "roughness": m.roughness, "emission": m.emission,
                      "alpha_cutoff": m.alpha_cutoff, "unlit": m.unlit}
            for name, array in m.textures.items():
                record[name] = len(textures)
                self._texture_numbers[number, name] = len(textures)
                textures.append((f"{mesh.name}.{name}", _TEXTURES[name], array))
            materials.append(record)
            draws.append([0, views, element, t, vertex, v, number, len(instance_order), len(group)])
            instance_order += [next(i for i, o in enumerate(scene.instances) if o is one) for one in group]
            vertex, element = vertex + v, element + t
        self._order = np.array(instance_order)
        base = np.stack([scene.instances[i].pose for i in instance_order])
        self._own_worlds = poses is not None
        meshes = list(range(len(draws)))
        if poses is not None:
            p = _check.floats(poses, "poses", (views, count, 4, 4), finite=True)
            models = p[:, self._order].reshape(-1, 4, 4)
            mine = [[view, 1, *d[2:7], view * count + d[7], d[8]] for view in range(views) for d in draws]
            meshes = meshes * views
            instances = instance_order * views
        else:
            models, mine, instances = base, draws, instance_order
        if groups is not None:
            if poses is not None:
                raise ValueError("groups: poses came as well; give one of the two")
            g = _check.indices(groups, "groups", (views,), len(draws), "meshes").tolist()
            mine, meshes, begin = [], [], 0
            for end in range(1, views + 1):
                if end == views or g[end] != g[begin]:
                    mine.append([begin, end - begin, *draws[g[begin]][2:]])
                    meshes.append(g[begin])
                    begin = end
        self._models = np.ascontiguousarray(models, np.float32)
        join: dict[str, Any] = {k: np.ascontiguousarray(np.concatenate(v)) if v else None for k, v in parts.items()}
        clear = [0.0, 0.0, 0.0, 0.0] if background is None else _check.color(background, "background")
        clear[:3] = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.clip(clear[:3], 0, 1)]
        frame = _brokkr.build(join["positions"], join["indices"], join["normals"], join["uv"], join["colors"],
                              np.array(mine, np.int64).reshape(-1, 9), self._models, materials, textures, width, height,
                              views, clear, [float(x) for x in scene.light])
        return frame, [-1, *meshes], instances

    def _fit(self) -> None:
        low, high = self._bounds  # type: ignore[misc]
        eye, target, fov = _brokkr.fit_camera(list(low), list(high), self.size[0] / self.size[1])
        if eye != target:
            self.set_cameras(Camera(eye, target, fov=fov))

    def set_cameras(self, cameras: Camera | Any) -> None:
        """A Camera of N (or of one, for all views), or world-to-clip matrices float [N, 4, 4]."""
        if isinstance(cameras, Camera):
            matrices, eyes = cameras.matrices(self.size, self._bounds), cameras.eye
        elif cameras is None or isinstance(cameras, str):
            raise TypeError(f"cameras: {_check.described(cameras)} came; wanted a Camera or float32 [{self.views}, 4, 4]")
        else:
            matrices = _check.floats(cameras, "cameras", (self.views, 4, 4), (1, 4, 4), (4, 4), finite=True).reshape(-1, 4, 4)
            eyes = _eyes(matrices)
        if len(matrices) not in (1, self.views):
            raise ValueError(f"cameras: {len(matrices)} came; wanted {self.views}, as many as views")
        if len(matrices) != self.views:
            matrices, eyes = np.repeat(matrices, self.views, axis=0), np.repeat(eyes, self.views, axis=0)
        self._native.set_views(np.ascontiguousarray(matrices, np.float32), np.ascontiguousarray(eyes, np.float32))

    def set_poses(self, poses: Any) -> None:
        """float [instances, 4, 4]; or [N, instances, 4, 4] where `prepare` had poses."""
        self._needs_arrays("poses")
        count = len(self.scene.instances)
        if self._own_worlds:
            p = _check.floats(poses, "poses", (self.views, count, 4, 4), finite=True)[:, self._order]
        else:
            p = _check.floats(poses, "poses", (count, 4, 4), finite=True)[self._order]
        self._native.set_models(np.ascontiguousarray(p.reshape(-1, 4, 4)))

    def set_positions(self, mesh: Mesh | int, positions: Any, *, normals: Any = None) -> None:
        """float [V, 3]: the mesh's vertices (a Mesh of the scene, or its number); their number stays."""
        first, count = self._vertices(mesh)
        p = _check.floats(positions, "positions", (count, 3))
        n = None if normals is None else _check.floats(normals, "normals", (count, 3))
        self._native.set_positions(first, p)
        if n is not None:
            self._native.set_normals(first, n)

    def set_texture(self, mesh: Mesh | int, texels: Any, *, name: str = "base_color_texture") -> None:
        """uint8 [H, W, 3 or 4]: new texels of a texture that the mesh's material has, of the same size."""
        self._vertices(mesh)
        number = mesh if isinstance(mesh, int) else list(self._first_vertex).index(id(mesh))
        _check.choice(name, "name", tuple(_TEXTURES))
        if (number, name) not in self._texture_numbers:
            raise ValueError(f"name: the mesh had no {name} when this was prepared; prepare it with one")
        array = _check.texels(texels, "texels")
        self._native.set_texture(self._texture_numbers[number, name], array)

    def set_uniforms(self, *, time: float | None = None, **uniforms: Any) -> None:
        """New values of the shader's uniforms by name, and its time in seconds."""
        when = None if time is None else _check.real(time, "time", -1e9, 1e9)
        self._native.set_uniforms(_uniforms(uniforms), when)

    def _needs_arrays(self, name: str) -> None:
        if self.scene._path is not None:
            raise ValueError(f"{name}: the scene is a file; make a Scene of its meshes first")

    def _vertices(self, mesh: Any) -> tuple[int, int]:
        self._needs_arrays("mesh")
        if isinstance(mesh, Mesh):
            if id(mesh) in self._first_vertex:
                return self._first_vertex[id(mesh)]
            raise ValueError("mesh: is not of this scene; wanted one of scene.meshes")
        return list(self._first_vertex.values())[_check.integer(mesh, "mesh", 0, len(self._first_vertex) - 1)]

    def render(self, out: Mapping[str, Any] | None = None) -> Result:
        """Draws all views. Returns arrays [N, H, W, ...] by output, rows from the top. out: arrays of exactly
        these shapes and types, contiguous and writable, which are filled and returned."""
        width, height = self.size
        result = Result()
        wanted: list[tuple[str, np.ndarray]] = []
        given = {} if out is None else _mapping(out)
        for name in given:
            _check.choice(name, "out", self.outputs)
        color = None
        for name in self.outputs:
            dtype, pixel = OUTPUTS[name]
            shape = (self.views, height, width, *pixel)
            if name in given:
                array = _check.as_numpy(given[name], f"out[{name!r}]")
                f = array.flags
                if array.shape != shape or array.dtype != dtype or not (f.c_contiguous and f.writeable and f.aligned):
                    state = "" if f.writeable else ", read-only"
                    state += "" if f.c_contiguous else ", not contiguous"
                    state += "" if f.aligned else ", not aligned"
                    raise ValueError(f"out[{name!r}]: {_check.described(array)}{state} came; wanted a contiguous, writable "
                                     f"{np.dtype(dtype)}{list(shape)}")
                for other in result:
                    if other in given and np.may_share_memory(array, result[other]):
                        raise ValueError(f"out[{name!r}]: shares memory with out[{other!r}]; wanted an array of its own")
            else:
                array = np.empty(shape, dtype)
            result[name] = array
            if name != "linear":
                wanted.append((name, array))
        if "linear" in result:
            color = result.get("color")
            if color is None:
                color = np.empty((self.views, height, width, 4), np.uint8)
                wanted.append(("color", color))
        statistics, aborted = _brokkr.render(self.renderer._native, self._native, wanted, 0, self.shading, -1, True,
                                             self.samples)
        if color is not None:
            linear = result["linear"]
            linear[..., :3] = _linear_table()[color[..., :3]]
            np.multiply(color[..., 3], np.float32(1 / 255), out=linear[..., 3])
        result.statistics, result.aborted = Statistics(statistics), aborted
        return result


def _eyes(matrices: np.ndarray) -> np.ndarray:
    """Points at which the rows x, y and w of world-to-clip matrices vanish: the eyes of perspective cameras, otherwise 0."""
    m = matrices.astype(np.float64)[:, [0, 1, 3]]
    eyes = np.zeros((len(m), 3), np.float32)
    good = np.abs(np.linalg.det(m[..., :3])) > 1e-12
    if good.any():
        eyes[good] = np.linalg.solve(m[good][..., :3], -m[good][..., 3:])[..., 0]
    return eyes


@functools.lru_cache(maxsize=None)
def default_renderer() -> Renderer:
    """The renderer for functions that are called without one."""
    return Renderer()


# Shadings that the command line draws with four samples (picture_samples).
_SURFACES = ("program", "material", "metallic-roughness", "wireframe")


def render(scene: str | os.PathLike | Scene | Mesh, *, size: tuple[int, int] = (640, 480), camera: Camera | None = None,
           shader: Shader | str | None = None, shading: str = "program", background: Any = None,
           samples: int | None = None, progress: Callable[[float], Any] | None = None) -> Picture:
    """One picture of a file, a scene or a mesh; a notebook shows it. camera None: the file's own, or one that sees all.
    samples: coverage samples of a pixel; None: as the command line, 4 where surfaces are shown and 1 for false colours."""
    if camera is not None:
        if not isinstance(camera, Camera):
            raise TypeError(f"camera: {_check.described(camera)} came; wanted a Camera or None")
        if len(camera) != 1:
            raise ValueError(f"camera: {len(camera)} cameras came; wanted one. Renderer.render draws many")
    if isinstance(scene, (str, os.PathLike)):
        loaded = load(scene, progress=progress)
        if isinstance(loaded, Capture):
            if camera is not None or shader is not None or samples is not None:
                raise ValueError("camera, shader, samples: a capture has its own; leave them out")
            return loaded.render(shading=shading)
        scene = loaded
    prepared = default_renderer().prepare(scene, size=size, outputs=("color", "depth"), shader=shader, shading=shading,
                                          background=background, progress=progress,
                                          samples=(4 if shading in _SURFACES else 1) if samples is None else samples)
    if camera is not None:
        prepared.set_cameras(camera)
    result = prepared.render()
    return Picture(result["color"][0], result["depth"][0], result.statistics)
