"""The kernel of any activation against closed forms, and against the normal law of two variables."""

import numpy as np
import pytest
from scipy import special, stats

from rfviz import kernels
from rfviz.features import RandomActivation, RandomReLU, SigmoidalRidge

RHO = np.concatenate([np.linspace(-1, 1, 201), 1 - np.logspace(-7, -2, 20)])
ANGLE = np.arccos(RHO)


def relu(x):
    return np.maximum(x, 0)


CLOSED = {
    "x": (lambda x: x, RHO),
    "x³": (lambda x: x**3, 9 * RHO + 6 * RHO**3),
    "relu": (relu, (np.sin(ANGLE) + (np.pi - ANGLE) * RHO) / (2 * np.pi)),
    "step": (lambda x: (x > 0) * 1.0, (1 - ANGLE / np.pi) / 2),
    "sign": (np.sign, 2 / np.pi * np.arcsin(RHO)),
    "abs": (np.abs, 2 / np.pi * (np.sqrt(1 - RHO**2) + RHO * np.arcsin(RHO))),
    "sin": (lambda x: np.sin(2 * x), np.exp(-4) * np.sinh(4 * RHO)),
    "cos": (lambda x: np.cos(3 * x), np.exp(-9) * np.cosh(9 * RHO)),
    "erf": (special.erf, 2 / np.pi * np.arcsin(2 * RHO / 3)),
    "exp": (np.exp, np.exp(1 + RHO)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms(name):
    f, expected = CLOSED[name]
    np.testing.assert_allclose(kernels.activation_rho(RHO, f), expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("rho", [-0.9, 0.0, 0.5, 0.9, 0.99, 0.999])
def test_a_jump_off_the_origin(rho):
    exact = stats.multivariate_normal.cdf([-0.7, -0.7], cov=[[1, rho], [rho, 1]])
    assert kernels.activation_rho(rho, lambda x: (x > 0.7) * 1.0) == pytest.approx(exact, abs=5e-4)


def test_two_functions():
    # E max(0, u) v³ is half of E u v³ = 3ρ; of an even and an odd function it is 0.
    np.testing.assert_allclose(kernels.activation_rho(RHO, relu, lambda x: x**3), 1.5 * RHO, atol=1e-6)
    np.testing.assert_allclose(kernels.activation_rho(RHO, np.abs, np.sign), 0.0, atol=1e-12)


def test_rows_of_any_length_have_the_kernels_of_the_maps_that_are_there():
    X = np.random.default_rng(0).standard_normal((30, 5)) * np.geomspace(0.05, 20, 30)[:, None]
    own = RandomActivation(function="sqrt(2) * relu(x)").fit(X).kernel(X)
    scale = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(own / np.outer(scale, scale), RandomReLU().fit(X).kernel(X) / np.outer(scale, scale),
                               atol=1e-6)  # fmt: skip
    for name in ("erf", "tanh"):
        step = SigmoidalRidge(activation=name, bias=False).fit(X).kernel(X)
        np.testing.assert_allclose(RandomActivation(function=f"{name}(x)").fit(X).kernel(X), step, atol=2e-5)


def test_two_sets_are_parts_of_one():
    X = np.random.default_rng(1).standard_normal((9, 4))
    whole = kernels.activation(X, None, np.tanh)
    np.testing.assert_allclose(kernels.activation(X[:4], X[2:], np.tanh), whole[:4, 2:], rtol=0, atol=1e-12)
    assert np.array_equal(whole, whole.T)
