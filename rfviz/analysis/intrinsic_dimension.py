"""The intrinsic dimension: the number of coordinates that tell a point from its neighbours, by two estimates.

Where points are spread evenly over a d-dimensional sheet, the number of points within a distance grows as its d-th
power, whatever the number of columns; both estimates read d off the distances to the nearest neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from rfviz.errors import DataError

__all__ = [
    "NEIGHBOURS",
    "DimensionResult",
    "dimension_of_rows",
    "intrinsic_dimension",
    "likelihood_dimension",
    "twins",
    "two_nn_dimension",
]

#: Neighbours that the likelihood estimate uses.
NEIGHBOURS = 10
# The largest ratios are left out of the first estimate: they come from sparse borders.
_KEPT_SHARE = 0.9
_FEWEST = 20
# Share of rows whose first and second neighbour are equally far, up to rounding, beyond which columns take too few
# values.
_TIED, _EQUAL = 0.2, 1e-6
# Rows within some share of the distance to their fifth neighbour are near copies if those up to three times as far are
# only a part of them: points in d dimensions would be 3^d − 1 times as many there. Fewer copies than ten, or than this
# share of the rows, hardly change an estimate.
_COPY_SHARES, _BEYOND, _FEWEST_COPIES, _LEAST_COPIES = 0.1 * 0.5 ** np.arange(10), 1 / 3, 10, 0.05
# Rows whose neighbours are searched: of more, as many at random tell as much about how they are spread.
_MOST = 2000


@dataclass(frozen=True, eq=False)
class DimensionResult:
    """Two estimates of the intrinsic dimension.

    Attributes
    ----------
    two_nn, two_nn_error : float
        Facco et al., with its standard error.
    likelihood, likelihood_error : float
        Levina and Bickel's, corrected by MacKay and Ghahramani.
    n_rows : int
        Different rows that were used.
    n_features : int
        Columns of the data: no estimate should exceed it by more than chance.
    tied : float
        Share of the rows whose two nearest neighbours are equally far.
    ratios : ndarray of shape (n_rows,)
        Distance of each row to its second neighbour over that to its first, rising.
    n_twins : int
        Further rows, near copies of these, that were left out.
    """

    two_nn: float
    two_nn_error: float
    likelihood: float
    likelihood_error: float
    n_rows: int
    n_features: int
    tied: float
    ratios: np.ndarray
    n_twins: int = 0

    def ratio_frame(self) -> pd.DataFrame:
        """Return the logarithm of each ratio, and of the share of rows with a larger one, turned round."""
        n = len(self.ratios)
        return pd.DataFrame({"ln ratio": np.log(self.ratios), "−ln share": -np.log(1.0 - (np.arange(n) + 0.5) / n)})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate."""
        return pd.DataFrame(
            {
                "estimate": ["TwoNN", "Maximum likelihood"],
                "dimension": [self.two_nn, self.likelihood],
                "standard error": [self.two_nn_error, self.likelihood_error],
                "neighbours": [2, min(NEIGHBOURS, self.n_rows - 1)],
            }
        )


def intrinsic_dimension(distance: np.ndarray, n_features: int) -> DimensionResult:
    """Estimate the dimension twice from the distances to the nearest neighbours.

    Parameters
    ----------
    distance : ndarray of shape (n, k)
        To the k ≥ 3 nearest other rows, nearest first; equal rows merged into one.
    n_features : int
        Columns of the data.

    Raises
    ------
    DataError
        For fewer than 20 different rows, or columns of so few values that neighbours are equally far.
    """
    n = len(distance)
    if n < _FEWEST:
        raise DataError(f"The dimension needs at least {_FEWEST} different rows; there are {n}. Choose more rows.")
    tied = float(np.mean(distance[:, 1] <= (1.0 + _EQUAL) * distance[:, 0]))
    if tied > _TIED:
        raise DataError(
            f"The two nearest neighbours of {tied:.0%} of the rows are equally far, as where columns take few values. "
            "Such data have no dimension that distances tell."
        )
    two, likely = two_nn_dimension(distance), likelihood_dimension(distance[:, :NEIGHBOURS])
    return DimensionResult(*two, *likely, n, n_features, tied, np.sort(distance[:, 1] / distance[:, 0]))


