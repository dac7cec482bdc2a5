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

__all__ = ["estimates", "estimates_between", "prefix_grams", "unscaled_features"]


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
    F = unscaled_features(feature_map, X)
    return estimates_between(F, F, feature_map, m_grid)


def estimates_between(F: Any, G: Any, feature_map: FeatureMap, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the kernel estimates between two sets of points, for every m of a rising grid; see :func:`estimates`.

    Parameters
    ----------
    F, G : array or CSR matrix of shape (n_F, n_columns) and (n_G, n_columns)
        Features of both; see :func:`unscaled_features`.
    feature_map : FeatureMap
        That gave them.
    m_grid : sequence of int
        Rising.

    Yields
    ------
    ndarray of shape (n_F, n_G), float64
        New each time.
    """
    return (_sparse_products if sparse.issparse(F) else _products)(F, G, feature_map, m_grid)


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
    F = unscaled_features(feature_map, X, progress)
    if sparse.issparse(F):
        for products in _sparse_products(F, F, feature_map, m_grid):
            mean = products.mean(axis=0)
            yield products - mean[:, None] - mean[None, :] + mean.mean()
        return
    with device_of(F):
        F = F - F.mean(axis=0)  # for the digits, see `centred_gram`

    def multiply(part: Any, same: Any) -> np.ndarray:
        with blas_for(*part.shape):
            return _multiply(part, same)

    yield from _products(F, F, feature_map, m_grid, multiply)


def unscaled_features(feature_map: FeatureMap, X: np.ndarray, progress: Progress = silent) -> Any:
    """Return all features, unscaled: an array where they were computed, or a CSR matrix on the host.

    Raises
    ------
    MemoryBudgetError
        Where they would not fit.
    """
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


def _multiply(F: Any, G: Any) -> np.ndarray:
    with device_of(F):
        return to_host(matmul(array_namespace(F), F, G.T, exact=True)).astype(np.float64)


def _products(
    F: Any,
    G: Any,
    feature_map: FeatureMap,
    m_grid: Sequence[int],
    multiply: Callable[[Any, Any], np.ndarray] = _multiply,
) -> Iterator[np.ndarray]:
    """Yield the products for every m: of blocks in the features' own precision, summed in float64."""
    total, start = np.zeros((len(F), len(G))), 0
    for m in map(int, m_grid):
        share = feature_map.shares(m)
        if np.ndim(share):  # features count differently in every m, so nothing can be gone on with
            with device_of(F):
                roots = array_namespace(F).asarray(np.sqrt(share).astype(F.dtype))
                weighted = F[:, :m] * roots
                others = weighted if G is F else G[:, :m] * roots
            yield multiply(weighted, others)
            continue
        total += multiply(F[:, start:m], G[:, start:m])
        start = m
        yield total * share


def _sparse_products(F: Any, G: Any, feature_map: FeatureMap, m_grid: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the same of sparse matrices, which have more columns than features."""
    total, start = np.zeros((F.shape[0], G.shape[0])), 0
    F, G = F.tocsc(), G.tocsc()
    for m in map(int, m_grid):
        stop = feature_map.columns(m)
        total += (F[:, start:stop].tocsr() @ G[:, start:stop].tocsr().T).toarray()
        start = stop
        yield total * feature_map.shares(m)
