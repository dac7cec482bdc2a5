"""What a whole accuracy curve costs over its last point alone, and over refitting scikit-learn's Ridge at each m.

python benchmarks/accuracy_path.py [--rows 20000] [--m 4000] [--repetitions 3] [--json FILE]

Prints the two ratios, and how far features, Gram matrix and factorisation are from the machine's own matrix product.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import interleaved, markdown_table, median_ratio, write_json  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402

from rfviz.features import RandomMaxout  # noqa: E402
from rfviz.linear_model import RidgePathClassifier, default_grid  # noqa: E402

POOL_SIZE, ALPHA = 4, 100.0


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--m", type=int, default=4000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "accuracy-path-cpu.json")
    options = parser.parse_args()
    ratios, path = compare(options.rows, options.m, options.repetitions)
    shares = share_of_product(path, options.rows, options.m)
    print(markdown_table(ratios))
    print()
    print(markdown_table(shares))
    write_json(options.json, {"rows": options.rows, "m": options.m, "ratios": ratios, "parts": shares})


def compare(n: int, m_max: int, repetitions: int) -> tuple[list[dict], RidgePathClassifier]:
    """Time a whole curve, its last point, and refitting at each m, in rotation; return also the path of the curve."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + 2000, 784), dtype=np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.argmax(X[:, :10], axis=1)
    train, test = slice(0, n), slice(n, None)
    feature_map = RandomMaxout(m_max, pool_size=POOL_SIZE, device="cpu")
    grid = default_grid(m_max)
    paths = {}

    def curve(m_grid: list[int], name: str) -> None:
        paths[name] = RidgePathClassifier(feature_map, m_grid=m_grid, alphas=ALPHA, solver="primal").fit(
            X[train], y[train]
        )
        paths[name].error_path(X[test], y[test])

    def refit() -> None:
        fitted = feature_map.fit(X[train])
        Phi, Phi_test = fitted.transform(X[train]), fitted.transform(X[test])
        codes = np.where(y[train][:, None] == np.arange(10), 1.0, -1.0).astype(np.float32)
        for m in grid:
            Ridge(alpha=ALPHA / m_max, solver="cholesky").fit(Phi[:, :m], codes).predict(Phi_test[:, :m])

    functions = {
        "curve": lambda: curve(list(grid), "curve"),
        "last": lambda: curve([int(grid[-1])], "last"),
        "refit": refit,
    }
    seconds = interleaved(functions, repetitions)
    median = {name: float(np.median(times)) for name, times in seconds.items()}
    over_last, of_refit = (
        median_ratio(seconds["curve"], seconds["last"]),
        median_ratio(seconds["refit"], seconds["curve"]),
    )
    return [
        {"what": f"{len(grid)} points, m ≤ {m_max}", "median s": median["curve"], "ratio": 1.0},
        {"what": "curve over its last point alone", "median s": median["last"], "ratio": over_last},
        {"what": "refitting Ridge at each m over the curve", "median s": median["refit"], "ratio": of_refit},
    ], paths["curve"]


def share_of_product(path: RidgePathClassifier, n: int, m: int) -> list[dict]:
    """Return the rate of each part compared with that of a float32 matrix product measured now."""
    A = np.ones((4096, 784), np.float32)
    B = np.ones((784, 8192), np.float32)
    out = np.empty((4096, 8192), np.float32)
    best = min(_timed(lambda: np.matmul(A, B, out=out)) for _ in range(5))
    product = 2 * 4096 * 784 * 8192 / best / 1e9
    work = {"features": 2 * n * 784 * m * POOL_SIZE, "Gram matrix": n * m**2, "factorisation": m**3 / 3}
    return [
        {
            "part": part,
            "seconds": path.timings_[part],
            "GFLOP/s": flops / path.timings_[part] / 1e9,
            "share of the product's rate": flops / path.timings_[part] / 1e9 / product,
        }
        for part, flops in work.items()
    ]


def _timed(function) -> float:
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
