"""scikit-learn's own estimator checks, for every feature map; nothing is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.features import RandomFourier, registry

# In double precision: one check maps rows in another order and compares all digits, of which float32 loses the last by
# another order of sums.
MAPS = [cls(n_components=64, dtype="float64") for cls in registry().values()]
MAPS += [RandomFourier(64, spectrum=spectrum, dtype="float64") for spectrum in ("laplacian", "cauchy", "matern")]
MAPS += [RandomFourier(64, draw=draw, paired=False, dtype="float64") for draw in ("orthogonal", "structured", "qmc")]
MAPS += [RandomFourier(64, gamma="median", dtype="float64"), RandomFourier(n_components=64)]
MAPS += [RandomFourier(n_components=64, paired=False)]


@parametrize_with_checks(MAPS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
