"""Facts about codes."""

from __future__ import annotations

import math

from rfviz import datasets, kernels
from rfviz.analysis.hash_points import hash_codes, prepare_hash_points
from rfviz.analysis.hashing import hash_pairs
from rfviz.lab.facts import fact

__all__: list[str] = []


@fact
def collision(q: int, degrees: float) -> float:
    """The probability that the same projection is the largest for two vectors at this angle."""
    return float(kernels.collision_rho(math.cos(math.radians(degrees)), q))


@fact
def code_spread(q: int, degrees: float, m: int) -> float:
    """Standard deviation of the share of different symbols of two points at this angle, codes of m symbols."""
    p = 1.0 - collision(q, degrees)
    return math.sqrt(p * (1.0 - p) / m)


@fact
def code_error(q: int, m: int) -> float:
    """Root mean square distance of measured from expected shares over pairs of digits, seed 0."""
    points = prepare_hash_points(datasets.load("digits"), "unit norm")
    setting = {"n_components": m, "pool_size": q, "random_state": 0}
    return hash_pairs(points, "RandomMaxout", setting, hash_codes(points, "RandomMaxout", setting)).rms


@fact
def log2(value: float) -> float:
    """The number of bits that name one of so many."""
    return math.log2(value)
