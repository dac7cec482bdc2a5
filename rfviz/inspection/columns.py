"""Columns that are constant, repeat others, or number the rows, and those that nothing is computed from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from scipy.stats import rankdata

from rfviz.datasets.files.table import CATEGORY, DATE, EMPTY, NUMBER, TEXT
from rfviz.features.draws import generator
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Question
from rfviz.inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.inspection.words import plural, sentences, share, some_of
from rfviz.words import counted, join

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["ColumnResult", "Columns", "inspect_columns", "same_columns"]

_CELLS = 10_000_000
_FEWEST_ROWS = 20
# Share of the rows that one value has where a column is nearly constant, and of how many rows at least.
_NEARLY, _NEARLY_ROWS = 0.995, 200
# Correlation of columns that follow each other closely, of how many columns and rows at most; how many of the closest
# pairs are correlated in all rows.
_ALIKE, _COMPARED, _COMPARED_ROWS, _CLOSEST = 0.99, 300, 5000, 50
_LOOKED_AT = 2000
# Correlations that are claimed pair by pair.
_CLAIMED = 10
# The rows of a sorted column could stand in ten to this power different orders.
_MANY_ORDERS = 6.0
# Two rows make every column a multiple of every other, and three nearly do.
_FEWEST_COMPARED = 4
# Largest distance and least correlation of columns that repeat each other up to the rounding of their values.
_NEAR, _REPEATS = 0.1, 0.999
# Most values of whole numbers that may be codes of words, and fewest rows of each for both to say the same.
_CODES, _ROWS_OF_A_WORD = 12, 4
# Sets of columns that are named because each tells the same groups of rows apart.
_NAMED_GROUPS = 2
# Rounding errors of computed columns, in units of the last place.
_ROUNDING = 64
_NAMED_LIKE_TIMES = re.compile(
    r"(^|[\W_\d])(years?|yr|months?|weeks?|days?|hours?|minutes?|seconds?|dates?|times?|periods?|quarters?|seasons?)"
    r"($|[\W_\d])|[a-z](Year|Month|Week|Day|Hour|Date|Time)s?$",
    re.I,
)
_YEARS = (1500, 2200)


@dataclass(frozen=True, eq=False)
class ColumnResult:
    """Columns to look at before anything is learnt from them.

    Attributes
    ----------
    n_columns : int
        All that were looked at.
    constant : tuple of str
        Columns with a single value in all rows.
    nearly : tuple of (str, float or str, float)
        Columns in which one value has nearly all rows: name, value, share of the rows.
    ticked : tuple of (str, float or str or None)
        Columns that hold one value or nothing, as a box that is ticked or not: name, value; None for a date.
    same : tuple of (str, str)
        A column, and an earlier one that says the same: up to unit, sign and rounding, or word for word.
    grouping : tuple of (int, tuple of str)
        Other columns of few numbers that tell the same rows apart: how many values each has, and these columns.
    alike : tuple of (str, str, float)
        Pairs of other columns of numbers with a correlation of at least 0.99 or at most −0.99, the closest first.
    numbering : tuple of str
        Columns of whole numbers that number the rows or identify them.
    ordering : tuple of (str, str)
        Columns by which the rows are sorted: name, and ``"rises"`` or ``"falls"``, from row to row, or ``"never
        falls"`` or ``"never rises"``, if several rows have the same value.
    unused : tuple of (str, str)
        Columns that nothing is computed from, and why.
    order : str or None
        The column that gives the order.
    n_rows : int
        Rows that were looked at: all.
    n_correlated : int
        Rows in which pairs of columns were correlated; the closest pairs in all.
    """

    n_columns: int
    constant: tuple[str, ...]
    nearly: tuple[tuple[str, float | str, float], ...]
    ticked: tuple[tuple[str, float | str | None], ...]
    same: tuple[tuple[str, str], ...]
    grouping: tuple[tuple[int, tuple[str, ...]], ...]
    alike: tuple[tuple[str, str, float], ...]
    numbering: tuple[str, ...]
    ordering: tuple[tuple[str, str], ...]
    unused: tuple[tuple[str, str], ...]
    order: str | None
    n_rows: int
    n_correlated: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column that stands out: its name and why."""
        said = [(name, "has a single value") for name in self.constant]
        said += [(name, f"is {_shown(value)} in {share:.2%} of the rows") for name, value, share in self.nearly]
        said += [(name, f"is {_shown(value)} or empty") for name, value in self.ticked]
        said += [(name, f"says the same as “{first}”") for name, first in self.same]
        said += [
            (name, f"tells the same {k} groups of rows apart as “{first}”")
            for k, (first, *others) in self.grouping
            for name in others
        ]
        said += [(name, f"has a correlation of {r:.4f} with “{other}”") for name, other, r in self.alike]
        said += [(name, "numbers the rows: whole numbers, all different") for name in self.numbering]
        said += [(name, f"{what} from row to row") for name, what in self.ordering]
        said += [(name, f"is not used: {why}") for name, why in self.unused]
        return pd.DataFrame(said, columns=["column", "what it does"])


