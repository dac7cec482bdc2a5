"""One seed, one map: whatever the block size, the workers, the device, the container of the data."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rfviz.errors import DataError
from rfviz.features import binning, blocks
from tests.features.cases import CASES, IDS, dense, make

rng = np.random.default_rng(0)
X = rng.standard_normal((41, 9)) * (rng.random((41, 9)) < 0.4)
TOLERANCE = {"float32": 2e-5, "float64": 1e-13}
pytestmark = pytest.mark.parametrize("case", CASES, ids=IDS)
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)
double_first = pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])


def stacked(parts):
    return np.vstack([dense(part) for part in parts])


def same(first, second):
    return np.array_equal(dense(first), dense(second))


def agree(actual, expected, dtype="float64"):
    np.testing.assert_allclose(dense(actual), dense(expected), rtol=0, atol=TOLERANCE[dtype])


@double_first
def test_block_size(case, dtype):
    feature_map = make(case, dtype=dtype).fit(X)
    expected = feature_map.transform(X)
    for block_rows in (1, 7, 40, 41, 5000):
        parts = list(feature_map.transform_blocks(X, block_rows))
        assert [part.shape[0] for part in parts[:-1]] == [block_rows] * (len(parts) - 1)
        assert parts[0].dtype == dtype
        agree(stacked(parts), expected, dtype)


@double_first
def test_number_of_workers(case, dtype, monkeypatch):
    feature_map = make(case, dtype=dtype).fit(X)
    expected = feature_map.transform(X)
    for workers in (1, 2, 5):
        for module in (blocks, binning):
            monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
            monkeypatch.setattr(module, "worker_count", lambda workers=workers: workers)
        agree(feature_map.transform(X), expected, dtype)
        agree(stacked(feature_map.transform_blocks(X, 10)), expected, dtype)


@every_dtype
def test_device(case, dtype, fake_gpu):
    # On one device or the other, the map is the same; on the fake one, fresh memory holds NaN.
    expected = make(case, dtype=dtype).fit_transform(X)
    on_gpu = make(case, dtype=dtype, device="cuda").fit(X)
    kind = fake_gpu.csr_matrix if on_gpu.sparse_output else fake_gpu.ndarray
    for container in (np.asarray, sparse.csr_matrix, sparse.csr_array):
        data = container(X)
        agree(on_gpu.transform(data), expected, dtype)
        parts = list(on_gpu.transform_blocks(data, 30))
        assert all(isinstance(part, kind) for part in parts)
        agree(stacked(parts), expected, dtype)
        del parts
        assert fake_gpu.memory.used < 1000


@double_first
def test_container_of_the_data(case, dtype):
    feature_map = make(case, dtype=dtype)
    expected = feature_map.fit_transform(X)
    frame = pd.DataFrame(X, columns=[f"pixel{j}" for j in range(X.shape[1])])
    matrices = [container(X) for container in (sparse.csr_matrix, sparse.csr_array, sparse.coo_array)]
    for data in (frame, *matrices, X.tolist(), np.asfortranarray(X)):
        result = make(case, dtype=dtype).fit_transform(data)
        assert sparse.issparse(result) if feature_map.sparse_output else isinstance(result, np.ndarray)
        agree(result, expected, dtype)


@pytest.mark.slow
def test_sparse_rows_of_any_density(case):
    # Few non-zeros go through the sparse product, many through the dense one.
    feature_map = make(case, dtype="float64").fit(X[:, :1] * np.ones((1, 40)))
    for density in (0.0, 0.02, 0.5):
        data = sparse.random(60, 40, density, format="csr", random_state=np.random.default_rng(0))
        expected = feature_map.transform(data.toarray())
        agree(feature_map.transform(data), expected)
        agree(stacked(feature_map.transform_blocks(data, 7)), expected)


def test_float32_and_integer_data(case):
    whole = np.round(X * 5)
    expected = make(case, dtype="float64").fit_transform(whole)
    for dtype in (np.float32, np.int64, np.int8):
        agree(make(case, dtype="float64").fit_transform(whole.astype(dtype)), expected)
        agree(make(case, dtype="float64").fit_transform(sparse.csr_matrix(whole.astype(dtype))), expected)


def test_data_are_not_changed(case):
    for data in (X.copy(), X.astype("float32"), sparse.csr_matrix(X)):
        before = data.copy()
        make(case, dtype=str(data.dtype)).fit(data).transform(data)
        assert abs(data - before).max() == 0


def test_dataframe_output(case):
    feature_map = make(case, 6).set_output(transform="pandas")
    frame = pd.DataFrame(X, index=np.arange(len(X)) + 7)
    if feature_map.sparse_output:
        with pytest.raises(DataError, match=r"Pandas output does not support sparse data, .*transform='default'"):
            feature_map.fit_transform(frame.rename(columns=str))
        return
    result = feature_map.fit_transform(frame.rename(columns=str))
    assert isinstance(result, pd.DataFrame)
    assert list(result.index) == list(frame.index)
    assert list(result.columns) == list(feature_map.get_feature_names_out())


def test_clone_and_pickle(case):
    feature_map = make(case, random_state=3).fit(X)
    expected = feature_map.transform(X)
    assert same(clone(feature_map).fit(X).transform(X), expected)
    assert same(pickle.loads(pickle.dumps(feature_map)).transform(X), expected)


def test_pickle_of_a_prefix_is_small(case):
    if case[0] == "SharedPoolMaxout":
        pytest.skip("every prefix chooses from the whole pool")
    large = make(case, 4000).fit(X)
    # Beside the weights, parameters and names take up to 2 kB.
    assert len(pickle.dumps(large.prefix(40))) < 0.05 * len(pickle.dumps(large)) + 2000


@pytest.mark.slow
def test_pipeline_and_grid_search(case):
    y = X[:, 0]
    pipeline = make_pipeline(make(case), Ridge())
    step = pipeline.steps[0][0]
    search = GridSearchCV(pipeline, {f"{step}__n_components": [10, 80]}, cv=2).fit(X, y)
    assert search.best_params_[f"{step}__n_components"] in (10, 80)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("random_state", [np.random.RandomState, np.random.default_rng])
def test_generators_as_random_state(case, random_state):
    first, again = (make(case, random_state=random_state(1)).fit_transform(X) for _ in range(2))
    assert same(first, again)
    generator = random_state(1)
    drawn = [make(case, random_state=generator).fit(X) for _ in range(2)]
    assert not same(drawn[0].transform(X), drawn[1].transform(X))
    # What was drawn can be drawn again.
    assert same(make(case, random_state=drawn[1].seed_).fit_transform(X), drawn[1].transform(X))


def test_no_random_state_draws_anew(case):
    assert not same(*(make(case, random_state=None).fit_transform(X) for _ in range(2)))
