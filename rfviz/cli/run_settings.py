"""The settings that ``rfviz run`` is given: a page's name, a preset of it, a file, or an address."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfviz.errors import DataError, ParameterError

__all__ = ["read_settings"]

_MOST_BYTES = 1_000_000


def read_settings(text: str, figure: str | None) -> tuple[str, Mapping[str, Any]]:
    """Return the slug of the page, and the values that are given for it.

    Parameters
    ----------
    text : str
        A page's slug, alone or with settings (``hashing?data=moons``), the address of a page, or the path of a file
        that Share has given.
    figure : str or None
        With a slug: the label of one of its presets.

    Raises
    ------
    DataError, ParameterError
        If it is none of these.
    """
    from rfviz.lab.index import PAGES
    from rfviz.lab.preset import read_preset

    pages = {page.slug: page for page in PAGES}
    if text in pages:
        presets = pages[text].load().presets
        if figure is None:
            return text, {}
        if figure not in presets:
            labels = ", ".join(map(repr, presets)) or "none"
            raise ParameterError("--figure", f"must be a preset of {text}", figure, f"Known: {labels}.")
        return text, presets[figure][1]
    known, slug = ", ".join(pages), text.partition("?")[0]
    is_address = text.startswith(("http://", "https://"))
    nearest = [] if is_address or slug in pages else difflib.get_close_matches(slug, pages, 1)
    if nearest:
        raise DataError(f"There is no page {slug}. Did you mean {nearest[0]}? Known: {known}.")
    if figure is not None:
        raise ParameterError("--figure", "must come with a page's name", text, f"Pages: {known}.")
    if is_address or slug in pages:
        return read_preset(text if is_address else f"http://localhost/{text}")
    try:
        return read_preset(_content(Path(text)))
    except DataError as error:
        raise DataError(f"{text}: {error}") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(f"{text} cannot be read ({reason}). A preset is a JSON file or one of: {known}.") from None


def _content(path: Path) -> str:
    """Return the text of a file of settings."""
    if path.stat().st_size > _MOST_BYTES:
        raise DataError(f"A preset is never larger than {_MOST_BYTES // 10**6} MB.")
    return path.read_text(encoding="utf-8")
