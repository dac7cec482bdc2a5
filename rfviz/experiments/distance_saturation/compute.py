"""Distance saturation: how far apart points are after the map, against how far apart they were before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
import pandas as pd

from rfviz.analysis.mapping import map_points, points_for
from rfviz.analysis.points import blas_for, centred_gram, normalise, span_coordinates, squared_distances
from rfviz.backend import check_memory
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import DistanceLaw, FeatureMap, MapSpec
from rfviz.features.base import SlowKernelError
from rfviz.progress import Progress, silent

__all__ = [
    "MAX_POINTS",
    "SATURATION_SHARE",
    "ExactCurve",
    "MappedPairs",
    "PointPairs",
    "Saturation",
    "SaturationCurve",
    "SaturationResult",
    "SeedBand",
    "compare_with_law",
    "map_pairs",
    "on_common_axes",
    "prepare_pairs",
    "saturation",
]

MAX_POINTS = 2000
SATURATION_SHARE = 0.9
_CURVE_POINTS = 201
_BINS = (200, 140)
_NOT_UNIT = "These points do not have unit norm, so the expected distance is no function of the input distance."


@dataclass(frozen=True, eq=False)
class PointPairs:
    """Points with the distances of all their pairs: constant while a slider moves.

    Attributes
    ----------
    name : str
        The data set.
    coordinates : ndarray of shape (n, r)
        The normalised points in a basis of their span, for maps that do not mind a rotation.
    original : ndarray of shape (n, n_features)
        The normalised points.
    distance : ndarray of shape (n(n − 1)/2,)
        Distance of each pair i < j.
    unit_norm : bool
        Whether every point has norm one.
    """

    name: str
    coordinates: np.ndarray
    original: np.ndarray
    distance: np.ndarray
    unit_norm: bool

    @property
    def reach(self) -> float:
        """The end of the axis of input distances."""
        return 2.0 if self.unit_norm else float(self.distance.max())

    @property
    def grid(self) -> np.ndarray:
        """The input distances at which exact curves are given."""
        return np.linspace(0.0, self.reach, _CURVE_POINTS)


def prepare_pairs(dataset: Dataset, how: str, max_points: int = MAX_POINTS) -> PointPairs:
    """Normalise the first `max_points` points and measure the distance of all their pairs.

    Parameters
    ----------
    how : str
        See :func:`rfviz.analysis.points.normalise`.

    Raises
    ------
    DataError
        For fewer than three points, or points that are all equal.
    """
    X = normalise(dataset.X[:max_points], how)
    if len(X) < 3:
        raise DataError(f"Distances of pairs need at least 3 points; {dataset.name} has {len(X)}. Choose more points.")
    check_memory(5 * 8 * len(X) ** 2, "cpu", f"All pairs of {len(X)} points", "Choose fewer points.")
    coordinates = span_coordinates(X)
    centred = coordinates - coordinates.mean(axis=0)
    distance = np.sqrt(squared_distances(centred @ centred.T))
    if not distance.max() > 0:
        raise DataError(f"All {len(X)} points of {dataset.name} are equal under normalise={how!r}. Choose other data.")
    unit_norm = bool(np.allclose(np.linalg.norm(X, axis=1), 1.0, rtol=0, atol=1e-5))
    return PointPairs(dataset.name, coordinates, X, distance, unit_norm)


@dataclass(frozen=True)
class Saturation:
    """Where a map ceases to tell distances apart.

    Attributes
    ----------
    plateau : float
        Largest expected embedded distance.
    radius : float
        Input distance at which 90 % of it are reached.
    """

    plateau: float
    radius: float


@dataclass(frozen=True, eq=False)
class ExactCurve:
    """The exact law of a map (see :class:`rfviz.features.DistanceLaw`) on `PointPairs.grid`.

    Attributes
    ----------
    expected, low, high : ndarray of shape (k,)
        The curve, and one standard deviation either side.
    as_printed : ndarray of shape (k,) or None
        The curve that the paper's formula would give, where it is wrong.
    slope : float
        Limit of embedded over input distance where the latter goes to zero.
    saturation : Saturation or None
        None if the expected distance grows without bound.
    """

    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    as_printed: np.ndarray | None
    slope: float
    saturation: Saturation | None


@dataclass(frozen=True, eq=False, kw_only=True)
class _Effect:
    """Effect of one map on the distances, measured and exact.

    Attributes
    ----------
    exact : ExactCurve or None
        None if the expected distance is not a function of the input distance (maxout away from the unit sphere).
    mean_expected : ndarray of shape (200,) or None
        Where there is no curve: the mean over the pairs of each column of their own exact expectation.
    no_curve : str
        Why there is no curve, in one sentence.
    measured_slope, measured_plateau : float
        Embedded over input distance of the nearest 1 % of pairs; mean embedded distance of the farthest 1 %.
    rms_deviation : float
        Root mean square over pairs of (measured − expected), in units of the embedded distance.
    """

    exact: ExactCurve | None = None
    mean_expected: np.ndarray | None = None
    no_curve: str = ""
    measured_slope: float
    measured_plateau: float
    rms_deviation: float

    @property
    def saturation(self) -> Saturation | None:
        """Where the exact curve saturates, or None if it does not or there is none."""
        return self.exact and self.exact.saturation


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedPairs(_Effect):
    """Distances of all pairs after one map, before several maps share axes.

    Attributes
    ----------
    embedded : ndarray of shape (n(n − 1)/2,)
        Distance of each pair of `PointPairs.distance`, after the map.
    """

    n_components: int
    embedded: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class SaturationCurve(_Effect):
    """One map in the chart.

    Attributes
    ----------
    label : str
        Which map: ``"q = 8"``.
    counts : ndarray of shape (140, 200)
        Number of pairs by embedded (rows) and input distance (columns).
    """

    label: str
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class SaturationResult:
    """All curves of one chart on common axes.

    Attributes
    ----------
    cls : type of FeatureMap
        The class of all maps.
    grid : ndarray of shape (k,)
        Input distances at which the exact curves are given.
    x_edges, y_edges : ndarray
        Bin edges of `SaturationCurve.counts`: 201 input and 141 embedded distances.
    curves : tuple of SaturationCurve
    """

    cls: type[FeatureMap]
    dataset: str
    n_components: int
    n_points: int
    n_pairs: int
    grid: np.ndarray
    x_edges: np.ndarray
    y_edges: np.ndarray
    curves: tuple[SaturationCurve, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return slope, plateau and saturation radius of each map, exact and measured, one row per map."""
        laws = [c.exact for c in self.curves]
        limits = [c.saturation for c in self.curves]
        return pd.DataFrame(
            {
                "map": [c.label for c in self.curves],
                "slope at 0": [law and law.slope for law in laws],
                "measured slope": [c.measured_slope for c in self.curves],
                "plateau": [limit and limit.plateau for limit in limits],
                "measured farthest 1 %": [c.measured_plateau for c in self.curves],
                "saturation radius": [limit and limit.radius for limit in limits],
                "RMS deviation": [c.rms_deviation for c in self.curves],
            }
        )

    def curves_frame(self) -> pd.DataFrame:
        """Return the exact curves in long form: map, input distance, expected, low, high, and the paper's formula."""
        parts = [
            pd.DataFrame(
                {
                    "map": c.label,
                    "input distance": self.grid,
                    "expected": c.exact.expected,
                    "mean − s.d.": c.exact.low,
                    "mean + s.d.": c.exact.high,
                    "as printed": c.exact.as_printed,
                }
            )
            for c in self.curves
            if c.exact is not None
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


@dataclass(frozen=True, eq=False)
class SeedBand:
    """Position of the cloud on average over seeds.

    Attributes
    ----------
    x : ndarray of shape (k,)
        Input distances.
    mean, low, high : ndarray of shape (k,)
        Mean embedded distance of the pairs about that input distance, averaged over the seeds, and one standard
        deviation of it over seeds either side; NaN where there are no pairs.
    """

    n_seeds: int
    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def saturation(
    pairs: PointPairs, specs: Sequence[MapSpec[FeatureMap]], labels: Sequence[str], progress: Progress = silent
) -> SaturationResult:
    """Map the points by each of several maps and compare the distances of all pairs with the exact law.

    Parameters
    ----------
    specs : sequence of MapSpec
        Of one class, with one number of features.
    labels : sequence of str
        Name of each map.
    progress : callable
        See :data:`rfviz.progress.Progress`.

    Raises
    ------
    ParameterError, MemoryBudgetError
        From the maps, before anything is computed.
    """
    mapped = [map_pairs(pairs, spec, progress) for spec in specs]
    return on_common_axes(pairs, specs[0].cls, mapped, labels)


def map_pairs(pairs: PointPairs, spec: MapSpec[FeatureMap], progress: Progress = silent) -> MappedPairs:
    """Map the points, measure the distances of all pairs, and compare them with the exact law of the map."""
    feature_map = spec.resolve(pairs.original).make()
    points = points_for(feature_map, pairs)
    with blas_for(len(points), feature_map.n_components):
        Phi = map_points(feature_map.fit(points), points, progress, 0.0, 0.9, f"Mapping {len(points):,} points")
        embedded = np.sqrt(squared_distances(centred_gram(Phi)))
    return compare_with_law(pairs, feature_map, embedded, lambda: feature_map.kernel(points))


def compare_with_law(
    pairs: PointPairs, feature_map: FeatureMap, embedded: np.ndarray, kernel: Callable[[], np.ndarray]
) -> MappedPairs:
    """Return the distances of all pairs after a fitted map together with the map's exact law.

    ``kernel()`` returns the exact kernel of all points; it is called where no law holds for all pairs at one distance.
    """
    distance, law = pairs.distance, feature_map.distance_law()
    slope, plateau = _ends(distance, embedded)
    measured = partial(
        MappedPairs,
        n_components=feature_map.n_components,
        embedded=embedded,
        measured_slope=slope,
        measured_plateau=plateau,
    )
    # A law for the unit sphere says nothing about points off it, and neither do its limits.
    if law is None or (law.unit_norm and not pairs.unit_norm):
        try:
            own = np.sqrt(squared_distances(kernel()))
        except SlowKernelError:  # the chart stands without its exact mean
            return measured(rms_deviation=np.nan)
        mean = _mean_by_bin(distance, own, np.linspace(0.0, pairs.reach, _BINS[0] + 1))
        reason = feature_map.law_missing if law is None else _NOT_UNIT
        return measured(mean_expected=mean, no_curve=reason, rms_deviation=_rms(embedded - own))
    exact = _exact_curve(law, pairs.grid)
    deviation = _rms(embedded - _interpolate(distance, pairs.grid, exact.expected))
    return measured(exact=exact, rms_deviation=deviation)


def _exact_curve(law: DistanceLaw, grid: np.ndarray) -> ExactCurve:
    radius, printed = law.saturation_radius(SATURATION_SHARE), law.as_printed
    saturation = None if law.plateau is None or radius is None else Saturation(law.plateau, radius)
    return ExactCurve(*law.band(grid), printed(grid) if printed else None, law.slope, saturation)


def on_common_axes(
    pairs: PointPairs, cls: type[FeatureMap], mapped: Sequence[MappedPairs], labels: Sequence[str]
) -> SaturationResult:
    """Count the pairs of several maps of one class in the cells of common axes."""
    x_edges = np.linspace(0.0, pairs.reach, _BINS[0] + 1)
    top = max(max(float(m.embedded.max()), 0.0 if m.exact is None else float(m.exact.high.max())) for m in mapped)
    y_edges = np.linspace(0.0, _round_up(top), _BINS[1] + 1)
    curves = tuple(
        SaturationCurve(
            label=label,
            counts=_histogram(pairs.distance, m.embedded, x_edges, y_edges),
            **{field.name: getattr(m, field.name) for field in fields(_Effect)},
        )
        for m, label in zip(mapped, labels, strict=True)
    )
    return SaturationResult(
        cls=cls,
        dataset=pairs.name,
        n_components=mapped[0].n_components,
        n_points=len(pairs.coordinates),
        n_pairs=len(pairs.distance),
        grid=pairs.grid,
        x_edges=x_edges,
        y_edges=y_edges,
        curves=curves,
    )


# Distances that differ by less are equal but for rounding.
_TIE = 1 + 1e-5


def _ends(distance: np.ndarray, embedded: np.ndarray) -> tuple[float, float]:
    """Return the slope over the nearest hundredth of the pairs and the mean over the farthest."""
    few = max(len(distance) // 100, 1)
    # Points on a grid have many pairs at one distance: all of them count, or which ones do would be chance.
    nearest, farthest = np.partition(distance, few - 1)[few - 1], np.partition(distance, -few)[-few]
    near, far = (distance > 0) & (distance <= nearest * _TIE), distance * _TIE >= farthest
    # A line through the origin, not the mean of the ratios: single precision leaves the closest pairs with distances
    # that are wrong by a tenth.
    slope = float(distance[near] @ embedded[near] / (distance[near] @ distance[near])) if near.any() else np.nan
    return slope, float(np.mean(embedded[far]))


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _histogram(x: np.ndarray, y: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> np.ndarray:
    """Count pairs by cell, rows for y; ten times faster than ``numpy.histogram2d``, which does not use equal bins."""
    columns, rows = len(x_edges) - 1, len(y_edges) - 1
    i = np.minimum((x * (columns / x_edges[-1])).astype(np.intp), columns - 1)
    j = np.minimum((y * (rows / y_edges[-1])).astype(np.intp), rows - 1)
    return np.bincount(j * columns + i, minlength=rows * columns).reshape(rows, columns)


def _interpolate(x: np.ndarray, grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Interpolate linearly on an equidistant grid from 0, without the search that ``numpy.interp`` makes for each."""
    position = x / grid[1]
    cell = np.minimum(position.astype(np.intp), len(grid) - 2)
    return values[cell] + (position - cell) * np.diff(values)[cell]


def _mean_by_bin(x: np.ndarray, y: np.ndarray, edges: np.ndarray) -> np.ndarray:
    columns = len(edges) - 1
    i = np.minimum((x * (columns / edges[-1])).astype(np.intp), columns - 1)
    with np.errstate(invalid="ignore"):
        return np.bincount(i, y, columns) / np.bincount(i, minlength=columns)


def _round_up(value: float) -> float:
    """Return the next of 1, 1.25, 1.5, 2, … 8 times a power of ten: axes stand still while sliders move."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(s for s in (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if s * power >= value) * power)
