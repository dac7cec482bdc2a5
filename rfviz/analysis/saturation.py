"""Distance saturation: how far apart points are after the map, against how far apart they were before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.mapping import map_points
from rfviz.analysis.points import centred_gram, normalise, span_coordinates, squared_distances
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import check_memory
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError
from rfviz.features import FeatureMap, registry

__all__ = ["MAX_POINTS", "PointPairs", "SaturationCurve", "SaturationResult", "prepare_pairs", "saturation"]

MAX_POINTS = 2000
SATURATION_SHARE = 0.9
_BINS = (200, 140)
_CURVE_POINTS = 201


@dataclass(frozen=True, eq=False)
class PointPairs:
    """Points with the distances of all their pairs: what does not change while a slider moves.

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


@dataclass(frozen=True, eq=False)
class SaturationCurve:
    """One map's distances.

    Attributes
    ----------
    label : str
        Which map: ``"q = 8"``.
    counts : ndarray of shape (140, 200)
        Number of pairs by embedded (rows) and input distance (columns).
    expected, low, high : ndarray of shape (k,) or None
        The exact curve on `SaturationResult.grid`, and one standard deviation either side; None where the expected
        distance is no function of the input distance (maxout away from the unit sphere).
    as_printed : ndarray of shape (k,) or None
        The curve that the paper's formula would give, where it is wrong.
    mean_expected : ndarray of shape (200,) or None
        Where there is no curve: the mean over the pairs of each column of their own exact expectation.
    slope, plateau, radius : float or None
        Limits of the exact law (see :class:`rfviz.features.DistanceLaw`).
    measured_slope, measured_plateau : float or None
        Embedded over input distance of the nearest 1 % of pairs; mean embedded distance of the farthest 1 %.
    rms_deviation : float or None
        Root mean square over pairs of (measured − expected), in units of the embedded distance.
    """

    label: str
    counts: np.ndarray
    expected: np.ndarray | None
    low: np.ndarray | None
    high: np.ndarray | None
    as_printed: np.ndarray | None
    mean_expected: np.ndarray | None
    slope: float | None
    plateau: float | None
    radius: float | None
    measured_slope: float
    measured_plateau: float
    rms_deviation: float | None


