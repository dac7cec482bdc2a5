"""Figures of guarantees: bounds and measurements, of the kernel estimate and of learning, against m."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.bounds import RiskBound
from rfviz.experiments.guarantees.compute import ABOUT, Comparison, Curve
from rfviz.experiments.guarantees.function import ApproximatedFunction
from rfviz.experiments.guarantees.risk import MeasuredRisk
from rfviz.figures.lines import DRAWS, M_TITLE, band, line, mark
from rfviz.figures.template import COLOURS, GREY, SYMBOLS, rgba, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.experiments.guarantees.complexity import Complexity

__all__ = ["plot_complexity", "plot_function", "plot_guarantees", "plot_risk"]

# Of several bounds on one thing, the sharpest first.
_BOUND_DASHES = ("dash", "longdashdot", "6px 3px")
_EXPECTED = "2px 3px"


def plot_guarantees(
    comparison: Comparison,
    *,
    shown: Sequence[str] = ABOUT,
    at: int | None = None,
    largest: float | None = None,
    height: int = 540,
    revision: str = "",
) -> go.Figure:
    """Draw the error against the number of features: measured, expected and guaranteed, and the user's ε.

    Parameters
    ----------
    shown : sequence of str
        Of :data:`rfviz.experiments.guarantees.compute.ABOUT`.
    at : int, optional
        Number of features to mark.
    largest : float, optional
        The largest error there can be: above it a bound says nothing.
    height : int
        Pixels.
    """
    curves = [c for c in comparison.curves if c.about in shown and len(c.m)]
    traces, seen = [], {}
    for curve in curves:
        place = seen.setdefault((curve.about, curve.kind), [])
        traces.append(_curve(curve, len(place)))
        place.append(curve)
    traces += _explained({curve.kind for curve in curves}, any(curve.beyond for curve in curves))
    traces += [_continued(curve, comparison.eps) for curve in curves if curve.beyond]
    traces += [_crossing(curve, comparison.eps) for curve in curves if np.isfinite(curve.features)]
    right = max([float(c.m[-1]) for c in curves] + [1e3])
    x_range = [float(np.log10(0.9 * comparison.measured.m_grid[0])), float(np.log10(1.1 * right))]
    lowest = min([float(c.error[c.error > 0].min()) for c in curves if c.kind == "measured"] + [comparison.eps])
    top = 5.0 * (largest or max([float(c.error[0]) for c in curves] + [1.0]))
    axes = {
        "xaxis": {"type": "log", "dtick": 1, "range": x_range, "tickformat": "~s"},
        "yaxis": {"type": "log", "dtick": 1, "range": [float(np.log10(0.5 * lowest)), float(np.log10(top))]},
    }
    shapes = [mark("y", comparison.eps)] + ([mark("x", at)] if at else [])
    notes = [_after(comparison.eps, "ε")]
    if largest:
        shapes.append(_vacuous(largest, 1e6))
        notes.append(_note(top, f"useless here: no error is above {largest:g}", "top"))
    title = f"{100 * (1 - comparison.delta):g}% quantile of the error"
    return styled(
        traces, x=M_TITLE, y=title, height=height, revision=revision, shapes=shapes, annotations=notes, **axes
    )


def _curve(curve: Curve, place: int) -> dict[str, Any]:
    number = ABOUT.index(curve.about)
    colour, name = COLOURS[number], f"{curve.about}: {curve.name}"
    if curve.kind != "measured":
        if curve.kind == "expected":  # the legend has one entry for all
            return line(curve.m, curve.error, colour, _EXPECTED, name, 2.5, shown=False)
        return line(curve.m, curve.error, colour, _BOUND_DASHES[place % len(_BOUND_DASHES)], name, 2.0)
    return _measured(curve.m, curve.error, number, name)


def _explained(kinds: set[str], beyond: bool) -> list[dict[str, Any]]:
    """Return entries of the legend for what looks alike on all curves: the normal approximation, what goes on."""
    nowhere = {"x": [None], "y": [None], "hoverinfo": "skip", "showlegend": True}
    found = []
    if "expected" in kinds:
        dotted = {"color": GREY, "width": 2.5, "dash": _EXPECTED}
        found.append(trace("scatter", mode="lines", name="normal approximation", line=dotted, **nowhere))
    if beyond:
        thin, ring = {"color": GREY, "width": 1, "dash": "dot"}, _ring(GREY, is_known=False)
        found.append(trace("scatter", mode="lines+markers", name="extrapolated", line=thin, marker=ring, **nowhere))
    return found


def _measured(m: np.ndarray, values: np.ndarray, number: int, name: str) -> dict[str, Any]:
    return trace(
        "scatter",
        x=m,
        y=values,
        mode="lines+markers",
        name=name,
        line={"color": COLOURS[number], "width": 2.5},
        marker={"symbol": SYMBOLS[number], "size": 7},
        hovertemplate=f"m = %{{x:,}}: %{{y:.3g}}<extra>{name}</extra>",
    )


def _continued(curve: Curve, eps: float) -> dict[str, Any]:
    """Draw how a curve was continued to the user's error, by the rate 1/√m."""
    colour = rgba(COLOURS[ABOUT.index(curve.about)], 0.6)
    return trace(
        "scatter",
        x=[float(curve.m[-1]), curve.features],
        y=[float(curve.error[-1]), eps],
        mode="lines",
        line={"color": colour, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
        name=f"{curve.name}, extrapolated",
    )


def _crossing(curve: Curve, eps: float) -> dict[str, Any]:
    """Draw a disc where a curve reaches the user's error; a hollow one where it was continued."""
    return trace(
        "scatter",
        x=[curve.features],
        y=[eps],
        mode="markers",
        showlegend=False,
        name=f"{curve.name} at ε",
        marker=_ring(COLOURS[ABOUT.index(curve.about)], not curve.beyond),
        hovertemplate=f"ε = {eps:g} from m = %{{x:,.0f}} on{', extrapolated' * curve.beyond}"
        f"<extra>{curve.about}: {curve.name}</extra>",
    )


def _ring(colour: str, is_known: bool) -> dict[str, Any]:
    if is_known:
        return {"symbol": "circle", "size": 12, "color": colour, "line": {"width": 1.5, "color": "white"}}
    return {"symbol": "circle-open", "size": 13, "color": colour, "line": {"width": 1.5}}


def _vacuous(largest: float, end: float) -> dict[str, Any]:
    """Return the area from the largest value there can be up to `end`, in which a bound says nothing."""
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": largest,
        "y1": end,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": rgba(GREY, 0.16),
    }


