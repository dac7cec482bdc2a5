"""Mapping a data set as an analysis needs it: block by block, with progress between the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz.analysis.progress import Progress
from rfviz.backend import check_memory, to_host
from rfviz.features import FeatureMap

__all__ = ["map_points", "points_for"]


def map_points(
    scheme_map: FeatureMap, X: np.ndarray, progress: Progress, start: float, stop: float, text: str
) -> np.ndarray:
    """Features of the rows of `X`, on the host, reporting progress from `start` to `stop`.

    Parameters
    ----------
    scheme_map : FeatureMap
        Fitted.
    X : ndarray of shape (n_samples, n_features)
    progress : callable
        See :data:`rfviz.analysis.progress.Progress`.
    start, stop : float
        Shares of the whole computation before and after the mapping.
    text : str
        What is being done.

    Returns
    -------
    ndarray of shape (n_samples, n_components), or CSR matrix of shape (n_samples, n_columns)

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit, before anything is computed.
    """
    shape = (len(X), scheme_map.n_components)
    # An entry of a sparse matrix has the number of its column next to it.
    needed = shape[0] * shape[1] * (np.dtype(scheme_map.dtype).itemsize + 4 * scheme_map.sparse_output)
    check_memory(2 * needed, "cpu", f"{shape[1]} features of {shape[0]} points", "Choose fewer features or points.")
    Phi = None if scheme_map.sparse_output else np.empty(shape, dtype=scheme_map.dtype)
    parts, done = [], 0
    for block in scheme_map.transform_blocks(X):
        if Phi is None:
            parts.append(to_host(block))
        else:
            Phi[done : done + len(block)] = to_host(block)
        done += block.shape[0]
        progress(start + (stop - start) * done / len(X), text)
    return sparse.vstack(parts, format="csr") if Phi is None else Phi


def points_for(scheme_map: FeatureMap, points: Any) -> np.ndarray:
    """The points as the map needs them: in few coordinates where it does not mind a rotation, else as they are.

    Parameters
    ----------
    scheme_map : FeatureMap
    points : object
        With arrays `coordinates` and `original`.

    Returns
    -------
    ndarray of shape (n, r) or (n, n_features)
    """
    whole = getattr(scheme_map, "receptive_field", None) is None
    return points.coordinates if scheme_map.rotation_invariant and whole else points.original
