"""Uncertainty: how wide prediction intervals are, how many classes prediction sets hold, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import binom, rankdata

from rfviz.analysis.uncertainty import Intervals, class_sets, find_intervals
from rfviz.datasets import Dataset
from rfviz.datasets.files.table import NUMBER
from rfviz.figures.template import COLOURS, GREY, rgba, styled
from rfviz.figures.traces import literal, trace
from rfviz.inspection.drawing import HEIGHT, MOST_POINTS, OF_ROWS
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.labels import LabelResult, Labels
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.sample import Sample, column_name
from rfviz.inspection.targets import TargetResult, Targets
from rfviz.inspection.words import quoted, share
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["IntervalResult", "SetResult", "Uncertainty", "inspect_intervals", "inspect_sets", "plot_uncertainty"]

_LEVEL = 0.9
# The rows whose intervals are the widest, and the share of them that too few lie in: one false alarm in a thousand.
_PART, _TOO_FEW, _ALARM = 0.2, 0.75, 1e-3
# Normal residuals are this many times the median one in 2.5 of 100 rows; a tail with this share or more is heavy.
_FAR, _BEYOND, _HEAVY = 3.32, 0.025, 0.06
# Least rank correlation of a column that tells where intervals are wide.
_TELLS = 0.5
_SMALLEST_CLASS = 20
# Bins of the lines through medians at most, and rows of a bin at least; classes that are drawn.
_BINS, _BIN_ROWS, _CLASSES_DRAWN = 20, 15, 12
# Whole numbers are in order where hardly any other order of the classes explains confusions as well.
_ORDERS, _BY_CHANCE, _FEWEST_CLASSES, _MOST_CLASSES = 999, 0.05, 5, 30


@dataclass(frozen=True, eq=False)
class IntervalResult:
    """Predictions of numbers, each by all other rows.

    Attributes
    ----------
    rows, places : ndarray of int, shape (n,)
        Rows of the file, from 0, and their places in the data set.
    target, predicted : ndarray of shape (n,)
    where, column : str
        The feature that tells best where intervals are wide, and its column of the file; empty if none does.
    values_there : ndarray of shape (n,)
        What it holds, as the file has it where that is a number.
    is_large : bool
        Whether they are wide where it is large.
    heavy : float
        Share of residuals, over their size, that are beyond what 2.5% of normal ones are.
    """

    rows: np.ndarray
    places: np.ndarray
    target: np.ndarray
    predicted: np.ndarray
    intervals: Intervals
    where: str
    column: str
    values_there: np.ndarray
    is_large: bool
    heavy: float

    #: What the map shows of each row.
    title = "half-width"

    @property
    def values(self) -> np.ndarray:
        """Half of the width of each row's own interval."""
        return self.intervals.widths

    @property
    def widest(self) -> np.ndarray:
        """Places among these rows, those with the widest intervals first."""
        return np.argsort(-self.intervals.widths, kind="stable")[: max(int(_PART * len(self.rows)), 1)]

    @property
    def is_uneven(self) -> bool:
        """Whether intervals of one width hold too few of the rows with the widest own ones."""
        inside = self.intervals.inside[self.widest]
        return _are_too_few(int(inside.sum()), len(inside))

    @property
    def is_heavy(self) -> bool:
        """Whether residuals have a heavier tail than normal ones."""
        return _is_heavy(self.heavy, len(self.rows))

    def to_frame(self, most: int = 200) -> pd.DataFrame:
        """Return one row per row of the file, counted from 1, those with the widest intervals first."""
        order = self.widest[:most]
        return pd.DataFrame(
            {
                "row": self.rows[order] + 1,
                "target": self.target[order],
                "predicted": self.predicted[order],
                "half-width": self.values[order],
                "inside": self.intervals.inside_own[order],
            }
        )

    def row_frame(self) -> pd.DataFrame:
        """Return the same of all rows."""
        return self.to_frame(len(self.rows))


