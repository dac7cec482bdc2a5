"""The parts of the page on guarantees: controls, the chart of each view, its table, and what is folded away."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from rfviz import bounds
from rfviz.analysis.guarantees import ABOUT, DELTAS, Comparison, compare, measure_errors
from rfviz.analysis.kernel_error import error_grid, prepare_sample
from rfviz.analysis.risk import MeasuredRisk, measure_risk
from rfviz.analysis.splits import make_split
from rfviz.analysis.statements import largest_error, silence, statements
from rfviz.bounds import LOSSES, RiskBound
from rfviz.datasets.base import Dataset
from rfviz.features import COMMON_PARAMS, FeatureMap, registry
from rfviz.figures.guarantees import plot_guarantees, plot_risk
from rfviz.params import Param
from rfviz.ui import guarantees_text as text
from rfviz.ui import layout
from rfviz.ui.controls import choice, choose_map, control, several
from rfviz.ui.results import kept, watched
from rfviz.ui.state import PageState

__all__ = ["kernel", "learning"]

_DELTA = Param("delta", 0.05, "float", 0.001, 0.5, log=True, marks=tuple(sorted(DELTAS)), label="Failure δ",
              help="The probability, over draws of the map, with which the error may be larger.")  # fmt: skip
_EPS = Param("eps", 0.1, "float", 0.005, 1.0, log=True, label="Error ε",
             marks=(0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0),
             help="The error that you can live with. Half the error asks for four times the features.")  # fmt: skip
_M = next(p for p in COMMON_PARAMS if p.name == "n_components")
_POINTS = Param("points", 64, "int", 3, 1000, log=True, marks=(8, 16, 32, 64, 128, 256), symbol="n",
                label="Points", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
_DIMENSION = Param("dimension", "data", "int", 1, 1_000_000, ui_high=10_000, choices=("data",), log=True, symbol="d",
                   label="Dimension", help="Of the region, in the bounds for all of it.")  # fmt: skip
_DRAWS = Param("draws", 100, "int", 20, 1000, log=True, marks=(20, 50, 100, 200, 500, 1000), label="Draws",
               help="Independent draws of the map. A probability δ needs more than 1/δ of them.")  # fmt: skip
_ROWS = Param("rows", "data", "int", 10, 10**12, ui_low=100, ui_high=10**10, choices=("data",), log=True, symbol="n",
              label="Training rows", help="n in the bound. What is measured has the rows of the data.")  # fmt: skip
_SIZE = Param("size", "measured", "float", 0.01, 1e9, ui_low=0.1, ui_high=1000.0, choices=("measured",), log=True,
              label="Size C", help="How large coefficients may be. Measured: of the fit at this m.")  # fmt: skip
_RADIUS = replace(_SIZE, label="Norm B", help="The largest norm of the function. Measured: of the fit at this m.")
_CONSTANT = Param("constant", 1.0, "float", 1e-3, 1e6, ui_low=0.01, ui_high=1000.0, log=True, label="Constant C′",
                  help="The paper says only that it is a number.")  # fmt: skip
_INTRINSIC = Param("intrinsic", 10, "int", 1, 100_000, ui_high=1000, log=True, label="Intrinsic dim.",
                   help="The Assouad dimension of the data: not known, of the order of d at most.")  # fmt: skip
_THEOREMS = {
    "kitchen sinks": "Kitchen sinks",
    "compositional": "Compositional",
    "maxout": "Maxout",
}
_MEASURED_M, _MEASURED_GRIDS, _LEARNT_M, _SEEDS = 2000, 400, 1000, 3
_DEFAULTS = {"gamma": 1.0, "pool_size": 4}
_BOUNDED = ("RandomFourier", "DecisionStumps", "SigmoidalRidge")


# --- kernel estimates -------------------------------------------------------------------------------------------------


def kernel(state: PageState, dataset: Dataset, on: tuple) -> None:
    """Bounds on the error of the kernel estimate beside the measured error."""
    with st.container(key="controls"):
        scheme, setting = choose_map(state, _DEFAULTS, first="RandomFourier")
        m, eps, delta = setting.pop("n_components"), control(state, _EPS), control(state, _DELTA)
        n_points = control(state, _POINTS)
        dimension, draws = control(state, _DIMENSION), control(state, _DRAWS)
        shown = several(state, "about", list(ABOUT), list(ABOUT), "Shown", "Which errors are drawn.",
                        {about: about.capitalize() for about in ABOUT})  # fmt: skip
    sample = kept("kernel sample", (*on, n_points), lambda: prepare_sample(dataset, on[1], n_points), most=8)
    name = scheme.__name__
    key = (*on, n_points, name, tuple(sorted(setting.items())), draws)
    measured = watched(
        "measured errors",
        key,
        lambda progress: measure_errors(sample, name, setting, _measured_grid(scheme), draws, progress),
    )
    d = measured.n_features if dimension == "data" else dimension
    found = statements(name, measured.setting, measured.n_pairs, d, measured.diameter, measured.largest_variance)
    comparison = compare(measured, found, eps, delta)
    _show_kernel(state, comparison, shown, m, d, silence(name, measured.setting), str(key))


def _measured_grid(scheme: type[FeatureMap]) -> np.ndarray:
    """Numbers of features at which errors are measured: fewer where a feature is a whole grid of boxes."""
    return error_grid(_MEASURED_GRIDS if getattr(scheme, "sparse_output", False) else _MEASURED_M)


def _show_kernel(
    state: PageState, comparison: Comparison, shown: list[str], m: int, d: int, silent: str, revision: str
) -> None:
    measured = comparison.measured
    largest = largest_error(measured.scheme, measured.setting)
    figure = plot_guarantees(comparison, shown=shown, at=m, largest=largest, revision=revision)
    layout.chart(figure, "guarantees", text.kernel_summary(comparison), reels=())
    layout.explain(text.kernel_explanation(comparison, m, silent))
    st.caption(text.reading(comparison))
    st.markdown(text.table(comparison, d))
    layout.details(state, {
        "What each bound says": lambda: st.markdown(text.formulas(comparison)),
        "Where the looseness comes from": lambda: st.markdown(text.LOOSENESS),
        "What is wrong or left open in the papers": lambda: st.markdown(text.ERRATA),
        "Numbers": lambda: _numbers(comparison),
        "How it is computed": lambda: st.markdown(text.KERNEL_METHOD),
    })  # fmt: skip


def _numbers(comparison: Comparison) -> None:
    layout.numbers(comparison.to_frame(), {"features": "%.4g", "times the measured": "%.3g"})
    layout.numbers(comparison.curves_frame(), {"m": "%.4g", "error": "%.4g"}, text.NUMBERS)


# --- learning ---------------------------------------------------------------------------------------------------------


def learning(state: PageState, dataset: Dataset, on: tuple) -> None:
    """A bound on the excess risk, term by term, beside what is measured by ridge regression."""
    with st.container(key="controls"):
        theorem = choice(state, "theorem", list(_THEOREMS), "kitchen sinks", "Theorem", "Whose bound.", _THEOREMS)
        scheme = _learning_scheme(state, theorem)
        setting = _learning_setting(state, scheme)
        loss = "ramp"
        if theorem != "maxout":
            if scheme == "RandomFourier":
                setting["paired"] = theorem == "compositional"
            names = {k: v.label for k, v in LOSSES.items()}
            loss = choice(state, "loss", list(LOSSES), "hinge", "Loss", "c(z) of the margin z = y·f(x).", names)
        m, rows = control(state, _M), control(state, _ROWS)
        size = control(state, _RADIUS if theorem == "compositional" else _SIZE)
        constants = {} if theorem == "compositional" else {"delta": control(state, _DELTA)}
        if theorem == "maxout":
            constants |= {"constant": control(state, _CONSTANT), "intrinsic": control(state, _INTRINSIC)}
    split = kept("split", (*on, 0.25), lambda: make_split(dataset, on[1], 0.25), most=4)
    measured = _learnt(split, on, scheme, setting)
    place = int(np.argmin(np.abs(np.log(measured.m_grid / m))))
    typical = np.median(measured.radius if theorem == "compositional" else measured.size, axis=0)
    size = float(typical[place]) if size == "measured" else size
    n = measured.n_train if rows == "data" else rows
    bound = _bound(theorem, loss, max(size, 1e-9), constants, setting, split.X_train.shape[1])
    figure = plot_risk(measured, bound, loss, n, at=m, largest=LOSSES[loss].at_zero, revision=f"{on}-{theorem}-{loss}")
    layout.chart(figure, "risk", text.risk_summary(measured, bound, loss, n), reels=())
    layout.explain(text.risk_explanation(measured, bound, loss, n, m, size, theorem))
    layout.formula(bound.formula)
    layout.details(state, {
        "What the letters are": lambda: st.markdown(text.LETTERS[theorem]),
        "Numbers": lambda: layout.numbers(measured.to_frame(loss), {}, text.RISK_NUMBERS),
        "How it is computed": lambda: st.markdown(text.RISK_METHOD),
    })  # fmt: skip


def _learning_scheme(state: PageState, theorem: str) -> str:
    """The map that a theorem speaks of; kitchen sinks are any features that are bounded by 1."""
    if theorem == "maxout":
        return "RandomMaxout"
    bounded = {name: registry()[name].label for name in _BOUNDED if name in registry()}
    if theorem == "compositional" or len(bounded) < 2:
        return "RandomFourier"
    return choice(state, "features", list(bounded), "RandomFourier", "Features", "Bounded by 1.", bounded)


def _learning_setting(state: PageState, scheme: str) -> dict[str, Any]:
    """Controls for those of its parameters that have a default of the page's own."""
    params = [p for p in registry()[scheme].params if p.name in _DEFAULTS]
    return {p.name: control(state, p, _DEFAULTS[p.name]) for p in params}


def _learnt(split: Any, on: Hashable, scheme: str, setting: dict[str, Any]) -> MeasuredRisk:
    key = (on, scheme, tuple(sorted(setting.items())))
    return watched(
        "measured risk",
        key,
        lambda progress: measure_risk(split, scheme, setting, error_grid(_LEARNT_M), _SEEDS, progress),
    )


def _bound(
    theorem: str, loss: str, size: float, constants: dict[str, Any], setting: dict[str, Any], dimension: int
) -> RiskBound:
    """The theorem with its constants; its own δ is such that it fails with the reader's."""
    c = LOSSES[loss]
    if theorem == "compositional":
        # The loss's slope where the fitted function may be: |f| ≤ B for a kernel with k(x, x) = 1.
        return bounds.compositional_risk(c.lipschitz(size), size, 1.0, per_draw=2)
    if theorem == "kitchen sinks":
        return bounds.kitchen_sinks_risk(c.lipschitz(size), size, c.at_zero, constants["delta"] / 2.0)
    return bounds.maxout_risk(
        c.lipschitz(size), size, c.at_zero, constants["delta"] / 3.0, setting["pool_size"], dimension,
        constants["intrinsic"], 2.0, constants["constant"],
    )  # fmt: skip
