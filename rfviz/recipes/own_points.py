"""Points that a reader places in a plane: as text, few enough to stand in an address, and as rows to learn from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.lab.controls import Control

__all__ = ["CLASS", "CLASSES", "HALF_SIDE", "MOST_POINTS", "OWN_PLANE", "POINTS", "arrays_of", "own_split",
           "point_text"]  # fmt: skip

HALF_SIDE = 1.5
OWN_PLANE = Plane(np.zeros(2), np.eye(2), (-HALF_SIDE, HALF_SIDE), (-HALF_SIDE, HALF_SIDE), 1.0)
MOST_POINTS, CLASSES = 120, 4
# Something to begin with: a bent pair.
_BEGINNING = ("-0.9/0.1/1", "-0.6/0.7/1", "0/0.95/1", "0.6/0.7/1", "0.9/0.1/1", "-0.35/-0.3/2", "0/0.2/2",
              "0.3/-0.35/2", "0/-0.8/2")  # fmt: skip


def point_text(x: float, y: float, number: int) -> str:
    """A point as ``x/y/class``, as the address holds it."""
    return f"{round(float(x), 2):g}/{round(float(y), 2):g}/{number}"


def arrays_of(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of shape (n, 2), float32, and class codes of shape (n,)."""
    parts = [text.split("/") for text in texts]
    X = np.array([[float(x), float(y)] for x, y, _ in parts], dtype=np.float32).reshape(-1, 2)
    return X, np.array([int(c) - 1 for _, _, c in parts], dtype=np.int64)


def own_split(texts: Sequence[str]) -> Split:
    """All points as training rows; so few leave none to test with."""
    X, y = arrays_of(texts)
    nothing = np.arange(0)
    names = tuple(f"class {c + 1}" for c in range(CLASSES))
    return Split("your points", X, y, X[:0], y[:0], nothing, names, False)


def _clean(value: Any) -> list[str]:
    """Legal points among those given."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    return [point for text in texts if (point := _point(text))][:MOST_POINTS]


def _point(text: Any) -> str | None:
    parts = str(text).split("/")
    try:
        x, y, number = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        return None
    inside = math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= HALF_SIDE and 1 <= number <= CLASSES
    return point_text(x, y, number) if inside and len(parts) == 3 else None


def _clean_class(value: Any) -> str:
    if str(value) not in {str(c) for c in range(1, CLASSES + 1)}:
        raise ValueError(value)
    return str(value)


POINTS = Control("points", "own", list(_BEGINNING), _clean, "Points", "The reader’s own, each as x/y/class.")
#: Which class a click adds; no result depends on it.
CLASS = Control("class", "own", "1", _clean_class, "A click adds a point of")
