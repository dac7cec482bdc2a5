"""The charts of the quick inspection: three maps, the findings, distances, and a linear model next to features."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rfviz.datasets import Dataset
from rfviz.datasets.files.table import NUMBER
from rfviz.features import RandomFourier
from rfviz.figures.embedding import PointStyle, plot_embedding, point_style
from rfviz.figures.images import image_marks
from rfviz.figures.lines import M_TITLE
from rfviz.figures.quick import literal, trace
from rfviz.figures.template import COLOURS, GREY, SEQUENCE, SYMBOLS, map_style, rgba, styled
from rfviz.lab.finding import STATUS_COLOURS, STATUSES, Finding
from rfviz.lab.quick_inspection.balance import BalanceResult
from rfviz.lab.quick_inspection.copies import NearCopyResult
from rfviz.lab.quick_inspection.dependence import Dependence
from rfviz.lab.quick_inspection.dimension import DimensionResult
from rfviz.lab.quick_inspection.drift import Drift
from rfviz.lab.quick_inspection.interactions import InteractionResult
from rfviz.lab.quick_inspection.labels import LabelResult
from rfviz.lab.quick_inspection.leaks import LeakResult
from rfviz.lab.quick_inspection.maps import MAP_NAMES, MapResult
from rfviz.lab.quick_inspection.missing import MissingResult
from rfviz.lab.quick_inspection.neighbours import DistanceResult, NeighbourResult
from rfviz.lab.quick_inspection.raw import Raw
from rfviz.lab.quick_inspection.sample import column_name, of_rows
from rfviz.lab.quick_inspection.splits import SplitResult, SplitScore
from rfviz.lab.quick_inspection.structure import StructureResult
from rfviz.lab.quick_inspection.targets import TargetResult
from rfviz.lab.quick_inspection.uncertainty import IntervalResult, SetResult
from rfviz.lab.quick_inspection.values import ValueResult

__all__ = [
    "inspection_style",
    "plot_acting",
    "plot_balance",
    "plot_dependence",
    "plot_dimension",
    "plot_distances",
    "plot_drift",
    "plot_findings",
    "plot_importances",
    "plot_labels",
    "plot_leaks",
    "plot_maps",
    "plot_missing",
    "plot_near_copies",
    "plot_odd_values",
    "plot_outliers",
    "plot_pair",
    "plot_splits",
    "plot_structure",
    "plot_targets",
    "plot_uncertainty",
]

# Grades differ in shape as well as in colour.
_MARKS = {"warning": "x", "look": "diamond", "fine": "circle", "unknown": "circle-open"}
_MAP_HEIGHT, _DETAIL_HEIGHT, _ROW, _LINE = 520, 380, 26, 19
# Points of a scatter plot; lines through medians of so many bins, of so many rows at least.
_POINTS, _BINS, _BIN_ROWS = 2000, 20, 15
# Words of a column that are drawn.
_BARS = 12
# Columns of a heat map.
_HEAT = 60
# Pixels of the heat map: its slanted names below, and each column, so that every name is there.
_NAMES_HEIGHT, _ROW_HEIGHT = 170, 19
_OF_ROWS = "share of the rows, %"
# Characters of a sentence in a line, for a chart about 900 pixels wide.
_WIDE = 86
# Characters of a column's name below an axis, and next to one.
_NAME, _LONG_NAME = 14, 26
# Classes, or columns, that have a bar.
_CLASSES = 30


def inspection_style(
    dataset: Dataset,
    rows: np.ndarray,
    colour: str,
    raw: Raw | None = None,
    uncertainty: IntervalResult | SetResult | None = None,
) -> PointStyle:
    """Return the colours of rows of a data set, and what each row is called.

    Parameters
    ----------
    dataset : Dataset
    rows : ndarray of int, shape (n,)
        Places in the data set.
    colour : {"label", "order", "brightness", "uncertainty", "none"} or str
        What they show; ``"c3"`` is the third column.
    raw : Raw, optional
        The file of the data set: its columns of numbers are then shown as the file has them, not scaled.
    uncertainty : IntervalResult or SetResult, optional
        Needed for that colour; without it nothing is shown.
    """
    names = [f"row {row + 1:,}" for row in dataset.row_numbers[rows]]
    if colour == "none" or (colour == "uncertainty" and uncertainty is None):
        style = point_style(len(rows))
    elif colour == "label" and dataset.target_names and dataset.y is not None:
        style = point_style(len(rows), None, dataset.y[rows], dataset.target_names)
        names = [f"{name}: {dataset.target_names[int(dataset.y[row])]}" for name, row in zip(names, rows, strict=True)]
    else:
        if colour == "uncertainty" and uncertainty is not None:
            known = np.full(dataset.n_samples, np.nan)
            known[uncertainty.places] = uncertainty.values
            values, title = known[rows], uncertainty.title
        else:
            values, title = _values(dataset, rows, colour, raw)
        known = np.isfinite(values)
        shown = [f"{value:.4g}" if is_known else "is missing" for value, is_known in zip(values, known, strict=True)]
        names = [f"{name}: {title} {words}" for name, words in zip(names, shown, strict=True)]
        values = np.where(known, values, np.median(values[known]) if known.any() else 0.0)
        low, high = np.percentile(values, (1, 99))
        if np.ptp(values) > 1.5 * (high - low):  # a few huge values would leave all others one colour
            values = np.clip(values, low, high)
        style = point_style(len(rows), values, title=title)
    return dataclasses.replace(style, labels=names)


def _values(dataset: Dataset, rows: np.ndarray, colour: str, raw: Raw | None) -> tuple[np.ndarray, str]:
    """Return the numbers that a colour stands for, and their title."""
    if colour == "label" and dataset.y is not None:
        return dataset.y[rows].astype(np.float64), "target"
    if colour == "order" and dataset.order is not None:
        return dataset.order[rows].astype(np.float64), "order"
    if colour == "brightness":
        return dataset.X[rows].mean(axis=1, dtype=np.float64), "brightness"
    column = int(colour[1:]) - 1
    name, values = column_name(dataset, column), dataset.X[:, column].astype(np.float64)
    if raw is not None and name in raw.table and raw.table.kind(name) == NUMBER:
        return raw.table.quantity(name)[dataset.row_numbers[rows]].astype(np.float64), name
    if len(np.unique(values)) == 2 and raw is not None:  # a word of a category: there or not
        values = (values == values.max()).astype(np.float64)
    return values[rows], name


def plot_maps(
    result: MapResult,
    dataset: Dataset,
    colour: str = "none",
    row: int | None = None,
    raw: Raw | None = None,
    uncertainty: IntervalResult | SetResult | None = None,
) -> dict[str, go.Figure]:
    """Draw the three maps, each as a figure of its own.

    Parameters
    ----------
    result : MapResult
    dataset : Dataset
        Where its rows come from; images are drawn as themselves.
    colour : str
        See :func:`inspection_style`.
    row : int, optional
        A row of the file, from 0, to mark with a ring, where it is among those drawn.
    raw : Raw, optional
    uncertainty : IntervalResult or SetResult, optional
        See :func:`inspection_style`.

    Returns
    -------
    dict
        By the names :data:`rfviz.lab.quick_inspection.maps.MAP_NAMES`.
    """
    rows = result.sample.places
    style = inspection_style(dataset, rows, colour, raw, uncertainty)
    place = result.sample.place_of(row)
    figures = {}
    for name, projection in zip(MAP_NAMES, result.projections, strict=True):
        marks = None
        if dataset.image_shape:
            marks = image_marks(of_rows(dataset, result.sample), projection.coordinates, style, place)
        figures[name] = plot_embedding(projection, style, height=_MAP_HEIGHT, thumbnails=marks, selected=place)
    return figures


def plot_findings(findings: Sequence[Finding]) -> go.Figure:
    """Draw the findings one below the other: a mark for the grade, the title, the sentence.

    Parameters
    ----------
    findings : sequence of Finding
    """
    lines = [wrap(finding.text, _WIDE) for finding in findings]
    tops = np.cumsum([0, *(_ROW + _LINE * len(part) for part in lines)])
    middle = tops[:-1] + 0.5 * _LINE
    traces = []
    for grade, symbol in _MARKS.items():
        colour = STATUS_COLOURS[grade]
        places = [i for i, finding in enumerate(findings) if finding.status == grade]
        if places:
            traces.append(trace(
                "scatter", x=np.zeros(len(places)), y=middle[places], mode="markers", name=STATUSES[grade],
                marker={"color": colour, "symbol": symbol, "size": 13, "line": {"width": 2, "color": colour}},
                text=[findings[i].name for i in places], hovertemplate="%{text}<extra>" + STATUSES[grade] + "</extra>",
                showlegend=True,
            ))  # fmt: skip
    left = {"showarrow": False, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "top", "align": "left"}
    words = []
    for top, finding, part in zip(tops, findings, lines, strict=False):
        words.append(left | {"x": 0.03, "y": top, "text": f"<b>{literal(finding.name)}</b>", "font": {"size": 14}})
        text = "<br>".join(map(literal, part))
        words.append(left | {"x": 0.19, "y": top, "text": text, "font": {"size": 14}})
    hidden = {"visible": False, "fixedrange": True}
    return styled(
        traces, x="", y="", height=int(tops[-1]) + 80, revision="", annotations=words,
        margin={"l": 12, "r": 12, "t": 56, "b": 8},
        xaxis=hidden | {"range": [-0.02, 1.0]}, yaxis=hidden | {"range": [float(tops[-1]), -8.0]},
    )  # fmt: skip


def plot_distances(result: DistanceResult, revision: str = "") -> go.Figure:
    """Draw a histogram of the distances of pairs, and the distances after the Gaussian map.

    Parameters
    ----------
    result : DistanceResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    style = map_style(RandomFourier)
    centres, width = 0.5 * (result.edges[1:] + result.edges[:-1]), float(result.edges[1] - result.edges[0])
    height = result.counts / result.counts.max()
    grid = np.linspace(0.0, result.edges[-1], 161)
    bars = trace("bar", x=centres, y=height, width=width, marker={"color": rgba(GREY, 0.55), "line": {"width": 0}},
                 name="pairs", customdata=result.counts,
                 hovertemplate="distance %{x:.3g}: %{customdata} pairs<extra></extra>")  # fmt: skip
    curve = trace("scatter", x=grid, y=result.mapped(grid), mode="lines", name="distance after the Fourier map",
                  line={"color": style.colour, "dash": style.dash, "width": 2.5},
                  hovertemplate="after the map: %{y:.2f} of its largest<extra></extra>")  # fmt: skip
    marks = [("median", result.median), ("saturated", result.reach)]
    lines = [
        {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1.02, "line": {"color": GREY, "dash": "dot", "width": 1.5}}
        for _, x in marks
    ]
    above = {"y": 1.02, "showarrow": False, "yanchor": "bottom", "font": {"size": 13}}
    words = [
        above | {"x": x, "text": text, "xanchor": side}
        for (text, x), side in zip(marks, ("right", "left"), strict=True)  # the map is saturated beyond the median
        if x <= result.edges[-1]
    ]
    return styled(
        [bars, curve], x="distance of two rows", y="share of the largest",
        height=_DETAIL_HEIGHT, revision=revision, shapes=[line for line in lines if line["x0"] <= result.edges[-1]],
        annotations=words, bargap=0, legend={"y": 1.1}, margin={"l": 76, "r": 24, "t": 64, "b": 56},
        xaxis={"range": [0.0, float(result.edges[-1])]}, yaxis={"range": [0.0, 1.1]},
    )  # fmt: skip


