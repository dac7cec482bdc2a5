"""The lessons as a route: cards by level on their page, a list on the front page, and what teachers are told."""

from __future__ import annotations

import streamlit as st

from rfviz.datasets.wording import counted
from rfviz.lab.index import NAVIGATION, picture_of
from rfviz.lessons import LEVELS
from rfviz.ui import layout
from rfviz.ui.teaching.lecture_bar import start_lecture
from rfviz.ui.teaching.lesson_panel import LESSONS, all_lessons, lesson_link
from rfviz.ui.teaching.lesson_progress import LINK, show_progress

__all__ = ["FOR_TEACHERS", "READY_LECTURE", "mistakes", "show", "show_route"]

#: A lecture for a class, in the form of :mod:`rfviz.lab.lecture`.
READY_LECTURE = LESSONS / "forty-five-minutes.txt"

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
    """Draw the ready lecture, and a card for each lesson, by level and in their order."""
    pages = {page.slug: page for page in NAVIGATION}
    colours = layout.card_colours()
    lessons = all_lessons()[0]
    with st.container(border=True, key="ready-lecture"):
        st.markdown(
            "**45 minutes for a class.** Eleven views in a row, with predictions to vote on and to draw, and a note on "
            "what to say at each."
        )
        if st.button("Start the lecture", key="start-ready-lecture", icon=":material/slideshow:"):
            start_lecture(READY_LECTURE.read_text(encoding="utf-8"))
    for level in LEVELS:
        of_level = [(number, lesson) for number, lesson in enumerate(lessons, 1) if lesson.level == level]
        if not of_level:
            continue
        minutes = sum(lesson.minutes for _, lesson in of_level)
        st.subheader(level.capitalize(), anchor=False)
        st.caption(f"{counted(len(of_level), 'lesson')} · {minutes} minutes")
        with st.container(key=f"cards-lessons-{level}"):
            for number, lesson in of_level:
                with st.container(border=True, height="stretch", key=f"{LINK}{lesson.slug}"):
                    if picture := picture_of(lesson.slug, colours) or pages[lesson.page].picture(colours):
                        st.image(str(picture), width="stretch")
                    st.caption(lesson.source or pages[lesson.page].title)
                    lesson_link(lesson, f"**{number}. {lesson.title}**")
                    st.markdown(lesson.question or lesson.steps[0].question)
                    steps = f"{len(lesson.steps)} steps"
                    st.caption(f"{lesson.minutes} min · {steps} · on the page “{pages[lesson.page].title}”")
    show_progress()


def show_route() -> None:
    """Draw a short list of all lessons, by level and in their order."""
    lessons = all_lessons()[0]
    with st.container(key="lesson-route"):
        for level in LEVELS:
            with st.container():
                st.markdown(f"**{level.capitalize()}**")
                for number, lesson in enumerate(lessons, 1):
                    if lesson.level == level:
                        with st.container(key=f"{LINK}{lesson.slug}"):
                            lesson_link(lesson, f"{number}. {lesson.title} ({lesson.minutes} min)", icon=None)
    show_progress()


def mistakes() -> None:
    """Draw the faults of files that could not be parsed, for their authors."""
    for mistake in all_lessons()[1]:
        st.warning(mistake, icon="⚠️")
