"""The order of points along the curve that they lie on, and how it compares with a given order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata, spearmanr

from rfviz.inputs import as_numbers, as_rows

__all__ = ["CurveOrder", "compare_orders", "order_along_curve", "rank_correlation"]

_WHOLE_SPECTRUM = 300


@dataclass(frozen=True, eq=False)
class CurveOrder:
    """A recovered order next to a given one.

    Attributes
    ----------
    recovered : ndarray of shape (n,)
        Place of each point along the curve, from 0, in the direction that agrees with the given order.
    given : ndarray of shape (n,)
        Place of each point in the given order, from 0 (ties share their mean place).
    spearman : float
        Spearman's rank correlation of the two.
    """

    recovered: np.ndarray
    given: np.ndarray
    spearman: float

    def disagreements(self, most: int = 8) -> pd.DataFrame:
        """Return the points whose places differ most, the worst first; points that agree are left out."""
        gap = np.abs(self.recovered - self.given)
        worst = [i for i in np.argsort(-gap, kind="stable")[:most] if gap[i] >= 1]
        return pd.DataFrame(
            {
                "row": worst,
                "given place": self.given[worst] + 1,
                "place on the curve": self.recovered[worst] + 1,
                "places apart": gap[worst],
            }
        )


def order_along_curve(Z: Any) -> np.ndarray:
    """Return the place of each point along the curve that the points lie on, from either end.

    Spectral seriation (Atkins, Boman, Hendrickson 1998): the Fiedler vector of a graph of near neighbours rises
    monotonically from one end of a curve to the other, however the curve bends, where the first principal component
    folds a horseshoe over.

    Parameters
    ----------
    Z : array-like of shape (n, 2) or (n, 3)
        At most a few thousand points; the cost is O(n³).

    Returns
    -------
    ndarray of shape (n,), int
        A permutation of 0, …, n − 1.

    Raises
    ------
    DataError
        For anything but finite numbers.
    """
    Z = as_rows(Z, "Z")
    if len(Z) < 3:
        return np.argsort(np.argsort(Z[:, 0]))
    squared = squareform(pdist(Z, "sqeuclidean"))
    # Weights fall off at the typical distance of a second neighbour, so that the curve's neighbouring strands do not
    # touch. The floor keeps the graph connected in floating point where groups of points lie far apart.
    scale = float(np.sort(squared, axis=1)[:, 1:3].mean())
    W = np.exp(-squared / (2.0 * scale)) if scale > 0 else np.ones_like(squared)
    W = np.maximum(W, 1e-12)
    laplacian = np.diag(W.sum(axis=1)) - W
    return np.argsort(np.argsort(_second_eigenvector(laplacian)))


def _second_eigenvector(A: np.ndarray) -> np.ndarray:
    """Return the eigenvector of the second smallest eigenvalue of a symmetric matrix."""
    if len(A) > _WHOLE_SPECTRUM:
        vectors = eigh(A, subset_by_index=[1, 1])[1]
        if vectors.shape[1]:  # LAPACK's search for part of a spectrum finds nothing where eigenvalues cluster
            return vectors[:, 0]
    return np.linalg.eigh(A)[1][:, 1]


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Return Spearman's rank correlation."""
    found = spearmanr(x, y)
    return float(found.statistic)  # pyright: ignore[reportAttributeAccessIssue] - its class is made at run time


def compare_orders(Z: Any, given: Any) -> CurveOrder:
    """Recover the order of the points `Z` along their curve and compare it with a given one.

    Parameters
    ----------
    Z : array-like of shape (n, 2) or (n, 3)
    given : array-like of shape (n,)
        Any numbers that rise along the given order: frame numbers, angles.

    Raises
    ------
    DataError
        For anything but finite numbers, or an order of another length.
    """
    Z = as_rows(Z, "Z")
    given = as_numbers(given, len(Z), "given")
    recovered = order_along_curve(Z)
    place = rankdata(given) - 1.0
    correlation = rank_correlation(recovered, place) if np.ptp(place) > 0 else float("nan")
    if correlation < 0:  # a curve has no direction of its own
        recovered, correlation = len(Z) - 1 - recovered, -correlation
    return CurveOrder(recovered, place, correlation)
