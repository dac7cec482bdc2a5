"""The kernel of any activation against closed forms, and against the normal law of two variables."""

import numpy as np
import pytest
from scipy import sparse, special, stats

from rfviz import kernels
from rfviz.errors import DataError, ParameterError
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


@pytest.mark.parametrize(("weights", "factors"), [("two lengths", (1, 3)), ("four lengths", (1, 2, 4, 8))])
def test_weights_of_several_lengths_have_the_mean_of_their_kernels(weights, factors):
    X = np.random.default_rng(2).standard_normal((6, 3))
    lengths = np.array(factors) / np.sqrt(np.mean(np.square(factors)))
    # A wave has its kernel in closed form: E sin(s u) sin(s v) with u, v normal.
    G, n = X @ X.T, np.square(X).sum(axis=1)
    waves = [np.exp(-(s**2) * (n[:, None] + n) / 2) * np.sinh(s**2 * G) for s in lengths]
    map_ = RandomActivation(function="sin(x)", weights=weights).fit(X)
    np.testing.assert_allclose(map_.kernel(X), np.mean(waves, axis=0), atol=1e-6)
    # The mean square of the lengths is one, so that what is linear has the same kernel.
    linear = RandomActivation(function="x", weights=weights).fit(X)
    np.testing.assert_allclose(linear.kernel(X), G, atol=1e-6)


@pytest.mark.parametrize("weights", ["two lengths", "four lengths"])
def test_drawn_weights_have_these_lengths_in_equal_shares(weights):
    n = 40_000
    drawn = RandomActivation(n, weights=weights, dtype="float64").fit(np.eye(2))
    plain = RandomActivation(n, dtype="float64").fit(np.eye(2))
    lengths, counts = np.unique(np.round(drawn.weights_ / plain.weights_, 9)[:, 0], return_counts=True)
    assert len(lengths) == {"two lengths": 2, "four lengths": 4}[weights]
    share = 1 / len(lengths)
    assert np.abs(counts - n * share).max() < 5 * np.sqrt(n * share * (1 - share))
    np.testing.assert_allclose(lengths / lengths[0], {2: [1, 3], 4: [1, 2, 4, 8]}[len(lengths)], rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["gaussian", "two lengths", "four lengths"])
@pytest.mark.parametrize("function", ["tanh(3*x)", "max(-1, min(1, x))", "step(x - 1)", "sin(4*x)"])
def test_estimates_scatter_about_the_kernel_as_their_law_says(weights, function):
    """Over 40 seeds no pair of eight points is off by five standard errors; one in 10,000 tests would be by chance."""
    X, m, draws = np.random.default_rng(0).standard_normal((8, 5)), 4000, 40
    found = np.empty((draws, 8, 8))
    for seed in range(draws):
        Phi = RandomActivation(m, function=function, weights=weights, random_state=seed, dtype="float64").fit_transform(
            X
        )
        found[seed] = Phi @ Phi.T
    exact = RandomActivation(m, function=function, weights=weights).fit(X)
    error = np.sqrt(exact.product_law(X).variance(m) / draws)
    assert np.abs((found.mean(axis=0) - exact.kernel(X)) / error).max() < 5
    assert found.var(axis=0, ddof=1).sum() / exact.product_law(X).variance(m).sum() == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("weights", ["gaussian", "four lengths"])
def test_what_is_no_matrix_is_refused_in_a_sentence(weights):
    for wrong in ([["a"]], [[np.nan]], sparse.csr_matrix(np.eye(2))):
        with pytest.raises(DataError, match="X must"):
            RandomActivation(weights=weights).kernel(wrong)
    with pytest.raises(ParameterError, match="weights must be one of"):
        RandomActivation(weights="some").kernel(np.eye(2))
