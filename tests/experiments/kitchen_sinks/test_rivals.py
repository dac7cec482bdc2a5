"""Matching pursuit and the joint fit, against scikit-learn's pursuit and least squares by NumPy."""

import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp_gram

from rfviz import datasets
from rfviz.analysis.splits import Split, make_split
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.rivals import joint_fit, matching_pursuit, pursue
from rfviz.features import DecisionStumps, MapSpec, RandomActivation, RandomBinning, RandomMaxout
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


def test_one_target_is_pursued_as_by_scikit_learn():
    rng = np.random.default_rng(0)
    H, y = rng.standard_normal((80, 40)), rng.standard_normal(80)
    H /= np.linalg.norm(H, axis=0)
    chosen, triangle, sides = pursue(H.T @ H, (H.T @ y)[:, None], 12)
    for k in (1, 5, 12):
        theirs = orthogonal_mp_gram(H.T @ H, H.T @ y, n_nonzero_coefs=k)
        ours = np.zeros(40)
        ours[chosen[:k]] = np.linalg.solve(triangle[:k, :k], sides[:k])[:, 0]
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_features_that_are_sums_of_others_are_not_chosen():
    rng = np.random.default_rng(1)
    H = rng.standard_normal((60, 5))
    both = np.column_stack([H, H[:, :2], H @ rng.standard_normal((5, 3)), np.zeros(60)])
    chosen, triangle, _ = pursue(both.T @ both, both.T @ rng.standard_normal((60, 2)), 11)
    assert len(chosen) == 5 and np.linalg.matrix_rank(both[:, chosen]) == 5
    np.testing.assert_allclose(triangle.T @ triangle, both[:, chosen].T @ both[:, chosen], atol=1e-8)


def test_errors_are_those_of_least_squares_with_an_intercept(split):
    spec = MapSpec(DecisionStumps, random_state=2)
    segment = matching_pursuit(split, spec, 60, [3, 10])
    stumps = DecisionStumps(60, random_state=2).fit(split.X_train)
    H, H_test = (np.sqrt(60) * stumps.transform(X).astype(float) for X in (split.X_train, split.X_test))
    y, chosen = 2.0 * split.y_train - 1, []
    for _ in range(10):  # the same greedy rule with residuals of numpy.linalg.lstsq
        A = np.column_stack([np.ones(len(y)), H[:, chosen]])
        residual = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
        centred = H - H.mean(axis=0)
        scores = np.abs(residual @ centred) / np.maximum(np.linalg.norm(centred, axis=0), 1e-12)
        scores[chosen] = -1
        chosen.append(int(np.argmax(scores)))
    for k, error in zip([3, 10], segment.errors, strict=True):
        A, A_test = (np.column_stack([np.ones(len(M)), M[:, chosen[:k]]]) for M in (H, H_test))
        scores = A_test @ np.linalg.lstsq(A, y, rcond=None)[0]
        assert error == pytest.approx(np.mean((scores > 0) != split.y_test), abs=1e-9)
    assert (np.diff(segment.seconds_fit) > 0).all() and (segment.seconds_predict > 0).all()


def test_the_joint_fit_finds_the_one_direction_that_random_features_miss():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 30)).astype(np.float32)
    y = (X @ rng.standard_normal(30) > 0).astype(int)
    split = Split("line", X[:300], y[:300], X[300:], y[300:], np.arange(300, 400), ("below", "above"), False)
    assert joint_fit(split, 1).errors[0] < 0.12
    drawn = MapSpec(RandomActivation, function="tanh(x)", random_state=0)
    assert matching_pursuit(split, drawn, 50, [1]).errors[0] > 0.25


def test_all_are_drawn_and_said_beside_any_family_of_features():
    maps = [RandomActivation(function="max(-1, min(1, x))"), RandomMaxout(), RandomBinning(gamma=0.05)]
    asked = KitchenSinks(maps=maps, rivals=["pursuit", "joint"], k_max=40, stumps=10, draws=1, alpha=1.0)
    result = asked.run("breast_cancer")
    frame = result.to_frame()
    names = ["AdaBoost", "Matching pursuit", "Joint fit", "Own function", "Random maxout", "Random binning"]
    assert frame["learner"].unique().tolist() == names
    assert (frame.groupby("learner")["error"].min() < 0.25).all()
    (chart,) = result.charts.values()
    assert [t.name for t in chart.figure.data] == names
    for name in ("**Matching pursuit**, which chooses", "The **joint fit** of functions"):
        assert name in chart.words
    alone = KitchenSinks(maps=maps[:1], k_max=20, stumps=1, draws=1, alpha=1.0).run("breast_cancer").charts
    assert "pursuit" not in alone["sinks-error"].words and "joint" not in alone["sinks-error"].words


def test_what_cannot_be_compared_is_refused(split):
    with pytest.raises(ParameterError, match="rivals must be one of 'pursuit', 'joint'"):
        KitchenSinks(maps=[DecisionStumps()], rivals=["greedy"])
    with pytest.raises(DataError, match="Put another family first"):
        matching_pursuit(split, MapSpec(RandomBinning), 20, [5])


def test_the_page_asks_for_a_function_of_ones_own():
    page = find_page("kitchen-sinks")
    values = {"learners": ["RandomActivation", "RandomBinning"], "function": "sin(x)", "RandomBinning.gamma": 0.1}
    panel = Preset(values | {"rivals": ["pursuit"]})
    experiment = page.settings(panel, page.source(panel))
    assert not panel.unasked() and experiment.rivals == ("pursuit",)
    specs = [candidate.spec for candidate in experiment.candidates]
    assert specs == [MapSpec(RandomActivation, function="sin(x)"), MapSpec(RandomBinning, gamma=0.1)]
