"""Many points as shades of a colour, in an image, as in a chart of a million pairs."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

__all__ = ["density_image"]

_OPACITY = 0.9
_FAINTEST = 55  # of 255: a single point stays visible


def density_image(counts: np.ndarray, colour: str, x: tuple[float, float], y: tuple[float, float]) -> dict[str, Any]:
    """Draw counts by cell as an image behind the traces of a chart.

    A heat map of Plotly does the same, in the browser: it takes the numbers of all cells there and a fifth of the time
    of every redraw.

    Parameters
    ----------
    counts : ndarray of shape (rows, columns), int
        Points in each cell, the first row lowest. Shades go with the square root, so that single points stay visible
        next to cells that hold hundreds.
    colour : str
        Hexadecimal.
    x, y : tuple of float
        Where the cells begin and end on the axes.

    Returns
    -------
    dict
        For ``layout.images``.
    """
    from PIL import Image

    shade = np.sqrt(counts / max(int(counts.max()), 1))
    shade = np.where(counts > 0, np.rint(_FAINTEST + (255 - _FAINTEST) * shade), 0).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(shade[::-1]), "L")
    image.putpalette([int(colour[i : i + 2], 16) for i in (1, 3, 5)] * 256)
    buffer = io.BytesIO()
    opacity = bytes(round(_OPACITY * level) for level in range(256))
    image.save(buffer, "PNG", transparency=opacity, compress_level=1)
    return {
        "source": "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii"),
        "xref": "x",
        "yref": "y",
        "x": x[0],
        "y": y[1],
        "sizex": x[1] - x[0],
        "sizey": y[1] - y[0],
        "xanchor": "left",
        "yanchor": "top",
        "sizing": "stretch",
        "layer": "below",
    }
