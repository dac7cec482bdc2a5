"""Embeddings as pictures: points, or the images themselves, in the plane of their principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from rfviz.analysis.embedding import Projection
from rfviz.datasets.base import Dataset
from rfviz.figures.quick import trace
from rfviz.figures.template import COLOURS, GREY, SEQUENCE, SYMBOLS, rgba, styled

__all__ = ["PICKED", "PointStyle", "place_thumbnails", "plot_embedding", "point_style", "style_of"]

PICKED = "#e6007e"  # the frame and ring of the point that was clicked; no class has this colour
_ALL_DRAWN = 60
_THUMBNAIL_SHARE = 0.062  # width of a thumbnail over that of the chart
# An edge of the cube in three dimensions: without its grid, points would hang in nothing.
_EDGE = {"showgrid": True, "gridcolor": GREY, "zeroline": False, "nticks": 5, "showbackground": False,
         "showline": True, "linecolor": GREY, "tickfont": {"size": 11}}  # fmt: skip


@dataclass(frozen=True, eq=False)
class PointStyle:
    """How points look: by class, or along an order.

    Attributes
    ----------
    colours : list of str
        One colour a point.
    groups : tuple of (str, ndarray)
        Name and rows of each legend entry; empty where points are coloured along an order.
    values : ndarray of shape (n,) or None
        What the colour scale shows.
    title : str
        Title of the colour scale.
    labels : list of str
        What a point is called when the pointer is over it.
    """

    colours: list[str]
    groups: tuple[tuple[str, np.ndarray], ...]
    values: np.ndarray | None
    title: str
    labels: list[str]


def point_style(
    n: int,
    order: np.ndarray | None = None,
    codes: np.ndarray | None = None,
    names: tuple[str, ...] = (),
    title: str = "frame",
) -> PointStyle:
    """Colours and names of `n` points, by their class `codes` if there are any, else by their `order` or target.

    Parameters
    ----------
    n : int
    order : ndarray of shape (n,), optional
        Numbers to colour along.
    codes : ndarray of shape (n,), optional
        Class codes into `names`.
    names : tuple of str
    title : str
        What `order` counts or measures.
    """
    if codes is not None and names:
        present = [code for code in range(len(names)) if (codes == code).any()]
        groups = tuple((names[code], np.flatnonzero(codes == code)) for code in present)
        colours = [COLOURS[int(code) % len(COLOURS)] for code in codes]
        return PointStyle(colours, groups, None, "class", [f"{names[int(codes[i])]} (row {i})" for i in range(n)])
    if order is not None:
        share = (order - order.min()) / max(float(np.ptp(order)), 1e-12)
        colours = sample_colorscale([list(stop) for stop in SEQUENCE], share.tolist())
        return PointStyle(colours, (), order, title, [f"{title} {value:g}" for value in order])
    return PointStyle([COLOURS[0]] * n, (), None, "", [f"row {i}" for i in range(n)])


def style_of(dataset: Dataset, n: int) -> PointStyle:
    """Colours and names of the first `n` points: by their order if they have one, else by class or target."""
    classes = dataset.y if dataset.target_names else None
    if dataset.order is not None:
        along, title = dataset.order + (dataset.order.min() == 0), "frame"  # people count from 1
    else:
        along, title = None if classes is not None else dataset.y, "y"
    return point_style(n, along, classes, dataset.target_names, title)


def plot_embedding(
    projection: Projection,
    style: PointStyle,
    *,
    height: int,
    thumbnails: tuple[np.ndarray, list[str], float] | None = None,
    selected: int | None = None,
    legend: bool = True,
    compact: bool = False,
    revision: str = "",
) -> go.Figure:
    """Points in the plane or the space of their principal components.

    Parameters
    ----------
    projection : Projection
        Of two or three dimensions.
    style : PointStyle
    height : int
        Pixels.
    thumbnails : (rows, addresses, aspect), optional
        Images to draw as the marks: which rows, their data addresses, and height over width. For two dimensions.
    selected : int, optional
        Row to mark with a ring.
    legend : bool
        Whether to show a legend or a colour scale.
    compact : bool
        Whether to do without the numbers along the axes and their room, for several small pictures side by side.
    revision : str
        While it stays the same, a reader's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    Z = projection.coordinates
    # Neither a small picture nor the edges of a cube have room for the words.
    words = " of the variance" if legend and Z.shape[1] == 2 else ""
    axes = [f"axis {i + 1} ({share:.0%}{words})" for i, share in enumerate(projection.explained)]
    traces = _points(Z, style, legend, compact)
    if Z.shape[1] == 3:
        scene = {
            f"{name}axis": _EDGE | {"title": {"text": text, "font": {"size": 13}}}
            for name, text in zip("xyz", axes, strict=True)
        }
        scene |= {
            "aspectmode": "data",
            "camera": {"eye": {"x": 1.95, "y": 1.95, "z": 1.15}, "center": {"x": 0, "y": 0, "z": -0.15}},
        }
        return styled(traces, x="", y="", height=height, revision=revision, scene=scene)
    if selected is not None and selected < len(Z):
        traces.append(_ring(Z[selected]))
    shown, layout = Z, {}
    if thumbnails is not None:
        places, threads, layout["images"] = _thumbnails(Z, *thumbnails)
        traces.append(threads)
        shown = np.concatenate([Z, places])
    low, high = shown.min(axis=0), shown.max(axis=0)
    pad = 0.06 * (high - low).max()
    layout["xaxis"] = {"range": [low[0] - pad, high[0] + pad]}
    layout["yaxis"] = {"range": [low[1] - pad, high[1] + pad], "scaleanchor": "x", "scaleratio": 1}
    if compact:
        layout["margin"] = {"l": 34, "r": 10, "t": 8, "b": 36}
        for name, text in zip(("xaxis", "yaxis"), axes, strict=True):
            title = {"text": text, "font": {"size": 13}, "standoff": 6}
            layout[name] |= {"showticklabels": False, "ticks": "", "showgrid": False, "title": title}
    return styled(traces, x=axes[0], y=axes[1], height=height, revision=revision, **layout)


