"""Three maps of the same rows: their principal components, without features and with those of two feature maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.embedding import Projection, embed, prepare_points
from rfviz.backend import single_threaded_blas
from rfviz.datasets import Dataset
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.lab.quick_inspection.sample import Sample, of_rows
from rfviz.progress import Progress, silent, within

__all__ = ["FEATURES", "MAP_NAMES", "MapResult", "draw_maps", "feature_specs"]

#: Features of each map.
FEATURES = 1000
#: Names of the charts, in the order of the maps.
MAP_NAMES = ("map-plain", "map-maxout", "map-fourier")
# The order along a curve takes cubic time.
_ORDERED_ROWS = 400


@dataclass(frozen=True, eq=False)
class MapResult:
    """Rows in the plane of their first two principal components.

    Attributes
    ----------
    sample : Sample
        The rows that are drawn.
    projections : tuple of Projection
        Plain PCA, Maxout-PCA, Fourier-PCA.
    """

    sample: Sample
    projections: tuple[Projection, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the number of each row in the file, counted from 1, with its place in each map."""
        columns: dict[str, np.ndarray] = {"row": self.sample.rows + 1}
        for projection in self.projections:
            for axis in range(2):
                columns[f"{projection.title}, axis {axis + 1}"] = projection.coordinates[:, axis]
        return pd.DataFrame(columns)

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the same for each map alone, by its name."""
        whole = self.to_frame()
        return {name: whole.iloc[:, [0, 2 * i + 1, 2 * i + 2]] for i, name in enumerate(MAP_NAMES)}


def feature_specs(seed: int = 0) -> tuple[MapSpec[FeatureMap], MapSpec[FeatureMap]]:
    """Return the feature maps whose principal components are drawn."""
    common = {"n_components": FEATURES, "random_state": seed}
    return MapSpec(RandomMaxout, pool_size=8, **common), MapSpec(RandomFourier, gamma="median", **common)


def draw_maps(dataset: Dataset, sample: Sample, seed: int = 0, progress: Progress = silent) -> MapResult:
    """Find the principal components of a sample, of its random maxout features and of its random Fourier features.

    Parameters
    ----------
    dataset : Dataset
    sample : Sample
        Of its rows.
    seed : int
        Of the features.
    progress : callable

    Raises
    ------
    DataError
        For fewer than three rows, or rows that are all equal.
    """
    few = of_rows(dataset, sample, ordered=len(sample.rows) <= _ORDERED_ROWS)
    progress(0.0, "Principal components")
    with single_threaded_blas():  # short calls, which end sooner than other threads wake up
        points = prepare_points(few, sample.how, 2)
        projections = [points.plain]
        for number, spec in enumerate(feature_specs(seed)):
            part = within(progress, (number + 1) / 3, (number + 2) / 3)
            projections.append(embed(points, spec, 2, None, part).features)
    return MapResult(sample, tuple(projections))
