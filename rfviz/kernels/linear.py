"""The linear kernel, which random projections approximate."""

from __future__ import annotations

from typing import Any

from rfviz import backend
from rfviz.kernels._inputs import as_pair

__all__ = ["linear"]


def linear(X: Any, Y: Any = None) -> Any:
    """Return the inner products ⟨x, y⟩ between all rows of `X` and `Y`.

    A Gaussian random projection is a maxout feature with a pool of one, so that the moments of its estimate are those
    of :mod:`rfviz.kernels.maxout_moments` with ``pool_size=1``: the squared distance has variance 2‖x − y‖⁴/m.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`.

    Raises
    ------
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    _, X, Y = as_pair(X, Y)
    return backend.inner_products(X, Y)
