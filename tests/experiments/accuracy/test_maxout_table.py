"""Table 1 of the paper: cells equal a fit of their own, and the paper's numbers on MNIST."""

import os
from pathlib import Path

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import Split
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.experiments import Accuracy
from rfviz.experiments.accuracy import describe
from rfviz.experiments.accuracy.compute import AccuracyResult, table_runs
from rfviz.experiments.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M, MaxoutTable, maxout_table
from rfviz.experiments.candidate import Candidate
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from rfviz.linear_model import RidgePathClassifier

REAL = Path(os.environ.get("RFVIZ_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.fixture(scope="module")
def digits():
    data = datasets.load("digits")
    return (data.X[:1200], data.y[:1200]), (data.X[1200:], data.y[1200:])


def test_cells_equal_a_fit_of_their_own(digits):
    (X, y), (X_test, y_test) = digits
    table = maxout_table((X, y), (X_test, y_test), (50, 150), (1, 2, 4), (0, 1), alphas=(1.0,), n_held=200)
    assert table.errors.shape == (2, 3, 2)
    for i, q in enumerate(table.q_values):
        path = RidgePathClassifier(
            RandomMaxout(150, pool_size=q, random_state=1), m_grid=[50, 150], alphas=1.0, solver="primal"
        )
        errors = path.fit(X, y).error_path(X_test, y_test)
        np.testing.assert_allclose(table.errors[1, i], errors, atol=2.5 / len(y_test))


def test_without_an_intercept_cells_solve_the_papers_equations(digits):
    """α = (ZᵀZ + λI)⁻¹ZᵀY on all training rows, codes of ±1; and an intercept of the user's own is another model."""
    (X, y), (X_test, y_test) = digits
    table, other = (
        maxout_table((X, y), (X_test, y_test), (40, 90), (1, 3), (5,), alphas=(10.0,), n_held=200, intercept=has)
        for has in (False, True)
    )
    codes = np.where(y[:, None] == np.arange(10), 1.0, -1.0)
    for i, q in enumerate((1, 3)):
        for j, m in enumerate((40, 90)):
            feature_map = RandomMaxout(90, pool_size=q, random_state=5).fit(X)
            # Unscaled features, of which those of the map are 1/√90.
            Z, Z_test = (np.sqrt(90.0) * feature_map.transform(rows)[:, :m].astype(float) for rows in (X, X_test))
            coef = np.linalg.solve(Z.T @ Z + 10.0 * np.eye(m), Z.T @ codes)
            assert (table.predictions[0, i, j] != (Z_test @ coef).argmax(axis=1)).sum() <= 1  # of float32 features
    assert (table.predictions[0, 0] != other.predictions[0, 0]).any()


def test_a_sixth_of_the_rows_choose_among_penalties_of_the_size_of_the_data(digits):
    (X, y), test = digits
    table = maxout_table((X, y), test, (50,), (2,), (0,))
    again = maxout_table((X, y), test, (50,), (2,), (0,), alphas=table_penalties(X), n_held=200)
    np.testing.assert_array_equal(table.predictions, again.predictions)
    # Rows ten times as long have penalties a hundred times as large, and the same answers.
    longer = maxout_table((10 * X, y), (10 * test[0], test[1]), (50,), (2,), (0,))
    assert longer.alphas.item() == pytest.approx(100 * table.alphas.item())
    assert (longer.predictions != table.predictions).mean() < 0.01


def table_penalties(X):
    size = float(np.square(X, dtype=float).sum())
    return [10 ** (int(np.floor(np.log10(size))) - k) for k in (4, 3, 2)]


def test_numbers_have_no_table():
    X = np.eye(12, 3, dtype=np.float32)
    with pytest.raises(DataError, match="is of classes"):
        maxout_table((X, np.arange(12.0)), (X, np.arange(12.0)), (5,), (1,), (0,))


MAPS = [RandomMaxout(pool_size=q) for q in (1, 2)]


def test_the_experiment_gives_the_table_its_curves_and_its_sentence():
    data = datasets.load("digits")
    experiment = Accuracy(maps=MAPS, m_max=60, seeds=2, table=True, intercept=False, baselines=["knn_1"])
    first, result = experiment.parts(data)
    assert len(first.numbers.table.errors) == 1
    split = result.numbers.split
    table = maxout_table(
        (split.X_train, split.y_train), (split.X_test, split.y_test), (60,), (1, 2), (0, 1), intercept=False
    )
    frame = result.to_frame("accuracy-table-1")
    np.testing.assert_allclose(frame["error %"], 100 * table.errors.mean(axis=0).ravel())
    assert list(frame) == ["q", "m", "error %", "s.d."]  # the paper's numbers are of other data
    curves = result.to_frame()
    measured = curves.loc[curves["m"].notna(), ["error", "s.d."]].to_numpy(float)
    np.testing.assert_allclose(measured, frame[["error %", "s.d."]])
    words = result.chart("accuracy-table-1").words
    assert "2 draws, without an intercept, as in the paper" in words and "standard deviations" not in words
    assert result.numbers.confusions("Random maxout, q = 2", 60).sum() == len(split.y_test)
    assert list(result.figure("accuracy-table-1").data[0].y) == ["q = 1", "q = 2"]


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"maps": [RandomFourier()]}, "table must be False unless all maps are RandomMaxout"),
        ({"alpha": 1.0}, "alpha must be 'auto' if table=True"),
        ({"loss": "hinge"}, "loss must be 'ridge' if table=True"),
        ({"grow": "rows"}, "grow must be 'features' if table=True"),
    ],
)
def test_what_the_table_does_not_have_is_refused(settings, rule):
    with pytest.raises(ParameterError, match=rule):
        Accuracy(**{"maps": MAPS, "table": True} | settings)


