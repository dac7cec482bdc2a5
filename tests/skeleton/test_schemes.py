"""Features of base spaces against the kernels and bounds of the paper, by draws and brute force of this file alone.

Means of draws may be off by five standard errors: a false alarm in one of two million.
"""

import math

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import BASES, SCHEMES, Scheme, base, graph
from tests.papers.tools import near, pair

RNG = np.random.default_rng(6)
SPHERE = SCHEMES["sphere"]


def unit(*shape):
    X = RNG.standard_normal(shape)
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


CASES = [
    (Scheme("binary", "x"), [[1.0]], [[-1.0]], -1.0),
    (Scheme("circle", "z^±1"), [[0.3]], [[2.1]], math.cos(1.8)),
    (Scheme("gaussian", "wave", dimension=2), [[0.3, -0.2]], [[1.0, 0.1]], math.exp(-(0.49 + 0.09) / 2)),
    (Scheme("categorical", "root of unity", categories=5), [[1.0]], [[4.0]], 0.0),
    (Scheme("categorical", "root of unity", categories=5), [[3.0]], [[3.0]], 1.0),
    *((Scheme("sphere", name, dimension=d), *pair(0.3, d)[:, None], 0.3) for name in SPHERE for d in (3, 6)),
]


def test_every_base_space_of_a_skeleton_has_its_scheme():
    assert set(SCHEMES) == set(BASES)
    for space in BASES:
        form = {"kind": space} | ({"dimension": 6} if space == "sphere" else {})
        assert Scheme(space, SCHEMES[space][0], dimension=6).bound == pytest.approx(base(form).bound)
    with pytest.raises(ParameterError, match="name must be one of"):
        Scheme("circle", "wave")


@pytest.mark.parametrize(("scheme", "x", "z", "kernel"), CASES)
def test_mean_products_are_the_kernel_with_the_exact_variance(scheme, x, z, kernel):
    X = np.array([x[0], z[0]])
    assert scheme.kernel(X[:1], X[1:])[0] == pytest.approx(kernel)
    psi = scheme.features(X, 100_000, np.random.default_rng(1))
    products = psi[0] * psi[1].conj()
    if products.real.std() > 1e-9:
        near(products.real, kernel)
        near((products.real - kernel) ** 2, scheme.variance(X[:1], X[1:])[0])
    else:
        assert products.real.mean() == pytest.approx(kernel) and scheme.variance(X[:1], X[1:])[0] < 1e-12
    if products.imag.std() > 1e-9:
        near(products.imag, 0.0)
    assert np.abs(psi).max() <= scheme.bound * (1 + 1e-12)


@pytest.mark.parametrize("name", SPHERE)
@pytest.mark.parametrize("d", [3, 8])
def test_largest_features_of_the_sphere(name, d):
    """Linear in the point (Lemma 8); at some point half of the squared length at the axes (Lemma 7): Theorem 6."""
    scheme, size = Scheme("sphere", name, dimension=d), 20_000
    axes, points = np.eye(d), unit(50, d)
    psi = scheme.features(np.concatenate([axes, points]), size, np.random.default_rng(3))
    z, at_points = psi[:d], psi[d:]
    assert np.allclose(points @ z, at_points)
    # The largest |Σ aⱼzⱼ| over unit vectors a: the largest singular value of the real and imaginary parts.
    largest = np.array([np.linalg.norm(np.stack([part.real, part.imag]), 2) for part in z.T[:2000]])
    assert (largest**2 >= 0.5 * (np.abs(z.T[:2000]) ** 2).sum(axis=1) - 1e-9).all()
    assert np.allclose(largest, scheme.bound)
    assert (np.abs(z) ** 2).sum(axis=0).mean() == pytest.approx(d)
    assert scheme.bound >= scheme.least_bound - 1e-12 == pytest.approx(math.sqrt(d / 2))
    assert (scheme.bound == scheme.least_bound) == (name == "two coordinates")


def test_the_printed_exponent_has_another_kernel():
    scheme = Scheme("categorical", "as printed", categories=4)
    psi = scheme.features(np.array([[0.0], [1.0]]), 50_000, np.random.default_rng(0))
    printed = np.exp(1j * np.arange(1, 5) / (8 * np.pi)).mean()
    near((psi[1] * psi[0].conj()).real, printed.real)
    assert printed.real > 0.99


@pytest.mark.parametrize(("space", "d"), [("sphere", 5), ("categorical", 1), ("gaussian", 1)])
def test_a_map_has_the_real_form_of_these_features(space, d):
    """Comment 1: √2·R·cos(θ + b). Their products have the kernel, and a variance that is no smaller."""
    form = {"kind": space} | {"sphere": {"dimension": d}, "categorical": {"categories": 4}}.get(space, {})
    X = {"sphere": pair(0.3, 5), "categorical": np.array([[0.0], [1.0]]), "gaussian": np.array([[0.0], [0.8]])}[space]
    scheme = Scheme(space, SCHEMES[space][0], dimension=d, categories=4)
    skeleton = graph([(form, 1)], [("identity", [0])])
    drawn = CompositionalFeatures(60_000, skeleton=skeleton, deduplicate=False, random_state=2).fit(X)
    Phi = np.asarray(drawn.transform(X), float) * math.sqrt(60_000)
    near(Phi[0] * Phi[1], scheme.kernel(X[:1], X[1:])[0])
    assert np.abs(Phi).max() <= math.sqrt(2) * scheme.bound * (1 + 1e-6)
    assert (Phi[0] * Phi[1]).var() > scheme.variance(X[:1], X[1:])[0] * 0.98


@pytest.mark.parametrize(("activation", "most"), [("identity", 1), ({"kind": "polynomial", "degree": 3}, 3)])
def test_products_of_features_of_spheres_are_bounded_by_a_power(activation, most):
    skeleton = graph([({"kind": "sphere", "dimension": 8}, 2), ("circle", 1)], [(activation, [0, 1, 2])])
    assert skeleton.feature_bound == pytest.approx(2.0**most)
    drawn = CompositionalFeatures(20_000, skeleton=skeleton, deduplicate=False, random_state=0)
    # Pairs of equal coordinates make the largest feature.
    X = np.zeros((1, 17))
    X[0, [0, 1, 8, 9]] = 1.0
    largest = np.abs(drawn.fit(X).transform(X)).max() * math.sqrt(20_000)
    assert 0.6 * 2.0**most < largest <= math.sqrt(2) * 2.0**most * (1 + 1e-5)
    (pair_bound, *_) = drawn.applicable_bounds(10, 17, 1.0)
    C = math.sqrt(2) * 2.0**most
    assert pair_bound.bound.features(0.1, 0.05) == math.ceil(2 * C**4 * math.log(40) / 0.01 - 1e-6)
    assert drawn.largest_error() == pytest.approx(C**2 + 1)


def test_products_without_end_of_features_of_spheres_have_no_bound():
    for activation, bounded in (("relu", False), ("identity", True)):
        drawn = CompositionalFeatures(
            100, skeleton=graph([({"kind": "sphere", "dimension": 5}, 2)], [(activation, [0, 1])]), deduplicate=False
        )
        assert bool(drawn.applicable_bounds(10, 10, 1.0)) == bounded == (not drawn.why_no_bound())
    circles = CompositionalFeatures(100, skeleton=graph([("circle", 2)], [("relu", [0, 1])]), deduplicate=False)
    assert circles.applicable_bounds(10, 2, 1.0)[0].bound.features(0.1, 0.05) == 2952
