"""Every feature map estimates the kernel of its definition, computed by NumPy, SciPy and scikit-learn alone.

An estimate is the mean over 50 draws of 2,000 features each, 100,000 in all, and may err by four of its standard
errors: one value in 5,000 does by chance (Student's law of 49 degrees of freedom); the seeds are fixed.
"""

import itertools
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special, stats
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from rfviz.features import registry
from tests import oracles
from tests.features.cases import APPROXIMATE, CASES, IDS, dense, make
from tests.features.test_convolution import patches_of, region_of
from tests.kernels.brute_force import expectations
from tests.kernels.test_compositional import recursive

pytestmark = pytest.mark.slow

SEEDS, FEATURES = 50, 2000
X = np.random.default_rng(0).standard_normal((4, 4)) * np.array([[0.5, 1.0, 1.5, 1.0]]).T
X[3] = X[2] + 0.2  # two near rows
PAIRS = np.triu_indices(4)
ORACLES = {}


def oracle_of(name):
    def add(function):
        ORACLES[name] = function
        return function

    return add


def pairwise(function, rows):
    return np.array([[function(x, z) for z in rows] for x in rows])


# Each takes a fitted map, for its parameters and what it has learnt from the data, and rows, parts of which are zero
# where a feature sees a part of an image only.


@oracle_of("RandomBinning")
def boxes(fm, rows):
    gamma = fm.gamma if fm.gamma != "scale" else 1.0 / (4 * X.std())
    profile = {
        "laplacian": lambda t: np.exp(-t),
        "hat": lambda t: np.maximum(1.0 - t, 0.0),
        "rational": lambda t: 1 / (1 + t),
        # Hats of pitches with the density x·exp(−x): ∫ (x − t)·exp(−x) dx from t on.
        "own": lambda t: np.exp(-t),
    }[fm.profile]
    assert fm.pitch_density == "x*exp(-x)"
    return pairwise(lambda x, z: np.prod(profile(gamma * np.abs(x - z))), rows)


@oracle_of("RandomFourier")
def waves(fm, rows):
    squared = 1.0 / (4 * X.var())
    scale = {"laplacian": 1.0 / (4 * X.std()), "cauchy": np.sqrt(squared), "own": np.sqrt(squared)}
    gamma = fm.gamma if fm.gamma != "scale" else scale.get(fm.spectrum, squared)
    if fm.spectrum == "own":
        return pairwise(lambda x, z: _own_law(fm, gamma * (x - z)), rows)
    return {
        "gaussian": lambda: rbf_kernel(rows, gamma=gamma),
        "laplacian": lambda: laplacian_kernel(rows, gamma=gamma),
        "cauchy": lambda: pairwise(lambda x, z: np.prod(1.0 / (1.0 + (gamma * (x - z)) ** 2)), rows),
        "matern": lambda: Matern(1.0 / np.sqrt(2.0 * gamma), nu=fm.nu)(rows),
    }[fm.spectrum]()


@oracle_of("LinearFourier")
def products_with_waves(fm, rows):
    gamma = fm.gamma if fm.gamma != "scale" else 1.0 / (4 * X.var())
    return (rows @ rows.T) * rbf_kernel(rows, gamma=gamma)


def _own_law(fm, delta):
    """Return the product over columns of the characteristic function of the density that is written down."""
    assert fm.density == "exp(-8*(x - 2)^2)"
    grid = np.linspace(0.0, 20.0, 20_001)
    density = np.exp(-8.0 * (grid - 2.0) ** 2)
    return np.prod([np.sum(density * np.cos(grid * d)) / density.sum() for d in delta])


@oracle_of("RandomProjection")
def products(fm, rows):
    return rows @ rows.T


@lru_cache
def largest_at(rho, q):
    if abs(rho) > 1.0 - 1e-9:
        return oracles.largest_moments(q)[1] if rho > 0 else oracles.largest_times_opposite(q)
    return expectations(np.arccos(rho), q, lambda s, t: s * t)[0]


def largest(fm, rows):
    return oracles.angle_kernel(lambda rho: largest_at(rho, fm.pool_size), rows)


ORACLES.update(dict.fromkeys(("RandomMaxout", "SharedPoolMaxout", "StructuredMaxout"), largest))


RULES = {
    "largest": lambda z: z.max(axis=1),
    "smallest": lambda z: z.min(axis=1),
    "median": lambda z: np.median(z, axis=1),
    "second largest": lambda z: np.sort(z, axis=1)[:, -2],
    "range": lambda z: np.ptp(z, axis=1),
}


@lru_cache
def order_statistic_at(rho, q, rule):
    return np.mean(np.prod([RULES[rule](z) for z in oracles.pools(rho, q)], axis=0))


