"""What plays on the pages of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rfviz.analysis.cooccurrence import FeatureSample, PixelMap, sample_features
from rfviz.analysis.frames_cooccurrence import cooccurrence_over_features
from rfviz.analysis.kernel_error import KernelErrorResult
from rfviz.analysis.kernel_statistics import METRICS
from rfviz.analysis.progress import Progress
from rfviz.figures.cooccurrence import plot_maps
from rfviz.lab.animation import spread_words
from rfviz.recipes.base import Bench
from rfviz.recipes.kernel_approximation import cloud_charts, race_chart
from rfviz.ui.films import SEEDS, OtherPanel, one_by_one, reel_of
from rfviz.ui.play import Film, Reel
from rfviz.ui.state import PageState

__all__ = ["cooccurrence_reels", "kernel_reels"]


# --- pixel co-occurrence ----------------------------------------------------------------------------------------------


def cooccurrence_reels(state: PageState, sample: FeatureSample, result: PixelMap, side: int) -> list[Reel]:
    """The number of features, and the seed."""
    on = (sample.skeleton.to_json(), result.pixel)

    def over_features(options: Sequence[int], now: int, progress: Progress) -> Film:
        values = [value for value in options if value <= sample.n_features]
        maps = cooccurrence_over_features(sample, result.pixel, values, result.exact, progress)
        note = "" if values[-1] == options[-1] else f"up to {values[-1]:,}: more have not been drawn"
        return _maps_film(values, maps, side, note)

    def over_seeds(options: Sequence[int], now: int, progress: Progress) -> Film:
        def run(seed: int) -> PixelMap:
            drawn = sample_features(sample.skeleton, result.n_features, seed)
            (found,) = cooccurrence_over_features(drawn, result.pixel, [result.n_features], result.exact)
            return found

        values, maps = one_by_one(sorted({*options[:SEEDS], now}), now, run, progress)
        film = _maps_film(values, maps, side)
        average = spread_words([found.rms[-1] for found in maps], ".2g")
        return Film(values, [f"{words} · {average}" for words in film.captions], film.frames)

    return [reel_of(state, "m", "features", over_features, *on), reel_of(state, "seed", "seed", over_seeds, *on)]


def _maps_film(values: Sequence[int], maps: Sequence[PixelMap], side: int, note: str = "") -> Film:
    captions = [
        f"RMS error {found.rms[-1]:.2g} · 1/√m predicts {found.predicted[-1]:.2g}" if found.occurs
        else "no feature reaches the pixel yet"
        for found in maps
    ]  # fmt: skip
    return Film(list(values), captions, [{"maps": plot_maps(found, side)} for found in maps], note)


# --- kernel approximation ---------------------------------------------------------------------------------------------


def kernel_reels(
    state: PageState, recipe: Any, source: Any, settings: Any, results: Sequence[KernelErrorResult]
) -> list[Reel]:
    """The number of features: where it stands on the curves, and the clouds at it; and the pool size."""

    def frame(settings: Any, results: Sequence[KernelErrorResult]) -> dict[str, Any]:
        charts = (race_chart(source, settings, results), *cloud_charts(source, settings, results))
        return {chart.name: chart.figure for chart in charts}

    def over_m(options: Sequence[int], now: int, progress: Progress) -> Film:
        values = [value for value in options if value in settings.grid]
        frames = [frame(replace(settings, m=value), results) for value in values]
        captions = [_kernel_caption(results, replace(settings, m=value)) for value in values]
        return Film(values, captions, frames)

    def over_pools(options: Sequence[int], now: int, progress: Progress) -> Film:
        bench = Bench()

        def run(value: int) -> tuple[Any, list[KernelErrorResult]]:
            asked = recipe.settings(OtherPanel(state, source.data, "pool_size", value), source)
            return asked, recipe.run(source, asked, bench).results

        values, found = one_by_one(options, now, run, progress)
        place = next(place for place, entrant in enumerate(settings.entrants) if entrant.pool_size)
        captions = [_kernel_caption(raced[min(place, len(raced) - 1) :], asked) for asked, raced in found]
        return Film(values, captions, [frame(*one) for one in found])

    reels = [reel_of(state, "m", "m", over_m, source.key)]
    if any(entrant.pool_size for entrant in settings.entrants) and len(results) == len(settings.entrants):
        reels.append(reel_of(state, "q", "pool_size", over_pools, source.key))
    return reels


def _kernel_caption(results: Sequence[KernelErrorResult], settings: Any) -> str:
    """The measure of the first map at m, beside what theory says of it."""
    result, metric, place = results[0], settings.metric, settings.place
    unit = result.unit if settings.relative and metric != "correlation" else 1.0
    words = f"{result.label}: {METRICS[metric]} {result.errors.average(metric)[place] / unit:.2g}"
    known = {"rmse": result.reference.rmse, "mae": result.reference.mae}.get(metric)
    return words if known is None else f"{words} · 1/√m predicts {known[place] / unit:.2g}"
