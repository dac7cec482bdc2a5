"""Table 1 of the paper: cells equal a fit of their own, and the paper's numbers on MNIST."""

import os
from pathlib import Path

import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M, maxout_table
from rfviz.features import RandomMaxout
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
