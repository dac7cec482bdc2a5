"""Charts of hash codes: Hamming distance against angle, recall against length, near and far pairs, two codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.hashing.compute import HammingResult, NearFarResult
from rfviz.experiments.hashing.recall import RecallCurve, RecallResult
from rfviz.features import FeatureMap, Look, RandomMaxout, RandomProjection
from rfviz.figures.axes import count_axis
from rfviz.figures.density import density_image
from rfviz.figures.lines import DRAWS, band
from rfviz.figures.template import COLOURS, GREY, map_style, rgba, series_styles, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["AXES", "STRIP", "plot_hamming", "plot_near_far", "plot_recall", "plot_strips"]

#: What the length of a code may be counted in.
AXES = {"symbols": "symbols of a code", "bits": "bits of a code", "projections": "projections to hash a point"}
_LINE, _LINES = 20, 5
#: Symbols of a code that are shown one by one.
STRIP = _LINE * _LINES
_DIFFERENT = "#6b727c"
_BARS = 64


def plot_hamming(
    result: HammingResult,
    other: HammingResult | None = None,
    pair: tuple[float, float] | None = None,
    *,
    height: int = 480,
    revision: str = "",
) -> go.Figure:
    """Plot the share of differing symbols against distance: pairs as density, the exact curve with its band, means.

    Parameters
    ----------
    other : HammingResult, optional
        Another hash to compare with: its curve and means only.
    pair : tuple of float, optional
        Distance and share of two chosen points, to be ringed.
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    reach, style = float(result.x_edges[-1]), map_style(result.cls)
    spread = band(result.grid, result.low, result.high, rgba(style.colour, 0.22), "± 1 s.d. of a pair")
    traces = [spread, _law(result, "exact: 1 − κ", 3.0), _means(result, "measured")]
    if other is not None:
        traces += [_law(other, "SimHash: θ/180°", 2.0), _means(other, "SimHash measured")]
    if pair is not None:
        marker = {"symbol": "circle-open", "size": 18, "color": COLOURS[1], "line": {"width": 3}}
        words = "the two points below: %{y:.3f} at %{x:.1f}<extra></extra>"
        traces.append(
            trace(
                "scatter",
                x=[pair[0]],
                y=[pair[1]],
                mode="markers",
                marker=marker,
                name="two points below",
                hovertemplate=words,
            )
        )
    image = density_image(result.counts, style.colour, (0.0, reach), (0.0, 1.0)) | {"opacity": 0.55}
    across = {"range": [0, reach]} | ({"dtick": 30} if reach in (90, 120, 150, 180) else {})
    top = min(1.02, 1.15 * float(result.high.max()))
    return styled(
        traces,
        x=result.title,
        y="share of symbols that differ",
        height=height,
        revision=revision,
        images=[image],
        xaxis=across,
        yaxis={"range": [0, top]},
    )


def _law(result: HammingResult, name: str, width: float) -> dict[str, Any]:
    style = map_style(result.cls)
    line = {"color": style.colour, "width": width, "dash": style.dash}
    return trace(
        "scatter",
        x=result.grid,
        y=result.expected,
        mode="lines",
        line=line,
        name=name,
        hovertemplate="%{x:.0f}: %{y:.3f}<extra>" + name + "</extra>",
    )


def _means(result: HammingResult, name: str) -> dict[str, Any]:
    style = map_style(result.cls)
    there = np.isfinite(result.means)
    marker = {"symbol": style.symbol, "size": 8, "color": style.colour, "line": {"width": 1, "color": "white"}}
    return trace(
        "scatter",
        x=result.centres[there],
        y=result.means[there],
        mode="markers",
        marker=marker,
        name=name,
        hovertemplate="%{x:.0f}: %{y:.3f}<extra>" + name + "</extra>",
    )


