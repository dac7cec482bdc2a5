"""Lessons: Markdown files that lead a user through a page by questions.

The format is described in ``assets/lessons/README.md``.
"""

from rfviz.lessons.expressions import Expression, ExpressionError, parse_expression
from rfviz.lessons.latex import latex_mistake
from rfviz.lessons.model import Lesson, Option, Step, facts_of, fill
from rfviz.lessons.reader import LessonError, find_lessons, parse_lesson, read_lesson

__all__ = [
    "Expression",
    "ExpressionError",
    "Lesson",
    "LessonError",
    "Option",
    "Step",
    "facts_of",
    "fill",
    "find_lessons",
    "latex_mistake",
    "parse_expression",
    "parse_lesson",
    "read_lesson",
]
