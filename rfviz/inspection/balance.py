"""How many rows there are, and how the labels are spread over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import DATE
from rfviz.figures.quick import literal, trace
from rfviz.figures.template import COLOURS, styled
from rfviz.inspection.drawing import HEIGHT, MOST_BARS, plot_bars
from rfviz.inspection.finding import Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.values import written
from rfviz.inspection.words import share
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Balance", "BalanceResult", "inspect_balance", "plot_balance"]

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

    Without labels nothing is counted.
    """
    if raw.y is None:
        return BalanceResult("", (), np.empty(0, dtype=np.int64), np.empty(0))
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


class Balance(Question[BalanceResult]):
    """How many rows there are, and how the labels are spread over them."""

    name, key = "Rows and labels", "balance"
    formats: ClassVar = {"share": "percent"}

    def compute(self, inspection: Inspection) -> BalanceResult:
        return inspect_balance(inspection.raw)

    def describe(self, result: BalanceResult, inspection: Inspection) -> Finding:
        raw, rows = inspection.raw, inspection.rows
        n = raw.n_rows
        n_pixels = inspection.source.dataset.n_features
        columns = counted(n_pixels, "pixel value") if inspection.has_images else counted(len(raw.columns), "column")
        size = f"{counted(n, 'row')}{rows.of_all(n)} of {columns}"
        few = n < _FEW_ROWS
        little = self.say("look" if few else "fine", "")
        if raw.y is None:
            return replace(little, text=f"{size}, without labels{_FEW if few else ''}.")
        y = raw.y[raw.labelled]
        if len(y) < n:
            size += f", {len(y):,} of them with a label"
        if not raw.target_names:
            low, high = _ends(raw, y)
            if low == high:
                every = "every row" if len(y) == n else "all of these"
                return self.say("warning", f"{size}; the target is {low} in {every}, so nothing can be learnt.")
            what = "date" if raw.label is not None and raw.table.kind(raw.label) == DATE else "number"
            return replace(little, text=f"{size}; the target is a {what} from {low} to {high}.")
        counts = np.bincount(y, minlength=len(raw.target_names))
        present = np.flatnonzero(counts)
        largest, smallest = int(counts.argmax()), int(present[counts[present].argmin()])
        most, fewest = int(counts[largest]), int(counts[smallest])
        whose = "the rows" if len(y) == n else "these"
        if len(present) < 2:
            all_of = "all" if len(y) == n else "these"
            return self.say("warning", f"{size}; {all_of} are of the class “{raw.target_names[largest]}”.")
        if sign := _several_in_one(raw.target_names):
            example = next(name for name in raw.target_names if sign in name)
            text = (
                f"{size}. Labels such as “{example}” name several classes at once, but models here learn one class per "
                f"row. Split the column at “{sign}” into a column of yes and no for each class, and inspect one at a "
                "time."
            )
            return self.say("warning", text).about(columns=[raw.label] if raw.label else [])
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
                f"{rare} too few to learn a class from"
                if fewest < _RARE
                else f"the classes are unbalanced, {counted(fewest, 'row')} against {most:,}"
            )
            return self.say("look", f"{spread}; {why}.", "accuracy")
        if few:
            return self.say("look", f"{spread}{_FEW}.")
        return self.say("fine", f"{spread}.", "accuracy")

    def pictures(self, result: BalanceResult) -> Iterator[Picture]:
        if len(result.counts):
            words = "How many rows each class has, or each stretch of a target."
            explanation = "" if result.classes else "Rows by the number to predict."
            yield Picture("balance", result, plot_balance, words, explanation)


def plot_balance(result: BalanceResult, revision: str = "") -> go.Figure:
    """Draw how many rows each class has, the largest first, or a histogram of a number to predict.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    if not result.classes:
        centres = 0.5 * (result.edges[1:] + result.edges[:-1])
        bars = trace(
            "bar",
            x=centres,
            y=result.counts,
            width=np.diff(result.edges),
            marker={"color": COLOURS[0]},
            hovertemplate="about %{x:.4g}: %{y:,} rows<extra></extra>",
        )
        return styled([bars], x=literal(result.label), y="rows", height=HEIGHT, revision=revision, bargap=0)
    order = np.argsort(-result.counts, kind="stable")[:MOST_BARS]
    return plot_bars([result.classes[code] for code in order], result.counts[order], "rows", ":,", revision)


def _ends(raw: Raw, y: np.ndarray) -> tuple[str, str]:
    """Return the smallest and the largest target, as they are written."""
    ends = y.min(), y.max()
    if raw.label is not None and raw.table.kind(raw.label) == DATE:
        first, last = (str(np.datetime64(int(end), "s"))[:10] for end in ends)
        return first, last
    return written(float(ends[0])), written(float(ends[1]))


def _several_in_one(names: Sequence[str]) -> str:
    """Return the sign that separates several classes within labels, or an empty string if each label is one class."""
    for sign in ";|,":
        parts = [[part.strip() for part in name.split(sign)] for name in names]
        counts = Counter(part for some in parts for part in set(some))
        several = [some for some in parts if len(some) > 1]
        # Each class is in several labels: in “Bern, Switzerland” only the country is.
        if 3 * len(several) >= len(names) > len(counts) and all(counts[part] > 1 for some in several for part in some):
            return sign
    return ""
