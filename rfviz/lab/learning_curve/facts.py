"""Facts about learning curves that lessons quote and check."""

from __future__ import annotations

import numpy as np

from rfviz.errors import ParameterError
from rfviz.experiments import LearningCurve
from rfviz.experiments.learning_curve.experiment import CurveResult
from rfviz.features import RandomFourier
from rfviz.lab.facts import fact

__all__: list[str] = []


def _curve(n: int, alpha: float, tuned: bool = False) -> CurveResult:
    experiment = LearningCurve(feature_map=RandomFourier(gamma=3.0), n=int(n), alpha=float(alpha), tuned=tuned)
    return experiment.run("digits").numbers


def _at(result: CurveResult, m: int) -> int:
    found = np.flatnonzero(result.m_grid == int(m))
    if not len(found):
        raise ParameterError("m", f"must be one of {', '.join(map(str, result.m_grid))}", m)
    return int(found[0])


@fact
def curve_error(n: int, m: int, alpha: float) -> float:
    """Return the measured test error of m Fourier features (γ = 3) of n digits."""
    result = _curve(n, alpha)
    return float(result.test.mean(axis=0)[_at(result, m)])


@fact
def worst_m(n: int, alpha: float) -> float:
    """Return the number of features with the largest test error."""
    result = _curve(n, alpha)
    return float(result.m_grid[result.test.mean(axis=0).argmax()])


@fact
def tuned_error(n: int, m: int) -> float:
    """Return the measured test error with the best penalty for each m."""
    result = _curve(n, 1e-8, tuned=True)
    return float(result.test.mean(axis=0)[_at(result, m)])


@fact
def predicted_curve_error(n: int, m: int, alpha: float) -> float:
    """Return the test error that the exact kernel predicts before a feature is drawn."""
    result = _curve(n, alpha)
    if result.prediction is None:
        raise ParameterError("map", "must have a kernel with a closed form", result.label)
    return float(result.prediction.test[np.searchsorted(result.prediction.m_grid, result.m_grid[_at(result, m)])])
