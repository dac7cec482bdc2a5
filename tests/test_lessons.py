"""Every lesson: its file, its statements, and its way through the page; the panel, and the page with the cards."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.analysis.facts import FACTS
from rfviz.lessons import facts_of, parse_expression
from rfviz.recipes.address import format_value, same_text
from rfviz.ui.lesson_panel import LESSONS, all_lessons

LESSON = {lesson.slug: lesson for lesson in all_lessons()[0]}
every_lesson = pytest.mark.parametrize("slug", LESSON)
# The figures and statements of the papers that a page shows, and which lesson is about each.
FIGURES = {
    "distance-saturation": 1, "maxout-pca": 1, "hashing": 1, "kernel-approximation": 1, "binning": 1,
    "pixel-cooccurrence": 1, "guarantees": 1, "accuracy": 1, "kitchen-sinks": 2,
}  # fmt: skip

_ROUTER = """
import streamlit as st
from rfviz.ui.page_index import find_pages
pages = [st.Page(p.path, title=p.title, url_path=p.slug, default=p.slug == {slug!r}) for p in find_pages()]
st.navigation(pages).run()
"""


def opened(page, **query):
    at = AppTest.from_string(_ROUTER.format(slug=page), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return rested(at)


def rested(at):
    """The page after a run; one whose chart is a race is run until it is there."""
    at.run()
    for _ in range(100):
        if at.exception or at.error or charts(at):
            break
        at.run()
    assert not at.exception and not at.error and not at.warning
    return at


def charts(at):
    components = [element.proto for element in at.get("bidi_component")]
    return [json.loads(c.bytes)["figure"] for c in components if c.component_name == "rfviz.live_chart"]


def press(at, key):
    """Press a button of the panel."""
    next(button for button in at.button if button.key == key).click()
    return rested(at)


def assert_holds(at, lesson, settings):
    """These controls exist, and hold just these values."""
    for name, text in settings.items():
        key = f"{lesson.page}.{name}"
        assert key in at.session_state, f"{lesson.slug}: {lesson.page} has no control {name}"
        assert same_text(format_value(at.session_state[key]), text), f"{lesson.slug}: {name}"


# --- the files --------------------------------------------------------------------------------------------------------


def test_every_file_is_a_lesson():
    lessons, mistakes = all_lessons()
    assert not mistakes
    assert {path.stem for path in LESSONS.glob("*.md")} == {*LESSON, "README"}
    assert {page: sum(lesson.page == page for lesson in lessons) for page in FIGURES} == FIGURES


@every_lesson
def test_is_whole(slug):
    lesson = LESSON[slug]
    assert 4 <= len(lesson.steps) <= 6 and 3 <= lesson.minutes <= 20
    assert lesson.lead and lesson.source and lesson.question.endswith("?") and lesson.start
    for step in lesson.steps:
        assert step.settings and step.formula and step.question.endswith("?"), step.title
    # The right answer is not always at the same place.
    assert len({step.answer for step in lesson.steps}) > 1


@every_lesson
def test_statements_hold(slug):
    steps = LESSON[slug].steps
    for check in (check for step in steps for check in step.checks):
        assert check.evaluate(FACTS) is True, check.text
    assert sum(bool(step.checks) for step in steps) >= len(steps) - 1
    for step in steps:
        for fact in facts_of(step.reveal + step.suggestion):
            value = parse_expression(fact, FACTS).evaluate(FACTS)
            assert value == value, fact  # no NaN


def test_facts_say_what_they_are():
    assert all(fact.__doc__ and fact.__doc__.endswith(".") for fact in FACTS.values())


# --- the way through the page -----------------------------------------------------------------------------------------


@every_lesson
def test_goes_through_its_page(slug):
    lesson = LESSON[slug]
    at = opened(lesson.page, lesson=slug)
    assert_holds(at, lesson, lesson.start)
    for number, step in enumerate(lesson.steps, 1):
        before = charts(at)
        assert before and not at.toast and str(number) in at.query_params["step"]
        assert "{{" not in at.radio[0].label and "{{" not in "".join(markdown.value for markdown in at.markdown)
        assert at.radio[0].options == [option.text for option in step.options]
        at.radio[0].set_value(step.options[step.answer].text).run()
        press(at, "lesson-show")
        assert not at.toast, [toast.value for toast in at.toast]
        assert_holds(at, lesson, step.settings)
        assert charts(at) != before, f"{slug}, step {number}: the reveal changes nothing"
        words = "\n".join(markdown.value for markdown in at.markdown)
        assert step.options[step.answer].text in words and "as you predicted" in words
        assert "{{" not in words and f"$${step.formula}$$" in words
        press(at, "lesson-next")
    assert "lesson" not in at.query_params and not at.radio
