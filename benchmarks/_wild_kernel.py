"""Kinds of claims of wild.py on the exact kernel: how many features are enough, and the order of rows along a curve.

Errors of the exact kernel, each row predicted by all others, follow from a decomposition of the matrix of the smoother.
Where the rows that are used are drawn, others are drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from _wild_cells import Cells
from _wild_rows import features_of, median_width
from _wild_verdicts import Claim, NotCheckable, Own, Range, kind, labels_of, of_draws, target_of
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr

_ROWS, _DRAWS = 2000, 5
_PENALTIES = np.logspace(-10.0, 2.0, 37)
_COMPONENTS, _POOL = 1000, 8


# --- how many features ------------------------------------------------------------------------------------------------


class _Curve:
    """Squared errors of rows that are predicted by all others, for each penalty.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Standardised.
    Y : ndarray of shape (n, k)
    """

    def __init__(self, X: np.ndarray, Y: np.ndarray) -> None:
        n = len(X)
        self.gamma = median_width(X)
        centre = np.eye(n) - 1.0 / n
        Y = Y - Y.mean(axis=0)
        values, vectors = eigh(centre @ np.exp(-self.gamma * squareform(pdist(X, "sqeuclidean"))) @ centre)
        values, squares = np.maximum(values, 0.0), vectors**2
        values[values < 1e-12 * values[-1]] = 0.0
        along = vectors.T @ Y
        power = (along**2).sum(axis=1)
        rows = []
        for penalty in _PENALTIES * values.sum():
            kept = values / (values + penalty)
            # The mean of all rows is an intercept: it takes one n-th of each leverage.
            one_less_leverage = 1.0 - 1.0 / n - squares @ kept
            loss = (((Y - vectors @ (kept[:, None] * along)) / one_less_leverage[:, None]) ** 2).sum(axis=1)
            part = kept * (1.0 - kept)
            drawn = float(part @ power) * float(np.mean((squares @ part) / one_less_leverage**2))
            rows.append((kept.sum(), (kept**2).sum(), drawn, loss))
        self.fitted, self.squares, self.drawn = (np.array(part) for part in list(zip(*rows, strict=True))[:3])
        self.losses = np.array([row[3] for row in rows])
        self.errors = self.losses.mean(axis=1)
        self.guess = ((Y * n / (n - 1.0)) ** 2).sum(axis=1)

    def says(self, m: int, within: float) -> dict[str, Any]:
        """Return what is claimed, with that number of features."""
        unit, exact = float(self.guess.mean()), float(self.errors.min())
        difference = (self.guess - self.losses[self.errors.argmin()]) / unit
        possible = m > self.fitted
        by_penalty = np.where(possible, self.errors + self.drawn / np.where(possible, m - self.squares, 1.0), np.inf)
        best = int(by_penalty.argmin())
        fitted = self.fitted[best]
        needed = next(m for m in _numbers(m) if self._error(m) <= (1.0 + within) * exact)
        return {
            "features": needed,
            "error": float(by_penalty[best]) / unit,
            "exact": exact / unit,
            "gain": 1.0 - exact / unit,
            "gain error": float(difference.std(ddof=1)) / math.sqrt(len(difference)),
            "within": max(0.05, 0.001 * unit / exact),
            "predictable": bool(fitted - self.squares[best] >= 0.3 * fitted or m >= 10 * fitted),
            "γ": self.gamma,
        }

    def _error(self, m: int) -> float:
        possible = m > self.fitted
        return float(
            np.min(np.where(possible, self.errors + self.drawn / np.where(possible, m - self.squares, 1), 1e300))
        )


def _numbers(about: int) -> Any:
    """Yield all numbers of two digits, rising."""
    yield from range(1, 100)
    size = 10
    while size < 100 * about + 10**9:
        yield from range(10 * size, 100 * size, size)
        size *= 10


def _said(claims: Sequence[Claim], cells: Cells) -> tuple[list[dict[str, Any]], bool]:
    """Return what each draw of the rows says, and whether these are drawn at all."""
    told = claims[0]
    if told["of"]["scaling"] != "standardise":
        raise NotCheckable(f"scaled by {told['of']['scaling']}")
    key = ("kernel", told["value"])
    if key not in cells.memory:
        features = features_of(cells)
        label = labels_of(cells).iloc[features.rows]
        is_class = cells.is_class
        counts = label.value_counts()
        is_thinned = is_class and counts.iloc[0] > 0.9 * len(label)
        is_drawn = is_thinned or len(label) > _ROWS
        found = []
        for seed in range(cells.effort * _DRAWS if is_drawn else 1):
            places, drawn = np.arange(len(label)), np.random.default_rng(seed)
            if is_thinned:
                is_most = (label == counts.index[0]).to_numpy()
                n_most = min(max(int((~is_most).sum()), 30), int(is_most.sum()))
                places = np.r_[places[~is_most], drawn.choice(places[is_most], n_most, replace=False)]
            if len(places) > _ROWS:
                places = drawn.choice(places, _ROWS, replace=False)
            if abs(len(places) - told["n_rows"]) > 1:
                raise NotCheckable(f"{len(places):,} rows can be used, not {told['n_rows']:,}")
            X = features.H[np.sort(places)]
            spread = X.std(axis=0)
            is_flat = spread <= 1e-7 * np.abs(X).max(axis=0)
            X = (X - X.mean(axis=0)) / np.where(is_flat, 1.0, spread)
            if is_class:
                given = label.iloc[np.sort(places)].to_numpy()
                Y = (given[:, None] == np.unique(given)).astype(float)
            else:
                y = target_of(cells)[features.rows[np.sort(places)]]
                Y = (y / y.std())[:, None]
            found.append(_Curve(X, Y).says(told["value"], told["of"]["within"]))
        cells.memory[key] = found, is_drawn
    return cells.memory[key]


def _kernel_claim(claims: Sequence[Claim], cells: Cells, name: str) -> Any:
    """Return where a number may lie: of the same rows it is the same but for the rounding of a decomposition."""
    found, is_drawn = _said(claims, cells)
    values = [one[name] for one in found]
    if is_drawn:
        return of_draws(values, "other rows are drawn")
    return Range(values[0] - 1e-5 * abs(values[0]), values[0] + 1e-5 * abs(values[0]), "by the definition")


@kind("features: features")
def enough(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Count in steps of two digits; where rows are drawn, by the logarithms, and one step more."""
    found, is_drawn = _said(claims, cells)
    of = {name: _kernel_claim(claims, cells, name) for name in ("within", "γ")}
    numbers = [one["features"] for one in found]
    if not is_drawn:
        return Own(numbers[0], of=of)
    logs = of_draws([math.log(number) for number in numbers], "")
    step = 10 ** max(math.floor(math.log10(claim["value"])) - 1, 0)
    own = Range(math.exp(logs.low) - step, math.exp(logs.high) + step, "other rows are drawn")
    return Own(own, of=of, partly=own.high > 4.0 * max(own.low, 1.0) + 4)


