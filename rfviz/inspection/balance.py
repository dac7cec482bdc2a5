"""How many rows there are, and how the labels are spread over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import DATE
from rfviz.figures.template import COLOURS, styled
from rfviz.figures.traces import literal, trace
from rfviz.inspection.drawing import HEIGHT, MOST_BARS, plot_bars
from rfviz.inspection.finding import Claim, Claims, Finding
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

    kinds: ClassVar = {
        "rows": (
            "Rows of the file, or of the class that was chosen. They have `columns` columns but the label; images have "
            "`pixel values`."
        ),
        "labelled rows": "Rows of the file with a label.",
        "classes": "Different labels.",
        "class size": (
            "Rows with the label `class`: of the most frequent class, then of the rarest; of several, the first by "
            "value or name."
        ),
        "separator in labels": (
            "The first of ; | , that separates several classes within labels, as within the label `example`: at least "
            "a third of the different labels hold it, each of their parts is in more than one, and there are fewer "
            "parts than labels."
        ),
        "smallest target": "The smallest number to predict, or the earliest date.",
        "largest target": "The largest number to predict, or the latest date.",
    }

    def compute(self, inspection: Inspection) -> BalanceResult:
        return inspect_balance(inspection.raw)

    def claims(self, result: BalanceResult, inspection: Inspection) -> Iterator[Claim]:
        raw = inspection.raw
        n_pixels, n_columns = inspection.source.dataset.n_features, len(raw.columns)
        wide = {"pixel values": n_pixels} if inspection.has_images else {"columns": n_columns}
        yield Claim("rows", raw.n_rows, n_rows=raw.n_rows, of=wide)
        if raw.y is None:
            return
        y = raw.y[raw.labelled]
        n, label = len(y), raw.label_columns
        yield Claim("labelled rows", n, label, raw.n_rows)
        if not raw.target_names:
            for what, end in (("smallest target", y.min()), ("largest target", y.max())):
                yield Claim(what, str(np.datetime64(int(end), "s")) if _is_date(raw) else end.item(), label, n)
            return
        counts = np.bincount(y, minlength=len(raw.target_names))
        present = np.flatnonzero(counts)
        yield Claim("classes", len(present), label, n)
        for code in (int(counts.argmax()), int(present[counts[present].argmin()])):
            yield Claim("class size", int(counts[code]), label, n, of={"class": raw.target_names[code]})
        if len(present) > 1 and (sign := _several_in_one(raw.target_names)):
            example = next(name for name in raw.target_names if sign in name)
            yield Claim("separator in labels", sign, label, n, of={"example": example})

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        rows = claims[0]
        n = rows.value
        wide = [counted(count, name.removesuffix("s")) for name, count in rows.of.items()]
        size = f"{counted(n, 'row')}{inspection.rows.of_all(n)} of {wide[0]}"
        few = n < _FEW_ROWS
        little = self.say("look" if few else "fine", "")
        n_labelled = claims.value("labelled rows")
        if n_labelled is None:
            return replace(little, text=f"{size}, without labels{_FEW if few else ''}.")
        if n_labelled < n:
            size += f", {n_labelled:,} of them with a label"
        if (smallest := claims.get("smallest target")) is not None:
            low, high = _ends(smallest.value, claims.value("largest target"))
            if low == high:
                every = "every row" if n_labelled == n else "all of these"
                return self.say("warning", f"{size}; the target is {low} in {every}, so nothing can be learnt.")
            what = "date" if isinstance(smallest.value, str) else "number"
            return replace(little, text=f"{size}; the target is a {what} from {low} to {high}.")
        n_classes, (largest, rarest) = claims.value("classes"), claims.of("class size")
        most, fewest = largest.value, rarest.value
        if n_classes < 2:
            all_of = "all" if n_labelled == n else "these"
            return self.say("warning", f"{size}; {all_of} are of the class “{largest.of['class']}”.")
        if several := claims.get("separator in labels"):
            text = (
                f"{size}. Labels such as “{several.of['example']}” name several classes at once, but models here learn "
                f"one class per row. Split the column at “{several.value}” into a column of yes and no for each class, "
                "and inspect one at a time."
            )
            return self.say("warning", text).about(columns=several.columns)
        classes = f"{size}{'' if n_labelled == n else ','} in {n_classes} classes"
        if fewest == most:
            return replace(little, text=f"{classes} of the same size{_FEW if few else ''}.", page="accuracy")
        spread = (
            f"{classes}: “{largest.of['class']}” has {share(most / n_labelled)} of "
            f"{'the rows' if n_labelled == n else 'these'}, “{rarest.of['class']}” {share(fewest / n_labelled)}"
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


def _is_date(raw: Raw) -> bool:
    return raw.label is not None and raw.table.kind(raw.label) == DATE


def _ends(low: Any, high: Any) -> tuple[str, str]:
    """Write the smallest and the largest target: the same only if they are equal."""
    if isinstance(low, str):  # dates, with the time of day where nothing else tells them apart
        first, last = (end[:10] for end in (low, high))
        return (first, last) if first != last or low == high else (low.replace("T", " "), high.replace("T", " "))
    first, last = written(float(low)), written(float(high))
    return (first, last) if first != last or low == high else (_in_full(low), _in_full(high))


def _in_full(value: float) -> str:
    return str(value).replace("-", "−")


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
