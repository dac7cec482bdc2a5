"""Images of a data set as the marks of a chart."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from functools import partial

import numpy as np
from PIL import Image

from rfviz.datasets.base import Dataset
from rfviz.figures.embedding import PICKED, PointStyle
from rfviz.figures.thumbnails import place_thumbnails

__all__ = ["as_pixels", "as_png", "data_uri", "framed_image", "image_marks"]


def as_pixels(dataset: Dataset, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return the rows as images of bytes, shape (n, height, width) or (n, height, width, 3)."""
    X = np.rint(np.clip(dataset.X[rows], 0.0, 1.0) * 255.0).astype(np.uint8)
    return X.reshape(len(X), *dataset.shape_of_images)


def data_uri(pixels: np.ndarray, frame: str | None = None, side: int = 64) -> str:
    """Return one image as a PNG data address, at most `side` pixels high, in a coloured frame if one is given.

    Parameters
    ----------
    pixels : ndarray of shape (height, width) or (height, width, 3), uint8
    frame : str, optional
        Colour of a frame.
    side : int
        Pixels.
    """
    image = Image.fromarray(pixels)
    if image.height > side:
        image = image.resize((max(round(image.width * side / image.height), 1), side), Image.Resampling.BOX)
    elif image.height < side // 2:  # small digits stay crisp when the browser enlarges them
        factor = side // image.height
        image = image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)
    if frame:
        width = 3
        framed = Image.new("RGB", (image.width + 2 * width, image.height + 2 * width), frame)
        framed.paste(image, (width, width))
        image = framed.quantize(64)
    return as_png(image)


def framed_image(dataset: Dataset, row: int, frame: str = "") -> str:
    """Return the image of a row as a PNG data address, in a frame of that colour if one is given."""
    return data_uri(as_pixels(dataset, slice(row, row + 1))[0], frame)


def image_marks(
    dataset: Dataset,
    coordinates: np.ndarray,
    style: PointStyle,
    picked: int | None = None,
    encode: Callable[[int, str], str] | None = None,
) -> tuple[np.ndarray, list[str], float]:
    """Return images of a data set as the marks of :func:`rfviz.figures.embedding.plot_embedding`.

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
    rows = place_thumbnails(coordinates, aspect)
    frames = [PICKED if row == picked else style.colours[row] for row in rows]
    encode = encode or partial(framed_image, dataset)
    return rows, [encode(int(row), frame) for row, frame in zip(rows, frames, strict=True)], aspect


def as_png(image: Image.Image) -> str:
    """Return an image as the data address of a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
