"""The parts of a lesson, and facts put into its texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rfviz.expressions import Expression, parse_expression

__all__ = ["FACT", "LEVELS", "Curve", "Lesson", "Option", "Step", "facts_of", "fill", "fill_facts"]

#: How much a lesson takes for granted, from the first ones to read to the last.
LEVELS = ("beginner", "intermediate", "advanced")

#: A fact in a text: an expression between double braces, with a format behind a colon if need be.
FACT = re.compile(r"\{\{(.+?)\}\}")
_FORMAT = re.compile(r"(.*):\s*((?:,|\+)?(?:\.\d+)?[defg%])\s*", re.DOTALL)


@dataclass(frozen=True)
class Option:
    """An answer to choose from, whether it is the right one, and if not, why: one sentence in Markdown."""

    text: str
    right: bool
    why: str = ""


@dataclass(frozen=True)
class Curve:
    """A curve that the reader draws on the axes of a chart of the page before the answer is shown.

    Attributes
    ----------
    across, up : str
        Labels of the axes.
    places : tuple of float
        Where it is compared with the right one, on the horizontal axis; from the first to the last it is drawn.
    truth : Expression
        The right height at a place x.
    factors : bool
        Whether heights are compared by factors, as they should be on a logarithmic axis.
    chart : str
        Key of the chart; the page's first one if empty.
    """

    across: str
    up: str
    places: tuple[float, ...]
    truth: Expression
    factors: bool
    chart: str = ""

    @property
    def label(self) -> str:
        """Return instructions for drawing the curve with the keyboard."""
        return f"Draw {self.up} against {self.across}. Left and right move along, up and down change the height."


@dataclass(frozen=True)
class Step:
    """One question of a lesson.

    Attributes
    ----------
    title, lead, question, reveal, formula, suggestion : str
        Markdown; `formula` is LaTeX without dollar signs. Empty if the file has none.
    options : tuple of Option
        One of them right; empty if the reader draws.
    curve : Curve or None
        The curve that the reader draws if there are no options.
    settings : mapping of str to str
        Controls of the page, with their values as the page's address holds them, that the reveal sets.
    checks : tuple of Expression
        Statements that hold if the reveal is right.
    line : int
        Where it begins in the file.
    """

    title: str
    lead: str
    question: str
    options: tuple[Option, ...]
    curve: Curve | None
    settings: Mapping[str, str]
    reveal: str
    formula: str
    suggestion: str
    checks: tuple[Expression, ...]
    line: int

    @property
    def answer(self) -> int:
        """Return the index of the right option."""
        return next(index for index, option in enumerate(self.options) if option.right)


@dataclass(frozen=True)
class Lesson:
    """A guided track through one page.

    Attributes
    ----------
    slug, title, page, question, source, lead : str
        `page` is its name in the address; `source` says which figure of which paper this is.
    level : str
        One of :data:`LEVELS`.
    start : mapping of str to str
        Controls that are set when the lesson begins.
    remember : tuple of str
        What to take away, in Markdown; a sentence or two each.
    """

    slug: str
    title: str
    page: str
    question: str
    source: str
    lead: str
    order: int
    level: str
    minutes: int
    start: Mapping[str, str]
    remember: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def names(self) -> frozenset[str]:
        """Return every control that the lesson sets anywhere."""
        return frozenset().union(self.start, *(step.settings for step in self.steps))

    def settings(self, step: int, shown: bool) -> dict[str, str]:
        """Return the controls' values at a step (from 1), before its reveal or after: also those of earlier steps."""
        settings = dict(self.start)
        for done in self.steps[: step if shown else step - 1]:
            settings |= done.settings
        return settings


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Put values into the ``{{…}}`` of a text.

    Parameters
    ----------
    values : mapping of str to object
        By the text of the expression; see :func:`facts_of`.
    """

    def shown(match: re.Match[str]) -> str:
        expression, style = _split_fact(match[1])
        value = values[expression]
        return format(value, style) if style else str(value)

    return FACT.sub(shown, text)


def fill_facts(text: str, facts: Mapping[str, Callable[..., Any]]) -> str:
    """Compute what stands in the ``{{…}}`` of a text, and put it there.

    Raises
    ------
    RfvizError
        If a fact cannot be computed.
    """
    return fill(text, {inside: parse_expression(inside, facts).evaluate(facts) for inside in facts_of(text)})


def facts_of(text: str) -> list[str]:
    """Return the expressions in the ``{{…}}`` of a text."""
    return [_split_fact(match)[0] for match in FACT.findall(text)]


def _split_fact(inside: str) -> tuple[str, str]:
    match = _FORMAT.fullmatch(inside)
    return (match[1].strip(), match[2]) if match else (inside.strip(), "")
