"""The index of the site's search: titles and headings, and the names of the library, in a few kilobytes."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Mapping

__all__ = ["search_index"]

_HEADING = re.compile(r"<(h[123])\b[^>]*>(.*?)</\1>", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
# A class or function of the reference; its members have a dot.
_NAME = re.compile(r'<section id="(\w+)"')
# A heading that more pages have than this says nothing of any.
_COMMON = 3


def search_index(pages: Mapping[str, str]) -> str:
    """Return the script that holds the index: for each file its title, and headings with the address of their place.

    Parameters
    ----------
    pages : mapping of str to str
        HTML by file.
    """
    titles = {file: _plain("".join(_TITLE.findall(text)[:1])) for file, text in pages.items()}
    headings = {file: _headings(text) for file, text in pages.items()}
    n_pages = Counter(heading for found in headings.values() for heading in found)
    index = [
        [file, titles[file], {heading: place for heading, place in found.items() if n_pages[heading] <= _COMMON}]
        for file, found in headings.items()
        if titles[file]
    ]
    return f"rfviz.index = {json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n"


def _headings(text: str) -> dict[str, str]:
    """Return headings, and names of the library, with the part of an address that leads to each; without the title."""
    if names := _NAME.findall(text):
        return {name: f"#{name}" for name in names}
    return {heading: "" for _, part in _HEADING.findall(text)[1:] if (heading := _plain(part))}


def _plain(part: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", part)).split())
