"""Rows whose label, or whose number to predict, the other rows contradict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import sparse
from scipy.stats import norm, rankdata

from rfviz.analysis.left_out import features_beside
from rfviz.errors import DataError
from rfviz.features import RandomConvolution, RandomFourier
from rfviz.inputs import as_numbers, as_rows, as_vector
from rfviz.linear_model.leave_one_out import LeaveOneOut, leave_one_out, leave_one_out_of_kernel

__all__ = ["LabelErrors", "TargetErrors", "find_label_errors", "find_target_errors"]

# Up to 2,000 rows the kernel itself is used: no draw of features decides then which rows are told. Of more rows the
# predictions of a few draws are averaged, which costs no more than one draw of twice as many features, and varies less.
_EXACT_ROWS, _DRAWS, _FEATURES, _IMAGE_FEATURES = 2000, 4, 500, 6000
_PATCH, _GRID = 7, 3
# Rows of a class below which nothing is said of it.
_SMALLEST_CLASS = 5
# Share of a class that may lie among another one without being contradicted for certain, where a row of it can be.
_OVERLAP = 0.1
# Share of a class that may lie among others at all, and of all rows: where more do, the model is what errs. Of labels
# that mean nothing half of the rows do, give or take the root of their number.
_MISFIT, _MISFIT_ALL = 0.45, 0.3
# Rows beyond a gap are this many times as many as those in it, at least, and these a small share of their class.
_GAP, _BETWEEN = 2.0, 0.05
# Of normal residuals one in a hundred tables has one that is called outlying; a heavy tail has this many times fewer
# rows beyond the limit than in the stretch before it.
_FALSE_ALARM, _STRETCH, _APART = 0.01, 0.8, 2.0
# A larger share of outlying residuals is a heavy tail, too.
_MOST_WRONG = 0.05
# Rows with the nearest predictions, whose residuals say how large one usually is there.
_NEAR = 30
# Of a target whose one half reaches this many times as far as the other, or nine tenths this many times as far as the
# middle half, residuals have no common size: the share of the rows up to each number is judged.
_SKEWED, _HEAVY = 2.0, 3.5
# A number that this share of the rows have, and no more than the rest, is a kind of row by itself, as no tip is.
_ATOM = 0.25


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """Suspicious labels, and how sure one can be of them.

    Attributes
    ----------
    rows : ndarray of int
        The rows whose label is contradicted, the most certain first.
    given, proposed : ndarray
        Their labels, and those that the other rows give them.
    margins : ndarray
        Of every row: the score of its label minus the largest score of another one; negative where another one fits
        better. Scores are 1 and −1 where all similar rows have the label or lack it.
    unclear : ndarray
        The labels whose classes overlap with others, so that no single row of them can be called wrong.
    classes : ndarray of shape (k,)
    scores : ndarray of shape (n_samples, k)
        What all other rows say of each, by class.
    likely : ndarray of shape (n_samples,)
        Of every row the class other than its own that suits it best.
    recognised : float
        Share of the rows whose label would be contradicted if it were wrong: that of the class in `likely`.
    again : ndarray of shape (len(rows),) or None
        Of each of `rows` in what share of other draws its label is about contradicted, too: of the means of two of the
        four draws, which differ from the mean of all by as much as that does from the mean of endless draws. None if
        nothing was drawn, or only once.
    """

    rows: np.ndarray
    given: np.ndarray
    proposed: np.ndarray
    margins: np.ndarray
    unclear: np.ndarray
    classes: np.ndarray
    scores: np.ndarray
    likely: np.ndarray
    recognised: float
    again: np.ndarray | None = None


def find_label_errors(
    X: Any,
    y: Any,
    n_components: int | None = None,
    random_state: int = 0,
    image_shape: tuple[int, ...] | None = None,
) -> LabelErrors:
    """Return the rows whose label all other rows contradict.

    Ridge regression scores each class, and each row is scored by the fit without it: of up to 2,000 rows with a
    Gaussian kernel, of more on random Fourier features, the mean of four draws, and of images on random convolutions. A
    label is contradicted if another class has a larger score, and one as large as its own rows have on average, or half
    of it where there is a gap between the classes. Of classes that overlap nothing is said: a row of one within another
    is there what a wrong label is elsewhere. Features are also whether a column of numbers has its most frequent value,
    if a quarter to three quarters of the rows have it. The same holds where many wrong labels look like an overlap: of
    the breast cancer data, found are 70% of wrong labels if a tenth are wrong, and 25% if a fifth are; of wine 80 and
    94%, of digits 96 and 99%, of which at least 97% are wrong (three draws of wrong labels, of digits one).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Columns of similar scale.
    y : array-like of shape (n_samples,)
        Labels of any type.
    n_components : int, optional
        Number of features of a single draw, at most four a row; by default the kernel or four draws of 500. Of images
        6,000 by default, at most six for ten rows: their columns say more.
    random_state : int
        Of the draws.
    image_shape : (height, width) or (height, width, channels), optional
        Of rows that are images.

    Raises
    ------
    DataError
        If `X` holds anything but finite numbers, or `y` lacks labels, is of another length, or a single class.
    """
    X = as_rows(X, keep_sparse=image_shape is None)
    y = as_vector(y, X.shape[0])
    classes, given = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError("Wrong labels are looked for among two classes at least; y holds a single one.")
    if image_shape is None:
        plain = _plain(X)
        predict = _predictor(X, None if plain is None else _atoms(plain), n_components, 4, random_state, len(classes))
    else:
        predict = partial(_once, _of_images(X, n_components, random_state, image_shape, len(classes)))
    drawn = predict(np.where(given[:, None] == np.arange(len(classes)), 1.0, -1.0))
    found = _judged(_mean(drawn).predictions, given, classes)
    if len(drawn) < _DRAWS:
        return found
    halves = [_judged(_mean(pair).predictions, given, classes).rows for pair in combinations(drawn, 2)]
    return replace(found, again=np.mean([np.isin(found.rows, rows) for rows in halves], axis=0))


def _judged(scores: np.ndarray, given: np.ndarray, classes: np.ndarray) -> LabelErrors:
    """Return what scores of rows that do not know their own class, a place among all, say of these."""
    counts = np.bincount(given)
    is_own = given[:, None] == np.arange(len(classes))
    own = scores[is_own]
    others = np.where(is_own | (counts < _SMALLEST_CLASS), -np.inf, scores)
    best, largest = others.argmax(axis=1), others.max(axis=1)
    usual = np.bincount(given, own - largest) / counts
    pair, n_pairs = given * len(classes) + best, len(classes) ** 2
    is_contradicted = (largest > own) & (largest - own >= usual[best])
    # If hardly a row of one class lies between it and another one, all that lie beyond are contradicted: many wrong
    # labels blur the usual scores.
    is_beyond = largest - own > usual[best] / 2
    n_between = np.bincount(pair, np.abs(largest - own) <= usual[best] / 2, minlength=n_pairs)
    is_gap = (np.bincount(pair, is_beyond, minlength=n_pairs) > _GAP * n_between)[pair]
    is_contradicted |= is_beyond & is_gap & (n_between[pair] <= _BETWEEN * counts[given])
    n_undecided = np.bincount(given, (largest > own) & ~is_contradicted)
    n_misfit = np.bincount(given, largest > own)
    is_unclear = (n_undecided > _OVERLAP * counts) | _is_beyond(n_misfit, _MISFIT * counts) | (counts < _SMALLEST_CLASS)
    is_unclear |= _is_beyond(n_misfit.sum(), _MISFIT_ALL * len(given))
    # Rows of overlapping classes lie at every depth within each other, fewer the deeper; wrong labels lie deep.
    n_deep = np.bincount(pair, is_contradicted, minlength=n_pairs)
    n_halfway = np.bincount(pair, is_beyond & ~is_contradicted, minlength=n_pairs)
    is_clear = ~is_unclear[given] & ~is_unclear[best]
    rows = np.flatnonzero(is_contradicted & (n_deep > n_halfway)[pair] & is_clear)
    # The prediction of a row does not know its label. So what would be said if it were another one is known: its margin
    # would have the other sign, and one more row would lie deep within its class.
    back = best * len(classes) + given
    has_gap = (np.bincount(pair, is_beyond, minlength=n_pairs) + 1 > _GAP * n_between)[back]
    has_gap &= n_between[back] <= _BETWEEN * counts[best]
    would_be = (own - largest >= usual[given]) | (has_gap & (own - largest > usual[given] / 2))
    recognised = float(np.mean(would_be & (n_deep + 1 > n_halfway)[back] & is_clear))
    rows = rows[np.argsort((own - largest)[rows], kind="stable")]
    return LabelErrors(
        rows,
        classes[given[rows]],
        classes[best[rows]],
        own - largest,
        classes[is_unclear],
        classes,
        scores,
        classes[best],
        recognised,
    )


def _is_beyond(n: Any, limit: Any) -> Any:
    """Return whether a count, and what chance may take from it, is beyond a limit."""
    return n + np.sqrt(n) > limit


def _predictor(
    X: Any, plain: np.ndarray | None, m: int | None, most: int, seed: int, n_targets: int = 1
) -> Callable[[Any], list[LeaveOneOut]]:
    """Return what predicts each row's targets by a fit to all others, once for each draw of features.

    Parameters
    ----------
    plain : ndarray of shape (n_samples, k) or None
        Features to stand next to those of the kernel.
    m : int or None
        Features of a single draw.
    most : int
        Features a row at most.
    """
    n, draws = X.shape[0], range(seed, seed + 1)
    if m is None:
        if n <= _EXACT_ROWS:
            K = RandomFourier(n_components=2, gamma="median", device="cpu").fit(X).kernel(X)
            of_kernel = leave_one_out_of_kernel(K if plain is None else K + plain @ plain.T)
            return lambda Y: [of_kernel(Y)]
        m, draws = _FEATURES, range(_DRAWS * seed, _DRAWS * (seed + 1))
    drawn = []
    for draw in draws:
        waves = RandomFourier(n_components=min(m, most * n), gamma="median", random_state=draw)
        drawn.append(features_beside(waves, X, [] if plain is None else [plain], n_targets))

    return lambda Y: [leave_one_out(H, Y) for H in drawn]


def _once(H: Any, Y: Any) -> list[LeaveOneOut]:
    return [leave_one_out(H, Y)]


def _mean(found: Sequence[LeaveOneOut]) -> LeaveOneOut:
    """Return the means of predictions and leverages."""
    predictions, leverages = ([getattr(one, name) for one in found] for name in ("predictions", "leverages"))
    return replace(found[0], predictions=np.mean(predictions, axis=0), leverages=np.mean(leverages, axis=0))


def _of_images(X: Any, m: int | None, seed: int, image_shape: tuple[int, ...], n_classes: int) -> Any:
    # Large patches, in few regions: of five settings those that make the fewest errors of their own on MNIST.
    patch, grid = max(min(_PATCH, (min(image_shape[:2]) + 1) // 3), 1), min(_GRID, *image_shape[:2])
    m = max(min(m or _IMAGE_FEATURES, int(0.6 * len(X))), 1)
    images = RandomConvolution(m, patch_size=patch, grid=grid, image_shape=image_shape, random_state=seed)
    return features_beside(images, X, [], n_classes)


def _plain(X: Any) -> np.ndarray | None:
    """Return rows as they are, to stand next to their features, or None if columns are too many for them."""
    if X.shape[1] >= X.shape[0] / 4:
        return None
    return X.toarray() if sparse.issparse(X) else X


def _atoms(X: np.ndarray) -> np.ndarray:
    """Return for each column of more than two numbers which rows have its most frequent one, if many but not all do.

    Features of a width that suits all columns cannot tell such a number from those next to it.
    """
    found = []
    for column in X.T:
        values, counts = np.unique(column, return_counts=True)
        if len(values) > 2 and _ATOM <= counts.max() / len(X) <= 1.0 - _ATOM:
            found.append(column == values[counts.argmax()])
    return np.array(found, dtype=X.dtype).reshape(len(found), len(X)).T / np.sqrt(max(len(found), 1))


@dataclass(frozen=True, eq=False)
class TargetErrors:
    """Numbers that the other rows contradict.

    Attributes
    ----------
    rows : ndarray of int
        The rows whose target is contradicted, the most certain first.
    predictions : ndarray of shape (n_samples,)
        What the other rows say of each.
    suggested : ndarray of shape (n_samples,)
        The same by which rows are judged: of a skewed target the number that belongs to the predicted share.
    deviations : ndarray of shape (n_samples,)
        Residuals by leave-one-out over their usual size there, which is larger where a row decides on its own
        prediction.
    limit : float
        From which deviation on a row is outlying.
    n_outlying : int
        How many are; of residuals with a heavy tail none of them is called wrong.
    """

    rows: np.ndarray
    predictions: np.ndarray
    suggested: np.ndarray
    deviations: np.ndarray
    limit: float
    n_outlying: int


def find_target_errors(X: Any, y: Any, n_components: int | None = None, random_state: int = 0) -> TargetErrors:
    """Return the rows whose number all other rows contradict.

    Ridge regression on the columns, and with a kernel or on random features as in :func:`find_label_errors`, predicts
    each row by the fit without it. With the leverage h of a row, its residual varies as the noise over the root of 1 −
    h. A residual is outlying beyond what normal noise brings in one of a hundred tables, and counts as an error if
    hardly any come close to that limit, and if they are few: else the noise has a heavy tail. The usual size is that of
    all residuals, or of the 30 rows with the nearest predictions if these are larger, for noise often grows with a
    number. Of a skewed or heavy-tailed target the share of the rows up to each number takes its place: a fit is off
    most where numbers are largest.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Columns of similar scale.
    y : array-like of shape (n_samples,)
        Numbers.
    n_components : int, optional
        Number of features of a single draw, at most two a row; by default as in :func:`find_label_errors`.
    random_state : int
        Of the draws.

    Raises
    ------
    DataError
        If `X` or `y` holds anything but finite numbers, or they differ in length.
    """
    X = as_rows(X, keep_sparse=True)
    n = X.shape[0]
    y = as_numbers(y, n)
    if (plain := _plain(X)) is not None:
        plain = np.concatenate([plain / np.sqrt(X.shape[1]), _atoms(plain)], axis=1)
    predict = _predictor(X, plain, n_components, 2, random_state)
    limit = float(norm.isf(_FALSE_ALARM / (2 * n)))
    predictions, deviations, by_one_size = _left_out_twice(predict, y, limit)
    suggested = predictions
    if _is_skewed(y):
        shares = rankdata(y) / n
        found, deviations, by_one_size = _left_out_twice(predict, shares, limit)
        suggested = np.interp(found, np.sort(shares), np.sort(y))
    far = np.abs(deviations)
    rows = np.flatnonzero(far > limit)
    # Where a few rows are near, their size may hide a heavy tail.
    n_before = max(int(np.sum((d > _STRETCH * limit) & (d <= limit))) for d in (far, np.abs(by_one_size)))
    certain = rows if _APART * n_before < len(rows) <= max(_MOST_WRONG * n, 3) else rows[:0]
    certain = certain[np.argsort(-far[certain])]
    return TargetErrors(certain, predictions, suggested, deviations, limit, len(rows))


def _is_skewed(y: np.ndarray) -> bool:
    """Return whether the numbers reach much farther on one side of their median, or beyond their middle half."""
    lowest, low, middle, high, highest = np.quantile(y, (0.05, 0.25, 0.5, 0.75, 0.95))
    above, below = highest - middle, middle - lowest
    is_heavy = highest - lowest > _HEAVY * (high - low)
    return bool(max(above, below) > _SKEWED * min(above, below) or is_heavy)


def _left_out_twice(
    predict: Callable[[Any], list[LeaveOneOut]], y: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what :func:`_left_out` does of a second fit, before which wrong numbers, that spoil the first, are cut."""
    predictions, deviations, _ = _left_out(predict, y, y)
    return _left_out(predict, y, np.where(np.abs(deviations) > limit, predictions, y))


def _left_out(
    predict: Callable[[Any], list[LeaveOneOut]], y: np.ndarray, fitted: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return leave-one-out predictions of a fit to `fitted`, and standardised deviations of `y` from them.

    Deviations are over their usual size near the prediction, then over that of all rows.
    """
    found = _mean(predict(fitted[:, None]))
    predictions = found.predictions[:, 0]
    deviations = (y - predictions) * np.sqrt(1.0 - found.leverages)
    usual = max(1.4826 * float(np.median(np.abs(deviations - np.median(deviations)))), 1e-300)
    there = 1.4826 * _median_of_near(np.abs(deviations), np.argsort(predictions, kind="stable"))
    return predictions, deviations / np.maximum(there, usual), deviations / usual


def _median_of_near(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return for each row the median of some values of those about it in an order."""
    n, k = len(values), min(_NEAR, len(values))
    medians = np.median(sliding_window_view(values[order], k), axis=1)
    found = np.empty(n)
    found[order] = medians[np.clip(np.arange(n) - k // 2, 0, n - k)]
    return found
