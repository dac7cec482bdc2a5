"""Images of a data set as small pictures: thumbnails for charts and one sheet of all of them for the browser."""

from __future__ import annotations

import html

import numpy as np
from PIL import Image

from rfviz.cache import Cache
from rfviz.datasets.base import Dataset
from rfviz.experiments.data import Data
from rfviz.figures.images import as_pixels, as_png, framed_image

__all__ = ["gallery", "sprite", "thumbnails"]


def thumbnail(data: Data, row: int, frame: str, *, cache: Cache) -> str:
    """Return the data address of a row's image, framed in a colour."""
    return framed_image(data.dataset, row, frame)


def thumbnails(data: Data, rows: np.ndarray, frames: list[str], cache: Cache) -> list[str]:
    """Return the data addresses of the images of `rows`, framed in their colours."""
    return [cache.call(thumbnail, data, int(row), frame) for row, frame in zip(rows, frames, strict=True)]


def gallery(data: Data, rows: np.ndarray, captions: list[str], cache: Cache) -> str:
    """Return the images of `rows` with their captions, as HTML that holds the images itself.

    Streamlit's own images are files of the server, which it takes away when the page is drawn again quickly.
    """
    addresses = thumbnails(data, rows, [""] * len(rows), cache)
    words = [html.escape(caption) for caption in captions]
    figures = [
        f'<figure><img src="{address}" alt="{word}"><figcaption>{word}</figcaption></figure>'
        for address, word in zip(addresses, words, strict=True)
    ]
    return f'<div class="rfviz-gallery">{"".join(figures)}</div>'


def sprite(dataset: Dataset, columns: int = 40, side: int = 56) -> dict[str, object]:
    """Draw all images on one sheet, for pictures that follow the pointer without asking the server.

    Returns
    -------
    dict
        ``uri``, ``columns``, and the ``width`` and ``height`` of a tile in pixels.
    """
    pixels = as_pixels(dataset)
    shrink = max(dataset.shape_of_images[0] // side, 1)
    pixels = pixels[:, ::shrink, ::shrink] if shrink > 1 else pixels
    n, height, width = pixels.shape[:3]
    rows = -(-n // columns)
    sheet = np.zeros((rows * columns, *pixels.shape[1:]), np.uint8)
    sheet[:n] = pixels
    sheet = sheet.reshape(rows, columns, *pixels.shape[1:]).swapaxes(1, 2)
    sheet = sheet.reshape(rows * height, columns * width, *pixels.shape[3:])
    return {"uri": as_png(Image.fromarray(sheet)), "columns": columns, "width": width, "height": height}
