"""Random Fourier features drawn in four ways, beside scikit-learn's RBFSampler; and maxout over fast projections.

    python benchmarks/fourier_draws.py [--quick] [--json PATH]

For every way to draw, paired or not, it measures the root mean square error of the Gaussian kernel over all pairs of
some rows, for rising numbers of features, and the seconds that fitting and mapping take. From these it reads off the
error at equal m, the error at equal seconds, and the seconds to reach the error of RBFSampler with 1000 features, by
interpolation on logarithmic scales. Goal: sooner than RBFSampler at equal error. Then structured maxout beside random
maxout for 784 to 8192 columns. On a machine that others use too, read the ratios, not the seconds.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
KERNELS = choose_openblas_kernels()

import numpy as np
from sklearn.kernel_approximation import RBFSampler

from benchmarks._report import interleaved, machine, markdown_table, median_ratio, write_json
from rfviz import datasets, kernels
from rfviz.features import RandomFourier, RandomMaxout, StructuredMaxout
from rfviz.features.frequencies import DRAWS
from rfviz.features.widths import learnt_gamma

POINTS = 256
ROWS = 4000
REFERENCE_M = 1000
SAMPLER = "RBFSampler"


def data_sets(quick: bool) -> dict[str, np.ndarray]:
    """Return rows to map, repeated to be worth timing: digits, and MNIST if the data folder has ``mnist.npz``."""
    digits = datasets.load("digits").X.astype(np.float32)
    found = {"digits": np.tile(digits, (3, 1))[:ROWS]}
    if quick:
        return found
    try:
        found["mnist"] = np.tile(datasets.load("folder:mnist").X.astype(np.float32), (2, 1))[:ROWS]
    except Exception as error:  # the file is not there: a stand-in of the same shape
        print(f"MNIST left out ({error}); Gaussian points of the same size instead.")
        found["gaussian 784"] = np.random.default_rng(0).standard_normal((ROWS, 784), dtype=np.float32)
    return found


def makers(gamma: float) -> dict[str, Callable[[int, int], Any]]:
    """Return every map of the comparison: from the number of features and the seed to an unfitted map."""
    maps: dict[str, Callable[[int, int], Any]] = {
        SAMPLER: lambda m, seed: RBFSampler(gamma=gamma, n_components=m, random_state=seed)
    }
    for draw in DRAWS:
        for paired in (True, False):
            name = f"{draw}, {'pairs' if paired else 'phases'}"
            maps[name] = lambda m, seed, draw=draw, paired=paired: RandomFourier(
                m, gamma=gamma, draw=draw, paired=paired, random_state=seed, device="cpu"
            )
    return maps


def fit_and_map(make: Callable[[int, int], Any], m: int, X: np.ndarray) -> np.ndarray:
    """Map all rows of `X` by a map that is drawn for them."""
    return make(m, 0).fit(X).transform(X)


def race(X: np.ndarray, grid: list[int], seeds: int, repetitions: int) -> list[dict[str, Any]]:
    """Measure error and seconds of every map at every m."""
    gamma = learnt_gamma("median", "gaussian", X)
    order = np.random.default_rng(0).permutation(len(np.unique(X, axis=0)))[:POINTS]
    points = np.unique(X, axis=0)[order]
    exact = kernels.gaussian(points, gamma=gamma)
    pairs = np.triu_indices(len(points), 1)
    rows = []
    for m in grid:
        squares: dict[str, list[float]] = {name: [] for name in makers(gamma)}
        for name, make in makers(gamma).items():
            for seed in range(seeds):
                F = make(m, seed).fit(points).transform(points)
                squares[name].append(float(np.mean(((F @ F.T).astype(np.float64) - exact)[pairs] ** 2)))
        runs = {name: partial(fit_and_map, make, m, X) for name, make in makers(gamma).items()}
        for run in runs.values():
            run()
        seconds = interleaved(runs, repetitions)
        for name in runs:
            rmse = float(np.sqrt(np.mean(squares[name])))
            ratio = median_ratio(seconds[name], seconds[SAMPLER])
            rows.append({"map": name, "m": m, "rmse": rmse, "s": min(seconds[name]), "of RBFSampler's s": ratio})
    return rows


def summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compare each map with RBFSampler with 1000 features.

    Error at as many features and at as many seconds, and seconds and features for the same error.
    """
    curves = {name: [r for r in rows if r["map"] == name] for name in dict.fromkeys(r["map"] for r in rows)}
    here = next(r for r in curves[SAMPLER] if r["m"] == REFERENCE_M)
    table = []
    for name, curve in curves.items():
        m, rmse, s = (np.log([r[key] for r in curve]) for key in ("m", "rmse", "s"))
        # Seconds of the same curve rise with m but for the noise of short runs.
        s = np.maximum.accumulate(s)
        at_m = next(r for r in curve if r["m"] == REFERENCE_M)
        reached = _at(-rmse, s, -np.log(here["rmse"]))
        table.append(
            {
                "map": name,
                "RMSE, equal m": at_m["rmse"],
                "s, equal m": at_m["s"],
                "RMSE, equal s": _at(s, rmse, np.log(here["s"])),
                "m, equal RMSE": _at(-rmse, m, -np.log(here["rmse"])),
                "s, equal RMSE": reached,
                "times sooner": None if reached is None else here["s"] / reached,
            }
        )
    return table


