"""Every kernel, and every moment of a random estimate, against its definition by NumPy, SciPy and scikit-learn.

Simulated values may err by four standard errors, which one value in 16,000 does; the seeds are fixed.
"""

import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats
from scipy.optimize import brentq
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import cosine_similarity, laplacian_kernel, linear_kernel, rbf_kernel

from rfviz import kernels
from rfviz.skeleton import flat
from tests import oracles
from tests.kernels.brute_force import expectations, same_argmax

pytestmark = pytest.mark.slow

# Names that are neither kernels nor moments.
OTHERS = {"ORDER_RULES", "SIGMOIDS"}
COVERED = set()
X = np.random.default_rng(0).standard_normal((4, 3)) * np.array([[0.5, 1.0, 2.0, 1.5]]).T
Z = np.random.default_rng(1).standard_normal((3, 3))
RHOS = (-0.8, 0.1, 0.6, 0.97)
THETAS = np.arccos(RHOS)
DISTANCES = 2.0 * np.sin(THETAS / 2.0)


def oracle_of(*names):
    def add(test):
        COVERED.update(names)
        return test

    return add


def pairwise(function, A=X, B=Z):
    return np.array([[function(a, b) for b in B] for a in A])


def agree(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def within(found, samples):
    """Assert that a value lies within four standard errors of the mean of independent samples."""
    error = samples.std() / np.sqrt(len(samples))
    assert abs(found - samples.mean()) < 4.0 * error


def test_every_kernel_has_an_oracle():
    assert set(kernels.__all__) - OTHERS == COVERED


# --- kernels of rows --------------------------------------------------------------------------------------------------


@oracle_of("linear", "gaussian", "laplacian", "pairwise_cosines")
def test_scikit_learns():
    agree(kernels.linear(X, Z), linear_kernel(X, Z))
    agree(kernels.gaussian(X, Z, gamma=0.3), rbf_kernel(X, Z, gamma=0.3))
    agree(kernels.laplacian(X, Z, gamma=0.3), laplacian_kernel(X, Z, gamma=0.3))
    _, found, norms_X, norms_Z = kernels.pairwise_cosines(X, Z)
    agree(found, cosine_similarity(X, Z))
    agree(norms_X, np.linalg.norm(X, axis=1))
    agree(norms_Z, np.linalg.norm(Z, axis=1))


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.5, 2.5, 7.0])
@oracle_of("matern", "matern_rho")
def test_matern(nu):
    agree(kernels.matern(X, Z, gamma=0.3, nu=nu), Matern(1.0 / np.sqrt(0.6), nu=nu)(X, Z))
    distance = np.array([[0.0], [0.2], [1.0], [4.0]])
    agree(kernels.matern_rho(distance[:, 0], nu), Matern(1.0, nu=nu)(distance, np.zeros((1, 1)))[:, 0])


@oracle_of("cauchy", "columnwise")
def test_products_over_columns():
    agree(kernels.cauchy(X, Z, gamma=0.7), pairwise(lambda x, z: np.prod(1.0 / (1.0 + (0.7 * (x - z)) ** 2))))
    gamma = np.array([0.2, 0.7, 1.1])
    found = kernels.columnwise(X, Z, profile=lambda t: np.exp(-(t**1.5)), gamma=gamma)
    agree(found, pairwise(lambda x, z: np.exp(-np.sum((gamma * np.abs(x - z)) ** 1.5))))


@oracle_of("stump")
def test_stump():
    def share(x, z):  # of thresholds between the two, column by column
        between = [integrate.quad(stats.norm.pdf, min(a, b), max(a, b))[0] for a, b in zip(x, z, strict=True)]
        return 1.0 - 2.0 * np.mean(between)

    agree(kernels.stump(X, Z), pairwise(share))


@oracle_of("arccos", "arccos_rho")
def test_arc_cosine():
    for degree in (0, 1):
        expected = [2.0 * oracles.thresholded(rho, 0.0, degree) for rho in RHOS]
        agree(kernels.arccos_rho(np.array(RHOS), degree), expected, 1e-8)
        rows = [[np.linalg.norm(x) * np.linalg.norm(z) for z in Z] for x in X] if degree else np.ones((4, 3))
        values = pairwise(lambda x, z, n=degree: 2.0 * oracles.thresholded(cosine_similarity([x], [z])[0, 0], 0.0, n))
        agree(kernels.arccos(X, Z, degree=degree), rows * values, 1e-8)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
