"""Ridge regression with exact kernels: against other implementations, and as the limit of features."""

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
from rfviz.features import DecisionStumps, FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomProjection


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
    trace = ((X - X.mean(axis=0)) ** 2).sum()
    direct = Ridge(alpha=found.penalty * trace).fit(X, split.y_train).predict(split.X_test)
    assert found.error == pytest.approx(np.sqrt(np.mean((direct - split.y_test) ** 2)), rel=1e-6)


def test_the_gaussian_kernel_is_scikit_learns_with_centred_rows():
    split = cut(150, 80)
    found = run_exact_kernel(split, MapSpec(RandomFourier, gamma=0.3))
    A, B = (rows.astype(np.float64) for rows in (split.X_train, split.X_test))
    n, mean = len(A), split.y_train.mean()
    K, K_test = rbf_kernel(A, gamma=0.3), rbf_kernel(B, A, gamma=0.3)
    C = np.eye(n) - 1 / n
    centred = C @ K @ C
    model = KernelRidge(kernel="precomputed", alpha=found.penalty * np.trace(centred)).fit(
        centred, split.y_train - mean
    )
    direct = model.predict((K_test - K.mean(axis=0)) @ C) + mean
    assert found.error == pytest.approx(np.sqrt(np.mean((direct - split.y_test) ** 2)), rel=1e-6)


@pytest.mark.parametrize("spec", [MapSpec(RandomFourier, gamma=0.3), MapSpec(RandomMaxout, pool_size=3)])
def test_features_tend_to_it(spec):
    """Errors of many draws, with the penalty of the kernel, meet at its error as m grows: the gap falls as 1/m."""
    split = cut(100, 400)
    limit = run_exact_kernel(split, spec)
    fitted = spec.make(n_components=2).fit(split.X_train)
    K = fitted.kernel(split.X_train)
    trace = np.trace(K) - K.mean() * len(K)
    gaps = {}
    for m in (400, 6400):
        errors = [
            run_segment(split, spec.replace(random_state=seed), [m], limit.penalty * trace * m).errors[0]
            for seed in range(8)
        ]
        gaps[m] = abs(np.mean(errors) - limit.error)
        # Seeds differ by less than the gap to linear regression, the error without any kernel.
        assert np.std(errors) < 0.2 * limit.error
    assert gaps[6400] < 0.03 * limit.error and gaps[6400] < gaps[400] + 0.003


def test_labels_and_the_choice_of_the_penalty():
    split = make_split(datasets.load("digits"), "none")
    found = run_exact_kernel(split, MapSpec(RandomFourier))
    many = run_segment(split, MapSpec(RandomFourier, random_state=0), [4000])
    assert 0 < found.error < 0.02 and abs(found.error - many.errors[0]) < 0.01
    assert found.seconds > 0 and found.bytes == split.X_train.nbytes + 8 * len(split.X_train) * 10
    noisy = cut(200, 100, classes=True)
    rng = np.random.default_rng(0)
    flipped = np.where(rng.random(200) < 0.4, 1 - noisy.y_train, noisy.y_train)
    smooth = Split("flipped", noisy.X_train, flipped, *(noisy.X_test, noisy.y_test, noisy.test_rows), ("a", "b"), False)
    spec = MapSpec(RandomFourier, gamma=3.0)
    assert run_exact_kernel(smooth, spec).penalty > run_exact_kernel(noisy, spec).penalty


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

    monkeypatch.setattr(RandomProjection, "kernel", FeatureMap.kernel)
    with pytest.raises(ParameterError, match="must have a closed form"):
        run_exact_kernel(split, MapSpec(RandomProjection))
    constant = Split("flat", np.ones((60, 2), np.float32), split.y_train, np.ones((20, 2), np.float32), split.y_test,
                     split.test_rows, (), False)  # fmt: skip
    with pytest.raises(DataError, match="singular to rounding"):
        run_exact_kernel(constant, MapSpec(DecisionStumps))
    monkeypatch.setattr(exact_kernel, "MOST_SECONDS", 0.0)
    with pytest.raises(DataError, match="or leave exact kernels out"):
        run_exact_kernel(split, MapSpec(RandomFourier))
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00005")
    with pytest.raises(MemoryBudgetError, match="The exact kernel of 60 training rows"):
        run_exact_kernel(split, MapSpec(RandomFourier))
