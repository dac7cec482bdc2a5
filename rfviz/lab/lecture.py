"""A lecture: views of pages in a row, written down one a line.

A line is the address of a page, from the page's name on, and behind a bar what the speaker wants to say there::

    distance-saturation?pool_size=8 | Where does the curve bend?
    hashing?lesson=hashing&step=2

Text can be reordered, mailed and kept under version control without a tool of its own. Nothing of an address counts but
the page and what follows the question mark, so no line leads out of the laboratory.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from rfviz.errors import DataError

__all__ = ["MAX_NOTE", "View", "line_of", "pack", "parse_lecture", "unpack"]

#: Characters of what the speaker wants to say at a view.
MAX_NOTE = 500
_MAX_VIEWS, _MAX_LINE, _MAX_TEXT, _MAX_LINK = 60, 2_500, 100_000, 6_000
# How a page is shown, which the lecture decides.
_SHOWN_AS = frozenset({"lecture", "present", "embed"})


@dataclass(frozen=True)
class View:
    """A page with its settings, and what the speaker wants to say there.

    Attributes
    ----------
    page : str
        Its place in the address.
    query : mapping of str to str
        What follows the question mark.
    """

    page: str
    query: Mapping[str, str]
    note: str = ""


def line_of(view: View) -> str:
    """Return a view as a line of a lecture."""
    query = urlencode({**view.query}, safe=",:;", quote_via=quote)
    note = " ".join(view.note.split())
    return view.page + (f"?{query}" if query else "") + (f" | {note}" if note else "")


def parse_lecture(text: str, pages: Collection[str]) -> list[View]:
    """Return the views of a lecture; empty lines do not count.

    Parameters
    ----------
    pages : collection of str
        Those that there are.

    Raises
    ------
    DataError
        If a line is not a view, or there are too many.
    """
    if len(text) > _MAX_TEXT:
        raise DataError(f"A lecture has at most {_MAX_TEXT:,} characters, and this one has {len(text):,}.")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > _MAX_VIEWS:
        raise DataError(f"A lecture has at most {_MAX_VIEWS} views, and this one has {len(lines)}. Remove some lines.")
    return [_view(number, line, pages) for number, line in lines]


def _view(number: int, line: str, pages: Collection[str]) -> View:
    address, _, note = line.partition(" | ")
    if len(line) > _MAX_LINE or len(note) > MAX_NOTE:
        raise DataError(f"Line {number} is too long: it has at most {_MAX_LINE:,} characters, the note {MAX_NOTE}.")
    try:
        parts = urlsplit(address.strip())
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise DataError(f"Line {number} is no address of a page. Remove it, or add the view again.") from None
    page = parts.path.rstrip("/").rpartition("/")[2] or "home"
    if page not in pages:
        raise DataError(
            f"Line {number} names no page of the laboratory: “{page[:40]}”. An address begins with the "
            "page’s name, as in “hashing?pool_size=8”."
        )
    return View(page, {name: value for name, value in query.items() if name not in _SHOWN_AS}, note.strip())


def pack(text: str) -> str:
    """Return a lecture in few characters, which an address takes as they are.

    Raises
    ------
    DataError
        If these are more than browsers and mail programs pass on.
    """
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(packed) > _MAX_LINK:
        raise DataError(
            f"The link would have {len(packed):,} characters, and at most {_MAX_LINK:,} arrive. Save the "
            "lecture as a file, or shorten notes."
        )
    return packed


def unpack(packed: str) -> str:
    """Return a lecture from an address.

    Raises
    ------
    DataError
        If it is none.
    """
    try:
        data = base64.b64decode(packed[: 4 * _MAX_LINK] + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(data, 4 * _MAX_TEXT).decode()
    except (binascii.Error, zlib.error, ValueError):
        unpacker, text = zlib.decompressobj(), ""
    if not unpacker.eof:  # or more than any lecture has
        raise DataError("The lecture in this address is not complete: copy the whole link again.")
    return text
