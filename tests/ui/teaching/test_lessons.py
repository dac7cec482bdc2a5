"""Every lesson: its file, its statements, and its way through the page; the panel, and the page with the cards."""

import json

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.expressions import parse_expression
from rfviz.lab.address import format_value, same_text
from rfviz.lab.facts import FACTS
from rfviz.lab.index import NAVIGATION, picture_of
from rfviz.lab.lecture import parse_lecture
from rfviz.lessons import compare_curve, facts_of, right_heights
from rfviz.ui.teaching.lesson_cards import READY_LECTURE
from rfviz.ui.teaching.lesson_panel import LESSONS, all_lessons
from tests.app_pages import SMALL, changed, page_at, prose, specs

LESSON = {lesson.slug: lesson for lesson in all_lessons()[0]}
every_lesson = pytest.mark.parametrize("slug", LESSON)
# How many lessons a page has: one for each figure or statement of the papers that it shows, one on a user's own data.
N_LESSONS = {
    "distance-saturation": 2, "maxout-pca": 1, "hashing": 1, "kernel-approximation": 3, "binning": 1,
    "pixel-cooccurrence": 1, "guarantees": 1, "accuracy": 2, "kitchen-sinks": 2, "learning-curve": 2,
}  # fmt: skip


def opened(page, **query):
    return rested(page_at(page, query, timeout=60))


def rested(at):
    """Run the page until it rests: where its chart is a race, until the chart is there."""
    at.run()
    for _ in range(100):
        if at.exception or at.error or specs(at):
            break
        at.run()
    assert not at.exception and not at.error and not at.warning
    return at


def chart_of(at, curve):
    """Return what the chart is told on which a curve is drawn, by default the page's first."""
    return next(
        json.loads(e.proto.bytes)
        for e in at.get("bidi_component")
        if e.proto.component_name == "rfviz.live_chart" and e.proto.id.endswith(curve.chart)
    )


def press(at, key):
    """Press a button of the panel."""
    next(button for button in at.button if button.key == key).click()
    return rested(at)


def assert_holds(at, lesson, settings):
    """Assert that these controls exist, and hold just these values."""
    for name, text in settings.items():
        key = f"{lesson.page}.{name}"
        assert key in at.session_state, f"{lesson.slug}: {lesson.page} has no control {name}"
        assert same_text(format_value(at.session_state[key]), text), f"{lesson.slug}: {name}"


# --- the files --------------------------------------------------------------------------------------------------------


def test_every_file_is_a_lesson():
    lessons, mistakes = all_lessons()
    assert not mistakes
    assert {path.stem for path in LESSONS.glob("*.md")} == {*LESSON, "README"}
    assert {page: sum(lesson.page == page for lesson in lessons) for page in N_LESSONS} == N_LESSONS


@every_lesson
def test_is_whole(slug):
    lesson = LESSON[slug]
    assert 4 <= len(lesson.steps) <= 6 and 3 <= lesson.minutes <= 20
    assert lesson.lead and lesson.source and lesson.question.endswith("?") and lesson.start
    for step in lesson.steps:
        assert step.settings and step.formula and step.question.endswith("?"), step.title
    assert len(lesson.remember) == 3
    for option in (option for step in lesson.steps for option in step.options if not option.right):
        assert option.why.endswith(".") and len(option.why) > 20, option.text
    # The right answer is not always at the same place.
    assert len({step.answer for step in lesson.steps if step.options}) > 1


@pytest.mark.slow
@every_lesson
def test_statements_hold(slug):
    steps = LESSON[slug].steps
    for check in (check for step in steps for check in step.checks):
        assert check.evaluate(FACTS) is True, check.text
    assert sum(bool(step.checks) for step in steps) >= len(steps) - 1
    for step in steps:
        reasons = " ".join(option.why for option in step.options)
        for fact in facts_of(" ".join([step.reveal, step.suggestion, reasons, *LESSON[slug].remember])):
            value = parse_expression(fact, FACTS).evaluate(FACTS)
            assert not np.isnan(value), fact
    for curve in (step.curve for step in steps if step.curve):
        right = [(x, curve.truth.at(x, FACTS)) for x in curve.places]
        wrong = [(x, 3.0 * y if curve.factors else y + np.ptp([y for _, y in right])) for x, y in right]
        heights = right_heights(curve, FACTS)
        assert compare_curve(curve, right, heights).grade == "close"
        assert compare_curve(curve, wrong, heights).grade == "off"


