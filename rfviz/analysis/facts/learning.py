"""Facts about learning: test errors, boosting, and the largest weight."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.boosting import BoostSegment, boost
from rfviz.analysis.splits import Split, make_split
from rfviz.analysis.weight_decay import WeightDecay, largest_weights
from rfviz.features import MapSpec, map_class
from rfviz.lab.facts import at, fact
from rfviz.linear_model import default_grid

__all__: list[str] = []


@functools.lru_cache(maxsize=4)
def _split(name: str, how: str) -> Split:
    return make_split(datasets.load(name), how)


@functools.lru_cache(maxsize=64)
def _learnt(name: str, how: str, scheme: str, setting: tuple, grids: tuple, draws: int) -> dict[int, float]:
    """Test error in per cent by number of features, mean over draws, as the pages compute it."""
    errors: dict[int, list[float]] = {}
    for seed in range(draws):
        for grid in grids:
            segment = run_segment(
                _split(name, how), MapSpec(map_class(scheme), **dict(setting), random_state=seed), grid
            )
            for m, error in zip(segment.m_grid, segment.errors, strict=True):
                errors.setdefault(int(m), []).append(float(error))
    return {m: 100 * float(np.mean(found)) for m, found in errors.items()}


@functools.lru_cache(maxsize=1)
def _boosted() -> BoostSegment:
    return boost(_split("breast_cancer", "standardise"), range(1, 201))


@fact
def boosted_error(k: int) -> float:
    """Test error in per cent of AdaBoost with k stumps, chosen with care, on the breast cancer data."""
    return 100 * float(_boosted().errors[int(k) - 1])


@fact
def stumps_error(k: int) -> float:
    """Test error in per cent of k random stumps on the same data, mean of 3 draws."""
    return _sinks("DecisionStumps", (), k)


@fact
def sigmoids_error(k: int) -> float:
    """The same for random sigmoids (tanh, scale 0.2)."""
    return _sinks("SigmoidalRidge", (("activation", "tanh"), ("scale", 0.2)), k)


def _sinks(scheme: str, setting: tuple, k: int) -> float:
    grids = tuple(tuple(map(int, grid)) for grid in grid_segments(1000, 16))
    return at(_learnt("breast_cancer", "standardise", scheme, setting, grids, 3), k)


@functools.lru_cache(maxsize=2)
def _decay(scheme: str) -> WeightDecay:
    grid = [int(k) for k in default_grid(1000, 12)]
    split = _split("breast_cancer", "standardise")
    runs = [largest_weights(split, scheme, {"random_state": seed}, grid) for seed in range(5)]
    return WeightDecay(np.array(grid), np.stack(runs))


@fact
def largest_weight(k: int) -> float:
    """The median, over 5 runs, of the largest weight of k random stumps on the breast cancer data."""
    decay = _decay("DecisionStumps")
    return at(dict(zip(map(int, decay.k_grid), map(float, decay.quantiles[1]), strict=True)), k)


@fact
def weight_slope(first: int) -> float:
    """Slope of that median against k on logarithmic axes, from the first k on."""
    decay = _decay("DecisionStumps")
    return decay.slope(list(map(int, decay.k_grid)).index(first))
