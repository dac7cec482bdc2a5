"""Axes that several charts have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.figures.template import GREY, rgba

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["DRAWN_LINE", "count_axis", "has_legend", "make_room"]

#: Of a curve that a reader has drawn: no map has this colour.
DRAWN_LINE = {"color": "#c026d3", "width": 3, "dash": "dash"}

# Powers of ten between the ends of an axis up to which two and five are named as well.
_FEW = 1.2
# Of the vertical axis, above and below a curve that is to be drawn.
_ROOM = 0.15


def count_axis(low: float, high: float, slack: float = 0.1, words: str = ",d") -> dict[str, Any]:
    """Return a logarithmic axis, of whole numbers as ``1,000``: the powers of ten are named, those between have a mark.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number on it.
    slack : float
        Room beyond both, as a share of them.
    words : str
        How numbers are written, where they are not whole or too long.
    """
    ends = [float(np.log10((1 - slack) * low)), float(np.log10((1 + slack) * high))]
    few = ends[1] - ends[0] < _FEW
    # Those with a name have a longer one, which also keeps the names clear of the marks next to them.
    mark = {"ticks": "outside", "tickcolor": rgba(GREY, 0.7)}
    minor = mark | {"dtick": "D1", "ticklen": 4}
    return mark | {
        "type": "log",
        "range": ends,
        "dtick": "D2" if few else 1,
        "ticklen": 6,
        "tickformat": words,
        "minor": minor,
    }


def has_legend(figure: go.Figure) -> bool:
    """Return whether any trace of a figure may be in its legend; if none may, the legend's place is free."""
    traces: Any = figure.data
    return any(trace.showlegend is not False for trace in traces)


def make_room(figure: go.Figure, places: Sequence[float], heights: Sequence[float]) -> None:
    """Let the axes of a figure reach these places and beyond these heights: they need not grow with the answer then."""
    layout: Any = figure.layout
    across, axis = layout.xaxis, layout.yaxis
    if axis.scaleanchor and across.range is not None:
        _widen(figure, places)
    if across.range is not None:
        reached = [*across.range, *(np.log10(places) if across.type == "log" else places)]
        across.range = [float(min(reached)), float(max(reached))]
    is_log = axis.type == "log"
    if axis.range is None:
        # A race that has not begun has no points yet.
        traces: Any = figure.data
        parts = [np.asarray(trace.y, dtype=np.float64) for trace in traces if trace.y is not None]
        drawn = np.concatenate([heights, *parts])
        drawn = drawn[np.isfinite(drawn) & (drawn > 0 if is_log else True)]
        ends = np.array([drawn.min(), drawn.max()])
        ends = np.log10(ends) if is_log else ends
    else:
        ends = np.array(axis.range, dtype=np.float64)
    wanted = np.log10(heights) if is_log else np.array(heights)
    margin = _ROOM * (max(ends[1], wanted.max()) - min(ends[0], wanted.min()))
    axis.range = [float(min(ends[0], wanted.min() - margin)), float(max(ends[1], wanted.max() + margin))]


def _widen(figure: go.Figure, places: Sequence[float]) -> None:
    """Give up the common scale of both axes, so that the places to be drawn at take the width of the chart.

    With one scale a curve that is higher than the plot is wide for would be drawn in a corner of it.
    """
    layout: Any = figure.layout
    traces: Any = figure.data
    parts = [np.asarray(trace.x, dtype=np.float64) for trace in traces if trace.x is not None]
    pictures = [picture.x for picture in layout.images or ()]
    across = np.concatenate([places, pictures, *parts])
    across = across[np.isfinite(across)]
    low, high = float(across.min()), float(across.max())
    margin = _ROOM / 2 * (high - low)
    layout.xaxis.range = [low - margin, high + margin]
    layout.yaxis.scaleanchor = None
