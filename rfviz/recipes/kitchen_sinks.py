"""Figures 1 and 2 of the kitchen sinks paper: is it worth choosing features with care?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rfviz.analysis.accuracy import LOSS, grid_segments
from rfviz.analysis.boosting import check_classes, stump_segments
from rfviz.analysis.kitchen_sinks import LEARNERS, Curve, curves_frame
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import Split
from rfviz.analysis.weight_decay import WeightDecay
from rfviz.errors import DataError, warn
from rfviz.features import registry
from rfviz.figures.kitchen_sinks import plot_error, plot_reach, plot_seconds, plot_weights
from rfviz.lab.controls import one_of
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import SplitData, choose_share
from rfviz.linear_model import default_grid
from rfviz.params import Param
from rfviz.recipes import kitchen_sinks_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.contest import Contest, WeightRuns
from rfviz.recipes.entrants import Entrant
from rfviz.recipes.kitchen_sinks_script import script_of_contest, script_of_weights
from rfviz.recipes.race import Race, finish

__all__ = ["RECIPE", "VIEW", "VIEWS", "Findings", "Settings", "Work"]

VIEWS = {"error": "Error", "seconds": "Seconds", "reach": "Seconds to an error", "weights": "Largest weight"}
VIEW = replace(one_of("view", list(VIEWS), "error", "Show", "", VIEWS), kind="own")
K_MAX = Param("k_max", 1000, "int", 20, 100_000, ui_high=20_000, log=True, label="Largest K",
              help="Random features, at about sixteen numbers up to this one.")  # fmt: skip
STUMPS = Param("stumps", 200, "int", 0, 5000, log=True, marks=(0, 20, 50, 100, 200, 400, 1000, 2000, 5000),
               label="Boosted stumps", help="How many stumps AdaBoost may choose; 0 leaves it out. Each is a search "
               "through every column: some 20 ms on 32,561 rows of 123.")  # fmt: skip
DRAWS = Param("draws", 3, "int", 1, 20, ui_high=10, label="Draws",
              help="Independent draws of the random features; more only adds what is missing.")  # fmt: skip
ALPHA = Param("alpha", "hold-out", "float", 1e-6, 1e8, choices=("hold-out",), ui_low=0.001, ui_high=1e6, log=True,
              label="Penalty", help="Ridge penalty on the unscaled features: by hold-out for each K, or fixed. 1 is "
              "next to nothing, as in the paper.")  # fmt: skip
RUNS = Param("runs", 10, "int", 1, 500, log=True, marks=(1, 5, 10, 20, 30, 50, 100, 200, 500), label="Runs",
             help="Independent draws whose largest weights are compared; more only adds what is missing.")  # fmt: skip
_SETTINGS = {"SigmoidalRidge": ("activation", "scale"), "RandomFourier": ("gamma",)}
_DEFAULTS = {"activation": "tanh", "scale": 0.2}
_LABELS = {"activation": "Sigmoid", "scale": "Sigmoids’ scale", "gamma": "Fourier’s γ"}
_SIGMOIDS = {"erf": "error function", "tanh": "tanh", "logistic": "logistic function"}

_FIGURE_1 = {"view": "error", "normalise": "standardise", "learners": ["DecisionStumps"], "loss": "ridge", "alpha": 1.0,
             "draws": 1}  # fmt: skip
_ADULT = {"data": "adult", "data.max_samples": 50_000, "data.missing": "most frequent"}
_KDD = {"data": "kddcup99", "data.train_rows": 50_000, "data.test_rows": 150_000, "data.target": "attack or normal"}
_ACTIVITY = {"data": "activity", "data.max_samples": 12_000, "data.missing": "impute mean"}
PRESETS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Figure 1, adult": (
        "Random stumps and AdaBoost on 32,561 people, tested on 16,281. Press Start: 20 seconds on two idle cores.",
        {**_FIGURE_1, **_ADULT, "k_max": 2000, "stumps": 400},
    ),
    "Figure 1, KDDCUP99": (
        "50,000 connections to a network, tested on 150,000. Press Start: 40 seconds on two idle cores.",
        {**_FIGURE_1, **_KDD, "k_max": 2000, "stumps": 400},
    ),
    "Figure 1, activity": (
        "Six activities from a telephone’s accelerometer, in place of the paper’s data, which are not public. Missing "
        "values are replaced by the mean of their column.",
        {**_FIGURE_1, **_ACTIVITY, "k_max": 4000, "stumps": 400},
    ),
    "Figure 2": (
        "The largest weight on adult. The paper has 500 runs; these are 30. Press Start; the slider adds more.",
        {"view": "weights", "normalise": "standardise", "learners": ["DecisionStumps"], **_ADULT, "k_max": 2000,
         "runs": 30},
    ),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Settings:
    """Who takes part, and what is shown of it.

    Attributes
    ----------
    view : str
        One of :data:`VIEWS`.
    entrants : list of Entrant
        Families of random features; where weights are shown, the one whose.
    k_max : int
    stumps, draws, runs : int
    loss : str
    alpha : float or "hold-out"
    """

    view: str
    entrants: list[Entrant]
    k_max: int
    stumps: int = 0
    draws: int = 1
    runs: int = 1
    loss: str = "ridge"
    alpha: float | str = "hold-out"

    @property
    def alphas(self) -> float | str:
        """As the analysis calls it."""
        return "auto" if self.alpha == "hold-out" else self.alpha


#: What is computed, part by part.
Work = Contest | WeightRuns


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known of a contest or of runs.

    Attributes
    ----------
    split : Split
    curves : tuple of Curve
    decay : WeightDecay or None
    ended : str
        Why AdaBoost has fewer stumps than were asked for.
    """

    split: Split = field(repr=False)
    curves: tuple[Curve, ...] = ()
    decay: WeightDecay | None = None
    ended: str = ""

    def __bool__(self) -> bool:
        """Whether there is a point to draw."""
        return self.decay is not None or any(len(curve.frame) for curve in self.curves)


