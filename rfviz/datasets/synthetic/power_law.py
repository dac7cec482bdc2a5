"""Waves: a kernel whose eigenvalues fall as a power of their rank, with an exponent that is chosen."""

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
        1000,
        "int",
        10,
        20_000,
        log=True,
        ui_low=100,
        ui_high=5000,
        symbol="n",
        label="Rows",
        help="How many rows to draw.",
    ),
    Param(
        "frequencies",
        100,
        "int",
        2,
        1000,
        log=True,
        ui_low=10,
        symbol="K",
        label="Frequencies",
        help="How many frequencies there are: a row has a cosine and a sine of each.",
    ),
    Param(
        "slope",
        2.0,
        "float",
        1.1,
        4.0,
        marks=(1.1, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0),
        label="Slope of the kernel",
        help="The power of waves of frequency k falls as k to the minus slope, and so do the eigenvalues of the inner "
        "products of rows. The larger it is, the smoother the kernel.",
    ),
    Param(
        "target_slope",
        2.0,
        "float",
        1.5,
        6.0,
        marks=(1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0, 5.0, 6.0),
        label="Slope of the target",
        help="The target’s power at frequency k falls as k to the minus this slope. With many rows, the error of m "
        "features falls as m to the minus a, where a is this slope less 1, but at most that of the kernel.",
    ),
    replace(RANDOM_STATE, help="Another seed draws other rows, and another target."),
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points of a circle, and return the waves of K frequencies there, whose power is a power law.

    A row holds √p_k·cos kt and √p_k·sin kt of its angle t, uniform in [0, 2π), with p_k = k^−slope over the sum of all.
    All rows have norm 1, and the inner product of two is Σ p_k·cos k(s − t), a kernel with the eigenvalues p_k/2, each
    twice. Kernels that are smooth functions of it inherit the exponent, at high frequencies. The target is
    Σ √(2·k^−target_slope)·cos(kt + φ_k), its phases φ_k drawn at random.

    With one seed, the angles of the first rows and the phases are the same whatever the other parameters.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2 · frequencies), first the cosines; ``y`` a number to predict.
    """
    values = validate(PARAMS, params)
    n, size, slope, target_slope = (values[name] for name in ("n_samples", "frequencies", "slope", "target_slope"))
    # Angles, cosines and sines in 8 bytes, the result in 4.
    memory.check(n * size * 32, f"{n:,} rows of {2 * size:,} columns", "Lower n_samples or frequencies")
    rows, phases = np.random.default_rng(values["random_state"]).spawn(2)
    k = np.arange(1.0, size + 1)
    angle = np.outer(2 * np.pi * rows.random(n), k)
    height = np.sqrt(k**-slope / np.sum(k**-slope))
    shift = 2 * np.pi * phases.random(size)
    return Dataset(
        name="power_law",
        X=np.hstack([height * np.cos(angle), height * np.sin(angle)]).astype(np.float32),
        y=np.cos(angle + shift) @ np.sqrt(2.0 * k**-target_slope),
        feature_names=tuple(f"{wave} {i}" for wave in ("cos", "sin") for i in range(1, size + 1)),
        provenance=(
            f"Generated: {n} points of a circle as waves of {size} frequencies k, of power k^−{slope:g}; the "
            f"target’s is k^−{target_slope:g} (seed {values['random_state']})."
        ),
    )