@oracle_of("thresholded_relu_rho", "thresholded_relu_square")
def test_thresholded_relu(threshold):
    square = integrate.quad(lambda a: (a - threshold) ** 2 * stats.norm.pdf(a), threshold, threshold + 13)[0]
    assert kernels.thresholded_relu_square(threshold) == pytest.approx(square, rel=1e-9)
    expected = [oracles.thresholded(rho, threshold) / square for rho in RHOS]
    agree(kernels.thresholded_relu_rho(np.array(RHOS), threshold), expected, 1e-6)


def _of_normals(f, x, z, scale=1.0, bias=0.0):
    """Return E f(⟨w, x⟩ + b) f(⟨w, z⟩ + b) by quadrature."""
    entries = np.array([[x @ x, x @ z], [z @ x, z @ z]]) + bias
    return oracles.dual(f, scale**2 * entries)


@oracle_of("activation", "activation_rho")
def test_any_function():
    for f in (np.tanh, np.cos, lambda a: np.maximum(a, 0.3), lambda a: a**2 - a):
        agree(kernels.activation(X, Z, f), pairwise(lambda x, z, f=f: _of_normals(f, x, z)), 2e-5)
    # E sin a sin b = e^(−(|x|² + |z|²)/2) sinh⟨x, z⟩.
    squares = 0.5 * np.add.outer((X**2).sum(axis=1), (Z**2).sum(axis=1))
    agree(kernels.activation(X, Z, np.sin), np.exp(-squares) * np.sinh(X @ Z.T), 2e-6)
    agree(kernels.activation_rho(np.array(RHOS), np.sin), np.exp(-1.0) * np.sinh(RHOS), 2e-6)
    expected = [oracles.dual(np.tanh, [[1.0, rho], [rho, 1.0]], np.arctan) for rho in RHOS]
    agree(kernels.activation_rho(np.array(RHOS), np.tanh, np.arctan), expected, 2e-5)


SIGMOIDS = {"erf": special.erf, "tanh": np.tanh, "logistic": special.expit}


@pytest.mark.parametrize("name", kernels.SIGMOIDS)
@pytest.mark.parametrize("bias", [False, True])
@oracle_of("sigmoidal", "sigmoidal_product_variance")
def test_sigmoids(name, bias):
    f = SIGMOIDS[name]
    expected = pairwise(lambda x, z: _of_normals(f, x, z, 0.8, float(bias)))
    agree(kernels.sigmoidal(X, Z, name, 0.8, bias), expected, 1e-7)
    mean, variance = kernels.sigmoidal_product_variance(X, name, 0.8, bias)
    own = pairwise(lambda x, z: _of_normals(f, x, z, 0.8, float(bias)), X, X)
    squared = pairwise(lambda x, z: _of_normals(lambda a: f(a) ** 2, x, z, 0.8, float(bias)), X, X)
    agree(mean, own, 1e-6)
    agree(variance, squared - own**2, 1e-5)


@oracle_of("compositional")
def test_compositional():
    # The recursion of the paper for deep skeletons is in test_compositional; here one node above circles.
    mean = pairwise(lambda x, z: np.mean(np.cos(2 * np.pi * 0.25 * (x - z))))
    for act, of in (("relu", oracles.relu_rho), ("step", lambda rho: 2 * oracles.thresholded(rho, 0.0, 0))):
        skeleton = flat(3, act, {"kind": "circle", "turn": 0.25})
        agree(kernels.compositional(X, Z, skeleton=skeleton), np.vectorize(of)(mean), 1e-8)


# --- the largest and others of a pool ---------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [1, 2, 3, 5])
@oracle_of(
    "maxout",
    "maxout_rho",
    "maxout_collision",
    "collision_rho",
    "maxout_distance",
    "maxout_distance_slope",
    "maxout_product_moments",
    "maxout_squared_distance_moments",
    "expected_max",
    "expected_max_squared",
    "maxout_theorem1_as_printed",
)
def test_maxout(q):
    mean, square = oracles.largest_moments(q)
    assert kernels.expected_max(q) == pytest.approx(mean, abs=1e-9)
    assert kernels.expected_max_squared(q) == pytest.approx(square, abs=1e-9)
    functions = (
        lambda s, t: s * t,
        lambda s, t: (s * t) ** 2,
        lambda s, t: (s - t) ** 2,
        lambda s, t: (s - t) ** 4,
    )
    product, product2, distance2, distance4 = np.array([expectations(theta, q, *functions) for theta in THETAS]).T
    same = np.array([same_argmax(theta, q, lambda s, t: np.ones_like(s * t))[0] for theta in THETAS])
    rho = np.array(RHOS)
    agree(kernels.maxout_rho(rho, q), product, 1e-6)
    agree(kernels.collision_rho(rho, q), same, 1e-6)
    agree(kernels.maxout_distance(DISTANCES, q), np.sqrt(distance2), 1e-6)
    agree(kernels.maxout_distance_slope(DISTANCES, q), same * DISTANCES / np.sqrt(distance2), 1e-6)
    agree(kernels.maxout_product_moments(rho, q), [product, product2 - product**2], 1e-5)
    agree(kernels.maxout_squared_distance_moments(DISTANCES, q), [distance2, distance4 - distance2**2], 1e-5)
    agree(kernels.maxout_theorem1_as_printed(rho, q), square * rho * same, 1e-6)
    rows = np.array([[np.cos(theta), np.sin(theta)] for theta in THETAS])
    agree(kernels.maxout(np.array([[2.0, 0.0]]), 3.0 * rows, pool_size=q)[0], 6.0 * product, 1e-6)
    agree(kernels.maxout_collision(np.array([[2.0, 0.0]]), 3.0 * rows, pool_size=q)[0], same, 1e-6)


