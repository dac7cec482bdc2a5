"""Mapping a data set as an analysis needs it: block by block, with progress between the blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rfviz.analysis.progress import Progress
from rfviz.backend import check_memory, to_host
from rfviz.features import FeatureMap

__all__ = ["map_points", "seen", "settled"]


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
    ndarray of shape (n_samples, n_components)

    Raises
    ------
    MemoryBudgetError
        Where the features would not fit, before anything is computed.
    """
    shape = (len(X), scheme_map.n_components)
    needed = shape[0] * shape[1] * np.dtype(scheme_map.dtype).itemsize
    check_memory(2 * needed, "cpu", f"{shape[1]} features of {shape[0]} points", "Choose fewer features or points.")
    Phi = np.empty(shape, dtype=scheme_map.dtype)
    done = 0
    for block in scheme_map.transform_blocks(X):
        Phi[done : done + len(block)] = to_host(block)
        done += len(block)
        progress(start + (stop - start) * done / len(X), text)
    return Phi


def settled(cls: type[FeatureMap], setting: Mapping[str, Any], X: np.ndarray) -> dict[str, Any]:
    """The setting with words that stand for a number (``gamma="scale"``) replaced by that number for these points.

    Such a number is learnt from the points as they are, not from their coordinates in another basis.
    """
    values = dict(setting)
    words = [p.name for p in cls.params if p.kind == "float" and isinstance(values.get(p.name, p.default), str)]
    if words:
        fitted = cls(**{**values, "n_components": 1}).fit(X)
        values |= {name: getattr(fitted, f"{name}_") for name in words}
    return values


def seen(scheme_map: FeatureMap, points: Any) -> np.ndarray:
    """The points as the map needs them: in few coordinates where it does not mind a rotation, else as they are.

    Parameters
    ----------
    scheme_map : FeatureMap
    points : object
        With arrays `coordinates` and `original`.
    """
    whole = getattr(scheme_map, "receptive_field", None) is None
    return points.coordinates if scheme_map.rotation_invariant and whole else points.original
