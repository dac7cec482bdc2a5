"""Columns that act together: found by a recursive feature machine in what single columns leave unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.special import expit, softmax
from scipy.stats import norm, rankdata

from rfviz.analysis.logistic import fit_logistic
from rfviz.errors import DataError
from rfviz.features import RandomFourier
from rfviz.features.placement import on_processor
from rfviz.inputs import as_numbers, as_rows, as_vector
from rfviz.linear_model import RecursiveRegressor, RidgePathRegressor
from rfviz.progress import Progress, silent

__all__ = ["MOST_CLASSES", "Evidence", "Interactions", "find_interactions"]

_FEWEST_ROWS, _ROWS_A_COLUMN, _MOST_COLUMNS = 200, 16, 250
#: Classes that count as themselves, the last of which holds all others where there are more.
MOST_CLASSES = 6
_ROUNDS, _FEWEST_FEATURES, _FEATURES, _JOINT_FEATURES = 5, 200, 600, 400
# Columns that are looked at more closely: the fewest, the most, and their least share of the largest importance.
_FEWEST_CLOSER, _CLOSER, _IMPORTANT = 3, 5, 0.1
# Terms of all columns together, and knots of a column: a few for all, more where it is looked at closely.
_ROWS_A_TERM, _MOST_TERMS, _KNOTS, _MANY_KNOTS = 10, 500, 6, 16
_FALSE_ALARM = 1e-4
# A column is named among those that bend if its own curve has at most this probability by chance.
_ONE_OF_SOME = 1e-3
# Share of the unexplained squared error that must go, to be worth reporting.
_WORTH = 0.02
_LIMIT = 8.0
# Eigenvalues below this share of the largest are rounding.
_SMALLEST = 1e-7
# Inverse penalty: what a stronger one shrinks of a column's own effect would be left, and count as acting together.
_LEAST_PENALTY = 1.0
# Of probabilities of 0 and 1.
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class Evidence:
    """What some columns explain beyond a simpler model, by rows that took no part in finding them.

    Attributes
    ----------
    z : float
        Standard deviations by which the explanation agrees with what the simpler model leaves.
    gain : float
        Share of the squared error of the simpler model that it takes away.
    """

    columns: tuple[int, ...]
    z: float
    gain: float

    def is_real(self, comparisons: int = 1) -> bool:
        """Return whether it exceeds what chance brings once in ten thousand tables, and is large enough to report."""
        return bool(self.z > norm.isf(_FALSE_ALARM / comparisons) and self.gain > _WORTH)


@dataclass(frozen=True, eq=False)
class Interactions:
    """Columns that act together, and columns that bend.

    Attributes
    ----------
    together : Evidence
        For the columns that matter most to what single columns leave unexplained.
    pairs : tuple of Evidence
        The pairs of them that are real, the strongest first.
    bent : Evidence
        For columns whose effect is not linear.
    linear, additive, joint : float
        Share of right labels, or R², of a linear model, of a curve for each column, and of these and `together`.
    guess : float
        That of the largest class, or of the mean.
    importances : ndarray of shape (rounds, n_features)
        Of each round of the recursive feature machine.
    searched : ndarray of int
        The rows that were searched, rising.
    n_judge : int
        The other rows, which judged.
    noticed : float
        Share of the squared error of a simpler model that columns must take away at least to be noticed by the rows
        that judge, if the search finds what they do exactly; 1 where there are too few groups to notice anything.
    """

    together: Evidence
    pairs: tuple[Evidence, ...]
    bent: Evidence
    linear: float
    additive: float
    joint: float
    guess: float
    importances: np.ndarray
    searched: np.ndarray
    n_judge: int
    noticed: float

    @property
    def n_search(self) -> int:
        """How many rows were searched."""
        return len(self.searched)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that act together; empty without evidence that any do."""
        if len(self.together.columns) < 2 or not self.together.is_real():
            return ()
        if not self.pairs:
            return self.together.columns
        return tuple(dict.fromkeys(c for pair in self.pairs for c in pair.columns))


