"""The layout of Maxout-PCA: a card that follows the pointer, and two charts to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.analysis.embedding import MAX_EXACT, MAX_POINTS, EmbeddingResult
from rfviz.analysis.order import CurveOrder
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.experiments.maxout_pca.describe import rho_of
from rfviz.experiments.maxout_pca.experiment import MaxoutPCA, points_style
from rfviz.lab.maxout_pca import text
from rfviz.lab.maxout_pca.page import POINT
from rfviz.lab.panel import ScaledData
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.session import SessionValue
from rfviz.ui.widgets import images
from rfviz.ui.widgets.hover_card import hover_card
from rfviz.ui.widgets.live_chart import selected_row

__all__ = ["EmbeddingView"]

# The data of the points that were shown last.
_SHOWN_DATA = SessionValue[tuple[Any, ...] | None]("points-of", lambda: None)


class EmbeddingView(View[ScaledData, MaxoutPCA, EmbeddingResult]):
    """The features' embedding with its card, and the two that it is compared with."""

    def prepare(self) -> None:
        """Select a point that was clicked, and none after the data have changed."""
        clicked = selected_row("embedding", none=-1)
        if clicked is not None:
            self.state.apply({POINT: clicked + 1})
        shown, data = _SHOWN_DATA.of(self.state.page), self.source.data.key[:2]
        if shown.get() not in (None, data) and not self.state.was_set(POINT):
            self.state.set(POINT, 0)
        shown.set(data)

    def draw(self, settings: MaxoutPCA, result: EmbeddingResult, charts: Sequence[Chart]) -> None:
        main, dataset = charts[0], self.source.dataset
        clickable = POINT not in self.state.hidden
        animations = self.animations(settings, result)
        layout.chart(main.figure, main.name, main.alt, clickable=clickable, animations=animations)
        layout.explain(main.words)
        self._card(settings, result)
        self.share(settings, result)
        if dataset.n_samples > MAX_POINTS:
            st.caption(f"The first {MAX_POINTS:,} of {dataset.n_samples:,} points are used.")
        with st.container(key="pair"):
            by_name = {chart.name: chart for chart in charts}
            for name, title in (
                ("embedding-plain", "**Plain PCA.** Without the map."),
                ("embedding-exact", "**Exact kernel PCA.** The limit as m grows."),
            ):
                with st.container():
                    if name not in by_name:
                        limit = f"{MAX_EXACT:,} points" + (
                            ", fewer with receptive fields" if dataset.image_shape else ""
                        )
                        st.info(f"Exact kernel PCA is computed for up to {limit}. Choose fewer points.")
                        continue
                    st.markdown(title)
                    layout.chart(by_name[name].figure, name, by_name[name].alt, secondary=True)
        self.draw_details(settings, result, charts)

    def _card(self, settings: MaxoutPCA, result: EmbeddingResult) -> None:
        n = len(result.features.coordinates)
        style = self.cache.call(points_style, self.source.data, n)
        sheet = self.cache.call(sheet_of, self.source.data, n) if self.source.dataset.image_shape else None
        hover_card(
            "maxout-pca",
            "[class*=st-key-embedding] .js-plotly-plot",
            style.labels,
            result.input_neighbours,
            result.feature_neighbours,
            sheet,
            settings.point,
        )

    def details(
        self, settings: MaxoutPCA, result: EmbeddingResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        return {
            "Order": lambda: _order(result.features.order),
            "Numbers": lambda: _numbers(result),
            "How it is computed": lambda: layout.explain(text.METHOD),
            "Next to locally linear embedding": lambda: self._locally_linear(settings, result),
        }

    def _locally_linear(self, settings: MaxoutPCA, result: EmbeddingResult) -> None:
        """Draw the embedding that the paper compares its own with, or say why there is none."""
        try:
            chart = settings.locally_linear(self.source.data, result, self.cache)
        except DataError as error:
            st.info(str(error))
        else:
            st.markdown(chart.words)
            layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
        st.markdown(text.LOCALLY_LINEAR)


def sheet_of(data: Data, n: int, *, cache: Cache) -> dict[str, object]:
    """Put all images on one sheet."""
    return images.sprite(data.dataset) | {"name": str(data.key), "count": n}


def _order(order: CurveOrder | None) -> None:
    """Show how well the order along the curve agrees with the given one, and where it does not."""
    if order is None:
        st.markdown("These data have no given order. The turning head and UMIST have one.")
        return
    st.metric("Spearman’s ρ of the recovered and the given order", rho_of(order.spearman))
    worst = order.disagreements()
    st.markdown("**Points that are farthest from their given place.**" if len(worst) else "Both orders are the same.")
    if len(worst):
        layout.numbers(worst)


def _numbers(result: EmbeddingResult) -> None:
    """Show explained variance and agreement of the projections, and all coordinates."""
    frame, points = result.to_frame(), result.points_frame()
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.4f"))
    layout.numbers(points, {name: "%.4f" for name in points.columns if ", axis" in name})
