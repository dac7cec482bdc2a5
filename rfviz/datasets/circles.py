"""Rings about one centre: what linear features cannot part, whatever their number."""

from __future__ import annotations

import numpy as np

from rfviz.datasets import _planar
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.params import validate

__all__ = ["SPEC", "load"]

PARAMS = (_planar.samples(), _planar.CLASSES, _planar.noise(0.08), _planar.SEED)
_OUTERMOST = 1.2


def load(progress: Progress | None = None, **params) -> Dataset:
    """Points at uniform angles on rings about the origin, one ring a class.

    Parameters
    ----------
    progress : callable, optional
        Not called: this takes no time.
    n_samples : int, default=400
        Number of points, from 20 to 20,000; the rings take turns.
    n_classes : int, default=2
        Rings k, from 2 to 5; their radii are 1.2·1/k, 1.2·2/k, …, 1.2.
    noise : float, default=0.08
        Standard deviation of each coordinate about the ring, from 0 to 1.
    random_state : int, default=0
        Seed. The first points are the same for every `n_samples`, and their angles for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2); ``y`` 0 on the innermost ring.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    k = values["n_classes"]
    y, places, jitter = _planar.rows(values["n_samples"], k, values["random_state"])
    angle, radius = 2 * np.pi * places[:, 0], _OUTERMOST * (y + 1) / k
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + values["noise"] * jitter
    names = ("inner", "outer") if k == 2 else tuple(f"ring {i + 1}" for i in range(k))
    return _planar.finish("circles", X, y, names, f"on {k} rings about one centre", values["random_state"])


SPEC = DatasetSpec(
    name="circles",
    title="Rings",
    load=load,
    params=PARAMS,
    source="generated",
    summary="Two to five rings about one centre in the plane, one a class.",
)
