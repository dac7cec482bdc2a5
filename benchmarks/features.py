"""How close each scheme comes to the matrix product inside it, and to scikit-learn.

    python benchmarks/features.py [--quick] [--json PATH]

For input shaped like MNIST it times every scheme beside the bare product of the same size, turn by turn, and prints
the ratio of the times. Goals: random maxout at most 1.10 of its product; random Fourier at most 0.70 of scikit-learn's
RBFSampler. On a machine that others use too, read the ratios, not the seconds.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
KERNELS = choose_openblas_kernels()

import numpy as np
from sklearn.kernel_approximation import RBFSampler

from benchmarks._report import PeakMemory, interleaved, machine, markdown_table, median_ratio, write_json
from rfviz.backend import memory_budget
from rfviz.features import FeatureMap, RandomFourier, RandomMaxout, registry

GAMMA = 1e-3
ROWS = 2048
# Settings beside the defaults.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "RandomFourier": [{"gamma": GAMMA}, {"gamma": GAMMA, "paired": False}],
    "RandomMaxout": [{"pool_size": 4}, {"pool_size": 1}],
}


def product(X: np.ndarray, W: np.ndarray) -> Callable[[], None]:
    """Compute the bare product of all rows with `W`, by row blocks into one buffer that is in memory already."""
    buffer = np.zeros((min(ROWS, len(X)), len(W)), X.dtype)

    def run() -> None:
        for start in range(0, len(X), ROWS):
            rows = X[start : start + ROWS]
            np.matmul(rows, W.T, out=buffer[: len(rows)])

    return run


def blocks(feature_map: FeatureMap, X: np.ndarray) -> Callable[[], None]:
    """Compute all blocks of features, each dropped when the next one comes."""

    def run() -> None:
        for _ in feature_map.transform_blocks(X):
            pass

    return run


def time_scheme(name: str, settings: dict, X: np.ndarray, m: int, repetitions: int) -> dict[str, Any]:
    """Return one row of the table: a feature map compared with its product."""
    n, d = X.shape
    feature_map = registry()[name](m, device="cpu", **settings).fit(X[:ROWS])
    columns = max(round(feature_map.multiply_adds(n, d) / (n * d)), 1)
    W = np.random.default_rng(1).standard_normal((columns, d), dtype=np.float32)
    ours, bare = blocks(feature_map, X), product(X, W)
    bare()
    with PeakMemory() as memory:
        ours()
    seconds = interleaved({"product": bare, "scheme": ours}, repetitions)
    best = min(seconds["scheme"])
    return {
        "scheme": name,
        "settings": ", ".join(f"{k}={v}" for k, v in settings.items()) or "–",
        "product columns": columns,
        "product s": min(seconds["product"]),
        "scheme s": best,
        "scheme / product": median_ratio(seconds["scheme"], seconds["product"]),
        "of the best times": best / min(seconds["product"]),
        "GFLOP/s": 2e-9 * n * d * columns / best,
        "extra MB": memory.extra / 1e6,
    }


def time_samplers(X: np.ndarray, m: int, repetitions: int) -> list[dict[str, Any]]:
    """Compare scikit-learn's RBFSampler with ours: the whole feature matrix, in float32."""
    maps = {
        "sklearn RBFSampler": RBFSampler(gamma=GAMMA, n_components=m, random_state=0),
        "RandomFourier(paired=False)": RandomFourier(m, gamma=GAMMA, paired=False, device="cpu"),
        "RandomFourier": RandomFourier(m, gamma=GAMMA, device="cpu"),
    }
    assert all(model.fit(X[:ROWS]).transform(X[:2]).dtype == np.float32 for model in maps.values())
    extra = {}
    for name, model in maps.items():
        with PeakMemory() as memory:
            model.transform(X)
        extra[name] = memory.extra
    seconds = interleaved({name: (lambda model=model: model.transform(X)) for name, model in maps.items()}, repetitions)
    reference = seconds["sklearn RBFSampler"]
    return [
        {
            "map": name,
            "s": min(times),
            "/ RBFSampler": median_ratio(times, reference),
            "of the best times": min(times) / min(reference),
            "extra MB": extra[name] / 1e6,
        }
        for name, times in seconds.items()
    ]


def time_naive(X: np.ndarray, m: int, q: int, repetitions: int) -> list[dict[str, Any]]:
    """Compare the maxout form that stores all n × mq projections with ours."""
    feature_map = RandomMaxout(m, pool_size=q, device="cpu").fit(X[:ROWS])
    W = feature_map.weights_.reshape(q * m, -1)

    def naive() -> np.ndarray:
        return (X @ W.T).reshape(len(X), q, m).max(axis=1)

    forms = {"all projections stored": naive, "running maximum": lambda: feature_map.transform(X)}
    extra = {}
    for name, form in forms.items():
        with PeakMemory() as memory:
            form()
        extra[name] = memory.extra
    seconds = interleaved(forms, repetitions)
    reference = seconds["all projections stored"]
    return [
        {"form": name, "s": min(times), "/ naive": median_ratio(times, reference), "extra MB": extra[name] / 1e6}
        for name, times in seconds.items()
    ]


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="8192 × 784 input and 2000 features")
    parser.add_argument("--repetitions", type=int, help="turns of each measurement (default 7 quick, 3 full)")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "features-cpu.json")
    options = parser.parse_args()
    n, d, m = (8192, 784, 2000) if options.quick else (60_000, 784, 10_000)
    repetitions = options.repetitions or (7 if options.quick else 3)
    X = np.random.default_rng(0).random((n, d), dtype=np.float32)
    size = f"{n} × {d} input, {m} features, float32, {repetitions} turns"
    about = machine()
    print(f"{about['processor']}, {about['blas']}\n{KERNELS}\n\n## Schemes beside the bare product: {size}\n")

    cases = [(name, settings) for name in registry() for settings in SETTINGS.get(name, [{}])]
    schemes = [time_scheme(name, settings, X, m, repetitions) for name, settings in cases]
    print(markdown_table(schemes))
    print("\n## The whole feature matrix, beside scikit-learn\n")
    samplers = time_samplers(X, m, repetitions) if 3 * n * m * 4 < memory_budget() else []
    print(markdown_table(samplers) if samplers else "Left out: not enough memory.")
    print("\n## Random maxout, q = 4, with and without the n × mq array\n")
    naive = time_naive(X, m, 4, 1 + 2 * options.quick) if 6 * n * m * 4 < memory_budget() else []
    print(markdown_table(naive) if naive else "Left out: not enough memory.")
    print("\nExtra MB: highest resident memory above that before the call, sampled every 2 ms.")
    write_json(options.json, {"size": size, "schemes": schemes, "samplers": samplers, "naive": naive})


if __name__ == "__main__":
    main()