@dataclass(frozen=True, eq=False)
class SaturationResult:
    """All curves of one picture on common axes.

    Attributes
    ----------
    scheme, dataset : str
    n_components, n_points, n_pairs : int
    grid : ndarray of shape (k,)
        Input distances at which the exact curves are given.
    x_edges, y_edges : ndarray
        Bin edges of `SaturationCurve.counts`: 201 input and 141 embedded distances.
    curves : tuple of SaturationCurve
    """

    scheme: str
    dataset: str
    n_components: int
    n_points: int
    n_pairs: int
    grid: np.ndarray
    x_edges: np.ndarray
    y_edges: np.ndarray
    curves: tuple[SaturationCurve, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a map: slope, plateau and saturation radius, exact and measured."""
        return pd.DataFrame(
            {
                "map": [c.label for c in self.curves],
                "slope at 0": [c.slope for c in self.curves],
                "measured slope": [c.measured_slope for c in self.curves],
                "plateau": [c.plateau for c in self.curves],
                "measured farthest 1 %": [c.measured_plateau for c in self.curves],
                "saturation radius": [c.radius for c in self.curves],
                "RMS deviation": [c.rms_deviation for c in self.curves],
            }
        )

    def curves_frame(self) -> pd.DataFrame:
        """The exact curves in long form: map, input distance, expected, low, high, and the paper's formula."""
        parts = [
            pd.DataFrame(
                {"map": c.label, "input distance": self.grid, "expected": c.expected, "mean − s.d.": c.low,
                 "mean + s.d.": c.high, "as printed": c.as_printed}
            )
            for c in self.curves if c.expected is not None
        ]  # fmt: skip
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def prepare_pairs(dataset: Dataset, how: str, max_points: int = MAX_POINTS) -> PointPairs:
    """Normalise the first `max_points` points and measure the distance of all their pairs.

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


def saturation(
    pairs: PointPairs,
    scheme: str,
    settings: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    progress: Progress = silent,
) -> SaturationResult:
    """Map the points by each setting of a scheme and compare the distances of all pairs with the exact law.

    Parameters
    ----------
    pairs : PointPairs
    scheme : str
        Class name of a feature map.
    settings : sequence of mappings
        Keyword arguments of each map; they share `n_components`.
    labels : sequence of str
        Name of each map.
    progress : callable
        See :data:`rfviz.analysis.progress.Progress`.

    Returns
    -------
    SaturationResult

    Raises
    ------
    ParameterError, MemoryBudgetError
        From the maps, before anything is computed.
    """
    maps, embedded = [], []
    for index, (setting, label) in enumerate(zip(settings, labels, strict=True)):
        before, after = index / len(settings), (index + 0.9) / len(settings)
        text = f"Mapping {len(pairs.coordinates):,} points, {label}"
        progress(before, text)
        scheme_map = registry()[scheme](**setting)
        points = pairs.coordinates if scheme_map.rotation_invariant else pairs.original
        Phi = map_points(scheme_map.fit(points), points, progress, before, after, text)
        maps.append(scheme_map)
        embedded.append(np.sqrt(squared_distances(centred_gram(Phi))))
    laws = [m.distance_law() for m in maps]
    x_max = 2.0 if pairs.unit_norm else float(pairs.distance.max())
    grid = np.linspace(0.0, x_max, _CURVE_POINTS)
    bands = [law.band(grid) if law and (pairs.unit_norm or not law.unit_norm) else None for law in laws]
    top = max([float(d.max()) for d in embedded] + [float(b[2].max()) for b in bands if b])
    x_edges, y_edges = np.linspace(0.0, x_max, _BINS[0] + 1), np.linspace(0.0, _round_up(top), _BINS[1] + 1)
    curves = tuple(
        _curve(pairs, m, law, band, distances, label, grid, x_edges, y_edges)
        for m, law, band, distances, label in zip(maps, laws, bands, embedded, labels, strict=True)
    )
    return SaturationResult(
        registry()[scheme].label, pairs.name, maps[0].n_components, len(pairs.coordinates), len(pairs.distance), grid,
        x_edges, y_edges, curves,
    )  # fmt: skip


def _curve(pairs, scheme_map: FeatureMap, law, band, embedded, label, grid, x_edges, y_edges) -> SaturationCurve:
    distance = pairs.distance
    few = max(len(distance) // 100, 1)
    near, far = np.argpartition(distance, few)[:few], np.argpartition(distance, -few)[-few:]
    apart = distance[near] > 0
    slope = float(np.mean(embedded[near][apart] / distance[near][apart])) if apart.any() else np.nan
    expected, low, high = band or (None, None, None)
    if band:
        own, mean_expected = _interpolate(distance, grid, expected), None
    else:
        points = pairs.coordinates if scheme_map.rotation_invariant else pairs.original
        own = np.sqrt(squared_distances(scheme_map.kernel(points)))
        mean_expected = _mean_by_bin(distance, own, x_edges)
    # A law for the unit sphere says nothing about points off it, its limits neither.
    holds = band is not None
    return SaturationCurve(
        label=label,
        counts=_histogram(distance, embedded, x_edges, y_edges),
        expected=expected,
        low=low,
        high=high,
        as_printed=law.as_printed(grid) if holds and law.as_printed else None,
        mean_expected=mean_expected,
        slope=law.slope if holds else None,
        plateau=law.plateau if holds else None,
        radius=law.saturation_radius(SATURATION_SHARE) if holds else None,
        measured_slope=slope,
        measured_plateau=float(np.mean(embedded[far])),
        rms_deviation=float(np.sqrt(np.mean((embedded - own) ** 2))),
    )


def _histogram(x: np.ndarray, y: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> np.ndarray:
    """Pairs by cell, rows for y; ten times faster than ``numpy.histogram2d``, which does not use equal bins."""
    columns, rows = len(x_edges) - 1, len(y_edges) - 1
    i = np.minimum((x * (columns / x_edges[-1])).astype(np.intp), columns - 1)
    j = np.minimum((y * (rows / y_edges[-1])).astype(np.intp), rows - 1)
    return np.bincount(j * columns + i, minlength=rows * columns).reshape(rows, columns)


def _interpolate(x: np.ndarray, grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Linear interpolation on an equidistant grid from 0, without the search that ``numpy.interp`` makes for each."""
    position = x / grid[1]
    cell = np.minimum(position.astype(np.intp), len(grid) - 2)
    return values[cell] + (position - cell) * np.diff(values)[cell]


def _mean_by_bin(x: np.ndarray, y: np.ndarray, edges: np.ndarray) -> np.ndarray:
    columns = len(edges) - 1
    i = np.minimum((x * (columns / edges[-1])).astype(np.intp), columns - 1)
    with np.errstate(invalid="ignore"):
        return np.bincount(i, y, columns) / np.bincount(i, minlength=columns)


def _round_up(value: float) -> float:
    """The next of 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten: axes that stand still as sliders move."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(s for s in (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if s * power >= value) * power)
