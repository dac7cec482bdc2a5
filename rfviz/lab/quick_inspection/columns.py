"""Columns that are constant, repeat others, or number the rows, and those that nothing is computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import CATEGORY, DATE, EMPTY, NUMBER, TEXT
from rfviz.features.draws import generator
from rfviz.lab.quick_inspection.raw import NAMED_LIKE_KEYS, Raw

__all__ = ["ColumnResult", "inspect_columns", "same_columns"]

_CELLS = 10_000_000
_FEWEST_ROWS = 20
# Share of the rows that one value has where a column is nearly constant, and of how many rows at least.
_NEARLY, _NEARLY_ROWS = 0.995, 200
# Correlation of columns that say nearly the same, of how many columns and rows at most.
_ALIKE, _COMPARED, _COMPARED_ROWS = 0.99, 300, 5000
_LOOKED_AT = 2000


@dataclass(frozen=True, eq=False)
class ColumnResult:
    """Columns to look at before anything is learnt from them.

    Attributes
    ----------
    n_columns : int
        All that were looked at.
    constant : tuple of str
        Columns with a single value.
    nearly : tuple of (str, str, float)
        Columns in which one value has nearly all rows: name, value, share.
    same : tuple of (str, str)
        A column, and an earlier one that it equals up to its unit and sign.
    alike : tuple of (str, str, float)
        Pairs of other columns with a correlation of at least 0.99, the closest first.
    numbering : tuple of str
        Columns of whole numbers that number the rows or identify them.
    unused : tuple of (str, str)
        Columns that nothing is computed from, and why.
    order : str or None
        The column that gives the order.
    n_rows : int
        Rows that were looked at: all.
    """

    n_columns: int
    constant: tuple[str, ...]
    nearly: tuple[tuple[str, str, float], ...]
    same: tuple[tuple[str, str], ...]
    alike: tuple[tuple[str, str, float], ...]
    numbering: tuple[str, ...]
    unused: tuple[tuple[str, str], ...]
    order: str | None
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column that stands out: its name and why."""
        said = [(name, "has a single value") for name in self.constant]
        said += [(name, f"is {value} in {share:.2%} of the rows") for name, value, share in self.nearly]
        said += [(name, f"says the same as “{first}”") for name, first in self.same]
        said += [(name, f"has a correlation of {r:.4f} with “{other}”") for name, other, r in self.alike]
        said += [(name, "numbers the rows: whole numbers, all different") for name in self.numbering]
        said += [(name, f"is not used: {why}") for name, why in self.unused]
        return pd.DataFrame(said, columns=["column", "what it does"])


def inspect_columns(raw: Raw) -> ColumnResult:
    """Look at all rows for constant columns, columns that repeat others, and numberings."""
    numbers = raw.of_kind(NUMBER, DATE)
    constant, nearly, numbering, varied = [], [], [], []
    step = max(raw.n_rows // _LOOKED_AT, 1)
    for name in numbers:
        values = raw.numbers(name)
        known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
        if not len(known):
            continue
        if known.max() == known.min():
            constant.append(name)
            continue
        varied.append(name)
        if (
            len(known) >= _NEARLY_ROWS
            and name in raw.table.places
            and np.ptp(np.percentile(known[::step], (2, 98))) == 0
        ):
            middle = np.median(known)
            share = float(np.mean(known == middle))
            if share >= _NEARLY:
                nearly.append((name, f"{middle:,.6g}", share))
        is_key = len(known) == raw.n_rows >= _FEWEST_ROWS and raw.table.kind(name) == NUMBER and name != raw.order
        if is_key and _numbers(name, known):
            numbering.append(name)
    for name in raw.of_kind(CATEGORY):
        codes = raw.codes(name)
        counts = np.bincount(codes[codes >= 0])
        if np.count_nonzero(counts) == 1:
            constant.append(name)
        elif counts.sum() >= _NEARLY_ROWS and counts.max() >= _NEARLY * counts.sum():
            word = str(raw.table.words[name].categories[int(counts.argmax())])
            nearly.append((name, f"“{word}”", float(counts.max() / counts.sum())))
    same, alike = _repeated(raw, varied)
    unused = [(name, _WHY[raw.table.kind(name)]) for name in raw.columns if name not in raw.used and name != raw.order]
    return ColumnResult(
        len(raw.columns), tuple(constant), tuple(nearly), same, alike, tuple(numbering), tuple(unused), raw.order,
        raw.n_rows,
    )  # fmt: skip


_WHY = {
    TEXT: "free text", EMPTY: "empty", CATEGORY: "categories are left out", NUMBER: "left out", DATE: "a date",
}  # fmt: skip


def _numbers(name: str, values: np.ndarray) -> bool:
    """Return whether a column of all rows numbers or identifies them: whole, all different, and made for that."""
    if values.dtype.kind == "f" and not (np.rint(values[:_LOOKED_AT]) == values[:_LOOKED_AT]).all():
        return False
    if values.dtype.kind == "f" and not (np.rint(values) == values).all():
        return False
    n = len(values)
    distinct = len(np.unique(values))
    span = float(values.max()) - float(values.min()) + 1.0
    if distinct == n:
        is_rising = bool((values[1:] > values[:-1]).all())
        return span <= 2 * n or is_rising or bool(NAMED_LIKE_KEYS.search(name))
    # Some rows repeat, identifier and all.
    return distinct >= 0.5 * n and distinct == span and bool(NAMED_LIKE_KEYS.search(name))


def _repeated(raw: Raw, names: list[str]) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, float], ...]]:
    """Return the columns that equal an earlier one, and the pairs of others that are nearly equal."""
    n, d = raw.n_rows, len(names)
    size = min(n, max(_CELLS // max(d, 1), 300))
    if d < 2 or size <= 3:  # two rows make every column a multiple of every other
        return (), ()
    rows = None if size == n else np.sort(generator(0, 0).permutation(n)[:size])
    X = np.empty((size, d))
    for place, name in enumerate(names):
        values = raw.numbers(name)
        values = (values if rows is None else values[rows]).astype(np.float64)
        missing = ~np.isfinite(values)
        if missing.any():
            values[missing] = values[~missing].mean() if not missing.all() else 0.0
        X[:, place] = values
    varied = np.flatnonzero(X.max(axis=0) > X.min(axis=0))
    same = same_columns(X, varied)
    repeated = {column for column, _ in same}
    rest = np.array([column for column in varied.tolist() if column not in repeated], dtype=int)
    alike: list[tuple[str, str, float]] = []
    if 1 < len(rest) <= _COMPARED and size >= _FEWEST_ROWS:
        r = np.abs(np.corrcoef(X[:: max(size // _COMPARED_ROWS, 1), rest], rowvar=False))
        for i, j in np.argwhere(np.triu(r, 1) >= _ALIKE).tolist():
            alike.append((names[rest[j]], names[rest[i]], float(r[i, j])))
        alike.sort(key=lambda pair: -pair[2])
    return tuple((names[column], names[first]) for column, first in same), tuple(alike)


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
