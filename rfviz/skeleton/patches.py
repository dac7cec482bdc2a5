"""Principal components of image patches: inputs of a first convolution instead of pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import check_memory
from rfviz.errors import ParameterError
from rfviz.params import Param
from rfviz.skeleton.builders import convolutions, image_shape_of

__all__ = ["PatchPCA"]

# Images whose patches the components are learnt from: a hundred patches each are far more than components need.
_LEARNT_FROM = 4000
# Numbers that a block of images may unfold into.
_BLOCK_NUMBERS = 8_000_000
_PARAMS = (
    Param("size", 5, "int", low=1, high=100_000),
    Param("stride", 2, "int", low=1, high=100_000),
    Param("n_components", 12, "int", low=1, high=1_000_000),
)


class PatchPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Replace every patch of an image by its leading principal components.

    The components of a patch are the channels of one pixel of a smaller image, which a skeleton takes whose first
    convolution has windows of 1×1: see the argument `components` of :func:`rfviz.skeleton.convolutions`. All are
    divided by one number, the root of their mean variance, so that the first stays the largest; with `whiten` each is
    divided by its own standard deviation.

    Parameters
    ----------
    image_shape : (height, width), (height, width, channels) or None
        Columns run row by row, channels last. None: what :func:`rfviz.skeleton.image_shape_of` makes of the columns,
        with patches and components as many as there are at most.
    size, stride : int
        Side of a patch, and from one patch to the next, in pixels.
    n_components : int
        Components of a patch, q.

    Attributes
    ----------
    mean_ : ndarray of shape (size · size · channels,)
    components_ : ndarray of shape (q, size · size · channels)
        Divided by the standard deviation: a patch less the mean, times their transpose, is the output.
    out_shape_ : (height, width, q)
        Of the output image.

    Raises
    ------
    ParameterError
        For patches that do not fit into the image, or have fewer numbers than components.
    MemoryBudgetError
        Where the output would not fit in memory.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((50, 24 * 24 * 3))
    >>> PatchPCA((24, 24, 3), size=5, stride=2, n_components=12).fit(X).transform(X).shape
    (50, 1200)
    """

    def __init__(
        self,
        image_shape: Sequence[int] | None = None,
        *,
        size: int = 5,
        stride: int = 2,
        n_components: int = 12,
        whiten: bool = False,
    ) -> None:
        self.image_shape = image_shape
        self.size = size
        self.stride = stride
        self.n_components = n_components
        self.whiten = whiten

    def fit(self, X: Any, y: Any = None) -> PatchPCA:
        """Learn the components from the patches of `X`, shape (n_samples, n_features); of 4000 rows at most."""
        for param in _PARAMS:
            param.validate(getattr(self, param.name))
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        self._settle(X.shape[1])
        mean, covariance = self._moments(X[:: -(-len(X) // _LEARNT_FROM)])
        values, vectors = np.linalg.eigh(covariance)
        q = self.out_shape_[2]
        values, vectors = values[::-1][:q], vectors[:, ::-1][:, :q]
        # The sign of an eigenvector is arbitrary: let its largest entry be positive.
        vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(q)])
        variance = values if self.whiten else np.full(q, np.maximum(values, 0.0).mean())
        # Rounding errors of a constant component are not blown up to variance 1.
        floor = np.finfo(np.float32).eps * max(float(np.diag(covariance).max() + np.square(mean).max()), 1e-300)
        self.mean_ = mean
        self.components_ = (vectors / np.sqrt(np.where(variance > floor, variance, 1.0))).T
        return self

    def _moments(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean and covariance of all patches."""
        total: Any = 0.0
        square: Any = 0.0
        count = 0
        for patches in self._patches(X):
            flat = patches.reshape(-1, patches.shape[-1]).astype(np.float64)
            count, total, square = count + len(flat), total + flat.sum(axis=0), square + flat.T @ flat
        mean = total / count
        return mean, square / count - np.outer(mean, mean)

    def _settle(self, n_features: int) -> None:
        """Determine and check the image, the patches in it and the output's shape."""
        guessed = self.image_shape is None
        if self.image_shape is None:
            image = image_shape_of(n_features)
            size = (min(self.size, image[0]), min(self.size, image[1]))
        else:  # the builder's checks and messages are just those of patches
            form = convolutions(self.image_shape, [(self.size, self.stride, "identity")]).form
            height, width, channels = form["image"]
            image = height, width, channels
            size = (self.size, self.size)
        if np.prod(image) != n_features:
            rule = f"must have as many numbers as the data have columns, {n_features}"
            raise ParameterError("image_shape", rule, self.image_shape, "Give (height, width, channels).")
        most = size[0] * size[1] * image[2]
        if self.n_components > most and not guessed:
            rule = f"must be at most the numbers of a patch, {most}"
            raise ParameterError("n_components", rule, self.n_components, "Use larger patches.")
        self._image, self._size = image, size
        rows, columns = ((side - s) // self.stride + 1 for side, s in zip(image, size, strict=False))
        self.out_shape_ = (rows, columns, min(self.n_components, most))

    def _patches(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Yield blocks of images as patches, shape (images, rows, columns, size · size · channels)."""
        rows, columns, _ = self.out_shape_
        length = self._size[0] * self._size[1] * self._image[2]
        step = max(_BLOCK_NUMBERS // (rows * columns * length), 1)
        for start in range(0, len(X), step):
            images = X[start : start + step].reshape(-1, *self._image)
            windows = np.lib.stride_tricks.sliding_window_view(images, self._size, (1, 2))
            windows = windows[:, :: self.stride, :: self.stride].transpose(0, 1, 2, 4, 5, 3)
            yield windows.reshape(len(images), rows, columns, length)

    def transform(self, X: Any) -> np.ndarray:
        """Transform all patches of `X` to components, shape (n_samples, rows · columns · q), channels last."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        n, width = len(X), self._n_features_out
        remedy = "Use fewer rows or components, or a larger stride."
        check_memory(n * width * X.itemsize, "cpu", f"The patches of {n} images", remedy)
        out = np.empty((n, width), dtype=X.dtype)
        mean, basis = self.mean_.astype(X.dtype), self.components_.T.astype(X.dtype)
        done = 0
        for patches in self._patches(X):
            block = (patches.reshape(-1, len(mean)) - mean) @ basis
            out[done : done + len(patches)] = block.reshape(len(patches), -1)
            done += len(patches)
        return out

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.out_shape_))
