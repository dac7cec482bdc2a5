"""Accuracy against the number of features: the chart that a lecture on random features is about."""

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes import accuracy_text as text
from rfviz.recipes.accuracy import RECIPE, Outcome, accuracy_chart, resource_chart
from rfviz.recipes.accuracy_entrants import architectures
from rfviz.ui import accuracy_views as views
from rfviz.ui import layout, results
from rfviz.ui.architecture_views import table_of_architectures
from rfviz.ui.controls import PagePanel
from rfviz.ui.live_run import LiveRun
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Accuracy against m"
ICON = ":material/trending_down:"
GROUP = "Learning"
ORDER = 32
QUESTION = "How many random features does a linear model need to do as well as the exact kernel?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)
settings = RECIPE.settings(panel, source)

try:
    race = RECIPE.race(source, settings, results)
except RfvizError as error:
    st.error(str(error))
    state.finish()
    show_device()
    st.stop()

live = LiveRun("accuracy", race, views.OWN_TRAINING if settings.loss != "ridge" else "")
live.start_and_stop()
names = ["Against m", "Against seconds", "Against bytes", "Confusions", "Penalty"]
name, tab = layout.tabs(state, names)
lines, refused = RECIPE.references(race, settings, results)
for reason in refused:
    st.info(reason)
result = Outcome(race, lines)
# Only what is open is drawn: a race redraws the page many times.
with tab:
    if name == "Against m":
        chart = accuracy_chart(result)
        layout.chart(chart.figure, chart.name, chart.alt, reels=())
        layout.explain(chart.words)
        if race.has_points and not live.is_going:
            share(state, RECIPE, source, settings, result.kept())
    elif name in ("Against seconds", "Against bytes"):
        chart = resource_chart(result, name.split()[1])
        layout.chart(chart.figure, chart.name, chart.alt)
        layout.explain(text.RESOURCES[name.split()[1]])
    elif name == "Confusions":
        views.confusions(state, race, source.data.dataset)
    else:
        views.penalties(race)
table = table_of_architectures if architectures(race.entrants) else views.table_one
layout.details(state, {
    "Numbers": lambda: views.numbers(race),
    "Table 1 of the paper": lambda: table(race),
    "How it is computed": lambda: st.markdown(text.METHOD),
})  # fmt: skip
state.finish()
show_device()
# Last, when the page stands: what a run has not drawn yet is shown faded.
if live.wait():
    st.rerun()