@pytest.mark.parametrize("q", [2, 4])
@oracle_of("maxout_by_argmax")
def test_maxout_by_argmax(q):
    for rho in RHOS:
        x = np.random.default_rng(q).standard_normal((100_000, q))
        z = rho * x + np.sqrt(1.0 - rho**2) * np.random.default_rng(q + 1).standard_normal(x.shape)
        agree_in_choice, product = x.argmax(axis=1) == z.argmax(axis=1), x.max(axis=1) * z.max(axis=1)
        same, different = kernels.maxout_by_argmax(rho, q)
        within(float(same), product[agree_in_choice])
        within(float(different), product[~agree_in_choice])


@pytest.mark.parametrize("q", [2, 4])
@oracle_of("maxout_plateau", "saturation_distance")
def test_maxout_saturates(q):
    # The largest of q and that of their opposites: M and minus the smallest.
    pair = oracles.pools(-1.0, q)
    plateau = np.sqrt(np.mean((pair[0].max(axis=1) - pair[1].max(axis=1)) ** 2))
    assert kernels.maxout_plateau(q) == pytest.approx(plateau, rel=0.005)

    def above(theta):
        return np.sqrt(expectations(theta, q, lambda s, t: (s - t) ** 2)[0]) - 0.7 * kernels.maxout_plateau(q)

    root = brentq(above, 0.2, 3.0, xtol=1e-7)
    assert kernels.saturation_distance(q, 0.7) == pytest.approx(2.0 * np.sin(root / 2.0), abs=1e-4)


@pytest.mark.parametrize("q", [3, 5])
@oracle_of("collision_series")
def test_collision_series(q):
    rho = 0.4 * np.cos((np.arange(9) + 0.5) * np.pi / 9)
    values = [same_argmax(np.arccos(r), q, lambda s, t: np.ones_like(s * t))[0] for r in rho]
    agree(kernels.collision_series(q), np.polynomial.polynomial.polyfit(rho, values, 8)[:3], 1e-4)


@pytest.mark.parametrize("rho", [-0.5, 0.7])
@oracle_of("maxout_pool_covariance", "maxout_overlap_covariance")
def test_features_of_one_pool(rho):
    one, two = oracles.pools(rho, 5)
    first, second = slice(0, 3), slice(2, 5)  # one index in common

    def product(part):
        return one[:, part].max(axis=1) * two[:, part].max(axis=1)

    a, b = product(first), product(second)
    within(kernels.maxout_overlap_covariance(float(np.arccos(rho)), 3, 1), (a - a.mean()) * (b - b.mean()))
    # Of all sets of three out of a pool of five, two by two.
    sets = [product(list(part)) for part in itertools.combinations(range(5), 3)]
    mean = np.mean(sets, axis=0)
    within(float(kernels.maxout_pool_covariance(rho, 3, 5)), (mean - mean.mean()) ** 2)


RULES = {
    "largest": lambda z: z.max(axis=1),
    "smallest": lambda z: z.min(axis=1),
    "second largest": lambda z: np.sort(z, axis=1)[:, -2],
    "median": lambda z: np.median(z, axis=1),
    "range": lambda z: np.ptp(z, axis=1),
}


