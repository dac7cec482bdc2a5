"""What a picture that plays is made of: one fitted map holds the picture of every smaller number of features.

Maps are nested, so the Gram matrix of the first m features is a sum of blocks of columns, each of which is added once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.analysis.points import blas_for
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import array_namespace, check_memory, memory_budget, to_host
from rfviz.features import FeatureMap, registry

__all__ = ["affordable", "prefix_grams", "thinned"]

# Multiply-adds of a whole film that are a few seconds on two cores, and the share of memory that its features may take.
_WORK = 4e10
_SHARE = 0.25
# What a frame costs beside its features, in multiply-adds for each pair of points: sorting pairs into cells and so on.
_PER_PAIR = 60
_FEWEST = 8


def prefix_grams(
    scheme_map: FeatureMap, X: np.ndarray, m_values: Sequence[int], progress: Progress = silent
) -> Iterator[np.ndarray]:
    """Gram matrices of the points about their mean, by the first m features of one map, for every m of a rising list.

    Parameters
    ----------
    scheme_map : FeatureMap
        Fitted, with at least ``m_values[-1]`` features.
    X : ndarray of shape (n, n_features)
    m_values : sequence of int
        Rising.
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
    n, m_max = len(X), scheme_map.n_components
    needed = 2 * n * m_max * np.dtype(scheme_map.dtype).itemsize
    check_memory(needed, scheme_map.device, f"{m_max} features of {n} points", "Choose fewer features or points.")
    blocks, done = [], 0
    for block in scheme_map.transform_blocks(X, scaled=False):
        blocks.append(block)
        done += block.shape[0]
        progress(done / n, f"Mapping {n:,} points to {m_max:,} features")
    if scheme_map.sparse_output:
        yield from _sparse_grams(sparse.vstack([to_host(block) for block in blocks]), scheme_map, m_values)
        return
    xp = array_namespace(blocks[0])
    F = blocks[0] if len(blocks) == 1 else xp.concatenate(blocks)
    F = F - F.mean(axis=0)  # for the digits, see `centred_gram`
    total, start = np.zeros((n, n)), 0
    for m in map(int, m_values):
        share = scheme_map.shares(m)
        if np.ndim(share):  # features count differently in every m, so nothing can be gone on with
            yield _product(F[:, :m] * xp.asarray(np.sqrt(share).astype(F.dtype)))
            continue
        total += _product(F[:, start:m])
        start = m
        yield total * share


def _product(part: Any) -> np.ndarray:
    with blas_for(*part.shape):
        return to_host(part @ part.T).astype(np.float64)


def _sparse_grams(F: Any, scheme_map: FeatureMap, m_values: Sequence[int]) -> Iterator[np.ndarray]:
    F, total, start = F.tocsc(), np.zeros((F.shape[0],) * 2), 0
    for m in map(int, m_values):
        part = F[:, start : scheme_map.columns(m)].tocsr()
        total += (part @ part.T).toarray()
        start = scheme_map.columns(m)
        mean = total.mean(axis=0)
        yield (total - mean[:, None] - mean[None, :] + mean.mean()) * scheme_map.shares(m)


def affordable(
    scheme: str, setting: Mapping[str, Any], shape: tuple[int, int], m_values: Sequence[int], keep: int, maps: int = 1
) -> list[int]:
    """Numbers of features whose pictures take a few seconds and a part of the memory, the largest ones left out first.

    Parameters
    ----------
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments.
    shape : (n_samples, n_features)
        Of the points.
    m_values : sequence of int
        Rising; those that a slider stops at.
    keep : int
        The present one, which stays unless its features alone do not fit.
    maps : int
        Of about that size in the picture.
    """
    n, d = shape
    cls, itemsize = registry()[scheme], 4
    most = [m for m in sorted({*m_values, keep}) if 2 * maps * n * m * itemsize <= _SHARE * memory_budget("cpu")]
    work = {m: maps * (cls(**{**setting, "n_components": m}).multiply_adds(n, d) + m * n**2) for m in most}
    chosen = [m for m in most if work[m] <= _WORK or m <= keep]
    return thinned(chosen, max(_FEWEST, int(_WORK / (maps * _PER_PAIR * n**2))), keep)


def thinned(values: Sequence[Any], most: int, keep: Any) -> list[Any]:
    """At most `most` of the values, evenly, with the first, the last, and `keep` if it is among them."""
    values = list(values)
    if len(values) <= most:
        return values
    places = set(np.rint(np.linspace(0, len(values) - 1, max(most, 2))).astype(int).tolist())
    if keep in values:
        places.add(values.index(keep))
    return [values[place] for place in sorted(places)]