def inspect_columns(raw: Raw) -> ColumnResult:
    """Look at all rows for constant columns, columns that repeat others, and numberings."""
    found = _Found()
    for name in raw.of_kind(NUMBER, DATE, CATEGORY):
        look = _look_at_words if raw.table.kind(name) == CATEGORY else _look_at_numbers
        look(raw, name, found)
    same, alike, n_correlated = _repeated(raw, found.varied)
    same |= _renamed(raw, same)
    unused = [(name, _reason(raw, name)) for name in raw.columns if name not in raw.used and name != raw.order]
    return ColumnResult(
        len(raw.columns),
        tuple(found.constant),
        tuple(found.nearly),
        tuple(found.ticked),
        tuple((name, same[name]) for name in raw.columns if name in same),
        _grouping(raw, same),
        alike,
        tuple(found.numbering),
        tuple(found.ordering),
        tuple(unused),
        raw.order,
        raw.n_rows,
        n_correlated,
    )


class _Found:
    """The findings column by column, and the columns of numbers that vary."""

    def __init__(self) -> None:
        self.constant, self.numbering, self.varied = list[str](), list[str](), list[str]()
        self.nearly, self.ticked = list[tuple[str, float | str, float]](), list[tuple[str, float | str | None]]()
        self.ordering = list[tuple[str, str]]()


