"""Lessons: for each figure of the papers a short track of questions, each with a prediction before the answer."""

import streamlit as st

from rfviz.ui import layout
from rfviz.ui.teaching import lesson_cards as cards

state = layout.page_header("lessons", controls=False)
cards.show()
cards.mistakes()
layout.details(state, {"For teachers": lambda: st.markdown(cards.FOR_TEACHERS)})
state.finish()
