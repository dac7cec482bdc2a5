"""The largest weight of kitchen sinks against plain least squares, and what its summary says of a known law."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.datasets import Dataset
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.kitchen_sinks.weights import WeightDecay, distinct_features, largest_weights
from rfviz.features import DecisionStumps, MapSpec, RandomFourier, SigmoidalRidge


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


def binary_split(n_rows=300, n_columns=5):
    rng = np.random.default_rng(0)
    X = (rng.random((n_rows, n_columns)) < 0.4).astype(np.float32)
    y = (X[:, 0] + rng.random(n_rows) > 0.8).astype(int)
    return make_split(Dataset("binary", X, y=y, target_names=("no", "yes")), "standardise")


@pytest.mark.parametrize("cls", [DecisionStumps, SigmoidalRidge, RandomFourier])
@pytest.mark.parametrize("binary", [True, False])
def test_is_the_largest_weight_of_least_squares(split, cls, binary):
    data = binary_split() if binary else split
    alpha, grid = 1.0, [3, 17, 60]
    found = largest_weights(data, MapSpec(cls, random_state=4), grid, alpha)
    feature_map = cls(60, random_state=4).fit(data.X_train)
    H = np.concatenate(list(feature_map.transform_blocks(data.X_train, scaled=False))).astype(float)
    codes = np.where(data.y_train[:, None] == [0, 1], 1.0, -1.0)
    for k, norm in zip(grid, found, strict=True):
        stacked = np.vstack([H[:, :k], np.sqrt(alpha) * np.eye(k)])
        weights = np.linalg.lstsq(stacked, np.vstack([codes, np.zeros((k, 2))]))[0]
        assert norm == pytest.approx(np.abs(weights).max(), rel=1e-3)


def test_equal_features_are_found():
    data = binary_split()
    stumps = DecisionStumps(400, random_state=1).fit(data.X_train)
    first, place, sign = distinct_features(stumps, data.X_train)
    # A column of zeros and ones, and the constant.
    assert len(first) == 6
    H = stumps.transform(data.X_train)
    np.testing.assert_array_equal(H, H[:, first][:, place] * sign)
    waves = RandomFourier(50, random_state=1).fit(data.X_train)
    assert len(distinct_features(waves, data.X_train)[0]) == 50


def test_summary_of_a_known_law():
    k = np.array([10, 20, 50, 100, 200])
    factors = np.array([0.5, 0.9, 1.0, 1.1, 2.0])
    decay = WeightDecay(k, factors[:, None] * (3.0 / k))
    np.testing.assert_allclose(decay.quantiles[1], 3.0 / k)
    np.testing.assert_allclose(decay.reference, 3.0 / k)
    assert decay.slope() == pytest.approx(-1.0)
    frame = decay.to_frame()
    np.testing.assert_allclose(frame["K · median"], 3.0)
    assert (frame["lower sixth"] < frame["median"]).all() and (frame["runs"] == 5).all()
    assert WeightDecay(k, (2.0 / np.sqrt(k))[None]).slope(2) == pytest.approx(-0.5)


def test_refusals(split, monkeypatch):
    numbers = make_split(Dataset("prices", np.ones((40, 2), np.float32), y=np.linspace(0, 1, 40)), "none")
    with pytest.raises(DataError, match="prices has numbers as targets"):
        largest_weights(numbers, MapSpec(DecisionStumps), [10])
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="The Gram matrix of 5000 features"):
        largest_weights(split, MapSpec(DecisionStumps), [10, 5000])


def test_a_run_can_be_stopped(split):
    def stop(share, words):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        largest_weights(split, MapSpec(DecisionStumps), [10], progress=stop)
