"""Columns that act together: how often they are found where they are planted, and named where there are none.

python benchmarks/interactions.py [--tables 20] [--json benchmarks/results/interactions-cpu.json]

Clean tables: 1,000 rows of 8 columns, of ten kinds (lines, planes, curves of single columns, heavy tails, noise).
Planted ones: products, XOR, three columns, a ring; and the sign of x₀·x₁ among 100 columns in 20,000 rows. Prints how
many of them are named, the mean and variance of the evidence z, and CPU seconds; writes them to the JSON file.
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

from rfviz.analysis.interactions import find_interactions  # noqa: E402

CLEAN = ["linear", "plane", "plane, 10% flipped", "odds", "three classes", "curves", "curves of odds", "heavy tail",
         "noise", "classes of noise"]  # fmt: skip
PLANTED = ["product", "xor", "xor, 20% flipped", "three", "ring"]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20, help="of each kind")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "interactions-cpu.json")
    options = parser.parse_args()
    rows = [measure(kind, options.tables) for kind in (*CLEAN, *PLANTED)]
    rows.append(measure("xor", 3, 20_000, 100))
    print(markdown_table(rows))
    write_json(options.json, {"machine": machine(), "rows": rows})


def table(kind: str, seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table and its target."""
    generator = np.random.default_rng(seed)
    X, noise, flip = generator.standard_normal((n, d)), generator.standard_normal(n), generator.random(n)
    a, b, c = X[:, :3].T
    line, curves = a - b + 0.5 * c, np.sin(2 * a) + b**2 + np.abs(c)
    y = {
        "linear": line + noise,
        "plane": line > 0,
        "plane, 10% flipped": (line > 0) != (flip < 0.1),
        "odds": generator.logistic(size=n) + line > 0,
        "curves": curves + 0.5 * noise,
        "three classes": (line + noise > -1).astype(int) + (line + noise > 1),
        "curves of odds": generator.logistic(size=n) + 2 * curves > 4,
        "heavy tail": a + generator.standard_t(2, n),
        "noise": noise,
        "classes of noise": generator.integers(0, 3, n),
        "product": a * b + 0.5 * noise,
        "xor": a * b > 0,
        "xor, 20% flipped": (a * b > 0) != (flip < 0.2),
        "three": a * b * c + 0.2 * noise,
        "ring": a**2 + b**2 > 1.4,
    }[kind]
    return X, y if y.dtype.kind == "f" else y.astype(int)


def measure(kind: str, tables: int, n: int = 1000, d: int = 8) -> dict[str, Any]:
    """Look for columns that act together in some tables of a kind."""
    begun = time.process_time()
    found = [find_interactions(*table(kind, seed, n, d)) for seed in range(tables)]
    seconds = (time.process_time() - begun) / tables
    z = np.array([one.together.z for one in found])
    right = {0, 1, 2} if kind == "three" else {0, 1}
    return {
        "kind": kind,
        "rows": n,
        "columns": d,
        "tables": tables,
        "say together": sum(bool(f.columns) for f in found),
        "of these the right columns": sum(set(one.columns) == right for one in found),
        "say bent": sum(one.bent.is_real() for one in found),
        "mean z": round(float(z.mean()), 2),
        "variance of z": round(float(z.var(ddof=1)), 2),
        "CPU s": round(seconds, 2),
    }


if __name__ == "__main__":
    main()
