"""Rooms: the questions of a lecture, answered from phones, without accounts and in memory alone."""

from __future__ import annotations

import csv
import io
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from rfviz.errors import RfvizError

__all__ = ["ROOMS", "Answer", "Axis", "Question", "Room", "RoomError", "Rooms"]

#: The index of an option, or the points of a curve as an array of two columns.
Answer: TypeAlias = "int | np.ndarray"

# Limits of a server's memory, also against misuse: 20 such rooms, full of curves, are about 150 MB.
_MOST_ROOMS, _MOST_PHONES, _MOST_QUESTIONS, _MOST_POINTS = 20, 500, 20, 33
# Seconds after which a lecturer is taken to have gone, a phone is not counted as present, and its place is given away.
_LECTURER_S, _PRESENT_S, _PLACE_S = 900.0, 10.0, 60.0
# Without characters that a back row takes for one another.
_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_PHONE = re.compile(r"[\w-]{16,40}", re.ASCII)


class RoomError(RfvizError):
    """A request that a room refuses; the text is fit for the phone that sent it."""


@dataclass(frozen=True)
class Axis:
    """An axis on which a curve is drawn: what it shows, its ends, and whether it is logarithmic."""

    label: str
    low: float
    high: float
    log: bool


@dataclass(frozen=True)
class Question:
    """A question as phones show it.

    Attributes
    ----------
    lesson, step, text : str
        Markdown.
    options : tuple of str
        Answers to choose from, in Markdown; empty if a curve is drawn.
    axes : tuple of Axis
        Across and up; empty if an answer is chosen.
    hint : str
        How the curve is drawn with the keyboard.
    """

    id: str
    lesson: str
    step: str
    text: str
    options: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    hint: str = ""

    def checked(self, answer: object) -> Answer:
        """Check an answer and return it in the form that is stored.

        Parameters
        ----------
        answer : object
            From JSON that any client may have sent.

        Raises
        ------
        RoomError
            If it answers another question than this.
        """
        if self.options:
            if type(answer) is int and 0 <= answer < len(self.options):
                return answer
            raise RoomError("This is not one of the answers.")
        try:
            points: np.ndarray = np.array(answer, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            points = np.array([])
        if points.ndim != 2 or points.shape[1] != 2 or not 2 <= len(points) <= _MOST_POINTS:
            raise RoomError(f"A curve has 2 to {_MOST_POINTS} points.")
        ends = np.array([[axis.low, axis.high] for axis in self.axes])
        inside = np.clip(points, ends[:, 0], ends[:, 1])  # NaN stays
        if not np.isfinite(inside).all():
            raise RoomError("The points of a curve must be numbers.")
        return inside[np.argsort(inside[:, 0], kind="stable")]


@dataclass
class _Asked:
    """A question that was asked, the answers of phones, and, once it is shown, the right one and a verdict on each."""

    question: Question
    answers: dict[str, Answer] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    right: Answer | None = None


class Room:
    """A room: one question at a time, and the answers of phones. Safe to share between threads.

    Parameters
    ----------
    code : str
        The code by which phones find it.
    clock : callable
        Seconds.

    Attributes
    ----------
    key : str
        The secret by which its lecturer alone finds it again.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.code, self.key = code, secrets.token_urlsafe(24)
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: dict[str, _Asked] = {}
        self._now: _Asked | None = None
        self._stage = "wait"
        self._numbers: dict[str, int] = {}  # of phones, in the order in which they came
        self._seen: dict[str, float] = {}
        self._lecturer = clock()

    # --- the lecturer -------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Record that the lecturer is present, which holds the room open."""
        self._lecturer = self._clock()

    @property
    def is_over(self) -> bool:
        """Whether the lecturer has not been there for a quarter of an hour."""
        return self._clock() - self._lecturer > _LECTURER_S

    def ask(self, question: Question) -> None:
        """Ask a question, or open again one that was asked before; its answers stay."""
        with self._lock:
            found = self._asked.pop(question.id, None) or _Asked(question)
            while len(self._asked) >= _MOST_QUESTIONS:
                del self._asked[next(iter(self._asked))]
            self._asked[question.id] = self._now = found
            self._stage = "ask"

    def close(self) -> None:
        """Take no more answers to the present question."""
        with self._lock:
            self._stage = "closed" if self._now else "wait"

    def reveal(self, judge: Callable[[Mapping[str, Answer]], Mapping[str, str]], right: Answer | None = None) -> None:
        """Tell each phone how its answer to the present question compares with the right one.

        Parameters
        ----------
        judge : callable
            Gets the answers by phone, and returns Markdown for each; called once for a question.
        right : int or array of two columns, optional
            The right answer, which phones show.
        """
        with self._lock:
            now, done = self._now, self._stage in ("wait", "answer")
            if now is None or done:
                return
            self._stage = "closed"
            answers = dict(now.answers)
        verdicts = dict(judge(answers))
        with self._lock:
            now.verdicts, now.right = verdicts, right
            if self._now is now:
                self._stage = "answer"

    def wait(self) -> None:
        """Ask nothing at present."""
        with self._lock:
            self._now, self._stage = None, "wait"

    def answers(self, id: str) -> list[Answer]:
        """Return the answers to a question so far, in the order in which phones came."""
        with self._lock:
            asked = self._asked.get(id)
            return [asked.answers[phone] for phone in sorted(asked.answers, key=self._order)] if asked else []

    def count(self) -> tuple[int, int]:
        """Return how many phones are present, and how many have answered the present question."""
        with self._lock:
            since = self._clock() - _PRESENT_S
            return sum(seen > since for seen in self._seen.values()), len(self._now.answers) if self._now else 0

    def to_csv(self) -> str:
        """Return all answers as a table: one row for a choice, one for each point of a curve; phones have numbers."""
        table = io.StringIO()
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["lesson", "step", "question", "phone", "answer", "x", "y"])
        with self._lock:
            held = [(asked.question, dict(asked.answers)) for asked in self._asked.values()]
        for question, answers in held:
            for phone in sorted(answers, key=self._order):
                head, answer = [question.lesson, question.step, question.text, self._order(phone)], answers[phone]
                if isinstance(answer, int):
                    rows.writerow([*head, question.options[answer], "", ""])
                else:
                    rows.writerows([*head, "", f"{x:.6g}", f"{y:.6g}"] for x, y in answer)
        return table.getvalue()

    def _order(self, phone: str) -> int:
        return self._numbers.get(phone, 0)

    # --- a phone ------------------------------------------------------------------------------------------------------

    def look(self, phone: str) -> tuple[str, Question | None, Answer | None, str]:
        """Return the state that a phone shows: the stage, the question, its own answer, and the verdict on it.

        The stage is ``"wait"``, ``"ask"``, ``"closed"`` or ``"answer"``.

        Raises
        ------
        RoomError
            If the room is full.
        """
        with self._lock:
            self._let_in(phone)
            now = self._now
            if now is None:
                return "wait", None, None, ""
            return self._stage, now.question, now.answers.get(phone), now.verdicts.get(phone, "")

    def right(self, id: str) -> Answer | None:
        """Return the right answer to a question, once phones may know it; else None."""
        with self._lock:
            asked = self._asked.get(id)
            return asked.right if asked is not None and (asked is not self._now or self._stage == "answer") else None

    def answer(self, phone: str, id: str, answer: object) -> None:
        """Take a phone's answer, in place of an earlier one.

        Raises
        ------
        RoomError
            If the question is not asked any more, or the answer is none to it.
        """
        with self._lock:
            self._let_in(phone)
            now = self._now
            if now is None or now.question.id != id or self._stage != "ask":
                raise RoomError("This question is closed. Look at the screen.")
            checked = now.question.checked(answer)
            if phone not in now.answers and len(now.answers) >= _MOST_PHONES:
                raise RoomError(f"This question has {_MOST_PHONES} answers, and can have no more.")
            now.answers[phone] = checked

    def _let_in(self, phone: str) -> None:
        if not _PHONE.fullmatch(phone):
            raise RoomError("This page is too old. Load it again.")
        now = self._clock()
        if phone not in self._seen and len(self._seen) >= _MOST_PHONES:
            self._seen = {one: seen for one, seen in self._seen.items() if now - seen <= _PLACE_S}
            if len(self._seen) >= _MOST_PHONES:
                raise RoomError(f"This room has {_MOST_PHONES} phones, and can have no more. Try again later.")
        if len(self._numbers) < 10 * _MOST_PHONES:
            self._numbers.setdefault(phone, len(self._numbers) + 1)
        self._seen[phone] = now


