"""All rows of a table of which a data set holds some that were drawn, prepared as these were."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.files.features import Features
from rfviz.datasets.files.parts import block_rows
from rfviz.datasets.files.prepare import labels_of, usable_rows, used_columns
from rfviz.datasets.files.table import Drawn, Table
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

__all__ = ["AllRows", "Block"]


class Block(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    X : ndarray of shape (rows, n_features)
    y : ndarray of shape (rows,), or None
        Class codes, or targets; None where the data have no labels.
    places : ndarray of int, shape (rows,)
        Of the rows among all rows of the table, rising.
    """

    X: np.ndarray
    y: np.ndarray | None
    places: np.ndarray


class AllRows:
    """The rows of a table in parts, block by block, with the features and labels of a data set drawn from them.

    What is filled in, the words that have columns, means and deviations are those of the drawn rows, so that a row that
    was drawn has the same features here as there.

    Parameters
    ----------
    dataset : Dataset

    Attributes
    ----------
    n_rows : int
        Of the table, whether they can be used or not.
    target_names : tuple of str
        Of the data set.

    Raises
    ------
    DataError
        If the data set was not drawn from a table in parts.
    """

    def __init__(self, dataset: Dataset) -> None:
        if not dataset.is_drawn or dataset.origin is None:
            raise DataError(
                f"{dataset.name} is not drawn from a larger table. Choose a folder of Parquet files, or of X.npy and "
                "y.npy, with more rows than fit into memory."
            )
        self.target_names = dataset.target_names
        self.name, self._rows = dataset.name, dataset.row_numbers
        self._table, self._preparation = dataset.origin.table, dataset.origin.preparation
        self._label = dataset.origin.preparation.label

    @property
    def n_rows(self) -> int:
        return self._drawn.source.n_rows

    def numbers_of(self, samples: np.ndarray) -> np.ndarray:
        """Return the place of some samples of the data set among all rows."""
        return self._drawn.rows[self._rows[samples]]

    def blocks(self, without: np.ndarray, progress: Progress = silent) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield features and labels of all rows that can be used, but some; see :meth:`placed`.

        Raises
        ------
        DataError
            As there, or if the data have no labels.
        """
        for X, y, _ in self.placed(without, progress):
            if y is None:
                raise DataError(f"{self.name} has no labels. Choose a column as the label.")
            yield X, y

    def placed(self, without: np.ndarray, progress: Progress = silent) -> Iterator[Block]:
        """Yield all rows that can be used, but some, with their places.

        Left out are rows that lack what the preparation needs, and those of a class that no drawn row has.

        Parameters
        ----------
        without : ndarray of int
            Places of rows to leave out, as :meth:`numbers_of` gives them.
        progress : callable
            Told how many rows are read; may raise to stop.

        Yields
        ------
        Block
            X in float32.

        Raises
        ------
        DataError
            If a part is damaged or has changed, or a value is missing where the preparation allows none.
        """
        names = used_columns(self._table, self._preparation)
        rows, _ = usable_rows(self._table, self._preparation, names)
        features = Features(self._table, names, rows, rows.size, self._preparation)
        needed = [name for name in (self._label, self._preparation.order) if name is not None]
        if self._preparation.missing in ("drop rows", "error"):
            needed += names
        used, source = list(dict.fromkeys([*needed, *names])), self._drawn.source
        for frame in source.batches(block_rows(source), used):
            places = frame.index.to_numpy()
            table = self._table.like(frame, used)
            lacking = table.lacks(needed)
            if self._preparation.missing == "error" and lacking.any():
                row = places[int(np.argmax(lacking))] + 1
                raise DataError(
                    f"Row {row:,} of {self.name} lacks a value. Use missing='drop rows', or fill it in the file."
                )
            y, usable = None, ~lacking & ~np.isin(places, without)
            if self._label is not None:
                y, known = self._codes(table, self._label)
                usable &= known
            rows = np.flatnonzero(usable)
            done = int(places[-1]) + 1
            progress(done / self.n_rows, f"{done:,} of {self.n_rows:,} rows read")
            if rows.size:
                yield Block(features.matrix(table, rows), None if y is None else y[rows], places[rows])

    @property
    def _drawn(self) -> Drawn:
        assert self._table.drawn is not None
        return self._table.drawn

    @cached_property
    def _labels(self) -> tuple[np.ndarray, np.ndarray, bool]:
        """Return the labels as the table holds them, rising, and their codes; whether they are classes."""
        assert self._label is not None
        labels = labels_of(self._table, self._label, self._preparation.target)
        held = _held_labels(self._table, self._label)
        known = np.flatnonzero(np.isfinite(held))
        found, first = np.unique(held[known], return_index=True)
        return found, labels.y[known[first]], bool(labels.names)

    def _codes(self, table: Table, label: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes of the labels of some rows, and which rows have one."""
        found, codes, is_classes = self._labels
        held = _held_labels(table, label)
        known = np.isfinite(held)
        if not is_classes:
            return held.astype(np.float64), known
        places = np.searchsorted(found, held).clip(max=found.size - 1)
        return codes[places], known & (found[places] == held)


def _held_labels(table: Table, label: str) -> np.ndarray:
    """Return the labels as a table holds them, or the numbers of words; nan where there is none."""
    if label not in table.words:
        return table.quantity(label)
    codes = np.asarray(table.words[label].codes)
    return np.where(codes < 0, np.nan, codes)