def test_facts_say_what_they_are():
    assert all(fact.__doc__ and fact.__doc__.endswith(".") for fact in FACTS.values())


# --- the way through the page -----------------------------------------------------------------------------------------


@pytest.mark.slow
@every_lesson
def test_goes_through_its_page(slug):
    lesson = LESSON[slug]
    at = opened(lesson.page, lesson=slug)
    assert_holds(at, lesson, lesson.start)
    for number, step in enumerate(lesson.steps, 1):
        before = specs(at)
        assert before and not at.toast and str(number) in at.query_params["step"]
        assert "{{" not in "".join(prose(at))
        if step.curve:
            right = [(x, step.curve.truth.at(x, FACTS)) for x in step.curve.places]
            assert chart_of(at, step.curve)["drawing"]["ends"] == [right[0][0], right[-1][0]]
            layout = chart_of(at, step.curve)["figure"]["layout"]
            assert step.curve.factors == (layout["yaxis"].get("type") == "log")
            for axis, values in zip((layout["xaxis"], layout["yaxis"]), zip(*right, strict=True), strict=True):
                drawn = np.log10(values) if axis.get("type") == "log" else values
                assert axis["range"][0] <= min(drawn) and max(drawn) <= axis["range"][1]
            assert layout["yaxis"]["range"][0] < min(drawn) and max(drawn) < layout["yaxis"]["range"][1]
            at.session_state[f"lesson:{slug}:{number}:0"] = right
            rested(at)
        else:
            assert "{{" not in at.radio[0].label
            assert at.radio[0].options == [option.text for option in step.options]
            at.radio[0].set_value(step.options[step.answer].text).run()
        press(at, "lesson-show")
        assert not at.toast, [toast.value for toast in at.toast]
        assert_holds(at, lesson, step.settings)
        assert specs(at) != before, f"{slug}, step {number}: the reveal changes nothing"
        words = "\n".join(prose(at))
        if step.curve:
            assert "Close." in words and "drawing" not in chart_of(at, step.curve)
            drawn = next(t for t in chart_of(at, step.curve)["figure"]["data"] if t.get("name") == "Your prediction")
            assert drawn["x"] == [x for x, _ in right]
            # The turning head's chart has a scale where others have a legend.
            assert drawn["showlegend"] == (slug != "turning-head")
        else:
            assert step.options[step.answer].text in words and "as you predicted" in words
        assert "{{" not in words and f"$${step.formula}$$" in words
        press(at, "lesson-next")
    n = len(lesson.steps)
    assert f"{n} of {n} right." in prose(at)
    press(at, "lesson-next")
    assert "lesson" not in at.query_params and not at.radio


# --- the panel, the presenter's view, and what is hidden --------------------------------------------------------------

SATURATION = "distance-saturation"


def css(at):
    return "\n".join(part.proto.body for part in at.get("html"))


def test_step_of_an_address_begins_as_the_steps_before_it_left_the_page():
    lesson = LESSON["saturation"]
    at = opened(SATURATION, lesson="saturation", step="4", n_components="50", seed="3")
    assert_holds(at, lesson, lesson.settings(4, False))
    # What the lesson says nothing of stays as the address has it.
    assert at.session_state[f"{SATURATION}.seed"] == 3
    assert any("Step 4 of 5" in part.proto.body for part in at.get("html"))


def test_begins_with_the_defaults_and_undo_stays_within_it():
    at = opened(SATURATION, seed="7", pool_size="16")
    at.query_params.clear()
    at.query_params["lesson"] = "saturation"
    at.run()
    assert at.session_state[f"{SATURATION}.seed"] == 0
    assert_holds(at, LESSON["saturation"], LESSON["saturation"].start)
    assert len(at.session_state[f"{SATURATION}:history"].entries) == 1


