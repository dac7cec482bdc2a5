"""Functions of one variable x that a user types or draws: parsed and evaluated, never run as Python."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.expressions import Expression, ExpressionError, parse_expression

__all__ = ["FUNCTIONS", "Formula", "drawn_formula", "parse_formula"]

#: What a formula may call, and what it gives.
FUNCTIONS = {
    "abs": "absolute value", "sign": "−1, 0 or 1", "step": "1 above zero, else 0", "relu": "max(0, x)",
    "min": "the smaller", "max": "the larger", "sqrt": "square root", "exp": "exponential", "log": "natural logarithm",
    "sin": "sine", "cos": "cosine", "tanh": "hyperbolic tangent", "sigmoid": "1/(1 + exp(−x))",
    "erf": "error function", "points": "points(a, b, y1, y2, …): straight lines between heights at equal steps "
    "from a to b",
}  # fmt: skip
# Where a formula must have values: beyond it, and below minus that, no standard normal number is seen.
_LAST = 12.0
_EXAMPLE = "max(0, x)"
# Digits of a drawn curve's heights.
_DIGITS = 3


@dataclass(frozen=True)
class Formula:
    """A function of one variable.

    Attributes
    ----------
    text : str
    expression : Expression
    """

    text: str
    expression: Expression

    def __call__(self, x: Any, xp: Any = np) -> Any:
        """Return the values at places `x`, an array of the namespace `xp`, in the precision of `x`."""
        with np.errstate(all="ignore"):
            values = self.expression.at(x, _functions(xp, x))
        return xp.broadcast_to(xp.asarray(values, dtype=x.dtype), x.shape)


@functools.lru_cache(maxsize=256)
def parse_formula(text: str, low: float = -_LAST) -> Formula:
    """Parse a formula.

    Parameters
    ----------
    text : str
        Such as ``"max(0, x) - 0.5"``, ``"sin(3*x) * exp(-x^2)"`` or ``"points(-3, 3, 1, 0, 1)"``; see `FUNCTIONS`.
    low : float
        The smallest x that it must have a value at; the largest is 12.

    Raises
    ------
    ExpressionError
        For a text that is none, or one without a finite value at some x in that range.
    """
    formula = Formula(text, parse_expression(text, FUNCTIONS, of_x=True, example=_EXAMPLE))
    try:
        tried = np.linspace(low, _LAST, 97)
        values = formula(tried)
    except ExpressionError:
        raise
    except (TypeError, ValueError):
        raise ExpressionError(f"“{text}” is no function of x with numbers as values.") from None
    if not np.isfinite(values).all():
        where = tried[~np.isfinite(values)][0]
        at, start = (f"{value:g}".replace("-", "−") for value in (where, low))
        raise ExpressionError(
            f"“{text}” has no finite value at x = {at}; it needs one at every x from {start} to {_LAST:g}."
        )
    return formula


def drawn_formula(low: float, high: float, heights: Any) -> str:
    """Return the formula of straight lines between heights at equal steps from `low` to `high`."""
    numbers = (low, high, *(round(float(height), _DIGITS) + 0.0 for height in heights))
    return f"points({', '.join(f'{number:g}' for number in numbers)})"


def _functions(xp: Any, x: Any) -> dict[str, Callable[..., Any]]:
    """Return `FUNCTIONS` for arrays of a namespace, at places x."""

    def points(low: float, high: float, *heights: float) -> Any:
        if not low < high:
            raise ValueError("points(a, b, …) needs a below b")
        return xp.interp(x, xp.linspace(low, high, len(heights)), xp.asarray(heights, dtype=np.float64))

    return {
        "abs": xp.abs,
        "sign": xp.sign,
        "step": lambda x: xp.where(x > 0, 1.0, 0.0),
        "relu": lambda x: xp.maximum(x, 0),
        "min": lambda *of: functools.reduce(xp.minimum, of),
        "max": lambda *of: functools.reduce(xp.maximum, of),
        "sqrt": xp.sqrt,
        "exp": xp.exp,
        "log": xp.log,
        "sin": xp.sin,
        "cos": xp.cos,
        "tanh": xp.tanh,
        "sigmoid": lambda x: 0.5 + 0.5 * xp.tanh(0.5 * x),
        "erf": _special(xp).erf,
        "points": points,
    }


def _special(xp: Any) -> Any:
    return importlib.import_module("scipy.special" if xp is np else f"{xp.__name__}x.scipy.special")
