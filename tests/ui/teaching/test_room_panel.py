"""A lecturer with a room: opened, led through a lesson, found again, closed."""

import csv
import io

import numpy as np
import plotly.graph_objects as go
import pytest

from rfviz.lab.facts import FACTS
from rfviz.lessons import ROOMS, right_heights
from rfviz.ui.teaching.lesson_panel import all_lessons
from rfviz.ui.teaching.room_panel import axes_of, class_words, draw_predictions, verdicts
from tests.app_pages import page_at, prose, specs

LESSON = next(lesson for lesson in all_lessons()[0] if lesson.slug == "saturation")
CHOICE, CURVE = LESSON.steps[0], LESSON.steps[1]


def phone(number):
    return f"phone-{number:012d}"


def text_of(at):
    return "\n".join(prose(at))


def press(at, key):
    next(button for button in at.button if button.key == key).click()
    at.run()
    assert not at.exception and not at.error
    return at


@pytest.fixture
def room():
    room = ROOMS.open()
    yield room
    ROOMS.close(room)


def has_room(at):
    return "rfviz:room" in at.session_state and at.session_state["rfviz:room"] is not None


def led(room, step=1):
    """Return a lecturer's page at a step of the lesson, with the room open."""
    at = page_at(LESSON.page, {"lesson": LESSON.slug, "step": str(step)}, timeout=60)
    at.session_state["rfviz:room"] = room
    at.run()
    assert not at.exception and not at.error
    return at


def test_a_choice_goes_from_question_to_predictions_to_answer(room):
    at = led(room)
    stage, question, _, _ = room.look(phone(0))
    assert stage == "ask" and question.options == tuple(option.text for option in CHOICE.options)
    assert not at.radio  # the lecturer does not answer
    for number, choice in enumerate([CHOICE.answer] * 3 + [0]):
        room.answer(phone(number), question.id, choice)
    press(at, "lesson-show")
    assert room.look(phone(0))[0] == "closed" and "4 answers." in text_of(at)
    assert "right" not in text_of(at).split("4 answers.")[0][-200:]  # nothing is given away
    press(at, "lesson-show")
    assert "3 of 4 answers right." in text_of(at)
    stage, _, _, verdict = room.look(phone(0))
    assert stage == "answer" and verdict.startswith("**Right.**")
    assert room.look(phone(3))[3].startswith("**Not this time.**") and room.look(phone(9))[3] == ""
    press(at, "lesson-next")
    assert room.look(phone(0))[0] == "ask" and room.look(phone(0))[1].id != question.id


def test_a_curve_is_drawn_on_the_axes_of_the_chart_and_comes_into_it(room):
    at = led(room, 2)
    stage, question, _, _ = room.look(phone(0))
    low, high = (axis for axis in question.axes)
    assert stage == "ask" and (low.low, low.high) == (CURVE.curve.places[0], CURVE.curve.places[-1])
    heights = right_heights(CURVE.curve, FACTS)
    assert high.low < heights.min() and heights.max() < high.high
    right = np.column_stack([CURVE.curve.places, heights])
    for number, up in enumerate([0.0, 0.01, 0.1, 0.5]):
        room.answer(phone(number), question.id, (right + np.array([0, up])).tolist())
    before = specs(at)
    press(at, "lesson-show")
    named = [trace.get("name") for trace in specs(at)[0]["data"]]
    assert "4 predictions" in named and "Their median" in named and specs(at) != before
    press(at, "lesson-show")
    assert "4 curves: 2 close, 1 not far, 1 not yet." in text_of(at)
    assert room.look(phone(0))[3].startswith("**Close.** Your curve is off by 0")
    assert room.look(phone(3))[3].startswith("**Not yet.**")


def test_without_answers_nothing_is_claimed(room):
    at = led(room)
    press(at, "lesson-show")
    assert "Nobody has answered." in text_of(at)
    press(at, "lesson-show")
    assert "Nobody has answered." in text_of(at)


def test_a_lesson_that_is_left_asks_nothing(room):
    at = led(room)
    press(at, "lesson-leave")
    assert room.look(phone(0))[0] == "wait"


def test_without_a_room_the_lecturer_predicts(room):
    at = led(room)
    ROOMS.close(room)
    at.run()
    assert at.radio and not has_room(at)


def menu_of(at):
    """Open the menu Teach."""
    at.session_state[f"{LESSON.page}:teach"] = True
    return at.run()


def shows_code(at, room):
    return any(f"<code>{room.code}</code>" in element.proto.body for element in at.get("html"))


def test_a_room_is_opened_and_closed_in_the_menu():
    at = press(menu_of(page_at(LESSON.page, {}, timeout=60)), "room-open")
    room = at.session_state["rfviz:room"]
    assert ROOMS.find(room.code) is room and shows_code(at, room)  # in the dialog, before which the menu closes
    assert not at.session_state[f"{LESSON.page}:teach"]
    assert not shows_code(menu_of(at), room)
    press(at, "room-code-menu")
    assert shows_code(at, room)
    press(menu_of(at), "room-close")
    assert ROOMS.find(room.code) is None and not has_room(at)


def test_one_room_too_many_is_refused_in_a_sentence():
    rooms = [ROOMS.open() for _ in range(20)]
    try:
        at = press(menu_of(page_at(LESSON.page, {}, timeout=60)), "room-open")
        assert "20 rooms are open on this server" in at.toast[0].value and not has_room(at)
    finally:
        for room in rooms:
            ROOMS.close(room)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_curves_of_a_class_come_into_the_chart(n):
    figure = go.Figure()
    draw_predictions(figure, CURVE.curve, [np.array([[0.1, 0.1 * k], [2.0, k]]) for k in range(n)])
    if n == 0:
        assert not figure.data
        return
    cloud = figure.data[0]
    assert cloud.name == ("1 prediction" if n == 1 else f"{n} predictions") and np.isnan(cloud.y).sum() == n
    if n > 2:
        median = figure.data[1]
        assert tuple(median.x) == CURVE.curve.places and median.y[-1] == pytest.approx((n - 1) / 2)


def test_axes_follow_the_chart():
    figure = go.Figure(layout={"xaxis": {"type": "log"}, "yaxis": {"type": "log", "range": [-2, 1]}})
    across, up = axes_of(CURVE.curve, figure)
    assert across.log and up.log and (up.low, up.high) == (0.01, 10)
    figure = go.Figure(layout={"yaxis": {"range": [-2, 1]}})
    across, up = axes_of(CURVE.curve, figure)
    assert not across.log and not up.log and (up.low, up.high) == (-2, 1)


def test_words_and_verdicts_for_one():
    assert class_words(CHOICE, [0], False) == "1 answer."
    assert class_words(CHOICE, [CHOICE.answer], True) == "1 of 1 answer right."
    assert verdicts(CURVE, {"one": np.array([[0.5, 1.0], [0.55, 1.0]])}) == {}  # between two places that are compared


def test_the_table_names_the_step(room):
    led(room)
    room.answer(phone(0), room.look(phone(0))[1].id, 1)
    rows = list(csv.DictReader(io.StringIO(room.to_csv())))
    assert [(row["lesson"], row["step"], row["answer"]) for row in rows] == [
        (LESSON.title, CHOICE.title, CHOICE.options[1].text)
    ]
