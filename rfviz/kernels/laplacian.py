"""The Laplacian kernel exp(−γ‖x − y‖₁), and any other product of one function of each column's distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from rfviz.kernels._inputs import as_pair
from rfviz.kernels.gaussian import GAMMA

__all__ = ["columnwise", "laplacian"]

# Numbers of the differences that are held at once.
_AT_ONCE = 2_000_000


def laplacian(X: Any, Y: Any = None, gamma: float = 1.0) -> Any:
    """Return the Laplacian kernel exp(−γ‖x − y‖₁) between all rows of `X` and `Y`.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.
    gamma : float
        γ > 0, one over a length.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, from 0 to 1, on the device of `X`.

    Raises
    ------
    ParameterError
        If `gamma` is not a positive number.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    gamma = GAMMA.validate(gamma)
    xp, X, Y = as_pair(X, Y)
    distances = cdist(X, Y, "cityblock") if xp is np else _city_block(xp, X, Y)
    distances *= -gamma
    return xp.exp(distances, out=distances)


def _city_block(xp: Any, X: Any, Y: Any) -> Any:
    distances = xp.empty((X.shape[0], Y.shape[0]), dtype=np.float64)
    rows = max(_AT_ONCE // max(Y.shape[0] * X.shape[1], 1), 1)
    for start in range(0, X.shape[0], rows):
        part = slice(start, start + rows)
        distances[part] = xp.abs(X[part, None, :] - Y[None, :, :]).sum(axis=2)
    return distances


def columnwise(X: Any, Y: Any = None, *, profile: Callable[[Any], Any], gamma: Any = 1.0) -> Any:
    """Return the kernel Π_j k(γ_j|x_j − y_j|) between all rows of `X` and `Y`.

    Parameters
    ----------
    X, Y
        As for :func:`laplacian`.
    profile : callable
        k, from an array of distances t ≥ 0 to an array of that shape.
    gamma : float or array of shape (n_features,)
        γ_j > 0, one over a length.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`.
    """
    xp, X, Y = as_pair(X, Y)
    widths = np.broadcast_to(np.asarray(gamma, dtype=np.float64), X.shape[1:])
    kernel = xp.ones((X.shape[0], Y.shape[0]), dtype=np.float64)
    for j, width in enumerate(widths):
        kernel *= profile(float(width) * xp.abs(X[:, j, None] - Y[None, :, j]))
    return kernel
