"""The page to start with: every feature map on the same plane, its kernel sampled and exact, side by side."""

import streamlit as st

from rfviz.analysis.zoo import AXIS, SIDE
from rfviz.recipes import zoo_text as text
from rfviz.recipes.zoo import RECIPE
from rfviz.ui import layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.share import share, share_place
from rfviz.ui.sidebar import show_device
from rfviz.ui.zoo_gallery import moved_point, zoo_gallery

TITLE = "The zoo"
ICON = ":material/apps:"
GROUP = ""
ORDER = 5
QUESTION = "Which random feature maps are there, what does one feature look like, and which kernel do they add up to?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
source = RECIPE.source(panel)


def formulas() -> None:
    """How each scheme is written down, and by whom it was."""
    for label, formula, reference in text.formulas():
        st.markdown(f"**{label}.** {reference}")
        layout.formula(formula)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    moved = moved_point(state)
    if moved is not None:
        state.apply({"x": float(AXIS[moved % SIDE]), "y": float(AXIS[moved // SIDE])})
    settings = RECIPE.settings(panel, source)
    result = RECIPE.run(source, settings, results)
    with st.container(horizontal=True, key="zoo-bar-row"):
        layout.explain(text.explanation(result))
        share_place(state)
    zoo_gallery(state, result)
    share(state, RECIPE, source, settings, result)
    frame = result.to_frame()
    layout.details(state, {
        "Formulas and sources": formulas,
        "Numbers": lambda: layout.numbers(frame, {frame.columns[2]: "%.2f", frame.columns[3]: "%.3f"}, text.NUMBERS),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip
    state.finish()


laboratory()
show_device()
