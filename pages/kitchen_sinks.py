"""Figures 1 and 2 of the kitchen sinks paper, live: is it worth choosing features with care?"""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.lab.sweep import OWN_TRAINING
from rfviz.recipes import kitchen_sinks_text as text
from rfviz.recipes.kitchen_sinks import RECIPE
from rfviz.ui import kitchen_sinks_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.live_run import LiveRun
from rfviz.ui.sidebar import show_device

TITLE = "Kitchen sinks"
ICON = ":material/casino:"
GROUP = "Learning"
ORDER = 34
QUESTION = "AdaBoost chooses every feature with care. How far does one get, and how fast, by drawing them at random?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state, {"view": views.choose_view})
with st.sidebar:
    source = RECIPE.source(panel)
settings = RECIPE.settings(panel, source)

try:
    work = RECIPE.work(source, settings, results)
except RfvizError as error:
    st.error(str(error))
    state.finish()
    show_device()
    st.stop()

live = None
if work is None:
    st.info(text.NOBODY)
else:
    name = "kitchen-sinks-weights" if settings.view == "weights" else "kitchen-sinks"
    live = LiveRun(name, work, OWN_TRAINING if settings.loss != "ridge" else "")
    live.start_and_stop()
    found = RECIPE.findings(work)
    views.show(state, source, settings, found, live.is_going)
st.caption(source.data.dataset.provenance)
layout.details(state, ({"Numbers": lambda: views.numbers(found)} if work else {}) | {
    "Columns": lambda: views.columns(source.data.dataset),
    "What the paper found": lambda: st.markdown(text.PAPER),
    "How it is computed": lambda: st.markdown(text.METHOD),
})  # fmt: skip
state.finish()
show_device()
# Last, when the page stands: what a run has not drawn yet is shown faded.
if live is not None and live.wait():
    st.rerun()
