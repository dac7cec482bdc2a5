"""Facts about learning curves that lessons quote and check."""

from __future__ import annotations

import numpy as np

from rfviz.errors import ParameterError
from rfviz.experiments import LearningCurve
from rfviz.experiments.learning_curve.experiment import CurveResult, Prediction
from rfviz.features import RandomFourier, RandomReLU
from rfviz.lab.facts import CACHE, fact

__all__: list[str] = []


def _curve(n: int, alpha: float, tuned: bool = False, noise: float = 0.0) -> CurveResult:
    feature_map = RandomFourier(gamma=3.0)
    experiment = LearningCurve(feature_map=feature_map, n=int(n), alpha=float(alpha), tuned=tuned, noise=float(noise))
    return experiment.run("digits", cache=CACHE).numbers


def _predicted(result: CurveResult) -> Prediction:
    if result.prediction is None:
        raise ParameterError("map", "must have a kernel with a closed form", result.label)
    return result.prediction


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
    found = _predicted(result)
    return float(found.test[np.searchsorted(found.m_grid, result.m_grid[_at(result, m)])])


@fact
def noisy_curve_error(n: int, m: int, noise: float) -> float:
    """Return the measured test error with nearly no penalty and this share of random labels."""
    result = _curve(n, 1e-8, noise=noise)
    return float(result.test.mean(axis=0)[_at(result, m)])


def _relu(is_centred: bool) -> CurveResult:
    experiment = LearningCurve(
        feature_map=RandomReLU(), n=100, alpha=1e-8, normalise="standardise" if is_centred else "unit norm"
    )
    return experiment.run("digits", cache=CACHE).numbers


@fact
def relu_error(m: int, centred: int) -> float:
    """Return the measured test error of m ReLU features of 100 digits; of standardised columns if centred is 1."""
    result = _relu(bool(centred))
    return float(result.test.mean(axis=0)[_at(result, m)])


@fact
def relu_predicted(m: int, centred: int) -> float:
    """Return the error that is predicted of them."""
    result = _relu(bool(centred))
    found = _predicted(result)
    return float(found.test[np.searchsorted(found.m_grid, result.m_grid[_at(result, m)])])


@fact
def relu_cosine(centred: int) -> float:
    """Return the mean cosine of two digits, of standardised columns if centred is 1."""
    return _relu(bool(centred)).spread.cosine


@fact
def features_enough(n: int) -> float:
    """Return the predicted number of features that come within 5% of the exact kernel, with the best penalties."""
    return float(_predicted(_curve(n, 1e-8, tuned=True)).needed or np.inf)


@fact
def error_of_exact_kernel(n: int) -> float:
    """Return the predicted test error of the exact kernel with its best penalty."""
    return _predicted(_curve(n, 1e-8, tuned=True)).exact
