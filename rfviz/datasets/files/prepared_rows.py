"""All rows of a table of which a data set holds some that were drawn, prepared as these were."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.files.features import Features
from rfviz.datasets.files.parts import block_rows
from rfviz.datasets.files.prepare import labels_of, usable_rows, used_columns
from rfviz.datasets.files.table import Table
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

__all__ = ["PreparedRows"]


class PreparedRows:
    """All rows of the table that a data set was drawn from but some, with its features and labels, batch by batch.

    Fill values, the words that have columns, means and deviations are those of the drawn rows, so that a row that was
    drawn has the same features here as there.

    Parameters
    ----------
    leave_out : ndarray of int
        Samples of the data set whose rows are passed over, such as those that are tested on.
    scalings : sequence of callable
        Applied to the features, in this order.

    Attributes
    ----------
    left_out : ndarray of int
        Places of the rows that are passed over among all rows of the table.

    Raises
    ------
    DataError
        If the data set was not drawn from a table in parts.
    """

    def __init__(
        self,
        dataset: Dataset,
        leave_out: np.ndarray | Sequence[int] = (),
        scalings: Sequence[Callable[[np.ndarray], np.ndarray]] = (),
    ) -> None:
        if dataset.origin is None or dataset.origin.table.source is None:
            raise DataError(
                f"{dataset.name} is not drawn from a larger table. Choose a folder of Parquet files, or of X.npy and "
                "y.npy, with more rows than fit into memory."
            )
        self.name, self.target_names, self.scalings = dataset.name, dataset.target_names, tuple(scalings)
        self._table, self._preparation = dataset.origin.table, dataset.origin.preparation
        self._source, self._label = dataset.origin.table.source, dataset.origin.preparation.label
        self.left_out = self._table.source_rows[dataset.row_numbers[np.asarray(leave_out, dtype=np.intp)]]

    def __len__(self) -> int:
        """Return the number of rows, those that cannot be used included."""
        return self._source.n_rows - len(self.left_out)

    def arrays(self, progress: Progress = silent) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield features in float32 and labels; see :meth:`batches`.

        Raises
        ------
        DataError
            As there, or if the data have no labels.
        """
        for batch in self.batches(progress):
            if batch.y is None:
                raise DataError(f"{self.name} has no labels. Choose a column as the label.")
            yield batch.X.astype(np.float32, copy=False), batch.y

    def batches(self, progress: Progress = silent) -> Iterator[Dataset]:
        """Yield the rows that can be used, in their order; ``rows`` of each batch are their places in the table.

        Passed over are also rows that lack what the preparation needs, and those of a class that no drawn row has.

        Parameters
        ----------
        progress : callable
            Told how many rows are read; may raise to stop.

        Yields
        ------
        Dataset
            X as the last of `scalings` returns it, in float32 without any.

        Raises
        ------
        DataError
            If a part is damaged or has changed, a value is missing where the preparation allows none, or a row is all
            zeros under unit norm.
        """
        names = used_columns(self._table, self._preparation)
        rows, _ = usable_rows(self._table, self._preparation, names)
        features = Features(self._table, names, rows, rows.size, self._preparation)
        needed = [name for name in (self._label, self._preparation.order) if name is not None]
        if self._preparation.missing in ("drop rows", "error"):
            needed += names
        used, n_rows = list(dict.fromkeys([*needed, *names])), self._source.n_rows
        for frame in self._source.batches(block_rows(self._source), used):
            places = frame.index.to_numpy()
            table = self._table.like(frame, used)
            lacking = table.lacks(needed)
            if self._preparation.missing == "error" and lacking.any():
                row = places[int(np.argmax(lacking))] + 1
                raise DataError(
                    f"Row {row:,} of {self.name} lacks a value. Use missing='drop rows', or fill it in the file."
                )
            y, usable = None, ~lacking & ~np.isin(places, self.left_out)
            if self._label is not None:
                y, known = self._codes(table, self._label)
                usable &= known
            rows = np.flatnonzero(usable)
            done = int(places[-1]) + 1
            progress(done / n_rows, f"{done:,} of {n_rows:,} rows read")
            if rows.size:
                X, labels = self._scaled(features.matrix(table, rows)), None if y is None else y[rows]
                yield Dataset(self.name, X, labels, self.target_names, rows=places[rows])

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        try:
            for scaling in self.scalings:
                X = scaling(X)
        except DataError:  # which counts the rows of this batch alone
            raise DataError(
                f"Unit norm needs rows that are not all zero; some of the {self._source.n_rows:,} rows of "
                f"{self.name} are. Choose another normalisation."
            ) from None
        return X

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