def _note(y: float, text: str, above: str = "bottom") -> dict[str, Any]:
    return {
        "xref": "paper",
        "x": 0.995,
        "y": float(np.log10(y)),
        "text": text,
        "showarrow": False,
        "xanchor": "right",
        "yanchor": above,
        "font": {"size": 13},
    }


def _after(y: float, text: str) -> dict[str, Any]:
    """Return a word beyond the end of a line, where no curve crosses it."""
    return {
        "xref": "paper",
        "x": 1.005,
        "y": float(np.log10(y)),
        "text": text,
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "middle",
        "font": {"size": 15},
    }


def plot_risk(
    measured: MeasuredRisk,
    bound: RiskBound,
    loss: str,
    n: int,
    *,
    at: int | None = None,
    largest: float | None = None,
    height: int = 500,
    revision: str = "",
) -> go.Figure:
    """Draw excess risk against the number of features: the two terms of a theorem, and measurements.

    Parameters
    ----------
    n : int
        Training rows of the bound.
    at : int, optional
        Number of features to mark.
    largest : float, optional
        The risk of the constant function 0: a bound above it says nothing that this function does not.
    """
    m = np.geomspace(measured.m_grid[0], 1e8, 60)
    flat = np.full(m.shape, float(bound.estimation(n)))
    traces = [
        line(m, bound.total(n, m), COLOURS[0], "solid", f"{bound.name}: both terms", 2.5),
        line(m, flat, COLOURS[0], "dash", f"for {n:,} rows instead of all", 2.0),
        line(m, bound.approximation(m), COLOURS[0], _EXPECTED, "for m features instead of all", 2.5),
    ]
    excess, gap = measured.excess(loss), measured.gap(loss)
    for number, values, name in ((1, excess, "excess over the best m"), (2, gap, "test less training risk")):
        above = values > 0  # the axis is logarithmic
        traces.append(_measured(measured.m_grid[above], values[above], number, f"measured: {name}"))
    positive = np.concatenate([excess[excess > 0], gap[gap > 0], [1.0]])
    top = max(float(bound.total(n, m[0])), 4.0 * (largest or 1.0))
    shapes, notes = ([mark("x", at)] if at else []), []
    if largest:
        shapes.append(_vacuous(largest, 1e12))
        notes.append(_note(3.0 * top, "useless here: always answering 0 does better", "top"))
    return styled(
        traces,
        x=M_TITLE,
        y="excess risk",
        height=height,
        revision=revision,
        shapes=shapes,
        annotations=notes,
        xaxis={"type": "log", "dtick": 1, "tickformat": "~s", "range": [float(np.log10(0.9 * m[0])), 8.0]},
        yaxis={
            "type": "log",
            "dtick": 1,
            "tickformat": "~g",
            "range": [float(np.log10(0.5 * positive.min())), float(np.log10(3.0 * top))],
        },
    )


