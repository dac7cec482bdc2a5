"""Lessons: Markdown files that lead a user through a page by questions.

The format is described in ``assets/lessons/README.md``.
"""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.lessons.curve import Gap, compare_curve, gap_words, right_heights
    from rfviz.lessons.latex import latex_mistake
    from rfviz.lessons.model import LEVELS, Curve, Lesson, Option, Step, facts_of, fill, fill_facts
    from rfviz.lessons.reader import LessonError, find_lessons, parse_lesson, read_lesson
    from rfviz.lessons.room import ROOMS, Answer, Axis, Question, Room, RoomError, Rooms

__all__ = [
    "LEVELS",
    "ROOMS",
    "Answer",
    "Axis",
    "Curve",
    "Gap",
    "Lesson",
    "LessonError",
    "Option",
    "Question",
    "Room",
    "RoomError",
    "Rooms",
    "Step",
    "compare_curve",
    "facts_of",
    "fill",
    "fill_facts",
    "find_lessons",
    "gap_words",
    "latex_mistake",
    "parse_lesson",
    "read_lesson",
    "right_heights",
]

import_when_asked(__name__)
