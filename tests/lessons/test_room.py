"""A room: who is let in, what is taken as an answer, what phones are told, and what it holds at most."""

import csv
import io
import threading
import tracemalloc

import numpy as np
import pytest

from rfviz.lessons import Axis, Question, RoomError, Rooms

CHOICE = Question("choice", "Lesson", "Step 1", "Which?", ("one", "two", "three"))
CURVE = Question("curve", "Lesson", "Step 2", "Where?", axes=(Axis("x", 1.0, 100.0, True), Axis("y", 0.0, 2.0, False)))


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(clock)


@pytest.fixture
def room(rooms):
    return rooms.open()


def phone(number):
    return f"phone-{number:012d}"


def test_a_room_is_found_by_its_code_and_by_its_lecturer(rooms):
    first, second = rooms.open(), rooms.open()
    assert rooms.find(f" {first.code.lower()} ") is first and rooms.find(second.code) is second
    assert rooms.of_key(first.key) is first and first.key != second.key
    assert rooms.find("NOSUCH") is None and rooms.of_key("") is None and rooms.of_key("ключ") is None
    rooms.close(first)
    assert rooms.find(first.code) is None and rooms.of_key(first.key) is None


def test_codes_are_easy_to_read_and_hard_to_guess(rooms):
    codes = [rooms.open().code for _ in range(20)]
    assert len(set(codes)) == 20
    assert all(len(code) == 6 and not set(code) & set("01OIL") and code == code.upper() for code in codes)


def test_a_question_goes_through_its_stages(room):
    assert room.look(phone(1)) == ("wait", None, None, "")
    room.ask(CHOICE)
    assert room.look(phone(1)) == ("ask", CHOICE, None, "")
    room.answer(phone(1), "choice", 2)
    room.answer(phone(1), "choice", 0)  # thought better of it
    room.answer(phone(2), "choice", 1)
    assert room.count() == (2, 2) and room.answers("choice") == [0, 1]
    room.close()
    assert room.look(phone(1)) == ("closed", CHOICE, 0, "")
    with pytest.raises(RoomError, match="closed"):
        room.answer(phone(1), "choice", 1)
    room.reveal(lambda answers: {one: f"you said {answer}" for one, answer in answers.items()})
    assert room.look(phone(1)) == ("answer", CHOICE, 0, "you said 0")
    assert room.look(phone(2))[3] == "you said 1" and room.look(phone(3))[2:] == (None, "")
    room.wait()
    assert room.look(phone(1))[0] == "wait"


def test_answers_are_judged_once_and_those_that_came_with_the_question_stay(room):
    room.ask(CHOICE)
    room.answer(phone(1), "choice", 0)
    calls = []
    for _ in range(3):
        room.reveal(lambda answers: calls.append(answers) or {})
    assert len(calls) == 1
    room.ask(CHOICE)  # the lecturer went back
    assert room.look(phone(1)) == ("ask", CHOICE, 0, "") and room.answers("choice") == [0]


def test_a_judge_that_fails_leaves_the_question_closed(room):
    def judge(answers):
        raise RoomError("no truth")

    room.ask(CHOICE)
    with pytest.raises(RoomError):
        room.reveal(judge)
    assert room.look(phone(1))[0] == "closed"


def test_a_curve_is_kept_within_its_axes_and_in_order(room):
    room.ask(CURVE)
    room.answer(phone(1), "curve", [[50, 1], [0.5, -3], [1e300, 9]])
    (kept,) = room.answers("curve")
    np.testing.assert_array_equal(kept, [[1, 0], [50, 1], [100, 2]])


BAD_CURVES = [
    3,
    "curve",
    None,
    {},
    [],
    [[1, 1]],
    [[1, 2, 3], [1, 2, 3]],
    [[1, 1], [2]],
    [[1, "a"], [2, 1]],
    [[1, float("nan")], [2, 1]],
    [[k, 1] for k in range(34)],
    [[[1, 1]], [[2, 2]]],
    [1, 2, 3],
    [[10**400, 1], [2, 2]],
    [[None, 1], [2, 2]],
]


@pytest.mark.parametrize("answer", BAD_CURVES, ids=[str(at) for at in range(len(BAD_CURVES))])
def test_what_is_no_curve_is_refused(room, answer):
    room.ask(CURVE)
    with pytest.raises(RoomError, match="curve"):
        room.answer(phone(1), "curve", answer)
    assert room.count()[1] == 0