@kind("predicted error")
def predicted_error(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    return _kernel_claim(claims, cells, "exact" if claim["of"]["model"] == "exact kernel" else "error")


@kind("gain over the mean")
def gain_over_the_mean(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    found = _said(claims, cells)[0][0]
    # The gain may be next to 0, where only the digits of the error count.
    own, error = _kernel_claim(claims, cells, "gain"), _kernel_claim(claims, cells, "gain error")
    slack = 1e-5 * found["exact"]
    return Own(Range(own.low - slack, own.high + slack, own.why), of={"error": error})


@kind("is predictable")
def is_predictable(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    said = {one["predictable"] for one in _said(claims, cells)[0]}
    return Own(claim["value"] if claim["value"] in said else not claim["value"], partly=len(said) > 1)


# --- the order along a curve ------------------------------------------------------------------------------------------


@kind("order along the curve")
def order_along_the_curve(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Sort the rows by the Fiedler vector of a graph of near neighbours in the plane of two principal components."""
    if claim["of"]["scaling"] != "standardise":
        raise NotCheckable(f"scaled by {claim['of']['scaling']}")
    features = features_of(cells)
    if len(features.rows) != claim["n_rows"]:
        raise NotCheckable(f"{len(features.rows):,} rows, not {claim['n_rows']:,}")
    (name,) = cells.orders
    given = cells.numbers(name)[features.rows]
    X = _scaled(features)
    if claim["of"]["map"] == "plain PCA":
        own = _along(X, given)
        return Range(own - 1e-6, own + 1e-6, "by the definition")
    maps = {"maxout": _maxima, "Fourier": _waves}[claim["of"]["map"]]
    return of_draws(
        [_along(maps(X, np.random.default_rng(seed)), given) for seed in range(12 * cells.effort)], "other features"
    )


def _scaled(features: Any) -> np.ndarray:
    X = features.H
    spread = np.where(features.is_word, np.ptp(X, axis=0), X.std(axis=0))
    return (X - X.mean(axis=0)) / np.where(spread > 1e-13 * np.abs(X).max(axis=0), spread, 1.0)


def _maxima(X: np.ndarray, drawn: np.random.Generator) -> np.ndarray:
    W = drawn.normal(size=(X.shape[1], _COMPONENTS, _POOL))
    return np.tensordot(X, W, 1).max(axis=2)


def _waves(X: np.ndarray, drawn: np.random.Generator) -> np.ndarray:
    angle = X @ drawn.normal(size=(X.shape[1], _COMPONENTS // 2)) * math.sqrt(2.0 * median_width(X))
    return np.hstack([np.cos(angle), np.sin(angle)])


def _along(Z: np.ndarray, given: np.ndarray) -> float:
    """Return the rank correlation of the given order with that along the curve."""
    U, s, _ = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    squared = squareform(pdist(U[:, :2] * s[:2], "sqeuclidean"))
    # Weights fall off at the typical distance of a first and second neighbour.
    scale = float(np.sort(squared, axis=1)[:, 1:3].mean())
    W = np.maximum(np.exp(-squared / (2.0 * scale)), 1e-12)
    fiedler = eigh(np.diag(W.sum(axis=1)) - W)[1][:, 1]
    return abs(float(spearmanr(np.argsort(np.argsort(fiedler)), given).statistic))
