"""Images as the marks of a chart: which are drawn, and where, so that no two lie over each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.figures.template import GREY, rgba
from rfviz.figures.traces import trace

__all__ = ["draw_thumbnails", "place_thumbnails", "spread_apart", "thumbnail_size"]

_ALL_DRAWN = 60
_SHARE = 0.062  # width of a thumbnail over that of the chart
# Pixels of a plane that fills a laptop's window beside its sentence, the share of it that points take, and how high a
# thumbnail is there: a face that one knows again.
_WIDE, _FILLED, _HIGH = np.array([900.0, 230.0]), 0.85, 36.0


def thumbnail_size(Z: np.ndarray, aspect: float, wide: bool = False) -> np.ndarray:
    """Return width and height of a thumbnail in the units of `Z`, for images of that height over width.

    Parameters
    ----------
    wide : bool
        Whether the plane is as wide as the page, with a scale of its own for each axis.
    """
    extent = np.ptp(Z, axis=0)
    if wide:
        extent = np.maximum(extent, 1e-3 * max(float(extent.max()), 1e-12))
        return np.array([_HIGH / aspect, _HIGH]) * extent / (_FILLED * _WIDE)
    width = _SHARE * float(extent.max())
    return np.array([width, width * aspect])


def place_thumbnails(Z: np.ndarray, aspect: float, most: int = 120, wide: bool = False) -> np.ndarray:
    """Return the rows to draw as images: all where they are few, else a readable sample of which no two overlap.

    Parameters
    ----------
    Z : ndarray of shape (n, 2)
    aspect : float
        Height over width of the images.
    most : int
        How many at most, where not all are drawn.
    wide : bool
        See :func:`thumbnail_size`.

    Returns
    -------
    ndarray of int
        Rows, rising.
    """
    if len(Z) <= _ALL_DRAWN:
        return np.arange(len(Z))
    size = thumbnail_size(Z, aspect, wide)
    taken: list[int] = []
    # The same shuffle every time, so that images stay while a slider moves.
    for row in np.random.default_rng(0).permutation(len(Z)):
        apart = np.abs(Z[taken] - Z[row]) >= size
        if apart.any(axis=1).all():
            taken.append(int(row))
        if len(taken) == most:
            break
    return np.array(sorted(taken))


def draw_thumbnails(
    Z: np.ndarray, rows: np.ndarray, uris: list[str], aspect: float, wide: bool = False
) -> tuple[np.ndarray, dict[str, Any], list[dict[str, Any]]]:
    """Draw images at their points, or next to them where they would overlap.

    Parameters
    ----------
    Z : ndarray of shape (n, 2)
    rows : ndarray of int
        Points that have an image.
    uris : list of str
        Data address of each of those images.
    aspect : float
        Their height over width.
    wide : bool
        See :func:`thumbnail_size`.

    Returns
    -------
    places : ndarray of shape (len(rows), 2)
        Centres of the images.
    threads : dict
        The trace that ties each image to its point.
    images : list of dict
        For the figure's layout.
    """
    size = thumbnail_size(Z, aspect, wide)
    places = spread_apart(Z[rows], size) if len(rows) <= _ALL_DRAWN else Z[rows]
    images = [
        {
            "source": uri,
            "xref": "x",
            "yref": "y",
            "x": x,
            "y": y,
            "sizex": size[0],
            "sizey": size[1],
            "xanchor": "center",
            "yanchor": "middle",
            "sizing": "contain",
            "layer": "above",
        }
        for uri, (x, y) in zip(uris, places.tolist(), strict=True)
    ]
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
    rounds : int
        After which it ends, whether all are apart or not.

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
