"""Kinds of claims of wild.py on lines, curves and columns that act together: fitted to one part, judged by the other.

The parts are drawn again, three times: a claim may lie three standard errors of the rows and of the draws off, and a
few points, for the models are scikit-learn's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from _wild_rows import features_of, median_width
from _wild_verdicts import Claim, NotCheckable, Own, Range, kind, labels_of, target_of
from scipy.special import ndtri
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

__all__ = ["halves_judged"]

_DRAWS, _MOST_ROWS, _KNOTS, _FEATURES, _STRETCHES = 3, 4000, 6, 400, 50
_PENALTIES = np.logspace(-3, 4, 8)


@dataclass(frozen=True, eq=False)
class _Judged:
    """What the rows that judge say in one draw.

    Attributes
    ----------
    scores : dict of str to float
        By the kind of claim.
    line : ndarray
        What lines predict of the rows that judge.
    left, X_search, X_judge : ndarray
        What curves leave of the rows that judge, and standardised columns.
    search_left : ndarray
        What they leave of the rows searched.
    curves, Y : ndarray
        What curves predict of the rows that judge, and what these are.
    parts : tuple
        Features, labels, and the rows of either part.
    """

    scores: dict[str, float]
    line: np.ndarray
    left: np.ndarray
    search_left: np.ndarray
    X_search: np.ndarray
    X_judge: np.ndarray
    curves: np.ndarray
    Y: np.ndarray
    parts: Any


def _groups(cells: Cells, how: Claim, rows: np.ndarray, y: np.ndarray, is_class: bool) -> np.ndarray | None:
    """Return the group of each row: values of a column, or stretches in an order, of each class by itself."""
    by = how["of"]["apart by"]
    if by == "random":
        return None
    if by == "group":
        return cells.codes(how["columns"][0])[rows]
    order = np.argsort(cells.numbers(how["columns"][0])[rows], kind="stable") if by == "order" else np.arange(len(rows))
    stretch = np.zeros(len(rows), dtype=int)
    for value in np.unique(y) if is_class else [None]:
        chosen = order if value is None else order[y[order] == value]
        stretch[chosen] = np.arange(len(chosen)) * _STRETCHES // len(chosen)
    return stretch


def halves_judged(claims: Sequence[Claim], cells: Cells) -> list[_Judged]:
    """Return what each draw of two parts says.

    Raises
    ------
    NotCheckable
        Where other rows are used.
    """
    if "halves" not in cells.memory:
        cells.memory["halves"] = _halves_judged(claims, cells)
    return cells.memory["halves"]


def _halves_judged(claims: Sequence[Claim], cells: Cells) -> list[_Judged]:
    how, features = claims[0], features_of(cells)
    is_class = claims[1]["of"]["unit"] == "accuracy"
    n_used = len(_rows_used(cells))
    if n_used != how["n_rows"]:
        raise NotCheckable(f"{n_used:,} rows can be used, not {how['n_rows']:,}")
    places = features.drawn(_MOST_ROWS)
    rows, H = features.rows[places], features.H[places]
    H = H[:, np.ptp(H, axis=0) > 0]
    y = labels_of(cells).iloc[rows].astype(str).to_numpy() if is_class else target_of(cells)[rows]
    if is_class and (n_frequent := how["of"].get("most frequent classes")):
        y = np.where(np.isin(y, pd.Series(y).value_counts().index[:n_frequent]), y, "(others)")
    groups = _groups(cells, how, rows, y, is_class)
    if groups is not None and how["of"]["apart by"] != "group":
        # The first stretches are searched, and those behind them judge.
        is_first = groups < _STRETCHES / 2
        return [_judged(H, y, np.flatnonzero(is_first), np.flatnonzero(~is_first), is_class)] * _DRAWS
    splitter = (ShuffleSplit if groups is None else GroupShuffleSplit)(_DRAWS, train_size=0.5, random_state=0)
    return [_judged(H, y, search, judge, is_class) for search, judge in splitter.split(H, y, groups)]


def _rows_used(cells: Cells) -> np.ndarray:
    features = features_of(cells)
    return features.drawn(min(max(200 * features.H.shape[1], 4000), 20_000))


def _curves(X: np.ndarray, search: np.ndarray, places: Sequence[int] | None = None) -> np.ndarray:
    """Return for each column its standardised values, and of all or some normal scores and hinges of these."""
    parts = []
    for place, x in enumerate(X.T):
        values = x[search]
        z = (x - values.mean()) / (values.std() or 1.0)
        different = np.unique(values)
        parts.append(z)
        if len(different) > 2 and (places is None or place in places):
            ranks = np.searchsorted(np.sort(values), x, side="left") + np.searchsorted(np.sort(values), x, side="right")
            score = ndtri(np.clip(0.5 * ranks / len(values), 0.5 / len(values), 1 - 0.5 / len(values)))
            knots = np.unique(np.quantile(score[search], np.arange(1, _KNOTS + 1) / (_KNOTS + 1)))
            parts += [score, *(np.maximum(score - knot, 0.0) for knot in knots[: len(different) - 2])]
    return np.column_stack(parts)


def _fitted(
    X: np.ndarray, y: np.ndarray, Y: np.ndarray, search: np.ndarray, judge: np.ndarray, is_class: bool
) -> list[np.ndarray]:
    """Return predictions of both parts: probabilities of the classes, or numbers."""
    centre, spread = X[search].mean(axis=0), X[search].std(axis=0)
    X = (X - centre) / np.where(spread > 1e-12, spread, 1.0)
    if not is_class:
        model = (LinearRegression() if 4 * X.shape[1] < len(search) else RidgeCV(_PENALTIES)).fit(X[search], Y[search])
        return [model.predict(X[part]).reshape(len(part), -1) for part in (search, judge)]
    model = LogisticRegression(max_iter=150).fit(X[search], y[search])
    found = []
    for part in (search, judge):
        shares = np.zeros((len(part), Y.shape[1]))
        shares[:, np.searchsorted(np.unique(y), model.classes_)] = model.predict_proba(X[part])
        found.append(shares)
    return found


def _judged(H: np.ndarray, y: np.ndarray, search: np.ndarray, judge: np.ndarray, is_class: bool) -> _Judged:
    Y = (y[:, None] == np.unique(y)).astype(float) if is_class else y[:, None].astype(float)
    guess = np.tile(Y[search].mean(axis=0), (len(judge), 1))
    line = _fitted(H, y, Y, search, judge, is_class)
    curve = _fitted(_curves(H, search), y, Y, search, judge, is_class)
    scores = {
        f"{name} score": _score(Y[judge], found, is_class)
        for name, found in (("guess", guess), ("line", line[1]), ("curve", curve[1]))
    }
    X = (H - H[search].mean(axis=0)) / np.where(H[search].std(axis=0) > 1e-12, H[search].std(axis=0), 1.0)
    return _Judged(
        scores,
        line[1],
        Y[judge] - curve[1],
        Y[search] - curve[0],
        X[search],
        X[judge],
        curve[1],
        Y[judge],
        (H, y, search, judge),
    )


def _score(Y: np.ndarray, predicted: np.ndarray, is_class: bool) -> float:
    if is_class:
        return float((Y.argmax(axis=1) == predicted.argmax(axis=1)).mean())
    return 1.0 - float(((Y - predicted) ** 2).mean() / Y.var())


def _together(one: _Judged, places: Sequence[int], seed: int) -> np.ndarray:
    """Return what random features of some columns predict of what curves leave, of the rows that judge."""
    Z = [X[:, list(places)] for X in (one.X_search, one.X_judge)]
    waves = RBFSampler(gamma=median_width(Z[0]), n_components=_FEATURES, random_state=seed).fit(Z[0])
    model = RidgeCV(_PENALTIES * 10).fit(waves.transform(Z[0]), one.search_left)
    return model.predict(waves.transform(Z[1])).reshape(one.left.shape)


def _of_rows(values: Sequence[float], n_judge: int, points: float) -> Range:
    middle, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    share = min(max(middle, 0.05), 0.95)
    slack = points + 3.0 * max(spread, math.sqrt(share * (1.0 - share) / n_judge))
    return Range(middle - slack, middle + slack, "three other draws of the parts")


@kind("rows searched")
def rows_searched(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Half of the rows, or of whole groups about half."""
    n = len(_rows_used(cells))
    if n != claim["n_rows"]:
        return f"of {n} rows"
    if claim["of"]["apart by"] == "random":
        return Range(n // 2 - 1, n // 2 + 1, "half")
    sizes = [len(one.search_left) / (len(one.search_left) + len(one.left)) for one in halves_judged(claims, cells)]
    slack = 0.15 + 3.0 * float(np.std(sizes))
    return Range(n * (0.5 - slack), n * (0.5 + slack), "half of the groups")


@kind("guess score", "line score", "curve score")
def score_of_half(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    draws = halves_judged(claims, cells)
    points = {"guess score": 0.01, "line score": 0.02, "curve score": 0.04}[claim["what"]]
    # Beyond the rows searched, curves go on as each model has it.
    points += (0.1 if claim["what"] == "curve score" else 0.03) * (claims[0]["of"]["apart by"] != "random")
    return _of_rows([one.scores[claim["what"]] for one in draws], min(claim["n_rows"], len(draws[0].left)), points)


def _places(cells: Cells, columns: Sequence[str]) -> list[int]:
    """Return the features of some columns, or of all, among those that vary."""
    features = features_of(cells)
    sources = [name for name, n in zip(features.sources, features.n_different, strict=True) if n > 1]
    return [place for place, name in enumerate(sources) if not columns or name in columns]


def _gains(claims: Sequence[Claim], cells: Cells, columns: Sequence[str]) -> list[tuple[float, float]]:
    """Return the share of the squared error that columns together take away, and the score with them, in each draw."""
    key = ("together", tuple(columns))
    if key not in cells.memory:
        is_class, found = claims[1]["of"]["unit"] == "accuracy", []
        for seed, one in enumerate(halves_judged(claims, cells)):
            more = _together(one, _places(cells, columns), seed)
            gain = 1.0 - float(((one.left - more) ** 2).sum() / max((one.left**2).sum(), 1e-300))
            found.append((gain, _score(one.Y, one.curves + more, is_class)))
        cells.memory[key] = found
    return cells.memory[key]


@kind("joint score")
def joint_score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    columns = next(c["columns"] for c in claims if c["what"] == "joint gain")
    draws, found = halves_judged(claims, cells), _gains(claims, cells, columns)
    # Which columns the search weighs most is not said unless they are real: between all of them and none.
    n = min(claim["n_rows"], len(draws[0].left))
    points = 0.06 + 0.12 * (claims[0]["of"]["apart by"] != "random")
    ends = [
        _of_rows([score for _, score in found], n, points),
        _of_rows([d.scores["curve score"] for d in draws], n, points),
    ]
    return Range(min(end.low for end in ends), max(end.high for end in ends), ends[0].why)


def _bends(claims: Sequence[Claim], cells: Cells, columns: Sequence[str]) -> list[float]:
    """Return the share of the squared error of lines that curves of some columns, or of all, take away."""
    is_class, found = claims[1]["of"]["unit"] == "accuracy", []
    for one in halves_judged(claims, cells):
        H, y, search, judge = one.parts
        curve = one.curves
        if columns:
            X = _curves(H, search, _places(cells, columns))
            Y = (y[:, None] == np.unique(y)).astype(float) if is_class else y[:, None].astype(float)
            curve = _fitted(X, y, Y, search, judge, is_class)[1]
        found.append(1.0 - float(((one.Y - curve) ** 2).sum() / max(((one.Y - one.line) ** 2).sum(), 1e-300)))
    return found


@kind("joint gain", "pair gain", "bent gain")
def joint_gain(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    if claim["what"] == "bent gain":
        gains = _bends(claims, cells, claim["columns"])
    else:
        gains = [gain for gain, _ in _gains(claims, cells, claim["columns"])]
    middle, spread = float(np.mean(gains)), float(np.std(gains, ddof=1))
    if claim["value"] == 0:
        # What could not have been noticed may be there.
        noticed = claim["least"] or next((c["least"] for c in claims if c["what"] == "joint gain" and c["least"]), 0.02)
        least = middle - 3.0 * spread - 0.05
        return 0.0 if least <= noticed else f"{middle:.2f} ± {spread:.2f} are gained"
    slack = 0.1 + 0.1 * abs(middle) + 2.0 * spread
    return Own(Range(middle - slack, middle + slack, "three other draws of the parts"), partly=slack > 0.3)
