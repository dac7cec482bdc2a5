"""The layout of the page on random binning: one grid next to what all of them add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.experiments.base import Chart
from rfviz.experiments.binning.experiment import Binning, BinningResult
from rfviz.experiments.data import Data
from rfviz.lab.binning import text
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.teaching import lesson_panel
from rfviz.ui.widgets.live_chart import selected_row

__all__ = ["BinningView"]

_ERROR = "Error against the number of grids"


class BinningView(View[Data, Binning, BinningResult]):
    """Two pictures side by side; a click on a point of the first one moves the ring."""

    def prepare(self) -> None:
        clicked = selected_row("boxes")
        if clicked is not None:
            self.state.apply({"point": clicked + 1})

    def draw(self, settings: Binning, result: BinningResult, charts: Sequence[Chart]) -> None:
        first, second, error = charts
        if lesson_panel.draws_on(error.name, is_main=False):
            self._opened = _ERROR
        with st.container(key="pair-top"):
            layout.chart(first.figure, first.name, first.alt, clickable=True)
            layout.chart(second.figure, second.name, second.alt)
        layout.under_chart(first.figure, first.name, first.alt, self.animations(settings, result))
        layout.explain(first.words)
        self.share(settings, result)
        self.draw_details(settings, result, charts)

    def details(
        self, settings: Binning, result: BinningResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        error = charts[2]
        formats = dict.fromkeys(["RMS error", "predicted"], "%.4f")
        return {
            _ERROR: lambda: layout.chart(error.figure, error.name, error.alt),
            "Numbers": lambda: layout.numbers(error.frame, formats, text.NUMBERS),
            "How it is computed": lambda: st.markdown(text.METHOD),
        }
