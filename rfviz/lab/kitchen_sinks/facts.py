"""Facts about kitchen sinks: errors of boosted and of random features, and the largest weight."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, mean_and_spread, run_segment
from rfviz.analysis.splits import Split, make_split
from rfviz.features import DecisionStumps, FeatureMap, MapSpec, SigmoidalRidge
from rfviz.lab.facts import at, fact
from rfviz.lab.kitchen_sinks.boosting import BoostSegment, boost
from rfviz.lab.kitchen_sinks.weights import WeightDecay, largest_weights
from rfviz.linear_model import default_grid

__all__: list[str] = []

_STUMPS = MapSpec(DecisionStumps)
_SIGMOIDS = MapSpec(SigmoidalRidge, activation="tanh", scale=0.2)


@functools.lru_cache(maxsize=1)
def _split() -> Split:
    return make_split(datasets.load("breast_cancer"), "standardise")


@functools.lru_cache(maxsize=1)
def _boosted() -> BoostSegment:
    return boost(_split(), range(1, 201))


@functools.lru_cache(maxsize=4)
def _errors(spec: MapSpec[FeatureMap]) -> dict[int, float]:
    """Return the test error in per cent by number of features, mean of 3 draws."""
    draws = [spec.replace(random_state=seed) for seed in range(3)]
    grids = [grid.tolist() for grid in grid_segments(1000, 16)]
    runs = [[run_segment(_split(), drawn, grid) for grid in grids] for drawn in draws]
    frame = mean_and_spread(runs)
    return dict(zip(map(int, frame["m"]), map(float, 100 * frame["error"]), strict=True))


@functools.lru_cache(maxsize=2)
def _decay(spec: MapSpec[FeatureMap]) -> WeightDecay:
    grid = [int(k) for k in default_grid(1000, 12)]
    runs = [largest_weights(_split(), spec.replace(random_state=seed), grid) for seed in range(5)]
    return WeightDecay(np.array(grid), np.stack(runs))


def _median(decay: WeightDecay, k: int) -> float:
    return at(dict(zip(map(int, decay.k_grid), map(float, decay.quantiles[1]), strict=True)), k)


def _slope(decay: WeightDecay, first: int) -> float:
    return decay.slope(list(map(int, decay.k_grid)).index(first))


@fact
def boosted_error(k: int) -> float:
    """Return the test error in per cent of AdaBoost with k stumps, chosen with care, on the breast cancer data."""
    return 100 * float(_boosted().errors[int(k) - 1])


@fact
def stumps_error(k: int) -> float:
    """Return the test error in per cent of k random stumps on the same data, mean of 3 draws."""
    return at(_errors(_STUMPS), k)


@fact
def sigmoids_error(k: int) -> float:
    """Return the same for random sigmoids (tanh, scale 0.2)."""
    return at(_errors(_SIGMOIDS), k)


@fact
def largest_weight(k: int) -> float:
    """Return the median, over 5 runs, of the largest weight of k random stumps on the breast cancer data."""
    return _median(_decay(_STUMPS), k)


@fact
def weight_slope(first: int) -> float:
    """Return the slope of that median against k on logarithmic axes, from the first k on."""
    return _slope(_decay(_STUMPS), first)


@fact
def sigmoids_weight(k: int) -> float:
    """Return the median, over 5 runs, of the largest weight of k random sigmoids (tanh, scale 0.2)."""
    return _median(_decay(_SIGMOIDS), k)


@fact
def sigmoids_slope(first: int) -> float:
    """Return the slope of that median against k on logarithmic axes, from the first k on."""
    return _slope(_decay(_SIGMOIDS), first)
