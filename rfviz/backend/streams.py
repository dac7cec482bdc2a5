"""Transfer of rows to a GPU while it computes: pinned memory, a stream of its own, two buffers.

A copy from ordinary memory blocks both sides. From pinned memory it overlaps with kernels, if nothing makes one wait
for the other: the rows of the next block go into one buffer while the block in the other is in use.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend.threads import over_rows, worker_count

__all__ = ["RowStream", "stream_blocks"]


class RowStream:
    """Blocks of the rows of a host matrix on a device, each fetched while the one before is in use.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    device : Device
        Of :mod:`rfviz.backend`. On the CPU, and for sparse rows, nothing is fetched ahead.
    dtype : dtype
        Of the blocks.
    n_columns : int, optional
        Of the blocks of dense rows on a GPU: zeros follow the columns of `X`.
    """

    def __init__(self, X: Any, device: Any, dtype: Any, n_columns: int | None = None) -> None:
        self.X, self.device, self.dtype = X, device, np.dtype(dtype)
        self._n_columns = n_columns or X.shape[1]
        self._ahead = device.is_gpu and not sparse.issparse(X)
        self._rows = 0
        self._turn = 0
        self._coming: tuple[int, int] | None = None  # the rows in transfer to the buffer that is used next

    def block(self, start: int, stop: int) -> Any:
        """Return rows `start` to `stop`, valid until the next call; as many after them are fetched ahead."""
        if not self._ahead:
            return self.device.asarray(self.X[start:stop], dtype=self.dtype)
        with self.device.activate():
            if stop - start > self._rows:
                self._allocate(stop - start)
            if self._coming != (start, stop):
                self._send(start, stop, self._turn)
            here, self._turn = self._turn, 1 - self._turn
            # All work that the caller queued on the other buffer comes before this event: after it the buffer is free.
            main = self.device.xp.cuda.get_current_stream()
            self._free[self._turn].record(main)
            following = stop, min(stop + stop - start, self.X.shape[0])
            self._coming = following if following[0] < following[1] else None
            if self._coming:
                self._send(*following, self._turn)
            main.wait_event(self._arrived[here])
            return self._buffers[here][: stop - start]

    def close(self) -> None:
        """Wait for the rows in transfer, and free the buffers."""
        if self._rows:
            self._copiers.shutdown()
            with self.device.activate():
                self._copies.synchronize()
        # Also after an allocation that failed halfway.
        self._buffers, self._pinned, self._rows, self._coming = [], [], 0, None

    def _allocate(self, rows: int) -> None:
        self.close()
        xp, shape = self.device.xp, (rows, self._n_columns)
        pinned = importlib.import_module(f"{xp.__name__}x").empty_pinned
        # A blocking stream would not overlap with the default stream.
        self._copies = xp.cuda.Stream(non_blocking=True)
        self._buffers = [xp.empty(shape, dtype=self.dtype) for _ in range(2)]
        self._pinned = [pinned(shape, self.dtype) for _ in range(2)]
        for staging in self._pinned:  # once: rows are copied into the other columns
            staging[:, self.X.shape[1] :] = 0
        self._free, self._arrived = ([xp.cuda.Event() for _ in range(2)] for _ in range(2))
        for event in self._free:  # work queued before may still use the memory
            event.record(xp.cuda.get_current_stream())
        for event in self._arrived:
            event.record(self._copies)
        self._copiers = ThreadPoolExecutor(worker_count())
        self._rows = rows

    def _send(self, start: int, stop: int, turn: int) -> None:
        """Start to copy rows into a buffer, once the buffer is free."""
        self._arrived[turn].synchronize()  # the pinned rows that went before have left
        staging = self._pinned[turn][: stop - start]
        # By one thread 65,536 rows of 784 took 35 ms on their way through a product of 20 ms; by 16 it takes 23.
        source, target = self.X[start:stop], staging[:, : self.X.shape[1]]
        over_rows(self._copiers, lambda rows: np.copyto(target[rows], source[rows]), len(target), target.nbytes)
        self._copies.wait_event(self._free[turn])
        self._buffers[turn][: stop - start].set(staging, stream=self._copies)
        self._arrived[turn].record(self._copies)


def stream_blocks(X: Any, rows: int, device: Any, dtype: Any) -> Iterator[Any]:
    """Yield consecutive rows of `X` on `device`, at most `rows` at a time; copies overlap with the use of blocks.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        On the host.

    Yields
    ------
    array of shape (at most rows, n_features)
        On a GPU in a buffer that is used again: it is valid until the next block is asked for.
    """
    stream = RowStream(X, device, dtype)
    try:
        for start in range(0, X.shape[0], rows):
            yield stream.block(start, min(start + rows, X.shape[0]))
    finally:
        stream.close()