def of_the_papers_data(errors, baselines):
    """Return a result on rows of the paper's shape, whose cells of q = 1 and m = 100, 500 have these errors."""
    X, y = np.zeros((1, 784), np.float32), np.zeros(10_000, dtype=int)
    rows = np.broadcast_to(X, (60_000, 784)), np.broadcast_to(X, (10_000, 784))
    names = tuple(map(str, range(10)))
    split = Split("mnist", rows[0], np.zeros(60_000, dtype=int), rows[1], y, y, names, True)
    cells = np.array(errors)[:, None]
    table = MaxoutTable((100, 500), (1,), cells, cells, np.zeros((*cells.shape, 10_000), np.int16))
    candidates = (Candidate("Random maxout, q = 1", MapSpec(RandomMaxout, pool_size=1)),)
    runs = table_runs(table, candidates, split)
    return AccuracyResult(split, candidates, "ridge", runs, baselines, table=table)


@pytest.mark.parametrize(
    ("errors", "counts"),
    [
        ([[0.1768, 0.1476]], "2 are within two of the paper’s standard deviations, 0 below and 0 above"),
        ([[0.1700, 0.1476]], "1 is within two of the paper’s standard deviations, 1 below and 0 above"),
        ([[0.1768, 0.1600]], "1 is within two of the paper’s standard deviations, 0 below and 1 above"),
    ],
)
def test_cells_are_counted_by_their_distance_from_the_papers(errors, counts):
    said = describe.about_table_1(of_the_papers_data(errors, {}), intercept=True)
    assert counts in said and "with an intercept" in said and "neighbours" not in said


@pytest.mark.parametrize(("three", "is_optimal"), [(0.0295, False), (0.0320, True)])
def test_the_optimum_of_nearest_neighbours_is_doubted_where_it_is_none(three, is_optimal):
    baselines = {"1 nearest neighbour": 0.0309, "3 nearest neighbours": three}
    said = describe.about_table_1(of_the_papers_data([[0.2, 0.2]], baselines), intercept=False)
    assert f"here it is 3.09% for k = 1 and {100 * three:.2f}% for k = 3." in said
    assert ("That is not the optimum: k = 3 has less" in said) != is_optimal


def test_penalties_are_chosen_from_the_candidates(digits):
    table = maxout_table(*digits, (50,), (2,), (0,), alphas=(1e-2, 1.0, 1e6), n_held=300)
    assert table.alphas.ravel()[0] in (1e-2, 1.0)


def test_a_penalty_below_the_rounding_is_refused(digits):
    """150 features of a pool of one are linear in 64 pixels, so their Gram matrix alone is singular."""
    with pytest.raises(DataError, match="below the rounding"):
        maxout_table(*digits, (150,), (1,), (0,), alphas=(1e-12,), n_held=200)


def test_gpu_path(digits, fake_gpu):
    host, gpu = (maxout_table(*digits, (60,), (1, 3), (0,), (1.0,), 200, device) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(gpu.errors, host.errors, atol=0.01)


def test_frame_holds_the_papers_cells(digits):
    frame = maxout_table(*digits, (100,), (2,), (0, 1), (1.0,), 200).to_frame()
    assert frame.loc[0, "paper %"] == PAPER_TABLE_1[2][TABLE_M.index(100)][0]


def test_refusals(digits, monkeypatch):
    with pytest.raises(DataError, match="more rows"):
        maxout_table(*digits, (50,), (2,), (0,), n_held=5000)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="Gram matrices"):
        maxout_table(*digits, (500,), (2,), (0,), n_held=200)


def test_first_cells_of_the_paper():
    """Compare m = 100 and 500 on MNIST, one draw: within three of the paper's standard deviations, or better."""
    file = REAL / "mnist.npz"
    if not file.is_file():
        pytest.skip(f"needs {file}")
    with np.load(file) as stored:
        train, test = (
            (stored[f"X_{p}"].reshape(-1, 784) / np.float32(255), stored[f"y_{p}"].astype(int))
            for p in ("train", "test")
        )
    table = maxout_table(train, test, (100, 500), (1, 2, 4), (0,))
    frame = table.to_frame()
    assert (frame["apart"] < 3).all(), frame
    assert (frame["error %"] > 5).all()
