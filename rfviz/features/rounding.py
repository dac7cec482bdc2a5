"""The cost of TF32 products in accuracy, and the products that must not use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.backend import product_precision, to_host, wanted_precision

__all__ = ["RoundingCost", "large_phases", "tf32_cost"]

# Radians of a typical phase that TF32 resolves to a hundredth.
_LARGEST_PHASE = 10.0


def large_phases(xp: Any, X: Any, W: Any) -> bool:
    """Return whether phases ⟨w, x⟩ may be so large that TF32 loses their position on the circle.

    The largest ‖x‖·‖w‖/√d stands for the phases: that is how large a product of vectors without a common direction is.
    Always false where TF32 is not asked for.

    Parameters
    ----------
    xp : module
    X : array or CSR matrix of shape (n, d)
        Columns of zeros may follow.
    W : array of shape (m, d)
    """
    if wanted_precision() == "float32" or hasattr(X, "indptr") or not (X.size and W.size):
        return False
    squares = ((A * A).sum(axis=1).max() for A in (X, W))
    return not float(xp.sqrt(next(squares)) * xp.sqrt(next(squares))) <= _LARGEST_PHASE * W.shape[1] ** 0.5


@dataclass(frozen=True)
class RoundingCost:
    """Errors of a map whose products are in TF32, against the same map in float32.

    Attributes
    ----------
    largest, typical : float
        Largest and root mean square error of a feature, relative to the root mean square of the features.
    kernel : float
        Largest error of an inner product of two rows' features, relative to the largest inner product.
    """

    largest: float
    typical: float
    kernel: float


def tf32_cost(feature_map: Any, X: Any) -> RoundingCost:
    """Measure what TF32 would cost a fitted map on some rows; on the CPU the rounding is emulated.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted, in float32; one in float64, or without a matrix product, comes out at zero.
    X : array-like of shape (n_samples, n_features)
        A few hundred rows tell enough.
    """
    with product_precision("float32"):
        exact = _features(feature_map, X)
    with product_precision("tf32"):
        rounded = _features(feature_map, X)
    error = rounded - exact
    size = float(np.sqrt(np.mean(exact * exact))) or 1.0
    products, rounded_products = exact @ exact.T, rounded @ rounded.T
    kernel = float(np.abs(rounded_products - products).max(initial=0.0))
    return RoundingCost(
        float(np.abs(error).max(initial=0.0)) / size,
        float(np.sqrt(np.mean(error * error))) / size,
        kernel / (float(np.abs(products).max(initial=0.0)) or 1.0),
    )


def _features(feature_map: Any, X: Any) -> np.ndarray:
    blocks = [to_host(block) for block in feature_map.transform_blocks(X)]
    return np.concatenate([(b.toarray() if hasattr(b, "indptr") else b).astype(np.float64) for b in blocks])
