"""Figures of a map that was built: the drawn function, its kernel and the estimate, the error, the transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.build_a_map.base_space import AXES, BaseSpace
from rfviz.experiments.build_a_map.circle import MARKED, WrappedLine
from rfviz.experiments.build_a_map.compute import Built, Transform, What
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import DRAWS, M_TITLE, band, line, mark
from rfviz.figures.template import COLOURS, GREY, map_style, rgba, styled
from rfviz.figures.traces import trace
from rfviz.formula import parse_formula
from rfviz.kernels import order_weights

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "DRAWN", "HEIGHT", "ends_of", "plot_base_errors", "plot_base_kernel", "plot_circle", "plot_errors", "plot_formula",
    "plot_kernel", "plot_moduli", "plot_transform",
]  # fmt: skip

HEIGHT = 370
#: By the kind of curve: the part of the axis that can be drawn on.
DRAWN: dict[What, tuple[float, float]] = {"function": (-3.0, 3.0), "density": (0.0, 6.0), "kernel": (0.0, 5.0)}
_TITLES: dict[What, tuple[str, str]] = {
    "function": ("projection ⟨w, x⟩", "feature f(⟨w, x⟩)"),
    "density": ("frequency |ω|", "density p, up to a factor"),
    "kernel": ("distance of two points δ", "kernel k(δ)"),
}
_SCHEME_DASHES = ("dot", "dashdot", "dash")
_SMALLEST = 1e-9
_NEGATIVE = "#d0342c"
# Where the line lies above the circle, and how long a unit of it is there.
_LINE_HEIGHT, _LINE_SCALE = 1.55, 0.5
# Ends of the axis of heights, of which the next larger is taken.
_ENDS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)


def ends_of(what: What, text: str) -> tuple[float, float]:
    """Return the ends of the axis of heights for a formula: the same for all that are about as high."""
    low, high = DRAWN[what]
    values = parse_formula(text, min(low, 0.0))(np.linspace(low, high, 301))
    largest = 1.1 * float(np.abs(values).max())
    end = next((end for end in _ENDS if end >= largest), largest)
    return (-end, end) if what == "function" or values.min() < 0 else (-0.1 * end, end)


def _plot_rule(rule: str, pool_size: int, height: int) -> go.Figure:
    """Plot the weights that a rule gives the sorted projections of a pool."""
    weights = order_weights(pool_size, rule)
    ranks = [*map(str, range(1, pool_size + 1))]
    hover = "rank %{x}: weight %{y:g}<extra></extra>"
    bars = trace(
        "bar", x=ranks, y=weights, marker={"color": map_style(Built.class_of("pool")).colour}, hovertemplate=hover
    )
    title = "rank of the projection, the smallest first"
    return styled(
        [bars],
        x=title,
        y="weight in the feature",
        height=height,
        revision=f"{rule} {pool_size}",
        xaxis={"type": "category"},
        yaxis={"range": [-1.1, 1.1]},
    )


def plot_formula(what: What, text: str, pool_size: int = 4, *, height: int = HEIGHT) -> go.Figure:
    """Plot the function, density or kernel that a formula gives, or the weights of a pool's rule.

    Parameters
    ----------
    what : {"function", "pool", "density", "kernel"}
    text : str
        The formula, or the rule.
    height : int
        Pixels.
    """
    if what == "pool":
        return _plot_rule(text, pool_size, height)
    low, high = DRAWN[what]
    room = 0.15 * (high - low)
    x = np.linspace(low - room if low < 0 else low, high + room, 801)
    across, up = _TITLES[what]
    colour = map_style(Built.class_of(what)).colour
    curve = line(x, parse_formula(text, min(low, 0.0))(x), colour, "solid", up, 2.5, shown=False)
    axes = {"xaxis": {"range": [float(x[0]), float(x[-1])]}, "yaxis": {"range": list(ends_of(what, text))}}
    return styled([curve], x=across, y=up, height=height, revision=f"{what} {ends_of(what, text)}", **axes)


def plot_kernel(built: Built, m: int, *, height: int = HEIGHT) -> go.Figure:
    """Plot the exact kernel and its estimate by m features, with one standard deviation around it.

    Parameters
    ----------
    height : int
        Pixels.
    """
    x, exact, deviation = built.places, built.exact, built.deviation(m)
    colour = map_style(built.spec.cls).colour
    traces = [
        band(x, exact - deviation, exact + deviation, rgba(colour, 0.2), "± 1 s.d."),
        line(x, exact, colour, "solid", "kernel", 2.5),
        line(x, built.estimate(m), "#2a7fc4", "dot", f"estimate, m = {m:,}", 2.5),
    ]
    if built.wanted is not None and not built.is_kernel:
        traces.append(line(x, built.wanted, _NEGATIVE, "dash", "what you wrote: no kernel", 2))
        traces[1]["name"] = "kernel without the negative part"
    turned = built.what in ("function", "pool")
    title = "angle between the points, degrees" if turned else "distance of the points δ"
    axes = {"xaxis": {"dtick": 30}} if turned else {}
    return styled(traces, x=title, y="kernel k", height=height, revision=str(built.spec), **axes)


def plot_errors(built: Built, m: int, *, height: int = 340) -> go.Figure:
    """Plot the error of the estimate against the number of features, measured and predicted.

    Parameters
    ----------
    m : int
        To mark.
    height : int
        Pixels.
    """
    frame, colour = built.error_frame(), map_style(built.spec.cls).colour
    grid, mean, spread = (frame[name].to_numpy() for name in ("m", "RMS error", "s.d. of draws"))
    traces = [
        band(grid, np.maximum(mean - spread, 0.2 * mean), mean + spread, rgba(colour, 0.18), DRAWS),
        line(grid, mean, colour, "solid", "measured", 2.5),
        line(grid, frame["predicted"], GREY, "dash", "theory: 1/√m", 2),
    ]
    axes = {"xaxis": count_axis(grid[0], grid[-1]), "yaxis": {"type": "log", "dtick": "D2", "tickformat": ".2~g"}}
    return styled(
        traces, x=M_TITLE, y="RMS error", height=height, revision=str(built.spec), shapes=[mark("x", m)], **axes
    )


def plot_circle(wrapped: WrappedLine, *, height: int = 340) -> go.Figure:
    """Plot points of the line, in a row above, and where one frequency puts them on the unit circle.

    Parameters
    ----------
    height : int
        Pixels.
    """
    x, circle, turn = wrapped.places, wrapped.circle, np.linspace(0.0, 2 * np.pi, 181)
    row, level = _LINE_SCALE * x, np.full(len(x), _LINE_HEIGHT)
    colours = {"color": x, "colorscale": "Viridis", "size": 7, "line": {"width": 0}}
    hover = "x = %{customdata:.2f}<extra></extra>"
    traces = [
        line(np.cos(turn), np.sin(turn), GREY, "solid", "unit circle", 1, shown=False) | {"hoverinfo": "skip"},
        trace("scatter", x=row, y=level, mode="markers", marker=colours, customdata=x, hovertemplate=hover,
              showlegend=False),
        trace("scatter", x=circle[:, 0], y=circle[:, 1], mode="markers", marker=colours, customdata=x,
              hovertemplate=hover, showlegend=False),
    ]  # fmt: skip
    for place, symbol in zip(MARKED, ("circle-open", "square-open"), strict=True):
        on = np.cos(wrapped.omega * place), np.sin(wrapped.omega * place)
        ring = {"symbol": symbol, "size": 15, "color": _NEGATIVE, "line": {"width": 3}}
        traces.append(
            trace(
                "scatter",
                x=np.array([_LINE_SCALE * place, on[0]]),
                y=np.array([_LINE_HEIGHT, on[1]]),
                mode="lines+markers",
                line={"color": GREY, "width": 1, "dash": "dot"},
                marker=ring,
                name=f"x = {place:g}",
                showlegend=True,
                hoverinfo="skip",
            )
        )
    axes = {
        "xaxis": {"range": [-1.75, 1.75], "dtick": 1, "constrain": "domain"},
        "yaxis": {"range": [-1.2, 1.85], "dtick": 1, "constrain": "domain", "scaleanchor": "x"},
    }
    return styled(traces, x="cos ωx", y="sin ωx", height=height, revision="circle", **axes)


def plot_transform(transform: Transform, *, height: int = 340) -> go.Figure:
    """Plot the cosine transform of a kernel, its negative part in red.

    Parameters
    ----------
    height : int
        Pixels.
    """
    x, y = transform.frequencies, transform.values
    zero, negative = np.zeros_like(y), np.minimum(y, 0.0)
    colour = map_style(Built.class_of("kernel")).colour
    traces = [
        band(x, zero, np.maximum(y, 0.0), rgba(colour, 0.25)),
        line(x, y, colour, "solid", "transform", 2.5, shown=False),
    ]
    if not transform.is_positive:
        traces.append(band(x, negative, zero, rgba(_NEGATIVE, 0.45), "negative: no density"))
    return styled(
        traces, x="frequency ω", y="transform ÷ largest", height=height, revision="transform", yaxis={"zeroline": True}
    )


def plot_base_kernel(found: BaseSpace, m: int, *, height: int = HEIGHT, revision: str = "") -> go.Figure:
    """Plot the kernel of a base space along pairs of points, and the estimates of its schemes by m features.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    x, first = found.places, found.schemes[0]
    deviation, words = np.sqrt(first.variance / m), found.scheme.space in ("binary", "categorical")
    places = [str(int(place)) for place in x] if words else x
    if found.scheme.space == "binary":
        places = ["x′ = x", "x′ = −x"]
    mode = "markers" if words else "lines"
    bars = {"error_y": {"array": deviation, "visible": True}} if words else {}
    traces = [] if words else [
        band(x, found.kernel - deviation, found.kernel + deviation, rgba(COLOURS[0], 0.2), "± 1 s.d. of the first")
    ]  # fmt: skip
    hover = "%{x}: %{y:.4g}<extra></extra>"
    traces.append(
        trace(
            "scatter",
            x=places,
            y=found.kernel,
            mode=mode,
            line={"color": GREY, "width": 2.5},
            marker={"color": GREY, "size": 15, "symbol": "square-open", "line": {"width": 2.5}},
            name="kernel",
            hovertemplate=hover,
            **bars,
        )
    )
    for number, one in enumerate(found.schemes):
        colour = _NEGATIVE if one.scheme.name == "as printed" else COLOURS[number]
        traces.append(
            trace(
                "scatter",
                x=places,
                y=one.estimate(m),
                mode=mode,
                line={"color": colour, "width": 2.5, "dash": _SCHEME_DASHES[number]},
                marker={"color": colour, "size": 9, "symbol": ("circle", "x")[number % 2]},
                name=one.name,
                hovertemplate=hover,
            )
        )
    axes: dict[str, Any] = {"xaxis": {"type": "category"}} if words else {}
    if found.scheme.space in ("circle", "sphere"):
        axes = {"xaxis": {"dtick": 30}}
    return styled(traces, x=AXES[found.scheme.space], y="kernel k", height=height, revision=revision, **axes)


