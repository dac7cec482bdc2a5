"""Principal components of random features, next to those of the points and of the exact kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.linalg import eigsh
from sklearn.decomposition import PCA

from rfviz.analysis.mapping import map_points, points_for
from rfviz.analysis.order import CurveOrder, compare_orders, rank_correlation
from rfviz.analysis.points import blas_for, centred_gram, normalise, span_coordinates
from rfviz.backend import check_memory
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import MapSpec
from rfviz.features.base import SlowKernelError
from rfviz.progress import Progress, silent

__all__ = [
    "LLE_NEIGHBOURS",
    "MAX_EXACT",
    "MAX_LLE",
    "MAX_POINTS",
    "EmbeddingPoints",
    "EmbeddingResult",
    "Projection",
    "aligned",
    "components_of_gram",
    "embed",
    "exact_components",
    "kept_neighbours",
    "locally_linear",
    "prepare_points",
]

# Up to here principal components come exactly from the n × n Gram matrix; beyond it, from a randomised SVD.
MAX_EXACT = 2000
MAX_POINTS = 5000
#: Neighbours of locally linear embedding, and points up to which it takes no more than a second or two.
LLE_NEIGHBOURS = 8
MAX_LLE = 1000
_NEIGHBOURS = 5
_LANCZOS_FROM = 400


@dataclass(frozen=True, eq=False)
class Projection:
    """Points in the plane (or space) of their first principal components, or of two columns.

    Attributes
    ----------
    coordinates : ndarray of shape (n, n_dimensions)
        Of columns, nan where a value is missing.
    explained : ndarray of shape (n_dimensions,)
        Share of the variance along each axis; NaN where axes are not directions.
    order : CurveOrder or None
        Order along the curve and the given order, where the data have one.
    method : str
        How the components were found, in a few words.
    names : tuple of str
        Of the axes, if they are columns of a table rather than components; each has a scale of its own then.
    """

    title: str
    coordinates: np.ndarray
    explained: np.ndarray
    order: CurveOrder | None
    method: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class EmbeddingPoints:
    """Normalised points with all that does not change while a slider moves: plain PCA and the input's neighbours.

    Attributes
    ----------
    coordinates : ndarray of shape (n, r)
        The normalised points in a basis of their span.
    original : ndarray of shape (n, n_features)
        The normalised points.
    given_order : ndarray of shape (n,) or None
    neighbours : ndarray of shape (n, 5), int
        Rows of each point's nearest other points.
    """

    name: str
    coordinates: np.ndarray
    original: np.ndarray
    given_order: np.ndarray | None
    plain: Projection
    neighbours: np.ndarray


@dataclass(frozen=True, eq=False)
class EmbeddingResult:
    """The same points three times.

    Attributes
    ----------
    features, plain : Projection
        PCA of the random features, and of the points themselves.
    exact : Projection or None
        Kernel PCA with the exact kernel of the map: the limit of `features` for many features; None beyond
        ``MAX_EXACT`` points.
    input_neighbours, feature_neighbours : ndarray of shape (n, 5), int
        Rows of each point's nearest other points, in input and in feature space.
    """

    features: Projection
    plain: Projection
    exact: Projection | None
    input_neighbours: np.ndarray
    feature_neighbours: np.ndarray

    @property
    def projections(self) -> tuple[Projection, ...]:
        """Return the projections that were computed."""
        return tuple(p for p in (self.features, self.plain, self.exact) if p is not None)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per projection: explained variance and Spearman's rank correlation with the given order."""
        rows = []
        for p in self.projections:
            row = {"projection": p.title, **{f"axis {i + 1}": share for i, share in enumerate(p.explained)}}
            row["axes together"] = p.explained.sum()
            if p.order:
                row["Spearman along the curve"] = p.order.spearman
                row["Spearman along axis 1"] = abs(rank_correlation(p.coordinates[:, 0], p.order.given))
            rows.append(row)
        return pd.DataFrame(rows)

    def points_frame(self, only: Projection | None = None) -> pd.DataFrame:
        """Return one row per point: its coordinates in each projection, and its given and recovered place.

        Or its coordinates in one projection alone.
        """
        columns: dict[str, np.ndarray] = {}
        for p in self.projections if only is None else (only,):
            for axis in range(p.coordinates.shape[1]):
                columns[f"{p.title}, axis {axis + 1}"] = p.coordinates[:, axis]
        if self.features.order and only is None:
            columns["given place"] = self.features.order.given + 1
            columns["place on the curve"] = self.features.order.recovered + 1
        return pd.DataFrame(columns)