def _look_at_numbers(raw: Raw, name: str, found: _Found) -> None:
    values, is_number = raw.numbers(name), raw.table.kind(name) == NUMBER
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    n = raw.n_rows
    if not len(known):
        return
    if known.max() == known.min():
        if len(known) == n:
            found.constant.append(name)
        else:
            found.ticked.append((name, float(known[0]) if is_number else None))
        return
    found.varied.append(name)
    step = max(len(known) // _LOOKED_AT, 1)
    if is_number and len(known) >= max(_NEARLY * n, _NEARLY_ROWS) and not np.ptp(np.percentile(known[::step], (2, 98))):
        middle = np.median(known)
        share = float(np.count_nonzero(known == middle)) / n
        if share >= _NEARLY:
            found.nearly.append((name, float(middle), share))
    if len(known) < n or n < _FEWEST_ROWS or name == raw.order:
        return
    rises, falls = bool((values[1:] > values[:-1]).all()), bool((values[1:] < values[:-1]).all())
    if is_number and _numbers(raw, name, known, rises or falls):
        found.numbering.append(name)
    elif rises or falls:
        found.ordering.append((name, "rises" if rises else "falls"))
    else:
        _look_at_ties(name, values, found)


def _look_at_ties(name: str, values: np.ndarray, found: _Found) -> None:
    """Note a column by which the rows are sorted, though several have the same value, unless this may be chance."""
    some = values[:_LOOKED_AT]  # most columns fall and rise within their first rows
    for part in (some, values):
        never_falls, never_rises = bool((part[1:] >= part[:-1]).all()), bool((part[1:] <= part[:-1]).all())
        if not (never_falls or never_rises):
            return
    counts = np.unique(values, return_counts=True)[1]
    n_orders = float(gammaln(len(values) + 1) - gammaln(counts + 1).sum()) / np.log(10.0)
    if n_orders >= _MANY_ORDERS:
        found.ordering.append((name, "never falls" if never_falls else "never rises"))


def _look_at_words(raw: Raw, name: str, found: _Found) -> None:
    codes, n = raw.codes(name), raw.n_rows
    counts = np.bincount(codes[codes >= 0])
    word = str(raw.table.words[name].categories[int(counts.argmax())]) if len(counts) else ""
    if np.count_nonzero(counts) == 1:
        if counts.max() == n:
            found.constant.append(name)
        else:
            found.ticked.append((name, word))
    elif n >= _NEARLY_ROWS and len(counts) and counts.max() >= _NEARLY * n:
        found.nearly.append((name, word, float(counts.max() / n)))
    elif n >= _FEWEST_ROWS and len(counts) and codes.min() >= 0 and name != raw.order:
        _look_at_ties(name, codes, found)


def _reason(raw: Raw, name: str) -> str:
    """Return why nothing is computed from a column."""
    if name in raw.table.words or name in raw.table.places:
        is_known = ~raw.lacks(name)
        if is_known.any() and raw.label is not None and not is_known[raw.labelled].any():
            return "no value in rows with a label"
    kind = raw.table.kind(name)
    if kind == TEXT:
        column = raw.table.described[name]
        if column.odd or not column.n_distinct:  # as complex numbers, whose cells are not counted
            return column.note.removesuffix(", which are not used")
        return "many different words"
    return {EMPTY: "empty", CATEGORY: "categories are left out", NUMBER: "left out", DATE: "dates"}[kind]


def _numbers(raw: Raw, name: str, values: np.ndarray, is_sorted: bool) -> bool:
    """Return whether a column of all rows numbers or identifies them: whole, all different, and made for that."""
    if not _are_whole(values) or _NAMED_LIKE_TIMES.search(name):
        return False
    n, is_key = len(values), bool(NAMED_LIKE_KEYS.search(name))
    distinct = len(np.unique(values))
    span = float(values.max()) - float(values.min()) + 1.0
    if distinct == n:
        # A year for each row is when it was, and a measurement may be what the rows are sorted by.
        may_be_years = is_sorted and values.min() >= _YEARS[0] and values.max() <= _YEARS[1]
        return is_key or (span <= 2 * n and not may_be_years)
    # Some rows repeat, identifier and all.
    return is_key and distinct >= 0.5 * n and distinct == span and _repeats_rows(raw, values)


def _repeats_rows(raw: Raw, values: np.ndarray) -> bool:
    """Return whether rows that are equal in one column are equal in all columns of numbers and words."""
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place] != np.arange(len(values)))
    earlier = first[place[again]]
    return all(
        np.array_equal(cells[again], cells[earlier], equal_nan=cells.dtype.kind == "f")
        for name in raw.of_kind(NUMBER, DATE, CATEGORY)
        for cells in [raw.codes(name) if name in raw.table.words else raw.numbers(name)]
    )


def _are_whole(values: np.ndarray) -> bool:
    if values.dtype.kind != "f":
        return True
    first = values[:_LOOKED_AT]
    return bool((np.rint(first) == first).all() and (np.rint(values) == values).all())


