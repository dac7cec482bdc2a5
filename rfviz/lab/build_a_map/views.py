"""The layout of the page on maps of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from rfviz.errors import RfvizError
from rfviz.experiments import BaseSpaces, BuildAMap
from rfviz.experiments.base import Chart
from rfviz.experiments.build_a_map.compute import Built
from rfviz.experiments.build_a_map.describe import HEADINGS
from rfviz.experiments.build_a_map.figures import DRAWN, ends_of
from rfviz.formula import drawn_formula, parse_formula
from rfviz.lab.build_a_map import text
from rfviz.lab.build_a_map.page import FORMULAS, Result, Settings
from rfviz.ui import layout
from rfviz.ui.links import page_link
from rfviz.ui.page import View
from rfviz.ui.session import widget_value
from rfviz.ui.widgets.live_chart import COLUMNS, selected_curve

__all__ = ["BuildView"]

# The smaller charts, in their order, and what stands above each.
_CHECKS = {
    "built-transform": "Its cosine transform",
    "built-errors": "Error against m",
    "built-circle": "A frequency wraps the line onto the circle",
}
# Where a map can be used, and how the page there calls its maps.
_PAGES = {
    "distance-saturation": "map",
    "decision-surfaces": "map",
    "kernel-approximation": "maps",
    "accuracy": "maps",
}


class BuildView(View[None, Settings, Result]):
    """The formula next to the kernel that it makes, and the error below."""

    def prepare(self) -> None:
        """Take a curve that was drawn as the formula of its points."""
        for what, (low, high) in DRAWN.items():
            id = self._curve(what)
            if selected_curve(id):
                heights = [y if what != "density" else max(y, 0.0) for _, y in sorted(widget_value(id))]
                step = (high - low) / (COLUMNS - 1)
                if what == "function":
                    formula = drawn_formula(low, high, heights)
                else:  # beyond the last height there is nothing
                    formula = drawn_formula(low, high + step, [*heights, 0.0])
                self.state.apply({what: formula})

    def draw(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        if isinstance(settings, BaseSpaces):
            self._base_space(settings, result, charts)
            return
        assert isinstance(result, Built)
        main, written, errors, *others = charts
        with st.container(key="pair-build"):
            with st.container():
                st.markdown(f"**{HEADINGS[settings.what]}**")
                if settings.what == "pool":
                    layout.chart(written.figure, written.name, written.alt)
                else:
                    layout.chart(written.figure, written.name, written.alt, drawing=self._drawing(settings))
                    st.caption(text.DRAW)
            with st.container():
                st.markdown("**The kernel of its features**")
                self.main_chart(settings, result, main)
        with st.container(key="pair-checks"):
            for chart in sorted((errors, *others), key=lambda chart: list(_CHECKS).index(chart.name)):
                with st.container():
                    st.markdown(f"**{_CHECKS[chart.name]}**")
                    layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
                    if chart.words:
                        layout.explain(chart.words)
        self._links(settings, result)
        self.draw_details(settings, result, charts)

    def _base_space(self, settings: BaseSpaces, result: Result, charts: Sequence[Chart]) -> None:
        """Draw the features of a base space: how large they are, and how well they estimate the kernel."""
        main, moduli, errors = charts
        with st.container(key="pair-build"):
            with st.container():
                st.markdown("**How large its features are**")
                layout.chart(moduli.figure, moduli.name, moduli.alt)
            with st.container():
                st.markdown("**Its kernel, and what features estimate**")
                self.main_chart(settings, result, main)
        st.markdown("**Error against m**")
        layout.chart(errors.figure, errors.name, errors.alt, secondary=True)
        self.draw_details(settings, result, charts)

    def refuse(self, settings: Settings, error: RfvizError) -> None:
        """Draw the fault of a formula above the picture of the last valid one, or of the default."""
        layout.refused(error)
        if isinstance(settings, BaseSpaces):
            return
        last = self.last_settings()
        is_alike = isinstance(last, BuildAMap) and last.what == settings.what
        formula = last.formula if isinstance(last, BuildAMap) and is_alike else FORMULAS[settings.what].default
        last = replace(settings, formula=formula)
        try:
            found = self.recomputed(last)
        except RfvizError:  # it was not the formula
            return
        st.caption(text.still_of(formula))
        self.draw(last, found.result, found.charts)

    def details(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        if isinstance(settings, BaseSpaces):
            return {
                "Numbers": lambda: layout.numbers(charts[1].frame, {}, text.BASE_NUMBERS),
                "How it is computed": lambda: layout.explain(text.BASE_METHOD),
            }
        frame = charts[2].frame
        return {
            "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.3g"), text.NUMBERS),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }

    def _curve(self, what: str) -> str:
        return f"{self.page.slug}:curve:{what}"

    def _drawing(self, settings: BuildAMap) -> dict[str, Any]:
        """Return what can be drawn on: the present curve, which a stroke changes."""
        what = settings.what
        low, high = DRAWN[what]
        heights = parse_formula(settings.formula, min(low, 0.0))(np.linspace(low, high, COLUMNS))
        ends = ends_of(what, settings.formula)
        label = f"{HEADINGS[what]}. Left and right move along, up and down change the height."
        return {
            "id": self._curve(what),
            "ends": [low, high],
            "label": label,
            "heights": np.clip(heights, *ends).round(4).tolist(),
        }

    def _links(self, settings: BuildAMap, result: Built) -> None:
        """Draw links to pages that show the map on data."""
        params = {name: value for name, value in result.spec.params.items() if name != "random_state"}
        with st.container(horizontal=True, vertical_alignment="center", key="use-map"):
            st.markdown("**Use this map:**", width="content")
            for slug, name in _PAGES.items():
                cls = result.spec.cls.__name__
                page_link(slug, {name: [cls] if name == "maps" else cls, **params}, "This map on data.")
