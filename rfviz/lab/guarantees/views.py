"""The layout of the page on guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.guarantees import describe
from rfviz.experiments.guarantees.compute import Comparison
from rfviz.experiments.guarantees.experiment import (
    KernelGuarantees,
    KernelResult,
    LearningGuarantees,
    LearningResult,
)
from rfviz.experiments.guarantees.figures import plot_complexity
from rfviz.experiments.guarantees.function import ApproximatedFunction
from rfviz.experiments.guarantees.learning import Learnt
from rfviz.lab.guarantees import text
from rfviz.lab.guarantees.page import Result, Settings
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import View

if TYPE_CHECKING:
    from rfviz.experiments.guarantees.geometry import Geometry

__all__ = ["GuaranteesView"]

REQUIRED = "How many features Theorem 2 requires for ε = 1/√n"
OWN = "The theorem’s own penalty λ: bound and measurement"
SUFFICING = "How many features suffice: bound, theory, measured"


class GuaranteesView(View[ScaledData, Settings, Result]):
    """One chart, with the table of what bounds require or the formula of the theorem."""

    def draw(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        if isinstance(settings, KernelGuarantees) and not settings.shown:
            st.info("Nothing is drawn: choose at least one kind of error under “More”.")
        self.main_chart(settings, result, charts[0])
        if isinstance(result, KernelResult):
            st.caption(describe.reading(result.comparison))
            st.markdown(describe.table(result.comparison, result.dimension))
        elif isinstance(result, ApproximatedFunction):
            layout.formula(text.COROLLARY_4)
        else:
            layout.formula(result.bound.formula)
        self.draw_details(settings, result, charts)

    def details(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        if isinstance(result, KernelResult):
            comparison = result.comparison
            assert isinstance(settings, KernelGuarantees)
            return {
                SUFFICING: lambda: self._sufficing(settings, partial(describe.kernel_sufficing, comparison)),
                "What each bound says": lambda: st.markdown(describe.formulas(comparison)),
                "Where the looseness comes from": lambda: layout.explain(text.LOOSENESS),
                "What is wrong or left open in the papers": lambda: st.markdown(text.ERRATA),
                "Numbers": lambda: _numbers(comparison),
                "How it is computed": lambda: layout.explain(text.KERNEL_METHOD),
            }
        if isinstance(result, ApproximatedFunction):
            return {
                "What is wrong or left open in the papers": lambda: st.markdown(text.ERRATA),
                "Numbers": lambda: layout.numbers(charts[0].frame),
                "How it is computed": lambda: layout.explain(text.FUNCTION_METHOD),
            }
        assert isinstance(settings, LearningGuarantees)
        frame = result.measured.to_frame(settings.loss)
        bound = settings.quadratic_bound(result)
        geometry = result.geometry
        needed = {} if geometry is None else {REQUIRED: lambda: _required(settings, result, geometry)}
        is_own = settings.theorem == "compositional"
        own = {OWN: lambda: self._minimisers(settings, result)} if is_own else {}
        return {
            SUFFICING: lambda: self._sufficing(settings, partial(describe.risk_sufficing, bound)),
            **needed,
            "What the letters are": lambda: st.markdown(text.LETTERS[settings.theorem]),
            "How complex the class is: bound and measurement": lambda: self._complexity(settings, result),
            **own,
            "What is wrong or left open in the papers": lambda: st.markdown(text.ERRATA),
            "Numbers": lambda: layout.numbers(frame, {}, text.RISK_NUMBERS),
            "How it is computed": lambda: layout.explain(text.RISK_METHOD),
        }

    def _sufficing(self, settings: KernelGuarantees | LearningGuarantees, table: Callable[[Learnt | str], str]) -> None:
        """Draw bound, theory and measurement beside each other, or say why there is only the first."""
        try:
            learnt = settings.learnt(self.source.data, self.cache)
        except RfvizError as error:
            learnt = f"Of what is learnt nothing can be predicted here. {error}"
        st.markdown(table(learnt))
        st.caption(text.SUFFICING)

    def _complexity(self, settings: LearningGuarantees, result: LearningResult) -> None:
        """Draw the Rademacher complexity of the class next to the bound that the proof has on it."""
        found = settings.complexity(self.source.data, result, self.cache)
        said = describe.complexity_words(found, "B" if settings.theorem == "compositional" else "C")
        st.markdown(said)
        layout.chart(plot_complexity(found), "complexity", said.replace("*", ""), secondary=True)
        layout.numbers(found.to_frame(), dict.fromkeys(("measured", "standard error", "bound"), "%.4g"))
        st.caption(text.COMPLEXITY)

    def _minimisers(self, settings: LearningGuarantees, result: LearningResult) -> None:
        """Draw up the risk of the theorem's own minimiser next to the bound on it, or say why there is none."""
        try:
            found = settings.minimisers(self.source.data, result, self.cache)
        except RfvizError as error:
            st.markdown(f"Nothing is measured here. {error}")
            return
        st.markdown(describe.minimiser_words(found))
        layout.numbers(
            found.to_frame(), dict.fromkeys(("λ", "mean excess risk", "standard error", "Theorem 5"), "%.3g")
        )
        st.caption(text.OWN_PENALTY)


def _required(settings: LearningGuarantees, result: LearningResult, geometry: Geometry) -> None:
    """Draw what Theorem 2 requires for ε = 1/√n."""
    frame = settings.required_features(result)
    st.markdown(describe.required_words(geometry, frame, result.rows, settings.m, settings.constant))
    layout.numbers(frame, {"features m": "localized"})
    st.caption(text.REQUIRED)


def _numbers(comparison: Comparison) -> None:
    needed, curves = comparison.to_frame(), comparison.curves_frame()
    # As the table above has them: features are whole.
    needed = needed.assign(features=needed["features"].round())
    layout.numbers(needed, {"features": "localized", "times the measured": "%.3g"})
    layout.numbers(curves.assign(m=curves["m"].round()), {"m": "localized", "error": "%.4g"}, text.NUMBERS)
