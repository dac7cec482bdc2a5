"""Rows that are sums of others, as a last row “Total” is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import CATEGORY, NUMBER, TEXT
from rfviz.inspection.raw import Raw

__all__ = ["TotalRows", "total_rows"]

_NAMED = re.compile(
    r"((grand|sub|overall)[\s-]*)?totals?\b.{0,30}|(overall|all|sums?|gesamt|summe|insgesamt|totale|somme|suma|итого)\W*",
    re.I,
)
_LIKELY = "total|overall|all|sum|insgesamt|gesamt|somm|итого"
_FEWEST_ROWS, _MOST_ROWS = 5, 100_000
# The logarithm, to the base 10, of how much likelier sums are equal because they are sums than by chance; and where no
# word says so.
_SURE, _SURER = 3.0, 6.0
# The part of the rows with such a word that are sums, and the part of all rows that have it at most.
_NEARLY_ALL, _MOST = 0.8, 0.5
_DECIMALS, _LOOKED_AT = 6, 1000
# Columns that may tell groups of rows, each of which has a total.
_MOST_KEYS = 10


@dataclass(frozen=True, eq=False)
class TotalRows:
    """Rows that are sums of others.

    Attributes
    ----------
    rows : ndarray of int
        Places among the rows.
    word, column : str
        The word that tells it, and its column; empty if none does.
    columns : tuple of str
        Columns of numbers in which they are sums.
    summed : str
        The rows that they are the sums of.
    """

    rows: np.ndarray
    word: str
    column: str
    columns: tuple[str, ...]
    summed: str


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of rows that may have been summed.

    Attributes
    ----------
    said : str
        Which they are.
    of_row : ndarray of int, shape (n,)
        The group of each row.
    of_total : ndarray of int
        The group whose sum each total would be.
    """

    said: str
    of_row: np.ndarray
    of_total: np.ndarray


def total_rows(raw: Raw, names: Sequence[str]) -> list[TotalRows]:
    """Return the rows that are sums of others: those that a word such as “Total” names, and the last one.

    Parameters
    ----------
    names : sequence of str
        The columns that are looked at.
    """
    n = raw.n_rows
    if not _FEWEST_ROWS <= n <= _MOST_ROWS:
        return []
    found: list[TotalRows] = []
    numbers: dict[str, np.ndarray] = {}
    for name, words in _named(raw, names):
        numbers = numbers or _numbers(raw, names)
        is_total = np.zeros(n, dtype=bool)
        is_total[np.concatenate(list(words.values()))] = True
        for word, rows in words.items():
            tried = [
                (_sums(numbers, rows, is_total, groups, _SURE), groups.said)
                for groups in _groups(raw, name, rows, is_total, names)
            ]
            columns, said = max(tried, key=lambda one: len(one[0]))
            if columns:
                found.append(TotalRows(rows, word, name, columns, said))
    if found:
        return found
    is_last = np.arange(n) == n - 1
    last = np.flatnonzero(is_last)
    columns = _sums(_numbers(raw, names), last, is_last, _all_others(n), _SURER)
    return [TotalRows(last, "", "", columns, "all other rows")] if len(columns) > 1 else []


