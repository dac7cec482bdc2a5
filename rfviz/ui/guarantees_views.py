"""The parts of the page on guarantees below its chart: the table, and what is folded away."""

from __future__ import annotations

import streamlit as st

from rfviz.analysis.guarantees import Comparison
from rfviz.recipes import guarantees_text as text
from rfviz.recipes.guarantees import KernelOutcome, LearningOutcome
from rfviz.recipes.guarantees_settings import LearningSettings
from rfviz.ui import layout
from rfviz.ui.state import PageState

__all__ = ["show_kernel", "show_learning"]


def show_kernel(state: PageState, result: KernelOutcome) -> None:
    """What bounds on the kernel estimate ask for, and where they come from."""
    comparison = result.comparison
    st.caption(text.reading(comparison))
    st.markdown(text.table(comparison, result.dimension))
    layout.details(state, {
        "What each bound says": lambda: st.markdown(text.formulas(comparison)),
        "Where the looseness comes from": lambda: st.markdown(text.LOOSENESS),
        "What is wrong or left open in the papers": lambda: st.markdown(text.ERRATA),
        "Numbers": lambda: _numbers(comparison),
        "How it is computed": lambda: st.markdown(text.KERNEL_METHOD),
    })  # fmt: skip


def _numbers(comparison: Comparison) -> None:
    needed, curves = comparison.to_frame(), comparison.curves_frame()
    # As the table above has them: nobody uses a part of a feature.
    layout.numbers(needed.assign(features=needed["features"].round()),
                   {"features": "localized", "times the measured": "%.3g"})  # fmt: skip
    layout.numbers(curves.assign(m=curves["m"].round()), {"m": "localized", "error": "%.4g"}, text.NUMBERS)


def show_learning(state: PageState, settings: LearningSettings, result: LearningOutcome) -> None:
    """The theorem on learning, and its letters."""
    layout.formula(result.bound.formula)
    layout.details(state, {
        "What the letters are": lambda: st.markdown(text.LETTERS[settings.theorem]),
        "Numbers": lambda: layout.numbers(result.measured.to_frame(settings.loss), {}, text.RISK_NUMBERS),
        "How it is computed": lambda: st.markdown(text.RISK_METHOD),
    })  # fmt: skip
