"""The names under which lessons quote and check what the analyses work out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rfviz.errors import ParameterError

__all__ = ["FACTS", "at", "fact"]

_FACTS: dict[str, Callable[..., float]] = {}
#: Every fact by its name.
FACTS: Mapping[str, Callable[..., float]] = MappingProxyType(_FACTS)


def fact(function: Callable[..., float]) -> Callable[..., float]:
    """Add a function to the facts; it is worked out once for the same arguments."""

    @functools.lru_cache(maxsize=1024)
    @functools.wraps(function)
    def known(*arguments: float | str) -> float:
        return function(*arguments)

    _FACTS[function.__name__] = known
    return known


def at(values: Mapping[int, float], place: int) -> float:
    """The value at a number that was measured.

    Raises
    ------
    ParameterError
        For another number; it names those that were.
    """
    if place not in values:
        raise ParameterError("place", f"must be one of {', '.join(map(str, values))}", place, "Choose the nearest.")
    return values[place]
