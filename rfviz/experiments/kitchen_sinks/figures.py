"""Charts of random features and AdaBoost: error, seconds, seconds to an error, and the largest weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.kitchen_sinks.approximation import DELTA, Distances
from rfviz.experiments.kitchen_sinks.compute import JOINT, PURSUIT, Curve
from rfviz.experiments.kitchen_sinks.constraint import C_GRID, ConstrainedErrors
from rfviz.experiments.kitchen_sinks.weights import WeightDecay
from rfviz.features import FeatureMap, Look
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import DRAWS, band, line
from rfviz.figures.template import GREY, map_style, map_styles, rgba, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "BANDS_AT_ONCE",
    "plot_constraint",
    "plot_distances",
    "plot_error",
    "plot_reach",
    "plot_seconds",
    "plot_tail",
    "plot_weights",
]

#: Bands that a chart shows before the user asks: more cover each other, and the curves.
BANDS_AT_ONCE = 2
K_TITLE = "number of features or stumps K"
_LOG, _STEPS = {"type": "log"}, {"dtick": "D2"}
_FEW_TICKS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
_TICKS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
# AdaBoost draws no features, so it has no colour of a map.
_ADABOOST = Look(GREY, "solid", "x")
_RIVALS = {PURSUIT: Look(GREY, "dash", "triangle-up-open"), JOINT: Look(GREY, "dashdot", "star-open")}
_SHARED, _TOGETHER = Look(GREY, "dash", "square-open"), "equal features together"


def plot_error(curves: Sequence[Curve], k_max: int, *, height: int = 430, revision: str = "") -> go.Figure:
    """Draw the test error against K, with one standard deviation over the draws.

    The bands of more than :data:`BANDS_AT_ONCE` curves wait for a click on their entry of the legend.

    Parameters
    ----------
    curves : sequence of Curve
    k_max : int
        End of the axis, which stands still while points arrive.
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces, bands, upper = [], [], []
    for curve, style in _styled_curves(curves):
        k, error, spread = (curve.frame[name].to_numpy(float) for name in ("K", "error", "s.d."))
        if (spread > 0).any():
            upper.append(100 * (error + spread))
            low = 100 * np.maximum(error - spread, 0.2 * error)
            of = band(k, low, 100 * (error + spread), rgba(style.colour, 0.15), "" if upper[1:] else DRAWS)
            bands.append(of | {"legendgroup": DRAWS})
        traces.append(_line(k, 100 * error, curve.label, style, "K = %{x:,}: %{y:.3g}%"))
    errors = np.concatenate([*(100 * c.frame["error"].to_numpy(float) for c in curves), *upper, np.zeros(0)])
    if len(bands) > BANDS_AT_ONCE:
        bands = [of | {"visible": "legendonly"} for of in bands]
    return styled(
        [*bands, *traces],
        x=K_TITLE,
        y="test error, %",
        height=height,
        revision=revision,
        xaxis=_k_axis(k_max),
        yaxis=_error_axis(errors),
    )


def plot_seconds(curves: Sequence[Curve], k_max: int, *, height: int = 430, revision: str = "") -> go.Figure:
    """Draw the seconds to train and test against K; see :func:`plot_error` for the parameters.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces = []
    for curve, style in _styled_curves(curves):
        frame = curve.measured
        hover = "K = %{x:,}: %{y:.3g} s"
        traces.append(_line(frame["K"].to_numpy(), frame["total"].to_numpy(), curve.label, style, hover))
    up = _LOG | _STEPS | {"tickformat": ".1~g"}
    return styled(
        traces,
        x=K_TITLE,
        y="seconds to train and test",
        height=height,
        revision=revision,
        xaxis=_k_axis(k_max),
        yaxis=up,
    )


def plot_reach(curves: Sequence[Curve], *, height: int = 430, revision: str = "") -> go.Figure:
    """Draw the seconds after which an error is reached, as stairs: harder errors are to the right.

    See :func:`plot_error` for the parameters.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces, errors = [], [np.zeros(0)]
    for curve, style in _styled_curves(curves):
        error, seconds = curve.staircase()
        errors.append(100 * error)
        line = _line(100 * error, seconds, curve.label, style, "%{x:.3g}% after %{y:.3g} s")
        line["line"]["shape"] = "vh"
        traces.append(line)
    across = _error_axis(np.concatenate(errors))
    if across.get("range"):
        across = across | {"range": across["range"][::-1]}
    up = _LOG | {"tickformat": ".3~g", "dtick": 1}
    title = "test error, % (smaller to the right)"
    return styled(traces, x=title, y="seconds to reach it", height=height, revision=revision, xaxis=across, yaxis=up)


