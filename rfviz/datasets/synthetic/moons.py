"""Two half moons that reach into each other: a bent line separates them, no straight one does."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import planar
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (planar.samples(), planar.noise(0.15), planar.SEED)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points on two half circles of radius 1, the lower one shifted by (1, ½) into the upper; the whole centred.

    Every other point lies on the lower moon. With one seed, the first points are the same for every `n_samples`, and
    their angles for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2); ``y`` 0 on the upper moon and 1 on the lower.
    """
    values = validate(PARAMS, params)
    y, places, jitter = planar.rows(values["n_samples"], 2, values["random_state"])
    angle, side = np.pi * places[:, 0], 1.0 - 2.0 * y
    # Both moons are one half circle, turned by half a turn about the middle of the figure.
    moon = np.column_stack([np.cos(angle) - 0.5, np.sin(angle) - 0.25]) * side[:, None]
    X = moon + values["noise"] * jitter
    return planar.finish("moons", X, y, ("upper", "lower"), "on two half moons", values["random_state"])
