"""Charts of random binning: one grid over the points, the estimate around a point, pairs, and the error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.binning.compute import BoxView, PlaneGrids, SharedBoxes
from rfviz.experiments.binning.hats import SEEN, HatsView
from rfviz.experiments.binning.mixed import MixedMaps
from rfviz.features import RandomBinning, RandomFourier
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import band, line, mark
from rfviz.figures.template import COLOURS, GREY, SHARES, SYMBOLS, map_style, rgba, styled
from rfviz.figures.traces import trace
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "plot_boxes",
    "plot_density",
    "plot_hats_kernel",
    "plot_mixed",
    "plot_pairs",
    "plot_shared",
    "plot_shared_error",
]

_LEVELS = {"start": 0.1, "end": 0.9, "size": 0.2}


def plot_boxes(grids: PlaneGrids, view: BoxView, row: int, *, height: int = 446, revision: str = "") -> go.Figure:
    """Plot the grid of one repetition over the points, each with the colour and the mark of its box.

    Parameters
    ----------
    row : int
        The chosen point, which gets a ring, and whose box is shaded.
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    colours = np.array(COLOURS)[view.box % len(COLOURS)]
    symbols = np.array(SYMBOLS)[view.box // len(COLOURS) % len(SYMBOLS)]
    points = trace(
        "scatter",
        x=grids.points[:, 0],
        y=grids.points[:, 1],
        mode="markers",
        showlegend=False,
        marker={"color": colours.tolist(), "symbol": symbols.tolist(), "size": 9, "line": {"width": 0}},
        customdata=list(range(len(grids.points))),
        text=[f"box {box + 1} of {len(view.sizes)}, with {counted(int(view.sizes[box]), 'point')}" for box in view.box],
        hovertemplate="(%{x:.2f}, %{y:.2f}): %{text}<extra></extra>",
    )
    return _plane([_own_box(view), *_grid_lines(grids, view), points, *_ring(grids, row)], grids, height, revision)


def _own_box(view: BoxView) -> dict[str, Any]:
    left, right, bottom, top = view.own
    return trace(
        "scatter",
        x=[left, right, right, left, left],
        y=[bottom, bottom, top, top, bottom],
        mode="lines",
        fill="toself",
        fillcolor="rgba(128,128,128,0.22)",
        line={"color": GREY, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )


def _grid_lines(grids: PlaneGrids, view: BoxView) -> list[dict[str, Any]]:
    (left, right), (low, high) = ((axis[0], axis[-1]) for axis in grids.axes)
    across, up = view.lines
    x = np.concatenate([np.repeat(across, 3), np.tile([left, right, np.nan], len(up))])
    y = np.concatenate([np.tile([low, high, np.nan], len(across)), np.repeat(up, 3)])
    # A gap ends each line.
    x[2 : 3 * len(across) : 3] = np.nan
    y[3 * len(across) + 2 :: 3] = np.nan
    line = {"color": GREY, "width": 1}
    return [trace("scatter", x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)]


def _ring(grids: PlaneGrids, row: int) -> list[dict[str, Any]]:
    """Draw a ring around the chosen point that is visible on any colour: black with a white edge."""
    x, y = grids.points[row]
    return [
        trace(
            "scatter",
            x=[float(x)],
            y=[float(y)],
            mode="markers",
            hoverinfo="skip",
            showlegend=False,
            marker={"symbol": "circle-open", "size": size, "color": colour, "line": {"width": width}},
        )
        for colour, size, width in (("#ffffff", 19, 5), ("#111111", 19, 2.5))
    ]


def plot_shared(grids: PlaneGrids, shared: SharedBoxes, *, height: int = 446, revision: str = "") -> go.Figure:
    """Plot the share of repetitions with each point of the plane in the box of the chosen one, and the exact kernel.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    return _kernel_around(
        grids, shared.row, shared.estimate, shared.exact, "in one box %{z:.3f} of the time", height, revision
    )


def plot_mixed(grids: PlaneGrids, mixed: MixedMaps, *, height: int = 446, revision: str = "") -> go.Figure:
    """Plot the inner product of grids and waves with the chosen point, at each point of the plane, and its kernel.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    hover = "inner product %{z:.3f}"
    return _kernel_around(grids, mixed.boxes.row, mixed.estimate, mixed.exact, hover, height, revision)


def _kernel_around(
    grids: PlaneGrids, row: int, estimate: np.ndarray, kernel: np.ndarray, hover: str, height: int, revision: str
) -> go.Figure:
    x, y = grids.axes
    picture = trace(
        "heatmap",
        z=estimate.astype(np.float32),
        x=x,
        y=y,
        coloraxis="coloraxis",
        hovertemplate="(%{x:.2f}, %{y:.2f}): " + hover + "<extra></extra>",
    )
    exact = trace(
        "contour",
        z=kernel.astype(np.float32),
        x=x,
        y=y,
        showscale=False,
        hoverinfo="skip",
        contours={"coloring": "none", **_LEVELS},
        line={"color": map_style(RandomFourier).colour, "width": 1.8},
        name="exact kernel at 0.1, 0.3, …, 0.9",
        showlegend=True,
    )
    return _plane([picture, exact, *_ring(grids, row)], grids, height, revision, coloured=True)


def plot_pairs(shares: np.ndarray, order: np.ndarray, *, height: int = 446, revision: str = "") -> go.Figure:
    """Plot the share of common boxes of all pairs of points, sorted so that the boxes of one repetition are blocks.

    Parameters
    ----------
    shares : ndarray of shape (n, n)
        From :func:`rfviz.experiments.binning.compute.pair_shares`.
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    n = len(shares)
    picture = trace(
        "heatmap",
        z=shares.astype(np.float32),
        coloraxis="coloraxis",
        x0=0,
        dx=1,
        y0=0,
        dy=1,
        hovertemplate="points number %{x} and %{y}: %{z:.3f}<extra></extra>",
    )
    square = {"showgrid": False, "constrain": "domain", "range": [-0.5, n - 0.5]}
    return styled(
        [picture],
        x="points, sorted by box",
        y="points, sorted by box",
        height=height,
        revision=revision,
        coloraxis=_coloraxis(),
        margin=_MARGIN,
        xaxis=square,
        yaxis=square | {"range": [n - 0.5, -0.5], "scaleanchor": "x"},
    )


def plot_shared_error(shared: SharedBoxes, *, height: int = 330, revision: str = "") -> go.Figure:
    """Plot the RMS error of the estimate against the number of repetitions, measured and expected.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    style = map_style(RandomBinning)
    measured = trace(
        "scatter",
        x=shared.p_grid,
        y=shared.rms,
        mode="lines+markers",
        name="this draw",
        line={"color": style.colour, "width": 2.5},
        marker={"size": 7, "symbol": style.symbol},
        hovertemplate="P = %{x:,}: RMS error %{y:.3g}<extra></extra>",
    )
    expected = trace(
        "scatter",
        x=shared.p_grid,
        y=shared.predicted,
        mode="lines",
        name="expected: √(mean of k(1 − k) ÷ P)",
        line={"color": GREY, "width": 2, "dash": "dash"},
        hovertemplate="P = %{x:,}: expected %{y:.3g}<extra></extra>",
    )
    return styled(
        [measured, expected],
        x="number of grids P",
        y="RMS error",
        height=height,
        revision=revision,
        shapes=[mark("x", shared.n_repetitions)],
        xaxis=count_axis(shared.p_grid[0], shared.p_grid[-1]),
        yaxis={"type": "log", "dtick": "D2", "tickformat": ".1~g"},
    )


def plot_density(hats: HatsView, *, height: int = 330) -> go.Figure:
    """Plot the density of the pitches, as a share of its largest value.

    Parameters
    ----------
    height : int
        Pixels.
    """
    seen = hats.pitches <= 1.1 * SEEN
    x, y, colour = hats.pitches[seen], hats.heights[seen], map_style(RandomBinning).colour
    traces = [
        band(x, np.zeros_like(y), y, rgba(colour, 0.25)),
        line(x, y, colour, "solid", "density", 2.5, shown=False),
    ]
    axes = {"xaxis": {"range": [0.0, 1.1 * SEEN]}, "yaxis": {"range": [-0.1, 1.2]}}
    return styled(traces, x="pitch δ at γ = 1", y="density p ÷ largest", height=height, revision="density", **axes)


def plot_hats_kernel(hats: HatsView, *, height: int = 330) -> go.Figure:
    """Plot the kernel of one column that the mixture of hats makes.

    Parameters
    ----------
    height : int
        Pixels.
    """
    colour = map_style(RandomBinning).colour
    curve = line(hats.distances, hats.kernel, colour, "solid", "kernel", 2.5, shown=False)
    axes = {"xaxis": {"range": [0.0, SEEN]}, "yaxis": {"range": [-0.05, 1.05]}}
    return styled([curve], x="distance t at γ = 1", y="kernel k(t)", height=height, revision="hats", **axes)


# Room for a legend and a scale, whether there is one or not: two planes side by side are of one size.
_MARGIN = {"l": 64, "r": 92, "t": 52, "b": 56}


def _coloraxis() -> dict[str, Any]:
    bar = {
        "thickness": 14,
        "len": 0.85,
        "tickfont": {"size": 13},
        "title": {"text": "share", "side": "right", "font": {"size": 14}},
    }
    return {"colorscale": [list(stop) for stop in SHARES], "cmin": 0, "cmax": 1, "colorbar": bar}


def _plane(
    traces: list[dict[str, Any]], grids: PlaneGrids, height: int, revision: str, coloured: bool = False
) -> go.Figure:
    (left, right), (low, high) = ((float(axis[0]), float(axis[-1])) for axis in grids.axes)
    hidden = {"showgrid": False, "constrain": "domain"}
    more = {"coloraxis": _coloraxis()} if coloured else {}
    return styled(
        traces,
        x="x₁",
        y="x₂",
        height=height,
        revision=revision,
        margin=_MARGIN,
        xaxis=hidden | {"range": [left, right]},
        yaxis=hidden | {"range": [low, high], "scaleanchor": "x"},
        **more,
    )
