"""The layout of the page on pixel co-occurrence: maps of a pixel, the table of layers, and the paper's figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import streamlit as st

from rfviz.cache import Cache
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.experiments.pixel_cooccurrence.compute import FeatureSample, PixelMap
from rfviz.experiments.pixel_cooccurrence.describe import (
    formula_of,
    repeats_text,
    sizes_text,
    skeleton_text,
    tiers_table,
)
from rfviz.experiments.pixel_cooccurrence.experiment import SIDE, Maps, PixelCooccurrence, drawn_sample
from rfviz.experiments.pixel_cooccurrence.feature_shapes import (
    Repeats,
    SingleFeature,
    bytes_per_feature,
    feature_sizes,
    repeats,
    scaled_image,
    single_feature,
)
from rfviz.experiments.pixel_cooccurrence.figures import plot_feature, plot_repeats, plot_sizes, plot_skeleton
from rfviz.experiments.pixel_cooccurrence.layers import KINDS, NUMBER, Row, first_error, image_of
from rfviz.figures.images import data_uri
from rfviz.lab.controls import Control
from rfviz.lab.pixel_cooccurrence import text
from rfviz.lab.pixel_cooccurrence.layers import MOST_LAYERS, one_more, own_rows, values_of
from rfviz.lab.pixel_cooccurrence.page import PAGE
from rfviz.params import Param
from rfviz.skeleton import Skeleton
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.session import SessionValue, set_widget_value, widget_value
from rfviz.ui.state import PageState
from rfviz.ui.widgets.live_chart import selected_row
from rfviz.words import counted

__all__ = ["CooccurrenceView"]

# What is wrong with the skeleton that was given as JSON.
_JSON_ERROR = SessionValue("skeleton error", str)

_HELP = {
    "size": "Window: each node averages a square of nodes below it, this many per side.",
    "stride": "Stride: the next window begins so many nodes further.",
    "kind": "Dual activation: the law of how many children a feature multiplies here. The number next to it: of exp, "
    "which is exp(s(ρ − 1)), the mean number of children; of power, ρ^d, exactly that number.",
    "number": None,  # its name and a question mark would not fit above so small a cell
}


def draw_layers(view: CooccurrenceView, control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw the layers of the skeleton as a table, which sets the control itself."""
    rows = view.state.value(control.name)
    _LayerTable(view.state, PAGE.settings(view.panel.with_value(control.name, rows), view.source)).draw()


