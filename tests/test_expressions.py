"""Expressions: what they may say, and that nothing else can be said."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rfviz.errors import ParameterError
from rfviz.expressions import ExpressionError, parse_expression

FACTS = {"f": lambda x, y=0: x + y, "word": len, "page.f": lambda x: 10 * x}


def value(text):
    return parse_expression(text, FACTS).evaluate(FACTS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("-f(2)", -2),
        ("2 ** 3 ** 2 + 2 ^ 2", 516),
        ("f(1, f(2, 3))", 6),
        ("page.f(f(1)) - f(1)", 9),
        ("word('abc')", 3),
        ("1 < f(2) <= 2", True),
        ("1 < f(2) < 2", False),
        ("f(1) == 1 and not f(0) or f(3) != 3", True),
        ("f(0) > 1 or f(2) >= 2", True),
        ("round(abs(-2.345), 1) + min(1, 2) + max(1, 2)", 5.3),
    ],
)
def test_values(text, expected):
    assert value(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "f.__class__",
        "(lambda: 1)()",
        "[x for x in (1,)]",
        "f(x=1)",
        "f",
        "open('x')",
        "f ** 9",
        "'a' if 1 else 'b'",
        "f'{1}'",
        "[1, 2]",
        "{}",
        "1 if 1 else 2",
        "x := 1",
        "f(*[1])",
        "None.real",
        "f(1)[0]",
        "f.f(1)",
        "page.g(1)",
        "page.f",
        "page.f.f(1)",
        "f(1).f(1)",
        "1 in (1,)",
        "1; 2",
        "",
        "(",
        "1" * 700,
        "(" * 200 + ")" * 200,
        "b'x'",
        "1j",
    ],
)
def test_nothing_else_can_be_said(text):
    with pytest.raises(ExpressionError):
        parse_expression(text, FACTS)


@pytest.mark.parametrize(
    "text", ["f('a')", "1 / f(0)", "'a' * 999999999999", "9 ** 9 ** 9", "word(3)", "f(1, 2, 3)", "f(1) < 'a'"]
)
def test_what_cannot_be_worked_out_is_one_sentence(text):
    with pytest.raises(ExpressionError, match="cannot be worked out"):
        value(text)


def test_errors_of_facts_are_their_own():
    def refuse(x):
        raise ParameterError("x", "must be known", x)

    with pytest.raises(ParameterError, match="must be known"):
        parse_expression("refuse(1)", {"refuse"}).evaluate({"refuse": refuse})


def test_threads_that_read_at_once_do_not_meet():
    """In Python 3.11 two trees must not be made at once, and a collection of garbage lets other threads in."""
    text = "(" * 12 + "x" + " + 1)" * 12
    before, let_others_in = gc.get_threshold(), lambda *_: time.sleep(0.0002)
    gc.callbacks.append(let_others_in)
    gc.set_threshold(20, 10_000, 10_000)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: parse_expression(text, (), of_x=True).at(1.0, {}), range(60)))
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(let_others_in)
    assert found == [13.0] * 60
