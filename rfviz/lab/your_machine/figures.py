"""Each feature map's share of the device's limit, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rfviz.features import FeatureMap
from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.figures.traces import trace
from rfviz.lab.your_machine.compute import Timing

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_shares"]

_ROW, _AROUND = 30, 130
# What a user can tell by the colour of a bar.
_COLOURS = {"arithmetic": COLOURS[0], "memory": COLOURS[1]}


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
        All maps: the axis shows them from the beginning, the quickest on top, those not yet known last.
    glances : sequence of Timing
        Of a first look: pale bars, and “about” before their numbers.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    shares = {timing.cls: timing.share for timing in (*glances, *speeds)}
    ordered = sorted(classes, key=lambda cls: -shares.get(cls, -1.0))  # a stable order of those not known
    rows = {cls: place for place, cls in enumerate(reversed(ordered))}
    longest = max((100.0 * speed.share for speed in (*speeds, *glances)), default=0.0)
    bars = [_entry(bound) for bound in sorted({timing.bound for timing in (*speeds, *glances)})]
    bars += [_bars(shown, rows, pale) for shown, pale in ((speeds, False), (glances, True)) if shown or not pale]
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
    plot_height = _ROW * max(1, len(rows))
    # The number next to the longest bar has room in a narrow window too.
    return styled(
        [limit, *bars],
        x="share of the limit, %",
        y="",
        height=plot_height + _AROUND,
        revision=revision,
        xaxis={"range": [0, max(120.0, 1.5 * longest)]},
        margin={"l": 180, "t": 60},
        legend={"y": 1.0 + 26 / plot_height},  # above the word at the limit
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


def _entry(bound: str) -> dict[str, Any]:
    """Return an entry of the legend for the colour of the bars whose limit this sets."""
    colour = {"color": _COLOURS[bound], "symbol": "square", "size": 12}
    of = {"name": f"limited by {bound}", "showlegend": True, "hoverinfo": "skip"}
    return trace("scatter", x=[None], y=[None], mode="markers", marker=colour, **of)


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
        marker={"color": [_COLOURS[speed.bound] for speed in speeds], "opacity": 0.5 if pale else 1.0},
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
