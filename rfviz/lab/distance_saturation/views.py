"""The layout of the page on distance saturation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from rfviz.analysis.pairs import first_pairs, nearest_mark, pair_index, pair_rows
from rfviz.analysis.pool import first_pool
from rfviz.experiments.base import Chart
from rfviz.experiments.distance_saturation.compute import MAX_POINTS, SaturationResult
from rfviz.experiments.distance_saturation.experiment import DistanceSaturation, mapped_pairs_of, pairs_of
from rfviz.features import RandomMaxout
from rfviz.figures.lines import ring_pair
from rfviz.figures.template import series_styles
from rfviz.lab.distance_saturation import text
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import CLICK_A_PAIR, STEPS, View
from rfviz.ui.widgets.live_chart import selected_places
from rfviz.ui.widgets.mechanism import MOST_POINTS, POINT_AT_A_PAIR, mechanism

__all__ = ["SaturationView"]


class SaturationView(View[ScaledData, DistanceSaturation, SaturationResult]):
    """One chart, in which a pair of points can be clicked, and why the paper's formula is wrong."""

    def draw(self, settings: DistanceSaturation, result: SaturationResult, charts: Sequence[Chart]) -> None:
        points = self.source.data, settings.normalise
        pairs = self.cache.call(pairs_of, *points)
        mapped = [self.cache.call(mapped_pairs_of, *points, spec) for spec in settings.specs]
        n = len(pairs.original)
        if clicks := selected_places(charts[0].name):
            spans = (0.0, float(result.x_edges[-1])), (0.0, float(result.y_edges[-1]))
            clouds = [one.embedded for one in mapped]
            self.follow(pair_rows(n, nearest_mark(clicks[-1], pairs.distance, clouds, spans)))
        rows = self.followed(n)
        if rows is None:
            self.main_chart(settings, result, charts[0], placing=True)
            st.caption(CLICK_A_PAIR)
        else:
            index = pair_index(n, *rows)
            before, after = float(pairs.distance[index]), [float(one.embedded[index]) for one in mapped]
            colours = [style.colour for style in series_styles(settings.cls, len(after))]
            ringed = partial(ring_pair, charts[0].figure, rows, [before] * len(after), after, colours)
            chart = replace(charts[0], plot=ringed)
            self.main_chart(settings, result, chart, placing=True)
            st.markdown(text.of_pair(rows, before, dict(zip(settings.labels, after, strict=True))))
        if pool := first_pool(pairs, settings.specs[0], MOST_POINTS):
            x, y = (first_pairs(values, n, MOST_POINTS) for values in (pairs.distance, mapped[0].embedded))
            mechanism(charts[0].name, pool, x, y, (0.0, float(result.x_edges[-1]), 0.0, float(result.y_edges[-1])))
            st.caption(POINT_AT_A_PAIR)
        if self.source.dataset.n_samples > MAX_POINTS:
            st.caption(f"The first {MAX_POINTS:,} of {self.source.dataset.n_samples:,} points are used.")
        self.draw_details(settings, result, charts)

    def details(
        self, settings: DistanceSaturation, result: SaturationResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        frame = charts[0].frame
        parts: dict[str, Callable[[], Any]] = {
            STEPS: lambda: self.steps(settings),
            "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.3f"), text.NUMBERS),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }
        if settings.cls is RandomMaxout:
            parts["Why is the paper’s formula wrong?"] = lambda: layout.explain(text.ERRATUM)
            sizes = [spec.get("pool_size") for spec in settings.specs]
            parts["The series of κ, and the largest of q normals"] = lambda: _series(sizes)
        return parts


def _series(pool_sizes: Sequence[int]) -> None:
    """Draw the collision probability of the first map with its series, and the coefficients of all."""
    from rfviz.experiments.distance_saturation.series import plot_collision, pools_frame, series_words

    q, said = pool_sizes[0], series_words(pool_sizes[0])
    st.markdown(said)
    layout.chart(plot_collision(q), "collision", f"κ over the cosine for q = {q}, and its series.", secondary=True)
    frame = pools_frame(pool_sizes)
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.4f"))
