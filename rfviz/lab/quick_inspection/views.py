"""The layout of the quick inspection: three maps, the row that was picked, the findings as they come."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.embedding import Projection
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.features import FeatureMap, MapSpec, RandomMaxout
from rfviz.figures.embedding import PICKED, PointStyle, plot_embedding
from rfviz.figures.template import COLOURS, SEQUENCE, SIGNS, SYMBOLS
from rfviz.figures.thumbnails import place_thumbnails
from rfviz.inspection.dependence import AtTheSame
from rfviz.inspection.drift import AUTOMATIC
from rfviz.inspection.finding import STATUSES, Finding, verdict
from rfviz.inspection.inspection import InspectedData, Inspection
from rfviz.inspection.maps import MAP_NAMES, MapResult, inspection_style
from rfviz.inspection.question import Question
from rfviz.inspection.questions import QUESTIONS
from rfviz.inspection.sample import MAP_ROWS, WORK_ROWS, Sample, column_name, nearest_rows
from rfviz.lab.controls import Control
from rfviz.lab.export import write_csv
from rfviz.lab.quick_inspection.animation import over_rounds
from rfviz.lab.quick_inspection.page import APART, PAGE, InspectionResult, Settings, shown_uncertainty
from rfviz.ui import layout
from rfviz.ui.cache import SessionCache
from rfviz.ui.controls import draw_word
from rfviz.ui.links import data_values, page_link
from rfviz.ui.own_data.comparison import offer_comparison
from rfviz.ui.page import View
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue, widget_value
from rfviz.ui.share import share_place
from rfviz.ui.streamlit_private import has_open_dialog
from rfviz.ui.widgets import images
from rfviz.ui.widgets.live_chart import selected_row
from rfviz.ui.widgets.play import chart_bar
from rfviz.words import counted

__all__ = ["InspectionView"]

# Title of each map and its tooltip; of the second, that of the map that was chosen.
_PLAIN = ("PCA", "The two directions along which the rows themselves vary most: their principal components.")
_FOURIER = (
    "Fourier-PCA",
    "Principal components of 1,000 random Fourier features: cosines of random projections, whose inner products "
    "estimate a Gaussian kernel.",
)
_ROWS_AND_MAPS = """
**Rows.** Columns, missing and odd values, exact copies and the counts of labels are those of all rows, as the file has
them. What needs distances or learning uses rows drawn at random, always the same ones: maps 1,000, distances and
neighbours 10,000, near copies 20,000, learning 2,500 at most, and fewer of very wide data. Row 1 is the first below the
names of the columns. Columns of tables are standardised, images are left as they are, unless you choose otherwise in
the sidebar; a word of a category counts as much as a usual difference of two numbers, however rare it is.

**Maps.** {first}, the first two principal components of {second}, and of 1,000
random Fourier features with γ one over the squared median distance.
"""
# Statuses of findings that stand above the maps.
_URGENT, _REST = ("warning", "look"), "rest"
# The data that were inspected last.
_INSPECTED = SessionValue("inspected", str)
_HEIGHT, _THUMBNAILS = 330, 60
_LEGEND = 12
# Rows and columns of the file that a card shows.
_SHOWN_ROWS, _MOST_CELLS = 200, 40
# Images whose label is contradicted, on the card and below.
_IMAGES, _MORE_IMAGES = 4, 48
_NEIGHBOURS, _COLUMNS, _OUTLIERS = 5, 8, 6
_ICONS = {
    "warning": ":red[:material/error:]", "look": ":orange[:material/visibility:]",
    "fine": ":green[:material/check_circle:]", "unknown": ":gray[:material/remove_circle_outline:]",
}  # fmt: skip


def draw_colour(view: InspectionView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the choice of colours, with arrows that step through."""
    names, state = control.options, view.state
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="colour-steps"):
        draw_word(control, key, on_change)
        place = names.index(widget_value(key))
        for label, step, word in (("‹", -1, "Previous"), ("›", 1, "Next")):
            st.button(
                label,
                help=f"{word} colouring",
                key=f"{state.page}:colour:{word}",
                on_click=state.apply,
                args=({"colour": names[(place + step) % len(names)]},),
            )


