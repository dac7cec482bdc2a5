"""Recursive feature machines: the sign of x₀·x₁ in 100 columns, and which matrix suits which problem.

python benchmarks/recursive.py [--json benchmarks/results/recursive-cpu.json]

Prints test scores, the two most important columns and CPU seconds of all threads after each number of rounds, for
weights of columns (diagonal) and of directions (full); writes them to the JSON file.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import machine, markdown_table, write_json  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_friedman1  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from rfviz.features import RandomFourier  # noqa: E402
from rfviz.linear_model import RecursiveClassifier, RecursiveRegressor  # noqa: E402

ROUNDS = (1, 2, 6)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "recursive-cpu.json")
    options = parser.parse_args()
    rows = [
        measure(name, *problem, kind, rounds)
        for name, problem in problems()
        for kind in ("diagonal", "full")
        for rounds in ROUNDS
    ]
    print(markdown_table(rows))
    write_json(options.json, {"machine": machine(), "rows": rows})


def problems() -> list[tuple[str, tuple[np.ndarray, np.ndarray, int]]]:
    """Return rows, labels or targets, and the number of training rows, by name."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((40_000, 100))
    found = [("sign of x0·x1, 100 columns", (X, (X[:, 0] * X[:, 1] > 0).astype(int), 30_000))]
    axes = np.linalg.qr(generator.standard_normal((20, 2)))[0]
    few = X[:20_000, :20]
    found.append(("the same, rotated, 20 columns", (few, (np.prod(few @ axes, axis=1) > 0).astype(int), 10_000)))
    F, f = make_friedman1(5000, 20, noise=1.0, random_state=0)
    found.append(("Friedman 1, 20 columns", (F, f, 2500)))
    for name, load in (("breast cancer", load_breast_cancer), ("digits", load_digits), ("diabetes", load_diabetes)):
        A, b = load(return_X_y=True)
        order = generator.permutation(len(A))
        b = b.astype(float) if load is load_diabetes else b
        found.append((name, (A[order], b[order], 2 * len(A) // 3)))
    return [(name, (StandardScaler().fit_transform(A), b, n)) for name, (A, b, n) in found]


def measure(name: str, X: np.ndarray, y: np.ndarray, n_train: int, kind: str, rounds: int) -> dict[str, Any]:
    """Fit one machine and judge it by the other rows."""
    cls = RecursiveRegressor if y.dtype.kind == "f" else RecursiveClassifier
    model = cls(RandomFourier(min(1000, n_train // 4 * 2), gamma="median"), matrix=kind, rounds=rounds)
    begun = time.process_time()
    model.fit(X[:n_train], y[:n_train])
    seconds = time.process_time() - begun
    score, first = model.score(X[n_train:], y[n_train:]), np.argsort(-model.feature_importances_)[:2]
    importance = float(model.feature_importances_[first].sum())
    return {
        "problem": name,
        "rows": n_train,
        "matrix": kind,
        "rounds": rounds,
        "score": round(float(score), 4),
        "first columns": first.tolist(),
        "their importance": round(importance, 3),
        "CPU s": round(seconds, 2),
    }


if __name__ == "__main__":
    main()
