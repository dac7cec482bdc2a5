"""The Laplacian kernel against scikit-learn's, and products over columns against it."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel

from rfviz import kernels
from rfviz.errors import DataError, ParameterError

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((30, 7)), rng.standard_normal((20, 7))


@pytest.mark.parametrize("gamma", [1e-3, 0.4, 30.0])
def test_is_scikit_learns(gamma):
    np.testing.assert_allclose(kernels.laplacian(X, Y, gamma=gamma), laplacian_kernel(X, Y, gamma=gamma), rtol=1e-12)
    own = kernels.laplacian(X, gamma=gamma)
    assert np.array_equal(own, own.T) and (np.diag(own) == 1.0).all()


def test_columns_with_widths_of_their_own():
    gamma = rng.uniform(0.1, 2.0, 7)
    product = kernels.columnwise(X, Y, profile=lambda t: np.exp(-t), gamma=gamma)
    np.testing.assert_allclose(product, laplacian_kernel(X * gamma, Y * gamma, gamma=1.0), rtol=1e-12)


def test_bad_input():
    with pytest.raises(ParameterError, match=r"gamma must be .* greater than 0"):
        kernels.laplacian(X, gamma=0.0)
    with pytest.raises(DataError, match="equally many columns"):
        kernels.laplacian(X, Y[:, :3], gamma=1.0)
