"""The layout of the page on distance saturation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.features import RandomMaxout
from rfviz.lab.distance_saturation import text
from rfviz.lab.distance_saturation.compute import MAX_POINTS, SaturationResult
from rfviz.lab.distance_saturation.page import Settings
from rfviz.lab.page import Chart
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import View

__all__ = ["SaturationView"]


class SaturationView(View[ScaledData, Settings, SaturationResult]):
    """One chart, and why the paper's formula is wrong."""

    def draw(self, settings: Settings, result: SaturationResult, charts: Sequence[Chart]) -> None:
        self.main_chart(settings, result, charts[0])
        n = self.source.dataset.n_samples
        if n > MAX_POINTS:
            st.caption(f"The first {MAX_POINTS:,} of {n:,} points are used.")
        self.draw_details(settings, result, charts)

    def details(
        self, settings: Settings, result: SaturationResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        frame = charts[0].frame
        parts: dict[str, Callable[[], Any]] = {
            "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.3f"), text.NUMBERS),
            "How it is computed": lambda: self.method(settings, text.METHOD),
        }
        if settings.cls is RandomMaxout:
            parts["Why is the paper’s formula wrong?"] = lambda: st.markdown(text.ERRATUM)
        return parts
