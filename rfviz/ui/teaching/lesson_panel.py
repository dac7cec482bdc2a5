"""A lesson next to the chart of its page: a question, a prediction, the outcome, and the reason.

The address holds the lesson and the step (``lesson=saturation&step=2``). What the user predicted, and whether the
answer is shown, is held by the session alone and gone with it. Where the lecturer has opened a room, its phones
predict, and what they predict is shown before the answer is.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from rfviz.errors import RfvizError
from rfviz.figures.axes import DRAWN_LINE, has_legend, make_room
from rfviz.lab.facts import FACTS
from rfviz.lab.glossary import link_terms
from rfviz.lab.index import ASSETS, NAVIGATION, entry_of
from rfviz.lessons import (
    Answer,
    Curve,
    Lesson,
    Question,
    Room,
    Step,
    compare_curve,
    fill_facts,
    find_lessons,
    gap_words,
    right_heights,
)
from rfviz.ui.plain import plain
from rfviz.ui.session import widget_value
from rfviz.ui.state import PageState
from rfviz.ui.teaching.lesson_progress import keep_progress
from rfviz.ui.teaching.presenter import LESSON
from rfviz.ui.teaching.room_panel import (
    axes_of,
    class_words,
    draw_predictions,
    room_bar,
    room_of_session,
    shares,
    verdicts,
)

__all__ = ["LESSONS", "all_lessons", "begin", "drawing", "draws_on", "links", "panel", "with_drawn"]

LESSONS = ASSETS / "lessons"
_VERDICTS = {
    "close": ":green[:material/check_circle:] Close.",
    "near": ":orange[:material/adjust:] Not far.",
    "off": ":material/close: Not yet.",
}
_read: dict[tuple[tuple[str, int], ...], tuple[tuple[Lesson, ...], tuple[str, ...]]] = {}


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
    predicted : bool
        Whether what the room predicts is shown.
    chosen : str, sequence of points, or None
        The prediction: an answer, or a curve.
    again : int
        How often the step was begun anew.
    verdicts : mapping of int to str
        By step, how the prediction compares with the answer, where one was made.
    ended : bool
        Whether the last step is done.
    """

    lesson: str
    step: int
    shown: bool = False
    predicted: bool = False
    chosen: Any = None
    again: int = 0
    verdicts: Mapping[int, str] = field(default_factory=dict)
    ended: bool = False

    @property
    def key(self) -> str:
        """Where the prediction is held while it is made."""
        return f"lesson:{self.lesson}:{self.step}:{self.again}"


def all_lessons() -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """Return every lesson, and the faults of files that cannot be parsed; changed files are read again."""
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
        LESSON.pop()
        if room := room_of_session():
            room.wait()
        if slug:
            st.toast(f"There is no lesson “{plain(slug[:40])}” on this page.", icon="⚠️")
            st.query_params.pop("lesson", None)
            st.query_params.pop("step", None)
        return None
    step = _step_of(lesson)
    before: tuple[_Visit, _Visit | None] | None = LESSON.get()
    visit = before[0] if before else None
    if visit is None or visit.lesson != lesson.slug:
        state.forget()  # a lesson begins with the page's own defaults, whatever was set before
        visit = _Visit(lesson.slug, step)
    elif visit.step != step:
        visit = replace(visit, step=step, shown=False, predicted=False, chosen=None, ended=False)
    if not before or before[1] != visit:
        settings = lesson.settings(step, visit.shown)
        state.address.give({name: settings.get(name) for name in lesson.names})
    # The visit, and the one whose settings the controls have.
    LESSON.set((visit, visit))
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


def lesson_link(lesson: Lesson, label: str, icon: str | None = ":material/school:") -> None:
    """Draw a link that begins a lesson."""
    path = entry_of(lesson.page).path
    st.page_link(path, label=label, icon=icon, query_params={"lesson": lesson.slug, "step": "1"})


# --- the panel --------------------------------------------------------------------------------------------------------


