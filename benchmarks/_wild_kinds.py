"""How wild.py computes each kind of claim again: with pandas, SciPy and scikit-learn, from cells that it parsed itself.

Each function is one kind, as the question's `kinds` describe it. It returns the value that it finds, a `Range` in which
the claimed one must lie where that depends on draws or on a method of its own, or raises `NotCheckable`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from _wild_rows import Features, features_of, standardised
from _wild_verdicts import (
    FALSE_ALARMS,
    KINDS,
    Claim,
    NotCheckable,
    Own,
    Range,
    agree,
    check_findings,
    class_counts,
    code_matrix,
    is_labelled,
    kind,
    labels_of,
    of_draws,
    target_of,
)
from scipy.spatial.distance import cdist, pdist
from scipy.stats import chi2_contingency, false_discovery_control, gamma, ks_2samp, norm, rankdata, spearmanr
from scipy.stats import t as t_law
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["KINDS", "check_findings", "halves_of"]

# --- missing values ---------------------------------------------------------------------------------------------------


@kind("rows with gaps")
def rows_with_gaps(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    masks = [cells.missing(name) for name in cells.columns]
    lacking = np.any([mask for mask in masks if not mask.all()] or [np.zeros(cells.n_rows, dtype=bool)], axis=0)
    return Own(int(lacking.sum()), np.flatnonzero(lacking), {"columns": len(cells.columns)})


@kind("missing share")
def missing_share(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    return float(cells.missing(claim["columns"][0]).mean())


@kind("infinite values")
def infinite_values(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return int(np.isinf(cells.numbers(claim["columns"][0])).sum())


@kind("unlabelled rows")
def unlabelled_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    without = np.flatnonzero(~is_labelled(cells))
    return Own(len(without), without if len(claim["rows"]) else None)


@kind("gaps by label")
def gaps_by_label(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    known = is_labelled(cells)
    gap = cells.missing(claim["columns"][0])[known]
    if not claim["of"]:
        return Own(abs(float(np.corrcoef(gap, rankdata(target_of(cells)[known]))[0, 1])))
    labels = labels_of(cells)[known]
    table = pd.crosstab(gap, labels.to_numpy())
    v = math.sqrt(chi2_contingency(table, correction=False)[0] / len(labels))
    shares = {
        name: float(gap[(labels == claim["of"][who]).to_numpy()].mean())
        for name, who in (("share", "class"), ("other share", "other class"))
    }
    return Own(v, of=shares)


# --- rows and labels --------------------------------------------------------------------------------------------------


@kind("rows", "rows read")
def rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    return Own(cells.n_rows, of={"columns": len(cells.columns)})


@kind("labelled rows")
def labelled_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return int(is_labelled(cells).sum())


@kind("classes")
def classes(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return len(class_counts(cells))


@kind("class size")
def class_size(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    counts = class_counts(cells)
    n = int(counts.get(claim["of"]["class"], 0))
    return n if n in (counts.max(), counts.min()) else f"{n}, of {counts.min()} to {counts.max()}"


@kind("smallest target", "largest target", "least target")
def end_of_target(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    values = target_of(cells)
    end = np.nanmax(values) if claim["what"] == "largest target" else np.nanmin(values)
    if isinstance(claim["value"], str):
        found, said = pd.Timestamp(end, unit="s"), pd.to_datetime(claim["value"], errors="coerce")
        return claim["value"] if said == found or said == found.normalize() else str(found)
    if claim["what"] == "least target" and claim["n_rows"] < len(values):
        return Range(float(end), float(np.nanmedian(values)), "of the rows used")
    return float(end)


# --- copies -----------------------------------------------------------------------------------------------------------


def _compared(claim: Claim, cells: Cells) -> pd.DataFrame:
    return code_matrix(cells, [name for name in cells.columns if name not in claim["of"]["apart from"]])


@kind("copies")
def copies(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    again = np.flatnonzero(_compared(claim, cells).duplicated())
    return Own(len(again), again)


@kind("copies with other labels")
def copies_with_other_labels(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    known = is_labelled(cells)
    frame = _compared(claim, cells)[known]
    labels = pd.Series(labels_of(cells)[known].to_numpy(), index=frame.index)
    group = frame.groupby(list(frame.columns), sort=False).ngroup()
    return int((labels.groupby(group).transform("nunique") > 1).sum())


@kind("pairs by chance")
def pairs_by_chance(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    n, product = cells.n_rows, 1.0
    compared = _compared(claim, cells)
    for place in compared.columns:
        counts = compared[place].value_counts()
        product *= float((counts * (counts - 1)).sum()) / (n * (n - 1))
    return 0.5 * n * (n - 1) * product


# --- dependence between columns ---------------------------------------------------------------------------------------

# Directions of less than this share of the largest singular value do not count: 1e-4 of the variance.
_LEAST = 1e-2
_FEW_VALUES, _WORDS, _FEW, _FEWEST_ROWS, _MOST_PAIRS = 12, 11, 5, 40, 3000
# Rows that follow each other are alike where the product of both columns' autocorrelations is larger.
_ALIKE = 0.1
_KEY = re.compile(r"(?i:(?:^|[\W_])(?:ids?|no|nr|number|key|index|uuid|row|rownum))$|[a-z](?:I[dD]|No|Nr)$")


def _rows_used(claim: Claim, n: int) -> np.ndarray:
    return np.linspace(0, n - 1, claim["n_rows"]).astype(int) if claim["n_rows"] < n else np.arange(n)


def _directions(values: np.ndarray, is_number: bool) -> np.ndarray:
    """Return the centred waves of the ranks of numbers, or indicators of few values, of rows that are known."""
    n = len(values)
    if is_number and len(np.unique(values)) > _FEW_VALUES:
        k = int(np.clip(round(n ** (1 / 3) / 1.5), 3, 8))
        found = np.cos(np.pi * np.outer((rankdata(values) - 0.5) / n, np.arange(1, k + 1)))
    else:
        counts = pd.Series(values).value_counts()
        kept = [value for value in counts.index[:_WORDS] if counts[value] >= _FEW]
        place = pd.Series(values).map({value: i for i, value in enumerate(kept)}).fillna(len(kept)).to_numpy(int)
        if 0 < np.count_nonzero(place == len(kept)) < _FEW and kept:
            place[place == len(kept)] = len(kept) - 1
        found = np.eye(len(kept) + 1)[place]
        found = found[:, found.any(axis=0)]
    return found - found.mean(axis=0)


def _basis(X: np.ndarray) -> np.ndarray:
    """Return orthonormal directions of a column, but for those of nearly no variance."""
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return U[:, s > _LEAST * max(s[0], 1.0)]


def _explained(A: np.ndarray, U: np.ndarray) -> float:
    """Return the largest adjusted share of A's largest variance that least squares on another column's U explain."""
    size, n = U.shape[1], len(A)
    share = float(np.linalg.norm(U.T @ A, 2) ** 2 / max(np.linalg.norm(A, 2) ** 2, 1.0))
    return 1.0 - (1.0 - share) * (n - 1) / max(n - 1 - size, 1)


def _p_value(U: np.ndarray, V: np.ndarray) -> float:
    """Return the p-value of Pillai's trace, by the gamma law with its moments over all permutations of the rows."""
    n, p, q = len(U), U.shape[1], V.shape[1]
    trace, squares = float(np.linalg.norm(U.T @ V) ** 2), [float(((W**2).sum(axis=1) ** 2).sum()) for W in (U, V)]
    mean, variance, uneven = p * q / (n - 1), 2.0 / ((n - 1) ** 2 * (n + 1) * (n - 2)), 1.0
    for k, square in zip((p, q), squares, strict=True):
        variance *= (n - 1) * k - k**2
        uneven *= n * (n + 1) * square - (n - 1) * (k**2 + 2 * k)
    variance += uneven / ((n + 1.0) * n * (n - 1) * (n - 2) * (n - 3))
    return float(gamma.sf(trace, mean**2 / variance, scale=variance / mean))


@dataclass(frozen=True)
class _Pair:
    strength: float
    rank: float | None
    p: float
    n: int
    alike: float = 0.0


def _column_and_known(cells: Cells, name: str, rows: np.ndarray) -> tuple[np.ndarray, bool, np.ndarray]:
    """Return numbers, or codes of words, of some rows, whether they are numbers, and which are known."""
    if cells.kinds[name] in ("number", "date"):
        values = cells.numbers(name)[rows]
        return values, True, np.isfinite(values)
    codes = cells.codes(name).astype(float)[rows]
    return codes, False, codes >= 0


def _pair(cells: Cells, one: str, other: str, rows: np.ndarray) -> _Pair:
    values, is_number = [], []
    known = np.ones(len(rows), dtype=bool)
    for name in (one, other):
        column, is_of_numbers, is_known = _column_and_known(cells, name, rows)
        values.append(column)
        is_number.append(is_of_numbers)
        known &= is_known
    A, B = (_directions(part[known], number) for part, number in zip(values, is_number, strict=True))
    n = int(known.sum())
    if not A.any() or not B.any():
        raise NotCheckable("a column does not vary in the rows that know both")
    rank = None
    if all(is_number):
        rank = float(spearmanr(values[0][known], values[1][known]).statistic)
    U, V = _basis(A), _basis(B)
    strength = math.sqrt(max(_explained(A, V), _explained(B, U), 0.0))
    alike = _autocorrelation(cells, one, rows) * _autocorrelation(cells, other, rows)
    return _Pair(max(strength, abs(rank or 0.0)), rank, _p_value(U, V), n, alike)