@pytest.mark.parametrize("answer", [-1, 3, True, 1.0, "1", None, [], {}, [[1, 1], [2, 2]]])
def test_what_is_none_of_the_answers_is_refused(room, answer):
    room.ask(CHOICE)
    with pytest.raises(RoomError, match="not one of the answers"):
        room.answer(phone(1), "choice", answer)


@pytest.mark.parametrize(
    "name", ["", "short", "x" * 41, "with a blank here", "../../../etc/passwd!", "ünïcödé-ünïcödé-ü"]
)
def test_a_phone_has_a_name_of_its_own_making(room, name):
    for act in (room.look, lambda name: room.answer(name, "choice", 0)):
        with pytest.raises(RoomError, match="Load it again"):
            act(name)


def test_an_answer_to_another_question_is_refused(room):
    room.ask(CHOICE)
    with pytest.raises(RoomError, match="closed"):
        room.answer(phone(1), "curve", [[1, 1], [2, 2]])
    with pytest.raises(RoomError, match="closed"):
        room.answer(phone(1), "", 1)


def test_a_full_room_says_so_and_gives_the_places_of_those_who_left(room, clock):
    room.ask(CHOICE)
    for number in range(500):
        room.answer(phone(number), "choice", 1)
    with pytest.raises(RoomError, match="500 phones"):
        room.look(phone(500))
    clock.now += 61
    room.look(phone(0))
    assert room.look(phone(500))[0] == "ask"
    assert room.count() == (2, 500)
    with pytest.raises(RoomError, match="500 answers"):
        room.answer(phone(500), "choice", 1)
    room.answer(phone(3), "choice", 0)  # a phone that has answered may still change it
    assert room.answers("choice").count(0) == 1


def test_names_without_end_take_no_memory_without_end(room, clock):
    def come(numbers):
        for number in numbers:
            if number % 500 == 0:
                clock.now += 61
            room.look(phone(number))

    come(range(10_000))
    tracemalloc.start()
    come(range(10_000, 40_000))
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 1e6  # 30,000 names alone are 2 MB


def test_a_server_has_so_many_rooms_until_lecturers_go(rooms, clock):
    first, *_ = [rooms.open() for _ in range(20)]
    with pytest.raises(RoomError, match=r"20 rooms are open on this server.*15 minutes"):
        rooms.open()
    clock.now += 890
    first.keep()
    clock.now += 20
    rooms.open()
    assert rooms.find(first.code) is first
    clock.now += 901
    assert rooms.find(first.code) is None


def test_old_questions_give_way(room):
    for number in range(25):
        room.ask(Question(str(number), "L", "S", "?", ("a", "b")))
        room.answer(phone(1), str(number), 1)
    assert [bool(room.answers(str(number))) for number in range(25)] == [False] * 5 + [True] * 20


def test_only_those_who_were_heard_of_lately_are_here(room, clock):
    room.look(phone(1))
    clock.now += 9
    room.look(phone(2))
    assert room.count() == (2, 0)
    clock.now += 9
    assert room.count() == (1, 0)


def test_the_table_has_a_row_for_each_choice_and_point_and_numbers_for_names(room):
    room.look(phone(7))
    room.ask(CHOICE)
    room.answer(phone(9), "choice", 2)
    room.answer(phone(7), "choice", 0)
    room.ask(CURVE)
    room.answer(phone(9), "curve", [[1, 0.5], [10, 1.25]])
    rows = list(csv.reader(io.StringIO(room.to_csv())))
    assert rows == [
        ["lesson", "step", "question", "phone", "answer", "x", "y"],
        ["Lesson", "Step 1", "Which?", "1", "one", "", ""],
        ["Lesson", "Step 1", "Which?", "2", "three", "", ""],
        ["Lesson", "Step 2", "Where?", "2", "", "1", "0.5"],
        ["Lesson", "Step 2", "Where?", "2", "", "10", "1.25"],
    ]
    assert phone(7) not in room.to_csv()


def test_a_class_that_answers_at_once_while_the_lecturer_goes_on(room):
    """No answer is lost that was taken, and none is taken after the question was closed."""
    room.ask(CHOICE)
    taken, late = [], []

    def press(numbers):
        for number in numbers:
            try:
                room.answer(phone(number), "choice", number % 3)
                taken.append(number)
            except RoomError:
                late.append(number)

    threads = [threading.Thread(target=press, args=(range(start, 400, 4),)) for start in range(4)]
    for thread in threads:
        thread.start()
    room.to_csv(), room.count()
    for thread in threads:
        thread.join()
    room.close()
    press([400])
    assert late == [400] and len(room.answers("choice")) == len(taken) == 400
