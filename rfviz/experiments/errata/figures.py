"""The chart of an erratum: the printed statement, dotted and red, next to the right one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pandas.api.types import is_numeric_dtype

from rfviz.experiments.errata.compute import OTHER, PRINTED, RIGHT, Picture
from rfviz.figures.lines import mark
from rfviz.figures.template import COLOURS, DASHES, GREY, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_erratum"]

# As on the page on distance saturation: a curve that is wrong looks like no other.
_WRONG = "#c0392b"
_FEW = 20
_LONG = 1e5


def plot_erratum(picture: Picture, *, height: int = 446, revision: str = "") -> go.Figure:
    """Plot the curves of an erratum.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    frame, counts, traces = picture.frame, dict.fromkeys((RIGHT, PRINTED, OTHER), 0), []
    x = frame.columns[0]
    are_words = not is_numeric_dtype(frame[x])
    mode = "markers" if are_words else "lines+markers" if len(frame) < _FEW else "lines"
    for name, kind in picture.kinds.items():
        colour, width, dash, symbol = _look(kind, counts[kind])
        counts[kind] += 1
        traces.append(
            trace(
                "scatter",
                x=frame[x].tolist() if are_words else frame[x].to_numpy(float),
                y=frame[name].to_numpy(float),
                mode=mode,
                line={"color": colour, "width": width, "dash": dash},
                marker={"size": 11 if are_words else 7, "symbol": symbol, "color": colour},
                name=name,
                hovertemplate="%{x}: %{y:.4~g}<extra></extra>",
            )
        )
    at = picture.at
    axes: dict[str, dict[str, Any]] = {f"{axis}axis": {"type": "log"} for axis in picture.log}
    if "x" in picture.log:
        # Long numbers would be cut at the edge.
        short = frame[x].to_numpy(float).max() < _LONG
        axes["xaxis"] |= {"dtick": 1} | ({"tickformat": ",~r"} if short else {"exponentformat": "power"})
    if "y" in picture.log:
        axes["yaxis"] |= {"dtick": "D2" if _decades(picture) < 2.5 else None, "exponentformat": "power"}
    return styled(
        traces,
        x=x,
        y=picture.y,
        height=height,
        revision=revision,
        shapes=[] if at is None else [mark("x", at)],
        **axes,
    )


def _look(kind: str, number: int) -> tuple[str, float, str, str]:
    """Return colour, width, dash and symbol of a curve, the number of its kind."""
    if kind == RIGHT:
        return COLOURS[number], 3, DASHES[number], "circle"
    if kind == PRINTED:
        return _WRONG, 2.5, ("dot", "dashdot")[number], "x"
    return GREY, 2, ("dash", "longdash", "longdashdot")[number], "diamond"


def _decades(picture: Picture) -> float:
    values = picture.frame[list(picture.kinds)].to_numpy(float)
    return math.log10(values.max() / values.min())
