"""The layout of the page on kernel approximation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from rfviz.analysis.pairs import first_pairs, nearest_mark, pair_rows
from rfviz.analysis.pool import pool_of
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart, revision
from rfviz.experiments.kernel_approximation.compute import METRICS, KernelErrorResult
from rfviz.experiments.kernel_approximation.experiment import (
    KernelApproximation,
    KernelErrors,
    NothingComputedError,
    pair_estimates_of,
    sample_of,
)
from rfviz.experiments.kernel_approximation.figures import plot_kernel_bias, plot_kernel_errors
from rfviz.figures.lines import ring_pair
from rfviz.figures.template import map_styles
from rfviz.lab.kernel_approximation import text
from rfviz.lab.kernel_approximation.settings import Source
from rfviz.ui import layout
from rfviz.ui.page import CLICK_A_PAIR, STEPS, View
from rfviz.ui.plain import plain
from rfviz.ui.widgets.live_chart import selected_places
from rfviz.ui.widgets.mechanism import MOST_POINTS, POINT_AT_A_PAIR, mechanism
from rfviz.words import shown

__all__ = ["KernelView"]


class KernelView(View[Source, KernelApproximation, KernelErrors]):
    """The errors of all maps, a cloud for each, and bias apart from spread."""

    def refuse(self, settings: KernelApproximation, error: RfvizError) -> None:
        if not isinstance(error, NothingComputedError):
            super().refuse(settings, error)
        elif error.failures:
            _warn(error.failures)
        else:
            st.info("Choose at least one map.")

    def work_note(self, settings: KernelApproximation) -> str:
        return text.PARTS

    def share(self, settings: KernelApproximation, result: KernelErrors) -> None:
        """Draw the button once nothing is added any more."""
        if not (self.live and self.live.is_going):
            super().share(settings, result)

    def draw(self, settings: KernelApproximation, result: KernelErrors, charts: Sequence[Chart]) -> None:
        _warn(result.failures)
        main, clouds = charts[0], charts[1 : len(result.maps) + 1]
        rows = self._chosen_pair(settings, result, clouds)
        layout.chart(main.figure, main.name, main.alt, animations=self.animations(settings, result))
        st.caption(text.theory(result.maps, settings.metric))
        layout.explain(main.words)
        self.share(settings, result)
        places = {found.label: self._place(settings, found, rows) for found in result.maps} if rows else {}
        styles = map_styles(found.spec.cls for found in result.maps)
        with st.container(key="pair"):
            for chart, found, style in zip(clouds, result.maps, styles, strict=True):
                with st.container():
                    st.markdown(f"**{found.label}** at m = {shown(settings.m)}")
                    figure = chart.figure
                    if rows:
                        kernel, estimate = places[found.label]
                        figure = ring_pair(figure, rows, [kernel], [estimate], [style.colour])
                    layout.chart(figure, chart.name, chart.alt, secondary=True, placing=True)
                    self._mechanism(settings, found, chart.name)
        if rows:
            st.markdown(text.of_pair(rows, result.maps[0].n_points, settings.m, places))
        else:
            st.caption(CLICK_A_PAIR)
        self.draw_details(settings, result, charts)

    def _chosen_pair(
        self, settings: KernelApproximation, result: KernelErrors, clouds: Sequence[Chart]
    ) -> tuple[int, int] | None:
        """Return the pair that is followed; that nearest to a click in a cloud from then on."""
        n = result.maps[0].n_points
        for chart, found in zip(clouds, result.maps, strict=True):
            if clicks := selected_places(chart.name):
                kernel, estimate = self._estimates(settings, found, None)
                x, y = found.density.x_edges, found.density.y_edges
                spans = (float(x[0]), float(x[-1])), (float(y[0]), float(y[-1]))
                self.follow(pair_rows(n, nearest_mark(clicks[-1], kernel, [estimate], spans)))
                self.state.set("steps-map", found.label)
        return self.followed(n)

    def _mechanism(self, settings: KernelApproximation, found: KernelErrorResult, chart: str) -> None:
        """Let a pair under the pointer show the first feature of the map that can be exported."""
        points = self.source.data, self.source.normalise, self.source.n_points
        spec, X = found.spec.replace(random_state=0), self.cache.call(sample_of, *points).original
        if pool := pool_of(X, spec.resolve(X), MOST_POINTS):
            places = self._estimates(settings, found, None)
            x, y = (first_pairs(values, len(X), MOST_POINTS) for values in places)
            edges = found.density.x_edges, found.density.y_edges
            mechanism(chart, pool, x, y, tuple(float(edge[end]) for edge in edges for end in (0, -1)))
            st.caption(POINT_AT_A_PAIR)

    def _place(
        self, settings: KernelApproximation, found: KernelErrorResult, rows: tuple[int, int]
    ) -> tuple[float, float]:
        """Return the kernel of a pair, and its estimate by the map that can be exported."""
        kernel, estimate = self._estimates(settings, found, rows)
        return float(kernel[0]), float(estimate[0])

    def _estimates(
        self, settings: KernelApproximation, found: KernelErrorResult, rows: tuple[int, int] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        points = self.source.data, self.source.normalise, self.source.n_points
        return self.cache.call(pair_estimates_of, *points, found.spec, settings.m, rows)

    def details(
        self, settings: KernelApproximation, result: KernelErrors, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        frame = charts[0].frame
        return {
            STEPS: lambda: self.steps(settings),
            "Bias and spread": lambda: self._bias_and_spread(settings, result, charts),
            "All measures": lambda: self._all_measures(settings, result),
            "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"), text.NUMBERS),
            "How it is computed": lambda: self._method(result),
        }

    def _method(self, result: KernelErrors) -> None:
        for cls in dict.fromkeys(found.spec.cls for found in result.maps):
            layout.formula(cls.formula)
        layout.explain(text.METHOD)

    def _bias_and_spread(self, settings: KernelApproximation, result: KernelErrors, charts: Sequence[Chart]) -> None:
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

    def _all_measures(self, settings: KernelApproximation, result: KernelErrors) -> None:
        """Draw the four measures side by side, as in Figure 3 of the paper on compositional kernels."""
        options: dict[str, Any] = {"at": settings.m, "relative": settings.relative, "height": 320, "legend": False}
        with st.container(key="pair-measures"):
            for metric in ("mae", "rmse", "maximum", "correlation"):
                figure = plot_kernel_errors(result.maps, metric, **options, revision=revision(self.source))
                with st.container():
                    layout.chart(figure, f"measure-{metric}", f"{METRICS[metric]} against the number of features.")


def _warn(failures: Mapping[str, str]) -> None:
    for label, reason in failures.items():
        st.warning(plain(f"{label}: {reason}"), icon="⚠️")
