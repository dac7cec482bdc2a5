"""Columns that act together on the label, or bend: what a line misses, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz.analysis.interactions import MOST_CLASSES, find_interactions
from rfviz.analysis.interactions import Interactions as FoundInteractions
from rfviz.errors import DataError
from rfviz.figures.quick import literal, trace
from rfviz.figures.template import COLOURS, SEQUENCE, rgba, styled
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Raw, Whole
from rfviz.inspection.sample import column_name, take_sample
from rfviz.inspection.splits import Splits, SplitScore, groups_apart
from rfviz.inspection.words import plural, r_squared, share
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["InteractionResult", "Interactions", "inspect_interactions", "named", "plot_acting", "plot_importances"]

# Rows that are used: more of more columns, since the pairs among which one is looked for grow with these.
_ROWS_A_COLUMN, _FEW, _MOST = 200, 4000, 20_000
_BINS, _LISTED = 12, 12
# Characters of a name below an axis.
_NAME = 14
# Least change of the share of right labels that a user would see; share from which curves leave none to be seen.
_SEEN, _GIVEN_AWAY = 0.005, 0.995
# A difference of R² that is not of chance.
_NO_FIT = 0.02


@dataclass(frozen=True, eq=False)
class InteractionResult:
    """Columns that act together, or bend, by their names.

    Attributes
    ----------
    found : FoundInteractions
        By the places of the columns.
    names : tuple of str
        Of all features.
    sources : tuple of str
        The column of the file that each comes from.
    shown : tuple of int
        The pair of columns that the picture shows, or none.
    surface : ndarray of shape (bins, bins)
        The mean target, or share of the class `shown_class`, by these columns; the second runs along the rows. nan
        where no row lies.
    edges : tuple of two ndarrays
        Of the bins, first column first.
    apart : SplitScore or None
        What the rows that judge do not share with those that were searched, where random rows would flatter.
    is_merged : bool
        Whether classes are so many that the rarer ones count as one.
    """

    found: FoundInteractions
    names: tuple[str, ...]
    sources: tuple[str, ...]
    is_classification: bool
    shown: tuple[int, ...]
    surface: np.ndarray
    edges: tuple[np.ndarray, np.ndarray]
    shown_class: str
    apart: SplitScore | None
    is_merged: bool

    @property
    def together(self) -> tuple[int, ...]:
        """The columns that act together."""
        return _together(self.found, self.is_classification)

    @property
    def important(self) -> np.ndarray:
        """The columns that the last round weighs most, the most important first."""
        return np.argsort(-self.found.importances[-1], kind="stable")[:_LISTED]

    def to_frame(self) -> pd.DataFrame:
        """Return the importance of the most important columns in each round."""
        columns = self.important
        rounds = {f"round {r + 1}": one[columns] for r, one in enumerate(self.found.importances)}
        return pd.DataFrame({"column": [self.names[c] for c in columns]} | rounds)

    def surface_frame(self) -> pd.DataFrame:
        """Return one row per cell of the picture of two columns, which lie above these values."""
        other, one = np.indices(self.surface.shape).reshape(2, -1)
        across, up = (self.names[column] for column in self.shown)
        value = f"share of {self.shown_class}" if self.is_classification else "mean target"
        return pd.DataFrame({across: self.edges[0][one], up: self.edges[1][other], value: self.surface.ravel()})


def inspect_interactions(
    raw: Raw, whole: Whole, apart: SplitScore | None = None, progress: Progress = silent
) -> InteractionResult:
    """Look for columns that act together on the label, in rows of the whole table.

    Parameters
    ----------
    whole : Whole
        Prepared rows of it.
    apart : SplitScore, optional
        By which rows are to be judged that have no like among those that are searched.

    Raises
    ------
    DataError
        Without labels of two kinds, with too few rows, or too many columns.
    """
    dataset = whole.dataset
    if dataset.y is None or len(np.unique(dataset.y)) < 2:
        raise DataError("Without labels of two kinds no columns can act on them.")
    d = dataset.n_features
    most = min(max(_ROWS_A_COLUMN * d, _FEW), _MOST)
    places = take_sample(dataset, "none", most, most * d).places
    X, y, is_classes = dataset.X[places].astype(np.float64), dataset.y[places], bool(dataset.target_names)
    groups = None if apart is None else groups_apart(raw, dataset, places, apart)
    found = find_interactions(X, y if is_classes else y.astype(np.float64), progress=progress, groups=groups)
    together = _together(found, is_classes)
    shown = (found.pairs[0].columns if together and found.pairs else together or found.bent.columns)[:2]
    shown = shown if (together or found.bent.is_real()) and len(shown) == 2 else ()
    target, name = y.astype(np.float64), ""
    if is_classes:
        largest = int(np.bincount(y).argmax())
        target, name = (y == largest).astype(np.float64), dataset.target_names[largest]
    surface, edges = _surface(X[:, list(shown)], target) if shown else (np.empty((0, 0)), (np.empty(0), np.empty(0)))
    names = tuple(column_name(dataset, c) for c in range(d))
    is_merged = is_classes and len(np.unique(y)) > MOST_CLASSES
    return InteractionResult(found, names, whole.sources, is_classes, shown, surface, edges, name, apart, is_merged)


def _together(found: FoundInteractions, is_classification: bool) -> tuple[int, ...]:
    """Return the columns that act together; none if single ones predict every label: only rounding is left."""
    return () if is_classification and found.additive >= _GIVEN_AWAY else found.columns


def _surface(X: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the mean target in bins of two columns that hold about as many rows each, and the edges of the bins."""
    one, other = (np.unique(np.quantile(x, np.linspace(0, 1, _BINS + 1))) for x in X.T)
    if len(one) < 4 or len(other) < 4:  # few values: a bin each
        one, other = (_between(x) if len(edges) < 4 else edges for x, edges in zip(X.T, (one, other), strict=True))
    across, up = (
        np.clip(np.searchsorted(e, x, "right") - 1, 0, len(e) - 2) for e, x in zip((one, other), X.T, strict=True)
    )
    place, size = up * (len(one) - 1) + across, (len(other) - 1) * (len(one) - 1)
    count = np.bincount(place, minlength=size)
    mean = np.bincount(place, target, minlength=size) / np.where(count > 0, count, np.nan)
    return mean.reshape(len(other) - 1, len(one) - 1), (one, other)


