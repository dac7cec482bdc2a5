"""Figure 3 of the compositional kernels paper: how well m random features estimate the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rfviz import datasets
from rfviz.analysis.kernel_sample import KernelSample, error_grid, other_rows, prepare_sample
from rfviz.analysis.points import Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.datasets import DEFAULT_COLOUR_IMAGES, file_of_download, files
from rfviz.errors import ParameterError, RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.work import Part, Work
from rfviz.features import FeatureMap, MapSpec
from rfviz.figures.template import map_styles
from rfviz.lab import script
from rfviz.lab.animation import Animation, AnimationSpec, animate
from rfviz.lab.kernel_approximation import animation, text
from rfviz.lab.kernel_approximation.all_rows import DRAWS_AT_ONCE, RowErrors, join_draws, row_errors
from rfviz.lab.kernel_approximation.compute import KernelErrorResult, kernel_errors, pair_estimates
from rfviz.lab.kernel_approximation.figures import plot_kernel_density, plot_kernel_errors, plot_kernel_spread
from rfviz.lab.kernel_approximation.settings import Settings, Source, choose_settings, choose_source
from rfviz.lab.page import MapExport, Presets, WorkPage, revision
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS
from rfviz.words import counted, number

__all__ = ["PAGE", "KernelApproximation", "NothingComputedError", "Result", "figure_3"]

# What comparing one estimate takes, in multiply-adds.
_MEASURES = 30
FIGURE_3 = f"{COMPOSITIONAL_KERNELS}, Figure 3: 128 colour images of 24×24 pixels, ten draws"
BIASED = {"data": "sphere", "data.n_samples": 500, "data.dimension": 3, "points": 128, "draws": 20, "m_max": 500,
          "maps": ["RandomFourier"], "gamma": 0.1, "paired": True, "odd": True, "normalise": "unit norm",
          "metric": "rmse", "m": 11}  # fmt: skip
BETTER = {"data": "digits", "normalise": "unit norm", "points": 128, "draws": 10, "m_max": 1000, "m": 112, "odd": False,
          "maps": ["RandomFourier"], "draw": ["iid", "orthogonal", "structured", "qmc"], "spectrum": "gaussian",
          "gamma": 1.0, "paired": True, "metric": "rmse"}  # fmt: skip
SHARED_POOL = {"data": "digits", "points": 128, "normalise": "unit norm", "metric": "rmse", "relative": True,
               "maps": ["RandomMaxout", "SharedPoolMaxout"], "pool_size": 4, "pools": [], "n_projections": 400,
               "m_max": 2000, "m": 94, "draws": 20, "odd": False}  # fmt: skip


def figure_3(skeleton: str) -> dict[str, Any]:
    """Return the setting of Figure 3 of the paper: CIFAR-10 where the data folder has it, else bundled photographs."""
    found = file_of_download("cifar10") is not None
    data = {"data": "cifar10", "data.side": "24"} if found else {"data": DEFAULT_COLOUR_IMAGES}
    return data | {
        "normalise": "none", "points": 128, "draws": 10, "m_max": 10_000, "m": 1128, "odd": False, "metric": "rmse",
        "maps": ["CompositionalFeatures", "HybridCompositional"], "skeleton": skeleton, "turn": 0.5,
        "deduplicate": True, "both": True, "paired": False,
    }  # fmt: skip


class NothingComputedError(ParameterError):
    """None of the maps could be computed.

    Attributes
    ----------
    failures : mapping of str to str
        By the label of each map: why not.
    """

    def __init__(self, labels: Sequence[str], failures: Mapping[str, str]) -> None:
        why = " ".join(f"{label}: {reason}" for label, reason in failures.items())
        super().__init__("maps", "must hold a map that can be computed", list(labels), why or "Choose one.")
        self.failures = failures


@dataclass(frozen=True, eq=False)
class Result:
    """The results of the maps that could be computed, and by its label why another could not."""

    maps: tuple[KernelErrorResult, ...]
    failures: Mapping[str, str]


class KernelApproximation(WorkPage[Source, Settings, Result]):
    """Kernel estimates against the exact kernel, for every number of features; of all rows of a file in parts."""

    slug = "kernel-approximation"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 3, shallow": (f"{FIGURE_3}, all pixels under one node.", figure_3("flat")),
            "Figure 3, deep": (f"{FIGURE_3}, two convolutions.", figure_3("deep")),
            "Better draws": ("Four ways to draw the frequencies of Fourier features, at the same cost or less.",
                             BETTER),
            "Shared pool": ("Maxout features over 400 shared projections, compared with independent ones.",
                            SHARED_POOL),
            "A biased map": ("Odd numbers of paired Fourier features, and a wide kernel: a bias that draws show.",
                             BIASED),
        }  # fmt: skip

    def source(self, panel: Panel) -> Source:
        return choose_source(panel)

    def settings(self, panel: Panel, source: Source) -> Settings:
        return choose_settings(panel, source.dataset.image_shape)

    def has_parts(self, source: Source) -> bool:
        return source.all_rows

    def work(self, source: Source, settings: Settings, cache: Cache) -> Work:
        return Work(tuple(_all_rows_parts(source, settings)) if source.all_rows else (), cache)

    def collect(self, source: Source, settings: Settings, work: Work, cache: Cache) -> Result:
        points = source.points_alone
        cache.call(sample_of, points)  # data that cannot be used are no fault of a map
        results, failures = [], {}
        for candidate in settings.candidates:
            asked = points, candidate, settings.m_max, settings.odd, settings.draws
            try:
                found = cache.call(errors_of, *asked)
            except RfvizError as error:
                failures[candidate.label] = str(error)
                continue
            passes = work.results(candidate.label)
            results.append(replace(found, all_rows=join_draws(passes)) if passes else found)
        if not results:
            raise NothingComputedError([candidate.label for candidate in settings.candidates], failures)
        return Result(tuple(results), failures)

    def failures(self, result: Result) -> Mapping[str, str]:
        return result.failures

    def charts(self, source: Source, settings: Settings, result: Result, cache: Cache) -> tuple[Chart, ...]:
        spread = [_spread_chart(source, settings, result)] if settings.draws > 1 else []  # one draw has none
        return (*_moving_charts(source, settings, result.maps), *spread)

    def animations(self, source: Source, settings: Settings, result: Result, panel: Panel) -> list[AnimationSpec]:
        def draw(settings: Settings, maps: Sequence[KernelErrorResult]) -> dict[str, go.Figure]:
            return {chart.name: chart.figure for chart in _moving_charts(source, settings, maps)}

        def over_m(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            return animation.over_m(settings, result.maps, draw, options)

        def over_pools(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            def run(value: int) -> tuple[Settings, Sequence[KernelErrorResult]]:
                asked = self.settings(panel.vary("pool_size", value), source)
                return asked, self.run(source.points_alone, asked, cache).maps

            return animation.over_pools(run, draw, pooled[0], options, now, cache, seconds)

        found = [animate(panel, "m", "m", source, over_m)]
        pooled = [place for place, candidate in enumerate(settings.candidates) if candidate.spec.get("pool_size")]
        if pooled and not result.failures:
            found.append(animate(panel, "q", "pool_size", source, over_pools))
        return found

    def script(self, source: Source, settings: Settings) -> str:
        maps = {candidate.label: candidate.spec for candidate in settings.candidates}
        spread = f"""
