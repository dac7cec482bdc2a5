"""Figure 1 of the random maxout paper, live: which distances survive the map?"""

import streamlit as st

from rfviz.analysis.pairs import MAX_POINTS, prepare_pairs
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.saturation import saturation
from rfviz.errors import RfvizError
from rfviz.features import FeatureMap, RandomMaxout
from rfviz.figures.saturation import plot_saturation
from rfviz.params import Param
from rfviz.ui import layout, text
from rfviz.ui.controls import choose_map, control, several, shown
from rfviz.ui.results import kept, watched
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Distance saturation"
ICON = ":material/straighten:"
GROUP = "Distances"
ORDER = 10
QUESTION = "Which distances between points survive a random feature map, and which does it forget?"

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features. Watch the cloud.")
AS_PRINTED = Param(
    "printed",
    True,
    "bool",
    label="The paper’s formula",
    help="Also draw, dashed, the curve that Theorem 1 of the paper would give. It is wrong: see below.",
)
PAPER = {"scheme": "RandomMaxout", "n_components": 1000, "pool_size": 8, "compare": [32], "normalise": "unit norm",
         "data": "circle", "data.n_samples": 100, "data.evenly_spaced": False, "data.random_state": 0,
         "seed": 0, "printed": True}  # fmt: skip
COMPARED = {"pool_size": [1, 2, 4, 8, 16, 32, 64, 128], "gamma": [0.1, 0.5, 1.0, 2.0, 5.0, 10.0]}

state = layout.page_title(
    "distance-saturation", {"Figure 1 of the paper": ("100 points on the circle, m = 1000, q = 8 and 32.", PAPER)}
)
dataset, data_key = choose_data(state, "circle")
with st.sidebar:
    normalise = control(state, NORMALISATION)


def choose() -> tuple[type[FeatureMap], list[dict], list[str], bool]:
    """The controls: scheme, settings and names of the maps to compare, and whether to draw the paper's formula."""
    with st.container(key="controls"):
        scheme, setting = choose_map(state, {"pool_size": 8, "gamma": 1.0}, dataset.image_shape)
        varied = next((name for name in COMPARED if name in setting), None)
        setting["random_state"] = control(state, SEED)
        compare = []
        if varied:
            compare = several(state, "compare", COMPARED[varied], [32] if varied == "pool_size" else [],
                              "Beside it", "Further curves to compare with.")  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        layout.formula(scheme.formula)
        as_printed = scheme is RandomMaxout and control(state, AS_PRINTED)
    values = [setting[varied], *(v for v in compare if v != setting[varied])] if varied else [None]
    symbol = {"pool_size": "q", "gamma": "γ"}.get(varied, "")
    labels = [f"{symbol} = {shown(value)}" for value in values] if varied else [scheme.label]
    return scheme, [setting | ({varied: value} if varied else {}) for value in values], labels, as_printed


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    scheme, settings, labels, as_printed = choose()
    on = (data_key, normalise)

    def recall(setting, compute):
        return kept("mapped pairs", (*on, scheme.__name__, tuple(sorted(setting.items()))), compute, most=12)

    try:
        pairs = kept("pairs", on, lambda: prepare_pairs(dataset, normalise), most=8)
        key = (*on, scheme.__name__, *(tuple(sorted(s.items())) for s in settings))
        result = watched("saturation", key, lambda p: saturation(pairs, scheme.__name__, settings, labels, p, recall))
    except RfvizError as error:
        st.error(str(error))
        state.finish()
        return

    layout.chart(plot_saturation(result, as_printed=as_printed), "saturation", text.saturation_summary(result))
    layout.explain(text.saturation_explanation(result))
    if dataset.n_samples > MAX_POINTS:
        st.caption(f"The first {MAX_POINTS:,} of {dataset.n_samples:,} points are used.")
    frame = result.to_frame()
    parts = {
        "Numbers": lambda: layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.3f"), text.SATURATION_NUMBERS),
        "How it is computed": lambda: st.markdown(text.SATURATION_METHOD),
    }
    if scheme is RandomMaxout:
        parts["Why is the paper’s formula wrong?"] = lambda: st.markdown(text.ERRATUM)
    layout.details(state, parts)
    state.finish()


laboratory()
show_device()
