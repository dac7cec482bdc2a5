"""The kernel of any activation against closed forms, and against the normal law of two variables."""

import numpy as np
import pytest
from scipy import special, stats

from rfviz import kernels
from rfviz.errors import DataError, MemoryBudgetError, ParameterError, PrecisionWarning, SlowKernelError
from rfviz.features import RandomActivation, RandomReLU, SigmoidalRidge
from tests.kernels.brute_force import bivariate_cdf, gauss

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
    accuracy = 3e-5 if name in ("step", "sign") else 1e-8
    np.testing.assert_allclose(kernels.activation_rho(RHO, f), expected, rtol=0, atol=accuracy * np.abs(expected).max())


@pytest.mark.parametrize("rho", [-0.9, 0.0, 0.5, 0.9, 0.99, 0.999])
def test_a_jump_off_the_origin(rho):
    exact = stats.multivariate_normal.cdf([-0.7, -0.7], cov=[[1, rho], [rho, 1]])
    assert kernels.activation_rho(rho, lambda x: (x > 0.7) * 1.0) == pytest.approx(exact, abs=1e-6)


# --- rows of every length ---------------------------------------------------------------------------------------------

# Of f(⟨w, x⟩) f(⟨w, z⟩) for norms r, s at an angle θ, where ‖x ∓ z‖² = (r − s)² + 4rs sin²(θ/2) or cos².
ANGLES = np.concatenate([[0.0], np.geomspace(3e-3, 1.5, 12), np.pi - np.geomspace(3e-3, 1.5, 5)])
MORE = np.concatenate([ANGLES, np.geomspace(1e-7, 2e-3, 12), np.pi - np.geomspace(1e-5, 1e-3, 3)])


def squares(r, s, theta):
    return (r - s) ** 2 + 4 * r * s * np.sin(theta / 2) ** 2, (r - s) ** 2 + 4 * r * s * np.cos(theta / 2) ** 2


def above(level):
    """Return the kernel of a step at a level: the law of two normal variables, by Plackett's identity."""

    def exact(r, s, theta):
        found = np.empty_like(theta)
        for number, angle in enumerate(theta):
            both = np.array([-level / r]), np.array([-level / s])
            found[number] = bivariate_cdf(angle, *both)[0] if angle else special.ndtr(-level / min(r, s))
        return found

    return exact


