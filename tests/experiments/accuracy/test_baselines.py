"""Baselines on digits, their refusals, and data that are hard to hold anything out of."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError, ParameterError
from rfviz.experiments.accuracy.baselines import BASELINES, BaselineRefusedError, array_bytes, run_baseline

X, y = load_digits(return_X_y=True)
DIGITS = train_test_split((X / 16).astype(np.float32), y, test_size=797, random_state=0, stratify=y)
DIGITS = (DIGITS[0], DIGITS[2], DIGITS[1], DIGITS[3])
SMALL = tuple(part[:200] for part in DIGITS)
every_baseline = pytest.mark.parametrize("name", BASELINES)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    # So many small matrices: waking the other threads, where others want the cores too, takes longer than the work.
    with single_threaded_blas():
        yield


@pytest.fixture(scope="module")
def results():
    return {name: run_baseline(name, *DIGITS, n_components=400) for name in BASELINES}


@pytest.fixture(scope="module")
def small():
    return {name: run_baseline(name, *SMALL, n_components=100) for name in BASELINES}


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("knn", 0, 0.03),
        ("knn_1", 0, 0.03),
        ("knn_3", 0, 0.03),
        ("linear_ridge", 0.04, 0.08),
        ("linear_svm", 0.02, 0.06),
        ("rbf_svm", 0, 0.03),
        ("kernel_ridge", 0, 0.03),
        ("nystroem", 0, 0.03),
        ("rbf_sampler", 0, 0.05),
        ("network", 0, 0.05),
    ],
)
def test_errors_on_digits(results, name, low, high):
    assert low < results[name].error < high


@pytest.mark.parametrize("k", [1, 3])
def test_nearest_neighbours_of_a_fixed_k_are_those_of_all_training_rows(results, k):
    X_train, y_train, X_test, y_test = DIGITS
    distances = ((X_test[:, None].astype(float) - X_train) ** 2).sum(axis=2)
    votes = y_train[np.argsort(distances, axis=1)[:, :k]]
    # Of equal votes the smallest class counts.
    wrong = np.array([np.bincount(vote).argmax() for vote in votes]) != y_test
    assert abs(results[f"knn_{k}"].losses.sum() - wrong.sum()) <= 1  # distances that round alike
    assert results[f"knn_{k}"].parameters == {"n_neighbors": k}


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_linear_ridge_is_about_as_good_as_ridge_can_be(unit):
    """Of all penalties, in whatever unit the columns are; as a reference it must not lie above what is linear too."""
    split = make_split(datasets.load("digits"), "none")
    rows = split.X_train.astype(float), split.y_train, split.X_test.astype(float), split.y_test
    fits = [Ridge(alpha).fit(rows[0], np.eye(10)[rows[1]]) for alpha in np.logspace(-4, 3, 15)]
    best = min(np.mean(fit.predict(rows[2]).argmax(axis=1) != rows[3]) for fit in fits)
    found = run_baseline("linear_ridge", unit * rows[0], rows[1], unit * rows[2], rows[3]).error
    assert best <= found < best + 0.006  # the hold-out sees 270 rows


def test_the_exact_kernel_methods_agree(results):
    assert abs(results["kernel_ridge"].error - results["rbf_svm"].error) < 0.01


@every_baseline
def test_result_says_what_it_measured(results, name):
    result, baseline = results[name], BASELINES[name]
    assert result.n_test == 797 and result.metric == "error rate"
    assert min(result.seconds_fit, result.seconds_predict, result.seconds_search) > 0
    assert result.bytes == result.bytes_model + result.bytes_work
    assert set(result.parameters) == {baseline.grid_name, *baseline.uses}
    assert result.parameters[baseline.grid_name] in baseline.grid
    frame = result.to_frame()
    assert len(frame) == 1 and frame["error rate"][0] == result.error


def test_model_bytes_count_each_array_once(results):
    n, d = DIGITS[0].shape
    # k-NN keeps X, the labels as numbers, and the classes.
    assert results["knn"].bytes_model == n * d * 4 + n * 8 + 10 * 8
    # Coefficients and training rows.
    assert results["kernel_ridge"].bytes_model == n * 10 * 8 + n * d * 8
    shared = np.zeros(10)
    assert array_bytes([shared, shared, (np.zeros(1), sparse.csr_array(np.eye(1)))]) == 80 + 8 + 8 + 3 * 4


@every_baseline
def test_same_again(name, small):
    assert run_baseline(name, *SMALL, n_components=100).error == small[name].error


@every_baseline
def test_labels_as_text(name, small):
    words = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
    X_train, y_train, X_test, y_test = SMALL
    result = run_baseline(name, X_train, words[y_train], X_test, words[y_test], n_components=100)
    assert result.error == pytest.approx(small[name].error, abs=0.02)  # ties go to another class


@every_baseline
def test_sparse_data(name, small):
    X_train, y_train, X_test, y_test = SMALL
    result = run_baseline(name, sparse.csr_array(X_train), y_train, sparse.csr_array(X_test), y_test, n_components=100)
    assert result.error == pytest.approx(small[name].error, abs=0.02)


@every_baseline
def test_regression(name):
    data, target = load_diabetes(return_X_y=True)
    result = run_baseline(name, data[:300], target[:300], data[300:], target[300:], n_components=100)
    assert result.metric == "RMSE" and "SVM" not in result.title  # a machine for numbers is called SVR
    # One neighbour repeats the noise of its own target, so that it may do worse than the mean.
    assert result.error < (1.2 if name == "knn_1" else 0.9) * target[300:].std()


@every_baseline
@pytest.mark.parametrize("n", [2, 5, 12])
def test_fewer_samples_than_classes(name, n):
    labels = np.arange(n)
    result = run_baseline(name, DIGITS[0][:n], labels, DIGITS[0][:n], labels, n_components=20)
    assert 0 <= result.error <= 1


@every_baseline
def test_a_label_that_was_not_trained_is_an_error_of_the_line(name):
    X_train, y_train, X_test, _ = SMALL
    assert run_baseline(name, X_train, y_train, X_test, np.full(200, 77), n_components=50).error == 1


@every_baseline
def test_one_class(name):
    with pytest.raises(DataError, match="at least two classes"):
        run_baseline(name, X[:20], np.zeros(20, int), X[:5], np.zeros(5, int))


@pytest.mark.parametrize(
    ("name", "n", "sentence"),
    [
        ("kernel_ridge", 60_000, "beyond 15,000 training samples .* there are 60,000: choose a subsample of 15,000"),
        ("rbf_svm", 15_001, "beyond 15,000 training samples"),
        ("knn", 10**7, "beyond 200,000"),
    ],
)
def test_hopeless_sizes(name, n, sentence):
    reason = BASELINES[name].refusal(n, 784, 10)
    assert re.search(sentence, reason) and reason.endswith(".") and reason.count(". ") == 0


def test_refusal_by_memory(monkeypatch):
    assert BASELINES["kernel_ridge"].refusal(1000, 64, 10) == ""
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.01")
    reason = BASELINES["kernel_ridge"].refusal(1000, 64, 10)
    assert reason.startswith("Exact kernel ridge needs about 0.0166 GB (2·n² doubles)") and "0.01 GB" in reason
    assert BASELINES["nystroem"].refusal(500, 64, 10, n_components=20) == ""
    assert BASELINES["nystroem"].refusal(500, 64, 10, n_components=2000)
    with pytest.raises(BaselineRefusedError, match="Exact kernel ridge needs"):
        run_baseline("kernel_ridge", *DIGITS)


def test_nothing_is_refused_at_the_size_of_digits():
    assert not any(baseline.refusal(1000, 64, 10) for baseline in BASELINES.values())


def test_parameters():
    with pytest.raises(ParameterError, match="name must be one of 'knn'"):
        run_baseline("boosting", *SMALL)
    with pytest.raises(ParameterError, match="gamma"):
        run_baseline("rbf_svm", *SMALL, gamma=-1)
    with pytest.raises(ParameterError, match="n_components"):
        run_baseline("nystroem", *SMALL, n_components=0)
    result = run_baseline("nystroem", *SMALL, n_components=50, gamma=0.1)
    assert result.parameters["gamma"] == 0.1 and result.parameters["n_components"] == 50
    assert run_baseline("nystroem", *SMALL).parameters["n_components"] == 200


@pytest.mark.parametrize("change", [{0: X[:5, 0]}, {1: y[:7]}, {2: X[:200, :3]}, {3: y[:0]}])
def test_shapes_that_do_not_match(change):
    parts = [change.get(i, part) for i, part in enumerate(SMALL)]
    with pytest.raises(DataError, match=r"The training data need|The test data need|same columns"):
        run_baseline("knn", *parts)


def test_progress_reports_and_stops():
    seen = []
    run_baseline("linear_ridge", *SMALL, progress=lambda share, text: seen.append(share))
    assert seen == sorted(seen) and seen[0] == 0 and seen[-1] == 1

    def stop(share, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_baseline("linear_ridge", *SMALL, progress=stop)