frames["kernel-spread"] = pd.concat([r.spread_frame({settings.relative}) for r in results], ignore_index=True)
figures["kernel-spread"] = plot_kernel_spread(results, at=m, relative={settings.relative})
"""
        found = f"kernel_errors(sample, spec, grid, n_draws={settings.draws}, label=label)"
        rows, both = "", f"results.append({found})"
        if source.all_rows:
            rows = f"others = other_rows(dataset, sample, {source.normalise!r})\n"
            both = f"""result = {found}
        errors = row_errors(sample, others, spec, grid, range({settings.draws}))
        results.append(replace(result, all_rows=errors))"""
        body = f"""
{script.load_data(source.data)}
sample = prepare_sample(dataset, {source.normalise!r}, n_points={source.n_points})
{rows}grid = error_grid({settings.m_max}, odd={settings.odd})

maps = {script.python(maps)}
results = []
for label, spec in maps.items():
    try:
        {both}
    except RfvizError as error:
        print(f"{{label}}: {{error}}")

m = {settings.m}
place = grid.tolist().index(m)
frames = {{"kernel-error": pd.concat([r.to_frame({settings.relative}) for r in results], ignore_index=True)}}
figures = {{"kernel-error": plot_kernel_errors(results, {settings.metric!r}, at=m, relative={settings.relative})}}
for number, style in enumerate(map_styles(result.spec.cls for result in results)):
    frames[f"cloud-{{number}}"] = results[number].cloud_frame(place)
    figures[f"cloud-{{number}}"] = plot_kernel_density(results[number], place, colour=style.colour)
{spread if settings.draws > 1 else ""}
print(frames["kernel-error"].to_string())

for figure in figures.values():
    figure.show()