@oracle_of("RandomPool")
def order_statistics(fm, rows):
    return oracles.angle_kernel(lambda rho: order_statistic_at(rho, fm.pool_size, fm.rule), rows)


@oracle_of("RandomReLU")
def relus(fm, rows):
    return oracles.angle_kernel(oracles.relu_rho, rows)


def _of_normals(f, rows, scale, bias):
    squares = rows @ rows.T + bias
    return np.array(
        [
            [
                oracles.dual(f, scale**2 * np.array([[squares[i, i], ij], [ij, squares[j, j]]]))
                for j, ij in enumerate(row)
            ]
            for i, row in enumerate(squares)
        ]
    )


@oracle_of("RandomActivation")
def functions(fm, rows):
    assert fm.function == "max(-1, min(1, x))"
    lengths = {"gaussian": [1.0], "two lengths": [1.0, 3.0], "four lengths": [1.0, 2.0, 4.0, 8.0]}[fm.weights]
    lengths = np.array(lengths) / np.sqrt(np.mean(np.square(lengths)))
    return np.mean([_of_normals(lambda a: np.clip(a, -1.0, 1.0), rows, s, 0.0) for s in lengths], axis=0)


@oracle_of("SigmoidalRidge")
def sigmoids(fm, rows):
    f = {"erf": special.erf, "tanh": np.tanh, "logistic": special.expit}[fm.activation]
    return _of_normals(f, rows, fm.scale, float(fm.bias))


@oracle_of("DecisionStumps")
def stumps(fm, rows):
    places = stats.norm.cdf((rows - X.mean(axis=0)) / X.std(axis=0) if fm.standardise else rows)
    return pairwise(lambda u, v: np.mean(1.0 - 2.0 * np.abs(u - v)), places)


@oracle_of("CompositionalFeatures")
def computations(fm, rows):
    return pairwise(lambda x, z: recursive(fm.skeleton_, x, z), rows)


ORACLES["HybridCompositional"] = computations


@oracle_of("RandomConvolution")
def convolutions(fm, rows):
    def unit(rho):
        square = oracles.thresholded(1.0, fm.threshold)
        return oracles.thresholded(min(rho, 1.0), fm.threshold) / square

    # Patches and grids are cut to what an image of 2 × 2 holds.
    size = min(fm.patch_size, 2)
    given = SimpleNamespace(patch_size=size, mean_=fm.mean_, whitening_=fm.whitening_)
    found = [patches_of(given, row.reshape(2, 2)) for row in rows]
    grid = min(fm.grid, 3 - size)
    regions = [region_of(cell, (3 - size, 3 - size), grid) for cell in range(grid**2)]
    return pairwise(
        lambda one, two: np.mean(
            [np.mean([unit(one[p] @ two[r]) for p in region for r in region]) for region in regions]
        ),
        found,
    )


def expected(fm):
    of = ORACLES[type(fm).__name__]
    field = getattr(fm, "receptive_field", None)
    if field is None:
        return of(fm, X)
    # Heights and widths of one pixel or two, then places: zero outside, and scaled to keep the size of flat images.
    total = []
    for height, width in itertools.product((1, 2), (1, 2)):
        places = []
        for top, left in itertools.product(range(3 - height), range(3 - width)):
            seen = np.zeros((2, 2))
            seen[top : top + height, left : left + width] = np.sqrt(4 / (height * width))
            places.append(of(fm, X * seen.ravel()))
        total.append(np.mean(places, axis=0))
    return np.mean(total, axis=0)


def test_every_map_has_an_oracle():
    assert set(ORACLES) == set(registry())


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name) for case, name in zip(CASES, IDS, strict=True)],
)
def test_features_estimate_the_kernel_of_the_definition(case):
    estimates = []
    for seed in range(SEEDS):
        fm = make(case, FEATURES, random_state=seed, dtype="float64").fit(X)
        features = dense(fm.transform(X))
        estimates.append((features @ features.T)[PAIRS])
    kernel = expected(fm)[PAIRS]
    estimates = np.array(estimates)
    error = 4.0 * estimates.std(axis=0, ddof=1) / np.sqrt(SEEDS)
    # Quadrature and simulation of the oracles, and the documented bias of structured draws.
    error += (2e-3 if case[0] == "RandomPool" else 1e-4 if case[0] != "CompositionalFeatures" else 1e-9) * kernel.max()
    error += 1e-3 * kernel.max() if case in APPROXIMATE else 0.0
    assert (np.abs(estimates.mean(axis=0) - kernel) < error).all()
    # And the closed form of the map is that kernel.
    closed = fm.kernel(X)[PAIRS]
    tolerance = 5e-3 if case[0] == "RandomPool" else 1e-4
    np.testing.assert_allclose(closed, kernel, rtol=0, atol=tolerance * kernel.max())
