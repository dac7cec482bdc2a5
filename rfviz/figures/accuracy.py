"""Accuracy against the number of features, against seconds and bytes, and who is taken for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rfviz.analysis.accuracy import Segment, mean_against_seconds, mean_and_spread
from rfviz.features import Look, map_class
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import M_TITLE, band
from rfviz.figures.quick import trace
from rfviz.figures.reference_lines import reference_lines
from rfviz.figures.template import COLOURS, map_styles, rgba, styled

__all__ = ["Runner", "made_runner", "plot_accuracy", "plot_confusion", "plot_penalty", "runners_frame"]

_X_TITLES = {"m": M_TITLE, "seconds": "seconds to train and test", "bytes": "bytes of the model"}
_X_WORDS = {"m": ",d", "seconds": ".3~g", "bytes": "~s"}
_LOG, _STEPS = {"type": "log"}, {"dtick": "D2"}


@dataclass(frozen=True, eq=False)
class Runner:
    """One curve of a race.

    Attributes
    ----------
    label : str
    scheme : str
        Class name of the map, which gives the curve its colour.
    frame : DataFrame
        Columns of the chosen axis (``m``, ``seconds`` or ``bytes``), ``error`` and ``s.d.``, in the units of the chart.
    paper : tuple of (m, error, s.d.)
        What the paper prints for the same setting; empty where it prints nothing.
    """

    label: str
    scheme: str
    frame: pd.DataFrame
    paper: tuple[tuple[float, float, float], ...] = ()

    def scaled(self, scale: float) -> Runner:
        """The same with errors in another unit."""
        errors = {name: scale * self.frame[name] for name in ("error", "s.d.")}
        return replace(self, frame=self.frame.assign(**errors))


def made_runner(
    label: str,
    scheme: str,
    runs: Sequence[Sequence[Segment]],
    *,
    scale: float = 1.0,
    axis: str = "m",
    paper: tuple[tuple[float, float, float], ...] = (),
) -> Runner:
    """The curve of the mean over some runs.

    Parameters
    ----------
    label, scheme : str
    runs : sequence of sequences of Segment
        The segments of each seed.
    scale : float
        Of the errors: 100 for per cent.
    axis : {"m", "seconds", "bytes"}
        What it is drawn against.
    paper : tuple of (m, error, s.d.)
        What the paper prints, in the unit of the segments.
    """
    frame = mean_against_seconds(runs) if axis == "seconds" else mean_and_spread(runs)
    return Runner(label, scheme, frame, paper).scaled(scale)


def runners_frame(runners: Sequence[Runner], references: Mapping[str, float]) -> pd.DataFrame:
    """Every point of every curve with the name of its map; then the references, which have an error alone.

    Parameters
    ----------
    runners : sequence of Runner
    references : mapping of str to float
        Name of each horizontal line to its error, in the unit of the curves.
    """
    lines = pd.DataFrame({"map": list(references), "error": list(references.values())})
    frames = [runner.frame.assign(map=runner.label) for runner in runners if len(runner.frame)]
    if not frames:
        return lines
    table = pd.concat([*frames, *([lines] if references else [])], ignore_index=True)
    whole = [name for name in ("m", "seeds", "bytes", "columns") if name in table]
    table = table.astype(dict.fromkeys(whole, "Int64"))  # where a reference has none
    return table[["map", *[name for name in table.columns if name != "map"]]]


def plot_accuracy(
    runners: list[Runner],
    references: dict[str, float],
    *,
    axis: str = "m",
    x_range: tuple[float, float] | None = None,
    unit: str = "test error, %",
    height: int = 430,
    revision: str = "",
) -> go.Figure:
    """Error against the number of features (or seconds, or bytes) on logarithmic axes.

    Parameters
    ----------
    runners : list of Runner
    references : dict of str to float
        Errors of other methods, drawn as horizontal lines.
    axis : {"m", "seconds", "bytes"}
    x_range : (low, high), optional
        Of the horizontal axis, so that it stands still while points arrive.
    unit : str
        Title of the error axis.
    height : int
        Pixels.
    revision : str
        While it stays the same, a reader's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces: list[dict[str, Any]] = []
    for runner, style in zip(runners, map_styles(map_class(r.scheme) for r in runners), strict=True):
        traces += [*_band(runner, style, axis), _curve(runner, style, axis), *_paper(runner, style, axis)]
    span = x_range or _span(runners, axis)
    references = {name: error for name, error in references.items() if error > 0}
    heights = _range(runners, list(references.values()))
    curves = [(r.frame[axis].to_numpy(float), r.frame["error"].to_numpy(float)) for r in runners]
    traces += reference_lines(references, curves, span, heights)
    across = count_axis(*span, slack=0.0, words=_X_WORDS[axis])
    up = _LOG | _STEPS | {"tickformat": ".3~g", "range": heights}
    return styled(traces, x=_X_TITLES[axis], y=unit, height=height, revision=revision, xaxis=across, yaxis=up)


