"""The layout of the page on hashing: codes by example, recall, near and far pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import streamlit as st

from rfviz.analysis.pool import first_pool
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart, revision
from rfviz.experiments.hashing.compute import first_places, law_of, nearest_pair, pair_place
from rfviz.experiments.hashing.experiment import Comparison, Hashing, HashingResult
from rfviz.experiments.hashing.figures import STRIP, plot_strips
from rfviz.experiments.hashing.hamming import hamming_pairs
from rfviz.experiments.hashing.points import exact_order
from rfviz.experiments.hashing.recall import RecallResult
from rfviz.figures.template import COLOURS
from rfviz.figures.tiles import Tile, plot_tiles
from rfviz.figures.traces import literal
from rfviz.lab.controls import Control
from rfviz.lab.hashing import text
from rfviz.lab.hashing.settings import Source
from rfviz.ui import layout
from rfviz.ui.cache import session_cache
from rfviz.ui.page import CLICK_A_PAIR, STEPS, View
from rfviz.ui.session import SessionValue
from rfviz.ui.widgets import images
from rfviz.ui.widgets.live_chart import selected_places, selected_row
from rfviz.ui.widgets.mechanism import MOST_POINTS, POINT_AT_A_PAIR, mechanism
from rfviz.words import number, per_cent

__all__ = ["HashingView"]

# The rows of a pair that was clicked, until the page is drawn again.
_CLICKED = SessionValue[tuple[int, int] | None]("clicked pair", lambda: None)
_NEIGHBOURS, _COLUMNS = 7, 9
_WRONG = "#c0392b"


def draw_look(view: HashingView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the choice of the closer look as one line, although the names are long."""
    st.segmented_control(control.label, control.options, required=True, key=key, on_change=on_change)