def plot_weights(
    decay: WeightDecay, cls: type[FeatureMap], label: str, *, height: int = 430, revision: str = ""
) -> go.Figure:
    """Draw the largest weight against K: the median over runs, two thirds of the runs, and C/K.

    Where features repeat each other, also the largest weight of all equal ones together.

    Parameters
    ----------
    cls : type of FeatureMap
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    style = map_style(cls)
    low, median, high = decay.quantiles
    k = decay.k_grid.astype(float)
    reference = trace(
        "scatter",
        x=k,
        y=decay.reference,
        mode="lines",
        name="C/K",
        hoverinfo="skip",
        line={"color": GREY, "width": 1.5, "dash": "dot"},
    )
    spread = [band(k, low, high, rgba(style.colour, 0.15), "two thirds of the runs")] if len(decay.norms) > 1 else []
    curve = _line(k, median, f"{label}, median of {len(decay.norms)} runs", style, "K = %{x:,}: %{y:.3g}")
    together = decay.of_forms
    shared = [] if together is None else [_line(k, together, _TOGETHER, _SHARED, "K = %{x:,}: %{y:.3g}")]
    top = high.max() if together is None else max(high.max(), together.max())
    span = [float(v) for v in np.log10([0.7 * low.min(), 1.4 * top])]
    up = _LOG | _STEPS | {"tickformat": ".2~g", "range": span}
    return styled(
        [reference, *spread, *shared, curve],
        x="number of features K",
        y="largest weight ‖α‖<sub>∞</sub>",
        height=height,
        revision=revision,
        xaxis=_k_axis(int(k[-1]), int(k[0])),
        yaxis=up,
    )


def plot_constraint(
    found: ConstrainedErrors, cls: type[FeatureMap], label: str, *, height: int = 430, revision: str = ""
) -> go.Figure:
    """Draw the test error against the C of weights of at most C/K, next to that without a constraint.

    Parameters
    ----------
    cls : type of FeatureMap
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    style = map_style(cls)
    c, error, spread = np.array(C_GRID), 100 * found.errors, 100 * found.spread
    free = trace(
        "scatter",
        x=c,
        y=np.full(len(c), 100 * found.free_error),
        mode="lines",
        name="without a constraint",
        line={"color": GREY, "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:.3g}%<extra>without a constraint</extra>",
    )
    low, high = np.maximum(error - spread, 0.2 * error), error + spread
    around = [band(c, low, high, rgba(style.colour, 0.15), DRAWS)] if (spread > 0).any() else []
    curve = _line(c, error, label, style, "C = %{x:g}: %{y:.3g}%, %{customdata:.0%} of the weights at ±C/K")
    curve["customdata"] = found.at_border
    return styled(
        [free, *around, curve],
        x="C: weights are at most C/K",
        y="test error, %",
        height=height,
        revision=revision,
        xaxis=_LOG | {"tickformat": "~g", "dtick": 1},
        yaxis=_error_axis(np.concatenate([low, high, [100 * found.free_error]])),
    )


def plot_distances(
    found: Distances, cls: type[FeatureMap], label: str, *, height: int = 430, revision: str = ""
) -> go.Figure:
    """Draw the distance of means of K features from the function of the class against K, with Lemma 1's bound.

    Parameters
    ----------
    cls : type of FeatureMap
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    style, k, means = map_style(cls), found.k_grid.astype(float), found.means
    low, high = means.min(axis=0), means.max(axis=0)
    scale = line(k, found.scale, GREY, "dot", "C/√K")
    bound = line(k, found.bound, GREY, "dash", f"bound of Lemma 1, δ = {DELTA:g}")
    around = band(k, low, high, rgba(style.colour, 0.15), "all draws")
    mean = _line(k, means.mean(axis=0), f"{label}, mean of K", style, "K = %{x:,}: %{y:.3g}")
    nearest = _line(k, found.nearest, "nearest with weights ≤ C/K", _SHARED, "K = %{x:,}: %{y:.3g}")
    span = [float(v) for v in np.log10([0.7 * min(low.min(), found.nearest.min()), 1.3 * found.bound.max()])]
    return styled(
        [around, bound, scale, nearest, mean],
        x="number of features K",
        y="distance ‖f̂ − f*‖",
        height=height,
        revision=revision,
        xaxis=_k_axis(int(k[-1]), int(k[0])),
        yaxis=_LOG | {"dtick": 1, "tickformat": ".2~g", "range": span},
    )


def plot_tail(
    found: Distances, cls: type[FeatureMap], label: str, *, height: int = 360, revision: str = ""
) -> go.Figure:
    """Draw the share of draws that are further than t·C/√K from the function, next to the share that Lemma 4 allows.

    Parameters
    ----------
    cls : type of FeatureMap
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    frame, style = found.tail_frame(), map_style(cls)
    t = frame["distance · √K/C"].to_numpy()
    allowed = line(t, frame["share allowed"].to_numpy(), GREY, "dash", "allowed by Lemma 4")
    shown = line(t, frame["share of draws"].to_numpy(), style.colour, "solid", f"{label}, draws further away", 2.5)
    return styled(
        [allowed, shown],
        x="t: distance in units of C/√K",
        y="share of draws",
        height=height,
        revision=revision,
        xaxis={"range": [0.0, 4.5]},
        yaxis={"tickformat": ".0%", "range": [-0.02, 1.05]},
    )


def _styled_curves(curves: Sequence[Curve]) -> list[tuple[Curve, Look]]:
    looks = iter(map_styles(curve.cls for curve in curves if curve.cls is not None))
    return [(curve, _RIVALS.get(curve.label, _ADABOOST) if curve.cls is None else next(looks)) for curve in curves]


def _line(x: Any, y: Any, label: str, style: Look, hover: str) -> dict[str, Any]:
    return trace(
        "scatter",
        x=x,
        y=y,
        mode="lines+markers",
        name=label,
        showlegend=True,
        line={"color": style.colour, "width": 2.5, "dash": style.dash},
        marker={"symbol": style.symbol, "size": 8},
        hovertemplate=f"{hover}<extra>{label}</extra>",
    )


def _k_axis(k_max: int, k_min: int = 1) -> dict[str, Any]:
    return count_axis(k_min, k_max, slack=0.15)


def _error_axis(errors: np.ndarray) -> dict[str, Any]:
    positive = errors[errors > 0]
    if not len(positive):
        return _LOG | _STEPS | {"tickformat": ".3~g", "range": [0.0, 2.0]}  # no points yet
    low, high = 0.9 * positive.min(), 1.1 * positive.max()
    axis = _LOG | {"tickformat": ".3~g", "range": [float(np.log10(low)), float(np.log10(high))]}
    if high > 20 * low:
        return axis | _STEPS
    # Within less than a power of ten Plotly's own ticks are one or two.
    decade = 10.0 ** np.floor(np.log10(low))
    ticks = np.outer([decade, 10 * decade], _TICKS if high < 3 * low else _FEW_TICKS).ravel()
    return axis | {"tickmode": "array", "tickvals": ticks[(ticks >= low) & (ticks <= high)].round(6).tolist()}
