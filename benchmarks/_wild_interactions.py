"""Kinds of claims of wild.py on lines, curves and columns that act together: fitted to one part, judged by the other.

Both parts are named. Lines and curves are fitted by scikit-learn, as `kinds` describe them; of classes the two solvers
stop at other places, so that a few rows may get another class. What columns do together depends on random features,
which are drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from _wild_rows import features_of, median_width
from _wild_verdicts import Claim, NotCheckable, Own, Range, kind, labels_of, of_draws, target_of
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import log_loss

__all__ = ["judged"]

_DRAWS, _KNOTS, _FEATURES = 6, 6, 400
_PENALTIES = np.logspace(-3, 4, 8)


@dataclass(frozen=True, eq=False)
class _Judged:
    """Lines and curves, fitted to the rows searched.

    Attributes
    ----------
    X, ranks : ndarray of shape (n, d)
        Standardised features, cut at ±8, and their normal scores, cut at ±3.
    Y : ndarray of shape (n, k)
        A column of 0 and 1 a class, or numbers.
    is_searched : ndarray of bool, shape (n,)
    stops_early, is_second : bool
        Whether the solver does, and whether it takes the second best penalty.
    """

    X: np.ndarray
    ranks: np.ndarray
    Y: np.ndarray
    is_searched: np.ndarray
    is_class: bool
    stops_early: bool = False
    is_second: bool = False

    @cached_property
    def line(self) -> np.ndarray:
        """What lines predict of all rows."""
        return self._predicted(self.X)

    @cached_property
    def curves(self) -> np.ndarray:
        """What curves predict of all rows."""
        return self._predicted(np.column_stack([self.X, self.ranks, *self.hinges()]))

    def hinges(self) -> list[np.ndarray]:
        """Return how far rows lie above quantiles of each column of normal scores, which are denser at the ends."""
        d = self.X.shape[1]
        n_knots = int(np.clip(min(self.is_searched.sum() // 10, 500) // d - 2, 0, _KNOTS))
        levels = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, n_knots + 1) / (n_knots + 1))
        found = []
        for column in self.ranks.T:
            knots = np.unique(np.quantile(column, levels))
            found += [np.maximum(column - knot, 0.0) for knot in knots if knot < column.max()]
        return found

    def _predicted(self, X: np.ndarray) -> np.ndarray:
        some, Y = X[self.is_searched], self.Y[self.is_searched]
        values, axes = np.linalg.eigh(np.cov(some.T, bias=True).reshape(some.shape[1], -1))
        kept = values > 1e-7 * values[-1]
        Z = (X - some.mean(axis=0)) @ (axes[:, kept] / np.sqrt(values[kept]))
        if not self.is_class:
            return Ridge(1.0).fit(Z[self.is_searched], Y).predict(Z).reshape(len(X), -1)
        y = Y.argmax(axis=1)
        classes = np.unique(y)
        found = np.zeros(self.Y.shape)
        found[:, classes] = _logistic(Z[self.is_searched], y, self.stops_early, self.is_second).predict_proba(Z)
        return found

    @property
    def judges(self) -> np.ndarray:
        return ~self.is_searched

    def score(self, predicted: np.ndarray) -> float:
        """Return the score of predictions of all rows among those that judge."""
        Y, predicted = self.Y[self.judges], predicted[self.judges]
        if self.is_class:
            return float((Y.argmax(axis=1) == predicted.argmax(axis=1)).mean())
        return 1.0 - float(((Y - predicted) ** 2).mean() / Y.var())

    @property
    def guess(self) -> float:
        """The score of the largest class, or of the mean, of the rows searched."""
        return self.score(np.tile(self.Y[self.is_searched].mean(axis=0), (len(self.Y), 1)))

    def gain(self, simple: np.ndarray, better: np.ndarray) -> float:
        """Return the share of the squared error of predictions that others take away."""
        # Of two classes one column says all: the other doubles both errors.
        left, less = (float(((self.Y - one)[self.judges] ** 2).sum()) for one in (simple, better))
        return 1.0 - less / max(left, 1e-12)


def _logistic(Z: np.ndarray, y: np.ndarray, stops_early: bool, is_second: bool) -> LogisticRegression:
    """Return logistic regression, its inverse penalty that of 1, 10, 100 with the least loss of every fifth row.

    With `is_second` it is the one with the second least loss, if that is within a hundredth: a solver decides.
    """
    until = {"tol": 1e-3, "max_iter": 100} if stops_early else {"max_iter": 1000}
    held = np.zeros(len(y), dtype=bool)
    held[np.argsort(y, kind="stable")[4::5]] = True
    held &= np.isin(y, y[~held])
    best = 1.0
    if held.any():
        losses = {}
        for penalty in (1.0, 10.0, 100.0):
            model = LogisticRegression(C=penalty, **until).fit(Z[~held], y[~held])
            known = np.isin(y[held], model.classes_)
            chances = model.predict_proba(Z[held][known])
            losses[penalty] = log_loss(y[held][known], chances, labels=model.classes_)
        best, second, _ = sorted(losses, key=lambda penalty: losses[penalty])
        if is_second and losses[second] <= 1.01 * losses[best]:
            best = second
    return LogisticRegression(C=best, **until).fit(Z, y)


def judged(claims: Sequence[Claim], cells: Cells) -> _Judged:
    """Return lines and curves, fitted to the rows that are named as searched.

    Raises
    ------
    NotCheckable
        If rows are named that cannot be used.
    """
    if "halves" not in cells.memory:
        cells.memory["halves"] = _judged(claims, cells)
    return cells.memory["halves"]


def _parts(claims: Sequence[Claim]) -> list[np.ndarray]:
    return [np.array(_of(claims, what)["rows"], dtype=int) for what in ("rows searched", "rows that judge")]


def _of(claims: Sequence[Claim], what: str) -> Claim:
    return next(claim for claim in claims if claim["what"] == what)


def _judged(claims: Sequence[Claim], cells: Cells) -> _Judged:
    features, (searched, judging) = features_of(cells), _parts(claims)
    rows = np.sort(np.r_[searched, judging])
    if not np.isin(rows, features.rows).all():
        raise NotCheckable("rows are named that cannot be used")
    is_class = _of(claims, "guess score")["of"]["unit"] == "accuracy"
    H = features.H[np.searchsorted(features.rows, rows)]
    scores = ndtri((rankdata(H, axis=0) - 0.5) / len(H))
    X, ranks = np.clip(_standard(H), -8.0, 8.0), np.clip(_standard(scores), -3.0, 3.0)
    if is_class:
        y = labels_of(cells).iloc[rows].astype(str).to_numpy()
        if n_frequent := _of(claims, "rows searched")["of"].get("most frequent classes"):
            y = np.where(np.isin(y, pd.Series(y).value_counts().index[:n_frequent]), y, "(others)")
        Y = (y[:, None] == np.unique(y)).astype(float)
    else:
        Y = _standard(target_of(cells)[rows][:, None])
    return _Judged(X, ranks, Y, np.isin(rows, searched), is_class)


def _standard(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 1e-7 * np.abs(X).max(axis=0), spread, np.inf)


def _of_rows(own: float, one: _Judged) -> Range:
    """Return where a score lies by another solver: of numbers the same, of classes a hundredth of the rows and two."""
    slack = 0.01 + 2.0 / one.judges.sum() if one.is_class else 1e-3 * max(1.0, abs(own))
    return Range(own - slack, own + slack, "the same rows, another solver")


@kind("rows searched")
def rows_searched(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Half of the rows, or of whole groups, in the order that is told."""
    searched, judging = _parts(claims)
    features, n = features_of(cells), len(searched) + len(judging)
    most = min(max(200 * features.H.shape[1], 4000), 20_000)
    if n != claim["n_rows"] or n != min(len(features.rows), most):
        return f"of {min(len(features.rows), most)} rows"
    every = np.r_[searched, judging]
    if len(set(every.tolist())) != n or not np.isin(every, features.rows).all():
        return "a row that is named twice, or cannot be used"
    by = claim["of"]["apart by"]
    if by == "random":
        return n // 2
    least = 0.25 * n
    if by == "group":
        values = cells.codes(claim["columns"][0])
        both = np.intersect1d(values[searched], values[judging])
        return Range(least, n - least, "whole groups") if not len(both) else f"{len(both)} values are in both"
    order = cells.numbers(claim["columns"][0]) if by == "order" else np.arange(cells.n_rows, dtype=float)
    labels = labels_of(cells).astype(str) if cells.is_class else pd.Series("", index=range(cells.n_rows))
    for value in labels.iloc[every].unique():
        first, last = (order[part[(labels.iloc[part] == value).to_numpy()]] for part in (searched, judging))
        if len(first) and len(last) and first.max() > last.min():
            return f"{value!r}: a row that was searched comes behind one that judges"
    return Range(least, n - least, "the first of 50 stretches")