@pytest.mark.parametrize("rule", kernels.ORDER_RULES)
@pytest.mark.parametrize("q", [2, 5, 8])
@oracle_of("order_statistic", "order_statistic_rho", "order_weights")
def test_order_statistics(rule, q):
    rows = np.random.default_rng(q).standard_normal((50, q))
    agree(np.sort(rows, axis=1) @ kernels.order_weights(q, rule), RULES[rule](rows))
    for rho in (-0.5, 0.7):
        products = np.prod([RULES[rule](z) for z in oracles.pools(rho, q)], axis=0)
        size = float(kernels.order_statistic_rho(1.0, q, rule))
        error = 4 * products.std() / np.sqrt(len(products)) + 1e-3 * size
        assert kernels.order_statistic_rho(rho, q, rule) == pytest.approx(products.mean(), abs=error)
        pair = np.array([[3.0, 0.0]]), 2.0 * np.array([[rho, np.sqrt(1.0 - rho**2)]])
        assert kernels.order_statistic(*pair, q, rule)[0, 0] == pytest.approx(6.0 * products.mean(), abs=6 * error)


# --- moments of Fourier features --------------------------------------------------------------------------------------

# Two numbers x and z, a frequency of a Gaussian or a Laplacian kernel; a phase is uniform.
POINTS = np.array([(0.3, 1.1), (-0.4, 0.9), (0.5, 0.5), (2.0, -1.0)])
FREQUENCIES = {"gaussian": (stats.norm, lambda t: np.exp(-(t**2) / 2)), "cauchy": (stats.cauchy, lambda t: np.exp(-t))}


def _mean_over(law, function):
    """Return the mean of a bounded function of one frequency, by midpoints of its quantiles."""
    return function(law.ppf((np.arange(400_000) + 0.5) / 400_000)).mean()


@pytest.mark.parametrize("name", FREQUENCIES)
@oracle_of("fourier_product_variance", "fourier_squared_distance_moments", "fourier_lone_cosine_moments")
def test_moments_of_fourier_features(name):
    law, of = FREQUENCIES[name]
    phases = (np.arange(8) + 0.5) * np.pi / 4  # integrates products of four cosines exactly
    for x, z in POINTS:

        def k(t):
            return of(np.abs(t))

        double, sum_double = (None, None) if name == "gaussian" else (k(2 * (x - z)), k(2 * (x + z)))

        def moments(function):
            mean = _mean_over(law, function)
            return mean, _mean_over(law, lambda w: function(w) ** 2) - mean**2

        def shifted(function):
            values = [moments(lambda w, b=b: function(w, b)) for b in phases]
            mean = np.mean([value[0] for value in values])
            return mean, np.mean([value[1] + value[0] ** 2 for value in values]) - mean**2

        def wave(w, t, b):
            return np.sqrt(2.0) * np.cos(w * t + b)

        delta = x - z
        paired = moments(lambda w, d=delta: np.cos(w * d))
        apart = shifted(lambda w, b, x=x, z=z: wave(w, x, b) * wave(w, z, b))
        agree(kernels.fourier_product_variance(k(delta), double), paired[1], 1e-4)
        agree(kernels.fourier_product_variance(k(delta), double, paired=False), apart[1], 1e-4)
        squared = moments(lambda w, d=delta: 2.0 - 2.0 * np.cos(w * d))
        agree(kernels.fourier_squared_distance_moments(k(delta), double), squared, 1e-4)
        squared = shifted(lambda w, b, x=x, z=z: (wave(w, x, b) - wave(w, z, b)) ** 2)
        agree(kernels.fourier_squared_distance_moments(k(delta), double, paired=False), squared, 1e-4)
        lone = moments(lambda w, x=x, z=z: np.cos(w * x) * np.cos(w * z))
        given = (k(delta), k(x + z), k(2 * x) + k(2 * z), double, sum_double)
        agree(kernels.fourier_lone_cosine_moments(*given), lone, 1e-4)


@pytest.mark.parametrize("d", [2, 3, 8])
@oracle_of("orthogonal_covariance")
def test_frequencies_of_an_orthogonal_block(d):
    generator, n = np.random.default_rng(d), 200_000
    one, two = generator.standard_normal((2, n, d))
    two -= one * (np.einsum("ij,ij->i", one, two) / np.einsum("ij,ij->i", one, one))[:, None]
    two *= (np.sqrt(generator.chisquare(d, n)) / np.linalg.norm(two, axis=1))[:, None]
    for length in (0.4, 1.0, 2.0):  # of δ along the first axis, for exp(−|δ|²/2)
        a, b = np.cos(length * one[:, 0]), np.cos(length * two[:, 0])
        k = np.exp(-(length**2) / 2)
        within(float(kernels.orthogonal_covariance(k, d)), (a - k) * (b - k))
