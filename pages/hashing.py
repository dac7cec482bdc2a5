"""Remark 1 of the random maxout paper as a page: which projection is the largest is a hash code."""

import streamlit as st

from rfviz.analysis.hashing import HammingResult
from rfviz.errors import RfvizError
from rfviz.features import registry
from rfviz.recipes import hashing_text as text
from rfviz.recipes.hashing import RECIPE, Compared, Outcome, compare, main_chart, nearest
from rfviz.recipes.hashing_settings import Neighbours, Recall, Settings, choose_hash, choose_look
from rfviz.ui import hashing_views as views
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Hashing"
ICON = ":material/tag:"
GROUP = "Distances"
ORDER = 14
QUESTION = "How much of the angle between two points can be read off their hash codes, and do codes find neighbours?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state, {"look": views.draw_look})
with st.sidebar:
    source = RECIPE.source(panel)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    chosen = choose_hash(panel)
    try:
        show(chosen, compare(source, *chosen, results))
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def show(chosen: tuple, compared: Compared) -> None:
    """The main chart, what is said of it, and the closer looks, of which each has controls of its own below it."""
    main, caption = st.container(), st.container()
    views.take_click(state, source.n_points)
    look, found = choose_look(panel, source), None
    with main:
        chart = main_chart(source, look, compared)
        layout.chart(chart.figure, chart.name, chart.alt, reels=())
    with caption:
        layout.explain(chart.words)
        st.caption(text.TERMS)
    if isinstance(look, Neighbours):
        two = nearest(look, compared.view.points)
        views.neighbours_view(compared.view, source.data.dataset, source.data.key, look.first, two)
    elif isinstance(look, Recall):
        found = views.recall_view(state, source, look, compared.view)
    else:
        found = views.spread_view(source, look, compared.view)
    share(state, RECIPE, source, Settings(*chosen, look), Outcome(compared, found))
    details(compared.result)


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
