"""Lessons: Markdown files that lead a user through a page by questions.

The format is described in ``assets/lessons/README.md``.
"""

from rfviz.lessons.curve import Gap, compare_curve
from rfviz.lessons.latex import latex_mistake
from rfviz.lessons.model import Curve, Lesson, Option, Step, facts_of, fill
from rfviz.lessons.reader import LessonError, find_lessons, parse_lesson, read_lesson

__all__ = [
    "Curve",
    "Gap",
    "Lesson",
    "LessonError",
    "Option",
    "Step",
    "compare_curve",
    "facts_of",
    "fill",
    "find_lessons",
    "latex_mistake",
    "parse_lesson",
    "read_lesson",
]
