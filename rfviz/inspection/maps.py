"""Three maps of the same rows: their principal components, without features and with those of two feature maps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz.analysis.embedding import Projection, embed, prepare_points
from rfviz.backend import single_threaded_blas
from rfviz.datasets import Dataset
from rfviz.datasets.files.table import NUMBER, Table
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.figures.embedding import PointStyle, image_marks, plot_embedding, point_style
from rfviz.inspection.question import Computation
from rfviz.inspection.raw import Raw
from rfviz.inspection.sample import MAP_ROWS, Sample, column_name, of_rows
from rfviz.progress import Progress, silent, within

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection
    from rfviz.inspection.uncertainty import IntervalResult, SetResult

__all__ = [
    "FEATURES",
    "MAP_NAMES",
    "MapResult",
    "Maps",
    "draw_maps",
    "feature_specs",
    "inspection_style",
    "plane_of_columns",
    "plot_maps",
]

#: Features of each map.
FEATURES = 1000
#: Names of the charts, in the order of the maps.
MAP_NAMES = ("map-plain", "map-maxout", "map-fourier")
# The order along a curve takes cubic time.
_ORDERED_ROWS = 400
# Pixels.
_HEIGHT = 520


@dataclass(frozen=True, eq=False)
class MapResult:
    """Rows in the plane of their first two principal components.

    Attributes
    ----------
    sample : Sample
        The rows that are drawn.
    projections : tuple of Projection
        Plain PCA, or the plane of two columns in its place; Maxout-PCA; Fourier-PCA.
    """

    sample: Sample
    projections: tuple[Projection, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the number of each row in the file, counted from 1, with its place in each map."""
        columns: dict[str, np.ndarray] = {"row": self.sample.rows + 1}
        for projection in self.projections:
            names = [f"{projection.title}, axis {axis + 1}" for axis in range(2)]
            if projection.names:
                names = [f"{name} ({way})" for name, way in zip(projection.names, ("across", "up"), strict=True)]
            columns |= dict(zip(names, projection.coordinates.T, strict=True))
        return pd.DataFrame(columns)

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the same for each map alone, by its name."""
        whole = self.to_frame()
        return {name: whole.iloc[:, [0, 2 * i + 1, 2 * i + 2]] for i, name in enumerate(MAP_NAMES)}


def feature_specs(
    seed: int = 0, feature_map: MapSpec[FeatureMap] | None = None
) -> tuple[MapSpec[FeatureMap], MapSpec[FeatureMap]]:
    """Return the feature maps whose principal components are drawn; `feature_map` takes the place of the first."""
    common = {"n_components": FEATURES, "random_state": seed}
    first = MapSpec(RandomMaxout, pool_size=8, **common)
    if feature_map is not None:
        first = feature_map.replace(random_state=seed)
    return first, MapSpec(RandomFourier, gamma="median", **common)


def draw_maps(
    dataset: Dataset,
    sample: Sample,
    seed: int = 0,
    progress: Progress = silent,
    feature_map: MapSpec[FeatureMap] | None = None,
) -> MapResult:
    """Find the principal components of a sample, of its random maxout features and of its random Fourier features.

    Parameters
    ----------
    sample : Sample
        Of its rows.
    seed : int
        Of the features.
    feature_map : MapSpec, optional
        Another map in the place of random maxout features.

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
        for number, spec in enumerate(feature_specs(seed, feature_map)):
            part = within(progress, (number + 1) / 3, (number + 2) / 3)
            projections.append(embed(points, spec, 2, None, part).features)
    return MapResult(sample, tuple(projections))


@dataclass(frozen=True)
class Maps(Computation):
    """The three maps of up to 1000 rows; see :func:`draw_maps`, and :func:`plane_of_columns` for the first."""

    feature_map: MapSpec[FeatureMap] | None = None
    columns: tuple[str, ...] = ()
    settings = ("normalise", "seed")

    def compute(self, inspection: Inspection) -> MapResult:
        sample = inspection.sample(MAP_ROWS)
        if self.columns:
            maps = inspection.answer(Maps(self.feature_map))
            plane = plane_of_columns(inspection.raw.table, sample.rows, self.columns)
            return dataclasses.replace(maps, projections=(plane, *maps.projections[1:]))
        return draw_maps(inspection.dataset, sample, inspection.source.seed, inspection.progress, self.feature_map)


