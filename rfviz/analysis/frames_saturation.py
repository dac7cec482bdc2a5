"""Distance saturation that plays: the picture for every m from one draw of the features, and over many seeds."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.analysis.mapping import seen, settled
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.pairs import PointPairs
from rfviz.analysis.points import squared_distances
from rfviz.analysis.progress import Progress, silent
from rfviz.analysis.saturation import MappedPairs, SaturationResult, beside_the_law, drawn_together
from rfviz.features import registry

__all__ = ["SeedBand", "predicted_deviation", "saturation_over_m", "seed_band"]


@dataclass(frozen=True, eq=False)
class SeedBand:
    """Where the cloud lies on average over seeds.

    Attributes
    ----------
    n_seeds : int
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


def saturation_over_m(
    pairs: PointPairs,
    scheme: str,
    settings: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    m_values: Sequence[int],
    progress: Progress = silent,
) -> list[SaturationResult]:
    """:func:`rfviz.analysis.saturation.saturation` for every m, by one draw of the largest map.

    Parameters
    ----------
    pairs : PointPairs
    scheme : str
    settings : sequence of mappings
        Keyword arguments of each map; `n_components` is that of the frame.
    labels : sequence of str
    m_values : sequence of int
        Rising.
    progress : callable

    Returns
    -------
    list of SaturationResult
        The same as one by one, up to rounding.
    """
    streams = []
    for index, setting in enumerate(settings):

        def report(share: float, text: str, index: int = index) -> None:
            progress(0.6 * (index + share) / len(settings), text)

        streams.append(_over_m(pairs, scheme, setting, m_values, report))
    results = []
    for mapped in zip(*streams, strict=True):
        results.append(drawn_together(pairs, scheme, mapped, labels))
        progress(0.6 + 0.4 * len(results) / len(m_values), f"{len(results)} of {len(m_values)} pictures")
    return results


def _over_m(
    pairs: PointPairs, scheme: str, setting: Mapping[str, Any], m_values: Sequence[int], progress: Progress
) -> Iterator[MappedPairs]:
    cls = registry()[scheme]
    whole = cls(**settled(cls, setting, pairs.original) | {"n_components": int(m_values[-1])})
    points = seen(whole, pairs)
    whole.fit(points)
    # The exact kernel is the same for every m.
    kernel = functools.cache(lambda: whole.kernel(points))
    for m, gram in zip(m_values, prefix_grams(whole, points, m_values, progress), strict=True):
        yield beside_the_law(pairs, whole.prefix(int(m)), np.sqrt(squared_distances(gram)), kernel)


def seed_band(results: Sequence[SaturationResult], place: int = 0) -> SeedBand:
    """Mean and spread over seeds of one curve's cloud, from the pictures of those seeds.

    Parameters
    ----------
    results : sequence of SaturationResult
        One a seed, on the same axes across.
    place : int
        Of the curve in each.
    """
    centres = 0.5 * (results[0].x_edges[:-1] + results[0].x_edges[1:])
    rows = []
    for result in results:
        heights = 0.5 * (result.y_edges[:-1] + result.y_edges[1:])
        counts = result.curves[place].counts
        with np.errstate(invalid="ignore"):
            rows.append(heights @ counts / counts.sum(axis=0))
    rows = np.array(rows)
    mean, spread = rows.mean(axis=0), rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(rows.shape[1])
    return SeedBand(len(results), centres, mean, mean - spread, mean + spread)


def predicted_deviation(result: SaturationResult, place: int = 0) -> float | None:
    """Root mean square of (measured − expected) that the exact law expects over draws; None where there is no law.

    It is the half-width of the band at the input distance of each pair, and falls as 1/√m.
    """
    curve = result.curves[place]
    if curve.high is None:
        return None
    centres = 0.5 * (result.x_edges[:-1] + result.x_edges[1:])
    half = np.interp(centres, result.grid, 0.5 * (curve.high - curve.low))
    pairs = curve.counts.sum(axis=0)
    return float(np.sqrt(np.sum(pairs * half**2) / pairs.sum()))
