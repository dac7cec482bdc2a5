"""What the papers guarantee, beside what happens: how loose is each bound, and how many features does it ask for?"""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes.guarantees import RECIPE
from rfviz.recipes.guarantees_settings import KernelSettings
from rfviz.ui import guarantees_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Guarantees"
ICON = ":material/verified_user:"
GROUP = "Kernels"
ORDER = 26
QUESTION = "How many random features does theory ask for, how many do it in fact, and what is left unsaid?"

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
    if isinstance(settings, KernelSettings) and not settings.shown:
        st.info("Nothing is drawn: choose at least one kind of error under “More settings”.")
    layout.chart(chart.figure, chart.name, chart.alt, reels=())
    layout.explain(chart.words)
    share(state, RECIPE, source, settings, result)
    if isinstance(settings, KernelSettings):
        views.show_kernel(state, result)
    else:
        views.show_learning(state, settings, result)
    state.finish()


laboratory()
show_device()
