"""Charts of distance saturation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from rfviz.experiments.distance_saturation.compute import SATURATION_SHARE, SaturationCurve, SaturationResult, SeedBand
from rfviz.features import Look
from rfviz.figures.density import density_image
from rfviz.figures.lines import band
from rfviz.figures.template import GREY, rgba, series_styles, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_saturation"]

# A curve that is wrong looks like no other.
_WRONG = "#c0392b"
# Curves up to which each radius is written next to its mark.
_FEW = 3
# The share of the axis to the right of which words have no room in a narrow window.
_RIGHT = 0.55
# What a line of words takes of a low chart's height.
_LINE = 0.075


def plot_saturation(
    result: SaturationResult, *, as_printed: bool = True, height: int = 560, over_seeds: SeedBand | None = None
) -> go.Figure:
    """Plot embedded against input distance: pairs as density, the exact law with its band, slope, plateau and radius.

    Parameters
    ----------
    as_printed : bool
        Whether to add the curve of the paper's formula where it is wrong.
    height : int
        Pixels.
    over_seeds : SeedBand, optional
        The mean position of the first cloud over seeds.
    """
    reach, top = float(result.x_edges[-1]), float(result.y_edges[-1])
    first = result.curves[0].exact
    slope = first.slope if first else 1.0
    # The feature distances of a kernel with a cusp rise vertically: there is no regime in which they are kept.
    traces: list[Any] = [_slope_line(result, slope)] if np.isfinite(slope) else []
    styles = series_styles(result.cls, len(result.curves))
    printed = {c.label: c.exact.as_printed for c in result.curves if as_printed and c.exact}
    wrong = {label: values for label, values in printed.items() if values is not None}
    for curve, style in zip(result.curves, styles, strict=True):
        traces += _law(result, curve, style, as_printed, named=curve.label == next(iter(wrong), None))
    # All of a refuted curve, which ends far above the pairs, and all plateaus: whatever the number of features, so that
    # the axis stays while that is moved.
    limits = [curve.saturation for curve in result.curves]
    highest = max([top, *(1.12 * limit.plateau for limit in limits if limit)])
    highest = max([highest, *(1.05 * float(np.nanmax(values)) for values in wrong.values())])
    traces += _limits(result, styles, highest)
    if over_seeds is not None:
        traces += _average(over_seeds)
    return styled(
        traces,
        x="distance of points, ‖x − z‖",
        y="distance of features, ‖Φ(x) − Φ(z)‖",
        height=height,
        revision=f"{result.dataset}-{reach}-{bool(wrong)}",
        # Plotly takes images in one place for one image; a billionth of the axis tells them apart.
        images=[
            density_image(curve.counts, styles[index].colour, (-1e-9 * index * reach, reach), (0.0, top))
            for index, curve in enumerate(result.curves)
        ],
        xaxis={"range": [0, reach]},
        yaxis={"range": [0, highest]},
        margin={"r": 64 if any(limits) else 24},
    )


def _slope_line(result: SaturationResult, slope: float) -> dict[str, Any]:
    """Draw the line that distances would follow if the map kept them: the slope of the first map's linear regime."""
    end = min(result.x_edges[-1], result.y_edges[-1] / slope)
    return trace(
        "scatter",
        x=[0, end],
        y=[0, slope * end],
        mode="lines",
        line={"color": GREY, "width": 1.5, "dash": "dot"},
        name=f"slope {slope:.3g}: " + ("the linear regime" if result.curves[0].exact else "equal distances"),
        hoverinfo="skip",
    )


def _law(result: SaturationResult, curve: SaturationCurve, style: Look, as_printed: bool, named: bool) -> list[Any]:
    colour = style.colour
    line = {"color": colour, "width": 3, "dash": style.dash}
    exact = curve.exact
    if exact is None:
        centres = 0.5 * (result.x_edges[:-1] + result.x_edges[1:])
        name = f"{curve.label}: exact mean over the pairs"
        if curve.mean_expected is None:  # an exact kernel that would take minutes
            return []
        return [trace("scatter", x=centres, y=curve.mean_expected, mode="lines", line=line, name=name)]
    name = f"{curve.label}: ± 1 s.d."
    traces = [band(result.grid, exact.low, exact.high, rgba(colour, 0.2)) | {"name": name}]
    traces.append(
        trace(
            "scatter",
            x=result.grid,
            y=exact.expected,
            mode="lines",
            line=line,
            name=f"{curve.label}: expected ± 1 s.d.",
            hovertemplate="%{x:.3f} → %{y:.3f}<extra>" + curve.label + "</extra>",
        )
    )
    if as_printed and exact.as_printed is not None:
        traces.append(
            trace(
                "scatter",
                x=result.grid,
                y=exact.as_printed,
                mode="lines",
                line={"color": _WRONG, "width": 2.5, "dash": "dot"},
                name="Theorem 1 as printed (wrong)",
                legendgroup="as printed",
                showlegend=named,
                hovertemplate="%{x:.3f} → %{y:.3f}<extra>as printed</extra>",
            )
        )
    return traces


