"""Which pixels meet in the random features of a skeleton: counted in sampled features, compared with the exact law.

Features are drawn by chunks that have their own generators, the very features of
:class:`rfviz.features.CompositionalFeatures` with the same seed (without `deduplicate`). A sample holds which
pixels the paths of each reach: two lists of whole numbers, in the order of the features and in that of the pixels.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from rfviz.backend import check_memory
from rfviz.errors import ParameterError
from rfviz.features.compositional_draws import CHUNK, reached_inputs
from rfviz.features.placement import on_processor
from rfviz.params import Param
from rfviz.progress import Progress, silent
from rfviz.skeleton import CoOccurrence, Skeleton, co_occurrence, lowest_meetings, pixel_groups

__all__ = [
    "MAX_FEATURES",
    "FeatureSample",
    "PixelMap",
    "Tier",
    "capacity",
    "exact_map",
    "pixel_map",
    "sample_features",
    "tiers",
]

MAX_FEATURES = 2**21
_FEWEST = 1000
_GRID = 16
# Bytes while features are drawn: of a feature, of each pixel that it reaches, and of each path of a chunk.
_PER_FEATURE, _PER_ENTRY, _PER_PATH = 16, 24, 64


@dataclass(frozen=True, eq=False)
class FeatureSample:
    """Which pixels each of many features reaches; a pixel stands for all its channels.

    Attributes
    ----------
    starts : ndarray of shape (n_features + 1,)
        Feature i reaches ``pixels[starts[i]:starts[i + 1]]``.
    pixels : ndarray of shape (n_entries,)
        Each pixel of a feature once, in order.
    column_starts : ndarray of shape (n_pixels + 1,)
        Pixel p is in the features ``features[column_starts[p]:column_starts[p + 1]]``.
    features : ndarray of shape (n_entries,)
        In order.
    paths : ndarray of shape (n_features,), int64
        Inputs that a feature multiplies, with repetition.
    """

    skeleton: Skeleton
    seed: int
    starts: np.ndarray
    pixels: np.ndarray
    column_starts: np.ndarray
    features: np.ndarray
    paths: np.ndarray

    @property
    def n_features(self) -> int:
        """Features in the sample."""
        return len(self.paths)

    @property
    def n_pixels(self) -> int:
        """Pixels of the image."""
        return len(self.column_starts) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        parts = (self.starts, self.pixels, self.column_starts, self.features, self.paths)
        return sum(part.nbytes for part in parts)

    def features_of(self, pixel: int, n_features: int | None = None) -> np.ndarray:
        """Return the numbers of those of the first `n_features` features that reach a pixel, in order."""
        own = self.features[self.column_starts[pixel] : self.column_starts[pixel + 1]]
        return own if n_features is None else own[: np.searchsorted(own, n_features)]


@dataclass(frozen=True, eq=False)
class PixelMap:
    """How one pixel and every other occur in features: counted, and exactly.

    Attributes
    ----------
    occurs : int
        Features that reach the pixel.
    single, joint, correlation : ndarray of shape (n_pixels,)
        Shares of the features that reach each pixel, and it together with this one; correlation of the two events, 0
        where one of them never or always happens.
    exact : CoOccurrence
        The same numbers of the law.
    grid : ndarray of shape (k,)
        Numbers of features up to `n_features`.
    rms : ndarray of shape (k,)
        Root mean square over the other pixels of (correlation in the first features − exact correlation); NaN before
        the first feature that reaches the pixel, where there is nothing to correlate.
    predicted : ndarray of shape (k,)
        Its limit for many features, from the exact law: it falls as 1/√F.
    """

    pixel: int
    n_features: int
    occurs: int
    single: np.ndarray
    joint: np.ndarray
    correlation: np.ndarray
    exact: CoOccurrence
    grid: np.ndarray
    rms: np.ndarray
    predicted: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pixel."""
        e = self.exact
        return pd.DataFrame(
            {
                "pixel": np.arange(len(self.single)),
                "occurs": self.single,
                "occurs, exact": e.single,
                "together": self.joint,
                "together, exact": e.joint,
                "correlation": self.correlation,
                "correlation, exact": e.correlation,
            }
        )

    def errors_frame(self) -> pd.DataFrame:
        """Return one row per number of features."""
        return pd.DataFrame({"features": self.grid, "RMS difference": self.rms, "predicted": self.predicted})


