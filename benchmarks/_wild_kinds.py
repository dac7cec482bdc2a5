"""How wild.py computes each kind of claim again: with pandas, SciPy and scikit-learn, from cells that it parsed itself.

Each function is one kind, as the question's `kinds` describe it. It returns the value that it finds, a `Range` in which
the claimed one must lie where that depends on draws or on a method of its own, or raises `NotCheckable`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from scipy.spatial.distance import pdist
from scipy.stats import chi2_contingency, false_discovery_control, ks_2samp, norm, rankdata, spearmanr
from scipy.stats import f as f_law
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["KINDS", "PARTLY", "NotCheckable", "check_findings"]

Claim = Mapping[str, Any]


class NotCheckable(Exception):  # noqa: N818 - not an error: a verdict
    """Why a claim cannot be computed from the cells."""


@dataclass(frozen=True)
class Range:
    """Ends between which a value must lie, and why it is not known better."""

    low: float
    high: float
    why: str = ""

    def __str__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g}{f' ({self.why})' if self.why else ''}"


@dataclass(frozen=True)
class Own:
    """What the checker finds: the value, and where they matter the rows and what else belongs to it."""

    value: Any
    rows: np.ndarray | None = None
    of: Mapping[str, Any] = field(default_factory=dict)


Kind = Callable[[Claim, Cells, Sequence[Claim]], Any]
KINDS: dict[str, Kind] = {}
#: Kinds of which only a part is computed anew, or a condition that must hold: "consistent" is said of these.
PARTLY = {
    *("columns not compared", "compared columns", "contradicted label", "contradicted target", "differing columns"),
    *("gain", "gain over a guess", "judged rows", "known pairs", "least alike rows", "loss", "numbering columns"),
    *("odd columns", "optimism", "order", "p-value", "rows searched", "rows with several classes", "share inside"),
    *("share with the label", "stretches differ", "uncorrelated pairs", "uncorrelated pairs of alike rows", "unused"),
    *("unused columns",),
}


def kind(*names: str) -> Callable[[Kind], Kind]:
    """Register a function for the kinds of claims of these names; "question: kind" for those of one question alone."""

    def register(function: Kind) -> Kind:
        KINDS.update(dict.fromkeys(names, function))
        return function

    return register


def check_findings(
    findings: Sequence[Mapping[str, Any]], readings: Sequence[Cells]
) -> tuple[Cells, list[dict[str, Any]]]:
    """Compute all claims again, by the reading of the file that refutes the fewest; return it and their verdicts."""
    best: tuple[Cells, list[dict[str, Any]]] | None = None
    for cells in [with_label(cells, findings) for cells in readings]:
        checks = []
        claimed = [claim for finding in findings for claim in finding["claims"]]
        cells.unused = {claim["columns"][0] for claim in claimed if claim["what"] == "unused"}
        cells.n_features = next((c["value"] for c in claimed if c["what"] == "features"), None)
        cells.orders = {c["columns"][0] for c in claimed if c["what"] == "order"}
        cells.usable = next((c["of"]["usable rows"] for c in claimed if "usable rows" in c["of"]), cells.n_rows)
        cells.keys = {name for claim in claimed if claim["what"] == "numbering columns" for name in claim["columns"]}
        for finding in findings:
            for claim in finding["claims"]:
                verdict, own = _check(finding["name"], claim, cells, finding["claims"])
                said = {"question": finding["name"], "what": claim["what"], "columns": claim["columns"]}
                checks.append({**said, "of": claim["of"], "value": claim["value"], "own": own, "verdict": verdict})
        if best is None or _n_refuted(checks) < _n_refuted(best[1]):
            best = cells, checks
    assert best is not None
    return best


def with_label(cells: Cells, findings: Sequence[Mapping[str, Any]]) -> Cells:
    """Return the cells with the label that was guessed, if there is none: the one that agrees best with its counts.

    No claim names it yet.
    """
    claims = [(finding, claim) for finding in findings for claim in finding["claims"]]
    if cells.label or not any(claim["what"] in ("labelled rows", "unlabelled rows") for _, claim in claims):
        return cells
    about = ("labelled rows", "unlabelled rows", "classes", "class size", "smallest target", "largest target")
    some = [pair for pair in claims if pair[1]["what"] in (*about, "rows with gaps")]

    def n_confirmed(name: str) -> int:
        one = cells.labelled(name)
        verdicts = [_check(finding["name"], claim, one, finding["claims"])[0] for finding, claim in some]
        return len(verdicts) - verdicts.count("refuted") - verdicts.count("not checkable")

    return cells.labelled(max(reversed(cells.frame.columns), key=n_confirmed))


def _n_refuted(checks: Sequence[Mapping[str, Any]]) -> int:
    return sum(check["verdict"] == "refuted" for check in checks)


def _check(question: str, claim: Claim, cells: Cells, claims: Sequence[Claim]) -> tuple[str, str]:
    """Return the verdict, and what was found or why nothing was."""
    function = KINDS.get(f"{question}: {claim['what']}", KINDS.get(claim["what"]))
    if function is None:
        return "not checkable", "no function for this kind"
    unknown = [name for name in claim["columns"] if name not in cells.frame.columns]
    if unknown:
        return "refuted", f"no column {unknown[0]!r}"
    try:
        own = function(claim, cells, claims)
    except NotCheckable as reason:
        return "not checkable", str(reason)
    except KeyError as error:  # a name within words, or a column of another claim
        return "refuted", f"no column {error}"
    except (IndexError, ValueError, TypeError, np.linalg.LinAlgError) as error:
        return "not checkable", f"failed: {error}"
    own = own if isinstance(own, Own) else Own(own)
    told = _wrong(claim, own)
    if told:
        return "refuted", told
    return "consistent" if claim["what"] in PARTLY else "confirmed", _short(own.value)


def _wrong(claim: Claim, own: Own) -> str:
    """Return what differs, or nothing."""
    if not _agree(claim["value"], own.value):
        return f"{_short(own.value)}"
    for name, value in own.of.items():
        if name in claim["of"] and not _agree(claim["of"][name], value):
            return f"{name}: {_short(value)} instead of {_short(claim['of'][name])}"
    if own.rows is not None and not np.array_equal(np.sort(claim["rows"]), np.sort(own.rows)):
        differ = np.setxor1d(np.asarray(claim["rows"], dtype=np.int64), own.rows)
        return f"other rows, such as {differ[:5].tolist()}"
    return ""


def _agree(claimed: Any, own: Any) -> bool:
    if isinstance(own, Range):
        return claimed is not None and own.low <= claimed <= own.high
    if isinstance(own, (list, tuple)):
        return isinstance(claimed, (list, tuple)) and len(claimed) == len(own) and all(map(_agree, claimed, own))
    if isinstance(own, (bool, np.bool_, str)) or own is None:
        return claimed == own
    if not isinstance(claimed, (int, float)):
        return False
    return math.isclose(claimed, float(own), rel_tol=1e-6, abs_tol=1e-9)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# --- what several kinds need ------------------------------------------------------------------------------------------


def class_counts(cells: Cells) -> pd.Series:
    """Return the rows of each class."""
    return labels_of(cells).dropna().value_counts()


def labels_of(cells: Cells) -> pd.Series:
    """Return the labels.

    Raises
    ------
    NotCheckable
        Without a label.
    """
    if cells.label not in cells.frame.columns:
        raise NotCheckable("the label was guessed, and the claim does not name it")
    return cells.labels()


def is_labelled(cells: Cells) -> np.ndarray:
    """Return which rows have a label; a target must be finite."""
    labels_of(cells)
    return ~cells.missing(cells.label)


def target_of(cells: Cells) -> np.ndarray:
    """Return the numbers to predict, or dates as seconds."""
    labels_of(cells)
    if cells.kinds[cells.label] not in ("number", "date"):
        raise NotCheckable("the label is not a number to the checker")
    return cells.numbers(cells.label)


def code_matrix(cells: Cells, columns: Iterable[str]) -> pd.DataFrame:
    """Return a number for each different cell of some columns."""
    return pd.DataFrame({place: cells.codes(name) for place, name in enumerate(columns)}, index=cells.frame.index)


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
_FEW_VALUES, _WORDS, _FEW, _FEWEST_ROWS, _MOST_PAIRS = 12, 11, 5, 40, 350
_KEY = re.compile(r"(?:^|[ _.-]|(?<=[a-z]))(?:id|no|nr|number|key|index|uuid|row)$", re.IGNORECASE)
_KNOWN: dict[tuple[int, int], list[Any]] = {}


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


def _explained(A: np.ndarray, B: np.ndarray) -> float:
    """Return the largest adjusted share of A's largest variance that least squares on B explain."""
    U, s, _ = np.linalg.svd(B, full_matrices=False)
    U = U[:, s > _LEAST * s[0]]
    size, n = U.shape[1], len(A)
    share = float(np.linalg.norm(U.T @ A, 2) ** 2 / np.linalg.norm(A, 2) ** 2)
    return 1.0 - (1.0 - share) * (n - 1) / max(n - 1 - size, 1)


