"""The analysis of a study: who counts, what is compared, and how often it is right about simulated classes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchmarks.study import QUESTIONS, World, comparisons, log_rows, truth
from rfviz import cli
from rfviz.study import COLUMNS, Row
from rfviz.study.analysis import analyse_rows, compare

RNG = np.random.default_rng


def student(number, group="lesson", first=(1, 0, 0, 0), second=(1, 1, 0, 0), form="A", lesson="saturation"):
    """Return the rows of a student; without a second test for None."""
    name, other = f"{number:016x}", {"A": "B", "B": "A"}[form]
    return [
        Row(name, lesson, group, test, given, question, 1 if right else 3, right)
        for test, given, answers in (("first", form, first), ("second", other, second))
        for question, right in zip(QUESTIONS, answers or (), strict=bool(answers))
    ]


def class_of(*students):
    return [row for rows in students for row in rows]


def small_class():
    """Return five students in each group; the lesson group gains one answer more on average."""
    rng, rows = RNG(0), []
    for number in range(10):
        group = "lesson" if number < 5 else "control"
        first = tuple(int(one) for one in rng.random(4) < 0.4)
        second = tuple(int(one) for one in rng.random(4) < (0.8 if number < 5 else 0.4))
        rows += student(number, group, first, second, "AB"[number % 2])
    return rows


def only(rows):
    (result,) = analyse_rows(rows).lessons
    return result


# --- who counts -------------------------------------------------------------------------------------------------------


def test_the_first_answer_counts():
    rows = small_class()
    again = [replace(row, chosen=2, right=1 - row.right) for row in rows[:4]]
    result, clean = only([*rows, *again]), only(rows)
    assert result.left_out == {"repeated answers": 4}
    assert replace(result, left_out={}) == clean and clean.left_out == {}


def test_who_leaves_has_what_the_control_group_has_and_stays_in():
    rows = [*small_class(), *student(10, "lesson", (1, 1, 0, 0), None)]
    result, before = only(rows), only(small_class())
    assert result.groups["lesson"] == replace(before.groups["lesson"], n=6, left=1)
    first, in_lesson = RNG(5).integers(0, 5, 41) / 4, np.arange(41) % 2 == 0
    second = np.clip(first + 0.3 * in_lesson + RNG(6).normal(0, 0.1, 41), 0, 1)
    line = stats.linregress(first[~in_lesson], second[~in_lesson])
    filled = np.where(np.arange(41) == 40, line.intercept + line.slope * first, second)
    left = np.where(np.arange(41) == 40, np.nan, second)
    assert compare(first, left, in_lesson).difference == pytest.approx(compare(first, filled, in_lesson).difference)
    assert compare(first, left, in_lesson).difference < compare(first[:40], second[:40], in_lesson[:40]).difference


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (student(10)[4:], "students without a first test"),
        (student(10)[1:], "students without a first test"),
        ([*student(10)[:6], replace(student(10)[6], group="control")], "students whose rows contradict one another"),
        ([*student(10)[:7], replace(student(10)[7], form="A")], "students whose rows contradict one another"),
        ([replace(row, form="A") for row in student(10)], "students whose rows contradict one another"),
    ],
)
def test_who_is_left_out(rows, reason):
    result = only([*small_class(), *rows])
    assert result.left_out[reason] == 1
    assert replace(result, left_out={}) == only(small_class())


def test_a_test_with_questions_missing_is_not_taken():
    result = only([*small_class(), *student(10)[:-1]])
    assert result.left_out == {"tests with questions missing": 1} and result.groups["lesson"].left == 1


# --- what is compared -------------------------------------------------------------------------------------------------


def test_the_difference_is_that_of_a_linear_model():
    rng = RNG(1)
    first, in_lesson = rng.integers(0, 5, 60) / 4, np.arange(60) % 2 == 0
    second = 0.1 + 0.5 * first + 0.2 * in_lesson + rng.normal(0, 0.1, 60)
    design = np.stack([np.ones(60), first, in_lesson], axis=1)
    expected = np.linalg.lstsq(design, second, rcond=None)[0][2]
    found = compare(first, second, in_lesson)
    assert found.difference == pytest.approx(expected) and found.interval[0] < expected < found.interval[1]
    assert found.effect == pytest.approx(expected / first.std(ddof=1)) and found.p < 1e-6


def test_the_same_first_score_makes_it_students_test():
    second, in_lesson = RNG(2).random(30), np.arange(30) % 2 == 0
    found = compare(np.full(30, 0.5), second, in_lesson)
    expected = stats.ttest_ind(second[in_lesson], second[~in_lesson])
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval()))
    assert np.isnan(found.effect)


def test_no_test_for_few_students_or_equal_scores():
    assert only(small_class()[8:]).comparison is None
    in_lesson = np.arange(20) < 10
    assert compare(np.full(20, 0.5), np.full(20, 0.75), in_lesson) is None
    one_alike = compare(np.full(20, 0.5), np.where(in_lesson, 1.0, RNG(0).integers(0, 5, 20) / 4), in_lesson)
    assert one_alike is not None and one_alike.difference > 0 and np.isfinite(one_alike.p)
    assert compare(np.where(in_lesson, 0.25, 0.5), RNG(0).random(20), in_lesson) is None  # nothing tells them apart
    few = np.where(np.arange(20) < 6, np.nan, 0.5)
    assert compare(np.full(20, 0.5), few, in_lesson) is None
    assert compare(np.arange(20) / 20, np.arange(20) / 40 + in_lesson, in_lesson) is None


def test_p_of_several_lessons_are_adjusted_after_holm():
    rng = RNG(3)
    rows = [
        row for lesson, size in (("a", 1.0), ("b", 2.0), ("c", 0.0)) for row in log_rows(World(size), 60, rng, lesson)
    ]
    found = {result.lesson: result.comparison for result in analyse_rows(rows).lessons}
    ordered = sorted(found.values(), key=lambda one: one.p)
    steps = [min((3 - rank) * one.p, 1) for rank, one in enumerate(ordered)]
    assert [one.p_holm for one in ordered] == pytest.approx(np.maximum.accumulate(steps))
    assert found["b"].verdict == "teaches"


@pytest.mark.parametrize(
    ("difference", "p", "verdict"),
    [
        (0.2, 0.01, "teaches"),
        (-0.2, 0.01, "harms"),
        (0.2, 0.06, "the data do not tell"),
        (0.2, np.nan, "the data do not tell"),
    ],
)
def test_verdicts(difference, p, verdict):
    found = compare(RNG(0).random(20), RNG(1).random(20), np.arange(20) < 10)
    assert replace(found, difference=difference, p_holm=p).verdict == verdict


def test_the_table_of_questions():
    rows = class_of(
        student(0, "lesson", (1, 1, 0, 0), (1, 0, 0, 1)), student(1, "lesson", (0, 0, 0, 0), (1, 0, 1, 1)),
        student(2, "control", (1, 1, 1, 0), (0, 1, 0, 0)), student(3, "control", (0, 0, 0, 0), (1, 1, 0, 0)),
    )  # fmt: skip
    one, two, *_, four = only(rows).questions
    assert (one.first, one.lesson, one.control) == (0.5, 1.0, 0.5)
    assert two.wrong == "B3" and not one.wrong and four.lesson == 1.0
    assert one.correlation == pytest.approx(np.corrcoef([1, 0, 1, 0], [1, 0, 2, 0])[0, 1]) and np.isnan(
        four.correlation
    )
    assert only(rows).forms["A"] == pytest.approx(5 / 16) and np.isnan(only(rows).forms["B"])


# --- the command ------------------------------------------------------------------------------------------------------


def written(path, rows, *lines):
    cells = [",".join(str(getattr(row, name)) for name in COLUMNS) for row in rows]
    path.write_text("\n".join([",".join(COLUMNS), *cells, *lines, ""]))
    return str(path)


def test_the_report_and_its_json_say_the_same(tmp_path, capsys):
    rows = log_rows(World(lesson=2.3), 60, RNG(4))
    log = written(tmp_path / "log.csv", rows, "nonsense")
    assert cli.main(["study", log]) == 0
    text = capsys.readouterr().out
    assert cli.main(["study", log, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (lesson,) = told["lessons"]
    assert lesson["comparison"]["verdict"] == "teaches" and "simulated: teaches." in text
    assert f"Difference {lesson['comparison']['difference']:.2f} [" in text
    assert told["mistakes"] == [f"Line {len(rows) + 2}: a row has 8 cells, this has 1."] and told["mistakes"][0] in text
    assert all(question["name"] in text for question in lesson["questions"])
    assert max(map(len, text.splitlines())) <= 100


def test_json_has_no_nan(tmp_path, capsys):
    assert cli.main(["study", written(tmp_path / "log.csv", student(0)), "--json"]) == 0
    (lesson,) = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["lessons"]
    assert lesson["comparison"] is None and lesson["forms"]["B"] is None


def test_a_log_without_answers_and_none_at_all(tmp_path, capsys):
    assert cli.main(["study", written(tmp_path / "log.csv", [])]) == 0
    assert capsys.readouterr().out == "There are no answers yet.\n"
    assert cli.main(["study", str(tmp_path / "gone.csv")]) == 2
    assert "cannot be read (No such file" in capsys.readouterr().err
    (tmp_path / "other.csv").write_text("name,mark\n")
    assert cli.main(["study", str(tmp_path / "other.csv")]) == 2
    assert "is no log of a study: its first line must be student," in capsys.readouterr().err


# --- simulated classes ------------------------------------------------------------------------------------------------


def z_score(hits, n, rate):
    return (hits - n * rate) / np.sqrt(n * rate * (1 - rate))


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 20, 60])
def test_a_lesson_that_teaches_nothing_is_found_out(n):
    """Each fails by chance once in 3,000 times, on one side or the other."""
    found = list(comparisons(World(leaving=0.0), n, 1500, 7))
    assert abs(z_score(sum(one.p < 0.05 for one in found), len(found), 0.05)) < 3.6
    leaving = list(comparisons(World(leaving=0.4), n, 1500, 8))
    assert z_score(sum(one.verdict == "teaches" for one in leaving), len(leaving), 0.025) < 3.6


@pytest.mark.slow
def test_the_interval_covers_what_is_true_and_the_power_is_that_of_the_plan():
    world = World(lesson=2.1, leaving=0.0)
    true, found = truth(world), list(comparisons(world, 40, 1500, 9))
    assert abs(z_score(sum(one.interval[0] <= true <= one.interval[1] for one in found), len(found), 0.95)) < 3.6
    assert np.mean([one.difference for one in found]) == pytest.approx(true, abs=0.01)
    assert np.mean([one.verdict == "teaches" for one in found]) > 0.9
    # Where students leave, the interval is wider than it need be.
    world = World(lesson=2.1)
    true, found = truth(world), list(comparisons(world, 40, 1500, 10))
    assert z_score(sum(one.interval[0] <= true <= one.interval[1] for one in found), len(found), 0.95) > -3.6


@pytest.mark.slow
def test_answers_sent_twice_change_nothing_over_many_classes():
    """The rows of a log give what the scores give, though one student in ten has sent other answers again."""
    rng = RNG(10)
    results = [only(log_rows(World(lesson=2.3), 40, rng)) for _ in range(60)]
    assert all(result.groups["lesson"].n == result.groups["control"].n == 20 for result in results)
    differences = [result.comparison.difference for result in results]
    error = np.std(differences) / np.sqrt(len(differences))
    assert abs(np.mean(differences) - truth(World(lesson=2.3))) < 3.6 * error
