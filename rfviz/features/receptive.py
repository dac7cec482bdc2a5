"""Receptive fields: projections of a random rectangle of an image, once for all maps that project."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rfviz.backend import map_ordered, single_threaded_blas, worker_count
from rfviz.errors import ParameterError
from rfviz.features.base import FeatureMap, SlowKernelError
from rfviz.features.description import NO_SPREAD
from rfviz.features.draws import uniform
from rfviz.params import Param
from rfviz.progress import stop_point
from rfviz.skeleton import image_shape_of

__all__ = [
    "RECEPTIVE_FIELD",
    "ReceptiveMap",
    "all_rectangles",
    "checked_image_shape",
    "count_rectangles",
    "draw_rectangles",
    "mask_weights",
]

RECEPTIVE_FIELD: Any = Param(
    "receptive_field",
    None,
    "range",
    low=1,
    high=4096,
    label="Receptive fields",
    help="For images: each feature sees only a random rectangle, whose height and width lie between these numbers of "
    "pixels. At the right end it sees the whole image.",
)
# Far from the streams of the weights, which count up from zero.
_STREAM = 1 << 20
_CHUNK = 256
# Entries of kernel matrices over all rectangles that are computed without refusal: some five seconds on two cores.
_MOST_ENTRIES = 100_000_000


def draw_rectangles(
    seed: int, n_rectangles: int, receptive_field: Sequence[int], image_shape: Sequence[int]
) -> np.ndarray:
    """Draw random rectangles of an image, the first of which do not depend on how many are drawn.

    Height and width are uniform on the integers of `receptive_field`, independently, and cut to the image; the position
    is uniform among those where the rectangle lies within the image.

    Parameters
    ----------
    seed : int
    n_rectangles : int
    receptive_field : (low, high)
        Bounds of both sides, in pixels.
    image_shape : (height, width) or (height, width, channels)

    Returns
    -------
    ndarray of shape (n_rectangles, 4), int
        Top, left, height, width.
    """
    low, high = receptive_field
    draws = uniform(seed, _STREAM, 1.0, np.empty((n_rectangles, 4)))
    sides = np.minimum(low + (draws[:, :2] * (high - low + 1)).astype(int), image_shape[:2])
    corners = (draws[:, 2:] * (np.array(image_shape[:2]) - sides + 1)).astype(int)
    return np.concatenate([corners, sides], axis=1)


def all_rectangles(
    receptive_field: Sequence[int], image_shape: Sequence[int]
) -> Iterator[tuple[float, tuple[int, int, int, int]]]:
    """Return every rectangle that can be drawn, as (probability, (top, left, height, width)), in all 1."""
    low, high = receptive_field
    heights, widths = (
        np.unique(np.minimum(np.arange(low, high + 1), size), return_counts=True) for size in image_shape[:2]
    )
    for height, times in zip(*heights, strict=True):
        for width, also in zip(*widths, strict=True):
            rows, columns = image_shape[0] - height + 1, image_shape[1] - width + 1
            share = times * also / ((high - low + 1) ** 2 * rows * columns)
            for top in range(rows):
                for left in range(columns):
                    yield float(share), (top, left, int(height), int(width))


def count_rectangles(receptive_field: Sequence[int], image_shape: Sequence[int]) -> int:
    """Return how many :func:`all_rectangles` returns, of which there may be too many to list."""
    low, high = receptive_field
    sides = np.arange(low, high + 1)
    rows, columns = (int(np.sum(size + 1 - np.unique(np.minimum(sides, size)))) for size in image_shape[:2])
    return rows * columns


def checked_image_shape(shape: Any, n_features: int, remedy: str) -> tuple[int, ...]:
    """Return the image shape of `n_features` columns: `shape`, or the most square one if it is None.

    Raises
    ------
    ParameterError
        If `shape` is not a shape of this size; the `remedy` is for data other than images.
    """
    if shape is None:
        return image_shape_of(n_features)
    valid = isinstance(shape, (tuple, list)) and len(shape) in (2, 3)
    if not valid or any(not isinstance(s, (int, np.integer)) or s < 1 for s in shape):
        raise ParameterError("image_shape", "must be (height, width) or (height, width, channels)", shape)
    if np.prod(shape) != n_features:
        rule = f"must have as many pixels as the data have columns, {n_features}"
        raise ParameterError("image_shape", rule, tuple(shape), remedy)
    return tuple(int(s) for s in shape)


def mask_weights(weights: np.ndarray, rectangles: np.ndarray, image_shape: Sequence[int]) -> None:
    """Set weights outside of their rectangle to zero and scale the others by √(pixels of the image / rectangle).

    The factor gives ⟨w, x⟩ the same size whatever the rectangle: x is seen as if it went on like this everywhere.

    Parameters
    ----------
    weights : ndarray of shape (..., n, n_features)
        Overwritten; entry i of the last but one axis gets rectangle i.
    rectangles : ndarray of shape (n, 4)
        See :func:`draw_rectangles`.
    image_shape : (height, width) or (height, width, channels)
    """
    height, width = image_shape[:2]
    for start in range(0, len(rectangles), _CHUNK):
        stop_point()
        top, left, tall, wide = (rectangles[start : start + _CHUNK, i, None] for i in range(4))
        y, x = np.arange(height), np.arange(width)
        rows, columns = (y >= top) & (y < top + tall), (x >= left) & (x < left + wide)
        factors = np.sqrt(height * width / (tall * wide))[:, :, None]
        mask = (factors * (rows[:, :, None] & columns[:, None, :])).astype(weights.dtype)
        channels = weights.shape[-1] // (height * width)
        weights[..., start : start + _CHUNK, :] *= np.repeat(mask.reshape(len(mask), -1), channels, axis=1)


class ReceptiveMap(FeatureMap):
    """Base of the feature maps that project: they take `receptive_field` and `image_shape`, both None by default.

    A map calls `_mask` when it has drawn its weights, and `_over_rectangles` for its kernel. The kernel is the mean
    over rectangles R of the map's own on √(|image|/|R|)·x_R, the pixels of the rectangle, scaled to stand for all.

    Weights outside of a rectangle are zeros that are stored and multiplied: the cost is that of whole images.
    """

    receptive_field: Sequence[int] | None = RECEPTIVE_FIELD
    image_shape: Sequence[int] | None = None
    # Why there is no `distance_law` where every feature sees the whole image.
    _law_missing = NO_SPREAD

    @property
    def law_missing(self) -> str:
        if getattr(self, "receptive_field", None) is not None:
            return "Each feature sees a part of the image only, so that it matters where two images differ."
        return self._law_missing

    def guessed_image(self, n_features: int) -> tuple[int, ...] | None:
        seen = self.receptive_field is not None and self.image_shape is None
        return self._shape_of_image(n_features) if seen else None

    def _shape_of_image(self, n_features: int) -> tuple[int, ...]:
        """Return the image that the columns are: as given, or as square as can be.

        Raises
        ------
        ParameterError
            For a shape of another size, or rectangles that are all larger than the image.
        """
        shape = checked_image_shape(
            getattr(self, "image_shape", None), n_features, "Leave receptive_field out for data that are no images."
        )
        longest = max(shape[:2])
        field = self.receptive_field or (1, 1)
        if field[0] > longest:
            raise ParameterError(
                "receptive_field",
                f"must begin at the longer side of the image, {longest} pixels, or before",
                tuple(field),
                "Try None, for whole images.",
            )
        return shape

    def _mask(self, weights: np.ndarray, first: int = 0) -> None:
        """Mask weights of shape (..., n, n_features) to the rectangles `first`, `first` + 1, …; all where None."""
        if self.receptive_field is not None:
            shape = self._shape_of_image(weights.shape[-1])
            rectangles = draw_rectangles(self.seed_, first + weights.shape[-2], self.receptive_field, shape)
            mask_weights(weights, rectangles[first:], shape)

    def _over_rectangles(self, function: Callable[[Any, Any], np.ndarray], X: Any, Y: Any = None) -> np.ndarray:
        """Average ``function(X_R, Y_R)``, a matrix of shape (n_X, n_Y), over all rectangles; exact.

        Raises
        ------
        SlowKernelError
            Where rectangles and pairs are so many that it would take minutes.
        """
        if self.receptive_field is None:
            return function(X, Y)
        shape = self._shape_of_image(X.shape[1])
        n_rectangles = count_rectangles(self.receptive_field, shape)
        pairs = len(X) * len(X if Y is None else Y)
        if n_rectangles * pairs > _MOST_ENTRIES:
            raise SlowKernelError(
                "receptive_field",
                f"must allow at most {_MOST_ENTRIES // pairs:,} rectangles for the exact kernel of {pairs:,} pairs",
                f"{tuple(self.receptive_field)} with {n_rectangles:,}",
                "Choose fewer points, or sides that are nearer to those of the image.",
            )
        images = [None if A is None else A.reshape(len(A), *shape[:2], -1) for A in (X, Y)]

        def part(some: list[tuple[float, tuple[int, int, int, int]]]) -> Any:
            total: Any = 0.0
            with single_threaded_blas():
                for share, (top, left, height, width) in some:
                    scale = np.sqrt(shape[0] * shape[1] / (height * width))
                    cut = (slice(None), slice(top, top + height), slice(left, left + width))
                    seen = [None if A is None else scale * A[cut].reshape(len(A), -1) for A in images]
                    total = total + share * function(*seen)
            return total

        rectangles = list(all_rectangles(self.receptive_field, shape))
        parts = [rectangles[start : start + 64] for start in range(0, len(rectangles), 64)]
        total: Any = sum(map_ordered(part, parts, worker_count()))
        return total
