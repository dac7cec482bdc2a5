"""Facts about random grids that lessons quote and check."""

from __future__ import annotations

import functools
import math

import numpy as np

from rfviz import datasets
from rfviz.features import MapSpec, RandomBinning
from rfviz.lab.binning.compute import MAX_REPETITIONS, PlaneGrids, SharedBoxes, boxes, plane_grids, shared_boxes
from rfviz.lab.facts import fact

__all__: list[str] = []


def _grids(gamma: float, n_repetitions: int = MAX_REPETITIONS) -> PlaneGrids:
    return plane_grids(datasets.load("moons"), MapSpec(RandomBinning, gamma=gamma, random_state=0), n_repetitions)


@functools.lru_cache(maxsize=16)
def _shared(n_grids: int, gamma: float = 2.0) -> SharedBoxes:
    return shared_boxes(_grids(float(gamma)), 0, int(n_grids))


@fact
def boxes_error(n_grids: int) -> float:
    """Return the RMS error over the plane of the share of grids with a point in the box of the first of two moons."""
    return _shared(n_grids).error


@fact
def boxes_predicted(n_grids: int, gamma: float = 2.0) -> float:
    """Return what theory expects of it, over all draws of the grids."""
    exact = _shared(1, gamma).exact
    return math.sqrt(float(np.mean(exact * (1.0 - exact))) / n_grids)


@fact
def full_boxes(gamma: float) -> float:
    """Return the number of boxes of the first grid that hold at least one of the 400 points."""
    return float(len(boxes(_grids(float(gamma), 1), 0, 0).sizes))
