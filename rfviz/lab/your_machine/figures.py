"""Each feature map's share of the device's limit, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rfviz.features import FeatureMap
from rfviz.figures.template import GREY, map_style, styled
from rfviz.figures.traces import trace
from rfviz.lab.your_machine.compute import Timing

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_shares"]

_ROW, _AROUND = 30, 130


def plot_shares(
    speeds: Sequence[Timing],
    classes: Sequence[type[FeatureMap]],
    *,
    glances: Sequence[Timing] = (),
    revision: str = "",
) -> go.Figure:
    """Draw the device's least time over the measured one, in per cent, for each map that was measured.

    Parameters
    ----------
    speeds : sequence of Timing
        Measured with care.
    classes : sequence of type of FeatureMap
        All maps: the axis shows them from the beginning, the first on top.
    glances : sequence of Timing
        Of a first look: pale bars, and “about” before their numbers.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    rows = {cls: place for place, cls in enumerate(reversed(classes))}
    longest = max((100.0 * speed.share for speed in (*speeds, *glances)), default=0.0)
    bars = [_bars(shown, rows, pale) for shown, pale in ((speeds, False), (glances, True)) if shown or not pale]
    limit = trace(
        "scatter",
        x=[100, 100],
        y=[-0.6, len(rows) - 0.4],
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        line={"color": GREY, "width": 1.5, "dash": "dot"},
    )
    names = {"tickmode": "array", "tickvals": list(rows.values()), "ticktext": [cls.label for cls in rows]}
    # The number next to the longest bar has room in a narrow window too.
    return styled(
        [limit, *bars],
        x="share of the limit, %",
        y="",
        height=_ROW * len(rows) + _AROUND,
        revision=revision,
        xaxis={"range": [0, max(120.0, 1.5 * longest)]},
        margin={"l": 180, "t": 28},
        barmode="overlay",
        yaxis=names | {"range": [-0.6, len(rows) - 0.4], "showgrid": False, "fixedrange": True},
        annotations=[
            {
                "x": 100,
                "y": 1.0,
                "yref": "paper",
                "yanchor": "bottom",
                "text": "limit",
                "showarrow": False,
                "font": {"size": 13, "color": GREY},
            }
        ],
    )


def _bars(speeds: Sequence[Timing], rows: Mapping[type[FeatureMap], int], pale: bool) -> dict[str, Any]:
    """Return one trace of bars."""
    percents, about = [100.0 * speed.share for speed in speeds], "about " if pale else ""
    return trace(
        "bar",
        orientation="h",
        x=percents,
        y=[rows[speed.cls] for speed in speeds],
        width=0.62,
        name="first look" if pale else "measured",
        marker={"color": [map_style(speed.cls).colour for speed in speeds], "opacity": 0.5 if pale else 1.0},
        text=[f"{about}{percent:.0f}%" if percent >= 1 else "under 1%" for percent in percents],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 14},
        showlegend=False,
        customdata=[[speed.label, _rate(speed), speed.bound] for speed in speeds],
        hovertemplate=f"%{{customdata[0]}}: {about}%{{x:.3g}}%<br>%{{customdata[1]}}<br>"
        "set by %{customdata[2]}<extra></extra>",
    )


def _rate(speed: Timing) -> str:
    flops, n_bytes = speed.work.flops / speed.map_seconds, speed.work.bytes / speed.map_seconds
    return f"{flops / 1e9:,.3g} Gflop/s, {n_bytes / 1e9:,.3g} GB/s"
