"""Mapping a data set as an analysis needs it: block by block, with progress between the blocks."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rfviz.backend import check_memory, to_host
from rfviz.features import FeatureMap
from rfviz.progress import Progress

__all__ = ["Points", "map_points", "points_for"]


class Points(Protocol):
    """Points in two forms.

    Attributes
    ----------
    original : ndarray of shape (n, n_features)
    coordinates : ndarray of shape (n, r)
        The same in a basis of their span.
    """

    @property
    def original(self) -> np.ndarray: ...
    @property
    def coordinates(self) -> np.ndarray: ...


def map_points(feature_map: FeatureMap, X: np.ndarray, progress: Progress, start: float, stop: float, text: str) -> Any:
    """Return the features of the rows of `X`, on the host, reporting progress from `start` to `stop`.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted.
    X : ndarray of shape (n_samples, n_features)
    progress : callable
        See :data:`rfviz.progress.Progress`.
    start, stop : float
        Shares of the whole computation before and after the mapping.
    text : str
        The present step, for the progress report.

    Returns
    -------
    ndarray of shape (n_samples, n_components), or CSR matrix of shape (n_samples, n_columns)

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit, before anything is computed.
    """
    shape = (len(X), feature_map.n_components)
    # An entry of a sparse matrix has the number of its column next to it.
    needed = shape[0] * shape[1] * (np.dtype(feature_map.dtype).itemsize + 4 * feature_map.sparse_output)
    check_memory(2 * needed, "cpu", f"{shape[1]} features of {shape[0]} points", "Choose fewer features or points.")
    Phi = None if feature_map.sparse_output else np.empty(shape, dtype=feature_map.dtype)
    parts: list[Any] = []
    done = 0
    for block in feature_map.transform_blocks(X):
        if Phi is None:
            parts.append(to_host(block))
        else:
            Phi[done : done + len(block)] = to_host(block)
        done += block.shape[0]
        progress(start + (stop - start) * done / len(X), text)
    return sparse.vstack(parts, format="csr") if Phi is None else Phi


def points_for(feature_map: FeatureMap, points: Points) -> np.ndarray:
    """Return the points as a map needs them: in few coordinates where it does not mind a rotation, else as they are.

    Returns
    -------
    ndarray of shape (n, r) or (n, n_features)
    """
    whole = getattr(feature_map, "receptive_field", None) is None
    return points.coordinates if feature_map.rotation_invariant and whole else points.original
