"""The files of lessons, read into steps; every mistake is one sentence with its line, so that a teacher can mend it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import NoReturn

from rfviz.errors import RfvizError
from rfviz.expressions import Expression, ExpressionError, parse_expression
from rfviz.lessons.latex import latex_mistake
from rfviz.lessons.model import FACT, LEVELS, Curve, Lesson, Option, Step, facts_of

__all__ = ["LessonError", "find_lessons", "parse_lesson", "read_lesson"]

_REQUIRED, _FIELDS = ("title", "page", "minutes"), ("title", "page", "order", "level", "minutes", "source", "question")
_BLOCKS = ("question", "predict", "draw", "set", "reveal", "formula", "try", "check")
_NEEDED = ("question", "reveal")
_HEAD_BLOCKS = ("set", "remember")
_CURVE, _CURVE_MORE = ("across", "up", "at", "truth"), ("compare", "chart")
_OPTION = re.compile(r"[-*] \[( |x|X)\] (.+)")
_SETTING = re.compile(r"(?:[-*] )?`?([A-Za-z_][\w.]*)`?:(.*)")


class LessonError(RfvizError, ValueError):
    """A mistake in the file of a lesson."""


def read_lesson(path: Path, facts: Collection[str] = (), pages: Collection[str] | None = None) -> Lesson:
    """Read a file; see :func:`parse_lesson`.

    Raises
    ------
    LessonError
        If the file cannot be read, or is not a lesson.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LessonError(f"{path.name} cannot be read: {error}.") from None
    return parse_lesson(text, path.stem, facts, pages)


def find_lessons(
    folder: Path, facts: Collection[str] = (), pages: Collection[str] | None = None
) -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """Find all lessons of a folder by level and order, and the errors of the files that are not lessons.

    Parameters
    ----------
    folder : Path
        Its ``*.md`` files, but for README.md.
    facts, pages : collection of str
        See :func:`parse_lesson`.

    Returns
    -------
    lessons : tuple of Lesson
    mistakes : tuple of str
        A sentence for each file that is not a lesson.
    """
    lessons, mistakes = [], []
    for path in sorted(folder.glob("*.md")):
        if path.stem.lower() != "readme":
            try:
                lessons.append(read_lesson(path, facts, pages))
            except LessonError as error:
                mistakes.append(str(error))
    return tuple(sorted(lessons, key=_place)), tuple(mistakes)


def _place(lesson: Lesson) -> tuple[int, int, str]:
    return LEVELS.index(lesson.level), lesson.order, lesson.slug


@dataclass
class _Part:
    """Lines below a heading, with the number of the heading's line."""

    title: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines).strip()


def parse_lesson(text: str, slug: str, facts: Collection[str] = (), pages: Collection[str] | None = None) -> Lesson:
    """Read the text of a lesson.

    Parameters
    ----------
    slug : str
        The file's name without ``.md``, which is the lesson's name in an address.
    facts : collection of str
        Names of the facts that its expressions may call.
    pages : collection of str, optional
        The pages that there are; not checked where they are not given.

    Raises
    ------
    LessonError
        With the file, the line and the mistake.
    """
    parser = _Parser(f"{slug}.md", frozenset(facts))
    fields, lines = parser.front_matter(list(enumerate(text.replace("\r\n", "\n").split("\n"), 1)))
    if pages is not None and fields["page"][1] not in pages:
        parser.fail(fields["page"][0], f"there is no page “{fields['page'][1]}”; pages are {', '.join(sorted(pages))}")
    head, *parts = _cut(lines, "## ")
    lead, *blocks = _cut(head.lines, "### ")
    for block in blocks:
        if block.title not in _HEAD_BLOCKS:
            allowed = " and ".join(f"“{name}”" for name in _HEAD_BLOCKS)
            parser.fail(block.line, f"before the first step only blocks {allowed} may stand, not “{block.title}”")
    first = {block.title: block for block in blocks}
    if not parts:
        parser.fail(len(lines), "a lesson needs at least one step, a heading that begins with “## ”")
    return Lesson(
        slug=slug,
        title=fields["title"][1],
        page=fields["page"][1],
        question=fields.get("question", (0, ""))[1],
        source=fields.get("source", (0, ""))[1],
        lead=parser.prose(lead),
        order=parser.number(fields, "order", 100),
        minutes=parser.number(fields, "minutes", 0),
        level=parser.level(fields),
        start=parser.settings(first["set"]) if "set" in first else {},
        remember=parser.sentences(first["remember"]) if "remember" in first else (),
        steps=tuple(map(parser.step, parts)),
    )