class CooccurrenceView(View[Data, PixelCooccurrence, Maps]):
    """The maps of one pixel and what is said of them, or Figure 4 of the paper; a table of layers as a control."""

    widgets: ClassVar = {"layers": draw_layers}

    def prepare(self) -> None:
        """Frame a pixel that was clicked."""
        clicked = selected_row("maps")
        if clicked is not None:
            side = self.state.value("side", SIDE.default)
            self.state.apply({"row": min(clicked // side, side - 1) + 1, "column": clicked % side + 1})

    def below_source(self) -> None:
        st.caption("Only “Show me a feature” looks at data. The maps belong to the skeleton alone.")

    def draw(self, settings: PixelCooccurrence, result: Maps, charts: Sequence[Chart]) -> None:
        if settings.skeleton is None:
            self._figure_4(settings, result, charts)
            return
        maps, rms = charts
        self.main_chart(settings, result, maps, clickable=True)
        (skeleton,) = settings.skeletons.values()
        with st.container(key="pair-below"):
            with st.container():
                st.markdown("**The skeleton**")
                words = f"{len(skeleton.layers)} layers from the image to the output."
                layout.chart(plot_skeleton(skeleton), "skeleton-drawing", words, secondary=True)
                st.markdown(skeleton_text(skeleton, self.cache.call(bytes_of, skeleton)))
            with st.container():
                st.markdown("**Counted and exact, as features grow**")
                layout.chart(rms.figure, rms.name, rms.alt, secondary=True)
        self.draw_details(settings, result, charts)

    def refuse(self, settings: PixelCooccurrence, error: RfvizError) -> None:
        wrong = "" if settings.skeleton is None else first_error(settings.image_shape, settings.rows)[1]
        if wrong:  # the table marks it as an error
            st.info(f"{wrong} Change the layers under “More”.")
        else:
            layout.refused(error)

    def _figure_4(self, settings: PixelCooccurrence, result: Maps, charts: Sequence[Chart]) -> None:
        """Draw the maps of four pixels for four skeletons: counted, and exact."""
        counted, exact = charts
        with st.container(key="pair-grid"):
            for chart, title in ((counted, f"Counted in {settings.n_features:,} features"), (exact, "Exact")):
                with st.container():
                    st.markdown(f"**{title}**")
                    layout.chart(chart.figure, chart.name, chart.alt, secondary=chart is exact)
        layout.under_chart(counted.figure, counted.name, counted.alt)
        layout.explain(counted.words)
        st.markdown(tiers_table(settings.tiers(self.cache), settings.skeletons))
        self.share(settings, result)

    def details(
        self, settings: PixelCooccurrence, result: Maps, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        (skeleton,), ((found,),) = settings.skeletons.values(), result.values()
        sample = partial(drawn_sample, skeleton, settings.seed, settings.n_features, self.cache)
        return {
            "Show me a feature": lambda: self._one_feature(skeleton, sample(), found),
            "Paths, pixels and repeats": lambda: self._distributions(skeleton, sample(), found.n_features),
            "Skeleton as JSON": lambda: self._json_form(skeleton),
            "Numbers": lambda: _numbers(found),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }

    def _distributions(self, skeleton: Skeleton, sample: FeatureSample, n_features: int) -> None:
        """Draw how many paths and pixels features have, and how often they repeat."""
        sizes = feature_sizes(sample, n_features)
        found = self.cache.call(repeats_of, skeleton, sample.seed, n_features)
        with st.container(key="pair-shapes"):
            with st.container():
                st.markdown("**Paths and pixels per feature**")
                layout.chart(plot_sizes(sizes), "sizes", "Histogram of paths and of different pixels per feature.")
                st.markdown(sizes_text(sizes))
            with st.container():
                st.markdown("**Repeats among features**")
                layout.chart(plot_repeats(found), "repeats", "How often the same feature was drawn.")
                st.markdown(repeats_text(found))

    def _one_feature(self, skeleton: Skeleton, sample: FeatureSample, found: PixelMap) -> None:
        """Draw one of the features with the framed pixel over an image, and its formula."""
        dataset = self.source.dataset
        if dataset.image_shape is None:
            st.info(f"{dataset.name} holds no images for a feature to look at. Choose images in the sidebar.")
            return
        own = sample.features_of(found.pixel, found.n_features)
        if not len(own):
            st.info("None of these features reaches the framed pixel. Choose more features, or another pixel.")
            return
        side, _, channels = image_of(skeleton)
        with st.container(key="controls-feature"):
            help, most = "Among the features that reach the framed pixel, in order.", max(min(len(own), 500), 2)
            place = self.panel.control(Param("which", 1, "int", 1, most, label="Feature", help=help))
            vivid, last = self.cache.call(vivid_of, self.source), min(dataset.n_samples, 300)
            help = "Row of the data set whose image the feature looks at."
            row = self.panel.control(Param("image", vivid, "int", 1, last, label="Image", help=help))
        number = int(own[min(place, len(own)) - 1])
        pixels = scaled_image(dataset, row - 1, side, channels)
        feature = self.cache.call(feature_of, skeleton, sample.seed, number, self.source, row - 1)
        reached = sample.pixels[sample.starts[number] : sample.starts[number + 1]]
        labels = [_label(feature, int(p), side, channels) for p in reached]
        with st.container(key="pair-feature"):
            figure = plot_feature(data_uri(pixels), side, reached, labels, found.pixel)
            layout.chart(figure, "one-feature", f"An image with the {len(reached)} pixels of one feature framed.")
            with st.container():
                paths = int(sample.paths[number])
                st.markdown(
                    f"**Feature number {number + 1:,}** has {counted(paths, 'path')} to "
                    f"{counted(len(reached), 'pixel')}. At this image:"
                )
                st.latex(formula_of(feature, side, channels))
                frame = feature.to_frame().assign(term=feature.multiples * feature.angles)
                layout.numbers(frame, {"angle": "%.3f", "term": "%.3f"}, text.FEATURE)

    def _json_form(self, skeleton: Skeleton) -> None:
        """Show the skeleton as JSON, and take another one."""
        form = skeleton.to_json()
        st.code(form, language="json", wrap_lines=True)
        st.download_button("Download", form, "skeleton.json", "application/json", on_click="ignore")
        key = f"{self.state.page}:json"
        st.text_area("JSON of a stack of square convolutions", key=key, help="As above; press the button to use it.")

        def use() -> None:
            given = widget_value(key, "")
            try:
                _JSON_ERROR.set("")
                self.state.apply(values_of(Skeleton(given)))
            except RfvizError as error:
                _JSON_ERROR.set(str(error))

        st.button("Use this skeleton", on_click=use)
        if error := _JSON_ERROR.get():
            layout.refused(error)


def bytes_of(skeleton: Skeleton, *, cache: Cache) -> float:
    """Measure the bytes per feature."""
    return bytes_per_feature(skeleton)


def repeats_of(skeleton: Skeleton, seed: int, n_features: int, *, cache: Cache) -> Repeats:
    """Count equal features."""
    return repeats(skeleton, n_features, seed, cache.progress)


def vivid_of(data: Data, *, cache: Cache) -> int:
    """Find the image with most contrast among the first ones, counted from 1."""
    return int(np.argmax(data.dataset.X[:300].std(axis=1))) + 1


def feature_of(skeleton: Skeleton, seed: int, number: int, data: Data, row: int, *, cache: Cache) -> SingleFeature:
    """Draw one feature, with its value at an image."""
    side, _, channels = image_of(skeleton)
    return single_feature(skeleton, seed, number, scaled_image(data.dataset, row, side, channels).reshape(-1) / 255.0)


def _label(feature: SingleFeature, pixel: int, side: int, channels: int) -> str:
    own = np.flatnonzero(feature.columns // channels == pixel)
    terms = " ".join(f"{feature.multiples[e]:+d}·{feature.angles[e]:.2f}" for e in own)
    return f"row {pixel // side + 1}, column {pixel % side + 1}: {terms or 'its paths cancel'}"


def _numbers(found: PixelMap) -> None:
    """Show both maps and the differences as tables."""
    frame = found.to_frame()
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.5f"), text.NUMBERS)
    layout.numbers(found.errors_frame(), {"RMS difference": "%.5f", "predicted": "%.5f"})


class _LayerTable:
    """A table of layers to be edited: window, stride and activation of each, from the image up."""

    def __init__(self, state: PageState, settings: PixelCooccurrence) -> None:
        self._state, self._shape, self._rows = state, settings.image_shape, list(settings.rows)

    def draw(self) -> None:
        """Draw the table, with what is wrong below the row that causes it."""
        wrong, reason = first_error(self._shape, self._rows)
        st.caption("**Layers**, from the image up")
        for place, row in enumerate(self._rows):
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"layer-{place}"):
                st.markdown(f"**{place + 1}**" if row.size else "**top**", width=36)
                self._cells(place, row)
            if reason and place == wrong:
                layout.refused(reason)
        full = len(self._rows) > MOST_LAYERS
        add = partial(one_more, self._shape)
        st.button(
            "Add a layer",
            icon=":material/add:",
            key=f"{self._state.page}:add",
            disabled=full,
            on_click=self._edit,
            args=(add,),
            help="A convolution below the top.",
        )

    def _cells(self, place: int, row: Row) -> None:
        if row.size:
            self._number(place, "size", row.size, 1, 64)
            self._number(place, "stride", row.stride, 1, 64)
        else:
            st.markdown("all nodes below", width=160)  # as wide as the two cells above
        key = self._cell(place, "kind", row.kind)
        label = f"Activation of layer {place + 1}" if place else "Activation"
        st.selectbox(
            label,
            list(KINDS),
            format_func=KINDS.__getitem__,
            key=key,
            width=96,
            help=_HELP["kind"],
            label_visibility=_label_of(place),
            on_change=self._changed,
            args=(place, "kind", key),
        )
        if row.kind == "exponential":
            self._number(place, "number", row.number, 0.05, 50.0, 0.25)
        elif row.kind == "polynomial":
            self._number(place, "number", int(row.number), 1, 50)
        if row.size:
            name, is_first, is_last = f"layer {place + 1}", place == 0, place == len(self._rows) - 2
            # The words are hidden by style: a button's name is for those who cannot see its icon.
            for icon, words, change, off in (
                ("arrow_upward", f"Move {name} nearer to the image", lambda rows: _moved(rows, place, -1), is_first),
                ("arrow_downward", f"Move {name} farther from the image", lambda rows: _moved(rows, place, 1), is_last),
                ("delete", f"Remove {name}", lambda rows: rows[:place] + rows[place + 1 :], False),
            ):
                st.button(
                    words,
                    icon=f":material/{icon}:",
                    help=words,
                    key=f"{self._state.page}:{icon}:{place}",
                    disabled=off,
                    type="tertiary",
                    on_click=self._edit,
                    args=(change,),
                )

    def _number(self, place: int, field: str, value: Any, low: Any, high: Any, step: Any = 1) -> None:
        key = self._cell(place, field, value)
        label = {"size": "Window", "stride": "Stride", "number": "Number"}[field]
        label += f" of layer {place + 1}" if place else ""  # hidden, for those who hear it
        st.number_input(
            label,
            low,
            high,
            step=step,
            key=key,
            label_visibility=_label_of(place),
            width=76,
            on_change=self._changed,
            args=(place, field, key),
            help=_HELP[field],
        )

    def _cell(self, place: int, field: str, value: Any) -> str:
        """Return the key of a widget, whose value the rows decide: they may have moved, or be another preset's."""
        key = f"{self._state.page}:row:{place}:{field}:{type(value).__name__}"
        set_widget_value(key, value)
        return key

    def _changed(self, place: int, field: str, key: str) -> None:
        value = widget_value(key)
        new = replace(self._rows[place], **{field: value})
        if field == "kind":
            new = replace(new, number=float(NUMBER.get(value, ("", 0.0))[1]))
        self._edit(lambda rows: [*rows[:place], new, *rows[place + 1 :]])

    def _edit(self, change: Callable[[list[Row]], list[Row]]) -> None:
        self._state.apply(own_rows(change(list(self._rows))))


def _label_of(place: int) -> Literal["visible", "collapsed"]:
    """Return whether a row names its cells: only the first does."""
    return "collapsed" if place else "visible"


def _moved(rows: list[Row], place: int, by: int) -> list[Row]:
    rows[place], rows[place + by] = rows[place + by], rows[place]
    return rows
