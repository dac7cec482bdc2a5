"""How near each feature map comes to what the device allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from rfviz.analysis.machine import Timing
from rfviz.features import map_class
from rfviz.figures.quick import trace
from rfviz.figures.template import GREY, map_style, styled

__all__ = ["plot_shares"]

_ROW, _AROUND = 30, 130


def plot_shares(
    speeds: Sequence[Timing], labels: Mapping[str, str], *, glances: Sequence[Timing] = (), revision: str = ""
) -> go.Figure:
    """Bars: the device's least time over the measured one, in per cent, for each scheme that was measured.

    Parameters
    ----------
    speeds : sequence of Timing
        Measured with care.
    labels : mapping
        Name for a reader of every scheme, by class name: the axis holds them all from the beginning, the first on top.
    glances : sequence of Timing
        Of a first look: pale bars, and “about” before their numbers.
    revision : str
        While it stays the same, a reader's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    rows = {name: place for place, name in enumerate(reversed(labels))}
    longest = max((100.0 * speed.share for speed in (*speeds, *glances)), default=0.0)
    bars = [_bars(shown, rows, pale) for shown, pale in ((speeds, False), (glances, True)) if shown or not pale]
    limit = trace(
        "scatter", x=[100, 100], y=[-0.6, len(rows) - 0.4], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": GREY, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
    names = {"tickmode": "array", "tickvals": list(rows.values()), "ticktext": [labels[name] for name in rows]}
    # The number beside the longest bar has room in a narrow window too.
    return styled(
        [limit, *bars], x="share of the device’s limit, %", y="", height=_ROW * len(rows) + _AROUND, revision=revision,
        xaxis={"range": [0, max(120.0, 1.5 * longest)]}, margin={"l": 180, "t": 28}, barmode="overlay",
        yaxis=names | {"range": [-0.6, len(rows) - 0.4], "showgrid": False, "fixedrange": True},
        annotations=[{
            "x": 100, "y": 1.0, "yref": "paper", "yanchor": "bottom", "text": "limit", "showarrow": False,
            "font": {"size": 13, "color": GREY},
        }],
    )  # fmt: skip


def _bars(speeds: Sequence[Timing], rows: Mapping[str, int], pale: bool) -> dict:
    percents, about = [100.0 * speed.share for speed in speeds], "about " if pale else ""
    return trace(
        "bar", orientation="h", x=percents, y=[rows[speed.scheme] for speed in speeds], width=0.62,
        name="first look" if pale else "measured",
        marker={
            "color": [map_style(map_class(speed.scheme)).colour for speed in speeds], "opacity": 0.5 if pale else 1.0,
        },
        text=[f"{about}{percent:.0f}%" if percent >= 1 else "under 1%" for percent in percents],
        textposition="outside", cliponaxis=False, textfont={"size": 14}, showlegend=False,
        customdata=[[speed.label, _rate(speed), speed.bound] for speed in speeds],
        hovertemplate=f"%{{customdata[0]}}: {about}%{{x:.3g}}%<br>%{{customdata[1]}}<br>"
                      "set by %{customdata[2]}<extra></extra>",
    )  # fmt: skip


def _rate(speed: Timing) -> str:
    flops, n_bytes = speed.work.flops / speed.map_seconds, speed.work.bytes / speed.map_seconds
    return f"{flops / 1e9:,.3g} Gflop/s, {n_bytes / 1e9:,.3g} GB/s"
