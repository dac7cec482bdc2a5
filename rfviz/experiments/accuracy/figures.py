"""Charts of test errors against the number of features, seconds, bytes and epochs, of penalties and of confusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rfviz.experiments.accuracy.architectures import NETWORK_EPOCHS, NETWORK_FEATURES
from rfviz.experiments.accuracy.compute import TRAINED, AccuracyResult, Curve
from rfviz.experiments.accuracy.maxout_table import MaxoutTable
from rfviz.features import Look
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import DRAWS, M_TITLE, band, line
from rfviz.figures.reference_lines import reference_lines
from rfviz.figures.template import COLOURS, GREY, map_styles, rgba, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "plot_accuracy", "plot_confusion", "plot_epochs", "plot_penalty", "plot_ranking", "plot_table_1", "plot_times",
]  # fmt: skip

_X_TITLES = {"m": M_TITLE, "seconds": "seconds to train and test", "bytes": "bytes of the model"}
_X_WORDS = {"m": ",d", "seconds": ".3~g", "bytes": "~s"}
# A predicted peak is cut off at this multiple of the error of the mean.
_PEAK = 10.0
_LOG, _STEPS = {"type": "log"}, {"dtick": "D2"}


def plot_accuracy(
    curves: Sequence[Curve],
    baselines: Mapping[str, float],
    *,
    axis: str = "m",
    x_range: tuple[float, float] | None = None,
    unit: str = "test error, %",
    height: int = 430,
    revision: str = "",
) -> go.Figure:
    """Draw the error against the number of features (or seconds, or bytes) on logarithmic axes.

    Parameters
    ----------
    curves : sequence of Curve
    baselines : mapping of str to float
        Errors of other methods, drawn as horizontal lines.
    axis : {"m", "seconds", "bytes"}
    x_range : (low, high), optional
        Of the horizontal axis, so that it stands still while points arrive.
    unit : str
        Title of the error axis.
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces: list[dict[str, Any]] = []
    styles = map_styles(curve.cls for curve in curves)
    for curve, style in zip(curves, styles, strict=True):
        named = "" if any(drawn["name"] == DRAWS for drawn in traces) else DRAWS
        traces += [*_band(curve, style, axis, named), _line(curve, style, axis), *_paper(curve, style, axis)]
    traces += _predicted(curves, styles)
    traces += [*_networks(curves, styles, axis), *_augmented(curves, styles, axis)]
    span = x_range or _span(curves, axis)
    if axis == "m":
        span = span[0], max([span[1], *(1.3 * m for curve in curves for m, _ in curve.augmented)])
    traces += _exact_kernels(curves, styles, span)
    lines = {name: error for name, error in baselines.items() if error > 0}
    single = [error for curve in curves for error in (curve.network, curve.exact) if error]
    single += [error for curve in curves for _, error in curve.augmented]
    single += [error for curve in curves if curve.prediction for error in (curve.prediction.test.min(), _top(curve))]
    heights = _range(curves, [*lines.values(), *single]) or ([0.0, 2.0] if "%" in unit else [-2.0, 0.2])
    points = [(curve.frame[axis].to_numpy(float), curve.frame["error"].to_numpy(float)) for curve in curves]
    traces += reference_lines(lines, points, span, heights)
    # A phone has no room for the noughts of a million.
    across = count_axis(*span, slack=0.0, words=_X_WORDS[axis] if span[1] < 1e6 else "~s")
    up = _LOG | _STEPS | {"tickformat": ".3~g", "range": heights}
    return styled(traces, x=_X_TITLES[axis], y=unit, height=height, revision=revision, xaxis=across, yaxis=up)


def _span(curves: Sequence[Curve], axis: str) -> tuple[float, float]:
    known = [curve.frame[axis].to_numpy(float) for curve in curves if len(curve.frame)]
    values = np.concatenate(known or [np.array([1.0, 10.0])])
    return 0.9 * float(values.min()), 1.1 * float(values.max())