@dataclass(frozen=True, eq=False)
class SetResult:
    """Classes that rows can have by all other rows.

    Attributes
    ----------
    rows, places : ndarray of int, shape (n,)
        Rows of the file, from 0, and their places in the data set.
    classes : tuple of str
    given : ndarray of int, shape (n,)
    sets : ndarray of bool, shape (n, k)
    in_order : bool
        Whether classes are numbers, and rows are mistaken for those of the next number.
    """

    rows: np.ndarray
    places: np.ndarray
    classes: tuple[str, ...]
    given: np.ndarray
    sets: np.ndarray
    in_order: bool

    #: What the map shows of each row.
    title = "possible classes"

    @property
    def values(self) -> np.ndarray:
        """Number of classes that each row can have."""
        return self.sets.sum(axis=1).astype(np.float64)

    @property
    def held(self) -> np.ndarray:
        """Which rows have their own class in the set."""
        return self.sets[np.arange(len(self.given)), self.given]

    @property
    def missed(self) -> tuple[int, float] | None:
        """The class that too few sets hold, with the share that do, or None if there is none."""
        found = []
        for code in range(len(self.classes)):
            held = self.held[self.given == code]
            is_few = len(held) >= _SMALLEST_CLASS and held.mean() < _TOO_FEW
            if is_few and binom.cdf(held.sum(), len(held), _LEVEL) < _ALARM / len(self.classes):
                found.append((float(held.mean()), code))
        return None if not found else (min(found)[1], min(found)[0])

    def to_frame(self, most: int = 200) -> pd.DataFrame:
        """Return one row per row of the file, counted from 1, those that can have the most classes first."""
        order = np.argsort(-self.values, kind="stable")
        order = order[self.values[order] > 1][:most]
        names = [" or ".join(self.classes[code] for code in np.flatnonzero(self.sets[place])) for place in order]
        given = [self.classes[code] for code in self.given[order]]
        return pd.DataFrame({"row": self.rows[order] + 1, "label": given, "can be": names})

    def row_frame(self) -> pd.DataFrame:
        """Return how many classes each row can have."""
        labels = [self.classes[code] for code in self.given]
        return pd.DataFrame({"label": labels, "possible classes": self.values})


def _are_too_few(inside: int, n: int) -> bool:
    return bool(inside / n < _TOO_FEW and binom.cdf(inside, n, _LEVEL) < _ALARM)


def _is_heavy(beyond: float, n: int) -> bool:
    return bool(beyond > _HEAVY and binom.sf(round(beyond * n) - 1, n, _BEYOND) < _ALARM)


def inspect_intervals(
    raw: Raw,
    dataset: Dataset,
    sample: Sample,
    sources: Sequence[str],
    found: TargetResult,
    progress: Progress = silent,
) -> IntervalResult:
    """Return how far off numbers are from what the other rows say of them, and where most.

    Parameters
    ----------
    sources : sequence of str
        The column of the file that each feature comes from.
    """
    progress(0.5, "Sizes of residuals")
    y = found.target
    residuals = y - found.errors.predictions
    intervals = find_intervals(sample.X, residuals, _LEVEL)
    correlations = np.zeros(sample.X.shape[1])
    ranks = rankdata(intervals.widths)
    for column in range(sample.X.shape[1]):
        if np.ptp(sample.X[:, column]) > 0:
            correlations[column] = np.corrcoef(rankdata(sample.X[:, column]), ranks)[0, 1]
    best = int(np.abs(correlations).argmax())
    where = column_name(dataset, best) if abs(correlations[best]) >= _TELLS else ""
    there = dataset.X[sample.places, best].astype(np.float64)
    if where in raw.table and raw.table.kind(where) == NUMBER:
        there = raw.table.quantity(where)[sample.rows].astype(np.float64)
    scaled = np.abs(residuals) / intervals.widths
    heavy = float(np.mean(scaled > _FAR * np.median(scaled)))
    return IntervalResult(
        sample.rows,
        sample.places,
        y,
        found.errors.predictions,
        intervals,
        where,
        sources[best] if where else "",
        there,
        bool(correlations[best] > 0),
        heavy,
    )


def inspect_sets(dataset: Dataset, sample: Sample, found: LabelResult) -> SetResult:
    """Return which classes rows can have by all other rows."""
    errors = found.errors
    classes = tuple(dataset.target_names[code] for code in errors.classes)
    given = np.searchsorted(errors.classes, found.y)
    sets = class_sets(errors.scores, given, _LEVEL)
    return SetResult(sample.rows, sample.places, classes, given, sets, _in_order(classes, given, errors.scores))


