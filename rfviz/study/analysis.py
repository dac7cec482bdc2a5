"""The analysis of a study as ``docs/study.md`` lays it down; a change here is a change of the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

from rfviz.study.log import COLUMNS, FORMS, GROUPS, TESTS, Row, read_log

__all__ = ["Comparison", "Gain", "LessonResult", "QuestionResult", "StudyResult", "analyse", "analyse_rows", "compare"]

#: Students whom a group must have for a test.
FEWEST = 5
#: The level of the test, after Holm.
LEVEL = 0.05
Interval: TypeAlias = "tuple[float, float]"
# A data frame: what pandas' types say of a column, or of a group, is a union of all that it might be.
Table: TypeAlias = Any


@dataclass(frozen=True)
class Comparison:
    """The groups' difference in the second score, among students with the same first score.

    Attributes
    ----------
    difference : float
    interval : (float, float)
        95%.
    effect, effect_interval : float, (float, float)
        The same in standard deviations of the first scores.
    p : float
        Two-sided, as if this were the only lesson.
    p_holm : float
        Adjusted for all lessons of the file.
    """

    difference: float
    interval: Interval
    effect: float
    effect_interval: Interval
    p: float
    p_holm: float

    @property
    def verdict(self) -> str:
        """Return what the plan calls this."""
        if not self.p_holm < LEVEL:
            return "the data do not tell"
        return "teaches" if self.difference > 0 else "harms"


@dataclass(frozen=True)
class Gain:
    """A group: students, those of them who left before the second test, and of the others mean scores and gain.

    The interval is None where it has no width or there are too few students.
    """

    n: int
    left: int
    first: float
    second: float
    gain: float
    interval: Interval | None


@dataclass(frozen=True)
class QuestionResult:
    """Shares of right answers to a question, and what went wrong after the lesson; NaN where nobody answered.

    Attributes
    ----------
    name : str
    first, control, lesson : float
        In the first test, and in the second by group.
    correlation : float
        Of the answers in the first test with the rest of it.
    wrong : str
        Form and number of the wrong answer that was chosen most in the second test after the lesson, as ``"A2"``;
        empty where none was.
    """

    name: str
    first: float
    control: float
    lesson: float
    correlation: float
    wrong: str


@dataclass(frozen=True)
class LessonResult:
    """A lesson.

    Attributes
    ----------
    lesson : str
    groups : dict of str to Gain
    comparison : Comparison or None
        None where a group is too small, or all adjusted scores are equal.
    forms : dict of str to float
        The mean first score by form.
    questions : tuple of QuestionResult
    left_out : dict of str to int
        Students who do not count, and answers that do not, by the reason.
    """

    lesson: str
    groups: dict[str, Gain]
    comparison: Comparison | None
    forms: dict[str, float]
    questions: tuple[QuestionResult, ...]
    left_out: dict[str, int]


@dataclass(frozen=True)
class StudyResult:
    """What the log says of each lesson, and a sentence for each of its lines that is no row."""

    lessons: tuple[LessonResult, ...]
    mistakes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as dictionaries and lists, with None for NaN."""
        told = asdict(self)
        for lesson, result in zip(told["lessons"], self.lessons, strict=True):
            if result.comparison:
                lesson["comparison"]["verdict"] = result.comparison.verdict
        return _without_nan(told)


def analyse(path: Path) -> StudyResult:
    """Analyse a log; see :func:`rfviz.study.read_log` for errors."""
    return analyse_rows(*read_log(path))


def analyse_rows(rows: Sequence[Row], mistakes: Sequence[str] = ()) -> StudyResult:
    """Analyse rows, in the order in which they were written."""
    table: Table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    lessons = [_lesson(str(name), part) for name, part in table.groupby("lesson")]
    tested = [result.comparison.p for result in lessons if result.comparison]
    adjusted = iter(_holm(tested))
    lessons = [
        replace(result, comparison=replace(result.comparison, p_holm=next(adjusted))) if result.comparison else result
        for result in lessons
    ]
    return StudyResult(tuple(lessons), tuple(mistakes))


def compare(first: np.ndarray, second: np.ndarray, in_lesson: np.ndarray) -> Comparison | None:
    """Compare the second scores of the groups among students with the same first score: analysis of covariance.

    Parameters
    ----------
    first, second : numpy.ndarray, shape (n_students,)
        A second score of NaN is that of a student who left before, and has what the control group has on average among
        students with the same first score.
    in_lesson : numpy.ndarray of bool, shape (n_students,)
        Whether a student is in the lesson group.

    Returns
    -------
    Comparison or None
        None where fewer than five students of a group have a second score, or where scores leave nothing to chance.
    """
    stayed = ~np.isnan(second)
    if min((stayed & group).sum() for group in (in_lesson, ~in_lesson)) < FEWEST:
        return None
    columns = [np.ones(len(first)), *([first] if np.ptp(first) > 0 else [])]
    before, reference = np.stack(columns, axis=1), stayed & ~in_lesson
    line = np.linalg.lstsq(before[reference], second[reference])[0]
    second = np.where(stayed, second, before @ line)
    design = np.column_stack([before, in_lesson])
    fitted, _, rank, _ = np.linalg.lstsq(design, second)
    rest, degrees = second - design @ fitted, len(first) - design.shape[1]
    if rank < design.shape[1] or np.allclose(rest, 0.0):
        return None
    error = float(np.sqrt(rest @ rest / degrees * np.linalg.inv(design.T @ design)[-1, -1]))
    difference = float(fitted[-1])
    low, high = map(float, stats.t.interval(0.95, degrees, difference, error))
    p = float(2.0 * stats.t.sf(abs(difference) / error, degrees))
    spread = float(first.std(ddof=1)) or np.nan
    return Comparison(difference, (low, high), difference / spread, (low / spread, high / spread), p, p)