def _average(seeds: SeedBand) -> list[Any]:
    """Draw the mean position of the pairs over seeds, with its spread."""
    known = np.isfinite(seeds.mean)
    x, low, high = seeds.x[known], seeds.low[known], seeds.high[known]
    line = {"color": rgba(GREY, 0.9), "width": 1}
    edges = trace(
        "scatter",
        x=np.concatenate([x, [np.nan], x]),
        y=np.concatenate([low, [np.nan], high]),
        mode="lines",
        line=line,
        hoverinfo="skip",
        name=f"the pairs of {seeds.n_seeds} seeds: mean ± 1 s.d.",
    )
    return [edges]


class _Limit(NamedTuple):
    """Where a curve of the chart saturates."""

    style: Look
    label: str
    plateau: float
    radius: float


def _limits(result: SaturationResult, styles: list[Look], highest: float) -> list[Any]:
    """Draw the plateaus as thin lines with their values, and the saturation radii as symbols.

    Three traces for all curves: each one more costs the browser half a millisecond a redraw.
    """
    end, top = float(result.x_edges[-1]), float(result.y_edges[-1])
    limited = [
        _Limit(style, c.label, c.exact.saturation.plateau, c.exact.saturation.radius)
        for style, c in zip(styles, result.curves, strict=True)
        if c.exact is not None and c.exact.saturation is not None
    ]
    if not limited:
        return []
    quiet = {"hoverinfo": "skip", "showlegend": False}
    y = np.array([[limit.plateau, limit.plateau, np.nan] for limit in limited]).ravel()
    line = {"color": rgba(GREY, 0.8), "width": 1, "dash": "dot"}
    traces = [trace("scatter", x=np.tile([0.0, end, np.nan], len(limited)), y=y, mode="lines", line=line, **quiet)]
    # Beside the chart, each at its own line, in the order of the lines: nothing else is there.
    rising = sorted(limited, key=lambda limit: limit.plateau)
    gap = _LINE * highest
    places = np.arange(len(rising)) * gap
    heights = isotonic_regression(np.array([limit.plateau for limit in rising]) - places).x + places
    heights = [*heights, heights[-1] + gap]  # of their heading
    colours = [*(limit.style.colour for limit in rising), GREY]
    traces.append(
        trace(
            "scatter",
            x=[end] * len(heights),
            y=np.array(heights) - max(heights[-1] + 0.5 * gap - highest, 0.0),
            mode="text",
            text=[*(f" <b>{limit.plateau:.3f}</b>" for limit in rising), " plateau"],
            textposition="middle right",
            textfont={"color": colours, "size": 14},
            cliponaxis=False,
            **quiet,
        )
    )
    return traces + _radii([limit for limit in limited if limit.radius <= end], end, top)


def _radii(limits: list[_Limit], end: float, top: float) -> list[Any]:
    if not limits:
        return []
    # Of many curves the words would lie on each other; there the pointer says them.
    mode = "markers+text" if len(limits) <= _FEW else "markers"
    # Below its symbol, or above it where the symbol of a lower curve is near, whose own words are below, and where a
    # narrow window has no room to its right.
    above = [
        limit.radius > _RIGHT * end
        or any(0 < limit.plateau - o.plateau < 0.1 * top and abs(limit.radius - o.radius) < 0.2 * end for o in limits)
        for limit in limits
    ]
    colours = [limit.style.colour for limit in limits]
    marker = {
        "symbol": [limit.style.symbol for limit in limits],
        "size": 13,
        "color": colours,
        "line": {"width": 2, "color": "white"},
    }
    return [
        trace(
            "scatter",
            x=[limit.radius for limit in limits],
            y=[SATURATION_SHARE * limit.plateau for limit in limits],
            mode=mode,
            marker=marker,
            text=[f"<b>radius {limit.radius:.2f}</b>" for limit in limits],
            textposition=["top left" if is_above else "bottom right" for is_above in above],
            textfont={"color": colours, "size": 14},
            showlegend=False,
            customdata=[limit.label for limit in limits],
            hovertemplate="%{customdata}: at input distance %{x:.3f} the map has reached "
            f"{SATURATION_SHARE:.0%} of its plateau<extra></extra>",
        )
    ]