def plot_recall(result: RecallResult, axis: str = "symbols", *, height: int = 440, revision: str = "") -> go.Figure:
    """Plot recall against the length of the code, one standard deviation over the draws around each curve.

    Parameters
    ----------
    axis : {"symbols", "bits", "projections"}
        What the length is counted in.
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    pools = [curve for curve in result.curves if curve.spec.cls is RandomMaxout]
    # The colour of SimHash is not for a pool.
    free = [style for style in series_styles(RandomMaxout, 6) if style.colour != map_style(RandomProjection).colour]
    styles = {curve.label: free[i % len(free)] for i, curve in enumerate(pools)}
    traces: list[dict[str, Any]] = []
    for curve in result.curves:
        style = styles.get(curve.label) or map_style(RandomProjection)
        traces += _recall_curve(curve, axis, style, "" if traces else DRAWS)
    ends = np.array([[getattr(c, axis)[0], getattr(c, axis)[-1]] for c in result.curves], dtype=float)
    span = [float(ends[:, 0].min()) * 0.9, float(ends[:, 1].max()) * 1.1]
    traces.append(
        trace(
            "scatter",
            x=span,
            y=[result.chance] * 2,
            mode="lines",
            hoverinfo="skip",
            name="a random guess",
            line={"color": GREY, "width": 1.5, "dash": "dot"},
        )
    )
    across = count_axis(*span, slack=0.0)
    return styled(
        traces,
        x=AXES[axis],
        y=f"recall@{result.k}",
        height=height,
        revision=revision,
        xaxis=across,
        yaxis={"range": [0, 1.02]},
    )


def _recall_curve(curve: RecallCurve, axis: str, style: Look, named: str) -> list[dict[str, Any]]:
    x, mean, spread = getattr(curve, axis), curve.mean, curve.deviation
    line = {"color": style.colour, "width": 2.5, "dash": style.dash}
    around = band(np.asarray(x), mean - spread, mean + spread, rgba(style.colour, 0.18), named)
    marks = trace(
        "scatter",
        x=x,
        y=mean,
        mode="lines+markers",
        line=line,
        name=curve.label,
        marker={"symbol": style.symbol, "size": 8, "color": style.colour},
        hovertemplate="%{x:,} " + axis + ": %{y:.3f}<extra>" + curve.label + "</extra>",
    )
    return [around, marks]


def plot_near_far(result: NearFarResult, *, height: int = 380, revision: str = "") -> go.Figure:
    """Plot the densities of the share of differing symbols, of true neighbours and of random pairs.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    m = result.n_symbols
    width = max(-(-(m + 1) // _BARS), 1)  # whole distances a bar, so that none is fuller than its neighbours
    starts = np.arange(0, m + 1, width)
    centres = (starts + 0.5 * (np.minimum(starts + width, m + 1) - starts) - 0.5) / m
    traces: list[dict[str, Any]] = []
    top = 0.0
    for name, colour, measured, exact in (
        (f"{result.k} nearest neighbours", COLOURS[2], result.near, result.near_exact),
        ("random pairs", COLOURS[1], result.far, result.far_exact),
    ):
        bars, curve = (np.add.reduceat(values, starts) / (width / m) for values in (measured, exact))
        top = max(top, float(bars.max()), float(curve.max()))
        traces.append(
            trace(
                "bar",
                x=centres,
                y=bars,
                width=width / m,
                name=f"{name}, measured",
                marker={"color": rgba(colour, 0.45), "line": {"width": 0}},
                hovertemplate="%{x:.3f}: %{y:.2f}<extra>" + name + "</extra>",
            )
        )
        traces.append(
            trace(
                "scatter",
                x=centres,
                y=curve,
                mode="lines",
                line={"color": colour, "width": 2.5},
                name=f"{name}, exact",
                hoverinfo="skip",
            )
        )
    at = (result.threshold + 0.5) / m
    traces.append(
        trace(
            "scatter",
            x=[at, at],
            y=[0, 1.05 * top],
            mode="lines+text",
            showlegend=False,
            line={"color": GREY, "width": 2, "dash": "dash"},
            text=["", " best threshold"],
            textposition="bottom right",
            hoverinfo="skip",
        )
    )
    return styled(
        traces,
        x="share of symbols that differ",
        y="density",
        height=height,
        revision=revision,
        barmode="overlay",
        bargap=0,
        xaxis={"range": [0, 1]},
        yaxis={"range": [0, 1.08 * top]},
    )


def plot_strips(first: np.ndarray, second: np.ndarray, names: tuple[str, str], cls: type[FeatureMap]) -> go.Figure:
    """Plot the beginnings of two codes, one above the other, with equal symbols in colour.

    Parameters
    ----------
    first, second : ndarray of shape (m,)
        Codes.
    names : tuple of str
        What the points are called.
    cls : type of FeatureMap
        For its colour.
    """
    shown = min(len(first), STRIP)
    lines = -(-shown // _LINE)
    # Three rows a line: one code, the other, and a gap.
    agree = np.full((3 * lines, _LINE), np.nan)
    words = np.full(agree.shape, "", dtype=object)
    hover = words.copy()
    for symbol, (mine, theirs) in enumerate(zip(first[:shown].tolist(), second[:shown].tolist(), strict=True)):
        row, column = 3 * (symbol // _LINE), symbol % _LINE
        agree[row : row + 2, column] = mine == theirs
        words[row : row + 2, column] = mine, theirs
        hover[row : row + 2, column] = f"symbol {symbol + 1}: {mine} and {theirs}"
    cells = trace(
        "heatmap",
        z=agree[:-1],
        text=words[:-1].tolist(),
        texttemplate="%{text}",
        textfont={"size": 12},
        hovertext=hover[:-1].tolist(),
        hovertemplate="%{hovertext}<extra></extra>",
        hoverongaps=False,
        xgap=2,
        ygap=2,
        zmin=0,
        zmax=1,
        showscale=False,
        colorscale=[[0, _DIFFERENT], [1, map_style(cls).colour]],
    )
    places = [3 * line + offset for line in range(lines) for offset in (0, 1)]
    labels = {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [*names] * lines,
        "showgrid": False,
        "ticks": "",
        "autorange": "reversed",
        "fixedrange": True,
    }
    across = {"visible": False, "range": [-0.5, _LINE - 0.5], "fixedrange": True}
    return styled(
        [cells],
        x="",
        y="",
        height=24 + 62 * lines,
        revision="strips",
        yaxis=labels,
        xaxis=across,
        margin={"l": 80, "r": 4, "t": 8, "b": 8},
    )
