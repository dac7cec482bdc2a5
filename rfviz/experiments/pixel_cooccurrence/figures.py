"""Maps of how pixels occur together in random features, the skeleton as a drawing, and one feature over an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.pixel_cooccurrence.compute import PixelMap
from rfviz.experiments.pixel_cooccurrence.feature_shapes import FeatureSizes, Repeats
from rfviz.experiments.pixel_cooccurrence.layers import image_of
from rfviz.figures.axes import count_axis
from rfviz.figures.template import COLOURS, DIVERGING, GREY, rgba, styled
from rfviz.figures.traces import trace
from rfviz.skeleton import Activation, Skeleton

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "plot_feature", "plot_map_grid", "plot_maps", "plot_repeats", "plot_rms", "plot_sizes", "plot_skeleton", "scale_of",
]  # fmt: skip

# A scale that ends below this would show nothing but chance.
_SMALLEST_SCALE = 0.02
_GAP = 0.12
# Where no correlation is below this share of the scale, the colours of lower ones are left out: where the scale begins,
# and the colours from there on, the same as of the whole scale.
_LOW = 0.25
_FROM = 0.5 * (1.0 - _LOW)
_UPPER = [[0.0, "rgba(42,127,196,0.33)"], *([(at - _FROM) / (1 - _FROM), hue] for at, hue in DIVERGING if at > _FROM)]
# Between two boxes of a drawing.
_STEP = 2.3
_SIDEWAYS = {"xanchor": "center", "yanchor": "middle", "font": {"size": 13}}


def scale_of(exact: Sequence[np.ndarray], pixels: Sequence[int]) -> float:
    """Return the correlation at the end of the colours: the largest exact one of different pixels, rounded up.

    Parameters
    ----------
    exact : sequence of ndarray of shape (n_pixels,)
        Correlations with one pixel each.
    pixels : sequence of int
        Those pixels.
    """
    largest = max(float(np.abs(np.delete(c, p)).max(initial=0.0)) for c, p in zip(exact, pixels, strict=True))
    largest = max(largest, _SMALLEST_SCALE)
    power = 10.0 ** np.floor(np.log10(largest))
    return min(float(next(s for s in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if s * power >= largest * 0.999) * power), 1.0)


def plot_maps(result: PixelMap, side: int, *, height: int = 480, revision: str = "") -> go.Figure:
    """Draw the counted and the exact map side by side, on one scale; a click on either picks a pixel.

    Parameters
    ----------
    side : int
        Pixels in a row of the image.
    height : int
        Pixels of the screen.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    limit = scale_of([result.exact.correlation], [result.pixel])
    step = round(side * (1 + _GAP))
    panels = [(result.correlation, "counted"), (result.exact.correlation, "exact")]
    traces = [_panel(values, side, place * step, word, limit) for place, (values, word) in enumerate(panels)]
    row, column = divmod(result.pixel, side)
    traces += _marks([column, column + step], [row, row], max(5.0, 215 / side))
    titles = [f"In {result.n_features:,} features", "Exact"]  # more words would be cut on a phone
    notes = [_title(text, place * step + (side - 1) / 2, -0.6) for place, text in enumerate(titles)]
    return _picture(traces, notes, step + side, side, limit, height, revision, above=side / 9)


