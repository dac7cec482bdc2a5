"""Embeddings as pictures: points, or the images themselves, in the plane of their principal components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.analysis.embedding import Projection
from rfviz.datasets.base import Dataset
from rfviz.figures.images import framed_image
from rfviz.figures.template import COLOURS, GREY, SEQUENCE, SYMBOLS, styled
from rfviz.figures.thumbnails import draw_thumbnails, place_thumbnails, thumbnail_size
from rfviz.figures.traces import literal, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["PICKED", "PointStyle", "image_marks", "plot_embedding", "point_style", "style_of"]

PICKED = "#e6007e"  # the frame and ring of the point that was clicked; no class has this colour
_SOLIDS = ("circle", "diamond", "square", "cross")  # symbols that Plotly has in three dimensions too
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
        Name and rows of each legend entry; empty if points are coloured along an order.
    values : ndarray of shape (n,) or None
        Values on the colour scale.
    title : str
        Title of the colour scale.
    labels : list of str
        Names of the points, shown on hover.
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
    """Return colours and names of `n` points, by their class `codes` if there are any, else by their `order` or target.

    Parameters
    ----------
    order : ndarray of shape (n,), optional
        Numbers to colour along.
    codes : ndarray of shape (n,), optional
        Class codes into `names`.
    title : str
        What `order` counts or measures.
    """
    if codes is not None and names:
        present = [code for code in range(len(names)) if (codes == code).any()]
        groups = tuple((names[code], np.flatnonzero(codes == code)) for code in present)
        colours = [COLOURS[int(code) % len(COLOURS)] for code in codes]
        return PointStyle(colours, groups, None, "class", [f"{names[int(codes[i])]} (row {i})" for i in range(n)])
    if order is not None:
        from plotly.colors import sample_colorscale

        share = (order - order.min()) / max(float(np.ptp(order)), 1e-12)
        colours = [str(colour) for colour in sample_colorscale([list(stop) for stop in SEQUENCE], share.tolist())]
        return PointStyle(colours, (), order, title, [f"{title} {value:g}" for value in order])
    return PointStyle([COLOURS[0]] * n, (), None, "", [f"row {i}" for i in range(n)])


def style_of(dataset: Dataset, n: int) -> PointStyle:
    """Return colours and names of the first `n` points: by their order if they have one, else by class or target."""
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
    wide: bool = False,
    revision: str = "",
) -> go.Figure:
    """Draw points in the plane or the space of their principal components.

    Parameters
    ----------
    projection : Projection
        Of two or three dimensions.
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
    wide : bool
        Whether images fill a plane as wide as the page, on axes that have a scale each, so that they can be large.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    Z = projection.coordinates
    # Neither a small picture nor the edges of a cube have room for the words.
    words = " of the variance" if legend and Z.shape[1] == 2 else ""
    shares = [f" ({share:.0%}{words})" if np.isfinite(share) else "" for share in projection.explained]
    axes = [literal(name) for name in projection.names] or [f"axis {i + 1}{share}" for i, share in enumerate(shares)]
    traces = _points(Z, style, legend, compact)
    if Z.shape[1] == 3:
        return styled(traces, x="", y="", height=height, revision=revision, scene=_scene(axes))
    if selected is not None and selected < len(Z):
        traces.append(_ring(Z[selected]))
    shown, images, half = Z, {}, None
    if thumbnails is not None:
        places, threads, images["images"] = draw_thumbnails(Z, *thumbnails, wide)
        traces.append(threads)
        shown = np.concatenate([Z, places])
        half = 0.6 * thumbnail_size(Z, thumbnails[2], wide)
    if projection.names:  # quantities of their own, of which one may be a thousand times the other
        extent = np.nanmax(Z, axis=0) - np.nanmin(Z, axis=0)
        wide, half = True, np.where(extent > 0, 0.06 * extent, 0.5)
    layout: dict[str, Any] = (
        images | _plane(shown, axes, compact, half if wide else None) | {"legend": {"itemsizing": "constant"}}
    )
    if projection.names:  # where the page makes the plane square, both axes fill it
        across, up = (float(np.ptp(layout[axis]["range"])) for axis in ("xaxis", "yaxis"))
        layout["yaxis"]["scaleratio"] = across / up
    if not compact and (not legend or style.values is not None):
        layout["margin"] = {"t": 12}  # nothing stands above the plane, or a colour scale that makes its own room
    return styled(traces, x=axes[0], y=axes[1], height=height, revision=revision, **layout)


