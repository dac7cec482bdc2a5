"""Decision surfaces: what a classifier on m random features would say, everywhere in a plane."""

import streamlit as st

from rfviz import datasets
from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.decision_surface import grid_of, takes_constant
from rfviz.errors import RfvizError
from rfviz.params import Param
from rfviz.ui import layout
from rfviz.ui import surface_views as views
from rfviz.ui.controls import choice, control
from rfviz.ui.own_points import OwnPoints
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Decision surfaces"
ICON = ":material/blur_on:"
GROUP = "Learning"
ORDER = 30
QUESTION = "Which shapes can a linear classifier draw once it sees random features, and how many features does it take?"

FEATURES = "The map’s first m features. Every m is ready: drag, and watch the surface settle."
CREASES = Param("creases", 0, "int", 0, 20, log=True, marks=(0, 1, 2, 3, 5, 8, 12, 20), label="Creases of",
                help="Draw where the first features bend, jump or change their sign; 0 draws none.")  # fmt: skip
CONSTANT = Param("constant", True, "bool", label="Constant input",
                 help="Put a 1 beside the inputs, so that projections have an offset.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
PENALTY = Param("C", 10.0, "float", 0.001, 1e6, log=True, marks=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
                label="C of SVMs",
                help="The price of an error for both SVMs: larger fits the training points better.")  # fmt: skip
SVM_GAMMA = Param("svm_gamma", "scale", "float", 0.0, 1e6, open_low=True, choices=("scale",), log=True, ui_low=0.01,
                  ui_high=100.0, symbol=r"\gamma", label="SVM’s gamma",
                  help="Of the exact RBF-SVM, whose kernel these features do not estimate.")  # fmt: skip
SCALING = Param("normalise", "none", "choice", choices=("none", "standardise"), label="Normalise",
                help="Standardise gives each column mean 0 and variance 1.")  # fmt: skip
UNLABELLED = ("circle", "sphere", "turning_head", "photo_patches")
COMMON = {"points_from": "data", "loss": "ridge", "C": 10.0, "normalise": "none", "seed": 0, "creases": 0,
          "gamma": "scale", "constant": True}  # fmt: skip
SPIRALS = COMMON | {"data": "spirals", "scheme": "RandomFourier", "n_components": 50, "data.n_samples": 600,
                    "data.n_classes": 2, "data.rotations": 1.5, "data.noise": 0.04, "data.random_state": 0}  # fmt: skip
DIGITS = COMMON | {"data": "digits", "scheme": "RandomFourier", "n_components": 500}
RINGS = COMMON | {"data": "circles", "scheme": "RandomProjection", "n_components": 1000, "data.n_samples": 400,
                  "data.n_classes": 2, "data.noise": 0.08, "data.random_state": 0}  # fmt: skip
FACETS = COMMON | {"data": "moons", "scheme": "RandomMaxout", "pool_size": 4, "n_components": 50, "creases": 3,
                   "data.n_samples": 400, "data.noise": 0.15, "data.random_state": 0}  # fmt: skip

state = layout.page_title(
    "decision-surfaces",
    {
        "Two spirals": ("600 points on two arms, 50 Fourier features.", SPIRALS),
        "The digits’ plane": ("A slice through the space of digits, along two principal components.", DIGITS),
        "Linear features cannot": ("1000 linear features of two rings.", RINGS),
        "Facets of maxout": ("Two moons, and the creases of three features.", FACETS),
    },
)
dataset, data_key = choose_data(state, "spirals", [name for name in datasets.names() if name not in UNLABELLED])
with st.sidebar:
    normalise, loss, penalty = control(state, SCALING), control(state, LOSS), control(state, PENALTY)


def choose() -> tuple[OwnPoints | None, views.Chosen, int, int, float | str]:
    """The controls: own points if any, the scheme, the number of features, creases, the SVM's gamma."""
    with st.container(key="controls"):
        titles = {"data": "Data set", "own": "My own"}
        own = choice(state, "points_from", list(titles), "data", "Points", "Those of the data set in the sidebar, or "
                     "points that you click into the plane.", titles) == "own"  # fmt: skip
        scheme, setting = views.choose_scheme(state)
        grid = grid_of(scheme)
        m = control(state, Param("n_components", 50, "int", grid[0], grid[-1], log=True, marks=grid, symbol="m",
                                 label="Features", help=FEATURES))  # fmt: skip
        setting["random_state"] = control(state, SEED)
        constant = takes_constant(scheme) and control(state, CONSTANT)
        chosen = views.Chosen(scheme, setting, loss, constant)
        gamma = "scale" if views.shares_gamma(chosen) else control(state, SVM_GAMMA)
        creases = control(state, CREASES)
    points = OwnPoints(state, views.PANELS) if own else None
    if points:
        points.controls()
    return points, chosen, m, creases, gamma


@st.fragment  # a slider or a click draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    points, chosen, m, creases, gamma = choose()
    try:
        bench = views.own_bench(points) if points else views.bench_of(dataset, data_key, normalise)
        views.show(state, bench, chosen, m, creases, penalty, gamma)
    except RfvizError as error:
        st.error(str(error))
    state.finish()


laboratory()
show_device()
