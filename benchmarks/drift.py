"""Drift between two samples: seconds, what is found, and how often where nothing differs.

python benchmarks/drift.py [--runs 1000] [--power 200] [--json FILE]

Speed and memory are those of a million rows of 100 columns in float32. Planted are a shift of one column by 0.03
standard deviations, and a correlation of 0.3 of one pair of columns, whose distributions stay. False alarms are counted
at level 0.05 on tables of several kinds whose two halves have one distribution; the standard error of 1,000 runs is
0.7 points. Power is that at level 0.05 of two samples of 250 rows and four columns, next to a permutation test of the
maximum mean discrepancy with a Gaussian kernel of median width, which permutes rows, not blocks.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import PeakMemory, markdown_table, write_json  # noqa: E402
from scipy.signal import lfilter  # noqa: E402

from rfviz.analysis.drift import find_drift  # noqa: E402

LEVEL = 0.05


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--power", type=int, default=200, help="draws of each kind of change")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "drift-cpu.json")
    options = parser.parse_args()
    report = {"planted": planted(), "false alarms": [alarms(kind, options.runs) for kind in KINDS]}
    report["power"] = [power(kind, options.power) for kind in CHANGES]
    for part, rows in report.items():
        print(f"\n{part}\n\n{markdown_table(rows)}")
    write_json(options.json, report)


def planted() -> list[dict[str, object]]:
    """Measure a clean table and two with a planted difference between their halves."""
    found = []
    X = normal(0, 1_000_000, 100)
    found.append(measured("1,000,000 × 100, no change", X))
    X[len(X) // 2 :, 33] += np.float32(0.03)
    found.append(measured("1,000,000 × 100, column 33 shifted by 0.03", X))
    X = normal(5, 400_000, 100)
    late = X[len(X) // 2 :]
    late[:, 7] = 0.3 * late[:, 3] + np.sqrt(1 - 0.3**2) * late[:, 7]
    found.append(measured("400,000 × 100, correlation 0.3 of columns 3 and 7", X))
    return found


def measured(what: str, X: np.ndarray) -> dict[str, object]:
    """Compare the halves of a table."""
    with PeakMemory() as peak:
        start = time.process_time()
        result = find_drift(*halves(X))
        seconds = time.process_time() - start
    return {
        "table": what,
        "CPU seconds": round(seconds, 2),
        "extra memory, MB": round(peak.extra / 1e6),
        "p": result.p_value,
        "columns": result.columns().tolist(),
        "p of combinations": result.together_p,
        "pairs": [[one, other] for one, other, _, _ in result.pairs],
    }


def halves(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut a table in the middle."""
    return X[: len(X) // 2], X[len(X) // 2 :]


def normal(seed: int, n: int, d: int) -> np.ndarray:
    """Draw independent normal numbers."""
    return np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)


def independent(seed: int) -> np.ndarray:
    """Draw 2,000 rows of ten independent columns."""
    return normal(seed, 2000, 10)


def few_rows(seed: int) -> np.ndarray:
    """Draw 200 rows of five columns."""
    return normal(seed, 200, 5)


def correlated(seed: int) -> np.ndarray:
    """Draw 1,000 rows of 30 columns with three causes and long tails."""
    g = np.random.default_rng(seed)
    return np.exp(g.standard_normal((1000, 3)) @ g.standard_normal((3, 30)) + 0.3 * g.standard_normal((1000, 30)))


def mixed(seed: int) -> np.ndarray:
    """Draw 1,000 rows of zeros and ones, counts, words (the last two columns) and numbers, some of them missing."""
    g = np.random.default_rng(seed)
    X = g.standard_normal((1000, 8))
    X[:, 1] = X[:, 0] > 1
    X[:, 2] = g.poisson(np.exp(X[:, 0]))
    X[g.random(1000) < 0.2, 3] = np.nan
    X[:, 6] = g.integers(0, 5, 1000)
    X[:, 7] = np.minimum(g.geometric(0.05, 1000) - 1, 60)
    return X


def dependent(seed: int) -> np.ndarray:
    """Draw 20,000 rows of four columns of which each row resembles the one before (correlation 0.8)."""
    return lfilter([1.0], [1.0, -0.8], normal(seed, 20_000, 4), axis=0)


