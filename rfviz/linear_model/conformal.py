"""Intervals and sets that hold the answer with a given probability, from the predictions of each row by all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from rfviz.backend import check_memory
from rfviz.linear_model.leave_one_out import leave_one_out
from rfviz.params import Param

__all__ = ["prediction_intervals", "prediction_sets"]

_LEVEL = Param("level", 0.9, "float", low=0.0, open_low=True, high=0.9999)
_BLOCK = 256


def prediction_intervals(H: Any, y: Any, H_new: Any, level: float = 0.9, alpha: float | None = None) -> np.ndarray:
    r"""Return intervals that hold the targets of new rows, by the jackknife+ for ridge regression with an intercept.

    With :math:`R_i` the leave-one-out residuals and :math:`f_{-i}` the fit without row i, the ends are quantiles of
    :math:`f_{-i}(x) \mp |R_i|` over the rows. No model is fitted twice.

    For rows that are exchangeable with those of `H`, features and penalty that do not depend on `y`, at least
    2·level − 1 of the targets lie within in the worst case (level 0.9: 80%), whatever their distribution. About `level`
    do where leaving out a row changes the fit little. A penalty chosen by leave-one-out errors voids the proof, and
    changes little in practice.

    Parameters
    ----------
    H : array of shape (n_samples, m)
        Features.
    y : array of shape (n_samples,)
    H_new : array of shape (n_new, m)
    level : float
    alpha : float, optional
        Penalty; by default the one with the smallest leave-one-out error.

    Returns
    -------
    ndarray of shape (n_new, 2)
        Lower and upper ends; infinite where there are too few rows for the level.

    References
    ----------
    R. Barber et al., "Predictive inference with the jackknife+", 2021.
    """
    level = _LEVEL.validate(level)
    n, ends = len(H), []
    rank = int(np.ceil(level * (n + 1)))
    for fits, residuals, _ in _without_each(H, np.asarray(y, dtype=np.float64).reshape(n, 1), H_new, alpha):
        size = np.abs(residuals[:, 0])
        if rank > n:
            ends.append(np.tile([-np.inf, np.inf], (len(fits), 1)))
            continue
        low = np.partition(fits[:, :, 0] - size, n - rank, axis=1)[:, n - rank]
        high = np.partition(fits[:, :, 0] + size, rank - 1, axis=1)[:, rank - 1]
        ends.append(np.column_stack([low, high]))
    return np.concatenate(ends)


def prediction_sets(
    H: Any, y: Any, H_new: Any, level: float = 0.9, alpha: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return which classes new rows can have, by the same means and with the same promise as the intervals.

    A class stays unless the fits without each row score it lower for the new row than they score that row's own class,
    for too many of the rows. Sets can be empty: such a row is unlike all classes.

    Parameters
    ----------
    H : array of shape (n_samples, m)
        Features.
    y : array of shape (n_samples,)
        Labels.
    H_new : array of shape (n_new, m)
    level, alpha
        See :func:`prediction_intervals`.

    Returns
    -------
    classes : ndarray of shape (k,)
    sets : ndarray of bool, shape (n_new, k)
    """
    level = _LEVEL.validate(level)
    classes, place = np.unique(np.asarray(y), return_inverse=True)
    codes = np.where(place[:, None] == np.arange(len(classes)), 1.0, -1.0)
    rows, sets = np.arange(len(codes)), []
    for fits, _, predictions in _without_each(H, codes, H_new, alpha):
        own = predictions[rows, place]
        n_better = np.sum(fits < own[:, None], axis=1)
        sets.append(n_better < level * (len(codes) + 1))
    return classes, np.concatenate(sets)


def _without_each(
    H: Any, Y: np.ndarray, H_new: Any, alpha: float | None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for blocks of new rows: fits without each row (new, n, k), leave-one-out residuals, and predictions."""
    H, H_new = np.asarray(H, dtype=np.float64), np.asarray(H_new, dtype=np.float64)
    n, m = H.shape
    check_memory(8 * (2 * m**2 + n * m + 4 * _BLOCK * n * Y.shape[1]), "cpu", f"Fits without each of {n} rows",
                 "Use fewer rows or features.")  # fmt: skip
    found = leave_one_out(H, Y, None if alpha is None else [alpha])
    residuals = Y - found.predictions
    mean, middle = H.mean(axis=0), Y.mean(axis=0)
    centred = H - mean
    gram = centred.T @ centred
    gram[np.diag_indices(m)] += found.alpha
    factor = cho_factor(gram, lower=True)
    coef = cho_solve(factor, centred.T @ (Y - middle))
    for start in range(0, len(H_new), _BLOCK):
        new = H_new[start : start + _BLOCK] - mean
        # How much a row pulls the fit at a new one.
        pull = 1.0 / n + cho_solve(factor, new.T).T @ centred.T
        yield (middle + new @ coef)[:, None, :] - pull[:, :, None] * residuals, residuals, found.predictions
