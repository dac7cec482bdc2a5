"""Figures of learning curves: errors against m, the map of n and m, spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.figures.axes import count_axis
from rfviz.figures.lines import DRAWS, M_TITLE, band, line, mark
from rfviz.figures.template import COLOURS, GREY, SEQUENCE, map_style, rgba, styled
from rfviz.figures.traces import trace
from rfviz.words import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.experiments.learning_curve.experiment import CurveMap, CurveResult, Spectra
    from rfviz.theory import KernelSpectrum

__all__ = ["plot_curve", "plot_map", "plot_spectrum"]

_ERROR = "squared error ÷ variance"
# The peak is cut off at this multiple of the median error, or of 1, that of the mean.
_CUT = 2.2
# Of the colours of the map.
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def plot_curve(result: CurveResult, *, at: int | None = None, height: int = 440, revision: str = "") -> go.Figure:
    """Draw measured errors as dots, predicted ones as lines, and cut off the peak with its value written at it.

    Parameters
    ----------
    at : int, optional
        The number of features to mark.
    height : int
        Pixels.
    revision : str
        While it stays the same, the user's zoom survives a redraw.
    """
    style, m, mean = map_style(result.spec.cls), result.m_grid, result.test.mean(axis=0)
    top = _CUT * max(1.0, float(np.median(mean)))
    traces: list[dict[str, Any]] = []
    if len(result.test) > 1:
        spread = result.test.std(axis=0, ddof=1)
        low, high = np.clip(mean - spread, 0.0, top), np.clip(mean + spread, 0.0, 1.5 * top)
        traces.append(band(m, low, high, rgba(style.colour, 0.18), DRAWS))
    for name, values, colour, symbol in (
        ("test error, measured", mean, style.colour, style.symbol),
        ("training error, measured", result.train.mean(axis=0), GREY, "circle-open"),
    ):
        traces.append(
            trace(
                "scatter",
                x=m,
                y=values,
                mode="markers",
                name=name,
                marker={"color": colour, "symbol": symbol, "size": 8},
                hovertemplate="m = %{x:,}: %{y:.3g}<extra>" + name + "</extra>",
            )
        )
    if (prediction := result.prediction) is not None:
        sure = np.where(prediction.is_reliable, prediction.test, np.nan)
        traces.append(line(prediction.m_grid, prediction.test, style.colour, "solid", "predicted", 1.0, shown=False))
        traces.append(line(prediction.m_grid, sure, style.colour, "solid", "predicted from the kernel", 2.5))
        traces.append(line(prediction.m_grid, prediction.train, GREY, "dash", "training error, predicted"))
        ends = np.array([m[0], m[-1]])
        traces.append(line(ends, np.full(2, result.exact), COLOURS[2], "dashdot", "exact kernel, measured"))
    notes = []
    worst = int(mean.argmax())
    if mean[worst] > top:
        words = {"text": f"{number(mean[worst], 2)} at m = {m[worst]:,}", "showarrow": False, "font": {"size": 13}}
        # Above the axes, where no curve runs through it.
        notes.append(words | {"x": float(np.log10(m[worst])), "y": 1.0, "yref": "paper", "yanchor": "bottom"})
    shapes = [mark("x", result.n)]
    if at:
        shapes.append(mark("x", at) | {"line": {"color": style.colour, "width": 1.5, "dash": "dash"}})
    return styled(
        traces,
        x=M_TITLE,
        y=_ERROR,
        height=height,
        revision=revision,
        xaxis=count_axis(int(m[0]), int(m[-1])),
        yaxis={"range": [0.0, top]},
        shapes=shapes,
        annotations=notes,
    )


def plot_map(grid: CurveMap, n: int, is_tuned: bool, *, height: int = 420, revision: str = "") -> go.Figure:
    """Draw predicted errors over n and m, the ridge m = n, and where features are enough.

    Parameters
    ----------
    n : int
        The rows of the curve above, which are marked.
    """
    shown = np.log10(np.clip(grid.error, 1e-3, 10.0))
    cells = trace(
        "heatmap",
        x=grid.m,
        y=grid.n,
        z=shown,
        customdata=grid.error,
        colorscale=[list(stop) for stop in SEQUENCE],
        zmin=float(shown.min()),
        zmax=float(shown.max()),
        colorbar={
            "title": {"text": "test error"},
            "tickvals": [float(np.log10(tick)) for tick in _TICKS],
            "ticktext": [f"{tick:g}" for tick in _TICKS[:-1]] + ["10 or more"],
        },
        hovertemplate="n = %{y:,}, m = %{x:,}: %{customdata:.3g}<extra></extra>",
    )
    ends = np.array([max(grid.n[0], grid.m[0]), min(grid.n[-1], grid.m[-1])])
    traces = [
        cells,
        line(ends, ends, GREY, "dot", "m = n", 2.0),
        line(grid.needed, grid.n, COLOURS[1], "solid", "within 5% of the exact kernel", 2.5),
    ]
    return styled(
        traces,
        x=M_TITLE,
        y="training rows n",
        height=height,
        revision=revision,
        xaxis=count_axis(int(grid.m[0]), int(grid.m[-1]), 0.0),
        yaxis=count_axis(int(grid.n[0]), int(grid.n[-1]), 0.0),
        shapes=[mark("y", n)],
    )


def plot_spectrum(
    spectrum: KernelSpectrum, spectra: Spectra, label: str, *, height: int = 400, revision: str = ""
) -> go.Figure:
    """Draw eigenvalues of the kernel and of its estimates, and the target's power, on logarithmic axes."""
    power = spectrum.power / spectrum.variance
    edges = np.unique(np.round(np.geomspace(1, len(power) + 1, 41)).astype(int))
    means = np.add.reduceat(power, edges[:-1] - 1) / np.diff(edges)
    middle = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    traces = [
        trace(
            "scatter",
            x=middle,
            y=means,
            mode="markers",
            name="target’s power, share for each eigenvector",
            marker={"color": rgba(GREY, 0.8), "symbol": "x", "size": 6},
            hovertemplate="rank %{x:.0f}: %{y:.2g} of the target<extra></extra>",
        )
    ]
    for place, (m, values) in enumerate(spectra.estimates.items()):
        ranks = np.arange(1, len(values) + 1)
        colour, dash = COLOURS[place % len(COLOURS)], ("dot", "dash", "dashdot")[place % 3]
        traces.append(line(ranks, values, colour, dash, f"estimate by m = {m:,}", 2.0))
    traces.append(line(np.arange(1, len(spectra.exact) + 1), spectra.exact, GREY, "solid", "exact kernel", 2.5))
    low = max(float(spectra.exact[-1]), 1e-8 * float(spectra.exact[0]))
    return styled(
        traces,
        x="rank of the eigenvalue",
        y="eigenvalue",
        height=height,
        revision=revision,
        xaxis=count_axis(1, len(spectra.exact)),
        yaxis={"type": "log", "range": [float(np.log10(low)) - 0.3, float(np.log10(spectra.exact[0])) + 0.3]}
        | {"exponentformat": "power"},
    )
