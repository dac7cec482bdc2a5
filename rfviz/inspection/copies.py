"""Equal rows: hash codes give candidates, cells decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.features.draws import generator
from rfviz.inspection.columns import Columns
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.words import plural, quoted, share
from rfviz.words import counted

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["CopyResult", "ExactCopies", "exact_copies"]

_HASH_CELLS = 4_000_000
# Copies may be chance where independent columns would bring this share of them: columns that depend bring many more.
_LEAST_BY_CHANCE, _ROWS_OF_A_VALUE = 0.01, 3


@dataclass(frozen=True, eq=False)
class CopyResult:
    """Rows of a whole table that are equal in every column but the label.

    Attributes
    ----------
    group : ndarray of shape (n,), int
        The group of equal rows that each row belongs to.
    rows : ndarray of shape (n,), int
        The row of the file that each is, from 0.
    repeats : ndarray of int
        Rows of the file, from 0, that repeat an earlier one.
    n_conflicting : int
        Rows in groups whose labels differ.
    n_across : int
        Test rows with an exact copy among the training rows, where the data have a split.
    largest : int
        Rows in the largest group.
    ignored : tuple of str
        Columns that number the rows, which were not compared.
    by_chance : float
        Pairs of equal rows to expect, were the columns independent; as far as that is at least a hundredth of those
        that there are.
    """

    group: np.ndarray
    rows: np.ndarray
    repeats: np.ndarray
    n_conflicting: int
    n_across: int
    largest: int
    ignored: tuple[str, ...] = ()
    by_chance: float = 0.0

    @property
    def n_extra(self) -> int:
        """Rows that repeat an earlier one."""
        return len(self.repeats)

    @property
    def may_be_chance(self) -> bool:
        """Return whether rows may be equal just because the columns take few values."""
        return self.by_chance > 0

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the largest groups: how many rows, and the first of them, counted from 1."""
        counts = np.bincount(self.group)
        order = [g for g in np.argsort(-counts, kind="stable")[:most] if counts[g] > 1]
        members = [(self.rows[np.flatnonzero(self.group == g)[:6]] + 1).tolist() for g in order]
        return pd.DataFrame({"equal rows": counts[order], "rows": [", ".join(map(str, m)) for m in members]})