def plot_moduli(found: BaseSpace, *, height: int = HEIGHT, revision: str = "") -> go.Figure:
    """Plot how large features are: shares of random ω and points, with each bound C, and the least that is possible."""
    top = 1.05 * max(one.scheme.bound for one in found.schemes)
    edges = np.linspace(0.0, top, 61)
    middle, traces, shapes, notes = (edges[1:] + edges[:-1]) / 2, [], [], []
    for number, one in enumerate(found.schemes):
        colour = _NEGATIVE if one.scheme.name == "as printed" else COLOURS[number]
        share = np.histogram(one.moduli, edges)[0] / len(one.moduli)
        hover = f"|ψ| near %{{x:.3g}}: %{{y:.3p}}<extra>{one.name}</extra>"
        if number:  # bars over bars would hide each other
            outline = {"mode": "lines", "line": {"color": colour, "width": 2.5, "shape": "hvh"}}
            traces.append(trace("scatter", x=middle, y=share, name=one.name, hovertemplate=hover, **outline))
        else:
            fill = {"color": rgba(colour, 0.5), "line": {"width": 0}}
            traces.append(
                trace("bar", x=middle, y=share, width=edges[1], marker=fill, name=one.name, hovertemplate=hover)
            )
    ends = {one.scheme.bound: COLOURS[number] for number, one in reversed(list(enumerate(found.schemes)))}
    for bound, colour in sorted(ends.items()):
        least = bound == found.scheme.least_bound
        shapes.append(mark("x", bound) | {"line": {"color": colour, "width": 2.5, "dash": "dash"}})
        words = f"C = {bound:.3g}{', the least possible' * least}"
        notes.append(
            {"x": bound, "y": 1.0 if least else 0.88, "yref": "paper", "text": words, "showarrow": False,
             "xanchor": "right", "xshift": -6, "font": {"size": 13}}
        )  # fmt: skip
    return styled(
        traces,
        x="modulus |ψ(ω, x)| of a feature",
        y="share",
        height=height,
        revision=revision,
        barmode="overlay",
        shapes=shapes,
        annotations=notes,
        xaxis={"range": [0.0, top]},
        yaxis={"tickformat": ".0%"},
    )


