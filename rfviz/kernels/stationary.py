"""The Cauchy and Matérn kernels, each with the gamma of its spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, kv

from rfviz.backend import array_namespace, to_host
from rfviz.kernels._inputs import pairwise_squared_distances
from rfviz.kernels.gaussian import GAMMA
from rfviz.kernels.laplacian import columnwise
from rfviz.params import Param

__all__ = ["cauchy", "matern", "matern_rho"]

# Beyond it the kernel is 0, and its factors overflow.
_FARTHEST = 1e3
NU = Param("nu", 1.5, "float", low=0.1, high=50.0, symbol=r"\nu", label="Smoothness ν")


def cauchy(X: Any, Y: Any = None, gamma: float = 1.0) -> Any:
    """Return the Cauchy kernel Π_j 1/(1 + γ²(x_j − y_j)²) between all rows of `X` and `Y`.

    Parameters, result and errors are those of :func:`rfviz.kernels.laplacian`; γ > 0 is one over a length.
    """
    return columnwise(X, Y, profile=lambda t: 1.0 / (1.0 + t * t), gamma=GAMMA.validate(gamma))


def matern(X: Any, Y: Any = None, gamma: float = 1.0, nu: float = 1.5) -> Any:
    """Return the Matérn kernel between all rows of `X` and `Y`, a function of the distance r = ‖x − y‖.

    With the length scale ℓ = σ = 1/√(2γ) and t = √(2ν)·r/ℓ it is 2^(1−ν)/Γ(ν)·t^ν·K_ν(t), K_ν the modified Bessel
    function: e^(−t) for ν = ½, (1 + t)e^(−t) for ν = 3/2, (1 + t + t²/3)e^(−t) for ν = 5/2, and the Gaussian kernel
    exp(−γr²) in the limit of a large ν. scikit-learn's ``Matern(length_scale=ℓ, nu=ν)``.

    Parameters
    ----------
    X, Y
        As for :func:`rfviz.kernels.laplacian`.
    gamma : float
        γ = 1/(2ℓ²) > 0.
    nu : float
        Smoothness ν, from 0.1 to 50: the kernel's draws have ⌈ν⌉ − 1 derivatives.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, from 0 to 1, on the device of `X`.

    Raises
    ------
    ParameterError
        If `gamma` or `nu` is out of range.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    gamma = GAMMA.validate(gamma)
    xp, squares = pairwise_squared_distances(X, Y)
    return matern_rho(xp.sqrt(2.0 * gamma * squares), nu)


def matern_rho(distance: Any, nu: float = 1.5) -> Any:
    """Return the Matérn kernel of :func:`matern` at distances in units of its length scale ℓ.

    Parameters
    ----------
    distance : array
        r/ℓ ≥ 0, NumPy or CuPy.

    Returns
    -------
    array of the shape of `distance`

    Raises
    ------
    ParameterError
        If `nu` is out of range.
    """
    nu = NU.validate(nu)
    xp = array_namespace(distance)
    t = xp.minimum(np.sqrt(2.0 * nu) * distance, _FARTHEST)
    if nu in (0.5, 1.5, 2.5):
        polynomial = {0.5: 1.0, 1.5: 1.0 + t, 2.5: 1.0 + t + t * t / 3.0}[nu]
        return polynomial * xp.exp(-t)
    t = to_host(t)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = np.exp((1.0 - nu) * np.log(2.0) - gammaln(nu) + nu * np.log(t)) * kv(nu, t)
    # Close to 0 the Bessel function overflows, where the kernel is 1 to all digits but those of its parabola.
    near = 1.0 - t * t / (4.0 * (nu - 1.0)) if nu > 1.0 else 1.0
    values = np.where(np.isfinite(values), np.minimum(values, 1.0), near)
    return xp.asarray(values)
