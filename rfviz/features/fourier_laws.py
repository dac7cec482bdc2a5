"""Laws of random Fourier features: of embedded distances, of the error of the kernel estimate, and bounds on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rfviz import bounds, kernels
from rfviz.bounds import BoundStatement
from rfviz.features.law import BY_COLUMN, DistanceLaw, ProductLaw
from rfviz.features.spectra import Gaussian, Spectrum

__all__ = ["applicable_bounds", "distance_law", "law_missing", "product_law"]


def law_missing(fourier: Any) -> str:
    """Return why maps of whole images have no :func:`distance_law`, in one sentence; empty where they have."""
    if not fourier._spectrum.isotropic or np.ndim(fourier.gamma):
        return BY_COLUMN
    if not _known(fourier):
        return "How much this way of drawing scatters is not known, so there is no exact band."
    return ""


def distance_law(fourier: Any) -> DistanceLaw | None:
    """Compute the law of :meth:`rfviz.features.RandomFourier.distance_law`."""
    if fourier.law_missing:
        return None
    spectrum: Spectrum = fourier._spectrum
    scale, paired = float(fourier._column_scale()), fourier.paired
    # A pair is one draw, and holds two features.
    draws = fourier.n_components / 2 if paired else fourier.n_components
    together = _pairs_in_blocks(fourier, int(draws))
    gaussian = type(spectrum) is Gaussian

    def moments(distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = spectrum.profile(scale * distance)
        double = None if gaussian else spectrum.profile(2.0 * scale * distance)
        mean, variance = kernels.fourier_squared_distance_moments(k, double, paired=paired)
        variance = variance / draws
        if together:
            # Phases are independent, so they leave no more than the cosines of the difference in common.
            shared = 4.0 * kernels.orthogonal_covariance(k, fourier.n_features_in_)
            variance = np.maximum(variance + together / draws**2 * shared, 0.0)
        return mean, variance

    return DistanceLaw(
        moments=moments,
        slope=scale * float(np.sqrt(spectrum.curvature())),
        plateau=float(np.sqrt(2.0)),
        max_distance=np.inf,
        unit_norm=False,
    )


def product_law(fourier: Any, X: Any) -> ProductLaw | None:
    """Compute the law of :meth:`rfviz.features.RandomFourier.product_law`."""
    if not _known(fourier):
        return None
    k = fourier.kernel(X)
    gaussian = type(fourier._spectrum) is Gaussian
    double = None if gaussian else fourier.kernel(2.0 * X)
    one = kernels.fourier_product_variance(k, double, paired=fourier.paired)
    independent = fourier.draw == "iid"
    shared = None if independent else kernels.orthogonal_covariance(k, fourier.n_features_in_)
    name = "Hoeffding" if independent else ""
    if not fourier.paired:

        def wide(m: int, probability: float) -> float:
            # 2 cos(·) cos(·) lies in an interval of length 4.
            return np.sqrt(8.0 * np.log(2.0 / probability) / m)

        return ProductLaw(lambda m: _variance(fourier, one, shared, m), None, wide if independent else None, name)
    k_sum = fourier.kernel(X, -X)  # k(x + z), and k(2x) on the diagonal
    sum_double = None if gaussian else fourier.kernel(2.0 * X, -2.0 * X)
    twice = np.add.outer(np.diag(k_sum), np.diag(k_sum))
    lone = kernels.fourier_lone_cosine_moments(k, k_sum, twice, double, sum_double)[1]

    def variance(m: int) -> np.ndarray:
        pairs = m // 2
        if m % 2 == 0:
            return _variance(fourier, one, shared, pairs)
        if shared is not None and pairs % fourier.n_features_in_:
            # How a lone cosine varies with the others of its block is not known.
            return np.full_like(k, np.nan)
        whole = _variance(fourier, one, shared, pairs) * (2.0 * pairs / m) ** 2 if pairs else 0.0
        return whole + 4.0 * lone / m**2

    def bound(m: int, probability: float) -> float:
        # ⌈m/2⌉ terms, each in an interval of length 4/m; for an odd m the bias, which is 1/m at most, comes on top.
        return float(np.sqrt(8.0 * (-(-m // 2)) * np.log(2.0 / probability)) / m) + (m % 2) / m

    return ProductLaw(variance, lambda m: k_sum * (m % 2 / m), bound if independent else None, name)


def applicable_bounds(
    fourier: Any, n_pairs: int, dimension: int, diameter: float, variance: float | None
) -> list[BoundStatement]:
    """Return the bounds of :meth:`rfviz.features.RandomFourier.applicable_bounds`, for independent frequencies."""
    spectrum, paired = fourier._spectrum, bool(fourier.paired)
    found = []
    if variance:
        # One term: a cosine in [−1, 1] for a pair of features, a product in [−2, 2] for one with a phase.
        one = bounds.bernstein(0.5 * variance, 2.0, 2) if paired else bounds.bernstein(variance, 3.0)
        found.append(BoundStatement("one pair", one, drawn=False))
    if not paired:
        phases = (bounds.phase_pair(), bounds.phase_pair_hoeffding())
        found += [BoundStatement("one pair", bound, drawn=False) for bound in phases]
    found += bounds.pair_statements(bounds.fourier_pair(paired), n_pairs)
    # σ_p, the root of E‖ω‖².
    sigma = math.sqrt(dimension * float(np.mean(fourier._column_scale() ** 2)) * spectrum.curvature())
    if not math.isfinite(sigma):
        return found
    if paired:
        sharper = bounds.sutherland_pairs(dimension, sigma, diameter, spectrum.cosine_variance)
    else:
        sharper = bounds.sutherland_phases(dimension, sigma, diameter)
    uniform = bounds.fourier_uniform(dimension, sigma, diameter, paired)
    return [*found, BoundStatement("everywhere", sharper), BoundStatement("everywhere", uniform)]


def _variance(fourier: Any, one: np.ndarray, shared: np.ndarray | None, draws: int) -> np.ndarray:
    """Return the variance of the mean over `draws` frequencies, of which those of one block vary together."""
    variance = one / draws
    if shared is not None:
        variance = np.maximum(variance + _pairs_in_blocks(fourier, draws) / draws**2 * shared, 0.0)
    return variance


def _known(fourier: Any) -> bool:
    """Return whether the variance is known: for independent draws, and for orthogonal ones of a Gaussian spectrum."""
    if fourier.receptive_field is not None:
        return False
    return fourier.draw == "iid" or (
        fourier.draw == "orthogonal" and type(fourier._spectrum) is Gaussian and hasattr(fourier, "n_features_in_")
    )


def _pairs_in_blocks(fourier: Any, draws: int) -> int:
    """Count ordered pairs of different frequencies among the first `draws` that share an orthogonal block."""
    if fourier.draw != "orthogonal":
        return 0
    size = fourier.n_features_in_
    whole, rest = divmod(draws, size)
    return whole * size * (size - 1) + rest * (rest - 1)