def exact_copies(raw: Raw, ignored: Sequence[str] = ()) -> CopyResult:
    """Group the rows of the whole table that are equal, cell by cell: numbers, words, texts and empty cells.

    Rows are hashed to 64 bits first; rows that share a hash are compared.

    Parameters
    ----------
    ignored : sequence of str
        Columns that tell rows apart by number only.
    """
    n = raw.n_rows
    columns = [name for name in (raw.columns or raw.table.names) if name not in ignored]
    inside = [raw.table.places[name] for name in columns if name in raw.table.places]
    apart = [_words_of(raw, name) for name in columns if name not in raw.table.places]
    code = np.zeros(n, np.uint64)
    factors = generator(0, 1).integers(1, 2**63, (len(columns),), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    step = max(_HASH_CELLS // max(len(inside), 1), 1)
    for start in range(0, n if inside else 0, step):
        words = _mixed(_cells(raw, inside, slice(start, start + step)))
        code[start : start + step] = (words * factors[: len(inside)]).sum(axis=1, dtype=np.uint64)
    for words, factor in zip(apart, factors[len(inside) :], strict=True):
        code += _mixed(words.astype(np.uint64)) * factor
    _, first, group, counts = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    again = np.flatnonzero(first[group] != np.arange(n))
    same = (_cells(raw, inside, again) == _cells(raw, inside, first[group[again]])).all(axis=1)
    for words in apart:
        same &= words[again] == words[first[group[again]]]
    for row in again[~same].tolist():  # different rows of one hash, which chance hardly ever brings about
        counts[group[row]] -= 1
        group[row] = len(counts)
        counts = np.append(counts, 1)
    again = again[same]
    conflicting = 0
    if raw.target_names and raw.y is not None:
        chosen = np.flatnonzero((counts[group] > 1) & raw.labelled)
        kinds = np.unique(np.column_stack([group[chosen], raw.y[chosen]]), axis=0)
        mixed = np.flatnonzero(np.bincount(kinds[:, 0], minlength=len(counts)) > 1)
        conflicting = int(np.isin(group[chosen], mixed).sum())
    split, across = raw.n_train, 0
    if split is not None:
        across = int(np.isin(group[split:], group[:split]).sum())
    everywhere = raw.file_rows(np.arange(n))
    n_pairs = float(np.sum(counts * (counts - 1.0)) / 2.0)
    by_chance = _by_chance(raw, columns, _LEAST_BY_CHANCE * n_pairs) if n_pairs else 0.0
    return CopyResult(
        group, everywhere, everywhere[again], conflicting, across, int(counts.max(initial=0)), tuple(ignored), by_chance
    )


def _by_chance(raw: Raw, columns: Sequence[str], least: float) -> float:
    """Return how many pairs of rows are equal by chance if columns are independent; 0 for fewer than `least`.

    A column whose values have hardly more than one row each tells rows apart, and leaves nothing to chance.
    """
    n = raw.n_rows
    n_pairs = 0.5 * n * (n - 1.0)
    for name in columns:
        values = raw.numbers(name) if name in raw.table.places else _words_of(raw, name)
        counts = np.unique(values, return_counts=True)[1].astype(np.float64)
        n_pairs *= float(np.sum(counts * (counts - 1.0))) / (n * (n - 1.0))
        if n_pairs < least or len(counts) * _ROWS_OF_A_VALUE > n:
            return 0.0
    return n_pairs


def _cells(raw: Raw, places: list[int], rows: slice | np.ndarray) -> np.ndarray:
    """Return numbers as whole ones of 64 bits, equal where the numbers are; all gaps are equal."""
    matrix = raw.table.matrix
    part = matrix[rows] if raw.rows is None else matrix[raw.rows[rows]]
    part = part if len(places) == matrix.shape[1] else part[:, places]
    values = part.astype(np.float64) + 0.0  # −0 becomes 0, which equals it
    values[np.isnan(values)] = np.nan  # of all its bit patterns one
    return values.view(np.uint64)


def _words_of(raw: Raw, name: str) -> np.ndarray:
    """Return the number of each cell's content, for a column that is not among the table's numbers."""
    table = raw.table
    if name in table.words or name in table.texts:
        return raw.codes(name).astype(np.int64)
    if name not in table.parsed:
        return np.zeros(raw.n_rows, dtype=np.int64)
    values = raw.numbers(name)
    return (np.where(np.isnan(values), np.nan, values + 0.0) if values.dtype.kind == "f" else values).view(np.int64)


def _mixed(words: np.ndarray) -> np.ndarray:
    """Return words whose every bit depends on all bits: numbers differ in their first bits, sums keep their last."""
    words = (words ^ (words >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return words ^ (words >> np.uint64(29))


class ExactCopies(Question[CopyResult]):
    """Which rows are equal; where none are, which are but for a number of the row, if not by chance."""

    name, key = "Exact copies", "copies"
    leaves_out = "rows"
    kinds: ClassVar = {
        "copies": (
            "Rows that equal an earlier one in all columns but the label and those of `apart from`: cell by cell, "
            "numbers as numbers, gaps equal to gaps."
        ),
        "copies across a split": "Test rows that equal a training row.",
        "copies with other labels": "Rows that equal a row with another label.",
        "pairs by chance": "Pairs of equal rows to expect, were the columns independent.",
    }

    def compute(self, inspection: Inspection) -> CopyResult:
        inspection.progress(0.1, "Exact copies")
        raw = inspection.raw
        result = exact_copies(raw)
        if inspection.has_images:  # of which some may have been drawn
            numbers = inspection.source.dataset.row_numbers
            return replace(result, rows=numbers, repeats=numbers[result.repeats])
        if result.n_extra:
            return result
        keys = inspection.answer(Columns()).numbering
        if not keys or len(keys) == len(raw.columns):
            return result
        apart = exact_copies(raw, keys)
        return result if apart.may_be_chance else apart

    def claims(self, result: CopyResult, inspection: Inspection) -> Iterator[Claim]:
        n, ignored = len(result.group), {"apart from": result.ignored}
        yield Claim("copies", result.n_extra, n_rows=n, of=ignored, rows=result.repeats)
        if result.n_across:
            yield Claim("copies across a split", result.n_across, n_rows=n, of=ignored)
        if result.n_conflicting:
            yield Claim("copies with other labels", result.n_conflicting, inspection.raw.label_columns, n, of=ignored)
        if result.may_be_chance:
            yield Claim("pairs by chance", result.by_chance, n_rows=n, of=ignored)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        rows, how = inspection.rows, inspection.source.normalise
        link = ("hashing", {"map": "RandomBinning", "metric": "euclidean", "normalise": how})
        copies = claims[0]
        n_extra, n, ignored = copies.value, copies.n_rows, copies.of["apart from"]
        of = rows.of_all(n)
        but = f" apart from {quoted(ignored)}" if ignored else ""
        if not n_extra:
            return self.say("fine", f"No two of the {n:,} rows{of} are equal{but}.")
        what = plural(n_extra, "is a copy of an earlier row", "are copies of earlier rows")
        text = f"{counted(n_extra, 'row')} of {n:,}{of} ({share(n_extra / n)}) {what}{but}"
        text = f"All {n:,} rows{of} are equal{but}" if n_extra == n - 1 else text
        found = self.say("warning", text, *link).about(copies.rows)
        if across := claims.value("copies across a split"):
            which = f"{counted(across, 'test row')} {plural(across, 'is', 'are')}"
            return replace(found, text=f"{text}; {which} among the training rows too.")
        if conflicting := claims.value("copies with other labels"):
            which = f"{counted(conflicting, 'row')} {plural(conflicting, 'is', 'are')}"
            return replace(found, text=f"{text}; {which} equal to one with another label.")
        if n_extra == n - 1:
            return replace(found, text=f"{text}.")
        if claims.get("pairs by chance"):
            return replace(found, status="fine", text=f"{text}, as chance brings about where columns take few values.")
        many = plural(n_extra, "it counts twice, and may", "they count more than once, and may")
        return replace(found, status="look", text=f"{text}: {many} land on both sides of a split.")

    def note(self, result: CopyResult) -> str:
        return "The largest groups of equal rows."
