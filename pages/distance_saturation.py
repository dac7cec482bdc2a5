"""Figure 1 of the random maxout paper, live: which distances survive the map?"""

import streamlit as st

from rfviz.analysis.pairs import MAX_POINTS
from rfviz.errors import RfvizError
from rfviz.features import RandomMaxout
from rfviz.recipes import saturation_text as text
from rfviz.recipes.distance_saturation import RECIPE
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.films import saturation_reels
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Distance saturation"
ICON = ":material/straighten:"
GROUP = "Distances"
ORDER = 10
QUESTION = "Which distances between points survive a random feature map, and which does it forget?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    settings = RECIPE.settings(panel, source)
    try:
        result = RECIPE.run(source, settings, results)
    except RfvizError as error:
        st.error(str(error))
        state.finish()
        return
    (chart,) = RECIPE.charts(source, settings, result)
    reels = saturation_reels(state, RECIPE, source, settings)
    layout.chart(chart.figure, chart.name, chart.alt, reels=reels)
    layout.explain(chart.words)
    share(state, RECIPE, source, settings, result)
    dataset = source.data.dataset
    if dataset.n_samples > MAX_POINTS:
        st.caption(f"The first {MAX_POINTS:,} of {dataset.n_samples:,} points are used.")
    formats = dict.fromkeys(chart.frame.columns[1:], "%.3f")
    parts = {
        "Numbers": lambda: layout.numbers(chart.frame, formats, text.NUMBERS),
        "How it is computed": lambda: st.markdown(text.METHOD),
    }
    if settings.scheme is RandomMaxout:
        parts["Why is the paper’s formula wrong?"] = lambda: st.markdown(text.ERRATUM)
    layout.details(state, parts)
    state.finish()


laboratory()
show_device()
