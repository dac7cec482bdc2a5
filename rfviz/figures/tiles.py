"""Images (or names) in rows, to be looked at and clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rfviz.figures.template import GREY, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Tile", "plot_tiles"]

_ROW = 124  # pixels


@dataclass(frozen=True)
class Tile:
    """One tile.

    Attributes
    ----------
    row, column : int
        Its place.
    value : int
        What a click on it picks.
    caption : str
        Below it.
    image : str
        Data address of a picture; the tile shows `name` where there is none.
    name : str
        What the point is called.
    frame : str
        Colour of the frame around a name, thin and grey where empty; an image brings its own.
    """

    row: int
    column: int
    value: int
    caption: str
    image: str
    name: str
    frame: str = ""


def plot_tiles(tiles: list[Tile], titles: list[str], columns: int, revision: str = "") -> go.Figure:
    """Draw rows of tiles, each under its title.

    Parameters
    ----------
    titles : list of str
        Of the rows.
    columns : int
        Tiles of a full row.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    """
    height = _ROW * len(titles)
    x, y = (np.array([float(getattr(tile, side)) for tile in tiles]) for side in ("column", "row"))
    marks = trace(
        "scatter",
        x=x,
        y=y + 0.02,
        mode="markers+text",
        customdata=[tile.value for tile in tiles],
        text=["" if tile.image else tile.name for tile in tiles],
        textfont={"size": 13},
        showlegend=False,
        marker={"symbol": "square", "size": 62, "opacity": 0.0},
        hovertext=[t.name for t in tiles],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    captions = trace(
        "scatter",
        x=x,
        y=y + 0.435,
        mode="text",
        text=[tile.caption for tile in tiles],
        showlegend=False,
        textfont={"size": 13},
        hoverinfo="skip",
    )
    headings = trace(
        "scatter",
        x=[-0.48] * len(titles),
        y=np.arange(len(titles)) - 0.42,
        mode="text",
        text=[f"<b>{title}</b>" for title in titles],
        textposition="middle right",
        textfont={"size": 14},
        showlegend=False,
        hoverinfo="skip",
    )
    pictures = [
        {
            "source": t.image,
            "xref": "x",
            "yref": "y",
            "x": t.column,
            "y": t.row + 0.02,
            "sizex": 0.9,
            "sizey": 0.6,
            "xanchor": "center",
            "yanchor": "middle",
            "sizing": "contain",
            "layer": "above",
        }
        for t in tiles
        if t.image
    ]
    frames = [
        {
            "type": "rect",
            "x0": t.column - 0.44,
            "x1": t.column + 0.44,
            "y0": t.row - 0.31,
            "y1": t.row + 0.35,
            "line": {"color": t.frame or GREY, "width": 3 if t.frame else 1},
            "fillcolor": "rgba(0,0,0,0)",
            "layer": "below",
        }
        for t in tiles
        if not t.image
    ]
    return styled(
        [marks, captions, headings],
        x="",
        y="",
        height=height,
        revision=revision,
        images=pictures,
        shapes=frames,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        dragmode=False,
        xaxis={"visible": False, "range": [-0.5, columns - 0.5], "fixedrange": True},
        yaxis={"visible": False, "range": [len(titles) - 0.5, -0.55], "fixedrange": True},
    )
