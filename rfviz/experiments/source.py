"""Values as Python source that makes them again."""

from __future__ import annotations

import pprint
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from rfviz.features import MapSpec

__all__ = ["changed_fields", "classes_in", "source"]

_WIDTH = 100


def source(value: Any, indent: int = 0) -> str:
    """Return a value as Python source, broken over lines where it is long.

    Parameters
    ----------
    value : object
        Numbers, texts, specifications of maps (written as the maps themselves), experiments, and containers of them.
    indent : int
        Spaces before what follows the first line.
    """
    text = _in_one_line(value)
    if len(text) <= _WIDTH - indent:
        return text
    deeper = indent + 4
    named = _arguments(value)
    if named is not None:
        items = [f"{name}={source(item, deeper)}" for name, item in named.items()]
        return _lines(f"{_name(value)}(", items, ")", indent)
    if isinstance(value, Mapping):
        return _lines("{", [f"{name!r}: {source(item, deeper)}" for name, item in value.items()], "}", indent)
    if isinstance(value, (list, tuple)) and not all(isinstance(item, (int, float)) for item in value):
        opening, closing = "[]" if _is_listed(value) else "()"
        return _lines(opening, [source(item, deeper) for item in value], closing, indent)
    text = pprint.pformat(value, width=_WIDTH - indent, sort_dicts=False, compact=True)
    return text.replace("\n", "\n" + " " * indent)


def classes_in(value: Any) -> list[type]:
    """Return the classes that the source of a value names, once each: what a script has to import."""
    arguments = _arguments(value)
    named = [] if arguments is None else [value.cls if isinstance(value, MapSpec) else type(value)]
    parts = list(value) if isinstance(value, (list, tuple)) else list((arguments or {}).values())
    return list(dict.fromkeys([*named, *(cls for part in parts for cls in classes_in(part))]))


def changed_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not at their defaults, by name."""
    found = {}
    for item in fields(value):
        default = item.default_factory() if item.default_factory is not MISSING else item.default
        held = getattr(value, item.name)
        if item.init and (default is MISSING or held != default):
            found[item.name] = held
    return found


def _name(value: Any) -> str:
    return value.cls.__name__ if isinstance(value, MapSpec) else type(value).__name__


def _arguments(value: Any) -> dict[str, Any] | None:
    """Return the keyword arguments of a constructor, or None if the value has none."""
    if isinstance(value, MapSpec):
        return value.params
    return changed_fields(value) if is_dataclass(value) and not isinstance(value, type) else None


def _is_listed(value: Any) -> bool:
    """Return whether values stand in brackets: lists, and feature maps, which experiments take as lists."""
    return isinstance(value, list) or (isinstance(value, tuple) and any(isinstance(item, MapSpec) for item in value))


def _in_one_line(value: Any) -> str:
    named = _arguments(value)
    if named is not None:
        return f"{_name(value)}({', '.join(f'{name}={_in_one_line(item)}' for name, item in named.items())})"
    if _is_listed(value):
        return f"[{', '.join(map(_in_one_line, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_in_one_line, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name!r}: {_in_one_line(item)}' for name, item in value.items())}}}"
    return repr(value)


def _lines(opening: str, items: Iterable[str], closing: str, indent: int) -> str:
    margin = "\n" + " " * indent
    return opening + "".join(f"{margin}    {item}," for item in items) + margin + closing
