"""Brokkr: pictures, batches and gradients of triangle meshes, without OpenGL."""
from . import _brokkr

__version__: str = _brokkr.library_version()


def machines() -> list[dict]:
    """The machines of this computer, best first: name, isa, lanes (width), workers, available, note."""
    return _brokkr.machines()
