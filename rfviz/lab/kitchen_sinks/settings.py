"""Controls and presets of the page on kitchen sinks."""

from __future__ import annotations

import dataclasses
from typing import Any

from rfviz.analysis.accuracy import LOSS
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.compute import LEARNERS, PAPERS_LEARNERS
from rfviz.experiments.kitchen_sinks.experiment import ALPHA, DRAWS, K_MAX, OF_ONE_FAMILY, RIVALS, RUNS, STUMPS
from rfviz.experiments.split_data import SplitData
from rfviz.features import (
    FeatureMap,
    MapSpec,
    RandomActivation,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    SigmoidalRidge,
)
from rfviz.lab.controls import one_of
from rfviz.lab.page import Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import KITCHEN_SINKS
from rfviz.params import Param

__all__ = ["PRESETS", "VIEWS", "choose_experiment"]

VIEWS = {
    "error": "Error",
    "seconds": "Seconds",
    "reach": "Time to an error",
    "weights": "Largest weight",
    "constraint": "Weights ≤ C/K",
    "lemmas": "Lemmas 1 and 4",
}
_VIEW = dataclasses.replace(one_of("view", list(VIEWS), "error", "Show", "", VIEWS), kind="own")
# Asked for each family, by name of the parameter: name and label of the control.
_PARAMS: dict[type[FeatureMap], dict[str, tuple[str, str]]] = {
    SigmoidalRidge: {"activation": ("activation", "Sigmoid"), "scale": ("scale", "Sigmoids’ scale")},
    RandomFourier: {"gamma": ("gamma", "Fourier’s γ")},
    RandomActivation: {"function": ("function", "Own function φ(x) of x = ⟨w, x⟩")},
    RandomMaxout: {"pool_size": ("pool_size", "Maxout’s pool size q")},
    RandomBinning: {"gamma": ("RandomBinning.gamma", "Binning’s γ")},
}
_DEFAULTS: dict[str, Any] = {"activation": "tanh", "scale": 0.2}
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
        {
            "view": "weights",
            "normalise": "standardise",
            "learners": ["DecisionStumps"],
            **_ADULT,
            "k_max": 2000,
            "runs": 30,
        },
    ),
}


def choose_experiment(panel: Panel, source: SplitData) -> KitchenSinks:
    """Ask for all settings but the data."""
    view = panel.ask(_VIEW)
    data: dict[str, Any] = {"normalise": source.normalise, "test_share": source.test_share}
    with panel.section("controls", ["learners", K_MAX.name, STUMPS.name, RUNS.name, "of"]):
        families, k_max = _choose_learners(panel), panel.control(K_MAX)
        if view in OF_ONE_FAMILY:
            runs = panel.control(RUNS)
            if len(families) > 1:
                labels = list(families)
                shown = panel.choice("of", labels, labels[0], "Features", "The family that is shown.")
                families = {shown: families[shown]}
            return KitchenSinks(maps=tuple(families.values()), view=view, k_max=k_max, runs=runs, **data)
        stumps, draws, loss = panel.control(STUMPS), panel.control(DRAWS), panel.control(LOSS)
        help = (
            "Matching pursuit chooses among the drawn features of the first family, one after another. The joint fit "
            "learns the functions tanh(w·x + b) as well, by gradients; it is slow."
        )
        rivals = panel.several("rivals", list(RIVALS), [], "Also compare", help, RIVALS)
        alpha = panel.control(ALPHA) if loss == "ridge" else "auto"
    return KitchenSinks(
        maps=tuple(families.values()),
        view=view,
        k_max=k_max,
        stumps=stumps,
        rivals=rivals,
        draws=draws,
        loss=loss,
        alpha=alpha,
        **data,
    )


def _choose_learners(panel: Panel) -> dict[str, MapSpec[FeatureMap]]:
    """Ask for the families of random features and how they are drawn; return them by their names."""
    offered = {cls.__name__: label for cls, label in LEARNERS.items()}
    help = "Families of random features, each compared with AdaBoost."
    usual = [cls.__name__ for cls in PAPERS_LEARNERS]
    # The label says that they are random: without the word the three usual ones stand on one line.
    titles = {name: label.removeprefix("Random ").capitalize() for name, label in offered.items()}
    chosen = panel.several("learners", list(offered), usual, "Random features", help, titles)
    families: dict[str, MapSpec[FeatureMap]] = {}
    for cls, label in LEARNERS.items():
        if cls.__name__ in chosen:
            asked = _PARAMS.get(cls, {})
            values = {name: _choose_param(panel, cls.param(name), *shown) for name, shown in asked.items()}
            families[label] = MapSpec(cls, **values)
    return families


def _choose_param(panel: Panel, param: Param, name: str, label: str) -> Any:
    default = _DEFAULTS.get(param.name, param.default)
    if param.kind == "choice":
        return panel.choice(name, param.choices, default, label, param.help, _SIGMOIDS)
    return panel.control(dataclasses.replace(param, label=label, symbol=""), default, name=name)
