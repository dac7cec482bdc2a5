"""The stump kernel against integration over thresholds, by hand, and on both devices."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from rfviz.errors import DataError
from rfviz.kernels import stump

X = np.random.default_rng(0).standard_normal((5, 3)) * [1.0, 3.0, 0.1]


@pytest.mark.slow
def test_by_integrating_over_thresholds():
    K = stump(X)
    for i, x in enumerate(X):
        for j, z in enumerate(X):
            total = 0.0
            for a, b in zip(x, z, strict=True):
                # The sign of the product changes where the threshold passes one of the two.
                ends = sorted((a, b))
                pieces = [(-np.inf, ends[0], 1), (ends[0], ends[1], -1), (ends[1], np.inf, 1)]
                total += sum(sign * quad(norm.pdf, low, high)[0] for low, high, sign in pieces)
            assert K[i, j] == pytest.approx(total / 3, abs=1e-8)


def test_by_hand():
    far = stump([[-40.0]], [[40.0], [-40.0], [0.0]])
    np.testing.assert_allclose(far, [[-1.0, 1.0, 0.0]], rtol=0, atol=1e-12)
    assert (np.diag(stump(X)) == 1.0).all()
    assert np.linalg.eigvalsh(stump(X)).min() > 0


def test_it_sees_the_axes():
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    assert np.abs(stump(X @ rotation) - stump(X)).max() > 0.05
    assert np.abs(stump(X + 1.0) - stump(X)).max() > 0.05


def test_bad_input():
    with pytest.raises(DataError, match="NaN or infinity"):
        stump([[np.nan]])
