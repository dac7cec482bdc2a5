"""Formulas: what they give, in which precision, and what they refuse."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.expressions import ExpressionError
from rfviz.features import RandomActivation
from rfviz.formula import FUNCTIONS, drawn_formula, parse_formula
from rfviz.params import Param

X = np.linspace(-3, 3, 25)
EXPECTED = {
    "max(0, x) - 0.5": np.maximum(X, 0) - 0.5,
    "sin(3*x) * exp(-x^2)": np.sin(3 * X) * np.exp(-(X**2)),
    "points(-2, 2, 1, 0, 3)": np.interp(X, [-2, 0, 2], [1, 0, 3]),
    "step(x) + sign(x) + relu(x)": (X > 0) + np.sign(X) + np.maximum(X, 0),
    "2": np.full(25, 2.0),
    "sqrt(abs(x)) + log(1 + x^2)": np.sqrt(np.abs(X)) + np.log1p(X**2),
    "sigmoid(x) + tanh(x)": 1 / (1 + np.exp(-X)) + np.tanh(X),
    "min(x, 1, -x)": np.minimum(np.minimum(X, 1), -X),
}


@pytest.mark.parametrize("text", EXPECTED)
def test_values_are_those_of_numpy_in_the_precision_of_x(text):
    np.testing.assert_allclose(parse_formula(text)(X), EXPECTED[text], rtol=0, atol=1e-14)
    single = parse_formula(text)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, EXPECTED[text], rtol=1e-5, atol=1e-6)


def test_every_function_that_is_named_can_be_called():
    for name in FUNCTIONS:
        argument = {"points": "0, 1, 2, 3", "log": "1 + x^2", "sqrt": "x^2"}.get(name, "x")
        assert np.isfinite(parse_formula(f"{name}({argument})")(X)).all()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("log(x)", "no finite value at x = −12; it needs one at every x from −12 to 12"),
        ("1/x", "no finite value at x = 0"),
        ("foo(x)", "foo, which is unknown. Known: abs"),
        ("x.real", "may not hold “x.real”"),
        ("sin(x", "“sin(x” cannot be read. Write it as in max(0, x)."),
        (
            "x**2 + unknown",
            "may not hold “unknown”: only x, numbers, known names, arithmetic and comparisons. Write it as in "
            "max(0, x).",
        ),
        ("relu(1, 2)", "cannot be worked out: relu does not take what it is given"),
        ("(0 - 1)^0.5", "no function of x"),
        ("'a'", "no function of x"),
        ("x < 1", "cannot be worked out: a comparison is not a number; step(x) is 1 above zero and 0 below"),
        ("points(1, 2)", "cannot be worked out"),
        ("", "1 to 600 characters"),
        ("x" + "+x" * 400, "1 to 600 characters"),
        ("9^9^9^9", "cannot be worked out"),
        ("'a' * 999999999999", "words are no numbers"),
        ("points(3, -3, 1, 2)", "needs a below b"),
    ],
)
def test_what_is_no_formula_is_refused_in_a_sentence(text, why):
    with pytest.raises(ExpressionError) as caught:
        parse_formula(text)
    assert why in str(caught.value)


def test_a_drawn_curve_is_a_formula_through_its_points():
    heights = np.array([0.12345, -0.0004, 2.0, -1.5])
    text = drawn_formula(-3, 3, heights)
    assert text == "points(-3, 3, 0.123, 0, 2, -1.5)"
    np.testing.assert_allclose(parse_formula(text)(np.linspace(-3, 3, 4)), heights, atol=6e-4)


def test_a_parameter_says_what_is_wrong_with_its_formula():
    param = Param("function", "x", "formula")
    assert param.validate("x^2") == "x^2"
    assert param.clamp("open('x')") == "x"
    with pytest.raises(ParameterError, match="function must be a formula in x; got 'y'") as caught:
        param.validate("y")
    assert "“y” may not hold “y”: only x, numbers," in str(caught.value)
    with pytest.raises(ParameterError, match="must be a formula in x"):
        param.validate(3)
    with pytest.raises(ParameterError, match="foo, which is unknown"):
        RandomActivation(function="foo(x)").fit(np.eye(2))
