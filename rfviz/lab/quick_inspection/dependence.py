"""Dependence: columns that tell of each other though they do not correlate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.dependence import (
    ConditionalDependence,
    DependenceResult,
    find_conditional_dependence,
    find_dependence,
)
from rfviz.datasets.files.table import CATEGORY, NUMBER
from rfviz.errors import DataError
from rfviz.lab.finding import Finding
from rfviz.lab.quick_inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.lab.quick_inspection.text import count
from rfviz.progress import Progress, silent

__all__ = ["Dependence", "HeldConstant", "describe", "hold_constant", "inspect_dependence"]

_ROWS, _FEWEST, _CELLS, _MOST_COLUMNS = 20_000, 2_000, 2_000_000, 500
# Expected share of false pairs among those that are told; a weaker dependence is no news.
_FALSE, _LEAST = 0.01, 0.3
# Columns hardly correlate up to the one, and are news from the other on; how alike neighbouring rows may be in both.
_HARDLY, _NEWS, _ALIKE = 0.2, 0.5, 0.1
_NAMED, _DRAWN = 3, 1500
# Pairs at most that are looked at again among rows with the same third column.
_MOST_HELD = 100


@dataclass(frozen=True, eq=False)
class Dependence:
    """How strongly columns depend on each other.

    Attributes
    ----------
    names : tuple of str
    values : ndarray of shape (n, d)
        Of the rows that were used; words are numbered, nan where a value is missing.
    words : dict of str to list of str
        The words of columns of words.
    result : DependenceResult
    """

    names: tuple[str, ...]
    values: np.ndarray
    words: dict[str, list[str]]
    result: DependenceResult

    @property
    def pairs(self) -> np.ndarray:
        """Pairs that depend on each other, the strongest first, shape (k, 2)."""
        one, other = np.triu_indices(len(self.names), 1)
        strength = self.result.strength[one, other]
        kept = np.flatnonzero((self.result.adjusted[one, other] <= _FALSE) & (strength >= _LEAST))
        kept = kept[np.argsort(-strength[kept], kind="stable")]
        return np.column_stack([one[kept], other[kept]])

    def uncorrelated(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of numbers that hardly correlate, and those of them where chance may have done it.

        Where rows that follow each other are alike in both columns, these depend on each other by chance.
        """
        pairs = self.pairs
        one, other = pairs.T
        strength, r = self.result.strength[one, other], self.result.correlation[one, other]
        is_news = (np.abs(r) <= _HARDLY) & (strength >= _NEWS)
        may_be_chance = self.result.neighbours[one] * self.result.neighbours[other] > _ALIKE
        return pairs[is_news & ~may_be_chance], pairs[is_news & may_be_chance]

    def to_frame(self, most: int = 200) -> pd.DataFrame:
        """Return one row per pair that depends on each other, those that hardly correlate first."""
        news = {(int(i), int(j)) for i, j in self.uncorrelated()[0]}
        pairs = sorted(map(tuple, self.pairs.tolist()), key=lambda pair: pair not in news)[:most]
        return pd.DataFrame(
            [
                (
                    self.names[i],
                    self.names[j],
                    self.result.strength[i, j],
                    self.result.correlation[i, j],
                    self.result.adjusted[i, j],
                )
                for i, j in pairs
            ],
            columns=["column", "other column", "dependence", "rank correlation", "p-value"],
        )

    def shown(self) -> tuple[tuple[str, str], np.ndarray]:
        """Return the strongest of `pairs` that hardly correlate, or else of all, and some of its rows."""
        news, pairs = self.uncorrelated()[0], self.pairs
        i, j = (news if len(news) else pairs)[0].tolist()
        step = np.unique(np.linspace(0, len(self.values) - 1, min(len(self.values), _DRAWN)).astype(int))
        return (self.names[i], self.names[j]), self.values[step][:, [i, j]]