class Rooms:
    """The rooms that are open on a server. Safe to share between threads.

    Parameters
    ----------
    clock : callable
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, Room] = {}

    def open(self) -> Room:
        """Open a room.

        Raises
        ------
        RoomError
            If there are too many.
        """
        with self._lock:
            self._sweep()
            if len(self._rooms) >= _MOST_ROOMS:
                raise RoomError(
                    f"{_MOST_ROOMS} rooms are open on this server, and there can be no more. Try again when one "
                    f"has been closed, or in {_LECTURER_S / 60:.0f} minutes."
                )
            code = ""
            while not code or code in self._rooms:
                code = "".join(secrets.choice(_LETTERS) for _ in range(6))
            room = self._rooms[code] = Room(code, self._clock)
            return room

    def find(self, code: str) -> Room | None:
        """Return the room with this code, in either case and with spaces around it, or None if there is none."""
        with self._lock:
            self._sweep()
            return self._rooms.get(code.strip().upper())

    def of_key(self, key: str) -> Room | None:
        """Return the room with this key of its lecturer, or None if there is none."""
        with self._lock:
            self._sweep()
            own = (room for room in self._rooms.values() if secrets.compare_digest(room.key.encode(), key.encode()))
            return next(own, None)

    def close(self, room: Room) -> None:
        """Close a room and discard its answers."""
        with self._lock:
            if self._rooms.get(room.code) is room:
                del self._rooms[room.code]

    def _sweep(self) -> None:
        self._rooms = {code: room for code, room in self._rooms.items() if not room.is_over}


#: Those of this server.
ROOMS = Rooms()