def panel(state: PageState, presenting: bool) -> None:
    """Draw the step that the user is at, where a lesson is on."""
    found = _now()
    if not found:
        return
    lesson, step, visit = found
    room = room_of_session()
    with st.container(key="lesson-panel"):
        _head(lesson, visit)
        room_bar(room, "lesson")
        if visit.ended:
            _summary(lesson, visit)
        else:
            st.html(f"<h2>{html.escape(step.title)}</h2>")
            lead = "\n\n".join(filter(None, [lesson.lead if visit.step == 1 else "", step.lead]))
            if lead and not (visit.shown or visit.predicted):
                with st.container(key="lesson-lead"):
                    st.markdown(link_terms(_filled(lead), state.told))
            elif step.lead:
                with st.expander("Before the question"):
                    st.markdown(link_terms(_filled(lead), {*state.told}))  # which is folded: below they come again
            if visit.shown:
                _reveal(step, visit, room, state.told)
            else:
                _ask(step, visit, room)
            _buttons(lesson, visit, presenting or widget_value(visit.key) is not None, room)
    if room:
        _lead(room, lesson, step, visit)
    elif not presenting:
        keep_progress(lesson.slug, visit.step, len(lesson.steps), visit.ended)


def draws_on(key: str, is_main: bool) -> bool:
    """Return whether a chart is the one on which the lesson that is on lets the reader draw."""
    found = _now()
    curve = found[1].curve if found else None
    return curve is not None and (key == curve.chart if curve.chart else is_main)


def drawing() -> Mapping[str, Any] | None:
    """Return what the reader is asked to draw on a chart, for :func:`rfviz.ui.widgets.live_chart.live_chart`.

    None if nothing is asked for, or the answer is shown already.
    """
    found = _now()
    curve = found[1].curve if found else None
    if found is None or curve is None or found[2].shown or found[2].ended or room_of_session():
        return None
    return {"id": found[2].key, "ends": [curve.places[0], curve.places[-1]], "label": curve.label, "seek": True}


def with_drawn(figure: go.Figure) -> go.Figure:
    """Return a figure with room for the curve that the reader is to draw, and with it once the answer is shown."""
    found = _now()
    curve = found[1].curve if found else None
    if found is None or curve is None or found[2].ended:
        return figure
    (lesson, step, visit), figure = found, go.Figure(figure)
    with suppress(RfvizError):  # the answer says why it cannot be worked out
        make_room(figure, curve.places, list(right_heights(curve, FACTS)))
        if room := room_of_session():
            if visit.shown or visit.predicted:
                draw_predictions(figure, curve, room.answers(visit.key))
            else:
                asked = Question(
                    visit.key,
                    lesson.title,
                    step.title,
                    _filled(step.question),
                    axes=axes_of(curve, figure),
                    hint=curve.label,
                )
                room.ask(asked)
    if visit.shown and visit.chosen:
        x, y = zip(*visit.chosen, strict=True)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line=DRAWN_LINE,
            name="Your prediction",
            hoverinfo="skip",
            showlegend=has_legend(figure),
        )
    return figure


def _now() -> tuple[Lesson, Step, _Visit] | None:
    """Return the lesson that is on, the step, and where the user is in it."""
    held = LESSON.get()
    if not held:
        return None
    visit: _Visit = held[0]
    lesson = next(one for one in all_lessons()[0] if one.slug == visit.lesson)
    return lesson, lesson.steps[visit.step - 1], visit


