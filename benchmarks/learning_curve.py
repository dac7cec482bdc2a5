"""Predicted learning curves against the mean of many draws, by data, map, penalty and number of features.

    python benchmarks/learning_curve.py --data FOLDER [--draws 20] [--json FILE]

FOLDER is a data folder with mnist.npz, cifar10_25k.npz, phoneme_esl.npz and wisdm_har.npz. Rows have unit norm, and
with “centred” their mean image is taken away before; patches are the first 8 × 8 pixels of colour images.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _report import markdown_table, write_json

from rfviz.experiments.learning_curve.compute import Population, learn, spectrum_of, spread_of_features
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomReLU
from rfviz.theory import predicted_error

N, ROWS, M_GRID, ALPHAS = 200, 4000, (50, 100, 180, 200, 220, 400, 2000), (1e-8, 0.1)
MAPS = {
    "Fourier": MapSpec(RandomFourier, gamma=3.0),
    "maxout, q = 4": MapSpec(RandomMaxout, pool_size=4),
    "ReLU": MapSpec(RandomReLU),
}


def populations(folder: Path) -> dict[str, Population]:
    """Return 4,000 rows of each data set, scaled to unit norm."""
    mnist, cifar = (np.load(folder / f"{name}.npz") for name in ("mnist", "cifar10_25k"))
    voices, moves = (np.load(folder / f"{name}.npz") for name in ("phoneme_esl", "wisdm_har"))
    images = mnist["X_train"][:ROWS].reshape(ROWS, -1) / 255.0
    patches = cifar["X_train"][:ROWS].reshape(ROWS, 32, 32, 3)[:, :8, :8].reshape(ROWS, -1) / 255.0
    known = np.isfinite(moves["X"]).all(axis=1) & (np.abs(moves["X"]).sum(axis=1) > 0)
    tables = {
        "phoneme": (voices["X"], voices["y"]),
        "wisdm": (moves["X"][known], moves["y"][known]),
    }
    found = {
        "MNIST": of(images, mnist["y_train"][:ROWS]),
        "MNIST, centred": of(images - images.mean(axis=0), mnist["y_train"][:ROWS]),
        "CIFAR-10 patches, centred": of(patches - patches.mean(axis=0), cifar["y_train"][:ROWS]),
    }
    for name, (X, y) in tables.items():
        order = np.random.default_rng(0).permutation(len(X))[:ROWS]
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        found[f"{name}, standardised"] = of(X[order], y[order])
    return found


def of(X: np.ndarray, y: np.ndarray) -> Population:
    """Return rows of unit norm with their classes."""
    X = np.asarray(X, dtype=np.float64)
    codes = np.unique(y, return_inverse=True)[1]
    return Population(X / np.linalg.norm(X, axis=1, keepdims=True), np.eye(codes.max() + 1)[codes], codes)


def compare(
    name: str, people: Population, label: str, spec: MapSpec[FeatureMap], draws: int
) -> list[dict[str, object]]:
    """Return one record per penalty and number of features."""
    spectrum, spread = spectrum_of(people, spec), spread_of_features(people, spec)
    rows: list[dict[str, object]] = []
    for alpha in ALPHAS:
        measured = np.array([learn(people, spec, N, M_GRID, alpha, 0.0, draw).test for draw in range(draws)])
        m = np.append(M_GRID, np.inf)
        found = predicted_error(spectrum, N, m, alpha * spectrum.trace, from_population=True)
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
                    "reliable": bool(found.is_reliable[place]),
                    "features": spread.features,
                    "rows": spread.rows,
                    "cosine": spread.cosine,
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
    for name, people in populations(given.data).items():
        for label, spec in MAPS.items():
            rows += compare(name, people, label, spec, given.draws)
            print(f"{name}, {label}", file=sys.stderr, flush=True)
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
    if given.json:
        write_json(given.json, {"n": N, "draws": given.draws, "rows": rows})


if __name__ == "__main__":
    main()