def dimension_of_rows(X: np.ndarray, random_state: int = 0) -> DimensionResult:
    """Estimate the dimension of rows, of which up to 2,000 different ones are taken at random, without near copies.

    Parameters
    ----------
    X : ndarray of shape (n, d)

    Raises
    ------
    DataError
        See :func:`intrinsic_dimension`.
    """
    rows = np.random.default_rng(random_state).permutation(len(X))[:_MOST]
    different = np.unique(X[np.sort(rows)], axis=0)
    if len(different) < _FEWEST:
        return intrinsic_dimension(different, X.shape[1])
    distance, near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(different).kneighbors()
    if not (left_out := twins(distance, near)).any():
        return intrinsic_dimension(distance, X.shape[1])
    others = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(different[~left_out])
    return replace(intrinsic_dimension(others.kneighbors()[0], X.shape[1]), n_twins=int(left_out.sum()))


def twins(distance: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return which rows are near copies of an earlier one that a gap sets apart from all others; none if they are few.

    Their nearest distances say how copies differ, and nothing of the sheet that the rows lie on.

    Parameters
    ----------
    distance, near : ndarray of shape (n, k)
        Of the k nearest other rows: how far, and their numbers.
    """
    n, k = distance.shape
    if k < 5:
        return np.zeros(n, dtype=bool)
    fifth = distance[:, 4:5]
    reach = distance[:, 0] / fifth[:, 0]
    for share in _COPY_SHARES:
        n_near, n_beyond = np.sum(reach <= share), np.sum((reach > share) & (reach <= 3.0 * share))
        if n_near >= max(_FEWEST_COPIES, _LEAST_COPIES * n) and n_beyond <= _BEYOND * n_near:
            return ((distance <= share * fifth) & (near < np.arange(n)[:, None])).any(axis=1)
    return np.zeros(n, dtype=bool)


def two_nn_dimension(distance: np.ndarray) -> tuple[float, float]:
    r"""Estimate the dimension from the ratio μ of the two nearest distances (Facco, d'Errico, Rodriguez, Laio 2017).

    As P(μ > t) = t^{−d}, ln μ is exponential of rate d. From the smallest nine tenths of the ratios, the sum
    T = Σ ln μ_(i) + (n − r) ln μ_(r) is Gamma(r, d), were they independent: (r − 1)/T is unbiased.

    Parameters
    ----------
    distance : ndarray of shape (n, ≥ 2)

    Returns
    -------
    dimension, standard_error : float
        Infinite where all ratios are 1.

    References
    ----------
    E. Facco et al., "Estimating the intrinsic dimension of datasets by a minimal neighborhood information",
    Scientific Reports 7, 2017.
    """
    logs = np.sort(np.log(distance[:, 1] / distance[:, 0]))
    kept = max(int(_KEPT_SHARE * len(logs)), 3)
    total = float(logs[:kept].sum() + (len(logs) - kept) * logs[kept - 1])
    if not total > 0:
        return np.inf, np.inf
    dimension = (kept - 1) / total
    return dimension, dimension / np.sqrt(kept - 2)


def likelihood_dimension(distance: np.ndarray) -> tuple[float, float]:
    r"""Estimate the dimension from the k nearest distances by maximum likelihood (Levina and Bickel 2004).

    ln(T_k/T_j), j < k, are exponential of rate d about every point. MacKay and Ghahramani (2005) average the inverses
    over the points and invert once, which is the maximum of the joint likelihood; the mean of d over the points would
    be too large.

    Parameters
    ----------
    distance : ndarray of shape (n, k)
        Distances T_1 ≤ … ≤ T_k, k ≥ 3.

    Returns
    -------
    dimension, standard_error : float
        The error is that of independent ratios; since neighbourhoods overlap, the true one is about a third larger.

    References
    ----------
    E. Levina, P. Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004.
    """
    n, k = distance.shape
    inverse = float(np.log(distance[:, -1:] / distance[:, :-1]).sum() / (n * (k - 1)))
    if not inverse > 0:
        return np.inf, np.inf
    return 1.0 / inverse, 1.0 / inverse / np.sqrt(n * (k - 1))
