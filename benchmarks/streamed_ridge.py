"""Ridge regression on rows that come in blocks: its cost by row, its peak memory, and those of an array in memory.

    python benchmarks/streamed_ridge.py [--rows N ...] [--d D] [--m M] [--block B] [--json PATH]

Each run is a process of its own, whose CPU seconds and largest resident memory it reports. Blocks are generated as they
are asked for; that time is left out. The array in memory has as many rows as --in-memory says.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()

import numpy as np

from benchmarks._report import markdown_table, write_json
from rfviz.features import RandomFourier
from rfviz.linear_model import RidgePathClassifier


def blocks(n: int, d: int, size: int, taken: list[float]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows and a target that is no linear function of them; add up the CPU seconds that they take."""
    for start in range(0, n, size):
        begun = time.process_time()
        rng = np.random.default_rng(start)
        X = rng.standard_normal((min(size, n - start), d), dtype=np.float32)
        y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
        taken.append(time.process_time() - begun)
        yield X, y


def measure(way: str, n: int, d: int, m: int, size: int) -> dict[str, Any]:
    """Fit in this process: CPU seconds, wall seconds, and the peak of its memory."""
    path = RidgePathClassifier(RandomFourier(m, gamma=1.0 / d, device="cpu"), m_grid=[m], alphas=1.0, solver="primal")
    taken: list[float] = []
    parts = blocks(n, d, size, taken)
    whole: tuple[np.ndarray, ...] = ()
    if way == "in memory":
        whole = tuple(map(np.concatenate, zip(*parts, strict=True)))
        taken.clear()
    begun, wall = time.process_time(), time.perf_counter()
    if whole:
        path.fit(whole[0], whole[1])
    else:
        path.fit_blocks(parts)
    cpu, wall = time.process_time() - begun - sum(taken), time.perf_counter() - wall
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "way": way,
        "rows": n,
        "CPU s": cpu,
        "wall s": wall,
        "CPU µs a row": 1e6 * cpu / n,
        "peak MB": peak / 1e6,
        "timings": {name: round(seconds, 2) for name, seconds in path.timings_.items()},
    }


def main(arguments: list[str] | None = None) -> None:
    """Run each measurement in a process of its own, print, and write."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--in-memory", type=int, default=200_000)
    defaults = {"d": 100, "m": 2000, "block": 50_000}
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "streamed_ridge.json")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        way, n = options.one
        print(json.dumps(measure(way, int(n), options.d, options.m, options.block)))
        return
    shared = [part for name in defaults for part in (f"--{name}", str(getattr(options, name)))]
    rows = []
    for way, n in [("in memory", options.in_memory), *(("in blocks", n) for n in options.rows)]:
        command = [sys.executable, __file__, *shared, "--one", way, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print(markdown_table(rows[-1:]), flush=True)
    write_json(options.json, {"settings": {name: getattr(options, name) for name in defaults}, "runs": rows})


if __name__ == "__main__":
    main()
