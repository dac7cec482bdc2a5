"""The limit on the memory that loading a data set may take, checked before anything is allocated."""

from __future__ import annotations

import os

from rfviz.errors import MemoryBudgetError

__all__ = ["check", "memory_limit", "set_memory_limit", "size_text"]

_DEFAULT_GB = 2.0
_VARIABLE = "RFVIZ_DATA_LIMIT_GB"
_chosen: int | None = None


def memory_limit() -> int:
    """Return the limit in bytes: as set, else ``RFVIZ_DATA_LIMIT_GB`` (in GB of 1e9), else 2 GB."""
    if _chosen is not None:
        return _chosen
    try:
        gigabytes = float(os.environ.get(_VARIABLE, _DEFAULT_GB))
    except ValueError:
        gigabytes = _DEFAULT_GB
    # A limit of zero, nan or less would refuse every data set.
    return int(1e9 * (gigabytes if 0 < gigabytes < float("inf") else _DEFAULT_GB))


def set_memory_limit(n_bytes: int | None) -> None:
    """Set the limit in bytes; None goes back to ``RFVIZ_DATA_LIMIT_GB`` or 2 GB."""
    global _chosen
    _chosen = None if n_bytes is None else int(n_bytes)


def check(n_bytes: int, what: str, remedy: str) -> None:
    """Raise an error for data that would not fit.

    Raises
    ------
    MemoryBudgetError
        If `n_bytes` is above :func:`memory_limit`: with the size, the limit and the `remedy` (a verb phrase).
    """
    if n_bytes > memory_limit():
        raise MemoryBudgetError(
            f"{what} needs about {size_text(n_bytes)} of memory; the limit is {size_text(memory_limit())}. "
            f"{remedy}, or raise the limit ({_VARIABLE} or rfviz.datasets.set_memory_limit)."
        )


def size_text(n_bytes: int) -> str:
    """Return a size as text: ``"11.5 MB"`` (decimal units)."""
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    for unit, size in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if n_bytes < 999.95 * size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes / 1e12:,.1f} TB"
