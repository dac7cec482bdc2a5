"""Sizes of blocks of products that the pass after the product finds in the chip's cache."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType

import numpy as np

__all__ = ["cache_bytes", "row_tiles", "tile_shape"]

# Part of the second-level cache for a block: rows and weights are read through it too.
_SHARE = 0.5
# A product of fewer rows or columns leaves parts of the chip idle.
_ROWS, _COLUMNS = 2048, 512
_UNKNOWN = 4 << 20
_L2_CACHE_SIZE = 38  # cudaDevAttrL2CacheSize


@lru_cache(maxsize=16)
def cache_bytes(xp: ModuleType, device: int) -> int:
    """Return the bytes of the second-level cache of a GPU; 4 MiB where the driver does not tell."""
    return int(xp.cuda.runtime.deviceGetAttribute(_L2_CACHE_SIZE, device)) or _UNKNOWN


def tile_shape(xp: ModuleType, rows: int, columns: int, itemsize: int, group: int = 1) -> tuple[int, int]:
    """Return rows and columns of a tile of results, each of which comes from `group` contiguous products.

    The products of a tile fill half of the cache, unless that were too few for a product to run at full speed.
    """
    room = int(_SHARE * cache_bytes(xp, xp.cuda.runtime.getDevice())) // (itemsize * group)
    high = min(rows, _ROWS)
    wide = min(columns, max(room // max(high, 1), _COLUMNS // group, 1))
    if wide == columns:  # the cache holds more rows than a product needs
        high = min(rows, max(room // max(columns, 1), high))
    return max(high, 1), max(wide, 1)


def row_tiles(xp: ModuleType, rows: int, columns: int, itemsize: int) -> Iterator[slice]:
    """Yield rows of whole blocks to work on in place; all of them with NumPy, whose caller has cut blocks already."""
    if xp is np:
        return iter([slice(0, rows)])
    room = int(_SHARE * cache_bytes(xp, xp.cuda.runtime.getDevice())) // itemsize
    high = max(room // max(columns, 1), _ROWS // 2)
    return (slice(start, min(start + high, rows)) for start in range(0, rows, high))
