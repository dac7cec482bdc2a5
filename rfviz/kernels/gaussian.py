"""The Gaussian kernel exp(−γ‖x − y‖²)."""

from __future__ import annotations

from typing import Any

from rfviz.kernels._inputs import pairwise_squared_distances
from rfviz.params import Param

__all__ = ["gaussian"]

GAMMA = Param(
    name="gamma",
    default=1.0,
    kind="float",
    low=0.0,
    open_low=True,
    log=True,
    symbol=r"\gamma",
    label="Gamma",
    help="Inverse squared length scale: σ = 1/√(2γ). Larger values see smaller distances.",
)


def gaussian(X: Any, Y: Any = None, gamma: float = 1.0) -> Any:
    """Return the Gaussian kernel exp(−γ‖x − y‖²) between all rows of `X` and `Y`.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None, with a diagonal of exact ones.
    gamma : float
        γ = 1/(2σ²) > 0.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, from 0 to 1, on the device of `X`. Squared distances are good to 1e-12 of themselves, also between near
        rows of data of a large extent.

    Raises
    ------
    ParameterError
        If `gamma` is not a positive number.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    gamma = GAMMA.validate(gamma)
    xp, kernel = pairwise_squared_distances(X, Y)
    kernel *= -gamma
    return xp.exp(kernel, out=kernel)
