"""The parts of the page on pixel co-occurrence: samples that grow, maps, the paper's figure, single features."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import streamlit as st
from PIL import Image

from rfviz.analysis.cooccurrence import (
    MAX_FEATURES,
    FeatureSample,
    PixelMap,
    capacity,
    sample_features,
)
from rfviz.analysis.feature_shapes import SingleFeature, bytes_per_feature, feature_sizes, repeats, single_feature
from rfviz.datasets.base import Dataset
from rfviz.errors import RfvizError
from rfviz.figures.cooccurrence import plot_repeats, plot_sizes
from rfviz.figures.images import as_pixels, data_uri
from rfviz.figures.skeleton import plot_feature, plot_skeleton
from rfviz.params import Param
from rfviz.recipes import cooccurrence_text as text
from rfviz.recipes.pixel_cooccurrence import SHELF, Settings, grid_charts, rms_chart
from rfviz.recipes.skeleton_rows import own_rows, rows_of
from rfviz.skeleton import Skeleton
from rfviz.ui import layout
from rfviz.ui.controls import PagePanel
from rfviz.ui.results import kept, known, watched
from rfviz.ui.state import PageState

__all__ = ["distributions", "drawing_and_error", "figure_4", "json_form", "numbers", "one_feature", "sampled"]

_SHARED = 8
# More features than this take seconds: they can be stopped.
_STOPPABLE = 2**19
_PAPER_FORMS = 8


def sampled(state: PageState, skeleton: Skeleton, seed: int, n_features: int) -> FeatureSample:
    """At least so many features of a skeleton; what was drawn before is gone on with."""
    wanted, form = capacity(n_features), skeleton.to_json()
    sizes = [1 << k for k in range(capacity(1).bit_length() - 1, MAX_FEATURES.bit_length())]
    found = {size: sample for size in sizes if (sample := known(SHELF, (form, seed, size))) is not None}
    place = st.empty()
    for size in sizes:
        if size >= wanted and size in found:
            return found[size]
    start = next((found[size] for size in reversed(sizes) if size in found), None)
    if wanted > _STOPPABLE:
        fewer = start.n_features if start else 100_000
        place.button("Stop drawing", key=f"{state.page}:stop:{form}", on_click=state.apply, args=({"features": fewer},),
                     help="Keep what was drawn before.")  # fmt: skip
    try:
        return watched(SHELF, (form, seed, wanted),
                       lambda progress: sample_features(skeleton, wanted, seed, start, progress), _SHARED)  # fmt: skip
    finally:
        place.empty()


def drawing_and_error(settings: Settings, result: PixelMap) -> None:
    """The skeleton as a drawing with its sizes, and how the counted map tends to the exact one."""
    skeleton = settings.skeleton()
    n_bytes = kept("bytes a feature", skeleton.to_json(), lambda: bytes_per_feature(skeleton))
    with st.container(key="pair-below"):
        with st.container():
            st.markdown("**The skeleton**")
            words = f"{len(skeleton.layers)} layers from the image to the output."
            layout.chart(plot_skeleton(skeleton), "skeleton-drawing", words, secondary=True)
            st.markdown(text.sizes(skeleton, n_bytes))
        with st.container():
            st.markdown("**Counted against exact, as features grow**")
            chart = rms_chart(settings, result)
            layout.chart(chart.figure, chart.name, chart.alt, secondary=True)


def figure_4(settings: Settings, maps: dict[str, list[PixelMap]]) -> None:
    """Maps of four pixels for four skeletons: counted, and exact."""
    counted, exact = grid_charts(settings, maps)
    with st.container(key="pair-grid"):
        for chart, title in ((counted, f"Counted in {settings.n_features:,} features"), (exact, "Exact")):
            with st.container():
                st.markdown(f"**{title}**")
                layout.chart(chart.figure, chart.name, chart.alt, secondary=chart is exact)
    layout.under_chart(counted.figure, counted.name, counted.alt)
    layout.explain(counted.words)


def distributions(skeleton: Skeleton, sample: FeatureSample, n_features: int) -> None:
    """How many paths and pixels features have, and how often they repeat."""
    sizes = feature_sizes(sample, n_features)
    found = watched("repeats", (skeleton.to_json(), sample.seed, n_features),
                    lambda progress: repeats(skeleton, n_features, sample.seed, progress))  # fmt: skip
    with st.container(key="pair-shapes"):
        with st.container():
            st.markdown("**Paths and pixels per feature**")
            layout.chart(plot_sizes(sizes), "sizes", "Histogram of paths and of different pixels per feature.")
            st.markdown(text.sizes_text(sizes))
        with st.container():
            st.markdown("**Repeats among features**")
            layout.chart(plot_repeats(found), "repeats", "How often the same feature was drawn.")
            st.markdown(text.repeats_text(found))


def one_feature(
    state: PageState, skeleton: Skeleton, sample: FeatureSample, result: PixelMap, dataset: Dataset, data_key: Hashable
) -> None:
    """One of the features with the framed pixel, over an image, as a formula."""
    if dataset.image_shape is None:
        st.info(f"{dataset.name} holds no images for a feature to look at. Choose images in the sidebar.")
        return
    own = sample.features_of(result.pixel, result.n_features)
    if not len(own):
        st.info("None of these features reaches the framed pixel. Choose more features, or another pixel.")
        return
    side, _, channels = skeleton.image_shape
    with st.container(key="controls-feature"):
        place = PagePanel(state).control(Param("which", 1, "int", 1, max(min(len(own), 500), 2), label="Feature",
                                     help="Among the features that reach the framed pixel, in order."))  # fmt: skip
        last = min(dataset.n_samples, 300)
        row = PagePanel(state).control(Param("image", _vivid(dataset, data_key), "int", 1, last, label="Image",
                                   help="Row of the data set whose image the feature looks at."))  # fmt: skip
    number = int(own[min(place, len(own)) - 1])
    pixels = _scaled(dataset, row - 1, side, channels)
    key = (skeleton.to_json(), sample.seed, number, data_key, row)
    x = pixels.reshape(-1) / 255.0
    feature = kept("single feature", key, lambda: single_feature(skeleton, sample.seed, number, x), most=200)
    reached = sample.pixels[sample.starts[number] : sample.starts[number + 1]]
    labels = [_label(feature, int(p), side, channels) for p in reached]
    with st.container(key="pair-feature"):
        figure = plot_feature(data_uri(pixels), side, reached, labels, result.pixel)
        layout.chart(figure, "one-feature", f"An image with the {len(reached)} pixels of one feature framed.")
        with st.container():
            st.markdown(f"**Feature number {number + 1:,}** has {int(sample.paths[number])} paths to "
                        f"{len(reached)} pixels. At this image:")  # fmt: skip
            st.latex(text.formula_of(feature, side, channels))
            layout.numbers(feature.to_frame().assign(term=feature.multiples * feature.angles),
                           {"angle": "%.3f", "term": "%.3f"}, text.FEATURE)  # fmt: skip


def _vivid(dataset: Dataset, data_key: Hashable) -> int:
    """The image with most contrast among the first ones, from 1."""
    return kept("vivid", data_key, lambda: int(np.argmax(dataset.X[:300].std(axis=1))) + 1)


def _label(feature: SingleFeature, pixel: int, side: int, channels: int) -> str:
    own = np.flatnonzero(feature.columns // channels == pixel)
    terms = " ".join(f"{feature.multiples[e]:+d}·{feature.angles[e]:.2f}" for e in own)
    return f"row {pixel // side + 1}, column {pixel % side + 1}: {terms or 'its paths cancel'}"


def _scaled(dataset: Dataset, row: int, side: int, channels: int) -> np.ndarray:
    """An image of the data in the skeleton's size and colours, bytes."""
    image = Image.fromarray(as_pixels(dataset, slice(row, row + 1))[0]).convert("RGB" if channels == 3 else "L")
    width, height = image.size
    edge = min(width, height)
    left, top = (width - edge) // 2, (height - edge) // 2
    box = (left, top, left + edge, top + edge)
    return np.asarray(image.resize((side, side), Image.Resampling.BOX, box=box))


