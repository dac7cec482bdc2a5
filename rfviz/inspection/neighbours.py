"""The nearest neighbours of rows, and how much sparser their surroundings are than those of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from rfviz.errors import DataError
from rfviz.inspection.ends import far_off
from rfviz.inspection.question import Computation
from rfviz.inspection.sample import Sample

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = [
    "NEIGHBOURS",
    "NeighbourResult",
    "Neighbours",
    "far_values",
    "local_outlier_factor",
    "neighbour_distances",
    "neighbours",
    "scaled_by_most",
]

#: Neighbours from which the density about a row is estimated.
NEIGHBOURS = 20
#: Local outlier factor below which no row counts as outlying.
OUTLYING = 2.0
# Deviations of a row from which few rows may have set the scale of a column: a single row far off is √n away.
_STRETCHED = 10.0
# The largest factor of normal rows is beyond 1 + 5.2/d^0.8 in one of a hundred tables of d dimensions, of 200 to 10,000
# rows (simulated).
_NORMAL, _POWER, _FALSE_ALARM = 5.2, 0.8, 0.01
# Columns and dimensions, (Σλ)²/Σλ² of the covariance, up to which a tree finds neighbours sooner than all pairs do; and
# the share of the squares of two rows below which the square of their distance, by inner products, is not exact to a
# billionth.
_TREE_COLUMNS, _TREE_DIMENSIONS, _ROUNDED_OFF = 15, 6.0, 1e-6
# Shares of the rows whose factors show how heavy their tail is: below the few that may be outliers.
_TAIL_FROM, _TAIL_TO = 0.2, 0.05


@dataclass(frozen=True, eq=False)
class NeighbourResult:
    """Nearest neighbours of the different rows of a sample.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        One row of the file for each different row, from 0.
    distance, neighbours : ndarray of shape (n, k)
        To the k nearest others, nearest first, and their positions in `rows`.
    factor : ndarray of shape (n,)
        Local outlier factor: how many times sparser the region of a row is than its neighbours'.
    usual, limit : float
        The factors that chance reaches in about one of a hundred tables: of normal rows, and of rows with the tail that
        these have. From the latter on a row is an outlier.
    """

    rows: np.ndarray
    distance: np.ndarray
    neighbours: np.ndarray
    factor: np.ndarray
    usual: float
    limit: float

    @property
    def is_outlying(self) -> np.ndarray:
        """Which rows lie in sparser regions than chance brings about."""
        return self.factor >= self.limit

    def outliers(self, most: int = 10) -> np.ndarray:
        """Return rows of the file, from 0, the most outlying first."""
        return self.rows[np.argsort(-self.factor, kind="stable")[:most]]

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the most outlying rows, counted from 1, with the distance to their nearest and farthest neighbour."""
        order = np.argsort(-self.factor, kind="stable")[:most]
        return pd.DataFrame(
            {
                "row": self.rows[order] + 1,
                "outlier factor": self.factor[order],
                "to its nearest row": self.distance[order, 0],
                f"to its {self.distance.shape[1]}th nearest": self.distance[order, -1],
            }
        )


def scaled_by_most(sample: Sample) -> Sample:
    """Return standardised rows without regard to numbers that lie far beyond all others of their column.

    One such number makes the deviation so large that no distance is left between the others.
    """
    X = sample.X.copy()
    for column, far in far_values(sample):
        most = X[~far, column]
        X[:, column] = (X[:, column] - most.mean()) / most.std()
    return replace(sample, X=X)


