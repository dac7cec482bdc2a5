"""Dependence of columns: CPU seconds for 4,950 pairs, and how often independent pairs are called dependent.

python benchmarks/dependence.py [--runs 300] [--json FILE]
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz.analysis.dependence import find_dependence  # noqa: E402


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "dependence-cpu.json")
    options = parser.parse_args()
    report = {"planted": [planted()], "independent": [alarms(n, options.runs) for n in (100, 300, 2000)]}
    for part, rows in report.items():
        print(f"\n{part}\n\n{markdown_table(rows)}")
    write_json(options.json, report)


def planted() -> dict[str, object]:
    """Measure 100 columns of which the first two pairs depend on each other."""
    X = np.random.default_rng(0).standard_normal((20_000, 100))
    X[:, 1] = X[:, 0] ** 2
    X[:, 3] += 2.0 * np.sin(4.0 * X[:, 2])
    start = time.process_time()
    result = find_dependence(X)
    seconds = time.process_time() - start
    found = np.argwhere(np.triu(result.adjusted <= 0.01, 1)).tolist()
    return {"rows": 20_000, "pairs": 4950, "CPU seconds": round(seconds, 2), "pairs found": found}


def alarms(n: int, runs: int) -> dict[str, object]:
    """Count small p-values of independent columns: numbers, counts, zeros and ones, words, long tails, gaps."""
    p, told = [], 0
    upper = np.triu_indices(10, 1)
    for seed in range(runs):
        generator = np.random.default_rng((seed, n))
        X = generator.standard_normal((n, 10))
        X[:, 0], X[:, 1] = np.exp(2 * X[:, 0]), generator.poisson(0.5, n)
        X[:, 2], X[:, 3] = X[:, 2] > 1, generator.integers(0, 4, n)
        X[:, 4], X[generator.random(n) < 0.2, 5] = generator.geometric(0.2, n), np.nan
        result = find_dependence(X, [3, 4])
        p.append(result.p_value[upper])
        told += bool((result.adjusted[upper] <= 0.01).any())
    values = np.concatenate(p)
    return {
        "rows": n,
        "tables": runs,
        "p at most 0.05": round(float(np.mean(values <= 0.05)), 4),
        "p at most 0.001": round(float(np.mean(values <= 0.001)), 5),
        "tables with a pair told": told,
    }


if __name__ == "__main__":
    main()
