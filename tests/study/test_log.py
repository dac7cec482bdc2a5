"""The log of a study: whole rows from many threads, balanced draws, and one sentence for what it refuses."""

import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from rfviz.errors import DataError, ParameterError
from rfviz.study import COLUMNS, Draw, Row, Study, new_student, read_log

HEAD = ",".join(COLUMNS)
ANSWERS = {"plateau": (2, True), "near": (1, False)}
STUDENT = "0123456789abcdef"
GOOD = f"{STUDENT},saturation,lesson,first,A,plateau,2,1"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.csv"


def test_a_row_is_what_the_plan_says_and_no_more(path):
    study = Study(path)
    assert path.read_text() == f"{HEAD}\n"
    study.add(STUDENT, "saturation", "first", ANSWERS)
    draw = study.draw(STUDENT, "saturation")
    study.add(STUDENT, "saturation", "second", ANSWERS)
    rows, mistakes = read_log(path)
    assert not mistakes and len(rows) == 4
    assert rows[0] == Row(STUDENT, "saturation", draw.group, "first", draw.first, "plateau", 2, 1)
    assert rows[3] == Row(STUDENT, "saturation", draw.group, "second", draw.form("second"), "near", 1, 0)
    assert {draw.first, draw.form("second")} == {"A", "B"}


def test_the_first_answers_count(path):
    study = Study(path)
    study.add(STUDENT, "saturation", "first", ANSWERS)
    before = path.read_bytes()
    study.add(STUDENT, "saturation", "first", {"plateau": (4, False), "near": (4, False)})
    assert path.read_bytes() == before
    assert [row.chosen for row in study.answers(STUDENT, "saturation", "first")] == [2, 1]


def test_a_server_that_starts_again_goes_on(path):
    study = Study(path)
    study.add(STUDENT, "saturation", "first", ANSWERS)
    again = Study(path)
    assert again.draw(STUDENT, "saturation") == study.draw(STUDENT, "saturation")
    assert again.answers(STUDENT, "saturation", "first") == study.answers(STUDENT, "saturation", "first")
    again.add(STUDENT, "saturation", "first", ANSWERS)
    assert len(read_log(path)[0]) == 2


def test_two_hundred_students_at_once(path):
    study, students = Study(path), [new_student() for _ in range(200)]
    with ThreadPoolExecutor(16) as pool:
        for test in ("first", "second"):
            list(pool.map(lambda student, test=test: study.add(student, "hashing", test, ANSWERS), students * 2))
    rows, mistakes = read_log(path)
    assert not mistakes and len(rows) == 200 * 2 * 2
    assert Counter(row.student for row in rows) == dict.fromkeys(students, 4)
    # Of each student's tests the rows stand together.
    assert all(one.student == other.student for one, other in zip(rows[::2], rows[1::2], strict=True))


def test_groups_and_forms_are_balanced_and_drawn_by_chance(path):
    study = Study(path)
    students = [new_student() for _ in range(42)]
    draws = [study.draw(student, "hashing") for student in students]
    assert sorted(Counter(draws).values()) == [10, 10, 11, 11]
    assert [study.draw(student, "hashing") for student in students] == draws
    first = {Study(path.with_name(f"{number}.csv")).draw(STUDENT, "hashing") for number in range(60)}
    assert len(first) == 4  # fails once in 8 million times


def test_a_lesson_has_draws_of_its_own(path):
    study = Study(path)
    for student in ("a" * 16, "b" * 16, "c" * 16, "d" * 16):
        study.draw(student, "hashing")
    assert Counter(study.draw(s * 16, "saturation") for s in "abcd") == Counter(
        Draw(group, form) for group in ("lesson", "control") for form in "AB"
    )


def test_it_takes_a_number_of_students(path, monkeypatch):
    monkeypatch.setattr("rfviz.study.log._MOST_DRAWS", 2)
    study = Study(path)
    for student in ("a" * 16, "b" * 16):
        study.draw(student, "hashing")
    with pytest.raises(DataError, match="can have no more students"):
        study.draw("c" * 16, "hashing")
    study.draw("a" * 16, "hashing")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", ""),
        (GOOD[:-4], "8 cells"),
        (GOOD.replace("lesson", "both"), "group must be lesson or control, not “both”"),
        (GOOD.replace("first", "third"), "test must be"),
        (GOOD.replace(",A,", ",C,"), "form must be"),
        (GOOD.replace(",2,1", ",0,1"), "chosen must be"),
        (GOOD.replace(",2,1", ",2,yes"), "right must be 0 or 1, not “yes”"),
        (GOOD.replace(STUDENT, "Ada"), "student must be"),
        (GOOD.replace("plateau", "=cmd()"), "question must be"),
    ],
)
def test_a_line_that_is_no_row_is_named_and_spoils_no_other(path, line, said):
    path.write_text(f"{HEAD}\n{GOOD}\n{line}\n{GOOD}\n")
    rows, mistakes = read_log(path)
    assert len(rows) == 2
    assert len(mistakes) == bool(said) and all(m.startswith("Line 3: ") and said in m for m in mistakes)


def test_a_torn_line_is_left_alone_and_nothing_is_glued_to_it(path):
    path.write_text(f"{HEAD}\n{GOOD}\n{GOOD[:30]}")
    Study(path).add("f" * 16, "hashing", "first", ANSWERS)
    rows, mistakes = read_log(path)
    assert len(rows) == 3 and len(mistakes) == 1 and mistakes[0].startswith("Line 3")


def test_a_spreadsheet_may_have_saved_it(path):
    path.write_bytes(f"{HEAD}\r\n{GOOD}\r\n".encode("utf-8-sig"))
    assert len(read_log(path)[0]) == 1


def refusals(tmp_path):
    (tmp_path / "other.csv").write_text("name,mark\nAda,1\n")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    return {"": "Is a directory", "other.csv": "first line", "picture.csv": "first line", "gone/a.csv": "No such file"}


@pytest.mark.parametrize("name", ["", "other.csv", "picture.csv", "gone/a.csv"])
def test_what_is_no_log_is_refused_in_one_sentence_and_left_alone(tmp_path, name):
    said, target = refusals(tmp_path)[name], tmp_path / name
    before = target.read_bytes() if target.is_file() else None
    with pytest.raises(ParameterError) as raised:
        Study(target)
    text = str(raised.value)
    assert text.startswith("RFVIZ_STUDY must be ") and said in text and "Name another" in text and "\n" not in text
    assert (target.read_bytes() if target.is_file() else None) == before


@pytest.mark.skipif(os.name != "posix" or sys.platform == "cygwin", reason="limits of a process are POSIX's")
def test_a_full_disk_leaves_whole_rows(path):
    import resource

    study = Study(path)
    study.add(STUDENT, "saturation", "first", ANSWERS)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(DataError, match=r"could not be stored \(.+\)\. Send them again\."):
            study.add(STUDENT, "saturation", "second", ANSWERS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before and not study.answers(STUDENT, "saturation", "second")
    study.add(STUDENT, "saturation", "second", ANSWERS)
    assert len(path.read_text().splitlines()) == 5


def test_a_file_that_is_deleted_meanwhile_begins_anew(path):
    study = Study(path)
    path.unlink()
    study.add(STUDENT, "saturation", "first", ANSWERS)
    assert path.read_text().startswith(HEAD) and len(read_log(path)[0]) == 2
