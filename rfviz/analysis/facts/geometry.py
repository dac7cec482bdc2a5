"""Facts about distances, embeddings and codes."""

from __future__ import annotations

import functools
import math

import numpy as np

from rfviz import datasets, kernels
from rfviz.analysis.embedding import EmbeddingResult, embed, prepare_points
from rfviz.analysis.facts.registry import fact
from rfviz.analysis.hash_points import hash_codes, prepare_hash_points
from rfviz.analysis.hashing import hash_pairs
from rfviz.analysis.pairs import prepare_pairs
from rfviz.analysis.saturation import saturation
from rfviz.features import DistanceLaw, RandomMaxout

__all__: list[str] = []


def _law(q: int) -> DistanceLaw:
    return RandomMaxout(1000, pool_size=q).fit(np.zeros((1, 2))).distance_law()


@fact
def slope(q: int) -> float:
    """How much a maxout map with pools of q stretches very short distances between unit vectors."""
    return _law(q).slope


@fact
def plateau(q: int) -> float:
    """The largest expected distance after a maxout map with pools of q."""
    return float(_law(q).plateau)


@fact
def radius(q: int) -> float:
    """The input distance at which nine tenths of that plateau are reached."""
    return float(_law(q).saturation_radius())


@fact
def expected_distance(q: int, distance: float) -> float:
    """The expected distance, after the map, of unit vectors at this distance."""
    return float(_law(q).band(np.array([float(distance)]))[0][0])


@fact
def printed_distance(q: int, distance: float) -> float:
    """The same by the formula that is printed as Theorem 1."""
    return float(_law(q).as_printed(np.array([float(distance)]))[0])


@fact
def deviation(q: int, m: int) -> float:
    """Root mean square distance of the cloud from its curve: 100 points on the circle, m features, seed 0."""
    pairs = prepare_pairs(datasets.load("circle"), "unit norm")
    setting = {"n_components": int(m), "pool_size": int(q), "random_state": 0}
    return saturation(pairs, "RandomMaxout", [setting], [""]).curves[0].rms_deviation


@fact
def maxout_kernel(q: int, cosine: float) -> float:
    """The exact kernel of maxout features of two unit vectors with this cosine."""
    return float(kernels.maxout_rho(float(cosine), q))


@fact
def collision(q: int, degrees: float) -> float:
    """The probability that the same projection is the largest for two vectors at this angle."""
    return float(kernels.collision_rho(math.cos(math.radians(degrees)), q))


@fact
def mean_max(q: int) -> float:
    """The mean of the largest of q standard normal numbers."""
    return float(kernels.expected_max(q))


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
