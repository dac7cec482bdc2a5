"""Downloaded tables of pixels as images."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rfviz.errors import DataError

__all__ = ["as_bytes", "smoothest"]

# Number of images that are compared.
_SAMPLE = 50


def as_bytes(values: np.ndarray, title: str) -> np.ndarray:
    """Return pixels as uint8.

    Raises
    ------
    DataError
        If they are not whole numbers from 0 to 255, so that the conversion would falsify them.
    """
    pixels = values.astype(np.uint8)
    if not np.array_equal(pixels, values):
        raise DataError(
            f"The pixels of {title} are not whole numbers from 0 to 255, as they were when rfviz was written."
        )
    return pixels


def smoothest(arrangements: Iterable[np.ndarray]) -> np.ndarray:
    """Return that of several arrangements of the same bytes in which neighbouring pixels differ least: the right one.

    Parameters
    ----------
    arrangements : iterable of ndarray of shape (n, height, width) or (n, height, width, channels)
    """

    def roughness(images: np.ndarray) -> float:
        some = images[:: max(1, len(images) // _SAMPLE)].astype(np.float32)
        return float(np.abs(np.diff(some, axis=1)).mean() + np.abs(np.diff(some, axis=2)).mean())

    return min(arrangements, key=roughness)