def numbers(result: PixelMap) -> None:
    """Both maps and the differences as tables."""
    frame = result.to_frame()
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.5f"), text.NUMBERS)
    layout.numbers(result.errors_frame(), {"RMS difference": "%.5f", "predicted": "%.5f"})


def json_form(state: PageState, skeleton: Skeleton) -> None:
    """The skeleton as JSON, to take away and to bring back."""
    form = skeleton.to_json()
    st.code(form, language="json", wrap_lines=True)
    st.download_button("Download", form, "skeleton.json", "application/json", on_click="ignore")
    key = f"{state.page}:json"
    st.text_area("JSON of a stack of square convolutions", key=key, help="As above; press the button to use it.")

    def use() -> None:
        given = st.session_state.get(key, "")
        try:
            st.session_state[f"{key}:error"] = ""
            state.apply(_settings(Skeleton(given)))
        except RfvizError as error:
            st.session_state[f"{key}:error"] = str(error)

    st.button("Use this skeleton", on_click=use)
    if st.session_state.get(f"{key}:error"):
        st.error(st.session_state[f"{key}:error"])


def _settings(skeleton: Skeleton) -> dict:
    """Settings of the page for a skeleton that its controls can hold."""
    shape = skeleton.image_shape
    if shape is None or shape[0] != shape[1] or not 6 <= shape[0] <= 32 or shape[2] not in (1, 3):
        raise RfvizError(
            f"The page holds square images of 6 to 32 pixels a side in 1 or 3 colours; got {shape}. Change “image”."
        )
    if len(skeleton.layers) > _PAPER_FORMS + 1:
        raise RfvizError(f"The table holds {_PAPER_FORMS} layers; got {len(skeleton.layers) - 1}. Use the library.")
    return own_rows(rows_of(skeleton)) | {"side": shape[0], "colour": shape[2] == 3}