def _holm(p: Sequence[float]) -> list[float]:
    """Return p values adjusted after Holm, in their order."""
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min((len(p) - rank) * p[place], 1.0))
        adjusted[place] = largest
    return adjusted


def _lesson(name: str, rows: Table) -> LessonResult:
    students, n_rows = set(rows["student"]), len(rows)
    rows = rows.drop_duplicates(["student", "test", "question"])
    left_out = {"repeated answers": n_rows - len(rows)}
    contradicting = _contradicting(rows)
    rows = rows[~rows["student"].isin(contradicting)]
    left_out["students whose rows contradict one another"] = len(contradicting)
    asked = rows.groupby(["student", "test"])["question"].agg(frozenset)
    # All tests of a lesson have the same questions, which most students answered.
    usual = Counter(asked).most_common(1)[0][0] if len(asked) else frozenset()
    whole = asked.index[asked == usual]
    rows = rows[pd.MultiIndex.from_frame(rows[["student", "test"]]).isin(whole)]
    left_out["tests with questions missing"] = len(asked) - len(whole)
    scores = rows.pivot_table(index="student", columns="test", values="right").reindex(columns=list(TESTS))
    scores = scores.dropna(subset="first")
    left_out["students without a first test"] = len(students) - len(contradicting) - len(scores)
    rows = rows[rows["student"].isin(scores.index)]
    before = rows[rows["test"] == "first"].drop_duplicates("student").set_index("student").loc[scores.index]
    groups = {group: _gain(scores[before["group"] == group]) for group in GROUPS}
    in_lesson = (before["group"] == GROUPS[0]).to_numpy()
    return LessonResult(
        lesson=name,
        groups=groups,
        comparison=compare(scores["first"].to_numpy(), scores["second"].to_numpy(), in_lesson),
        forms={form: float(scores["first"][before["form"] == form].mean()) for form in FORMS},
        questions=_questions(rows),
        left_out={reason: number for reason, number in left_out.items() if number},
    )


def _contradicting(rows: Table) -> set[str]:
    """Return the students with two groups, two forms in one test, or one form in two tests."""
    found: set[str] = set()
    for within, column in ((["student"], "group"), (["student", "test"], "form"), (["student", "form"], "test")):
        numbers = rows.groupby(within)[column].nunique()
        found |= set(numbers.index[numbers > 1].get_level_values("student"))
    return found


def _gain(scores: Table) -> Gain:
    both = scores.dropna()
    gains = (both["second"] - both["first"]).to_numpy()
    interval = None
    if len(gains) >= FEWEST and np.ptp(gains) > 0:
        low, high = stats.ttest_1samp(gains, 0.0).confidence_interval(0.95)
        interval = float(low), float(high)
    first, second = (float(both[test].mean()) for test in TESTS)
    return Gain(len(scores), len(scores) - len(both), first, second, second - first, interval)


def _questions(rows: Table) -> tuple[QuestionResult, ...]:
    second = rows[rows["test"] == "second"]
    shares = second.pivot_table(index="question", columns="group", values="right").reindex(columns=list(GROUPS))
    answers = rows[rows["test"] == "first"].pivot(index="student", columns="question", values="right")
    wrong = second[(second["group"] == GROUPS[0]) & (second["right"] == 0)]
    results = []
    for question in dict.fromkeys(rows["question"]):
        own = answers[question]
        rest = answers.drop(columns=question).sum(axis=1)
        chosen = wrong[wrong["question"] == question]
        most = Counter(chosen["form"] + chosen["chosen"].astype(str)).most_common(1)
        lesson, control = (float(shares[group].get(question, np.nan)) for group in GROUPS)
        varies = own.nunique() > 1 and rest.nunique() > 1
        correlation = float(np.corrcoef(own, rest)[0, 1]) if varies else np.nan
        results.append(
            QuestionResult(question, float(own.mean()), control, lesson, correlation, most[0][0] if most else "")
        )
    return tuple(results)


def _without_nan(value: Any) -> Any:
    """Return the value with None for every NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _without_nan(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and np.isnan(value) else value
