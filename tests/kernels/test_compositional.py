"""The kernel of a skeleton against a recursion written down as in the paper, one pair and one node at a time."""

import tracemalloc

import numpy as np
import pytest

from rfviz import kernels
from rfviz.backend import get_device
from rfviz.errors import DataError
from rfviz.skeleton import PRESETS, convolutions, flat, graph, preset

MIXED = graph(
    [
        ({"kind": "circle", "turn": 0.3}, 2),
        ({"kind": "gaussian", "dimension": 2, "scale": 0.7}, 2),
        ("binary", 2),
        ({"kind": "categorical", "categories": 4}, 2),
        ({"kind": "sphere", "dimension": 3}, 2),
    ],
    [
        ("relu", [14, 2, 4]),
        ({"kind": "exponential", "scale": 0.5}, [0, 1, 1, 6]),
        ("step", [5, 6, 7, 8, 9]),
        ({"kind": "polynomial", "degree": 2, "offset": 0.5}, [10, 11, 12, 3]),
        ("erf", [0, 2, 8]),
    ],
)


def data(n, seed=0):
    """Draw rows for MIXED."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.standard_normal((n, 6)), rng.integers(0, 2, (n, 2)), rng.integers(0, 4, (n, 2)), rng.normal(size=(n, 6))]
    )


def sigma(act, rho):
    theta = np.arccos(rho)
    return {
        "relu": lambda: (np.sin(theta) + (np.pi - theta) * rho) / np.pi,
        "step": lambda: 1.0 - theta / np.pi,
        "exponential": lambda: np.exp(act.scale * (rho - 1)),
        "erf": lambda: np.arcsin(2 * rho / 3) / np.arcsin(2 / 3),
        "polynomial": lambda: ((rho + act.offset) / (1 + act.offset)) ** act.degree,
    }[act.kind]()


def base_kernel(base, x, z):
    if base.kind == "binary":
        return (1 if x[0] > 0 else -1) * (1 if z[0] > 0 else -1)
    if base.kind == "categorical":
        return float(x[0] == z[0])
    if base.kind == "gaussian":
        return np.exp(-0.5 * base.scale**2 * np.sum((x - z) ** 2))
    if base.kind == "circle":
        return np.cos(2 * np.pi * base.turn * (x[0] - z[0]))
    return np.dot(x / np.linalg.norm(x), z / np.linalg.norm(z))


def recursive(skeleton, x, z):
    def value(v):
        for group in skeleton.inputs:
            if group.first <= v < group.first + group.count:
                start = group.column + (v - group.first) * group.base.dimension
                here = slice(start, start + group.base.dimension)
                return base_kernel(group.base, x[here], z[here])
        layer = next(layer for layer in skeleton.layers if layer.first <= v < layer.stop)
        return sigma(layer.activation, np.clip(np.mean([value(u) for u in layer.edges[v - layer.first]]), -1, 1))

    return value(skeleton.n_nodes - 1)


# The one node of its layer has a child twice, and misses one between its first and its last.
TWICE = graph([("circle", 4)], [*(("relu", [i]) for i in range(4)), ("erf", [4, 5, 5, 7]), ("relu", [8, 6])])
CONVOLUTION = preset("2 convolutions", (9, 9, 1), shrink=True)
SPHERES = convolutions((5, 5), [(3, 2, "step")], "relu", {"kind": "sphere", "dimension": 3})


@pytest.mark.parametrize(
    "skeleton", [MIXED, CONVOLUTION, SPHERES, TWICE, flat(16), flat(16, "erf", "binary")], ids=repr
)
def test_against_the_recursion(skeleton):
    X = data(6) if skeleton is MIXED else np.random.default_rng(0).random((6, skeleton.n_columns))
    K = kernels.compositional(X, X[::-1] + 0.0, skeleton=skeleton)
    for i in range(6):
        for j in range(6):
            assert K[i, 5 - j] == pytest.approx(recursive(skeleton, X[i], X[j]), abs=1e-7 if i == j else 1e-12)


@pytest.mark.parametrize("skeleton", [MIXED, CONVOLUTION], ids=repr)
@pytest.mark.parametrize("room", [1, 200, 1000, 10**6])
def test_blocks_and_threads_do_not_matter(room, skeleton, monkeypatch):
    X = data(23) if skeleton is MIXED else np.random.default_rng(0).random((23, skeleton.n_columns))
    expected = kernels.compositional(X, skeleton=skeleton)
    monkeypatch.setattr(module_of(), "_BLOCK_NUMBERS", room)
    monkeypatch.setattr(module_of(), "_PARALLEL_FROM", 0)
    K = kernels.compositional(X, skeleton=skeleton)
    assert np.array_equal(K, K.T)
    off = ~np.eye(23, dtype=bool)
    # A cosine of 1 but for rounding has an angle of its square root.
    np.testing.assert_allclose(K, expected, rtol=0, atol=1e-7)
    np.testing.assert_allclose(K[off], expected[off], rtol=0, atol=1e-14)
    np.testing.assert_allclose(kernels.compositional(X[:5], X, skeleton=skeleton), expected[:5], rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        kernels.compositional(X[:5], X, skeleton=skeleton)[off[:5]], expected[:5][off[:5]], atol=1e-12
    )


def module_of():
    import sys

    return sys.modules["rfviz.kernels.compositional"]


@pytest.mark.parametrize(
    "skeleton", [flat(37, "relu", "gaussian"), convolutions((9, 9), [(4, 1, "relu")], "relu", "gaussian"), CONVOLUTION]
)
def test_symmetric_to_the_last_bit(skeleton):
    K = kernels.compositional(np.random.default_rng(0).random((333, skeleton.n_columns)), skeleton=skeleton)
    assert np.array_equal(K, K.T)


def test_equal_categories_have_the_kernel_one_even_above_a_step():
    for d in (3, 99, 109):
        X = np.random.default_rng(d).integers(0, 3, (33, d))
        K = kernels.compositional(X, skeleton=flat(d, "step", {"kind": "categorical", "categories": 3}))
        assert (np.diag(K) == 1.0).all()


@pytest.mark.slow
def test_windows_with_many_inputs_take_little_memory():
    skeleton = convolutions((48, 48, 3), [(15, 2, "relu")], "relu")  # a vector of 390,150 numbers a row
    X = np.random.default_rng(0).random((24, skeleton.n_columns))
    tracemalloc.start()
    K = kernels.compositional(X, skeleton=skeleton)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6 and np.array_equal(K, K.T)
    assert K[0, 1] == pytest.approx(recursive(skeleton, X[0], X[1]), abs=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_normalised_and_positive_semidefinite(name):
    skeleton = preset(name, (12, 12), shrink=True)
    K = kernels.compositional(np.random.default_rng(1).random((40, 144)), skeleton=skeleton)
    np.testing.assert_allclose(np.diag(K), 1.0, atol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-10 and np.abs(K).max() <= 1 + 1e-12


def test_flat_exponential_on_small_circles_is_the_gaussian_kernel():
    # cos δ ≈ 1 − δ²/2, so that exp(s(mean cos − 1)) ≈ exp(−s‖δ‖²/2n).
    X = 1e-3 * np.random.default_rng(2).standard_normal((10, 8))
    K = kernels.compositional(X, skeleton=flat(8, {"kind": "exponential", "scale": 50.0}))
    np.testing.assert_allclose(1 - K, 1 - kernels.gaussian(X, gamma=50.0 * np.pi**2 / 16), rtol=1e-3, atol=1e-13)


def test_a_relu_above_a_sphere_is_the_arc_cosine_kernel():
    X = np.random.default_rng(3).standard_normal((10, 5))
    skeleton = flat(1, "relu", {"kind": "sphere", "dimension": 5})
    norms = np.linalg.norm(X, axis=1)
    expected = kernels.arccos(X) / np.outer(norms, norms)
    np.testing.assert_allclose(kernels.compositional(X, skeleton=skeleton), expected, atol=1e-12)


def test_gpu_equals_host(fake_gpu):
    X, Y = data(9), data(5, seed=1)
    gpu = get_device("cuda")
    for other in (None, Y):
        on_gpu = kernels.compositional(gpu.asarray(X), None if other is None else gpu.asarray(other), skeleton=MIXED)
        assert isinstance(on_gpu, fake_gpu.ndarray)
        np.testing.assert_allclose(on_gpu.get(), kernels.compositional(X, other, skeleton=MIXED), rtol=0, atol=1e-12)


def test_what_is_no_point_of_its_space_is_refused():
    X = data(3)
    X[1, 8] = 4.0
    with pytest.raises(DataError, match=r"categorical input must be an integer from 0 to 3; got 4. Number the"):
        kernels.compositional(X, skeleton=MIXED)
    with pytest.raises(DataError, match="The skeleton takes 16 columns; got 15"):
        kernels.compositional(X[:, :15], skeleton=MIXED)


def test_the_papers_figure_can_be_computed():
    X = np.random.default_rng(0).random((128, 1728))
    K = kernels.compositional(X, skeleton=preset("deep", (24, 24, 3)))  # the recursion above takes an hour
    np.testing.assert_allclose(np.diag(K), 1.0)
    assert (np.linalg.eigvalsh(K) > 0).all()


def test_convolutions_see_places():
    # Two images that differ in one place are closer than those that differ as much all over.
    skeleton = convolutions((8, 8), [(4, 4, {"kind": "exponential", "scale": 4.0})])
    X = np.zeros((3, 64))
    X[1].reshape(8, 8)[:2, :2] = 1.0
    X[2].reshape(8, 8)[::4, ::4] = 1.0
    K = kernels.compositional(X, skeleton=skeleton)
    assert K[0, 1] > K[0, 2] + 0.01
