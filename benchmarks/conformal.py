"""Coverage of prediction intervals and sets over random splits, for several levels.

python benchmarks/conformal.py [--splits 200] [--json benchmarks/results/conformal-cpu.json]

Ridge regression on 100 random Fourier features, 300 rows to learn from, 200 to judge (fewer of small data sets); the
penalty is chosen by leave-one-out errors. Prints mean coverage with its standard error, and the size of intervals (in
standard deviations of the target) or sets (in classes); writes them to the JSON file.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import machine, markdown_table, write_json  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_friedman1, make_moons  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from rfviz.features import RandomFourier  # noqa: E402
from rfviz.linear_model import prediction_intervals, prediction_sets  # noqa: E402

ROWS, JUDGED = 300, 200


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "conformal-cpu.json")
    options = parser.parse_args()
    rows = [measure(name, *data, level, options.splits) for name, data in problems() for level in (0.8, 0.9)]
    print(markdown_table(rows))
    write_json(options.json, {"machine": machine(), "rows": rows})


def problems() -> list[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Return rows and targets by name."""
    generator = np.random.default_rng(0)
    x = generator.uniform(-2, 2, (5000, 2))
    uneven = np.sin(2 * x[:, 0]) + generator.standard_normal(5000) * (0.1 + np.abs(x[:, 1]))
    X, y = load_diabetes(return_X_y=True)
    found = [
        ("Friedman 1", make_friedman1(5000, 10, noise=1.0, random_state=0)),
        ("uneven noise", (x, uneven)),
        ("diabetes", (X, y.astype(float))),
        ("digits", load_digits(return_X_y=True)),
        ("breast cancer", load_breast_cancer(return_X_y=True)),
        ("moons", make_moons(5000, noise=0.4, random_state=0)),
    ]
    return [(name, (StandardScaler().fit_transform(A), b)) for name, (A, b) in found]


def measure(name: str, X: np.ndarray, y: np.ndarray, level: float, splits: int) -> dict[str, Any]:
    """Split the rows at random, again and again."""
    shares, sizes = [], []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(X))
        n = min(ROWS, 2 * len(X) // 3)
        train, test = order[:n], order[n : n + JUDGED]
        feature_map = RandomFourier(100, gamma="median", random_state=seed, device="cpu").fit(X[train])
        H, H_new = feature_map.transform(X[train]), feature_map.transform(X[test])
        if y.dtype.kind == "f":
            low, high = prediction_intervals(H, y[train], H_new, level).T
            shares.append(np.mean((low <= y[test]) & (y[test] <= high)))
            sizes.append(np.mean(high - low) / y.std())
        else:
            classes, sets = prediction_sets(H, y[train], H_new, level)
            shares.append(np.mean(np.any(sets & (classes == y[test][:, None]), axis=1)))
            sizes.append(np.mean(sets.sum(axis=1)))
    return {
        "data": name,
        "kind": "interval" if y.dtype.kind == "f" else "set",
        "level": level,
        "splits": splits,
        "coverage": round(float(np.mean(shares)), 4),
        "standard error": round(float(np.std(shares, ddof=1) / np.sqrt(splits)), 4),
        "mean size": round(float(np.mean(sizes)), 3),
    }


if __name__ == "__main__":
    main()
