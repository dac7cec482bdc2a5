"""From columns as they were found to a :class:`Dataset`, by choices that are written down in one frozen object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.datasets._columns import CATEGORY, DATE, EMPTY, NUMBER, Table
from rfviz.datasets._encode import encoded
from rfviz.datasets._labels import Labels, encode
from rfviz.datasets._preparation import MOST_CLASSES, Preparation
from rfviz.datasets._subsample import subsample
from rfviz.datasets._text import counted, one_line
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError

__all__ = ["prepare_images", "prepare_table", "suggested"]

_FEWEST_ROWS = 3
# What is said of numbers that are not those of the file any more.
_SCALED = {"standardise": "columns standardised", "unit norm": "rows of unit norm"}


def suggested(table: Table, label: str | None, order: str | None, images: bool = False) -> Preparation:
    """A preparation to begin with: these parts, no dates as features, gaps filled in where dropping would cost rows.

    Parameters
    ----------
    table : Table
    label, order : str or None
        Columns.
    images : bool
        Whether the features are pixels.
    """
    dates = tuple(c.name for c in table.columns if c.kind == DATE and c.name != order)
    gaps = sum(c.n_missing for c in table.columns if c.kind in (NUMBER, CATEGORY) and c.name != label)
    missing = "impute" if gaps > 0.05 * table.n_rows else "drop rows"
    if images:
        return Preparation(label=label, order=order, scale="none")
    return Preparation(label=label, order=order, leave_out=dates, missing=missing)


def prepare_table(
    table: Table, how: Preparation, name: str, source: str, n_train: int | None = None, notes: tuple[str, ...] = ()
) -> Dataset:
    """Choose rows and columns of a table and turn them into numbers.

    Medians, words, means and deviations are those of all rows that can be used (of the training rows where the file
    comes with a split), whatever the number of rows that is kept.

    Parameters
    ----------
    table : Table
    how : Preparation
    name, source : str
        Of the data set, and where it is from.
    n_train : int, optional
        How many of the rows, the first, the file has for training.
    notes : tuple of str
        What is said of the file besides.

    Raises
    ------
    DataError
        If a column does not exist, or too few rows or columns are left: which, and what to do.
    MemoryBudgetError
        If the result would not fit into the memory limit.
    """
    features, more = _features(table, how)
    chosen = _choose(table, how, features, n_train)
    X, names, done = encoded(table, features, chosen.rows, chosen.keep, chosen.train, how)
    said = [source, *notes, *more, chosen.lost, *done, _SCALED.get(how.scale, "")]
    return Dataset(name=name, X=X, feature_names=names, provenance=_sentence(said), **chosen.parts())


def prepare_images(
    table: Table, how: Preparation, name: str, source: str, shape: tuple[int, ...],
    decode: Callable[[np.ndarray], np.ndarray], n_train: int | None = None, notes: tuple[str, ...] = (),
) -> Dataset:  # fmt: skip
    """Choose some of the images and decode only those.

    Parameters
    ----------
    table : Table
        What is known of each image beside its pixels.
    shape : tuple of int
        Of every image.
    decode : callable
        ``decode(rows)`` gives their pixels, uint8 of shape (rows.size, \\*shape).

    Raises
    ------
    DataError, MemoryBudgetError
        As :func:`prepare_table`.
    """
    if how.scale != "none":
        raise DataError(f"Images are not scaled here (scale must be 'none', not {how.scale!r}), or they could not be "
                        "shown any more. Use the pages' own normalisation.")  # fmt: skip
    _check_names(table, how)
    chosen = _choose(table, how, [], n_train)
    X = decode(chosen.rows[chosen.keep]).reshape(chosen.keep.size, -1).astype(np.float32)
    X /= np.float32(255)
    said = [source, *notes, chosen.lost, f"{shape[0]}×{shape[1]} pixels{' in colour' if len(shape) == 3 else ''}"]
    return Dataset(name=name, X=X, image_shape=shape, provenance=_sentence(said), **chosen.parts())


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Rows of a table that can be used, and which of them are kept.

    Attributes
    ----------
    rows : ndarray of int
        Of the table, that have all they need.
    lost : str
        What is said of those that do not; empty where there are none.
    labels : Labels or None
        Of `rows`.
    order : ndarray or None
        Of `rows`.
    train : int or None
        How many of `rows`, the first, are for training, where the file comes with a split.
    keep : ndarray of int
        Places in `rows`, rising.
    """

    rows: np.ndarray
    lost: str
    labels: Labels | None
    order: np.ndarray | None
    train: int | None
    keep: np.ndarray

    def parts(self) -> dict[str, Any]:
        """What a :class:`Dataset` is told of the rows that are kept, beside their features."""
        train = 0 if self.train is None else int(np.count_nonzero(self.keep < self.train))
        return {
            "y": None if self.labels is None else self.labels.y[self.keep],
            "target_names": () if self.labels is None else self.labels.names,
            "order": None if self.order is None else self.order[self.keep],
            "n_train": train if 0 < train < self.keep.size else None,
        }


