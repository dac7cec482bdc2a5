"""Accuracy against the number of features: the chart that a lecture on random features is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rfviz.analysis.accuracy import LOSS, grid_segments
from rfviz.analysis.architectures import with_patches
from rfviz.analysis.baselines import BASELINES, run_baseline
from rfviz.analysis.points import NORMALISATION
from rfviz.errors import DataError, RfvizError, warn
from rfviz.features import registry
from rfviz.figures.accuracy import plot_accuracy, runners_frame
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import SplitData, choose_share
from rfviz.params import Param
from rfviz.recipes import accuracy_text as text
from rfviz.recipes.accuracy_entrants import (
    RARER_SETTINGS,
    EntrantSettings,
    choose_maps,
    choose_rarer_settings,
    choose_settings,
    line_up,
    presets,
)
from rfviz.recipes.accuracy_script import script_of
from rfviz.recipes.base import Bench, Chart, Keeper, MapOn, Recipe
from rfviz.recipes.race import Race, finish

__all__ = ["RECIPE", "Outcome", "Settings", "Source", "accuracy_chart", "resource_chart"]

M_MAX = Param("m_max", 1000, "int", 20, 100_000, log=True, symbol="m", label="Largest",
              help="The curve has about twenty numbers of features up to this one.")  # fmt: skip
SEEDS = Param("seeds", 3, "int", 1, 20, ui_high=10, label="Draws",
              help="Independent draws of each map; more only adds what is missing.")  # fmt: skip
ALPHA = Param("alpha", "hold-out", "float", 1e-6, 1e8, choices=("hold-out",), ui_low=0.001, ui_high=1e6, log=True,
              symbol=r"\alpha", label="Penalty",
              help="Ridge penalty on the unscaled features: by hold-out for each m, or fixed.")  # fmt: skip
GROW = Param("grow", "features", "choice", choices=("features", "rows"), label="What grows",
             help="Points arrive from few features to many, or curves from few training rows to all.")  # fmt: skip
_SHARES = (1 / 16, 1 / 4, 1.0)


@dataclass(frozen=True, eq=False)
class Source(SplitData):
    """The data, how their rows are scaled, the share of them to test on, and whether features grow or rows."""

    grow: str


@dataclass(frozen=True, eq=False)
class Settings:
    """Who races.

    Attributes
    ----------
    chosen : list of str
        Class names of maps.
    references : list of str
        Keys of :data:`rfviz.analysis.baselines.BASELINES`.
    maps : EntrantSettings
    m_max, seeds : int
    loss : str
    alpha : float or "hold-out"
    """

    chosen: list[str]
    references: list[str]
    maps: EntrantSettings
    m_max: int
    seeds: int
    loss: str
    alpha: float | str

    @property
    def alphas(self) -> float | str:
        """As the analysis calls it."""
        return "auto" if self.alpha == "hold-out" else self.alpha


@dataclass(frozen=True, eq=False)
class Outcome:
    """A race as far as it has come, and the errors of the methods beside it, in the unit of the chart."""

    race: Race
    lines: Mapping[str, float]

    def kept(self) -> Outcome:
        """The same with the parts that are known now, whatever is forgotten later."""
        return Outcome(self.race.snapshot(), self.lines)


class Accuracy(Recipe[Source, Settings, Outcome]):
    """A race of feature maps under one linear model, beside other methods."""

    slug = "accuracy"

    @property
    def presets(self) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
        """Asked for anew by every visit: a data folder may have come, and MNIST with it."""
        return presets()

    def source(self, panel: Panel) -> Source:
        data, normalise = panel.data("digits"), panel.control(NORMALISATION, "none")
        return Source(data, normalise, choose_share(panel, data), panel.control(GROW))

    def settings(self, panel: Panel, source: Source) -> Settings:
        with panel.section("controls"):
            chosen = choose_maps(panel)
            titles = {name: baseline.title for name, baseline in BASELINES.items()}
            references = panel.several("references", list(BASELINES), ["linear_ridge", "rbf_svm"], "Beside them",
                                       "Other methods, as horizontal lines.", titles)  # fmt: skip
            m_max, seeds = panel.control(M_MAX), panel.control(SEEDS)
            maps = choose_settings(panel, chosen, references)
            with panel.section("more", [*RARER_SETTINGS, LOSS.name, ALPHA.name]):
                maps = choose_rarer_settings(panel, chosen, source.data.dataset.image_shape, maps)
                loss = panel.control(LOSS)
                alpha = panel.control(ALPHA) if loss == "ridge" else "hold-out"
        return Settings(chosen, references, maps, m_max, seeds, loss, alpha)

    def race(self, source: Source, settings: Settings, keeper: Keeper) -> Race:
        """All parts that are to be computed; none is yet.

        Raises
        ------
        DataError, ParameterError
            For data without labels, or an architecture that they do not fit.
        """
        split = source.split(keeper)
        entrants = line_up(settings.chosen, settings.maps, source.data.dataset.image_shape)
        segments = [tuple(int(m) for m in grid) for grid in grid_segments(settings.m_max)]
        whole = tuple(m for grid in segments for m in grid)
        steps = tuple((grid, 1.0) for grid in segments)
        if source.grow == "rows":
            steps = tuple((whole, share) for share in _SHARES)
        return Race(split, source.key, entrants, settings.seeds, steps, settings.alphas, settings.loss, keeper)

    def references(self, race: Race, settings: Settings, keeper: Keeper) -> tuple[dict[str, float], list[str]]:
        """Errors of the other methods in the unit of the chart, and why those that are hopeless were refused."""
        lines, refused, split = {}, [], race.split
        rows = (split.X_train, split.y_train, split.X_test, split.y_test)
        scale, gamma = race.scale, settings.maps.gamma
        for name in settings.references:
            reason = BASELINES[name].refusal(len(split.X_train), split.X_train.shape[1], len(split.target_names))
            if reason:
                refused.append(reason)
                continue
            try:
                compute = lambda p, name=name: run_baseline(name, *rows, gamma=gamma, progress=p)  # noqa: E731
                result = keeper.watched("baseline", (race.split_key, name, gamma), compute, 64)
                lines[result.title] = scale * result.error
            except RfvizError as error:
                refused.append(str(error))
        return lines, refused

    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Outcome:
        race = self.race(source, settings, keeper)
        if not race.entrants:
            raise DataError(text.NOBODY)
        stopped = finish(race, keeper)
        lines, refused = self.references(race, settings, keeper)
        if not race.has_points:
            raise DataError(stopped)
        for words in filter(None, [stopped, *refused]):
            warn(words, UserWarning)
        return Outcome(race, lines)

    def charts(self, source: Source, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        return accuracy_chart(result), *(resource_chart(result, axis) for axis in ("seconds", "bytes"))

    def script(self, source: Source, settings: Settings) -> str:
        race = self.race(source, settings, Bench())
        return script_of(source, source.grow, race, settings.m_max, settings.references, settings.maps.gamma)

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        found, race = [], self.race(source, settings, Bench())
        for entrant in race.entrants:
            setting = dict(entrant.setting) | {"n_components": settings.m_max, "random_state": 0}
            split = with_patches(race.split, *entrant.patches) if entrant.patches else race.split
            found.append(MapOn(entrant.label, registry()[entrant.scheme](**setting), split.X_train))
        return tuple(found)


def accuracy_chart(result: Outcome) -> Chart:
    """Error against m, on axes that stand still while points arrive."""
    race, runners = result.race, result.race.runners("m")
    last = max(max(grid) for grid, _ in race.steps)
    figure = plot_accuracy(runners, result.lines, x_range=(9, 1.1 * last), unit=race.unit, revision=str(race.split_key))
    words = text.explanation(race, result.lines) + text.stories(race)
    return Chart("accuracy", figure, runners_frame(runners, result.lines), text.summary(race), words)


def resource_chart(result: Outcome, axis: str) -> Chart:
    """Error against seconds, or against bytes."""
    race, runners = result.race, result.race.runners(axis)
    figure = plot_accuracy(runners, result.lines, axis=axis, unit=race.unit, revision=str(race.split_key[0]))
    frame = runners_frame(runners, result.lines)
    return Chart(f"accuracy-{axis}", figure, frame, f"Test error against {axis}.")


RECIPE = Accuracy()
