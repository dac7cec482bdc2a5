"""Distance saturation: how far apart points are after the map, against how far apart they were before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.mapping import map_points, seen, settled
from rfviz.analysis.pairs import PointPairs
from rfviz.analysis.points import blas_for, centred_gram, squared_distances
from rfviz.analysis.progress import Progress, silent
from rfviz.features import FeatureMap, registry
from rfviz.features.receptive import TooManyRectanglesError

__all__ = [
    "SATURATION_SHARE", "MappedPairs", "SaturationCurve", "SaturationResult", "beside_the_law", "drawn_together",
    "saturation",
]  # fmt: skip

SATURATION_SHARE = 0.9
_BINS = (200, 140)
_NOT_UNIT = "These points do not have unit norm, so the expected distance is no function of the input distance."


@dataclass(frozen=True, eq=False, kw_only=True)
class _Law:
    """What one map does to the distances, measured and exact.

    Attributes
    ----------
    expected, low, high : ndarray of shape (k,) or None
        The exact curve on `PointPairs.grid`, and one standard deviation either side; None where the expected distance
        is no function of the input distance (maxout away from the unit sphere).
    as_printed : ndarray of shape (k,) or None
        The curve that the paper's formula would give, where it is wrong.
    mean_expected : ndarray of shape (200,) or None
        Where there is no curve: the mean over the pairs of each column of their own exact expectation.
    no_curve : str
        Why there is no curve, in one sentence.
    slope, plateau, radius : float or None
        Limits of the exact law (see :class:`rfviz.features.DistanceLaw`).
    measured_slope, measured_plateau : float
        Embedded over input distance of the nearest 1 % of pairs; mean embedded distance of the farthest 1 %.
    rms_deviation : float
        Root mean square over pairs of (measured − expected), in units of the embedded distance.
    """

    expected: np.ndarray | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    as_printed: np.ndarray | None = None
    mean_expected: np.ndarray | None = None
    no_curve: str = ""
    slope: float | None = None
    plateau: float | None = None
    radius: float | None = None
    measured_slope: float
    measured_plateau: float
    rms_deviation: float


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedPairs(_Law):
    """The pairs after one map, before they are drawn on axes that several maps share.

    Attributes
    ----------
    n_components : int
    embedded : ndarray of shape (n(n − 1)/2,)
        Distance of each pair of `PointPairs.distance`, after the map.
    """

    n_components: int
    embedded: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class SaturationCurve(_Law):
    """One map in the picture.

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
    """All curves of one picture on common axes.

    Attributes
    ----------
    label, scheme, dataset : str
        What the scheme is called, its class name, and the data's name.
    n_components, n_points, n_pairs : int
    grid : ndarray of shape (k,)
        Input distances at which the exact curves are given.
    x_edges, y_edges : ndarray
        Bin edges of `SaturationCurve.counts`: 201 input and 141 embedded distances.
    curves : tuple of SaturationCurve
    """

    label: str
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