def plot_complexity(complexity: Complexity, *, height: int = 380, revision: str = "") -> go.Figure:
    """Draw the Rademacher complexity against the number of rows, as measured and as the proof bounds it.

    Parameters
    ----------
    height : int
        Pixels.
    """
    n = complexity.n_grid
    measured = _measured(n, complexity.mean, 1, "measured, ± 1 standard error")
    measured["error_y"] = {"type": "data", "array": complexity.error, "thickness": 1.5, "width": 4}
    measured["hovertemplate"] = "n = %{x:,}: %{y:.3g}<extra>measured</extra>"
    traces = [line(n, complexity.bound, COLOURS[0], "dash", "bound of the proof", 2.0), measured]
    axes = {
        "xaxis": {"type": "log", "dtick": 1, "tickformat": "~s"},
        # Between powers of ten, too: a class may span less than one.
        "yaxis": {"type": "log", "dtick": "D2", "tickformat": "~g"},
    }
    return styled(traces, x="training rows n", y="Rademacher complexity", height=height, revision=revision, **axes)


def plot_function(
    found: ApproximatedFunction, *, eps: float, at: int | None = None, height: int = 500, revision: str = ""
) -> go.Figure:
    """Draw how far a function is from its random versions, against the number of features, and Corollary 4.

    Parameters
    ----------
    eps : float
        The distance that the user accepts.
    at : int, optional
        Number of features to mark.
    """
    m, mean = found.m_grid, found.mean
    spread = found.distances.std(axis=0, ddof=1)
    reach = np.geomspace(m[0], max(float(m[-1]), 1.3 * min(found.required(eps), 1e9)), 60)
    bound = found.largest * found.norm / np.sqrt(reach)
    traces = [
        band(m, np.maximum(mean - spread, 0.2 * mean), mean + spread, rgba(COLOURS[0], 0.18), DRAWS),
        _measured(m, mean, 0, "measured: mean distance"),
        line(reach, bound, COLOURS[1], _BOUND_DASHES[0], "Corollary 4: C‖f‖/√m", 2.5),
    ]
    low = 0.5 * min(float(mean[mean > 0].min(initial=eps)), eps)
    return styled(
        traces,
        x=M_TITLE,
        y="distance ‖f − f_ω‖",
        height=height,
        revision=revision,
        shapes=[mark("y", eps)] + ([mark("x", at)] if at else []),
        annotations=[_after(eps, "ε")],
        xaxis={"type": "log", "dtick": 1, "tickformat": "~s"},
        yaxis={"type": "log", "dtick": 1, "range": [float(np.log10(low)), float(np.log10(2.0 * bound[0]))]},
    )