def _in_order(classes: tuple[str, ...], given: np.ndarray, scores: np.ndarray) -> bool:
    """Return whether classes are whole numbers, and the second most likely class is mostly the next number."""
    k = len(classes)
    if not _FEWEST_CLASSES <= k <= _MOST_CLASSES or not all(name.removeprefix("-").isdecimal() for name in classes):
        return False
    numbers = list(map(int, classes))
    if any(after - before != 1 for before, after in pairwise(numbers)):
        return False
    own = given[:, None] == np.arange(k)
    other = np.where(own, -np.inf, scores).argmax(axis=1)
    counts = np.zeros((k, k))
    np.add.at(counts, (given, other), 1.0)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(k) for _ in range(_ORDERS)]
    chance = np.array([np.sum(counts[np.ix_(order, order)] * apart) for order in drawn])
    return bool(np.mean(chance <= np.sum(counts * apart)) <= _BY_CHANCE + 1.0 / _ORDERS)


class Uncertainty(Question[IntervalResult | SetResult]):
    """How sure predictions of each row by all others are."""

    name, key = "Uncertainty", "uncertainty"
    cost = 4
    settings = ("normalise",)
    formats: ClassVar = {"target": "%.4g", "predicted": "%.4g", "half-width": "%.4g"}
    method = (
        "**Uncertainty.** The same predictions of each row by all others. Intervals reach as far as nine tenths of "
        "the residuals of the other rows, as in the jackknife; their own widths are proportional to the size of "
        "residuals that ridge regression predicts. Intervals that hold too few rows of the widest fifth, or of a "
        "class, are reported with one false alarm in a thousand tables. For new rows: "
        "`rfviz.linear_model.prediction_intervals` and `prediction_sets` (jackknife+)."
    )

    kinds: ClassVar = {
        "interval half-width": (
            "Half of the width of intervals around the predictions of the finding on label errors, each by all other "
            "rows: nine tenths of the absolute residuals do not exceed it (rank ⌈0.9 n⌉)."
        ),
        "share inside": (
            "The share of the rows whose target lies within the interval around its prediction, of half the width that "
            "nine tenths of the other rows do not exceed."
        ),
        "share inside where noise is large": (
            "The same of the fifth of the rows with the widest own intervals. Own widths are proportional to the size "
            "of residuals, whose logarithm ridge regression on the scaled columns and 200 random Fourier features of "
            "them (seed 0) predicts by all other rows; nine tenths of the residuals over it lie inside. The column, if "
            "any, has the largest rank correlation with these widths, 0.5 at least: they are wide where it is `large` "
            "or small; of a category, where it is, or is not, that `word`."
        ),
        "own half-widths": (
            "The tenth and the ninetieth percentile of half of these own widths. They are told if intervals of one "
            "width hold fewer than 75% of that fifth, and so few would be one false alarm in a thousand."
        ),
        "share inside own": "The share of that fifth of the rows that lie in their own intervals.",
        "far residuals": (
            "The share of the rows whose absolute residual, over its own half-width, is more than `times` its median; "
            "of normal ones, 2.5% are."
        ),
        "single class share": (
            "The share of the rows that can have one class only. A class remains if the score that the finding on "
            "label errors describes is no smaller than that which nine tenths of the rows give their own class; the "
            "class with the largest score always does."
        ),
        "share with the label": (
            "The share of the rows whose label is among the classes that they can have; of `class` alone, if it is "
            "named: the class of 20 rows or more with the smallest share, if that is below 75% and one false alarm in "
            "a thousand."
        ),
        "rows with several classes": "Rows that can have several classes.",
        "confused with the next number": (
            "Whether the classes are 5 to 30 whole numbers that follow each other, and the other class with the "
            "largest score is so near that at most 5% of 999 drawn orders of the classes bring it as near on average."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return inspection.source.dataset.y is not None

    def compute(self, inspection: Inspection) -> IntervalResult | SetResult:
        dataset, sample = inspection.dataset, inspection.sample()
        if dataset.target_names:
            return inspect_sets(dataset, sample, inspection.answer(Labels()))
        found = inspection.answer(Targets())
        sources = inspection.whole.sources
        return inspect_intervals(inspection.raw, dataset, sample, sources, found, inspection.progress)

    def claims(self, result: IntervalResult | SetResult, inspection: Inspection) -> Iterator[Claim]:
        label, counts = inspection.raw.label_columns, inspection.rows.counts
        if isinstance(result, SetResult):
            return _claims_of_sets(result, label, counts)
        return _claims_of_intervals(result, label, counts)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        n = claims[0].n_rows
        of = counted(n, "row") + inspection.rows.of_all(n)
        return self._of_intervals(claims, of) if claims.get("share inside") else self._of_sets(claims, of)

    def _of_intervals(self, claims: Claims, of: str) -> Finding:
        width, (inside,) = claims[0].value, claims.of("share inside")
        noisy, far = claims.of("share inside where noise is large")[0], claims.of("far residuals")[0]
        is_uneven = _are_too_few(round(noisy.value * noisy.n_rows), noisy.n_rows)
        text = f"Intervals of ± {width:.3g} around predictions hold {share(inside.value)} of {of}"
        there = f"{share(noisy.value)} of the fifth of them where the noise is largest"
        if is_uneven:
            least, most = claims.value("own half-widths")
            size, word = "large" if noisy.of.get("large") else "small", noisy.of.get("word")
            there_is = size if word is None else f"{'' if noisy.of['large'] else 'not '}“{word}”"
            place = f", where {quoted(noisy.columns)} is {there_is}" if noisy.columns else ""
            text += (
                f", but {there}{place}. Let widths follow the noise: intervals from ± {least:.3g} to ± {most:.3g} hold "
                f"{share(claims.value('share inside own'))} there"
            )
        else:
            text += f", and {there}"
        is_heavy = _is_heavy(far.value, far.n_rows)
        if is_heavy:
            text += (
                f". Residuals have a heavy tail: {share(far.value)} are more than {far.of['times']:.1f} times the "
                "median (of normal residuals, 2.5%). Judge models by absolute errors: squared errors depend on a few "
                "rows"
            )
        found = self.say("look" if is_uneven or is_heavy else "fine", f"{text}.")
        return found.about(noisy.rows, noisy.columns) if is_uneven else found

    def _of_sets(self, claims: Claims, of: str) -> Finding:
        single, several, (held, *missed) = (
            claims[0],
            claims.of("rows with several classes")[0],
            claims.of("share with the label"),
        )
        if several.value:
            one, more = share(single.value), share(several.value / several.n_rows)
            text = (
                f"For {one} of {of} the other rows leave one class possible, for {more} several; the given label is "
                f"among these for {share(held.value)}"
            )
        else:
            text = (
                f"For each of {of} the other rows leave one class possible; it is the given label for "
                f"{share(held.value)}"
            )
        if missed:
            name, part = missed[0].of["class"], share(missed[0].value)
            text += f". For the class “{name}” this is only {part}: judge each class by itself"
        if claims.value("confused with the next number"):
            text += (
                ". The classes are numbers, and rows are most like those of the next number: predict the number as well"
            )
        return self.say("look" if missed else "fine", f"{text}.").about(several.rows)

    def pictures(self, result: IntervalResult | SetResult) -> Iterator[Picture]:
        words = "How far off predictions of each row by all others are, or which classes they leave open."
        explanation = (
            ""
            if isinstance(result, SetResult)
            else (
                "Nine tenths of the rows lie between the dotted lines, which have one width, and also between the "
                "other lines, which are wider where the noise is larger. Each row is predicted by all others."
            )
        )
        yield Picture("uncertainty", result, plot_uncertainty, words, explanation, result.row_frame)

    def note(self, result: IntervalResult | SetResult) -> str:
        if isinstance(result, SetResult):
            return "Rows that can have several classes, counted from 1."
        return "The rows with the widest intervals, counted from 1."


def _claims_of_intervals(result: IntervalResult, label: tuple[str, ...], counts: dict[str, int]) -> Iterator[Claim]:
    intervals, widest, n = result.intervals, result.widest, len(result.rows)
    yield Claim("interval half-width", intervals.width, label, n, of=counts)
    yield Claim("share inside", float(intervals.inside.mean()), label, n)
    columns, of = ((result.column,), {"large": result.is_large}) if result.where else ((), {})
    if result.where != result.column:
        of |= {"word": result.where.removeprefix(f"{result.column}=")}
    inside = float(intervals.inside[widest].mean())
    yield Claim("share inside where noise is large", inside, columns, len(widest), of=of, rows=result.rows[widest])
    if result.is_uneven:
        own = np.quantile(intervals.widths, (0.1, 0.9)).tolist()
        yield Claim("own half-widths", tuple(own), label, n)
        yield Claim("share inside own", float(intervals.inside_own[widest].mean()), label, len(widest))
    yield Claim("far residuals", result.heavy, label, n, of={"times": _FAR})


def _claims_of_sets(result: SetResult, label: tuple[str, ...], counts: dict[str, int]) -> Iterator[Claim]:
    n, several = len(result.rows), result.values > 1
    yield Claim("single class share", float(np.mean(~several)), label, n, of=counts)
    yield Claim("rows with several classes", int(several.sum()), label, n, rows=result.rows[several])
    yield Claim("share with the label", float(result.held.mean()), label, n)
    if (missed := result.missed) is not None:
        code, part = missed
        n_class = int(np.sum(result.given == code))
        yield Claim("share with the label", part, label, n_class, of={"class": result.classes[code]})
    yield Claim("confused with the next number", result.in_order, label, n)


def plot_uncertainty(result: IntervalResult | SetResult, revision: str = "") -> go.Figure:
    """Draw residuals with their intervals, or how many classes the rows of each class can have.

    Residuals stand against the column that tells where intervals are wide, if there is one, else against predictions.

    Parameters
    ----------
    result : IntervalResult or SetResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    if isinstance(result, SetResult):
        return _plot_set_sizes(result, revision)
    some = np.unique(np.linspace(0, len(result.rows) - 1, min(len(result.rows), MOST_POINTS)).astype(int))
    is_told = result.is_uneven and bool(result.where)
    across = result.values_there if is_told else result.predicted
    title = literal(result.where) if is_told else "prediction by all other rows"
    x, residuals = across[some], (result.target - result.predicted)[some]
    known = np.flatnonzero(np.isfinite(across))
    order = known[np.argsort(across[known], kind="stable")]
    parts = np.array_split(order, min(_BINS, max(len(order) // _BIN_ROWS, 1)))
    centres = np.array([np.median(across[part]) for part in parts])
    widths = np.array([np.median(result.values[part]) for part in parts])
    points = trace(
        "scatter",
        x=x,
        y=residuals,
        mode="markers",
        name="rows",
        marker={"color": rgba(COLOURS[0], 0.5), "size": 6},
        customdata=np.column_stack([result.rows[some] + 1, result.predicted[some]]),
        hovertemplate="row %{customdata[0]}: predicted %{customdata[1]:.4g}, residual %{y:.4g}<extra></extra>",
    )
    ends = np.array([np.nanmin(across), np.nanmax(across)])
    traces = [points]
    for sign in (1.0, -1.0):
        # One entry of the legend for both lines of a kind.
        one = np.full(2, sign * result.intervals.width)
        traces.append(
            trace(
                "scatter",
                x=ends,
                y=one,
                mode="lines",
                name="one width",
                showlegend=sign > 0,
                line={"color": GREY, "dash": "dot", "width": 2},
                legendgroup="one",
                hovertemplate="one width: %{y:.3g}<extra></extra>",
            )
        )
        traces.append(
            trace(
                "scatter",
                x=centres,
                y=sign * widths,
                mode="lines",
                name="own widths, median",
                showlegend=sign > 0,
                line={"color": COLOURS[1], "width": 2.5},
                legendgroup="own",
                hovertemplate="own widths, median: %{y:.3g}<extra></extra>",
            )
        )
    return styled(traces, x=title, y="target − prediction", height=HEIGHT, revision=revision)


def _plot_set_sizes(result: SetResult, revision: str) -> go.Figure:
    """Draw the share of rows of each class that can have one class, or several."""
    sizes = np.minimum(result.values, 2).astype(int)
    totals = np.bincount(result.given, minlength=len(result.classes))
    # The classes of the widest sets where there are many.
    several = np.bincount(result.given, sizes > 1, minlength=len(totals)) / np.maximum(totals, 1)
    shown = np.sort(np.argsort(-several, kind="stable")[:_CLASSES_DRAWN])
    names = [literal(result.classes[code]) for code in shown]
    traces = []
    for size, name, colour, shape in ((1, "one class", COLOURS[0], ""), (2, "several", COLOURS[1], "/")):
        counts = np.bincount(result.given[sizes == size], minlength=len(totals))[shown]
        if counts.any():
            traces.append(
                trace(
                    "bar",
                    x=names,
                    y=100.0 * counts / np.maximum(totals[shown], 1),
                    name=name,
                    showlegend=True,
                    marker={"color": colour, "pattern": {"shape": shape}},
                    hovertemplate="%{x}: %{y:.3g}%<extra>" + name + "</extra>",
                )
            )
    return styled(
        traces, x="label", y=OF_ROWS, height=HEIGHT, revision=revision, barmode="stack", xaxis={"type": "category"}
    )
