"""Rings about one centre, which no number of linear features separates."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import planar
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (planar.samples(), planar.CLASSES, planar.noise(0.08), planar.SEED)
_OUTERMOST = 1.2


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points at uniform angles on rings about the origin, one ring a class.

    The k rings take turns; their radii are 1.2·1/k, 1.2·2/k, …, 1.2. With one seed, the first points are the same for
    every `n_samples`, and their angles for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2); ``y`` 0 on the innermost ring.
    """
    values = validate(PARAMS, params)
    k = values["n_classes"]
    y, places, jitter = planar.rows(values["n_samples"], k, values["random_state"])
    angle, radius = 2 * np.pi * places[:, 0], _OUTERMOST * (y + 1) / k
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + values["noise"] * jitter
    names = ("inner", "outer") if k == 2 else tuple(f"ring {i + 1}" for i in range(k))
    return planar.finish("circles", X, y, names, f"on {k} concentric rings", values["random_state"])
