"""Splits of a data set: what a model is tested on has no say in how its inputs are scaled."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.splits import make_split
from rfviz.datasets.files import parts
from rfviz.errors import DataError, ParameterError
from rfviz.features import MapSpec, RandomBinning, RandomFourier, RandomMaxout


@pytest.mark.parametrize("how", ["none", "unit norm", "standardise"])
def test_test_rows_of_data_that_came_standardised_do_not_move_the_training_rows(how):
    whole = datasets.load("breast_cancer")
    split = make_split(whole, how)
    X = whole.X.copy()
    X[split.test_rows] = 7 * X[split.test_rows] + 3
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)  # as it would have come
    other = make_split(dataclasses.replace(whole, X=X), how)
    np.testing.assert_array_equal(other.test_rows, split.test_rows)
    np.testing.assert_allclose(other.X_train, split.X_train, atol=2e-4)
    assert not np.allclose(other.X_test, split.X_test, atol=0.1)


N, DRAWN = 2000, 300


@pytest.fixture(params=["classes", "a number"])
def drawn(request, tmp_path, monkeypatch):
    """Draw 300 rows of a folder of 2,000, which are read 450 at a time."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    monkeypatch.setattr(parts, "_BLOCK_ROWS", 450)
    rng = np.random.default_rng(0)
    X = 3 + rng.standard_normal((N, 4)) * [1, 2, 3, 4]
    y = np.sin(X).sum(axis=1)
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        key=np.arange(N), label=y if request.param == "a number" else y > 0
    )
    (tmp_path / "large").mkdir()
    for number, rows in enumerate(np.split(np.arange(N), (500, 1700))):
        table.iloc[rows].to_parquet(tmp_path / "large" / f"{number}.parquet")
    datasets.set_folder(tmp_path)
    yield datasets.load("folder:large", max_samples=DRAWN), table
    datasets.set_folder(None)


@pytest.mark.parametrize("how", ["none", "unit norm", "standardise", "standardise rows"])
def test_all_rows_but_those_of_the_test_are_scaled_as_the_training_rows(drawn, how):
    dataset, table = drawn
    split = make_split(dataset, how, all_rows=True)
    blocks = list(split.others.arrays())
    X, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    assert len(blocks) > 2 and split.n_train == len(X) == N - len(split.X_test)
    raw = table.drop(columns="label").to_numpy()
    tested = dataset.X[split.test_rows, 4].astype(int)  # the key of each row is its place
    others = np.setdiff1d(np.arange(N), tested)
    trained = dataset.X[np.setdiff1d(np.arange(DRAWN), split.test_rows)].astype(float)
    expected = {
        "none": raw,
        "unit norm": raw / np.linalg.norm(raw, axis=1, keepdims=True),
        "standardise": (raw - trained.mean(axis=0)) / trained.std(axis=0),
        "standardise rows": (raw - raw.mean(axis=1, keepdims=True)) / raw.std(axis=1, keepdims=True),
    }[how]
    np.testing.assert_allclose(X, expected[others], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(y, table.label[others].astype(float), rtol=1e-6)
    inside = np.isin(others, dataset.X[:, 4].astype(int))
    np.testing.assert_array_equal(X[inside], split.X_train)


@pytest.mark.parametrize("spec", [MapSpec(RandomFourier, gamma="scale"), MapSpec(RandomMaxout, pool_size=2)])
def test_trained_by_blocks_is_trained_on_all_rows_in_memory(drawn, spec):
    split = make_split(drawn[0], "standardise", all_rows=True)
    X, y = (np.concatenate(part) for part in zip(*split.others.arrays(), strict=True))
    spec, said = spec.replace(random_state=3), []
    by_blocks = run_segment(split, spec, [10, 40], 1.0, progress=lambda share, text: said.append((share, text)))
    # A bandwidth is that of the drawn rows, here as there.
    fixed = spec.make().fit(split.X_train)
    known = spec if spec.cls is RandomMaxout else spec.replace(gamma=fixed.gamma_)
    whole = run_segment(dataclasses.replace(split, X_train=X, y_train=y, others=None), known, [10, 40], 1.0)
    assert by_blocks.n_train == whole.n_train == len(X)
    np.testing.assert_allclose(by_blocks.errors, whole.errors, rtol=1e-3)
    assert (by_blocks.predictions != whole.predictions).mean() < 0.01 if split.is_classification else True
    assert said[0][1] == f"450 of {N:,} rows read" and [share for share, _ in said] == sorted(
        share for share, _ in said
    )
    chosen = run_segment(split, spec, [10, 40], "auto")
    assert (chosen.errors < 1.2 * by_blocks.errors).all()


def test_a_row_without_a_direction_is_named_by_its_table(drawn, tmp_path):
    dataset, table = drawn
    (first,) = np.setdiff1d(np.arange(N), dataset.X[:, 4].astype(int))[:1]
    table.loc[first, ["a", "b", "c", "d", "key"]] = 0.0
    for number, rows in enumerate(np.split(np.arange(N), (500, 1700))):
        table.iloc[rows].to_parquet(tmp_path / "large" / f"{number}.parquet")
    split = make_split(dataset, "unit norm", all_rows=True)
    with pytest.raises(DataError, match=r"some of the 2,000 rows of large are\. Choose another normalisation"):
        list(split.others.arrays())


def test_what_needs_rows_in_memory_says_so(drawn):
    split = make_split(drawn[0], "standardise", all_rows=True)
    with pytest.raises(ParameterError, match="must not learn its columns from the rows"):
        run_segment(split, MapSpec(RandomBinning, gamma=0.3), [5], 1.0)
    with pytest.raises(DataError, match="are trained on by ridge regression, not by doubly stochastic"):
        run_segment(split, MapSpec(RandomFourier), [5], loss="doubly stochastic")
    with pytest.raises(DataError, match="digits is not drawn from a larger table"):
        make_split(datasets.load("digits"), "none", all_rows=True)
