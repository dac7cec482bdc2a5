"""Records of what a computation maps, for the comparison of its time with what the device allows."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["Mapped", "metered", "note"]

# A feature map and the shape of the rows that it maps.
Mapped = list[tuple[Any, tuple[int, int]]]

_open: ContextVar[Mapped | None] = ContextVar("rfviz_meter", default=None)


@contextmanager
def metered() -> Generator[Mapped, None, None]:
    """Record what the calling thread maps, in the list that this yields, until the context ends."""
    mapped: Mapped = []
    token = _open.set(mapped)
    try:
        yield mapped
    finally:
        _open.reset(token)


def note(feature_map: Any, shape: tuple[int, int]) -> None:
    """Record that `feature_map` is about to map rows of this shape; costs nothing where nobody listens."""
    mapped = _open.get()
    if mapped is not None:
        mapped.append((feature_map, shape))
