"""Distance saturation as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from rfviz.analysis.saturation import SATURATION_SHARE, SaturationCurve, SaturationResult
from rfviz.figures.quick import trace
from rfviz.figures.template import COLOURS, DASHES, GREY, SYMBOLS, rgba, styled

__all__ = ["plot_saturation"]


def plot_saturation(result: SaturationResult, *, as_printed: bool = True, height: int = 560) -> go.Figure:
    """Embedded against input distance: pairs as density, the exact law with its band, slope, plateau and radius.

    Parameters
    ----------
    result : SaturationResult
    as_printed : bool
        Whether to add the curve of the paper's formula where it is wrong.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces: list[Any] = []
    for index, curve in enumerate(result.curves):
        traces.append(_density(result, curve, COLOURS[index % len(COLOURS)]))
    traces.append(_slope_line(result))
    for index, curve in enumerate(result.curves):
        traces += _law(result, curve, index % len(COLOURS), as_printed)
    return styled(
        traces,
        x="distance of two points, ‖x − z‖",
        y="distance of their features, ‖Φ(x) − Φ(z)‖",
        height=height,
        revision=f"{result.dataset}-{result.x_edges[-1]}",
        xaxis={"range": [0, float(result.x_edges[-1])]},
        yaxis={"range": [0, float(result.y_edges[-1])]},
    )


def _density(result: SaturationResult, curve: SaturationCurve, colour: str) -> dict[str, Any]:
    # On a square-root scale single pairs stay visible beside cells that hold hundreds. Bytes keep the message small.
    shade = np.sqrt(curve.counts / max(curve.counts.max(), 1))
    shade = np.where(curve.counts > 0, np.rint(55 + 200 * shade), 0).astype(np.uint8)
    return trace(
        "heatmap",
        z=shade,
        x0=float(result.x_edges[1] / 2),
        dx=float(result.x_edges[1]),
        y0=float(result.y_edges[1] / 2),
        dy=float(result.y_edges[1]),
        zmin=0,
        zmax=255,
        colorscale=[[0, rgba(colour, 0)], [1, rgba(colour, 0.9)]],
        showscale=False,
        hoverinfo="skip",
        name=f"{curve.label}, pairs",
    )


def _slope_line(result: SaturationResult) -> dict[str, Any]:
    """The line that distances would follow if the map kept them: the slope of the first map's linear regime."""
    slope = result.curves[0].slope or 1.0
    end = min(result.x_edges[-1], result.y_edges[-1] / slope)
    return trace(
        "scatter",
        x=[0, end],
        y=[0, slope * end],
        mode="lines",
        line={"color": GREY, "width": 1.5, "dash": "dot"},
        name=f"slope {slope:.3g}: the linear regime",
        hoverinfo="skip",
    )


def _law(result: SaturationResult, curve: SaturationCurve, index: int, as_printed: bool) -> list[Any]:
    colour = COLOURS[index]
    line = {"color": colour, "width": 3, "dash": DASHES[index]}
    if curve.expected is None:
        centres = 0.5 * (result.x_edges[:-1] + result.x_edges[1:])
        name = f"{curve.label}: exact mean over the pairs"
        return [trace("scatter", x=centres, y=curve.mean_expected, mode="lines", line=line, name=name)]
    traces = [_band(result, curve, colour)]
    traces.append(
        trace(
            "scatter",
            x=result.grid,
            y=curve.expected,
            mode="lines",
            line=line,
            name=f"{curve.label}: expected ± 1 s.d.",
            hovertemplate="%{x:.3f} → %{y:.3f}<extra>" + curve.label + "</extra>",
        )
    )
    if as_printed and curve.as_printed is not None:
        traces.append(
            trace(
                "scatter",
                x=result.grid,
                y=curve.as_printed,
                mode="lines",
                line={"color": rgba(colour, 0.75), "width": 2, "dash": "4px 4px"},
                name="the paper's formula (wrong)",
                legendgroup="as printed",
                showlegend=index == 0,
                hovertemplate="%{x:.3f} → %{y:.3f}<extra>as printed</extra>",
            )
        )
    if curve.plateau is not None:
        traces += _plateau(result, curve, index)
    return traces


def _band(result: SaturationResult, curve: SaturationCurve, colour: str) -> dict[str, Any]:
    return trace(
        "scatter",
        x=np.concatenate([result.grid, result.grid[::-1]]),
        y=np.concatenate([curve.high, curve.low[::-1]]),
        fill="toself",
        fillcolor=rgba(colour, 0.2),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        name=f"{curve.label}: ± 1 s.d.",
    )


def _plateau(result: SaturationResult, curve: SaturationCurve, index: int) -> list[Any]:
    """The plateau as a thin line with its value, and the saturation radius as a symbol."""
    colour, end = COLOURS[index], float(result.x_edges[-1])
    traces: list[Any] = [
        trace(
            "scatter",
            x=[0, end],
            y=[curve.plateau, curve.plateau],
            mode="lines",
            line={"color": rgba(colour, 0.6), "width": 1, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    ]
    others = [c.plateau for c in result.curves[:index] if c.plateau is not None]
    if all(abs(curve.plateau - other) > 0.04 * result.y_edges[-1] for other in others):
        # Above the band, where no pair lies; one label for curves that share a plateau.
        height = max(curve.plateau, float(curve.high[-1]))
        traces.append(
            trace(
                "scatter",
                x=[end],
                y=[height],
                mode="text",
                text=[f"<b>plateau {curve.plateau:.3f}</b>"],
                textposition="top left",
                textfont={"color": colour, "size": 14},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    if curve.radius is not None and curve.radius <= end:
        traces.append(
            trace(
                "scatter",
                x=[curve.radius],
                y=[SATURATION_SHARE * curve.plateau],
                mode="markers+text",
                marker={"symbol": SYMBOLS[index], "size": 13, "color": colour, "line": {"width": 2, "color": "white"}},
                text=[f"<b>radius {curve.radius:.2f}</b>"],
                textposition="bottom right",
                textfont={"color": colour, "size": 14},
                showlegend=False,
                hovertemplate=f"{curve.label}: at input distance %{{x:.3f}} the map has reached "
                f"{SATURATION_SHARE:.0%} of its plateau<extra></extra>",
            )
        )
    return traces