@pytest.mark.parametrize(("step", "expected"), [("0", "1"), ("99", "5"), ("x", "1"), ("²", "1"), ("-1", "1")])
def test_steps_that_there_are_not(step, expected):
    assert expected in opened(SATURATION, lesson="saturation", step=step).query_params["step"]


@pytest.mark.parametrize("slug", ["nonsense", "hashing", "../README"])
def test_lessons_that_there_are_not_on_this_page(slug):
    at = opened(SATURATION, lesson=slug, step="2")
    assert len(at.toast) == 1 and "no lesson" in at.toast[0].value
    assert "lesson" not in at.query_params and not at.radio


def test_a_prediction_comes_before_the_answer():
    at = opened(SATURATION, lesson="saturation")
    buttons = {button.key: button for button in at.button}
    assert buttons["lesson-show"].disabled and buttons["lesson-back"].disabled
    wrong = next(option for option in LESSON["saturation"].steps[0].options if not option.right)
    at.radio[0].set_value(wrong.text).run()
    press(at, "lesson-show")
    words = "\n".join(prose(at))
    assert f"~~{wrong.text}~~" in words and wrong.why in words and "0.91" in words  # the plateau, which is computed
    press(at, "lesson-again")
    assert at.radio[0].value is None
    assert_holds(at, LESSON["saturation"], LESSON["saturation"].start)
    press(at, "lesson-next")
    assert "2" in at.query_params["step"]
    press(at, "lesson-back")
    assert "1" in at.query_params["step"]
    press(at, "lesson-leave")
    assert "lesson" not in at.query_params and not at.radio


def test_an_answer_that_cannot_be_worked_out_is_one_sentence(monkeypatch):
    def broken(q, distance):
        raise ParameterError("q", "must be another", q)

    at = opened(SATURATION, lesson="saturation", step="2")
    monkeypatch.setattr("rfviz.ui.teaching.lesson_panel.FACTS", {"distance_saturation.expected_distance": broken})
    at.session_state["lesson:saturation:2:0"] = [(0.1, 0.1), (1.0, 0.6), (2.0, 0.7)]
    at.run()
    next(button for button in at.button if button.key == "lesson-show").click()
    at.run()
    assert not at.exception and any("must be another" in warning.value for warning in at.warning)


def test_hidden_controls_keep_the_value_of_the_address():
    at = opened(SATURATION, hide="seed,map,presets,details,question,share,teach,gamma", seed="7", n_components="500")
    assert not at.toast  # gamma is no mistake: other schemes have it
    assert at.session_state[f"{SATURATION}.seed"] == 7 and at.session_state[f"{SATURATION}.map"] == "RandomMaxout"
    sliders = {element.proto.id for element in at.get("bidi_component")}
    assert not any(f"{SATURATION}.seed:slider" in name for name in sliders)
    assert any(f"{SATURATION}.n_components:slider" in name for name in sliders)
    assert not any(box.label == "Map" for box in at.selectbox)
    assert not at.expander and not [button for button in at.button if "preset" in (button.key or "")]
    assert not [menu for menu in at.get("popover") if "Teach" in menu.proto.popover.label]


def test_unknown_names_are_said_once():
    at = opened(SATURATION, hide="seed,nonsense,more")
    assert [toast.value for toast in at.toast] == [
        "hide=more,nonsense in the address: this page has nothing of that name."
    ]
    assert not rested(at).toast


@pytest.mark.slow
@pytest.mark.parametrize("page", [page.slug for page in NAVIGATION])
def test_every_page_can_be_presented(page):
    at = changed(page_at(page, {"present": "true"}), page, SMALL.get(page, {}))
    assert not at.error and not at.toast
    assert "font-size: 20px" in css(at) and not at.expander
    figures = [
        json.loads(e.proto.bytes) for e in at.get("bidi_component") if e.proto.component_name == "rfviz.live_chart"
    ]
    assert all(figure["large"] for figure in figures)


