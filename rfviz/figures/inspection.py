"""The quick inspection as pictures: distances of pairs and the map's saturation, a linear model against features."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from rfviz.analysis.inspection_neighbours import DistanceResult
from rfviz.analysis.inspection_structure import StructureResult
from rfviz.features import RandomFourier, map_class
from rfviz.figures.lines import M_TITLE
from rfviz.figures.quick import trace
from rfviz.figures.template import COLOURS, GREY, map_style, rgba, styled

__all__ = ["plot_distances", "plot_structure"]

_HEIGHT = 380


def plot_distances(result: DistanceResult, revision: str = "") -> go.Figure:
    """Histogram of the distances of pairs, and how far apart the Gaussian map puts rows at each of them.

    Parameters
    ----------
    result : DistanceResult
    revision : str
        While it stays the same, a reader's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
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
    words = [
        {
            "x": x,
            "y": 1.02,
            "text": text,
            "showarrow": False,
            "yanchor": "bottom",
            "xanchor": side,
            "font": {"size": 13},
        }
        for (text, x), side in zip(marks, ("right", "left"), strict=True)  # the map is saturated beyond the median
        if x <= result.edges[-1]
    ]
    return styled(
        [bars, curve], x="distance of two rows", y="share of the largest",
        height=_HEIGHT, revision=revision, shapes=[line for line in lines if line["x0"] <= result.edges[-1]],
        annotations=words, bargap=0, legend={"y": 1.1}, margin={"l": 76, "r": 24, "t": 64, "b": 56},
        xaxis={"range": [0.0, float(result.edges[-1])]}, yaxis={"range": [0.0, 1.1]},
    )  # fmt: skip


def plot_structure(result: StructureResult, revision: str = "") -> go.Figure:
    """Cross-validated scores against the number of features, beside those of a linear model and of a guess.

    Parameters
    ----------
    result : StructureResult
    revision : str
        While it stays the same, a reader's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    ends = np.array([result.m_grid[0], result.m_grid[-1]], dtype=float)
    unit = 100.0 if result.is_classification else 1.0
    traces = [
        _level("linear model", ends, unit * result.linear, unit * result.linear_error, COLOURS[2], "dashdot"),
        _level("always the largest class" if result.is_classification else "always the mean", ends,
               unit * result.guess, 0.0, GREY, "dot"),
    ]  # fmt: skip
    for curve in result.curves:
        style = map_style(map_class(curve.scheme))
        traces.append(trace(
            "scatter", x=np.array(result.m_grid, dtype=float), y=unit * curve.scores, mode="lines+markers",
            name=curve.label, line={"color": style.colour, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 9},
            error_y={"type": "data", "array": unit * curve.errors, "color": rgba(style.colour, 0.6), "width": 3},
            hovertemplate="%{x:.0f} features: %{y:.3g}<extra>" + curve.label + "</extra>",
        ))  # fmt: skip
    return styled(
        traces, x=M_TITLE, y="right labels, %" if result.is_classification else "R²", height=_HEIGHT,
        revision=revision,
        xaxis={"type": "log", "tickvals": list(result.m_grid), "ticktext": [str(m) for m in result.m_grid]},
    )  # fmt: skip


def _level(name: str, ends: np.ndarray, y: float, error: float, colour: str, dash: str) -> dict[str, Any]:
    said = f"{y:.3g}" + (f" ± {error:.2g}" if error else "")
    line = {"color": colour, "dash": dash, "width": 2.5}
    return trace("scatter", x=ends, y=np.array([y, y]), mode="lines", name=name, line=line,
                 hovertemplate=f"{name}: {said}<extra></extra>")  # fmt: skip
