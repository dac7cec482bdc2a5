"""What the theorem on maxout features asks of the points: their lengths, and how many dimensions they fill."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from rfviz import bounds
from rfviz.analysis.intrinsic_dimension import DimensionResult, dimension_of_rows
from rfviz.analysis.splits import Split
from rfviz.errors import DataError

__all__ = ["Geometry", "geometry_of_rows", "required_features"]

# Lengths that differ from 1 by no more than rounding.
_ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class Geometry:
    """Rows as points.

    Attributes
    ----------
    n_rows, n_train, n_features : int
        All rows, those that are learnt from, and d.
    norm : float
        R: the largest length of a row, 1 where lengths differ from it by no more than rounding.
    nonzero : int
        s: the most numbers other than 0 that a row has.
    estimate : DimensionResult or None
        Of the intrinsic dimension, or None if distances do not tell it.
    why : str
        Why not, or an empty text.
    """

    n_rows: int
    n_train: int
    n_features: int
    norm: float
    nonzero: int
    estimate: DimensionResult | None
    why: str

    @property
    def by_count(self) -> int:
        """Return what the Assouad dimension does not exceed because the rows are finitely many."""
        return int(bounds.largest_dimension(self.n_rows))

    @property
    def by_columns(self) -> int:
        """Return what it does not exceed because there are d columns."""
        return int(bounds.largest_dimension(dimension=self.n_features))

    @property
    def by_zeros(self) -> int | None:
        """Return what it does not exceed because rows have at most s numbers other than 0; None if they have d."""
        if self.nonzero >= self.n_features:
            return None
        return int(bounds.largest_dimension(dimension=self.n_features, nonzero=self.nonzero))

    @property
    def intrinsic(self) -> int:
        """Return the larger estimate, rounded up; without one, what the number of rows allows.

        The Assouad dimension is that of the place and the scale where it is largest.
        """
        if self.estimate is None:
            return self.by_count
        larger = max(self.estimate.two_nn, self.estimate.likelihood)
        return max(math.ceil(larger), 1) if math.isfinite(larger) else self.by_count


def geometry_of_rows(split: Split) -> Geometry:
    """Measure the rows of a data set, those that are learnt from and those that are tested."""
    X = np.concatenate([split.X_train, split.X_test])
    norm = float(np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64).max()))
    try:
        estimate, why = dimension_of_rows(split.X_train), ""
    except DataError as error:
        estimate, why = None, str(error)
    return Geometry(
        len(X),
        split.n_train,
        X.shape[1],
        1.0 if abs(norm - 1.0) < _ROUNDING else norm,
        int(np.count_nonzero(X, axis=1).max()),
        estimate,
        why,
    )


def required_features(
    geometry: Geometry, chosen: int | None, n: int, delta: float, pool_size: int, constant: float
) -> pd.DataFrame:
    """Return the features that Theorem 2 requires for ε = 1/√n, for each number that the dimension may have.

    Parameters
    ----------
    chosen : int or None
        The user's dimension, or None if it is estimated.
    n : int
        Training rows.
    delta : float
        The theorem's own δ.
    """
    d = geometry.n_features
    count = partial(bounds.maxout_features, 1.0 / math.sqrt(n), delta, pool_size, d, constant=constant)
    rows = [("chosen", chosen)] if chosen is not None else []
    if geometry.estimate is not None:
        rows.append(("estimated from the rows", geometry.intrinsic))
    rows.append((f"at most, of {geometry.n_rows:,} points", geometry.by_count))
    if geometry.by_zeros is not None:
        rows.append((f"at most, with {geometry.nonzero:,} of {d:,} numbers other than 0", geometry.by_zeros))
    rows.append((f"at most, in {d:,} columns", geometry.by_columns))
    return pd.DataFrame(
        {
            "dimension": [name for name, _ in rows],
            "d_M": [k for _, k in rows],
            "features m": [math.ceil(count(float(k))) for _, k in rows],
        }
    )