def _numbers(raw: Raw, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the columns of numbers, with zeros for gaps."""
    columns = {name: raw.numbers(name) for name in names if raw.table.kind(name) == NUMBER}
    return {name: np.where(np.isfinite(v), v, 0.0).astype(np.float64) for name, v in columns.items()}


def _named(raw: Raw, names: Sequence[str]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Yield the columns of words that say “total”, and the rows that hold each of these."""
    for name in names:
        if raw.table.kind(name) not in (CATEGORY, TEXT):
            continue
        cells = pd.Series(raw.table.words[name] if name in raw.table.words else raw.table.texts[name])
        words = pd.Series(cells.cat.categories if name in raw.table.words else cells.unique())
        if pd.api.types.infer_dtype(words, skipna=True) != "string":  # numbers that are not computed with
            continue
        likely = words[words.str.contains(_LIKELY, case=False).fillna(False).astype(bool)]
        said = [word for word in likely if _NAMED.fullmatch(word.strip())]
        if not said:
            continue
        cells = cells if raw.rows is None else cells.iloc[raw.rows]
        rows = {word: np.flatnonzero((cells == word).to_numpy(dtype=bool, na_value=False)) for word in said}
        rows = {word: found for word, found in rows.items() if 0 < len(found) <= _MOST * raw.n_rows}
        if rows:
            yield name, rows


def _all_others(n: int, there_are_more: bool = False) -> _Groups:
    said = "all rows that are not totals" if there_are_more else "all other rows"
    return _Groups(said, np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64))


def _groups(raw: Raw, column: str, rows: np.ndarray, is_total: np.ndarray, names: Sequence[str]) -> Iterator[_Groups]:
    """Yield the groups of rows that some totals may sum."""
    n, places = raw.n_rows, np.arange(len(rows))
    if len(rows) == 1:
        yield _all_others(n, int(is_total.sum()) > 1)
        return
    before = np.searchsorted(rows, np.arange(n), side="right")
    yield _Groups("the rows above them", before, places)
    yield _Groups("the rows below them", before, places + 1)
    words = [name for name in names if name != column and raw.table.kind(name) == CATEGORY]
    keys: list[list[str]] = [words] if words else []
    whole = [name for name in names if raw.table.kind(name) == NUMBER and _are_keys(raw.numbers(name), len(rows))]
    keys += [[*words, name] for name in whole[:_MOST_KEYS]]
    for key in keys:
        parts = [raw.codes(name) if name in words else pd.factorize(raw.numbers(name))[0] for name in key]
        group = pd.DataFrame(dict(enumerate(parts))).groupby(list(range(len(parts)))).ngroup().to_numpy()
        yield _Groups(f"the rows with the same {_quoted(key)}", group, group[rows])


def _are_keys(values: np.ndarray, n_totals: int) -> bool:
    """Return whether numbers may tell groups, of which each has a total."""
    return bool(np.isfinite(values).all()) and 1 < len(np.unique(values)) <= n_totals


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in names)


def _sums(
    numbers: dict[str, np.ndarray], rows: np.ndarray, is_total: np.ndarray, groups: _Groups, sure: float
) -> tuple[str, ...]:
    """Return the columns in which nearly all of some rows are the sums of their groups, if this is not by chance."""
    others = ~is_total
    found, evidence = [], -np.log10(max(len(numbers), 1))
    for name, values in numbers.items():
        digits = _n_decimals(values)
        if digits is None:
            continue
        n_groups = 1 + max(int(groups.of_row.max()), int(groups.of_total.max()))
        some, of = values[others], groups.of_row[others]
        total = np.bincount(of, some, n_groups)[groups.of_total]
        n_summed = np.bincount(of, some != 0, n_groups)[groups.of_total]
        # Sums of rounded numbers, and rounded sums; sums of whole numbers are exact.
        error = 1e-9 * np.abs(total) + (2.0 * 10.0**-digits * np.sqrt(n_summed) if digits else 0.0)
        equal = (np.abs(values[rows] - total) <= error) & (n_summed > 1) & (total != 0)
        if equal.mean() >= _NEARLY_ALL:
            found.append(name)
            evidence += float(np.log10(np.abs(total[equal]) / (error[equal] + 10.0**-digits)).sum())
    return tuple(found) if evidence >= sure else ()


def _n_decimals(values: np.ndarray) -> int | None:
    """Return how many decimals numbers have, or None if they have too many."""
    some = values[:: max(len(values) // _LOOKED_AT, 1)]
    for digits in range(_DECIMALS + 1):
        if (np.abs(some - np.round(some, digits)) <= 1e-9 * np.abs(some)).all():
            return digits
    return None
