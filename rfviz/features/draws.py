"""Random numbers that stay the same when a map grows.

A table of draws has one row a feature. Rows come in chunks of 256, each chunk from its own child of the seed, filled
row by row. Hence the first rows do not depend on how many are drawn after them (a map of m features begins with every
smaller map), nor on the order or the threads in which the chunks are drawn. Draws are made in float64 and rounded, so
that a float32 map is the float64 map, rounded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from rfviz.backend import map_ordered, worker_count

__all__ = [
    "CHUNK_ROWS",
    "chi_square",
    "generator",
    "random_signs",
    "remember_normals",
    "standard_cauchy",
    "standard_laplace",
    "standard_normal",
    "standard_normals",
    "uniform",
    "whole_chunks",
]

CHUNK_ROWS = 256
# Below this many numbers, starting threads costs more than they save.
_PARALLEL_FROM = 1_000_000
_TASK_NUMBERS = 250_000


def _fill_rows(
    sampler: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], seed: int, tables: dict[int, np.ndarray]
) -> None:
    """Fill each table, shape (rows, columns), under its stream, from each chunk's own generator, row by row."""

    def fill(starts: list[tuple[int, int]]) -> None:
        for stream, start in starts:
            rows = tables[stream][start : start + CHUNK_ROWS]
            child = np.random.SeedSequence(seed, spawn_key=(stream, start // CHUNK_ROWS))
            rows[...] = sampler(np.random.Generator(np.random.PCG64(child)), rows.shape)

    size = sum(table.size for table in tables.values())
    workers = worker_count() if size >= _PARALLEL_FROM else 1
    starts = [(stream, start) for stream, table in tables.items() for start in range(0, len(table), CHUNK_ROWS)]
    # Handing over one narrow chunk at a time would take as long as drawing it.
    together = max(len(starts) * _TASK_NUMBERS // max(size, 1), 1)
    for _ in map_ordered(fill, [starts[i : i + together] for i in range(0, len(starts), together)], workers):
        pass


_normals: OrderedDict[tuple[Any, ...], np.ndarray] = OrderedDict()
_normals_lock = threading.Lock()
_normals_room = _normals_bytes = 0


def remember_normals(n_bytes: int) -> None:
    """Cache normal draws of up to `n_bytes` in all, to answer the next map that begins with them; 0 forgets them.

    Off until it is called. A laboratory calls it, because a slider asks for nearly the same map twenty times a second,
    and drawing is half of the work.
    """
    global _normals_room, _normals_bytes
    with _normals_lock:
        _normals_room, _normals_bytes = n_bytes, 0
        _normals.clear()


def _recall(key: tuple[Any, ...], out: np.ndarray) -> bool:
    """Fill `out` from cached draws, if they reach so far."""
    with _normals_lock:
        cached = _normals.get(key)
        if cached is None or len(cached) < len(out):
            return False
        _normals.move_to_end(key)
    out[...] = cached[: len(out)]
    return True


def _cache(key: tuple[Any, ...], out: np.ndarray) -> None:
    global _normals_bytes
    # One large table would evict everything else, and no slider asks for one.
    if out.nbytes > _normals_room // 16:
        return
    copy = out.copy()
    with _normals_lock:
        shorter = _normals.pop(key, None)
        _normals[key] = copy
        _normals_bytes += copy.nbytes - (0 if shorter is None else shorter.nbytes)
        while _normals_bytes > _normals_room:
            _normals_bytes -= _normals.popitem(last=False)[1].nbytes


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
    return standard_normals(seed, out[None], stream)[0]


def standard_normals(seed: int, out: np.ndarray, first: int = 0) -> np.ndarray:
    """Return several tables of :func:`standard_normal`, from consecutive streams, on all cores if they are large.

    Parameters
    ----------
    seed : int
    out : ndarray of shape (n_tables, n_rows, n_columns)
        Overwritten.
    first : int
        Stream of the first table.

    Returns
    -------
    ndarray
        `out`.
    """
    columns, char = out.shape[2], out.dtype.char
    missing = {
        stream: table
        for stream, table in enumerate(out, first)
        if not (_normals_room and _recall((seed, stream, columns, char), table))
    }
    _fill_rows(lambda generator, shape: generator.standard_normal(shape), seed, missing)
    if _normals_room:
        for stream, table in missing.items():
            _cache((seed, stream, columns, char), table)
    return out


def uniform(seed: int, stream: int, high: float, out: np.ndarray) -> np.ndarray:
    """Fill `out` with draws that are uniform on [0, high) and nested in its rows; see :func:`standard_normal`."""
    _fill_rows(lambda generator, shape: generator.uniform(0.0, high, shape), seed, {stream: out})
    return out


def whole_chunks(
    seed: int, stream: int, sampler: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], out: np.ndarray
) -> np.ndarray:
    """Fill `out` with draws by any `sampler`, called with the generator and the shape of a chunk.

    The last chunk is drawn whole and then cut, so that a sampler that draws several tables after another is nested too.
    """
    columns = out.shape[1]
    _fill_rows(lambda generator, shape: sampler(generator, (CHUNK_ROWS, columns))[: shape[0]], seed, {stream: out})
    return out


def chi_square(seed: int, stream: int, degrees: float, out: np.ndarray) -> np.ndarray:
    """Fill `out` with chi-squared draws of `degrees` > 0 degrees of freedom; see :func:`standard_normal`."""
    _fill_rows(lambda generator, shape: generator.chisquare(degrees, shape), seed, {stream: out})
    return out


def standard_cauchy(seed: int, stream: int, out: np.ndarray) -> np.ndarray:
    """Fill `out` with draws from Cauchy(0, 1); see :func:`standard_normal`."""
    _fill_rows(lambda generator, shape: generator.standard_cauchy(shape), seed, {stream: out})
    return out


def standard_laplace(seed: int, stream: int, out: np.ndarray) -> np.ndarray:
    """Fill `out` with draws from the Laplace law of density exp(−|t|)/2; see :func:`standard_normal`."""
    _fill_rows(lambda generator, shape: generator.laplace(0.0, 1.0, shape), seed, {stream: out})
    return out


def random_signs(seed: int, stream: int, out: np.ndarray) -> np.ndarray:
    """Fill `out` with independent −1 and 1 of equal chances; see :func:`standard_normal`."""
    _fill_rows(lambda generator, shape: np.copysign(1.0, generator.random(shape) - 0.5), seed, {stream: out})
    return out


def generator(seed: int, stream: int) -> np.random.Generator:
    """Return a generator of its own for a draw that is not made row by row, such as the scrambling of a sequence."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream,))))
