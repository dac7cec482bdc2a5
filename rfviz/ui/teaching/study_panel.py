"""The questions of a study, before a lesson and after: only where the server was given a file for the answers.

A student who agrees gets a random number, which the session and the address hold (``student=…``), so that a page that
is loaded again goes on where it was. Who does not agree, or stops, takes the lesson as ever.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from rfviz.errors import DataError
from rfviz.lab.facts import FACTS
from rfviz.lab.index import ASSETS
from rfviz.lessons import Item, LessonError, read_items
from rfviz.study import STUDENT, TESTS, Row, Study, new_student, study_of_server

__all__ = ["ask", "begin_at_top", "leave_address", "mistakes", "results", "stage"]

QUESTIONS = ASSETS / "questions"
# The random number; empty for who does not take part.
_STUDENT, _TOLD = "rfviz:student", "rfviz:study-told"
_PARAMETER = "student"
_CONSENT = """
This class takes part in a study: does this lesson teach? You answer 4 questions now and 4 later, before or after the
lesson, as a random draw decides.

Stored on this server: a random number and your answers. No name, no time. Nobody can find your answers again, so they
cannot be deleted later.

Taking part is your choice and does not count for a mark. You can stop at any time.
"""
_TITLES = {"first": "First questions", "second": "Second questions"}
_HOW = "If you are not sure, choose what seems most likely. You will see what is right when the lesson has ended."
_top = component("rfviz.study_top", js=(Path(__file__).parent / "study_top.js").read_text(encoding="utf-8"))


def mistakes() -> list[str]:
    """Return what is wrong with the study and its questions, in sentences; nothing without one."""
    study, mistake = study_of_server()
    return [mistake] if mistake else list(_questions()[1]) if study else []


def leave_address() -> None:
    """Take the student's number out of the address, which a student may send to others."""
    st.query_params.pop(_PARAMETER, None)


def stage(lesson: str, ended: bool) -> str:
    """Return what the study asks for in place of the lesson's step: ``"consent"`` or a test; empty where nothing.

    Parameters
    ----------
    lesson : str
    ended : bool
        Whether its last step is done.
    """
    study, _ = study_of_server()
    if study is None or lesson not in _questions()[0]:
        return ""
    student = _student()
    if student is None:
        return "consent"
    try:
        draw = study.draw(student, lesson) if student else None
    except DataError:  # as many students as it takes
        draw = None
    if draw is None:
        return ""
    if not study.answers(student, lesson, "first"):
        return "first"
    is_due = ended or draw.group == "control"
    return "second" if is_due and not study.answers(student, lesson, "second") else ""


def begin_at_top(stage: str) -> None:
    """Scroll to the top where another stage begins; nothing without a study."""
    if study_of_server()[0] is not None:
        _top(key="study-top", height=1, data=stage)


def ask(lesson: str, stage: str) -> None:
    """Ask for the student's agreement, or the questions of a test; the page's chart and controls are hidden."""
    st.html(f"<style>{(ASSETS / 'study.css').read_text(encoding='utf-8')}</style>")
    study, _ = study_of_server()
    assert study is not None
    student = _student()
    if not student:
        st.html("<h2>A study</h2>")
        st.markdown(_CONSENT)
        with st.container(horizontal=True, key="study-buttons"):
            st.button("I agree", key="study-agree", type="primary", on_click=_agree, args=(study, lesson))
            st.button("No thanks", key="study-decline", on_click=_stop)
        return
    form = study.draw(student, lesson).form(stage)
    st.html(f"<h2>{_TITLES[stage]}</h2>")
    st.markdown(_HOW)
    items = _questions()[0][lesson]
    with st.form(f"study-{lesson}-{stage}", border=False):
        for number, item in enumerate(items, 1):
            asked = item.forms[form]
            options = [option.text for option in asked.options]
            st.radio(f"{number}. {asked.text}", range(len(options)), index=None, format_func=options.__getitem__,
                     key=_key(lesson, stage, item))  # fmt: skip
        if told := st.session_state.pop(_TOLD, ""):
            st.warning(told, icon="⚠️")
        with st.container(horizontal=True, key="study-buttons"):
            st.form_submit_button("Send", key="study-send", type="primary", on_click=_send,
                                  args=(study, student, lesson, stage, form))  # fmt: skip
    st.button("Stop taking part", key="study-stop", type="tertiary", on_click=_stop,
              help="The lesson goes on without questions. Answers that you have sent stay.")  # fmt: skip


