"""Facts about distances, embeddings and codes."""

from __future__ import annotations

import functools
import math

import numpy as np

from rfviz import datasets, kernels
from rfviz.analysis.embedding import EmbeddingResult, embed, prepare_points
from rfviz.analysis.hash_points import hash_codes, prepare_hash_points
from rfviz.analysis.hashing import hash_pairs
from rfviz.lab.facts import fact

__all__: list[str] = []


@fact
def collision(q: int, degrees: float) -> float:
    """The probability that the same projection is the largest for two vectors at this angle."""
    return float(kernels.collision_rho(math.cos(math.radians(degrees)), q))


@functools.lru_cache(maxsize=16)
def _embedding(q: int, m: int, noise: int) -> EmbeddingResult:
    points = prepare_points(datasets.load("turning_head", order_noise=noise), "unit norm", 2)
    return embed(points, "RandomMaxout", {"n_components": m, "pool_size": q, "random_state": 0}, 2)


@fact
def order_found(q: int, m: int, noise: int) -> float:
    """Spearman's correlation of the order along the curve with the given order, shuffled locally by `noise`."""
    return float(_embedding(q, m, noise).features.order.spearman)


@fact
def order_plain(noise: int) -> float:
    """The same for principal components of the images themselves."""
    return float(_embedding(12, 100, noise).plain.order.spearman)


@fact
def frames_apart(q: int, m: int, noise: int) -> float:
    """How many of the 33 frames have another place along the curve than in the given order."""
    order = _embedding(q, m, noise).features.order
    return float(np.sum(np.abs(order.recovered - order.given) >= 1))


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
