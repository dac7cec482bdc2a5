"""All schemes side by side: how well m features know the kernel, and what they cost.

    python benchmarks/schemes.py [--m 1000] [--draws 20] [--json PATH]

On the digits (1797 images of 8×8 pixels, unit norm) it prints, for every scheme: the error of the kernel estimate at m
features (root mean square over the pairs of 128 points and over draws, divided by the mean of k(x, x)); the seconds
that mapping all images takes, over those of the bare product of the images with an m × d matrix, turn by turn; and the
error that the scheme would have if it were given just the time of that product: since errors fall as 1/√m and times
grow as m, that is the error times the root of the ratio. Random binning has m repetitions. The kernels differ, so an
error tells how hard a scheme's own kernel is to estimate, not which scheme is the better one for a task.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()

import numpy as np

from benchmarks._report import interleaved, machine, markdown_table, median_ratio, write_json
from benchmarks.features import product
from rfviz import datasets
from rfviz.analysis.kernel_sample import prepare_sample
from rfviz.analysis.points import normalise
from rfviz.experiments.kernel_approximation.compute import kernel_errors
from rfviz.features import MapSpec, map_class

POINTS, TURNS = 128, 7
# Mapped many times over, so that a block is as long as in practice.
COPIES = 10
CASES: list[tuple[str, dict[str, Any]]] = [
    ("RandomProjection", {}),
    ("RandomMaxout", {"pool_size": 4}),
    ("SharedPoolMaxout", {"pool_size": 4}),
    ("StructuredMaxout", {"pool_size": 4}),
    ("RandomReLU", {}),
    ("SigmoidalRidge", {}),
    ("RandomActivation", {}),
    ("RandomPool", {}),
    ("RandomConvolution", {}),
    ("RandomFourier", {"gamma": 1.0}),
    ("RandomFourier", {"gamma": 1.0, "draw": "orthogonal"}),
    ("RandomFourier", {"gamma": 1.0, "draw": "structured"}),
    ("RandomFourier", {"gamma": 1.0, "draw": "qmc"}),
    ("RandomFourier", {"gamma": 0.3, "spectrum": "laplacian"}),
    ("LinearFourier", {"gamma": 1.0}),
    ("RandomBinning", {"gamma": 0.3}),
    ("DecisionStumps", {}),
    ("CompositionalFeatures", {"skeleton": "flat"}),
    ("CompositionalFeatures", {"skeleton": "2 convolutions"}),
    ("HybridCompositional", {"skeleton": "flat"}),
]


def measure(name: str, setting: dict[str, Any], sample: Any, X: np.ndarray, m: int, draws: int) -> dict[str, Any]:
    """Return one row of the table."""
    spec = MapSpec(map_class(name), **setting)
    result = kernel_errors(sample, spec, np.array([m]), draws)
    error = float(result.errors.average("rmse")[0] / result.unit)
    feature_map = spec.make(n_components=m, device="cpu").fit(X[: len(X) // COPIES])
    bare = product(X, np.random.default_rng(1).standard_normal((m, X.shape[1]), dtype=np.float32))

    def mapped() -> None:
        for _ in feature_map.transform_blocks(X):
            pass

    bare(), mapped()
    seconds = interleaved({"product": bare, "map": mapped}, TURNS)
    ratio = median_ratio(seconds["map"], seconds["product"])
    return {
        "scheme": name,
        "settings": ", ".join(f"{key}={value}" for key, value in setting.items()) or "–",
        "error at m": error,
        "time / product": ratio,
        "error in the product's time": error * ratio**0.5,
    }


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--m", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "schemes-cpu.json")
    options = parser.parse_args()
    digits = datasets.load("digits")
    sample = prepare_sample(digits, "unit norm", POINTS)
    X = np.tile(normalise(digits.X, "unit norm").astype(np.float32), (COPIES, 1))
    size = f"digits, {len(X)} × {X.shape[1]}, m = {options.m}, {options.draws} draws"
    print(f"{machine()['processor']}\n\n{size}\n")
    rows = [measure(name, setting, sample, X, options.m, options.draws) for name, setting in CASES]
    print(markdown_table(rows))
    write_json(options.json, {"size": size, "schemes": rows})


if __name__ == "__main__":
    main()
