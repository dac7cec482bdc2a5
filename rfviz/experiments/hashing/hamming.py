"""Hamming distances of hash codes, fast: the bits of 64 symbols in one machine word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rfviz.backend import check_memory, map_ordered, worker_count

__all__ = ["PackedCodes", "hamming_blocks", "hamming_pairs", "pack"]

# Counts of a tile stay in the cache of a core: 2¹⁵ words.
_TILE = 32_768
_PAIR_BYTES = 8_000_000
_BLOCK_BYTES = 64_000_000


@dataclass(frozen=True, eq=False)
class PackedCodes:
    """Codes as bit planes.

    Attributes
    ----------
    words : ndarray of shape (n_words, n_planes, n_points), uint64
        Bit i of word w in plane b is bit b of symbol 64·w + i.
    n_symbols : int
        Length m of a code; the last word is filled up with zeros.
    """

    words: np.ndarray
    n_symbols: int

    @property
    def n_points(self) -> int:
        return self.words.shape[2]

    def rows(self, which: slice | np.ndarray) -> PackedCodes:
        """Return the codes of some of the points."""
        return PackedCodes(np.ascontiguousarray(self.words[:, :, which]), self.n_symbols)


def pack(codes: np.ndarray, symbol_bits: int) -> PackedCodes:
    """Pack codes into bit planes: m·b/8 bytes per point for symbols of b bits, up to the last word.

    Parameters
    ----------
    codes : ndarray of shape (n, m), unsigned integers
    symbol_bits : int
        Bits of the largest symbol.
    """
    n, m = codes.shape
    n_words = -(-m // 64)
    words = np.empty((n_words, symbol_bits, n), np.uint64)
    for bit in range(symbol_bits):
        packed = np.zeros((n, 8 * n_words), np.uint8)
        found = np.packbits((codes >> np.array(bit, codes.dtype)) & np.array(1, codes.dtype), axis=1)
        packed[:, : found.shape[1]] = found
        words[:, bit] = packed.view(np.uint64).T
    return PackedCodes(words, m)


def hamming_pairs(codes: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Count the symbols in which code i[p] differs from code j[p], for every pair p.

    Parameters
    ----------
    codes : ndarray of shape (n, m)
    i, j : ndarray of shape (n_pairs,), int

    Returns
    -------
    ndarray of shape (n_pairs,), int64
    """
    distance = np.empty(len(i), np.int64)
    step = max(_PAIR_BYTES // max(codes.shape[1] * codes.itemsize, 1), 1)
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        distance[part] = np.count_nonzero(codes[i[part]] != codes[j[part]], axis=1)
    return distance


def hamming_blocks(
    queries: PackedCodes, base: PackedCodes, block_rows: int | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the Hamming distances of all queries to all points of the base, block by block of queries.

    A symbol differs where any of its bits does: per word an exclusive or for each plane, their union, and the count of
    its ones. All cores work, each on one block.

    Parameters
    ----------
    queries, base : PackedCodes
        Of equal length.
    block_rows : int, optional
        Queries of a block; by default as many as 64 MB of distances hold.

    Yields
    ------
    start : int
        Number of the block's first query.
    distance : ndarray of shape (rows, n_base), int32

    Raises
    ------
    MemoryBudgetError
        If not even one block fits.
    """
    n = base.n_points
    if block_rows is None:
        block_rows = max(min(_BLOCK_BYTES // (4 * max(n, 1)), -(-queries.n_points // worker_count())), 1)
    needed = 2 * worker_count() * 4 * block_rows * n
    check_memory(needed, "cpu", f"Distances of {block_rows} codes to {n} others", "Choose fewer points.")

    def compute(start: int) -> tuple[int, np.ndarray]:
        return start, _distances(queries.words[:, :, start : start + block_rows], base.words)

    yield from map_ordered(compute, range(0, queries.n_points, block_rows), worker_count())


def _distances(queries: np.ndarray, base: np.ndarray) -> np.ndarray:
    n_queries, n = queries.shape[2], base.shape[2]
    distance = np.zeros((n_queries, n), np.int32)
    columns = min(n, _TILE // 8)
    rows = max(_TILE // max(columns, 1), 1)
    for top in range(0, n_queries, rows):
        for left in range(0, n, columns):
            tile = distance[top : top + rows, left : left + columns]
            _add_tile(queries[:, :, top : top + rows], base[:, :, left : left + columns], tile)
    return distance


def _add_tile(queries: np.ndarray, base: np.ndarray, tile: np.ndarray) -> None:
    differ, other = (np.empty(tile.shape, np.uint64) for _ in range(2))
    ones = np.empty(tile.shape, np.uint8)
    for mine, theirs in zip(queries, base, strict=True):
        np.bitwise_xor(mine[0][:, None], theirs[0][None, :], out=differ)
        for plane in range(1, len(mine)):
            np.bitwise_xor(mine[plane][:, None], theirs[plane][None, :], out=other)
            np.bitwise_or(differ, other, out=differ)
        np.add(tile, np.bitwise_count(differ, out=ones), out=tile)