def _band(curve: Curve, style: Look, axis: str, named: str) -> list[dict[str, Any]]:
    """Draw one standard deviation about the curve, where there is more than one seed."""
    x, error, deviation = (curve.frame[name].to_numpy(float) for name in (axis, "error", "s.d."))
    if not (deviation > 0).any():
        return []
    low = np.maximum(error - deviation, 0.2 * error)
    return [band(x, low, error + deviation, rgba(style.colour, 0.18), named)]


def _line(curve: Curve, style: Look, axis: str) -> dict[str, Any]:
    return trace(
        "scatter",
        x=curve.frame[axis].to_numpy(),
        y=curve.frame["error"].to_numpy(),
        mode="markers" if curve.prediction else "lines+markers",  # beside the predicted line
        line={"color": style.colour, "width": 2.5, "dash": style.dash},
        marker={"symbol": style.symbol, "size": 8, **({"color": style.colour} if curve.prediction else {})},
        name=curve.label,
        showlegend=True,
        hovertemplate="%{x:,} → %{y:.3g}<extra>" + curve.label + "</extra>",
    )


def _predicted(curves: Sequence[Curve], styles: Sequence[Look]) -> list[dict[str, Any]]:
    """Draw the errors that exact kernels predict: dotted where the prediction is not to be trusted."""
    traces: list[dict[str, Any]] = []
    for curve, style in zip(curves, styles, strict=True):
        if curve.prediction is None:
            continue
        m, test, name = curve.prediction.m_grid, curve.prediction.test, f"{curve.label}, predicted"
        sure = curve.prediction.is_sure
        parts = [("solid", np.where(sure, test, np.nan)), ("dot", np.where(sure, np.nan, test))]
        drawn = [(dash, values) for dash, values in parts if np.isfinite(values).any()]
        for place, (dash, values) in enumerate(drawn):
            traces.append(line(m, values, style.colour, dash, name, 2.0, shown=not place) | {"legendgroup": name})
    return traces


def _top(curve: Curve) -> float:
    """Return the largest error that is predicted, but for a peak that would press all else together."""
    assert curve.prediction is not None
    test = curve.prediction.test
    return float(min(test.max(), _PEAK * max(1.0, float(np.median(test)))))


def _paper(curve: Curve, style: Look, axis: str) -> list[dict[str, Any]]:
    """Draw the paper's numbers for the same setting, with their standard deviations."""
    if not curve.paper or axis != "m":
        return []
    m, error, deviation = (list(values) for values in zip(*curve.paper, strict=True))
    return [
        trace(
            "scatter",
            x=m,
            y=error,
            error_y={"array": deviation, "color": style.colour, "thickness": 1.5},
            mode="markers",
            marker={"symbol": "circle-open", "size": 14, "color": style.colour, "line": {"width": 2}},
            name=f"{curve.label}, the paper",
            hovertemplate="%{x:,} → %{y:.3g}<extra>as printed</extra>",
        )
    ]


def _networks(curves: Sequence[Curve], styles: Sequence[Look], axis: str) -> list[dict[str, Any]]:
    """Draw the networks of the same skeletons, linear models on the features of their top node that were learnt."""
    known = [(c.label, c.network, style.colour) for c, style in zip(curves, styles, strict=True) if c.network]
    if not known or axis != "m":
        return []
    labels, errors, colours = (list(values) for values in zip(*known, strict=True))
    return [
        trace(
            "scatter",
            x=[NETWORK_FEATURES] * len(known),
            y=errors,
            mode="markers",
            marker={"symbol": "circle-open", "size": 9, "color": colours, "line": {"width": 2}},
            name="networks",
            showlegend=True,
            text=labels,
            hovertemplate="%{x:,} learnt features → %{y:.3g}<extra>network %{text}, "
            f"{NETWORK_EPOCHS} epochs</extra>",
        )
    ]


