"""Accuracy against the number of features: the chart that a lecture on random features is about."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rfviz.analysis.accuracy import grid_segments
from rfviz.analysis.exact_kernel import ExactKernel, run_exact_kernel
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.errors import DataError, RfvizError, warn
from rfviz.experiments.base import Chart
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import Step, inputs_of, runs_of, sweep_parts
from rfviz.experiments.work import Part, Work
from rfviz.lab.accuracy import text
from rfviz.lab.accuracy.baselines import BASELINES, BaselineResult, run_baseline
from rfviz.lab.accuracy.compute import AccuracyResult, curves_frame, epochs_frame
from rfviz.lab.accuracy.figures import plot_accuracy, plot_epochs
from rfviz.lab.accuracy.maxout_table import MaxoutTable, join_draws, maxout_table
from rfviz.lab.accuracy.script import script_of
from rfviz.lab.accuracy.settings import GROW, Settings, candidates_of, choose_settings, presets
from rfviz.lab.page import MapExport, Presets, WorkPage, revision
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import choose_all_rows, choose_share
from rfviz.result_files import durable

__all__ = ["PAGE", "Accuracy", "Source", "baseline_of", "exact_of", "table_1_of"]

_SHARES = (1 / 16, 1 / 4, 1.0)
# What a kernel computes of an inner product, in multiply-adds.
_KERNEL_COST = 300
_DRAWS = 5  # of Table 1, as in the paper


@dataclass(frozen=True)
class Source:
    """The data with their split, and whether the features grow or the rows."""

    data: SplitData
    grow: str


class Accuracy(WorkPage[Source, Settings, AccuracyResult]):
    """A comparison of feature maps under one linear model, with other methods."""

    slug = "accuracy"

    @property
    def presets(self) -> Presets:
        return presets()

    def source(self, panel: Panel) -> Source:
        data, normalise = panel.data("digits"), panel.control(NORMALISATION, "none")
        share, grow = choose_share(panel, data), panel.control(GROW)
        all_rows = grow == "features" and choose_all_rows(panel, data)
        return Source(SplitData(data, normalise, share, all_rows), grow)

    def settings(self, panel: Panel, source: Source) -> Settings:
        return choose_settings(panel, source.data.dataset.image_shape, not source.data.all_rows)

    def work(self, source: Source, settings: Settings, cache: Cache) -> Work:
        if not settings.maps:
            raise DataError(text.NO_MAPS)
        grids = [tuple(int(m) for m in grid) for grid in grid_segments(settings.m_max)]
        steps: list[Step] = [(grid, 1.0) for grid in grids]
        if source.grow == "rows":
            whole = tuple(m for grid in grids for m in grid)
            steps = [(whole, share) for share in _SHARES]
        candidates = _candidates(source, settings)
        sweep = sweep_parts(source.data, candidates, settings.seeds, steps, settings.alpha, settings.loss, cache)
        exact = _exact_parts(source.data, candidates, cache) if settings.exact else ()
        # What a curve tends to stands there before its larger m, which take longer.
        return Work(tuple(heapq.merge(sweep, exact, key=lambda part: part.cost)), cache)

    def collect(self, source: Source, settings: Settings, work: Work, cache: Cache) -> AccuracyResult:
        split = source.data.split(cache)
        errors: dict[str, float] = {}
        losses: dict[str, np.ndarray] = {}
        costs: dict[str, tuple[float, float]] = {}
        refused: list[str] = []
        n, d = split.X_train.shape
        drawn = replace(source.data, all_rows=False)  # other methods learn from these rows either way
        for name in settings.baselines:
            reason = BASELINES[name].refusal(n, d, len(split.target_names))
            try:
                if not reason:
                    found = cache.call(baseline_of, drawn, name, settings.gamma)
                    errors[found.title], losses[found.title] = found.error, found.losses
                    seconds = found.seconds_search + found.seconds_fit + found.seconds_predict
                    costs[found.title] = seconds, found.bytes_model
            except RfvizError as error:
                reason = str(error)
            refused += [reason] if reason else []
        candidates, complete = _candidates(source, settings), not work.missing()
        exact = {
            part.args[1]: found for part in work.parts if part.function is exact_of and (found := work.result(part))
        }
        return AccuracyResult(
            split, candidates, settings.loss, runs_of(work), errors, tuple(refused), complete, costs,
            {c.label: exact[c] for c in candidates if c in exact}, losses,
        )  # fmt: skip

    def run(self, source: Source, settings: Settings, cache: Cache) -> AccuracyResult:
        result = super().run(source, settings, cache)
        for reason in result.refused:
            warn(reason, UserWarning)
        return result

    def charts(self, source: Source, settings: Settings, result: AccuracyResult, cache: Cache) -> tuple[Chart, ...]:
        def chart(name: str, axis: str, alt: str, words: str = "", x_range: tuple[float, float] | None = None) -> Chart:
            same = revision(source.data.data, source.data.normalise)
            plot = lambda: plot_accuracy(  # noqa: E731
                result.curves(axis), result.baselines, axis=axis, x_range=x_range, unit=result.unit, revision=same
            )
            return Chart(name, plot, lambda: curves_frame(result.curves(axis), result.baselines), alt, words)

        whole = 9, 1.1 * settings.m_max  # on axes that stand still while points arrive
        return (
            chart("accuracy", "m", text.summary(result), text.explanation(result), whole),
            *(chart(f"accuracy-{axis}", axis, f"Test error against {axis}.") for axis in ("seconds", "bytes")),
            *_epochs_charts(result),
        )

    def script(self, source: Source, settings: Settings) -> str:
        return script_of(source.data, source.grow, settings, _candidates(source, settings), source.data.make())

    def maps(self, source: Source, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        found: list[MapExport] = []
        for candidate in _candidates(source, settings):
            split = inputs_of(source.data, candidate.patches, cache)
            feature_map = candidate.spec.make(n_components=settings.m_max, random_state=0)
            all_rows = None if candidate.patches else all_rows_of(source.data.dataset, *split.scalings)
            labels = split.y_train, split.target_names
            found.append(MapExport(candidate.label, feature_map, split.X_train, all_rows, labels))
        return tuple(found)


def _epochs_charts(result: AccuracyResult) -> tuple[Chart, ...]:
    """Return the chart of the errors by epoch, where some are known."""
    curves = result.curves()
    if not any(curve.epochs for curve in curves):
        return ()
    words = text.about_epochs(curves)
    return (Chart("accuracy-epochs", lambda: plot_epochs(curves), lambda: epochs_frame(curves), text.EPOCHS, words),)


def _candidates(source: Source, settings: Settings) -> tuple[Candidate, ...]:
    return candidates_of(settings, source.data.dataset.image_shape)


def _exact_parts(source: SplitData, candidates: Sequence[Candidate], cache: Cache) -> Iterator[Part]:
    """Yield the exact kernel of each map that is trained by ridge regression."""
    split = source.split(cache)
    n, d = split.X_train.shape
    cost = n * (n / 2 + len(split.X_test)) * (d + _KERNEL_COST) + 3.0 * n**3
    for candidate in candidates:
        if not candidate.loss:
            title = f"{candidate.label}, exact kernel"
            yield Part(title, exact_of, (source, candidate), cost, title)


def exact_of(source: SplitData, candidate: Candidate, *, cache: Cache) -> ExactKernel:
    """Train and test ridge regression with the exact kernel of a map."""
    return run_exact_kernel(inputs_of(source, candidate.patches, cache), candidate.spec, cache.progress)


@durable
def baseline_of(data: SplitData, name: str, gamma: float | str, *, cache: Cache) -> BaselineResult:
    """Train and test another method."""
    split = data.split(cache)
    rows = split.X_train, split.y_train, split.X_test, split.y_test
    return run_baseline(name, *rows, gamma=gamma, progress=cache.progress)


@durable
def table_1_of(data: SplitData, *, cache: Cache) -> MaxoutTable:
    """Compute Table 1 of the maxout paper, draw by draw: those that are done stay when it is stopped."""

    def draw(seed: int) -> MaxoutTable:
        def report(share: float | None, words: str) -> None:
            whole = None if share is None else (seed + share) / _DRAWS
            cache.progress(whole, f"Draw {seed + 1} of {_DRAWS}: {words}")

        return cache.with_progress(report).call(table_1_draw_of, data, seed)

    return join_draws([draw(seed) for seed in range(_DRAWS)])


@durable
def table_1_draw_of(data: SplitData, seed: int, *, cache: Cache) -> MaxoutTable:
    """Compute the cells of one draw of the weights."""
    split = data.split(cache)
    train, test = (split.X_train, split.y_train), (split.X_test, split.y_test)
    return maxout_table(train, test, seeds=(seed,), progress=cache.progress)


PAGE = Accuracy()