def _at(x: np.ndarray, y: np.ndarray, where: float) -> float | None:
    """Return exp of the line through (x, y) at `where`, which may lie a little outside; None farther away."""
    slope, offset = np.polyfit(x, y, 1)
    if not x.min() - 0.7 < where < x.max() + 0.7:
        return None
    inside = x.min() <= where <= x.max()
    return float(np.exp(np.interp(where, x, y) if inside else offset + slope * where))


def maxout(columns: list[int], m: int, repetitions: int) -> list[dict[str, Any]]:
    """Compare structured with random maxout, q = 4: seconds of mapping, and the error of both kernels' estimates."""
    rows = []
    for d in columns:
        X = np.random.default_rng(d).standard_normal((1000, d), dtype=np.float32)
        points = X[:POINTS] / np.linalg.norm(X[:POINTS], axis=1, keepdims=True)
        exact = kernels.maxout(points, pool_size=4)
        maps = {scheme: scheme(m, device="cpu").fit(X) for scheme in (RandomMaxout, StructuredMaxout)}
        errors = [np.sqrt(np.mean(((F := f.transform(points)) @ F.T - exact) ** 2)) for f in maps.values()]
        seconds = interleaved({f.label: partial(f.transform, X) for f in maps.values()}, repetitions + 1)
        random, fast = (times[1:] for times in seconds.values())
        rows.append(
            {
                "columns": d,
                "random s": min(random),
                "structured s": min(fast),
                "times as fast": median_ratio(random, fast),
                "random RMSE": float(errors[0]),
                "structured RMSE": float(errors[1]),
                "random weights MB": maps[RandomMaxout].weight_bytes(d) / 1e6,
                "structured weights MB": maps[StructuredMaxout].weight_bytes(d) / 1e6,
            }
        )
    return rows


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="digits alone, fewer seeds")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "fourier-draws-cpu.json")
    options = parser.parse_args()
    seeds, repetitions = (3, 2) if options.quick else (8, 3)
    grid = [125, 250, 500, 1000, 2000] if options.quick else [64, 125, 250, 500, 1000, 2000, 4000]
    print(f"{machine()['processor']}\n{KERNELS}")
    results: dict[str, Any] = {"rows": ROWS, "points": POINTS, "seeds": seeds, "races": {}, "tables": {}}
    for name, X in data_sets(options.quick).items():
        rows = race(X, grid, seeds, repetitions)
        results["races"][name], results["tables"][name] = rows, summary(rows)
        print(f"\n## {name}, {X.shape[1]} columns: beside RBFSampler with m = {REFERENCE_M}\n")
        print(markdown_table(results["tables"][name]))
    results["maxout"] = maxout([784, 2048, 8192] if options.quick else [784, 1024, 2048, 4096, 8192], 4096, 2)
    print("\n## Maxout, q = 4, 4096 features of 1000 rows\n")
    print(markdown_table(results["maxout"]))
    write_json(options.json, results)


if __name__ == "__main__":
    main()
