"""Ridge regression with exact kernels: against other implementations, and as the limit of features."""

import dataclasses

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from rfviz import datasets
from rfviz.analysis import exact_kernel
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.exact_kernel import run_exact_kernel
from rfviz.analysis.splits import Split, make_split
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import (
    DecisionStumps,
    FeatureMap,
    MapSpec,
    RandomConvolution,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
    convolution,
)
from rfviz.features.base import SlowKernelError


def cut(n, n_test, d=3, seed=0, classes=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + n_test, d)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(len(X)) + 3.0
    y = (y > 3).astype(int) if classes else y
    names = ("no", "yes") if classes else ()
    return Split("made", X[:n], y[:n], X[n:], y[n:], np.arange(n, n + n_test), names, False)


def test_the_linear_kernel_is_ridge_regression_on_the_columns():
    split = cut(120, 60)
    found = run_exact_kernel(split, MapSpec(RandomProjection))
    X = split.X_train.astype(np.float64)
    diagonal = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    direct = Ridge(alpha=found.penalty * diagonal.mean()).fit(X, split.y_train).predict(split.X_test)
    assert found.error == pytest.approx(np.sqrt(np.mean((direct - split.y_test) ** 2)), rel=1e-6)


def test_the_gaussian_kernel_is_scikit_learns_with_centred_rows():
    split = cut(150, 80)
    found = run_exact_kernel(split, MapSpec(RandomFourier, gamma=0.3))
    A, B = (rows.astype(np.float64) for rows in (split.X_train, split.X_test))
    n, mean = len(A), split.y_train.mean()
    K, K_test = rbf_kernel(A, gamma=0.3), rbf_kernel(B, A, gamma=0.3)
    C = np.eye(n) - 1 / n
    centred = C @ K @ C
    model = KernelRidge(kernel="precomputed", alpha=found.penalty * np.diag(centred).mean()).fit(
        centred, split.y_train - mean
    )
    direct = model.predict((K_test - K.mean(axis=0)) @ C) + mean
    assert found.error == pytest.approx(np.sqrt(np.mean((direct - split.y_test) ** 2)), rel=1e-6)


@pytest.mark.parametrize("spec", [MapSpec(RandomFourier, gamma=0.3), MapSpec(RandomMaxout, pool_size=3)])
def test_features_tend_to_it(spec):
    """With the penalty of the kernel, the mean error over draws comes nearer as m grows, until draws hide the rest."""
    split = cut(100, 400)
    limit = run_exact_kernel(split, spec)
    K = spec.make(n_components=2).fit(split.X_train).kernel(split.X_train)
    diagonal = np.mean(np.diag(K)) - K.mean()
    gaps, noise = {}, {}
    for m in (30, 6400):
        errors = [
            run_segment(split, spec.replace(random_state=seed), [m], limit.penalty * diagonal * m).errors[0]
            for seed in range(8)
        ]
        gaps[m], noise[m] = np.mean(errors) - limit.error, np.std(errors, ddof=1) / np.sqrt(8)
    assert gaps[30] > 4 * noise[30], "thirty features are not enough"
    assert abs(gaps[6400]) < 0.2 * gaps[30] + 3 * noise[6400]


