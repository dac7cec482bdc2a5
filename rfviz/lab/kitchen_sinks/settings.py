"""Controls and presets of the page on kitchen sinks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from rfviz.analysis.accuracy import LOSS
from rfviz.experiments.candidate import Candidate
from rfviz.features import FeatureMap, MapSpec, RandomFourier, SigmoidalRidge
from rfviz.lab.controls import one_of
from rfviz.lab.kitchen_sinks.compute import LEARNERS
from rfviz.lab.page import Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import KITCHEN_SINKS
from rfviz.params import Param

__all__ = ["PRESETS", "VIEWS", "Settings", "choose_settings"]

VIEWS = {"error": "Error", "seconds": "Seconds", "reach": "Time to an error", "weights": "Largest weight"}
_VIEW = dataclasses.replace(one_of("view", list(VIEWS), "error", "Show", "", VIEWS), kind="own")
_K_MAX = Param("k_max", 1000, "int", 20, 100_000, ui_high=20_000, log=True, label="Largest K",
               help="Random features, at about sixteen numbers up to this one.")  # fmt: skip
_STUMPS = Param("stumps", 200, "int", 0, 5000, log=True, marks=(0, 20, 50, 100, 200, 400, 1000, 2000, 5000),
                label="Boosted stumps", help="How many stumps AdaBoost may choose; 0 leaves it out. Each is a search "
                "through every column: some 20 ms on 32,561 rows of 123.")  # fmt: skip
_DRAWS = Param("draws", 3, "int", 1, 20, ui_high=10, label="Draws",
               help="Independent draws of the random features. More draws compute only the new ones.")  # fmt: skip
_ALPHA = Param("alpha", "auto", "float", 1e-6, 1e8, choices=("auto",), ui_low=0.001, ui_high=1e6, log=True,
               label="Penalty", help="Ridge penalty on the unscaled features: by leave-one-out errors, for each K, or "
               "fixed. 1 is almost no penalty, as in the paper.")  # fmt: skip
_RUNS = Param("runs", 10, "int", 1, 500, log=True, marks=(1, 5, 10, 20, 30, 50, 100, 200, 500), label="Runs",
              help="Independent draws to compare. More draws compute only the new ones.")  # fmt: skip
_PARAMS: dict[type[FeatureMap], tuple[str, ...]] = {SigmoidalRidge: ("activation", "scale"), RandomFourier: ("gamma",)}
_DEFAULTS: dict[str, Any] = {"activation": "tanh", "scale": 0.2}
_LABELS = {"activation": "Sigmoid", "scale": "Sigmoids’ scale", "gamma": "Fourier’s γ"}
_SIGMOIDS = {"erf": "error function", "tanh": "tanh", "logistic": "logistic function"}

_FIGURE_1 = {"view": "error", "normalise": "standardise", "learners": ["DecisionStumps"], "loss": "ridge", "alpha": 1.0,
             "draws": 1}  # fmt: skip
_ADULT = {"data": "adult", "data.max_samples": 50_000, "data.missing": "most frequent"}
_KDD = {"data": "kddcup99", "data.train_rows": 50_000, "data.test_rows": 150_000, "data.target": "attack or normal"}
_ACTIVITY = {"data": "activity", "data.max_samples": 12_000, "data.missing": "impute mean"}
PRESETS: Presets = {
    "Figure 1, adult": (
        f"{KITCHEN_SINKS}, Figure 1: random stumps and AdaBoost on 32,561 people, tested on 16,281. "
        "Press Start: 20 seconds on two idle cores.",
        {**_FIGURE_1, **_ADULT, "k_max": 2000, "stumps": 400},
    ),
    "Figure 1, KDDCUP99": (
        f"{KITCHEN_SINKS}, Figure 1: 50,000 connections to a network, tested on 150,000. "
        "Press Start: 40 seconds on two idle cores.",
        {**_FIGURE_1, **_KDD, "k_max": 2000, "stumps": 400},
    ),
    "Figure 1, activity": (
        f"{KITCHEN_SINKS}, Figure 1: six activities from a telephone’s accelerometer, in place of the paper’s data, "
        "which are not public. Missing "
        "values are replaced by the mean of their column.",
        {**_FIGURE_1, **_ACTIVITY, "k_max": 4000, "stumps": 400},
    ),
    "Figure 2": (
        f"{KITCHEN_SINKS}, Figure 2: the largest weight on adult, in 30 runs; the paper has 500. Press Start; "
        "the slider adds more.",
        {"view": "weights", "normalise": "standardise", "learners": ["DecisionStumps"], **_ADULT, "k_max": 2000,
         "runs": 30},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """The learners, and what is shown of them.

    Attributes
    ----------
    view : str
        One of :data:`VIEWS`.
    candidates : tuple of Candidate
        Families of random features; where weights are shown, the one that they belong to.
    k_max : int
    stumps, draws, runs : int
    loss : str
    alpha : float or "auto"
    """

    view: str
    candidates: tuple[Candidate, ...]
    k_max: int
    stumps: int = 0
    draws: int = 1
    runs: int = 1
    loss: str = "ridge"
    alpha: float | str = "auto"


def choose_settings(panel: Panel) -> Settings:
    """Ask for all settings but the data."""
    view = panel.ask(_VIEW)
    with panel.section("controls", ["learners", _K_MAX.name, _STUMPS.name, _RUNS.name, "of"]):
        candidates, k_max = _choose_learners(panel), panel.control(_K_MAX)
        if view == "weights":
            runs, labels = panel.control(_RUNS), [candidate.label for candidate in candidates]
            if len(labels) > 1:
                shown = panel.choice("of", labels, labels[0], "Weights of", "The family whose largest weight is shown.")
                candidates = (candidates[labels.index(shown)],)
            return Settings(view, candidates, k_max, runs=runs)
        stumps, draws, loss = panel.control(_STUMPS), panel.control(_DRAWS), panel.control(LOSS)
        alpha = panel.control(_ALPHA) if loss == "ridge" else "auto"
    return Settings(view, candidates, k_max, stumps, draws, loss=loss, alpha=alpha)


def _choose_learners(panel: Panel) -> tuple[Candidate, ...]:
    """Ask for the families of random features and how they are drawn."""
    offered = {cls.__name__: label for cls, label in LEARNERS.items()}
    help = "Families of random features, each compared with AdaBoost."
    chosen = panel.several("learners", list(offered), list(offered), "Random features", help, offered)
    candidates = []
    for cls, label in LEARNERS.items():
        if cls.__name__ in chosen:
            params = {param.name: param for param in cls.params}
            values = {name: _choose_param(panel, params[name]) for name in _PARAMS.get(cls, ())}
            candidates.append(Candidate(label, MapSpec(cls, **values)))
    return tuple(candidates)


def _choose_param(panel: Panel, param: Param) -> Any:
    label, default = _LABELS[param.name], _DEFAULTS.get(param.name, param.default)
    if param.kind == "choice":
        return panel.choice(param.name, param.choices, default, label, param.help, _SIGMOIDS)
    return panel.control(dataclasses.replace(param, label=label, symbol=""), default)
