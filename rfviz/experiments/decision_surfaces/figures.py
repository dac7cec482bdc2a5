"""Pictures of decision surfaces: colours of classes, paler where the classifier is unsure, with the points on top."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.experiments.decision_surfaces.compute import MOST_MARKS, Surface
from rfviz.figures.template import COLOURS, GREY, SIGNS, SYMBOLS, styled
from rfviz.figures.traces import literal, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.experiments.decision_surfaces.gradients import Gradients

__all__ = [
    "CLASS_COLOURS",
    "LEFT_MARGIN",
    "class_colour",
    "class_sign",
    "plot_classified",
    "plot_gradients",
    "plot_surface",
    "surface_image",
]

#: Of the classes, in their order: the colours of all charts, and four more for the ten digits.
CLASS_COLOURS = (*COLOURS, "#c0453f", "#4f9a2f", "#3a9fb8", "#98704f")
# Opacity where all classes are equally likely, and where one is certain: the page shows through, light or dark.
_FAINT, _FULL = 0.1, 0.72
# Points up to which there is room for large marks.
_FEW = 60
#: Pixels left of a panel's plane, for its scale.
LEFT_MARGIN = 50
_CREASE, _HALO = (24, 28, 36, 215), (255, 255, 255, 105)


def class_colour(code: int) -> str:
    """Return the colour of a class, hexadecimal."""
    return CLASS_COLOURS[code % len(CLASS_COLOURS)]


def class_sign(code: int) -> str:
    """Return a character that looks like the marks of a class."""
    return SIGNS[_symbol(code)]


def _symbol(code: int) -> str:
    return SYMBOLS[code % len(SYMBOLS)]


def surface_image(
    surface: Surface, codes: np.ndarray, plane: Plane, creases: np.ndarray | None = None
) -> dict[str, Any]:
    """Draw probabilities as a picture behind the traces: each cell mixes the classes' colours by squared probability.

    A picture rather than a heat map: it is a few dozen kilobytes, and a redraw takes a fifth of the time.

    Parameters
    ----------
    codes : ndarray of shape (n_classes,), int
        Of the classes, for their colours.
    creases : ndarray of shape (resolution, resolution), bool, optional
        Cells to draw dark, with a pale seam, on top.

    Returns
    -------
    dict
        For ``layout.images``.
    """
    p = surface.probabilities().astype(np.float32)
    k = p.shape[2]
    pixels = np.empty((*p.shape[:2], 4), dtype=np.uint8)
    # By their squares, because the plain mean of ten colours is grey where one of them clearly leads.
    weights = p**2 / (p**2).sum(axis=2, keepdims=True)
    pixels[..., :3] = weights @ np.array([_rgb(class_colour(i)) for i in codes], dtype=np.float32)
    sure = np.sqrt(np.maximum(p.max(axis=2) - 1.0 / k, 0.0) / (1.0 - 1.0 / k))
    pixels[..., 3] = 255 * (_FAINT + (_FULL - _FAINT) * sure)
    winners = surface.winners
    border = np.zeros(winners.shape, dtype=bool)
    border[:, :-1] |= winners[:, 1:] != winners[:, :-1]
    border[:-1] |= winners[1:] != winners[:-1]
    pixels[border] = (*_rgb(GREY), 255)
    if creases is not None and creases.any():
        pixels[_widened(creases) & ~creases] = _HALO
        pixels[creases] = _CREASE
    buffer = io.BytesIO()
    from PIL import Image

    Image.fromarray(np.ascontiguousarray(pixels[::-1]), "RGBA").save(buffer, "PNG", compress_level=1)
    return {
        "source": "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii"),
        "xref": "x",
        "yref": "y",
        "x": plane.x[0],
        "y": plane.y[1],
        "sizex": plane.x[1] - plane.x[0],
        "sizey": plane.y[1] - plane.y[0],
        "xanchor": "left",
        "yanchor": "top",
        "sizing": "stretch",
        "layer": "below",
    }


def plot_surface(
    image: dict[str, Any] | None,
    plane: Plane,
    points: np.ndarray,
    classes: np.ndarray,
    names: Sequence[str],
    *,
    missed: tuple[np.ndarray, np.ndarray] | None = None,
    axes: tuple[str, str] = ("x", "y"),
    placing: bool = False,
    curve: np.ndarray | None = None,
    height: int = 400,
    revision: str = "",
) -> go.Figure:
    """Plot one panel: a picture of the plane with the training points on it.

    Parameters
    ----------
    image : dict or None
        By :func:`surface_image`; None before there is anything to learn from.
    points : ndarray of shape (n, 2)
        Coordinates in the plane.
    classes : ndarray of shape (n,), int
        Codes into `names`, and of the colours.
    names : sequence of str
    missed : (points, classes), optional
        Misclassified test points, drawn as crosses in the colour of their true class.
    axes : (across, up)
        Titles.
    placing : bool
        Whether clicks are to place points, so that dragging must not zoom.
    curve : ndarray of shape (n, 2), optional
        A line on top: the curve that separates the classes.
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    size = 6 if len(points) > _FEW else 10
    traces = [_marks(points[classes == c], int(c), literal(names[int(c)]), size) for c in np.unique(classes)]
    if missed is not None and len(missed[0]):
        traces.append(_crosses(*missed, names))
    if curve is not None:
        inside = np.where((curve[:, 1] >= plane.y[0]) & (curve[:, 1] <= plane.y[1]), curve[:, 1], np.nan)
        line, name = {"color": GREY, "width": 2.5, "dash": "dash"}, "the curve of the data"
        traces.append(trace("scatter", x=curve[:, 0], y=inside, mode="lines", line=line, name=name, hoverinfo="skip"))
    if not traces:
        traces = [trace("scatter", x=[], y=[], mode="markers", showlegend=False)]
    across, up = map(literal, axes)
    axis = {"showgrid": False, "nticks": 6, "fixedrange": placing, "tickfont": {"size": 12}, "ticks": ""}
    return styled(
        traces,
        x=across,
        y=up,
        height=height,
        revision=revision,
        margin={"l": LEFT_MARGIN, "r": 6, "t": 6, "b": 46},
        showlegend=False,
        images=[image] if image else [],
        dragmode=False if placing else "pan",
        xaxis=axis | {"range": list(plane.x), "title": {"text": across, "font": {"size": 13}, "standoff": 6}},
        yaxis=axis | {"range": list(plane.y), "title": {"text": up, "font": {"size": 13}, "standoff": 2}},
    )


