"""Controls for points that a user clicks into a plane."""

from __future__ import annotations

from typing import Any

from rfviz.experiments.decision_surfaces.own_points import CLASSES, legal_point
from rfviz.lab.controls import Control

__all__ = ["CLASS", "MOST_POINTS", "POINTS"]

MOST_POINTS = 120
# To begin with: two bent classes.
_BEGINNING = ("-0.9/0.1/1", "-0.6/0.7/1", "0/0.95/1", "0.6/0.7/1", "0.9/0.1/1", "-0.35/-0.3/2", "0/0.2/2",
              "0.3/-0.35/2", "0/-0.8/2")  # fmt: skip


def _clean(value: Any) -> list[str]:
    """Return the legal points among those given."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    return [point for text in texts if (point := legal_point(str(text)))][:MOST_POINTS]


def _clean_class(value: Any) -> str:
    if str(value) not in {str(c) for c in range(1, CLASSES + 1)}:
        raise ValueError(value)
    return str(value)


POINTS = Control("points", "own", list(_BEGINNING), _clean, "Points", "Your own, each as x/y/class.")
#: The class that a click adds a point of; no result depends on it.
CLASS = Control("class", "own", "1", _clean_class, "A click adds a point of")