def capacity(n_features: int) -> int:
    """Return how many features are drawn where `n_features` are wanted: a power of two, to cache few sizes."""
    n_features = Param("n_features", 100_000, "int", low=1, high=MAX_FEATURES).validate(n_features)
    return max(1 << (n_features - 1).bit_length(), CHUNK)


def sample_features(
    skeleton: Skeleton, n_features: int, seed: int = 0, start: FeatureSample | None = None, progress: Progress = silent
) -> FeatureSample:
    """Draw features of a skeleton and record which pixels they reach.

    Parameters
    ----------
    n_features : int
        Rounded up to whole chunks of 8192.
    start : FeatureSample, optional
        A smaller sample of this skeleton and seed, to continue.

    Returns
    -------
    FeatureSample
        The first features are the same for every `n_features`.

    Raises
    ------
    ParameterError
        For a number outside of 1 … :data:`MAX_FEATURES`, or a skeleton whose features cannot be drawn.
    MemoryBudgetError
        Before anything is drawn.
    """
    n_features = _checked(skeleton, n_features, seed, start)
    groups = pixel_groups(skeleton)
    n_pixels = int(groups[-1]) + 1
    first, last = 0 if start is None else start.n_features // CHUNK, -(-n_features // CHUNK)
    parts = [] if start is None else [(np.diff(start.starts), start.pixels, start.paths)]
    for index in range(first, last):
        progress(index / last, f"Drawing features: {index * CHUNK:,} of {n_features:,}")
        parts.append(_chunk(skeleton, groups, n_pixels, seed, index))
    counts, pixels, paths = (np.concatenate(part) for part in zip(*parts, strict=True))
    starts = np.concatenate([[0], np.cumsum(counts)])
    ones = np.ones(len(pixels), dtype=np.int8)
    columns = sparse.csr_matrix((ones, pixels, starts), shape=(len(paths), n_pixels)).tocsc()
    return FeatureSample(skeleton, seed, starts, pixels, columns.indptr, columns.indices, paths)


def _checked(skeleton: Skeleton, n_features: int, seed: int, start: FeatureSample | None) -> int:
    n_features = Param("n_features", 100_000, "int", low=1, high=MAX_FEATURES).validate(n_features)
    skeleton.check_sampling()
    if start is not None and (start.skeleton != skeleton or start.seed != seed):
        raise ParameterError("start", "must be a sample of the same skeleton and seed", start.skeleton)
    check_memory(
        _needed(skeleton, n_features),
        on_processor("Drawing the paths of features was"),
        f"Drawing {n_features:,} features of this skeleton",
        "Choose fewer features, or a skeleton with a lower complexity.",
    )
    return n_features


def _needed(skeleton: Skeleton, n_features: int) -> int:
    reached = min(skeleton.complexity, skeleton.n_inputs)
    paths = min(skeleton.complexity, 1e6)
    return int(n_features * (_PER_FEATURE + _PER_ENTRY * reached) + CHUNK * _PER_PATH * paths)


