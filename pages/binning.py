"""Figure 2 of the paper on random features: random grids in the plane, and the kernel that they add up to."""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes import binning_text as text
from rfviz.recipes.base import Chart
from rfviz.recipes.binning import RECIPE, Outcome, Settings, error_chart, grid_chart, share_chart
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.live_chart import taken_row
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Random binning"
ICON = ":material/grid_4x4:"
GROUP = "Kernels"
ORDER = 22
QUESTION = "How do grids that are laid at random add up to a smooth kernel?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    clicked = taken_row("boxes")
    if clicked is not None:
        state.apply({"point": clicked + 1})
    settings = RECIPE.settings(panel, source)
    try:
        pictures(settings, RECIPE.run(source, settings, results))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def pictures(settings: Settings, result: Outcome) -> None:
    """One grid beside what all of them add up to."""
    first, second = grid_chart(source, settings, result), share_chart(source, settings, result)
    with st.container(key="pair-top"):
        layout.chart(first.figure, first.name, first.alt, clickable=True)
        layout.chart(second.figure, second.name, second.alt)
    layout.under_chart(first.figure, first.name, first.alt)
    layout.explain(first.words)
    share(state, RECIPE, source, settings, result)
    layout.details(state, {
        "Error against the number of grids": lambda: show_error(error_chart(source, settings, result)),
        "Numbers": lambda: layout.numbers(
            result.shared.to_frame(), {"RMS error": "%.4f", "predicted": "%.4f"}, text.NUMBERS),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


def show_error(chart: Chart) -> None:
    """How far the sum of the grids is from the kernel."""
    layout.chart(chart.figure, chart.name, chart.alt)


laboratory()
show_device()
