"""Exceptions. Wrong arguments are ValueError or TypeError, missing files are FileNotFoundError."""


class Error(RuntimeError):
    """What the library refuses. `field` names the part of the input and `remedy` what to do; both may be empty."""

    field: str = ""
    remedy: str = ""


class FileError(Error):
    """A file or a scene that cannot be used."""


class ShaderError(Error):
    """A shader with mistakes. `name` is the shader's, `line` counts from 1 (0: unknown)."""

    name: str = ""
    line: int = 0

    @property
    def message(self) -> str:
        return str(self)


class MemoryLimitError(Error, MemoryError):
    """More memory than `memory_limit` (MiB) allows."""


class MachineError(Error):
    """A machine that is missing, or cannot run this."""
