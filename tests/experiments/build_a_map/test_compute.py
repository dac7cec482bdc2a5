"""Maps of one's own: their kernels, the verdict on what is a kernel, and the error that is measured."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.experiments.build_a_map.compute import DRAWS, MOST, build, cosine_transform, line_of_points
from rfviz.experiments.build_a_map.describe import explanation, verdict
from rfviz.expressions import ExpressionError
from rfviz.features import RandomReLU
from rfviz.formula import parse_formula
from rfviz.words import number

KERNELS = ["exp(-x)", "exp(-x^2/2)", "max(0, 1 - x)", "1/(1 + x^2)", "exp(-x^1.9)", "exp(-x^2/2)*cos(4*x)", "cos(2*x)",
           "1", "exp(-sqrt(x))", "3*exp(-x)"]  # fmt: skip
# Each falls from 1 to 0, and looks like one.
NO_KERNELS = [
    "step(1 - x)",
    "max(0, 1 - x^2)",
    "exp(-x^4)",
    "exp(-x^2.1)",
    "points(0, 2, 1, 0.9, 0)",
    "sigmoid(4 - 4*x)",
]


@pytest.mark.parametrize("formula", KERNELS)
def test_a_kernel_is_called_one_and_its_features_estimate_it(formula):
    built = build("kernel", formula)
    assert built.is_kernel and "It is a kernel" in verdict(built)
    if formula in ("exp(-x^2/2)", "1/(1 + x^2)", "exp(-x^1.9)"):  # nothing beyond the frequencies that are taken
        np.testing.assert_allclose(built.exact, built.wanted, atol=0.005)
    assert built.wanted[0] == 1.0


@pytest.mark.parametrize("formula", NO_KERNELS)
def test_what_is_no_kernel_is_called_none_by_a_matrix_too(formula):
    built = build("kernel", formula)
    assert not built.is_kernel and "It is no kernel" in verdict(built)
    # The proof: a matrix of the formula's values that is not positive semidefinite.
    transform, x = built.transform, np.linspace(0, 60, 1500)
    wave = np.cos(transform.where * x) * (1 - x / 60)
    values = parse_formula(formula, 0.0)(np.abs(x[:, None] - x))
    assert wave @ values @ wave < 0
    # What is shown instead is one.
    assert np.linalg.eigvalsh(built.spec.make(n_components=2).fit(x[:, None]).kernel(x[:300, None])).min() > -1e-6


def test_a_transform_that_touches_zero_is_none_below():
    tent = cosine_transform("max(0, 1 - x)")
    at = tent.frequencies > 0.1
    expected = (1 - np.cos(tent.frequencies[at])) / tent.frequencies[at] ** 2 * 2
    np.testing.assert_allclose(tent.values[at], expected, atol=5e-3)
    assert tent.values.min() > -1e-3


@pytest.mark.parametrize(
    ("what", "formula", "weights"),
    [
        ("function", "sin(3*x)", "gaussian"),
        ("function", "sin(3*x)", "two lengths"),
        ("function", "sin(3*x)", "four lengths"),
        ("pool", "median", "gaussian"),
        ("density", "exp(-x)", "gaussian"),
    ],
)
@pytest.mark.parametrize("seed", [0, pytest.param(7, marks=pytest.mark.slow)])
def test_the_measured_error_is_that_of_the_exact_variance(what, formula, weights, seed):
    built = build(what, formula, seed=seed, length=1.5, weights=weights)
    # The mean square over places is a mean of dependent ones: about as certain as a handful a draw.
    ratio = (built.errors**2).mean(axis=0) / built.predicted(built.m_grid) ** 2
    assert np.exp(np.log(ratio).mean()) == pytest.approx(1.0, abs=0.35)
    slope = np.polyfit(np.log(built.m_grid), np.log(built.errors.mean(axis=0)), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.06)


def test_the_estimate_is_that_of_the_map_which_is_exported():
    for what, formula in (("function", "relu(x)"), ("density", "exp(-x)"), ("kernel", "exp(-x)"), ("pool", "range")):
        built = build(what, formula, seed=3, length=2.0)
        X, _ = line_of_points(what, 2.0)
        features = built.spec.make(n_components=200, device="cpu").fit_transform(X)
        np.testing.assert_allclose(built.estimate(200), features @ features[0], atol=1e-4 * np.abs(built.exact).max())
    assert built.sums.shape[1] == MOST and len(built.errors) == DRAWS


def test_a_function_has_the_kernel_of_its_map_at_every_length():
    for length in (0.5, 3.0):
        built = build("function", "sqrt(2)*relu(x)", length=length)
        X, _ = line_of_points("function", length)
        np.testing.assert_allclose(built.exact, RandomReLU().fit(X).kernel(X)[0], atol=1e-6 * length**2)


@pytest.mark.parametrize(
    ("what", "formula", "why"),
    [
        ("function", "foo(x)", "foo, which is unknown"),
        ("density", "cos(x)", "must be a density"),
        ("kernel", "x", "must be positive at x = 0"),
        ("kernel", "1/x", "no finite value at x = 0"),
        ("kernel", "exp(x^2)", "must be finite for x from 0 to 400"),
    ],
)
def test_what_cannot_be_built_is_refused_in_a_sentence(what, formula, why):
    with pytest.raises((ExpressionError, ParameterError), match=why):
        build(what, formula)


def test_the_sentence_has_the_numbers_of_the_chart():
    built = build("function", "tanh(x)")
    frame = built.kernel_frame(100)
    error = np.sqrt(np.mean((frame["estimate"] - frame["kernel"]) ** 2))
    assert f"an RMS error of **{number(error, 2)}**" in explanation(built, 100) and "m = 100" in explanation(built, 100)
