"""The penalty that a ridge path chooses, against scikit-learn's RidgeCV: test error by m, and CPU time.

python benchmarks/penalty.py [--draws 10] [--json benchmarks/results/penalty-cpu.json]

RidgeCV takes the leave-one-out errors of all rows at 61 penalties over ten decades, for each m anew, on the same
features; a path compares far fewer penalties, by the errors of at most some hundred rows, for all m at once. Prints the
squared error of test rows (of ±1 codes for classes) as a multiple of RidgeCV's, means over draws of rows and features;
and CPU seconds on one core for all m, for the largest alone, and for RidgeCV's on all of these m.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import machine, markdown_table, write_json  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_friedman1  # noqa: E402
from sklearn.linear_model import RidgeCV  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from rfviz.backend import single_threaded_blas  # noqa: E402
from rfviz.features import FeatureMap, RandomFourier, RandomReLU  # noqa: E402
from rfviz.linear_model import RidgePathClassifier, RidgePathRegressor  # noqa: E402

GRID = [50, 100, 200, 400, 1000]
ALPHAS = np.logspace(-6, 4, 61)
Rows = tuple[np.ndarray, np.ndarray]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "penalty-cpu.json")
    options = parser.parse_args()
    with single_threaded_blas():
        rows = [measure(name, draw, options.draws) for name, draw in problems().items()]
    print(markdown_table(rows))
    write_json(options.json, {"machine": machine(), "rows": rows})


def problems() -> dict[str, Callable[[int], tuple[Rows, Rows, FeatureMap]]]:
    """Return by name how rows to learn from, rows to judge by, and a map are drawn."""

    def split(X: np.ndarray, y: np.ndarray, gamma: float, size: int) -> Callable[[int], Any]:
        X = StandardScaler().fit_transform(X)

        def draw(seed: int) -> tuple[Rows, Rows, FeatureMap]:
            A, B, a, b = train_test_split(X, y, train_size=size, random_state=seed)
            return (A, a), (B, b), RandomFourier(GRID[-1], gamma=gamma, dtype="float64", random_state=seed)

        return draw

    def linear(seed: int) -> tuple[Rows, Rows, FeatureMap]:
        generator = np.random.default_rng(seed)
        X = generator.standard_normal((2200, 20)) / np.sqrt(20)
        clean = X @ generator.standard_normal(20)
        noisy = clean[:200] + 0.5 * generator.standard_normal(200)
        return (X[:200], noisy), (X[200:], clean[200:]), RandomReLU(GRID[-1], dtype="float64", random_state=seed)

    return {
        "linear and noise, 200 rows": linear,
        "diabetes, 221": split(*load_diabetes(return_X_y=True), 0.02, 221),
        "Friedman 1, 600": split(*make_friedman1(3000, noise=1.0, random_state=0), 0.05, 600),
        "breast cancer, 426": split(*load_breast_cancer(return_X_y=True), 1 / 30, 426),
        "digits, 1347": split(*load_digits(return_X_y=True), 1 / 128, 1347),
    }


def measure(name: str, draw: Callable[[int], tuple[Rows, Rows, FeatureMap]], draws: int) -> dict[str, Any]:
    """Compare both on some draws."""
    errors = np.zeros((2, draws, len(GRID)))
    seconds = np.zeros((3, draws))
    for seed in range(draws):
        (X, y), (X_new, y_new), feature_map = draw(seed)
        classes = np.unique(y) if y.dtype.kind == "i" else None
        path: Any = (RidgePathRegressor if classes is None else RidgePathClassifier)(feature_map, m_grid=GRID)
        alone = clone(path).set_params(m_grid=GRID[-1:])
        seconds[0, seed] = _cpu_seconds(path.fit, X, y)
        seconds[1, seed] = _cpu_seconds(alone.fit, X, y)
        codes, new = (_codes(t, classes) for t in (y, y_new))
        H, H_new = (np.concatenate(list(path.feature_map_.transform_blocks(A, scaled=False))) for A in (X, X_new))
        for j, (m, outputs) in enumerate(zip(GRID, path.decision_path(X_new), strict=True)):
            unit = np.square(H[:, :m] - H[:, :m].mean(axis=0)).sum() / min(m, len(H))
            peer = RidgeCV(unit * ALPHAS)
            seconds[2, seed] += _cpu_seconds(peer.fit, H[:, :m], codes)
            errors[0, seed, j] = np.mean((outputs.reshape(new.shape) - new) ** 2)
            errors[1, seed, j] = np.mean((peer.predict(H_new[:, :m]).reshape(new.shape) - new) ** 2)
    ratios = errors[0].mean(axis=0) / errors[1].mean(axis=0)
    whole, alone_seconds, peers = np.median(seconds, axis=1)
    return {
        "data, rows": name,
        **{f"m = {m}": float(ratio) for m, ratio in zip(GRID, ratios, strict=True)},
        "all m, CPU s": float(whole),
        "all m / the largest": float(whole / alone_seconds),
        "all m / RidgeCV": float(whole / peers),
    }


def _codes(y: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    if classes is None:
        return y[:, None]
    return np.where(y[:, None] == (classes if len(classes) > 2 else classes[1:]), 1.0, -1.0)


def _cpu_seconds(function: Callable[..., Any], *args: Any) -> float:
    begun = time.process_time()
    function(*args)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
