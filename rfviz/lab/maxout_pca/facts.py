"""Facts about embeddings that lessons quote and check."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.embedding import EmbeddingResult, Projection
from rfviz.analysis.order import CurveOrder
from rfviz.experiments import MaxoutPCA
from rfviz.features import RandomMaxout
from rfviz.lab.facts import fact

__all__: list[str] = []


@functools.lru_cache(maxsize=16)
def _embedding(q: int, m: int, noise: int) -> EmbeddingResult:
    feature_map = RandomMaxout(n_components=m, pool_size=q, random_state=0)
    return MaxoutPCA(feature_map=feature_map).run(datasets.load("turning_head", order_noise=noise)).numbers


def _order(projection: Projection) -> CurveOrder:
    if projection.order is None:
        raise LookupError("these data have no given order")
    return projection.order


@fact
def order_found(q: int, m: int, noise: int) -> float:
    """Return Spearman's correlation of the order along the curve with the given one, shuffled locally by `noise`."""
    return float(_order(_embedding(q, m, noise).features).spearman)


@fact
def order_plain(noise: int) -> float:
    """Return the same for principal components of the images themselves."""
    return float(_order(_embedding(12, 100, noise).plain).spearman)


@fact
def frames_apart(q: int, m: int, noise: int) -> float:
    """Return how many of the 33 frames have another place along the curve than in the given order."""
    order = _order(_embedding(q, m, noise).features)
    return float(np.sum(np.abs(order.recovered - order.given) >= 1))


@fact
def height_of_the_curve(q: int, m: int, place: float) -> float:
    """Return how high on axis 2 the three of the 33 frames lie, on average, that are nearest to a place on axis 1."""
    coordinates = _embedding(q, m, 0).features.coordinates
    nearest = np.argsort(np.abs(coordinates[:, 0] - place))[:3]
    return float(np.mean(coordinates[nearest, 1]))
