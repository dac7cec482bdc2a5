"""The glossary: short definitions of terms, each linked where it first stands in the text of a page."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, MutableSet
from dataclasses import dataclass

from rfviz.lab.index import ASSETS

__all__ = ["ANCHOR", "Term", "definitions", "link_terms", "read_glossary"]

#: What the address of a link to a term begins with; the term follows, with hyphens for blanks.
ANCHOR = "#term-"
_LINE = re.compile(r"\*\*(.+?)\*\*(?: \((.+?)\))?: (.+)")
# Parts of a text in Markdown where no link can stand: code, formulas, links and pictures, directives, headings, HTML.
_KEPT = (
    r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|!?\[[^\]]*\]\([^)]*\)|:[a-z-]+\[|:material/\w+:"
    r"|^#+ .*?$|</?[a-zA-Z][^>]*>|https?://\S+"
)


@dataclass(frozen=True)
class Term:
    """A term of the glossary.

    Attributes
    ----------
    forms : tuple of str
        As texts have it; the first is its name.
    definition : str
        One or two sentences.
    """

    forms: tuple[str, ...]
    definition: str


def read_glossary(text: str) -> tuple[Term, ...]:
    """Return the terms of a glossary: its lines that begin with one."""
    found = [match for line in text.splitlines() if (match := _LINE.fullmatch(line.strip()))]
    return tuple(
        Term((name, *(form.strip() for form in (more or "").split(",") if form.strip())), definition)
        for name, more, definition in (match.groups() for match in found)
    )


def link_terms(text: str, told: MutableSet[str]) -> str:
    """Return a text in Markdown with a link at the first place of each term.

    Parameters
    ----------
    told : set of str
        Names of terms that have a link on the page already; those of this text are added.
    """
    names, pattern = _pattern()

    def linked(match: re.Match[str]) -> str:
        word = match["term"]
        name = None if word is None else names.get(word, names.get(word[0].lower() + word[1:]))
        if name is None or name in told:
            return match[0]
        told.add(name)
        return f"[{word}]({_address(name)})"

    return pattern.sub(linked, text)


@functools.lru_cache(maxsize=1)
def definitions() -> Mapping[str, tuple[str, str]]:
    """Return the name and the definition of each term by the address of its links, for the script that shows them."""
    return {_address(term.forms[0]): (term.forms[0], term.definition) for term in _terms()}


@functools.lru_cache(maxsize=1)
def _terms() -> tuple[Term, ...]:
    return read_glossary((ASSETS / "glossary.md").read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def _pattern() -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the term's name for each of its forms, and what finds the longest form, or a part that stays as it is."""
    names = {form: term.forms[0] for term in _terms() for form in term.forms}
    forms = sorted(names, key=len, reverse=True)
    either = "|".join(f"[{form[0].lower()}{form[0].upper()}]{re.escape(form[1:])}" for form in forms)
    return names, re.compile(rf"{_KEPT}|(?<![\w’'-])(?P<term>{either})(?![\w’'-])", re.DOTALL | re.MULTILINE)


def _address(name: str) -> str:
    return ANCHOR + name.lower().replace(" ", "-")
