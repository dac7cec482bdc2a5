"""Features whose leave-one-out predictions an analysis reads, on the device where these are found sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz.backend import array_namespace, device_of, get_device
from rfviz.features import FeatureMap
from rfviz.features.placement import Afterwards, placed
from rfviz.linear_model.leave_one_out import device_needs

__all__ = ["features_beside"]


def features_beside(feature_map: FeatureMap, X: Any, columns: Sequence[np.ndarray], n_targets: int = 1) -> Any:
    """Return the features of rows, and further columns after them.

    Parameters
    ----------
    feature_map : FeatureMap
        Not fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    columns : sequence of ndarray of shape (n_samples, any)
    n_targets : int
        That :func:`rfviz.linear_model.leave_one_out.leave_one_out` will predict from them.

    Returns
    -------
    array of shape (n_samples, n_columns)
        Of CuPy where a GPU maps the rows and finds the predictions sooner, else of NumPy; all of the features' dtype.
    """
    (n, d), m = X.shape, feature_map.n_components + sum(part.shape[1] for part in columns)
    placed(feature_map, n, d, Afterwards(*device_needs(n, m, n_targets))).fit(X)
    if not get_device(feature_map.device).is_gpu:
        H = feature_map.transform(X)
        columns = [part.astype(H.dtype, copy=False) for part in columns]
        return np.concatenate([H, *columns], axis=1) if columns else H
    blocks = list(feature_map.transform_blocks(X))
    with device_of(blocks[0]):
        xp = array_namespace(blocks[0])
        H = blocks[0] if len(blocks) == 1 else xp.concatenate(blocks)
        return xp.concatenate([H, *(xp.asarray(part, dtype=H.dtype) for part in columns)], axis=1) if columns else H
