"""Points on the unit sphere of any dimension: distances concentrate as the dimension grows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    Param(
        "n_samples",
        500,
        "int",
        2,
        20_000,
        log=True,
        ui_high=5000,
        symbol="n",
        label="Points",
        help="How many points to draw.",
    ),
    Param(
        "dimension",
        3,
        "int",
        2,
        1000,
        log=True,
        symbol="d",
        label="Dimension",
        help="Dimension of the space around the sphere. The larger it is, the closer all angles are to 90°.",
    ),
    replace(RANDOM_STATE, help="Another seed draws other points."),
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw independent points, uniform on the sphere of unit norm in R^d (normalised Gaussian vectors).

    With one seed and dimension, the first k points are the same for every `n_samples` ≥ k.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, dimension), its norms 1 to the precision of float32.
    """
    values = validate(PARAMS, params)
    n, d = values["n_samples"], values["dimension"]
    # 8 bytes for the Gaussian numbers, 8 for their squares, 4 for the result.
    memory.check(n * d * 20, f"{n:,} points in dimension {d}", "Lower n_samples or dimension")
    X = np.random.default_rng(values["random_state"]).standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return Dataset(
        name="sphere",
        X=X.astype(np.float32),
        provenance=f"Generated: {n} points uniform on the sphere in dimension {d} (seed {values['random_state']}).",
    )
