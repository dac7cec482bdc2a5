"""Points on the unit circle, where every distance is an angle and can be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    Param(
        "n_samples",
        100,
        "int",
        2,
        5000,
        ui_low=5,
        log=True,
        symbol="n",
        label="Points",
        help="How many points to draw.",
    ),
    Param(
        "evenly_spaced",
        False,
        "bool",
        label="Evenly spaced",
        help="Put the points at equal angles instead of at random ones.",
    ),
    replace(RANDOM_STATE, help="Another seed draws other random angles."),
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points of unit norm in the plane.

    With one seed, the first k random points are the same for every `n_samples` ≥ k.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2), its norms 1 to the precision of float32, in the order of drawing. ``order`` is
        the rank of each point's angle in [0, 2π), to colour by.
    """
    values = validate(PARAMS, params)
    n = values["n_samples"]
    if values["evenly_spaced"]:
        turns = np.arange(n) / n
        how = "evenly spaced"
    else:
        turns = np.random.default_rng(values["random_state"]).random(n)
        how = f"at uniformly random angles (seed {values['random_state']})"
    angle = 2 * np.pi * turns
    return Dataset(
        name="circle",
        X=np.column_stack((np.cos(angle), np.sin(angle))).astype(np.float32),
        order=np.argsort(np.argsort(turns, kind="stable"), kind="stable"),
        feature_names=("x", "y"),
        provenance=f"Generated: {n} points on the unit circle, {how}.",
    )
