"""Bytes that are images: as downloads bring them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rfviz.errors import DataError

__all__ = ["as_bytes", "smoothest"]

# Images that are looked at.
_SOME = 50


def as_bytes(values: np.ndarray, title: str) -> np.ndarray:
    """Pixels as uint8.

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


def smoothest(readings: Iterable[np.ndarray]) -> np.ndarray:
    """The right one of several ways to read the same bytes as images: that in which neighbouring pixels differ least.

    Read the wrong way a picture falls to pieces.

    Parameters
    ----------
    readings : iterable of ndarray of shape (n, height, width) or (n, height, width, channels)
    """
    return min(readings, key=_roughness)


def _roughness(images: np.ndarray) -> float:
    some = images[:: max(1, len(images) // _SOME)].astype(np.float32)
    return float(np.abs(np.diff(some, axis=1)).mean() + np.abs(np.diff(some, axis=2)).mean())
