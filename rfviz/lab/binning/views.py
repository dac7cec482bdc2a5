"""The layout of the page on random binning: one grid next to what all of them add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from rfviz.experiments.base import Chart
from rfviz.experiments.binning.experiment import Binning, BinningResult
from rfviz.experiments.binning.hats import SEEN
from rfviz.experiments.data import Data
from rfviz.formula import drawn_formula
from rfviz.lab.binning import text
from rfviz.lab.binning.page import DENSITY
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.session import widget_value
from rfviz.ui.teaching import lesson_panel
from rfviz.ui.widgets.live_chart import COLUMNS, selected_curve, selected_row

__all__ = ["BinningView"]

_CURVE = "binning:curve:density"
_ERROR = "Error against the number of grids"


class BinningView(View[Data, Binning, BinningResult]):
    """Two pictures side by side; a click on a point of the first one moves the ring."""

    def prepare(self) -> None:
        clicked = selected_row("boxes")
        if clicked is not None:
            self.state.apply({"point": clicked + 1})
        if selected_curve(_CURVE):  # of heights from 0 to the end of the axis; beyond it there is nothing
            heights = [max(y, 0.0) for _, y in sorted(widget_value(_CURVE))]
            end = SEEN + SEEN / (COLUMNS - 1)
            self.state.apply({DENSITY.name: drawn_formula(0.0, end, [*heights, 0.0])})

    def draw(self, settings: Binning, result: BinningResult, charts: Sequence[Chart]) -> None:
        first, second, error, *hats = charts
        if lesson_panel.draws_on(error.name, is_main=False):
            self._opened = _ERROR
        with st.container(key="pair-top"):
            with st.container():
                st.markdown("**First: one grid**")
                layout.chart(first.figure, first.name, first.alt, clickable=True)
            with st.container():
                st.markdown("**Second: all grids together**")
                layout.chart(second.figure, second.name, second.alt)
        layout.under_chart(first.figure, first.name, first.alt, self.animations(settings, result))
        layout.explain(first.words)
        if hats:
            self._hats(hats)
        self.share(settings, result)
        self.draw_details(settings, result, charts)

    def _hats(self, charts: Sequence[Chart]) -> None:
        """Draw the density of an own mixture of hats, which can be drawn in, next to its kernel."""
        density, kernel = charts
        frame = density.frame
        heights = np.interp(np.linspace(0.0, SEEN, COLUMNS), frame["pitch"], frame["density"])
        label = "Density of the pitches. Left and right move along, up and down change the height."
        drawing = {"id": _CURVE, "ends": [0.0, SEEN], "label": label, "heights": heights.round(4).tolist()}
        with st.container(key="pair-hats"):
            with st.container():
                st.markdown("**Your density of pitches**")
                layout.chart(density.figure, density.name, density.alt, drawing=drawing)
                st.caption(text.DRAW)
            with st.container():
                st.markdown("**The kernel of one column**")
                layout.chart(kernel.figure, kernel.name, kernel.alt, secondary=True)
        layout.explain(kernel.words)

    def details(
        self, settings: Binning, result: BinningResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        error = charts[2]
        formats = dict.fromkeys(["RMS error", "predicted"], "%.4f")
        return {
            _ERROR: lambda: layout.chart(error.figure, error.name, error.alt),
            "Numbers": lambda: layout.numbers(error.frame, formats, text.NUMBERS),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }
