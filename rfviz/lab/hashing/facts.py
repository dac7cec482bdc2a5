"""Facts about hash codes that lessons quote and check."""

from __future__ import annotations

import math

from rfviz import kernels
from rfviz.experiments import Hashing
from rfviz.features import RandomMaxout
from rfviz.lab.facts import fact

__all__: list[str] = []


@fact
def collision(q: int, degrees: float) -> float:
    """Return the probability that the same projection is the largest for two vectors at this angle."""
    return float(kernels.collision_rho(math.cos(math.radians(degrees)), q))


@fact
def code_spread(q: int, degrees: float, m: int) -> float:
    """Return the standard deviation of the share of different symbols, at this angle, of codes of m symbols."""
    p = 1.0 - collision(q, degrees)
    return math.sqrt(p * (1.0 - p) / m)


@fact
def code_error(q: int, m: int) -> float:
    """Return the root mean square of measured minus expected shares over pairs of digits, seed 0."""
    hashing_map = RandomMaxout(n_components=m, pool_size=q, random_state=0)
    return Hashing(feature_map=hashing_map).run("digits").numbers.comparison.result.rms


@fact
def log2(value: float) -> float:
    """Return the number of bits that name one of `value` things."""
    return math.log2(value)
