"""Animations of kernel approximation: over m on the curves and the clouds, and over pool sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rfviz.cache import Cache
from rfviz.experiments import Data, KernelApproximation
from rfviz.experiments.kernel_approximation.compute import METRICS, KernelErrorResult
from rfviz.lab.animation import Animation, one_by_one
from rfviz.words import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["over_m", "over_pools"]

Results = Sequence[KernelErrorResult]


def over_m(settings: KernelApproximation, data: Data, results: Results, options: Sequence[int]) -> Animation:
    """Animate the number of features; everything is computed already."""
    frames = [replace(settings, m=m) for m in options if m in settings.grid]
    captions = [_caption(results[0], frame) for frame in frames]
    return Animation([frame.m for frame in frames], captions, [_draw(frame, data, results) for frame in frames])


def over_pools(
    run: Callable[[int], tuple[KernelApproximation, Results]],
    data: Data,
    place: int,
    options: Sequence[int],
    now: int,
    cache: Cache,
    seconds: float,
) -> Animation:
    """Animate the pool size; the caption is about the map at a place."""
    values, found = one_by_one(options, now, run, cache, seconds)
    captions = [_caption(results[min(place, len(results) - 1)], settings) for settings, results in found]
    return Animation(values, captions, [_draw(settings, data, results) for settings, results in found])


def _draw(settings: KernelApproximation, data: Data, results: Results) -> dict[str, go.Figure]:
    """Return the figures that move, by name."""
    return {chart.name: chart.figure for chart in settings.moving_charts(data, results)}


def _caption(result: KernelErrorResult, settings: KernelApproximation) -> str:
    """Return the chosen measure at m, and what theory predicts."""
    metric, place = settings.metric, settings.place
    unit = result.unit if settings.relative and metric != "correlation" else 1.0
    words = f"{result.label}: {METRICS[metric]} {number(result.errors.average(metric)[place] / unit, 2)}"
    known = {"rmse": result.reference.rmse, "mae": result.reference.mae}.get(metric)
    return words if known is None else f"{words} · 1/√m predicts {number(known[place] / unit, 2)}"
