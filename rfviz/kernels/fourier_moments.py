"""Variance of random Fourier features, as a function of the kernel they approximate.

For k(x, z) = k(δ), δ = x − z, and frequencies ω from its spectrum, E cos ω·δ = k(δ) and E cos² ω·δ = (1 + k(2δ))/2. One
draw of ω gives either

- a *pair* (cos ω·x, sin ω·x): product cos ω·δ, squared distance 2 − 2 cos ω·δ; or
- a *shifted* cosine √2 cos(ω·x + b), b uniform on the circle: product cos ω·δ + cos(ω·(x + z) + 2b), squared distance
  2(1 − cos ω·δ)(1 − cos(ω·(x + z) + 2b)). Its norm is random too, and so are the distances of points far apart.

The second cosine is uniform on the circle and independent of the first. ("Random Features for Large-Scale Kernel
Machines" has both forms.) A map with m output features averages m/2 pairs, or m shifted cosines: divide by that. For
the Gaussian kernel pairs then estimate the kernel better everywhere, and squared distances where k < √2 − 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.kernels._inputs import check_range

__all__ = ["fourier_lone_cosine_moments", "fourier_product_variance", "fourier_squared_distance_moments"]

_VALUE = "a value of a normalised kernel"


def fourier_product_variance(kernel: Any, kernel_double: Any = None, *, paired: bool = True) -> np.ndarray:
    """Return the variance that one draw of ω contributes to the kernel estimate.

    Paired: (1 + k(2δ))/2 − k(δ)². Shifted: ½ more.

    Parameters
    ----------
    kernel : float or array-like
        k(δ), from −1 to 1.
    kernel_double : float or array-like, optional
        k(2δ). Where None, that of the Gaussian kernel, k(δ)⁴, for which the paired form is (1 − k²)²/2.
    paired : bool
        Cosine and sine pairs, or one cosine with a random shift.

    Returns
    -------
    ndarray of the shape of `kernel`

    Raises
    ------
    ParameterError
        If a kernel value is out of range.
    """
    k = check_range("kernel", kernel, -1.0, 1.0, _VALUE)
    if kernel_double is None:
        variance = (1.0 - k * k) ** 2 / 2.0
    else:
        variance = np.maximum((1.0 + _check_double(kernel_double)) / 2.0 - k * k, 0.0)
    return variance if paired else variance + 0.5


def fourier_lone_cosine_moments(
    kernel: Any, kernel_sum: Any, kernel_twice: Any, kernel_double: Any = None, sum_double: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of cos ω·x cos ω·z: what a pair leaves where its sine is missing.

    The product is half of cos ω·δ + cos ω·s with s = x + z, so its mean is (k(δ) + k(s))/2, and its second moment
    [(1 + k(2δ))/2 + (1 + k(2s))/2 + k(2x) + k(2z)]/4. A paired map whose number of features m is odd ends in such a
    product, which makes the bias of its kernel estimate k(x + z)/m.

    Parameters
    ----------
    kernel, kernel_sum : array-like
        k(x − z) and k(x + z), from −1 to 1.
    kernel_twice : array-like
        k(2x) + k(2z), from −2 to 2.
    kernel_double, sum_double : array-like, optional
        k(2δ) and k(2s). Where None, those of the Gaussian kernel, k(δ)⁴ and k(s)⁴.

    Returns
    -------
    mean, variance : ndarray of the common shape

    Raises
    ------
    ParameterError
        If a value is out of range.
    """
    k = check_range("kernel", kernel, -1.0, 1.0, _VALUE)
    s = check_range("kernel_sum", kernel_sum, -1.0, 1.0, _VALUE)
    twice = check_range("kernel_twice", kernel_twice, -2.0, 2.0, "a sum of two values of a normalised kernel")
    doubles = k**4 if kernel_double is None else _check_double(kernel_double)
    doubles = doubles + (s**4 if sum_double is None else _check_double(sum_double))
    mean = (k + s) / 2.0
    return mean, np.maximum((1.0 + doubles / 2.0 + twice) / 4.0 - mean * mean, 0.0)


def fourier_squared_distance_moments(
    kernel: Any, kernel_double: Any = None, *, paired: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance that one draw of ω contributes to the squared embedded distance.

    The mean is 2(1 − k). Variance, with e = E (1 − cos ω·δ)² = 1 − 2k + (1 + k(2δ))/2: paired 4(e − (1 − k)²); shifted
    6e − 4(1 − k)². For the Gaussian kernel these are 2(1 − k²)² and (1 − k)²(3k² + 6k + 5).

    Parameters
    ----------
    kernel, kernel_double, paired
        As for :func:`fourier_product_variance`.

    Returns
    -------
    mean, variance : ndarray of the shape of `kernel`

    Raises
    ------
    ParameterError
        If a kernel value is out of range.
    """
    k = check_range("kernel", kernel, -1.0, 1.0, _VALUE)
    gap = 1.0 - k
    if kernel_double is None:
        # (1 − k)² taken out of e by hand, so that close points keep their digits.
        variance = 2.0 * (gap * (1.0 + k)) ** 2 if paired else gap**2 * (3.0 * k * k + 6.0 * k + 5.0)
        return 2.0 * gap, variance
    second = 1.0 - 2.0 * k + (1.0 + _check_double(kernel_double)) / 2.0
    variance = 4.0 * (second - gap**2) if paired else 6.0 * second - 4.0 * gap**2
    return 2.0 * gap, np.maximum(variance, 0.0)


def _check_double(kernel_double: Any) -> np.ndarray:
    return check_range("kernel_double", kernel_double, -1.0, 1.0, _VALUE)
