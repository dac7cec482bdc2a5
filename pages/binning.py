"""Figure 2 of the paper on random features: random grids in the plane, and the kernel that they add up to."""

import numpy as np
import streamlit as st

from rfviz.analysis.binning import MAX_REPETITIONS, PlaneGrids, boxes, pair_shares, plane_grids, shared_boxes
from rfviz.errors import RfvizError
from rfviz.features import RandomBinning
from rfviz.figures.binning import plot_boxes, plot_pairs, plot_shared, plot_shared_error
from rfviz.params import Param
from rfviz.ui import binning_text as text
from rfviz.ui import layout
from rfviz.ui.controls import choice, control
from rfviz.ui.live_chart import taken_row
from rfviz.ui.results import kept, watched
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Random binning"
ICON = ":material/grid_4x4:"
GROUP = "Kernels"
ORDER = 22
QUESTION = "How do grids that are laid at random add up to a smooth kernel?"

P = Param("p", 100, "int", 1, MAX_REPETITIONS, log=True, symbol="P", label="Grids",
          marks=(1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 4000),
          help="How many grids (repetitions) the estimate averages. Four times as many halve its error.")  # fmt: skip
SHOWN = Param("shown", 1, "int", 1, 60, label="Grid shown", help="Which of the grids is drawn over the points.")
GAMMA = Param("gamma", 2.0, "float", 0.05, 50.0, log=True, ui_high=20.0, symbol=r"\gamma", label="Gamma",
              help="One over a length: a larger γ makes smaller boxes and a narrower kernel.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other grids.")
VIEW = Param("view", "A point", "choice", choices=("A point", "All pairs"), label="Second picture",
             help="The kernel around the ringed point, or of all pairs as in the paper’s Figure 2.")  # fmt: skip
PROFILE = next(p for p in RandomBinning.params if p.name == "profile")
DATA = ["moons", "circles", "spirals", "xor", "circle"]
FIGURE_2 = {"data": "moons", "data.n_samples": 100, "view": "All pairs", "p": 1, "shown": 1, "gamma": 2.0, "seed": 0,
            "profile": "laplacian"}  # fmt: skip
DIAMOND = {"data": "moons", "view": "A point", "p": 4000, "gamma": 2.0, "profile": "laplacian"}

state = layout.page_title(
    "binning",
    {
        "Figure 2 of the paper": ("One random grid, and its matrix of inner products.", FIGURE_2),
        "Boxes to diamonds": ("4000 grids, whose boxes have become the Laplacian kernel.", DIAMOND),
    },
)
dataset, data_key = choose_data(state, "moons", DATA)


def choose(n_points: int) -> tuple[str, int, int, float, str, int, int]:
    """The controls: right picture, P, grid shown, γ, kernel, seed and row of the ringed point."""
    clicked = taken_row("boxes")
    if clicked is not None:
        state.apply({"point": clicked + 1})
    with st.container(key="controls"):
        view, p, shown = control(state, VIEW), control(state, P), control(state, SHOWN)
        gamma = control(state, GAMMA)
        profile = choice(state, "profile", list(PROFILE.choices), "laplacian", "Kernel", PROFILE.help, text.PROFILES)
        point = Param("point", 1, "int", 1, n_points, label="Ringed point", help="Or click a point in picture one.")
        row, seed = control(state, point), control(state, SEED)
    return view, p, shown - 1, gamma, profile, seed, row - 1


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    view, p, shown, gamma, profile, seed, row = choose(max(min(dataset.n_samples, 400), 2))
    try:
        key = (data_key, gamma, profile, seed)
        grids = watched("grids", key, lambda _: plane_grids(dataset, gamma, profile, seed), most=12)
        pictures(grids, key, (view, p, shown, row))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def pictures(grids: PlaneGrids, key: tuple, chosen: tuple[str, int, int, int]) -> None:
    """One grid beside what all of them add up to."""
    view, p, shown, row = chosen
    one = boxes(grids, shown, row)
    shared = kept("shared boxes", (key, p, row), lambda: shared_boxes(grids, row, p), most=200)
    with st.container(key="pair-top"):
        words = text.boxes_summary(grids, one)
        picture = plot_boxes(grids, one, row, revision=str(key[0]))
        layout.chart(picture, "boxes", words, clickable=True)
        if view == "All pairs":
            shares, order = kept("box pairs", (key, p, shown), lambda: pair_shares(grids, p, shown), most=24)
            layout.chart(plot_pairs(shares, order, revision=str(key[0])), "pairs", "Inner products of all pairs.")
        else:
            layout.chart(plot_shared(grids, shared, revision=str(key[0])), "shared", text.shared_summary(shared))
    layout.under_chart(picture, "boxes", words)
    error = float(np.sqrt(np.mean((shared.estimate - shared.exact) ** 2)))
    layout.explain(
        text.pairs_explanation(grids, one, p) if view == "All pairs" else text.explanation(grids, one, shared, error)
    )
    layout.details(state, {
        "Error against the number of grids": lambda: layout.chart(
            plot_shared_error(shared, revision=str(key)), "binning-error", f"RMS error, {error:.3g} at P = {p}."),
        "Numbers": lambda: layout.numbers(shared.to_frame(), {"RMS error": "%.4f", "predicted": "%.4f"}, text.NUMBERS),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


laboratory()
show_device()
