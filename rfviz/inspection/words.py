"""Numbers and columns in the sentences of findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rfviz.words import join

__all__ = ["plural", "quoted", "r_squared", "sentences", "share", "some_of"]

# More columns than these are counted, not named.
_NAMED = 3


def plural(n: int, one: str, many: str) -> str:
    """Return the word that suits a number of things: ``plural(1, "has", "have")`` is ``"has"``."""
    return one if n == 1 else many


def quoted(names: Iterable[str]) -> str:
    """Return names in a sentence: ``“a”, “b” and “c”``."""
    return join([f"“{name}”" for name in names])


def some_of(n: int, which: Collection[str], what: str = "columns") -> str:
    """Return names where they are few, and else how many of all `n` they are."""
    return f"{len(which):,} of {n:,} {what}" if len(which) > _NAMED else quoted(which)


def sentences(parts: Iterable[str]) -> str:
    """Join parts to sentences."""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def r_squared(score: float, digits: int = 3) -> str:
    """Write a coefficient of determination: ``R² 0.812``."""
    return f"R² {round(score, digits) + 0.0:.{digits}f}".replace("-", "−")  # never −0


def share(value: float) -> str:
    """Write a share in per cent, with a digit after the point where that is needed: 0.3%, 37%, 99.6%.

    A share above 0 is never written as 0%, nor one below 1 as 100%.
    """
    percent = 100.0 * float(value)
    if 0 < percent < 0.05:
        return "less than 0.1%"
    if 99.95 <= percent < 100:
        return "more than 99.9%"
    digits = 1 if 0 < percent < 9.95 or (90.5 < percent < 100 and round(percent, 1) != round(percent)) else 0
    return f"{percent:.{digits}f}%"
