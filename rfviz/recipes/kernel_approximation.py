"""Figure 3 of the compositional kernels paper: how well do m random features estimate the kernel?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rfviz import datasets
from rfviz.analysis.kernel_error import KernelErrorResult, error_grid, kernel_errors, prepare_sample
from rfviz.analysis.kernel_statistics import METRICS
from rfviz.analysis.points import NORMALISATION
from rfviz.datasets import DEFAULT_COLOUR_IMAGES
from rfviz.datasets.downloads import cifar10
from rfviz.errors import ParameterError, RfvizError
from rfviz.features import map_class, registry
from rfviz.figures.kernel_bias import plot_kernel_spread
from rfviz.figures.kernel_error import plot_kernel_density, plot_kernel_errors
from rfviz.figures.template import map_styles
from rfviz.lab import script
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param
from rfviz.recipes import kernel_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.entrants import Entrant
from rfviz.recipes.kernel_entrants import RARER_SETTINGS, choose_entrants, choose_settings
from rfviz.recipes.pool_text import POOL_PRESET, pool_story

__all__ = ["RECIPE", "Outcome", "Settings", "Source", "cloud_charts", "colours", "race_chart", "spread_chart"]

M_MAX = Param("m_max", 2000, "int", 20, 100_000, ui_high=20_000, log=True, symbol="m", label="Largest",
              help="The curves have about twenty numbers of features up to this one.")  # fmt: skip
DRAWS = Param("draws", 8, "int", 1, 200, log=True, marks=(1, 2, 3, 4, 5, 8, 10, 20, 50, 100, 200), label="Draws",
              help="Independent draws of each map: more make the bands sure, and a bias visible.")  # fmt: skip
POINTS = Param("points", 128, "int", 3, 2000, log=True, marks=(16, 32, 64, 128, 256, 512, 1024), symbol="N",
               label="Points compared", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
FEATURES = Param("m", 160, "int", 1, log=True, symbol="m", label="Features",
                 help="The number of features whose estimates the clouds show.")  # fmt: skip
ODD = Param("odd", False, "bool", label="Odd m",
            help="Odd numbers leave a cosine of the paired Fourier features without its sine: a bias.")  # fmt: skip
RELATIVE = Param("relative", True, "bool", label="Relative to k(x, x)",
                 help="Divide errors by the kernel’s mean k(x, x), to compare kernels of different size.")  # fmt: skip
_SPREAD = ["map", "m", "spread", "bias²", "bias² by chance"]
FIGURE_3 = "The setting of the paper: 128 colour images of 24×24 pixels, ten draws"
BIASED = {"data": "sphere", "data.n_samples": 500, "data.dimension": 3, "points": 128, "draws": 20, "m_max": 500,
          "schemes": ["RandomFourier"], "gamma": 0.1, "paired": True, "odd": True, "normalise": "unit norm",
          "metric": "rmse", "m": 11}  # fmt: skip
BETTER = {"data": "digits", "normalise": "unit norm", "points": 128, "draws": 10, "m_max": 1000, "m": 112, "odd": False,
          "schemes": ["RandomFourier"], "draw": ["iid", "orthogonal", "structured", "qmc"], "spectrum": "gaussian",
          "gamma": 1.0, "paired": True, "metric": "rmse"}  # fmt: skip


def figure_3(skeleton: str) -> dict[str, Any]:
    """The setting of Figure 3 of the paper: CIFAR-10 where the data folder has it, else what needs no download."""
    found = cifar10.in_folder() is not None
    data = {"data": "cifar10", "data.side": "24"} if found else {"data": DEFAULT_COLOUR_IMAGES}
    return data | {
        "normalise": "none", "points": 128, "draws": 10, "m_max": 10_000, "m": 1128, "odd": False, "metric": "rmse",
        "schemes": ["CompositionalFeatures", "HybridCompositional"], "skeleton": skeleton, "turn": 0.5,
        "deduplicate": True, "both": True, "paired": False,
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Source(ScaledData):
    """The data, how their rows are scaled, and how many of them are compared."""

    n_points: int

    @property
    def key(self) -> tuple:
        """Hashable, to keep results by."""
        return *super().key, self.n_points


@dataclass(frozen=True, eq=False)
class Settings:
    """The maps that race, and how.

    Attributes
    ----------
    entrants : list of Entrant
    grid : ndarray of int
        Numbers of features.
    m : int
        The one of them whose estimates the clouds show.
    draws : int
    metric : str
    relative : bool
        Whether errors are divided by the kernel's mean k(x, x).
    m_max : int
    odd : bool
        What the grid was made of.
    """

    entrants: list[Entrant]
    grid: np.ndarray
    m: int
    draws: int
    metric: str
    relative: bool
    m_max: int
    odd: bool

    @property
    def place(self) -> int:
        """Of m in the grid."""
        return self.grid.tolist().index(self.m)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The results of the maps that could be computed, and by its label why another could not."""

    results: list[KernelErrorResult]
    failures: Mapping[str, str]