@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_curves_of_noisy_rows_tend_to_it_too(noise):
    """Penalties that features are given to choose from reach as far as the kernel's, whatever m is."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 5)).astype(np.float32)
    y = X[:, 0] + noise * rng.standard_normal(900)
    split = Split("noisy", X[:400], y[:400], X[400:], y[400:], np.arange(400, 900), (), False)
    spec = MapSpec(RandomFourier, gamma=0.3)
    limit = run_exact_kernel(split, spec).error
    errors = [run_segment(split, spec.replace(random_state=seed), [8000]).errors[0] for seed in range(3)]
    np.testing.assert_allclose(errors, limit, rtol=0.1)


def test_a_map_that_takes_few_pairs_at_once_is_given_few(monkeypatch):
    whole = make_split(datasets.load("digits"), "none")
    split = Split(
        "few",
        *(part[:n] for part, n in ((whole.X_train, 150), (whole.y_train, 150))),
        whole.X_test[:60],
        whole.y_test[:60],
        whole.test_rows[:60],
        whole.target_names,
        False,
    )
    spec = MapSpec(RandomConvolution, image_shape=(8, 8), patch_size=4, grid=2)
    expected = run_exact_kernel(split, spec).error
    monkeypatch.setattr(convolution, "_MOST_PAIRS", 300_000)
    assert run_exact_kernel(split, spec).error == expected
    monkeypatch.setattr(convolution, "_MOST_PAIRS", 100)
    with pytest.raises(SlowKernelError):
        run_exact_kernel(split, spec)


def test_labels():
    split = make_split(datasets.load("digits"), "none")
    found = run_exact_kernel(split, MapSpec(RandomFourier))
    many = run_segment(split, MapSpec(RandomFourier, random_state=0), [4000])
    assert 0 < found.error < 0.02 and abs(found.error - many.errors[0]) < 0.01
    assert found.seconds > 0 and found.bytes == split.X_train.nbytes + 8 * len(split.X_train) * 10


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_the_penalty_is_that_of_the_least_leave_one_out_error(noise):
    """By kernel ridge regression with an intercept on all rows but one, for each row and a fine grid of penalties."""
    split = cut(60, 10)
    split = dataclasses.replace(split, y_train=split.y_train + noise * np.random.default_rng(1).standard_normal(60))
    found = run_exact_kernel(split, MapSpec(RandomFourier, gamma=0.3))
    K = rbf_kernel(split.X_train.astype(np.float64), gamma=0.3)
    unit = np.mean(np.diag(K)) - K.mean()

    def left_out_error(penalty):
        errors = []
        for i in range(60):
            rest = np.delete(np.arange(60), i)
            bordered = np.block(
                [
                    [K[np.ix_(rest, rest)] + penalty * unit * np.eye(59), np.ones((59, 1))],
                    [np.ones((1, 59)), np.zeros((1, 1))],
                ]
            )
            solved = np.linalg.solve(bordered, np.append(split.y_train[rest], 0.0))
            errors.append(K[i, rest] @ solved[:-1] + solved[-1] - split.y_train[i])
        return np.mean(np.square(errors))

    best = min(left_out_error(penalty) for penalty in np.logspace(-5, 2, 57))
    assert left_out_error(found.penalty) < 1.02 * best


def test_progress_reaches_its_end_and_stops(monkeypatch):
    monkeypatch.setattr(exact_kernel, "_BLOCK", 20)
    shares = []
    run_exact_kernel(cut(90, 40), MapSpec(RandomFourier), lambda share, words: shares.append(share))
    assert shares == sorted(shares) and max(s for s in shares if s <= 0.8) > 0.79 and len(shares) > 10

    def stop(share, words):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_exact_kernel(cut(90, 40), MapSpec(RandomFourier), stop)


def test_blocks_of_pairs_make_no_difference(monkeypatch):
    split = cut(70, 30)
    whole = run_exact_kernel(split, MapSpec(RandomMaxout)).error
    monkeypatch.setattr(exact_kernel, "_BLOCK", 16)
    assert run_exact_kernel(split, MapSpec(RandomMaxout)).error == pytest.approx(whole, rel=1e-9)


def test_refusals(monkeypatch):
    split = cut(60, 20)

    monkeypatch.setattr(RandomProjection, "_kernel", FeatureMap._kernel)  # noqa: SLF001
    with pytest.raises(ParameterError, match="must have a closed form"):
        run_exact_kernel(split, MapSpec(RandomProjection))
    constant = Split(
        "flat",
        np.ones((60, 2), np.float32),
        split.y_train,
        np.ones((20, 2), np.float32),
        split.y_test,
        split.test_rows,
        (),
        False,
    )
    with pytest.raises(DataError, match="singular to rounding"):
        run_exact_kernel(constant, MapSpec(DecisionStumps))
    monkeypatch.setattr(exact_kernel, "MOST_SECONDS", 0.0)
    with pytest.raises(DataError, match="or leave exact kernels out"):
        run_exact_kernel(split, MapSpec(RandomFourier))
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00001")
    with pytest.raises(MemoryBudgetError, match="The exact kernel of 60 training rows"):
        run_exact_kernel(split, MapSpec(RandomFourier))
