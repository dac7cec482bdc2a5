"""Lessons: for each figure of the papers a short track of questions, each with a prediction before the answer."""

import streamlit as st

from rfviz.ui import layout
from rfviz.ui.teaching import lesson_cards as cards

TITLE = "Lessons"
ICON = ":material/school:"
GROUP = ""
ORDER = 6
QUESTION = (
    "What would you predict? Each lesson leads through one figure of a paper in a few questions: you choose an answer, "
    "then the page shows what happens, with its numbers."
)

state = layout.page_title("lessons", controls=False)
cards.show()
cards.mistakes()
layout.pictures_are_decoration()
layout.details(state, {"For teachers": lambda: st.markdown(cards.FOR_TEACHERS)})
state.finish()