def _scene(axes: list[str]) -> dict[str, Any]:
    """Return the cube of three axes, seen from above one of its corners."""
    edges = {
        f"{name}axis": _EDGE | {"title": {"text": text, "font": {"size": 13}}}
        for name, text in zip("xyz", axes, strict=True)
    }
    camera = {"eye": {"x": 1.95, "y": 1.95, "z": 1.15}, "center": {"x": 0, "y": 0, "z": -0.15}}
    return edges | {"aspectmode": "data", "camera": camera}


def _plane(shown: np.ndarray, axes: list[str], compact: bool, pads: np.ndarray | None = None) -> dict[str, Any]:
    """Return two axes with room for all that is shown: of one scale, or of one each where the room around is given."""
    low, high = np.nanmin(shown, axis=0), np.nanmax(shown, axis=0)
    pad = [0.06 * (high - low).max()] * 2 if pads is None else pads
    layout: dict[str, Any] = {
        "xaxis": {"range": [low[0] - pad[0], high[0] + pad[0]]},
        "yaxis": {"range": [low[1] - pad[1], high[1] + pad[1]]},
    }
    if pads is None:
        layout["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    if compact:
        layout["margin"] = {"l": 34, "r": 10, "t": 8, "b": 36}
        for name, text in zip(("xaxis", "yaxis"), axes, strict=True):
            title = {"text": text, "font": {"size": 13}, "standoff": 6}
            layout[name] |= {"showticklabels": False, "ticks": "", "showgrid": False, "title": title}
    return layout


def _points(Z: np.ndarray, style: PointStyle, legend: bool, compact: bool = False) -> list[Any]:
    in_space = Z.shape[1] == 3
    kind = "scatter3d" if in_space else ("scattergl" if len(Z) > 3000 else "scatter")
    size = 4 if in_space else 5 if compact and len(Z) > 100 else 9 if len(Z) <= 600 else 6
    groups = style.groups or (("", np.arange(len(Z))),)
    traces = []
    for index, (name, rows) in enumerate(groups):
        symbol = SYMBOLS[index // len(COLOURS) % len(SYMBOLS)]
        if in_space and symbol not in _SOLIDS:
            symbol = "circle"
        traces.append(
            trace(
                kind,
                **dict(zip("xyz", Z[rows].T, strict=False)),
                mode="markers",
                marker={"size": size, "symbol": symbol} | _colours(style, rows, legend),
                name=literal(name),
                showlegend=bool(name) and legend,
                customdata=rows,
                text=[literal(style.labels[i]) for i in rows],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    return traces


def _colours(style: PointStyle, rows: np.ndarray, legend: bool) -> dict[str, Any]:
    """Return the part of a marker that says how these points are coloured: along a scale, or as one class."""
    if style.values is None:
        return {"color": style.colours[rows[0]] if len(rows) else GREY}
    bar = {
        "title": {"text": literal(style.title), "side": "top", "font": {"size": 15}},
        "thickness": 10,
        "ypad": 4,
        "tickfont": {"size": 14},
        "orientation": "h",
        "len": 0.35,
        "x": 0.0,
        "xanchor": "left",
        "y": 1.0,
        "yanchor": "bottom",
    }
    return {"color": style.values[rows], "colorscale": SEQUENCE, "showscale": legend, "colorbar": bar}


def _ring(point: np.ndarray) -> dict[str, Any]:
    marker = {"size": 22, "symbol": "circle-open", "color": PICKED, "line": {"width": 3}}
    return trace("scatter", x=point[:1], y=point[1:], mode="markers", marker=marker, hoverinfo="skip", showlegend=False)


def image_marks(
    dataset: Dataset,
    coordinates: np.ndarray,
    style: PointStyle,
    picked: int | None = None,
    encode: Callable[[int, str], str] | None = None,
    wide: bool = False,
) -> tuple[np.ndarray, list[str], float]:
    """Return images of a data set as the marks of :func:`plot_embedding`.

    Parameters
    ----------
    dataset : Dataset
        Of images.
    coordinates : ndarray of shape (n, 2)
        Of its first `n` rows.
    picked : int, optional
        A row to be framed as clicked.
    encode : callable, optional
        ``encode(row, frame)`` returns what :func:`framed_image` does, perhaps from a cache.
    wide : bool
        Whether they fill a plane as wide as the page.

    Returns
    -------
    rows : ndarray of int
        Those whose image stands at its place: as many as there is room for.
    addresses : list of str
        Their images, framed in their colours.
    aspect : float
        Height over width.
    """
    height, width = dataset.shape_of_images[:2]
    aspect = height / width
    rows = place_thumbnails(coordinates, aspect, wide=wide)
    frames = [PICKED if row == picked else style.colours[row] for row in rows]
    encode = encode or partial(framed_image, dataset)
    return rows, [encode(int(row), frame) for row, frame in zip(rows, frames, strict=True)], aspect
