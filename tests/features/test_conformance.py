"""scikit-learn's own estimator checks, for every scheme; nothing is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.features import RandomFourier, registry

MAPS = [scheme(n_components=64) for scheme in registry().values()]
MAPS += [scheme(n_components=64, dtype="float64") for scheme in registry().values()]
MAPS += [RandomFourier(n_components=64, paired=False)]
# In double precision: one check maps rows in another order, and in float32 a cosine near 0 then differs in the digits
# that it compares.
MAPS += [RandomFourier(64, spectrum=spectrum, dtype="float64") for spectrum in ("laplacian", "cauchy", "matern")]
MAPS += [RandomFourier(64, draw=draw, paired=False, dtype="float64") for draw in ("orthogonal", "structured", "qmc")]
MAPS += [RandomFourier(64, gamma="median", dtype="float64")]


@parametrize_with_checks(MAPS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
