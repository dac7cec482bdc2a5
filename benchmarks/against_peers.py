"""Random Fourier features and ridge regression against scikit-learn's ways: time to equal error, and peak memory.

    python benchmarks/against_peers.py [--mnist mnist.npz] [--rows N] [--json PATH]

Two tasks: a synthetic one of the shape of HIGGS (28 columns, two classes that no linear model tells apart, rows that
are generated block by block), and MNIST where a file is given. Each run is a process of its own with one thread, whose
CPU seconds, largest resident memory and test error are recorded for rising m. The error to reach is that of RBFSampler
with ridge regression at its largest m; a method's time to it is that of its quickest run with at most one percentage
point more. All use one kernel width and one penalty. Packages that are missing are said to be, and so are methods whose
features of all rows would not fit into memory; where that is the reference, SGD takes its place.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import importlib.util
import json
import os
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
import psutil
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import RidgeClassifier, SGDClassifier

from benchmarks._report import markdown_table, write_json
from rfviz.features import RandomFourier
from rfviz.linear_model import RidgePathClassifier

_GRID = (250, 500, 1000)
_BLOCK = 20_000
# Penalty of features whose products estimate a kernel with k(x, x) = 1.
_ALPHA = 0.1
_PEERS = ("falkon", "eigenpro", "eigenpro2")
# They hold the features of all rows, in float64, and a copy.
_IN_MEMORY = ("RBFSampler + ridge", "Nystroem + ridge")
_REFERENCES = ("RBFSampler + ridge", "RBFSampler + SGD")
METHODS = ("rfviz, blocks", "rfviz, all m at once", "RBFSampler + ridge", "Nystroem + ridge", "RBFSampler + SGD")
Blocks = Iterator[tuple[np.ndarray, np.ndarray]]


def higgs_like(n: int, seed: int = 0) -> Blocks:
    """Yield rows of 28 columns, and classes that depend on products and squares of them, one in twenty wrong."""
    for start in range(0, n, _BLOCK):
        rng = np.random.default_rng([seed, start])
        X = rng.standard_normal((min(_BLOCK, n - start), 28), dtype=np.float32)
        score = X[:, 0] * X[:, 1] + 0.5 * (X[:, 2] ** 2 - 1) + 0.7 * X[:, 3] * X[:, 4] + 0.3 * X[:, 5]
        y = (score > 0) ^ (rng.random(len(X)) < 0.05)
        yield X, y.astype(np.int64)


class Task:
    """Training blocks, test rows, the width of the kernel, and the classes."""

    def __init__(self, name: str, n: int, mnist: str) -> None:
        self.name = name
        if name == "HIGGS-like":
            self._blocks = lambda: higgs_like(n)
            self.X_test, self.y_test = next(higgs_like(_BLOCK, seed=1))
            self.gamma, self.classes = 0.5 / 28, np.arange(2)
            return
        with np.load(mnist) as held:
            X, self.X_test = (held[f"X_{part}"].reshape(-1, 784) / np.float32(255) for part in ("train", "test"))
            y, self.y_test = (held[f"y_{part}"].astype(np.int64) for part in ("train", "test"))
        self._blocks = lambda: ((X[i : i + _BLOCK], y[i : i + _BLOCK]) for i in range(0, len(X), _BLOCK))
        self.gamma, self.classes = 0.02, np.arange(10)

    def blocks(self) -> Blocks:
        return iter(self._blocks())

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        X, y = zip(*self.blocks(), strict=True)
        return np.concatenate(X), np.concatenate(y)


def predictions(task: Task, method: str, m: int) -> np.ndarray:
    """Train with so many features and predict the test rows."""
    if method.startswith("rfviz"):
        grid = [m] if "blocks" in method else [size for size in _GRID if size <= m]
        feature_map = RandomFourier(m, gamma=task.gamma, device="cpu")
        # Its penalty is that of the features before they are divided by the root of m.
        path = RidgePathClassifier(feature_map, m_grid=grid, alphas=_ALPHA * m, solver="primal")
        return path.fit_blocks(task.blocks(), classes=task.classes).predict(task.X_test)
    if method == "RBFSampler + SGD":
        sampler = RBFSampler(gamma=task.gamma, n_components=m, random_state=0)
        model = SGDClassifier(loss="squared_hinge", random_state=0)
        for X, y in task.blocks():
            if not hasattr(sampler, "random_weights_"):
                sampler.fit(X)
            model.partial_fit(sampler.transform(X), y, task.classes)
        return model.predict(sampler.transform(task.X_test))
    kind = RBFSampler if method.startswith("RBF") else Nystroem
    sampler = kind(gamma=task.gamma, n_components=m, random_state=0)
    X, y = task.whole()
    model = RidgeClassifier(alpha=_ALPHA, solver="cholesky").fit(sampler.fit_transform(X), y)
    return model.predict(sampler.transform(task.X_test))


def measure(task: Task, method: str, m: int) -> dict[str, Any]:
    """Train and test in this process."""
    begun = time.process_time()
    error = float(np.mean(predictions(task, method, m) != task.y_test))
    seconds = time.process_time() - begun
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"task": task.name, "method": method, "m": m, "error": error, "CPU s": seconds, "peak MB": peak / 1e6}


def summary(runs: list[dict[str, Any]], task: str) -> list[dict[str, Any]]:
    """Return the time of each method to the error of the reference, and its ratio."""
    own = [run for run in runs if run["task"] == task]
    compared = next(method for method in _REFERENCES if any(run["method"] == method for run in own))
    reference = max((run for run in own if run["method"] == compared), key=lambda run: run["m"])
    found = []
    for method in METHODS:
        reached = [run for run in own if run["method"] == method and run["error"] <= reference["error"] + 0.01]
        best = min(reached, key=lambda run: run["CPU s"], default=None)
        names = ("m", "error", "CPU s", "peak MB")
        entry = {"task": task, "method": method} | {name: best[name] if best else None for name in names}
        found.append(entry | {"time over the reference's": best["CPU s"] / reference["CPU s"] if best else None})
    return found


def main(arguments: list[str] | None = None) -> None:
    """Run each measurement in a process of its own, print, and write."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("--mnist", default="", help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--rows", type=int, default=200_000, help="of the synthetic task")
    parser.add_argument("--grid", type=int, nargs="+", default=list(_GRID))
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "against-peers-cpu.json")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        name, method, m = given.one
        print(json.dumps(measure(Task(name, given.rows, given.mnist), method, int(m))))
        return
    tasks = ["HIGGS-like", *(["MNIST"] if given.mnist else [])]
    environment = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    shared = [sys.executable, __file__, "--rows", str(given.rows), "--mnist", given.mnist, "--one"]
    runs, left_out = [], []
    for task in tasks:
        for m in given.grid:
            for method in METHODS:
                needed = 16 * m * (60_000 if task == "MNIST" else given.rows)
                if method in _IN_MEMORY and needed > psutil.virtual_memory().available:
                    left_out.append({"task": task, "method": method, "m": m, "would take GB": needed / 1e9})
                    continue
                command = [*shared, task, method, str(m)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                runs.append(json.loads(done.stdout))
                print(markdown_table(runs[-1:]), flush=True)
    found = [entry for task in tasks for entry in summary(runs, task)]
    print(markdown_table(found))
    absent = [name for name in _PEERS if importlib.util.find_spec(name) is None]
    results = {"rows": given.rows, "not installed": absent, "too large for memory": left_out}
    write_json(given.json, {**results, "time to equal error": found, "runs": runs})


if __name__ == "__main__":
    main()
