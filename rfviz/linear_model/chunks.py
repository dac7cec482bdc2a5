"""The features of some rows, a few thousand at a time, on the device that computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rfviz.backend import get_device
from rfviz.linear_model.scoring import host_if_sparse

__all__ = ["feature_chunks"]

_CHUNK_ROWS = 8192
# Rows that go to a GPU from one copy on the host; the map's weights go there once for each.
_UPLOADED_BYTES = 1_000_000_000

Timed = Callable[..., Any]


def feature_chunks(feature_map: Any, X: Any, rows: np.ndarray, timed: Timed) -> Iterator[tuple[float, Any, np.ndarray]]:
    """Yield unscaled features of the rows `rows` of `X`: (share done, features, their rows).

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rows : ndarray of int
    timed : callable
        ``timed(function, *arguments)`` returns what the function does, and takes its time.
    """
    on_gpu = get_device(feature_map.device).is_gpu
    size = max(_UPLOADED_BYTES // (8 * X.shape[1]), _CHUNK_ROWS) if on_gpu else _CHUNK_ROWS
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        blocks = feature_map.transform_blocks(X[part], scaled=False)
        done = 0
        # On the CPU the blocks of a chunk are computed to their end before the caller goes on, so that the caller's own
        # products find all cores free. On a GPU they come one by one, while the rows of the next are fetched.
        for block in _one_by_one(blocks, timed) if on_gpu else timed(_all, blocks):
            yield (start + done + block.shape[0]) / len(rows), block, part[done : done + block.shape[0]]
            done += block.shape[0]


def _one_by_one(blocks: Iterator[Any], timed: Timed) -> Iterator[Any]:
    while (block := timed(next, blocks, None)) is not None:
        yield host_if_sparse(block)


def _all(blocks: Iterator[Any]) -> list[Any]:
    return [host_if_sparse(block) for block in blocks]
