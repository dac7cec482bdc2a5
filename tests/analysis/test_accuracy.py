"""Accuracy over the number of features: splits, segments, and curves that equal one fit over the whole grid."""

import itertools

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, mean_and_spread, run_segment
from rfviz.analysis.splits import make_split
from rfviz.backend import blas_info
from rfviz.errors import DataError
from rfviz.features import MapSpec, RandomBinning, RandomFourier, RandomMaxout, RandomProjection, registry
from rfviz.linear_model import RidgePathClassifier


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("digits"), "none")


def test_split_keeps_every_row_once(split):
    assert len(split.X_train) + len(split.X_test) == 1797
    assert len(split.X_test) == round(0.25 * 1797)
    digits = datasets.load("digits")
    np.testing.assert_allclose(split.X_test, digits.X[split.test_rows], atol=1e-6)
    assert (split.y_test == digits.y[split.test_rows]).all()


def test_split_that_came_with_the_data():
    X = np.arange(60.0, dtype=np.float32).reshape(30, 2)
    data = datasets.Dataset("own", X, y=np.arange(30) % 2, target_names=("a", "b"), n_train=20)
    own = make_split(data, "none")
    assert own.given and len(own.X_train) == 20
    np.testing.assert_array_equal(own.X_test, X[20:])


@pytest.mark.parametrize("m_max", [20, 100, 1000, 12_345])
def test_segments_cut_the_grid(m_max):
    segments = grid_segments(m_max)
    grid = np.concatenate(segments)
    assert (np.diff(grid) > 0).all() and grid[-1] == m_max
    ends = [int(s[-1]) for s in segments]
    assert all(later >= 2 * earlier for earlier, later in itertools.pairwise(ends))
    # Points on top of each other would be work without a picture.
    assert (grid[1:] / grid[:-1]).min() > 1.02 or m_max <= 100


def test_segments_together_are_one_path(split):
    setting = {"pool_size": 4, "random_state": 0}
    segments = [run_segment(split, MapSpec(RandomMaxout, **setting), grid, alphas=1.0) for grid in grid_segments(200)]
    grid = np.concatenate([s.m_grid for s in segments])
    path = RidgePathClassifier(RandomMaxout(200, **setting), m_grid=grid, alphas=1.0).fit(split.X_train, split.y_train)
    errors = np.concatenate([s.errors for s in segments])
    # Different precision of the sums may turn a tie of two scores.
    np.testing.assert_allclose(errors, path.error_path(split.X_test, split.y_test), atol=2 / len(split.X_test))


def test_predictions_explain_the_errors(split):
    segment = run_segment(split, MapSpec(RandomFourier, random_state=1), [20, 60], alphas=1.0)
    wrong = (segment.predictions != split.y_test).mean(axis=1)
    np.testing.assert_allclose(segment.errors, wrong)
    assert (np.diff(segment.bytes) > 0).all()


def test_the_story_of_the_default(split):
    """The curve crosses the linear classifier and comes near the exact kernel."""
    segment = run_segment(split, MapSpec(RandomMaxout, random_state=0), [10, 1000])
    linear = run_segment(split, MapSpec(RandomProjection, random_state=0), [1000])
    assert segment.errors[0] > linear.errors[0] > segment.errors[1]
    assert segment.errors[1] < 0.025


@pytest.mark.parametrize("cls", registry().values(), ids=list(registry()))
def test_every_map(split, cls):
    segment = run_segment(split, MapSpec(cls, random_state=0), [40, 80], alphas=1.0)
    assert (segment.errors < 0.4).all() and segment.seconds_fit > 0


@pytest.mark.parametrize("loss", ["logistic", "hinge", "exponential"])
def test_stochastic_losses_do_as_well_as_ridge(split, loss):
    ridge = run_segment(split, MapSpec(RandomFourier, random_state=0), [100, 1000])
    own = run_segment(split, MapSpec(RandomFourier, random_state=0), [100, 1000], loss=loss)
    # Of 449 test rows; the seed is fixed.
    assert (own.errors < ridge.errors + 0.015).all()
    assert own.predictions.shape == ridge.predictions.shape and own.seconds_fit > 0
    np.testing.assert_array_equal(own.bytes, ridge.bytes)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("loss", ["ridge", "logistic", "hinge", "exponential"])
