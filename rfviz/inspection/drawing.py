"""How pictures of answers are drawn: bars with names that can be read, levels, and their common sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.figures.traces import literal, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "MOST_BARS", "MOST_POINTS", "OF_ROWS", "level", "plot_bars"]

#: Pixels of a picture, points of a scatter plot, and classes or columns that have a bar.
HEIGHT, MOST_POINTS, MOST_BARS = 380, 2000, 30
#: Title of an axis.
OF_ROWS = "share of the rows, %"
# Pixels of a bar; characters of the name next to it.
_ROW, _NAME = 26, 26


def plot_bars(
    names: Sequence[str],
    values: np.ndarray,
    title: str,
    spec: str,
    revision: str,
    limit: tuple[str, float] | None = None,
    marked: np.ndarray | None = None,
) -> go.Figure:
    """Draw a bar for each name, one below the other, so that long names can be read.

    Parameters
    ----------
    names : sequence of str
    values : ndarray of shape (n,)
    title : str
        Of the values.
    spec : str
        Their format in Plotly, such as ``":.3g"``.
    revision : str
        While it stays the same, the zoom survives a redraw.
    limit : (str, float), optional
        The name and the value of a dotted line.
    marked : ndarray of bool, shape (n,), optional
        Bars of another colour.
    """
    is_marked = np.zeros(len(names), dtype=bool) if marked is None else marked
    bars = trace(
        "bar",
        orientation="h",
        x=values,
        y=np.arange(len(names)),
        showlegend=False,
        width=0.6,
        hovertext=list(map(literal, names)),
        marker={"color": [COLOURS[1] if is_one else COLOURS[0] for is_one in is_marked]},
        hovertemplate=f"%{{hovertext}}: %{{x{spec}}}<extra></extra>",
    )
    traces = [bars]
    if limit is not None:
        word, x = limit
        traces.append(
            trace(
                "scatter",
                x=[x, x],
                y=[-0.5, len(names) - 0.5],
                mode="lines",
                name=word,
                showlegend=True,
                line={"color": GREY, "dash": "dot", "width": 2.5},
                hovertemplate=f"{word}: {x:.3g}<extra></extra>",
            )
        )
    short = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    return styled(
        traces,
        x=title,
        y="",
        height=max(_ROW * len(names) + 120, 200),
        revision=revision,
        margin={"t": 40},
        xaxis={"range": [0.0, 100.0]} if "%" in title else {"rangemode": "tozero"},
        yaxis={
            "tickvals": np.arange(len(names)),
            "ticktext": list(map(literal, short)),
            "automargin": True,
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
        },
    )


def level(name: str, ends: np.ndarray, y: float, error: float, colour: str, dash: str) -> dict[str, Any]:
    """Return a level line of one score."""
    said = f"{y:.3g}" + (f" ± {error:.2g}" if error else "")
    line = {"color": colour, "dash": dash, "width": 2.5}
    return trace(
        "scatter",
        x=ends,
        y=np.array([y, y]),
        mode="lines",
        name=name,
        line=line,
        hovertemplate=f"{name}: {said}<extra></extra>",
    )