def _head(lesson: Lesson, visit: _Visit) -> None:
    """Draw the title of the lesson, how far it has come, and the button that leaves it."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="top", horizontal_alignment="distribute"):
        st.caption(f"**{lesson.title}**")
        st.button(
            ":material/close:",
            key="lesson-leave",
            type="tertiary",
            on_click=_leave,
            help="Leave the lesson. The controls stay as they are.",
        )
    dots = "".join(
        f'<i class="{"done" if place < visit.step else "now" if place == visit.step else ""}"></i>'
        for place in range(1, len(lesson.steps) + 1)
    )
    words = f"Step {visit.step} of {len(lesson.steps)}"
    st.html(f'<div class="lesson-steps" role="img" aria-label="{words}">{dots}<span>{words}</span></div>')


def _lead(room: Room, lesson: Lesson, step: Step, visit: _Visit) -> None:
    """Tell a room where the lesson is. A curve is asked for where the chart is drawn, on whose axes it lies."""
    if visit.ended:
        room.wait()
    elif visit.shown:
        with suppress(RfvizError):  # said where the answer is drawn
            room.reveal(lambda answers: verdicts(step, answers), _right(step))
    elif visit.predicted:
        room.close()
    elif step.options:
        options = tuple(option.text for option in step.options)
        room.ask(Question(visit.key, lesson.title, step.title, _filled(step.question), options))


def _right(step: Step) -> Answer:
    """Return the right answer, as a room's phones show it."""
    if step.curve is None:
        return step.answer
    return np.column_stack([step.curve.places, right_heights(step.curve, FACTS)])


def _ask(step: Step, visit: _Visit, room: Room | None) -> None:
    """Draw the question, with answers to choose from or a word on drawing; in a room what that predicts, once shown."""
    if room:
        st.markdown(f"**{_filled(step.question)}**")
        if visit.predicted:
            _class(step, visit, room)
        elif step.curve:
            st.markdown(":material/draw: Draw your answer on your phone.")
        else:
            st.markdown("\n".join(f"- {option.text}" for option in step.options))
        return
    if step.curve is None:
        st.radio(_filled(step.question), [option.text for option in step.options], index=None, key=visit.key)
        return
    st.markdown(f"**{_filled(step.question)}**")
    st.markdown(
        ":material/draw: Draw your answer in the chart, with the mouse or a finger. With the keyboard: the second Tab "
        "of the page and Enter lead there; then the arrow keys."
    )


def _class(step: Step, visit: _Visit, room: Room) -> None:
    """Draw what a room predicts, and, once the answer is shown, how near it came."""
    answers = room.answers(visit.key)
    if step.options and answers:
        shares(step, answers, visit.shown)
    st.markdown(f":material/groups: {class_words(step, answers, visit.shown)}")


def _reveal(step: Step, visit: _Visit, room: Room | None, told: set[str]) -> None:
    """Draw the question with its answer, whether that was predicted, what is seen, and why.

    Terms that are not among those told before show what they mean.
    """
    st.markdown(f"**{_filled(step.question)}**")
    try:
        with st.spinner("Working out the numbers …"):
            if room:
                _class(step, visit, room)
            elif words := _compared(step, visit.chosen)[1]:
                st.markdown(words)
            st.markdown(link_terms(_filled(step.reveal), told))
            if step.formula:
                st.markdown(f"$${step.formula}$$")
            if step.suggestion:
                st.markdown(f":material/touch_app: **Try it.** {_filled(step.suggestion)}")
    except RfvizError as error:
        st.warning(str(error), icon="⚠️")


def _compared(step: Step, chosen: Any) -> tuple[str, str]:
    """Compare a prediction with the answer: one of the verdicts, empty without a prediction, and words for the page."""
    if step.curve is not None:
        return _compared_curve(step.curve, chosen or ())
    right = step.options[step.answer].text
    answer = f":green[:material/check_circle: {right}]"
    if chosen is None:
        return "", answer
    if chosen == right:
        return "close", f"{answer} — as you predicted."
    why = next((option.why for option in step.options if option.text == chosen), "")
    return "off", f":material/close: ~~{chosen}~~  \n{_filled(why)}\n\n{answer}"


def _compared_curve(curve: Curve, drawn: Sequence[tuple[float, float]]) -> tuple[str, str]:
    gap = compare_curve(curve, drawn, right_heights(curve, FACTS))
    if gap is None:
        return "", ""
    return gap.grade, f"{_VERDICTS[gap.grade]} Your dashed curve is {gap_words(curve, gap)}"


