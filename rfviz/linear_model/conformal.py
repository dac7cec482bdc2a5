"""Intervals and sets that hold the answer with a given probability, from the predictions of each row by all others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from rfviz.backend import check_memory
from rfviz.errors import DataError
from rfviz.inputs import as_numbers, as_rows, as_vector
from rfviz.linear_model.leave_one_out import leave_one_out
from rfviz.params import Param

__all__ = ["at_least", "prediction_intervals", "prediction_sets"]

_LEVEL = Param("level", 0.9, "float", low=0.0, open_low=True, high=0.9999)
_ALPHA = Param("alpha", 1.0, "float", low=0.0, open_low=True, help="None chooses one by leave-one-out.")
_BLOCK, _FEWEST_ROWS = 256, 3


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
    H : array-like or sparse matrix of shape (n_samples, m)
        Features; of sparse ones all zeros are stored.
    y : array-like of shape (n_samples,)
    H_new : array-like or sparse matrix of shape (n_new, m)
        May hold no row.
    alpha : float, optional
        Penalty above 0; by default the one with the smallest leave-one-out error.

    Returns
    -------
    ndarray of shape (n_new, 2)
        Lower and upper ends; infinite where there are too few rows for the level.

    Raises
    ------
    ParameterError
        If `level` or `alpha` is out of its range.
    DataError
        For anything but finite numbers, fewer than three rows, a `y` of another length, or other columns in `H_new`.
    MemoryBudgetError
        If the fits would not fit in memory.

    References
    ----------
    R. Barber et al., "Predictive inference with the jackknife+", 2021.
    """
    level, alpha = _LEVEL.validate(level), _penalty(alpha)
    H, H_new = _features(H, H_new)
    n, ends = len(H), [np.empty((0, 2))]
    rank = at_least(level, n + 1)
    for fits, residuals, _ in _without_each(H, as_numbers(y, n)[:, None], H_new, alpha):
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
    """Return the classes that new rows can have, by the same method and with the same guarantee as the intervals.

    A class stays unless the fits without each row score it lower for the new row than they score that row's own class,
    for too many of the rows. Sets can be empty: such a row is unlike all classes.

    Parameters
    ----------
    H : array-like or sparse matrix of shape (n_samples, m)
        Features; of sparse ones all zeros are stored.
    y : array-like of shape (n_samples,)
        Labels.
    H_new : array-like or sparse matrix of shape (n_new, m)
        May hold no row.
    level, alpha
        See :func:`prediction_intervals`.

    Returns
    -------
    classes : ndarray of shape (k,)
    sets : ndarray of bool, shape (n_new, k)

    Raises
    ------
    ParameterError, DataError, MemoryBudgetError
        As for :func:`prediction_intervals`, and for labels that are missing or of a single class.
    """
    level, alpha = _LEVEL.validate(level), _penalty(alpha)
    H, H_new = _features(H, H_new)
    classes, place = np.unique(as_vector(y, len(H)), return_inverse=True)
    if len(classes) < 2:
        raise DataError("y must hold two classes at least; here is a single one. Use other data.")
    codes = np.where(place[:, None] == np.arange(len(classes)), 1.0, -1.0)
    rows, sets = np.arange(len(codes)), [np.empty((0, len(classes)), dtype=bool)]
    for fits, _, predictions in _without_each(H, codes, H_new, alpha):
        own = predictions[rows, place]
        n_better = np.sum(fits < own[:, None], axis=1)
        sets.append(n_better < at_least(level, len(codes) + 1))
    return classes, np.concatenate(sets)


def at_least(level: float, n: int) -> int:
    """Return the smallest number of `n` rows that is the share `level` of them, or more."""
    return math.ceil(level * n * (1.0 - 1e-13))  # 0.55 · 100 is 55.00000000000001


def _penalty(alpha: float | None) -> float | None:
    return None if alpha is None else _ALPHA.validate(alpha)


def _features(H: Any, H_new: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of known and of new rows as arrays in float64.

    Raises
    ------
    DataError
    """
    H, H_new = (as_rows(rows, name).astype(np.float64, copy=False) for rows, name in ((H, "H"), (H_new, "H_new")))
    if len(H) < _FEWEST_ROWS or not H.shape[1]:
        raise DataError(f"H must hold {_FEWEST_ROWS} rows and a column at least; its shape is {H.shape}.")
    if H_new.shape[1] != H.shape[1]:
        raise DataError(
            f"H_new must have the {H.shape[1]} columns of H; it has {H_new.shape[1]}. Map both by the same features."
        )
    return H, H_new


def _without_each(
    H: np.ndarray, Y: np.ndarray, H_new: np.ndarray, alpha: float | None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for blocks of new rows: fits without each row (new, n, k), leave-one-out residuals, and predictions."""
    n, m = H.shape
    check_memory(
        8 * (2 * m**2 + n * m + 4 * _BLOCK * n * Y.shape[1]),
        "cpu",
        f"Fits without each of {n} rows",
        "Use fewer rows or features.",
    )
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