def plot_classified(
    surface: Surface | None,
    split: Split,
    plane: Plane,
    *,
    creases: np.ndarray | None = None,
    image: dict[str, Any] | None = None,
    axes: tuple[str, str] = ("x", "y"),
    placing: bool = False,
    curve: np.ndarray | None = None,
) -> go.Figure:
    """Plot the surface of a classifier, with the training points and the test points that it misclassifies.

    At most :data:`MOST_MARKS` of each are drawn, a random choice of the training points.

    Parameters
    ----------
    surface : Surface or None
        None before there is anything to learn from.
    split : Split
        The rows that it learned from.
    creases : ndarray of shape (resolution, resolution), bool, optional
        See :func:`surface_image`.
    image : dict, optional
        The picture by that function, if there is one already.
    axes, placing, curve
        See :func:`plot_surface`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    missed, n = None, len(split.X_train)
    if surface is not None:
        image = image or surface_image(surface, np.unique(split.y_train), plane, creases)
        if len(split.X_test):
            wrong = surface.wrong[:MOST_MARKS]
            missed = plane.project(split.X_test[wrong]), split.y_test[wrong]
    rows = np.arange(n) if n <= MOST_MARKS else np.sort(np.random.default_rng(0).permutation(n)[:MOST_MARKS])
    return plot_surface(
        image,
        plane,
        plane.project(split.X_train[rows]),
        split.y_train[rows],
        split.target_names,
        missed=missed,
        axes=axes,
        placing=placing,
        curve=curve,
        revision=f"{split.name}-{plane.x}-{plane.y}",
    )


def plot_gradients(
    found: Gradients,
    surface: Surface,
    split: Split,
    plane: Plane,
    *,
    image: dict[str, Any],
    axes: tuple[str, str],
) -> go.Figure:
    """Plot the surface of a classifier with arrows along its gradients, the longest as long as places are apart.

    Parameters
    ----------
    image, axes
        See :func:`plot_surface`.
    """
    step = (plane.x[1] - plane.x[0]) / round(len(found.places) ** 0.5)
    arrows = 0.9 * step * found.in_plane / max(float(np.linalg.norm(found.in_plane, axis=1).max()), 1e-300)
    start, end = found.places - arrows / 2, found.places + arrows / 2
    # Two barbs, each a quarter of an arrow's length.
    back = -0.25 * arrows
    side = np.column_stack([-back[:, 1], back[:, 0]]) / 1.5
    gap = np.full(len(end), np.nan)
    strokes = [
        np.column_stack(parts).ravel()
        for parts in (
            (start[:, k], end[:, k], gap, (end + back + side)[:, k], end[:, k], (end + back - side)[:, k], gap)
            for k in (0, 1)
        )
    ]
    figure = plot_classified(surface, split, plane, image=image, axes=axes)
    figure.data = ()
    # A pale edge, so that arrows are seen on a dark page too.
    for name, colour, width in (("edge", "rgba(255,255,255,0.5)", 3.6), ("gradients", "#15181e", 1.6)):
        stroke = {"color": colour, "width": width}
        figure.add_scatter(x=strokes[0], y=strokes[1], mode="lines", line=stroke, name=name, hoverinfo="skip")
    return figure


def _marks(points: np.ndarray, code: int, name: str, size: int) -> dict[str, Any]:
    colour = class_colour(code)
    marker = {
        "symbol": _symbol(code),
        "size": size,
        "color": colour,
        "line": {"width": 0.8, "color": "rgba(255,255,255,0.9)"},
    }
    return trace(
        "scatter",
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker=marker,
        name=name,
        hovertemplate=f"{name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>",
    )


def _crosses(points: np.ndarray, classes: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    colours = [class_colour(int(c)) for c in classes]
    marker = {"symbol": "x", "size": 8, "color": colours, "line": {"width": 1, "color": "#15181e"}}
    return trace(
        "scatter",
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker=marker,
        name="missed",
        customdata=[literal(names[int(c)]) for c in classes],
        hovertemplate="test point of class %{customdata}, misclassified<extra></extra>",
    )


def _widened(cells: np.ndarray) -> np.ndarray:
    """Return the cells and their four neighbours."""
    wide = cells.copy()
    wide[1:] |= cells[:-1]
    wide[:-1] |= cells[1:]
    wide[:, 1:] |= cells[:, :-1]
    wide[:, :-1] |= cells[:, 1:]
    return wide


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue
