"""Kinds of claims of wild.py that come from predictions of each row by all others: label errors and uncertainty.

Ridge regression as their `kinds` say: of up to 2,000 rows with the kernel, which gives the numbers themselves, of more
on random Fourier features of other frequencies: a claim may lie three standard errors from what four means of four
draws give, by the t law of their spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from _wild_rows import LeftOut, exact_features, features_of, standardised, waves
from _wild_verdicts import FALSE_ALARMS, Claim, NotCheckable, Own, Range, kind, labels_of, of_draws, target_of
from scipy.stats import binom, norm, rankdata

__all__ = ["draws_of"]

# Rows up to which the kernel is used; means of draws for more of them, and the draws of each; draws of widths.
_EXACT_ROWS, _MEANS, _DRAWS, _SEEDS = 2000, 4, 4, 6
_FEATURES, _LEVEL = 500, 0.9


@dataclass(frozen=True, eq=False)
class _Classes:
    """What one draw of features says of the classes.

    Attributes
    ----------
    rows, given, best : ndarray of shape (n,)
        Rows of the file, their class, and the other class with the largest score.
    margins, short : ndarray of shape (n,)
        The score of their class less the largest of another, and how much less that is than contradicts the label.
    says : dict of str to float
        What is claimed of all rows, by the kind.
    sets : ndarray of bool, shape (n, k)
    contradicted : ndarray of int
        Rows of the file.
    """

    rows: np.ndarray
    given: np.ndarray
    best: np.ndarray
    margins: np.ndarray
    short: np.ndarray
    says: dict[str, float]
    sets: np.ndarray
    contradicted: np.ndarray


@dataclass(frozen=True, eq=False)
class _Targets:
    """What one draw of features says of numbers."""

    rows: np.ndarray
    predictions: np.ndarray
    deviations: np.ndarray
    says: dict[str, Any]


def _rows_and_draws(claims: Sequence[Claim], cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the file that are looked at, scaled."""
    features = features_of(cells)
    named = {
        row
        for claim in claims
        if claim["what"] in ("contradicted label", "contradicted target")
        for row in claim["rows"]
    }
    places = features.drawn(also=sorted(named & set(features.rows.tolist())))
    if abs(len(places) - claims[0]["n_rows"]) > len(named):
        raise NotCheckable(f"{len(places):,} rows can be used, not {claims[0]['n_rows']:,}")
    return features.rows[places], standardised(features, places)


def draws_of(cells: Cells) -> list[Any]:
    """Return what each draw of features says of classes, or of numbers.

    Raises
    ------
    NotCheckable
        Without a label, or where it is not known which rows are used.
    """
    if "draws" not in cells.memory:
        about = ("contradicted labels", "contradicted targets")
        claims = [
            claim for claim in cells.claims if claim["what"] in (*about, "contradicted label", "contradicted target")
        ]
        if not claims:
            raise NotCheckable("the finding on label errors says nothing")
        rows, X = _rows_and_draws(claims, cells)
        is_class = claims[0]["what"] == "contradicted labels"
        cells.memory["draws"] = (_draws_of_classes if is_class else _draws_of_targets)(cells, rows, X)
    return cells.memory["draws"]


def _range(values: Sequence[float], floor: float = 0.0) -> Range:
    """Return where another draw lies."""
    return of_draws(values, "other features", floor)


