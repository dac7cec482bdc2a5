"""What the page of embeddings shows of its points: colours, names, images as marks, their order, their numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
import streamlit as st

from rfviz.analysis.embedding import EmbeddingResult
from rfviz.analysis.order import CurveOrder
from rfviz.datasets.base import Dataset
from rfviz.figures.embedding import PointStyle, style_of
from rfviz.figures.images import image_marks
from rfviz.recipes.maxout_pca import POINT
from rfviz.ui import layout
from rfviz.ui.live_chart import taken_row
from rfviz.ui.results import kept
from rfviz.ui.state import PageState

__all__ = ["kept_marks", "kept_style", "show_coordinates", "show_order", "take_click"]


def kept_style(dataset: Dataset, key: Hashable, n: int) -> PointStyle:
    """:func:`rfviz.figures.embedding.style_of`, remembered."""
    return kept("style", (key, n), lambda: style_of(dataset, n), most=8)


def kept_marks(
    dataset: Dataset, key: Hashable, coordinates: np.ndarray, style: PointStyle, picked: int | None
) -> tuple[np.ndarray, list[str], float]:
    """:func:`rfviz.figures.images.image_marks`, each image remembered, since a slider asks for it again."""

    def recall(row: int, frame: str, compute: Callable[[], str]) -> str:
        return kept("thumbnails", (key, row, frame), compute, most=4000)

    return image_marks(dataset, coordinates, style, picked, recall)


def take_click(state: PageState, data: Hashable) -> None:
    """Make a point that was clicked the selected one, and none where other data have come; before it is asked for."""
    clicked = taken_row("embedding", none=-1)
    if clicked is not None:
        state.apply({POINT: clicked + 1})
    held = f"{state.page}:points-of"
    if st.session_state.get(held, data) != data and not state.was_set(POINT):
        st.session_state[state.key(POINT)] = 0
    st.session_state[held] = data


def show_order(order: CurveOrder | None) -> None:
    """How well the order along the curve agrees with the given one, and where it does not."""
    if order is None:
        st.markdown("These data have no given order. The turning head and UMIST have one.")
        return
    st.metric("Spearman’s ρ of the recovered against the given order", f"{order.spearman:.4f}")
    worst = order.disagreements()
    st.markdown("**Places that disagree most.**" if len(worst) else "Both orders are the same.")
    if len(worst):
        layout.numbers(worst)


def show_coordinates(result: EmbeddingResult) -> None:
    """Explained variance and agreement of the projections, and all coordinates."""
    frame = result.to_frame()
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.4f"))
    points = result.points_frame()
    layout.numbers(points, {name: "%.4f" for name in points.columns if ", axis" in name})
