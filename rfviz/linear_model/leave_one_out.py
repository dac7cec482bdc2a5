"""Predictions of each row by all other rows, from one eigendecomposition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.backend import array_namespace, check_memory, device_of, to_host
from rfviz.backend.lapack import add_gram

__all__ = ["LeaveOneOut", "device_needs", "leave_one_out", "leave_one_out_of_kernel"]

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

    Sums and products are computed where the features are; the decomposition, of which no time on a GPU is known, on the
    processor.

    Parameters
    ----------
    H : array of shape (n_samples, m)
        Features, of NumPy or CuPy.
    Y : array of shape (n_samples, k)
        Targets.
    alphas : sequence of float, optional
        Penalties to choose from; by default fifteen over seven orders of magnitude, about the mean sum of squares of a
        feature.
    """
    Y = np.asarray(Y, dtype=np.float64)
    (n, m), k = H.shape, Y.shape[1]
    n_alphas = len(_RELATIVE_ALPHAS) if alphas is None else np.size(alphas)
    xp = array_namespace(H)
    check_memory(
        device_needs(n, m, k, n_alphas)[2],
        "cpu" if xp is np else f"cuda:{H.device.id}",
        f"Predictions of {n} rows, {k} targets and {n_alphas} penalties, each row by all others,",
        "Use fewer rows or features.",
    )
    with device_of(H):
        return _left_out(xp, H, xp.asarray(Y), alphas)


def device_needs(n: int, m: int, k: int, n_alphas: int = len(_RELATIVE_ALPHAS)) -> tuple[int, int, int]:
    """Return what predictions of n rows from m features ask of the device that holds the features.

    Returns
    -------
    operations : int
        Of products, in float64.
    moved : int
        Bytes to a GPU and back.
    held : int
        Bytes next to the features.
    """
    operations = 4 * n * m**2 + 2 * n_alphas * n * m * (k + 1)
    held = 8 * (4 * m**2 + 4 * min(n, _BLOCK) * m + 2 * n_alphas * n * (k + 1))
    return operations, 8 * (2 * m**2 + n * (2 * k + 1)), held


def _left_out(xp: Any, H: Any, Y: Any, alphas: Any) -> LeaveOneOut:
    (n, m), k = H.shape, Y.shape[1]
    mean, middle = H.mean(axis=0, dtype=np.float64), Y.mean(axis=0)
    gram, cross = xp.zeros((m, m), order="F"), xp.zeros((m, k))
    for rows, centred in _centred(H, mean):
        gram = add_gram(centred.T, gram, 1.0) if xp is np else gram + centred.T @ centred
        cross += centred.T @ (Y[rows] - middle)
    gram = to_host(gram)
    if alphas is None:
        alphas = _RELATIVE_ALPHAS * max(gram.diagonal().mean(), 1e-12)
    alphas = np.asarray(alphas, dtype=np.float64)
    values, axes = np.linalg.eigh(gram)  # SciPy's holds the interpreter until it ends
    shrunk = xp.asarray(1.0 / (np.maximum(values, 0.0)[:, None] + alphas))  # (m, penalties)
    axes = xp.asarray(axes)
    along = (shrunk[:, :, None] * (axes.T @ cross)[:, None, :]).reshape(m, -1)
    fitted, leverages = xp.empty((len(alphas), n, k)), xp.empty((len(alphas), n))
    # Of features in single precision their own rounding is larger than that of these products.
    axes, shrunk, along, mean = (part.astype(H.dtype, copy=False) for part in (axes, shrunk, along, mean))
    for rows, centred in _centred(H, mean):
        Z = centred @ axes
        fitted[:, rows] = middle + (Z @ along).reshape(-1, len(alphas), k).transpose(1, 0, 2)
        leverages[:, rows] = 1.0 / n + (xp.square(Z, out=Z) @ shrunk).T
    # A row alone in its direction is not predicted by the others: its leverage is 1, up to rounding.
    leverages = xp.minimum(leverages, 1.0 - 1e-9)
    return _best_penalty(Y, fitted, leverages, alphas)


def leave_one_out_of_kernel(K: np.ndarray) -> Callable[[Any], LeaveOneOut]:
    """Return a function of targets, of shape (n_samples, k), that predicts each row by kernel ridge regression.

    It does what :func:`leave_one_out` does on infinitely many features, without a draw. One eigendecomposition, O(n³),
    serves all targets. Penalties are fifteen over seven orders of magnitude, about the mean eigenvalue.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        The kernel of all pairs of rows.
    """
    n = len(K)
    check_memory(8 * 6 * n**2, "cpu", f"The kernel of {n} rows, each predicted by all others,", "Use fewer rows.")
    K = K - K.mean(axis=0)
    K -= K.mean(axis=1)[:, None]
    values, axes = np.linalg.eigh(K)
    values = np.maximum(values, 0.0)
    alphas = _RELATIVE_ALPHAS * max(float(values.mean()), 1e-12)
    kept = values / (values + alphas[:, None])  # (penalties, n)
    leverages = np.minimum(1.0 / n + kept @ (axes**2).T, 1.0 - 1e-9)

    def predict(Y: Any) -> LeaveOneOut:
        Y = np.asarray(Y, dtype=np.float64)
        middle = Y.mean(axis=0)
        along = axes.T @ (Y - middle)
        fitted = axes @ (kept.T[:, :, None] * along[:, None, :]).reshape(n, -1)
        fitted = middle + fitted.reshape(n, len(alphas), -1).transpose(1, 0, 2)
        return _best_penalty(Y, fitted, leverages, alphas)

    return predict


def _best_penalty(Y: Any, fitted: Any, leverages: Any, alphas: np.ndarray) -> LeaveOneOut:
    """Return the predictions with the smallest error; fits and leverages are given for each penalty."""
    predictions = Y - (Y - fitted) / (1.0 - leverages)[:, :, None]
    errors = to_host(((predictions - Y) ** 2).mean(axis=(1, 2)))
    best = int(np.argmin(errors))
    return LeaveOneOut(to_host(predictions[best]), to_host(leverages[best]), float(alphas[best]), errors)


def _centred(H: Any, mean: Any) -> Iterator[tuple[slice, Any]]:
    for start in range(0, len(H), _BLOCK):
        rows = slice(start, start + _BLOCK)
        yield rows, H[rows] - mean
