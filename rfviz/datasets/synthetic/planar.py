"""Parameters and draws that the labelled toys in the plane share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.params import Param

__all__ = ["CLASSES", "SEED", "finish", "noise", "rows", "samples"]

_NOISES = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
SEED = replace(RANDOM_STATE, help="Another seed draws other points.")
CLASSES = Param("n_classes", 2, "int", 2, 5, symbol="k", label="Classes", help="How many classes, of equal size.")


def samples(default: int = 400) -> Param:
    """Return the parameter for the number of points."""
    return Param(
        "n_samples",
        default,
        "int",
        20,
        20_000,
        log=True,
        ui_high=5000,
        symbol="n",
        label="Points",
        help="How many points to draw; the classes take turns.",
    )


def noise(default: float) -> Param:
    """Return the parameter for the distance of points from the shape of their class."""
    return Param(
        "noise",
        default,
        "float",
        0.0,
        1.0,
        log=True,
        marks=_NOISES,
        label="Noise",
        help="Standard deviation of each coordinate about the shape, in units of the axes.",
    )


def rows(n: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw class, place and jitter of every row; the first rows are the same for every `n`.

    Returns
    -------
    y : ndarray of shape (n,), int64
        0, 1, …, in turn, so that classes have equal sizes.
    places : ndarray of shape (n, 2)
        Uniform in [0, 1).
    jitter : ndarray of shape (n, 2)
        Standard normal.
    """
    # Two streams, because the points are to stay where they are when the noise changes.
    places, jitter = np.random.default_rng(seed).spawn(2)
    return np.arange(n, dtype=np.int64) % classes, places.random((n, 2)), jitter.standard_normal((n, 2))


def finish(
    name: str, X: np.ndarray, y: np.ndarray, classes: tuple[str, ...], what: str, seed: int, curve: str = ""
) -> Dataset:
    """Return the data set of these points, its columns named x and y."""
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X, dtype=np.float32),
        y=y,
        target_names=classes,
        feature_names=("x", "y"),
        provenance=f"Generated: {len(X)} points {what} (seed {seed}).",
        curve=curve,
    )
