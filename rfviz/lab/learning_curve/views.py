"""The layout of the page on learning curves: the curve, and below it the map of n and m, and the spectra."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.experiments.base import Chart
from rfviz.experiments.learning_curve.experiment import N_ROWS, CurveResult, LearningCurve
from rfviz.lab.learning_curve import text
from rfviz.lab.learning_curve.page import rows_offered
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import STEPS, View
from rfviz.ui.widgets.live_chart import selected_places

__all__ = ["LearningCurveView"]

_MAP = "rows-and-features"


class LearningCurveView(View[ScaledData, LearningCurve, CurveResult]):
    """The measured and the predicted curve; a click on the map takes another number of rows."""

    def prepare(self) -> None:
        if clicks := selected_places(_MAP):
            height = max(clicks[-1][1], 1.0)
            offered = rows_offered(self.source.dataset.n_samples)
            self.state.apply({N_ROWS.name: min(offered, key=lambda n: abs(math.log(n / height)))})

    def draw(self, settings: LearningCurve, result: CurveResult, charts: Sequence[Chart]) -> None:
        self.main_chart(settings, result, charts[0])
        titles = {_MAP: "**Any number of rows.** Predicted.", "spectrum": "**Why.** The kernel’s eigenvalues."}
        for chart in charts[1:]:
            st.markdown(titles[chart.name])
            layout.chart(chart.figure, chart.name, chart.alt, secondary=True, placing=chart.name == _MAP)
            layout.explain(chart.words)
        self.draw_details(settings, result, charts)

    def details(
        self, settings: LearningCurve, result: CurveResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        frame = charts[0].frame
        formats = dict.fromkeys(frame.columns[1:], "%.3f") | {"wrong classes": "percent"}
        return {
            STEPS: lambda: self.steps(settings),
            "Numbers": lambda: layout.numbers(frame, formats, text.NUMBERS),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }
