"""Figure 3 of the compositional kernels paper as a page: how well do m random features estimate the kernel?"""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes import kernel_text as text
from rfviz.recipes.kernel_approximation import RECIPE, Outcome, Settings, race_chart
from rfviz.ui import kernel_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.films_kernels import kernel_reels
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Kernel approximation"
ICON = ":material/target:"
GROUP = "Kernels"
ORDER = 20
QUESTION = "How many random features does it take to know the kernel, and is the estimate right on average?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    settings = RECIPE.settings(panel, source)
    try:
        outcome = RECIPE.run(source, settings, results)
    except RfvizError as error:
        st.error(str(error))
        state.finish()
        return
    for label, reason in outcome.failures.items():
        st.warning(f"{label}: {reason}", icon="⚠️")
    if outcome.results:
        show(settings, outcome)
    elif not settings.entrants:
        st.info("No map races. Choose at least one under “Maps”.")
    state.finish()


def show(settings: Settings, outcome: Outcome) -> None:
    """The race, a cloud for each map, and what is said more about them."""
    raced = outcome.results
    chart = race_chart(source, settings, raced)
    reels = kernel_reels(state, RECIPE, source, settings, raced)
    layout.chart(chart.figure, chart.name, chart.alt, reels=reels)
    st.caption(text.theory(raced, settings.metric))
    layout.explain(chart.words)
    share(state, RECIPE, source, settings, outcome)
    views.clouds(source, settings, raced)
    layout.details(state, {
        "Bias and spread": lambda: views.bias_and_spread(source, settings, raced),
        "All measures": lambda: views.all_measures(source, settings, raced),
        "Numbers": lambda: views.numbers(chart),
        "How it is computed": lambda: views.method(raced),
    })  # fmt: skip


laboratory()
show_device()
