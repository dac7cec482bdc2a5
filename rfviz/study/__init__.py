"""A study of whether lessons teach: the log of answers, and its analysis; ``docs/study.md`` is the plan."""

from rfviz.study.log import (
    COLUMNS,
    FORMS,
    GROUPS,
    STUDENT,
    TESTS,
    VARIABLE,
    Draw,
    Row,
    Study,
    new_student,
    read_log,
    study_of_server,
)

__all__ = [
    "COLUMNS",
    "FORMS",
    "GROUPS",
    "STUDENT",
    "TESTS",
    "VARIABLE",
    "Draw",
    "Row",
    "Study",
    "new_student",
    "read_log",
    "study_of_server",
]
