"""Arc-cosine kernels of degree 0 and 1: what infinitely many step or ReLU units compute, normalised to 1 at ρ = 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.errors import ParameterError
from rfviz.kernels._inputs import check_range, pairwise_cosines

__all__ = ["arccos", "arccos_rho", "profile"]

_PI = float(np.pi)
_DEGREES = (0, 1)


def arccos(X: Any, Y: Any = None, degree: int = 1) -> Any:
    """Return the arc-cosine kernel between all rows of `X` and `Y`: E 2 h(⟨w, x⟩) h(⟨w, z⟩) for w ~ N(0, I).

    h is the step function for degree 0, with kernel 1 − θ/π; and the ReLU for degree 1, with kernel
    ‖x‖‖z‖ (sin θ + (π − θ) cos θ)/π; θ is the angle between x and z. (Cho and Saul, "Kernel Methods for Deep
    Learning", 2009, whose kernels are these but for their scale at degree 1.)

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None, with an exact diagonal.
    degree : {0, 1}

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`. A zero row gives zeros with degree 1; with degree 0 it counts as orthogonal to
        all other rows.

    Raises
    ------
    ParameterError
        If `degree` is neither 0 nor 1.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    _check_degree(degree)
    xp, cosines, norms_X, norms_Y = pairwise_cosines(X, Y)
    kernel = profile(xp, cosines, degree)
    if degree == 1:
        kernel *= xp.multiply(norms_X[:, None], norms_Y[None, :], out=cosines)
    return kernel


def arccos_rho(rho: Any, degree: int = 1) -> Any:
    """Return the normalised arc-cosine kernel at cosines ρ: the dual activation of the step or the ReLU.

    Parameters
    ----------
    rho : float or array-like
        Cosines from −1 to 1; an excess of rounding size is clipped.
    degree : {0, 1}

    Returns
    -------
    ndarray of the shape of `rho`
        From 0 at ρ = −1 to 1 at ρ = 1. The derivative of degree 1 is degree 0.

    Raises
    ------
    ParameterError
        If `rho` or `degree` is out of range.
    """
    _check_degree(degree)
    return profile(np, check_range("rho", rho, -1.0, 1.0, "a cosine"), degree)


def profile(xp: Any, rho: Any, degree: int) -> Any:
    """Evaluate the kernel at cosines that are known to lie within −1 and 1, on either array module."""
    if degree == 0:
        return 1.0 - xp.arccos(rho) / _PI
    return (xp.sqrt(1.0 - rho * rho) + (_PI - xp.arccos(rho)) * rho) / _PI


def _check_degree(degree: Any) -> None:
    if isinstance(degree, bool) or degree not in _DEGREES:
        raise ParameterError("degree", "must be 0 (step) or 1 (ReLU)", degree, "Try degree=1.")
