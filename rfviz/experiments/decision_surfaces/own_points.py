"""Points that a user clicks into a plane: as text, few enough for an address, and as rows to learn from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.errors import ParameterError

__all__ = ["CLASSES", "OWN_PLANE", "format_point", "legal_point", "own_split"]

_HALF_SIDE = 1.5
OWN_PLANE = Plane(np.zeros(2), np.eye(2), (-_HALF_SIDE, _HALF_SIDE), (-_HALF_SIDE, _HALF_SIDE), 1.0)
CLASSES = 4
_CLASS_NAMES = tuple(f"class {number}" for number in range(1, CLASSES + 1))


def format_point(x: float, y: float, number: int) -> str:
    """Return a point as it stands in the address: ``x/y/class``."""
    return f"{round(float(x), 2):g}/{round(float(y), 2):g}/{number}"


def legal_point(text: str) -> str | None:
    """Return a point as :func:`format_point` does, or None if the text is not a point of the plane."""
    parts = text.split("/")
    try:
        x, y, number = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        return None
    inside = math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= _HALF_SIDE and 1 <= number <= CLASSES
    return format_point(x, y, number) if inside and len(parts) == 3 else None


def own_split(texts: Sequence[str]) -> Split:
    """Return all points as training rows; they are too few to test on some.

    Raises
    ------
    ParameterError
        For a text that is not a point of the plane.
    """
    for text in texts:
        if legal_point(text) is None:
            rule = f"must be texts x/y/class, with x and y from -{_HALF_SIDE} to {_HALF_SIDE} and class 1 to {CLASSES}"
            raise ParameterError("points", rule, text)
    parts = [text.split("/") for text in texts]
    X = np.array([[float(x), float(y)] for x, y, _ in parts], dtype=np.float32).reshape(-1, 2)
    y = np.array([int(number) - 1 for _, _, number in parts], dtype=np.int64)
    return Split("your points", X, y, X[:0], y[:0], np.arange(0), _CLASS_NAMES, False)