class HashingView(View[Source, Hashing, HashingResult]):
    """The main chart, which is drawn first, and below it the choice of a closer look with controls of its own."""

    widgets: ClassVar = {"look": draw_look}

    def prepare(self) -> None:
        clicked, n = selected_row("tiles"), self.source.n_points
        if clicked is not None:
            # A tile of the examples gives its row, one of the neighbours its row and n.
            chosen = {"first": clicked + 1, "second": 0} if clicked < n else {"second": min(clicked - n, n - 1) + 1}
            self.state.apply(chosen)
        if rows := _CLICKED.pop():
            self.state.apply({"look": "Neighbours", "first": rows[0] + 1, "second": rows[1] + 1})
            self.export(rows)
        self.panel.places["controls"] = st.container()
        self.main = self.refusals = st.container()

    def preview(self, settings: Hashing) -> None:
        with self.main:
            comparison = settings.compare(self.source.data, session_cache())
            chart = settings.main_chart(self.source.data, comparison)
            may_choose = all(map(self.state.shows, ("look", "first", "second")))
            if may_choose and (clicks := selected_places(chart.name)):
                codes = comparison.codes
                rows = nearest_pair(comparison.points, settings.spec, codes, clicks[-1])
                _CLICKED.set(rows)
                st.rerun()  # to set controls that have been drawn
            animations = self.animations(settings, HashingResult(comparison, None))
            layout.chart(chart.figure, chart.name, chart.alt, placing=may_choose, animations=animations)
            layout.explain(chart.words)
            pool = first_pool(comparison.points, settings.spec, MOST_POINTS)
            if pool is not None:
                x, y = first_places(comparison.points, settings.spec, comparison.codes, MOST_POINTS)
                mechanism(chart.name, pool, x, y, (0.0, float(x.max()) or 1.0, 0.0, 1.0))
            told = [text.TERMS, *([CLICK_A_PAIR] if may_choose else []), *([POINT_AT_A_PAIR] if pool else [])]
            st.caption(" ".join(told))
        self.refusals = st.container()

    def refuse(self, settings: Hashing, error: RfvizError) -> None:
        with self.refusals:
            super().refuse(settings, error)

    def draw(self, settings: Hashing, result: HashingResult, charts: Sequence[Chart]) -> None:
        if settings.look == "Neighbours":
            self._draw_neighbours(settings, result.comparison)
        elif len(charts) == 1:
            st.info("Choose at least one pool size.")
        for chart in charts[1:]:
            layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
            layout.explain(chart.words)
        if isinstance(result.closer, RecallResult):
            formats = {"recall": "%.3f", "bytes a point": "%d", "ms to hash a query": "%.3f", "ms to search": "%.3f"}
            layout.numbers(result.closer.costs(), formats, text.COSTS)
        self.share(settings, result)
        self.draw_details(settings, result, charts)

    def details(
        self, settings: Hashing, result: HashingResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        found = result.comparison.result
        shares = ["differing, measured", "differing, exact", "s.d. of a pair"]
        formats = {"distance": "%.1f"} | dict.fromkeys(shares, "%.4f")
        note = (
            f"Each row averages the pairs of one column of the main chart. Distance: {found.title}. {found.cls.label}."
        )
        return {
            STEPS: lambda: self.steps(settings),
            "Numbers": lambda: layout.numbers(found.to_frame(), formats, note),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }

    def _draw_neighbours(self, settings: Hashing, comparison: Comparison) -> None:
        """Draw an example, its nearest points exactly and by code, and the codes of two points side by side."""
        points, codes = comparison.points, comparison.codes
        (one, two), n = settings.rows(points), len(points.original)
        k = min(_NEIGHBOURS, n - 1)
        exact = exact_order(points, one, k)
        distance = hamming_pairs(codes, np.full(n, one), np.arange(n))
        distance[one] = codes.shape[1] + 1
        by_code = np.argsort(distance, kind="stable")[:k]
        right = np.isin(by_code, exact)
        shown = min(_COLUMNS, len(points.queries))
        examples = points.queries[np.linspace(0, len(points.queries) - 1, shown).astype(int)]
        chosen = COLOURS[1]
        tiles = [self._tile(0, c, row, row, "", chosen if row == one else "") for c, row in enumerate(examples)]
        tiles.append(self._tile(1, 0, one, one, "", chosen))
        for column, row in enumerate(exact, 2):
            tiles.append(self._tile(1, column, row, n + row, f"{distance[row]}", chosen if row == two else ""))
        for column, (row, is_right) in enumerate(zip(by_code, right, strict=True), 2):
            caption, frame = f"{'✓' if is_right else '✗'} {distance[row]}", COLOURS[2] if is_right else _WRONG
            tiles.append(self._tile(2, column, row, n + row, caption, frame))
        titles = [
            "Click an example",
            "Its exact nearest, with symbols that differ",
            f"Nearest by Hamming distance: {right.sum()} of {k} right",
        ]
        figure = plot_tiles(tiles, titles, _COLUMNS, revision(self.source, settings.spec))
        layout.chart(figure, "tiles", f"{titles[2]}, for the point of row {one + 1}.", clickable=True, secondary=True)
        self._draw_codes(settings, comparison, one, two)

    def _tile(self, row: int, column: int, point: int, value: int, caption: str, frame: str) -> Tile:
        dataset, point, picture = self.source.dataset, int(point), ""
        if dataset.image_shape:
            picture = images.thumbnails(self.source.data, np.array([point]), [frame], self.cache)[0]
        name = f"row {point + 1}"
        if dataset.y is not None and dataset.target_names:
            name += f": {dataset.target_names[int(dataset.y[point])]}"
        return Tile(row, column, int(value), caption, picture, literal(name), frame)

    def _draw_codes(self, settings: Hashing, comparison: Comparison, one: int, two: int) -> None:
        """Draw the codes of two rows side by side."""
        points, codes, m = comparison.points, comparison.codes, comparison.codes.shape[1]
        law = law_of(points, settings.spec)
        apart, differing = pair_place(points, settings.spec, codes, one, two)
        expected = float(law.band(np.array([apart]), m)[0][0])
        which = f", the first {STRIP} of {m:,} symbols" if m > STRIP else ""
        st.markdown(f"**Two codes side by side**: rows {one + 1} and {two + 1}{which}")
        names = f"row {one + 1}", f"row {two + 1}"
        figure = plot_strips(codes[one], codes[two], names, settings.spec.cls)
        layout.chart(figure, "strips", f"{per_cent(1 - differing)} of the symbols of two codes agree.", secondary=True)
        where = f"{apart:.1f}°" if law.reach == 180.0 else number(apart)
        layout.explain(text.agreement(differing, expected, float(np.sqrt(expected * (1 - expected) / m)), where))
