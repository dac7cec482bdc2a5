"""The layout of the page on kernel approximation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.figures.template import map_styles
from rfviz.lab.controls import shown
from rfviz.lab.kernel_approximation import text
from rfviz.lab.kernel_approximation.compute import METRICS
from rfviz.lab.kernel_approximation.figures import plot_kernel_bias, plot_kernel_errors
from rfviz.lab.kernel_approximation.page import NothingComputedError, Result
from rfviz.lab.kernel_approximation.settings import Settings, Source
from rfviz.lab.page import Chart, revision
from rfviz.ui import layout
from rfviz.ui.page import View

__all__ = ["KernelView"]


class KernelView(View[Source, Settings, Result]):
    """The errors of all maps, a cloud for each, and bias apart from spread."""

    def refuse(self, settings: Settings, error: RfvizError) -> None:
        if not isinstance(error, NothingComputedError):
            super().refuse(settings, error)
        elif error.failures:
            _warn(error.failures)
        else:
            st.info("Choose at least one map.")

    def draw(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        _warn(result.failures)
        main, clouds = charts[0], charts[1 : len(result.maps) + 1]
        layout.chart(main.figure, main.name, main.alt, animations=self.animations(settings, result))
        st.caption(text.theory(result.maps, settings.metric))
        layout.explain(main.words)
        self.share(settings, result)
        with st.container(key="pair"):
            for chart, found in zip(clouds, result.maps, strict=True):
                with st.container():
                    st.markdown(f"**{found.label}** at m = {shown(settings.m)}")
                    layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
        self.draw_details(settings, result, charts)

    def details(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        frame = charts[0].frame
        return {
            "Bias and spread": lambda: self._bias_and_spread(settings, result, charts),
            "All measures": lambda: self._all_measures(settings, result),
            "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"), text.NUMBERS),
            "How it is computed": lambda: self._method(settings, result),
        }

    def _method(self, settings: Settings, result: Result) -> None:
        for cls in dict.fromkeys(found.spec.cls for found in result.maps):
            layout.formula(cls.formula)
        self.method(settings, text.METHOD)

    def _bias_and_spread(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        """Draw spread over the draws and bias for every m, and at one m for every map."""
        for chart in charts:
            if chart.name == "kernel-spread":
                layout.chart(chart.figure, chart.name, chart.alt)
        st.markdown(text.BIAS_TEXT)
        styles = map_styles(found.spec.cls for found in result.maps)
        with st.container(key="pair-biases"):
            for number, (style, found) in enumerate(zip(styles, result.maps, strict=True)):
                with st.container():
                    st.markdown(f"**{found.label}** at m = {shown(settings.m)}")
                    known_by = revision(self.source, found.label)
                    figure = plot_kernel_bias(found, settings.place, colour=style.colour, revision=known_by)
                    alt = f"Mean error over {found.n_draws} draws against the exact kernel, {found.label}."
                    layout.chart(figure, f"bias-{number}", alt)

    def _all_measures(self, settings: Settings, result: Result) -> None:
        """Draw the four measures side by side, as in Figure 3 of the paper on compositional kernels."""
        options: dict[str, Any] = {"at": settings.m, "relative": settings.relative, "height": 320, "legend": False}
        with st.container(key="pair-measures"):
            for metric in ("mae", "rmse", "maximum", "correlation"):
                figure = plot_kernel_errors(result.maps, metric, **options, revision=revision(self.source))
                with st.container():
                    layout.chart(figure, f"measure-{metric}", f"{METRICS[metric]} against the number of features.")


def _warn(failures: Mapping[str, str]) -> None:
    for label, reason in failures.items():
        st.warning(f"{label}: {reason}", icon="⚠️")