def test_more_classes_than_held_out_rows(loss):
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((30, 8))
    y = np.repeat(np.arange(30), 2)
    X = (centres[y] + 0.01 * rng.standard_normal((60, 8))).astype(np.float32)
    split = make_split(datasets.Dataset("many", X, y=y, target_names=tuple(map(str, range(30)))), "none")
    assert len(split.X_test) < 30
    segment = run_segment(split, MapSpec(RandomFourier), [10, 100], loss=loss)
    # Some classes have no row in training, or none in the test; one with both is found.
    both = np.isin(split.y_test, split.y_train)
    assert both.any() and (segment.predictions[1] == split.y_test)[both].all()


def test_labels_as_text(tmp_path):
    rows = "".join(f"{i % 3 + 0.01 * i},{i % 5},{['red', 'green', 'blue'][i % 3]}\n" for i in range(60))
    (tmp_path / "colours.csv").write_text("a,b,label\n" + rows, encoding="utf-8")
    datasets.set_folder(tmp_path)
    try:
        split = make_split(datasets.load("folder:colours"), "standardise")
    finally:
        datasets.set_folder(None)
    assert set(split.target_names) == {"red", "green", "blue"}
    for loss in ("ridge", "logistic"):
        assert run_segment(split, MapSpec(RandomFourier), [100], loss=loss).errors[0] < 0.2


def test_small_work_leaves_blas_as_it_was(split):
    before = blas_info()["threads"]
    run_segment(split, MapSpec(RandomProjection), [20], 1.0)
    assert blas_info()["threads"] == before


def test_rows_that_grow_are_nested_and_help(split):
    small, whole = (run_segment(split, MapSpec(RandomMaxout), [300], 1.0, share) for share in (1 / 16, 1.0))
    assert small.n_train == round(len(split.X_train) / 16) and whole.n_train == len(split.X_train)
    assert small.errors[0] > whole.errors[0]


def test_regression_reports_the_root_mean_squared_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)).astype(np.float32)
    data = datasets.Dataset("line", X, y=X.sum(axis=1).astype(np.float64))
    split = make_split(data, "none")
    segment = run_segment(split, MapSpec(RandomProjection), [100], alphas=1e-3)
    assert segment.errors[0] < 0.05 and segment.predictions.size == 0


def test_mean_and_spread_over_seeds(split):
    runs = [[run_segment(split, MapSpec(RandomMaxout, random_state=s), [20, 40], 1.0)] for s in range(3)]
    frame = mean_and_spread(runs)
    errors = np.array([r[0].errors for r in runs])
    np.testing.assert_allclose(frame["error"], errors.mean(axis=0))
    np.testing.assert_allclose(frame["s.d."], errors.std(axis=0, ddof=1))
    assert list(frame["seeds"]) == [3, 3]
    assert len(mean_and_spread([])) == 0 and (mean_and_spread(runs[:1])["s.d."] == 0).all()


def test_bad_data():
    X = np.ones((30, 2), np.float32)
    with pytest.raises(DataError, match="has none"):
        make_split(datasets.load("circle"), "none")
    with pytest.raises(DataError, match="two classes"):
        make_split(datasets.Dataset("one", X, y=np.zeros(30, int), target_names=("a", "b")), "none")
    with pytest.raises(DataError, match="at least 20 rows"):
        make_split(datasets.Dataset("few", X[:5], y=np.arange(5) % 2, target_names=("a", "b")), "none")


def test_a_sparse_map_counts_repetitions(split):
    segment = run_segment(split, MapSpec(RandomBinning, device="cpu"), [10, 40, 120])
    assert list(segment.m_grid) == [10, 40, 120]
    assert (segment.columns > 2 * segment.m_grid).all() and (np.diff(segment.columns) > 0).all()
    assert segment.errors[-1] < segment.errors[0] and segment.errors[-1] < 0.25
    frame = mean_and_spread([[segment]])
    assert list(frame["columns"]) == list(segment.columns)
    dense = run_segment(split, MapSpec(RandomProjection, device="cpu"), [10, 40])
    assert list(dense.columns) == [10, 40]
    # A repetition costs its grid, its boxes and a coefficient for each of them and each class.
    assert (segment.bytes > 8 * 10 * segment.columns).all()
