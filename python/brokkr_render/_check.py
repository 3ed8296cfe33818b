"""Checks of arguments: every message names the argument, the given value and the expected one."""
from __future__ import annotations

import numbers
import operator
from typing import Any, Sequence

import numpy as np


def described(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{dtype}[{', '.join(map(str, shape))}]"
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:50]}…"


def as_numpy(value: Any, name: str) -> np.ndarray:
    """Any array: NumPy, DLPack (torch, jax), the buffer protocol, or nested lists of numbers."""
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
            if hasattr(value, "detach"):
                # A tensor's memory, writable: before NumPy 2.1, arrays from DLPack are read-only.
                return value.detach().cpu().numpy()
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, BufferError, RuntimeError, AttributeError, OverflowError) as error:
        raise TypeError(f"{name}: {described(value)} is no array of numbers ({error}); give a NumPy array") from None


def _wanted(shape: Sequence[int | None | str]) -> str:
    return "[" + ", ".join("N" if one is None else str(one) for one in shape) + "]"


def floats(value: Any, name: str, *shapes: tuple, finite: bool = False) -> np.ndarray:
    """A contiguous float32 array of one of the shapes; None in a shape is any length."""
    array = as_numpy(value, name)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise TypeError(f"{name}: {described(value)} is not of real numbers; give float32")
    _shape(array, name, shapes, "float32")
    with np.errstate(over="ignore"):
        array = np.asarray(array, np.float32, order="C")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name}: holds values that are not finite float32; replace them")
    return array


def _shape(array: np.ndarray, name: str, shapes: Sequence[tuple], dtype: str) -> None:
    for shape in shapes:
        if len(shape) == array.ndim and all(one is None or one == is_ for one, is_ in zip(shape, array.shape)):
            return
    raise ValueError(f"{name}: {described(array)} came; wanted {dtype} {' or '.join(_wanted(s) for s in shapes)}")


def indices(value: Any, name: str, shape: tuple, end: int, of: str) -> np.ndarray:
    """A contiguous uint32 array of numbers in 0..end - 1."""
    array = as_numpy(value, name)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: {described(value)} is not of integers; give int32")
    _shape(array, name, (shape,), "integers")
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high >= end:
            raise ValueError(f"{name}: holds {low if low < 0 else high}; wanted 0..{end - 1}, the {end} {of}")
    return np.ascontiguousarray(array, np.uint32)


def texels(value: Any, name: str) -> np.ndarray:
    """uint8 [H, W, 4] from uint8 [H, W, 3 or 4]."""
    array = as_numpy(value, name)
    if array.dtype != np.uint8:
        raise TypeError(f"{name}: {described(value)} came; wanted uint8 [H, W, 3] or [H, W, 4]")
    _shape(array, name, ((None, None, 3), (None, None, 4)), "uint8")
    height, width = array.shape[:2]
    if not (0 < height <= 16384 and 0 < width <= 16384):
        raise ValueError(f"{name}: {described(array)} came; wanted 1 to 16384 pixels a side")
    if array.shape[2] == 3:
        array = np.concatenate([array, np.full((height, width, 1), 255, np.uint8)], axis=2)
    return np.ascontiguousarray(array)


def integer(value: Any, name: str, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {described(value)} is no integer; give {low}..{high}") from None
    if not low <= number <= high:
        raise ValueError(f"{name}: {number} came; wanted {low}..{high}")
    return number


def real(value: Any, name: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, np.number)):
        raise TypeError(f"{name}: {described(value)} is no number; give {low}..{high}")
    number = float(value)
    if not low <= number <= high:
        raise ValueError(f"{name}: {number} came; wanted {low}..{high}")
    return number


def choice(value: Any, name: str, all_: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in all_:
        raise ValueError(f"{name}: {described(value)} came; wanted one of {', '.join(all_)}")
    return value


def size(value: Any, name: str = "size") -> tuple[int, int]:
    try:
        width, height = value
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {described(value)} came; wanted (width, height)") from None
    return integer(width, f"{name}[0] (width)", 1, 16384), integer(height, f"{name}[1] (height)", 1, 16384)


def color(value: Any, name: str, most: float = 1.0) -> list[float]:
    """Three or four numbers, each 0..most."""
    array = floats(value, name, (3,), (4,), finite=True)
    if array.min() < 0 or array.max() > most:
        raise ValueError(f"{name}: {described(value)} came; wanted 0..{most:g} for each number")
    return [*map(float, array), 1.0][:4]
