"""A lesson next to the chart of its page: a question, a prediction, what is then seen, and why.

The address holds the lesson and the step (``lesson=saturation&step=2``). What the user predicted, and whether the
answer is shown, is held by the session alone and gone with it.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from rfviz.errors import RfvizError
from rfviz.lab.index import FACTS
from rfviz.lessons import Lesson, Step, facts_of, fill, find_lessons, parse_expression
from rfviz.ui.page_index import ASSETS, NAVIGATION, entry_of
from rfviz.ui.plain import plain
from rfviz.ui.state import PageState

__all__ = ["LESSONS", "all_lessons", "begin", "links", "panel"]

LESSONS = ASSETS / "lessons"
_VISIT = "rfviz:lesson"
_HERE = Path(__file__).parent
_read: dict[tuple[tuple[str, int], ...], tuple[tuple[Lesson, ...], tuple[str, ...]]] = {}

_keys = component("rfviz.lesson_keys", js=(_HERE / "lesson_keys.js").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class _Visit:
    """Where the user is in a lesson.

    Attributes
    ----------
    lesson : str
        Its slug.
    step : int
        From 1.
    shown : bool
        Whether the answer is.
    chosen : str or None
        What was predicted.
    again : int
        How often the step was begun anew.
    """

    lesson: str
    step: int
    shown: bool = False
    chosen: str | None = None
    again: int = 0

    @property
    def key(self) -> str:
        """Where the prediction is held while it is made."""
        return f"lesson:{self.lesson}:{self.step}:{self.again}"


def all_lessons() -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """Return every lesson, and what is wrong with files that cannot be read; changed files are read again."""
    stamp = tuple(sorted((path.name, path.stat().st_mtime_ns) for path in LESSONS.glob("*.md")))
    if stamp not in _read:
        _read.clear()
        _read[stamp] = find_lessons(LESSONS, FACTS, {page.slug for page in NAVIGATION})
    return _read[stamp]


def begin(state: PageState) -> Step | None:
    """Return the step of the lesson in the address, if it is one of this page, and set the controls."""
    slug = st.query_params.get("lesson")
    lesson = next((one for one in all_lessons()[0] if one.slug == slug and one.page == state.page), None)
    if lesson is None:
        st.session_state.pop(_VISIT, None)
        if slug:
            st.toast(f"There is no lesson “{plain(slug[:40])}” on this page.", icon="⚠️")
            st.query_params.pop("lesson", None)
            st.query_params.pop("step", None)
        return None
    step = _step_of(lesson)
    before: tuple[_Visit, _Visit | None] | None = st.session_state.get(_VISIT)
    visit = before[0] if before else None
    if visit is None or visit.lesson != lesson.slug:
        state.forget()  # a lesson begins with the page's own defaults, whatever was set before
        visit = _Visit(lesson.slug, step)
    elif visit.step != step:
        visit = replace(visit, step=step, shown=False, chosen=None)
    if not before or before[1] != visit:
        settings = lesson.settings(step, visit.shown)
        state.address.give({name: settings.get(name) for name in lesson.names})
    # The visit, and the one whose settings the controls have.
    st.session_state[_VISIT] = visit, visit
    return lesson.steps[step - 1]


def _step_of(lesson: Lesson) -> int:
    text = st.query_params.get("step", "")
    step = min(max(int(text), 1), len(lesson.steps)) if text.isdecimal() and len(text) < 6 else 1
    if text != str(step):
        st.query_params["step"] = str(step)
    return step


def links(page: str) -> None:
    """Draw a link to each lesson of a page."""
    lessons = [lesson for lesson in all_lessons()[0] if lesson.page == page]
    if lessons:
        st.markdown("**Lessons on this page**")
        for lesson in lessons:
            lesson_link(lesson, lesson.title)


def lesson_link(lesson: Lesson, label: str) -> None:
    """Draw a link that begins a lesson."""
    path = entry_of(lesson.page).path
    st.page_link(path, label=label, icon=":material/school:", query_params={"lesson": lesson.slug, "step": "1"})


# --- the panel --------------------------------------------------------------------------------------------------------


def panel(state: PageState, presenting: bool) -> None:
    """Draw the step that the user is at, where a lesson is on."""
    held = st.session_state.get(_VISIT)
    if not held:
        return
    visit = held[0]
    lesson = next(one for one in all_lessons()[0] if one.slug == visit.lesson)
    step = lesson.steps[visit.step - 1]
    with st.container(key="lesson-panel"):
        _head(lesson, visit)
        st.html(f"<h2>{html.escape(step.title)}</h2>")
        if visit.shown:
            _reveal(step, visit.chosen)
        else:
            # What leads to the question has done its work when the answer is there, and room is short.
            if lead := "\n\n".join(filter(None, [lesson.lead if visit.step == 1 else "", step.lead])):
                st.markdown(_filled(lead))
            st.radio(_filled(step.question), [option.text for option in step.options], index=None, key=visit.key)
        _buttons(lesson, visit, presenting or st.session_state.get(visit.key) is not None)
    _keys(key="rfviz:lesson-keys", data={"step": visit.step}, height=1)


def _head(lesson: Lesson, visit: _Visit) -> None:
    """Draw the title of the lesson, how far it has come, and the button that leaves it."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="top", horizontal_alignment="distribute"):
        st.caption(f"**{lesson.title}**")
        st.button(":material/close:", key="lesson-leave", type="tertiary", on_click=_leave,
                  help="Leave the lesson. The controls stay as they are.")  # fmt: skip
    dots = "".join(
        f'<i class="{"done" if place < visit.step else "now" if place == visit.step else ""}"></i>'
        for place in range(1, len(lesson.steps) + 1)
    )
    words = f"Step {visit.step} of {len(lesson.steps)}"
    st.html(f'<div class="lesson-steps" role="img" aria-label="{words}">{dots}<span>{words}</span></div>')


