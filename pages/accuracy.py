"""Accuracy against the number of features: the chart that a lecture on random features is about."""

import streamlit as st

from rfviz.analysis.accuracy import LOSS, grid_segments
from rfviz.analysis.baselines import BASELINES
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import make_split
from rfviz.errors import RfvizError
from rfviz.figures.accuracy import plot_accuracy
from rfviz.params import Param
from rfviz.ui import accuracy_text, layout, text
from rfviz.ui import accuracy_views as views
from rfviz.ui.accuracy_entrants import architectures, choose_maps, choose_settings, line_up, presets
from rfviz.ui.architecture_views import table_of_architectures
from rfviz.ui.controls import control, several
from rfviz.ui.live_run import LiveRun
from rfviz.ui.race import Race
from rfviz.ui.results import kept
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Accuracy against m"
ICON = ":material/trending_down:"
GROUP = "Learning"
ORDER = 32
QUESTION = "How many random features does a linear model need to do as well as the exact kernel?"

M_MAX = Param("m_max", 1000, "int", 20, 100_000, log=True, symbol="m", label="Largest",
              help="The curve has about twenty numbers of features up to this one.")  # fmt: skip
SEEDS = Param(
    "seeds",
    3,
    "int",
    1,
    20,
    ui_high=10,
    label="Draws",
    help="Independent draws of each map; more only adds what is missing.",
)
ALPHA = Param("alpha", "hold-out", "float", 1e-6, 1e8, choices=("hold-out",), ui_low=0.001, ui_high=1e6, log=True,
              symbol=r"\alpha", label="Penalty",
              help="Ridge penalty on the unscaled features: by hold-out for each m, or fixed.")  # fmt: skip
GROW = Param("grow", "features", "choice", choices=("features", "rows"), label="What grows",
             help="Points arrive from few features to many, or curves from few training rows to all.")  # fmt: skip
TEST = Param("test", 25, "int", 5, 75, label="Test rows, %", help="For data without a split of their own.")

state = layout.page_title("accuracy", presets())
dataset, data_key = choose_data(state, "digits")
with st.sidebar:
    normalise = control(state, NORMALISATION, "none")
    test_share = control(state, TEST) / 100 if dataset.n_train is None else 0.25

    grow = control(state, GROW)

with st.container(key="controls"):
    chosen = choose_maps(state)
    references = several(state, "references", list(BASELINES), ["linear_ridge", "rbf_svm"], "Beside them",
                         "Other methods, as horizontal lines.", {k: b.title for k, b in BASELINES.items()})  # fmt: skip
    m_max, seeds = control(state, M_MAX), control(state, SEEDS)
    settings = choose_settings(state, chosen, references, dataset.image_shape)
    loss = control(state, LOSS)
    alpha = control(state, ALPHA) if loss == "ridge" else "hold-out"

try:
    split = kept("split", (data_key, normalise, test_share), lambda: make_split(dataset, normalise, test_share), most=4)
    entrants = line_up(chosen, settings, dataset.image_shape)
except RfvizError as error:
    st.error(str(error))
    state.finish()
    show_device()
    st.stop()

segments = [tuple(int(m) for m in grid) for grid in grid_segments(m_max)]
whole = tuple(m for grid in segments for m in grid)
steps = (
    tuple((grid, 1.0) for grid in segments) if grow == "features" else tuple((whole, s) for s in (1 / 16, 1 / 4, 1.0))
)
alphas = "auto" if alpha == "hold-out" else alpha
race = Race(split, (data_key, normalise, test_share), entrants, seeds, steps, alphas, loss)

unit = "test error, %" if split.is_classification else "test error (root mean square)"
live = LiveRun("accuracy", race, views.OWN_TRAINING if loss != "ridge" else "")
live.start_and_stop()
names = ["Against m", "Against seconds", "Against bytes", "Confusions", "Penalty", "Numbers", "Table 1",
         "How it is computed"]  # fmt: skip
tabs = dict(zip(names, st.tabs(names, key="accuracy:tab", on_change="rerun"), strict=True))
lines = views.reference_lines(race, references, settings.gamma)
# Only what is open is drawn: a race redraws the page many times.
name = next((name for name, tab in tabs.items() if tab.open), names[0])
with tabs[name]:
    if name == "Against m":
        layout.chart(views.accuracy_chart(race, lines, unit), "accuracy", text.accuracy_summary(race), reels=())
        layout.explain(text.accuracy_explanation(race, lines) + accuracy_text.stories(race))
    elif name in ("Against seconds", "Against bytes"):
        axis = name.split()[1]
        figure = plot_accuracy(race.runners(axis), lines, axis=axis, unit=unit, revision=str(data_key))
        layout.chart(figure, f"accuracy-{axis}", f"Test error against {axis}.")
    elif name == "Confusions":
        views.confusions(state, race, dataset)
    elif name == "Penalty":
        views.penalties(race)
    elif name == "Numbers":
        views.numbers(race)
    elif name == "Table 1":
        table = table_of_architectures if architectures(race.entrants) else views.table_one
        table(race)
    else:
        st.markdown(text.ACCURACY_METHOD + accuracy_text.METHOD)
state.finish()
show_device()
# Last, when the page stands: what a run has not drawn yet is shown faded.
if live.wait():
    st.rerun()
