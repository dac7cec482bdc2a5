"""A skeleton as a drawing: one box a layer, with its nodes, and what lies between; and one feature over an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from rfviz.figures.quick import trace
from rfviz.figures.template import COLOURS, GREY, rgba, styled
from rfviz.skeleton import Activation, Skeleton

__all__ = ["activation_name", "plot_feature", "plot_skeleton"]

_STEP = 2.3


def activation_name(act: Activation) -> str:
    """An activation in a few words."""
    if act.kind == "exponential":
        return f"exp({act.scale:g}(ρ−1))"
    if act.kind == "polynomial":
        inner = f"((ρ+{act.offset:g})/{1 + act.offset:g})" if act.offset else "ρ"
        return f"{inner}^{act.degree}"
    return {"relu": "ReLU"}.get(act.kind, act.kind)


def plot_skeleton(skeleton: Skeleton, *, height: int = 250) -> go.Figure:
    """The layers of a stack of convolutions from the image to the output.

    Parameters
    ----------
    skeleton : Skeleton
        Of an image: see :func:`rfviz.skeleton.convolutions`.
    height : int
    """
    image, layers = skeleton.image_shape, skeleton.form["layers"]
    sides = [(image[0], image[1])]
    for layer in layers:
        (rows, columns), stride = layer["size"], layer["stride"]
        sides.append(((sides[-1][0] - rows) // stride + 1, (sides[-1][1] - columns) // stride + 1))
    sides.append((1, 1))
    shapes, notes, hover = [], [], {"x": [], "y": [], "text": []}
    for place, (rows, columns) in enumerate(sides):
        x, half = place * _STEP, 0.14 + 0.66 * np.sqrt(rows * columns / (image[0] * image[1]))
        colour = COLOURS[0] if place == 0 else COLOURS[1] if place == len(sides) - 1 else COLOURS[2]
        box = {"color": colour, "width": 2}
        shapes.append({"type": "rect", "x0": x - half, "x1": x + half, "y0": -half, "y1": half, "line": box,
                       "fillcolor": rgba(colour, 0.18)})  # fmt: skip
        channels = f"×{image[2]}" if place == 0 and image[2] > 1 else ""
        words = "image" if place == 0 else "output" if place == len(sides) - 1 else "layer " + str(place)
        notes.append(_note(f"<b>{words}</b><br>{rows}×{columns}{channels}", x, -0.95, "top"))
        hover["x"].append(x), hover["y"].append(0), hover["text"].append(f"{words}: {rows * columns:,} nodes")
        if place:
            notes.append(_note(_between(skeleton, place), x - _STEP / 2, 0.95, "bottom"))
            shapes.append({"type": "line", "x0": x - _STEP + 0.9, "x1": x - 0.9, "y0": 0, "y1": 0,
                           "line": {"color": GREY, "width": 2}})  # fmt: skip
            notes.append({"x": x - 0.85, "y": 0, "ax": x - 0.95, "ay": 0, "axref": "x", "ayref": "y", "text": "",
                          "showarrow": True, "arrowhead": 2, "arrowcolor": GREY, "arrowwidth": 2})  # fmt: skip
    points = trace("scatter", **hover, mode="markers", marker={"size": 24, "opacity": 0}, hoverinfo="text")
    hidden = {"visible": False, "fixedrange": True}
    return styled(
        [points], x="", y="", height=height, revision="skeleton", shapes=shapes, annotations=notes, showlegend=False,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=hidden | {"range": [-1.0, (len(sides) - 1) * _STEP + 1.0]}, yaxis=hidden | {"range": [-1.75, 1.85]},
    )  # fmt: skip


def _between(skeleton: Skeleton, place: int) -> str:
    """What the nodes of a layer do with those below."""
    act = skeleton.layers[place - 1].activation
    layers = skeleton.form["layers"]
    if place > len(layers):
        return f"all<br>{activation_name(act)}"
    (rows, columns), stride = layers[place - 1]["size"], layers[place - 1]["stride"]
    return f"{rows}×{columns}, step {stride}<br>{activation_name(act)}"


def _note(text: str, x: float, y: float, anchor: str) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "showarrow": False, "yanchor": anchor, "font": {"size": 13}}


def plot_feature(
    source: str, side: int, pixels: np.ndarray, labels: list[str], picked: int, *, height: int = 360
) -> go.Figure:
    """An image with the pixels of one feature framed.

    Parameters
    ----------
    source : str
        The image as a data address.
    side : int
        Pixels in a row and a column.
    pixels : ndarray
        Those that the feature reaches.
    labels : list of str
        What each adds to the angle.
    picked : int
        The pixel that was clicked, drawn dashed.
    """
    size = max(6.0, 270 / side)
    frames = trace(
        "scatter", x=pixels % side, y=pixels // side, mode="markers", text=labels, hoverinfo="text",
        marker={"symbol": "square-open", "size": size, "color": COLOURS[1], "line": {"width": 3}},
    )  # fmt: skip
    row, column = divmod(picked, side)
    half = {"x0": column - 0.75, "x1": column + 0.75, "y0": row - 0.75, "y1": row + 0.75}
    own = {"type": "rect", **half, "line": {"color": "#ffffff", "width": 2, "dash": "dot"}}
    image = {"source": source, "xref": "x", "yref": "y", "x": -0.5, "y": -0.5, "sizex": side, "sizey": side,
             "sizing": "stretch", "layer": "below"}  # fmt: skip
    hidden = {"visible": False}
    return styled(
        [frames], x="", y="", height=height, revision=f"feature-{side}", images=[image], shapes=[own],
        margin={"l": 4, "r": 4, "t": 4, "b": 4}, showlegend=False,
        xaxis=hidden | {"range": [-0.5, side - 0.5], "constrain": "domain"},
        yaxis=hidden | {"range": [side - 0.5, -0.5], "scaleanchor": "x", "constrain": "domain"},
    )  # fmt: skip
