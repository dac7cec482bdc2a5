"""A screen for whoever has a table and five minutes: what random features say about it, in plain sentences."""

from functools import partial

import streamlit as st

from rfviz.analysis.inspection_maps import MapResult
from rfviz.analysis.quick_inspection import Inspection
from rfviz.errors import RfvizError
from rfviz.recipes.quick_inspection import RECIPE, Outcome, Settings, inspect
from rfviz.ui import inspection_details as parts
from rfviz.ui import inspection_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.share import share, share_place
from rfviz.ui.sidebar import show_device

TITLE = "Quick inspection"
ICON = ":material/troubleshoot:"
GROUP = "Your data"
ORDER = 7
QUESTION = "What do random features say about these data: what is odd, what repeats, and is there more than a line?"

state = layout.page_title(RECIPE.slug)
panel = PagePanel(state, {"colour": partial(views.draw_colour, state)})
with st.sidebar:
    source = RECIPE.source(panel)
dataset, data_key = source.data.dataset, source.data.key


def maps_and_row(inspection: Inspection) -> tuple[Settings, MapResult | None]:
    """The controls, the three maps, and the row that was picked."""
    few, some = views.samples(inspection)
    views.take_click(state, few)
    settings, maps = RECIPE.settings(panel, source), None
    try:
        maps = inspection.maps()
    except RfvizError as error:
        st.info(f"No map can be drawn. {error}")
    else:
        views.show_maps(maps, dataset, data_key, settings.colour, settings.row)
    with st.container(key="picked-row"):
        views.show_row(dataset, data_key, some, settings.row)
    return settings, maps


@st.fragment  # a click draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a click."""
    inspection = inspect(source, results)
    try:
        settings, maps = maps_and_row(inspection)
        outlying, limits = st.container(), inspection.limits()
        findings = views.show_findings(state, inspection.findings(), limits)  # each as soon as it is known
        with outlying, st.container(horizontal=True, key="inspection-bar-row"):
            views.outlier_buttons(state, inspection)
            share_place(state)
        share(state, RECIPE, source, settings, Outcome(maps, findings, limits))
        layout.details(state, parts.details(inspection, data_key))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


laboratory()
show_device()
