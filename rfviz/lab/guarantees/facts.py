"""Facts about bounds, on kernel estimates and on learning, that lessons quote and check."""

from __future__ import annotations

import numpy as np

from rfviz.errors import ParameterError
from rfviz.experiments.guarantees import KernelGuarantees, LearningGuarantees
from rfviz.experiments.guarantees.compute import Comparison
from rfviz.experiments.guarantees.experiment import LearningResult
from rfviz.features import RandomFourier
from rfviz.lab.facts import CACHE, fact

__all__: list[str] = []


def _bounds(eps: float) -> Comparison:
    experiment = KernelGuarantees(feature_map=RandomFourier(gamma=1.0), eps=eps)
    return experiment.run("digits", cache=CACHE).numbers.comparison


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


def _risk(m: int) -> LearningResult:
    waves = RandomFourier(m, gamma=1.0, paired=False)
    return LearningGuarantees(feature_map=waves).run("digits", cache=CACHE).numbers


@fact
def risk_bound(m: int) -> float:
    """Return Theorem 1 of kitchen sinks on the excess risk: m Fourier features of the digits, hinge loss, δ = 0.05."""
    found = _risk(m)
    return float(found.bound.total(found.rows, m))


@fact
def risk_measured(m: int) -> float:
    """Return the measured excess: mean hinge loss on test rows, less the least for any number of features."""
    measured = _risk(m).measured
    return float(measured.excess("hinge")[measured.place(m)])
