"""The list of all active data sets of OpenML, cached for a week, and a search by words among their names.

OpenML's interface knows numbers and exact names only; the list is a few megabytes, so it is searched here.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

from rfviz.datasets.downloads import openml_api
from rfviz.datasets.downloads.cache import Download
from rfviz.datasets.downloads.openml_api import Entry
from rfviz.datasets.files.content import File
from rfviz.errors import DataError

__all__ = ["DOWNLOAD", "MAX_WORDS", "close_names", "matching"]

MAX_WORDS = 12
_PAGE, _MAX_PAGES = 1000, 100
_WORD = re.compile(r"[^\W_]+")


def matching(entries: tuple[Entry, ...], query: str) -> list[Entry]:
    """Return the entries whose names hold every word of a query, the nearest first.

    The exact name comes first, then names made of the words, then names with words that begin so, then names that only
    contain them somewhere; within each, shorter names first and older versions before newer ones. Capital letters and
    what separates words do not count.

    Parameters
    ----------
    entries : tuple of Entry
    query : str
        Only the first `MAX_WORDS` words are used.
    """
    words = _words(query)[:MAX_WORDS]
    ranks = {name: _rank(name, query, words) for name in {entry.name for entry in entries}} if words else {}
    found = [entry for entry in entries if ranks.get(entry.name) is not None]
    return sorted(found, key=lambda e: (ranks[e.name], len(e.name), e.name.casefold(), e.name, e.version, e.number))


def close_names(entries: tuple[Entry, ...], query: str, most: int = 4) -> list[str]:
    """Return names that are spelt nearly like a query."""
    names = {entry.name.casefold(): entry.name for entry in entries}
    return [names[name] for name in difflib.get_close_matches(query.casefold()[:128], names, most)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rank(name: str, query: str, words: list[str]) -> int | None:
    """Return how near a name is to the words: 0 the nearest, or None if one of them is missing."""
    parts = _words(name)
    joined = "".join(parts)
    if not all(word in joined for word in words):
        return None
    if name.casefold() == query.strip().casefold():
        return 0
    if all(word in parts for word in words):
        return 1
    return 2 if all(any(part.startswith(word) for part in parts) for word in words) else 3


def _fetch(home: Path) -> bytes:
    """Return the list as a JSON table, which needs a tenth of what OpenML sends."""
    return json.dumps([astuple(entry) for entry in openml_api.entries(list(_pages()))]).encode()


def _pages() -> Iterator[object]:
    """Yield the items of all pages up to the first that is empty."""
    n_items = 0
    for _ in range(_MAX_PAGES):
        items = openml_api.list_items(f"status/active/limit/{_PAGE}/offset/{n_items}")
        if not items:
            break
        n_items += len(items)
        yield from items
    if not n_items:
        raise ValueError("an empty list")


def _read(file: File) -> tuple[Entry, ...]:
    try:
        return _parsed(file.head(DOWNLOAD.max_bytes))
    except (OSError, ValueError, TypeError, RecursionError):
        raise DataError(f"{file.name} is damaged, or not OpenML's list. Remove it.") from None


@functools.lru_cache(maxsize=1)
def _parsed(table: bytes) -> tuple[Entry, ...]:
    return tuple(Entry(*row) for row in json.loads(table))


DOWNLOAD = Download(
    # With the version of the table's form.
    "openml-list-1.json",
    "OpenML’s list of data sets",
    "openml.org",
    "a few MB, once a week",
    _fetch,
    _read,
    instead="bring the data as a file",
    days=7.0,
    max_bytes=50_000_000,
)
