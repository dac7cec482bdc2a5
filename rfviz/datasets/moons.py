"""Two half moons that reach into each other: no straight line parts them, a gentle bend does."""

from __future__ import annotations

import numpy as np

from rfviz.datasets import _planar
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.params import validate

__all__ = ["SPEC", "load"]

PARAMS = (_planar.samples(), _planar.noise(0.15), _planar.SEED)


def load(progress: Progress | None = None, **params) -> Dataset:
    """Points on two half circles of radius 1, the lower one shifted by (1, ½) into the upper; the whole centred.

    Parameters
    ----------
    progress : callable, optional
        Not called: this takes no time.
    n_samples : int, default=400
        Number of points, from 20 to 20,000; every other one lies on the lower moon.
    noise : float, default=0.15
        Standard deviation of each coordinate about the half circles, from 0 to 1.
    random_state : int, default=0
        Seed. The first points are the same for every `n_samples`, and their angles for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2); ``y`` 0 on the upper moon and 1 on the lower.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    y, places, jitter = _planar.rows(values["n_samples"], 2, values["random_state"])
    angle, side = np.pi * places[:, 0], 1.0 - 2.0 * y
    # Both moons are one half circle, turned by half a turn about the middle of the figure.
    moon = np.column_stack([np.cos(angle) - 0.5, np.sin(angle) - 0.25]) * side[:, None]
    X = moon + values["noise"] * jitter
    return _planar.finish("moons", X, y, ("upper", "lower"), "on two half moons", values["random_state"])


SPEC = DatasetSpec(
    name="moons",
    title="Moons",
    load=load,
    params=PARAMS,
    source="generated",
    summary="Two half moons in the plane: two classes that a bent line parts.",
)
