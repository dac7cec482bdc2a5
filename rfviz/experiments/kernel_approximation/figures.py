"""Figures of kernel approximation: errors against m, estimates around the diagonal, bias apart from spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.kernel_approximation.compute import CONFIDENCE, METRICS, KernelErrorResult
from rfviz.features import Look
from rfviz.figures.axes import count_axis
from rfviz.figures.density import density_image
from rfviz.figures.lines import DRAWS, M_TITLE, band, line, mark
from rfviz.figures.template import GREY, map_style, map_styles, rgba, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_kernel_bias", "plot_kernel_density", "plot_kernel_errors", "plot_kernel_spread"]

# Bounds above this many times the largest error would squeeze everything else into a strip.
_BOUND_WITHIN = 30.0


def plot_kernel_errors(
    results: Sequence[KernelErrorResult],
    metric: str = "rmse",
    *,
    at: int | None = None,
    relative: bool = True,
    references: bool = True,
    height: int = 440,
    legend: bool = True,
    revision: str = "",
) -> go.Figure:
    """Draw one measure of error against the number of features, with its band over draws and what theory predicts.

    Where all rows of a table were read, the measure over these is one more curve for each map.

    Parameters
    ----------
    results : sequence of KernelErrorResult
    metric : {"rmse", "mae", "maximum", "correlation"}
    at : int, optional
        Number of features to mark.
    relative : bool
        Whether to divide errors by the kernel's mean k(x, x).
    references : bool
        Whether to add what theory predicts, the bound and the rate 1/√m.
    height : int
        Pixels.
    revision : str
        While it stays the same, the user's zoom survives a redraw.
    """
    is_error = metric != "correlation"
    traces: list[dict[str, Any]] = []
    floor, top = np.inf, 0.0
    styles = map_styles(result.spec.cls for result in results)
    for style, result in zip(styles, results, strict=True):
        scale = result.unit if relative and is_error else 1.0
        values = result.errors.metric(metric) / scale
        named = DRAWS if not traces else ""
        traces += _curve(result, style, result.errors.average(metric) / scale, values, METRICS[metric], named)
        if result.all_rows is not None:
            over_all = result.all_rows.average(metric) / scale
            traces.append(_all_rows(result, style, over_all, METRICS[metric]))
            values = np.vstack([values, over_all])
        floor, top = np.nanmin([floor, np.nanmin(values)]), np.nanmax([top, np.nanmax(values)])
    if references and is_error:
        for style, result in zip(styles, results, strict=True):
            traces += _theory(result, style.colour, metric, result.unit if relative else 1.0, _BOUND_WITHIN * top)
        traces = _theories_named_once(traces)
        traces += _rate(results, metric, relative)
    in_per_cent = relative and is_error
    title = f"{METRICS[metric]}, % of mean k(x, x)" if in_per_cent else METRICS[metric]
    axes = _m_axes(results, at, (0.6 * floor, 1.4 * top) if is_error else None)
    if in_per_cent:
        axes["yaxis"]["tickformat"] = ".2~%"
    layout = {"showlegend": legend} | axes
    return styled(traces, x=M_TITLE, y=title, height=height, revision=revision, **layout)


def _m_axes(results: Sequence[KernelErrorResult], at: int | None, span: tuple[float, float] | None) -> dict[str, Any]:
    """Return axes against m for the layout: logarithmic where `span` is given, with a mark at one m.

    Parameters
    ----------
    results : sequence of KernelErrorResult
    at : int or None
        Number of features to mark.
    span : (low, high) or None
        Of the values.
    """
    low, high = min(r.m_grid[0] for r in results), max(r.m_grid[-1] for r in results)
    axes: dict[str, Any] = {"xaxis": count_axis(low, high)}
    if span is None:
        axes["yaxis"] = {"tickformat": ".3~g"}
    elif span[0] > 0:
        # On a narrow page the legend of all rows leaves little height for the numbers.
        has_room = span[1] < 30 * span[0] and all(r.all_rows is None for r in results)
        axes["yaxis"] = {"type": "log", "dtick": "D1" if has_room else "D2", "tickformat": ".2~g"}
    if at:
        axes["shapes"] = [mark("x", at)]
    return axes


def _curve(
    result: KernelErrorResult, style: Look, mean: np.ndarray, values: np.ndarray, title: str, named: str
) -> list[dict[str, Any]]:
    traces = []
    if len(values) > 1:
        deviation = values.std(axis=0, ddof=1)
        low = np.maximum(mean - deviation, 0.2 * np.minimum(mean, deviation))  # above zero on a logarithmic axis
        traces.append(band(result.m_grid, low, mean + deviation, rgba(style.colour, 0.18), named))
    traces.append(
        trace(
            "scatter",
            x=result.m_grid,
            y=mean,
            mode="lines+markers",
            line={"color": style.colour, "width": 2.5, "dash": style.dash},
            marker={"symbol": style.symbol, "size": 7},
            name=result.label,
            hovertemplate=f"m = %{{x:,}}: {title} %{{y:.3g}}<extra>{result.label}</extra>",
        )
    )
    return traces


def _all_rows(result: KernelErrorResult, style: Look, values: np.ndarray, title: str) -> dict[str, Any]:
    """Draw the measure over all rows: open marks, which are seen where they lie on those of the points."""
    name = f"{result.label}, all rows"
    return trace(
        "scatter",
        x=result.m_grid,
        y=values,
        mode="lines+markers",
        line={"color": style.colour, "width": 1.5, "dash": "9px 4px"},
        marker={"symbol": f"{style.symbol}-open", "size": 10, "line": {"width": 1.25}},
        name=name,
        hovertemplate=f"m = %{{x:,}}: {title} %{{y:.3g}}<extra>{name}</extra>",
    )


def _theory(result: KernelErrorResult, colour: str, metric: str, scale: float, most: float) -> list[dict[str, Any]]:
    """Draw the exact prediction of the RMSE, the normal limit of the MAE, or the bound on the maximum."""
    reference = result.reference
    known = {"rmse": reference.rmse, "mae": reference.mae, "maximum": reference.bound}[metric]
    if known is None:
        return []
    word = {"rmse": "theory", "mae": "if normal", "maximum": f"{reference.bound_name} {CONFIDENCE:.0%}"}[metric]
    inside = known / scale <= most
    if not inside.any():
        return []
    name = f"{result.label}: {word}"
    drawn = line(result.m_grid[inside], known[inside] / scale, rgba(colour, 0.9), "2px 3px", name, 2.5, shown=False)
    return [drawn | {"legendgroup": word}]


def _theories_named_once(traces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give what theory predicts one entry of the legend for all maps: one of each map would take a second line."""
    named: list[dict[str, Any]] = []
    for word in dict.fromkeys(t["legendgroup"] for t in traces if "legendgroup" in t):
        entry = trace("scatter", x=[None], y=[None], mode="lines", name=word, line={"color": GREY, "dash": "2px 3px"})
        named.append(entry | {"legendgroup": word, "hoverinfo": "skip", "showlegend": True})
    return [*traces, *named]


