"""The quick inspection as pictures: its three maps with their colours, and its findings at a glance."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from rfviz.analysis.inspection import column_name, of_rows
from rfviz.analysis.inspection_findings import GRADES, Finding
from rfviz.analysis.inspection_maps import MAP_NAMES, MapResult
from rfviz.datasets.base import Dataset
from rfviz.figures.embedding import PointStyle, plot_embedding, point_style
from rfviz.figures.images import image_marks
from rfviz.figures.quick import trace
from rfviz.figures.template import GREY, styled

__all__ = ["inspection_style", "plot_findings", "plot_maps"]

# Told apart by shape as well as by colour.
_MARKS = {"warning": ("#c0392b", "x"), "look": ("#d98200", "diamond"), "fine": ("#2e8b57", "circle"),
          "unknown": (GREY, "circle-open")}  # fmt: skip
_HEIGHT, _ROW, _LINE = 520, 26, 19
# Characters of a sentence in a line, for a picture about 900 pixels wide.
_WIDE = 86


def inspection_style(dataset: Dataset, rows: np.ndarray, colour: str) -> PointStyle:
    """Colours of rows of a data set, and what each is called.

    Parameters
    ----------
    dataset : Dataset
    rows : ndarray of int, shape (n,)
    colour : {"label", "order", "brightness", "none"} or str
        What they show; ``"c3"`` is the third column.
    """
    names = [f"row {row + 1:,}" for row in rows]
    if colour == "none":
        style = point_style(len(rows))
    elif colour == "label" and dataset.target_names:
        style = point_style(len(rows), None, dataset.y[rows], dataset.target_names)
        names = [f"{name}: {dataset.target_names[int(dataset.y[row])]}" for name, row in zip(names, rows, strict=True)]
    else:
        values, title = _values(dataset, rows, colour)
        names = [f"{name}: {title} {value:.4g}" for name, value in zip(names, values, strict=True)]
        low, high = np.percentile(values, (1, 99))
        if np.ptp(values) > 1.5 * (high - low):  # a few huge values would leave all others one colour
            values = np.clip(values, low, high)
        style = point_style(len(rows), values, title=title)
    return dataclasses.replace(style, labels=names)


def _values(dataset: Dataset, rows: np.ndarray, colour: str) -> tuple[np.ndarray, str]:
    if colour == "label":
        return dataset.y[rows].astype(np.float64), "target"
    if colour == "order":
        return dataset.order[rows].astype(np.float64), "order"
    if colour == "brightness":
        return dataset.X[rows].mean(axis=1, dtype=np.float64), "brightness"
    column = int(colour[1:]) - 1
    return dataset.X[rows, column].astype(np.float64), column_name(dataset, column)


def plot_maps(
    result: MapResult, dataset: Dataset, colour: str = "none", row: int | None = None
) -> dict[str, go.Figure]:
    """The three maps, each a picture of its own.

    Parameters
    ----------
    result : MapResult
    dataset : Dataset
        Where its rows come from; images stand at their places.
    colour : str
        See :func:`inspection_style`.
    row : int, optional
        A row to mark with a ring, where it is among those drawn.

    Returns
    -------
    dict
        By the names :data:`rfviz.analysis.inspection_maps.MAP_NAMES`.
    """
    rows = result.sample.rows
    style = inspection_style(dataset, rows, colour)
    place = next(iter(np.flatnonzero(rows == row)), None)
    figures = {}
    for name, projection in zip(MAP_NAMES, result.projections, strict=True):
        marks = None
        if dataset.image_shape:
            marks = image_marks(of_rows(dataset, result.sample), projection.coordinates, style, place)
        figures[name] = plot_embedding(projection, style, height=_HEIGHT, thumbnails=marks, selected=place)
    return figures


def plot_findings(findings: Sequence[Finding]) -> go.Figure:
    """The findings one below the other: a mark for the grade, the title, the sentence.

    Parameters
    ----------
    findings : sequence of Finding

    Returns
    -------
    plotly.graph_objects.Figure
    """
    lines = [wrap(finding.sentence, _WIDE) for finding in findings]
    tops = np.cumsum([0, *(_ROW + _LINE * len(part) for part in lines)])
    middle = tops[:-1] + 0.5 * _LINE
    traces = []
    for grade, (colour, symbol) in _MARKS.items():
        places = [i for i, finding in enumerate(findings) if finding.grade == grade]
        if places:
            traces.append(trace(
                "scatter", x=np.zeros(len(places)), y=middle[places], mode="markers", name=GRADES[grade],
                marker={"color": colour, "symbol": symbol, "size": 13, "line": {"width": 2, "color": colour}},
                text=[findings[i].title for i in places], hovertemplate="%{text}<extra>" + GRADES[grade] + "</extra>",
                showlegend=True,
            ))  # fmt: skip
    left = {"showarrow": False, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "top", "align": "left"}
    words = []
    for top, finding, part in zip(tops, findings, lines, strict=False):
        words.append(left | {"x": 0.03, "y": top, "text": f"<b>{_plain(finding.title)}</b>", "font": {"size": 14}})
        text = "<br>".join(map(_plain, part))
        words.append(left | {"x": 0.19, "y": top, "text": text, "font": {"size": 14}})
    hidden = {"visible": False, "fixedrange": True}
    return styled(
        traces, x="", y="", height=int(tops[-1]) + 80, revision="", annotations=words,
        margin={"l": 12, "r": 12, "t": 56, "b": 8},
        xaxis=hidden | {"range": [-0.02, 1.0]}, yaxis=hidden | {"range": [float(tops[-1]), -8.0]},
    )  # fmt: skip


def _plain(text: str) -> str:
    """Text that a chart shows as it stands: names of columns may hold what reads as a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