def plot_drift(drift: Drift, revision: str = "") -> go.Figure:
    """Draw the column that differs most in both parts, or else the pair of columns.

    Parameters
    ----------
    drift : Drift
        With something that differs.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    drift = drift.pictured
    names, *samples = drift.shown()
    titles = [literal(part.name) for part in (drift.first, drift.second)]
    looks = list(zip(samples, titles, COLOURS, ("solid", "dash"), SYMBOLS, strict=False))
    if len(names) == 2:
        traces = [
            trace("scatter", x=values[:, 0], y=values[:, 1], mode="markers", name=title,
                  marker={"color": rgba(colour, 0.6), "symbol": symbol, "size": 6},
                  hovertemplate="%{x:.4g}, %{y:.4g}<extra>" + title + "</extra>")
            for values, title, colour, _, symbol in looks
        ]  # fmt: skip
        x, y = map(literal, names)
        return styled(traces, x=x, y=y, height=_DETAIL_HEIGHT, revision=revision)
    known = [values[np.isfinite(values[:, 0]), 0] for values in samples]
    words = drift.words(names[0])
    if words:
        counts = [np.bincount(values.astype(np.int64), minlength=len(words))[: len(words)] for values in known]
        often = np.argsort(-(counts[0] + counts[1]), kind="stable")[:_BARS]
        traces = [
            trace("bar", x=[literal(words[word]) for word in often], y=100.0 * count[often] / max(len(values), 1),
                  name=title, marker={"color": colour, "pattern": {"shape": "/" if dash == "dash" else ""}},
                  hovertemplate="%{x}: %{y:.3g}%<extra>" + title + "</extra>")
            for (_, title, colour, dash, _), count, values in zip(looks, counts, known, strict=True)
        ]  # fmt: skip
        return styled(
            traces, x=literal(names[0]), y=_OF_ROWS, height=_DETAIL_HEIGHT, revision=revision, barmode="group"
        )
    # A few huge values would leave all others in one bar.
    low, high = np.percentile(np.concatenate(known), (0.5, 99.5)) if sum(map(len, known)) else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, 31)
    traces = []
    for (_, title, colour, dash, _), values in zip(looks, known, strict=True):
        counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
        traces.append(
            trace("scatter", x=edges[:-1], y=100.0 * counts / max(len(values), 1), mode="lines", name=title,
                  line={"color": colour, "dash": dash, "width": 2.5, "shape": "hv"},
                  hovertemplate="from %{x:.4g}: %{y:.3g}%<extra>" + title + "</extra>")
        )  # fmt: skip
    return styled(traces, x=literal(names[0]), y=_OF_ROWS, height=_DETAIL_HEIGHT, revision=revision)


def plot_dependence(dependence: Dependence, revision: str = "") -> go.Figure:
    """Draw the dependence of each pair of columns as a heat map, of the columns that depend most where there are many.

    Parameters
    ----------
    dependence : Dependence
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    strength, correlation = dependence.result.strength.copy(), dependence.result.correlation
    np.fill_diagonal(strength, 0.0)
    shown = np.sort(np.argsort(-strength.max(axis=1), kind="stable")[:_HEAT])
    np.fill_diagonal(strength, np.nan)
    names = [literal(dependence.names[column]) for column in shown]
    heat = trace(
        "heatmap", z=strength[np.ix_(shown, shown)], x=names, y=names, zmin=0.0, zmax=1.0, hoverongaps=False,
        colorscale=[[0, rgba(COLOURS[0], 0.04)], [1, COLOURS[0]]], customdata=correlation[np.ix_(shown, shown)],
        hovertemplate="%{x} and %{y}: dependence %{z:.2f}, rank correlation %{customdata:.2f}<extra></extra>",
        showscale=False,
    )  # fmt: skip
    across = {"type": "category", "showgrid": False, "tickangle": -45, "automargin": True}
    up = {"type": "category", "showgrid": False, "autorange": "reversed", "automargin": True}
    axes = {"xaxis": across, "yaxis": up, "margin": {"t": 12}}
    height = max(_DETAIL_HEIGHT, _NAMES_HEIGHT + _ROW_HEIGHT * len(shown))
    return styled([heat], x="", y="", height=height, revision=revision, **axes)


