"""The steps of one feature end at what the map itself gives."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import MAPS, CompositionalFeatures, RandomFourier, RandomMaxout
from rfviz.lessons.latex import latex_mistake
from tests.features.cases import CASES, IDS, Case, dense, make

TOLD = {"CompositionalFeatures", "RandomActivation", "RandomFourier", "RandomMaxout", "RandomPool", "RandomProjection",
        "RandomReLU", "SharedPoolMaxout", "SigmoidalRidge"}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_last_step_is_the_feature(case: Case) -> None:
    X = np.random.default_rng(3).random((2, 16))
    for seed, dtype in ((0, "float32"), (7, "float64")):
        fitted = make(case, n_components=12, random_state=seed, dtype=dtype).fit(X)
        for row in (0, 1):
            features = dense(fitted.transform(X[row : row + 1]))
            for feature in (0, 1, features.shape[1] - 1):
                steps = fitted.explain(X[row : row + 1], feature)
                tolerance = 3e-6 if dtype == "float32" else 1e-12
                assert steps[-1].value == pytest.approx(float(features[0, feature]), abs=tolerance)
                assert not any(latex_mistake(step.latex) for step in steps)


def test_maps_tell_more_than_their_value():
    X = np.random.default_rng(3).random((2, 16))
    for cls in MAPS:
        steps = make((cls.__name__, {}), n_components=12).fit(X).explain(X[:1], 0)
        assert (len(steps) > 1) == (cls.__name__ in TOLD)


def test_the_projection_that_wins_is_the_code():
    X = np.random.default_rng(5).standard_normal((5, 3))
    fitted = RandomMaxout(n_components=20, pool_size=6, random_state=1).fit(X)
    codes = fitted.codes(X)
    for row in range(5):
        for feature in range(20):
            pool = [step for step in fitted.explain(X[row : row + 1], feature) if step.competes]
            assert len(pool) == 6
            assert [step.wins for step in pool].index(True) == codes[row, feature]


def test_long_sums_are_shortened_and_their_value_is_whole():
    X = np.random.default_rng(5).standard_normal((2, 64))
    angle = RandomFourier(n_components=4, gamma=0.1).fit(X).explain(X[:1], 0)[0]
    assert "61 more" in angle.latex


def test_a_feature_that_there_is_not_is_refused():
    X = np.eye(3)
    fitted = CompositionalFeatures(n_components=8).fit(X)
    with pytest.raises(ParameterError, match="feature"):
        fitted.explain(X[:1], 8)
    with pytest.raises(ParameterError, match="one row"):
        fitted.explain(X, 0)
