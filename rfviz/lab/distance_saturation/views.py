"""The layout of the page on distance saturation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from rfviz.features import RandomMaxout
from rfviz.lab.distance_saturation import text
from rfviz.lab.distance_saturation.compute import MAX_POINTS, SaturationResult, nearest_pair, pair_index
from rfviz.lab.distance_saturation.figures import mark_pair
from rfviz.lab.distance_saturation.page import Settings, mapped_pairs_of, pairs_of
from rfviz.lab.page import Chart
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.widgets.live_chart import taken_places

__all__ = ["SaturationView"]

_PAIR = "pair"


class SaturationView(View[ScaledData, Settings, SaturationResult]):
    """One chart, in which a pair of points can be clicked, and why the paper's formula is wrong."""

    def draw(self, settings: Settings, result: SaturationResult, charts: Sequence[Chart]) -> None:
        pairs = self.cache.call(pairs_of, self.source)
        mapped = [self.cache.call(mapped_pairs_of, self.source, spec) for spec in settings.specs]
        if clicks := taken_places(charts[0].name):
            span = float(result.x_edges[-1]), float(result.y_edges[-1])
            self._choose(nearest_pair(pairs, mapped, clicks[-1], span))
        rows = st.session_state.get(self.state.key(_PAIR))
        if rows is None or rows[1] >= len(pairs.original):  # of a larger data set
            self.main_chart(settings, result, charts[0], placing=True)
        else:
            index = pair_index(len(pairs.original), *rows)
            before, after = float(pairs.distance[index]), [float(one.embedded[index]) for one in mapped]
            chart = replace(charts[0], plot=partial(mark_pair, charts[0].figure, result, rows, before, after))
            self.main_chart(settings, result, chart, placing=True)
            st.markdown(text.of_pair(rows, before, dict(zip(settings.labels, after, strict=True))))
        n = self.source.dataset.n_samples
        if n > MAX_POINTS:
            st.caption(f"The first {MAX_POINTS:,} of {n:,} points are used.")
        self.draw_details(settings, result, charts)

    def _choose(self, rows: tuple[int, int]) -> None:
        """Take a pair of rows, also for the formula with their numbers, which opens."""
        st.session_state[self.state.key(_PAIR)] = rows
        for name, row in zip(("x", "z"), rows, strict=True):
            st.session_state[self.state.key(f"steps-{name}")] = row + 1
        st.session_state[self.state.key("details-1")] = True

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
