"""Numbers in sentences: one way to write each, with as many digits as it needs and no letters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsFloat

from rfviz.datasets.wording import counted

__all__ = ["counted", "join", "number", "per_cent", "seconds", "shown", "times"]

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Beyond these a row of noughts is harder to read than a power of ten.
_LARGE, _SMALL = 7, -4


def number(value: SupportsFloat, digits: int = 3) -> str:
    """Write a number with this many significant digits: ``0.0543``, ``76,300``, ``1.20·10⁷``, ``−0.970``, ``∞``."""
    value = float(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value) or value == 0:
        return "0" if value == 0 else "∞" if value > 0 else "−∞"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if _SMALL <= power < _LARGE:
        text = f"{float(f'{mantissa}e{power}'):,.{max(digits - 1 - power, 0)}f}"
    else:
        text = f"{mantissa}·10{str(power).translate(_SUPERSCRIPTS)}"
    return text.replace("-", "−")


def per_cent(share: SupportsFloat, digits: int = 3) -> str:
    """Write a share in per cent: ``0.891%``, ``37.2%``, ``99.97%``; ``100%`` only for the whole."""
    percent = 100.0 * float(share)
    rest = 100.0 - percent
    if 0 < rest < 50 and percent > 0:
        # At least one digit of the rest to 100%.
        places = max(digits - 2, -math.floor(math.log10(rest) + 1e-6))
        return f"{percent:.{places}f}%"
    return f"{number(percent, digits) if rest else '100'}%"


def seconds(value: float) -> str:
    """Write a duration: ``12 ms``, ``1.3 s``, ``230 s``."""
    return f"{number(1000 * value, 2)} ms" if value < 0.0995 else f"{number(value, 2 if value < 99.5 else 3)} s"


def times(ratio: float) -> str:
    """Write how many times larger something is: ``1.02``, ``4.6``, ``480``."""
    return number(ratio, 3 if 0.95 < ratio < 1.095 else 2)


def join(parts: Sequence[str], word: str = "and") -> str:
    """Join words as a sentence does: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def shown(value: Any) -> str:
    """Format a number as people write it: 20,000, 0.05 without padding; leave words as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
