"""Figure 4 of the compositional kernels paper, live: which pixels meet in a random feature of a skeleton?"""

import streamlit as st

from rfviz.analysis.cooccurrence import FeatureSample, PixelMap
from rfviz.errors import RfvizError
from rfviz.recipes import cooccurrence_text as text
from rfviz.recipes.pixel_cooccurrence import RECIPE, SIDE, Settings, map_chart
from rfviz.skeleton import Skeleton
from rfviz.ui import cooccurrence_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.films_kernels import cooccurrence_reels
from rfviz.ui.layer_table import LayerTable
from rfviz.ui.live_chart import taken_row
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Pixel co-occurrence"
ICON = ":material/grid_on:"
GROUP = "Kernels"
ORDER = 24
QUESTION = "Which pixels meet in a random feature of a convolutional skeleton, and which never do?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
source = RECIPE.source(panel)
with st.sidebar:
    st.caption("Only “Show me a feature” looks at data. The maps belong to the skeleton alone.")


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    clicked = taken_row("maps")
    if clicked is not None:
        side = st.session_state.get(state.key("side"), SIDE.default)
        state.apply({"row": min(clicked // side, side - 1) + 1, "column": clicked % side + 1})
    settings = RECIPE.settings(panel, source)
    try:
        if settings.pixel is None:
            result = RECIPE.outcome(settings, lambda skeleton: sampled(settings, skeleton), results)
            views.figure_4(settings, result)
            share(state, RECIPE, source, settings, result)
        else:
            one_pixel(LayerTable(state, settings.rows, settings.image_shape), settings)
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def sampled(settings: Settings, skeleton: Skeleton) -> FeatureSample:
    """Features of a skeleton; where that takes long it can be stopped."""
    return views.sampled(state, skeleton, settings.seed, settings.n_features)


def one_pixel(table: LayerTable, settings: Settings) -> None:
    """The layers beside the maps of one pixel, and what is said more about them."""
    with st.container(key="pair-layers"):
        if state.draws("layers", "Layers"):
            with st.container():
                table.draw()
                layout.formula(text.FORMULA)
        with st.container():
            if table.first_error()[1]:
                st.info("The maps come back when the layers fit.")
                return
            sample = sampled(settings, settings.skeleton())
            result = RECIPE.outcome(settings, lambda skeleton: sample, results)
            chart = map_chart(settings, result)
            reels = cooccurrence_reels(state, sample, result, settings.side)
            layout.chart(chart.figure, chart.name, chart.alt, clickable=True, reels=reels)
    layout.explain(chart.words)
    share(state, RECIPE, source, settings, result)
    views.drawing_and_error(settings, result)
    details(settings.skeleton(), sample, result)


def details(skeleton: Skeleton, sample: FeatureSample, result: PixelMap) -> None:
    """What is folded away below the charts."""
    dataset, data_key = source.dataset, source.key
    layout.details(state, {
        "Show me a feature": lambda: views.one_feature(state, skeleton, sample, result, dataset, data_key),
        "Paths, pixels and repeats": lambda: views.distributions(skeleton, sample, result.n_features),
        "Skeleton as JSON": lambda: views.json_form(state, skeleton),
        "Numbers": lambda: views.numbers(result),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


laboratory()
show_device()
