"""Animations of distance saturation: over m from one draw of the features, over pool sizes, and over seeds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rfviz.analysis.mapping import points_for
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.points import squared_distances
from rfviz.cache import Cache
from rfviz.experiments.distance_saturation.compute import (
    MappedPairs,
    PointPairs,
    SaturationResult,
    SeedBand,
    compare_with_law,
    on_common_axes,
)
from rfviz.experiments.distance_saturation.figures import plot_saturation
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.animation import SEEDS, Animation, affordable, one_by_one
from rfviz.progress import Progress, silent, within

__all__ = ["over_m", "over_seeds", "over_values", "predicted_deviation", "saturation_over_m", "seed_band"]

# ``run(value, cache)`` returns the result for another value of the animated control.
Run = Callable[[Any, Cache], SaturationResult]


def over_m(
    pairs: PointPairs,
    specs: Sequence[MapSpec[FeatureMap]],
    labels: Sequence[str],
    as_printed: bool,
    options: Sequence[int],
    now: int,
    cache: Cache,
    seconds: float,
) -> Animation:
    """Animate the number of features."""
    largest = max(specs, key=lambda spec: spec.get("pool_size") or 1)
    values = affordable(largest, pairs.original.shape, options, now, seconds, len(specs))
    results = saturation_over_m(pairs, specs, labels, values, cache.progress)
    note = "" if values[-1] == options[-1] else f"up to {values[-1]:,}: more would take too long here"
    return _animation(values, results, as_printed, note=note)


def over_values(
    run: Run, as_printed: bool, options: Sequence[Any], now: Any, cache: Cache, seconds: float
) -> Animation:
    """Animate the pool size, or the width of the kernel."""
    return _animation(*one_by_one(options, now, lambda value: run(value, cache), cache, seconds), as_printed)


def over_seeds(run: Run, as_printed: bool, options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
    """Animate the seed, with the mean over seeds."""
    seeds = sorted({*options[:SEEDS], now})
    values, results = one_by_one(seeds, now, lambda value: run(value, cache), cache, seconds)
    return _animation(values, results, as_printed, averaged=True)


def _animation(
    values: Sequence[Any], results: Sequence[SaturationResult], as_printed: bool, averaged: bool = False, note: str = ""
) -> Animation:
    band = seed_band(results) if averaged else None
    frames = [{"saturation": plot_saturation(result, as_printed=as_printed, over_seeds=band)} for result in results]
    captions = [_caption(result) for result in results]
    return Animation(list(values), captions, frames, note, n_extra=int(averaged))


def _caption(result: SaturationResult) -> str:
    measured, predicted = result.curves[0].rms_deviation, predicted_deviation(result)
    if not np.isfinite(measured):
        return ""
    words = f"RMS deviation {measured:.2g}"
    return words if predicted is None else f"{words} · 1/√m predicts {predicted:.2g}"


def saturation_over_m(
    pairs: PointPairs,
    specs: Sequence[MapSpec[FeatureMap]],
    labels: Sequence[str],
    m_values: Sequence[int],
    progress: Progress = silent,
) -> list[SaturationResult]:
    """Return the result of :func:`~rfviz.experiments.distance_saturation.compute.saturation` for every m, by one draw.

    Parameters
    ----------
    specs : sequence of MapSpec
        `n_components` is that of the frame.
    labels : sequence of str
    m_values : sequence of int
        Rising.

    Returns
    -------
    list of SaturationResult
        The same as one by one, up to rounding.
    """
    streams = []
    for index, spec in enumerate(specs):
        part = within(progress, 0.6 * index / len(specs), 0.6 * (index + 1) / len(specs))
        streams.append(_over_m(pairs, spec, m_values, part))
    results = []
    for mapped in zip(*streams, strict=True):
        results.append(on_common_axes(pairs, specs[0].cls, mapped, labels))
        progress(0.6 + 0.4 * len(results) / len(m_values), f"Frame {len(results)} of {len(m_values)}")
    return results


def _over_m(
    pairs: PointPairs, spec: MapSpec[FeatureMap], m_values: Sequence[int], progress: Progress
) -> Iterator[MappedPairs]:
    whole = spec.resolve(pairs.original).make(n_components=int(m_values[-1]))
    points = points_for(whole, pairs)
    whole.fit(points)
    kernel = functools.cache(lambda: whole.kernel(points))  # the same for every m
    for m, gram in zip(m_values, prefix_grams(whole, points, m_values, progress), strict=True):
        yield compare_with_law(pairs, whole.prefix(int(m)), np.sqrt(squared_distances(gram)), kernel)


def seed_band(results: Sequence[SaturationResult], index: int = 0) -> SeedBand:
    """Return mean and spread over seeds of one curve's cloud, from the results of those seeds.

    Parameters
    ----------
    results : sequence of SaturationResult
        One a seed, on the same axes across.
    index : int
        Of the curve in each.
    """
    centres = 0.5 * (results[0].x_edges[:-1] + results[0].x_edges[1:])
    rows = []
    for result in results:
        heights = 0.5 * (result.y_edges[:-1] + result.y_edges[1:])
        counts = result.curves[index].counts
        with np.errstate(invalid="ignore"):
            rows.append(heights @ counts / counts.sum(axis=0))
    rows = np.array(rows)
    mean, spread = rows.mean(axis=0), rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(rows.shape[1])
    return SeedBand(len(results), centres, mean, mean - spread, mean + spread)


def predicted_deviation(result: SaturationResult, index: int = 0) -> float | None:
    """Return the root mean square of (measured − expected) that the law expects over draws; None without a law.

    It is the half-width of the band at the input distance of each pair, and falls as 1/√m.
    """
    curve = result.curves[index]
    if curve.exact is None:
        return None
    centres = 0.5 * (result.x_edges[:-1] + result.x_edges[1:])
    half = np.interp(centres, result.grid, 0.5 * (curve.exact.high - curve.exact.low))
    pairs = curve.counts.sum(axis=0)
    return float(np.sqrt(np.sum(pairs * half**2) / pairs.sum()))