LONG = {
    "sin": (np.sin, lambda r, s, t: 0.5 * np.exp(-squares(r, s, t)[0] / 2) - 0.5 * np.exp(-squares(r, s, t)[1] / 2)),
    "bell": (
        lambda x: np.exp(-x * x),
        lambda r, s, t: 1 / np.sqrt(1 + 2 * r * r + 2 * s * s + (2 * r * s * np.sin(t)) ** 2),
    ),
    "erf": (
        special.erf,
        lambda r, s, t: 2 / np.pi * np.arcsin(2 * r * s * np.cos(t) / np.sqrt((1 + 2 * r * r) * (1 + 2 * s * s))),
    ),
    "relu": (relu, lambda r, s, t: r * s * (np.sin(t) + (np.pi - t) * np.cos(t)) / (2 * np.pi)),
    "step": (lambda x: (x > 0) * 1.0, lambda r, s, t: 0.5 - t / (2 * np.pi)),
    "step off the origin": (lambda x: (x > 1) * 1.0, above(1.0)),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize(
    ("norms", "angles"),
    [
        pytest.param((28, 28, 27.9), ANGLES, id="28"),
        *(
            pytest.param(norms, MORE, id=str(norms[0]), marks=pytest.mark.slow)
            for norms in ((5, 5, 4.9), (28.1, 28.1, 28), (100, 99, 20), (1000, 1000, 950))
        ),
    ],
)
def test_rows_of_every_length_at_every_angle(name, norms, angles):
    f, exact = LONG[name]
    r, *others = map(float, norms)
    for s in others:
        rows = s * np.column_stack([np.cos(angles), np.sin(angles)])
        size = np.sqrt(exact(r, r, angles[:1]) * exact(s, s, angles[:1]))
        accuracy = 5e-5 if name.startswith("step") else 2e-6
        found = kernels.activation(np.array([[r, 0.0]]), rows, f=f)[0]
        np.testing.assert_allclose(found, exact(r, s, angles), rtol=0, atol=accuracy * size.item())


@pytest.mark.parametrize("name", ["hard tanh", "tanh(3x)"])
@pytest.mark.parametrize(("r", "s"), [(5.5, 5.5), (28.0, 28.0), (28.0, 27.0), (100.0, 95.0)])
def test_bends_by_hoeffdings_formula(name, r, s):
    # Cov(f(a), f(b)) = ∬ f'(t) f'(v) [P(a ≤ t, b ≤ v) − P(a ≤ t) P(b ≤ v)] dt dv, with f odd.
    f, end = (lambda x: np.clip(x, -1, 1), 1.0) if name == "hard tanh" else (lambda x: np.tanh(3 * x), 4.0)
    t, weights = gauss(-end, end, 120)
    weights = weights if name == "hard tanh" else 3 * weights / np.cosh(3 * t) ** 2
    angles = np.array([0.01, 0.045, 0.1, 0.3, 0.7, 1.3, 2.9])
    rows = s * np.column_stack([np.cos(angles), np.sin(angles)])
    found = kernels.activation(np.array([[r, 0.0]]), rows, f=f)[0]
    for angle, value in zip(angles, found, strict=True):
        joint = bivariate_cdf(angle, t[:, None] / r, t[None, :] / s)
        apart = special.ndtr(t[:, None] / r) * special.ndtr(t[None, :] / s)
        assert value == pytest.approx(weights @ (joint - apart) @ weights, abs=2e-6)


def test_rows_of_very_different_lengths_and_none():
    X = np.array([[0.0, 0.0], [1e-200, 0.0], [1e-3, 1e-3], [0.0, 40.0], [3.0, 4.0], [0.0, 0.0]])
    apart, along = (np.square(X[:, None] + sign * X).sum(axis=2) for sign in (-1, 1))
    expected = 0.5 * np.exp(-apart / 2) + 0.5 * np.exp(-along / 2)
    np.testing.assert_allclose(kernels.activation(X, f=np.cos), expected, rtol=0, atol=1e-9)


def test_a_function_that_grows_fast_is_right_or_refused():
    lengths = np.array([[1.0], [3.0], [5.0], [7.9]])
    expected = np.exp((lengths + lengths.T) ** 2 / 2)  # E exp(⟨w, x⟩ + ⟨w, z⟩)
    K = kernels.activation(lengths, f=np.exp)
    # Of lengths 1 and 7.9 it is 10⁻¹¹ of the root of both diagonals, so that rounding leaves six digits of it.
    np.testing.assert_allclose(K, expected, rtol=1e-5)
    with pytest.raises(DataError, match=r"must have finite values.* Scale the rows down"):
        kernels.activation(np.array([[30.0]]), f=np.exp)
    with pytest.raises(DataError, match=r"grows so fast .* row of norm 1\.99 lies beyond 40 .* Scale the rows down"):
        kernels.activation(np.array([[1.99]]), f=lambda x: np.exp(8.6 * np.abs(x)))


@pytest.mark.slow
def test_a_function_that_cannot_be_followed_is_warned_of():
    X = 1000.0 * np.array([[1.0, 0.0], [np.cos(1e-4), np.sin(1e-4)]])
    with pytest.warns(PrecisionWarning, match=r"rows of norm 1e\+03.*within 0\.04° of each other is not exact"):
        kernels.activation(X, f=lambda x: np.sin(10 * x))
    kernels.activation(X, f=lambda x: np.sign(x - 1))  # a jump is followed


def test_many_rows_ask_the_function_no_more_and_for_a_memory_that_is_looked_at_first(monkeypatch):
    X, asked = np.random.default_rng(0).standard_normal((1500, 60)), []

    def clip(x):
        asked[-1] += np.size(x)
        return np.clip(x, -1, 1)

    for n in (200, 1500):
        asked.append(0)
        kernels.activation(X[:n], f=clip)
    assert asked[1] < 1.01 * asked[0]  # 56 times as many pairs
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.01")
    with pytest.raises(MemoryBudgetError, match=r"kernel matrix of 1,?500 × 1,?500"):
        kernels.activation(X, f=np.tanh)


@pytest.mark.slow
def test_too_many_rows_of_nearly_one_direction_are_refused(monkeypatch):
    monkeypatch.setattr("rfviz.kernels._narrow_angles._MOST_WORK", 1e7)
    X = np.random.default_rng(0).standard_normal((60, 3)) + 1000
    with pytest.raises(SlowKernelError, match=r"fewer rows of nearly the same direction .*Centre the columns"):
        kernels.activation(X, f=np.sign)


# --- other rules ------------------------------------------------------------------------------------------------------


def test_two_functions():
    # E max(0, u) v³ is half of E u v³ = 3ρ; of an even and an odd function it is 0.
    np.testing.assert_allclose(kernels.activation_rho(RHO, relu, lambda x: x**3), 1.5 * RHO, atol=1e-6)
    np.testing.assert_allclose(kernels.activation_rho(RHO, np.abs, np.sign), 0.0, atol=1e-9)


@pytest.mark.slow
def test_rows_of_any_length_have_the_kernels_of_the_maps_that_are_there():
    X = np.random.default_rng(0).standard_normal((30, 5)) * np.geomspace(0.05, 20, 30)[:, None]
    own = RandomActivation(function="sqrt(2) * relu(x)").fit(X).kernel(X)
    scale = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(
        own / np.outer(scale, scale), RandomReLU().fit(X).kernel(X) / np.outer(scale, scale), atol=1e-8
    )
    for name in ("erf", "tanh"):
        step = SigmoidalRidge(activation=name, bias=False).fit(X).kernel(X)
        np.testing.assert_allclose(RandomActivation(function=f"{name}(x)").fit(X).kernel(X), step, atol=2e-9)


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
    np.testing.assert_allclose(map_.kernel(X), np.mean(waves, axis=0), atol=1e-9)
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
    for wrong in ([["a"]], [[np.nan]], np.ones(2)):
        with pytest.raises(DataError, match="X must"):
            RandomActivation(weights=weights).kernel(wrong)
    with pytest.raises(ParameterError, match="weights must be one of"):
        RandomActivation(weights="some").kernel(np.eye(2))