def find_interactions(
    X: Any,
    y: Any,
    random_state: int = 0,
    progress: Progress = silent,
    groups: Any = None,
) -> Interactions:
    """Find columns that act together on a label.

    One half of the rows is searched: a model with a curve for each column is fitted, a recursive feature machine to
    what it leaves, and the most important columns are looked at more closely. The other half judges whether what they
    explain together agrees with what curves leave there. Of classes the curves add up to log-odds, or to any
    function of them, so that a class on one side of a plane is not an interaction.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Targets as floating-point numbers; labels of any other type.
    groups : array-like of int, shape (n_samples,), optional
        Rows of one group are alike. Groups of small numbers are searched, until they hold half of the rows, the others
        judge, and each counts as one observation of what chance brings; without groups each row does.

    Raises
    ------
    DataError
        For too few rows, or too many columns, or a group of most rows; for anything but finite numbers in `X`, and for
        labels or groups of another length, or labels of a single kind.
    """
    X, y, groups = _checked(X, y, groups)
    n, d = X.shape
    search, judge = _halves(n, groups, random_state)
    alike = None if groups is None else np.unique(groups[judge], return_inverse=True)[1]
    plain = np.clip(_standardised(X), -_LIMIT, _LIMIT)
    ranks = np.clip(_standardised(norm.ppf((rankdata(X, axis=0) - 0.5) / n)), -3.0, 3.0)
    Y = _targets(y, X, search)
    n_knots = int(np.clip(min(len(search) // _ROWS_A_TERM, _MOST_TERMS) // d - 2, 0, _KNOTS))
    parts = _hinges(ranks, range(d), n_knots)
    curves = np.column_stack([plain, ranks, *parts])
    owners = np.concatenate([np.arange(d), np.arange(d), np.repeat(np.arange(d), [part.shape[1] for part in parts])])
    is_classes = y.dtype.kind != "f"

    progress(0.1, "Fitting a curve for each column")
    line, curve = (_Model(basis[search], Y[search], is_classes) for basis in (plain, curves))
    progress(0.3, "Searching columns that act together")
    m = int(np.clip(len(search) // 8 * 2, _FEWEST_FEATURES, _FEATURES))
    device = on_processor("A recursive feature machine was")
    machine = RecursiveRegressor(
        RandomFourier(m, gamma="median", device=device), rounds=_ROUNDS, random_state=random_state
    )
    machine.fit(ranks[search], curve.left)
    closer = _important(machine.feature_importances_, _FEWEST_CLOSER)
    progress(0.7, "Judging them by the other rows")
    by_line, by_curve = line.predict(plain[judge]), curve.predict(curves[judge])
    many = int(np.clip(len(judge) // 150, 1, _MANY_KNOTS))
    odds = [line.scores(plain[judge]), curve.scores(curves[judge])] if is_classes else []
    links = [_link(one, many) for one in odds]
    more = _hinges(ranks[judge], closer, many)
    judged = _Judge(np.column_stack([curves[judge], *more, *links]), by_curve, Y[judge], is_classes, alike)

    def evidence(columns: Sequence[int]) -> tuple[Evidence, np.ndarray]:
        feature_map = RandomFourier(min(_JOINT_FEATURES, m), gamma="median", random_state=random_state, device=device)
        path = RidgePathRegressor(feature_map, m_grid=[feature_map.n_components]).fit(
            ranks[search][:, columns], curve.left
        )
        found = path.predict(ranks[judge][:, columns]).reshape(len(judge), -1)
        # Far from all rows that they learnt from, features can predict anything.
        found = np.clip(found, curve.left.min(axis=0), curve.left.max(axis=0))
        return judged.evidence(tuple(columns), found), found

    together, found = evidence(closer)
    pairs: list[Evidence] = []
    if together.is_real() and len(closer) > 1:
        tried = [evidence(pair)[0] for pair in combinations(closer, 2)]
        pairs = sorted((one for one in tried if one.is_real(len(tried))), key=lambda one: -one.z)
        if not pairs:  # three columns of which no two act together; the least important may have no part in it
            together, found = evidence(_important(machine.feature_importances_))
    bends = _bends(curve, plain, curves, owners)
    straight = _Judge(np.column_stack([plain[judge], *links[:1]]), by_line, Y[judge], is_classes, alike)
    most = _important(np.mean(bends[search] ** 2, axis=(0, 1)))
    each = [straight.evidence((column,), bends[judge][:, :, column]) for column in most]
    real = tuple(column for column, one in zip(most, each, strict=True) if one.z > norm.isf(_ONE_OF_SOME))
    bent = straight.evidence(real or most[:1], by_curve - by_line)
    score = _right if is_classes else _r_squared
    return Interactions(
        together,
        tuple(pairs),
        bent,
        score(Y[judge], by_line),
        score(Y[judge], by_curve),
        score(Y[judge], by_curve + found),
        score(Y[judge], np.tile(Y[search].mean(axis=0), (len(judge), 1))),
        np.array([one.importances for one in machine.history_]),
        search,
        len(judge),
        _noticed(len(judge), alike),
    )


def _checked(X: Any, y: Any, groups: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return rows, targets and groups as arrays.

    Raises
    ------
    DataError
        As :func:`find_interactions`.
    """
    X = as_rows(X).astype(np.float64, copy=False)
    n, d = X.shape
    if d > _MOST_COLUMNS:
        raise DataError(f"Columns that act together are looked for among {_MOST_COLUMNS} at most; here are {d:,}.")
    if n < max(_FEWEST_ROWS, _ROWS_A_COLUMN * d):
        raise DataError(
            f"Columns that act together are looked for among {max(_FEWEST_ROWS, _ROWS_A_COLUMN * d):,} rows at least, "
            f"{_ROWS_A_COLUMN} a column; here are {n:,}."
        )
    y = as_vector(y, n)
    y = as_numbers(y, n) if y.dtype.kind == "f" else y
    if len(np.unique(y)) < 2:
        raise DataError("y must hold two different values at least; here is a single one. Use other data.")
    if groups is not None:
        groups = np.unique(as_vector(groups, n, "groups"), return_inverse=True)[1]
    return X, y, groups


def _halves(n: int, groups: np.ndarray | None, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to search and those that judge, rising."""
    if groups is None:
        order = np.random.default_rng(random_state).permutation(n)
        return np.sort(order[: n // 2]), np.sort(order[n // 2 :])
    order = np.argsort(groups, kind="stable")
    is_searched = groups <= groups[order[n // 2 - 1]]
    if min(n_searched := int(is_searched.sum()), n - n_searched) < n / 4:
        raise DataError(
            f"Columns that act together are judged by groups that were not searched, and one group holds most of the "
            f"{n:,} rows: too few are left."
        )
    return np.flatnonzero(is_searched), np.flatnonzero(~is_searched)


def _noticed(n: int, groups: np.ndarray | None) -> float:
    """Return the smallest share of a squared error that some rows can tell from chance.

    The evidence is that share's root times that of the rows; where whole groups agree, it is the root of their number
    at most.
    """
    limit = norm.isf(_FALSE_ALARM)
    rest = 1.0 / limit**2 - (0.0 if groups is None else 1.0 / (int(groups.max()) + 1))
    return float(np.clip(1.0 / (n * rest), _WORTH, 1.0)) if rest > 0 else 1.0


def _standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 1e-7 * np.abs(X).max(axis=0), spread, np.inf)


def _targets(y: np.ndarray, X: np.ndarray, search: np.ndarray) -> np.ndarray:
    """Return a column of numbers of variance 1, or one a class; beyond the most frequent classes, the rest is one.

    A class that is not among the rows to `search` has none.

    Raises
    ------
    DataError
        If these rows have one label, or are all equal.
    """
    if not np.ptp(X[search], axis=0).any() or (y[search] == y[search[0]]).all():
        raise DataError("Half of the rows, among which such columns are searched, have one label or are all equal.")
    if y.dtype.kind == "f":
        return ((y - y.mean()) / (y.std() or 1.0))[:, None]
    classes, place, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) > MOST_CLASSES:
        frequent = np.argsort(-counts, kind="stable")[: MOST_CLASSES - 1]
        new = np.full(len(classes), MOST_CLASSES - 1)
        new[frequent] = np.arange(len(frequent))
        place = new[place]
    kinds = np.unique(place[search])
    return (place[:, None] == kinds[len(kinds) == 2 :]).astype(np.float64)


def _hinges(X: np.ndarray, columns: Sequence[int] | range, n_knots: int) -> list[np.ndarray]:
    """Return how far rows lie above the knots of some columns: quantiles, denser towards both ends."""
    parts, levels = [], 0.5 - 0.5 * np.cos(np.pi * np.arange(1, n_knots + 1) / (n_knots + 1))
    for column in columns:
        values = X[:, column]
        knots = np.unique(np.quantile(values, levels))
        parts.append(np.maximum(values[:, None] - knots[knots < values.max()], 0.0))
    return parts


def _link(scores: np.ndarray, n_knots: int) -> np.ndarray:
    """Return curves of log-odds."""
    scores = _standardised(np.clip(scores, -20.0, 20.0))
    return np.column_stack([scores, *_hinges(scores, range(scores.shape[1]), n_knots)])


class _Whitened:
    """Columns `Z` that span the same as others, uncorrelated and of variance 1: these about their `mean`, @ `axes`."""

    def __init__(self, basis: np.ndarray) -> None:
        self.mean = basis.mean(axis=0)
        values, axes = eigh(basis.T @ basis / len(basis) - np.outer(self.mean, self.mean), driver="evd")
        real = values > _SMALLEST * values[-1]
        self.axes = axes[:, real] / np.sqrt(values[real])
        self.Z = basis @ self.axes - self.mean @ self.axes


class _Model:
    """Least squares, or logistic regression, on some columns.

    Attributes
    ----------
    coef : ndarray of shape (p, k)
    left : ndarray of shape (n, k)
        Residuals of the rows that it is fitted to.
    """

    def __init__(self, basis: np.ndarray, Y: np.ndarray, is_classes: bool) -> None:
        self.is_classes = is_classes
        white = _Whitened(basis)
        mean, axes, Z = white.mean, white.axes, white.Z
        if is_classes:
            classes = (Y[:, 0] if Y.shape[1] == 1 else Y.argmax(axis=1)).astype(np.int64)
            coef, middle = fit_logistic(Z, classes, _LEAST_PENALTY)
        else:
            middle = Y.mean(axis=0)
            coef = Z.T @ (Y - middle) / (len(Y) + 1.0)
        self.coef = axes @ coef
        self._shift = middle - mean @ self.coef
        self.left = Y - self.predict(basis)

    def scores(self, basis: np.ndarray) -> np.ndarray:
        return basis @ self.coef + self._shift

    def predict(self, basis: np.ndarray) -> np.ndarray:
        scores = self.scores(basis)
        if not self.is_classes:
            return scores
        return expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1)


class _Judge:
    """Residuals of these rows under a model fitted to others, as far as other curves cannot explain them."""

    def __init__(
        self, basis: np.ndarray, predicted: np.ndarray, Y: np.ndarray, is_classes: bool, groups: np.ndarray | None
    ) -> None:
        self._left, self._groups = Y - predicted, groups
        self._basis = np.column_stack([np.ones(len(Y)), _Whitened(basis).Z])
        weights = np.maximum(predicted * (1.0 - predicted), _LEAST_WEIGHT) if is_classes else np.ones_like(Y)
        self._projections = [(w, cho_factor(_weighted(self._basis, w))) for w in weights.T]

    def evidence(self, columns: tuple[int, ...], found: np.ndarray) -> Evidence:
        """Return how well the explanation `found` agrees with the residuals.

        Other curves, by which the model might be wrong, are projected out of it, in the metric in which they would be
        fitted, so that errors of the model count in second order only.
        """
        products, B, left = np.zeros(len(found)), self._basis, self._left
        for k, (w, factor) in enumerate(self._projections):
            own = found[:, k] - B @ cho_solve(factor, B.T @ (w * found[:, k]))
            products += own * left[:, k]
        if self._groups is not None:
            products = np.bincount(self._groups, products)
        size = float(np.sqrt(np.sum(products**2)))
        z = float(products.sum()) / size if size > 0 else 0.0
        return Evidence(columns, z, float(1.0 - np.sum((left - found) ** 2) / max(float(np.sum(left**2)), 1e-12)))


def _weighted(B: np.ndarray, w: np.ndarray) -> np.ndarray:
    gram = (B * w[:, None]).T @ B
    gram[np.diag_indices(len(gram))] += 1e-6 * w.sum()
    return gram


def _bends(curve: _Model, plain: np.ndarray, curves: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Return each column's curve about a line, shape (n, k, n_features)."""
    bends = np.empty((len(plain), curve.coef.shape[1], plain.shape[1]))
    for column in range(plain.shape[1]):
        own = owners == column
        values = curves[:, own] @ curve.coef[own]
        values -= values.mean(axis=0)
        x = plain[:, column] - plain[:, column].mean()
        bends[:, :, column] = values - np.outer(x, x @ values / max(float(x @ x), 1e-12))
    return bends


def _important(importances: np.ndarray, fewest: int = 1) -> tuple[int, ...]:
    """Return the most important columns, `fewest` at least, where there are as many."""
    order = np.argsort(-importances, kind="stable")[:_CLOSER]
    n = max(int(np.sum(importances[order] >= _IMPORTANT * importances[order[0]])), fewest)
    return tuple(order[:n].tolist())


def _right(Y: np.ndarray, scores: np.ndarray) -> float:
    if Y.shape[1] == 1:
        return float(np.mean((scores > 0.5) == Y))
    return float(np.mean(Y.argmax(axis=1) == scores.argmax(axis=1)))


def _r_squared(Y: np.ndarray, scores: np.ndarray) -> float:
    return float(1.0 - np.sum((Y - scores) ** 2) / np.sum((Y - Y.mean(axis=0)) ** 2))
