"""Decision surfaces: what a classifier on m random features would say, everywhere in a plane."""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes.decision_surfaces import RECIPE
from rfviz.ui import layout
from rfviz.ui import surface_views as views
from rfviz.ui.controls import PagePanel
from rfviz.ui.own_points import OwnPoints
from rfviz.ui.sidebar import show_device

TITLE = "Decision surfaces"
ICON = ":material/blur_on:"
GROUP = "Learning"
ORDER = 30
QUESTION = "Which shapes can a linear classifier draw once it sees random features, and how many features does it take?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)


@st.fragment  # a slider or a click draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    own = OwnPoints(state)
    if st.session_state.get(state.key("points_from")) == "own":
        own.take_clicks(views.PANELS)
    settings = RECIPE.settings(panel, source)
    if settings.points is not None:
        own.controls()
    try:
        views.show(state, source, settings)
    except RfvizError as error:
        st.error(str(error))
    state.finish()


laboratory()
show_device()
