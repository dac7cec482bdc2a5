"""Facts about kernel estimates: compositional features, and what bounds ask for."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.cooccurrence import exact_map, pixel_map, sample_features
from rfviz.analysis.guarantees import Comparison, compare, measure_errors
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.errors import ParameterError
from rfviz.lab.facts import fact
from rfviz.skeleton import occurrence, pixel_groups, preset

__all__: list[str] = []


@functools.lru_cache(maxsize=8)
def _map(name: str, row: int, column: int) -> np.ndarray:
    return exact_map(preset(name, (24, 24)), (row - 1) * 24 + column - 1).correlation.reshape(24, 24)


@fact
def meets(name: str, row: int, column: int, other_row: int, other_column: int) -> float:
    """Exact correlation of two pixels' occurring in a feature of a skeleton; 24 × 24 pixels, counted from 1."""
    return float(_map(name, row, column)[other_row - 1, other_column - 1])


@fact
def tiers(name: str, row: int, column: int) -> float:
    """How many different values the exact map of a pixel has, itself left out."""
    others = np.delete(_map(name, row, column).ravel(), (row - 1) * 24 + column - 1)
    return float(len(np.unique(np.round(others, 6))))


@fact
def map_error(name: str, n_features: int) -> float:
    """Root mean square error of the counted map of pixel (12, 12) in this many features, seed 0."""
    sample = sample_features(preset(name, (24, 24)), n_features, 0)
    return float(pixel_map(sample, 11 * 24 + 11, n_features).rms[-1])


@functools.lru_cache(maxsize=8)
def _bounds(eps: float, draws: int) -> Comparison:
    sample = prepare_sample(datasets.load("digits"), "unit norm", 64)
    setting = {"gamma": 1.0, "paired": True, "spectrum": "gaussian", "draw": "iid"}
    measured = measure_errors(sample, "RandomFourier", setting, error_grid(2000), draws)
    found = measured.feature_map.applicable_bounds(
        measured.n_pairs, measured.n_features, measured.diameter, measured.largest_variance
    )
    return compare(measured, found, eps, 0.05)


@fact
def features_needed(about: str, kind: str, eps: float) -> float:
    """Features for an error of eps with probability 0.95: kind "measured" or "bound" (the loosest that is drawn)."""
    curves = _bounds(float(eps), 100).find(about, kind)
    known = [curve.features for curve in curves if kind == "measured" or len(curve.m)]
    if not known:
        raise ParameterError("kind", f"must be known for errors {about}", kind, 'Choose "bound".')
    return max(known)


@fact
def reaches(name: str, row: int, column: int) -> float:
    """The probability, in per cent, that a feature of a skeleton reaches a pixel; 24 × 24 pixels, counted from 1."""
    skeleton = preset(name, (24, 24))
    return 100 * float(occurrence(skeleton, pixel_groups(skeleton))[(row - 1) * 24 + column - 1])
