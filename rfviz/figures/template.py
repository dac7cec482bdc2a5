"""The one style of all charts: colours, symbols, dashes, type sizes, and the layout around the data.

Text and grid colours are left to the page's theme, light or dark; the data colours below have a contrast of at least
3:1 on both backgrounds and stay apart for colour-blind readers (after Okabe and Ito). Curves also differ in dash and
symbol, so that no distinction rests on colour alone.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from rfviz.figures.quick import QuickFigure

__all__ = ["COLOURS", "DASHES", "GREY", "SEQUENCE", "SYMBOLS", "rgba", "styled"]

COLOURS = ("#2a7fc4", "#d9661f", "#0f9b77", "#b5609a", "#9a7b13", "#6d6fd0")
DASHES = ("solid", "dash", "dashdot", "longdash", "longdashdot", "solid")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
GREY = "#808790"
# For ordered values. Cividis without its ends, which vanish on a light or on a dark page.
SEQUENCE = (
    (0.0, "#31507f"), (0.25, "#5f6a86"), (0.5, "#8b8779"), (0.75, "#bca657"), (1.0, "#e5c934"),
)  # fmt: skip


def rgba(colour: str, alpha: float) -> str:
    """A hexadecimal colour with an opacity, as CSS: ``rgba("#2a7fc4", 0.2)``."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def styled(traces: list[dict[str, Any]], *, x: str, y: str, height: int, revision: str, **layout: Any) -> go.Figure:
    """A figure of `traces` in the common style.

    Parameters
    ----------
    traces : list of dict
        Plotly traces.
    x, y : str
        Axis titles, with units.
    height : int
        Pixels; fixed, so that the page does not jump.
    revision : str
        While it stays the same, a reader's zoom survives a redraw.
    **layout
        Anything else for the layout; what it says of an axis is added to the above.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    base = {
        "height": height,
        "margin": {"l": 88, "r": 24, "t": 48, "b": 56},
        "font": {"size": 15},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}},
        "hoverlabel": {"font": {"size": 14}},
        "xaxis": {"title": {"text": x, "font": {"size": 16}}, "zeroline": False, "tickfont": {"size": 14}},
        "yaxis": {"title": {"text": y, "font": {"size": 16}}, "zeroline": False, "tickfont": {"size": 14}},
        "uirevision": revision,
        "hovermode": "closest",
    }
    for name, value in layout.items():
        base[name] = base.get(name, {}) | value if isinstance(value, dict) else value
    return QuickFigure(traces, base)