def plot_map_grid(
    rows: Sequence[tuple[str, Sequence[tuple[int, np.ndarray]]]],
    side: int,
    limit: float,
    *,
    height: int = 620,
    revision: str = "",
) -> go.Figure:
    """Draw maps of several pixels, side by side, for several skeletons, one below the other: Figure 4 of the paper.

    Parameters
    ----------
    rows : sequence of (name, maps)
        Each map is (pixel, correlations).
    limit : float
        Correlation at the end of the colours, for all maps.
    """
    step = round(side * (1 + _GAP))
    traces, notes, x, y = [], [], [], []
    for i, (name, maps) in enumerate(rows):
        for j, (pixel, values) in enumerate(maps):
            traces.append(_panel(values, side, j * step, name, limit, i * step))
            x.append(j * step + pixel % side)
            y.append(i * step + pixel // side)
        notes.append(_title(name, -side / 9, i * step + side / 2, textangle=-90, **_SIDEWAYS))
    traces += _marks(x, y, max(4.0, 100 / side))
    width, tall = step * (len(rows[0][1]) - 1) + side, step * (len(rows) - 1) + side
    return _picture(traces, notes, width, tall, limit, height, revision, left=side / 5)


def _panel(values: np.ndarray, side: int, x0: float, word: str, limit: float, y0: float = 0) -> dict[str, Any]:
    n = len(values)
    return trace(
        "heatmap",
        z=np.asarray(values, dtype=np.float32).reshape(-1, side),
        x0=x0,
        dx=1,
        y0=y0,
        dy=1,
        zmin=-limit,
        zmax=limit,
        coloraxis="coloraxis",
        # Lists: a click hands over nothing from a binary array of two dimensions.
        customdata=np.arange(n).reshape(-1, side).tolist(),
        text=[[f"row {r + 1}, column {c + 1}" for c in range(side)] for r in range(n // side)],
        hovertemplate=f"%{{text}}: correlation %{{z:.4f}}<extra>{word}</extra>",
    )


def _marks(x: list[float], y: list[float], size: float) -> list[dict[str, Any]]:
    """Draw frames in black with a white edge: to be seen on any colour."""
    return [
        trace(
            "scatter",
            x=x,
            y=y,
            mode="markers",
            hoverinfo="skip",
            showlegend=False,
            marker={"symbol": "square-open", "size": size + grown, "color": colour, "line": {"width": width}},
        )
        for colour, grown, width in (("#ffffff", 2.5, 2.0), ("#111111", 0.0, 2.0))
    ]


def _title(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    style = {"text": text, "x": x, "y": y, "showarrow": False, "yanchor": "bottom", "font": {"size": 15}}
    return style | more


def _picture(
    traces: list[dict[str, Any]],
    notes: list[dict[str, Any]],
    width: float,
    tall: float,
    limit: float,
    height: int,
    revision: str,
    left: float = 0.0,
    above: float = 0.0,
) -> go.Figure:
    hidden = {"showgrid": False, "showticklabels": False, "ticks": "", "title": None}
    bar = {
        "orientation": "h", "y": -0.02, "yanchor": "top", "thickness": 14, "len": 0.7,
        "title": {"text": "correlation of occurring with the framed pixel", "side": "bottom", "font": {"size": 14}},
        "tickfont": {"size": 13},
    }  # fmt: skip
    lowest = min((float(np.min(t["z"])) for t in traces if t["type"] == "heatmap"), default=0.0)
    if lowest < -_LOW * limit:
        colours = {"colorscale": [list(stop) for stop in DIVERGING], "cmin": -limit}
    else:
        colours = {"colorscale": _UPPER, "cmin": -_LOW * limit}
    colours |= {"cmax": limit, "colorbar": bar}
    return styled(
        traces,
        x="",
        y="",
        height=height,
        revision=revision,
        margin={"l": 8, "r": 8, "t": 4, "b": 76},
        annotations=notes,
        coloraxis=colours,
        xaxis=hidden | {"range": [-0.5 - left, width - 0.5], "constrain": "domain"},
        yaxis=hidden
        | {"range": [tall - 0.5, -0.5 - above], "scaleanchor": "x", "constrain": "domain", "constraintoward": "top"},
    )


def plot_rms(result: PixelMap, *, height: int = 330, revision: str = "") -> go.Figure:
    """Draw the difference of the counted from the exact correlation against the number of features.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    measured = trace(
        "scatter",
        x=result.grid,
        y=result.rms,
        mode="lines+markers",
        name="counted − exact",
        line={"color": COLOURS[0], "width": 2.5},
        marker={"size": 7},
        hovertemplate="%{x:,} features: RMS difference %{y:.3g}<extra></extra>",
    )
    predicted = trace(
        "scatter",
        x=result.grid,
        y=result.predicted,
        mode="lines",
        name="predicted: slope −½",
        line={"color": GREY, "width": 2, "dash": "dash"},
        hovertemplate="%{x:,} features: predicted %{y:.3g}<extra></extra>",
    )
    return styled(
        [measured, predicted],
        x="number of features m",
        y="RMS difference",
        height=height,
        revision=revision,
        xaxis=count_axis(result.grid[0], result.grid[-1]),
        yaxis={"type": "log", "dtick": "D2", "tickformat": ".1~g"},
    )


def plot_sizes(sizes: FeatureSizes, *, height: int = 340, revision: str = "") -> go.Figure:
    """Draw the number of features by their paths, and by their different pixels.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    number = np.arange(len(sizes.paths))
    last = int(max(np.flatnonzero(sizes.paths)[-1], np.flatnonzero(sizes.pixels)[-1])) + 1
    bars = [
        _bars(number[:last], counts[:last], name, colour, pattern)
        for counts, name, colour, pattern in (
            (sizes.paths, "paths", COLOURS[0], ""),
            (sizes.pixels, "different pixels", COLOURS[1], "/"),
        )
    ]
    ticks = list(range(0, last, 1 if last <= 12 else 5))
    words = [f"{k}+" if k == len(sizes.paths) - 1 else str(k) for k in ticks]
    return styled(
        bars,
        x="how many a feature has",
        y="features",
        height=height,
        revision=revision,
        bargap=0.15,
        xaxis={"tickvals": ticks, "ticktext": words},
        yaxis={"type": "log", "dtick": 1, "tickformat": ",d"},
    )


def plot_repeats(found: Repeats, *, height: int = 340, revision: str = "") -> go.Figure:
    """Draw how many different features were drawn once, two or three times, and so on.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, a user's zoom survives a redraw.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    bars = _bars(found.labels, found.different, "different features", COLOURS[2], "")
    return styled(
        [bars],
        x="how often it was drawn",
        y="different features",
        height=height,
        revision=revision,
        showlegend=False,
        bargap=0.15,
        xaxis={"type": "category", "dtick": 1 if len(found.labels) <= 8 else 2, "tickangle": -45},
        margin={"l": 88, "r": 24, "t": 48, "b": 100},
        yaxis={"type": "log", "dtick": 1, "tickformat": ",d"},
    )


def _bars(x: Any, y: np.ndarray, name: str, colour: str, pattern: str) -> dict[str, Any]:
    fill: dict[str, Any] = {"color": rgba(colour, 0.85), "line": {"width": 0}}
    if pattern:
        fill["pattern"] = {"shape": pattern, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.6}
    return trace(
        "bar", x=x, y=y, name=name, marker=fill, hovertemplate=f"%{{x}}: %{{y:,}} features<extra>{name}</extra>"
    )


def _activation_name(act: Activation) -> str:
    """Return an activation in a few words."""
    if act.kind == "exponential":
        return f"exp({act.scale:g}(ρ−1))"
    if act.kind == "polynomial":
        inner = f"((ρ+{act.offset:g})/{1 + act.offset:g})" if act.offset else "ρ"
        return f"{inner}^{act.degree}"
    return {"relu": "ReLU"}.get(act.kind, act.kind)


def plot_skeleton(skeleton: Skeleton, *, height: int = 250) -> go.Figure:
    """Draw the layers of a stack of convolutions from the image to the output.

    Parameters
    ----------
    skeleton : Skeleton
        Of an image: see :func:`rfviz.skeleton.convolutions`.
    """
    *image, channels = image_of(skeleton)
    sides = [(image[0], image[1])]
    for layer in skeleton.form["layers"]:
        (rows, columns), stride = layer["size"], layer["stride"]
        sides.append(((sides[-1][0] - rows) // stride + 1, (sides[-1][1] - columns) // stride + 1))
    sides.append((1, 1))
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    hover: list[str] = []
    for place, (rows, columns) in enumerate(sides):
        x, half = place * _STEP, 0.14 + 0.66 * np.sqrt(rows * columns / (image[0] * image[1]))
        colour = COLOURS[0] if place == 0 else COLOURS[1] if place == len(sides) - 1 else COLOURS[2]
        box = {"color": colour, "width": 2}
        shapes.append(
            {
                "type": "rect",
                "x0": x - half,
                "x1": x + half,
                "y0": -half,
                "y1": half,
                "line": box,
                "fillcolor": rgba(colour, 0.18),
            }
        )
        colours = f"×{channels}" if place == 0 and channels > 1 else ""
        words = "image" if place == 0 else "output" if place == len(sides) - 1 else "layer " + str(place)
        notes.append(_note(f"<b>{words}</b><br>{rows}×{columns}{colours}", x, -0.95, "top"))
        hover.append(f"{words}: {rows * columns:,} nodes")
        if place:
            notes.append(_note(_between(skeleton, place), x - _STEP / 2, 0.95, "bottom"))
            shapes.append(
                {
                    "type": "line",
                    "x0": x - _STEP + 0.9,
                    "x1": x - 0.9,
                    "y0": 0,
                    "y1": 0,
                    "line": {"color": GREY, "width": 2},
                }
            )
            notes.append(
                {
                    "x": x - 0.85,
                    "y": 0,
                    "ax": x - 0.95,
                    "ay": 0,
                    "axref": "x",
                    "ayref": "y",
                    "text": "",
                    "showarrow": True,
                    "arrowhead": 2,
                    "arrowcolor": GREY,
                    "arrowwidth": 2,
                }
            )
    points = trace(
        "scatter",
        x=[place * _STEP for place in range(len(sides))],
        y=[0] * len(sides),
        text=hover,
        hoverinfo="text",
        mode="markers",
        marker={"size": 24, "opacity": 0},
    )
    hidden = {"visible": False, "fixedrange": True}
    return styled(
        [points],
        x="",
        y="",
        height=height,
        revision="skeleton",
        shapes=shapes,
        annotations=notes,
        showlegend=False,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=hidden | {"range": [-1.0, (len(sides) - 1) * _STEP + 1.0]},
        yaxis=hidden | {"range": [-1.75, 1.85]},
    )


def _between(skeleton: Skeleton, place: int) -> str:
    """Return what the nodes of a layer do with those below."""
    act = skeleton.layers[place - 1].activation
    layers = skeleton.form["layers"]
    if place > len(layers):
        return f"all<br>{_activation_name(act)}"
    (rows, columns), stride = layers[place - 1]["size"], layers[place - 1]["stride"]
    return f"{rows}×{columns}, step {stride}<br>{_activation_name(act)}"


def _note(text: str, x: float, y: float, anchor: str) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "showarrow": False, "yanchor": anchor, "font": {"size": 13}}


def plot_feature(
    source: str, side: int, pixels: np.ndarray, labels: list[str], picked: int, *, height: int = 360
) -> go.Figure:
    """Draw an image with the pixels of one feature framed.

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
        "scatter",
        x=pixels % side,
        y=pixels // side,
        mode="markers",
        text=labels,
        hoverinfo="text",
        marker={"symbol": "square-open", "size": size, "color": COLOURS[1], "line": {"width": 3}},
    )
    row, column = divmod(picked, side)
    half = {"x0": column - 0.75, "x1": column + 0.75, "y0": row - 0.75, "y1": row + 0.75}
    own = {"type": "rect", **half, "line": {"color": "#ffffff", "width": 2, "dash": "dot"}}
    image = {"source": source, "xref": "x", "yref": "y", "x": -0.5, "y": -0.5, "sizex": side, "sizey": side,
             "sizing": "stretch", "layer": "below"}  # fmt: skip
    hidden = {"visible": False}
    return styled(
        [frames],
        x="",
        y="",
        height=height,
        revision=f"feature-{side}",
        images=[image],
        shapes=[own],
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        showlegend=False,
        xaxis=hidden | {"range": [-0.5, side - 0.5], "constrain": "domain"},
        yaxis=hidden | {"range": [side - 0.5, -0.5], "scaleanchor": "x", "constrain": "domain"},
    )
