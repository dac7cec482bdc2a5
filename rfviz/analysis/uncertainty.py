"""How far off predictions are, and where: intervals and sets from predictions of each row by all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.analysis.left_out import features_beside
from rfviz.errors import DataError
from rfviz.features import RandomFourier
from rfviz.inputs import as_numbers, as_rows, as_vector
from rfviz.linear_model.conformal import at_least
from rfviz.linear_model.leave_one_out import leave_one_out
from rfviz.params import Param

__all__ = ["Intervals", "class_sets", "find_intervals"]

# Features that the size of residuals is learnt from; a residual of 0 counts as this share of the median one.
_FEATURES, _SMALLEST, _FEWEST_ROWS = 200, 1e-2, 3
_LEVEL = Param("level", 0.9, "float", low=0.0, open_low=True, high=0.9999)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals about the prediction of each row by all others.

    Attributes
    ----------
    width : float
        Half of the width that, the same for all rows, holds the given share of them.
    widths : ndarray of shape (n_samples,)
        Half of the width of each row's own interval, proportional to the size of residuals of rows like it.
    inside, inside_own : ndarray of bool, shape (n_samples,)
        Whether the target lies in the interval of one width, and in the row's own.
    """

    width: float
    widths: np.ndarray
    inside: np.ndarray
    inside_own: np.ndarray


def find_intervals(X: Any, residuals: Any, level: float = 0.9, random_state: int = 0) -> Intervals:
    """Return intervals of one width, and of a width that follows the size of the residuals.

    The logarithm of that size is predicted by ridge regression on the columns and random Fourier features of them, each
    row by the fit without it. Quantiles of the residuals are those of all other rows, as in the jackknife.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Columns of similar scale.
    residuals : array-like of shape (n_samples,)
        Of predictions of each row by all others.
    level : float
        Share of the rows that the intervals shall hold.

    Raises
    ------
    ParameterError
        For a level that is not between 0 and 1.
    DataError
        For anything but finite numbers, fewer than three rows, or residuals of another number of rows.
    """
    level, X = _LEVEL.validate(level), as_rows(X, keep_sparse=True)
    n = X.shape[0]
    if n < _FEWEST_ROWS:
        raise DataError(f"Intervals are found for {_FEWEST_ROWS} rows at least; here are {n}.")
    size = np.abs(as_numbers(residuals, n, "residuals"))
    width = min(_FEATURES, n)
    columns = []
    if X.shape[1] < n / 4:
        plain = X.toarray() if sparse.issparse(X) else X
        columns = [plain / np.sqrt(X.shape[1])]
    H = features_beside(RandomFourier(width, gamma="median", random_state=random_state), X, columns)
    smallest = max(_SMALLEST * float(np.median(size)), 1e-300)
    spread = np.exp(leave_one_out(H, np.log(np.maximum(size, smallest))[:, None]).predictions[:, 0])
    one, inside = _quantiles(size, level)
    own, inside_own = _quantiles(size / spread, level)
    return Intervals(one, own * spread, inside, inside_own)


def _quantiles(size: np.ndarray, level: float) -> tuple[float, np.ndarray]:
    """Return the size that a share of the rows does not exceed, and which do not exceed that of all other rows."""
    n = len(size)
    rank = min(at_least(level, n), n - 1)  # among the n − 1 others
    ordered = np.sort(size)
    # Without a row below it, the limit is the next larger one.
    limits = np.where(size <= ordered[rank - 1], ordered[rank], ordered[rank - 1])
    return float(ordered[rank - 1]), size <= limits


def class_sets(scores: Any, given: Any, level: float = 0.9) -> np.ndarray:
    """Return the classes that each row can have, such that a share `level` of the rows has its own among them.

    A class stays if the fit to all other rows scores it no lower than it scores their own classes for the share of rows
    that may be missed; the class with the largest score always stays, so that more rows than asked for may have theirs.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes)
        Of predictions of each row by all others.
    given : array-like of int, shape (n_samples,)
        The class of each row, from 0.

    Returns
    -------
    ndarray of bool, shape (n_samples, n_classes)

    Raises
    ------
    ParameterError
        For a level that is not between 0 and 1.
    DataError
        For scores that are not finite numbers, or anything but one of their columns for each row.
    """
    level, scores = _LEVEL.validate(level), as_rows(scores, "scores")
    given = as_vector(given, len(scores), "given")
    if given.dtype.kind not in "iu" or not len(given) or given.min() < 0 or given.max() >= scores.shape[1]:
        raise DataError(f"given must hold a class for each row, from 0 to {scores.shape[1] - 1}. Encode labels first.")
    rows = np.arange(len(given))
    own = np.sort(scores[rows, given])
    sets = scores >= own[len(own) - at_least(level, len(own))]
    sets[rows, scores.argmax(axis=1)] = True
    return sets
