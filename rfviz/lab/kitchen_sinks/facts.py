"""Facts about kitchen sinks: errors of boosted and of random features, and the largest weight."""

from __future__ import annotations

import functools

from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.weights import WeightDecay
from rfviz.features import DecisionStumps, FeatureMap, MapSpec, SigmoidalRidge
from rfviz.lab.facts import at, fact

__all__: list[str] = []

_STUMPS = MapSpec(DecisionStumps)
_SIGMOIDS = MapSpec(SigmoidalRidge, activation="tanh", scale=0.2)


@functools.lru_cache(maxsize=1)
def _errors() -> dict[str, dict[int, float]]:
    """Return the test error in per cent of each learner by K, mean of 3 draws."""
    frame = KitchenSinks(maps=[_STUMPS, _SIGMOIDS]).run("breast_cancer").to_frame()
    return {
        str(learner): dict(zip(map(int, found["K"]), map(float, 100 * found["error"]), strict=True))
        for learner, found in frame.groupby("learner")
    }


@functools.lru_cache(maxsize=2)
def _decay(family: MapSpec[FeatureMap]) -> WeightDecay:
    decay = KitchenSinks(maps=[family], view="weights", runs=5).run("breast_cancer").numbers.decay
    assert decay is not None, "all runs are complete"
    return decay


def _median(decay: WeightDecay, k: int) -> float:
    return at(dict(zip(map(int, decay.k_grid), map(float, decay.quantiles[1]), strict=True)), k, "k")


def _slope(decay: WeightDecay, first: int) -> float:
    return decay.slope(at({int(k): place for place, k in enumerate(decay.k_grid[:-1])}, first, "first"))


@fact
def boosted_error(k: int) -> float:
    """Return the test error in per cent of AdaBoost with k stumps, chosen with care, on the breast cancer data."""
    return at(_errors()["AdaBoost"], k, "k")


@fact
def stumps_error(k: int) -> float:
    """Return the test error in per cent of k random stumps on the same data, mean of 3 draws."""
    return at(_errors()["Random stumps"], k, "k")


@fact
def sigmoids_error(k: int) -> float:
    """Return the same for random sigmoids (tanh, scale 0.2)."""
    return at(_errors()["Random sigmoids"], k, "k")


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