def _repeated(raw: Raw, names: list[str]) -> tuple[dict[str, str], tuple[tuple[str, str, float], ...], int]:
    """Return the columns of numbers that equal an earlier one, the pairs of others that nearly do, and by which rows.

    Only that many rows were looked at for the pairs.
    """
    n, d = raw.n_rows, len(names)
    size = min(n, max(_CELLS // max(d, 1), 300))
    if d < 2 or size < _FEWEST_COMPARED:
        return {}, (), n
    rows = None if size == n else np.sort(generator(0, 0).permutation(n)[:size])
    X = np.empty((size, d))
    for place, name in enumerate(names):
        values = raw.numbers(name)
        X[:, place] = _from_lowest(values if rows is None else values[rows])
    X[~np.isfinite(X)] = np.nan
    filled = np.where(np.isnan(X), np.nan_to_num(_mean(X)), X)
    varied = np.flatnonzero(filled.max(axis=0) > filled.min(axis=0))

    def repeats(one: int, other: int) -> bool:
        return _is_repeat(raw.numbers(names[one]), raw.numbers(names[other]))

    same = same_columns(filled, varied, repeats)
    repeated = {column for column, _ in same}
    rest = np.array([column for column in varied.tolist() if column not in repeated], dtype=int)
    alike: list[tuple[str, str, float]] = []
    n_correlated = size
    if 1 < len(rest) <= _COMPARED and size >= _FEWEST_ROWS:
        some = X[:: max(size // _COMPARED_ROWS, 1), rest]
        n_correlated = len(some)
        r, ranks = _correlations(some), np.where(np.isnan(some), np.nan, rankdata(some, axis=0, nan_policy="omit"))
        # Nor is it a single row far off that makes them correlate.
        close = np.triu((np.abs(r) >= _ALIKE) & (r * _correlations(ranks) >= _ALIKE**2), 1)
        pairs = np.argwhere(close)[np.argsort(-np.abs(r[close]), kind="stable")]
        for number, (i, j) in enumerate(pairs.tolist()):
            one, other = names[rest[j]], names[rest[i]]
            by_all = number < _CLOSEST and len(some) < n
            alike.append((one, other, _correlation(raw, [one, other]) if by_all else float(r[i, j])))
        # In all rows a correlation may be smaller than in some.
        closest = [pair for pair in alike[:_CLOSEST] if abs(pair[2]) >= _ALIKE]
        alike = sorted(closest, key=lambda pair: -abs(pair[2])) + alike[_CLOSEST:]
    return {names[column]: names[first] for column, first in same}, tuple(alike), n_correlated


def _from_lowest(values: np.ndarray) -> np.ndarray:
    """Return numbers as floats; long whole ones less the lowest, so that they keep their last digits."""
    if values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < 2**53 < max(abs(low), abs(high)):
            return (values - values.min()).astype(np.float64)
    return values.astype(np.float64)


def _mean(X: np.ndarray) -> np.ndarray:
    """Return the mean of the finite values of each column; nan for an empty one."""
    known = np.isfinite(X)
    counts = known.sum(axis=0)
    return np.where(known, X, 0.0).sum(axis=0) / np.where(counts, counts, np.nan)


def _correlations(X: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation of each pair of columns in the rows that know both; 0 where there are too few."""
    known = np.isfinite(X).astype(np.float64)
    Z = np.where(known > 0, X - _mean(X), 0.0)
    Z /= np.maximum(np.abs(Z).max(axis=0), 1e-300)
    n, sums, squares = known.T @ known, Z.T @ known, (Z**2).T @ known
    covariance = n * (Z.T @ Z) - sums * sums.T
    variance = n * squares - sums**2
    with np.errstate(invalid="ignore", divide="ignore"):
        r = covariance / np.sqrt(variance * variance.T)
    return np.where((n >= _FEWEST_ROWS) & np.isfinite(r), np.clip(r, -1.0, 1.0), 0.0)


def _correlation(raw: Raw, columns: list[str]) -> float:
    """Return Pearson's correlation of two columns in all rows that know both."""
    return float(_correlations(np.stack([_from_lowest(raw.numbers(name)) for name in columns], axis=1))[0, 1])


def same_columns(
    X: np.ndarray, columns: np.ndarray, repeats: Callable[[int, int], bool]
) -> tuple[tuple[int, int], ...]:
    """Return the columns that repeat an earlier one up to a factor and an offset.

    The standardised columns are projected to one random direction: equal ones land on the same number, up to its sign.
    Only those that land next to each other are compared.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    columns : ndarray of int
        Those to compare, none of them constant.
    repeats : callable
        ``repeats(i, j)`` says of two columns that correlate nearly perfectly whether they are the same.

    Returns
    -------
    tuple of (int, int)
        Column, and the first that it repeats.
    """
    if len(columns) < 2:
        return ()
    n, near = len(X), _NEAR if len(columns) <= _COMPARED else 0.0
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
        slack = near + 1e-5 * (1.0 + abs(mean[place]) / spread[place]) * np.sqrt(n)
        open_groups = [group for group in open_groups if landed[place] - landed[group[0]] <= slack]
        match = next(
            (
                group
                for group in open_groups
                if abs(float(z @ group[1])) >= _REPEATS * n and repeats(int(columns[place]), int(columns[group[0]]))
            ),
            None,
        )
        if match is None:
            open_groups.append((place, z, [place]))
            found[place] = open_groups[-1][2]
        else:
            match[2].append(place)
    pairs = [(int(columns[p]), int(columns[min(group)])) for group in found.values() for p in group if p != min(group)]
    return tuple(sorted(pairs))


def _is_repeat(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two columns are the same in all rows, but for unit, offset, and the rounding of what is written.

    They lack the same rows. What one of them is, less a multiple of the other, varies by less than a unit of its last
    digit; and where it is written with few digits, equal values of one are equal in the other.
    """
    x, y = _from_lowest(one), _from_lowest(other)
    known = np.isfinite(x)
    if not np.array_equal(known, np.isfinite(y)):
        return False
    x, y = x[known], y[known]
    eps = max(_precision(x, one.dtype), _precision(y, other.dtype))
    centred = x - x.mean()
    slope = float(centred @ (y - y.mean())) / max(float(centred @ centred), 1e-300)
    if not slope:
        return False
    computed = _ROUNDING * eps * (np.abs(y).max() + abs(slope) * np.abs(x).max())
    written = max(_unit(y, eps), abs(slope) * _unit(x, eps))
    if _width(y - slope * x) > 2.0 * max(written, computed):
        return False
    # Least squares come near the slope that leaves least; how near depends on the rows.
    about = 2.0 * max(written, computed) / max(float(np.ptp(x)), 1e-300)
    near: Any = minimize_scalar(
        lambda a: _width(y - a * x),
        bounds=(slope - about, slope + about),
        method="bounded",
        options={"xatol": 1e-3 * about},
    )
    left = min(_width(y - slope * x), float(near.fun))
    if left <= computed:
        return True
    return left < written and np.array_equal(pd.factorize(x)[0], pd.factorize(y)[0])


def _width(values: np.ndarray) -> float:
    return float(np.ptp(values))


def _precision(values: np.ndarray, dtype: np.dtype[Any]) -> float:
    """Return the relative precision of numbers of a type, which may hold what was computed in single precision."""
    eps = float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)
    is_single = dtype.itemsize > 4 and not _unit(values, eps) and bool((values.astype(np.float32) == values).all())
    return float(np.finfo(np.float32).eps) if is_single else eps


def _unit(values: np.ndarray, eps: float) -> float:
    """Return the unit of the last decimal that values are written with; 0 if that is as many as floats hold."""
    largest = float(np.abs(values).max())
    for decimals in range(int(np.clip(-np.log10(max(largest, 1e-9) * 100 * eps), 0, 15)) + 1):
        slack = 4 * eps * max(largest, 1.0)
        if all((np.abs(np.round(part, decimals) - part) <= slack).all() for part in (values[:100], values)):
            return 10.0**-decimals
    return 0.0


def _renamed(raw: Raw, same: dict[str, str]) -> dict[str, str]:
    """Return the columns of words, codes or text of which each value stands for one of an earlier column."""
    texts = [name for name in raw.columns if name in raw.table.texts]
    firsts, found = dict[bytes, list[str]](), dict[str, str]()
    for name in raw.columns:
        codes = None
        if name in raw.table.words or (name in texts and len(texts) > 1):
            codes = raw.codes(name)
        elif name not in same and raw.table.kind(name) == NUMBER:
            values = raw.numbers(name)
            codes = _few_codes(values) if _are_whole(values[np.isfinite(values)]) else None
        if codes is None:
            continue
        key, n_words, may_be_codes = _partition(codes)
        if n_words < 2:
            continue
        earlier = firsts.setdefault(key, [])
        # Two numbers that belong to the same place or person have each a size of its own.
        is_number = raw.table.kind(name) == NUMBER
        others = [first for first in earlier if not (is_number and raw.table.kind(first) == NUMBER)]
        match = next((first for first in others if may_be_codes or _are_equal(raw, name, first)), None)
        if match is None:
            earlier.append(name)
        else:
            found[name] = match
    return found


def _grouping(raw: Raw, same: dict[str, str]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the columns of few numbers that tell the same rows apart, though no line leads from one to the other."""
    found = dict[bytes, tuple[int, list[str]]]()
    for name in raw.of_kind(NUMBER):
        codes = _few_codes(raw.numbers(name)) if name not in same else None
        if codes is None:
            continue
        key, n_words, is_sure = _partition(codes)
        if n_words > 2 and is_sure:
            found.setdefault(key, (n_words, []))[1].append(name)
    return tuple((n_words, tuple(names)) for n_words, names in found.values() if len(names) > 1)


def _partition(codes: np.ndarray) -> tuple[bytes, int, bool]:
    """Return what two columns share if each code of one stands for one of the other, and how many codes there are.

    The last says whether each has so many rows that chance cannot bring this about.
    """
    known = codes >= 0
    places = np.full(len(codes), -1)
    places[known], words = pd.factorize(codes[known])
    is_sure = bool(len(words) * _ROWS_OF_A_WORD <= np.count_nonzero(known))
    return blake2b(places.tobytes(), digest_size=16).digest(), len(words), is_sure


def _few_codes(values: np.ndarray) -> np.ndarray | None:
    """Return the place of each of a few numbers among all, −1 where one is missing; None for others."""
    step = max(len(values) // _LOOKED_AT, 1)
    known = np.isfinite(values)
    if len(np.unique(values[::step][known[::step]])) > _CODES:
        return None
    words, codes = np.unique(values[known], return_inverse=True)
    found = np.full(len(values), -1)
    found[known] = codes
    return found if len(words) <= _CODES else None


def _are_equal(raw: Raw, one: str, other: str) -> bool:
    """Return whether two columns hold the same words in the same rows."""
    rows = raw.file_rows(np.arange(raw.n_rows))
    cells = raw.cells([one, other], rows)
    return bool((cells[one].astype(str) == cells[other].astype(str)).all())


class Columns(Question[ColumnResult]):
    """Which columns are constant, repeat others, number the rows, or are not used."""

    name, key = "Columns", "columns"
    kinds: ClassVar = {
        "columns": "Columns of the table but the label and those that were left out.",
        "constant columns": "Columns of numbers, dates or categories with the same value in all rows, and no gap.",
        "most frequent value": (
            "The share of all rows in which the column is `value`: at least `least`, of 200 rows or more; numbers and "
            "categories only."
        ),
        "only value": "The only value of a column that has gaps, which infinite numbers are too; None for a date.",
        "repeating columns": (
            "Columns that say the same as an earlier one, in all rows, gaps in the same rows. Numbers and dates: up to "
            "a factor and an offset; what is left of the two varies by less than a unit of the last decimal that one "
            "of them is written with, and then equal numbers of one are equal in the other, or by no more than "
            "rounding errors of computation. Categories, whole numbers of at most 12 values next to them, and texts: "
            "each value of one stands for one of the other, and they have four rows for a value or are equal. In more "
            "than 300 columns, numbers that differ by rounding may be missed, and in more than 10 million cells those "
            "that vary in few rows."
        ),
        "repeat": "The second of `columns` is the first that says the same as the first of them.",
        "same groups": (
            "How many different numbers each of `columns` has, which repeat none by a factor and an offset: 3 to 12, "
            "with four rows for a number on average, and each of one stands for one of the others; gaps in the same "
            "rows."
        ),
        "correlated pairs": (
            "Pairs of varying columns of numbers or dates that repeat none, with a Pearson correlation r of at least "
            "`least`, or at most the negative of it, of which there are `negative`, and r times the Pearson "
            "correlation of ranks of at least `least`²; rows that know both, at least 20, every ⌊n/5000⌋-th of all (of "
            "more than 10 million cells, of random rows). 300 such columns at most."
        ),
        "correlation": "Pearson’s, in all rows that know both: of the closest pairs, at most 10.",
        "numbering columns": (
            "Columns of whole numbers without gaps that number or identify the rows: all are different, and the name "
            "ends like that of an identifier (id, no, nr, number, key, index, uuid, row) or they span at most twice as "
            "many whole numbers as there are rows. Names of times (year, month, day …), years from 1500 to 2200 that "
            "rise or fall, and the column that gives the order are none. With such a name some rows may repeat: half "
            "of the numbers are different, no number in between is left out, and rows that share one are equal."
        ),
        "sorted": (
            "Whether the other numbers or dates of the column rise or fall strictly from row to row, or never fall or "
            "never rise, no gaps. Words by the order of their characters."
        ),
        "unused": "Why nothing is computed from the column in the other questions.",
        "order": "The column that was taken for the order of the rows.",
    }
    leaves_out = "columns"

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images

    def compute(self, inspection: Inspection) -> ColumnResult:
        inspection.progress(0.1, "Columns")
        return inspect_columns(inspection.raw)

    def claims(self, result: ColumnResult, inspection: Inspection) -> Iterator[Claim]:
        raw, n = inspection.raw, result.n_rows
        yield Claim("columns", result.n_columns, n_rows=n)
        yield Claim("constant columns", len(result.constant), result.constant, n)
        for column, value, part in result.nearly:
            yield Claim("most frequent value", part, (column,), n, _NEARLY, of={"value": value})
        for column, value in result.ticked:
            yield Claim("only value", value, (column,), n)
        if n >= _FEWEST_COMPARED:
            repeats = tuple(column for column, _ in result.same)
            yield Claim("repeating columns", len(repeats), repeats, n)
        for column, first in result.same:
            yield Claim("repeat", True, (column, first), n)
        for n_values, columns in result.grouping:
            yield Claim("same groups", n_values, columns, n)
        yield from _claims_of_pairs(result, raw)
        # Of few rows it may be chance; and what gives the order, or rises from row to row, tells rows apart as well.
        rises = any(direction in ("rises", "falls") for _, direction in result.ordering)
        is_ordered = rises or (result.order is not None and raw.table.kind(result.order) == NUMBER)
        if result.numbering or (n >= _FEWEST_ROWS and not is_ordered):
            yield Claim("numbering columns", len(result.numbering), result.numbering, n)
        for column, direction in result.ordering:
            yield Claim("sorted", direction, (column,), n)
        for column, reason in result.unused:
            yield Claim("unused", reason, (column,), n)
        if result.order:
            yield Claim("order", True, (result.order,), n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        n, constant = claims.value("columns"), claims.of("constant columns").columns
        if n and len(constant) == n:
            return self.say("warning", "No column has more than a single value: all rows are equal.")
        more = _more(claims)
        parts, odd = _odd_columns(claims)
        if not parts:
            said = ["No column is constant"]
            said += ["none repeats another"] if claims.get("repeating columns") else []
            said += ["no column of numbers is a row number"] if claims.get("numbering columns") else []
            return self.say("fine", sentences([join(said), *more]))
        advice = "leave such columns out" if len(odd) > 1 else "leave it out"
        status = "warning" if claims.value("numbering columns") else "look"
        return self.say(status, sentences(["; ".join(parts), advice, *more])).about(columns=odd)


def _claims_of_pairs(result: ColumnResult, raw: Raw) -> Iterator[Claim]:
    if result.alike:
        of = {"negative": sum(r < 0 for _, _, r in result.alike)}
        yield Claim("correlated pairs", len(result.alike), n_rows=result.n_correlated, least=_ALIKE, of=of)
    for one, other, r in result.alike[:_CLAIMED]:
        both = int(np.count_nonzero(~raw.lacks(one) & ~raw.lacks(other)))
        yield Claim("correlation", r, (one, other), both)


def _more(claims: Claims) -> list[str]:
    """Return the sentences about columns that give no reason to leave them out."""
    n, more = claims.value("columns"), []
    if ticked := claims.of("only value"):
        value = f" ({_shown(ticked[0].value)})" if len(ticked) == 1 else ""
        boxes = plural(len(ticked), "a box that is ticked or not", "boxes that are ticked or not")
        hold = plural(len(ticked), "holds", "hold")
        more.append(f"{some_of(n, ticked.columns)} {hold} one value{value} or nothing, as {boxes}")
    for groups in claims.of("same groups")[:_NAMED_GROUPS]:
        which = some_of(n, groups.columns)
        more.append(
            f"{which} tell the same {groups.value} groups of rows apart: each number of one goes with one of the "
            f"other{'s' * (len(groups.columns) > 2)}"
        )
    if alike := claims.get("correlated pairs"):
        (one, other), r = claims.of("correlation")[0].columns, claims.value("correlation")
        others, n_negative = alike.value - 1, alike.of["negative"] - (r < 0)
        least = [f"{_ALIKE} or more"] * (n_negative < others) + [f"−{_ALIKE} or less"] * (n_negative > 0)
        rest = (
            f", and so do{'es' * (others == 1)} {counted(others, 'other pair')} ({' or '.join(least)})"
            if others
            else ""
        )
        more.append(f"“{one}” and “{other}” go together (correlation {_written_correlation(r)}){rest}")
    if ordering := claims.of("sorted").columns:
        more.append(f"The rows are sorted by {some_of(n, ordering)}")
    if unused := claims.of("unused"):
        why = " or ".join(dict.fromkeys(claim.value for claim in unused))
        more.append(f"nothing is computed from {some_of(n, unused.columns)} ({why})")
    if order := claims.of("order").columns:
        more.append(f"“{order[0]}” gives the order")
    return more


def _odd_columns(claims: Claims) -> tuple[list[str], list[str]]:
    """Return the sentences about columns without information, or without new information, and these columns."""
    n, parts = claims.value("columns"), []
    constant, twice, numbering = (
        claims.of(kind).columns for kind in ("constant columns", "repeating columns", "numbering columns")
    )
    if constant:
        parts.append(f"{some_of(n, constant)} {plural(len(constant), 'has', 'have')} a single value")
    nearly = claims.of("most frequent value")
    if len(nearly) == 1:
        parts.append(
            f"“{nearly.columns[0]}” is {_shown(nearly[0].of['value'])} in {_nearly_all(nearly[0].value)} of the rows"
        )
    elif nearly:
        parts.append(f"{some_of(n, nearly.columns)} have one value in at least {share(_NEARLY)} of the rows")
    if twice:
        first = f" (“{claims.of('repeat')[0].columns[1]}”)" if len(twice) == 1 else ""
        parts.append(f"{some_of(n, twice)} {plural(len(twice), 'repeats', 'repeat')} an earlier column{first}")
    if numbering:
        numbered = plural(len(numbering), "numbers the rows", "number the rows")
        parts.append(f"{some_of(n, numbering)} {numbered}, as an identifier does")
    return parts, [*constant, *nearly.columns, *twice, *numbering]


def _shown(value: float | str | None) -> str:
    """Write a value of a column; None stands for a date."""
    return "one date" if value is None else f"“{value}”" if isinstance(value, str) else f"{value:,.6g}"


def _written_correlation(r: float) -> str:
    """Write a correlation, and never as 1 where it is less."""
    bound = "above 0.999" if r > 0 else "below −0.999"
    return bound if 0.9995 <= abs(r) < 1.0 - 1e-12 else f"{r:.3f}".replace("-", "−")


def _nearly_all(part: float) -> str:
    """Write a share that is nearly 1, but never as 100%."""
    return f"{min(100 * part, 99.999):.{1 if part < 0.9985 else 3}f}%"
