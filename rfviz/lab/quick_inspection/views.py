"""The layout of the quick inspection: three maps, the row that was picked, the findings as they come."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.datasets import Dataset
from rfviz.errors import RfvizError
from rfviz.figures.embedding import PICKED, PointStyle, plot_embedding
from rfviz.figures.template import COLOURS, SEQUENCE, SYMBOLS
from rfviz.figures.thumbnails import place_thumbnails
from rfviz.lab.cache import Cache
from rfviz.lab.controls import Control
from rfviz.lab.export import write_csv
from rfviz.lab.finding import STATUSES, Finding, verdict
from rfviz.lab.page import Chart
from rfviz.lab.panel import ScaledData
from rfviz.lab.quick_inspection.animation import over_rounds
from rfviz.lab.quick_inspection.compute import Inspection, InspectionResult
from rfviz.lab.quick_inspection.drift import AUTOMATIC
from rfviz.lab.quick_inspection.figures import (
    inspection_style,
    plot_acting,
    plot_dependence,
    plot_distances,
    plot_drift,
    plot_importances,
    plot_pair,
    plot_structure,
    plot_uncertainty,
)
from rfviz.lab.quick_inspection.maps import MAP_NAMES, MapResult
from rfviz.lab.quick_inspection.page import InspectedData, Settings
from rfviz.lab.quick_inspection.sample import MAP_ROWS, WORK_ROWS, Sample, column_name, nearest_rows
from rfviz.lab.quick_inspection.text import METHOD, count, share
from rfviz.lab.quick_inspection.uncertainty import SetResult
from rfviz.ui import layout
from rfviz.ui.cache import SessionCache
from rfviz.ui.controls import draw_word
from rfviz.ui.links import data_values, page_link
from rfviz.ui.own_data.comparison import offer_comparison
from rfviz.ui.page import View
from rfviz.ui.plain import plain
from rfviz.ui.share import share_place
from rfviz.ui.widgets import images
from rfviz.ui.widgets.live_chart import taken_row
from rfviz.ui.widgets.play import chart_bar

__all__ = ["InspectionView"]

# Title of each map and its tooltip.
_TITLES = {
    "map-plain": ("PCA", "The two directions along which the rows themselves vary most: their principal components."),
    "map-maxout": ("Maxout-PCA", "Principal components of 1,000 random maxout features: each is the largest of 8 "
                   "random projections."),
    "map-fourier": ("Fourier-PCA", "Principal components of 1,000 random Fourier features: cosines of random "
                    "projections, whose inner products estimate a Gaussian kernel."),
}  # fmt: skip
_HEIGHT, _THUMBNAILS = 330, 60
_LEGEND = 12
# Cards of findings at most; rows and columns of the file that a card shows.
_SLOTS, _SHOWN_ROWS, _MOST_CELLS = 18, 200, 40
# Images whose label is contradicted, on the card and below.
_IMAGES, _MORE_IMAGES = 4, 48
_NEIGHBOURS, _COLUMNS, _OUTLIERS = 5, 8, 6
_ICONS = {
    "warning": ":red[:material/error:]", "look": ":orange[:material/visibility:]",
    "fine": ":green[:material/check_circle:]", "unknown": ":gray[:material/remove_circle_outline:]",
}  # fmt: skip
_MARKS = dict(zip(SYMBOLS, "●◆■▲✚★", strict=True))


def draw_colour(view: InspectionView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the choice of colours, with arrows that step through."""
    names, state = control.options, view.state
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="colour-steps"):
        draw_word(control, key, on_change)
        place = names.index(st.session_state[key])
        for label, step, word in (("‹", -1, "Previous"), ("›", 1, "Next")):
            st.button(label, help=f"{word} colouring", key=f"{state.page}:colour:{word}", on_click=state.apply,
                      args=({"colour": names[(place + step) % len(names)]},))  # fmt: skip


