"""What the papers guarantee, beside what happens: how loose is each bound, and how many features does it ask for?"""

import streamlit as st

from rfviz.analysis.points import NORMALISATION
from rfviz.errors import RfvizError
from rfviz.params import Param
from rfviz.ui import guarantees_views as views
from rfviz.ui import layout
from rfviz.ui.controls import control
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Guarantees"
ICON = ":material/verified_user:"
GROUP = "Kernels"
ORDER = 26
QUESTION = "How many random features does theory ask for, how many do it in fact, and what is left unsaid?"

VIEW = Param("view", "Kernel", "choice", choices=("Kernel", "Learning"), label="Bounds on",
             help="The error of the kernel estimate, or the risk of what is learnt with it.")  # fmt: skip
FOURIER = {"view": "Kernel", "scheme": "RandomFourier", "data": "digits", "normalise": "unit norm", "gamma": 1.0,
           "paired": True, "spectrum": "gaussian", "draw": "iid", "eps": 0.1, "delta": 0.05, "n_components": 1000,
           "dimension": "data", "draws": 100, "points": 64,
           "about": ["one pair", "all pairs", "everywhere"]}  # fmt: skip
BINNING = FOURIER | {"scheme": "RandomBinning", "profile": "laplacian", "draws": 50, "points": 32, "n_components": 400}
SINKS = {"view": "Learning", "theorem": "kitchen sinks", "features": "RandomFourier", "data": "digits",
         "normalise": "unit norm", "gamma": 1.0, "loss": "hinge", "n_components": 300, "rows": "data",
         "size": "measured", "delta": 0.05}  # fmt: skip

presets = {
    "Uniform against one pair": ("Random Fourier features on digits: one pair, all pairs, all of a region.", FOURIER),
    "Binning": ("Random binning: a bound for one pair, and one for a region that grows before it falls.", BINNING),
    "Learning: Theorem 1": ("The bound of random kitchen sinks, estimation and approximation apart.", SINKS),
}
state = layout.page_title("guarantees", presets)
dataset, data_key = choose_data(state, "digits")
with st.sidebar:
    normalise = control(state, NORMALISATION)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    view = control(state, VIEW)
    try:
        if view == "Kernel":
            views.kernel(state, dataset, (data_key, normalise))
        else:
            views.learning(state, dataset, (data_key, normalise))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


laboratory()
show_device()
