"""Words of a file or of an address, as text that Markdown leaves alone."""

from __future__ import annotations

import re

__all__ = ["plain"]

# An underscore inside a word, and a colon before a blank, mean nothing.
_SIGNS = re.compile(r"[\\`*\[\]<>$#|~]|(?<!\w)_|_(?!\w)|:(?=[\w/])")


def plain(words: str) -> str:
    """Escape Markdown: `words` are shown as written, without emphasis, formula, link, picture or icon."""
    return _SIGNS.sub(r"\\\g<0>", words)
