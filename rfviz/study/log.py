"""The log of a study: a CSV file with one row for an answer, and the random draw of groups and forms."""

from __future__ import annotations

import errno
import logging
import os
import re
import secrets
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path

from rfviz.errors import DataError, ParameterError, RfvizError

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

#: The environment variable that names the file; without it there is no study.
VARIABLE = "RFVIZ_STUDY"
GROUPS, TESTS, FORMS = ("lesson", "control"), ("first", "second"), ("A", "B")
# Whoever asks: a file of 16 rows for so many is about 10 MB.
_MOST_DRAWS = 10_000
#: A student's random number.
STUDENT = re.compile(r"[0-9a-f]{16}")
_RULES = {
    "student": (STUDENT, "16 of the digits 0 to 9 and a to f"),
    "lesson": (re.compile(r"[\w-]+"), "the name of a lesson"),
    "group": (re.compile("|".join(GROUPS)), " or ".join(GROUPS)),
    "test": (re.compile("|".join(TESTS)), " or ".join(TESTS)),
    "form": (re.compile("|".join(FORMS)), " or ".join(FORMS)),
    "question": (re.compile(r"[a-z0-9-]+"), "small letters, digits and hyphens"),
    "chosen": (re.compile(r"[1-9][0-9]?"), "a number from 1 to 99"),
    "right": (re.compile(r"[01]"), "0 or 1"),
}


@dataclass(frozen=True)
class Row:
    """An answer.

    Attributes
    ----------
    student : str
        A random number in hexadecimal.
    lesson, group, test, form, question : str
    chosen : int
        The number of the answer, from 1.
    right : int
        1 or 0.
    """

    student: str
    lesson: str
    group: str
    test: str
    form: str
    question: str
    chosen: int
    right: int


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True)
class Draw:
    """What was drawn for a student in a lesson: the group, and the form of the first test."""

    group: str
    first: str

    def form(self, test: str) -> str:
        """Return the form of a test: the second has the other one."""
        return self.first if test == "first" else _other(self.first)


def new_student() -> str:
    """Return a random number for a student who has agreed."""
    return secrets.token_hex(8)