def _reveal(step: Step, chosen: str | None) -> None:
    """Draw the question with its answer, whether that was predicted, what is seen, and why."""
    right = step.options[step.answer].text
    st.markdown(f"**{_filled(step.question)}**")
    answer = f":green[:material/check_circle: {right}]"
    if chosen == right:
        answer += " — as you predicted."
    elif chosen is not None:
        answer = f":material/close: ~~{chosen}~~  \n{answer}"
    st.markdown(answer)
    try:
        with st.spinner("Working out the numbers …"):
            st.markdown(_filled(step.reveal))
            if step.formula:
                st.markdown(f"$${step.formula}$$")
            if step.suggestion:
                st.markdown(f":material/touch_app: **Try it.** {_filled(step.suggestion)}")
    except RfvizError as error:
        st.warning(str(error), icon="⚠️")


def _filled(text: str) -> str:
    values = {fact: parse_expression(fact, FACTS).evaluate(FACTS) for fact in facts_of(text)}
    return fill(text, values)


def _buttons(lesson: Lesson, visit: _Visit, may_show: bool) -> None:
    """Draw the buttons Back, Show me, Again and Next."""
    last = visit.step == len(lesson.steps)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-buttons"):
        st.button("Back", key="lesson-back", icon=":material/arrow_back:", disabled=visit.step == 1, on_click=_go,
                  args=(visit, visit.step - 1))  # fmt: skip
        if visit.shown:
            st.button("Again", key="lesson-again", type="tertiary", on_click=_again, args=(visit,),
                      help="Ask the question again, and set the controls as the step begins.")  # fmt: skip
        else:
            st.button("Show me", key="lesson-show", type="primary", disabled=not may_show, on_click=_show,
                      args=(visit,), help=None if may_show else "Choose an answer first.")  # fmt: skip
        if last:
            st.button("Finish", key="lesson-next", type="primary" if visit.shown else "secondary", on_click=_leave)
        else:
            st.button("Next", key="lesson-next", type="primary" if visit.shown else "secondary", on_click=_go,
                      args=(visit, visit.step + 1))  # fmt: skip


def _move(visit: _Visit) -> None:
    """Replace the visit; its settings are handed to the controls when the page is drawn."""
    held = st.session_state.get(_VISIT)
    st.session_state[_VISIT] = visit, held[1] if held else None


def _show(visit: _Visit) -> None:
    _move(replace(visit, shown=True, chosen=st.session_state.get(visit.key)))


def _again(visit: _Visit) -> None:
    _move(replace(visit, shown=False, chosen=None, again=visit.again + 1))


def _go(visit: _Visit, step: int) -> None:
    st.query_params["step"] = str(step)
    _move(replace(visit, step=step, shown=False, chosen=None))


def _leave() -> None:
    st.session_state.pop(_VISIT, None)
    st.query_params.pop("lesson", None)
    st.query_params.pop("step", None)