def plot_pair(dependence: Dependence, revision: str = "") -> go.Figure:
    """Draw rows in the two columns that depend most without correlating, or else most of all.

    Parameters
    ----------
    dependence : Dependence
        With a pair that depends.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    names, values = dependence.shown()
    values = values[np.isfinite(values).all(axis=1)]
    x, y = (_cells(dependence.words.get(name), values[:, place]) for place, name in enumerate(names))
    points = trace("scatter", x=x, y=y, mode="markers", marker={"color": rgba(COLOURS[0], 0.5), "size": 6},
                   hovertemplate="%{x}, %{y}<extra></extra>")  # fmt: skip
    return styled([points], x=literal(names[0]), y=literal(names[1]), height=_DETAIL_HEIGHT, revision=revision)


def _cells(words: list[str] | None, values: np.ndarray) -> Any:
    return values if words is None else [literal(words[int(value)]) for value in values]


def plot_structure(result: StructureResult, revision: str = "") -> go.Figure:
    """Draw cross-validated scores against the number of features, and those of a linear model and of a guess.

    Parameters
    ----------
    result : StructureResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    ends = np.array([result.m_grid[0], result.m_grid[-1]], dtype=float)
    unit = 100.0 if result.is_classification else 1.0
    traces = [
        _level("linear model", ends, unit * result.linear, unit * result.linear_error, COLOURS[2], "dashdot"),
        _level("always the largest class" if result.is_classification else "always the mean", ends,
               unit * result.guess, 0.0, GREY, "dot"),
    ]  # fmt: skip
    for curve in result.curves:
        style = map_style(curve.spec.cls)
        traces.append(trace(
            "scatter", x=np.array(result.m_grid, dtype=float), y=unit * curve.scores, mode="lines+markers",
            name=curve.label, line={"color": style.colour, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 9},
            error_y={"type": "data", "array": unit * curve.errors, "color": rgba(style.colour, 0.6), "width": 3},
            hovertemplate="%{x:.0f} features: %{y:.3g}<extra>" + curve.label + "</extra>",
        ))  # fmt: skip
    return styled(
        traces, x=M_TITLE, y="right labels, %" if result.is_classification else "R²", height=_DETAIL_HEIGHT,
        revision=revision,
        xaxis={"type": "log", "tickvals": list(result.m_grid), "ticktext": [str(m) for m in result.m_grid]},
    )  # fmt: skip


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
    some = np.unique(np.linspace(0, len(result.rows) - 1, min(len(result.rows), _POINTS)).astype(int))
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
        "scatter", x=x, y=residuals, mode="markers", name="rows", marker={"color": rgba(COLOURS[0], 0.5), "size": 6},
        customdata=np.column_stack([result.rows[some] + 1, result.predicted[some]]),
        hovertemplate="row %{customdata[0]}: predicted %{customdata[1]:.4g}, residual %{y:.4g}<extra></extra>",
    )  # fmt: skip
    ends = np.array([np.nanmin(across), np.nanmax(across)])
    traces = [points]
    for sign in (1.0, -1.0):
        # One entry of the legend for both lines of a kind.
        one = np.full(2, sign * result.intervals.width)
        traces.append(trace("scatter", x=ends, y=one, mode="lines", name="one width", showlegend=sign > 0,
                            line={"color": GREY, "dash": "dot", "width": 2}, legendgroup="one",
                            hovertemplate="one width: %{y:.3g}<extra></extra>"))  # fmt: skip
        traces.append(trace("scatter", x=centres, y=sign * widths, mode="lines", name="own widths, median",
                            showlegend=sign > 0, line={"color": COLOURS[1], "width": 2.5}, legendgroup="own",
                            hovertemplate="own widths, median: %{y:.3g}<extra></extra>"))  # fmt: skip
    return styled(traces, x=title, y="target − prediction", height=_DETAIL_HEIGHT, revision=revision)