def _autocorrelation(cells: Cells, name: str, rows: np.ndarray) -> float:
    """Return the mean autocorrelation at lag 1 of a column's directions of variance 1, of the rows that know it."""
    key = ("autocorrelation", name, len(rows))
    if key not in cells.memory:
        values, is_number, known = _column_and_known(cells, name, rows)
        U = _basis(_directions(values[known], is_number))
        cells.memory[key] = float((U[1:] * U[:-1]).sum() / U.shape[1])
    return cells.memory[key]


@kind("dependence")
def dependence(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    pair = _pair(cells, *claim["columns"], _rows_used(claims[0], cells.n_rows))
    of: dict[str, Any] = {}
    if claim["of"].get("rank correlation") is not None:
        of["rank correlation"] = pair.rank
    if claim["n_rows"] != pair.n:
        return Own(f"{pair.n} rows know both, not {claim['n_rows']}")
    if int(claims[0]["value"]) <= _MOST_PAIRS:
        pairs = _pairs(claim, cells, claims)
        own = float(_adjusted(pairs)[pairs.index(pair)])
        # Its logarithm is as exact as the trace; what is next to nothing may be nothing.
        of["p-value"] = Range(own**1.001 / 1.001 if own > 1e-290 else 0.0, max(own**0.999 * 1.001, 1e-290))
    return Own(Range(pair.strength - _PRECISION, pair.strength + _PRECISION, "by the definition"), of=of)


def _pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[_Pair]:
    """Return all pairs that can be compared."""
    rows, compared = _rows_used(claims[0], cells.n_rows), int(claims[0]["value"])
    if "pairs" not in cells.memory:
        names = _comparable(cells)
        if compared > _MOST_PAIRS:
            raise NotCheckable(f"{compared:,} pairs would take too long")
        found = []
        for one, other in combinations(names, 2):
            with suppress(NotCheckable, ValueError, IndexError):
                pair = _pair(cells, one, other, rows)
                if pair.n >= _FEWEST_ROWS:
                    found.append(pair)
        cells.memory["pairs"] = found
    return cells.memory["pairs"]


def _comparable(cells: Cells) -> list[str]:
    """Return the columns of the pairs: numbers and categories that are not named like a number of the row."""
    return [name for name in cells.used if not _KEY.search(name)]


def _adjusted(pairs: Sequence[_Pair]) -> np.ndarray:
    """Return p-values after Benjamini and Hochberg."""
    return false_discovery_control([pair.p for pair in pairs]) if pairs else np.zeros(0)


# Rounding in single precision, of a strength or a product of autocorrelations, and of a p-value at its limit.
_PRECISION, _LEVELS = 1e-4, (0.00999, 0.01001)


def _count(pairs: Sequence[_Pair], least: float, holds: Callable[[_Pair, float], bool] = lambda *_: True) -> Range:
    """Return how many pairs depend by at least so much, and have a property; at a limit they may round either way.

    Parameters
    ----------
    holds : callable
        Tells whether a pair has it, given by how much limits are tightened.
    """
    adjusted, counts = _adjusted(pairs), []
    for level, slack in zip(_LEVELS, (_PRECISION, -_PRECISION), strict=True):
        told = zip(pairs, adjusted, strict=True)
        counts.append(sum(p <= level and pair.strength >= least + slack and holds(pair, slack) for pair, p in told))
    return Range(*counts, "by the definition")


@kind("compared pairs")
def compared_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    return Own(len(_pairs(claim, cells, claims)), of={"all rows": cells.n_rows})


@kind("incomparable pairs")
def incomparable_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return math.comb(len(_comparable(cells)), 2) - len(_pairs(claim, cells, claims))


@kind("dependent pairs")
def dependent_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return _count(_pairs(claim, cells, claims), claim["of"]["from"])


@kind("pairs of alike rows")
def pairs_of_alike_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return _count(_pairs(claim, cells, claims), claim["of"]["from"], lambda pair, slack: pair.alike > _ALIKE + slack)


@kind("uncorrelated pairs", "uncorrelated pairs of alike rows")
def uncorrelated_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    pairs, is_alike = _pairs(claim, cells, claims), claim["what"].endswith("alike rows")

    def is_flat(pair: _Pair, slack: float) -> bool:
        limit = _ALIKE + (slack if is_alike else -slack)
        flat = pair.rank is not None and abs(pair.rank) <= 0.2 - 1e-2 * slack
        return flat and (pair.alike > limit) == is_alike

    of_all = _count(pairs, 0.5, lambda pair, _: pair.rank is not None)
    return Own(_count(pairs, 0.5, is_flat), of={"of all": of_all})


# --- drift ------------------------------------------------------------------------------------------------------------


def halves_of(claim: Claim, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of both parts that a claim compares."""
    words, n = claim["of"]["first"], cells.n_rows
    said = re.fullmatch(r"the first half of (the file|each class|the rows)(?: by “(.*)”)?", words)
    if said is None:
        raise NotCheckable(f"which rows are {words}")
    order, name = np.arange(n), said[2]
    if name:
        order = np.argsort(cells.numbers(name), kind="stable")
        order = order[~cells.missing(name)[order]]
    if said[1] == "each class":
        order = order[is_labelled(cells)[order]]
        labels = pd.Series(labels_of(cells).to_numpy()[order])
        place = (labels.groupby(labels).cumcount() + 0.5) / labels.groupby(labels).transform("size")
        order = order[np.argsort(place.to_numpy(), kind="stable")]
    return order[: len(order) // 2], order[len(order) // 2 :]


def _distance(cells: Cells, name: str, one: np.ndarray, other: np.ndarray) -> float:
    if cells.kinds[name] in ("number", "date"):
        x, known = cells.numbers(name), ~cells.missing(name)
        return float(ks_2samp(x[one[known[one]]], x[other[known[other]]]).statistic)
    codes = pd.Series(cells.codes(name))
    frequent = codes[codes >= 0].value_counts().index[:100]
    codes = codes.where(codes.isin(frequent) | (codes < 0), len(codes))
    shares = [codes.iloc[part][codes.iloc[part] >= 0].value_counts(normalize=True) for part in (one, other)]
    return 0.5 * float(shares[0].sub(shares[1], fill_value=0.0).abs().sum())


@kind("compared columns")
def compared_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Compare those that are named with all numbers and categories that are not left out for a reason that is told."""
    one, other = halves_of(claim, cells)
    if len(one) + len(other) != claim["n_rows"]:
        return f"{len(one) + len(other)} rows"
    apart = {name for c in claims if c["what"] == "columns not compared" for name in c["columns"]}
    usual = {name for name in cells.used if name not in apart}
    if cells.label in cells.frame.columns and "of each class" not in claim["of"]["first"]:
        usual.add(cells.label)
    if usual != set(claim["columns"]):
        return f"others: {sorted(usual ^ set(claim['columns']))[:5]}"
    return Own(len(claim["columns"]), of={"all": len(cells.frame.columns)})


@kind("distance")
def distance(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = _distance(cells, claim["columns"][0], *halves_of(claim, cells))
    is_number = cells.kinds[claim["columns"][0]] in ("number", "date")
    # Beyond the hundredth word, it depends on which of those that are as frequent are taken.
    slack = 0.05 if not is_number and len(_value_shares(cells, claim["columns"][0])) > 100 else 0.015
    return Range(found - max(slack, 0.03 * is_number), found + slack, "at some quantiles, over blocks")


@kind("largest difference")
def largest_difference(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    names = next(c for c in claims if c["what"] == "compared columns" and c["of"]["first"] == claim["of"]["first"])
    halves = halves_of(claim, cells)
    found = {name: _distance(cells, name, *halves) for name in names["columns"]}
    own, most = found[claim["columns"][0]], max(found, key=lambda name: found[name])
    if own < found[most] - 0.03:
        return f"{found[most]:.6g} of {most!r}"
    return Range(own - 0.03, own + 0.03, "at some quantiles, over blocks")


@kind("class shares")
def class_shares(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[float]:
    labels = labels_of(cells)
    parts = [labels.iloc[part].dropna() for part in halves_of(claim, cells)]
    return [float((part == claim["of"]["class"]).mean()) for part in parts]


@kind("rank correlations")
def rank_correlations(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[Range]:
    if any(cells.kinds[name] not in ("number", "date") for name in claim["columns"]):
        raise NotCheckable("of words: how they are ranked is not said")
    x, y = (cells.numbers(name) for name in claim["columns"])
    found = []
    for part in halves_of(claim, cells):
        known = part[np.isfinite(x[part]) & np.isfinite(y[part])]
        scores = [norm.ppf((rankdata(values[known]) - 0.5) / len(known)) for values in (x, y)]
        r = float(np.corrcoef(*scores)[0, 1])
        found.append(Range(r - 0.05, r + 0.05, "bins of ranks"))
    return found


@kind("columns not compared")
def columns_not_compared(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Find all columns that are named so, or by which the rows are sorted."""
    keys = {name for name in cells.used if _KEY.search(name)}
    if claim["of"]["why"] == "named like a number of the row":
        found = keys
    elif claim["of"]["why"] == "the rows are sorted by it":
        numbers = [name for name in cells.used if name not in keys and cells.kinds[name] == "number"]
        found = {name for name in numbers if _is_monotonic(cells, name)}
    else:
        raise NotCheckable(f"whether {claim['of']['why']}")
    return len(found) if found == set(claim["columns"]) else f"others: {sorted(found ^ set(claim['columns']))[:5]}"


def _is_monotonic(cells: Cells, name: str) -> bool:
    values = cells.numbers(name)
    steps = np.diff(values[np.isfinite(values)])
    return bool(steps.any() and ((steps >= 0).all() or (steps <= 0).all()))


# --- columns ----------------------------------------------------------------------------------------------------------


def _value_shares(cells: Cells, name: str) -> pd.Series:
    """Return the rows of each value of a column."""
    return pd.Series(cells.codes(name)).where(lambda codes: codes >= 0).value_counts()


@kind("columns")
def columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return len(cells.columns)


@kind("constant columns")
def constant_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    names = [name for name in cells.columns if not cells.missing(name).any() and len(_value_shares(cells, name)) == 1]
    return len(names) if sorted(names) == sorted(claim["columns"]) else str(names)


@kind("most frequent value")
def most_frequent_value(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    return float(_value_shares(cells, claim["columns"][0]).iloc[0] / cells.n_rows)


@kind("only value")
def only_value(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    (name,) = claim["columns"]
    known = cells.frame[name][~cells.missing(name)]
    if len(_value_shares(cells, name)) != 1 or not cells.missing(name).any():
        return f"{len(_value_shares(cells, name))} values"
    if claim["value"] is None:
        return None
    only = known.iloc[0]
    is_same = agree(claim["value"], cells.numbers(name)[known.index[0]]) if cells.kinds[name] == "number" else False
    return claim["value"] if is_same or str(claim["value"]).strip("“”") == str(only) else str(only)


@kind("repeat")
def repeat(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> bool:
    return _repeats(cells, *claim["columns"])


def _repeats(cells: Cells, one: str, other: str) -> bool:
    """Return whether two columns say the same: one is a multiple of the other, or each value stands for one."""
    gaps = cells.missing(one)
    if (gaps != cells.missing(other)).any():
        return False
    pairs = pd.DataFrame({"one": cells.codes(one)[~gaps], "other": cells.codes(other)[~gaps]})
    n = len(pairs.drop_duplicates())
    kinds = {cells.kinds[one], cells.kinds[other]}
    if not kinds <= {"number", "date"}:
        if n == pairs["one"].nunique() == pairs["other"].nunique() and n * 4 <= len(pairs):
            return True
        return bool((cells.frame[one].astype(str) == cells.frame[other].astype(str)).all())
    x, y = cells.numbers(one)[~gaps], cells.numbers(other)[~gaps]
    if np.ptp(x) == 0 or np.ptp(y) == 0 or abs(np.corrcoef(x, y)[0, 1]) < 0.999:
        return False
    slope, offset = np.polyfit(x - x.mean(), y - y.mean(), 1)
    left = np.ptp(y - y.mean() - slope * (x - x.mean()) - offset)
    unit = max(_unit(cells, other), abs(slope) * _unit(cells, one), 1e-9 * np.abs(y).max())
    return bool(left <= 1.5 * unit)


def _unit(cells: Cells, name: str) -> float:
    """Return the unit of the last decimal that a column is written with."""
    written = cells.frame[name].dropna().astype(str)
    return 10.0 ** -int(written.str.extract(r"\.(\d*)")[0].fillna("").str.rstrip("0").str.len().max())


@kind("same groups")
def same_groups(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Count the numbers of the columns, and see that they stand for one another, and that no other column does."""
    first, *others = claim["columns"]
    if not others:
        return "a single column"
    told = set(claim["columns"])
    for name in others:
        if not _stand_for_each_other(cells, name, first):
            return f"{name!r} tells other groups than {first!r}"
        if _repeats(cells, name, first):
            return f"{name!r} repeats {first!r}"
    # Those that repeat another column, or are the same in all rows, are told elsewhere.
    apart = {c["columns"][0] for c in claims if c["what"] == "repeat"}
    more = [name for name in cells.columns if name not in told | apart and cells.kinds[name] == "number"]
    if missed := [name for name in more if _stand_for_each_other(cells, name, first)]:
        return f"{missed[:5]} as well"
    n_values, n_known = int(cells.codes(first).max()) + 1, int((~cells.missing(first)).sum())
    is_few = 3 <= n_values <= _FEW_VALUES and 4 * n_values <= n_known
    return n_values if is_few else f"{n_values} in {n_known} rows"


def _stand_for_each_other(cells: Cells, one: str, other: str) -> bool:
    """Return whether each number of a column goes with one of another, gaps in the same rows."""
    gaps = cells.missing(one)
    if {cells.kinds[one], cells.kinds[other]} != {"number"} or (gaps != cells.missing(other)).any():
        return False
    pairs = pd.DataFrame({"one": cells.codes(one)[~gaps], "other": cells.codes(other)[~gaps]})
    return len(pairs.drop_duplicates()) == pairs["one"].nunique() == pairs["other"].nunique()


@kind("repeating columns")
def repeating_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Look for columns that repeat an earlier one among those of one signature, and all that are claimed."""
    told = {c["columns"][0] for c in claims if c["what"] == "repeat"}
    found, first = set(told), dict[Any, str]()
    for name in cells.columns:
        codes = pd.factorize(cells.codes(name)[~cells.missing(name)])[0]
        if codes.max(initial=0) < 1:
            continue
        is_number = cells.kinds[name] in ("number", "date") and codes.max() >= _FEW_VALUES
        key = (is_number, cells.missing(name).tobytes(), codes.tobytes())
        if key in first and name not in told and _repeats(cells, name, first[key]):
            found.add(name)
        first.setdefault(key, name)
    return len(told) if found == told else f"{len(found)}: {sorted(found - told)[:5]} as well"


@kind("correlation")
def correlation(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    x, y = (pd.Series(np.where(cells.missing(name), np.nan, cells.numbers(name))) for name in claim["columns"])
    return float(x.corr(y))


@kind("correlated pairs")
def correlated_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    repeats = {c["columns"][0] for c in claims if c["what"] == "repeat"}
    names = [name for name in cells.columns if cells.kinds[name] in ("number", "date") and name not in repeats]
    frame = pd.DataFrame({name: np.where(cells.missing(name), np.nan, cells.numbers(name)) for name in names})
    frame = frame.loc[:, frame.nunique() > 1].iloc[:: max(cells.n_rows // 5000, 1)]
    r, ranks, least = (
        frame.corr(min_periods=20).to_numpy(),
        frame.rank().corr(min_periods=20).to_numpy(),
        claim["least"],
    )
    upper = np.triu_indices(len(r), 1)
    counts = [
        int(((np.abs(r[upper]) >= least + slack) & (r[upper] * ranks[upper] >= (least + slack) ** 2)).sum())
        for slack in (1e-6, -1e-6)
    ]
    return Range(*counts)


_TIME = re.compile(
    r"(^|[\W_\d])(year|yr|month|week|day|hour|minute|second|date|time|period|quarter|season)s?($|[\W_\d])"
    r"|[a-z](Year|Month|Week|Day|Hour|Date|Time)s?$",
    re.IGNORECASE,
)


@kind("numbering columns")
def numbering_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Find all columns that number the rows."""
    names = [name for name in cells.columns if cells.kinds[name] == "number" and name not in cells.orders]
    found = {name for name in names if _numbers_rows(cells, name)}
    return len(found) if found == set(claim["columns"]) else f"others: {sorted(found ^ set(claim['columns']))[:5]}"


def _numbers_rows(cells: Cells, name: str) -> bool:
    values, is_key = cells.numbers(name), bool(_KEY.search(name))
    if not (np.isfinite(values).all() and (values == np.rint(values)).all()) or _TIME.search(name):
        return False
    n_different, span = len(np.unique(values)), float(np.ptp(values)) + 1.0
    if n_different == len(values):
        may_be_years = _is_monotonic(cells, name) and values.min() >= 1500 and values.max() <= 2200
        return is_key or (span <= 2 * len(values) and not may_be_years)
    if not is_key or n_different < 0.5 * len(values) or n_different != span:
        return False
    used = [
        c for c in cells.columns if cells.kinds[c] != "empty" and (c not in cells.unused or cells.kinds[c] == "date")
    ]
    every = code_matrix(cells, used).assign(key=values)
    return bool((every.groupby("key").nunique(dropna=False) <= 1).all().all())


@kind("sorted")
def is_sorted(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> str:
    (name,) = claim["columns"]
    if cells.kinds[name] in ("number", "date"):
        values = cells.numbers(name)[~cells.missing(name)]
    else:
        values = pd.factorize(cells.frame[name].dropna().astype(str), sort=True)[0]
    steps = np.diff(values)
    never = {"rises": steps > 0, "falls": steps < 0, "never falls": steps >= 0, "never rises": steps <= 0}
    return next((word for word, holds in never.items() if holds.all()), "neither")


@kind("order")
def order_column(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> bool:
    if cells.kinds[claim["columns"][0]] not in ("number", "date"):
        raise NotCheckable("a choice, of words")
    return True


@kind("unused")
def unused(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> str:
    (name,), why = claim["columns"], claim["value"]
    found = cells.kinds[name]
    # Words that are used have at most this many different ones, or the rows of each are many.
    is_text = found == "text" or (found == "words" and cells.frame[name].nunique() > 20)
    agrees = {"empty": found == "empty", "many different words": is_text, "dates": found == "date"}
    if why not in agrees:
        raise NotCheckable(f"a choice: {why}")
    return why if agrees[why] else f"{found}, {cells.frame[name].nunique()} different"


# --- scores of models -------------------------------------------------------------------------------------------------

_MOST_ROWS, _MOST_CELLS = 2500, 1_500_000


@dataclass(frozen=True)
class _Judged:
    """Predictions of rows by models that were fitted to the other folds."""

    y: np.ndarray
    predicted: np.ndarray
    is_class: bool
    folds: Sequence[tuple[np.ndarray, np.ndarray]] = ()

    @property
    def score(self) -> float:
        if self.is_class:
            return float((self.y == self.predicted).mean())
        return 1.0 - float(np.mean((self.y - self.predicted) ** 2) / np.var(self.y))

    @property
    def losses(self) -> np.ndarray:
        """What each row adds to one less the score."""
        if self.is_class:
            return (self.y != self.predicted).astype(float)
        return (self.y - self.predicted) ** 2 / np.var(self.y)

    @property
    def agreement(self) -> float:
        """Standard deviations by which predictions agree more than labels that are shuffled within each fold."""
        more = variance = 0.0
        for _, test in self.folds:
            y, predicted, n = self.y[test], self.predicted[test], len(test)
            if self.is_class:
                a, b = (pd.Series(part).value_counts() for part in (y, predicted))
                both = a.mul(b, fill_value=0.0)
                mean = both.sum() / n
                more += (y == predicted).sum() - mean
                variance += (mean**2 - (both * (a.add(b, fill_value=0.0))).sum() / n + both.sum()) / (n - 1)
            else:
                a, b = (rankdata(part) - (n + 1) / 2 for part in (y, predicted))
                more += a @ b
                variance += (a @ a) * (b @ b) / (n - 1)
        return float(more / math.sqrt(max(variance, 1e-12)))


def _judged(claim: Claim, cells: Cells) -> _Judged:
    """Return cross-validated predictions of scikit-learn's models."""
    of = claim["of"]
    model = of.get("model", "linear")
    key = (
        model,
        of.get("features"),
        of.get("seed", 0),
        of.get("folds", "random"),
        claim.get("draw", 0),
        of.get("ranks"),
        tuple(claim["columns"]),
        claim["n_rows"],
    )
    if key not in cells.memory:
        cells.memory[key] = _judge(claim, cells, model)
    return cells.memory[key]


def _judge(claim: Claim, cells: Cells, model: str) -> _Judged:
    of, label = claim["of"], labels_of(cells)
    is_class = of.get("unit", "accuracy") == "accuracy"
    features, drawn = _features(cells), np.random.default_rng(claim.get("draw", 0))
    rows = features.rows
    counts = label.iloc[rows].value_counts()
    if is_class and counts.iloc[0] > 0.9 * len(rows):
        is_largest = (label.iloc[rows] == counts.index[0]).to_numpy()
        n_kept = min(max(len(rows) - counts.iloc[0], 30), counts.iloc[0])
        rows = np.r_[rows[~is_largest], drawn.choice(rows[is_largest], n_kept, replace=False)]
    if len(rows) > _MOST_ROWS:
        rows = drawn.choice(rows, _MOST_ROWS, replace=False)
    rows = np.sort(rows)
    if abs(claim["n_rows"] - len(rows)) > 1:
        raise NotCheckable(f"which {claim['n_rows']:,} rows are used, not {len(rows):,}")
    X = features.H[np.searchsorted(features.rows, rows)]
    X = X[:, np.ptp(X, axis=0) > 0]
    if X.size > _MOST_CELLS or not X.size:
        raise NotCheckable(f"{X.shape[1]:,} columns would take too long" if X.size else "no column varies")
    y = label.iloc[rows].to_numpy() if is_class else target_of(cells)[rows]
    y = norm.ppf((rankdata(y) - 0.5) / len(y)) if of.get("ranks") else y
    folds, one = _folds(claim, cells, rows, y, is_class), _model(model, is_class, of, claim.get("draw", 0))
    return _Judged(y, cross_val_predict(one, X, y, cv=folds), is_class, folds)


def _folds(claim: Claim, cells: Cells, rows: np.ndarray, y: np.ndarray, is_class: bool) -> list[Any]:
    how = claim["of"].get("folds", "random")
    if how == "random":
        splitter = (StratifiedKFold if is_class else KFold)(5, shuffle=True, random_state=claim.get("draw", 0))
        return list(splitter.split(y[:, None], y))
    if how == "group":
        codes = cells.codes(claim["columns"][0])[rows]
        how_drawn = {"shuffle": True, "random_state": claim.get("draw")} if claim.get("draw") else {}
        return list(GroupKFold(5, **how_drawn).split(y[:, None], y, codes))
    order = np.argsort(cells.numbers(claim["columns"][0])[rows], kind="stable") if how == "order" else np.arange(len(y))
    fold = np.zeros(len(y), dtype=int)
    for value in np.unique(y) if is_class else [None]:
        chosen = order if value is None else order[y[order] == value]
        fold[chosen] = np.arange(len(chosen)) * 5 // len(chosen)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]


def _model(name: str, is_class: bool, of: Mapping[str, Any], draw: int) -> Any:
    # Where nothing can be learnt the best penalty is beyond all sums of squares.
    penalties = np.logspace(-3, 7, 21)
    if name == "guess":
        return DummyClassifier() if is_class else DummyRegressor()
    if name == "linear":
        return make_pipeline(StandardScaler(), _Logistic() if is_class else RidgeCV(penalties))
    if name == "curves":
        return make_pipeline(
            StandardScaler(), SplineTransformer(6), RidgeClassifierCV() if is_class else RidgeCV(penalties)
        )
    last = RidgeClassifierCV(penalties) if is_class else RidgeCV(penalties)
    # Other features with other folds: of one draw of them all folds may be right, and of another some wrong.
    drawn = (_Maxima if "maxout" in name else _Waves)(int(of.get("features", 400)), int(of.get("seed", 0)) + draw)
    return make_pipeline(StandardScaler(), drawn, last)


class _Logistic(ClassifierMixin, BaseEstimator):
    """Logistic regression whose inverse penalty has the least log loss of every fifth row, not fitted to."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Logistic:
        held = np.zeros(len(y), dtype=bool)
        held[np.argsort(y, kind="stable")[4::5]] = True
        held &= np.isin(y, y[~held])
        losses = dict.fromkeys(np.logspace(-3, 2, 6) if held.any() else (1.0,), 0.0)
        for penalty in losses if held.any() else ():
            model = LogisticRegression(C=penalty, max_iter=300).fit(X[~held], y[~held])
            losses[penalty] = log_loss(y[held], model.predict_proba(X[held]), labels=model.classes_)
        best = min(losses, key=lambda penalty: losses[penalty])
        self.model_ = LogisticRegression(C=best, max_iter=300).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict(X)


class _Waves(RBFSampler):
    """Random Fourier features of the width that the median distance gives."""

    def __init__(self, n_components: int = 400, random_state: int = 0) -> None:
        super().__init__(n_components=n_components, random_state=random_state)

    def fit(self, X: np.ndarray, y: Any = None) -> _Waves:
        self.gamma = 1.0 / float(np.median(pdist(X[:: max(len(X) // 500, 1)], "sqeuclidean")))
        return super().fit(X, y)


class _Maxima(BaseEstimator, TransformerMixin):
    """Random maxout features: the largest of four Gaussian projections."""

    def __init__(self, n_components: int = 400, random_state: int = 0) -> None:
        self.n_components, self.random_state = n_components, random_state

    def fit(self, X: np.ndarray, y: Any = None) -> _Maxima:
        self.weights_ = np.random.default_rng(self.random_state).normal(size=(X.shape[1] + 1, self.n_components, 4))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        return np.tensordot(np.c_[X, np.ones(len(X))], self.weights_, 1).max(axis=2)


@kind("score")
def score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    if claim["value"] is None:
        raise NotCheckable("no value")
    of, own = claim["of"], [_judged({**claim, "draw": draw}, cells) for draw in _draws(cells)]
    found, value = own[0], float(claim["value"])
    error = max(map(_score_error, own))
    # A guess is the same in other folds, but for a tie of two classes; of rows that are drawn its share differs.
    is_guess = of.get("model") == "guess" and claim["n_rows"] < _MOST_ROWS
    slack = max(1.0, 0.01 * len(found.y)) / len(found.y) if is_guess else _STANDARD_ERRORS * error
    if is_guess and not found.is_class:
        return Own(_guesses(found.y))
    exact: dict[str, Any] = {}
    if found.is_class and "error" in of:  # the share of wrong labels has this variance
        exact["error"] = math.sqrt(2.25 * value * (1.0 - value) / (claim["n_rows"] - 1))
    why = f"{_STANDARD_ERRORS} standard errors"
    scores = [one.score for one in own]
    return Own(Range(min(scores) - slack, max(scores) + slack, why), of=exact, partly=slack > 0.4)


def _score_error(one: _Judged) -> float:
    """Return the standard error of a score; of right labels that of three wrong rows at least, which none may hide."""
    return max(_nadeau_bengio(one.losses), _OF_THREE / len(one.y) * one.is_class)


def _guesses(y: np.ndarray) -> Range:
    """Return where the R² of the mean of the rows fitted to lies in as many other folds as make a false alarm."""
    found, drawn = [], np.random.default_rng(0)
    for _ in range(2 * FALSE_ALARMS):
        parts = np.array_split(drawn.permutation(y), 5)
        errors = [((part - (y.sum() - part.sum()) / (len(y) - len(part))) ** 2).sum() for part in parts]
        found.append(1.0 - float(sum(errors)) / float(((y - y.mean()) ** 2).sum()))
    return Range(min(found), max(found), f"{len(found)} other folds")


@kind("score of ranks")
def score_of_ranks(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Score the models of the finding on the normal scores of the target's ranks."""
    first = next(c for c in claims if c["what"] == "score")
    models = [c["of"] for c in claims if c["what"] == "score" and c["of"]["model"] != "guess"]
    found = []
    for of in models:
        if of.get("folds", "random") == "random":
            one = _judged({**first, "columns": [], "of": {**first["of"], **of, "ranks": True}}, cells)
            found.append((one.score, _STANDARD_ERRORS * _nadeau_bengio(one.losses)))
    high, slack = max(found)
    return Own(Range(high - slack, high + slack, f"{_STANDARD_ERRORS} standard errors"), partly=slack > 0.4)


# Beyond as many a normal variable is once in a thousand times.
_STANDARD_ERRORS = 3.29


# Of the share of wrong labels where three rows are wrong, times the number of rows.
_OF_THREE = math.sqrt(2.25 * 3.0)


def _nadeau_bengio(losses: np.ndarray) -> float:
    """Return the standard error of the mean of cross-validated losses, or of differences of two."""
    return math.sqrt(2.25 * float(np.var(losses, ddof=1)) / len(losses))


@kind("agreement")
def agreement(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    first = claims[0]["of"]
    full = {**claim, "of": {"unit": first.get("unit"), "folds": "random", **claim["of"]}}
    one = _judged(full, cells)
    found, slack = one.agreement, _STANDARD_ERRORS * math.sqrt(2.0)
    # With labels that are predicted well, shuffles have the standard deviation of 1, and other folds that of the score.
    slack = max(slack, slack * abs(found) * _nadeau_bengio(one.losses) / max(abs(1.0 - one.losses.mean()), 0.05))
    return Range(found - slack, found + slack, "two draws, whose standard deviations are about 1")


def _claimed_score(claims: Sequence[Claim], model: str, **of: Any) -> float:
    """Return the score of a model in the same finding, which is checked by itself."""
    for one in claims:
        fits = all(one["of"].get(name) == value for name, value in of.items())
        if one["what"] == "score" and one["of"]["model"] == model and fits:
            return float(one["value"])
    raise NotCheckable("the finding has no such score")


def _own_difference(claim: Claim, cells: Cells, one: Mapping[str, Any], other: Mapping[str, Any], exact: float) -> Any:
    """Return where the difference of two scores lies: it is that of the claimed ones, and near the own one."""
    if not math.isclose(claim["value"], exact, abs_tol=1e-9):
        return f"{exact:.6g} by the claimed scores"
    ranges, errors = [], []
    for draw in _draws(cells):
        first, second = (_judged_as(claim, cells, draw, **of) for of in (one, other))
        differ = first.losses - second.losses
        error, n = _nadeau_bengio(differ), len(differ)
        # Where two models tell all rows alike the error of their difference is 0: then as if they differed in three.
        error = max(error, _OF_THREE / n) if first.is_class else max(error, 0.003)
        found, slack = first.score - second.score, _STANDARD_ERRORS * error
        # The variance of losses varies itself.
        spread = float(np.std((differ - differ.mean()) ** 2)) / max(float(np.var(differ)), 1e-12) / math.sqrt(n)
        part = 1.0 + _STANDARD_ERRORS * math.sqrt(2.0) * spread
        errors.append(Range(error / part if error > 0.01 else 0.0, error * part))
        ranges.append(Range(found - slack, found + slack))
    own = _union(ranges, f"{_STANDARD_ERRORS} standard errors")
    return Own(own, of={"error": _union(errors, "of own losses")}, partly=own.high - own.low > 0.8)


def _union(ranges: Sequence[Range], why: str) -> Range:
    return Range(min(one.low for one in ranges), max(one.high for one in ranges), why)


def _draws(cells: Cells) -> range:
    """Return the seeds of the folds: one, or of what that refutes six."""
    return range(1 if cells.effort == 1 else 6)


def _judged_as(claim: Claim, cells: Cells, draw: int, **of: Any) -> _Judged:
    """Return the predictions of another model or other folds for the same rows."""
    columns = claim["columns"] if of.get("folds", claim["of"].get("folds")) != "random" else []
    return _judged({**claim, "columns": columns, "of": {**claim["of"], **of}, "draw": draw}, cells)


@kind("gain")
def gain(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    exact = _claimed_score(claims, claim["of"]["model"], folds="random") - _claimed_score(claims, "linear")
    one, other = ({"folds": "random", "model": model} for model in (claim["of"]["model"], "linear"))
    return _own_difference(claim, cells, one, other, exact)


@kind("loss")
def loss(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    model, folds = claim["of"]["model"], claim["of"]["folds"]
    same = [c for c in claims if c["columns"] == [*claim["columns"], cells.label]]
    exact = _claimed_score(claims, model, folds="random") - _claimed_score(same, model, folds=folds)
    return _own_difference(claim, cells, {"folds": "random"}, {}, exact)


@kind("gain over a guess")
def gain_over_a_guess(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    one, guess = ({"folds": "random", "model": model} for model in (claim["of"]["model"], "guess"))
    claimed = _claimed_score(claims, claim["of"]["model"], folds="random") - _judged_as(claim, cells, 0, **guess).score
    if abs(claim["value"] - claimed) > 0.04:
        return f"{claimed:.3f} by the claimed score"
    return _own_difference(claim, cells, one, guess, claim["value"])


@kind("optimism")
def optimism(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Take the largest of the losses, which are checked by themselves, that chance does not explain."""
    over = next(c for c in claims if c["what"] == "gain over a guess")
    losses = [c for c in claims if c["what"] == "loss"]
    if over["value"] <= norm.isf(0.01) * over["of"]["error"]:
        return 0.0
    far = norm.isf(0.01 / max(len(losses), 1))
    real = [c for c in losses if c["value"] >= 0.03 and c["value"] > far * c["of"]["error"]]
    most = max((c["value"] for c in real), default=0.0)
    by = [c["value"] for c in real if c["of"]["folds"] == "group" and c["value"] >= 0.7 * most]
    return max(by, default=most)


@kind("largest class share")
def largest_class_share(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    counts = class_counts(cells)
    others = max(int(counts.sum() - counts.max()), 30)
    return others / (others + int(counts.sum() - counts.max()))


@kind("zeros")
def zeros(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    y = target_of(cells)[is_labelled(cells)]
    found = float((y == 0).mean())
    slack = 3.0 * math.sqrt(found * (1 - found) / claim["n_rows"]) if claim["n_rows"] < len(y) else 1e-9
    return Range(found - slack, found + slack)


@kind("farthest target")
def farthest_target(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    y = target_of(cells)[is_labelled(cells)]
    spread = float(np.subtract(*np.percentile(y, (75, 25)))) or float(np.abs(y - np.median(y)).mean())
    found = float(np.abs(y - np.median(y)).max()) / spread
    is_all = claim["n_rows"] == len(y)
    return Range(found * 0.999 if is_all else 0.0, found * (1.001 if is_all else 1.1), "of the rows used")


# --- odd values -------------------------------------------------------------------------------------------------------


def _as_numbers(values: Sequence[Any]) -> np.ndarray:
    """Return numbers, or days as seconds."""
    return np.array([pd.Timestamp(v).timestamp() if isinstance(v, str) else v for v in values], dtype=float)


@kind("codes", "far values")
def codes_and_far_values(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Check which cells hold the values, and that they lie beyond the span of all others."""
    (name,), rows = claim["columns"], np.array(claim["rows"], dtype=int)
    values = cells.numbers(name)
    told = values[rows]
    others = np.delete(values, rows)
    others = others[np.isfinite(others)]
    if not np.isfinite(told).all() or not len(told):
        return "rows without a number"
    for end, found in (("low", others.min()), ("high", others.max())):
        said = claim["of"].get(end)
        if said is not None and not agree(float(_as_numbers([said])[0]), float(found)):
            return f"others from {others.min():.6g} to {others.max():.6g}"
    beyond = (told > others.max()) | (told < others.min())
    if not beyond.all():
        return f"{told[~beyond][0]:.6g} is within the others"
    # Of many different ones some are named.
    shown = _as_numbers(claim["value"])
    return list(claim["value"]) if np.isin(np.round(shown, 6), np.round(told, 6)).all() else sorted(set(told))[:5]


@kind("times")
def times(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    values = cells.numbers(claim["columns"][0])
    unit = "ms" if np.nanmax(np.abs(values)) > 1e11 else "s"
    ends = [pd.Timestamp(end, unit=unit).strftime("%Y-%m-%d") for end in (np.nanmin(values), np.nanmax(values))]
    return list(claim["value"]) if [str(said)[:10] for said in claim["value"]] == ends else ends


def _spelling(word: Any) -> str:
    return re.sub(r"[\W_]+", "", str(word)).casefold()


@kind("spellings")
def spellings(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    words = set(cells.frame[claim["columns"][0]].dropna().astype(str).str.strip())
    said = [str(word) for word in claim["value"]]
    if not set(said) <= words:
        return sorted(set(said) - words)
    return list(claim["value"]) if len({_spelling(word) for word in said}) == 1 else [_spelling(word) for word in said]


@kind("odd columns")
def odd_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Count the columns that the other claims are about, and look for blatant ones that none is about."""
    named = {name for c in claims if c["what"] != "odd columns" for name in c["columns"][:1]}
    others = [name for name in cells.frame.columns if name not in named]
    return Own(len(named), partly=any(_is_blatant(cells, name) for name in others))


def _is_blatant(cells: Cells, name: str) -> bool:
    """Return whether a value at an end is far beyond all others, or words differ in capitals and marks only."""
    if cells.kinds[name] == "words":
        words = cells.frame[name].dropna().astype(str).str.strip().unique()
        return len({_spelling(word) for word in words if _spelling(word)}) < sum(
            bool(_spelling(word)) for word in words
        )
    if cells.kinds[name] != "number":
        return False
    values = cells.numbers(name)
    values = np.sort(values[np.isfinite(values)])
    different = np.unique(values)
    if len(values) < 30 or len(different) < 10:
        return False
    usual = float(np.subtract(*np.quantile(values, [0.95, 0.05])))
    return usual > 0 and max(different[-1] - different[-2], different[1] - different[0]) > 5.0 * usual


# --- distances, neighbours, outliers ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Rows scaled for distances, which of the file they are, and which features have more than two values."""

    X: np.ndarray
    rows: np.ndarray
    is_number: np.ndarray
    n_usable: int


def _features(cells: Cells) -> Features:
    """Return the features of the usable rows, if there are as many as claimed.

    Raises
    ------
    NotCheckable
        If not; the claim of their number is then refuted.
    """
    features = features_of(cells)
    if cells.n_features not in (None, features.H.shape[1]):
        raise NotCheckable(f"{cells.n_features} features are claimed, not {features.H.shape[1]}")
    return features


def _scaled(cells: Cells, most: int = 10_000, apart: bool = False, also: Sequence[int] = (), seed: int = 7) -> _Scaled:
    """Return the rows that distances are measured between; with `apart`, scaled without values that are far off."""
    features = _features(cells)
    places = features.drawn(most, also, seed)
    X = standardised(features, places, _far_off(features, cells) if apart else None)
    return _Scaled(X, features.rows[places], features.n_different > 2, len(features.rows))


def _far_off(features: Features, cells: Cells) -> dict[str, np.ndarray]:
    """Return which rows have values far off, as claimed."""
    told = [c for c in cells.claims if c["what"] == "scaled without far values"]
    return {c["columns"][0]: _as_far(features, c) for c in told}


def _as_far(features: Features, claim: Claim) -> np.ndarray:
    """Return which usable rows hold a value as far off as those that are named, for not all may have been drawn."""
    x = features.H[:, features.sources.index(claim["columns"][0])]
    named, centre = x[np.searchsorted(features.rows, claim["rows"])], claim["value"][0]
    low, high = named[named < centre].max(initial=-np.inf), named[named > centre].min(initial=np.inf)
    return (x <= low) | (x >= high)


@kind("scaled without far values")
def scaled_without_far_values(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Take the mean and the deviation of the other values, and see that these are far from all of them."""
    features = _features(cells)
    name, is_far = claim["columns"][0], _as_far(features, claim)
    if not np.isin(claim["rows"], features.rows[is_far]).all():
        return "a row that is not far off"
    x = features.H[:, features.sources.index(name)]
    reach = np.abs(x[is_far] - x[~is_far].mean()).min() / (x[~is_far].std() or 1.0)
    if reach <= np.abs(x[~is_far] - x[~is_far].mean()).max() / (x[~is_far].std() or 1.0):
        return f"{reach:.3g} deviations off, as others are"

    def others(seed: int) -> np.ndarray:
        places = features.drawn(also=claim["rows"], seed=seed)
        return x[places][~is_far[places]]

    return [
        _of_draws(lambda seed: float(others(seed).mean()), cells),
        _of_draws(lambda s: float(others(s).std()), cells),
    ]


def _different(cells: Cells, claim: Claim, numbers_only: bool = False, seed: int = 7) -> _Scaled:
    """Return the different ones of these rows.

    Raises
    ------
    NotCheckable
        If there are not as many.
    """
    scaled = _scaled(cells, apart=True, also=claim["rows"], seed=seed)
    X = scaled.X[:, scaled.is_number] if numbers_only else scaled.X
    _, first = np.unique(X, axis=0, return_index=True)
    first = np.sort(first)
    if len(scaled.X) == scaled.n_usable and len(first) != claim["n_rows"]:
        raise NotCheckable(f"{len(first):,} different rows, not {claim['n_rows']:,}")
    return _Scaled(X[first], scaled.rows[first], scaled.is_number, scaled.n_usable)


def _of_draws(function: Callable[[int], float], cells: Cells) -> Range:
    """Return where a number lies: of the same rows the same but for rounding, else among other draws of rows."""
    if not _are_drawn(cells):
        own = function(7)
        return Range(own - _ROUNDING * abs(own), own + _ROUNDING * abs(own), "by the definition")
    values = [function(seed) for seed in range(7, 7 + 4 * cells.effort)]
    return of_draws(values, "other rows", _ROUNDING * abs(float(np.mean(values))))


# Features are told in single precision: numbers of the same rows may differ by that.
_ROUNDING = 1e-5

_DISTANCES = (
    "median distance",
    "largest distance",
    "spread of distances",
    "width",
    "saturation",
    "pairs beyond saturation",
)


@kind(*_DISTANCES)
def distances(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    if claim["of"].get("scaling") != "standardise":
        raise NotCheckable(f"scaled by {claim['of'].get('scaling')}")
    what, value = claim["what"], float(claim["value"])
    if what == "saturation":  # where 1 − exp(−γr²) is 0.81
        width = next(c["value"] for c in claims if c["what"] == "width")
        return math.sqrt(-math.log(0.19) / width)
    if what in ("largest distance", "spread of distances"):
        return _of_draws(lambda seed: _distance_of(cells, seed, what), cells)
    reach = next(c["value"] for c in claims if c["what"] == "saturation")
    if what == "pairs beyond saturation":
        return _of_draws(lambda seed: float((_pairs_of(cells, seed, 1000) > reach).mean()), cells)
    # A law with two peaks has a median that jumps between them; the share of pairs within the claimed one does not.
    middle, n = (value**-0.5, 500) if what == "width" else (value, 1000)
    if not _are_drawn(cells):
        own = float(np.median(_pairs_of(cells, 7, n)))
        own = own**-2 if what == "width" else own
        return Range(own - _ROUNDING * own, own + _ROUNDING * own, "by the definition")
    nearer, near = (
        _of_draws(lambda seed, far=far: float((_pairs_of(cells, seed, n) < far).mean()), cells)
        for far in ((1.0 - _ROUNDING) * middle, (1.0 + _ROUNDING) * middle)
    )
    return value if nearer.low <= 0.5 <= near.high else f"{nearer} of the pairs are nearer"


def _pairs_of(cells: Cells, seed: int, n: int) -> np.ndarray:
    """Return the distances of the pairs of some rows, taken evenly."""
    key = ("pairs", seed, n)
    if key not in cells.memory:
        X = _scaled(cells, seed=seed).X
        cells.memory[key] = pdist(X[np.unique(np.linspace(0, len(X) - 1, min(len(X), n)).astype(int))])
    return cells.memory[key]


def _distance_of(cells: Cells, seed: int, what: str) -> float:
    pairs = _pairs_of(cells, seed, 1000)
    return float(pairs.max() if what == "largest distance" else pairs.std() / pairs.mean())


@kind("dimension")
def dimension(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    estimate = claim["of"]["estimate"]
    found = _of_draws(lambda seed: _dimension(_different(cells, claim, seed=seed).X, estimate), cells)
    # Small distances lose digits in single precision: as much as these, and some.
    X = _different(cells, claim).X
    lost = 3.0 * abs(_dimension(X, estimate) - _dimension(np.float64(np.float32(X)), estimate))
    return Range(found.low - lost, found.high + lost, found.why)


def _without_near_copies(X: np.ndarray) -> np.ndarray:
    """Return rows but for those much nearer to an earlier one than to their fifth, if a gap sets these apart."""
    if len(X) < 6:
        return X
    distance, other = _neighbours(X, 5)
    reach = distance / distance[:, 4:]
    for share in (0.1 / 2**i for i in range(10)):
        n_near, n_wide = ((reach[:, 0] <= factor * share).sum() for factor in (1, 3))
        if n_near >= max(10, 0.05 * len(X)) and 3 * (n_wide - n_near) <= n_near:
            return X[~((reach <= share) & (other < np.arange(len(X))[:, None])).any(axis=1)]
    return X


def _dimension(X: np.ndarray, estimate: str) -> float:
    X = _without_near_copies(X)
    near = _neighbours(X, 10)[0]
    near = np.maximum(near, 1e-9 * np.median(near[:, -1]))
    if estimate != "TwoNN":
        return 1.0 / float(np.log(near[:, 9:10] / near[:, :9]).mean())
    logs = np.sort(np.log(near[:, 1] / near[:, 0]))
    r = int(0.9 * len(logs))
    return float((r - 1) / (logs[:r].sum() + (len(logs) - r) * logs[r - 1]))


@kind("features")
def features(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    found = features_of(cells)
    return Own(found.H.shape[1], of={"columns": len(set(found.sources))})


def _factors(claim: Claim, cells: Cells, seed: int = 7) -> tuple[np.ndarray, np.ndarray, float]:
    """Return outlier factors of different rows in features of several values, which rows they are, and their limit."""
    of = next(c for c in cells.claims if c["what"] == "outlier factor")
    key = ("factors", seed)
    if key not in cells.memory:
        scaled = _different(cells, of, numbers_only=True, seed=seed)
        X, n = scaled.X, len(scaled.X)
        factor = -LocalOutlierFactor(n_neighbors=min(20, n - 1)).fit(X).negative_outlier_factor_
        near = NearestNeighbors(n_neighbors=min(21, n)).fit(X).kneighbors(X)[0][:, 1:]
        near = np.maximum(near, 1e-9 * np.median(near[:, -1]))
        d = min(max(1.0 / float(np.log(near[:, -1:] / near[:, :-1]).mean()), 1.0), X.shape[1])
        q80, q95 = np.quantile(factor, [0.8, 0.95])
        tail = q95 * (5 * n) ** (math.log(q95 / q80) / math.log(4))
        cells.memory[key] = factor, scaled.rows, float(max(2.0, 1 + 5.2 / d**0.8, tail))
    return cells.memory[key]


def _are_drawn(cells: Cells) -> bool:
    features = _features(cells)
    return len(features.drawn()) < len(features.rows)


@kind("outlier factor")
def outlier_factor(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    factor, rows, _ = _factors(claim, cells)
    if _are_drawn(cells):
        # Of these rows the one that is claimed must be as isolated; others may not have been drawn.
        own = float(factor[rows == claim["rows"][0]].max(initial=0.0))
        return (
            Range(0.9 * own, 1.1 * own, "of that row, among others of another draw") if own else "an equal row counts"
        )
    largest = float(factor.max())
    is_clear = np.sum(factor > 0.99 * largest) == 1
    return Own(Range(0.99 * largest, 1.01 * largest), rows[[factor.argmax()]] if is_clear else None)


@kind("outliers", "sparse rows")
def outliers(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    n_drawn = 4 * cells.effort if _are_drawn(cells) else 1
    draws = [_factors(claim, cells, 7 + k) for k in range(n_drawn)]
    least, loose = claim["of"]["from"], 0.1 if n_drawn > 1 else 0.01
    counts = [int((factor >= least * part).sum()) for factor, _, _ in draws for part in (1 + loose, 1 - loose)]
    slack = math.ceil(3 * math.sqrt(max(counts))) if n_drawn > 1 else 0
    limits = [limit for _, _, limit in draws]
    # What counts as sparse has a limit of its own, which its kind does not say.
    limit = Range((1 - loose) * min(limits), (1 + loose) * max(limits)) if claim["what"] == "outliers" else least
    return Own(Range(min(counts) - slack, max(counts) + slack, "of factors"), of={"from": limit})


def _rows_searched(claim: Claim, cells: Cells) -> _Scaled:
    """Return rows scaled as near copies are searched among them.

    Raises
    ------
    NotCheckable
        If they are drawn, so that no other draw has the same pairs.
    """
    scaled = _scaled(cells, 20_000, apart=True)
    if len(scaled.X) != claim["n_rows"]:
        raise NotCheckable(f"{len(scaled.X):,} rows, not {claim['n_rows']:,}")
    if len(scaled.X) < scaled.n_usable:
        raise NotCheckable("pairs of rows that were drawn")
    return scaled


@kind("near copies")
def near_copies(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Search all pairs within the distance: boxes of random grids may miss one in a thousand."""
    distance, (X, n_of) = claim["of"]["distance"], _distinct(_rows_searched(claim, cells).X)
    near = _neighbours(X, min(5, len(X) - 1))[0]
    d = max(min(_dimension(X, estimate) for estimate in ("TwoNN", "maximum likelihood")), 0.5)
    counts = [int(n_of[_nearest_copies(X, n_of, factor * distance, d, factor) > 0].sum()) for factor in (0.999, 1.001)]
    # Of more than 10,000 rows the median is that of some.
    own = min((0.001 / 4.670909) ** (1 / d), 0.1) * float(np.median(near[:, -1]))
    slack = 0.01 if claim["n_rows"] <= 10_000 else 0.1
    found = Range(counts[0] - max(0.01 * counts[0], 1.0) * (counts[0] > 0), counts[1], "of all pairs")
    return Own(found, of={"distance": Range((1 - slack) * own, (1 + slack) * own)})


def _distinct(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows and how many are equal to each; their order decides which near copies are left out."""
    _, first, n_of = np.unique(X, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return X[first[order]], n_of[order]


def _neighbours(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distances and places of the k nearest others of each different row: products lose digits of near ones."""
    found = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X, return_distance=False)
    apart = np.column_stack([np.linalg.norm(X[other] - X, axis=1) for other in found.T])
    order = np.argsort(apart, axis=1, kind="stable")[:, 1:]
    return np.take_along_axis(apart, order, axis=1), np.take_along_axis(found, order, axis=1)


def _nearest_copies(X: np.ndarray, n_of: np.ndarray, most: float, d: float, factor: float = 1.0) -> np.ndarray:
    """Return the distance of each different row to its nearest near copy, 0 where it has none.

    Nearer than the distance, and than a share of what it takes either row to its 20th nearest one.
    """
    k, n = min(20, len(X) - 1), n_of.sum()
    near, other = _neighbours(X, k)
    shares = [pd.Series(n_of).groupby(column).transform("sum").to_numpy() / n for column in X.T]
    is_often, found = np.column_stack(shares) >= 0.05, np.full(len(X), np.inf)
    for place in range(k):
        copy = other[:, place]
        n_free = X.shape[1] - ((X[copy] == X) & is_often).sum(axis=1)
        share = np.minimum((0.001 / (k - 1 / 3)) ** (1 / np.maximum(np.minimum(d, n_free), 0.5)), 0.1)
        reach = factor * share * np.minimum(near[:, -1], near[copy, -1])
        is_near = near[:, place] <= np.minimum(most, reach)
        found = np.where(is_near, np.minimum(found, near[:, place]), found)
    return np.where(np.isfinite(found), found, 0.0)


@kind("nearest pair")
def nearest_pair(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    scaled, near = _rows_searched(claim, cells), next(c for c in claims if c["what"] == "near copies")
    places = np.searchsorted(scaled.rows, claim["rows"])
    between = float(np.linalg.norm(np.subtract(*scaled.X[places])))
    X, n_of = _distinct(scaled.X)
    d = max(min(_dimension(X, estimate) for estimate in ("TwoNN", "maximum likelihood")), 0.5)
    found = _nearest_copies(X, n_of, 1.001 * near["of"]["distance"], d, 1.001)
    least = float(found[found > 0].min(initial=np.inf))
    return Range(0.999 * max(least, between) - 1e-7, 1.001 * between + 1e-7, "of these two rows, and no two nearer")


@kind("measured pairs")
def measured_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Count the pairs that share a box of random grids: their mean is known, and its spread from other draws."""
    near = next(c for c in claims if c["what"] == "near copies")
    n = claim["n_rows"]
    scaled = _scaled(cells, 20_000, apart=True)
    X, width = scaled.X, math.sqrt(scaled.X.shape[1]) * near["of"]["distance"]
    n_draws = 12 * cells.effort
    counts = np.array([_n_sharing(X, width, seed) for seed in range(n_draws)], dtype=float)
    is_known = len(X) <= _MOST_COMPARED and counts.max() < _MOST_OF_A_GRID
    middle = _mean_sharing(X, width) if is_known else float(counts.mean())
    spread = math.sqrt(float(np.square(counts - middle).sum()) / (n_draws - (not is_known)))
    slack = float(t_law.isf(0.5 / FALSE_ALARMS, n_draws - 1)) * math.sqrt(1.0 + (not is_known) / n_draws) * spread + 1.0
    if len(X) < scaled.n_usable:  # other rows are drawn
        slack += 3.0 * math.sqrt(middle)
    found = Range(min(middle - slack, counts.min()), max(middle + slack, counts.max()), f"{n_draws} draws of the grids")
    return Own(found, of={"pairs": n * (n - 1) // 2}, partly=slack > 0.5 * middle + 3.0)


# Rows of which all pairs are compared; pairs of one grid, beyond which the inspection measures no more.
_MOST_COMPARED, _MOST_OF_A_GRID, _GRIDS = 10_000, 125_000, 16


def _mean_sharing(X: np.ndarray, width: float) -> float:
    """Return how many pairs share a box of a grid on average: the exponential of their distance of axes each time."""
    total, step = 0.0, max(20_000_000 // len(X), 1)
    for start in range(0, len(X), step):
        apart = cdist(X[start : start + step], X, "cityblock") / width
        total += float(-np.expm1(_GRIDS * np.log1p(-np.exp(-np.maximum(apart, 1e-12)))).sum())
    return (total - len(X)) / 2.0


def _n_sharing(X: np.ndarray, width: float, seed: int) -> int:
    """Return the pairs of rows in one box of one of 16 grids, whose widths are Gamma(2) variables."""
    drawn, found = np.random.default_rng(seed), np.empty(0, dtype=np.int64)
    for _ in range(_GRIDS):
        widths = drawn.gamma(2.0, width, X.shape[1])
        boxes = np.floor((X + drawn.uniform(size=X.shape[1]) * widths) / widths).astype(np.int64)
        # One number for each box: that two share it has a chance of one in 10¹⁰.
        box = boxes @ drawn.integers(-(2**62), 2**62, X.shape[1])
        order, n_left = np.argsort(box, kind="stable"), _MOST_OF_A_GRID
        for apart in range(1, len(X)):
            same = np.flatnonzero(box[order[apart:]] == box[order[:-apart]])[:n_left]
            if not len(same):
                break
            n_left -= len(same)
            one, other = np.sort([order[same], order[same + apart]], axis=0)
            found = np.concatenate([found, one * len(X) + other])
        found = np.unique(found)
    return len(found)


@kind("known pairs")
def known_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Count the pairs of a row and its nearest one; of those within the distance, boxes miss one in a thousand."""
    near = next(c for c in claims if c["what"] == "near copies")
    scaled, distance = _scaled(cells, apart=True), near["of"]["distance"]
    if _are_drawn(cells):
        raise NotCheckable("pairs of rows that were drawn")
    X = np.unique(scaled.X, axis=0)
    reach, other = (part[:, 1] for part in NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X))

    def n_pairs(factor: float) -> int:
        close = np.flatnonzero((reach < factor * distance) & (reach > (1e-6 if factor < 1 else 0.0)))
        return len(np.unique(np.sort([close, other[close]], axis=0), axis=1).T)

    low, high = n_pairs(0.998), n_pairs(1.0)
    missed = 1 + 0.005 * high if high else 0
    return Own(Range(low, high, "an exact search"), of={"found": Range(claim["value"] - missed, claim["value"])})


# --- leaks ------------------------------------------------------------------------------------------------------------


def _tree_score(claim: Claim, cells: Cells, rows: np.ndarray, names: Sequence[str], by: str) -> float:
    """Return the cross-validated score of a small tree on one feature."""
    is_class = claim["of"]["unit"] == "accuracy"
    parts = []
    for name in names:
        if cells.kinds[name] in ("number", "date"):
            values = np.where(cells.missing(name), np.nan, cells.numbers(name))
        else:
            texts = cells.frame[name].map(lambda cell: np.nan if cell is None else str(cell).strip())
            values = texts.astype("category").cat.codes.replace(-1, np.nan).to_numpy(float)
        parts.append(values[rows])
    if by == "gap":
        parts = [np.isnan(parts[0]).astype(float)]
    x = (parts[0] - parts[1] if by == "difference" else parts[0] + parts[1] if by == "sum" else parts[0])[:, None]
    y = labels_of(cells).iloc[rows].to_numpy() if is_class else target_of(cells)[rows]
    if is_class:
        model, stratified = (
            DecisionTreeClassifier(min_samples_leaf=2, random_state=0),
            pd.Series(y).value_counts().min() >= 5,
        )
    else:
        model, stratified = DecisionTreeRegressor(min_samples_leaf=3, random_state=0), False
    folds = (StratifiedKFold if stratified else KFold)(5, shuffle=True, random_state=0)
    found = [_Judged(y, cross_val_predict(model, x, y, cv=folds), is_class).score]
    if not is_class and not np.isnan(x).any():
        found.append(_Judged(y, cross_val_predict(LinearRegression(), x, y, cv=folds), is_class).score)
    return max(found)


def _judged_rows(claims: Sequence[Claim]) -> np.ndarray:
    return np.array(next(claim for claim in claims if claim["what"] == "judged rows")["rows"], dtype=int)


@kind("judged rows")
def judged_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Count half of the rows that are drawn, and see that all that are named have a label, each once."""
    rows, labelled = _judged_rows(claims), is_labelled(cells)
    if len(set(rows)) != len(rows) or not labelled[rows].all():
        return "a row without a label, or twice"
    n = int(labelled.sum())
    if claim["of"]["thinned"]:
        counts = class_counts(cells)
        others = n - int(counts.max())
        if counts.max() <= 0.9 * n:
            return f"the largest class has {counts.max() / n:.0%}"
        n = others + min(max(3 * others, 30), int(counts.max()))
    most = min(4000, max(8_000_000 // max(len(cells.used), 1), 40))
    half = min(n, most) / 2
    return Range(math.floor(half) - 1, math.ceil(half) + 1, "half of the rows with a label")


@kind("guess")
def guess(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    return float(labels_of(cells).iloc[_judged_rows(claims)].value_counts(normalize=True).iloc[0])


@kind("leaks: score")
def leak_score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = _tree_score(claim, cells, _judged_rows(claims), claim["columns"], claim["of"]["by"])
    return Range(found - 0.02, found + 0.02, "the same tree and folds")


@kind("leaks", "near leaks")
def leaks(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Count the scores that are claimed, and checked; where there are fewer of columns alone, try each column."""
    least, is_near = claim["of"]["from"], claim["what"] == "near leaks"
    most = next(c["of"]["from"] for c in claims if c["what"] == "leaks") if is_near else math.inf
    told = [c for c in claims if c["what"] == "score" and least <= c["value"] < most]
    if claim["value"] or (is_near and any(c["what"] == "leaks" and c["value"] for c in claims)):
        return Range(len(told), len(told), "of the claimed scores")
    rows = _judged_rows(claims)
    names = [
        name for name in cells.columns if cells.kinds[name] in ("number", "date", "words") and name not in cells.unused
    ]
    found = [name for name in names if _tree_score(claim, cells, rows, [name], "value") >= least + 0.01]
    return Range(0, 0) if not found else Range(len(found), len(found), ", ".join(found))


@kind("unused columns")
def unused_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    found = {name for name in cells.columns if name in cells.unused | cells.orders}
    # A date is looked at though nothing else is computed from it.
    looked_at = {name for name in found if cells.kinds[name] == "date"} | cells.orders
    return Range(len(found - looked_at), len(found), "those that are told as unused")


@kind("odd cells")
def odd_cells(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Count the cells that hold the words, or else those of a column of numbers that hold none, in these rows."""
    said = cells.written[claim["columns"][0]].astype(object).map(lambda cell: "" if cell is None else str(cell).strip())
    words = {str(word).strip() for word in claim["of"].get("words") or ()}
    # Without words: those that are not numbers.
    is_odd = said.isin(words) if words else (said != "") & pd.to_numeric(said, errors="coerce").isna()
    rows = np.array(claim["rows"], dtype=int)
    if not is_odd.iloc[rows].all():
        return f"row {int(rows[~is_odd.iloc[rows].to_numpy()][0])} holds {said.iloc[rows[0]]!r}"
    return int(is_odd.sum()) if cells.kinds[claim["columns"][0]] == "number" or words else claim["value"]
