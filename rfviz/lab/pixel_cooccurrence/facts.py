"""Facts about pixels in the features of a skeleton that lessons quote and check."""

from __future__ import annotations

import functools

import numpy as np

from rfviz.experiments import PixelCooccurrence
from rfviz.experiments.pixel_cooccurrence.compute import PixelMap, exact_map
from rfviz.lab.facts import fact
from rfviz.skeleton import occurrence, pixel_groups, preset

__all__: list[str] = []


@functools.lru_cache(maxsize=8)
def _map(name: str, row: int, column: int) -> np.ndarray:
    return exact_map(preset(name, (24, 24)), (row - 1) * 24 + column - 1).correlation.reshape(24, 24)


@fact
def meets(name: str, row: int, column: int, other_row: int, other_column: int) -> float:
    """Return the exact correlation of two pixels' occurring in a feature; 24 × 24 pixels, counted from 1."""
    return float(_map(name, row, column)[other_row - 1, other_column - 1])


@fact
def tiers(name: str, row: int, column: int) -> float:
    """Return how many different values the exact map of a pixel has, itself left out."""
    others = np.delete(_map(name, row, column).ravel(), (row - 1) * 24 + column - 1)
    return float(len(np.unique(np.round(others, 6))))


@functools.lru_cache(maxsize=16)
def _counted(name: str, n_features: int) -> PixelMap:
    experiment = PixelCooccurrence(skeleton=name, n_features=n_features, pixel=11 * 24 + 11)
    return experiment.run().numbers[name][0]


@fact
def map_error(name: str, n_features: int) -> float:
    """Return the RMS error of the counted map of pixel (12, 12) in this many features, seed 0."""
    return float(_counted(name, n_features).rms[-1])


@fact
def map_error_predicted(name: str, n_features: float) -> float:
    """Return what theory expects of it, over all draws."""
    return float(_counted(name, int(n_features)).predicted[-1])


@fact
def reaches(name: str, row: int, column: int) -> float:
    """Return the probability, in per cent, that a feature reaches a pixel; 24 × 24 pixels, counted from 1."""
    skeleton = preset(name, (24, 24))
    return 100 * float(occurrence(skeleton, pixel_groups(skeleton))[(row - 1) * 24 + column - 1])
