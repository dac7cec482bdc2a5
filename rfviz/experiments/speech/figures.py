"""Figures of speech: an utterance with its phones, errors against the number of features, and confusions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rfviz.experiments.speech.compute import (
    MEASURES,
    PAPER_RAW,
    PAPER_TABLE_2,
    PAPER_TABLE_2_SPREAD,
    TABLE_M,
    Curve,
    Heard,
    Segments,
)
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import M_TITLE, band, mark
from rfviz.figures.template import GREY, SEQUENCE, map_styles, rgba, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_confusions", "plot_errors", "plot_heard"]

_RIGHT, _WRONG, _TRUE = "#0f9b77", "#d9661f", "#2a7fc4"
# Parts of the height, from the bottom: probabilities, phones, spectrogram, waveform. The strips of phones are as high
# as their letters in a low window, too.
_PARTS = ((0.0, 0.34), (0.38, 0.68), (0.72, 0.89), (0.91, 1.0))
_SCALE = [[place, colour] for place, colour in SEQUENCE]


def plot_heard(heard: Heard, *, height: int = 720, revision: str = "") -> go.Figure:
    """Plot one utterance: waveform, spectrogram, true and decoded phones, and the probability of each phone.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    seconds = 0.01 * np.arange(len(heard.bands)) + 0.005
    wave = band(seconds, -heard.loudest, heard.loudest, rgba(_TRUE, 0.8)) | {"yaxis": "y4"}
    common: dict[str, Any] = {"x0": 0.005, "dx": 0.01, "showscale": False}
    spectrogram = trace(
        "heatmap",
        z=heard.bands.T,
        y=np.arange(1, 41),
        yaxis="y3",
        colorscale=_SCALE,
        **common,
        hovertemplate="%{x:.2f} s, band %{y}: %{z:.1f}<extra></extra>",
    )
    probabilities = trace(
        "heatmap",
        z=np.round(heard.posteriors.T, 3),
        y=list(heard.phones),
        yaxis="y",
        zmin=0,
        zmax=1,
        colorscale=[[0, rgba(_TRUE, 0.03)], [1, _TRUE]],
        **common,
        hovertemplate="%{x:.2f} s: %{y} with probability %{z:.2f}<extra></extra>",
    )
    right, missed = heard.decoded.right, heard.true.alone
    bars = [
        _bars("true", heard.true, _TRUE, ~missed, "true phones"),
        _bars("true", heard.true, _WRONG, missed, "missed"),
        _bars("decoded", heard.decoded, _RIGHT, right, "decoded, right"),
        _bars("decoded", heard.decoded, _WRONG, ~right, "decoded, wrong"),
    ]
    axes: dict[str, Any] = {
        "xaxis": {"range": [0, heard.utterance.seconds], "anchor": "y", "showgrid": False},
        "yaxis": {
            "domain": _PARTS[0],
            "autorange": "reversed",
            "type": "category",
            "tickfont": {"size": 11},
            "showgrid": False,
        },
        "yaxis2": {
            "domain": _PARTS[1],
            "autorange": "reversed",
            "type": "category",
            "tickfont": {"size": 13},
            "categoryorder": "array",
            "categoryarray": ["true", "decoded"],
            "dtick": 1,
            "showgrid": False,
        },
        "yaxis3": {
            "domain": _PARTS[2],
            "title": {"text": "mel band", "font": {"size": 13}},
            "tickfont": {"size": 11},
            "showgrid": False,
        },
        "yaxis4": {"domain": _PARTS[3], "showticklabels": False, "zeroline": False, "showgrid": False},
    }
    return styled(
        [probabilities, *bars, spectrogram, wave],
        x="seconds",
        y="probability",
        height=height,
        revision=revision,
        barmode="overlay",
        bargap=0.08,
        uniformtext={"minsize": 9, "mode": "hide"},
        **axes,
    )


def _bars(row: str, segments: Segments, colour: str, which: np.ndarray, name: str) -> dict[str, Any]:
    at = np.flatnonzero(which)
    lasts = (segments.ends - segments.starts)[at]
    words = [segments.phones[k] for k in at]
    said = {"missed": "nothing decoded", "decoded, wrong": "added"}.get(name, "")
    others = [f"in place of {segments.partners[k]}" if segments.partners[k] else said for k in at]
    hover = "%{text}: %{base:.2f} s, for %{x:.2f} s" + ("; %{customdata}" if said else "") + "<extra>"
    return trace(
        "bar",
        orientation="h",
        y=[row] * len(at),
        base=segments.starts[at],
        x=lasts,
        text=words,
        name=name,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "#ffffff", "size": 12},
        marker={"color": colour, "line": {"width": 1, "color": "#ffffff"}},
        yaxis="y2",
        cliponaxis=False,
        customdata=others,
        hovertemplate=hover + name + "</extra>",
    )


