"""scikit-learn's own estimator checks, for every feature map in both precisions, with one exception for rounding."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.features import RandomFourier, StructuredMaxout, registry

MAPS = [cls(n_components=64, dtype=dtype) for cls in registry().values() for dtype in ("float64", "float32")]
MAPS += [
    RandomFourier(64, dtype=dtype, **setting)
    for dtype in ("float64", "float32")
    for setting in (
        *({"spectrum": spectrum} for spectrum in ("laplacian", "cauchy", "matern", "own")),
        *({"draw": draw, "paired": False} for draw in ("iid", "orthogonal", "structured", "qmc")),
        {"gamma": "median"},
    )
]


def exceptions(estimator):
    """Return the checks that rounding may fail: 6e-7 was seen of features of 2, where the check allows 2e-7."""
    if isinstance(estimator, StructuredMaxout) and estimator.dtype == "float32":
        return {"check_methods_sample_order_invariance": "float32 sums rows of another block in another order"}
    return {}


@parametrize_with_checks(MAPS, expected_failed_checks=exceptions)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_rounding_is_all_that_the_exception_lets_pass():
    X = np.random.default_rng(0).standard_normal((200, 5))
    order = np.random.default_rng(1).permutation(200)
    fitted = StructuredMaxout(64).fit(X)
    np.testing.assert_allclose(fitted.transform(X)[order], fitted.transform(X[order]), rtol=0, atol=2e-6)
