"""The optional ``<stem>.meta.json`` next to a data file: its origin, its names, and how it is prepared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rfviz.datasets.wording import one_line

__all__ = ["Meta", "read_meta"]

_MAX_BYTES = 1_000_000
_MAX_TEXT = 240


@dataclass(frozen=True)
class Meta:
    """The content of such a file, as far as it is understood.

    Attributes
    ----------
    source, licence, note : str
        One line each; may be empty.
    class_names, feature_names : tuple of str
        Names by class code and by column; empty if there are none.
    categories : tuple of (str, tuple of str)
        Name and words of each categorical column; empty if there are none.
    preparation : mapping
        Values of :class:`~rfviz.datasets.files.preparation.Preparation` that override those that are suggested.
    table : str
        The table of a database, or the sheet of a workbook, that is read.
    """

    source: str = ""
    licence: str = ""
    note: str = ""
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    categories: tuple[tuple[str, tuple[str, ...]], ...] = ()
    preparation: Mapping[str, Any] = field(default_factory=dict, hash=False)
    table: str = ""


def read_meta(data_file: Path) -> Meta:
    """Read the file next to `data_file`. Never raises: missing or malformed entries are left empty."""
    path = data_file.with_name(data_file.stem + ".meta.json")
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return Meta()
        content = json.loads(path.read_text(encoding="utf-8"))
    # RecursionError: brackets nested beyond what the parser can follow.
    except (OSError, ValueError, RecursionError):
        return Meta()
    if not isinstance(content, dict):
        return Meta()
    full = content.get("full")
    full = full if isinstance(full, dict) else {}
    preparation = content.get("preparation")
    return Meta(
        source=_source(content.get("source")),
        licence=_line(content.get("licence", content.get("license"))),
        note=_line(content.get("subset", content.get("note"))),
        class_names=_names(full.get("classes", content.get("classes"))),
        feature_names=_names(full.get("numeric_columns", content.get("feature_names"))),
        categories=_categories(full.get("categorical_columns"), full.get("categories")),
        preparation=preparation if isinstance(preparation, dict) else {},
        table=str(content.get("table", "")),
    )


def _categories(columns: object, words: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = _names(columns)
    lists = [_names(words.get(name)) for name in names] if isinstance(words, dict) else []
    return tuple(zip(names, lists, strict=True)) if lists and all(lists) else ()


def _source(value: object) -> str:
    entries = value if isinstance(value, list) else [value]
    found = [_line(e.get("repository", e.get("url")) if isinstance(e, dict) else e) for e in entries[:3]]
    return " and ".join(dict.fromkeys(f for f in found if f))


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, (str, int, float)) for v in value):
        return ()
    return tuple(_line(str(v)) for v in value)


def _line(value: object) -> str:
    return one_line(value, _MAX_TEXT).rstrip(".") if isinstance(value, str) else ""
