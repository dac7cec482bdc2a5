"""The random numbers: nested, in any order, from any number of threads, and of the right law."""

import numpy as np
import pytest
from scipy import stats

from rfviz.features import draws
from rfviz.features.draws import CHUNK_ROWS, remember_normals, standard_normal, uniform

SAMPLERS = {
    "normal": standard_normal,
    "uniform": lambda seed, stream, out: uniform(seed, stream, 2.0, out),
}
LAWS = {"normal": stats.norm(), "uniform": stats.uniform(0, 2)}
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


def remembered():
    return draws._normals  # noqa: SLF001 – that there is room for it all shows nowhere else


def table(sampler, rows, columns=3, seed=1, stream=0, dtype="float64"):
    return SAMPLERS[sampler](seed, stream, np.full((rows, columns), np.nan, dtype))


@every_sampler
@pytest.mark.parametrize("rows", [1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 3 * CHUNK_ROWS])
def test_nested_in_rows(sampler, rows):
    large = table(sampler, 4 * CHUNK_ROWS)
    assert np.array_equal(table(sampler, rows), large[:rows])


@every_sampler
def test_float32_is_float64_rounded(sampler):
    assert np.array_equal(table(sampler, 600, dtype="float32"), table(sampler, 600).astype("float32"))


@every_sampler
def test_threads_draw_what_one_thread_draws(sampler, monkeypatch):
    expected = table(sampler, 2000)
    monkeypatch.setattr(draws, "_PARALLEL_FROM", 0)
    for workers in (1, 2, 7):
        monkeypatch.setattr(draws, "worker_count", lambda workers=workers: workers)
        assert np.array_equal(table(sampler, 2000), expected)


@every_sampler
def test_order_of_the_chunks_does_not_matter(sampler, monkeypatch):
    expected = table(sampler, 2000)
    monkeypatch.setattr(draws, "map_ordered", lambda function, items, workers: map(function, reversed(list(items))))
    assert np.array_equal(table(sampler, 2000), expected)


@every_sampler
def test_law(sampler):
    # Kolmogorov-Smirnov over 300,000 draws; false-alarm rate 1e-5.
    assert stats.kstest(table(sampler, 100_000).ravel(), LAWS[sampler].cdf).pvalue > 1e-5


@every_sampler
def test_seeds_streams_chunks_and_columns_are_uncorrelated(sampler):
    rows = 4 * CHUNK_ROWS
    tables = [table(sampler, rows, seed=seed, stream=stream) for seed in (0, 1, 2**70) for stream in (0, 1)]
    columns = np.hstack([*tables, np.roll(tables[0], CHUNK_ROWS, axis=0)])
    correlations = np.corrcoef(columns, rowvar=False)[np.triu_indices(columns.shape[1], 1)]
    # Each is N(0, 1/rows); the largest of them, with a false-alarm rate of 1e-5 for all together.
    assert np.abs(correlations).max() * np.sqrt(rows) < stats.norm.isf(0.5e-5 / len(correlations))


def test_remembered_draws_are_the_same_draws():
    fresh = {n: standard_normal(5, 1, np.empty((n, 7), np.float32)) for n in (100, 300, 900)}
    double = standard_normal(5, 1, np.empty((100, 7)))
    remember_normals(10_000_000)
    try:
        for n in (300, 100, 900, 300):
            again = standard_normal(5, 1, np.empty((n, 7), np.float32))
            assert (again == fresh[n]).all()
            again[:] = 0  # what is kept is not what was handed out
        assert (standard_normal(5, 2, np.empty((100, 7), np.float32)) != fresh[100]).any()
        assert (standard_normal(6, 1, np.empty((100, 7), np.float32)) != fresh[100]).any()
        assert (standard_normal(5, 1, np.empty((100, 7))) == double).all()  # not the rounded ones
    finally:
        remember_normals(0)


def test_remembered_draws_stay_within_their_room():

    remember_normals(100_000)
    try:
        for stream in range(100):
            standard_normal(0, stream, np.empty((50, 10)))
            standard_normal(0, 1000 + stream, np.empty((10_000, 10)))
        held = [table.nbytes for table in remembered().values()]
        assert sum(held) <= 100_000 and held == [4000] * 25  # the latest; a large table takes no room
        for n in range(1, 51):  # each takes the place of the shorter one
            standard_normal(0, 2000, np.empty((n, 10)))
        assert [table.nbytes for table in remembered().values()] == [4000] * 25
    finally:
        remember_normals(0)
    assert not remembered()
