"""Receptive fields on MNIST: maxout and Fourier features of whole images beside those of random rectangles.

    python benchmarks/receptive_fields.py path/to/mnist.npz [--m 10000] [--rows 60000] [--seed 0] [--json FILE]

One draw of each map up to the largest m, ridge regression for all m at once, penalty by leave-one-out errors. The
width γ of the Fourier features is chosen on 5000 training rows that are held out from the first 20 000, for each of
the two maps on its own. Prints the test errors, and those of a plain prototype beside them, and writes
benchmarks/results/receptive-fields-cpu.json after each map.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz.features import FeatureMap, RandomFourier, RandomMaxout  # noqa: E402
from rfviz.linear_model import RidgePathClassifier  # noqa: E402

FIELD = {"receptive_field": (8, 20), "image_shape": (28, 28)}
M_GRID = (100, 200, 500, 1000, 2000, 5000, 10_000)
POOL_SIZE = 4
# Around 1/(784·variance of the pixels), which is 0.0134.
GAMMAS = (0.003, 0.006, 0.012, 0.024)
# What a plain prototype, 60 000 rows, one draw, came to at m = 10 000.
PROTOTYPE = {"maxout, whole": 2.15, "maxout, rectangles": 1.69, "Fourier, whole": 2.28, "Fourier, rectangles": 1.74}


def choose_gamma(X: np.ndarray, y: np.ndarray, setting: dict[str, Any]) -> float:
    """Choose the width with the smallest error on rows that are held out, at m = 1000."""
    kept, held = slice(0, 15_000), slice(15_000, 20_000)
    errors = []
    for gamma in GAMMAS:
        path = RidgePathClassifier(RandomFourier(1000, gamma=gamma, **setting), m_grid=[1000]).fit(X[kept], y[kept])
        errors.append(path.error_path(X[held], y[held])[0])
    return GAMMAS[int(np.argmin(errors))]


def maps(X: np.ndarray, y: np.ndarray, m: int, seed: int) -> dict[str, FeatureMap]:
    """Return the four maps, unfitted, by name."""
    found: dict[str, FeatureMap] = {}
    for where, field in (("whole", {}), ("rectangles", FIELD)):
        setting = {**field, "random_state": seed}
        found[f"maxout, {where}"] = RandomMaxout(m, pool_size=POOL_SIZE, **setting)
        found[f"Fourier, {where}"] = RandomFourier(m, gamma=choose_gamma(X, y, setting), **setting)
    return found


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mnist", type=Path, help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--m", type=int, default=10_000, help="largest number of features")
    parser.add_argument("--rows", type=int, default=60_000, help="training rows")
    parser.add_argument("--seed", type=int, default=0)
    results = Path(__file__).parent / "results"
    parser.add_argument("--json", type=Path, default=results / "receptive-fields-cpu.json")
    options = parser.parse_args()
    with np.load(options.mnist) as stored:
        (X, y), (X_test, y_test) = (
            (stored[f"X_{part}"].reshape(-1, 784) / np.float32(255), stored[f"y_{part}"].astype(int))
            for part in ("train", "test")
        )
    X, y = X[: options.rows], y[: options.rows]
    grid = [m for m in M_GRID if m < options.m] + [options.m]
    rows: list[dict[str, Any]] = []
    for name, feature_map in maps(X, y, options.m, options.seed).items():
        path = RidgePathClassifier(feature_map, m_grid=grid).fit(X, y)
        errors = 100 * path.error_path(X_test, y_test)
        row: dict[str, Any] = {"map": name, "gamma": getattr(feature_map, "gamma", None)}
        row |= {f"m = {m}": round(float(error), 2) for m, error in zip(grid, errors, strict=True)}
        row |= {"prototype": PROTOTYPE[name] if options.m == 10_000 else None}
        print(row, flush=True)
        rows.append(row)
        write_json(options.json, {"rows": len(X), "field": FIELD["receptive_field"], "test error, %": rows})
    print("\n" + markdown_table(rows))


if __name__ == "__main__":
    main()