def read_log(path: Path) -> tuple[list[Row], list[str]]:
    """Read a log.

    Parameters
    ----------
    path : Path

    Returns
    -------
    rows : list of Row
        As they stand in the file.
    mistakes : list of str
        A sentence for each line that is no row.

    Raises
    ------
    DataError
        If the file cannot be read, or is no log.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DataError(f"The log {path} cannot be read ({error.strerror}).") from None
    head, *lines = text.split("\n")
    if head.rstrip("\r") != ",".join(COLUMNS):
        raise DataError(f"{path} is no log of a study: its first line must be {','.join(COLUMNS)}.")
    rows: list[Row] = []
    mistakes: list[str] = []
    for number, line in enumerate(lines, 2):
        if line.strip():
            cells = line.rstrip("\r").split(",")  # no cell holds a comma or a quote
            mistake = _mistake(cells)
            if mistake:
                mistakes.append(f"Line {number}: {mistake}.")
                continue
            student, lesson, group, test, form, question, chosen, right = cells
            rows.append(Row(student, lesson, group, test, form, question, int(chosen), int(right)))
    return rows, mistakes


def _mistake(cells: list[str]) -> str:
    """Return what is wrong with the cells of a line, as a sentence without its stop; empty where nothing is."""
    if len(cells) != len(COLUMNS):
        return f"a row has {len(COLUMNS)} cells, this has {len(cells)}"
    for (name, (pattern, rule)), cell in zip(_RULES.items(), cells, strict=True):
        if not pattern.fullmatch(cell):
            return f"{name} must be {rule}, not “{cell[:40]}”"
    return ""


def _other(form: str) -> str:
    return FORMS[1 - FORMS.index(form)]


class Study:
    """A study that goes on: who is in which group, and what was answered. Safe to share between threads.

    Parameters
    ----------
    path : Path
        The log, which is made if it is missing; rows that it has already are part of the study.

    Raises
    ------
    ParameterError
        If the file cannot be written, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._draws: dict[tuple[str, str], Draw] = {}
        self._answers: dict[tuple[str, str, str], tuple[Row, ...]] = {}
        try:
            self._append("")
            rows, _ = read_log(path)
        except OSError as error:
            raise ParameterError(
                VARIABLE, f"must be a file that can be written ({error.strerror})", str(path),
                "Name another, in a folder that exists.",
            ) from None  # fmt: skip
        except DataError as error:
            raise ParameterError(
                VARIABLE, "must be a new file or the log of a study", str(path), f"Name another. {error}"
            ) from None
        for row in rows:
            self._remember(row)

    def draw(self, student: str, lesson: str) -> Draw:
        """Return what is drawn for a student in a lesson, always the same: what the fewest have so far.

        Raises
        ------
        DataError
            If the study has as many students as it takes.
        """
        with self._lock:
            if (student, lesson) not in self._draws:
                if len(self._draws) >= _MOST_DRAWS:
                    raise DataError("The study can have no more students. The lesson goes on without it.")
                counts = Counter(draw for (_, other), draw in self._draws.items() if other == lesson)
                cells = [Draw(group, form) for group, form in product(GROUPS, FORMS)]
                fewest = min(counts[cell] for cell in cells)
                self._draws[student, lesson] = secrets.choice([cell for cell in cells if counts[cell] == fewest])
            return self._draws[student, lesson]

    def answers(self, student: str, lesson: str, test: str) -> tuple[Row, ...]:
        """Return what a student has answered in a test; empty where the test was not taken."""
        with self._lock:
            return self._answers.get((student, lesson, test), ())

    def add(self, student: str, lesson: str, test: str, answers: Mapping[str, tuple[int, bool]]) -> None:
        """Write the answers to a test, in one piece; answers to a test that was taken already change nothing.

        Parameters
        ----------
        student, lesson, test : str
        answers : mapping of str to (int, bool)
            By question, the number of the chosen answer, from 1, and whether it is right.

        Raises
        ------
        DataError
            If they cannot be written; nothing of them is then in the file.
        """
        draw = self.draw(student, lesson)
        rows = [
            Row(student, lesson, draw.group, test, draw.form(test), question, chosen, int(right))
            for question, (chosen, right) in answers.items()
        ]
        lines = "".join(f"{','.join(map(str, astuple(row)))}\n" for row in rows)
        with self._lock:
            if (student, lesson, test) in self._answers:
                return
            try:
                self._append(lines)
            except OSError as error:
                raise DataError(f"Your answers could not be stored ({error.strerror}). Send them again.") from None
            for row in rows:
                self._remember(row)

    def _remember(self, row: Row) -> None:
        key = row.student, row.lesson, row.test
        self._answers[key] = (*self._answers.get(key, ()), row)
        first = row.form if row.test == "first" else _other(row.form)
        self._draws.setdefault((row.student, row.lesson), Draw(row.group, first))

    def _append(self, text: str) -> None:
        """Append whole lines to the file, or nothing; a file that is new, or was deleted, begins with the header."""
        with self._path.open("a+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            before = f"{','.join(COLUMNS)}\n"
            if end:
                file.seek(end - 1)
                before = "" if file.read(1) == b"\n" or not text else "\n"  # after a line that was torn
            data = (before + text).encode()
            if file.write(data) != len(data):
                file.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


_opened: dict[str, tuple[Study | None, str]] = {}
_opening = threading.Lock()


def study_of_server() -> tuple[Study | None, str]:
    """Return the study whose log ``RFVIZ_STUDY`` names, and a sentence where that cannot be used; None without one.

    Opened once, when this is asked first; the sentence goes to the server's log then.
    """
    path = os.environ.get(VARIABLE, "").strip()
    if not path:
        return None, ""
    with _opening:
        if path not in _opened:
            try:
                _opened[path] = Study(Path(path).expanduser()), ""
            except RfvizError as error:
                logging.getLogger("rfviz").error("%s Lessons go on without a study.", error)
                _opened[path] = None, str(error)
        return _opened[path]
