"""Remark 1 of the random maxout paper as a page: which projection is the largest is a hash code."""

import streamlit as st

from rfviz.analysis.hash_points import METRIC, HashPoints, prepare_hash_points
from rfviz.analysis.hashing import HammingResult
from rfviz.analysis.points import NORMALISATION
from rfviz.errors import RfvizError
from rfviz.features import registry
from rfviz.figures.hashing import plot_hamming
from rfviz.params import Param
from rfviz.ui import hashing_text as text
from rfviz.ui import hashing_views as views
from rfviz.ui import layout
from rfviz.ui.controls import control
from rfviz.ui.results import watched
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Hashing"
ICON = ":material/tag:"
GROUP = "Distances"
ORDER = 14
QUESTION = "How much of the angle between two points can be read off their hash codes, and do codes find neighbours?"

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the hash functions.")
BESIDE = Param("beside", True, "bool", label="SimHash beside it",
               help="Also draw the law and the means of SimHash, the signs of random projections.")  # fmt: skip
SAME = {"data": "digits", "scheme": "RandomMaxout", "pool_size": 2, "n_components": 256, "seed": 0, "beside": True,
        "normalise": "unit norm", "metric": "cosine", "look": "Neighbours", "first": 900, "second": 0}  # fmt: skip
FACES = SAME | {"data": "turning_head", "data.order_noise": 3, "data.random_state": 0, "pool_size": 16,
                "n_components": 512, "first": 17}  # fmt: skip

state = layout.page_title(
    "hashing",
    {
        "q = 2 is SimHash": ("The larger of two projections is the sign of their difference.", SAME),
        "Faces": ("33 pictures of a turning head: the nearest codes are the neighbouring frames.", FACES),
    },
)
dataset, data_key = choose_data(state, "digits")
with st.sidebar:
    normalise, metric = control(state, NORMALISATION), control(state, METRIC)
key = (data_key, normalise, metric)


def choose() -> tuple[str, dict, bool]:
    """The controls: scheme, its settings, and whether SimHash is drawn beside it."""
    with st.container(key="controls"):
        scheme, setting = views.choose_hash(state)
        setting["random_state"] = control(state, SEED)
        beside = scheme == "RandomMaxout" and control(state, BESIDE)
    return scheme, setting, beside


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    scheme, setting, beside = choose()
    try:
        points = watched("hash points", key, lambda p: prepare_hash_points(dataset, normalise, metric, progress=p), 4)
        show(points, scheme, setting, beside)
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def show(points: HashPoints, scheme: str, setting: dict, beside: bool) -> None:
    """The main chart, what is said of it, and the closer looks."""
    view = views.hashed(points, key, scheme, setting)
    result, other = view.pairs(), None
    if beside:
        plain = {"n_components": setting["n_components"], "random_state": setting["random_state"]}
        other = views.hashed(points, key, views.SIMHASH, plain).pairs()
    main, caption = st.container(), st.container()
    look = views.look_closer(state)
    one = two = None
    if look == "Neighbours":
        with st.container(key="controls-pair"):
            one, two = views.pair_rows(state, points)
    with main:
        place = None if one is None else views.pair_place(view, one, two)
        figure = plot_hamming(result, other, place, revision=f"{key}")
        words = text.summary(result, other, setting.get("pool_size"))
        layout.chart(figure, "hamming", words.replace("*", ""), reels=())
    with caption:
        layout.explain(f"**What am I seeing?** {words}")
        st.caption(text.TERMS)
    if look == "Neighbours":
        views.neighbours_view(view, dataset, data_key, one, two)
    elif look == "Recall":
        views.recall_view(state, points, key)
    else:
        views.spread_view(state, view, f"{key}")
    details(result)


def details(result: HammingResult) -> None:
    """What is folded away below the charts."""
    formats = {"distance": "%.1f"} | dict.fromkeys(
        ["differing, measured", "differing, exact", "s.d. of a pair"], "%.4f"
    )
    note = f"By column of the main chart; distance: {result.title}. {registry()[result.scheme].label}."
    layout.details(state, {
        "Numbers": lambda: layout.numbers(result.to_frame(), formats, note),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


laboratory()
show_device()