def _chunk(
    skeleton: Skeleton, groups: np.ndarray, n_pixels: int, seed: int, index: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pixels per feature, the pixels, and paths per feature, of one chunk."""
    child = np.random.SeedSequence(seed, spawn_key=(0, index))
    generator = np.random.Generator(np.random.PCG64(child))
    generator.integers(0, 2, CHUNK, dtype=np.int8)  # the quadratures, which a feature draws before its paths
    feature, node, count = reached_inputs(skeleton, generator, CHUNK)
    paths = np.bincount(feature, count, CHUNK).astype(np.int64)
    place = np.sort(feature.astype(np.int64) * n_pixels + groups[node])
    if len(place):
        place = place[np.concatenate([[True], place[1:] != place[:-1]])]
    owner = place // n_pixels
    return np.bincount(owner, minlength=CHUNK), (place - owner * n_pixels).astype(np.int32), paths


def exact_map(skeleton: Skeleton, pixel: int) -> CoOccurrence:
    """Compute the exact law of one pixel and every other."""
    return co_occurrence(skeleton, pixel, pixel_groups(skeleton))


@dataclass(frozen=True)
class Tier:
    """Exact correlations of pixels with a framed one, for those that first meet it in one layer.

    Attributes
    ----------
    layer : int
        From 1, next to the image; the top is the last.
    pairs : int
    lowest, mean, highest : float
    """

    layer: int
    pairs: int
    lowest: float
    mean: float
    highest: float


def tiers(skeleton: Skeleton, maps: Sequence[CoOccurrence]) -> tuple[Tier, ...]:
    """Sort the correlations of several framed pixels by the lowest layer that has a node above both, from 1 up."""
    groups, found = pixel_groups(skeleton), [np.empty((2, 0))]
    for one in maps:
        layer = lowest_meetings(skeleton, one.group, groups)
        others = np.flatnonzero((layer > 0) & (np.arange(len(layer)) != one.group))
        found.append(np.stack([layer[others], one.correlation[others]]))
    layer, correlation = np.concatenate(found, axis=1)
    parts = [(int(number), correlation[layer == number]) for number in np.unique(layer)]
    return tuple(
        Tier(number, len(part), float(part.min()), float(part.mean()), float(part.max())) for number, part in parts
    )


def pixel_map(sample: FeatureSample, pixel: int, n_features: int, exact: CoOccurrence | None = None) -> PixelMap:
    """Count how one pixel and every other occur in the first features of a sample.

    Parameters
    ----------
    n_features : int
        At most as many as were drawn.
    exact : CoOccurrence, optional
        Of that pixel, if it is known already.

    Raises
    ------
    ParameterError
        For a pixel that is not there, or more features than were drawn.
    """
    pixel = Param("pixel", 0, "int", low=0, high=sample.n_pixels - 1).validate(pixel)
    n_features = Param("n_features", 1, "int", low=1, high=sample.n_features).validate(n_features)
    exact = exact_map(sample.skeleton, pixel) if exact is None else exact
    grid = _prefixes(n_features)
    single, joint = _counts(sample, pixel, grid)
    correlation = _correlation(single / grid[:, None], joint / grid[:, None], pixel)
    others = np.arange(sample.n_pixels) != pixel
    error = (correlation - exact.correlation)[:, others]
    rms = np.sqrt(np.mean(error**2, axis=1)) if error.size else np.zeros(len(grid))
    rms[single[:, pixel] == 0] = np.nan
    spread = np.sqrt(np.mean(_variances(exact)[others])) if others.any() else 0.0
    return PixelMap(
        pixel,
        n_features,
        int(single[-1, pixel]),
        single[-1] / n_features,
        joint[-1] / n_features,
        correlation[-1],
        exact,
        grid,
        rms,
        spread / np.sqrt(grid),
    )


def _prefixes(n_features: int) -> np.ndarray:
    fewest = min(_FEWEST, n_features)
    return np.unique(np.rint(np.geomspace(fewest, n_features, _GRID)).astype(np.int64))


def _counts(sample: FeatureSample, pixel: int, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count features among the first ones that reach each pixel, and it together with one: (k, n_pixels) each."""
    n = sample.n_pixels
    edges = sample.starts[np.concatenate([[0], grid])]
    single = np.stack([np.bincount(sample.pixels[a:b], minlength=n) for a, b in itertools.pairwise(edges)])
    rows = sample.features_of(pixel, int(grid[-1]))
    lengths = (sample.starts[1:] - sample.starts[:-1])[rows]
    ends = np.cumsum(lengths)
    entries = np.repeat(sample.starts[rows] - ends + lengths, lengths) + np.arange(int(lengths.sum()))
    part = np.repeat(np.searchsorted(grid, rows, side="right"), lengths)
    joint = np.bincount(part * n + sample.pixels[entries], minlength=len(grid) * n).reshape(len(grid), n)
    return single.cumsum(axis=0), joint.cumsum(axis=0)


def _correlation(single: np.ndarray, joint: np.ndarray, pixel: int) -> np.ndarray:
    spread = np.sqrt(single * (1.0 - single))
    scale = spread * spread[..., pixel, None]
    covariance = joint - single * single[..., pixel, None]
    return np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 1e-14)


def _variances(exact: CoOccurrence) -> np.ndarray:
    """Return the limit of m times the variance of the correlation with each pixel in m features.

    With standardised events a and b and their correlation ρ it is E (ab − ρ(a² + b²)/2)², a sum over four cases.
    """
    s, p = exact.single, exact.single[exact.group]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.array([1.0 - p, -p]) / np.sqrt(p * (1.0 - p))
        b = np.stack([1.0 - s, -s]) / np.sqrt(s * (1.0 - s))
        cases = np.maximum([[exact.joint, p - exact.joint], [s - exact.joint, 1.0 - p - s + exact.joint]], 0.0)
        total = sum(
            cases[i, j] * (a[i] * b[j] - 0.5 * exact.correlation * (a[i] ** 2 + b[j] ** 2)) ** 2
            for i in range(2)
            for j in range(2)
        )
    return np.where(np.isfinite(total), total, 0.0)
