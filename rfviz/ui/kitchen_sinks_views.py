"""The parts of the page on kitchen sinks against AdaBoost: presets, controls, charts and tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.accuracy import grid_segments
from rfviz.analysis.kitchen_sinks import LEARNERS
from rfviz.analysis.splits import Split
from rfviz.datasets import Dataset
from rfviz.features import registry
from rfviz.figures.kitchen_sinks import plot_error, plot_reach, plot_seconds, plot_weights
from rfviz.linear_model import default_grid
from rfviz.params import Param
from rfviz.ui import kitchen_sinks_text as text
from rfviz.ui import layout
from rfviz.ui.contest import Contest, WeightRuns
from rfviz.ui.controls import choice, control, several
from rfviz.ui.race import Entrant, Race
from rfviz.ui.state import PageState

__all__ = ["PRESETS", "VIEWS", "choose_learners", "choose_view", "columns", "contest", "contest_chart", "numbers",
           "weight_runs", "weights_chart"]  # fmt: skip

VIEWS = {"error": "Error", "seconds": "Seconds", "reach": "Seconds to an error", "weights": "Largest weight"}
_SETTINGS = {"SigmoidalRidge": ("activation", "scale"), "RandomFourier": ("gamma",)}
_DEFAULTS = {"activation": "tanh", "scale": 0.2}
_LABELS = {"activation": "Sigmoid", "scale": "Sigmoids’ scale", "gamma": "Fourier’s γ"}

_SIGMOIDS = {"erf": "error function", "tanh": "tanh", "logistic": "logistic function"}

_FIGURE_1 = {"view": "error", "normalise": "standardise", "learners": ["DecisionStumps"], "loss": "ridge", "alpha": 1.0,
             "draws": 1}  # fmt: skip
_ADULT = {"data": "adult", "data.max_samples": 50_000, "data.missing": "most frequent"}
_KDD = {"data": "kddcup99", "data.train_rows": 50_000, "data.test_rows": 150_000, "data.target": "attack or normal"}
_ACTIVITY = {"data": "activity", "data.max_samples": 12_000, "data.missing": "impute mean"}
#: Label of each preset to its help and the values that it sets.
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


def choose_view(state: PageState) -> str:
    """Which of the paper's charts to show."""

    def clean(value: Any) -> str:
        if value not in VIEWS:
            raise ValueError(value)
        return value

    key = state.claim("view", "error", clean)
    if not state.draws("view", "Show"):
        return st.session_state[key]
    return st.segmented_control("Show", list(VIEWS), required=True, key=key, format_func=VIEWS.__getitem__)


def choose_learners(state: PageState) -> list[Entrant]:
    """Which families of random features take part, and how they are drawn."""
    offered = {name: label for name, label in LEARNERS.items() if name in registry()}
    chosen = several(state, "learners", list(offered), list(offered), "Random features",
                     "Families of random features, each beside AdaBoost.", offered)  # fmt: skip
    entrants = []
    for name in offered:
        if name in chosen:
            params = {p.name: p for p in registry()[name].params}
            setting = {key: _setting(state, params[key]) for key in _SETTINGS.get(name, ())}
            entrants.append(Entrant(offered[name], name, tuple(setting.items())))
    return entrants


def _setting(state: PageState, param: Param) -> Any:
    label, default = _LABELS[param.name], _DEFAULTS.get(param.name, param.default)
    if param.kind == "choice":
        return choice(state, param.name, param.choices, default, label, param.help, _SIGMOIDS)
    return control(state, Param(**{**vars(param), "label": label, "symbol": ""}), default)


