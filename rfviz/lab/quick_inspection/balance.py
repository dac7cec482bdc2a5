"""How many rows there are, and how the labels are spread over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import DATE
from rfviz.errors import DataError
from rfviz.lab.finding import Finding
from rfviz.lab.quick_inspection.raw import Raw, RowCounts
from rfviz.lab.quick_inspection.text import count, share
from rfviz.lab.quick_inspection.values import written

__all__ = ["BalanceResult", "describe_balance", "inspect_balance"]

_RARE, _UNBALANCED = 5, 10.0
_FEW_ROWS, _FEW = 40, "; these are few rows"
_BINS = 30


@dataclass(frozen=True, eq=False)
class BalanceResult:
    """How many rows each class has, or of a number to predict each stretch of its values.

    Attributes
    ----------
    label : str
        Name of the column; "label" where the data have none of it.
    classes : tuple of str
        Empty for numbers.
    counts : ndarray of int
    edges : ndarray of float
        Ends of the stretches, one more than counts; empty for classes.
    """

    label: str
    classes: tuple[str, ...]
    counts: np.ndarray
    edges: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return one row per class, or per stretch of values."""
        if not self.classes:
            return pd.DataFrame({"from": self.edges[:-1], "to": self.edges[1:], "rows": self.counts})
        shares = self.counts / max(self.counts.sum(), 1)
        return pd.DataFrame({self.label: list(self.classes), "rows": self.counts, "share": shares})


def inspect_balance(raw: Raw) -> BalanceResult:
    """Count the rows of each class, or of each stretch of a target.

    Raises
    ------
    DataError
        Where there are no labels.
    """
    if raw.y is None:
        raise DataError("There are no labels.")
    y, label = raw.y[raw.labelled], raw.label or "label"
    if raw.target_names:
        return BalanceResult(label, raw.target_names, np.bincount(y, minlength=len(raw.target_names)), np.empty(0))
    low, high = float(y.min()), float(y.max())
    edges = np.linspace(low, high, _BINS + 1)
    if not (np.diff(edges) > 0).all():  # numbers that are equal, or so large that there are none in between
        margin = max(0.5, 1e-6 * abs(high))
        edges = np.linspace(low - margin, high + margin, _BINS + 1)
    counts, edges = np.histogram(y.astype(np.float64), edges)
    return BalanceResult(label, (), counts, edges)


def describe_balance(raw: Raw, rows: RowCounts, n_pixels: int = 0) -> Finding:
    """Describe how many rows there are, and how the labels are spread over them.

    Parameters
    ----------
    raw : Raw
    rows : RowCounts
    n_pixels : int
        Pixel values of each image, of images.
    """
    name, n = "Rows and labels", raw.n_rows
    columns = count(n_pixels, "pixel value") if n_pixels else count(len(raw.columns), "column")
    size = f"{count(n, 'row')}{rows.of_all(n)} of {columns}"
    few = n < _FEW_ROWS
    little = Finding(name, "look" if few else "fine", "")
    if raw.y is None:
        return replace(little, text=f"{size}, without labels{_FEW if few else ''}.")
    y = raw.y[raw.labelled]
    if len(y) < n:
        size += f", {len(y):,} of them with a label"
    if not raw.target_names:
        low, high = _ends(raw, y)
        if low == high:
            every = "every row" if len(y) == n else "all of these"
            return Finding(name, "warning", f"{size}; the target is {low} in {every}, so nothing can be learnt.")
        what = "date" if raw.label is not None and raw.table.kind(raw.label) == DATE else "number"
        return replace(little, text=f"{size}; the target is a {what} from {low} to {high}.")
    counts = np.bincount(y, minlength=len(raw.target_names))
    present = np.flatnonzero(counts)
    largest, smallest = int(counts.argmax()), int(present[counts[present].argmin()])
    most, fewest = int(counts[largest]), int(counts[smallest])
    whose = "the rows" if len(y) == n else "these"
    if len(present) < 2:
        all_of = "all" if len(y) == n else "these"
        return Finding(name, "warning", f"{size}; {all_of} are of the class “{raw.target_names[largest]}”.")
    if sign := _several_in_one(raw.target_names):
        example = next(name for name in raw.target_names if sign in name)
        text = (
            f"{size}. Labels such as “{example}” name several classes at once, but models here learn one class per "
            f"row. Split the column at “{sign}” into a column of yes and no for each class, and inspect one at a time."
        )
        return Finding(name, "warning", text).about(columns=[raw.label] if raw.label else [])
    classes = f"{size}{'' if len(y) == n else ','} in {len(present)} classes"
    if fewest == most:
        return replace(little, text=f"{classes} of the same size{_FEW if few else ''}.", page="accuracy")
    spread = (
        f"{classes}: “{raw.target_names[largest]}” has {share(most / len(y))} of {whose}, "
        f"“{raw.target_names[smallest]}” {share(fewest / len(y))}"
    )
    if fewest < _RARE or most > _UNBALANCED * fewest:
        rare = "a single row is" if fewest == 1 else f"{fewest} rows are"
        why = (
            f"{rare} too few to learn a class from" if fewest < _RARE else
            f"the classes are unbalanced, {count(fewest, 'row')} against {most:,}"
        )  # fmt: skip
        return Finding(name, "look", f"{spread}; {why}.", "accuracy")
    if few:
        return Finding(name, "look", f"{spread}{_FEW}.")
    return Finding(name, "fine", f"{spread}.", "accuracy")


def _ends(raw: Raw, y: np.ndarray) -> tuple[str, str]:
    """Return the smallest and the largest target, as they are written."""
    ends = y.min(), y.max()
    if raw.label is not None and raw.table.kind(raw.label) == DATE:
        first, last = (str(np.datetime64(int(end), "s"))[:10] for end in ends)
        return first, last
    return written(float(ends[0])), written(float(ends[1]))


def _several_in_one(names: Sequence[str]) -> str:
    """Return the sign that separates several classes within labels; empty where labels are single classes."""
    for sign in ";|,":
        parts = [[part.strip() for part in name.split(sign)] for name in names]
        counts = Counter(part for some in parts for part in set(some))
        several = [some for some in parts if len(some) > 1]
        # Each class is in several labels: in “Bern, Switzerland” only the country is.
        if 3 * len(several) >= len(names) > len(counts) and all(counts[part] > 1 for some in several for part in some):
            return sign
    return ""
