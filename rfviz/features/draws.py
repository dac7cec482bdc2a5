"""Random numbers that stay the same when a map grows.

A table of draws has one row a feature. Rows come in chunks of 256, each chunk from its own child of the seed, filled
row by row. Hence the first rows do not depend on how many are drawn after them (a map of m features begins with every
smaller map), nor on the order or the threads in which the chunks are drawn. Draws are made in float64 and rounded, so
that a float32 map is the float64 map, rounded.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from rfviz.backend import map_ordered, worker_count
from rfviz.errors import ParameterError

__all__ = ["CHUNK_ROWS", "seed_from", "standard_normal", "uniform"]

CHUNK_ROWS = 256
# Below this many numbers, starting threads costs more than they save.
_PARALLEL_FROM = 1_000_000


def seed_from(random_state: Any) -> int:
    """An integer seed from what scikit-learn calls a random state.

    Parameters
    ----------
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        An integer is taken as it is; None draws fresh entropy; a generator is advanced by one draw.

    Raises
    ------
    ParameterError
        For anything else, or a negative integer.
    """
    if random_state is None:
        return int(np.random.SeedSequence().entropy)
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int64).max))
    raise ParameterError(
        "random_state", "must be None, an integer of at least 0, a RandomState or a Generator", random_state, "Try 0."
    )


def _fill_rows(
    sampler: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], seed: int, stream: int, out: np.ndarray
) -> np.ndarray:
    """Fill `out`, shape (rows, columns), with what `sampler` draws from each chunk's own generator, row by row."""
    n_rows, n_columns = out.shape

    def fill(start: int) -> None:
        stop = min(start + CHUNK_ROWS, n_rows)
        child = np.random.SeedSequence(seed, spawn_key=(stream, start // CHUNK_ROWS))
        out[start:stop] = sampler(np.random.Generator(np.random.PCG64(child)), (stop - start, n_columns))

    workers = worker_count() if out.size >= _PARALLEL_FROM else 1
    for _ in map_ordered(fill, range(0, n_rows, CHUNK_ROWS), workers):
        pass
    return out


def standard_normal(seed: int, stream: int, out: np.ndarray) -> np.ndarray:
    """Fill `out` with standard normal draws that are nested in its rows.

    Parameters
    ----------
    seed, stream : int
        Which draws: tables with different seeds or streams are independent.
    out : ndarray of shape (n_rows, n_columns)
        Overwritten, in its own dtype.

    Returns
    -------
    ndarray
        `out`.
    """
    return _fill_rows(lambda generator, shape: generator.standard_normal(shape), seed, stream, out)


def uniform(seed: int, stream: int, high: float, out: np.ndarray) -> np.ndarray:
    """Fill `out` with draws that are uniform on [0, high) and nested in its rows; see :func:`standard_normal`."""
    return _fill_rows(lambda generator, shape: generator.uniform(0.0, high, shape), seed, stream, out)
