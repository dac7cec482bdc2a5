"""Data that the numbers of a map do not hold: too large, too small, or of more digits than they have."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz.errors import DataError, PrecisionWarning, warn
from rfviz.features.widths import evenly, largest_entry, rounding

__all__ = ["check_angles", "check_columns", "check_offsets", "check_range"]

# Room for a projection, in standard deviations.
_ROOM = 1000.0
# Rounding errors that are accepted in silence: as a share of the spread of the data, and of an angle in radians.
_OF_SPREAD, _OF_ANGLE = 0.05, 0.01
_DOUBLE = ", or use dtype='float64'"


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
