"""Images of a data set as small pictures: thumbnails for charts and one sheet of all of them for the browser."""

from __future__ import annotations

import html
from collections.abc import Hashable

import numpy as np
from PIL import Image

from rfviz.datasets.base import Dataset
from rfviz.figures.images import as_pixels, as_png, framed_image
from rfviz.ui.results import kept

__all__ = ["gallery", "sprite", "thumbnails"]


def thumbnails(dataset: Dataset, key: Hashable, rows: np.ndarray, frames: list[str]) -> list[str]:
    """Data addresses of the images of `rows`, framed in their colours; kept, since a slider asks for them again."""
    return [
        kept("thumbnails", (key, int(row), frame), lambda row=row, frame=frame: framed_image(
            dataset, int(row), frame), most=4000)
        for row, frame in zip(rows, frames, strict=True)
    ]  # fmt: skip


def gallery(dataset: Dataset, key: Hashable, rows: np.ndarray, captions: list[str]) -> str:
    """The images of `rows` with their captions, as HTML that holds the images itself.

    Streamlit's own images are files of the server, which it takes away when the page is drawn again quickly.
    """
    addresses = thumbnails(dataset, key, rows, [""] * len(rows))
    words = [html.escape(caption) for caption in captions]
    figures = [
        f'<figure><img src="{address}" alt="{word}"><figcaption>{word}</figcaption></figure>'
        for address, word in zip(addresses, words, strict=True)
    ]
    return f'<div class="rfviz-gallery">{"".join(figures)}</div>'


def sprite(dataset: Dataset, columns: int = 40, side: int = 56) -> dict[str, object]:
    """All images on one sheet, for pictures that follow the pointer without asking the server.

    Returns
    -------
    dict
        ``uri``, ``columns``, and the ``width`` and ``height`` of a tile in pixels.
    """
    pixels = as_pixels(dataset)
    shrink = max(dataset.image_shape[0] // side, 1)
    pixels = pixels[:, ::shrink, ::shrink] if shrink > 1 else pixels
    n, height, width = pixels.shape[:3]
    rows = -(-n // columns)
    sheet = np.zeros((rows * columns, *pixels.shape[1:]), np.uint8)
    sheet[:n] = pixels
    sheet = sheet.reshape(rows, columns, *pixels.shape[1:]).swapaxes(1, 2)
    sheet = sheet.reshape(rows * height, columns * width, *pixels.shape[3:])
    return {"uri": as_png(Image.fromarray(sheet)), "columns": columns, "width": width, "height": height}