def draw_compared(view: InspectionView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the choice of a comparison, and below it a place for a second file."""
    draw_word(control, key, on_change)
    offer_comparison(view.state, {"compare": AUTOMATIC})


class InspectionView(View[InspectedData[Data], Settings, InspectionResult]):
    """Maps, the row that was picked, and findings, each as soon as it is known."""

    widgets: ClassVar = {"colour": draw_colour, "compare": draw_compared}

    inspection: Inspection
    #: The line below the picked row, filled when all is computed.
    below_row: Any
    #: The finding whose button was pressed in this run.
    asked: Finding | None = None

    def prepare(self) -> None:
        """Make a point that was clicked in a map the row to show."""
        for key in MAP_NAMES:
            place = selected_row(key)
            if place is not None:
                with suppress(RfvizError):
                    rows = self.source.inspect(SessionCache()).sample(MAP_ROWS).rows
                    if place < len(rows):
                        self.state.apply({"row": int(rows[place]) + 1})

    def preview(self, settings: Settings) -> None:
        inspection = self.inspection = self.source.inspect(self.cache)
        inspection.sample(MAP_ROWS)
        heading, found = st.empty(), []
        heading.subheader("Looking …", anchor=False)
        # What asks for attention stands above the maps, the most urgent on top, whenever it is found; the rest below.
        urgent = {status: st.container(key=f"findings-{status}") for status in _URGENT}
        pictures, picked, self.below_row = st.container(), st.container(key="picked-row"), st.container()
        self.asked = None
        places = urgent | {_REST: st.container(key="findings")}
        are_new = self._are_new_data()
        slots = {status: [place.empty() for _ in QUESTIONS] for status, place in places.items() if are_new}

        def show(questions: Iterable[Question[Any]]) -> None:
            """Show the findings of some questions, each as soon as it is known, in its place among all."""
            for question in questions:
                finding = inspection.finding(question)
                if finding is None:
                    continue
                found.append(finding)
                status, number = finding.status if finding.status in urgent else _REST, QUESTIONS.index(question)
                slot = slots[status][number] if are_new else places[status].empty()
                with slot.container(border=True, key=f"finding-{number}"):
                    self._show_finding(finding)

        # Of new data the cheapest come first, before the maps; findings on others stand where they stood.
        questions = sorted(inspection.questions(), key=lambda question: question.cost if are_new else 1)
        n_cheap = sum(question.cost == 0 for question in questions) if are_new else 0
        show(questions[:n_cheap])
        with pictures:
            try:
                maps = inspection.maps(settings.feature_map)
            except RfvizError as error:
                st.info(f"No map can be drawn. {error}")
            else:
                self._show_maps(maps, settings)
        with picked:
            self._show_row(inspection.sample(WORK_ROWS), settings.row)
        show(questions[n_cheap:])
        heading.subheader(verdict(found), anchor=False)
        limits = inspection.limits()
        for note in filter(None, [*inspection.notes(), limits]):
            st.caption(plain(note))

    def draw(self, settings: Settings, result: InspectionResult, charts: Sequence[Chart]) -> None:
        with self.below_row, st.container(horizontal=True, key="inspection-bar-row"):
            self._show_outliers()
            share_place(self.state)
        self.share(settings, result)
        self.draw_details(settings, result, charts)
        if self.asked is not None and not has_open_dialog():
            self._open(self.asked)

    def details(
        self, settings: Settings, result: InspectionResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        axes = plain(" and ".join(f"“{name}”" for name in self.source.axes))
        first = f"The columns {axes} as the file has them" if axes else "The first two principal components of the rows"
        about = _ROWS_AND_MAPS.format(first=first, second=_features_of(settings.feature_map))
        methods = "\n\n".join([about, *(question.method for question in QUESTIONS if question.method)])
        return {"How it is computed": lambda: st.markdown(methods)}

    def _are_new_data(self) -> bool:
        """Return whether other data were inspected before, whose findings must not stand next to these."""
        inspected, data = _INSPECTED.of(self.state.page), repr((self.source.data.key, self.source.normalise))
        before = inspected.get()
        inspected.set(data)
        return before != data

    def _show_maps(self, result: MapResult, settings: Settings) -> None:
        """Draw the three maps next to each other, and what their colours mean."""
        rows = result.sample.places
        style = self.cache.call(style_of, self.inspection.source.only(("normalise",)), settings.colour)
        picked = result.sample.place_of(settings.row)
        with st.container(key="inspection-maps"):
            first = _of_columns(result.projections[0]) if self.source.axes else _PLAIN
            titles = (first, _second(settings.feature_map), _FOURIER)
            for name, projection, (title, help) in zip(MAP_NAMES, result.projections, titles, strict=True):
                with st.container():
                    st.markdown(f"**{title}**", help=help)
                    marks = self._marks(rows, projection.coordinates, style, picked)
                    figure = plot_embedding(
                        projection,
                        style,
                        height=_HEIGHT,
                        thumbnails=marks,
                        selected=picked,
                        legend=False,
                        compact=True,
                        revision=str(self.source.data.key),
                    )
                    words = f"{projection.title} of {len(rows):,} rows, coloured by {style.title or 'nothing'}."
                    layout.chart(figure, name, words, clickable=True, secondary=name != MAP_NAMES[0], square=True)
            st.html(_legend(style))
        if self.source.axes:
            self._say_what_depends(result)

    def _say_what_depends(self, result: MapResult) -> None:
        """Say whether findings and the other maps depend on the columns that are the axes of the first one."""
        used = [name for name in self.source.axes if name in self.inspection.raw.columns]
        said = "Findings and the other two pictures do without the columns of the first."
        if used:
            names = " and ".join(f"“{name}”" for name in used)
            said = f"Findings and the other two pictures depend on {names}, too. “{APART.label}” changes that."
        n_missing = int(np.isnan(result.projections[0].coordinates).any(axis=1).sum())
        missing = f" The first lacks {counted(n_missing, 'row')} without both values." if n_missing else ""
        st.caption(plain(f"{said}{missing}"))

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
            if not dataset.image_shape:
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
            most = f"most unusual in “{name}”, {deviations[0]:.1f} standard deviations from the mean"
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
        if finding.key == "labels" and len(finding.rows):
            self._show_images(_IMAGES)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            if finding.page:
                page_link(finding.page, data_values(self.state) | dict(finding.values), "Shows these data there")
            rows = self._rows_of(finding)
            question = self.inspection.question(finding.key)
            has_more = len(rows) or self.inspection.shown(question) is not None
            if "details" in self.state.hidden or not has_more:
                return
            label = f"Show {counted(len(rows), 'row')}" if len(rows) else "Show"
            help = f"{finding.name}: picture, numbers, rows and Python"
            if st.button(
                label,
                icon=":material/open_in_full:",
                type="tertiary",
                help=help,
                key=self.state.key(f"show-{finding.key}"),
            ):
                self.asked = finding

    def _rows_of(self, finding: Finding) -> np.ndarray:
        """Return the rows that a finding lists; images are shown instead."""
        return finding.rows[:0] if self.source.dataset.image_shape else finding.rows

    def _open(self, finding: Finding) -> None:
        """Open all that there is of a finding."""

        @st.dialog(finding.name, width="large")
        def dialog() -> None:
            st.markdown(f"{_ICONS[finding.status]} {plain(finding.text)}")
            # A cache of this run: the dialog runs again without the page.
            cache = SessionCache()
            self.inspection = self.source.inspect(cache)
            question = self.inspection.question(finding.key)
            result = self.inspection.shown(question)
            if result is not None:
                self._draw_evidence(finding, question, result)
            if len(self._rows_of(finding)):
                self._draw_rows_of(finding)
            if finding.remedy:
                st.markdown("This mends it, for `report = rfviz.inspect(…)` and `df = report.frame`:")
                st.code(finding.remedy)
            if result is not None:
                with st.expander("Python", icon=":material/code:"):
                    st.code(PAGE.finding_script(self.source, finding.key, cache))

        dialog()

    def _draw_evidence(self, finding: Finding, question: Question[Any], result: Any) -> None:
        """Draw the pictures and numbers of a finding."""
        key = self.source.data.key
        if finding.key == "labels" and self.source.dataset.target_names:
            self._show_images(_MORE_IMAGES)
        elif finding.key == "drift" and self.source.dataset.image_shape and len(finding.rows):
            rows = finding.rows[:_MORE_IMAGES] - 1
            layout.explain("Images that are least like those of the other part:")
            places = np.searchsorted(self.source.dataset.row_numbers, rows)
            st.html(images.gallery(self.source.data, places, [f"row {row + 1:,}" for row in rows], self.cache))
        for picture in question.pictures(result):
            name = f"inspection-{picture.name}"
            layout.chart(picture.figure(str(key)), name, picture.words)
            if picture.name == "importances":
                chart_bar(self.state, name, [over_rounds(result, name, key)])
            if picture.explanation:
                layout.explain(plain(picture.explanation))
        frame, formats, note = question.numbers(result), question.formats, plain(question.note(result))
        if finding.key == "dependence" and len(frame):
            frame, formats, note = self._among_equal(frame, formats, note)
        if len(frame):
            layout.numbers(frame.head(_SHOWN_ROWS), formats, note)
        elif note:
            st.caption(note)

    def _among_equal(
        self, frame: pd.DataFrame, formats: Mapping[str, str], note: str
    ) -> tuple[pd.DataFrame, Mapping[str, str], str]:
        """Ask for a column that is held equal, and return the numbers of the rows that agree in it."""
        given = st.selectbox(
            "Compare rows with the same",
            self.inspection.answer("dependence").names,
            None,
            key=f"inspection-held:{self.source.data.key}",
            placeholder="any value",
            width=280,
            help="Two columns may depend on each other only because both depend on a third one. Choose that one, and "
            "each pair is looked at among rows that agree in it.",
        )
        if given is None:
            return frame, formats, note
        try:
            held = self.inspection.answer(AtTheSame(given))
        except RfvizError as error:
            st.info(plain(str(error)))
            return frame, formats, note
        st.markdown(plain(str(held)))
        note = "P-values are those among rows with the same value, adjusted for the number of pairs."
        return held.to_frame(), {**formats, f"at the same {given}": "%.3f"}, note

    def _show_images(self, most: int) -> None:
        """Draw images whose label is doubtful, with what they look like."""
        if not self.source.dataset.image_shape:
            return
        found = self.inspection.answer("labels")
        pairs = list(zip(found.rows, found.given, found.proposed, strict=True))[:most]
        words = [f"row {row + 1:,}: {given} → {proposed}?" for row, given, proposed in pairs]
        st.html(images.gallery(self.source.data, found.places[:most], words, self.cache))

    def _draw_rows_of(self, finding: Finding) -> None:
        """Draw the rows of a finding as the file has them, and offer them as a file."""
        raw, n = self.inspection.raw, len(finding.rows)
        # Those that the finding is about come first.
        names = sorted(raw.table.names, key=lambda name: raw.table.own_name(name) not in finding.columns)

        def table(most: int | None = None) -> pd.DataFrame:
            cells = raw.cells(names[:_MOST_CELLS] if most else names, finding.rows[:most] - 1)
            cells.insert(0, "row" if "row" not in cells else "row of the file", finding.rows[:most])
            return cells

        more = f", the first {_SHOWN_ROWS} of them here" if n > _SHOWN_ROWS else ""
        st.markdown(f"**{counted(n, 'row')}** as the file has {'it' if n == 1 else 'them'}{more}")
        _draw_rows(table(_SHOWN_ROWS))
        st.caption(
            "Row 1 is the first below the names of the columns: with pandas, `df.iloc[[row - 1]]` is one of them."
        )
        st.download_button(
            "Download the rows",
            lambda: write_csv(table()),
            f"{finding.key}-rows.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=self.state.key(f"rows-{finding.key}"),
        )

    def _show_outliers(self) -> None:
        """Draw a button for each of the most outlying rows, which shows it."""
        try:
            rows = self.inspection.answer("outliers").outliers(_OUTLIERS) + 1
        except RfvizError:  # the findings say why
            return
        state = self.state
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="outlying-rows"):
            st.markdown("Most outlying rows:", width="content")
            for row in rows.tolist():
                st.button(
                    f"{row:,}",
                    type="tertiary",
                    key=f"{state.page}:outlier:{row}",
                    on_click=state.apply,
                    args=({"row": row},),
                    help=f"Show row {row:,}",
                )


def style_of(source: InspectedData[Data], colour: str, *, cache: Cache) -> PointStyle:
    """Return the colours of the rows in the maps."""
    inspection = source.inspect(cache)
    places, uncertainty = inspection.sample(MAP_ROWS).places, shown_uncertainty(inspection, colour)
    return inspection_style(inspection.dataset, places, colour, inspection.raw, uncertainty)


def _draw_rows(table: pd.DataFrame) -> None:
    """Draw rows with numbers as they are; what the browser cannot hold exactly, as text."""
    for name in table.columns:
        column = table[name]
        is_long = column.dtype.kind in "iu" and any(abs(value) > 2**53 for value in column.tolist())
        if is_long or column.dtype == object:
            table[name] = [None if pd.isna(value) else str(value) for value in column]
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) < 8 else 300,
        column_config={"distance": st.column_config.NumberColumn(format="%.3g")},
    )


def _short(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _of_columns(projection: Projection) -> tuple[str, str]:
    """Return the title of the plane of two columns and its tooltip."""
    across, up = map(plain, projection.names)
    return plain(projection.title), f"Two columns as the file has them: {across} runs across, {up} up."


def _second(spec: MapSpec[FeatureMap]) -> tuple[str, str]:
    """Return the title of the second map and its tooltip."""
    if spec.cls is RandomMaxout:
        each = f"each is the largest of {spec.get('pool_size')} random projections"
        return "Maxout-PCA", f"Principal components of {spec.get('n_components'):,} random maxout features: {each}."
    return f"{spec.cls.label} PCA", f"Principal components of {_features_of(spec)}. {spec.cls.summary}"


def _features_of(spec: MapSpec[FeatureMap]) -> str:
    """Return how many features of which map the second map is of."""
    m = spec.get("n_components")
    if spec.cls is RandomMaxout:
        return f"{m:,} random maxout features (pools of {spec.get('pool_size')})"
    return f"{m:,} features of the map “{spec.cls.label}”"


def _legend(style: PointStyle) -> str:
    """Return what the colours mean, as a line of HTML: classes, or a scale."""
    if style.values is not None:
        stops = ", ".join(f"{colour} {100 * place:.0f}%" for place, colour in SEQUENCE)
        low, high = float(style.values.min()), float(style.values.max())
        bar = f'<i class="scale" style="background: linear-gradient(90deg, {stops})"></i>'
        inner = f"<span>{html.escape(style.title)}</span><span>{_short(low)} {bar} {_short(high)}</span>"
    else:
        inner = "".join(
            f'<span><b style="color: {COLOURS[i % len(COLOURS)]}">{SIGNS[SYMBOLS[i // len(COLOURS) % len(SYMBOLS)]]}'
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
