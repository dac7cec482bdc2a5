"""Columns that are constant, repeat others, number the rows, or give the label away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rfviz.datasets import Dataset
from rfviz.features.draws import generator
from rfviz.lab.quick_inspection.sample import column_name, take_sample
from rfviz.progress import Progress, silent

__all__ = ["ColumnResult", "LeakResult", "inspect_columns", "inspect_leaks", "same_columns"]

_CELLS = 10_000_000
_FEWEST_ROWS = 20
_LEAK_ROWS = 2000
_FOLDS = 5
_SCREENED = 0.85
_MOST_TRIED = 8
# A column gives the label away where it leaves no more than this share of errors, and of what a guess gets wrong.
_LEFT, _LEFT_OF_GUESS = 0.02, 0.1
_LEFT_VARIANCE = 0.01


@dataclass(frozen=True, eq=False)
class ColumnResult:
    """Columns to look at before anything is learnt from them.

    Attributes
    ----------
    names : tuple of str
        Of all columns.
    constant : ndarray of int
        Columns with a single value.
    same : tuple of (int, int)
        A column, and an earlier one that it equals up to its unit and sign.
    numbering : ndarray of int
        Columns of whole numbers of which no two are equal, as row numbers and identifiers are.
    n_rows : int
        Rows that were looked at.
    """

    names: tuple[str, ...]
    constant: np.ndarray
    same: tuple[tuple[int, int], ...]
    numbering: np.ndarray
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column that stands out: its name and why."""
        said = [(c, "has a single value") for c in self.constant]
        said += [(c, f"says the same as “{self.names[first]}”") for c, first in self.same]
        said += [(c, "numbers the rows: whole numbers, all different") for c in self.numbering]
        return pd.DataFrame([(self.names[c], text) for c, text in said], columns=["column", "what it does"])


@dataclass(frozen=True, eq=False)
class LeakResult:
    """How well single columns predict the label.

    Attributes
    ----------
    columns : tuple of int
        Columns that were tried, the best first: those that looked best on other rows.
    names : tuple of str
        Of these.
    scores : ndarray
        Cross-validated share of right labels, or R² of numbers, of a small tree on the column alone.
    guess : float
        The same score for always guessing the largest class, or the mean.
    n_leaks : int
        Number of columns, from the first, that give the label away.
    is_classification : bool
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    scores: np.ndarray
    guess: float
    n_leaks: int
    is_classification: bool

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column that was tried."""
        measure = "right labels" if self.is_classification else "R²"
        return pd.DataFrame({"column": self.names, measure: self.scores, "gives the label away":
                             np.arange(len(self.names)) < self.n_leaks})  # fmt: skip


