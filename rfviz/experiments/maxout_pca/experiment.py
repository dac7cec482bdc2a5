"""Principal components of random features as an experiment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from rfviz.analysis.embedding import (
    EmbeddingPoints,
    EmbeddingResult,
    Projection,
    embed,
    exact_components,
    locally_linear,
    prepare_points,
)
from rfviz.analysis.points import NORMALISATION
from rfviz.cache import Cache
from rfviz.experiments.base import Chart, ExperimentOnMap, experiment, revision
from rfviz.experiments.data import Data
from rfviz.experiments.maxout_pca.describe import explanation, locally_linear_words, summary
from rfviz.features import FeatureMap, MapSpec
from rfviz.figures.embedding import PointStyle, image_marks, plot_embedding, style_of
from rfviz.figures.images import framed_image
from rfviz.params import Param

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "MaxoutPCA", "points_of", "points_style"]

HEIGHT, _SIDE_HEIGHT = 600, 360


@experiment
class MaxoutPCA(ExperimentOnMap[EmbeddingResult]):
    """Compare the principal components of random features with those of the points and of the exact kernel.

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    n_dimensions : {2, 3}
        Principal components.
    point : int, optional
        Row of a point that is ringed in the plane.

    Examples
    --------
    >>> from rfviz.experiments import MaxoutPCA
    >>> from rfviz.features import RandomMaxout
    >>> result = MaxoutPCA(feature_map=RandomMaxout(200, pool_size=12)).run("turning_head")
    >>> list(result.charts)
    ['embedding', 'embedding-plain', 'embedding-exact']

    The steps, one by one; few points are written in a basis of their span first:

    >>> import numpy as np
    >>> from rfviz.analysis.points import normalise, span_coordinates
    >>> points = span_coordinates(normalise(result.data.dataset.X, "unit norm"))
    >>> Phi = RandomMaxout(200, pool_size=12).fit_transform(points)
    >>> variances = np.linalg.svd(Phi - Phi.mean(axis=0), compute_uv=False) ** 2
    >>> bool(np.allclose(variances[:2] / variances.sum(), result.numbers.features.explained, atol=1e-3))
    True
    """

    normalise: str = NORMALISATION.default
    n_dimensions: int = 2
    point: int | None = None

    params = (NORMALISATION, Param("n_dimensions", 2, "int", 2, 3))
    question = "How do points arrange themselves after a random feature map?"

    def compute(self, data: Data, cache: Cache) -> EmbeddingResult:
        return cache.call(result_of, data, self.normalise, self.spec, self.n_dimensions)

    def charts(self, data: Data, numbers: EmbeddingResult, cache: Cache) -> tuple[Chart, ...]:
        n = len(numbers.features.coordinates)
        if self.point is not None:
            Param("point", 0, "int", 0, n - 1).validate(self.point)
        style = cache.call(points_style, data, n)
        view = revision(data, self.normalise, self.n_dimensions)

        def plot() -> go.Figure:
            marks = self.marks(data, numbers, style, cache)
            return plot_embedding(
                numbers.features,
                style,
                height=HEIGHT,
                thumbnails=marks,
                selected=self.point,
                wide=marks is not None,
                revision=view,
            )

        words = explanation(numbers, _swapped(data, n))
        main = Chart("embedding", plot, numbers.points_frame, summary(numbers), words)
        sides = (
            Chart(
                name,
                partial(plot_embedding, side, style, height=_SIDE_HEIGHT, legend=False, revision=view),
                partial(numbers.points_frame, side),
                f"{side.title} of the same points.",
            )
            for name, side in (("embedding-plain", numbers.plain), ("embedding-exact", numbers.exact))
            if side is not None
        )
        return (main, *sides)

    def locally_linear(self, data: Data, numbers: EmbeddingResult, cache: Cache) -> Chart:
        """Embed the same points by locally linear embedding, which uses no feature map.

        Raises
        ------
        DataError
            For too few or too many points.
        """
        found = cache.call(locally_linear_of, data, self.normalise, self.n_dimensions)
        style = cache.call(points_style, data, len(found.coordinates))
        view = revision(data, self.normalise, self.n_dimensions)
        plot = partial(plot_embedding, found, style, height=_SIDE_HEIGHT, legend=False, revision=view)
        table = partial(numbers.points_frame, found)
        words = locally_linear_words(numbers, found)
        return Chart("embedding-lle", plot, table, f"{found.title} of the same points.", words)

    def marks(
        self, data: Data, numbers: EmbeddingResult, style: PointStyle, cache: Cache
    ) -> tuple[np.ndarray, list[str], float] | None:
        """Return images that stand for the points of a plane, or None without images or without a plane.

        Each comes from the cache, since a slider asks for it again.
        """
        if not data.dataset.image_shape or self.n_dimensions != 2:
            return None
        recall = partial(cache.call, mark_of, data)
        return image_marks(data.dataset, numbers.features.coordinates, style, self.point, recall, wide=True)


def points_of(data: Data, normalise: str, n_dimensions: int, *, cache: Cache) -> EmbeddingPoints:
    """Prepare the points, with their plain PCA and neighbours."""
    return prepare_points(data.dataset, normalise, n_dimensions, progress=cache.progress)


def exact_of(
    data: Data, normalise: str, spec: MapSpec[FeatureMap], n_dimensions: int, *, cache: Cache
) -> Projection | None:
    """Find the components of the exact kernel, which are the same for every number of features and every seed."""
    return exact_components(cache.call(points_of, data, normalise, n_dimensions), spec, n_dimensions, cache.progress)


def locally_linear_of(data: Data, normalise: str, n_dimensions: int, *, cache: Cache) -> Projection:
    """Embed the points without a map."""
    return locally_linear(cache.call(points_of, data, normalise, n_dimensions), n_dimensions)


def result_of(
    data: Data, normalise: str, spec: MapSpec[FeatureMap], n_dimensions: int, *, cache: Cache
) -> EmbeddingResult:
    """Find the components of the features, next to the others."""
    points = cache.call(points_of, data, normalise, n_dimensions)
    exact = cache.call(exact_of, data, normalise, spec.without("n_components", "random_state"), n_dimensions)
    return embed(points, spec, n_dimensions, exact, cache.progress)


def points_style(data: Data, n: int, *, cache: Cache) -> PointStyle:
    """Choose colours and names of the first points."""
    return style_of(data.dataset, n)


def mark_of(data: Data, row: int, frame: str, *, cache: Cache) -> str:
    """Encode the image of a row in a frame."""
    return framed_image(data.dataset, row, frame)


def _swapped(data: Data, n: int) -> np.ndarray | None:
    """Return which of the first rows were given another row's number on purpose, or None if that is unknown."""
    if data.name != "turning_head" or data.dataset.y is None or data.dataset.order is None:
        return None
    return rankdata(-data.dataset.y[:n]) != rankdata(data.dataset.order[:n])
