"""Facts about bounds, on kernel estimates and on learning, that lessons quote and check."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.splits import make_split
from rfviz.bounds import LOSSES, kitchen_sinks_risk
from rfviz.errors import ParameterError
from rfviz.features import MapSpec, RandomFourier
from rfviz.lab.facts import fact
from rfviz.lab.guarantees.compute import Comparison, compare, measure_errors
from rfviz.lab.guarantees.risk import MeasuredRisk, measure_risk

__all__: list[str] = []


@functools.lru_cache(maxsize=8)
def _bounds(eps: float) -> Comparison:
    sample = prepare_sample(datasets.load("digits"), "unit norm", 64)
    measured = measure_errors(sample, MapSpec(RandomFourier, gamma=1.0), error_grid(2000), 100)
    found = measured.feature_map.applicable_bounds(
        measured.n_pairs, measured.n_features, measured.diameter, measured.largest_variance
    )
    return compare(measured, found, eps, 0.05)


@fact
def features_needed(about: str, kind: str, eps: float) -> float:
    """Return features for an error of eps with probability 0.95: kind "measured" or "bound" (the loosest drawn)."""
    curves = _bounds(float(eps)).find(about, kind)
    known = [curve.features for curve in curves if kind == "measured" or len(curve.m)]
    if not known:
        raise ParameterError("kind", f"must be known for errors {about}", kind, 'Choose "bound".')
    return max(known)


@fact
def bound_error(about: str, m: float) -> float:
    """Return the error that the loosest bound drawn about it allows for m features with probability 0.95."""
    curves = [curve for curve in _bounds(0.1).find(about, "bound") if len(curve.m)]
    place = np.log(float(m))
    return max(float(np.exp(np.interp(place, np.log(curve.m), np.log(curve.error)))) for curve in curves)


@functools.lru_cache(maxsize=1)
def _risk() -> MeasuredRisk:
    split = make_split(datasets.load("digits"), "unit norm")
    return measure_risk(split, MapSpec(RandomFourier, gamma=1.0, paired=False), error_grid(1000), 3)


@fact
def risk_bound(m: int) -> float:
    """Return Theorem 1 of kitchen sinks on the excess risk: m Fourier features of the digits, hinge loss, δ = 0.05."""
    measured, hinge = _risk(), LOSSES["hinge"]
    size = float(np.median(measured.size, axis=0)[measured.place(m)])
    bound = kitchen_sinks_risk(hinge.lipschitz(size), size, hinge.at_zero, 0.025)
    return float(bound.total(measured.n_train, m))


@fact
def risk_measured(m: int) -> float:
    """Return the measured excess: mean hinge loss on test rows, less the least for any number of features."""
    measured = _risk()
    return float(measured.excess("hinge")[measured.place(m)])
