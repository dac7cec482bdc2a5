"""Figures 1 and 2 of the kitchen sinks paper, live: is it worth choosing features with care?"""

import streamlit as st

from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.boosting import check_classes
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import make_split
from rfviz.errors import RfvizError
from rfviz.params import Param
from rfviz.ui import kitchen_sinks_text as text
from rfviz.ui import kitchen_sinks_views as views
from rfviz.ui import layout
from rfviz.ui.accuracy_views import OWN_TRAINING
from rfviz.ui.controls import choice, control
from rfviz.ui.live_run import LiveRun
from rfviz.ui.results import kept
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Kitchen sinks"
ICON = ":material/casino:"
GROUP = "Learning"
ORDER = 34
QUESTION = "AdaBoost chooses every feature with care. How far does one get, and how fast, by drawing them at random?"

K_MAX = Param("k_max", 1000, "int", 20, 100_000, ui_high=20_000, log=True, label="Largest K",
              help="Random features, at about sixteen numbers up to this one.")  # fmt: skip
STUMPS = Param("stumps", 200, "int", 0, 5000, log=True, marks=(0, 20, 50, 100, 200, 400, 1000, 2000, 5000),
               label="Boosted stumps", help="How many stumps AdaBoost may choose; 0 leaves it out. Each is a search "
               "through every column: some 20 ms on 32,561 rows of 123.")  # fmt: skip
DRAWS = Param("draws", 3, "int", 1, 20, ui_high=10, label="Draws",
              help="Independent draws of the random features; more only adds what is missing.")  # fmt: skip
ALPHA = Param("alpha", "hold-out", "float", 1e-6, 1e8, choices=("hold-out",), ui_low=0.001, ui_high=1e6, log=True,
              label="Penalty", help="Ridge penalty on the unscaled features: by hold-out for each K, or fixed. 1 is "
              "next to nothing, as in the paper.")  # fmt: skip
RUNS = Param("runs", 10, "int", 1, 500, log=True, marks=(1, 5, 10, 20, 30, 50, 100, 200, 500), label="Runs",
             help="Independent draws whose largest weights are compared; more only adds what is missing.")  # fmt: skip
TEST = Param("test", 25, "int", 5, 75, label="Test rows, %", help="For data without a split of their own.")

state = layout.page_title("kitchen-sinks", views.PRESETS, "Kitchen sinks against AdaBoost")
dataset, data_key = choose_data(state, "breast_cancer")
with st.sidebar:
    normalise = control(state, NORMALISATION, "standardise")
    test_share = control(state, TEST) / 100 if dataset.n_train is None else 0.25
view = views.choose_view(state)
with st.container(key="controls"):
    entrants = views.choose_learners(state)
    k_max = control(state, K_MAX)
    loss, alpha, runs, which = "ridge", "hold-out", 1, 0
    if view == "weights":
        runs = control(state, RUNS)
        labels = [e.label for e in entrants]
        if len(labels) > 1:
            shown = choice(state, "of", labels, labels[0], "Weights of", "Which family’s largest weight to show.")
            which = labels.index(shown)
    else:
        stumps, draws = control(state, STUMPS), control(state, DRAWS)
        loss = control(state, LOSS)
        alpha = control(state, ALPHA) if loss == "ridge" else "hold-out"

split_key = (data_key, normalise, test_share)
try:
    split = kept("split", split_key, lambda: make_split(dataset, normalise, test_share), most=4)
    check_classes(split)
except RfvizError as error:
    st.error(str(error))
    state.finish()
    show_device()
    st.stop()

live = work = None
if not entrants:
    st.info("No random features take part. Choose at least one family.")
elif view == "weights":
    work = views.weight_runs(split, split_key, entrants[which], k_max, runs)
    live = LiveRun("kitchen-sinks-weights", work)
    live.start_and_stop()
    views.weights_chart(work, str(split_key))
else:
    work = views.contest(split, split_key, entrants, (k_max, stumps, draws), loss, alpha)
    live = LiveRun("kitchen-sinks", work, OWN_TRAINING if loss != "ridge" else "")
    live.start_and_stop()
    views.contest_chart(view, work, loss, str(split_key))
st.caption(dataset.provenance)
parts = {"Numbers": lambda: views.numbers(work)} if work else {}
layout.details(state, parts | {
    "Columns": lambda: views.columns(dataset),
    "What the paper found": lambda: st.markdown(text.PAPER),
    "How it is computed": lambda: st.markdown(text.METHOD),
})  # fmt: skip
state.finish()
show_device()
# Last, when the page stands: what a run has not drawn yet is shown faded.
if live is not None and live.wait():
    st.rerun()