@kind("rows that judge")
def rows_that_judge(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    searched, judging = _parts(claims)
    return len(judging) if len(searched) + len(judging) == claim["n_rows"] else f"{len(judging)} rows are named"


@kind("guess score", "line score", "curve score")
def score_of_half(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    one = judged(claims, cells)
    if claim["what"] == "guess score":
        return one.guess
    return _of_rows(one.score(one.line if claim["what"] == "line score" else one.curves), one)


# --- what columns do together -----------------------------------------------------------------------------------------


def _places(cells: Cells, columns: Sequence[str]) -> list[int]:
    """Return the features of some columns of the file, or of all."""
    return [place for place, name in enumerate(features_of(cells).sources) if not columns or name in columns]


def _together(one: _Judged, places: Sequence[int], seed: int) -> np.ndarray:
    """Return what random features of some columns predict of what curves leave, of all rows."""
    left, Z = one.Y - one.curves, one.ranks[:, list(places)]
    gamma = median_width(Z[one.is_searched])
    waves = RBFSampler(gamma=gamma, n_components=_FEATURES, random_state=seed).fit(Z).transform(Z)
    model = RidgeCV(_PENALTIES * 10).fit(waves[one.is_searched], left[one.is_searched])
    found = model.predict(waves).reshape(left.shape)
    some = left[one.is_searched]
    return np.clip(found, some.min(axis=0), some.max(axis=0))


def _gains(claims: Sequence[Claim], cells: Cells, columns: Sequence[str]) -> dict[bool, list[tuple[float, float]]]:
    """Return the share of the squared error that columns together take away, and the score with them, in each draw.

    Both by curves whose solver has converged (False), and of classes by those of one that stops early (True).
    """
    key = ("together", tuple(columns))
    if key not in cells.memory:
        one = judged(claims, cells)
        found = {False: one} | ({True: replace(one, stops_early=True)} if one.is_class else {})
        cells.memory[key] = {
            early: _drawn(each, _places(cells, columns), cells.effort) for early, each in found.items()
        }
    return cells.memory[key]


def _drawn(one: _Judged, places: Sequence[int], effort: int) -> list[tuple[float, float]]:
    found = []
    for seed in range(effort * _DRAWS):
        both = one.curves + _together(one, places, seed)
        found.append((one.gain(one.curves, both), one.score(both)))
    return found


def _of_solvers(gains: dict[bool, list[tuple[float, float]]], part: int, least: float = 0.0) -> Range:
    """Return where a gain (0) or a score (1) lies by either solver."""
    found = [of_draws([pair[part] for pair in drawn], "other features", least) for drawn in gains.values()]
    return Range(min(one.low for one in found), max(one.high for one in found), found[0].why)


@kind("joint score")
def joint_score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Which columns the search weighs most is not told where they gain nothing: else between all of them and none."""
    columns, one = _of(claims, "joint gain")["columns"], judged(claims, cells)
    found = _of_solvers(_gains(claims, cells, columns), 1)
    plain = _of_rows(one.score(one.curves), one)
    if columns:
        slack = 0.02 + 0.02 * abs(found.low)
        return Range(found.low - slack, found.high + slack, found.why)
    return Range(min(found.low, plain.low) - 0.03, max(found.high, plain.high) + 0.03, "of all columns, or none")


def _cannot_judge(one: _Judged, least: float) -> bool:
    """Return whether lines and curves are worse than a guess, curves than lines, or groups are too few to tell."""
    line, curve, guess = one.score(one.line), one.score(one.curves), one.guess
    return least >= 1.0 or max(line, curve) < (guess if one.is_class else max(guess, 0.0)) or curve < line


@kind("joint gain", "pair gain", "bent gain")
def joint_gain(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    one = judged(claims, cells)
    if claim["what"] == "bent gain":
        # Where a solver stops, and with which penalty, moves probabilities more than the classes that they tell.
        either = (False, True) if one.is_class else (False,)
        fits = [replace(one, stops_early=early, is_second=second) for early in either for second in either]
        gains = [one.gain(lines.line, curves.curves) for lines in fits for curves in fits]
        slack = 0.02 + 0.02 * abs(gains[0]) if one.is_class else 2e-3 * (1.0 + abs(gains[0]))
        own = Range(min(gains) - slack, max(gains) + slack, "the same rows, other solvers")
    else:
        own = _of_solvers(_gains(claims, cells, claim["columns"]), 0, 0.02)
    least = claim["least"] or next((c["least"] for c in claims if c["what"] == "joint gain" and c["least"]), 1.0)
    if claim["value"] == 0:
        # What could not have been noticed may be there.
        return 0.0 if own.low <= least else f"{own} are gained"
    if claim["value"] is None:
        is_open = own.high >= least or _cannot_judge(one, least)
        return Own(None if is_open else f"{own} are gained", of={"gain": own})
    return Own(own)
