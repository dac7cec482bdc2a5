"""Predicted learning curves against the mean of many draws, by data, map, penalty and number of features.

    python benchmarks/learning_curve.py --data FOLDER [--draws 20] [--json FILE]

FOLDER is a data folder with mnist.npz, cifar10_25k.npz, phoneme_esl.npz and wisdm_har.npz. Rows have unit norm, and
with “centred” their mean image is taken away before; patches are the first 8 × 8 pixels of colour images.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _report import markdown_table, write_json

from rfviz import datasets
from rfviz.experiments.learning_curve.compute import Population, learn, spectrum_of, spread_of_features
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomReLU
from rfviz.theory import predicted_error

# Eigenvalues that a sketch computes.
TOP = 300
N, ROWS, M_GRID, ALPHAS = 200, 4000, (50, 100, 180, 200, 220, 400, 2000), (1e-8, 0.1)
MAPS = {
    "Fourier": MapSpec(RandomFourier, gamma=3.0),
    "maxout, q = 4": MapSpec(RandomMaxout, pool_size=4),
    "ReLU": MapSpec(RandomReLU),
}


def populations(folder: Path) -> Iterator[tuple[str, Population]]:
    """Yield 4,000 rows of each data set, scaled to unit norm, and all 1,797 of the digits: too few for the theory."""
    mnist = np.load(folder / "mnist.npz")
    images = mnist["X_train"][:ROWS].reshape(ROWS, -1) / 255.0
    yield "MNIST", of(images, mnist["y_train"][:ROWS])
    yield "MNIST, centred", of(images - images.mean(axis=0), mnist["y_train"][:ROWS])
    yield "phoneme, standardised", standardised(*_table(folder / "phoneme_esl.npz"))
    cifar = np.load(folder / "cifar10_25k.npz")
    patches = cifar["X_train"][:ROWS].reshape(ROWS, 32, 32, 3)[:, :8, :8].reshape(ROWS, -1) / 255.0
    yield "CIFAR-10 patches, centred", of(patches - patches.mean(axis=0), cifar["y_train"][:ROWS])
    digits = datasets.load("digits")
    yield "digits (1,797 rows), centred", of(digits.X - digits.X.mean(axis=0), digits.y)
    yield "wisdm, standardised", standardised(*_table(folder / "wisdm_har.npz"))


def _table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a table that have all values, and are not all zeros."""
    table = np.load(path)
    known = np.isfinite(table["X"]).all(axis=1) & (np.abs(table["X"]).sum(axis=1) > 0)
    return table["X"][known], table["y"][known]


def standardised(X: np.ndarray, y: np.ndarray) -> Population:
    """Return 4,000 rows drawn at random, of columns with mean 0 and standard deviation 1."""
    order = np.random.default_rng(0).permutation(len(X))[:ROWS]
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return of(X[order], y[order])


def of(X: np.ndarray, y: np.ndarray) -> Population:
    """Return rows of unit norm with their classes."""
    X = np.asarray(X, dtype=np.float64)
    codes = np.unique(y, return_inverse=True)[1]
    return Population(X / np.linalg.norm(X, axis=1, keepdims=True), np.eye(codes.max() + 1)[codes], codes)


def compare(
    name: str, people: Population, label: str, spec: MapSpec[FeatureMap], draws: int
) -> list[dict[str, object]]:
    """Return one record per penalty and number of features."""
    spread = spread_of_features(people, spec)
    started = time.process_time()
    spectrum = spectrum_of(people, spec)
    decomposed = time.process_time()
    sketch = spectrum_of(people, spec, TOP)
    seconds = {"exact s": decomposed - started, "sketch s": time.process_time() - decomposed}
    rows: list[dict[str, object]] = []
    for alpha in ALPHAS:
        measured = np.array([learn(people, spec, N, M_GRID, alpha, 0.0, draw).test for draw in range(draws)])
        m = np.append(M_GRID, np.inf)
        found, sketched = (
            predicted_error(one, N, m, alpha * spectrum.trace, from_population=True) for one in (spectrum, sketch)
        )
        for place, features in enumerate([*M_GRID, "exact kernel"]):
            mean = float(measured[:, place].mean())
            predicted = float(found.test[place]) / spectrum.variance
            rows.append(
                {
                    "data": name,
                    "map": label,
                    "alpha": alpha,
                    "m": features,
                    "measured": mean,
                    "standard error": float(measured[:, place].std(ddof=1)) / draws**0.5,
                    "predicted": predicted,
                    "off": mean / predicted - 1.0,
                    "sketched": float(sketched.test[place]) / spectrum.variance,
                    "reliable": bool(found.is_reliable[place]),
                    "features": spread.features,
                    "rows": spread.rows,
                    "cosine": spread.cosine,
                    "nearest": spread.nearest,
                    **seconds,
                }
            )
    return rows


def main() -> None:
    """Compare, print a table, and write all numbers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    for name, people in populations(given.data):
        for label, spec in MAPS.items():
            rows += compare(name, people, label, spec, given.draws)
            print(f"{name}, {label}", file=sys.stderr, flush=True)
            if given.json:  # after every case, so that a run that is cut keeps those before
                write_json(given.json, {"n": N, "top": TOP, "draws": given.draws, "rows": rows})
    table = []
    for key in dict.fromkeys((row["data"], row["map"], row["alpha"]) for row in rows):
        cells = [row for row in rows if (row["data"], row["map"], row["alpha"]) == key]
        told = {
            f"m = {row['m']:,}"
            if isinstance(row["m"], int)
            else row["m"]: f"{row['measured']:.3g} / {row['predicted']:.3g}"
            for row in cells
        }
        table.append({"data": key[0], "map": key[1], "α": f"{key[2]:g}"} | told)
    print(markdown_table(table))


if __name__ == "__main__":
    main()