def prepare_points(
    dataset: Dataset, how: str, n_dimensions: int, max_points: int = MAX_POINTS, progress: Progress = silent
) -> EmbeddingPoints:
    """Normalise the first `max_points` points, and find their plain PCA and nearest neighbours.

    Parameters
    ----------
    how : str
        See :func:`rfviz.analysis.points.normalise`.
    n_dimensions : {2, 3}

    Raises
    ------
    DataError
        For fewer points than axes need, or points that are all equal.
    """
    X = normalise(dataset.X[:max_points], how)
    if len(X) < n_dimensions + 1:
        raise DataError(
            f"{n_dimensions} principal components need at least {n_dimensions + 1} points; {dataset.name} has {len(X)}."
            " Choose more points."
        )
    check_memory(4 * 8 * len(X) ** 2, "cpu", f"The distances of {len(X)} points", "Choose fewer points.")
    progress(0.0, f"Distances and principal components of {len(X)} points")
    coordinates = span_coordinates(X)
    order = None if dataset.order is None else dataset.order[:max_points]
    plain, neighbours = _principal_components("Plain PCA", coordinates, n_dimensions, order)
    return EmbeddingPoints(dataset.name, coordinates, X, order, plain, neighbours)


def embed(
    points: EmbeddingPoints,
    spec: MapSpec[Any],
    n_dimensions: int,
    exact: Projection | None = None,
    progress: Progress = silent,
) -> EmbeddingResult:
    """Find the principal components of the random features of the points, next to the others.

    Parameters
    ----------
    n_dimensions : {2, 3}
    exact : Projection, optional
        What :func:`exact_components` gave for the same kernel; the axes of the features are turned to agree with it.
    progress : callable
        See :data:`rfviz.progress.Progress`.
    """
    feature_map = spec.resolve(points.original).make()
    X = points_for(feature_map, points)
    text = f"Mapping {len(X):,} points to {feature_map.n_components:,} features"
    progress(0.0, text)
    title = f"{feature_map.label} PCA"
    with blas_for(len(X), feature_map.n_components):
        Phi = map_points(feature_map.fit(X), X, progress, 0.1, 0.7, text)
        progress(0.7, "Principal components of the features")
        features, neighbours = _principal_components(title, Phi, n_dimensions, points.given_order)
    features = aligned(features, exact or points.plain)
    return EmbeddingResult(features, points.plain, exact, points.neighbours, neighbours)


def exact_components(
    points: EmbeddingPoints, spec: MapSpec[Any], n_dimensions: int, progress: Progress = silent
) -> Projection | None:
    """Find the components of a map's exact kernel, or None for more than ``MAX_EXACT`` points or if it takes minutes.

    The number of features and the seed of `spec` do not matter: this is the limit for many features.

    Parameters
    ----------
    points, spec, n_dimensions, progress
        As for :func:`embed`.
    """
    if len(points.coordinates) > MAX_EXACT:
        return None
    progress(0.0, f"Principal components of the exact kernel of {len(points.coordinates):,} points")
    feature_map = spec.resolve(points.original).make(n_components=2)
    X = points_for(feature_map, points)
    try:
        K = _centre(feature_map.fit(X).kernel(X))
    except SlowKernelError:
        return None
    return aligned(components_of_gram("Exact kernel PCA", K, n_dimensions, points.given_order), points.plain)


def locally_linear(points: EmbeddingPoints, n_dimensions: int) -> Projection:
    """Embed points by locally linear embedding (Roweis and Saul 2000), which uses no feature map.

    Each point is written as a mean of its nearest neighbours, and placed so that the same means hold in few dimensions.

    Parameters
    ----------
    n_dimensions : {2, 3}

    Raises
    ------
    DataError
        For too few or too many points.
    """
    from sklearn.manifold import LocallyLinearEmbedding  # a fifth of a second, of a part that few open

    n = len(points.coordinates)
    if not LLE_NEIGHBOURS < n <= MAX_LLE:
        raise DataError(
            f"Locally linear embedding is computed for {LLE_NEIGHBOURS + 1} to {MAX_LLE:,} points, not {n:,}. Choose "
            f"{'fewer' if n > MAX_LLE else 'more'} points."
        )
    method = LocallyLinearEmbedding(n_neighbors=LLE_NEIGHBOURS, n_components=n_dimensions, eigen_solver="dense")
    with blas_for(n, n):
        Z = method.fit_transform(points.coordinates.astype(np.float64))
    Z *= -np.sign(Z[_first_of_the_largest(Z), range(n_dimensions)])
    unknown = np.full(n_dimensions, np.nan)
    return Projection("Locally linear embedding", Z, unknown, _order(Z, points.given_order), "dense eigenvalues")


