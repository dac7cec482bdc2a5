"""The laboratory's Markdown as HTML, with formulas as MathML, which browsers draw without a script."""

from __future__ import annotations

import re

import markdown2

__all__ = ["html_of", "line_of"]

# What the translation to MathML does not know.
_OPERATOR = re.compile(r"\\arg(?![a-z])")


def html_of(text: str) -> str:
    """Return a text in Markdown, with formulas between dollar signs, as HTML."""
    text = _OPERATOR.sub(r"\\operatorname{arg}", text)
    found = str(markdown2.markdown(text, extras=["latex", "tables", "fenced-code-blocks"])).strip()
    # A formula that is wider than its column scrolls, by the keyboard too.
    return found.replace(' display="block"', ' display="block" tabindex="0"')


def line_of(text: str) -> str:
    """Return a text of one paragraph as HTML that may stand within a line."""
    return html_of(text).removeprefix("<p>").removesuffix("</p>")