def _plot_set_sizes(result: SetResult, revision: str) -> go.Figure:
    """Draw the share of rows of each class that can have one class, or several."""
    sizes = np.minimum(result.values, 2).astype(int)
    totals = np.bincount(result.given, minlength=len(result.classes))
    # The classes of the widest sets where there are many.
    several = np.bincount(result.given, sizes > 1, minlength=len(totals)) / np.maximum(totals, 1)
    shown = np.sort(np.argsort(-several, kind="stable")[:_BARS])
    names = [literal(result.classes[code]) for code in shown]
    traces = []
    for size, name, colour, shape in ((1, "one class", COLOURS[0], ""), (2, "several", COLOURS[1], "/")):
        counts = np.bincount(result.given[sizes == size], minlength=len(totals))[shown]
        if counts.any():
            traces.append(trace(
                "bar", x=names, y=100.0 * counts / np.maximum(totals[shown], 1), name=name, showlegend=True,
                marker={"color": colour, "pattern": {"shape": shape}},
                hovertemplate="%{x}: %{y:.3g}%<extra>" + name + "</extra>",
            ))  # fmt: skip
    return styled(traces, x="label", y=_OF_ROWS, height=_DETAIL_HEIGHT, revision=revision, barmode="stack",
                  xaxis={"type": "category"})  # fmt: skip


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
        "heatmap", z=result.surface, coloraxis="coloraxis", xgap=1, ygap=1,
        hovertemplate=f"bin %{{x}} of {literal(across)}, bin %{{y}} of {literal(up)}: %{{z:.3g}}<extra></extra>",
    )  # fmt: skip
    axes = {
        name: {"tickvals": (ends := np.array([0, len(edges) // 2, len(edges) - 1])) - 0.5, "showgrid": False,
               "ticktext": [f"{edge:.2g}".replace("-", "−") for edge in edges[ends]]}
        for name, edges in zip(("xaxis", "yaxis"), result.edges, strict=True)
    }  # fmt: skip
    colours = {
        "colorscale": SEQUENCE,
        "colorbar": {"title": {"text": literal(title), "side": "right"}, "thickness": 14},
    }
    if result.is_classification:
        colours |= {"cmin": 0.0, "cmax": 1.0}
    return styled(
        [cells], x=literal(across), y=literal(up), height=_DETAIL_HEIGHT, revision=revision, coloraxis=colours,
        xaxis=axes["xaxis"], yaxis=axes["yaxis"], margin={"l": 100, "r": 24, "t": 48, "b": 56},
    )  # fmt: skip


def plot_importances(result: InteractionResult, revision: str = "", only: int | None = None) -> go.Figure:
    """Draw the importance of columns in each round of the recursive feature machine, the later the stronger.

    Parameters
    ----------
    result : InteractionResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    only : int, optional
        The round to draw alone, from 1; by default they stand side by side.
    """
    columns, rounds = result.important, result.found.importances
    names = [literal(result.names[column]) for column in columns]
    traces = [
        trace(
            "bar", x=np.arange(len(columns)), y=100.0 * one[columns], name=f"{r}", hovertext=names,
            marker={"color": rgba(COLOURS[0], r / len(rounds) if only is None else 1.0), "line": {"width": 0}},
            hovertemplate=f"%{{hovertext}}: %{{y:.1f}}%<extra>round {r}</extra>",
        )
        for r, one in enumerate(rounds, start=1)
        if only in (None, r)
    ]  # fmt: skip
    top = 105.0 * float(rounds[:, columns].max())
    shown = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    return styled(
        traces, x="", y="importance, %", height=_DETAIL_HEIGHT + 40, revision=revision,
        xaxis={"tickvals": np.arange(len(columns)), "ticktext": shown, "autotickangles": [0, -45, -90]},
        yaxis={"range": [0.0, top]},
        margin={"l": 76, "r": 24, "t": 64, "b": 112}, legend={"title": {"text": "round"}},
    )  # fmt: skip


def plot_balance(result: BalanceResult, revision: str = "") -> go.Figure:
    """Draw how many rows each class has, the largest first, or a histogram of a number to predict.

    Parameters
    ----------
    result : BalanceResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    if not result.classes:
        centres = 0.5 * (result.edges[1:] + result.edges[:-1])
        bars = trace("bar", x=centres, y=result.counts, width=np.diff(result.edges), marker={"color": COLOURS[0]},
                     hovertemplate="about %{x:.4g}: %{y:,} rows<extra></extra>")  # fmt: skip
        return styled([bars], x=literal(result.label), y="rows", height=_DETAIL_HEIGHT, revision=revision, bargap=0)
    order = np.argsort(-result.counts, kind="stable")[:_CLASSES]
    return _bars([result.classes[code] for code in order], result.counts[order], "rows", ":,", revision)


def plot_missing(result: MissingResult, revision: str = "") -> go.Figure:
    """Draw the share of the rows in which each column is empty, the largest first.

    Parameters
    ----------
    result : MissingResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    shown = result.shares[:_CLASSES]
    values = 100.0 * np.array([share for _, share in shown])
    return _bars([name for name, _ in shown], values, "missing, % of the rows", ":.3g", revision)


def plot_leaks(result: LeakResult, revision: str = "") -> go.Figure:
    """Draw how well single columns, or two, predict the label, and a guess.

    Parameters
    ----------
    result : LeakResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    unit, measure = (100.0, "right labels, %") if result.is_classification else (1.0, "R²")
    shown = result.clues[:_CLASSES]
    return _bars(
        [clue.name for clue in shown], unit * np.array([clue.score for clue in shown]), measure, ":.4g", revision,
        level=("a guess", unit * result.guess),
        marked=np.arange(len(shown)) < result.n_leaks,
    )  # fmt: skip


def plot_odd_values(result: ValueResult, revision: str = "") -> go.Figure:
    """Draw how many rows of each column hold values that are probably no values.

    Parameters
    ----------
    result : ValueResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    shown = sorted((odd for odd in result.found if len(odd.rows)), key=lambda odd: -len(odd.rows))[:_CLASSES]
    return _bars([odd.column for odd in shown], np.array([len(odd.rows) for odd in shown]), "rows", ":,", revision)


def plot_near_copies(result: NearCopyResult, revision: str = "") -> go.Figure:
    """Draw how far rows are from their nearest other one, and the distance up to which a pair is a near copy.

    Parameters
    ----------
    result : NearCopyResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    low, high = (np.log10(end) for end in (min(result.nearest.min(), result.threshold), result.nearest.max()))
    edges = np.logspace(low, high + 1e-9, 61)
    counts, middle = np.histogram(result.nearest, edges)[0], np.sqrt(edges[1:] * edges[:-1])
    is_near = middle <= result.threshold
    bars = trace(
        "bar", x=middle, y=counts, width=np.diff(edges), name="rows", showlegend=False,
        marker={"color": [COLOURS[1] if near else COLOURS[0] for near in is_near], "line": {"width": 0}},
        hovertemplate="distance %{x:.3g}: %{y:,} rows<extra></extra>",
    )  # fmt: skip
    limit = trace("scatter", x=[result.threshold] * 2, y=[0, int(counts.max())], mode="lines", name="limit",
                  showlegend=True, line={"color": GREY, "dash": "dot", "width": 2.5},
                  hovertemplate=f"limit: {result.threshold:.3g}<extra></extra>")  # fmt: skip
    return styled([bars, limit], x="distance to the nearest row", y="rows", height=_DETAIL_HEIGHT,
                  revision=revision, bargap=0, xaxis={"type": "log"})  # fmt: skip


def plot_dimension(result: DimensionResult, revision: str = "") -> go.Figure:
    """Draw the law of the ratio of the two nearest distances, whose slope is the dimension, and both estimates.

    Parameters
    ----------
    result : DimensionResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    law = result.ratio_frame().to_numpy()
    shown = law[np.unique(np.linspace(0, len(law) - 1, _POINTS).astype(int))]
    points = trace("scatter", x=shown[:, 0], y=shown[:, 1], mode="markers", name="rows", showlegend=True,
                   marker={"color": COLOURS[0], "size": 4},
                   hovertemplate="ln ratio %{x:.3g}: −ln share %{y:.3g}<extra></extra>")  # fmt: skip
    traces, (width, height) = [points], law.max(axis=0)
    for slope, name, dash in ((result.two_nn, "TwoNN", "solid"), (result.likelihood, "maximum likelihood", "dash")):
        end = min(width, height / slope)
        traces.append(trace("scatter", x=[0.0, end], y=[0.0, slope * end], mode="lines", name=f"{name}: {slope:.1f}",
                            line={"color": COLOURS[1], "dash": dash, "width": 2.5},
                            hovertemplate=f"{name}: {slope:.3g}<extra></extra>"))  # fmt: skip
    return styled(traces, x="ln(second distance / first)", y="−ln(share with more)",
                  height=_DETAIL_HEIGHT, revision=revision)  # fmt: skip


def plot_splits(result: SplitResult, revision: str = "") -> go.Figure:
    """Draw the score of the same model with random folds, and with folds of groups and of rows that follow each other.

    Parameters
    ----------
    result : SplitResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    unit, measure = (100.0, "right labels, %") if result.is_classification else (1.0, "R²")
    names = ["random folds", *(_folds(one) for one in result.scores)]
    scores = unit * np.array([result.score, *(one.score for one in result.scores)])
    return _bars(names, scores, measure, ":.4g", revision)


def _folds(one: SplitScore) -> str:
    if one.kind == "group":
        return f"unseen values of “{one.column}”"
    return f"stretches of “{one.column}”" if one.column else "stretches of the file"


def plot_outliers(result: NeighbourResult, revision: str = "") -> go.Figure:
    """Draw the outlier factor of each row, the largest first, and the limit from which on a row is an outlier.

    Parameters
    ----------
    result : NeighbourResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    order = np.argsort(-result.factor, kind="stable")[:_POINTS]
    points = trace(
        "scatter", x=np.arange(1, len(order) + 1), y=result.factor[order], mode="markers", name="rows",
        marker={"color": [COLOURS[1] if is_out else COLOURS[0] for is_out in result.is_outlying[order]], "size": 6},
        customdata=result.rows[order] + 1, hovertemplate="row %{customdata:,}: %{y:.3g}<extra></extra>",
    )  # fmt: skip
    limit = _level("limit", np.array([1.0, float(len(order))]), result.limit, 0.0, GREY, "dot")
    return styled([points, limit], x="rank", y="outlier factor", height=_DETAIL_HEIGHT, revision=revision,
                  xaxis={"type": "log"})  # fmt: skip


def plot_labels(result: LabelResult, revision: str = "") -> go.Figure:
    """Draw how well labels suit their rows: a histogram of margins, contradicted labels apart.

    Parameters
    ----------
    result : LabelResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    margins = result.errors.margins
    is_wrong = np.zeros(len(margins), dtype=bool)
    is_wrong[result.errors.rows] = True
    edges = np.linspace(margins.min(), margins.max() if margins.max() > margins.min() else margins.min() + 1.0, 61)
    centres = 0.5 * (edges[1:] + edges[:-1])
    traces = []
    for chosen, name, colour, shape in ((~is_wrong, "other labels", COLOURS[0], ""),
                                        (is_wrong, "contradicted", COLOURS[1], "/")):  # fmt: skip
        counts = np.histogram(margins[chosen], edges)[0]
        traces.append(trace("bar", x=centres, y=counts, width=np.diff(edges), name=name,
                            marker={"color": colour, "line": {"width": 0}, "pattern": {"shape": shape}},
                            hovertemplate="margin %{x:.2f}: %{y:,} rows<extra>" + name + "</extra>"))  # fmt: skip
    return styled(traces, x="margin of the label", y="rows", height=_DETAIL_HEIGHT,
                  revision=revision, barmode="stack", bargap=0)  # fmt: skip


def plot_targets(result: TargetResult, revision: str = "") -> go.Figure:
    """Draw each target against what the other rows say, contradicted ones apart.

    Parameters
    ----------
    result : TargetResult
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    is_wrong = np.zeros(result.n_rows, dtype=bool)
    is_wrong[result.errors.rows] = True
    others = np.flatnonzero(~is_wrong)
    others = others[np.unique(np.linspace(0, len(others) - 1, min(len(others), _POINTS)).astype(int))]
    traces = [
        trace("scatter", x=result.errors.predictions[rows], y=result.target[rows], mode="markers", name=name,
              marker={"color": colour, "symbol": symbol, "size": size},
              hovertemplate="predicted %{x:.4g}, target %{y:.4g}<extra>" + name + "</extra>")
        for rows, name, colour, symbol, size in (
            (others, "other rows", rgba(COLOURS[0], 0.5), SYMBOLS[0], 6),
            (np.flatnonzero(is_wrong), "contradicted", COLOURS[1], SYMBOLS[1], 10),
        )
    ]  # fmt: skip
    return styled(traces, x="as the other rows say", y="target", height=_DETAIL_HEIGHT, revision=revision)


def _bars(
    names: Sequence[str],
    values: np.ndarray,
    title: str,
    spec: str,
    revision: str,
    level: tuple[str, float] | None = None,
    marked: np.ndarray | None = None,
) -> go.Figure:
    """Draw a bar for each name, one below the other, so that long names can be read; those marked apart."""
    is_marked = np.zeros(len(names), dtype=bool) if marked is None else marked
    bars = trace(
        "bar", orientation="h", x=values, y=np.arange(len(names)), showlegend=False, width=0.6,
        hovertext=list(map(literal, names)),
        marker={"color": [COLOURS[1] if is_one else COLOURS[0] for is_one in is_marked]},
        hovertemplate=f"%{{hovertext}}: %{{x{spec}}}<extra></extra>",
    )  # fmt: skip
    traces = [bars]
    if level is not None:
        word, x = level
        traces.append(trace("scatter", x=[x, x], y=[-0.5, len(names) - 0.5], mode="lines", name=word, showlegend=True,
                            line={"color": GREY, "dash": "dot", "width": 2.5},
                            hovertemplate=f"{word}: {x:.3g}<extra></extra>"))  # fmt: skip
    short = [name if len(name) <= _LONG_NAME else f"{name[: _LONG_NAME - 1]}…" for name in names]
    return styled(
        traces, x=title, y="", height=max(_ROW * len(names) + 120, 200), revision=revision, margin={"t": 40},
        xaxis={"range": [0.0, 100.0]} if "%" in title else {"rangemode": "tozero"},
        yaxis={"tickvals": np.arange(len(names)), "ticktext": list(map(literal, short)), "automargin": True,
               "range": [len(names) - 0.5, -0.5], "showgrid": False},
    )  # fmt: skip


def _level(name: str, ends: np.ndarray, y: float, error: float, colour: str, dash: str) -> dict[str, Any]:
    """Return a level line of one score."""
    said = f"{y:.3g}" + (f" ± {error:.2g}" if error else "")
    line = {"color": colour, "dash": dash, "width": 2.5}
    return trace("scatter", x=ends, y=np.array([y, y]), mode="lines", name=name, line=line,
                 hovertemplate=f"{name}: {said}<extra></extra>")  # fmt: skip