def kept_neighbours(projection: Projection, neighbours: np.ndarray) -> float:
    """Return which share of the points' nearest neighbours before are among as many nearest ones in a projection."""
    Z = projection.coordinates - projection.coordinates.mean(axis=0)
    near = _nearest(Z @ Z.T)
    return float((near[:, :, None] == neighbours[:, None, :]).any(axis=2).mean())


def _principal_components(
    title: str, Phi: Any, n_dimensions: int, order: np.ndarray | None
) -> tuple[Projection, np.ndarray]:
    """Find the first principal components and nearest neighbours of the rows of `Phi`."""
    gram = centred_gram(Phi)
    neighbours = _nearest(gram)
    if Phi.shape[0] <= MAX_EXACT:
        return components_of_gram(title, gram, n_dimensions, order), neighbours
    few = sparse.issparse(Phi)
    pca = PCA(n_dimensions, svd_solver="arpack" if few else "randomized", random_state=0)
    Z = pca.fit_transform(Phi).astype(np.float64)
    method = "Lanczos" if few else "randomised SVD"
    return Projection(title, Z, pca.explained_variance_ratio_, _order(Z, order), method), neighbours


def components_of_gram(title: str, gram: np.ndarray, n_dimensions: int, order: np.ndarray | None) -> Projection:
    """Find the first principal components of points of which the centred Gram matrix is known."""
    n, total = len(gram), float(np.trace(gram))
    if not total > 0:
        raise DataError("Principal components need points that differ; all are equal. Choose other data.")
    if n < _LANCZOS_FROM:
        # The whole spectrum: LAPACK's search for part of it finds nothing where eigenvalues cluster.
        values, vectors = np.linalg.eigh(gram)
        values, vectors = values[-n_dimensions:], vectors[:, -n_dimensions:]
    else:  # a few matrix-vector products instead of O(n³), to the same digits
        values, vectors = eigsh(gram, k=n_dimensions, which="LA", v0=gram[:, 0] + gram.diagonal())
    values = np.maximum(values[::-1], 0.0)
    Z = vectors[:, ::-1] * np.sqrt(values)
    # The solver's signs are those of its rounding: another processor would show the mirror image. Here the largest
    # coordinate along each axis is negative.
    Z *= -np.sign(Z[_first_of_the_largest(Z), range(n_dimensions)])
    return Projection(title, Z, values / total, _order(Z, order), "exact")


def _first_of_the_largest(Z: np.ndarray) -> np.ndarray:
    """Return the first row, in each column, of those whose magnitude is the largest but for rounding."""
    sizes = np.abs(Z)
    return np.argmax(sizes >= (1 - 1e-6) * sizes.max(axis=0), axis=0)


def _order(Z: np.ndarray, order: np.ndarray | None) -> CurveOrder | None:
    return compare_orders(Z, order) if order is not None and 3 <= len(Z) <= MAX_EXACT else None


def _centre(K: np.ndarray) -> np.ndarray:
    """Return the Gram matrix of the same points about their mean in feature space."""
    mean = K.mean(axis=0)
    return K - mean[:, None] - mean[None, :] + mean.mean()


def aligned(projection: Projection, reference: Projection) -> Projection:
    """Turn each axis to agree with the reference; the sign of a component means nothing."""
    signs = np.sign(np.sum(projection.coordinates * reference.coordinates, axis=0))
    Z = projection.coordinates * np.where(signs == 0, 1.0, signs)
    return Projection(projection.title, Z, projection.explained, projection.order, projection.method)


def _nearest(gram: np.ndarray) -> np.ndarray:
    """Return the rows of the nearest other points of each point, nearest first, from a Gram matrix."""
    norms = np.diag(gram)
    squared = norms[None, :] - 2.0 * gram  # the point's own norm does not change its order of neighbours
    np.fill_diagonal(squared, np.inf)
    count = min(_NEIGHBOURS, len(gram) - 1)
    candidates = np.argpartition(squared, count - 1, axis=1)[:, :count]
    ranks = np.argsort(np.take_along_axis(squared, candidates, axis=1), axis=1)
    return np.take_along_axis(candidates, ranks, axis=1)
