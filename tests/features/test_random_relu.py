"""Random ReLU features by brute force, and as the fully connected case of compositional features."""

import numpy as np
import pytest

from rfviz import kernels
from rfviz.features import CompositionalFeatures, RandomReLU
from rfviz.skeleton import flat

X = np.random.default_rng(0).standard_normal((9, 4))


def test_by_brute_force():
    feature_map = RandomReLU(7, dtype="float64", device="cpu").fit(X)
    expected = np.maximum(X @ feature_map.weights_.T, 0.0) * np.sqrt(2 / 7)
    np.testing.assert_allclose(feature_map.transform(X), expected, rtol=0, atol=1e-14)


def test_kernel_is_that_of_a_relu_node_above_a_sphere():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    skeleton = flat(1, "relu", {"kind": "sphere", "dimension": 4})
    compositional = CompositionalFeatures(skeleton=skeleton)
    np.testing.assert_allclose(RandomReLU().kernel(unit), compositional.kernel(unit), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(RandomReLU().kernel(X), kernels.arccos(X, degree=1))


@pytest.mark.parametrize("factor", [3.0, 0.01])
def test_positive_homogeneity(factor):
    feature_map = RandomReLU(50, dtype="float64", device="cpu").fit(X)
    np.testing.assert_allclose(feature_map.transform(factor * X), factor * feature_map.transform(X), rtol=1e-12)
