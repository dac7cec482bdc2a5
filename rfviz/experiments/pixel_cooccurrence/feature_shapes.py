"""How many inputs the random features of a skeleton multiply, how often they repeat, and one of them over an image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.experiments.pixel_cooccurrence.compute import FeatureSample
from rfviz.features import CompositionalFeatures
from rfviz.features.compositional import host_arrays, map_on_host
from rfviz.features.compositional_draws import CHUNK, REAL, SINE, chunks, draw_chunk
from rfviz.figures.images import as_pixels
from rfviz.params import Param
from rfviz.progress import Progress, silent
from rfviz.skeleton import Skeleton

__all__ = [
    "FeatureSizes",
    "Repeats",
    "SingleFeature",
    "bytes_per_feature",
    "feature_sizes",
    "repeats",
    "scaled_image",
    "single_feature",
]

_MOST_SHOWN = 30


@dataclass(frozen=True, eq=False)
class FeatureSizes:
    """How many paths features have, and how many different pixels they reach.

    Attributes
    ----------
    paths, pixels : ndarray of shape (31,)
        Features with 0, 1, …, 29 of them; the last holds all with 30 or more.
    """

    paths: np.ndarray
    pixels: np.ndarray
    n_features: int
    mean_paths: float
    mean_pixels: float
    largest_paths: int
    largest_pixels: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number."""
        number = [*map(str, range(_MOST_SHOWN)), f"{_MOST_SHOWN} or more"]
        return pd.DataFrame({"number": number, "features by paths": self.paths, "features by pixels": self.pixels})


@dataclass(frozen=True, eq=False)
class Repeats:
    """How often the same feature was drawn; equal up to the sign of the angles, which changes no inner product.

    Attributes
    ----------
    times : ndarray of shape (k,)
        How often a feature may be drawn: powers of two; class i goes from ``times[i]`` to ``2·times[i] − 1``.
    different : ndarray of shape (k,)
        Different features that were drawn so often.
    most : int
        Draws of the most frequent one.
    """

    n_features: int
    n_different: int
    times: np.ndarray
    different: np.ndarray
    most: int

    @property
    def labels(self) -> list[str]:
        """The classes in words."""
        return ["1", "2–3", "4–7", "8–15", *(f"{t:,}+" for t in self.times[4:].tolist())][: len(self.times)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per class."""
        return pd.DataFrame({"drawn so often": self.labels, "different features": self.different})


@dataclass(frozen=True, eq=False)
class SingleFeature:
    """One random feature, and its value at one image.

    Attributes
    ----------
    number : int
        Its place among those drawn.
    columns, multiples : ndarray
        It adds ``multiples[e]`` times the angle of column ``columns[e]``.
    angles : ndarray
        Of those columns, at the image, in radians.
    is_sine, is_real : bool
        Whether π/2 is added; whether it is a cosine that is ±1 whatever the data, and lacks the √2.
    """

    number: int
    columns: np.ndarray
    multiples: np.ndarray
    angles: np.ndarray
    is_sine: bool
    is_real: bool
    value: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per angle."""
        return pd.DataFrame({"column": self.columns, "multiple": self.multiples, "angle": self.angles})


def feature_sizes(sample: FeatureSample, n_features: int) -> FeatureSizes:
    """Count paths and different pixels of the first features of a sample.

    Parameters
    ----------
    n_features : int
        At most as many as the sample has.

    Raises
    ------
    ParameterError
        For a number out of range.
    """
    n_features = Param("n_features", 1, "int", low=1, high=sample.n_features).validate(n_features)
    paths = sample.paths[:n_features]
    pixels = np.diff(sample.starts[: n_features + 1])
    by_paths, by_pixels = (
        np.bincount(np.minimum(part, _MOST_SHOWN), minlength=_MOST_SHOWN + 1) for part in (paths, pixels)
    )
    return FeatureSizes(
        by_paths, by_pixels, n_features, float(paths.mean()), float(pixels.mean()), int(paths.max()), int(pixels.max())
    )


def repeats(skeleton: Skeleton, n_features: int, seed: int = 0, progress: Progress = silent) -> Repeats:
    """Count how often equal features appear among the first ones."""
    n_features = Param("n_features", 1, "int", low=1, high=100_000_000).validate(n_features)
    skeleton.check_sampling()
    keys, last = [], -(-n_features // CHUNK)
    for index, rows in enumerate(chunks(skeleton, seed)):
        keys.append(rows.keys())
        if index + 1 == last:
            break
        progress((index + 1) / last, "Comparing features")
    _, counts = np.unique(np.concatenate(keys)[:n_features], return_counts=True)
    classes = np.bincount(np.frexp(counts)[1] - 1)  # the exponents of powers of two
    return Repeats(n_features, len(counts), 1 << np.arange(len(classes)), classes, int(counts.max()))


def single_feature(skeleton: Skeleton, seed: int, number: int, x: np.ndarray) -> SingleFeature:
    """Draw one of the features that a seed gives, with its value at `x`.

    Parameters
    ----------
    number : int
        Its place among those drawn, from 0.
    x : array-like of shape (n_columns,)

    Raises
    ------
    DataError
        For another number of columns.
    """
    number = Param("number", 0, "int", low=0).validate(number)
    X = np.asarray(x, dtype=np.float64)[None]
    if X.shape != (1, skeleton.n_columns):
        raise DataError(f"The image must have {skeleton.n_columns} numbers; got {X.size}. Choose the skeleton’s size.")
    child = np.random.SeedSequence(seed, spawn_key=(0, number // CHUNK))
    rows = draw_chunk(skeleton, np.random.Generator(np.random.PCG64(child)), CHUNK).take(np.array([number % CHUNK]))
    kind = int(rows.kinds[0])
    weights = {
        "kinds_": rows.kinds, "ends_": rows.ends, "columns_": rows.columns, "multiples_": rows.multiples,
        "modulus_ends_": rows.modulus_ends, "modulus_columns_": rows.modulus_columns, "powers_": rows.powers,
    }  # fmt: skip
    value = np.empty((1, 1))
    arrays = host_arrays(weights, "float64", skeleton.n_columns)
    map_on_host(X, arrays, skeleton, np.array([1.0 if kind == REAL else np.sqrt(2.0)]), value)
    angles = np.empty(skeleton.n_columns)
    for group in skeleton.inputs:
        angles[group.columns] = group.base.angles(np, X[:, group.columns].T)[0][:, 0]
    return SingleFeature(
        number, rows.columns, rows.multiples, angles[rows.columns], kind == SINE, kind == REAL, float(value[0, 0])
    )


def bytes_per_feature(skeleton: Skeleton, seed: int = 0) -> float:
    """Return the bytes of memory that the library needs per feature, on average over the first 8192."""
    fitted = CompositionalFeatures(CHUNK, skeleton=skeleton, deduplicate=False, random_state=seed, device="cpu")
    return fitted.fit(np.zeros((1, skeleton.n_columns))).bytes_per_feature_


def scaled_image(dataset: Dataset, row: int, side: int, channels: int) -> np.ndarray:
    """Return the middle square of an image in the skeleton's size and colours, as bytes."""
    from PIL import Image

    image = Image.fromarray(as_pixels(dataset, slice(row, row + 1))[0]).convert("RGB" if channels == 3 else "L")
    width, height = image.size
    edge = min(width, height)
    left, top = (width - edge) // 2, (height - edge) // 2
    box = (left, top, left + edge, top + edge)
    return np.asarray(image.resize((side, side), Image.Resampling.BOX, box=box))
