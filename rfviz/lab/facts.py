"""Facts: numbers that lessons quote and check, computed by the same functions as the pages'.

A lesson writes ``{{distance_saturation.plateau(8):.2f}}`` and never the number itself. A fact takes numbers and words,
returns a number, and is computed once for the same arguments.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rfviz.cache import Cache, Store
from rfviz.errors import ParameterError

__all__ = ["CACHE", "FACTS", "at", "fact"]

#: Of the experiments that facts run, which share parts with each other and with the charts of a site's lessons.
CACHE = Cache(Store())

Fact = Callable[..., float]
K = TypeVar("K")
V = TypeVar("V")


def fact(function: Fact) -> Fact:
    """Cache the values of a function that lessons can quote."""
    return functools.lru_cache(maxsize=1024)(function)


class _Facts(Mapping[str, Fact]):
    """The functions marked by :func:`fact`, by the page's folder and their name; imported when one is asked for.

    The names are read from the source: an import would bring all that a page computes with.
    """

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        sources = {path.parent.name: path.read_text("utf-8") for path in Path(__file__).parent.glob("*/facts.py")}
        found = {folder: re.findall(r"^@fact\ndef (\w+)", source, re.MULTILINE) for folder, source in sources.items()}
        return tuple(f"{folder}.{name}" for folder, names in sorted(found.items()) for name in names)

    def __getitem__(self, name: str) -> Fact:
        if name not in self._names:
            raise KeyError(name)
        folder, _, function = name.partition(".")
        return getattr(importlib.import_module(f"rfviz.lab.{folder}.facts"), function)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


#: What lessons can quote: ``FACTS["hashing.code_error"]``.
FACTS: Mapping[str, Fact] = _Facts()


def at(values: Mapping[K, V], key: K, name: str) -> V:
    """Return the value at a number that was measured, or a word that is known.

    Parameters
    ----------
    name : str
        What the fact calls the number or word.

    Raises
    ------
    ParameterError
        For another one; it names those that there are.
    """
    if key not in values:
        remedy = "Choose one of these." if isinstance(key, str) else "Choose the nearest."
        raise ParameterError(name, f"must be one of {', '.join(map(str, values))}", key, remedy)
    return values[key]
