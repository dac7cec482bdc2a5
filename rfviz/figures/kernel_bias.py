"""Bias of a kernel estimate apart from its spread: against m, and against the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rfviz.analysis.kernel_error import KernelErrorResult
from rfviz.features import map_class
from rfviz.figures.kernel_error import m_axes
from rfviz.figures.lines import M_TITLE, band, line
from rfviz.figures.quick import trace
from rfviz.figures.template import GREY, map_style, map_styles, rgba, styled

__all__ = ["plot_kernel_bias", "plot_kernel_spread"]


def plot_kernel_spread(
    results: Sequence[KernelErrorResult], *, at: int | None = None, relative: bool = True, height: int = 400,
    revision: str = "",
) -> go.Figure:  # fmt: skip
    """Spread over draws, and bias, against the number of features.

    The bias is drawn only where it exceeds twice what chance gives an unbiased estimate of so few draws; that level is
    the dotted line.

    Parameters
    ----------
    results : sequence of KernelErrorResult
    at : int, optional
        Number of features to mark.
    relative : bool
        Whether to divide by the kernel's mean k(x, x).
    height : int
        Pixels.
    revision : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces, smallest = [], np.inf
    styles = map_styles(map_class(result.scheme) for result in results)
    for style, result in zip(styles, results, strict=True):
        colour, e = style.colour, result.errors
        scale = result.unit if relative else 1.0
        if not np.isfinite(e.spread).all():
            continue
        spread, level = e.spread / scale, np.sqrt(2.0 * e.chance) / scale
        traces.append(line(result.m_grid, spread, colour, "solid", f"{result.label}: spread", 2.5))
        traces.append(line(result.m_grid, level, rgba(colour, 0.8), "2px 3px", f"{result.label}: bias by chance"))
        if result.reference.bias is not None:
            exact = result.reference.bias / scale
            traces.append(line(result.m_grid, exact, rgba(colour, 0.8), "dashdot", f"{result.label}: exact bias", 2))
        found = e.bias_squared > 2.0 * e.chance
        traces.append(
            trace(
                "scatter",
                x=result.m_grid[found],
                y=np.sqrt(e.bias_squared[found]) / scale,
                mode="markers",
                marker={"symbol": style.symbol, "size": 11, "color": colour,
                        "line": {"width": 1.5, "color": "white"}},
                name=f"{result.label}: bias",
                showlegend=bool(found.any()),
                hovertemplate=f"m = %{{x:,}}: bias %{{y:.3g}}<extra>{result.label}</extra>",
            )
        )  # fmt: skip
        smallest = min(smallest, float(level.min()))
    title = "RMS over pairs" + (" ÷ mean k(x, x)" if relative else "")
    axes = m_axes(results, at, (smallest, 1e3 * smallest) if np.isfinite(smallest) else None)
    return styled(traces, x=M_TITLE, y=title, height=height, revision=revision, **axes)


def plot_kernel_bias(
    result: KernelErrorResult, place: int, *, colour: str = "", height: int = 360, revision: str = ""
) -> go.Figure:
    """Mean error over the draws against the exact kernel, beside the spread of one estimate.

    Parameters
    ----------
    result : KernelErrorResult
    place : int
        Which number of features, by its place in the grid.
    colour : str
        Hexadecimal; the scheme's own where none is given.
    height : int
        Pixels.
    revision : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    tone, e = colour or map_style(map_class(result.scheme)).colour, result.errors
    x, bias = e.group_kernel, e.group_bias[place]
    traces = []
    if result.n_draws > 1:
        spread, error = e.group_spread[place], e.group_error[place]
        traces.append(band(x, -spread, spread, rgba(GREY, 0.22)) | {"name": "± spread of one draw", "showlegend": True})
        sure = band(x, bias - 2 * error, bias + 2 * error, rgba(tone, 0.3))
        traces.append(sure | {"name": "± 2 standard errors", "showlegend": True})
    mean = line(x, bias, tone, "solid", "mean error over draws", 2.5)
    traces += [mean, line([x[0], x[-1]], [0, 0], GREY, "solid", "unbiased", 1, shown=False)]
    return styled(traces, x="exact kernel k(x, z)", y="estimate − kernel", height=height, revision=revision)