def plane_of_columns(table: Table, rows: np.ndarray, columns: Sequence[str]) -> Projection:
    """Return rows in the plane of two columns of numbers, such as a projection that was computed elsewhere.

    Parameters
    ----------
    rows : ndarray of int
        Rows of the table.
    columns : sequence of str
        What runs across, and what runs up.

    Raises
    ------
    DataError
        If these are not two columns of numbers, or one holds no number in these rows.
    """
    across, up = names = tuple(table.find(name) for name in columns)
    for name in names:
        if table.kind(name) != NUMBER:
            raise DataError(f"“{name}” holds no numbers, so it cannot be an axis. Choose a column of numbers.")
    Z = np.column_stack([table.quantity(name)[rows].astype(np.float64) for name in names])
    for name, values in zip(names, Z.T, strict=True):
        if not np.isfinite(values).any():
            raise DataError(f"“{name}” is missing in all {len(rows):,} rows that are drawn. Choose another column.")
    return Projection(f"“{across}” and “{up}”", Z, np.full(2, np.nan), None, "columns of the table", names)


def inspection_style(
    dataset: Dataset,
    rows: np.ndarray,
    colour: str,
    raw: Raw | None = None,
    uncertainty: IntervalResult | SetResult | None = None,
) -> PointStyle:
    """Return the colours of rows of a data set, and what each row is called.

    Parameters
    ----------
    rows : ndarray of int, shape (n,)
        Places in the data set.
    colour : {"label", "order", "brightness", "uncertainty", "none"} or str
        What they show; ``"c3"`` is the third column.
    raw : Raw, optional
        The file of the data set: its columns of numbers are then shown as the file has them, not scaled.
    uncertainty : IntervalResult or SetResult, optional
        Needed for that colour; without it nothing is shown.
    """
    names = [f"row {row + 1:,}" for row in dataset.row_numbers[rows]]
    if colour == "none" or (colour == "uncertainty" and uncertainty is None):
        style = point_style(len(rows))
    elif colour == "label" and dataset.target_names and dataset.y is not None:
        style = point_style(len(rows), None, dataset.y[rows], dataset.target_names)
        names = [f"{name}: {dataset.target_names[int(dataset.y[row])]}" for name, row in zip(names, rows, strict=True)]
    else:
        if colour == "uncertainty" and uncertainty is not None:
            known = np.full(dataset.n_samples, np.nan)
            known[uncertainty.places] = uncertainty.values
            values, title = known[rows], uncertainty.title
        else:
            values, title = _values(dataset, rows, colour, raw)
        known = np.isfinite(values)
        shown = [f"{value:.4g}" if is_known else "is missing" for value, is_known in zip(values, known, strict=True)]
        names = [f"{name}: {title} {words}" for name, words in zip(names, shown, strict=True)]
        values = np.where(known, values, np.median(values[known]) if known.any() else 0.0)
        low, high = np.percentile(values, (1, 99))
        if np.ptp(values) > 1.5 * (high - low):  # a few huge values would leave all others one colour
            values = np.clip(values, low, high)
        style = point_style(len(rows), values, title=title)
    return dataclasses.replace(style, labels=names)


def _values(dataset: Dataset, rows: np.ndarray, colour: str, raw: Raw | None) -> tuple[np.ndarray, str]:
    """Return the numbers that a colour stands for, and their title."""
    if colour == "label" and dataset.y is not None:
        return dataset.y[rows].astype(np.float64), "target"
    if colour == "order" and dataset.order is not None:
        return dataset.order[rows].astype(np.float64), "order"
    if colour == "brightness":
        return dataset.X[rows].mean(axis=1, dtype=np.float64), "brightness"
    column = int(colour[1:]) - 1
    name, values = column_name(dataset, column), dataset.X[:, column].astype(np.float64)
    if raw is not None and name in raw.table and raw.table.kind(name) == NUMBER:
        return raw.table.quantity(name)[dataset.row_numbers[rows]].astype(np.float64), name
    if len(np.unique(values)) == 2 and raw is not None:  # a word of a category: there or not
        values = (values == values.max()).astype(np.float64)
    return values[rows], name


def plot_maps(
    result: MapResult,
    dataset: Dataset,
    colour: str = "none",
    row: int | None = None,
    raw: Raw | None = None,
    uncertainty: IntervalResult | SetResult | None = None,
) -> dict[str, go.Figure]:
    """Draw the three maps, each as a figure of its own.

    Parameters
    ----------
    dataset : Dataset
        Where its rows come from; images are drawn as themselves.
    colour : str
        See :func:`inspection_style`.
    row : int, optional
        A row of the file, from 0, to mark with a ring, where it is among those drawn.
    uncertainty : IntervalResult or SetResult, optional
        See :func:`inspection_style`.

    Returns
    -------
    dict
        By the names :data:`rfviz.inspection.maps.MAP_NAMES`.
    """
    rows = result.sample.places
    style = inspection_style(dataset, rows, colour, raw, uncertainty)
    place = result.sample.place_of(row)
    figures = {}
    for name, projection in zip(MAP_NAMES, result.projections, strict=True):
        marks = None
        if dataset.image_shape:
            marks = image_marks(of_rows(dataset, result.sample), projection.coordinates, style, place)
        figures[name] = plot_embedding(projection, style, height=_HEIGHT, thumbnails=marks, selected=place)
    return figures