def _summary(lesson: Lesson, visit: _Visit) -> None:
    """Draw which predictions were right, and what comes next."""
    st.html("<h2>What you predicted</h2>")
    lines = [
        f"{_VERDICTS.get(visit.verdicts.get(number, ''), ':material/remove:').partition(' ')[0]} {step.title}"
        for number, step in enumerate(lesson.steps, 1)
    ]
    st.markdown("  \n".join(lines))
    n_made = sum(bool(verdict) for verdict in visit.verdicts.values())
    n_right = sum(verdict == "close" for verdict in visit.verdicts.values())
    if room_of_session():
        st.markdown("The answers of the class are under **Teach → Answers**, as a table.")
    else:
        st.markdown(f"{n_right} of {n_made} right." if n_made else "You made no predictions this time.")
    if lesson.remember:
        st.html("<h2>Remember</h2>")
        with suppress(RfvizError):  # a fact that cannot be computed is missing from the steps, too
            st.markdown("\n".join(f"- {_filled(sentence)}" for sentence in lesson.remember))
    lessons = all_lessons()[0]
    place = lessons.index(lesson) + 1
    if place < len(lessons):
        st.markdown("**Next lesson**")
        lesson_link(lessons[place], lessons[place].title)
    with st.container(horizontal=True, key="lesson-buttons"):
        st.button("Back", key="lesson-back", icon=":material/arrow_back:", on_click=_go, args=(visit, visit.step))
        st.button("Close", key="lesson-next", type="primary", on_click=_leave)


def _filled(text: str) -> str:
    return fill_facts(text, FACTS)


def _buttons(lesson: Lesson, visit: _Visit, may_show: bool, room: Room | None) -> None:
    """Draw the buttons Back, Show me, Again and Next."""
    last = visit.step == len(lesson.steps)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-buttons"):
        st.button(
            "Back",
            key="lesson-back",
            icon=":material/arrow_back:",
            disabled=visit.step == 1,
            on_click=_go,
            args=(visit, visit.step - 1),
        )
        if visit.shown:
            st.button(
                "Again",
                key="lesson-again",
                type="tertiary",
                on_click=_again,
                args=(visit,),
                help="Ask the question again, and set the controls as the step begins.",
            )
        elif room and not visit.predicted:
            st.button(
                "Predictions",
                key="lesson-show",
                type="primary",
                on_click=_move,
                args=(replace(visit, predicted=True),),
                help="Take no more answers, and show them.",
            )
        else:
            may_show = may_show or room is not None
            st.button(
                "Show me",
                key="lesson-show",
                type="primary",
                disabled=not may_show,
                on_click=_show,
                args=(visit,),
                help=None if may_show else "Predict first.",
            )
        if last:
            st.button(
                "Finish",
                key="lesson-next",
                type="primary" if visit.shown else "secondary",
                on_click=_move,
                args=(replace(visit, ended=True),),
            )
        else:
            st.button(
                "Next",
                key="lesson-next",
                type="primary" if visit.shown else "secondary",
                on_click=_go,
                args=(visit, visit.step + 1),
            )


def _move(visit: _Visit) -> None:
    """Replace the visit; its settings are handed to the controls when the page is drawn."""
    held = LESSON.get()
    LESSON.set((visit, held[1] if held else None))


def _show(visit: _Visit) -> None:
    chosen = widget_value(visit.key)
    lesson = next(one for one in all_lessons()[0] if one.slug == visit.lesson)
    verdict = ""
    with suppress(RfvizError):  # said where the answer is drawn
        verdict, _ = _compared(lesson.steps[visit.step - 1], chosen)
    _move(replace(visit, shown=True, chosen=chosen, verdicts={**visit.verdicts, visit.step: verdict}))


def _again(visit: _Visit) -> None:
    _move(replace(visit, shown=False, predicted=False, chosen=None, again=visit.again + 1))


def _go(visit: _Visit, step: int) -> None:
    st.query_params["step"] = str(step)
    _move(replace(visit, step=step, shown=False, predicted=False, chosen=None, ended=False))


def _leave() -> None:
    if room := room_of_session():
        room.wait()
    LESSON.pop()
    st.query_params.pop("lesson", None)
    st.query_params.pop("step", None)
