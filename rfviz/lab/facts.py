"""Facts: numbers that lessons quote and check, computed by the same functions as the pages'.

A lesson writes ``{{plateau(8):.2f}}`` and never the number itself. A fact takes numbers and words, returns a number,
and is computed once for the same arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from rfviz.errors import ParameterError

__all__ = ["at", "collect_facts", "fact"]

Fact = Callable[..., float]


def fact(function: Fact) -> Fact:
    """Mark a function as a fact and cache its values."""
    cached: Any = functools.lru_cache(maxsize=1024)(function)
    cached.is_fact = True
    return cached


def collect_facts(*modules: ModuleType) -> Mapping[str, Fact]:
    """Return the facts that some modules define, by name."""
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if getattr(value, "is_fact", False) and value.__module__ == module.__name__
    }


def at(values: Mapping[int, float], place: int) -> float:
    """Return the value at a number that was measured.

    Raises
    ------
    ParameterError
        For another number; it names those that were.
    """
    if place not in values:
        raise ParameterError("place", f"must be one of {', '.join(map(str, values))}", place, "Choose the nearest.")
    return values[place]
