"""The list of all active data sets of OpenML, kept for a week, and a search by words among their names.

OpenML's interface knows numbers and exact names only; the list is a few megabytes, so the searching is done here.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from rfviz.datasets import _openml_api as api
from rfviz.datasets._download import Download, obtain
from rfviz.datasets._openml_api import Entry
from rfviz.datasets.base import Progress

__all__ = ["INSTEAD", "MOST_WORDS", "all_entries", "close_names", "matching"]

MOST_WORDS = 12
# What to do where OpenML cannot be asked.
INSTEAD = "bring the data as a file"
# With the version of the table's form.
_KEY = "openml-list-1"
_PAGE, _MOST_PAGES, _DAYS = 1000, 100, 7.0
_WORD = re.compile(r"[^\W_]+")


def all_entries(progress: Progress | None = None) -> tuple[Entry, ...]:
    """Every active data set, from the cache or from OpenML.

    A list that is older than a week is fetched anew; where that fails, the old one serves.

    Raises
    ------
    DownloadError
        If there is none and OpenML cannot be asked.
    """
    list_ = Download(_KEY, "OpenML’s list of data sets", "openml.org", "a few MB, once a week", _fetch, INSTEAD, _DAYS)
    raw = obtain(list_, progress)
    return _unpacked(raw.X.tobytes())


def matching(entries: tuple[Entry, ...], query: str) -> list[Entry]:
    """The entries whose names hold every word of a query, the nearest first.

    First comes the very name, then names made of the words, then names with words that begin so, then names that
    only contain them somewhere; within each, shorter names first and older versions before newer ones. Capital letters
    and what stands between words do not count.

    Parameters
    ----------
    entries : tuple of Entry
    query : str
        At most `MOST_WORDS` words are looked at.
    """
    words = _words(query)[:MOST_WORDS]
    ranks = {name: _rank(name, query, words) for name in {entry.name for entry in entries}} if words else {}
    found = [entry for entry in entries if ranks.get(entry.name) is not None]
    return sorted(found, key=lambda e: (ranks[e.name], len(e.name), e.name.casefold(), e.name, e.version, e.number))


def close_names(entries: tuple[Entry, ...], query: str, most: int = 4) -> list[str]:
    """Names that are spelt nearly like a query."""
    names = {entry.name.casefold(): entry.name for entry in entries}
    return [names[name] for name in difflib.get_close_matches(query.casefold()[:128], names, most)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rank(name: str, query: str, words: list[str]) -> int | None:
    """How near a name is to the words: 0 the nearest, None where one of them is missing."""
    parts = _words(name)
    joined = "".join(parts)
    if not all(word in joined for word in words):
        return None
    if name.casefold() == query.strip().casefold():
        return 0
    if all(word in parts for word in words):
        return 1
    return 2 if all(any(part.startswith(word) for part in parts) for word in words) else 3


def _fetch(home: Path) -> dict[str, np.ndarray]:
    """The list as the bytes of a JSON table, which needs a tenth of what OpenML sends."""
    table = json.dumps([astuple(entry) for entry in api.entries(list(_pages()))]).encode()
    return {"X": np.frombuffer(table, dtype=np.uint8).reshape(-1, 1)}


def _pages() -> Iterator[object]:
    """The items, a thousand at a time, up to the first page that is empty."""
    got = 0
    for _ in range(_MOST_PAGES):
        items = api.listed(f"status/active/limit/{_PAGE}/offset/{got}")
        if not items:
            break
        got += len(items)
        yield from items
    if not got:
        raise ValueError("an empty list")


@functools.lru_cache(maxsize=1)
def _unpacked(table: bytes) -> tuple[Entry, ...]:
    return tuple(Entry(*row) for row in json.loads(table))
