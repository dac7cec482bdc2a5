"""Products of features for every m of a grid from one map: maps are nested, so nothing is mapped twice.

With F the unscaled features, the products of the first m are F[:, :m] F[:, :m]ᵀ / m, and these sums grow block by
block along the grid. A scheme whose features have shares of their own, which change with m, has its sum made anew for
every m, from the same F.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.analysis.points import blas_for
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import array_namespace, check_memory, to_host
from rfviz.features import FeatureMap

__all__ = ["estimates", "prefix_grams"]


def estimates(scheme_map: FeatureMap, X: np.ndarray, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """Kernel estimates by the first m features of one fitted map, for every m of a rising grid.

    How many threads BLAS takes is the caller's matter, see :func:`rfviz.analysis.points.blas_for`.

    Parameters
    ----------
    scheme_map : FeatureMap
        Fitted, with at least ``m_grid[-1]`` features.
    X : ndarray of shape (n, n_features)
    m_grid : sequence of int
        Rising.

    Yields
    ------
    ndarray of shape (n, n), float64
        Equal to ``Phi @ Phi.T`` with ``Phi = scheme_map.prefix(m).transform(X)``, up to rounding. New each time.

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit.
    """
    F = _features(scheme_map, X)
    return (_sparse_products if sparse.issparse(F) else _products)(F, scheme_map, m_grid)


def prefix_grams(
    scheme_map: FeatureMap, X: np.ndarray, m_grid: Sequence[int], progress: Progress = silent
) -> Iterator[np.ndarray]:
    """Gram matrices of the points about their mean, by the first m features of one map, for every m of a rising grid.

    Parameters
    ----------
    scheme_map, X, m_grid
        As for :func:`estimates`.
    progress : callable
        Hears of the mapping, which is most of the work.

    Yields
    ------
    ndarray of shape (n, n), float64
        What :func:`rfviz.analysis.points.centred_gram` gives for ``scheme_map.prefix(m).transform(X)``, up to
        rounding. New each time.

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit.
    """
    F = _features(scheme_map, X, progress)
    if sparse.issparse(F):
        for products in _sparse_products(F, scheme_map, m_grid):
            mean = products.mean(axis=0)
            yield products - mean[:, None] - mean[None, :] + mean.mean()
        return
    F = F - F.mean(axis=0)  # for the digits, see `centred_gram`

    def multiply(part: Any) -> np.ndarray:
        with blas_for(*part.shape):
            return _multiply(part)

    yield from _products(F, scheme_map, m_grid, multiply)


def _features(scheme_map: FeatureMap, X: np.ndarray, progress: Progress = silent) -> Any:
    """All features, unscaled: an array where they were computed, or a CSR matrix on the host."""
    n, m_max = len(X), scheme_map.n_components
    needed = 2 * n * m_max * np.dtype(scheme_map.dtype).itemsize
    check_memory(needed, scheme_map.device, f"{m_max} features of {n} points", "Choose fewer features or points.")
    blocks, done = [], 0
    for block in scheme_map.transform_blocks(X, scaled=False):
        blocks.append(block)
        done += block.shape[0]
        progress(done / n, f"Mapping {n:,} points to {m_max:,} features")
    if scheme_map.sparse_output:
        return sparse.vstack([to_host(block) for block in blocks])
    return blocks[0] if len(blocks) == 1 else array_namespace(blocks[0]).concatenate(blocks)


def _multiply(part: Any) -> np.ndarray:
    return to_host(part @ part.T).astype(np.float64)


def _products(
    F: Any, scheme_map: FeatureMap, m_grid: Sequence[int], multiply: Callable[[Any], np.ndarray] = _multiply
) -> Iterator[np.ndarray]:
    """Blocks are multiplied in the features' own precision; their sum is in float64."""
    total, start = np.zeros((len(F),) * 2), 0
    for m in map(int, m_grid):
        share = scheme_map.shares(m)
        if np.ndim(share):  # features count differently in every m, so nothing can be gone on with
            root = array_namespace(F).asarray(np.sqrt(share).astype(F.dtype))
            yield multiply(F[:, :m] * root)
            continue
        total += multiply(F[:, start:m])
        start = m
        yield total * share


def _sparse_products(F: Any, scheme_map: FeatureMap, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """The same of a sparse matrix, which has more columns than features."""
    F, total, start = F.tocsc(), np.zeros((F.shape[0],) * 2), 0
    for m in map(int, m_grid):
        stop = scheme_map.columns(m)
        part = F[:, start:stop].tocsr()
        total += (part @ part.T).toarray()
        start = stop
        yield total * scheme_map.shares(m)