"""
        uses = [pd, datasets, prepare_sample, error_grid, kernel_errors, RfvizError, MapSpec, map_styles,
                plot_kernel_errors, plot_kernel_density, *(spec.cls for spec in maps.values())]  # fmt: skip
        uses += [plot_kernel_spread] if settings.draws > 1 else []
        uses += [other_rows, replace, row_errors] if source.all_rows else []
        return script.write("How many random features does it take to know the kernel?", body, uses)

    def maps(self, source: Source, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        sample = cache.call(sample_of, source.points_alone)
        all_rows = all_rows_of(source.dataset, Scaling(source.dataset.X[sample.rows], source.normalise))
        X, labels = sample.original, source.dataset.labels(sample.rows)
        made = [(one.label, one.spec.make(n_components=settings.m, random_state=0)) for one in settings.candidates]
        return tuple(MapExport(label, feature_map, X, all_rows, labels) for label, feature_map in made)


def sample_of(source: Source, *, cache: Cache) -> KernelSample:
    """Choose the points."""
    return prepare_sample(source.dataset, source.normalise, source.n_points)


def errors_of(
    source: Source, candidate: Candidate, m_max: int, odd: bool, draws: int, *, cache: Cache
) -> KernelErrorResult:
    """Measure the errors of one map, so that what changes another costs nothing here."""
    sample, grid = cache.call(sample_of, source), error_grid(m_max, odd)
    return kernel_errors(sample, candidate.spec, grid, draws, candidate.label, cache.progress)


def row_errors_of(
    source: Source, candidate: Candidate, m_max: int, odd: bool, first: int, stop: int, *, cache: Cache
) -> RowErrors:
    """Measure the errors of some draws of one map over all rows."""
    sample = cache.call(sample_of, source.points_alone)
    others = other_rows(source.dataset, sample, source.normalise)
    return row_errors(sample, others, candidate.spec, error_grid(m_max, odd), range(first, stop), cache.progress)


def pair_estimates_of(
    source: Source, spec: MapSpec[FeatureMap], m: int, rows: tuple[int, int] | None, *, cache: Cache
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the kernel of all pairs, or of one, by the map that can be exported."""
    return pair_estimates(cache.call(sample_of, source), spec, m, rows)


def _all_rows_parts(source: Source, settings: Settings) -> Iterator[Part]:
    """Yield the passes over all rows: some draws of each map, and then the next ones."""
    rows, d = files.AllRows(source.dataset).n_rows, source.dataset.n_features
    for first in range(0, settings.draws, DRAWS_AT_ONCE):
        stop = min(first + DRAWS_AT_ONCE, settings.draws)
        for candidate in settings.candidates:
            args = source, candidate, settings.m_max, settings.odd, first, stop
            features = d * candidate.products(settings.m_max)
            measures = source.n_points * (settings.m_max + _MEASURES * len(settings.grid))
            title = f"{candidate.label}, draws {first + 1} to {stop}"
            yield Part(candidate.label, row_errors_of, args, (stop - first) * rows * (features + measures), title)


def _moving_charts(source: Source, settings: Settings, maps: Sequence[KernelErrorResult]) -> Iterator[Chart]:
    """Yield the charts that m moves: the measure of all maps, and the estimates of each on axes of its own."""
    place, metric = settings.place, settings.metric
    plot = partial(
        plot_kernel_errors, maps, metric, at=settings.m, relative=settings.relative,
        revision=revision(source, metric, settings.relative),
    )  # fmt: skip
    words = text.explanation(maps, place, metric, settings.relative)
    if metric == "rmse":  # whose exact curves are drawn
        words += text.pool_story(maps, settings.relative)
    words += text.all_rows(maps, place, settings.relative)
    table, alt = partial(_table, maps, settings.relative), text.summary(maps, metric, settings.relative)
    yield Chart("kernel-error", plot, table, alt, words)
    for index, (style, found) in enumerate(zip(map_styles(found.spec.cls for found in maps), maps, strict=True)):
        plot = partial(plot_kernel_density, found, place, colour=style.colour, revision=revision(source, found.label))
        rmse = found.errors.average("rmse")[place]
        pairs = counted(found.n_pairs, "pair")
        alt = f"Estimated against exact kernel of {pairs} by {found.label}: RMSE {number(rmse)}."
        yield Chart(f"cloud-{index}", plot, partial(found.cloud_frame, place), alt)


def _spread_chart(source: Source, settings: Settings, result: Result) -> Chart:
    plot = partial(
        plot_kernel_spread, result.maps, at=settings.m, relative=settings.relative,
        revision=revision(source, settings.relative),
    )  # fmt: skip
    alt = "Spread over draws and bias against the number of features."

    def table() -> pd.DataFrame:
        return pd.concat([found.spread_frame(settings.relative) for found in result.maps], ignore_index=True)

    return Chart("kernel-spread", plot, table, alt)


def _table(maps: Sequence[KernelErrorResult], relative: bool) -> pd.DataFrame:
    return pd.concat([found.to_frame(relative) for found in maps], ignore_index=True)


PAGE = KernelApproximation()