class KernelApproximation(Recipe[Source, Settings, Outcome]):
    """Kernel estimates against the exact kernel, for every number of features."""

    slug = "kernel-approximation"

    @property
    def presets(self) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
        """Asked for anew by every visit: a data folder may have come, and CIFAR-10 with it."""
        return {
            "Figure 3, shallow": (f"{FIGURE_3}, all pixels under one node.", figure_3("flat")),
            "Figure 3, deep": (f"{FIGURE_3}, two convolutions.", figure_3("deep")),
            "Better draws": ("Four ways to draw the frequencies of Fourier features, at the same cost or less.",
                             BETTER),
            "Shared pool": ("Maxout features over 400 projections that they share, beside independent ones.",
                            POOL_PRESET),
            "A biased map": ("Odd numbers of paired Fourier features, and a wide kernel: a bias that draws show.",
                             BIASED),
        }  # fmt: skip

    def source(self, panel: Panel) -> Source:
        return Source(panel.data("digits"), panel.control(NORMALISATION), panel.control(POINTS))

    def settings(self, panel: Panel, source: Source) -> Settings:
        schemes = registry()
        chosen = panel.several("schemes", list(schemes), ["RandomFourier", "RandomMaxout"], "Maps", "Which maps race.",
                               {name: cls.label for name, cls in schemes.items()})  # fmt: skip
        with panel.section("controls"):
            m_max, odd = panel.control(M_MAX), panel.foresee(ODD)
            grid = error_grid(m_max, odd)
            middle = int(grid[min(range(len(grid)), key=lambda i: abs(grid[i] - 160))])
            budget = replace(FEATURES, default=middle, high=int(grid[-1]), marks=tuple(grid.tolist()))
            m, draws = panel.control(budget), panel.control(DRAWS)
            maps = choose_settings(panel, [name for name in schemes if name in chosen])
            metric = panel.choice("metric", list(METRICS), "rmse", "Measure", "What the first chart shows.", METRICS)
            with panel.section("more", [*RARER_SETTINGS, RELATIVE.name, ODD.name]):
                entrants = choose_entrants(panel, maps, source.data.dataset.image_shape)
                relative, odd = panel.control(RELATIVE), panel.control(ODD)
        return Settings(entrants, grid, m, draws, metric, relative, m_max, odd)

    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Outcome:
        dataset = source.data.dataset
        sample = keeper.kept(
            "kernel sample", source.key, lambda: prepare_sample(dataset, source.normalise, source.n_points), most=8
        )
        results, failures = [], {}
        for entrant in settings.entrants:
            key = (source.key, entrant, tuple(settings.grid.tolist()), settings.draws)
            asked = (sample, entrant.scheme, dict(entrant.setting), settings.grid, settings.draws, entrant.label)
            try:
                results.append(keeper.watched("kernel errors", key, lambda p, asked=asked: kernel_errors(*asked, p)))
            except RfvizError as error:
                failures[entrant.label] = str(error)
        return Outcome(results, failures)

    def charts(self, source: Source, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        """See :meth:`rfviz.recipes.base.Recipe.charts`.

        Raises
        ------
        ParameterError
            If none of the maps could be computed.
        """
        if not result.results:
            names = [entrant.scheme for entrant in settings.entrants]
            why = " ".join(f"{label}: {reason}" for label, reason in result.failures.items())
            raise ParameterError("schemes", "must hold a map that can be computed", names, why or "Choose one.")
        asked = (source, settings, result.results)
        spread = [spread_chart(*asked)] if settings.draws > 1 else []  # one draw has none
        return (race_chart(*asked), *cloud_charts(*asked), *spread)

    def script(self, source: Source, settings: Settings) -> str:
        maps = [(entrant.label, entrant.scheme, dict(entrant.setting)) for entrant in settings.entrants]
        spread = f"""
frames["kernel-spread"] = frames["kernel-error"][{_SPREAD!r}]
figures["kernel-spread"] = plot_kernel_spread(results, at=m, relative={settings.relative})
"""
        body = f"""
{script.load_data(source.data)}
sample = prepare_sample(dataset, {source.normalise!r}, n_points={source.n_points})
grid = error_grid({settings.m_max}, odd={settings.odd})

maps = {script.python(maps, 7)}
results = []
for label, scheme, setting in maps:
    try:
        results.append(kernel_errors(sample, scheme, setting, grid, n_draws={settings.draws}, label=label))
    except RfvizError as error:
        print(f"{{label}}: {{error}}")

m = {settings.m}
place = grid.tolist().index(m)
frames = {{"kernel-error": pd.concat([result.to_frame() for result in results], ignore_index=True)}}
figures = {{"kernel-error": plot_kernel_errors(results, {settings.metric!r}, at=m, relative={settings.relative})}}
for number, style in enumerate(map_styles(map_class(result.scheme) for result in results)):
    frames[f"cloud-{{number}}"] = results[number].cloud_frame(place)
    figures[f"cloud-{{number}}"] = plot_kernel_density(results[number], place, colour=style.colour)
{spread if settings.draws > 1 else ""}
print(frames["kernel-error"])

for figure in figures.values():
    figure.show()
"""
        uses = [pd, datasets, prepare_sample, error_grid, kernel_errors, RfvizError, map_class, map_styles,
                plot_kernel_errors, plot_kernel_density]  # fmt: skip
        uses += [plot_kernel_spread] if settings.draws > 1 else []
        return script.write("How many random features does it take to know the kernel?", body, uses)

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        X = prepare_sample(source.data.dataset, source.normalise, source.n_points).original
        found = []
        for entrant in settings.entrants:
            setting = dict(entrant.setting) | {"n_components": settings.m, "random_state": 0}
            found.append(MapOn(entrant.label, registry()[entrant.scheme](**setting), X))
        return tuple(found)


def colours(results: Sequence[KernelErrorResult]) -> list[str]:
    """The colours that the maps have in the race."""
    return [style.colour for style in map_styles(map_class(result.scheme) for result in results)]


def race_chart(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> Chart:
    """The chosen measure of error of all maps."""
    metric, relative = settings.metric, settings.relative
    revision = f"{source.key}-{metric}-{relative}"
    figure = plot_kernel_errors(results, metric, at=settings.m, relative=relative, revision=revision)
    words = text.explanation(results, settings.place) + pool_story(results, settings.entrants)
    frame = pd.concat([result.to_frame() for result in results], ignore_index=True)
    return Chart("kernel-error", figure, frame, text.summary(results, metric), words)


def cloud_charts(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> Iterator[Chart]:
    """Estimate against kernel of every map, each on axes of its own."""
    place = settings.place
    for number, (colour, result) in enumerate(zip(colours(results), results, strict=True)):
        figure = plot_kernel_density(result, place, colour=colour, revision=f"{source.key}-{result.label}")
        rmse = result.errors.average("rmse")[place]
        alt = f"Estimated against exact kernel of {result.n_pairs} pairs by {result.label}: RMSE {rmse:.3g}."
        yield Chart(f"cloud-{number}", figure, result.cloud_frame(place), alt)


def spread_chart(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> Chart:
    """Spread over the draws beside the bias, for every number of features."""
    revision = f"{source.key}-{settings.relative}"
    figure = plot_kernel_spread(results, at=settings.m, relative=settings.relative, revision=revision)
    frame = pd.concat([result.to_frame()[_SPREAD] for result in results], ignore_index=True)
    return Chart("kernel-spread", figure, frame, "Spread over draws and bias against the number of features.")


RECIPE = KernelApproximation()
