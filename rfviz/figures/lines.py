"""Lines, bands and marks that charts of curves share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.figures.template import GREY
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["DRAWS", "M_TITLE", "band", "line", "mark", "ring_pair"]

#: Title of the axis that most of them have.
M_TITLE = "number of features m"
#: What bands of all charts of repeated draws are: the legend says it once a chart.
DRAWS = "± 1 s.d. of the draws"


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, name: str = "") -> dict[str, Any]:
    """Draw the area between two curves, a trace of its own.

    Parameters
    ----------
    x, low, high : ndarray of shape (n,)
    colour : str
        With its transparency.
    name : str
        What the legend calls it; it has no entry without.
    """
    return trace(
        "scatter",
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=colour,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        **({"name": name, "showlegend": True} if name else {"showlegend": False}),
    )


def line(x: Any, y: Any, colour: str, dash: str, name: str, width: float = 1.5, shown: bool = True) -> dict[str, Any]:
    """Draw a line that says its values on hover.

    Parameters
    ----------
    x, y : array-like of shape (n,)
    colour, dash : str
        As Plotly takes them.
    name : str
        In the legend, if it is `shown` there, and on hover.
    width : float
        Pixels.
    """
    style = {"color": colour, "width": width, "dash": dash}
    hover = f"%{{x:,}} → %{{y:.3g}}<extra>{name}</extra>"
    return trace("scatter", x=x, y=y, mode="lines", line=style, name=name, hovertemplate=hover, showlegend=shown)


def mark(axis: str, at: float) -> dict[str, Any]:
    """Draw a dotted line across the chart where an axis, ``"x"`` or ``"y"``, is `at`: a shape of the layout."""
    other = "y" if axis == "x" else "x"
    style = {"color": GREY, "width": 1, "dash": "dot"}
    ends = {f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1, f"{other}ref": "paper"}
    return {"type": "line", "line": style, **ends}


def ring_pair(
    figure: go.Figure, rows: tuple[int, int], x: Sequence[float], y: Sequence[float], colours: Sequence[str]
) -> go.Figure:
    """Return a chart of pairs of points in which one pair is ringed, once for each cloud.

    Parameters
    ----------
    x, y : sequence of float
        Its place in each cloud.
    """
    import plotly.graph_objects as go

    marker = {"symbol": "circle-open", "size": 15, "line": {"width": 3}, "color": list(colours)}
    words = f"rows {rows[0] + 1} and {rows[1] + 1}"
    ringed = go.Figure(figure)
    ringed.add_scatter(
        x=list(x),
        y=list(y),
        mode="markers",
        marker=marker,
        name=words,
        showlegend=False,
        hovertemplate="%{x:.3f} → %{y:.3f}<extra>" + words + "</extra>",
    )
    return ringed