def _pillai(A: np.ndarray, B: np.ndarray) -> float:
    """Return the p-value of Pillai's trace, by its F law."""
    bases = []
    for X in (A, B):
        U, s, _ = np.linalg.svd(X, full_matrices=False)
        bases.append(U[:, s > _LEAST * s[0]])
    p, q, n = bases[0].shape[1], bases[1].shape[1], len(A)
    trace, s = float(np.linalg.norm(bases[0].T @ bases[1]) ** 2), min(p, q)
    m, rest = (abs(p - q) - 1) / 2, (n - p - q - 2) / 2
    if trace >= s or rest <= 0:
        return 0.0
    ratio = (2 * rest + s + 1) / (2 * m + s + 1) * trace / (s - trace)
    return float(f_law.sf(ratio, s * (2 * m + s + 1), s * (2 * rest + s + 1)))


@dataclass(frozen=True)
class _Pair:
    strength: float
    rank: float | None
    p: float
    n: int
    alike: float = 0.0


def _pair(cells: Cells, one: str, other: str, rows: np.ndarray) -> _Pair:
    values, is_number = [], []
    known = np.ones(len(rows), dtype=bool)
    for name in (one, other):
        is_number.append(cells.kinds[name] in ("number", "date"))
        values.append((cells.numbers(name) if is_number[-1] else cells.codes(name).astype(float))[rows])
        known &= np.isfinite(values[-1]) if is_number[-1] else values[-1] >= 0
    A, B = (_directions(part[known], number) for part, number in zip(values, is_number, strict=True))
    n = int(known.sum())
    if not A.any() or not B.any():
        raise NotCheckable("a column does not vary in the rows that know both")
    rank = None
    if all(is_number):
        rank = float(spearmanr(values[0][known], values[1][known]).statistic)
    strength = math.sqrt(max(_explained(A, B), _explained(B, A), 0.0))
    alike = _autocorrelation(A) * _autocorrelation(B)
    return _Pair(max(strength, abs(rank or 0.0)), rank, _pillai(A, B), n, alike)


def _autocorrelation(A: np.ndarray) -> float:
    """Return the mean autocorrelation at lag 1 of a column's directions of variance 1."""
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    U = U[:, s > _LEAST * s[0]]
    return float((U[1:] * U[:-1]).sum() / U.shape[1])


