"""A study in the app: nothing of it without a file; with one, a student's way from the first question to the last."""

import pytest

from rfviz.lab.facts import FACTS
from rfviz.lab.index import ASSETS
from rfviz.lessons import read_items
from rfviz.study import VARIABLE, Draw, Study, read_log, study_of_server
from rfviz.ui.teaching.lesson_panel import all_lessons
from tests.app_pages import page_at

LESSON = next(lesson for lesson in all_lessons()[0] if lesson.slug == "saturation")
ITEMS = read_items(ASSETS / "questions" / "saturation.md", FACTS)
STUDENT = "0123456789abcdef"


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Turn the study on; return its file."""
    path = tmp_path / "study.csv"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def drawn(monkeypatch, group, first="A"):
    monkeypatch.setattr(Study, "draw", lambda self, student, lesson: Draw(group, first))


def lesson_page(slug="saturation", **query):
    at = page_at(LESSON.page, {"lesson": slug, **query}, timeout=60).run()
    assert not at.exception and not at.error
    return at


def press(at, key):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception and not at.error
    return at


def text_of(at):
    return "\n".join(part.value for part in [*at.markdown, *at.warning])


def number_of(at):
    """Return the student's number in the address, which the test client gives as a text or as a list of one."""
    value = at.query_params["student"]
    return value if isinstance(value, str) else value[0]


def asks(at):
    """Return what the panel is asking for: consent, a test, a step of the lesson, or nothing."""
    keys = {button.key for button in at.button}
    found = {"study-agree": "consent", "study-send": "test", "lesson-show": "step"}
    return next((name for key, name in found.items() if key in keys), "end")


def answer(at, form, right):
    """Answer a test: that many questions right, the others wrong."""
    assert [radio.options for radio in at.radio] == [[o.text for o in item.forms[form].options] for item in ITEMS]
    for number, (radio, item) in enumerate(zip(at.radio, ITEMS, strict=True)):
        place = [option.right for option in item.forms[form].options].index(True)
        radio.set_value(place if number < right else (place + 1) % 4)
    return press(at, "study-send")


def take(at):
    """Go through the lesson to its end, without predicting."""
    for _ in LESSON.steps:
        assert asks(at) == "step"
        press(at, "lesson-next")
    return at