def _augmented(curves: Sequence[Curve], styles: Sequence[Look], axis: str) -> list[dict[str, Any]]:
    """Draw what the same features reach when they are trained on images that change."""
    known = [(c, style) for c, style in zip(curves, styles, strict=True) if c.augmented] if axis == "m" else []
    return [
        trace(
            "scatter",
            x=[m for m, _ in curve.augmented],
            y=[error for _, error in curve.augmented],
            mode="lines+markers",
            line={"color": style.colour, "width": 1.5, "dash": "dot"},
            marker={"symbol": "diamond-open", "size": 9},
            name="images that change",
            legendgroup="images that change",
            showlegend=number == 0,
            hovertemplate="%{x:,} → %{y:.3g}<extra>" + curve.label + ", images that change</extra>",
        )
        for number, (curve, style) in enumerate(known)
    ]


def _exact_kernels(curves: Sequence[Curve], styles: Sequence[Look], span: tuple[float, float]) -> list[dict[str, Any]]:
    """Draw the errors that the curves tend to, in their colours; maps of one kernel have the same."""
    known = [(curve, style) for curve, style in zip(curves, styles, strict=True) if curve.exact]
    x = np.geomspace(*span, 25)  # the ends alone would answer no pointer in the middle
    return [
        trace(
            "scatter",
            x=x,
            y=np.full(len(x), curve.exact),
            mode="lines",
            line={"color": style.colour, "width": 1.5, "dash": "dash"},
            name="exact kernels",
            legendgroup="exact kernels",
            showlegend=number == 0,
            hovertemplate="%{y:.3g}<extra>" + curve.label + ", exact kernel</extra>",
        )
        for number, (curve, style) in enumerate(known)
    ]


def _range(curves: Sequence[Curve], lines: list[float]) -> list[float]:
    """Return the logarithmic range of errors that holds every curve and line, or none if there are no errors."""
    values = np.concatenate([*(curve.frame["error"].to_numpy(float) for curve in curves), np.array(lines, dtype=float)])
    values = values[values > 0]
    if not len(values):
        return []
    return [float(np.log10(values.min()) - 0.12), float(np.log10(values.max()) + 0.08)]


