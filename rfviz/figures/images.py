"""Images of a data set as the marks of a chart."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.base import Dataset

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["as_pixels", "as_png", "data_uri", "framed_image"]


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
    from PIL import Image

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


def as_png(image: Image.Image) -> str:
    """Return an image as the data address of a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
