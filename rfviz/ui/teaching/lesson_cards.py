"""The cards of the page on lessons, and what teachers are told there."""

from __future__ import annotations

import streamlit as st

from rfviz.lab.index import NAVIGATION, picture_of
from rfviz.ui import layout
from rfviz.ui.teaching.lesson_panel import LESSONS, all_lessons, lesson_link

__all__ = ["FOR_TEACHERS", "mistakes", "show"]

FOR_TEACHERS = f"""
**A link to a step.** The address of a lesson holds its step, as in `distance-saturation?lesson=saturation&step=2`.
What a student predicts is not stored.

**On a projector.** Add `present=true`, or choose *Teach → Presenter view*: large type, a taller chart, fewer controls.
The right arrow key shows the answer and goes on, the left one goes back; no prediction is asked for.

**Fewer controls.** `hide=seed,map,sidebar` leaves controls out that then keep the value that the address gives them.
*Teach → Link for students* makes such an address from boxes that you tick. `embed=true` leaves out the frame as well,
for an iframe in a page of your own.

**Lessons of your own.** A lesson is one Markdown file in `{LESSONS.parent.name}/{LESSONS.name}`; the file `README.md`
there says how to write one. A file is read again when it changes, and mistakes are named here with their line.
"""


def show() -> None:
    """Draw a card for each lesson, in the order of the papers."""
    pages = {page.slug: page for page in NAVIGATION}
    colours = layout.card_colours()
    with st.container(key="cards-lessons"):
        for lesson in all_lessons()[0]:
            with st.container(border=True, height="stretch", key=f"lesson-card-{lesson.slug}"):
                if picture := picture_of(lesson.slug, colours) or pages[lesson.page].picture(colours):
                    st.image(str(picture), width="stretch")
                st.caption(lesson.source or pages[lesson.page].title)
                lesson_link(lesson, f"**{lesson.title}**")
                st.markdown(lesson.question or lesson.steps[0].question)
                words = f"{lesson.minutes} min · {len(lesson.steps)} steps · on the page “{pages[lesson.page].title}”"
                st.caption(words)


def mistakes() -> None:
    """Draw the faults of files that could not be parsed, for their authors."""
    for mistake in all_lessons()[1]:
        st.warning(mistake, icon="⚠️")
