"""Counts, ranges and moments of the columns of a table, from parts of its rows that may lie anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets.files.labels import MAX_CLASSES
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ColumnStatistics", "TableStatistics"]

# Rows that are looked at first: if they have too many different values, so have all rows.
_PEEK = 4 * MAX_CLASSES


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of one column over all rows.

    Attributes
    ----------
    n_known, n_missing : int
        Cells with a value, and without one or with one that is not finite.
    low, high, mean, squares : float
        Of numbers: range, mean, and the sum of the squared differences from it; nan if there are none.
    counts : mapping or None
        Rows of each value, or None if there are more than 1000 different ones.
    """

    n_known: int
    n_missing: int
    low: float = np.nan
    high: float = np.nan
    mean: float = np.nan
    squares: float = np.nan
    counts: Mapping[Any, int] | None = None

    @classmethod
    def of(cls, series: pd.Series) -> ColumnStatistics:
        """Return the statistics of some rows."""
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        counts = _counts(series)
        if is_bool_dtype(series.dtype) or not is_numeric_dtype(series.dtype):
            missing = int(series.isna().sum())
            return cls(len(series) - missing, missing, counts=counts)
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        known = values[np.isfinite(values)]
        if not known.size:
            return cls(0, values.size, counts={})
        mean = float(known.mean())
        ends = float(known.min()), float(known.max())
        return cls(known.size, values.size - known.size, *ends, mean, float(np.square(known - mean).sum()), counts)

    @property
    def variance(self) -> float:
        """Return the mean squared difference from the mean."""
        return self.squares / self.n_known if self.n_known else np.nan

    @property
    def is_constant(self) -> bool:
        """Return whether all values that are known are equal."""
        return self.low == self.high or (self.counts is not None and len(self.counts) == 1)

    def merge(self, other: ColumnStatistics) -> ColumnStatistics:
        """Return the statistics of the rows of both."""
        if not self.n_known or not other.n_known:
            more, less = (self, other) if self.n_known else (other, self)
            return ColumnStatistics(
                more.n_known, more.n_missing + less.n_missing, more.low, more.high, more.mean, more.squares, more.counts
            )
        n = self.n_known + other.n_known
        apart = other.mean - self.mean
        return ColumnStatistics(
            n,
            self.n_missing + other.n_missing,
            min(self.low, other.low),
            max(self.high, other.high),
            self.mean + apart * other.n_known / n,
            self.squares + other.squares + apart * apart * self.n_known * other.n_known / n,
            _joined(self.counts, other.counts),
        )


@dataclass(frozen=True)
class TableStatistics:
    """Statistics of the columns of a table over all of its rows.

    Statistics of different rows join by :meth:`merge`: counts and ranges are those of one table in memory whatever the
    parts, means and variances to rounding.

    >>> import pandas as pd
    >>> parts = [pd.DataFrame({"a": [1.0, 2.0], "b": "x"}), pd.DataFrame({"a": [3.0, None], "b": "y"})]
    >>> statistics = TableStatistics.of(parts)
    >>> a, b = statistics.columns.values()
    >>> statistics.n_rows, a.n_missing, a.mean, b.counts
    (4, 1, 2.0, {'x': 2, 'y': 2})
    """

    n_rows: int
    columns: Mapping[str, ColumnStatistics]

    @staticmethod
    def of(parts: Iterable[pd.DataFrame]) -> TableStatistics:
        """Return the statistics of tables that have the same columns.

        Raises
        ------
        DataError
            Where there is no part, or one has other columns.
        """
        found = [
            TableStatistics(len(part), {str(name): ColumnStatistics.of(column) for name, column in part.items()})
            for part in parts
        ]
        if not found:
            raise DataError("Statistics need rows, and there is no part of the table. Give at least one.")
        return reduce(TableStatistics.merge, found)

    def merge(self, other: TableStatistics) -> TableStatistics:
        """Return the statistics of the rows of both.

        Raises
        ------
        DataError
            For other columns.
        """
        if list(self.columns) != list(other.columns):
            odd = sorted({*self.columns} ^ {*other.columns}) or list(other.columns)
            raise DataError(f"The parts of a table must have the same columns; {odd[0]!r} is not in all of them.")
        merged = {name: column.merge(other.columns[name]) for name, column in self.columns.items()}
        return TableStatistics(self.n_rows + other.n_rows, merged)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column: missing, lowest, highest, mean, s.d., different values (none beyond 1000)."""
        import pandas as pd

        rows = [
            (
                name,
                column.n_missing,
                column.low,
                column.high,
                column.mean,
                np.sqrt(column.variance),
                None if column.counts is None else len(column.counts),
            )
            for name, column in self.columns.items()
        ]
        names = ["column", "missing", "lowest", "highest", "mean", "s.d.", "different values"]
        return pd.DataFrame(rows, columns=names).astype({"different values": "Int64"})


def _counts(series: pd.Series) -> dict[Any, int] | None:
    if series.iloc[:_PEEK].nunique() > MAX_CLASSES:
        return None
    counts = series.value_counts()
    if len(counts) > MAX_CLASSES + 2:
        return None
    # Infinite numbers count as missing.
    found = {value: int(n) for value, n in counts.items() if n and not (isinstance(value, float) and np.isinf(value))}
    return found if len(found) <= MAX_CLASSES else None


def _joined(one: Mapping[Any, int] | None, other: Mapping[Any, int] | None) -> dict[Any, int] | None:
    if one is None or other is None:
        return None
    found = {value: one.get(value, 0) + other.get(value, 0) for value in {**one, **other}}
    return found if len(found) <= MAX_CLASSES else None