def saturation(
    pairs: PointPairs,
    scheme: str,
    settings: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    progress: Progress = silent,
    recall: Callable[[Mapping[str, Any], Callable[[], MappedPairs]], MappedPairs] = lambda setting, compute: compute(),
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
    recall : callable
        ``recall(setting, compute)`` may answer with what ``compute()`` gave for the same setting before, so that a
        slider that moves one map does not pay for those it is compared with.

    Returns
    -------
    SaturationResult

    Raises
    ------
    ParameterError, MemoryBudgetError
        From the maps, before anything is computed.
    """
    mapped = []
    for index, setting in enumerate(settings):
        span = index / len(settings), (index + 0.9) / len(settings)
        mapped.append(
            recall(setting, lambda s=setting, t=labels[index], p=span: _map(pairs, scheme, s, t, progress, p))
        )
    return drawn_together(pairs, scheme, mapped, labels)


def drawn_together(
    pairs: PointPairs, scheme: str, mapped: Sequence[MappedPairs], labels: Sequence[str]
) -> SaturationResult:
    """The pairs after several maps of a scheme, on common axes."""
    x_edges = np.linspace(0.0, pairs.reach, _BINS[0] + 1)
    top = max(max(float(m.embedded.max()), 0.0 if m.high is None else float(m.high.max())) for m in mapped)
    y_edges = np.linspace(0.0, _round_up(top), _BINS[1] + 1)
    curves = tuple(
        SaturationCurve(
            label=label,
            counts=_histogram(pairs.distance, m.embedded, x_edges, y_edges),
            **{field.name: getattr(m, field.name) for field in fields(_Law)},
        )
        for m, label in zip(mapped, labels, strict=True)
    )
    return SaturationResult(
        registry()[scheme].label, scheme, pairs.name, mapped[0].n_components, len(pairs.coordinates),
        len(pairs.distance), pairs.grid, x_edges, y_edges, curves,
    )  # fmt: skip


def _map(
    pairs: PointPairs, scheme: str, setting: Mapping[str, Any], label: str, progress: Progress, span
) -> MappedPairs:
    """Map the points, measure all pairs, and put the exact law of the map beside them."""
    text = f"Mapping {len(pairs.coordinates):,} points, {label}"
    progress(span[0], text)
    scheme_map = registry()[scheme](**settled(registry()[scheme], setting, pairs.original))
    points = seen(scheme_map, pairs)
    with blas_for(len(points), scheme_map.n_components):
        Phi = map_points(scheme_map.fit(points), points, progress, *span, text)
        embedded = np.sqrt(squared_distances(centred_gram(Phi)))
    return beside_the_law(pairs, scheme_map, embedded, lambda: scheme_map.kernel(points))


def beside_the_law(
    pairs: PointPairs, scheme_map: FeatureMap, embedded: np.ndarray, kernel: Callable[[], np.ndarray]
) -> MappedPairs:
    """The distances of all pairs after a fitted map, beside its exact law.

    ``kernel()`` gives the exact kernel of all points; it is asked where there is no law for all pairs of one distance.
    """
    distance, law = pairs.distance, scheme_map.distance_law()
    measured = {"n_components": scheme_map.n_components, "embedded": embedded} | _ends(distance, embedded)
    # A law for the unit sphere says nothing about points off it, its limits neither.
    if law is None or (law.unit_norm and not pairs.unit_norm):
        try:
            own = np.sqrt(squared_distances(kernel()))
        except TooManyRectanglesError:  # the picture stands without its exact mean
            return MappedPairs(**measured, rms_deviation=np.nan)
        mean = _mean_by_bin(distance, own, np.linspace(0.0, pairs.reach, _BINS[0] + 1))
        reason = scheme_map.law_missing if law is None else _NOT_UNIT
        return MappedPairs(**measured, mean_expected=mean, no_curve=reason, rms_deviation=_rms(embedded - own))
    expected, low, high = law.band(pairs.grid)
    return MappedPairs(
        **measured,
        expected=expected,
        low=low,
        high=high,
        as_printed=law.as_printed(pairs.grid) if law.as_printed else None,
        slope=law.slope,
        plateau=law.plateau,
        radius=law.saturation_radius(SATURATION_SHARE),
        rms_deviation=_rms(embedded - _interpolate(distance, pairs.grid, expected)),
    )


def _ends(distance: np.ndarray, embedded: np.ndarray) -> dict[str, float]:
    """Slope over the nearest hundredth of the pairs, and mean over the farthest."""
    few = max(len(distance) // 100, 1)
    near, far = np.argpartition(distance, few)[:few], np.argpartition(distance, -few)[-few:]
    near = near[distance[near] > 0]
    slope = float(np.mean(embedded[near] / distance[near])) if len(near) else np.nan
    return {"measured_slope": slope, "measured_plateau": float(np.mean(embedded[far]))}


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


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