def inspect_dependence(raw: Raw, progress: Progress = silent) -> Dependence:
    """Measure how strongly columns depend on each other.

    Raises
    ------
    DataError
        For fewer than two columns or 40 rows, or too many columns.
    """
    table = raw.table
    names = [name for name in raw.of_kind(NUMBER, CATEGORY) if name != raw.order and not NAMED_LIKE_KEYS.search(name)]
    if len(names) > _MOST_COLUMNS:
        raise DataError(
            f"Dependence is measured of at most {_MOST_COLUMNS} columns; here are {len(names):,}. Leave some out."
        )
    n = min(raw.n_rows, max(_CELLS // max(len(names), 1), _FEWEST), _ROWS)
    rows = raw.file_rows(np.unique(np.linspace(0, raw.n_rows - 1, n).astype(np.int64)))
    values, words = np.empty((len(rows), len(names))), {}
    for place, name in enumerate(names):
        if name in table.words:
            codes = np.asarray(table.words[name].codes)[rows]
            values[:, place] = np.where(codes < 0, np.nan, codes)
            words[name] = list(map(str, table.words[name].categories))
        else:
            values[:, place] = table.quantity(name)[rows]
    categories = [place for place, name in enumerate(names) if name in words]
    return Dependence(tuple(names), values, words, find_dependence(values, categories, progress))


@dataclass(frozen=True, eq=False)
class HeldConstant:
    """The pairs that depend on each other, among rows with the same value of a third column.

    Attributes
    ----------
    given : str
        The third column.
    names : tuple of (str, str)
        The pairs, those that depend most among all rows first.
    before : ndarray of shape (n_pairs,)
        Their dependence among all rows.
    result : ConditionalDependence
    """

    given: str
    names: tuple[tuple[str, str], ...]
    before: np.ndarray
    result: ConditionalDependence

    @property
    def still(self) -> np.ndarray:
        """Which pairs depend on each other among rows with the same value, too."""
        return self.result.adjusted <= _FALSE

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, those that depend most at the same value first."""
        frame = pd.DataFrame(self.names, columns=["column", "other column"])
        frame["dependence"] = self.before
        frame[f"at the same {self.given}"], frame["p-value"] = self.result.strength, self.result.adjusted
        order = np.lexsort([-self.result.strength, ~self.still])
        return frame.iloc[order].reset_index(drop=True)

    def __str__(self) -> str:
        n, still = len(self.names), self.still
        same = f"among rows with the same “{self.given}”"
        if not n:
            return f"No other columns depend on each other, so there is no pair to look at {same}."
        if still.all():
            which = "The pair depends" if n == 1 else f"All {n} pairs depend" if n > 2 else "Both pairs depend"
            return f"{which} on each other {same}, too: {self._pair(int(self.result.strength.argmax()))}."
        gone = np.flatnonzero(~still)
        largest = self._pair(int(gone[self.before[gone].argmax()]))
        if not still.any():
            which = "The pair shows" if n == 1 else f"None of {n} pairs shows"
            no = " no" if n == 1 else ""
            enough = f"“{self.given}” suffices to explain why they go together."
            return f"{which}{no} dependence {same}: {largest}. {enough}"
        strongest = int(np.where(still, self.result.strength, -1.0).argmax())
        which, most = ("depends", ":") if still.sum() == 1 else ("depend", ", most")
        rest = f" and {count(len(gone) - 1, 'more pair')}" if len(gone) > 1 else ""
        return (
            f"{int(still.sum())} of {n} pairs still {which} on each other {same}{most} {self._pair(strongest)}. "
            f"No dependence shows between {largest}{rest}."
        )

    def _pair(self, place: int) -> str:
        one, other = self.names[place]
        held, before = self.result.strength[place], self.before[place]
        return f"“{one}” and “{other}” (dependence {held:.2f}, among all rows {before:.2f})"


def hold_constant(dependence: Dependence, given: str, progress: Progress = silent) -> HeldConstant:
    """Return which of the pairs that depend on each other do so among rows with the same value of a third column."""
    held = dependence.names.index(given)
    pairs = dependence.pairs
    pairs = pairs[(pairs != held).all(axis=1)][:_MOST_HELD]
    words = [place for place, name in enumerate(dependence.names) if name in dependence.words]
    found = find_conditional_dependence(dependence.values, pairs, held, words, progress)
    names = tuple((dependence.names[i], dependence.names[j]) for i, j in pairs.tolist())
    return HeldConstant(given, names, dependence.result.strength[pairs[:, 0], pairs[:, 1]], found)


def describe(dependence: Dependence) -> Finding:
    """Name columns that depend on each other though they hardly correlate."""
    name, names, result = "Dependence", dependence.names, dependence.result
    pairs, (news, doubtful) = dependence.pairs, dependence.uncorrelated()
    n_pairs = count(len(names) * (len(names) - 1) // 2, "pair")
    doubt = ""
    if len(doubtful):
        is_one = len(doubtful) == 1
        doubt = (
            f" {count(len(doubtful), 'pair')} {'seems' if is_one else 'seem'} to, but in both columns each row "
            "is like the one before it, and that alone can look like dependence."
        )
    if len(news):
        shown = ", ".join(
            f"“{names[i]}” and “{names[j]}” (dependence {result.strength[i, j]:.2f}, rank correlation "
            f"{_signed(float(result.correlation[i, j]))})" for i, j in news[:_NAMED].tolist()
        )  # fmt: skip
        rest = f" and {len(news) - _NAMED:,} more" if len(news) > _NAMED else ""
        verb = "depends" if len(news) == 1 else "depend"
        of = "the columns" if len(news) == 1 else "their columns"
        text = (
            f"{len(news):,} of {n_pairs} of columns {verb} on each other though {of} hardly correlate: {shown}{rest}."
        )
        return Finding(name, "look", text + doubt).about(columns=[names[i] for pair in news.tolist() for i in pair])
    if not len(pairs):
        none = "The two columns do not depend" if len(names) == 2 else f"None of {n_pairs} of columns depends"
        return Finding(name, "fine", f"{none} on each other ({count(result.n_rows, 'row')}).")
    i, j = pairs[0].tolist()
    r = float(result.correlation[i, j])
    said = f", rank correlation {_signed(r)}" if np.isfinite(r) else ""
    text = (
        f"No columns{' surely' * bool(doubt)} depend on each other without correlating. The strongest pair is "
        f"“{names[i]}” and “{names[j]}” (dependence {result.strength[i, j]:.2f}{said})."
    )
    return Finding(name, "fine", text + doubt)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
