"""Predictions of each row by all other rows, from one eigendecomposition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.backend import check_memory

__all__ = ["LeaveOneOut", "leave_one_out"]

# Penalties relative to the mean sum of squares of a feature.
_RELATIVE_ALPHAS = np.logspace(-6, 1, 15)
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Ridge regression with an intercept, fitted to all rows but the one that it predicts.

    Attributes
    ----------
    predictions : ndarray of shape (n_samples, k)
    leverages : ndarray of shape (n_samples,)
        Share of a row's own target in what the fit to all rows says of it, in (0, 1).
    alpha : float
        The penalty whose predictions have the smallest squared error.
    errors : ndarray of shape (len(alphas),)
        Mean squared errors by penalty.
    """

    predictions: np.ndarray
    leverages: np.ndarray
    alpha: float
    errors: np.ndarray


def leave_one_out(H: Any, Y: Any, alphas: Any = None) -> LeaveOneOut:
    r"""Predict each row by ridge regression on all others.

    No model is fitted twice: with the leverages :math:`h_i` of the fit to all rows, the prediction without row i is

    .. math:: y_i - \frac{y_i - \hat y_i}{1 - h_i}, \qquad
        h_i = \tfrac1n + \tilde h_i^\top (\tilde H^\top \tilde H + \alpha I)^{-1} \tilde h_i

    where :math:`\tilde H` are the features about their means. O(n·m² + m³), whatever the number of penalties.

    Parameters
    ----------
    H : array of shape (n_samples, m)
        Features.
    Y : array of shape (n_samples, k)
        Targets.
    alphas : sequence of float, optional
        Penalties to choose from; by default fifteen over seven orders of magnitude, about the mean sum of squares of a
        feature.
    """
    Y = np.asarray(Y, dtype=np.float64)
    (n, m), k = H.shape, Y.shape[1]
    n_alphas = len(_RELATIVE_ALPHAS) if alphas is None else np.size(alphas)
    check_memory(
        8 * (4 * m**2 + 4 * min(n, _BLOCK) * m + 2 * n_alphas * n * (k + 1)),
        "cpu",
        f"Predictions of {n} rows, {k} targets and {n_alphas} penalties, each row by all others,",
        "Use fewer rows or features.",
    )
    mean, middle = H.mean(axis=0, dtype=np.float64), Y.mean(axis=0)
    gram, cross = np.zeros((m, m)), np.zeros((m, k))
    for rows, centred in _centred(H, mean):
        gram += centred.T @ centred
        cross += centred.T @ (Y[rows] - middle)
    if alphas is None:
        alphas = _RELATIVE_ALPHAS * max(gram.diagonal().mean(), 1e-12)
    alphas = np.asarray(alphas, dtype=np.float64)
    values, axes = np.linalg.eigh(gram)  # SciPy's holds the interpreter until it ends
    shrunk = 1.0 / (np.maximum(values, 0.0)[:, None] + alphas)  # (m, penalties)
    along = axes.T @ cross
    fitted, leverages = np.empty((len(alphas), n, k)), np.empty((len(alphas), n))
    for rows, centred in _centred(H, mean):
        Z = centred @ axes
        for a in range(len(alphas)):
            fitted[a, rows] = middle + Z @ (shrunk[:, a, None] * along)
        leverages[:, rows] = 1.0 / n + (np.square(Z, out=Z) @ shrunk).T
    # A row alone in its direction is not predicted by the others: its leverage is 1, up to rounding.
    leverages = np.minimum(leverages, 1.0 - 1e-9)
    predictions = Y - (Y - fitted) / (1.0 - leverages)[:, :, None]
    errors = np.mean((predictions - Y) ** 2, axis=(1, 2))
    best = int(np.argmin(errors))
    return LeaveOneOut(predictions[best], leverages[best], float(alphas[best]), errors)


def _centred(H: Any, mean: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    for start in range(0, len(H), _BLOCK):
        rows = slice(start, start + _BLOCK)
        yield rows, H[rows] - mean
