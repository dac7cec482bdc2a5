"""Figures 1 and 2 of the kitchen sinks paper: whether it is worth choosing features with care."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from rfviz.analysis.accuracy import grid_segments
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import Split, all_rows_of
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.experiments.base import Chart
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import runs_of, sweep_parts
from rfviz.experiments.work import Failure, Part, Work, attempt
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.kitchen_sinks import text
from rfviz.lab.kitchen_sinks.boosting import BoostSegment, boost, check_classes, stump_segments
from rfviz.lab.kitchen_sinks.compute import ADABOOST, KitchenSinksResult, boost_curve, curves_frame, sink_curve
from rfviz.lab.kitchen_sinks.figures import plot_error, plot_reach, plot_seconds, plot_weights
from rfviz.lab.kitchen_sinks.script import script_of_learners, script_of_weights
from rfviz.lab.kitchen_sinks.settings import PRESETS, Settings, choose_settings
from rfviz.lab.kitchen_sinks.weights import WeightDecay, largest_weights
from rfviz.lab.page import MapExport, Presets, WorkPage, revision
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import choose_share
from rfviz.linear_model import default_grid

__all__ = ["PAGE", "KitchenSinks", "boost_of", "boost_parts", "in_turn", "weight_parts", "weights_of"]

# Multiply-adds that take as long as to look at one number when a stump is chosen, and as what a stump takes besides.
_STUMP_COST, _STUMP_OVERHEAD = 500.0, 3e8


class KitchenSinks(WorkPage[SplitData, Settings, KitchenSinksResult]):
    """Random features compared with AdaBoost."""

    slug = "kitchen-sinks"

    @property
    def presets(self) -> Presets:
        return PRESETS

    def source(self, panel: Panel) -> SplitData:
        data, normalise = panel.data("breast_cancer"), panel.control(NORMALISATION, "standardise")
        return SplitData(data, normalise, choose_share(panel, data))

    def settings(self, panel: Panel, source: SplitData) -> Settings:
        return choose_settings(panel)

    def work(self, source: SplitData, settings: Settings, cache: Cache) -> Work:
        split = source.split(cache)
        check_classes(split)
        if not settings.candidates:
            raise DataError(text.NO_FAMILIES)
        if settings.view == "weights":
            (candidate,) = settings.candidates
            parts = weight_parts(source, split, candidate.label, candidate.spec, _grid(settings), settings.runs)
            return Work(tuple(parts), cache)
        steps = [(tuple(int(k) for k in grid), 1.0) for grid in grid_segments(settings.k_max, 16)]
        how = settings.alpha, settings.loss
        sinks = sweep_parts(source, settings.candidates, settings.draws, steps, *how, cache)
        boosted = boost_parts(source, split, stump_segments(settings.stumps))
        return Work(tuple(in_turn(list(sinks), list(boosted))), cache)

    def collect(self, source: SplitData, settings: Settings, work: Work, cache: Cache) -> KitchenSinksResult:
        split = source.split(cache)
        if settings.view == "weights":
            norms = work.results(settings.candidates[0].label)
            decay = WeightDecay(np.array(_grid(settings)), np.stack(norms)) if norms else None
            return KitchenSinksResult(split, decay=decay)
        segments, runs = work.results(ADABOOST), runs_of(work)
        boosted = [boost_curve(segments)] if settings.stumps else []
        sinks = [sink_curve(c.label, c.spec.cls, runs[c.label]) for c in settings.candidates]
        state = segments[-1].state if segments else None
        ended = f"AdaBoost stopped at K = {state.n_stumps:,}: {state.ended}." if state and state.ended else ""
        return KitchenSinksResult(
            split, (*boosted, *sinks), ended=ended, is_complete=not (work.missing() or work.failures())
        )

    def charts(
        self, source: SplitData, settings: Settings, result: KitchenSinksResult, cache: Cache
    ) -> tuple[Chart, ...]:
        view, same = settings.view, revision(source, settings.view)
        if view == "weights":
            if result.decay is None:
                return ()
            (candidate,), decay = settings.candidates, result.decay
            plot = partial(plot_weights, decay, candidate.spec.cls, candidate.label, revision=same)
            alt, words = text.weights_summary(decay, candidate.label), text.weights_explanation(decay, candidate.label)
            return (Chart("sinks-weights", plot, decay.to_frame, alt, words),)
        if view == "reach":
            plot = partial(plot_reach, result.curves, revision=same)
        else:
            draw = plot_error if view == "error" else plot_seconds
            plot = partial(draw, result.curves, max(settings.k_max, settings.stumps), revision=same)
        alt, words = text.summary(result.curves, view), text.explanation(result, view, settings.loss)
        return (Chart(f"sinks-{view}", plot, partial(curves_frame, result.curves, view), alt, words),)

    def script(self, source: SplitData, settings: Settings) -> str:
        if settings.view == "weights":
            return script_of_weights(source, settings)
        return script_of_learners(source, settings)

    def maps(self, source: SplitData, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        split = source.split(cache)
        all_rows = all_rows_of(source.dataset, *split.scalings)
        size = {"n_components": settings.k_max, "random_state": 0}
        X, labels = split.X_train, (split.y_train, split.target_names)
        return tuple(MapExport(c.label, c.spec.make(**size), X, all_rows, labels) for c in settings.candidates)


def _grid(settings: Settings) -> tuple[int, ...]:
    return tuple(int(k) for k in default_grid(settings.k_max, 12))


def boost_parts(source: SplitData, split: Split, grids: Sequence[Sequence[int]]) -> Iterator[Part]:
    """Yield the segments of AdaBoost, each of which continues where the one before has ended."""
    n, d = split.X_train.shape
    before = 0
    for number, grid in enumerate(grids, start=1):
        cost = (grid[-1] - before) * (_STUMP_COST * n * d + _STUMP_OVERHEAD)
        yield Part(ADABOOST, boost_of, (source, tuple(map(tuple, grids[:number]))), cost)
        before = grid[-1]


def boost_of(source: SplitData, grids: tuple[tuple[int, ...], ...], *, cache: Cache) -> BoostSegment:
    """Boost up to the end of the last grid."""
    state = None
    *earlier, grid = grids
    if earlier:
        before = cache.call(attempt, boost_of, (source, tuple(earlier)))  # as a part of the work it is known by now
        if isinstance(before, Failure):
            raise DataError(before.reason)
        state = before.state
    return boost(source.split(cache), grid, state, cache.progress)


def weight_parts(
    source: SplitData, split: Split, label: str, spec: MapSpec[FeatureMap], grid: tuple[int, ...], runs: int
) -> Iterator[Part]:
    """Yield independent draws of one family of features, each of which gives its largest weights."""
    n, d = split.X_train.shape
    m = grid[-1]
    cost = float(n * m * (m + d) + 5 * m**3)
    for run in range(runs):
        args = source, spec.replace(random_state=run), grid
        yield Part(label, weights_of, args, cost, f"run {run + 1} of {runs}")


def weights_of(source: SplitData, spec: MapSpec[FeatureMap], grid: tuple[int, ...], *, cache: Cache) -> np.ndarray:
    """Return the largest weight for each K of a grid."""
    return largest_weights(source.split(cache), spec, grid, progress=cache.progress)


def in_turn(sinks: Sequence[Part], boosted: Sequence[Part]) -> Iterator[Part]:
    """Yield features and stumps in turn, few before many."""
    turns = max(len(boosted), 1)
    each = -(-len(sinks) // turns)
    for number in range(turns):
        yield from sinks[number * each : (number + 1) * each]
        yield from boosted[number : number + 1]


PAGE = KitchenSinks()