def _span(runners: list[Runner], axis: str) -> tuple[float, float]:
    values = np.concatenate([r.frame[axis].to_numpy(float) for r in runners if len(r.frame)] or [np.array([1.0, 10.0])])
    return 0.9 * float(values.min()), 1.1 * float(values.max())


def _band(runner: Runner, style: Look, axis: str) -> list[dict[str, Any]]:
    """One standard deviation about the curve, where there is more than one seed."""
    frame = runner.frame
    if not (frame["s.d."] > 0).any():
        return []
    x, error, deviation = (frame[name].to_numpy(float) for name in (axis, "error", "s.d."))
    low = np.maximum(error - deviation, 0.2 * error)
    return [band(x, low, error + deviation, rgba(style.colour, 0.18))]


def _curve(runner: Runner, style: Look, axis: str) -> dict[str, Any]:
    return trace(
        "scatter",
        x=runner.frame[axis].to_numpy(),
        y=runner.frame["error"].to_numpy(),
        mode="lines+markers",
        line={"color": style.colour, "width": 2.5, "dash": style.dash},
        marker={"symbol": style.symbol, "size": 8},
        name=runner.label,
        showlegend=True,
        hovertemplate="%{x:,} → %{y:.3g}<extra>" + runner.label + "</extra>",
    )


def _paper(runner: Runner, style: Look, axis: str) -> list[dict[str, Any]]:
    """What the paper prints for the same setting, with its standard deviations."""
    if not runner.paper or axis != "m":
        return []
    m, error, deviation = (list(values) for values in zip(*runner.paper, strict=True))
    return [
        trace(
            "scatter",
            x=m,
            y=error,
            error_y={"array": deviation, "color": style.colour, "thickness": 1.5},
            mode="markers",
            marker={"symbol": "circle-open", "size": 14, "color": style.colour, "line": {"width": 2}},
            name=f"{runner.label}, the paper",
            hovertemplate="%{x:,} → %{y:.3g}<extra>as printed</extra>",
        )
    ]


def _range(runners: list[Runner], references: list[float]) -> list[float]:
    """Logarithmic range of errors that holds every curve and reference; steady while points arrive."""
    values = np.concatenate([*(r.frame["error"].to_numpy(float) for r in runners), np.array(references, dtype=float)])
    values = values[values > 0]
    if not len(values):
        return [0.0, 2.0]  # an empty chart of percentages
    return [float(np.log10(values.min()) - 0.12), float(np.log10(values.max()) + 0.08)]


def plot_penalty(runners: list[Runner], *, height: int = 360) -> go.Figure:
    """The penalty that the held-out rows chose, against the number of features."""
    traces = [
        trace(
            "scatter",
            x=r.frame["m"].to_numpy(),
            y=r.frame["alpha"].to_numpy(float),
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash},
            marker={"symbol": style.symbol, "size": 8},
            name=r.label,
            showlegend=True,
        )
        for r, style in zip(runners, map_styles(map_class(r.scheme) for r in runners), strict=True)
    ]
    up = _LOG | {"exponentformat": "power"}
    axes = {"xaxis": count_axis(*_span(runners, "m"), slack=0.0), "yaxis": up}
    return styled(traces, x=_X_TITLES["m"], y="chosen penalty α", height=height, revision="penalty", **axes)


def plot_confusion(counts: np.ndarray, names: list[str], *, height: int = 460) -> go.Figure:
    """Which classes are taken for which: wrong predictions only, so that the diagonal does not drown them.

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