def results(lesson: str) -> None:
    """Draw what a student has answered, and what is right, once both tests are taken."""
    study, _ = study_of_server()
    student = st.session_state.get(_STUDENT)
    if study is None or not student or lesson not in _questions()[0]:
        return
    first, second = (study.answers(student, lesson, test) for test in TESTS)
    if not (first and second):
        return
    st.markdown(
        f"**The questions of the study.** Before: {_n_right(first)} of {len(first)} right. "
        f"After: {_n_right(second)} of {len(second)} right."
        if study.draw(student, lesson).group == "lesson"
        else f"**The questions of the study.** {_n_right(first)} of {len(first)} and {_n_right(second)} of "
        f"{len(second)} right, before the lesson."
    )
    items = {item.name: item for item in _questions()[0][lesson]}
    with st.expander("What is right"):
        for number, row in enumerate((*first, *second), 1):
            if row.question in items:
                st.markdown(f"**{number}.** {_marked(items[row.question], row)}")


def _n_right(rows: tuple[Row, ...]) -> int:
    return sum(row.right for row in rows)


def _marked(item: Item, row: Row) -> str:
    """Return a question with the right answer, and the chosen one where that is another."""
    form = item.forms[row.form]
    right = next(option.text for option in form.options if option.right)
    chosen = form.options[row.chosen - 1].text if row.chosen <= len(form.options) else ""
    wrong = "" if row.right else f":material/close: ~~{chosen}~~  \n"
    return f"{form.text}\n\n{wrong}:green[:material/check_circle: {right}]"


@cache
def _questions() -> tuple[dict[str, tuple[Item, ...]], tuple[str, ...]]:
    """Return the questions by lesson, and what is wrong with files that hold none. Read once: a study keeps its own."""
    found: dict[str, tuple[Item, ...]] = {}
    wrong: list[str] = []
    for path in sorted(QUESTIONS.glob("*.md")):
        if path.stem.lower() != "readme":
            try:
                found[path.stem] = read_items(path, FACTS)
            except LessonError as error:
                wrong.append(f"Questions of the study: {error}")
    return found, tuple(wrong)


def _student() -> str | None:
    """Return the student's number, empty for who does not take part, None for who was not asked."""
    if _STUDENT not in st.session_state:
        asked = st.query_params.get(_PARAMETER, "")
        if not STUDENT.fullmatch(asked):
            return None
        st.session_state[_STUDENT] = asked
    student: str = st.session_state[_STUDENT]
    if student and st.query_params.get(_PARAMETER) != student:
        st.query_params[_PARAMETER] = student
    return student


def _key(lesson: str, test: str, item: Item) -> str:
    return f"study:{lesson}:{test}:{item.name}"


def _agree(study: Study, lesson: str) -> None:
    student = new_student()
    try:
        study.draw(student, lesson)
    except DataError as error:
        st.toast(str(error), icon="⚠️")
        student = ""
    st.session_state[_STUDENT] = student


def _stop() -> None:
    st.session_state[_STUDENT] = ""
    leave_address()


def _send(study: Study, student: str, lesson: str, test: str, form: str) -> None:
    items = _questions()[0][lesson]
    chosen = [st.session_state.get(_key(lesson, test, item)) for item in items]
    open_ones = [str(number) for number, choice in enumerate(chosen, 1) if choice is None]
    if open_ones:
        st.session_state[_TOLD] = f"Not answered yet: {', '.join(open_ones)}."
        return
    answers = {
        item.name: (choice + 1, item.forms[form].options[choice].right)
        for item, choice in zip(items, chosen, strict=True)
        if choice is not None
    }
    try:
        study.add(student, lesson, test, answers)
    except DataError as error:
        st.session_state[_TOLD] = str(error)