class _Mean:
    """The mean of what some draws of features predict."""

    def __init__(self, drawn: Sequence[LeftOut]) -> None:
        self._drawn = drawn

    def predict(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [model.predict(Y) for model in self._drawn]
        return np.mean([one[0] for one in found], axis=0), np.mean([one[1] for one in found], axis=0)


def _models(X: np.ndarray, extra: np.ndarray, cells: Cells) -> list[Any]:
    """Return what predicts each row by all others: the kernel of few rows, or means of draws, and other features."""
    if len(X) <= _EXACT_ROWS:
        return [LeftOut(exact_features(X, extra))]
    return [
        _Mean([LeftOut(np.hstack([waves(X, _FEATURES, 11 + _DRAWS * i + j), extra])) for j in range(_DRAWS)])
        for i in range(_MEANS * cells.effort)
    ]


def _said(name: str, cells: Cells, floor: float = 0.0) -> Range:
    """Return where a share may lie; of rows that are drawn, also by what two draws of them differ."""
    found = [float(draw.says[name]) for draw in draws_of(cells)]
    n, share = len(draws_of(cells)[0].rows), min(max(float(np.mean(found)), 0.0), 1.0)
    drawn = norm.isf(0.5 / FALSE_ALARMS) * math.sqrt(2.0 * share * (1.0 - share) / n) if _are_drawn(cells) else 0.0
    return _range(found, floor + drawn)


def _are_drawn(cells: Cells) -> bool:
    return len(draws_of(cells)[0].rows) < len(features_of(cells).rows)


# --- classes ----------------------------------------------------------------------------------------------------------


def _lacking(cells: Cells, rows: np.ndarray) -> np.ndarray:
    """Return which rows lack more than half of the columns of the features."""
    return np.mean([cells.missing(name)[rows] for name in dict.fromkeys(features_of(cells).sources)], axis=0) > 0.5


def _draws_of_classes(cells: Cells, rows: np.ndarray, X: np.ndarray) -> list[_Classes]:
    given, names = pd.factorize(labels_of(cells).iloc[rows], sort=True)
    cells.memory["class names"] = [str(name) for name in names]
    Y = np.where(given[:, None] == np.arange(len(names)), 1.0, -1.0)
    lacking = _lacking(cells, rows)
    return [_of_classes(model.predict(Y)[0], given, rows, lacking) for model in _models(X, _frequent(X), cells)]


def _of_classes(scores: np.ndarray, given: np.ndarray, rows: np.ndarray, lacking: np.ndarray) -> _Classes:
    n, k = scores.shape
    every, counts = np.arange(n), np.bincount(given, minlength=k)
    own = scores[every, given]
    others = scores.copy()
    others[every, given] = -np.inf
    others[:, counts < 5] = -np.inf
    best, largest = others.argmax(axis=1), others.max(axis=1)
    margin = own - largest
    # By as much as rows of the other class have more than of any other on average, or half of it across a gap.
    usual = np.array([margin[given == c].mean() for c in range(k)])
    deep, beyond = (margin < 0) & (-margin >= usual[best]), -margin > usual[best] / 2
    pair = pd.Series(given * k + best)
    between = (np.abs(margin) <= usual[best] / 2).astype(int)

    def of_pair(values: np.ndarray) -> np.ndarray:
        return np.bincount(pair, values, minlength=k * k)

    n_between, n_beyond = of_pair(between), of_pair(beyond)
    deep |= beyond & (n_beyond > 2 * n_between)[pair] & (n_between[pair] <= 0.05 * counts[given])
    astray = np.bincount(given, margin < 0, minlength=k)
    undecided = np.bincount(given, (margin < 0) & ~deep, minlength=k)
    unclear = (undecided > 0.1 * counts) | (astray + np.sqrt(astray) > 0.45 * counts) | (counts < 5)
    total = (margin < 0).sum()
    unclear |= total + math.sqrt(total) > 0.3 * n
    n_deep, n_halfway = of_pair(deep), of_pair(beyond & ~deep)
    is_clear = ~unclear[given] & ~unclear[best]
    contradicted = deep & (n_deep > n_halfway)[pair] & is_clear & ~lacking
    back = best * k + given
    across = (n_beyond + 1 > 2 * n_between)[back] & (n_between[back] <= 0.05 * counts[best])
    would = (margin >= usual[given]) | (across & (margin > usual[given] / 2))
    recognised = would & (n_deep + 1 > n_halfway)[back] & is_clear
    # A class remains that scores no less than nine tenths of the rows give their own; the largest one always does.
    sets = scores >= np.sort(own)[int(0.1 * n + 1e-9)]
    sets[every, scores.argmax(axis=1)] = True
    says = {
        "contradicted labels": contradicted.sum(),
        "recognised share": recognised.mean(),
        "overlapping classes": unclear.sum(),
        "share like another class": (margin < 0).mean(),
        "single class share": (sets.sum(axis=1) == 1).mean(),
        "share with the label": sets[every, given].mean(),
    }
    return _Classes(rows, given, best, margin, -margin - usual[best], says, sets, rows[contradicted])


@kind("contradicted labels")
def contradicted_labels(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    found = _said(claim["what"], cells, 1.0)
    named = [c["rows"][0] for c in claims if c["what"] == "contradicted label"]
    if sorted(named) != sorted(claim["rows"]) or len(named) != claim["value"]:
        return f"{len(named)} rows are named"
    return Own(found, of={"classes": len(cells.memory["class names"])})


@kind("share like another class", "recognised share", "single class share")
def share_of_classes(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return _said(claim["what"], cells, 2.0 / claim["n_rows"])


@kind("overlapping classes")
def overlapping_classes(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    if len(claim["of"]["names"]) != claim["value"]:
        return f"{len(claim['of']['names'])} classes are named"
    found = [draw.says[claim["what"]] for draw in draws_of(cells)]
    return Range(
        min(found) - (np.std(found) > 0), max(found) + (np.std(found) > 0), f"{len(found)} other draws of features"
    )


@kind("contradicted label")
def contradicted_label(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    draws, row = draws_of(cells), int(claim["rows"][0])
    names, place = cells.memory["class names"], int(np.searchsorted(draws[0].rows, row))
    if place == len(draws[0].rows) or draws[0].rows[place] != row:
        return f"row {row} is not used"
    said = {names[draw.best[place]] for draw in draws}
    own = Own(
        claim["value"] if claim["value"] in said else " or ".join(sorted(said)),
        of={"label": names[draws[0].given[place]], "margin": _range([draw.margins[place] for draw in draws], 1e-3)},
    )
    # By as much as other rows of that class, or within three standard errors of it.
    if not any(row in draw.contradicted for draw in draws):
        short = _range([draw.short[place] for draw in draws], 1e-3)
        if short.high < 0:
            return f"it is {-short.high:.3f} short of contradicting it"
    return own


@kind("told by other draws")
def told_by_other_draws(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Count the rows that are told which other means of four draws tell as well."""
    rows = [c["rows"][0] for c in claims if c["what"] == "contradicted label"]
    counts = [float(np.isin(rows, draw.contradicted).sum()) for draw in draws_of(cells)]
    return Own(_range(counts, 1.0), of={"of": len(rows)})


@kind("rows with several classes")
def rows_with_several_classes(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    if len(claim["rows"]) != claim["value"]:
        return f"{len(claim['rows'])} rows are named"
    draws, n = draws_of(cells), claim["n_rows"]
    found = _range([n * (1.0 - draw.says["single class share"]) for draw in draws], 2.0)
    if len(draws[0].rows) == n and not _are_drawn(cells):
        # Those that few draws leave a single class.
        several = np.mean([draw.sets.sum(axis=1) > 1 for draw in draws], axis=0)
        doubtful = int(((several > 0) & (several < 1)).sum())
        told = np.isin(draws[0].rows, claim["rows"])
        if (told != (several > 0.5)).sum() > 2 + 2 * doubtful:
            return f"{(told != (several > 0.5)).sum()} other rows"
    return found


@kind("share with the label")
def share_with_the_label(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    draws = draws_of(cells)
    if "class" not in claim["of"]:
        return _said(claim["what"], cells, 2.0 / claim["n_rows"])
    names = cells.memory["class names"]
    if claim["of"]["class"] not in names:
        return f"no class {claim['of']['class']!r}"
    own = draws[0].given == names.index(claim["of"]["class"])
    held = [draw.sets[np.flatnonzero(own), draw.given[own]].mean() for draw in draws]
    n = int(own.sum())
    return (
        _range(held, 2.0 / n) if n == claim["n_rows"] or len(own) < len(labels_of(cells)) else f"the class has {n} rows"
    )


@kind("confused with the next number")
def confused_with_the_next_number(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    draws = draws_of(cells)
    names = cells.memory["class names"]
    k = len(names)
    if not 5 <= k <= 30 or not all(name.removeprefix("-").isdecimal() for name in names):
        return False
    order = np.argsort([int(name) for name in names])
    if any(int(names[b]) - int(names[a]) != 1 for a, b in pairwise(order)):
        return False
    place, p = np.argsort(order), []
    for seed, draw in enumerate(draws):
        counts = np.zeros((k, k))
        np.add.at(counts, (place[draw.given], place[draw.best]), 1.0)
        apart, drawn = np.abs(np.subtract.outer(range(k), range(k))), np.random.default_rng(seed)
        chance = [(counts[np.ix_(o, o)] * apart).sum() for o in (drawn.permutation(k) for _ in range(999))]
        p.append(np.mean(np.array(chance) <= (counts * apart).sum()))
    found = {bool(one <= 0.05) for one in p}
    return claim["value"] if claim["value"] in found else not claim["value"]


# --- numbers ----------------------------------------------------------------------------------------------------------


def _with_columns(X: np.ndarray, n_features: int, seed: int) -> np.ndarray:
    H = waves(X, n_features, seed)
    return np.hstack([H, X / math.sqrt(X.shape[1])]) if X.shape[1] < len(X) / 4 else H


def _frequent(X: np.ndarray) -> np.ndarray:
    """Return which rows have the number that a quarter to three quarters of a column of more than two numbers have."""
    found = []
    for column in X.T if X.shape[1] < len(X) / 4 else []:
        counts = pd.Series(column).value_counts()
        if len(counts) > 2 and 0.25 <= counts.iloc[0] / len(X) <= 0.75:
            found.append(column == counts.index[0])
    return np.column_stack(found) / np.sqrt(len(found)) if found else np.empty((len(X), 0))


def _near_size(size: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """Return the median size of the residuals of 30 rows about each in the order of predictions."""
    n = len(size)
    rising = np.argsort(predictions, kind="stable")
    starts = np.clip(np.arange(n) - 15, 0, max(n - 30, 0))
    medians = np.array([np.median(np.abs(size[rising[start : start + 30]])) for start in starts])
    return medians[np.argsort(rising)]


def _draws_of_targets(cells: Cells, rows: np.ndarray, X: np.ndarray) -> list[_Targets]:
    given, n = target_of(cells)[rows], len(rows)
    of_shares = any(c["what"] == "contradicted targets" and c["of"].get("scale") == "shares" for c in cells.claims)
    limit, lacking, found = float(norm.isf(0.01 / (2 * n))), _lacking(cells, rows), []

    def predicted(model: LeftOut, y: np.ndarray, fitted: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return predictions, deviations, and deviations by the size of all residuals alone."""
        predictions, leverage = model.predict(fitted[:, None])
        size = (y - predictions[:, 0]) * np.sqrt(1.0 - leverage)
        usual = 1.4826 * float(np.median(np.abs(size - np.median(size)))) or 1e-300
        near = 1.4826 * _near_size(size, predictions[:, 0])
        return predictions[:, 0], size / np.maximum(near, usual), size / usual

    extra = np.hstack([X / math.sqrt(X.shape[1]), _frequent(X)]) if X.shape[1] < n / 4 else _frequent(X)
    models = _models(X, extra, cells)
    repeats = max(_SEEDS * cells.effort // len(models), 1)  # widths of intervals are drawn anyway
    for seed, model in enumerate(models * repeats, 11):

        def twice(y: np.ndarray, model: Any = model) -> tuple[np.ndarray, ...]:
            # Those that are outlying are cut, and all are predicted again.
            predictions, deviations, _ = predicted(model, y, y)
            return predicted(model, y, np.where(np.abs(deviations) > limit, predictions, y))

        y, shares = given, rankdata(given) / n
        predictions, deviations, alone = twice(y)
        residuals = y - predictions
        if of_shares:
            found_shares, deviations, alone = twice(shares)
            predictions = np.interp(found_shares, np.sort(shares), np.sort(given))
        far = np.abs(deviations)
        n_out = int((far > limit).sum())
        n_before = max(int(((d > 0.8 * limit) & (d <= limit)).sum()) for d in (far, np.abs(alone)))
        is_told = 2 * n_before < n_out <= max(0.05 * n, 3)
        far[lacking] = 0.0  # of these nothing is told
        n_told = int((far > limit).sum())
        says = {"contradicted targets": n_told * is_told, "outlying residuals": n_told, "largest deviation": far.max()}
        says |= _intervals(X, residuals, seed) | {"limit": limit}
        found.append(_Targets(rows, predictions, deviations, says))
    return found


def _intervals(X: np.ndarray, residuals: np.ndarray, seed: int) -> dict[str, Any]:
    """Return what is claimed of intervals of one width, and of widths that follow the size of residuals."""
    size, n = np.abs(residuals), len(X)
    logs = np.log(np.maximum(size, max(1e-2 * float(np.median(size)), 1e-300)))
    spread = np.exp(LeftOut(_with_columns(X, min(200, n), seed + 100)).predict(logs[:, None])[0][:, 0])
    width, inside = _jackknife(size)
    own, inside_own = _jackknife(size / spread)
    widths = own * spread
    widest = np.argsort(-widths, kind="stable")[: max(int(0.2 * n), 1)]
    scaled = size / widths
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    rank = rankdata(widths)
    along = {int(c): float(np.corrcoef(rankdata(X[:, c]), rank)[0, 1]) for c in varies}
    return {
        "interval half-width": width,
        "share inside": inside.mean(),
        "share inside where noise is large": inside[widest].mean(),
        "too few": inside[widest].mean() < 0.75 and binom.cdf(inside[widest].sum(), len(widest), _LEVEL) < 1e-3,
        "own half-widths": np.quantile(widths, [0.1, 0.9]),
        "share inside own": inside_own[widest].mean(),
        "far residuals": (scaled > 3.32 * np.median(scaled)).mean(),
        "along": along,
        "widest": widest,
    }


def _jackknife(size: np.ndarray) -> tuple[float, np.ndarray]:
    """Return what nine tenths do not exceed, and which do not exceed that of the others."""
    n = len(size)
    rank, ordered = min(math.ceil(_LEVEL * n - 1e-9), n - 1), np.sort(size)
    return float(ordered[rank - 1]), size <= np.where(size <= ordered[rank - 1], ordered[rank], ordered[rank - 1])


@kind("contradicted targets", "outlying residuals")
def contradicted_targets(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    named = [c["rows"][0] for c in claims if c["what"] == "contradicted target"]
    if claim["what"] == "contradicted targets" and sorted(named) != sorted(claim["rows"]):
        return f"{len(named)} rows are named"
    draws = draws_of(cells)
    outlying = _range([float(draw.says["outlying residuals"]) for draw in draws], 1.0)
    is_wide = outlying.high - outlying.low > outlying.high + outlying.low + 4.0  # from less than none
    if claim["what"] == "outlying residuals":
        return Own(outlying, partly=is_wide)
    # Whether residuals count as errors may turn on a single row; where they do, they are those that are outlying.
    told = {draw.says[claim["what"]] > 0 for draw in draws}
    if claim["n_rows"] <= _EXACT_ROWS:  # nothing was drawn
        return int(draws[0].says[claim["what"]])
    if claim["value"] == 0:
        return 0 if False in told else f"{outlying}, in all draws"
    # A single row near the limit decides whether they are told: where no draw tells them, only their number is known.
    return Own(outlying, partly=is_wide or True not in told)


@kind("contradicted target")
def contradicted_target(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    draws, row = draws_of(cells), int(claim["rows"][0])
    place = int(np.searchsorted(draws[0].rows, row))
    if place == len(draws[0].rows) or draws[0].rows[place] != row:
        return f"row {row} is not used"
    usual = float(np.median([np.std([draw.predictions for draw in draws], axis=0, ddof=1)]))
    own = _range([draw.predictions[place] for draw in draws], usual)
    deviation = _range([draw.deviations[place] for draw in draws], 0.1)
    return Own(own, of={"target": float(target_of(cells)[row]), "deviation": deviation})


@kind("largest deviation", "interval half-width")
def largest_deviation(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = [float(draw.says[claim["what"]]) for draw in draws_of(cells)]
    return _range(found, 0.005 * float(np.mean(found)))


@kind("share inside", "far residuals", "share inside own")
def share_inside(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return _said(claim["what"], cells, 2.0 / claim["n_rows"])


@kind("share inside where noise is large")
def share_inside_where_noise_is_large(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Compare the share, the rows and the column; the latter turn on draws unless noise is uneven, which is told."""
    found = _said(claim["what"], cells, 2.0 / claim["n_rows"])
    wrong = _wrong_widths(claim, cells)
    if wrong and any(c["what"] == "own half-widths" for c in claims):
        return wrong
    return Own(found, partly=bool(wrong))


def _wrong_widths(claim: Claim, cells: Cells) -> str:
    """Return what other draws say of the rows and the column of the widest intervals, if it is not the same."""
    features, draws = features_of(cells), draws_of(cells)
    widest = float(np.mean([np.isin(claim["rows"], draw.rows[draw.says["widest"]]).mean() for draw in draws]))
    if widest < 0.4:
        return f"{widest:.0%} of the rows are in the widest fifth of other draws"
    if not claim["columns"]:
        return ""
    name = claim["columns"][0]
    mean = {c: float(np.mean([draw.says["along"][c] for draw in draws])) for c in draws[0].says["along"]}
    of_column = [r for c, r in mean.items() if features.sources[c] == name]
    own, most = max(map(abs, of_column)), max(map(abs, mean.values()))
    if own < most - 0.1 or own < 0.4:
        return f"the widths go with {name!r} by {own:.2f}, with another by {most:.2f}"
    return "" if claim["of"]["large"] == (max(of_column, key=abs) > 0) else f"{claim['of']['large']} for large"


@kind("own half-widths")
def own_half_widths(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[Range]:
    found = np.array([draw.says[claim["what"]] for draw in draws_of(cells)])
    return [_range(ends.tolist(), 0.01 * float(ends.mean())) for ends in found.T]