def _between(x: np.ndarray) -> np.ndarray:
    values = np.unique(x)
    middle = 0.5 * (values[1:] + values[:-1])
    step = values[1] - values[0] if len(values) > 1 else 1.0
    return np.concatenate([[values[0] - step / 2], middle, [values[-1] + step / 2]])


def _cannot_judge(result: InteractionResult) -> str:
    """Say why the rows that judge cannot tell whether columns act together, if they cannot."""
    found = result.found
    if found.noticed >= 1.0:
        return "there are too few groups to tell anything from chance"
    # By chance two shares of right labels differ by as much. The mean of the rows themselves has R² 0.
    noise = 2.0 / np.sqrt(found.n_judge) if result.is_classification else _NO_FIT
    guess = found.guess if result.is_classification else max(found.guess, 0.0)
    if max(found.linear, found.additive) < guess - noise:
        unlike = "" if result.apart is None else ", for these rows are unlike those that were searched"
        return f"the models that are to be improved are worse than a guess{unlike}"
    if found.additive < found.linear - noise:
        return "curves do worse than lines where they were not fitted, so what they leave says nothing"
    return ""


def named(result: InteractionResult, columns: tuple[int, ...]) -> str:
    """Return columns by their names, in the order of the table."""
    words = [f"“{result.names[column]}”" for column in sorted(columns)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _files(result: InteractionResult, columns: tuple[int, ...]) -> list[str]:
    return [result.sources[column] for column in columns]


class Interactions(Question[InteractionResult]):
    """Which columns act together on the label, or bend."""

    name, key = "Interactions", "interactions"
    settings = ("normalise",)
    method = (
        "**Interactions.** One half of up to 20,000 rows is searched: a model with a curve for each column is "
        "fitted, and a recursive feature machine to what it leaves (random Fourier features; columns weighted by "
        "the average gradient outer product of the fit; five rounds). The other half judges the columns that it "
        "weighs most. What they explain together must agree with what the curves leave there, so well that chance "
        "would do it once in ten thousand tables, and take away 2% of the squared error. Curves add up to log-odds "
        "of a class, or any function of them. So a class on one side of a plane is no interaction, nor is one "
        "within a circle: there each of two columns acts along a curve. Where lines and curves are worse than a "
        "guess on the rows that judge, nothing can be said."
    )

    def applies(self, inspection: Inspection) -> bool:
        return inspection.raw.y is not None and not inspection.has_images

    def compute(self, inspection: Inspection) -> InteractionResult:
        try:
            splits = inspection.answer(Splits())
        except DataError:  # too little for a model that could be flattered
            splits = None
        apart = None if splits is None else splits.worst
        return inspect_interactions(inspection.raw, inspection.whole, apart, inspection.progress)

    def describe(self, result: InteractionResult, inspection: Inspection) -> Finding:
        rows = inspection.rows
        found = result.found
        used = found.n_search + found.n_judge
        of = rows.of_all(used)
        of = f", of {used:,} rows{of}" if of else ""
        apart = result.apart
        where = "that took no part in the search"
        if apart is not None:
            where = {
                "group": f"with other values of “{apart.column}” than those searched",
                "order": f"with a later “{apart.column}” than those searched",
                "file": "further down the file than those searched",
            }[apart.kind]
        judged = f" Judged by {found.n_judge:,} rows {where}{of}."
        get = "gets {} of the labels right" if result.is_classification else "reaches {}"
        show = share if result.is_classification else partial(r_squared, digits=2)
        link = ("accuracy", {"maps": ["RandomFourier"], "normalise": "standardise"})
        # Which is why these shares are not those of other findings.
        merged = f" (the {MOST_CLASSES - 1} most frequent classes, and the others as one)" if result.is_merged else ""
        line, curves, joint = show(found.linear), show(found.additive), show(found.joint)
        together = result.together
        if together:
            who = " and ".join(named(result, pair.columns) for pair in found.pairs[:1]) or named(result, together)
            first = set(_files(result, found.pairs[0].columns)) if found.pairs else set[str]()
            others = [named(result, pair.columns) for pair in found.pairs if first != {*_files(result, pair.columns)}]
            text = f"{who} act together on the label"
            if not found.pairs:
                text += ", though no two of them do"
            text += f" (so do {'; '.join(others[:2])})" if others else ""
            if found.joint - found.additive >= _SEEN:
                text += f": a curve for each column {get.format(curves)}, with them together {joint}{merged}."
            else:
                text += (
                    f": together they take away {share(found.together.gain)} of the squared error that curves leave."
                )
            text += " Give a linear model their product, or use features that see both."
            return self.say("look", text + judged, *link).about(columns=_files(result, together))
        if found.bent.is_real() and not (result.is_classification and found.linear >= _GIVEN_AWAY):
            bent = found.bent.columns
            act = plural(len(bent), "acts", "each act")
            text = (
                f"{named(result, bent)} {act} on the label along a curve, not a line; "
                f"no columns act together. A line for each column {get.format(line)}, a curve for each {curves}{merged}"
            )
            if found.additive - found.linear < _SEEN:
                text += f": it takes away {share(found.bent.gain)} of the squared error that lines leave"
            text += "."
            return self.say("look", text + judged, *link).about(columns=_files(result, bent))
        models = f"a line for each column {get.format(line)}, a curve for each {curves}"
        if result.is_classification:
            models += f", a guess {show(found.guess)}{merged}"
        if reason := _cannot_judge(result):
            judges = f"{found.n_judge:,} rows {where}{of}"
            return self.say(
                "unknown", f"Whether columns act together cannot be judged: {reason}. On {judges}, {models}."
            )
        return self.say(
            "fine",
            f"No sign that columns act together, or that one acts along a curve: {models}. What takes away less than "
            f"{share(found.noticed)} of the squared error that is left would not have been noticed.{judged}",
        )

    def pictures(self, result: InteractionResult) -> Iterator[Picture]:
        if result.shown:
            one, other = (result.names[column] for column in result.shown)
            words = "The label by two columns that act together, in cells of about as many rows each way."
            explanation = (
                f"“{one}” across and “{other}” up, each cut into twelve parts with about as many rows. If the two did "
                "not act together, all lines of cells would have the same pattern, lighter or darker."
            )
            yield Picture("interactions", result, plot_acting, words, explanation, result.surface_frame)
        words = "Importance of columns to what single columns leave unexplained, by round of the search."
        explanation = (
            "How much each column matters for what curves of single columns leave unexplained, in "
            f"{result.found.n_search:,} rows. Each round weighs the columns by their importance in the round before. "
            "Columns that act together stand out more and more; where there are none, chance decides."
        )
        yield Picture("importances", result, plot_importances, words, explanation)


def plot_acting(result: InteractionResult, revision: str = "") -> go.Figure:
    """Draw the mean target, or the share of a class, by the two columns that act together.

    Parameters
    ----------
    result : InteractionResult
        With a pair to show.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    across, up = (result.names[column] for column in result.shown)
    title = f"share of “{result.shown_class}”" if result.is_classification else "mean target"
    cells = trace(
        "heatmap",
        z=result.surface,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hovertemplate=f"bin %{{x}} of {literal(across)}, bin %{{y}} of {literal(up)}: %{{z:.3g}}<extra></extra>",
    )
    axes = {
        name: {
            "tickvals": (ends := np.array([0, len(edges) // 2, len(edges) - 1])) - 0.5,
            "showgrid": False,
            "ticktext": [f"{edge:.2g}".replace("-", "−") for edge in edges[ends]],
        }
        for name, edges in zip(("xaxis", "yaxis"), result.edges, strict=True)
    }
    colours = {
        "colorscale": SEQUENCE,
        "colorbar": {"title": {"text": literal(title), "side": "right"}, "thickness": 14},
    }
    if result.is_classification:
        colours |= {"cmin": 0.0, "cmax": 1.0}
    return styled(
        [cells],
        x=literal(across),
        y=literal(up),
        height=HEIGHT,
        revision=revision,
        coloraxis=colours,
        xaxis=axes["xaxis"],
        yaxis=axes["yaxis"],
        margin={"l": 100, "r": 24, "t": 48, "b": 56},
    )


def plot_importances(result: InteractionResult, revision: str = "", only: int | None = None) -> go.Figure:
    """Draw the importance of columns in each round of the recursive feature machine, the later the stronger.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    only : int, optional
        The round to draw alone, from 1; by default they stand side by side.
    """
    columns, rounds = result.important, result.found.importances
    names = [literal(result.names[column]) for column in columns]
    traces = [
        trace(
            "bar",
            x=np.arange(len(columns)),
            y=100.0 * one[columns],
            name=f"{r}",
            hovertext=names,
            marker={"color": rgba(COLOURS[0], r / len(rounds) if only is None else 1.0), "line": {"width": 0}},
            hovertemplate=f"%{{hovertext}}: %{{y:.1f}}%<extra>round {r}</extra>",
        )
        for r, one in enumerate(rounds, start=1)
        if only in (None, r)
    ]
    top = 105.0 * float(rounds[:, columns].max())
    shown = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    return styled(
        traces,
        x="",
        y="importance, %",
        height=HEIGHT + 40,
        revision=revision,
        xaxis={"tickvals": np.arange(len(columns)), "ticktext": shown, "autotickangles": [0, -45, -90]},
        yaxis={"range": [0.0, top]},
        margin={"l": 76, "r": 24, "t": 64, "b": 112},
        legend={"title": {"text": "round"}},
    )
