"""Facts about distance saturation that lessons quote and check."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from rfviz import kernels
from rfviz.errors import ParameterError
from rfviz.experiments import DistanceSaturation
from rfviz.features import DistanceLaw, RandomFourier, RandomMaxout
from rfviz.lab.facts import fact

__all__: list[str] = []

T = TypeVar("T")


def _law(q: int) -> DistanceLaw:
    return _known(RandomMaxout(1000, pool_size=q).fit(np.zeros((1, 2))).distance_law())


def _known(value: T | None) -> T:
    """Return what every pool but that of a single projection has."""
    if value is None:
        raise ParameterError("q", "must be at least 2, for one projection does not saturate", 1)
    return value


@fact
def slope(q: int) -> float:
    """Return how much a maxout map with pools of q stretches very short distances between unit vectors."""
    return _law(q).slope


@fact
def plateau(q: int) -> float:
    """Return the largest expected distance after a maxout map with pools of q."""
    return _known(_law(q).plateau)


@fact
def radius(q: int) -> float:
    """Return the input distance at which 90% of that plateau are reached."""
    return _known(_law(q).saturation_radius())


@fact
def expected_distance(q: int, distance: float) -> float:
    """Return the expected distance, after the map, of unit vectors at this distance."""
    return float(_law(q).band(np.array([float(distance)]))[0][0])


@fact
def printed_distance(q: int, distance: float) -> float:
    """Return the same by the formula that is printed as Theorem 1."""
    return float(_known(_law(q).as_printed)(np.array([float(distance)]))[0])


def _gaussian_law(gamma: float) -> DistanceLaw:
    return _known(RandomFourier(1000, gamma=float(gamma)).fit(np.zeros((1, 2))).distance_law())


@fact
def gaussian_distance(gamma: float, distance: float) -> float:
    """Return the expected distance, after random Fourier features of a Gaussian kernel, of points at this distance."""
    return float(_gaussian_law(gamma).band(np.array([float(distance)]))[0][0])


@fact
def gaussian_radius(gamma: float) -> float:
    """Return the input distance at which 90% of the plateau of these features are reached."""
    return _known(_gaussian_law(gamma).saturation_radius())


@fact
def maxout_kernel(q: int, cosine: float) -> float:
    """Return the exact kernel of maxout features of two unit vectors with this cosine."""
    return float(kernels.maxout_rho(float(cosine), q))


@fact
def mean_max(q: int) -> float:
    """Return the mean of the largest of q standard normal numbers."""
    return float(kernels.expected_max(q))


@fact
def deviation(q: int, m: int) -> float:
    """Return the RMS distance of the cloud from its curve: 100 points on the circle, m features, seed 0."""
    maps = [RandomMaxout(n_components=int(m), pool_size=int(q), random_state=0)]
    return DistanceSaturation(maps=maps).run("circle").numbers.curves[0].rms_deviation
