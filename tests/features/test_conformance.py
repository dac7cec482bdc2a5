"""scikit-learn's own estimator checks, for every scheme; nothing is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.features import RandomFourier, registry

MAPS = [scheme(n_components=64) for scheme in registry().values()]
MAPS += [scheme(n_components=64, dtype="float64") for scheme in registry().values()]
MAPS += [RandomFourier(n_components=64, paired=False)]
# In double precision: frequencies with heavy tails make float32 phases whose last digits depend on the order of rows.
MAPS += [RandomFourier(64, spectrum=spectrum, dtype="float64") for spectrum in ("laplacian", "cauchy", "matern")]
MAPS += [RandomFourier(n_components=64, draw=draw, paired=False) for draw in ("orthogonal", "structured", "qmc")]
MAPS += [RandomFourier(n_components=64, gamma="median")]


@parametrize_with_checks(MAPS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
