"""Values as text in an address: numbers, words, and lists of them; never anything that runs."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["VIEW_ONLY", "current_name", "format_value", "is_appended", "parse_value", "same_text"]

#: What an address may say about how a page is shown; no page asks for it.
VIEW_ONLY = ("embed", "embed_options", "hide", "lecture", "present", "lesson", "step", "open", "pair", "pins", "tab")
# Of a link that a mailer, a network or a search engine has passed on.
_APPENDED = re.compile(r"utm_.*|mc_.*|_ga|_gl|[a-z]*clid")

# Names that addresses had once, and their names today: old links stay open.
_RENAMED = {"scheme": "map", "schemes": "maps", "beside": "with_simhash"}


def current_name(name: str) -> str:
    """Return today's name of a setting that an address may give under an older one."""
    return _RENAMED.get(name, name)


def is_appended(name: str) -> bool:
    """Return whether a name in an address is one that other programs append to links: ``utm_source``, ``fbclid``."""
    return _APPENDED.fullmatch(name) is not None


def format_value(value: Any) -> str:
    """Return a value as it stands in an address."""
    if isinstance(value, (list, tuple)):
        # The trailing comma tells a list of one from a plain value.
        return ",".join(map(format_value, value)) + ("," if len(value) < 2 else "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def parse_value(text: str) -> Any:
    """Parse a number, a truth value, a list or a word from the text of an address."""
    parts = _split(text)
    if len(parts) > 1:
        return [parse_value(part) for part in parts if part]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # the latter for thousands of brackets
        return text
    return value if isinstance(value, (int, float, bool)) else text


def _split(text: str) -> list[str]:
    """Return the parts of a list; a comma within parentheses belongs to a formula."""
    parts, depth = [""], 0
    for character in text:
        depth = max(depth + (character == "(") - (character == ")"), 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def same_text(one: str, other: str) -> bool:
    """Return whether two texts mean the same; the order of a set of choices does not count."""
    return _parts(one) == _parts(other)


def _parts(text: str) -> list[str]:
    return sorted(part for part in _split(text) if part)
