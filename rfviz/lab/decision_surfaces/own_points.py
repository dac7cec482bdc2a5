"""Points that a user clicks into a plane: as text, few enough for an address, and as rows to learn from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.lab.controls import Control

__all__ = [
    "CLASS",
    "CLASSES",
    "CLASS_NAMES",
    "HALF_SIDE",
    "MOST_POINTS",
    "OWN_PLANE",
    "POINTS",
    "format_point",
    "own_split",
    "parse_points",
]

HALF_SIDE = 1.5
OWN_PLANE = Plane(np.zeros(2), np.eye(2), (-HALF_SIDE, HALF_SIDE), (-HALF_SIDE, HALF_SIDE), 1.0)
MOST_POINTS, CLASSES = 120, 4
CLASS_NAMES = tuple(f"class {number}" for number in range(1, CLASSES + 1))
# To begin with: two bent classes.
_BEGINNING = ("-0.9/0.1/1", "-0.6/0.7/1", "0/0.95/1", "0.6/0.7/1", "0.9/0.1/1", "-0.35/-0.3/2", "0/0.2/2",
              "0.3/-0.35/2", "0/-0.8/2")  # fmt: skip


def format_point(x: float, y: float, number: int) -> str:
    """Return a point as it stands in the address: ``x/y/class``."""
    return f"{round(float(x), 2):g}/{round(float(y), 2):g}/{number}"


def parse_points(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates of shape (n, 2), float32, and class codes of shape (n,)."""
    parts = [text.split("/") for text in texts]
    X = np.array([[float(x), float(y)] for x, y, _ in parts], dtype=np.float32).reshape(-1, 2)
    return X, np.array([int(c) - 1 for _, _, c in parts], dtype=np.int64)


def own_split(texts: Sequence[str]) -> Split:
    """Return all points as training rows; they are too few to test on some."""
    X, y = parse_points(texts)
    return Split("your points", X, y, X[:0], y[:0], np.arange(0), CLASS_NAMES, False)


def _clean(value: Any) -> list[str]:
    """Return the legal points among those given."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    return [point for text in texts if (point := _point(text))][:MOST_POINTS]


def _point(text: Any) -> str | None:
    parts = str(text).split("/")
    try:
        x, y, number = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        return None
    inside = math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= HALF_SIDE and 1 <= number <= CLASSES
    return format_point(x, y, number) if inside and len(parts) == 3 else None


def _clean_class(value: Any) -> str:
    if str(value) not in {str(c) for c in range(1, CLASSES + 1)}:
        raise ValueError(value)
    return str(value)


POINTS = Control("points", "own", list(_BEGINNING), _clean, "Points", "Your own, each as x/y/class.")
#: The class that a click adds a point of; no result depends on it.
CLASS = Control("class", "own", "1", _clean_class, "A click adds a point of")