class KitchenSinks(Recipe[SplitData, Settings, Findings]):
    """Random features against AdaBoost."""

    slug = "kitchen-sinks"
    presets: ClassVar = PRESETS

    def source(self, panel: Panel) -> SplitData:
        data, normalise = panel.data("breast_cancer"), panel.control(NORMALISATION, "standardise")
        return SplitData(data, normalise, choose_share(panel, data))

    def settings(self, panel: Panel, source: SplitData) -> Settings:
        view = panel.ask(VIEW)
        with panel.section("controls"):
            entrants, k_max = _choose_learners(panel), panel.control(K_MAX)
            if view == "weights":
                runs, labels = panel.control(RUNS), [entrant.label for entrant in entrants]
                if len(labels) > 1:
                    help = "Which family’s largest weight to show."
                    shown = panel.choice("of", labels, labels[0], "Weights of", help)
                    entrants = [entrants[labels.index(shown)]]
                return Settings(view, entrants, k_max, runs=runs)
            stumps, draws, loss = panel.control(STUMPS), panel.control(DRAWS), panel.control(LOSS)
            alpha = panel.control(ALPHA) if loss == "ridge" else "hold-out"
        return Settings(view, entrants, k_max, stumps, draws, loss=loss, alpha=alpha)

    def work(self, source: SplitData, settings: Settings, keeper: Keeper) -> Work | None:
        """What is to be computed; None where no family takes part.

        Raises
        ------
        DataError
            For data without classes.
        """
        split = source.split(keeper)
        check_classes(split)
        if not settings.entrants:
            return None
        if settings.view == "weights":
            grid = tuple(int(k) for k in default_grid(settings.k_max, 12))
            return WeightRuns(split, source.key, settings.entrants[0], grid, settings.runs, keeper)
        steps = tuple((tuple(int(k) for k in grid), 1.0) for grid in grid_segments(settings.k_max, 16))
        entrants, alphas = tuple(settings.entrants), settings.alphas
        race = Race(split, source.key, entrants, settings.draws, steps, alphas, settings.loss, keeper)
        return Contest(race, tuple(map(tuple, stump_segments(settings.stumps))))

    def findings(self, work: Work) -> Findings:
        """What is known of it by now."""
        if isinstance(work, WeightRuns):
            return Findings(work.split, decay=work.result())
        return Findings(work.race.split, tuple(work.curves()), ended=work.ended)

    def run(self, source: SplitData, settings: Settings, keeper: Keeper) -> Findings:
        work = self.work(source, settings, keeper)
        if work is None:
            raise DataError(text.NOBODY)
        stopped, found = finish(work, keeper), self.findings(work)
        if not found:
            raise DataError(stopped)
        if stopped:
            warn(stopped, UserWarning)
        return found

    def charts(self, source: SplitData, settings: Settings, result: Findings) -> tuple[Chart, ...]:
        view, revision = settings.view, str(source.key)
        if result.decay is not None:
            entrant, decay = settings.entrants[0], result.decay
            label = entrant.label
            figure = plot_weights(decay, entrant.scheme, label, revision=revision)
            alt, words = text.weights_summary(decay, label), text.weights_explanation(decay, label)
            return (Chart("sinks-weights", figure, decay.to_frame(), alt, words),)
        curves, revision = result.curves, f"{revision}-{view}"
        if view == "reach":
            figure = plot_reach(curves, revision=revision)
        else:
            draw: Callable = plot_error if view == "error" else plot_seconds
            figure = draw(curves, max(settings.k_max, settings.stumps), revision=revision)
        words = text.explanation(curves, result.split, view, settings.loss)
        frame = curves_frame(curves, view)
        return (Chart(f"sinks-{view}", figure, frame, text.summary(curves, view), words),)

    def script(self, source: SplitData, settings: Settings) -> str:
        if settings.view == "weights":
            asked = settings.entrants[:1], settings.k_max, settings.runs
            return script_of_weights(source, *asked)
        sizes = settings.k_max, settings.stumps, settings.draws
        training = settings.loss, settings.alphas
        return script_of_contest(source, settings.view, settings.entrants, sizes, training)

    def maps(self, source: SplitData, settings: Settings) -> tuple[MapOn, ...]:
        X = source.make().X_train
        more = {"n_components": settings.k_max, "random_state": 0}
        return tuple(MapOn(e.label, registry()[e.scheme](**dict(e.setting), **more), X) for e in settings.entrants)


def _choose_learners(panel: Panel) -> list[Entrant]:
    """Which families of random features take part, and how they are drawn."""
    offered = {name: label for name, label in LEARNERS.items() if name in registry()}
    chosen = panel.several("learners", list(offered), list(offered), "Random features",
                           "Families of random features, each beside AdaBoost.", offered)  # fmt: skip
    entrants = []
    for name in offered:
        if name in chosen:
            params = {p.name: p for p in registry()[name].params}
            setting = {key: _setting(panel, params[key]) for key in _SETTINGS.get(name, ())}
            entrants.append(Entrant(offered[name], name, tuple(setting.items())))
    return entrants


def _setting(panel: Panel, param: Param) -> Any:
    label, default = _LABELS[param.name], _DEFAULTS.get(param.name, param.default)
    if param.kind == "choice":
        return panel.choice(param.name, param.choices, default, label, param.help, _SIGMOIDS)
    return panel.control(Param(**{**vars(param), "label": label, "symbol": ""}), default)


RECIPE = KitchenSinks()