def test_without_a_file_there_is_no_study(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    at = lesson_page(student=STUDENT)
    assert asks(at) == "step" and study_of_server() == (None, "")
    take(at)
    assert "study" not in text_of(at).lower() and asks(at) == "end"


def test_no_thanks_leads_to_the_lesson_and_logs_nothing(log):
    at = lesson_page()
    assert asks(at) == "consent" and "does not count for a mark" in text_of(at) and not at.radio
    press(at, "study-decline")
    assert asks(at) == "step" and "student" not in at.query_params
    take(at)
    assert asks(at) == "end" and "The questions of the study" not in text_of(at)
    assert len(log.read_text().splitlines()) == 1


def test_the_lesson_group_takes_the_lesson_between_the_tests(log, monkeypatch):
    drawn(monkeypatch, "lesson", "B")
    at = press(lesson_page(), "study-agree")
    assert asks(at) == "test"
    answer(at, "B", right=1)
    assert "of 4 right" not in text_of(at)
    take(at)
    assert asks(at) == "test" and "of 4 right" not in text_of(at)
    answer(at, "A", right=3)
    assert asks(at) == "end" and "Before: 1 of 4 right. After: 3 of 4 right." in text_of(at)
    rows, mistakes = read_log(log)
    assert not mistakes and len({row.student for row in rows}) == 1
    assert [(row.group, row.test, row.form, row.question, row.right) for row in rows] == [
        *[("lesson", "first", "B", item.name, int(n < 1)) for n, item in enumerate(ITEMS)],
        *[("lesson", "second", "A", item.name, int(n < 3)) for n, item in enumerate(ITEMS)],
    ]
    assert all(ITEMS[n % 4].forms[row.form].options[row.chosen - 1].right == row.right for n, row in enumerate(rows))


def test_the_control_group_takes_both_tests_first_and_then_the_whole_lesson(log, monkeypatch):
    drawn(monkeypatch, "control")
    at = press(lesson_page(), "study-agree")
    answer(answer(at, "A", right=2), "B", right=2)
    assert "of 4 right" not in text_of(at)
    take(at)
    assert asks(at) == "end" and "2 of 4 and 2 of 4 right, before the lesson." in text_of(at)
    assert [row.test for row in read_log(log)[0]] == ["first"] * 4 + ["second"] * 4


def test_a_question_left_open_is_named_and_nothing_is_sent(log, monkeypatch):
    drawn(monkeypatch, "lesson")
    at = press(lesson_page(), "study-agree")
    for radio in at.radio[1:3]:
        radio.set_value(0)
    press(at, "study-send")
    assert "Not answered yet: 1, 4." in text_of(at) and not read_log(log)[0]
    assert [radio.value for radio in at.radio] == [None, 0, 0, None]
    answer(at, "A", right=4)
    assert asks(at) == "step" and len(read_log(log)[0]) == 4


def test_a_page_loaded_again_goes_on_where_it_was(log, monkeypatch):
    drawn(monkeypatch, "lesson")
    at = answer(press(lesson_page(), "study-agree"), "A", right=2)
    student = number_of(at)
    again = lesson_page(student=student, step="3")
    assert asks(again) == "step" and len(read_log(log)[0]) == 4
    for _ in LESSON.steps[2:]:
        press(again, "lesson-next")
    answer(again, "B", right=4)
    # Once more from the beginning: nothing is asked twice.
    third = take(lesson_page(student=student))
    assert asks(third) == "end" and "After: 4 of 4 right." in text_of(third)
    assert len(read_log(log)[0]) == 8


@pytest.mark.parametrize("student", ["", "Ada", "0123456789ABCDEF", "0" * 17])
def test_a_number_that_was_not_drawn_asks_anew(log, student):
    assert asks(lesson_page(student=student)) == "consent"


def test_who_stops_takes_the_lesson_as_ever(log):
    at = press(press(lesson_page(), "study-agree"), "study-stop")
    assert asks(at) == "step" and "student" not in at.query_params
    press(at, "lesson-leave")
    assert not read_log(log)[0]


def test_the_number_leaves_the_address_with_the_lesson_and_comes_with_the_next(log):
    at = press(lesson_page(), "study-agree")
    student = number_of(at)
    press(at, "lesson-leave")
    at.run()
    assert "student" not in at.query_params
    at.query_params["lesson"] = "bandwidth"
    at.run()
    assert asks(at) == "test" and number_of(at) == student


def test_other_lessons_and_the_presenters_view_have_no_study(log):
    assert asks(lesson_page(present="true")) == "step"
    at = page_at("maxout-pca", {"lesson": "turning-head"}, timeout=60).run()
    assert not at.exception and asks(at) == "step"


def test_answers_that_cannot_be_stored_are_not_lost(log, monkeypatch):
    drawn(monkeypatch, "lesson")
    at = press(lesson_page(), "study-agree")
    log.unlink()
    log.mkdir()
    answer(at, "A", right=1)
    assert asks(at) == "test" and "could not be stored (Is a directory). Send them again." in text_of(at)
    log.rmdir()
    press(at, "study-send")
    assert asks(at) == "step" and len(read_log(log)[0]) == 4


def test_a_study_that_is_full_leaves_the_lesson(log, monkeypatch):
    monkeypatch.setattr("rfviz.study.log._MOST_DRAWS", 0)
    at = press(lesson_page(), "study-agree")
    assert asks(at) == "step" and "can have no more students" in at.toast[0].value


def test_a_file_that_is_no_log_is_named_and_lessons_go_on(tmp_path, monkeypatch, caplog):
    (tmp_path / "marks.csv").write_text("name,mark\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "marks.csv"))
    at = page_at("lessons").run()
    assert not at.exception and "RFVIZ_STUDY must be a new file or the log of a study" in at.warning[0].value
    assert asks(lesson_page()) == "step"
    assert caplog.text.count("RFVIZ_STUDY must be") == 1 and "Lessons go on without a study." in caplog.text
    assert (tmp_path / "marks.csv").read_text() == "name,mark\n"


def test_questions_with_a_mistake_are_named(log, tmp_path, monkeypatch):
    from rfviz.ui.teaching import study_panel

    folder = tmp_path / "questions"
    folder.mkdir()
    (folder / "saturation.md").write_text("## plateau\n\n### A\nWhy?\n", encoding="utf-8")
    monkeypatch.setattr(study_panel, "QUESTIONS", folder)
    study_panel._questions.cache_clear()  # noqa: SLF001 - read once in a server's life
    try:
        at = page_at("lessons").run()
        assert "saturation.md, line 1" in at.warning[0].value
        assert asks(lesson_page()) == "step"
    finally:
        study_panel._questions.cache_clear()  # noqa: SLF001
