"""Errors over all rows of a table in parts: those of the whole table in memory, however it is cut."""

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import other_rows, prepare_sample
from rfviz.datasets.files import parts
from rfviz.errors import DataError
from rfviz.experiments.kernel_approximation import all_rows
from rfviz.experiments.kernel_approximation.all_rows import join_draws, row_errors
from rfviz.experiments.kernel_approximation.compute import METRICS, kernel_errors
from rfviz.features import (
    CompositionalFeatures,
    MapSpec,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
)
from tests.experiments.kernel_approximation.large_table import DRAWN, N, table, written

POINTS, GRID = 16, (2, 10, 30)
SPECS = [
    MapSpec(RandomFourier, gamma=0.5, paired=False),
    MapSpec(RandomFourier, gamma="scale"),
    MapSpec(RandomMaxout, pool_size=3),
    MapSpec(RandomProjection),
    MapSpec(RandomBinning, gamma=0.2),
    MapSpec(CompositionalFeatures, skeleton="flat", deduplicate=True),
]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a table in parts, of which 200 rows are drawn, and load it."""
    yield from written(tmp_path, monkeypatch)


def asked(dataset, how="standardise"):
    sample = prepare_sample(dataset, how, POINTS)
    return sample, other_rows(dataset, sample, how)


def brute_force(frame, dataset, how, spec, seed):
    """Return exact kernel and estimates (G, pairs) of a point and a row, all in memory, by maps that are not nested."""
    X = frame.to_numpy(np.float32).astype(float)
    chosen = np.sort(np.random.default_rng(0).permutation(DRAWN)[:POINTS])
    places = parts.sampled_rows(N, DRAWN)[dataset.row_numbers[chosen]]
    points = X[places]
    if how == "standardise":
        X = (X - points.mean(axis=0)) / points.std(axis=0)
    elif how == "unit norm":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    i, j = np.meshgrid(np.arange(N), places, indexing="ij")
    # Once: a row that is a point has its pair with a later point only.
    wanted = np.where(np.isin(i, places), i < j, True)
    estimated = []
    for m in GRID:
        own = spec.make(n_components=m, random_state=seed).fit(X[places])
        Phi = own.transform(X)
        Phi = Phi.toarray() if hasattr(Phi, "toarray") else Phi
        estimated.append((Phi.astype(float) @ Phi[places].astype(float).T)[wanted])
    return own.kernel(X, X[places])[wanted], np.array(estimated)


@pytest.mark.parametrize("how", ["standardise", "unit norm", "none"])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_measures_are_those_of_all_pairs_in_memory(write, how, spec):
    frame = table()
    dataset = write(frame)
    sample, others = asked(dataset, how)
    found = row_errors(sample, others, spec, GRID, [0, 1])
    assert found.n_rows == N and found.n_pairs == (N - POINTS) * POINTS + POINTS * (POINTS - 1) // 2
    for seed in (0, 1):
        exact, estimated = brute_force(frame, dataset, how, spec, seed)
        assert exact.size == found.n_pairs
        error = estimated - exact
        size = 2e-6 * np.abs(exact).max()  # features are rounded to float32
        np.testing.assert_allclose(found.rmse[seed], np.sqrt((error**2).mean(axis=1)), rtol=1e-5, atol=size)
        np.testing.assert_allclose(found.mae[seed], np.abs(error).mean(axis=1), rtol=1e-5, atol=size)
        np.testing.assert_allclose(found.maximum[seed], np.abs(error).max(axis=1), rtol=1e-5, atol=size)
        correlation = [np.corrcoef(row, exact)[0, 1] for row in estimated]
        np.testing.assert_allclose(found.correlation[seed], correlation, atol=1e-5)


@pytest.mark.parametrize("spec", [SPECS[0].replace(dtype="float64"), SPECS[2]], ids=str)
def test_the_cuts_of_the_file_and_of_the_blocks_do_not_matter(write, monkeypatch, spec):
    results = []
    for cuts, rows, n_bytes in (((500, 1300), 450, 16_000_000), ((7, 8, 1400), 137, 1), ((701,), 10_000, 40_000)):
        monkeypatch.setattr(parts, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(all_rows, "_BYTES", n_bytes)
        results.append(row_errors(*asked(write(table(), cuts)), spec, GRID, [0, 1]))
    for name in METRICS:
        for other in results[1:]:
            np.testing.assert_allclose(other.metric(name), results[0].metric(name), rtol=1e-6)


def test_draws_may_come_in_several_passes_and_are_those_of_the_points(write):
    sample, others = asked(write(table()))
    whole = row_errors(sample, others, SPECS[0], GRID, range(3))
    joined = join_draws([row_errors(sample, others, SPECS[0], GRID, draws) for draws in (range(2), range(2, 3))])
    for name in METRICS:
        np.testing.assert_array_equal(joined.metric(name), whole.metric(name))
    # The pairs of the points are among all: no error of theirs is larger than the largest of all.
    assert (whole.maximum >= kernel_errors(sample, SPECS[0], GRID, 3).errors.maximum - 1e-9).all()


def test_columns_without_a_rotation_where_there_are_more_of_them_than_points(write):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((N, 20)), columns=[f"c{number}" for number in range(20)])
    sample, others = asked(write(frame))
    found = row_errors(sample, others, SPECS[0], GRID, [0])
    assert (found.maximum >= kernel_errors(sample, SPECS[0], GRID, 1).errors.maximum - 1e-9).all()


def test_a_gpu_gives_the_same(write, fake_gpu):
    sample, others = asked(write(table()))
    for spec in (SPECS[2], SPECS[4], SPECS[5]):
        host, there = (row_errors(sample, others, spec.replace(device=at), GRID, [0]) for at in ("cpu", "cuda"))
        for name in METRICS:
            np.testing.assert_allclose(there.metric(name), host.metric(name), rtol=1e-5, atol=1e-7)


def test_labels_are_not_needed(write):
    frame = table().assign(label=["yes", "no"] * (N // 2))
    results = []
    for one in (frame, frame.drop(columns="label")):
        dataset = write(one)
        assert (dataset.y is None) == ("label" not in one)
        results.append(row_errors(*asked(dataset), SPECS[0], GRID, [0]))
    for name in METRICS:
        np.testing.assert_array_equal(results[0].metric(name), results[1].metric(name))


def test_a_constant_kernel_has_no_correlation(write):
    frame = table().assign(b=0.0, c=0.0, d=0.0)
    frame["a"] = frame.a.abs()
    found = row_errors(*asked(write(frame), "unit norm"), SPECS[0], GRID, [0])
    assert np.isnan(found.correlation).all() and (found.rmse > 0).all()


def test_rows_that_cannot_be_used_are_left_out(write):
    frame = table()
    frame.loc[:49, "a"] = np.nan
    found = row_errors(*asked(write(frame, missing="drop rows")), SPECS[0], GRID, [0])
    assert found.n_rows == N - 50


def test_it_says_how_far_it_is_and_stops(write, monkeypatch):
    monkeypatch.setattr(all_rows, "_BYTES", 1)
    said = []

    def progress(share, words):
        said.append((share, words))
        if len(said) == 4:
            raise KeyboardInterrupt

    sample, others = asked(write(table()))
    with pytest.raises(KeyboardInterrupt):
        row_errors(sample, others, SPECS[0], GRID, [0], progress)
    assert said[0][1].endswith(f" of {N - POINTS:,} rows") and 0 < said[0][0] < said[-1][0] < 1


def test_bad_rows_are_one_sentence(write, tmp_path):
    frame = table()
    sample, others = asked(write(frame), "unit norm")
    file = tmp_path / "large" / "1.parquet"
    frame.iloc[500:1300].mul(0.0).to_parquet(file)
    with pytest.raises(DataError, match=r"some of the 1,500 rows of large are\. Choose another normalisation"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    frame.iloc[500:1200].to_parquet(file)
    with pytest.raises(DataError, match=r"had 1,500 rows at first, and has 1,400 now\. Load it again"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(DataError, match=r"1\.parquet"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    with pytest.raises(DataError, match=r"digits is not drawn from a larger table\. Choose a folder"):
        other_rows(datasets.load("digits"), sample)