def draw_compared(view: InspectionView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the choice of what is compared, and below it a place for a second file."""
    draw_word(control, key, on_change)
    offer_comparison(view.state, {"compare": AUTOMATIC})


class InspectionView(View[InspectedData, Settings, InspectionResult]):
    """Maps, the row that was picked, and findings, each as soon as it is known."""

    widgets: ClassVar = {"colour": draw_colour, "compare": draw_compared}

    inspection: Inspection
    #: The line below the picked row, filled when all is computed.
    below_row: Any

    def prepare(self) -> None:
        """Make a point that was clicked in a map the row to show."""
        for key in MAP_NAMES:
            place = taken_row(key)
            if place is not None:
                with suppress(RfvizError):
                    rows = self.source.inspect(SessionCache()).sample(MAP_ROWS).rows
                    if place < len(rows):
                        self.state.apply({"row": int(rows[place]) + 1})

    def preview(self, settings: Settings) -> None:
        inspection = self.inspection = self.source.inspect(self.cache)
        inspection.sample(MAP_ROWS)
        try:
            maps = inspection.maps()
        except RfvizError as error:
            st.info(f"No map can be drawn. {error}")
        else:
            self._show_maps(maps, settings)
        with st.container(key="picked-row"):
            self._show_row(inspection.sample(WORK_ROWS), settings.row)
        self.below_row, limits = st.container(), inspection.limits()
        heading, found = st.empty(), []
        heading.subheader("Looking …", anchor=False)
        with st.container(key="findings"):
            slots = [st.empty() for _ in range(_SLOTS)] if self._are_new_data() else []
            for number, finding in enumerate(inspection.findings()):
                found.append(finding)
                slot = slots[number] if number < len(slots) else st.empty()
                with slot.container(border=True, key=f"finding-{number}"):
                    self._show_finding(finding)
        heading.subheader(verdict(found), anchor=False)
        if limits:
            st.caption(limits)

    def draw(self, settings: Settings, result: InspectionResult, charts: Sequence[Chart]) -> None:
        with self.below_row, st.container(horizontal=True, key="inspection-bar-row"):
            self._show_outliers()
            share_place(self.state)
        self.share(settings, result)
        self.draw_details(settings, result, charts)

    def details(
        self, settings: Settings, result: InspectionResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        revision = str(self.source.data.key)
        parts = {
            "Distances of pairs": partial(_distances, revision=revision),
            "Linear model against random features": partial(_structure, revision=revision),
            "Interactions": self._interactions,
            "Outliers and copies": _rows,
            "Label errors": self._labels,
            "Uncertainty": partial(_uncertainty, revision=revision),
            "Columns": _columns,
            "Drift": partial(_drift, revision=revision),
            "Dependence": partial(_dependence, revision=revision),
            "Dimension": _dimension,
        }
        shown = {title: partial(_or_reason, part, self.inspection) for title, part in parts.items()}
        return shown | {"How it is computed": lambda: st.markdown(METHOD)}

    def _are_new_data(self) -> bool:
        """Return whether other data were inspected before, whose findings must not stand next to these."""
        key = f"{self.state.page}:inspected"
        shown = repr((self.source.data.key, self.source.normalise))
        before, st.session_state[key] = st.session_state.get(key), shown
        return before != shown

    def _show_maps(self, result: MapResult, settings: Settings) -> None:
        """Draw the three maps next to each other, and what their colours mean."""
        rows = result.sample.places
        style = self.cache.call(style_of, self.inspection.source, settings.colour)
        picked = result.sample.place_of(settings.row)
        with st.container(key="inspection-maps"):
            for name, projection in zip(MAP_NAMES, result.projections, strict=True):
                with st.container():
                    title, help = _TITLES[name]
                    st.markdown(f"**{title}**", help=help)
                    marks = self._marks(rows, projection.coordinates, style, picked)
                    figure = plot_embedding(
                        projection, style, height=_HEIGHT, thumbnails=marks, selected=picked, legend=False,
                        compact=True, revision=str(self.source.data.key),
                    )  # fmt: skip
                    words = f"{projection.title} of {len(rows):,} rows, coloured by {style.title or 'nothing'}."
                    layout.chart(figure, name, words, clickable=True, secondary=name != MAP_NAMES[0], square=True)
            st.html(_legend(style))

    def _marks(
        self, rows: np.ndarray, Z: np.ndarray, style: PointStyle, picked: int | None
    ) -> tuple[np.ndarray, list[str], float] | None:
        """Return the images that are drawn in place of their points, where the data are images."""
        dataset = self.source.dataset
        if not dataset.image_shape:
            return None
        aspect = dataset.image_shape[0] / dataset.image_shape[1]
        places = place_thumbnails(Z, aspect, _THUMBNAILS)
        frames = [PICKED if place == picked else style.colours[place] for place in places]
        return places, images.thumbnails(self.source.data, rows[places], frames, self.cache), aspect

    def _show_row(self, sample: Sample, row: int | None) -> None:
        """Draw a row of the file, and those nearest to it."""
        if row is None:
            st.caption("Click a point to see its row and the rows nearest to it.")
            return
        dataset = self.inspection.dataset
        numbers = dataset.row_numbers
        place = int(np.searchsorted(numbers, row))
        if place == len(numbers) or numbers[place] != row:
            st.markdown(f"**Row {row + 1:,}** is not among the {len(numbers):,} rows whose distances are known")
            self._show_cells(np.array([row]), {})
            return
        near, apart = nearest_rows(sample, dataset, row, _NEIGHBOURS)
        rows = np.concatenate([[row], near])
        places = np.searchsorted(numbers, rows)
        st.markdown(
            f"**Row {row + 1:,}{plain(_label(dataset, place))}**, and the {len(near)} rows nearest to it, with their "
            "distance"
        )
        if dataset.image_shape:
            distances = ["", *(f" ({distance:.3g})" for distance in apart)]
            captions = [
                f"row {r + 1:,}{_label(dataset, p)}{text}" for r, p, text in zip(rows, places, distances, strict=True)
            ]
            st.html(images.gallery(self.source.data, places, captions, self.cache))
            return
        unusual, deviations = _unusual(dataset, sample, place)
        first: dict[str, Any] = {"row": rows + 1, "distance": np.concatenate([[0.0], apart])}
        if dataset.y is not None:
            first["label"] = [_label(dataset, p)[3:] for p in places]
        if self.source.dataset.origin is None:
            table = pd.DataFrame(first)
            for column in unusual:
                table[column_name(dataset, column)] = dataset.X[places, column]
            _draw_rows(table)
        else:
            sources = self.source.dataset.origin.sources
            self._show_cells(rows, first, [sources[column] for column in unusual])
        if deviations[0] > 0:
            name = column_name(dataset, unusual[0])
            most = f"most unusual in “{name}”, {deviations[0]:.1f} standard deviations off the mean"
            st.caption(f"It is {plain(most)}. {plain(dataset.provenance)}")

    def _show_cells(self, rows: np.ndarray, first: Mapping[str, Any], before: Sequence[str] = ()) -> None:
        """Draw rows as the file has them, some columns before the others."""
        raw = self.inspection.raw
        names = list(dict.fromkeys([*before, *raw.table.names]))[:_MOST_CELLS]
        cells = raw.cells(names, rows)
        if not first:
            cells.insert(0, "row ", rows + 1)
        table = pd.concat([pd.DataFrame(first), cells.rename(columns={name: f"{name} " for name in first})], axis=1)
        _draw_rows(table)

    def _show_finding(self, finding: Finding) -> None:
        """Draw a finding, with a link to the page that shows it."""
        st.markdown(f"{_ICONS[finding.status]} **{plain(finding.name)}** :small[:gray[{STATUSES[finding.status]}]]")
        st.markdown(plain(finding.text))
        if finding.name == "Label errors" and len(finding.rows):
            self._show_images(_IMAGES)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            if finding.page:
                page_link(finding.page, data_values(self.state) | dict(finding.values), "Shows these data there")
            if len(finding.rows) and not self.source.dataset.image_shape:
                self._offer_rows(finding)

    def _show_images(self, most: int) -> None:
        """Draw images whose label is contradicted, with what they look like."""
        if not self.source.dataset.image_shape:
            return
        found = self.inspection.labels()
        pairs = list(zip(found.rows, found.given, found.proposed, strict=True))[:most]
        words = [f"row {row + 1:,}: {given} → {proposed}?" for row, given, proposed in pairs]
        st.html(images.gallery(self.source.data, found.places[:most], words, self.cache))

    def _labels(self, inspection: Inspection) -> None:
        if self.source.dataset.y is None:
            st.markdown("There are no labels.")
            return
        if not self.source.dataset.target_names:
            layout.numbers(inspection.targets().to_frame(), note="The most certain first.")
            return
        found = inspection.labels()
        if not len(found.rows):
            st.markdown("No label is contradicted.")
            return
        self._show_images(_MORE_IMAGES)
        note = "The most certain first. A margin of −2: as unlike its own class as a typical row of the other one."
        layout.numbers(found.to_frame(), {"margin": "%.2f"}, note)

    def _interactions(self, inspection: Inspection) -> None:
        if inspection.source.dataset.image_shape:
            st.markdown("The columns are pixels.")
            return
        result, key, name = inspection.interactions(), self.source.data.key, "inspection-importances"
        if result.shown:
            one, other = (result.names[column] for column in result.shown)
            words = f"The label by {one} and {other}, in cells of about as many rows each way."
            layout.chart(plot_acting(result, str(key)), "inspection-acting", words)
            layout.explain(
                f"A cell holds a twelfth of the rows by “{plain(one)}” across, and a twelfth by “{plain(other)}” up. "
                "Where columns do not act together, all lines of cells have the same pattern, lighter or darker."
            )
        layout.chart(plot_importances(result, str(key)), name, "Importance of columns, by round of the search.")
        chart_bar(self.state, name, [over_rounds(result, name, key)])
        layout.explain(
            "How much each column matters to what curves of single columns leave unexplained, in "
            f"{result.found.n_search:,} rows. Each round weighs the columns by the importance found in the one before, "
            "so that the picture sharpens where columns act together; where none do, chance alone decides."
        )

    def _offer_rows(self, finding: Finding) -> None:
        """Draw a button that opens the rows of a finding as the file has them, and offers them as a file."""
        raw, n = self.inspection.raw, len(finding.rows)
        others = [name for name in raw.table.names if name not in finding.columns]
        names = [name for name in finding.columns if name in raw.table] + others

        def table(most: int | None = None) -> pd.DataFrame:
            cells = raw.cells(names[:_MOST_CELLS] if most else names, finding.rows[:most] - 1)
            cells.insert(0, "row" if "row" not in cells else "row of the file", finding.rows[:most])
            return cells

        with st.popover(f"{n:,} row{'s' * (n > 1)}", icon=":material/table_rows:", type="tertiary"):
            st.caption(
                "The rows as the file has them. Row 1 is the first below the names of the columns: with pandas, "
                "`df.drop(df.index[row - 1])` drops one."
            )
            _draw_rows(table(_SHOWN_ROWS))
            more = f"The first {_SHOWN_ROWS} of {n:,} are shown. " if n > _SHOWN_ROWS else ""
            st.caption(f"{more}The file holds all of them.")
            st.download_button(
                "Download", lambda: write_csv(table()), f"{finding.name.lower().replace(' ', '-')}-rows.csv",
                "text/csv",
                icon=":material/download:", on_click="ignore", key=f"{self.state.page}:rows:{finding.name}",
            )  # fmt: skip

    def _show_outliers(self) -> None:
        """Draw a button for each of the most outlying rows, which shows it."""
        try:
            rows = self.inspection.outliers().outliers(_OUTLIERS) + 1
        except RfvizError:  # the findings say why
            return
        state = self.state
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="outlying-rows"):
            st.markdown("Most outlying rows:", width="content")
            for row in rows.tolist():
                st.button(f"{row:,}", type="tertiary", key=f"{state.page}:outlier:{row}", on_click=state.apply,
                          args=({"row": row},), help=f"Show row {row:,}")  # fmt: skip


def style_of(source: ScaledData, colour: str, *, cache: Cache) -> PointStyle:
    """Return the colours of the rows in the maps."""
    inspection = Inspection(source.data, source.normalise, cache=cache)
    places, uncertainty = inspection.sample(MAP_ROWS).places, inspection.shown_uncertainty(colour)
    return inspection_style(inspection.dataset, places, colour, inspection.raw, uncertainty)


def _draw_rows(table: pd.DataFrame) -> None:
    """Draw rows with numbers as they are; what the browser cannot hold exactly, as text."""
    for name in table.columns:
        column = table[name]
        is_long = column.dtype.kind in "iu" and any(abs(value) > 2**53 for value in column.tolist())
        if is_long or column.dtype == object:
            table[name] = [None if pd.isna(value) else str(value) for value in column]
    st.dataframe(table, hide_index=True, height="content" if len(table) < 8 else 300,
                 column_config={"distance": st.column_config.NumberColumn(format="%.3g")})  # fmt: skip


def _short(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _legend(style: PointStyle) -> str:
    """Return what the colours mean, as a line of HTML: classes, or a scale."""
    if style.values is not None:
        stops = ", ".join(f"{colour} {100 * place:.0f}%" for place, colour in SEQUENCE)
        low, high = float(style.values.min()), float(style.values.max())
        bar = f'<i class="scale" style="background: linear-gradient(90deg, {stops})"></i>'
        inner = f"<span>{html.escape(style.title)}</span><span>{_short(low)} {bar} {_short(high)}</span>"
    else:
        inner = "".join(
            f'<span><b style="color: {COLOURS[i % len(COLOURS)]}">{_MARKS[SYMBOLS[i // len(COLOURS) % len(SYMBOLS)]]}'
            f"</b> {html.escape(name)}</span>"
            for i, (name, _) in enumerate(style.groups[:_LEGEND])
        )
        inner += f"<span>and {len(style.groups) - _LEGEND} more</span>" if len(style.groups) > _LEGEND else ""
    return f'<div class="rfviz-legend">{inner}</div>'


def _unusual(dataset: Dataset, sample: Sample, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns in which a row is farthest off the mean, the farthest first, and its standard deviations."""
    X = dataset.X[sample.places].astype(np.float64)
    spread = X.std(axis=0)
    off = np.abs(dataset.X[place] - X.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    columns = np.argsort(-off, kind="stable")[:_COLUMNS]
    return columns, off[columns]


def _label(dataset: Dataset, place: int) -> str:
    if dataset.y is None:
        return ""
    name = dataset.target_names[int(dataset.y[place])] if dataset.target_names else f"{dataset.y[place]:.4g}"
    return f" · {name}"


def _or_reason(draw: Callable[[Inspection], None], inspection: Inspection) -> None:
    """Draw a part, or the reason why these data have none."""
    try:
        draw(inspection)
    except RfvizError as error:
        st.info(str(error))


def _distances(inspection: Inspection, revision: str) -> None:
    result = inspection.distances()
    figure = plot_distances(result, revision)
    layout.chart(figure, "inspection-distances", "Histogram of the distances of pairs, and the map’s distances.")
    layout.explain(
        "Grey: distances between the rows. Curve: their distances after a random Fourier map with the width that the "
        f"median rule suggests (γ = {result.gamma_median:.3g}, σ = {(0.5 / result.gamma_median) ** 0.5:.3g}; the rule "
        f"“scale” gives {result.gamma_scale:.3g}). At {result.reach:.3g} the curve reaches nine tenths of its maximum. "
        f"{share(result.beyond)} of the pairs are farther apart: the map forgets their distance."
    )


def _structure(inspection: Inspection, revision: str) -> None:
    result = inspection.structure()
    figure = plot_structure(result, revision)
    layout.chart(figure, "inspection-structure", "Scores of random features against their number, and a linear model.")
    layout.numbers(result.to_frame(), {"standard error": "%.4f", "right labels": "%.4f", "R²": "%.4f"},
                   f"Cross-validated on {result.n_rows:,} rows in {result.n_folds} parts.")  # fmt: skip


def _uncertainty(inspection: Inspection, revision: str) -> None:
    if inspection.source.dataset.y is None:
        st.markdown("There are no labels.")
        return
    result, frame = inspection.uncertainty(), None
    figure = plot_uncertainty(result, revision)
    if isinstance(result, SetResult):
        layout.chart(figure, "inspection-uncertainty", "How many classes rows of each class can have.")
        frame, note = result.to_frame(), "Rows that can have several classes, counted from 1."
    else:
        words = "Residuals with intervals of one width and of widths of their own."
        layout.chart(figure, "inspection-uncertainty", words)
        layout.explain(
            "Nine tenths of the rows lie between the dotted lines, and between their own: where these open, the noise "
            "is larger. Each row is predicted by all others."
        )
        frame, note = result.to_frame(), "The rows with the widest intervals, counted from 1."
    if len(frame):
        layout.numbers(frame, dict.fromkeys(["target", "predicted", "half-width"], "%.4g"), note)


def _rows(inspection: Inspection) -> None:
    near = inspection.outliers().to_frame()
    layout.numbers(near, dict.fromkeys(near.columns[1:], "%.3g"), "The most outlying rows, counted from 1.")
    copies = inspection.copies()
    if copies.n_extra:
        layout.numbers(copies.to_frame(), note="The largest groups of equal rows.")
    pairs = inspection.near_copies()
    if len(pairs.pairs):
        note = f"The nearest different rows; a pair counts up to a distance of {pairs.threshold:.3g}."
        layout.numbers(pairs.to_frame(), {"distance": "%.3g"}, note)


def _columns(inspection: Inspection) -> None:
    if inspection.source.dataset.image_shape:
        st.markdown("The columns are pixels.")
        return
    odd, gaps, values = (
        part.to_frame() for part in (inspection.columns(), inspection.missing(), inspection.odd_values())
    )
    if not len(odd) + len(gaps) + len(values):
        st.markdown("No column stands out.")
    if len(odd):
        layout.numbers(odd.head(200))
    if len(gaps):
        layout.numbers(gaps.head(200), {"missing": "percent", "depends on the label": "%.2f"}, "Missing values.")
    if len(values):
        layout.numbers(values.head(200), note="Odd values.")
    leaks = inspection.leaks()
    if leaks is not None:
        layout.numbers(leaks.to_frame(), {"right labels": "%.4f", "R²": "%.4f"},
                       "How well single columns, or two, predict the label, cross-validated.")  # fmt: skip


def _drift(inspection: Inspection, revision: str) -> None:
    drift = inspection.drift()
    if drift is None:
        st.markdown("The order of these rows means nothing, and there are no parts to compare.")
        return
    figure = plot_drift(drift, revision)
    if figure is not None:
        layout.chart(figure, "inspection-drift", "What differs most between the two parts, drawn for both.")
    first, second = (f"{part.name} ({count(len(part.rows), 'row')})" for part in (drift.first, drift.second))
    gaps = {"missing in the first": "percent", "missing in the second": "percent"}
    layout.numbers(drift.to_frame().head(200), {"distance": "%.3f", "p-value": "%.4f"} | gaps,
                   f"Compared: {first} and {second}. Distance: the largest difference of the distribution functions. "
                   "P-values count the number of columns.")  # fmt: skip


def _dependence(inspection: Inspection, revision: str) -> None:
    if inspection.source.dataset.image_shape:
        st.markdown("The columns are pixels.")
        return
    dependence = inspection.dependence()
    figure = plot_dependence(dependence, revision)
    layout.chart(figure, "inspection-dependence", "How strongly each pair of columns depends on each other.")
    layout.explain("The stronger the colour, the more two columns depend on each other.")
    pair = plot_pair(dependence, revision)
    if pair is None:
        st.markdown("No two columns depend on each other.")
        return
    layout.chart(pair, "inspection-pair", "Rows in the two columns that depend most without correlating, or else most.")
    formats = {"dependence": "%.3f", "rank correlation": "%.3f", "p-value": "%.2g"}
    note = "Dependence: the largest correlation of a function of one column with a function of the other, 0 to 1. "
    given = st.selectbox(
        "Compare rows with the same", dependence.names, None, key=f"inspection-held:{revision}",
        placeholder="any value", width=280,
        help="Two columns may depend on each other only because both depend on a third one. Choose that one, and each "
        "pair is looked at among rows that agree in it.",
    )  # fmt: skip
    if given is None:
        note += "Pairs that hardly correlate come first. P-values count the number of pairs."
        layout.numbers(dependence.to_frame(), formats, note)
        return
    held = inspection.held_constant(given)
    st.markdown(plain(str(held)))
    if held.names:
        layout.numbers(held.to_frame(), formats | {f"at the same {given}": "%.3f"}, f"{note}P-values are of the rows "
                       "with the same value, and count the number of pairs.")  # fmt: skip


def _dimension(inspection: Inspection) -> None:
    result = inspection.dimension()
    formats = {"dimension": "%.2f", "standard error": "%.2f"}
    layout.numbers(result.to_frame(), formats, f"From {result.n_rows:,} different rows.")
