"""Facts about random grids that lessons quote and check."""

from __future__ import annotations

import functools
import math

import numpy as np

from rfviz.experiments.binning.experiment import Binning, BinningResult
from rfviz.features import RandomBinning
from rfviz.lab.facts import fact

__all__: list[str] = []


@functools.lru_cache(maxsize=16)
def _run(n_grids: int, gamma: float = 2.0) -> BinningResult:
    feature_map = RandomBinning(int(n_grids), gamma=float(gamma), random_state=0)
    return Binning(feature_map=feature_map).run("moons").numbers


@fact
def boxes_error(n_grids: int) -> float:
    """Return the RMS error over the plane of the share of grids with a point in the box of the first of two moons."""
    return _run(n_grids).shared.error


@fact
def boxes_predicted(n_grids: int, gamma: float = 2.0) -> float:
    """Return what theory expects of it, over all draws of the grids."""
    exact = _run(1, gamma).shared.exact
    return math.sqrt(float(np.mean(exact * (1.0 - exact))) / n_grids)


@fact
def full_boxes(gamma: float) -> float:
    """Return the number of boxes of the first grid that hold at least one of the 400 points."""
    return float(len(_run(1, gamma).one.sizes))
