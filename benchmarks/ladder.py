"""The ladder: from a linear model to random convolutions, each rung with its error, time and memory.

    python benchmarks/ladder.py mnist path/to/mnist.npz
    python benchmarks/ladder.py cifar path/to/cifar10.npz [--only convolution network] [--json FILE]

Every rung but the last two is a random feature map of the library under one linear model, `RidgePathClassifier`, whose
penalty is chosen by leave-one-out errors. The exact kernel is the Gaussian's, on as many rows as kernel ridge
regression takes in a minute or two; the network is scikit-learn's, of one hidden layer. Nothing is augmented. On MNIST
regions, threshold and floor of the convolutions were settled on held-out training rows, after a look at the test error
with
patches of 5 and 7 pixels. On CIFAR-10 patches, regions and threshold were settled by prototypes that were compared on
2,500 of the 5,000 test images, so that its error flatters a little.

Each rung runs in a process of its own, so that its peak memory is its own: that of the whole process, data included.
CPU seconds are of all threads, from the data in memory to the predictions. Rungs that the JSON file has are computed
anew only where `--only` names them.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import json  # noqa: E402
import multiprocessing  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz.experiments.accuracy.baselines import run_baseline  # noqa: E402
from rfviz.features import FeatureMap, RandomConvolution, RandomFourier, RandomMaxout  # noqa: E402
from rfviz.linear_model import RidgePathClassifier  # noqa: E402

SHAPES = {"mnist": (28, 28), "cifar": (32, 32, 3)}
# Features of the rungs below the convolutions, and of these.
FEWER, M = 4000, {"mnist": 16_000, "cifar": 8000}
CONVOLUTION: dict[str, dict[str, Any]] = {
    "mnist": {"patch_size": 7, "grid": 3, "threshold": 1.0, "floor": 4.0},
    "cifar": {"patch_size": 6, "grid": 2, "threshold": 1.0, "floor": 0.1},
}
KERNEL_ROWS = 10_000
GOALS = {"mnist": {"error, %": 0.9, "minutes": 15}, "cifar": {"error, %": 30.0, "minutes": 30}}
COLUMNS = ("rung", "error, %", "CPU seconds", "wall seconds", "peak memory, MB", "training rows")

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def load(path: Path) -> Arrays:
    """Return training and test rows from 0 to 1, with their labels."""
    with np.load(path) as stored:
        found = [stored[name] for name in ("X_train", "y_train", "X_test", "y_test")]
    rows = [X.reshape(len(X), -1) / np.float32(255) for X in found[::2]]
    return rows[0], found[1].astype(int), rows[1], found[3].astype(int)


def on_features(feature_map: FeatureMap, data: Arrays) -> tuple[float, dict[str, Any]]:
    """Return the error of ridge regression on random features, and what was chosen."""
    X, y, X_test, y_test = data
    m = feature_map.n_components
    path = RidgePathClassifier(feature_map, m_grid=[m]).fit(X, y)
    return float(path.error_path(X_test, y_test)[0]), {"m": m, "alpha": float(path.alpha_[0])}


def on_baseline(name: str, data: Arrays, rows: int | None = None) -> tuple[float, dict[str, Any]]:
    """Return the error of another method, and what was chosen."""
    X, y, X_test, y_test = data
    found = run_baseline(name, X[:rows], y[:rows], X_test, y_test)
    return found.error, {"parameters": found.parameters}


def rungs(name: str) -> dict[str, Callable[[Arrays], tuple[float, dict[str, Any]]]]:
    """Return the rungs by name, from the lowest."""
    shape = SHAPES[name]
    fields = {"receptive_field": (8, 20), "image_shape": shape}
    convolution = RandomConvolution(M[name], image_shape=shape, **CONVOLUTION[name])
    return {
        "linear": lambda data: on_baseline("linear_ridge", data),
        "Fourier": lambda data: on_features(RandomFourier(FEWER, gamma="scale"), data),
        "maxout": lambda data: on_features(RandomMaxout(FEWER, pool_size=4), data),
        "receptive fields": lambda data: on_features(RandomMaxout(FEWER, pool_size=4, **fields), data),
        "convolution": lambda data: on_features(convolution, data),
        "exact kernel": lambda data: on_baseline("kernel_ridge", data, KERNEL_ROWS),
        "network": lambda data: on_baseline("network", data),
    }


def climb(name: str, rung: str, path: Path, queue: Any) -> None:
    """Compute one rung and send what was measured."""
    data = load(path)
    begun, wall = time.process_time(), time.perf_counter()
    error, chosen = rungs(name)[rung](data)
    queue.put(
        {
            "rung": rung,
            "error, %": round(100 * error, 2),
            "CPU seconds": round(time.process_time() - begun, 1),
            "wall seconds": round(time.perf_counter() - wall, 1),
            "peak memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6),
            "training rows": KERNEL_ROWS if rung == "exact kernel" else len(data[0]),
            **chosen,
        }
    )


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=list(SHAPES))
    parser.add_argument("data", type=Path, help="X_train, y_train, X_test, y_test in an .npz file, bytes")
    parser.add_argument("--only", nargs="*", default=None, help="rungs to compute (anew)")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "ladder.json")
    options = parser.parse_args()
    stored = json.loads(options.json.read_text()) if options.json.exists() else {}
    known = {row["rung"]: row for row in stored.get(options.name, {}).get("rungs", [])}
    context = multiprocessing.get_context("spawn")
    for rung in rungs(options.name):
        if rung not in options.only if options.only is not None else rung in known:
            continue
        queue = context.Queue()
        process = context.Process(target=climb, args=(options.name, rung, options.data, queue))
        process.start()
        known[rung] = queue.get()
        process.join()
        print(known[rung], flush=True)
        stored.pop("machine", None)
        rows = [known[name] for name in rungs(options.name) if name in known]
        part = {"goal": GOALS[options.name], "convolution": CONVOLUTION[options.name], "rungs": rows}
        write_json(options.json, stored | {options.name: part})
        stored[options.name] = part
    rows = [known[name] for name in rungs(options.name) if name in known]
    print("\n" + markdown_table([{name: row[name] for name in COLUMNS} for row in rows]))


if __name__ == "__main__":
    main()