def contest(
    split: Split, split_key: Hashable, entrants: list[Entrant], sizes: tuple[int, int, int], loss: str, alpha: Any
) -> Contest:
    """The contest for `sizes`: the largest K, the number of AdaBoost's stumps, and the draws."""
    k_max, stumps, draws = sizes
    steps = tuple((tuple(int(k) for k in grid), 1.0) for grid in grid_segments(k_max, 16))
    race = Race(split, split_key, tuple(entrants), draws, steps, "auto" if alpha == "hold-out" else alpha, loss)
    early = [k for k in (1, 2, 3, 5, 7) if k < min(stumps, 10)]
    boosted = [[int(k) for k in grid] for grid in grid_segments(stumps, 16)] if stumps else []
    if boosted:
        boosted[0] = sorted({*early, *boosted[0]})
    return Contest(race, tuple(map(tuple, boosted)))


def contest_chart(view: str, work: Contest, loss: str, revision: str) -> None:
    """One of the three charts of Figure 1, and what it says."""
    race, curves = work.race, work.curves()
    grids = [max(grid) for grid, _ in race.steps] + [grid[-1] for grid in work.steps]
    revision = f"{revision}-{view}"
    if view == "reach":
        figure = plot_reach(curves, revision=revision)
    else:
        figure = (plot_error if view == "error" else plot_seconds)(curves, max(grids), revision=revision)
    layout.chart(figure, f"sinks-{view}", text.summary(curves, view), reels=())
    layout.explain(text.explanation(curves, race.split, view, loss))
    if work.ended:
        st.caption(work.ended)


def weight_runs(split: Split, split_key: Hashable, entrant: Entrant, k_max: int, runs: int) -> WeightRuns:
    """The work behind Figure 2 for one family of features."""
    return WeightRuns(split, split_key, entrant, tuple(int(k) for k in default_grid(k_max, 12)), runs)


def weights_chart(work: WeightRuns, revision: str) -> None:
    """Figure 2, and what it says."""
    decay = work.result()
    if decay is None:
        st.info("No run is there yet. Press Start.")
        return
    label = work.entrant.label
    layout.chart(plot_weights(decay, work.entrant.scheme, label, revision=revision), "sinks-weights",
                 text.weights_summary(decay, label))  # fmt: skip
    layout.explain(text.weights_explanation(decay, label))


def numbers(work: Contest | WeightRuns) -> None:
    """The points of the charts as a table."""
    if isinstance(work, WeightRuns):
        decay = work.result()
        if decay is not None:
            frame = decay.to_frame()
            layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"))
        return
    frames = [c.frame.assign(learner=c.label) for c in work.curves() if len(c.frame)]
    if not frames:
        st.markdown("No points yet.")
        return
    table = pd.concat(frames, ignore_index=True)
    table = table[["learner", "K", "error", "s.d.", "draws", "train", "test", "total"]]
    table[["error", "s.d."]] *= 100
    table = table.rename(columns={"error": "error %", "train": "train s", "test": "test s", "total": "total s"})
    formats = {"error %": "%.2f", "s.d.": "%.2f"} | dict.fromkeys(["train s", "test s", "total s"], "%.3g")
    layout.numbers(table, formats, text.NUMBERS)


def columns(dataset: Dataset) -> None:
    """Where the data come from, and which word each column of zeros and ones stands for."""
    st.markdown(f"**Source.** {dataset.provenance}")
    names = dataset.feature_names
    if not names:
        st.markdown(f"The {dataset.n_features:,} columns have no names.")
        return
    groups: dict[str, list[str]] = {}
    for name in names:
        column, is_word, word = name.partition("=")
        groups.setdefault(column, []).extend([word] if is_word else [])
    share = dict(zip(names, np.mean(dataset.X != 0, axis=0), strict=True))
    rows = [
        {"column": column, "words": len(words) or None, "became": ", ".join(words) or "one number",
         "rows that are not zero, %": None if words else 100 * share[column]}
        for column, words in groups.items()
    ]  # fmt: skip
    note = "A column of words became a column of zeros and ones for each of its words."
    layout.numbers(pd.DataFrame(rows), {"rows that are not zero, %": "%.1f"}, note if any(groups.values()) else "")