def plot_epochs(curves: Sequence[Curve], *, height: int = 500) -> go.Figure:
    """Draw the errors of features (solid lines) and networks (dashed lines) against the epochs of their training.

    Parameters
    ----------
    curves : sequence of Curve
        All of the main chart, so that each has its colour here; those without epochs are left out.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    styles = map_styles(curve.cls for curve in curves)
    known = [(curve, style) for curve, style in zip(curves, styles, strict=True) if curve.epochs]
    traces = [
        trace(
            "scatter",
            x=np.arange(1, len(errors) + 1),
            y=np.array(errors),
            **_trained_line(style, trained),
            name=curve.label,
            legendgroup=curve.label,
            showlegend=trained == "features",
            hovertemplate="epoch %{x}: %{y:.1f}%<extra>" + f"{curve.label}, {trained}</extra>",
        )
        for curve, style in known
        for trained, errors in zip(TRAINED, curve.epochs, strict=True)
    ]
    # Entries of the legend alone: they say what the two kinds of lines are.
    either = Look(GREY, "solid", "circle")
    traces += [
        trace("scatter", x=[None], y=[None], **_trained_line(either, trained), name=name, showlegend=True)
        for trained, name in zip(TRAINED, ("features", "networks"), strict=True)
    ]
    last = max((len(errors) for curve, _ in known for errors in curve.epochs), default=1)
    across, up = count_axis(1, last) | _STEPS, _LOG | {"dtick": "L5", "tickformat": ".3~g"}
    return styled(
        traces, x="epochs of training", y="test error, %", height=height, revision="epochs", xaxis=across, yaxis=up
    )


def _trained_line(style: Look, trained: str) -> dict[str, Any]:
    """Return a solid line with filled marks for features, a dashed one with open marks for a network."""
    is_network = trained == "network"
    symbol = style.symbol.removesuffix("-dot").removesuffix("-open")  # which tell shades of one colour apart
    return {
        "mode": "lines+markers",
        "line": {"color": style.colour, "width": 1.5, "dash": "dash" if is_network else "solid"},
        "marker": {
            "symbol": symbol + "-open" * is_network,
            "size": 8,
            "line": {"width": 1.5 * is_network},
            "maxdisplayed": 12,
        },
    }


def plot_times(result: AccuracyResult, *, height: int = 360) -> go.Figure:
    """Draw the seconds to train (solid) and to predict the test rows (dashed) against the number of features.

    Other methods, whose times do not depend on it, are horizontal lines: seconds to predict.
    """
    frame, traces = result.times_frame(), []
    styles = dict(
        zip([c.label for c in result.candidates], map_styles(c.spec.cls for c in result.candidates), strict=True)
    )
    floor, seen = 1e-5, frame[["seconds to fit", "seconds to predict"]].to_numpy(float)
    for label, style in styles.items():
        own = frame.loc[frame["method"] == label].sort_values("m")
        for what, dash, symbol in (("fit", "solid", style.symbol), ("predict", "dash", f"{style.symbol}-open")):
            hover = f"m = %{{x:,}}: %{{y:.3g}} s to {what}<extra>{label}</extra>"
            traces.append(
                trace(
                    "scatter",
                    x=own["m"].to_numpy(float),
                    y=np.maximum(own[f"seconds to {what}"].to_numpy(float), floor),
                    mode="lines+markers",
                    line={"color": style.colour, "width": 2.5, "dash": dash},
                    marker={"symbol": symbol.replace("-open-open", "-open"), "size": 8},
                    name=f"{label}, to {'train' if what == 'fit' else 'predict'}",
                    showlegend=True,
                    hovertemplate=hover,
                )
            )
    m = frame["m"].dropna().to_numpy(float)
    span = (0.9 * m.min(), 1.1 * m.max()) if len(m) else (9.0, 11.0)
    known = np.maximum(seen[np.isfinite(seen)], floor)
    heights = [float(np.log10(known.min()) - 0.2), float(np.log10(known.max()) + 0.2)] if len(known) else [-3.0, 1.0]
    lines = {
        f"{name}, to {what}": max(seconds, floor)
        for name, both in result.times.items()
        for what, seconds in zip(("train", "predict"), both, strict=True)
    }
    points = [(np.asarray(drawn["x"]), np.asarray(drawn["y"])) for drawn in traces]
    traces += reference_lines(lines, points, span, heights)
    across, up = count_axis(*span, slack=0.0), _LOG | {"tickformat": ".1~g", "dtick": 1, "range": heights}
    return styled(traces, x=M_TITLE, y="seconds", height=height, revision="times", xaxis=across, yaxis=up)


def plot_penalty(curves: Sequence[Curve], *, height: int = 360) -> go.Figure:
    """Draw the penalty that leave-one-out errors chose, against the number of features."""
    traces = [
        trace(
            "scatter",
            x=curve.frame["m"].to_numpy(),
            y=curve.frame["alpha"].to_numpy(float),
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash},
            marker={"symbol": style.symbol, "size": 8},
            name=curve.label,
            showlegend=True,
        )
        for curve, style in zip(curves, map_styles(curve.cls for curve in curves), strict=True)
    ]
    up = _LOG | {"exponentformat": "power"}
    axes = {"xaxis": count_axis(*_span(curves, "m"), slack=0.0), "yaxis": up}
    return styled(traces, x=_X_TITLES["m"], y="chosen penalty α", height=height, revision="penalty", **axes)


def plot_confusion(counts: np.ndarray, names: list[str], *, height: int = 460) -> go.Figure:
    """Draw the wrong predictions by true and predicted class, without the right ones, which would drown them.

    Parameters
    ----------
    counts : ndarray of shape (k, k)
        Test rows by true class (rows) and predicted class (columns).
    names : list of str
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    wrong = counts.astype(float)
    np.fill_diagonal(wrong, np.nan)
    heat = trace(
        "heatmap",
        z=wrong,
        x=names,
        y=names,
        colorscale=[[0, rgba(COLOURS[0], 0.05)], [1, COLOURS[0]]],
        showscale=False,
        hovertemplate="%{y} taken for %{x}: %{z} times<extra></extra>",
        text=np.where(wrong > 0, counts.astype(str), ""),
        texttemplate="%{text}" if len(names) <= 12 else None,
        hoverongaps=False,
    )
    across = {"type": "category", "constrain": "domain", "showgrid": False}
    up = across | {"autorange": "reversed", "scaleanchor": "x"}
    axes = {"xaxis": across, "yaxis": up, "margin": {"t": 12}}
    return styled([heat], x="predicted class", y="true class", height=height, revision="confusion", **axes)