def _choose(table: Table, how: Preparation, features: list[str], n_train: int | None) -> _Chosen:
    """The rows that have a label, a place in the order and these features, as far as those are asked for."""
    rows, lost = _usable_rows(table, how, features)
    labels, order = _labels(table, how, rows), _order(table, how, rows)
    train = None if n_train is None else int(np.count_nonzero(rows < n_train))
    codes = labels.y if labels is not None and labels.names else None
    keep = subsample(np.arange(rows.size), how.max_samples, codes, train, how.random_state)
    return _Chosen(rows, lost, labels, order, train, keep)


def _sentence(parts: list[str]) -> str:
    """What was done to the data, in one sentence."""
    return "; ".join(part.rstrip(".") for part in parts if part) + "."


def _check_names(table: Table, how: Preparation) -> None:
    known = [column.name for column in table.columns]
    for name in (how.label, how.order, *how.leave_out):
        if name is not None and table.column(name) is None:
            raise DataError(
                f"There is no column {one_line(name, 40)!r}. Known: {one_line(', '.join(known), 160) or 'none'}."
            )


def _features(table: Table, how: Preparation) -> tuple[list[str], list[str]]:
    """The columns to compute with, and what is said about the others."""
    _check_names(table, how)
    apart = {how.label, how.order, *how.leave_out}
    chosen = [c for c in table.columns if c.name not in apart and c.name in table.values]
    used = [c.name for c in chosen if c.kind != CATEGORY or how.categories == "one-hot"]
    if not used:
        words = {"text": "free text", "empty": "no value at all", "category": "categories"}
        kinds = sorted({words.get(c.kind, c.kind) for c in table.columns if c.name not in apart})
        rest = f"the others hold {' or '.join(kinds)}" if kinds else "there are no others"
        raise DataError(
            f"No column of numbers is left beside the label and the order: {rest}. Leave out fewer columns, use "
            "categories as one column a word, or choose other data."
        )
    apart |= set(used)
    idle = [c.name for c in table.columns if c.name not in apart]
    return used, [f"not used: {one_line(', '.join(idle), 80)}"] if idle else []


def _missing(table: Table, name: str) -> np.ndarray:
    values = table.values[name]
    return np.isnan(values) if isinstance(values, np.ndarray) else np.asarray(values.codes) < 0


def _usable_rows(table: Table, how: Preparation, features: list[str]) -> tuple[np.ndarray, str]:
    """Rows that have all they need, and how many do not."""
    needed = [name for name in (how.label, how.order) if name is not None]
    for name in needed:
        column = table.column(name)
        if name not in table.values:
            raise DataError(
                f"The column {name!r} holds {'no value' if column.kind == EMPTY else 'free text'} and cannot be the "
                f"{'label' if name == how.label else 'order'}. Choose another column, or none."
            )
    bad = np.zeros(table.n_rows, dtype=bool)
    for name in [*needed, *(features if how.missing == "drop rows" else [])]:
        bad |= _missing(table, name)
    rows = np.flatnonzero(~bad)
    if rows.size < _FEWEST_ROWS:
        gaps = " because of missing values" if bad.any() else ""
        remedy = (
            "Fill missing values in, or leave out the columns that lack most"
            if how.missing == "drop rows" and bad.any() else "Choose data of more rows"
        )  # fmt: skip
        raise DataError(
            f"{rows.size:,} of {table.n_rows:,} rows are left{gaps}, and at least {_FEWEST_ROWS} are needed. {remedy}."
        )
    return rows, f"{counted(int(bad.sum()), 'row')} with missing values left out" if bad.any() else ""


def _labels(table: Table, how: Preparation, rows: np.ndarray) -> Labels | None:
    if how.label is None:
        return None
    values = table.values[how.label]
    if isinstance(values, np.ndarray):
        numbers = values[rows]
        whole = np.all(numbers == np.rint(numbers))
        many = how.target == "auto" and len(np.unique(numbers)) > MOST_CLASSES
        if how.target == "numbers" or many or (how.target == "auto" and not whole):
            return Labels(numbers)
        if not whole:
            raise DataError(
                f"The label {how.label!r} holds numbers that are not whole, which cannot be classes. "
                "Take it for a quantity, or choose another label."
            )
        return encode(numbers)
    if how.target == "numbers":
        raise DataError(f"The label {how.label!r} holds words, which are no quantity. Take it for classes.")
    return encode(np.asarray(values[rows].astype(str)).astype(str))


def _order(table: Table, how: Preparation, rows: np.ndarray) -> np.ndarray | None:
    if how.order is None:
        return None
    values = table.values[how.order]
    if not isinstance(values, np.ndarray):
        raise DataError(f"The column {how.order!r} holds words, which have no order. Choose a number or a date.")
    return values[rows]