def plot_errors(
    curves: Sequence[Curve],
    measure: str,
    m: int,
    *,
    against: str = "features",
    is_timit: bool = False,
    height: int = 560,
    revision: str = "",
) -> go.Figure:
    """Plot an error against the number of features, or of projections, and that of the raw features as a line.

    Of several draws the mean is drawn, with the standard deviation as a bar.

    Parameters
    ----------
    curves : sequence of Curve
    measure : {"phone error %", "frame error %"}
    m : int
        To mark, on the axis of features.
    against : {"features", "projections"}
    is_timit : bool
        Whether to draw the paper's values too.
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    maps = [curve for curve in curves if curve.cls is not None]
    by_features, name = against == "features", "m" if against == "features" else "projections"
    grid = np.unique([k for curve in maps for k in curve.to_frame()[name].astype(int)] or [100, 1000])
    papers = _papers(by_features) if is_timit and measure == "phone error %" else []
    values = np.concatenate([grid, *(x for x, *_ in papers)])
    ends = values.min(), values.max()
    traces: list[dict[str, Any]] = []
    grey = rgba(GREY, 0.55)
    for x, y, spread, label in papers:
        traces.append(_points(x, y, label, grey, "dot", "circle-open", name, spread))
    if papers:
        traces.append(_points(ends, [PAPER_RAW] * 2, "paper, raw features", grey, "dash", "circle-open", name))
    for curve, style in zip(maps, map_styles(curve.cls for curve in maps if curve.cls is not None), strict=True):
        frame = curve.to_frame()
        spread = frame[MEASURES[measure]] if len(curve.draws) > 1 else None
        look = style.colour, style.dash, style.symbol
        traces.append(_points(frame[name].astype(int), frame[measure], curve.label, *look, name, spread))
    for curve in curves:
        if curve.cls is None:
            value = float(curve.to_frame()[measure].iloc[0])
            traces.append(_points(ends, [value] * 2, curve.label, GREY, "dash", "circle", name) | {"mode": "lines"})
    axes = {"xaxis": count_axis(*ends)}
    return styled(
        traces,
        x=M_TITLE if by_features else "number of projections",
        y=measure.replace(" %", ", %"),
        height=height,
        revision=revision,
        shapes=[mark("x", m)] if by_features else [],
        **axes,
    )


def _papers(by_features: bool) -> list[tuple[np.ndarray, tuple[float, ...], tuple[float, ...], str]]:
    """Return the curves of the paper's Table 2: where they are, errors, standard deviations, name."""
    m = np.array(TABLE_M)
    return [
        (m if by_features else m * q, PAPER_TABLE_2[q], PAPER_TABLE_2_SPREAD[q], f"paper, q = {q}")
        for q in PAPER_TABLE_2
    ]


def _points(
    x: Any, y: Any, label: str, colour: str, dash: str, symbol: str, axis: str, spread: Any = None
) -> dict[str, Any]:
    at = "m = %{x:,}" if axis == "m" else "%{x:,} projections"
    bars = {} if spread is None else {"error_y": {"array": np.asarray(spread, dtype=float), "thickness": 1.5}}
    return trace(
        "scatter",
        x=np.asarray(x),
        y=np.asarray(y, dtype=float),
        mode="lines+markers",
        name=label,
        line={"color": colour, "dash": dash, "width": 2},
        marker={"symbol": symbol, "size": 8, "color": colour},
        hovertemplate=f"{at}: %{{y:.1f}}%<extra>{label}</extra>",
        **bars,
    )


def plot_confusions(shares: pd.DataFrame, *, height: int = 560, revision: str = "") -> go.Figure:
    """Plot which phone the frames of each true phone were decoded as.

    Parameters
    ----------
    shares : DataFrame
        Of :func:`rfviz.experiments.speech.compute.confusions`.
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    names = list(shares.columns)
    picture = trace(
        "heatmap",
        z=np.round(shares.to_numpy(), 3),
        x=names,
        y=names,
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=1,
        ygap=1,
        colorscale=[[0, rgba(_TRUE, 0.04)], [1, _TRUE]],
        hovertemplate="%{y}, decoded as %{x}: %{z:.0%} of its frames<extra></extra>",
    )
    small = {"type": "category", "tickfont": {"size": 10}, "dtick": 1, "showgrid": False}
    return styled(
        [picture],
        x="decoded phone",
        y="true phone",
        height=height,
        revision=revision,
        xaxis=small,
        yaxis=small | {"autorange": "reversed"},
    )