KINDS = {independent: (), few_rows: (), correlated: (), mixed: (6, 7), dependent: ()}


def alarms(kind: object, runs: int) -> dict[str, object]:
    """Count how often halves of one distribution are called different."""
    p = np.empty((runs, 3))
    for seed in range(runs):
        result = find_drift(*halves(kind(seed)), categories=KINDS[kind], random_state=seed)
        p[seed] = result.p_value, result.column_p.min(), result.together_p
    share = np.round(np.mean(p <= LEVEL, axis=0), 4).tolist()
    strict = np.round(np.mean(p[:, 0] <= 0.001), 4)
    return {
        "table": kind.__doc__.removesuffix("."),
        "runs": runs,
        "alarms at 0.05": share[0],
        "of columns": share[1],
        "of combinations": share[2],
        "alarms at 0.001": float(strict),
    }


CHANGES = (
    "none",
    "a shift of one column by 0.4",
    "a shift of all columns by 0.2",
    "a spread of one column times 1.4",
    "a spread of all columns times 1.2",
    "every tenth row shifted by 3",
    "tails of a t-distribution (2 degrees)",
    "the same in one column",
    "a correlation of 0.5",
    "two humps, with the same mean and spread",
)


def changed(kind: str, seed: int, n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    """Draw two samples of which the second is changed."""
    g = np.random.default_rng((seed, 5))
    A, B = g.standard_normal((n, 4)), g.standard_normal((n, 4))
    one = B[:, 1].copy()
    change = {
        "a shift of one column by 0.4": lambda: B + [0.0, 0.4, 0.0, 0.0],  # noqa: RUF005
        "a shift of all columns by 0.2": lambda: B + 0.2,
        "a spread of one column times 1.4": lambda: B * [1.0, 1.4, 1.0, 1.0],
        "a spread of all columns times 1.2": lambda: 1.2 * B,
        "every tenth row shifted by 3": lambda: B + 3.0 * (np.arange(n) % 10 == 0)[:, None],
        "tails of a t-distribution (2 degrees)": lambda: g.standard_t(2, (n, 4)),
        "the same in one column": lambda: np.column_stack([B[:, 0], g.standard_t(2, n), B[:, 2:]]),
        "a correlation of 0.5": lambda: np.column_stack([B[:, 0], 0.5 * B[:, 0] + np.sqrt(0.75) * one, B[:, 2:]]),
        "two humps, with the same mean and spread": lambda: np.column_stack(
            [B[:, 0], 0.8 * np.sign(g.random(n) - 0.5) + 0.6 * one, B[:, 2:]]
        ),
    }.get(kind, lambda: B)
    return A, change()


def discrepancy_p(A: np.ndarray, B: np.ndarray, seed: int, permutations: int = 199) -> float:
    """Return the p-value of the maximum mean discrepancy of two samples, rows permuted."""
    Z = np.concatenate([A, B])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    squares = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    K, g = np.exp(-squares / np.median(squares[squares > 0])), np.random.default_rng(seed)
    first = np.stack([np.arange(len(Z)), *(g.permutation(len(Z)) for _ in range(permutations))]) < len(A)
    signs = np.where(first, 1.0 / len(A), -1.0 / len(B))
    found = np.einsum("ij,ij->i", signs @ K, signs)
    return float(np.mean(found >= found[0] - 1e-12))


def power(kind: str, draws: int) -> dict[str, object]:
    """Count how often a change is found."""
    ours, theirs = np.empty(draws), np.empty(draws)
    for seed in range(draws):
        A, B = changed(kind, seed)
        ours[seed], theirs[seed] = find_drift(A, B, random_state=seed).p_value, discrepancy_p(A, B, seed)
    return {
        "change": kind,
        "draws": draws,
        "found at 0.05": float(np.mean(ours <= LEVEL)),
        "found at 0.001": float(np.mean(ours <= 0.001)),
        "by one discrepancy at 0.05": float(np.mean(theirs <= LEVEL)),
    }


if __name__ == "__main__":
    main()
