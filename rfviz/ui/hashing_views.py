"""The parts of the page on hashing: neighbours by example with two codes, recall, near and far pairs, numbers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import streamlit as st

from rfviz.analysis.hamming import hamming_pairs
from rfviz.analysis.hash_points import exact_order
from rfviz.analysis.hash_recall import RecallResult
from rfviz.analysis.hashing import NearFarResult, law_of
from rfviz.datasets import Dataset
from rfviz.figures.hashing import STRIP, plot_strips
from rfviz.figures.template import COLOURS
from rfviz.figures.tiles import Tile, plot_tiles
from rfviz.lab.controls import Control
from rfviz.recipes import hashing_text as text
from rfviz.recipes.hashing import Hashed, closer, closer_chart
from rfviz.recipes.hashing_settings import NearFar, Recall, Source
from rfviz.ui import images, layout, results
from rfviz.ui.live_chart import taken_row
from rfviz.ui.state import PageState

__all__ = ["draw_look", "exact_order", "neighbours_view", "recall_view", "spread_view", "take_click"]

_CARD, _COLUMNS = 7, 9
_WRONG = "#c0392b"


def draw_look(control: Control, key: str, on_change: Any) -> None:
    """Which closer look is taken, side by side although the names are long."""
    st.segmented_control(control.label, control.options, required=True, key=key, on_change=on_change)


def take_click(state: PageState, n: int) -> None:
    """Make a tile that was clicked one of the two points; `n` is the number of points."""
    clicked = taken_row("tiles")
    if clicked is not None:
        # A tile of the examples gives its row, one of the neighbours its row and n.
        first = {"first": clicked + 1, "second": 0} if clicked < n else {"second": min(clicked - n, n - 1) + 1}
        state.apply(first)


def neighbours_view(view: Hashed, dataset: Dataset, data_key: Hashable, one: int, two: int) -> None:
    """An example, its nearest points exactly and by code, and the codes of two points side by side."""
    points, n, k = view.points, len(view.points.original), min(_CARD, len(view.points.original) - 1)
    exact = exact_order(points, one, k)
    distance = hamming_pairs(view.codes, np.full(n, one), np.arange(n))
    distance[one] = view.codes.shape[1] + 1
    by_code = np.argsort(distance, kind="stable")[:k]
    right = np.isin(by_code, exact)
    examples = points.queries[np.linspace(0, len(points.queries) - 1, min(_COLUMNS, len(points.queries))).astype(int)]
    tiles = [_tile(dataset, data_key, 0, c, r, r, "", COLOURS[1] if r == one else "") for c, r in enumerate(examples)]
    frame = COLOURS[1]
    tiles.append(_tile(dataset, data_key, 1, 0, one, one, "", frame))
    for column, row in enumerate(exact):
        chosen = frame if row == two else ""
        tiles.append(_tile(dataset, data_key, 1, column + 2, row, n + row, f"{distance[row]}", chosen))
    for column, row in enumerate(by_code):
        mark = "✓" if right[column] else "✗"
        colour = COLOURS[2] if right[column] else _WRONG
        tiles.append(_tile(dataset, data_key, 2, column + 2, row, n + row, f"{mark} {distance[row]}", colour))
    titles = [
        "Click an example",
        "Its exact nearest, with symbols that differ",
        f"Nearest by Hamming distance: {right.sum()} of {k} right",
    ]
    figure = plot_tiles(tiles, titles, _COLUMNS, revision=str(view.key))
    layout.chart(figure, "tiles", f"{titles[2]}, for the point of row {one + 1}.", clickable=True, secondary=True)
    _two_codes(view, one, two)


def _two_codes(view: Hashed, one: int, two: int) -> None:
    m = view.codes.shape[1]
    law = law_of(view.points, view.scheme, view.setting)
    apart, differing = view.place(one, two)
    mean = float(law.band(np.array([apart]), m)[0][0])
    st.markdown(f"**Two codes side by side**: rows {one + 1} and {two + 1}"
                + (f", the first {STRIP} of {m:,} symbols" if m > STRIP else ""))  # fmt: skip
    figure = plot_strips(view.codes[one], view.codes[two], (f"row {one + 1}", f"row {two + 1}"), view.scheme)
    layout.chart(figure, "strips", f"{1 - differing:.1%} of the symbols of two codes agree.", secondary=True)
    unit = "°" if law.reach == 180.0 else ""
    deviation = float(np.sqrt(mean * (1 - mean) / m))
    layout.explain(text.agreement(differing, mean, deviation, f"{apart:.1f}{unit}" if unit else f"{apart:.3g}"))


def _tile(
    dataset: Dataset, data_key: Hashable, row: int, column: int, point: int, value: int, caption: str, frame: str
) -> Tile:
    point = int(point)
    picture = images.thumbnails(dataset, data_key, np.array([point]), [frame])[0] if dataset.image_shape else ""
    name = f"row {point + 1}"
    if dataset.y is not None and dataset.target_names:
        name += f": {dataset.target_names[int(dataset.y[point])]}"
    return Tile(row, int(column), int(value), caption, picture, name, frame)


def recall_view(state: PageState, source: Source, look: Recall, view: Hashed) -> RecallResult | None:
    """Recall against the length of codes, and what each search costs; gives what it shows."""
    if not look.pools:
        st.info("Choose at least one pool size.")
        return None
    stop = st.empty()
    if look.draws * look.longest * max(look.pools) * len(view.points.original) > 2e8:
        stop.button(
            "Stop", on_click=state.apply, args=({"draws": 1, "longest": 128},),
            key=f"{state.page}:stop:{(source.key, look)}",
        )  # fmt: skip
    try:
        result = closer(source, look, view, results)
    finally:
        stop.empty()
    chart = closer_chart(source, look, result)
    layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
    layout.explain(chart.words)
    formats = {"recall": "%.3f", "bytes a point": "%d", "ms to hash a query": "%.3f", "ms to search": "%.3f"}
    layout.numbers(result.costs(), formats, "Measured just now, in batches; exact search in float32.")
    return result


def spread_view(source: Source, look: NearFar, view: Hashed) -> NearFarResult:
    """Hamming distances of near and far pairs; gives what it shows."""
    result = closer(source, look, view, results)
    chart = closer_chart(source, look, result)
    layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
    layout.explain(chart.words)
    return result
