"""The largest weight of kitchen sinks against plain least squares, and what its summary says of a known law."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.datasets import Dataset
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.kitchen_sinks.describe import weights_explanation
from rfviz.experiments.kitchen_sinks.weights import WeightDecay, WeightRun, distinct_features, largest_weights
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
    for k, norm, of_forms, n_forms in zip(grid, found.norms, found.of_forms, found.n_forms, strict=True):
        stacked = np.vstack([H[:, :k], np.sqrt(alpha) * np.eye(k)])
        weights = np.linalg.lstsq(stacked, np.vstack([codes, np.zeros((k, 2))]))[0]
        assert norm == pytest.approx(np.abs(weights).max(), rel=1e-3)
        together = {}
        for row, weight in zip(H[:, :k].T, weights, strict=True):
            side = np.sign(row[np.flatnonzero(row)[0]])
            key = tuple((row * side).round(6))
            together[key] = together.get(key, 0.0) + side * weight
        assert n_forms == len(together)
        assert of_forms == pytest.approx(max(np.abs(total).max() for total in together.values()), rel=1e-3)


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
    decay = WeightDecay(k, tuple(WeightRun(factor * (3.0 / k), 2.0 / k, k) for factor in factors))
    np.testing.assert_allclose(decay.quantiles[1], 3.0 / k)
    np.testing.assert_allclose(decay.reference, 3.0 / k)
    assert decay.slope() == pytest.approx(-1.0)
    frame = decay.to_frame()
    np.testing.assert_allclose(frame["K · median"], 3.0)
    assert (frame["lower sixth"] < frame["median"]).all() and (frame["runs"] == 5).all()
    assert decay.of_forms is None and "different features" not in frame
    assert WeightDecay(k, (WeightRun(2.0 / np.sqrt(k), 2.0 / k, k),)).slope(2) == pytest.approx(-0.5)


def test_the_fall_is_told_apart_from_that_of_copies():
    """A weight that more and more copies share falls, and their sum stays; one without copies falls by itself."""
    k, few = np.array([10, 100, 1000]), np.array([10, 12, 12])
    shared = WeightDecay(k, (WeightRun(3.0 / k, np.array([0.5, 0.5, 0.45]), few),))
    np.testing.assert_allclose(shared.to_frame()["equal features together"], [0.5, 0.5, 0.45])
    said = weights_explanation(shared, "Random stumps")
    assert "Only 12 of the 1,000 features differ" in said and "from 0.500 to 0.450" in said
    assert said.endswith("most of the fall is that more features share.")
    both = WeightDecay(k, (WeightRun(3.0 / k, 5.0 / k, few),))
    assert "features differ" in weights_explanation(both, "Random stumps")
    assert "most of the fall" not in weights_explanation(both, "Random stumps")
    alone = WeightDecay(k, (WeightRun(3.0 / k, 3.0 / k, k),))
    assert "features differ" not in weights_explanation(alone, "Random stumps")


def test_on_columns_of_zeros_and_ones_stumps_share_their_weight():
    """The weight of a form does not fall, though that of a stump does: as with the columns of Figure 2."""
    runs = tuple(
        largest_weights(binary_split(), MapSpec(DecisionStumps, random_state=s), [10, 100, 1000]) for s in range(5)
    )
    decay = WeightDecay(np.array([10, 100, 1000]), runs)
    assert decay.n_forms[-1] == 6 and decay.quantiles[1][-1] < 0.03 * decay.quantiles[1][0]
    assert decay.of_forms[-1] > 0.5 * decay.of_forms[0]


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