def plot_table_1(table: MaxoutTable, *, with_paper: bool, height: int = 430) -> go.Figure:
    """Draw the cells of Table 1 of the maxout paper: errors, with the paper's where the data are its own.

    Parameters
    ----------
    table : MaxoutTable
    with_paper : bool
    height : int
        Pixels.
    """
    frame = table.to_frame(with_paper)
    shape = len(table.q_values), len(table.m_values)

    def written(mean: str, deviation: str) -> list[str]:
        pairs = zip(frame[mean], frame[deviation], strict=True)
        return [f"{one:.2f}" + (f" ± {other:.2f}" if np.isfinite(other) else "") for one, other in pairs]

    text = written("error %", "s.d.")
    if "paper %" in frame:
        papers = written("paper %", "paper s.d.")
        known = frame["paper %"].notna()
        text = [f"{own}<br>paper {its}" if has else own for own, its, has in zip(text, papers, known, strict=True)]
    heat = trace(
        "heatmap",
        z=np.log10(np.maximum(frame["error %"].to_numpy(), 0.01)).reshape(shape),
        x=[f"{m:,}" for m in table.m_values],
        y=[f"q = {q}" for q in table.q_values],
        colorscale=[[0, rgba(COLOURS[0], 0.05)], [1, rgba(COLOURS[0], 0.6)]],
        showscale=False,
        text=np.array(text).reshape(shape),
        texttemplate="%{text}",
        hovertemplate="%{y}, m = %{x}: %{text}<extra></extra>",
    )
    across = {"type": "category", "showgrid": False}
    axes = {"xaxis": across, "yaxis": across | {"autorange": "reversed"}, "margin": {"t": 12}}
    return styled([heat], x="number of features m", y="pool size", height=height, revision="table 1", **axes)


def plot_ranking(table: pd.DataFrame, *, height: int = 430) -> go.Figure:
    """Draw the accuracy of each architecture against the paper's, which ranks them alike if the points rise.

    Parameters
    ----------
    table : DataFrame
        Of :func:`rfviz.experiments.accuracy.architectures.ranking`.
    height : int
        Pixels.
    """
    points = trace(
        "scatter",
        x=table["paper RFS %"].to_numpy(),
        y=table["accuracy %"].to_numpy(),
        error_y={"array": table["s.e."].fillna(0.0).to_numpy(), "color": COLOURS[0], "thickness": 1.5},
        mode="markers+text",
        marker={"size": 9, "color": COLOURS[0]},
        text=table["architecture"].tolist(),
        textposition="top center",
        customdata=table[["rank", "paper rank"]].to_numpy(),
        hovertemplate="%{text}: %{y:.1f}%, rank %{customdata[0]}; the paper %{x:.1f}%, rank %{customdata[1]}"
        "<extra></extra>",
    )
    titles = {"x": "test accuracy in the paper, %", "y": "test accuracy, %"}
    return styled([points], **titles, height=height, revision="ranking")
