"""Brokkr: pictures, batches and gradients of triangle meshes, without OpenGL.

    import brokkr_render as brokkr
    brokkr.render("scene.glb")            # a notebook shows it

Pictures have rows from the top; matrices are row by row and multiply columns; lengths are the scene's, angles degrees.
"""
from . import _brokkr
from .camera import Camera
from .errors import Error, FileError, MachineError, MemoryLimitError, ShaderError
from .render import OUTPUTS, Picture, Prepared, Renderer, Result, Shader, Statistics, default_renderer, render, shadings
from .scene import Capture, Instance, Material, Mesh, Scene, Table, load

__version__: str = _brokkr.library_version()
__all__ = ["OUTPUTS", "Camera", "Capture", "Error", "FileError", "Instance", "MachineError", "Material",
           "MemoryLimitError", "Mesh", "Picture", "Prepared", "Renderer", "Result", "Scene", "Shader", "ShaderError",
           "Statistics", "Table", "default_renderer", "load", "machines", "render", "shadings"]


def machines() -> list[dict]:
    """The machines of this computer, best first: name, isa, lanes (width), workers, available, note."""
    return _brokkr.machines()
