"""What the numbers of a map do not hold: data too large, too small, of more digits; and products in TF32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import product_precision, to_host, wanted_precision
from rfviz.errors import DataError, PrecisionWarning, warn

__all__ = [
    "SAMPLED_ROWS",
    "LostBinsWarning",
    "RoundingCost",
    "check_angles",
    "check_columns",
    "check_offsets",
    "check_phases",
    "check_range",
    "evenly",
    "large_phases",
    "largest_entry",
    "rounding",
    "square_unit",
    "tf32_cost",
    "warn_of_lost_bins",
]

# Rows, taken evenly, that stand for all.
SAMPLED_ROWS = 500
# Room for a projection, in standard deviations.
_ROOM = 1000.0
# Rounding errors that are accepted in silence: as a share of the spread of the data, of an angle in radians, in bins.
_OF_SPREAD, _OF_ANGLE, _OF_BIN = 0.05, 0.01, 0.01
_DOUBLE = ", or use dtype='float64'"
# Radians of a typical phase that TF32 resolves to a hundredth.
_LARGEST_PHASE = 10.0


def largest_entry(X: Any) -> float:
    """Return the largest absolute value of a dense or sparse matrix."""
    entries = X.data if sparse.issparse(X) else X
    return float(max(entries.max(initial=0.0), -entries.min(initial=0.0)))


def square_unit(size: Any) -> np.ndarray:
    """Return 1, or the size of numbers whose squares would overflow or vanish: what to divide them by first."""
    return np.where((size == 0) | ((size > 1e-100) & (size < 1e100)), 1.0, size)


def evenly(X: Any) -> Any:
    """Return up to 500 rows of a matrix, taken evenly."""
    return X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], SAMPLED_ROWS)).astype(int))]


def rounding(dtype: Any, size: Any) -> Any:
    """Return how far apart numbers of this size and type are by rounding alone."""
    return 2.0 * float(np.finfo(dtype).eps) * size


def check_range(X: Any, dtype: str) -> None:
    """Refuse values whose projections would overflow in `dtype`; warn where all values are too small for it.

    Raises
    ------
    DataError
    """
    info, largest = np.finfo(dtype), largest_entry(X)
    most = float(info.max) / (_ROOM * np.sqrt(X.shape[1]))
    double = _DOUBLE if dtype == "float32" else ""
    if largest > most:
        raise DataError(
            f"X must hold no value beyond {most:.2g}, or features in {dtype} would overflow; it holds {largest:.3g}. "
            f"Scale the data{double}."
        )
    if 0.0 < largest < float(info.tiny):
        warn(
            f"The largest value of X is {largest:.2g}, and {dtype} holds few digits or none of numbers below "
            f"{info.tiny:.1g}, so that rows look alike. Scale the data{double}.",
            PrecisionWarning,
        )


def check_offsets(X: Any, dtype: str) -> None:
    """Warn where the rows of `X` differ by no more than the digits of `dtype` tell, as those of 10⁷ do in float32."""
    rows = evenly(X)
    if sparse.issparse(rows):
        squares = rows.multiply(rows).sum(axis=1)
        size = float(np.mean(squares))
        spread = size - float(np.square(rows.mean(axis=0)).sum())
    else:
        rows = rows.astype(np.float64)
        size = float(np.mean(np.einsum("ij,ij->i", rows, rows)))
        rows -= rows.mean(axis=0)
        spread = float(np.mean(np.einsum("ij,ij->i", rows, rows)))
    _warn_of_offset("rows", np.sqrt(size), np.sqrt(max(spread, 0.0)), X.dtype, dtype)


def check_columns(size: np.ndarray, spread: np.ndarray, given: Any, dtype: str) -> None:
    """Warn likewise of the column that `dtype` tells least of, from the mean sizes and deviations of the columns."""
    worst = int(np.argmax(np.divide(size, spread, out=np.zeros_like(size), where=spread > rounding(given, size))))
    _warn_of_offset(f"values of column {worst}", float(size[worst]), float(spread[worst]), given, dtype)


def _warn_of_offset(what: str, size: float, spread: float, given: Any, dtype: str) -> None:
    if not np.finfo(dtype).eps * size > _OF_SPREAD * spread > _OF_SPREAD * rounding(given, size):
        return  # what rounding explains is constant
    warn(
        f"The {what} are about {size:.3g} from zero but differ by {spread:.3g} only, and {dtype} knows them to "
        f"{np.finfo(dtype).eps * size:.1g}, so that the features are partly noise. Centre the data"
        f"{_DOUBLE if dtype == 'float32' else ''}.",
        PrecisionWarning,
    )


def check_angles(radians: float, what: str, dtype: str) -> None:
    """Warn where angles as large as `radians` are not known to a hundredth in `dtype`."""
    error = radians * float(np.finfo(dtype).eps)
    if error > _OF_ANGLE:
        warn(
            f"{what} reach {radians:.3g} radians, and {dtype} knows them to {error:.1g} radians only, so that the "
            f"features are partly noise. Scale or centre the data{_DOUBLE if dtype == 'float32' else ''}.",
            PrecisionWarning,
        )


def check_phases(X: Any, scale: Any, gamma: Any, dtype: str, axes: bool) -> None:
    """Warn where the phases ω·x of the data lose digits: cosines of numbers much larger than 1 are noise in float32.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    scale : float or ndarray of shape (d,)
        What unit frequencies are multiplied with.
    gamma : float or ndarray
        For the message.
    dtype : {"float32", "float64"}
    axes : bool
        Whether a typical phase is Σ|x_j| (heavy-tailed coordinates) rather than ‖x‖, times the scale.
    """
    with np.errstate(over="ignore"):
        if np.ndim(scale):
            X = X.multiply(scale).tocsr() if sparse.issparse(X) else X * scale
        if sparse.issparse(X):
            sums = np.asarray((abs(X) if axes else X.multiply(X)).sum(axis=1))
        else:
            sums = np.abs(X).sum(axis=1) if axes else np.einsum("ij,ij->i", X, X)  # one pass, no copy
        largest = float(np.max(sums) if axes else np.sqrt(np.max(sums))) * (1.0 if np.ndim(scale) else float(scale))
    error = largest * float(np.finfo(dtype).eps)
    if not error <= _OF_ANGLE:
        width = f"gamma={gamma:.3g}" if np.ndim(gamma) == 0 else f"gamma up to {np.max(gamma):.3g}"
        remedy = "Use a smaller gamma, centre or standardise the data" + (
            ", or use dtype='float64'." if dtype == "float32" else "."
        )
        warn(
            f"With {width} the phases of these data reach {largest:.3g} radians, and {dtype} knows them to "
            f"{error:.1g} radians only, so that the features are partly noise. {remedy}",
            PrecisionWarning,
        )


class LostBinsWarning(UserWarning):
    """Bins are so narrow that the rounding of the data decides which of them a point is in."""


def warn_of_lost_bins(X: Any, gamma: Any) -> None:
    """Warn where the numbers of `X`, in their own precision, do not tell in which bin they are.

    Bins are computed in double precision, but a number of size x in float32 stands for all within 6e-8·x of it, which
    is 6e-8·γx bins of the typical width 1/γ.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    gamma : float or ndarray of shape (n_features,)
    """
    largest = abs(X).max(axis=0)
    largest = (largest.toarray() if sparse.issparse(largest) else np.asarray(largest)).ravel().astype(np.float64)
    with np.errstate(over="ignore"):
        reach = float(np.max(largest * gamma))
    error = 0.5 * float(np.finfo(X.dtype).eps) * reach
    if error <= _OF_BIN:
        return
    width = f"gamma={gamma:.3g}" if np.ndim(gamma) == 0 else f"gamma up to {np.max(gamma):.3g}"
    remedy = "Use a smaller gamma, or centre the data" + (", or pass float64." if X.dtype == np.float32 else ".")
    warn(
        f"With {width} the data reach {reach:.3g} bins from zero, and {X.dtype.name} knows them to {error:.1g} bins "
        f"only, so that rounding decides which near points share a bin. {remedy}",
        LostBinsWarning,
    )


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
