"""A screen for whoever has a table and five minutes: what random features say about it, in plain sentences."""

import streamlit as st

from rfviz.analysis.inspection import SCALING
from rfviz.errors import RfvizError
from rfviz.params import Param
from rfviz.ui import inspection_details as parts
from rfviz.ui import inspection_views as views
from rfviz.ui import layout
from rfviz.ui.controls import control
from rfviz.ui.inspection_run import Inspection
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Quick inspection"
ICON = ":material/troubleshoot:"
GROUP = "Your data"
ORDER = 7
QUESTION = "What do random features say about these data: what is odd, what repeats, and is there more than a line?"

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features of the maps.")

state = layout.page_title("quick-inspection")
dataset, data_key = choose_data(state, "breast_cancer")
with st.sidebar:
    how, seed = control(state, SCALING), control(state, SEED)
inspection = Inspection(dataset, data_key, how, seed)


def maps_and_row() -> None:
    """The controls, the three maps, and the row that was picked."""
    few, some = views.samples(inspection)
    with st.container(key="controls-inspection"):
        colour = views.choose_colour(state, dataset)
        row = views.choose_row(state, dataset, few)
    try:
        views.show_maps(inspection.maps(), dataset, data_key, colour, row)
    except RfvizError as error:
        st.info(f"No map can be drawn. {error}")
    with st.container(key="picked-row"):
        views.show_row(dataset, data_key, some, row)


@st.fragment  # a click draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a click."""
    try:
        maps_and_row()
        outlying = st.container()
        views.show_findings(state, inspection.findings(), inspection.limits())
        with outlying:
            views.outlier_buttons(state, inspection)
        layout.details(state, parts.details(inspection))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


laboratory()
show_device()