def plot_base_errors(found: BaseSpace, m: int, *, height: int = 340, revision: str = "") -> go.Figure:
    """Plot the error of each estimate against the number of features, measured and predicted."""
    frame = found.error_frame()
    grid, traces = frame["m"].to_numpy(), []
    largest = float(frame[[one.name for one in found.schemes]].to_numpy().max())
    for number, one in enumerate(found.schemes):
        colour = _NEGATIVE if one.scheme.name == "as printed" else COLOURS[number]
        traces.append(line(grid, frame[one.name], colour, _SCHEME_DASHES[number] if number else "solid", one.name, 2.5))
        predicted = f"{one.name}, predicted"
        if predicted in frame and largest > _SMALLEST:
            name = "theory: 1/√m"
            traces.append(line(grid, frame[predicted], GREY, "dash", name, 1.5, shown=not number))
    exact = largest < _SMALLEST  # no logarithm of rounding errors
    up = {"range": [-0.05, 1.0]} if exact else {"type": "log", "dtick": "D2", "tickformat": ".2~g"}
    return styled(
        traces,
        x=M_TITLE,
        y="RMS error",
        height=height,
        revision=revision,
        shapes=[mark("x", m)],
        xaxis=count_axis(grid[0], grid[-1]),
        yaxis=up,
    )
