"""Exceptions. Wrong arguments are ValueError or TypeError, missing files are FileNotFoundError."""


class Error(RuntimeError):
    """An input that the library refuses. `field` names its part and `remedy` the correction; both may be empty."""

    field: str = ""
    remedy: str = ""


class FileError(Error):
    """A file or a scene that cannot be used."""


class ShaderError(Error):
    """A shader with errors. `name` is the shader's name, `line` counts from 1 (0: unknown)."""

    name: str = ""
    line: int = 0

    @property
    def message(self) -> str:
        return str(self)


class MemoryLimitError(Error, MemoryError):
    """More memory than `memory_limit` (MiB) allows."""


class MachineError(Error):
    """A machine that is missing, or cannot run this."""