def far_values(sample: Sample) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the standardised columns that are scaled without some values, and in which rows these are."""
    X = sample.X
    if sample.how != "standardise" or not len(X):
        return
    for column in np.flatnonzero(np.abs(X).max(axis=0) > min(_STRETCHED, 0.5 * np.sqrt(len(X)))).tolist():
        far = far_off(X[:, column])
        if far.any() and X[~far, column].std() > 0:
            yield column, far


def neighbours(sample: Sample) -> NeighbourResult:
    """Find the nearest neighbours of each different row, and its outlier factor.

    Raises
    ------
    DataError
        For fewer than five different rows.
    """
    _, first = np.unique(sample.X, axis=0, return_index=True)
    first = np.sort(first)
    if len(first) < 5:
        there = f"there {'is' if len(first) == 1 else 'are'} {len(first)}"
        raise DataError(f"Neighbours need at least 5 different rows in the columns used, and {there}.")
    distance, near = neighbour_distances(sample.X[first], NEIGHBOURS)
    # Of rows that differ by less than rounding the distance may come out as zero, which has no logarithm.
    distance = np.maximum(distance, 1e-9 * np.median(distance[:, -1]))
    factor = local_outlier_factor(distance, near)
    return NeighbourResult(sample.rows[first], distance, near, factor, *_limits(factor, distance, sample.X.shape[1]))


class Neighbours(Computation):
    """The nearest neighbours of the rows, in all columns."""

    settings = ("normalise",)

    def compute(self, inspection: Inspection) -> NeighbourResult:
        inspection.progress(0.1, "Searching the nearest rows")
        return neighbours(scaled_by_most(inspection.sample()))


def neighbour_distances(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distances to the nearest other rows and their numbers, each of shape (n, min(k, n − 1)).

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Different rows.
    """
    # Of 10,000 normal rows of 5, 7 and 14 columns a tree takes 0.3, 1 and 3.7 s, and all pairs 0.5, 0.4 and 0.4 s.
    covariance = np.atleast_2d(np.cov(X, rowvar=False))
    size = max(float(np.vdot(covariance, covariance)), 1e-300)
    is_flat = X.shape[1] <= _TREE_COLUMNS and float(np.trace(covariance)) ** 2 <= _TREE_DIMENSIONS * size
    search = NearestNeighbors(n_neighbors=min(k, len(X) - 1), algorithm="auto" if is_flat else "brute").fit(X)
    distance, near = search.kneighbors()
    return (distance, near) if is_flat else _measured_again(X, distance, near)


def _measured_again(X: np.ndarray, distance: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return neighbours with the distances of near ones, which inner products round off, by differences."""
    size = np.einsum("ij,ij->i", X, X)
    rounded = distance**2 < _ROUNDED_OFF * (size[:, None] + size[near])
    for row in np.flatnonzero(rounded.any(axis=1)).tolist():
        places = rounded[row]
        distance[row, places] = np.linalg.norm(X[near[row, places]] - X[row], axis=1)
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(near, order, axis=1)


def _limits(factor: np.ndarray, distance: np.ndarray, d: int) -> tuple[float, float]:
    """Return the factors that no row has but in about one of a hundred tables, of normal rows and of rows like these.

    Rows at the rim of normal data have large factors in few dimensions. Where columns have long tails, or clusters
    differ in density, the factors themselves have a long tail: they are taken to fall off as a power there.
    """
    local = np.log(distance[:, -1:] / distance[:, :-1]).mean()
    dimension = min(max(1.0 / max(float(local), 1e-9), 1.0), d)
    near, far = np.quantile(factor, (1.0 - _TAIL_FROM, 1.0 - _TAIL_TO))
    slope = np.log(far / near) / np.log(_TAIL_FROM / _TAIL_TO)
    tail = float(far * (_TAIL_TO * len(factor) / _FALSE_ALARM) ** slope)
    usual = max(OUTLYING, 1.0 + _NORMAL / dimension**_POWER)
    return usual, max(usual, tail)


def local_outlier_factor(distance: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return the mean density about the neighbours of each row over that about the row itself (Breunig et al. 2000).

    Parameters
    ----------
    distance, near : ndarray of shape (n, k)
        Of the nearest other rows: how far, and their numbers.

    Returns
    -------
    ndarray of shape (n,)
        About 1 within a cloud of any density; as ``LocalOutlierFactor`` of scikit-learn, without another search.
    """
    reach = np.maximum(distance, distance[near, -1])  # no nearer than a neighbour's own neighbourhood is wide
    density = 1.0 / (reach.mean(axis=1) + 1e-10)
    return density[near].mean(axis=1) / density