def _cut(lines: list[tuple[int, str]], mark: str) -> list[_Part]:
    """Split lines: those before the first heading that begins with `mark`, then those below each."""
    parts, fenced = [_Part("", lines[0][0] if lines else 1)], False
    for number, line in lines:
        fenced ^= line.startswith("```")
        if line.startswith(mark) and not fenced:
            parts.append(_Part(line[len(mark) :].strip(), number))
        else:
            parts[-1].lines.append((number, line))
    return parts


@dataclass(frozen=True)
class _Parser:
    """Parser of the parts of a file: its name, for messages, and the known facts."""

    name: str
    facts: frozenset[str]

    def fail(self, line: int, mistake: str) -> NoReturn:
        raise LessonError(f"{self.name}, line {line}: {mistake}.")

    def front_matter(self, lines: list[tuple[int, str]]) -> tuple[dict[str, tuple[int, str]], list[tuple[int, str]]]:
        """Parse fields between two lines of three hyphens, each with its line; return the lines after them too."""
        ends = [number for number, (_, line) in enumerate(lines) if line.strip() == "---"][:2]
        if len(ends) < 2 or ends[0] != 0:
            self.fail(1, "a lesson begins with its fields between two lines of three hyphens")
        fields: dict[str, tuple[int, str]] = {}
        for number, line in lines[1 : ends[1]]:
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if not colon or name not in _FIELDS or not value:
                self.fail(number, f"expected “name: value” with a name of {', '.join(_FIELDS)}, not “{line.strip()}”")
            fields[name] = number, value
        missing = [name for name in _REQUIRED if name not in fields]
        if missing:
            self.fail(lines[ends[1]][0], f"the fields must say {', '.join(missing)}")
        return fields, lines[ends[1] + 1 :]

    def number(self, fields: Mapping[str, tuple[int, str]], name: str, default: int) -> int:
        line, text = fields.get(name, (0, str(default)))
        if not text.isdecimal():
            self.fail(line, f"{name} must be a whole number, not “{text}”")
        return int(text)

    def level(self, fields: Mapping[str, tuple[int, str]]) -> str:
        line, text = fields.get("level", (0, LEVELS[0]))
        if text not in LEVELS:
            self.fail(line, f"level must be {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not “{text}”")
        return text

    def sentences(self, part: _Part) -> tuple[str, ...]:
        """Parse a list of sentences."""
        lines = [(number, line.strip()) for number, line in part.lines if line.strip()]
        for number, line in lines:
            if not line.startswith("- "):
                self.fail(number, f"what to remember is written as “- a sentence”, one a line, not “{line}”")
        return tuple(self.prose(_Part("", number, [(number, line[2:])])) for number, line in lines)

    def step(self, part: _Part) -> Step:
        """Parse one step from the lines below its heading."""
        lead, *found = _cut(part.lines, "### ")
        blocks: dict[str, _Part] = {}
        for block in found:
            if block.title not in _BLOCKS:
                self.fail(block.line, f"there is no block “{block.title}”; blocks are {', '.join(_BLOCKS)}")
            if block.title in blocks:
                self.fail(block.line, f"this step has a block “{block.title}” already")
            blocks[block.title] = block
        for name in _NEEDED:
            if name not in blocks or not blocks[name].text:
                self.fail(part.line, f"the step “{part.title}” needs a block “### {name}” with something in it")
        asked = [name for name in ("predict", "draw") if name in blocks and blocks[name].text]
        if len(asked) != 1:
            self.fail(part.line, f"the step “{part.title}” needs either a block “### predict” or a block “### draw”")
        texts = {name: self.prose(blocks[name]) if name in blocks else "" for name in ("question", "reveal", "try")}
        return Step(
            title=part.title,
            lead=self.prose(lead),
            question=texts["question"],
            reveal=texts["reveal"],
            options=self.options(blocks["predict"]) if "predict" in asked else (),
            curve=self.curve(blocks["draw"]) if "draw" in asked else None,
            suggestion=texts["try"],
            settings=self.settings(blocks["set"]) if "set" in blocks else {},
            formula=self.formula(blocks["formula"]) if "formula" in blocks else "",
            checks=self.checks(blocks["check"]) if "check" in blocks else (),
            line=part.line,
        )

    def prose(self, part: _Part) -> str:
        """Check the formulas and facts of Markdown, and return it."""
        text = part.text
        plain = FACT.sub("0", text)
        if plain.count("$") % 2:
            self.fail(part.line, "a formula in this text has no second dollar sign")
        for inside in plain.split("$")[1::2]:
            if mistake := latex_mistake(inside):
                self.fail(part.line, f"the formula ${inside}$ {mistake}")
        for number, line in part.lines:
            for expression in facts_of(line):
                self._expression(number, expression)
        return text

    def options(self, part: _Part) -> tuple[Option, ...]:
        """Parse answers, one of them marked as right; below a wrong one may stand why, indented."""
        found = list[Option]()
        for number, line in part.lines:
            if found and line.startswith("  ") and not _OPTION.fullmatch(line.strip()):
                if found[-1].right:
                    self.fail(number, "only a wrong answer has a reason; why the right one holds the reveal says")
                why = self.prose(_Part("", number, [(number, line)]))
                found[-1] = replace(found[-1], why=f"{found[-1].why} {why}".strip())
            elif line.strip():
                match = _OPTION.fullmatch(line.strip())
                if not match:
                    self.fail(number, "an answer is written as “- [ ] text”, the right one as “- [x] text”")
                found.append(Option(match[2].strip(), match[1] != " "))
        if len(found) < 2 or sum(option.right for option in found) != 1:
            self.fail(part.line, f"a question needs two answers or more and one “[x]”; this has {len(found)} answers")
        return tuple(found)

    def curve(self, part: _Part) -> Curve:
        """Parse the curve that is to be drawn."""
        given = self.settings(part)
        if {*given} - {*_CURVE_MORE} != {*_CURVE} or given.get("compare", "factors") != "factors":
            more = "“compare: factors” and the key of a “chart”"
            self.fail(part.line, f"a curve has the lines {', '.join(_CURVE)} and, if need be, {more}")
        try:
            places = tuple(float(place) for place in given["at"].split(","))
        except ValueError:
            places = ()
        if len(places) < 3 or not all(low < high for low, high in pairwise(places)) or not all(map(isfinite, places)):
            self.fail(part.line, f"“at” must be three numbers or more that grow, such as 1, 2, 5; not {given['at']}")
        return Curve(
            given["across"],
            given["up"],
            places,
            self._expression(part.line, given["truth"], of_x=True),
            "compare" in given,
            given.get("chart", ""),
        )

    def settings(self, part: _Part) -> dict[str, str]:
        """Parse controls and their values."""
        found: dict[str, str] = {}
        for number, line in part.lines:
            if line.strip():
                match = _SETTING.fullmatch(line.strip())
                if not match or not match[2].strip(" `"):
                    self.fail(number, f"a setting is written as “- pool_size: 32”, not “{line.strip()}”")
                found[match[1]] = match[2].strip(" `")
        return found

    def formula(self, part: _Part) -> str:
        text = part.text.removeprefix("$$").removesuffix("$$").strip()
        if not text:
            self.fail(part.line, "this block “formula” is empty")
        if mistake := latex_mistake(text):
            self.fail(part.line, f"this formula {mistake}")
        return text

    def checks(self, part: _Part) -> tuple[Expression, ...]:
        lines = [(number, re.sub(r"^[-*] ", "", line.strip()).strip("`")) for number, line in part.lines]
        return tuple(self._expression(number, line) for number, line in lines if line and not line.startswith("```"))

    def _expression(self, number: int, text: str, of_x: bool = False) -> Expression:
        try:
            return parse_expression(text, self.facts, of_x)
        except ExpressionError as error:
            raise LessonError(f"{self.name}, line {number}: {error}") from None
