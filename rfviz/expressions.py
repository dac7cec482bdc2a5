"""Short expressions in text files and addresses: numbers, words, arithmetic, comparisons, calls of named functions.

They are read as Python is, but by a walk over the few forms named here; nothing else can be said, so that a text from
anywhere can be read without running what is in it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rfviz._lazy import PARSING
from rfviz.errors import RfvizError

__all__ = ["Expression", "ExpressionError", "parse_expression"]


def _power(base: Any, exponent: Any) -> Any:
    # Of floating-point numbers, which overflow, where Python's integers would fill the memory.
    return base ** (exponent if hasattr(exponent, "shape") else float(exponent))


_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: _power,
}  # fmt: skip
_COMPARED: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_BUILT_IN: dict[str, Callable[..., Any]] = {"abs": abs, "round": round, "min": min, "max": max}
_LONGEST = 600
#: The only variable: a place on the horizontal axis of a chart, or many.
X = "x"


class ExpressionError(RfvizError, ValueError):
    """A text that is not an expression, or one that cannot be evaluated."""


@dataclass(frozen=True)
class Expression:
    """A text that has been read.

    Attributes
    ----------
    text : str
    tree : ast.expr
    """

    text: str
    tree: ast.expr = field(compare=False)

    def evaluate(self, functions: Mapping[str, Callable[..., Any]]) -> Any:
        """Return the value.

        Parameters
        ----------
        functions : mapping of str to callable
            What it may call, in addition to abs, round, min and max.

        Raises
        ------
        ExpressionError
            Where a function does not take what it is given, or the arithmetic has no answer.
        """
        return self._worked_out(functions, None)

    def at(self, x: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
        """Return the value at a place x, or at the places of an array; otherwise as :meth:`evaluate`."""
        return self._worked_out(functions, x)

    def _worked_out(self, functions: Mapping[str, Callable[..., Any]], x: Any) -> Any:
        try:
            return _value(self.tree, functions, x)
        except RfvizError:
            raise
        except (TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
            raise ExpressionError(f"“{self.text}” cannot be worked out: {error}.") from None


def parse_expression(
    text: str, names: Collection[str], of_x: bool = False, example: str = "guarantees.risk_bound(10) > 5"
) -> Expression:
    """Read an expression.

    Parameters
    ----------
    text : str
        Such as ``"f(32) < 0.5 * f(8)"``; the name of a function may have two parts, ``page.f``.
    names : collection of str
        The functions that it may call.
    of_x : bool
        Whether it may hold the variable x; see :meth:`Expression.at`.
    example : str
        One that is right, for a user whose own is not.

    Raises
    ------
    ExpressionError
        For anything but numbers, words in quotes, + − * / ^, comparisons, ``and``, ``or``, ``not`` and calls of these
        functions.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise ExpressionError(f"An expression must have 1 to {_LONGEST} characters; this one has {len(text)}.")
    try:
        with PARSING:
            tree = ast.parse(text.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"“{text}” cannot be read. Write it as in {example}.") from None
    try:
        _check(tree, text, {*names, *_BUILT_IN}, of_x, example)
    except RecursionError:
        raise ExpressionError("An expression must have fewer parts within parts than this one.") from None
    return Expression(text, tree)


def _check(node: ast.expr, text: str, names: Collection[str], of_x: bool, example: str) -> None:
    """Refuse whatever is not among the few forms."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return
    if of_x and isinstance(node, ast.Name) and node.id == X:
        return
    parts: list[ast.expr] = []
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            parts = [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            parts = [operand]
        case ast.BoolOp(values=values):
            parts = values
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARED for op in ops):
            parts = [left, *others]
        case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name()) as func, args=args, keywords=[]):
            if (name := ast.unparse(func)) not in names:
                # Until 2026-11-28 lessons wrote the facts of a page without the page.
                longer = " or ".join(sorted(known for known in names if known.endswith(f".{name}")))
                remedy = f"Write {longer}." if longer else f"Known: {', '.join(sorted(names))}."
                raise ExpressionError(f"“{text}” calls {name}, which is unknown. {remedy}")
            parts = args
        case _:
            forms = f"{'x, ' if of_x else ''}numbers, known names, arithmetic and comparisons"
            said = f"“{text}” may not hold “{ast.unparse(node)}”: only {forms}."
            raise ExpressionError(f"{said} Write it as in {example}.")
    for part in parts:
        _check(part, text, names, of_x, example)


def _calculated(op: ast.operator, one: Any, other: Any) -> Any:
    if isinstance(one, str) or isinstance(other, str):
        raise TypeError("words are no numbers")  # and a word times a large number fills the memory
    return _ARITHMETIC[type(op)](one, other)


def _compared(ops: Sequence[ast.cmpop], values: Sequence[Any]) -> bool:
    if any(hasattr(value, "shape") for value in values):
        raise TypeError("a comparison is not a number; step(x) is 1 above zero and 0 below")
    return all(_COMPARED[type(op)](a, b) for op, a, b in zip(ops, values, values[1:], strict=False))


def _called(name: str, function: Callable[..., Any], given: Sequence[Any]) -> Any:
    try:
        return function(*given)
    except TypeError:  # whose own text speaks of Python
        raise TypeError(f"{name} does not take what it is given") from None


def _value(node: ast.expr, functions: Mapping[str, Callable[..., Any]], x: Any) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name():
            return x
        case ast.BinOp(left=left, op=op, right=right):
            return _calculated(op, _value(left, functions, x), _value(right, functions, x))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, functions, x)
        case ast.UnaryOp(operand=operand):
            return not _value(operand, functions, x)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, functions, x) for value in values)
        case ast.BoolOp(values=values):
            return any(_value(value, functions, x) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(part, functions, x) for part in (left, *others)]
            return _compared(ops, values)
        case ast.Call(func=func, args=args):
            name = func.id if isinstance(func, ast.Name) else ast.unparse(func)
            function = functions[name] if name in functions else _BUILT_IN[name]
            return _called(name, function, [_value(arg, functions, x) for arg in args])
        case _:
            raise ExpressionError(f"“{ast.unparse(node)}” has no value.")