def test_the_presenters_view_leads_to_every_page_and_preset():
    at = opened(SATURATION, present="true")
    links = {link.proto.label for link in at.get("page_link")}
    assert {page.title for page in NAVIGATION} <= links
    assert "Figure 1 of the paper" in [button.label for button in at.button]
    assert "Pages" in [popover.proto.popover.label for popover in at.get("popover")]
    assert "Pages" not in [popover.proto.popover.label for popover in opened(SATURATION).get("popover")]


def test_a_control_that_is_hidden_is_not_played():
    def played(at):
        bar = next(e.proto for e in at.get("bidi_component") if e.proto.component_name == "rfviz.play")
        return [animation["symbol"] for animation in json.loads(bar.json)["animations"]]

    assert "seed" in played(opened(SATURATION))
    assert "seed" not in played(opened(SATURATION, hide="seed"))


def test_presenting_a_lesson_draws_the_control_that_moves_and_asks_for_no_prediction():
    at = opened(SATURATION, lesson="saturation", step="3", present="true")
    names = [e.proto.id for e in at.get("bidi_component") if ":slider" in e.proto.id]
    assert len(names) == 1 and "n_components" in names[0]
    press(at, "lesson-show")
    assert at.session_state[f"{SATURATION}.n_components"] == 4000


# --- the page of lessons ----------------------------------------------------------------------------------------------


def test_cards_of_all_lessons():
    at = page_at("lessons").run()
    assert not at.exception and not at.warning
    links = [link.proto for link in at.get("page_link")]
    for lesson in LESSON.values():
        assert any(lesson.title in link.label and f"lesson={lesson.slug}" in link.query_string for link in links)
    words = "\n".join([*prose(at), *(part.value for part in at.caption)])
    assert all(lesson.question in words and f"{len(lesson.steps)} steps" in words for lesson in LESSON.values())


def test_cards_have_pictures_of_their_own():
    names = [lesson.slug if picture_of(lesson.slug) else lesson.page for lesson in LESSON.values()]
    assert all(picture_of(name, scheme) for name in names for scheme in ("light", "dark"))
    assert len({picture_of(name).read_bytes() for name in names}) == len(names)


def test_the_ready_lecture_has_45_minutes_of_steps_that_there_are():
    views = parse_lecture(READY_LECTURE.read_text("utf-8"), {page.slug for page in NAVIGATION})
    assert sum(int(view.note.split(" min.")[0]) for view in views) == 45
    for query in (view.query for view in views if view.query):
        lesson = LESSON[query["lesson"]]
        assert 1 <= int(query["step"]) <= len(lesson.steps)
    assert {LESSON[view.query["lesson"]].page == view.page for view in views if view.query} == {True}


def test_the_ready_lecture_begins_with_its_first_view():
    at = page_at("lessons").run()
    next(button for button in at.button if button.key == "start-ready-lecture").click()
    at.run()
    assert not at.exception and at.session_state["rfviz:lecture-at"] == 1
    assert at.session_state["rfviz:lecture"].startswith("zoo | ")


def test_the_front_page_lists_the_lessons_in_their_order():
    at = page_at("home").run()
    labels = [link.proto.label for link in at.get("page_link") if link.proto.query_string]
    expected = enumerate(LESSON.values(), 1)
    assert labels == [f"{number}. {lesson.title} ({lesson.minutes} min)" for number, lesson in expected]


def test_a_file_with_a_mistake_is_named_and_spoils_nothing(tmp_path, monkeypatch):
    for path in LESSONS.glob("*.md"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), encoding="utf-8")
    (tmp_path / "mine.md").write_text("---\ntitle: Mine\npage: nowhere\nminutes: 3\n---\n", encoding="utf-8")
    monkeypatch.setattr("rfviz.ui.teaching.lesson_panel.LESSONS", tmp_path)
    at = page_at("lessons").run()
    assert not at.exception and len(at.warning) == 1 and "mine.md, line 3" in at.warning[0].value
    assert len(at.get("page_link")) == len(LESSON)
