"""What the page of embeddings shows of its points: colours, names, images as marks, their order, their numbers."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import streamlit as st

from rfviz.analysis.embedding import EmbeddingResult
from rfviz.analysis.order import CurveOrder
from rfviz.datasets.base import Dataset
from rfviz.figures.embedding import PICKED, PointStyle, place_thumbnails, point_style
from rfviz.ui import images, layout
from rfviz.ui.results import kept

__all__ = ["image_marks", "show_coordinates", "show_order", "style_of"]


def style_of(dataset: Dataset, key: Hashable, n: int) -> PointStyle:
    """Colours and names of the first `n` points: by their order if they have one, else by class or target."""
    classes = dataset.y if dataset.target_names else None
    if dataset.order is not None:
        along, title = dataset.order + (dataset.order.min() == 0), "frame"  # people count from 1
    else:
        along, title = None if classes is not None else dataset.y, "y"
    return kept("style", (key, n), lambda: point_style(n, along, classes, dataset.target_names, title), most=8)


def image_marks(
    dataset: Dataset, key: Hashable, coordinates: np.ndarray, style: PointStyle, picked: int | None
) -> tuple[np.ndarray, list[str], float]:
    """Rows whose image stands at its place in the plane, those images framed in their colours, and their aspect."""
    aspect = dataset.image_shape[0] / dataset.image_shape[1]
    rows = place_thumbnails(coordinates, aspect)
    frames = [PICKED if row == picked else style.colours[row] for row in rows]
    return rows, images.thumbnails(dataset, key, rows, frames), aspect


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
    layout.numbers(result.points_frame())
