"""Spiral arms wound about each other: a toy that needs many features."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import planar
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    planar.samples(600),
    planar.CLASSES,
    Param(
        "rotations",
        1.5,
        "float",
        0.25,
        5.0,
        log=True,
        label="Rotations",
        marks=(0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0),
        help="How often an arm winds about the centre. More turns lie closer, and ask for a finer kernel.",
    ),
    planar.noise(0.04),
    planar.SEED,
)
_INNER, _OUTER = 0.15, 1.3


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points on spiral arms whose radius grows evenly with the angle, one arm a class.

    The k arms take turns, each the first one turned by a k-th of a full turn, between the radii 0.15 and 1.3. With one
    seed, the first points are the same for every `n_samples`, and their places on the arm for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2); ``y`` the arm.
    """
    values = validate(PARAMS, params)
    k = values["n_classes"]
    y, places, jitter = planar.rows(values["n_samples"], k, values["random_state"])
    # The square root puts as many points on each unit of length far out as near the centre.
    along = np.sqrt(places[:, 0])
    radius = _INNER + (_OUTER - _INNER) * along
    angle = 2 * np.pi * (values["rotations"] * along + y / k)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + values["noise"] * jitter
    names = tuple(f"arm {i + 1}" for i in range(k))
    return planar.finish("spirals", X, y, names, f"on {k} spiral arms", values["random_state"])