@kind("dependence")
def dependence(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    pair = _pair(cells, *claim["columns"], _rows_used(claims[0], cells.n_rows))
    of = {} if claim["of"].get("rank correlation") is None else {"rank correlation": pair.rank}
    if claim["n_rows"] != pair.n:
        return Own(f"{pair.n} rows know both, not {claim['n_rows']}")
    return Own(Range(pair.strength - 0.02, pair.strength + 0.02, "own waves of ranks"), of=of)


def _pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[_Pair]:
    """Return all pairs that can be compared, strongest first."""
    rows, compared = _rows_used(claims[0], cells.n_rows), int(claims[0]["value"])
    key = (id(cells), compared)
    if key not in _KNOWN:
        names = _comparable(compared + int(claims[1]["value"]), cells)
        if compared > _MOST_PAIRS:
            raise NotCheckable(f"{compared:,} pairs would take too long")
        _KNOWN.clear()
        found = []
        for one, other in combinations(names, 2):
            with suppress(NotCheckable, ValueError, IndexError):
                pair = _pair(cells, one, other, rows)
                if pair.n >= _FEWEST_ROWS:
                    found.append(pair)
        _KNOWN[key] = found
    return _KNOWN[key]


def _comparable(n_pairs: int, cells: Cells) -> list[str]:
    """Return the columns of the pairs, which the claims do not name: all but dates and text, if it is as many."""
    wanted = round((1 + math.sqrt(1 + 8 * n_pairs)) / 2)
    apart = [name for name in cells.columns if name not in cells.orders]
    usual = [name for name in apart if cells.kinds[name] in ("number", "words")]
    with_text = [name for name in apart if cells.kinds[name] in ("number", "words", "text")]
    for names in (usual, [name for name in usual if not _KEY.search(name)], with_text):
        if len(names) == wanted:
            return names
    raise NotCheckable("which columns are compared is not claimed")


def _are_sure(pairs: Sequence[_Pair], level: float) -> np.ndarray:
    """Return which p-values are within a level after Benjamini and Hochberg."""
    return false_discovery_control([pair.p for pair in pairs]) <= level if pairs else np.zeros(0, dtype=bool)


@kind("compared pairs")
def compared_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    return Own(len(_pairs(claim, cells, claims)), of={"all rows": cells.n_rows})


@kind("incomparable pairs")
def incomparable_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    n = int(claims[0]["value"]) + int(claim["value"])
    return n - len(_pairs(claim, cells, claims))


@kind("dependent pairs")
def dependent_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Count within the errors of the strengths, and of p-values by another law."""
    pairs, least = _pairs(claim, cells, claims), claim["of"]["from"]
    strength = np.array([pair.strength for pair in pairs])
    low = int((_are_sure(pairs, 1e-4) & (strength >= least + 0.02)).sum())
    high = int((_are_sure(pairs, 0.05) & (strength >= least - 0.02)).sum())
    return Range(low, high, "p-values by the F law of Pillai's trace")


@kind("uncorrelated pairs", "uncorrelated pairs of alike rows")
def uncorrelated_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    pairs = _pairs(claim, cells, claims)
    most = sum(pair.strength >= 0.48 and pair.rank is not None and abs(pair.rank) <= 0.201 for pair in pairs)
    return Range(0, most, "with or without alike rows")


# --- drift ------------------------------------------------------------------------------------------------------------


def _halves(claim: Claim, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of both parts that a claim compares."""
    words, n = claim["of"]["first"], cells.n_rows
    if words == "the first half of the file":
        order = np.arange(n)
    elif words.startswith("the first half of the rows by “"):
        name = words.removeprefix("the first half of the rows by “").removesuffix("”")
        order = np.argsort(cells.numbers(name), kind="stable")
        order = order[~cells.missing(name)[order]]
    elif words == "the first half of each class":
        labels = labels_of(cells)[is_labelled(cells)]
        place = (labels.groupby(labels).cumcount() + 0.5) / labels.groupby(labels).transform("size")
        order = labels.index.to_numpy()[np.argsort(place.to_numpy(), kind="stable")]
    else:
        raise NotCheckable(f"which rows are {words}")
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
def compared_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    _halves(claim, cells)
    return Own(len(claim["columns"]), of={"all": len(cells.frame.columns)})


@kind("distance")
def distance(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = _distance(cells, claim["columns"][0], *_halves(claim, cells))
    is_number = cells.kinds[claim["columns"][0]] in ("number", "date")
    # Beyond the hundredth word, it depends on which of those that are as frequent are taken.
    slack = 0.05 if not is_number and len(_value_shares(cells, claim["columns"][0])) > 100 else 0.015
    return Range(found - max(slack, 0.03 * is_number), found + slack, "at some quantiles, over blocks")


@kind("missing shares")
def missing_shares(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[Range]:
    gaps = cells.missing(claim["columns"][0])
    means = [float(gaps[part].mean()) for part in _halves(claim, cells)]
    return [Range(mean - 0.02, mean + 0.02, "means over blocks") for mean in means]


@kind("largest difference")
def largest_difference(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = _distance(cells, claim["columns"][0], *_halves(claim, cells))
    return Range(found - 0.03, found + 0.03, "at some quantiles, over blocks")


@kind("largest difference of gaps")
def largest_difference_of_gaps(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    gaps = cells.missing(claim["columns"][0])
    one, other = (float(gaps[part].mean()) for part in _halves(claim, cells))
    return Range(abs(one - other) - 0.02, abs(one - other) + 0.02, "means over blocks")


@kind("class shares")
def class_shares(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[float]:
    labels = labels_of(cells)
    parts = [labels.iloc[part].dropna() for part in _halves(claim, cells)]
    return [float((part == claim["of"]["class"]).mean()) for part in parts]


@kind("rank correlations")
def rank_correlations(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[Range]:
    if any(cells.kinds[name] not in ("number", "date") for name in claim["columns"]):
        raise NotCheckable("of words: how they are ranked is not said")
    x, y = (cells.numbers(name) for name in claim["columns"])
    found = []
    for part in _halves(claim, cells):
        known = part[np.isfinite(x[part]) & np.isfinite(y[part])]
        scores = [norm.ppf((rankdata(values[known]) - 0.5) / len(known)) for values in (x, y)]
        r = float(np.corrcoef(*scores)[0, 1])
        found.append(Range(r - 0.05, r + 0.05, "bins of ranks"))
    return found


@kind("differing columns")
def differing_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Count those that differ if each row counts by itself: blocks of rows that are alike make it fewer."""
    one, other = _halves(claim, cells)
    names = next(c for c in claims if c["what"] == "compared columns" and c["of"]["first"] == claim["of"]["first"])
    most = 0
    for name in names["columns"]:
        gaps = cells.missing(name)
        table = pd.crosstab(np.r_[np.zeros(len(one)), np.ones(len(other))], gaps[np.r_[one, other]])
        lacks = table.shape[1] > 1 and chi2_contingency(table)[1] <= 1e-3
        n, m = int((~gaps[one]).sum()), int((~gaps[other]).sum())
        if cells.kinds[name] in ("number", "date"):
            p = ks_2samp(cells.numbers(name)[one[~gaps[one]]], cells.numbers(name)[other[~gaps[other]]]).pvalue
        elif min(n, m):
            part = np.r_[np.zeros(n), np.ones(m)]
            p = chi2_contingency(pd.crosstab(part, cells.codes(name)[np.r_[one[~gaps[one]], other[~gaps[other]]]]))[1]
        else:
            p = 1.0
        most += bool(lacks or p <= 2e-3)
    named = len(
        {c["columns"][0] for c in claims if c["what"] == "distance" and c["of"]["first"] == claim["of"]["first"]}
    )
    return Range(named, most, "at most those of a test that takes rows for independent")


@kind("columns not compared")
def columns_not_compared(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    why = claim["of"]["why"]
    if why == "the rows are sorted by it":
        for name in claim["columns"]:
            values = cells.numbers(name)[~cells.missing(name)]
            if not ((np.diff(values) >= 0).all() or (np.diff(values) <= 0).all()):
                return 0
    elif why != "named like a number of the row":
        raise NotCheckable(f"whether {why}")
    return len(claim["columns"])


def _block_means(cells: Cells, names: Sequence[str], part: np.ndarray, n_blocks: int = 32) -> np.ndarray:
    """Return means of ranks of columns over blocks of rows, shape (n_blocks, n_columns)."""
    found = []
    for name in names:
        values = cells.numbers(name) if cells.kinds[name] in ("number", "date") else cells.codes(name).astype(float)
        ranks = np.where(cells.missing(name), np.nan, values)[part]
        if cells.kinds[name] not in ("number", "date"):
            ranks = (ranks == pd.Series(ranks).mode().iloc[0]).astype(float)
        known = np.isfinite(ranks)
        ranks[known] = rankdata(ranks[known]) / max(known.sum(), 1)
        blocks = np.array_split(np.where(known, ranks, 0.5), min(n_blocks, len(part)))
        found.append([block.mean() for block in blocks])
    return np.array(found).T


def _names_compared(claim: Claim, claims: Sequence[Claim]) -> list[str]:
    first = claim["of"]["first"]
    return next(c["columns"] for c in claims if c["what"] == "compared columns" and c["of"]["first"] == first)


@kind("drift: p-value")
def p_value(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Permute blocks of rows, with the sum of squared differences of mean ranks: another statistic, of like power."""
    one, other = _halves(claim, cells)
    means = _block_means(cells, _names_compared(claim, claims), np.r_[one, other], 64)
    means = (means - means.mean(axis=0)) / np.where(means.std(axis=0) > 0, means.std(axis=0), 1.0)
    generator, half = np.random.default_rng(0), len(means) // 2
    drawn = [np.arange(len(means)), *(generator.permutation(len(means)) for _ in range(1999))]
    reached = np.array([np.sum((means[p[:half]].mean(axis=0) - means[p[half:]].mean(axis=0)) ** 2) for p in drawn])
    p = float((reached >= reached[0] - 1e-12).mean())
    # Each sees what the other does not, so that only a clear contradiction refutes; of words this one sees little.
    words = any(cells.kinds[name] in ("words", "text") for name in _names_compared(claim, claims))
    return Range(0.0 if p < 0.5 or words else 1e-3, 1.0 if p > 1e-3 else 0.2, f"{p:.4f} with another statistic")


@kind("stretches differ")
def stretches_differ(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> bool:
    names, products, squares = _names_compared(claim, claims), 0.0, 0.0
    for part in _halves(claim, cells):
        means = _block_means(cells, names, part)
        means = means - means.mean(axis=0)
        products += float((means[1:] * means[:-1]).sum() / (len(means) - 1))
        squares += float((means**2).sum() / len(means))
    found = products / max(squares, 1e-12)
    if abs(found - 0.35) < 0.25:
        return bool(claim["value"])  # too near to tell with other blocks
    return found > 0.35


@kind("least alike rows")
def least_alike_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Compute the witness function with a Gaussian kernel of one width: it must be larger there than in their part."""
    one, other = _halves(claim, cells)
    own, rest = (other, one) if claim["of"]["part"] == claim["of"]["second"] else (one, other)
    rows, drawn = np.array(claim["rows"]), np.random.default_rng(0)
    if not np.isin(rows, own).all():
        return "rows of the other part"
    parts = []
    for name in _names_compared(claim, claims):
        if cells.kinds[name] in ("number", "date"):
            values = pd.Series(np.where(cells.missing(name), np.nan, cells.numbers(name)))
            # Of ranks, for a few far values would hide all others.
            parts.append(scale(values.rank().fillna(0.5 * len(values)).to_numpy()[:, None]))
        else:
            codes = pd.Series(cells.codes(name))
            frequent = codes.value_counts().index[:20]
            parts.append((codes.to_numpy()[:, None] == frequent.to_numpy()).astype(float))
    X = np.hstack(parts)
    own_some, rest_some = (drawn.choice(part, min(len(part), 1000), replace=False) for part in (own, rest))
    gamma = 1.0 / max(float(np.median(pdist(X[own_some[:300]], "sqeuclidean"))), 1e-9)

    def witness(chosen: np.ndarray) -> float:
        near, far = (rbf_kernel(X[chosen], X[part], gamma).mean() for part in (own_some, rest_some))
        return float(near - far)

    told, usual = witness(rows), witness(own_some)
    if told >= usual or len(rows) == len(own):
        return len(rows)
    return f"the witness function is {told:.3f} there, {usual:.3f} in the part"


@kind("pairs of alike rows")
def pairs_of_alike_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    pairs, least = _pairs(claim, cells, claims), claim["of"]["from"]
    strength, alike = np.array([pair.strength for pair in pairs]), np.array([pair.alike for pair in pairs])
    low = int((_are_sure(pairs, 1e-4) & (strength >= least + 0.02) & (alike > 0.2)).sum())
    high = int((_are_sure(pairs, 0.05) & (strength >= least - 0.02) & (alike > 0.05)).sum())
    return Range(low, high, "products from 0.05 to 0.2 either way")


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
    is_same = _agree(claim["value"], cells.numbers(name)[known.index[0]]) if cells.kinds[name] == "number" else False
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


@kind("numbering columns")
def numbering_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    for name in claim["columns"]:
        values = cells.numbers(name)
        if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
            return f"{name} is not whole"
        if len(np.unique(values)) < 0.5 * len(values):
            return f"{name} has {len(np.unique(values))} different values"
    return len(claim["columns"])


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
    agrees = {"empty": found == "empty", "many different words": found in ("text", "words"), "dates": found == "date"}
    if why not in agrees:
        raise NotCheckable(f"a choice: {why}")
    return why if agrees[why] else found


# --- scores of models -------------------------------------------------------------------------------------------------

_MOST_ROWS, _MOST_CELLS = 2500, 400_000


@dataclass(frozen=True)
class _Judged:
    """Predictions of rows by models that were fitted to the other folds."""

    y: np.ndarray
    predicted: np.ndarray
    is_class: bool

    @property
    def score(self) -> float:
        if self.is_class:
            return float((self.y == self.predicted).mean())
        return 1.0 - float(np.mean((self.y - self.predicted) ** 2) / np.var(self.y))

    @property
    def agreement(self) -> float:
        """Standard deviations by which predictions agree more than shuffled labels."""
        n = len(self.y)
        if not self.is_class:
            return float(spearmanr(self.y, self.predicted).statistic) * math.sqrt(n - 1)
        a, b = (pd.Series(part).value_counts() for part in (self.y, self.predicted))
        both = a.mul(b, fill_value=0.0)
        mean = both.sum() / n
        variance = (mean**2 - (both * (a.add(b, fill_value=0.0))).sum() / n + both.sum()) / (n - 1)
        return float(((self.y == self.predicted).sum() - mean) / math.sqrt(max(variance, 1e-12)))


def _judged(claim: Claim, cells: Cells, n_usable: int) -> _Judged:
    """Return cross-validated predictions of scikit-learn's models."""
    of = claim["of"]
    model = of.get("model", "linear")
    key = (id(cells), model, of.get("folds", "random"), tuple(claim["columns"]), claim["n_rows"])
    if key not in _JUDGED:
        if len(_JUDGED) > 20:
            _JUDGED.clear()
        _JUDGED[key] = _judge(claim, cells, n_usable, model)
    return _JUDGED[key]


_JUDGED: dict[Any, _Judged] = {}


def _judge(claim: Claim, cells: Cells, n_usable: int, model: str) -> _Judged:
    of, label = claim["of"], labels_of(cells)
    is_class = of.get("unit", "accuracy") == "accuracy"
    names = [name for name in cells.columns if cells.kinds[name] in ("number", "words") and name not in cells.unused]
    known = is_labelled(cells)
    complete = known & ~np.any([cells.missing(name) for name in names] or [~known], axis=0)
    rows = np.flatnonzero(complete if n_usable == complete.sum() else known)
    drawn = np.random.default_rng(0)
    counts = label.iloc[rows].value_counts()
    if is_class and counts.iloc[0] > 0.9 * len(rows):
        is_largest = (label.iloc[rows] == counts.index[0]).to_numpy()
        n_kept = min(max(len(rows) - counts.iloc[0], 30), counts.iloc[0])
        rows = np.r_[rows[~is_largest], drawn.choice(rows[is_largest], n_kept, replace=False)]
    if len(rows) > _MOST_ROWS:
        rows = drawn.choice(rows, _MOST_ROWS, replace=False)
    rows = np.sort(rows)
    if abs(claim["n_rows"] - len(rows)) > 1:
        raise NotCheckable(f"which {claim['n_rows']:,} rows are used")
    numbers = [name for name in names if cells.kinds[name] == "number"]
    words = [name for name in names if cells.kinds[name] == "words"]
    frame = pd.DataFrame({name: np.where(cells.missing(name), np.nan, cells.numbers(name)) for name in numbers})
    frame = frame.fillna(frame.median()).reindex(cells.frame.index)
    if words:
        frame = frame.join(pd.get_dummies(cells.frame[words].astype(object)).astype(float), rsuffix=" (word)")
    frame = frame.iloc[rows].loc[:, lambda part: part.nunique() > 1]
    _no_text(cells)
    if frame.size > _MOST_CELLS or frame.empty:
        raise NotCheckable(f"{frame.shape[1]:,} columns would take too long" if frame.size else "no column varies")
    X = frame.to_numpy()
    y = label.iloc[rows].to_numpy() if is_class else target_of(cells)[rows]
    folds = _folds(claim, cells, rows, y, is_class)
    return _Judged(y, cross_val_predict(_model(model, is_class, of), X, y, cv=folds), is_class)


def _folds(claim: Claim, cells: Cells, rows: np.ndarray, y: np.ndarray, is_class: bool) -> list[Any]:
    how = claim["of"].get("folds", "random")
    if how == "random":
        splitter = (StratifiedKFold if is_class else KFold)(5, shuffle=True, random_state=0)
        return list(splitter.split(y[:, None], y))
    if how == "group":
        codes = cells.codes(claim["columns"][0])[rows]
        return list(GroupKFold(5).split(y[:, None], y, codes))
    order = np.argsort(cells.numbers(claim["columns"][0])[rows], kind="stable") if how == "order" else np.arange(len(y))
    fold = np.zeros(len(y), dtype=int)
    for value in np.unique(y) if is_class else [None]:
        chosen = order if value is None else order[y[order] == value]
        fold[chosen] = np.arange(len(chosen)) * 5 // len(chosen)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]


def _model(name: str, is_class: bool, of: Mapping[str, Any]) -> Any:
    penalties = np.logspace(-3, 4, 15)
    if name == "guess":
        return DummyClassifier() if is_class else DummyRegressor()
    if name == "linear":
        search = GridSearchCV(LogisticRegression(max_iter=300), {"C": [0.01, 1.0, 100.0]}, cv=2)
        return make_pipeline(StandardScaler(), search if is_class else RidgeCV(penalties))
    if name == "curves":
        return make_pipeline(
            StandardScaler(), SplineTransformer(6), RidgeClassifierCV() if is_class else RidgeCV(penalties)
        )
    last = RidgeClassifierCV(penalties) if is_class else RidgeCV(penalties)
    drawn = (_Maxima if "maxout" in name else _Waves)(int(of.get("features", 400)))
    return make_pipeline(StandardScaler(), drawn, last)


class _Waves(RBFSampler):
    """Random Fourier features of the width that the median distance gives."""

    def __init__(self, n_components: int = 400) -> None:
        super().__init__(n_components=n_components, random_state=0)

    def fit(self, X: np.ndarray, y: Any = None) -> _Waves:
        self.gamma = 1.0 / float(np.median(pdist(X[:: max(len(X) // 500, 1)], "sqeuclidean")))
        return super().fit(X, y)


class _Maxima(BaseEstimator, TransformerMixin):
    """Random maxout features: the largest of four Gaussian projections."""

    def __init__(self, n_components: int = 400) -> None:
        self.n_components = n_components

    def fit(self, X: np.ndarray, y: Any = None) -> _Maxima:
        self.weights_ = np.random.default_rng(0).normal(size=(X.shape[1] + 1, self.n_components, 4))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        return np.tensordot(np.c_[X, np.ones(len(X))], self.weights_, 1).max(axis=2)


def _no_text(cells: Cells) -> None:
    """Refuse where words are features of which only some count: which these are is not said."""
    if any(cells.kinds[name] == "text" and name not in cells.unused for name in cells.columns):
        raise NotCheckable("which of many words are features is not said")


@kind("score")
def score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    if claim["value"] is None:
        raise NotCheckable("no value")
    usable = next((c["of"]["usable rows"] for c in claims if "usable rows" in c["of"]), claim["n_rows"])
    found, of = _judged(claim, cells, int(usable)), claim["of"]
    error = of.get("error") or max(math.sqrt(abs(found.score * (1 - found.score)) * 2.25 / len(found.y)), 0.005)
    is_drawn = claim["n_rows"] >= _MOST_ROWS
    slack = (0.01 if found.is_class and not is_drawn else 0.04) if of.get("model") == "guess" else 0.02 + 3.0 * error
    slack += 0.03 * (of.get("folds") == "group")  # whole groups fall into other folds
    return Range(found.score - slack, found.score + slack, "other draws, 3 standard errors")


@kind("agreement")
def agreement(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    first = claims[0]["of"]
    usable = int(first.get("usable rows", claim["n_rows"]))
    full = {**claim, "of": {"unit": first.get("unit"), "folds": "random", **claim["of"]}}
    found = _judged(full, cells, usable).agreement
    slack = 4.5 if claim["n_rows"] >= _MOST_ROWS else 3.0
    return Range(0.7 * found - slack, 1.3 * found + slack, "other draws")


def _claimed_score(claims: Sequence[Claim], model: str, **of: Any) -> float:
    """Return the score of a model in the same finding, which is checked by itself."""
    for one in claims:
        fits = all(one["of"].get(name) == value for name, value in of.items())
        if one["what"] == "score" and one["of"]["model"] == model and fits:
            return float(one["value"])
    raise NotCheckable("the finding has no such score")


@kind("gain")
def gain(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    return _claimed_score(claims, claim["of"]["model"], folds="random") - _claimed_score(claims, "linear")


@kind("loss")
def loss(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    model, folds = claim["of"]["model"], claim["of"]["folds"]
    same = [c for c in claims if c["columns"] == claim["columns"]]
    return _claimed_score(claims, model, folds="random") - _claimed_score(same, model, folds=folds)


@kind("gain over a guess")
def gain_over_a_guess(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    guess = _judged({**claim, "of": {**claim["of"], "model": "guess"}}, cells, claim["n_rows"]).score
    found = _claimed_score(claims, claim["of"]["model"], folds="random") - guess
    return Range(found - 0.04, found + 0.04, "a guess of other folds")


@kind("optimism")
def optimism(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    losses = [c["value"] for c in claims if c["what"] == "loss"]
    if claim["value"]:
        return Range(0.03, max(losses), "one of the losses")
    return Range(0.0, 0.0)


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
        if said is not None and not _agree(float(_as_numbers([said])[0]), float(found)):
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
    others = [c for c in claims if c["what"] != "odd columns"]
    named = {name for c in others if c["what"] != "total rows" for name in c["columns"]}
    return Own(Range(len(named), len(named) + max([len(c["columns"]) for c in others] or [0])))


# --- label errors, intervals ------------------------------------------------------------------------------------------


@kind("contradicted label")
def contradicted_label(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Ask the nearest rows by a forest whether the proposed class suits the row better than its own."""
    row, said = int(claim["rows"][0]), claim["of"]["label"]
    own = labels_of(cells).iloc[row]
    if own != said:
        return f"row {row} is {own!r}"
    found = _forest_shares(cells)
    own, other = found.loc[row, said], found.loc[row, claim["value"]]
    # Where most trees have the label, it is not contradicted; of less, methods may differ.
    return claim["value"] if other > own or own < 0.5 else f"{own:.0%} of a forest's trees say {said!r}"


def _forest_shares(cells: Cells) -> pd.DataFrame:
    """Return the share of trees, grown without the row, for each class."""
    if id(cells) not in _SHARES:
        usable = {name for name in cells.columns if cells.kinds[name] in ("number", "words")}
        names = sorted(usable - cells.unused - cells.keys)
        X = np.column_stack(
            [np.nan_to_num(cells.numbers(n)) if cells.kinds[n] == "number" else cells.codes(n) for n in names]
        )
        known = np.flatnonzero(is_labelled(cells))
        forest = RandomForestClassifier(100, oob_score=True, random_state=0)
        forest.fit(X[known], labels_of(cells).iloc[known].astype(str))
        _SHARES.clear()
        _SHARES[id(cells)] = pd.DataFrame(forest.oob_decision_function_, index=known, columns=forest.classes_)
    return _SHARES[id(cells)]


_SHARES: dict[int, pd.DataFrame] = {}


@kind("share inside")
def share_inside(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Nine tenths, by how the width is chosen."""
    return Range(0.9 - 1.5 / claim["n_rows"] - 0.005, 0.9 + 1.5 / claim["n_rows"] + 0.005, "nine tenths, by its law")


@kind("interval half-width")
def interval_half_width(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Take the residuals of scikit-learn's random Fourier features."""
    found = _judged(
        {**claim, "columns": [], "of": {"unit": "R²", "model": "Random Fourier", "features": 400}},
        cells,
        claim["of"].get("usable rows", claim["n_rows"]),
    )
    width = float(np.quantile(np.abs(found.y - found.predicted), 0.9))
    return Range(width / 1.6, width * 1.3, "other features and folds")


@kind("rows with several classes")
def rows_with_several_classes(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    share = next(c for c in claims if c["what"] == "single class share")
    return round((1.0 - share["value"]) * claim["n_rows"])


@kind("share with the label")
def share_with_the_label(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    if "class" in claim["of"]:
        n = int(class_counts(cells).get(claim["of"]["class"], 0))
        if claim["n_rows"] > n:
            return f"the class has {n} rows"
        return Range(0.0, 0.75, "told below 75%")
    # The class with the largest score stays, too: it may be more than nine tenths.
    return Range(0.9 - 1.5 / claim["n_rows"] - 0.005, 1.0, "nine tenths or more, by its law")


# --- distances, neighbours, outliers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Prepared:
    """Rows scaled for distances; which of the file they are, and which features have more than two values."""

    X: np.ndarray
    rows: np.ndarray
    is_number: np.ndarray
    has_far: bool


_PREPARED: dict[Any, _Prepared] = {}


def _usable_rows(cells: Cells, names: Sequence[str], usable: int) -> np.ndarray:
    """Return which rows are used: those with a label, or those without gaps, if they are as many as are claimed."""
    complete = ~np.any([cells.missing(name) for name in names], axis=0)
    labelled = is_labelled(cells) if cells.label in cells.frame.columns else np.ones(cells.n_rows, dtype=bool)
    kept = next((part for part in (labelled, complete & labelled, complete) if part.sum() == usable), None)
    if kept is None:
        raise NotCheckable(f"which {usable:,} rows can be used")
    return kept


def _prepared(cells: Cells, claims: Sequence[Claim]) -> _Prepared:
    """Return the rows that distances are measured between, as the kinds describe them.

    Raises
    ------
    NotCheckable
        If they were drawn, or scaled in another way.
    """
    of = next((claim["of"] for claim in claims if "usable rows" in claim["of"]), {})
    usable = int(of.get("usable rows", cells.usable))
    key = (id(cells), usable)
    if key in _PREPARED:
        return _PREPARED[key]
    used = [name for name in cells.columns if cells.kinds[name] in ("number", "words")]
    names = [name for name in used if name not in cells.unused | cells.orders]
    if not names:
        raise NotCheckable("no column is used")
    kept = _usable_rows(cells, names, usable)
    _no_text(cells)
    rows, parts, is_number = np.flatnonzero(kept), [], []
    for name in names:
        if cells.kinds[name] == "number":
            values = np.where(cells.missing(name), np.nan, cells.numbers(name))
            values = np.where(np.isnan(values), np.nanmedian(values[rows]), values)[rows]
            spread = values.std()
            if spread > 0:
                parts.append((values - values.mean()) / spread)
                is_number.append(len(np.unique(values)) > 2)
        else:
            words = pd.Series(cells.codes(name)[rows])
            known = sorted(set(words) - {-1})
            # Of two words one feature tells all.
            for word in known if len(known) > 2 else known[:1] if words.nunique() > 1 else []:
                parts.append((words == word).to_numpy(float))
                is_number.append(False)
    if not parts:
        raise NotCheckable("no column varies")
    X = np.column_stack(parts)
    if any(cells.kinds[name] == "words" and cells.missing(name)[rows].any() for name in names):
        raise NotCheckable("how gaps among words are filled is not said")
    has_words = any(cells.kinds[name] == "words" for name in names)
    if X.shape[1] != cells.n_features and (has_words or cells.n_features is not None):
        raise NotCheckable("which columns and words are features is not said")
    far = (
        bool((np.abs(X[:, np.array(is_number)]) > min(10.0, 0.5 * math.sqrt(len(X)))).any())
        if any(is_number)
        else False
    )
    _PREPARED.clear()
    _PREPARED[key] = _Prepared(X, rows, np.array(is_number), far)
    return _PREPARED[key]


def _different(cells: Cells, claim: Claim, claims: Sequence[Claim], numbers_only: bool = False) -> _Prepared:
    """Return the different ones of these rows, with few enough to search all neighbours."""
    prepared = _prepared(cells, claims)
    if prepared.has_far:
        raise NotCheckable("features with far values are scaled without them, and which these are is not said")
    X = prepared.X[:, prepared.is_number] if numbers_only else prepared.X
    _, first = np.unique(X, axis=0, return_index=True)
    first = np.sort(first)
    if len(first) != claim["n_rows"] or len(first) < 25:
        raise NotCheckable(f"{len(first):,} different rows, not {claim['n_rows']:,}: some are drawn, or other features")
    return _Prepared(X[first], prepared.rows[first], prepared.is_number, False)


_DISTANCES = (
    "median distance",
    "largest distance",
    "spread of distances",
    "width",
    "saturation",
    "pairs beyond saturation",
)


@kind(*_DISTANCES)
def distances(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    if claim["of"].get("scaling") != "standardise":
        raise NotCheckable(f"scaled by {claim['of'].get('scaling')}")
    X = _prepared(cells, claims).X
    n, some = len(X), X[np.linspace(0, len(X) - 1, min(len(X), 1000)).astype(int)]
    pairs = pdist(some)
    width = 1.0 / float(np.median(pdist(some[np.linspace(0, len(some) - 1, min(len(some), 500)).astype(int)]))) ** 2
    if not np.isfinite(width):
        raise NotCheckable("the median distance is 0")
    reach = math.sqrt(-math.log(0.19) / width)
    found = dict(
        zip(
            _DISTANCES,
            (np.median(pairs), pairs.max(), pairs.std() / pairs.mean(), width, reach, (pairs > reach).mean()),
            strict=True,
        )
    )[claim["what"]]
    slack = 0.005 if n <= 500 else 0.05 if n <= 1000 else 0.06
    if n > 1000 and claim["what"] != "median distance":
        slack = 0.25  # by at most 500 of the rows
    if claim["what"] == "largest distance" and n > 1000:
        slack = 0.7  # of a few rows alone
    return Range(found * (1 - slack) - 1e-3, found * (1 + slack) + slack * 0.2 + 1e-3, "rows taken evenly")


@kind("dimension")
def dimension(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    X = _different(cells, claim, claims).X
    near = NearestNeighbors(n_neighbors=11).fit(X).kneighbors(X)[0][:, 1:]
    if claim["of"]["estimate"] == "TwoNN":
        logs = np.sort(np.log(near[:, 1] / near[:, 0]))
        r = int(0.9 * len(logs))
        found = (r - 1) / (logs[:r].sum() + (len(logs) - r) * logs[r - 1])
    else:
        found = 1.0 / float(np.log(near[:, 9:10] / near[:, :9]).mean())
    return Range(0.98 * found, 1.02 * found, "by the definition")


@kind("features")
def features(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    return _prepared(cells, claims).X.shape[1]  # or which they are is not said


def _factors(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> tuple[np.ndarray, np.ndarray]:
    """Return the outlier factor of each different row in features of more than two values, and which rows they are."""
    prepared = _different(cells, claim, claims, numbers_only=True)
    finder = LocalOutlierFactor(n_neighbors=20).fit(prepared.X)
    return -finder.negative_outlier_factor_, prepared.rows


@kind("outlier factor")
def outlier_factor(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    factor, rows = _factors(claim, cells, claims)
    largest = float(factor.max())
    is_clear = np.sum(factor > 0.99 * largest) == 1
    return Own(Range(0.98 * largest, 1.02 * largest), rows[[factor.argmax()]] if is_clear else None)


@kind("outliers", "sparse rows")
def outliers(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    factor, least = _factors(claim, cells, claims)[0], claim["of"]["from"]
    return Range(int((factor >= 1.02 * least).sum()), int((factor >= 0.98 * least).sum()))


@kind("near copies")
def near_copies(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Search all pairs within the distance: boxes of random grids may miss one in a thousand."""
    prepared, distance = _prepared(cells, claims), claim["of"]["distance"]
    if prepared.has_far or len(prepared.X) != claim["n_rows"]:
        raise NotCheckable("which rows are drawn, or how far values are scaled, is not said")
    X, n_of = np.unique(prepared.X, axis=0, return_counts=True)
    reach = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X)[0][:, 1]
    counts = [int(n_of[reach <= factor * distance].sum()) for factor in (0.999, 1.001)]
    return Range(counts[0] - max(0.01 * counts[0], 1.0) * (counts[0] > 0), counts[1], "of all pairs")


@kind("nearest pair")
def nearest_pair(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    prepared = _prepared(cells, claims)
    if prepared.has_far or len(prepared.X) != claim["n_rows"]:
        raise NotCheckable("which rows are drawn, or how far values are scaled, is not said")
    places = np.searchsorted(prepared.rows, claim["rows"])
    between = float(np.linalg.norm(np.subtract(*prepared.X[places])))
    X = np.unique(prepared.X, axis=0)
    least = float(NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X)[0][:, 1].min())
    return Range(0.999 * max(least, between), 1.001 * between, "of these two rows, and no two nearer")


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
def judged_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> int:
    rows = _judged_rows(claims)
    return int(is_labelled(cells)[rows].sum()) if len(set(rows)) == len(rows) else -1


@kind("guess")
def guess(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> float:
    return float(labels_of(cells).iloc[_judged_rows(claims)].value_counts(normalize=True).iloc[0])


@kind("leaks: score")
def leak_score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    found = _tree_score(claim, cells, _judged_rows(claims), claim["columns"], claim["of"]["by"])
    return Range(found - 0.02, found + 0.02, "the same tree and folds")


@kind("leaks", "near leaks")
def leaks(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Where none is claimed, try each column alone; else count the scores that are claimed, and checked."""
    least = claim["of"]["from"]
    if claim["what"] == "near leaks" and any(c["what"] == "leaks" and c["value"] for c in claims):
        raise NotCheckable("next to leaks, whose scores alone are claimed")
    if claim["value"]:
        return Range(*[sum(c["what"] == "score" and c["value"] >= least for c in claims)] * 2)
    rows = _judged_rows(claims)
    names = [
        name for name in cells.columns if cells.kinds[name] in ("number", "date", "words") and name not in cells.unused
    ]
    found = [name for name in names if _tree_score(claim, cells, rows, [name], "value") >= least + 0.01]
    return Range(0, 0) if not found else Range(len(found), len(found), ", ".join(found))


@kind("unused columns")
def unused_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return Range(
        0, len([name for name in cells.columns if name in cells.unused | cells.orders]), "those that are told as unused"
    )


# --- lines and curves -------------------------------------------------------------------------------------------------


@kind("rows searched")
def rows_searched(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    return Range(0.3 * claim["n_rows"], 0.75 * claim["n_rows"], "about half")


@kind("guess score", "line score", "curve score")
def line_score(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Judge on folds instead of a half."""
    how = claims[0]["of"]
    if how.get("apart by") != "random" or how.get("most frequent classes"):
        raise NotCheckable("which groups are searched is drawn, or which classes are merged")
    model = {"guess score": "guess", "line score": "linear", "curve score": "curves"}[claim["what"]]
    usable = int(how.get("usable rows", claims[0]["n_rows"]))
    one = {**claim, "columns": [], "n_rows": min(usable, _MOST_ROWS), "of": {**claim["of"], "model": model}}
    found = _judged(one, cells, usable)
    share = min(max(found.score, 0.05), 0.95)
    slack = 0.04 + 3.0 * math.sqrt(share * (1 - share) * 2.25 / claim["n_rows"])
    return Range(found.score - slack - 0.02, found.score + slack, "folds instead of halves")


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


@kind("share like another class")
def share_like_another_class(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    """Judge each row by scikit-learn's random Fourier features, in folds instead of by all other rows."""
    of = {"unit": "accuracy", "model": "Random Fourier", "features": 400, "folds": "random"}
    one = {**claim, "columns": [], "n_rows": min(claim["n_rows"], _MOST_ROWS), "of": of}
    if claim["n_rows"] > _MOST_ROWS:
        raise NotCheckable("too many rows for own folds")
    found = 1.0 - _judged(one, cells, int(claim["n_rows"])).score
    slack = 0.04 + 3.0 * math.sqrt(max(found * (1 - found), 0.01) / claim["n_rows"])
    return Range(found - slack, found + slack, "in folds, of other draws")


@kind("known pairs")
def known_pairs(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Range:
    near = next(c for c in claims if c["what"] == "near copies")
    return Range(claim["of"]["found"], near["of"]["pairs"], "no more than the pairs that are claimed")


@kind("contradicted target")
def contradicted_target(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Read the target of the row, and ask that the prediction differs by more than half of all targets usually do."""
    y, row = target_of(cells), int(claim["rows"][0])
    spread = float(np.nanmedian(np.abs(y - np.nanmedian(y))))
    if abs(y[row] - claim["value"]) < spread:
        raise NotCheckable("it differs by less than targets usually do")
    return Own(Range(-math.inf, math.inf, "any that is far from it"), of={"target": float(y[row])})