def _thumbnail_size(Z: np.ndarray, aspect: float) -> np.ndarray:
    """Width and height of a thumbnail in the units of `Z`, for images of that height over width."""
    width = _THUMBNAIL_SHARE * float(np.ptp(Z, axis=0).max())
    return np.array([width, width * aspect])


def place_thumbnails(Z: np.ndarray, aspect: float, most: int = 120) -> np.ndarray:
    """Rows to draw as images: all where they are few, else a readable sample of which no two overlap.

    Parameters
    ----------
    Z : ndarray of shape (n, 2)
    aspect : float
        Height over width of the images.
    most : int
        How many at most, where not all are drawn.

    Returns
    -------
    ndarray of int
        Rows, rising.
    """
    if len(Z) <= _ALL_DRAWN:
        return np.arange(len(Z))
    size = _thumbnail_size(Z, aspect)
    taken: list[int] = []
    # The same shuffle every time, so that images stay while a slider moves.
    for row in np.random.default_rng(0).permutation(len(Z)):
        apart = np.abs(Z[taken] - Z[row]) >= size
        if apart.any(axis=1).all():
            taken.append(int(row))
        if len(taken) == most:
            break
    return np.array(sorted(taken))


def _points(Z: np.ndarray, style: PointStyle, legend: bool, compact: bool = False) -> list[Any]:
    kind = "scatter3d" if Z.shape[1] == 3 else ("scattergl" if len(Z) > 3000 else "scatter")
    size = 4 if Z.shape[1] == 3 else 5 if compact and len(Z) > 100 else 9 if len(Z) <= 600 else 6
    groups = style.groups or (("", np.arange(len(Z))),)
    traces = []
    for index, (name, rows) in enumerate(groups):
        place = dict(zip("xyz", Z[rows].T, strict=False))
        marker: dict[str, Any] = {"size": size, "symbol": SYMBOLS[index // len(COLOURS) % len(SYMBOLS)]}
        if Z.shape[1] == 3 and marker["symbol"] not in ("circle", "diamond", "square", "cross"):
            marker["symbol"] = "circle"
        if style.values is not None:
            marker |= {"color": style.values[rows], "colorscale": SEQUENCE, "showscale": legend}
            marker["colorbar"] = {
                "title": {"text": style.title, "side": "top"},
                "thickness": 10,
                "orientation": "h",
                "len": 0.35,
                "x": 0.0,
                "xanchor": "left",
                "y": 1.0,
                "yanchor": "bottom",
            }
        else:
            marker["color"] = style.colours[rows[0]] if len(rows) else GREY
        traces.append(
            trace(
                kind,
                **place,
                mode="markers",
                marker=marker,
                name=name,
                showlegend=bool(name) and legend,
                customdata=rows,
                text=[style.labels[i] for i in rows],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    return traces


def _ring(point: np.ndarray) -> dict[str, Any]:
    marker = {"size": 22, "symbol": "circle-open", "color": PICKED, "line": {"width": 3}}
    return trace("scatter", x=point[:1], y=point[1:], mode="markers", marker=marker, hoverinfo="skip", showlegend=False)


def _thumbnails(
    Z: np.ndarray, rows: np.ndarray, uris: list[str], aspect: float
) -> tuple[np.ndarray, dict[str, Any], list[dict[str, Any]]]:
    """Images at (or, where they would overlap, beside) their points: where, the threads that tie them, the images."""
    size = _thumbnail_size(Z, aspect)
    places = spread_apart(Z[rows], size) if len(rows) <= _ALL_DRAWN else Z[rows]
    images = [
        {"source": uri, "xref": "x", "yref": "y", "x": x, "y": y, "sizex": size[0], "sizey": size[1],
         "xanchor": "center", "yanchor": "middle", "sizing": "stretch", "layer": "above"}
        for uri, (x, y) in zip(uris, places.tolist(), strict=True)
    ]  # fmt: skip
    threads = np.full((len(rows), 3, 2), np.nan)
    threads[:, 0], threads[:, 1] = Z[rows], places
    x, y = threads.reshape(-1, 2).T
    line = {"color": rgba(GREY, 0.7), "width": 1}
    return places, trace("scatter", x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False), images


def spread_apart(places: np.ndarray, size: np.ndarray, rounds: int = 500) -> np.ndarray:
    """Move boxes as little as a simple relaxation can so that no two overlap.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Centres.
    size : ndarray of shape (2,)
        Width and height of every box.

    Returns
    -------
    ndarray of shape (n, 2)
        New centres.
    """
    moved = places.T.astype(float)
    width, height = 1.04 * size
    for number in range(rounds):
        # One array an axis: half the time of arrays with a last axis of two.
        gap_x, gap_y = moved[0][:, None] - moved[0], moved[1][:, None] - moved[1]
        over_x, over_y = width - np.abs(gap_x), height - np.abs(gap_y)
        np.fill_diagonal(over_x, -1.0)
        colliding = (over_x > 0) & (over_y > 0)
        # Pushed 4 % apart, they are apart enough at 1 %: the last steps are ever smaller.
        if not ((over_x > 0.03 * size[0]) & (over_y > 0.03 * size[1])).any():
            break
        if number == 0:
            # A little disorder among those that collide: boxes in a row would push each other along it for ever.
            noise = 0.1 * size[:, None] * np.random.default_rng(0).standard_normal(moved.shape)
            moved += noise * colliding.any(axis=1)
            continue
        # Each pair parts along the axis on which less movement is needed.
        across = over_x * size[1] <= over_y * size[0]
        moved[0] += 0.5 * np.where(colliding & across, np.copysign(over_x, gap_x), 0.0).sum(axis=1)
        moved[1] += 0.5 * np.where(colliding & ~across, np.copysign(over_y, gap_y), 0.0).sum(axis=1)
    return moved.T