def inspect_columns(dataset: Dataset) -> ColumnResult:
    """Look for constant columns, columns that repeat others, and numberings.

    Of data with more than ten million numbers a random sample of the rows is used. Pixels of images are not numberings.
    """
    n, d = dataset.X.shape
    size = min(n, max(_CELLS // d, 300))
    X = dataset.X if size == n else dataset.X[np.sort(generator(0, 0).permutation(n)[:size])]
    constant = np.flatnonzero(X.max(axis=0) == X.min(axis=0))
    varied = np.setdiff1d(np.arange(d), constant)
    numbering = []
    if not dataset.image_shape and size >= _FEWEST_ROWS:
        whole = [c for c in varied if (X[:, c] == np.rint(X[:, c])).all()]
        numbering = [c for c in whole if len(np.unique(X[:, c])) == size]
    # Two rows make every column a multiple of every other.
    same = same_columns(X, varied) if size > 3 else ()
    names = tuple(column_name(dataset, c) for c in range(d))
    return ColumnResult(names, constant, same, np.array(numbering, dtype=int), size)


def same_columns(X: np.ndarray, columns: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Return the columns that equal an earlier one up to a factor and an offset.

    The standardised columns are projected to one random direction: equal ones land on the same number, up to its sign.
    Only those that land next to each other are compared.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    columns : ndarray of int
        Those to compare, none of them constant.

    Returns
    -------
    tuple of (int, int)
        Column, and the first that it equals.
    """
    if len(columns) < 2:
        return ()
    n = len(X)
    direction = generator(0, 2).standard_normal(n)
    direction -= direction.mean()
    part = X[:, columns]
    mean, spread = part.mean(axis=0, dtype=np.float64), part.std(axis=0, dtype=np.float64)
    spread = np.where(spread > 0, spread, 1.0)
    landed = np.abs((direction @ part) / spread) / np.linalg.norm(direction)
    order, found, open_groups = np.argsort(landed, kind="stable"), {}, []
    for place in order.tolist():
        z = (part[:, place] - mean[place]) / spread[place]
        # Rounding of float32 moves a column by 1e-7 of its size, which may be much of its spread.
        slack = 1e-5 * (1.0 + abs(mean[place]) / spread[place]) * np.sqrt(n)
        open_groups = [group for group in open_groups if landed[place] - landed[group[0]] <= slack]
        match = next((g for g in open_groups if 1.0 - abs(float(z @ g[1])) / n <= 1e-6), None)
        if match is None:
            open_groups.append((place, z, [place]))
            found[place] = open_groups[-1][2]
        else:
            match[2].append(place)
    pairs = [(int(columns[p]), int(columns[min(group)])) for group in found.values() for p in group if p != min(group)]
    return tuple(sorted(pairs))


def inspect_leaks(dataset: Dataset, progress: Progress = silent) -> LeakResult | None:
    """Look for columns that alone predict the label nearly perfectly.

    Half of the rows choose the columns to try, by how pure the label is within bins of a column; the other half says,
    by cross-validation, how well a small tree on each of them does. So the choice does not flatter what it chose.

    Returns
    -------
    LeakResult or None
        None without labels, with a single column, and for fewer than 40 rows.
    """
    if dataset.y is None or dataset.n_features < 2 or dataset.n_samples < 2 * _FEWEST_ROWS:
        return None
    rows = take_sample(dataset, "none", _LEAK_ROWS, _CELLS).rows
    rows = rows[generator(0, 3).permutation(len(rows))]
    X, y = dataset.X[rows].astype(np.float64), dataset.y[rows]
    is_classes, half = bool(dataset.target_names), len(rows) // 2
    measure = _purity if is_classes else _explained
    if np.ptp(y[half:]) == 0 or np.ptp(y[:half]) == 0:
        return None
    guess = float(np.unique(y[half:], return_counts=True)[1].max() / len(y[half:])) if is_classes else 0.0
    screened = np.empty(X.shape[1])
    for column in range(X.shape[1]):
        if column % 500 == 0:
            progress(0.8 * column / X.shape[1], "Looking for columns that give the label away")
        screened[column] = measure(X[:half, column], y[:half])
    least = max(_SCREENED, 1.0 - 0.5 * (1.0 - guess)) if is_classes else _SCREENED
    tried = np.argsort(-screened, kind="stable")
    tried = [int(c) for c in tried[:_MOST_TRIED] if screened[c] >= least] or [int(tried[0])]
    scores = np.array([_score(X[half:, [c]], y[half:], is_classes) for c in tried])
    order = np.argsort(-scores, kind="stable")
    scores, tried = scores[order], [tried[i] for i in order]
    allowed = min(_LEFT, _LEFT_OF_GUESS * (1.0 - guess)) if is_classes else _LEFT_VARIANCE
    names = tuple(column_name(dataset, c) for c in tried)
    return LeakResult(tuple(tried), names, scores, guess, int(np.sum(1.0 - scores <= allowed)), is_classes)


def _bins(x: np.ndarray, y: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the bin of each row; bins hold about equal numbers of rows, and equal values share a bin."""
    values, place = np.unique(x, return_inverse=True)
    if len(values) <= n_bins:
        return place
    return np.searchsorted(np.quantile(x, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]), x)


def _purity(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the rows that belong to the largest class of their bin."""
    kinds = int(y.max()) + 1
    n_bins = min(max(32, 4 * kinds), max(len(x) // 4, 2))
    table = np.bincount(_bins(x, y, n_bins) * kinds + y).copy()
    table.resize(-(-len(table) // kinds), kinds)
    return float(table.max(axis=1).sum() / len(x))


def _explained(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the variance of `y` between bins of `x`."""
    place = _bins(x, y, min(32, max(len(x) // 4, 2)))
    count = np.bincount(place)
    sums = np.bincount(place, y - y.mean())
    between = float(np.sum(sums**2 / np.maximum(count, 1)))
    return between / float(np.sum((y - y.mean()) ** 2))


def _score(x: np.ndarray, y: np.ndarray, is_classes: bool) -> float:
    """Return the cross-validated share of right labels, or R², of a tree on one column; for R², of a line too."""
    if not is_classes:
        folds = KFold(_FOLDS, shuffle=True, random_state=0)
        models = (DecisionTreeRegressor(min_samples_leaf=3, random_state=0), LinearRegression())
        errors = [np.sum((cross_val_predict(model, x, y, cv=folds) - y) ** 2) for model in models]
        return float(1.0 - min(errors) / np.sum((y - y.mean()) ** 2))
    fewest = int(np.unique(y, return_counts=True)[1].min())
    kind = StratifiedKFold if fewest >= _FOLDS else KFold
    folds = kind(_FOLDS, shuffle=True, random_state=0)
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    return float(np.mean(cross_val_predict(tree, x, y, cv=folds) == y))