def _rate(results: Sequence[KernelErrorResult], metric: str, relative: bool) -> list[dict[str, Any]]:
    """Draw a line of slope −½ below the curves, to compare slopes with."""
    last = [r.errors.average(metric)[-1] / (r.unit if relative else 1.0) for r in results]
    last = [value for value in last if value > 0]
    if not last:
        return []
    ends = np.array([min(r.m_grid[0] for r in results), max(r.m_grid[-1] for r in results)], dtype=float)
    return [line(ends, 0.7 * min(last) * np.sqrt(ends[1] / ends), GREY, "dash", "slope 1/√m")]


def plot_kernel_density(
    result: KernelErrorResult, place: int, *, colour: str = "", height: int = 360, revision: str = ""
) -> go.Figure:
    """Draw the estimate against the exact kernel of every pair, as a density around the diagonal.

    Parameters
    ----------
    place : int
        Which number of features, by its place in the grid.
    colour : str
        Hexadecimal; the map's own where none is given.
    height : int
        Pixels.
    """
    d, tone = result.density, colour or map_style(result.spec.cls).colour
    x_span, y_span = (float(d.x_edges[0]), float(d.x_edges[-1])), (float(d.y_edges[0]), float(d.y_edges[-1]))
    low, high = max(d.x_edges[0], d.y_edges[0]), min(d.x_edges[-1], d.y_edges[-1])
    diagonal = line([low, high], [low, high], GREY, "solid", "estimate = kernel")
    e = result.errors
    mean = trace(
        "scatter",
        x=e.group_kernel,
        y=e.group_kernel + e.group_bias[place],
        mode="lines",
        line={"color": tone, "width": 2.5},
        name="mean estimate",
        hovertemplate="kernel %{x:.3g}: mean estimate %{y:.3g}<extra></extra>",
    )
    return styled(
        [diagonal, mean],
        x="exact kernel k(x, z)",
        y="estimate ⟨Φ(x), Φ(z)⟩",
        height=height,
        revision=revision,
        images=[density_image(d.counts[place], tone, x_span, y_span)],
        xaxis={"range": list(x_span)},
        yaxis={"range": list(y_span)},
    )


def plot_kernel_spread(
    results: Sequence[KernelErrorResult],
    *,
    at: int | None = None,
    relative: bool = True,
    height: int = 400,
    revision: str = "",
) -> go.Figure:
    """Draw spread over draws, and bias, against the number of features.

    The bias is drawn only where it exceeds twice what chance gives an unbiased estimate of that number of draws; that
    level is the dotted line.

    Parameters
    ----------
    results : sequence of KernelErrorResult
    at : int, optional
        Number of features to mark.
    relative : bool
        Whether to divide by the kernel's mean k(x, x).
    height : int
        Pixels.
    """
    traces, smallest = [], np.inf
    styles = map_styles(result.spec.cls for result in results)
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
                marker={"symbol": style.symbol, "size": 11, "color": colour, "line": {"width": 1.5, "color": "white"}},
                name=f"{result.label}: bias",
                showlegend=bool(found.any()),
                hovertemplate=f"m = %{{x:,}}: bias %{{y:.3g}}<extra>{result.label}</extra>",
            )
        )
        smallest = min(smallest, float(level.min()))
    title = "RMS over pairs" + (" ÷ mean k(x, x)" if relative else "")
    axes = _m_axes(results, at, (smallest, 1e3 * smallest) if np.isfinite(smallest) else None)
    return styled(traces, x=M_TITLE, y=title, height=height, revision=revision, **axes)


def plot_kernel_bias(
    result: KernelErrorResult, place: int, *, colour: str = "", height: int = 360, revision: str = ""
) -> go.Figure:
    """Draw the mean error over the draws against the exact kernel, with the spread of one estimate.

    Parameters
    ----------
    place : int
        Which number of features, by its place in the grid.
    colour : str
        Hexadecimal; the map's own where none is given.
    height : int
        Pixels.
    """
    tone, e = colour or map_style(result.spec.cls).colour, result.errors
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
