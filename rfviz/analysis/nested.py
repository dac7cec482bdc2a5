"""Products of features for every m of a grid from one map: maps are nested, so nothing is mapped twice.

With F the unscaled features, the products of the first m are F[:, :m] F[:, :m]ᵀ / m, and these sums grow block by
block along the grid. A feature map whose features have shares of their own, which change with m, has its sum made anew
for every m, from the same F.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.analysis.points import blas_for
from rfviz.backend import array_namespace, check_memory, device_of, matmul, to_host
from rfviz.features import FeatureMap
from rfviz.progress import Progress, silent

__all__ = ["estimates", "prefix_grams"]


def estimates(feature_map: FeatureMap, X: np.ndarray, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the kernel estimates by the first m features of one fitted map, for every m of a rising grid.

    How many threads BLAS takes is the caller's matter, see :func:`rfviz.analysis.points.blas_for`.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted, with at least ``m_grid[-1]`` features.
    X : ndarray of shape (n, n_features)
    m_grid : sequence of int
        Rising.

    Yields
    ------
    ndarray of shape (n, n), float64
        Equal to ``Phi @ Phi.T`` with ``Phi = feature_map.prefix(m).transform(X)``, up to rounding. New each time.

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit.
    """
    F = _features(feature_map, X)
    return (_sparse_products if sparse.issparse(F) else _products)(F, feature_map, m_grid)


def prefix_grams(
    feature_map: FeatureMap, X: np.ndarray, m_grid: Sequence[int], progress: Progress = silent
) -> Iterator[np.ndarray]:
    """Yield Gram matrices of the points about their mean, by the first m features of one map, for every m of a grid.

    Parameters
    ----------
    feature_map, X, m_grid
        As for :func:`estimates`.
    progress : callable
        Hears of the mapping, which is most of the work.

    Yields
    ------
    ndarray of shape (n, n), float64
        What :func:`rfviz.analysis.points.centred_gram` gives for ``feature_map.prefix(m).transform(X)``, up to
        rounding. New each time.

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit.
    """
    F = _features(feature_map, X, progress)
    if sparse.issparse(F):
        for products in _sparse_products(F, feature_map, m_grid):
            mean = products.mean(axis=0)
            yield products - mean[:, None] - mean[None, :] + mean.mean()
        return
    with device_of(F):
        F = F - F.mean(axis=0)  # for the digits, see `centred_gram`

    def multiply(part: Any) -> np.ndarray:
        with blas_for(*part.shape):
            return _multiply(part)

    yield from _products(F, feature_map, m_grid, multiply)


def _features(feature_map: FeatureMap, X: np.ndarray, progress: Progress = silent) -> Any:
    """Return all features, unscaled: an array where they were computed, or a CSR matrix on the host."""
    n, m_max = len(X), feature_map.n_components
    needed = 2 * n * m_max * np.dtype(feature_map.dtype).itemsize
    check_memory(needed, feature_map.device, f"{m_max} features of {n} points", "Choose fewer features or points.")
    blocks, done = [], 0
    for block in feature_map.transform_blocks(X, scaled=False):
        blocks.append(block)
        done += block.shape[0]
        progress(done / n, f"Mapping {n:,} points to {m_max:,} features")
    if feature_map.sparse_output:
        return sparse.vstack([to_host(block) for block in blocks])
    with device_of(blocks[0]):
        return blocks[0] if len(blocks) == 1 else array_namespace(blocks[0]).concatenate(blocks)


def _multiply(part: Any) -> np.ndarray:
    with device_of(part):
        return to_host(matmul(array_namespace(part), part, part.T, exact=True)).astype(np.float64)


def _products(
    F: Any, feature_map: FeatureMap, m_grid: Sequence[int], multiply: Callable[[Any], np.ndarray] = _multiply
) -> Iterator[np.ndarray]:
    """Yield the products for every m: of blocks in the features' own precision, summed in float64."""
    total, start = np.zeros((len(F),) * 2), 0
    for m in map(int, m_grid):
        share = feature_map.shares(m)
        if np.ndim(share):  # features count differently in every m, so nothing can be gone on with
            with device_of(F):
                weighted = F[:, :m] * array_namespace(F).asarray(np.sqrt(share).astype(F.dtype))
            yield multiply(weighted)
            continue
        total += multiply(F[:, start:m])
        start = m
        yield total * share


def _sparse_products(F: Any, feature_map: FeatureMap, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the same of a sparse matrix, which has more columns than features."""
    F, total, start = F.tocsc(), np.zeros((F.shape[0],) * 2), 0
    for m in map(int, m_grid):
        stop = feature_map.columns(m)
        part = F[:, start:stop].tocsr()
        total += (part @ part.T).toarray()
        start = stop
        yield total * feature_map.shares(m)
