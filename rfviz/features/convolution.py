"""Random convolutions: ReLUs of random filters at all positions of an image, averaged over a region."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rfviz import cuda, kernels
from rfviz.backend import Device, block_share, map_ordered, matmul, single_threaded_blas, worker_count
from rfviz.errors import ParameterError
from rfviz.features.base import FeatureMap, SlowKernelError
from rfviz.features.blocks import Scratch
from rfviz.features.cost import Counts
from rfviz.features.description import Look
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.precision import largest_entry, square_unit
from rfviz.features.receptive import checked_image_shape
from rfviz.params import Param, parameter

__all__ = ["RandomConvolution"]

_FILTER_STREAM, _REGION_STREAM = 0, 1
# Of the rows it is fitted on, as many as this are looked at for the covariance of patches: a hundred times as many
# patches as it has entries, for all but the smallest images.
_LEARN_FROM = 2000
# Squared length, per pixel of a whitened patch, of what every patch has in common: patches with less contrast than that
# count as flat.
_COMMON = 0.05
# Positions and filters of a tile. Its values stay in a processor's second-level cache. A GPU would be done with that
# before the next kernel is started: its tiles are half a gigabyte.
_TILE, _GPU_TILE = (1024, 256), (262_144, 512)
# Most numbers in the patches of a GPU's tile, which are held twice: of large patches there are fewer.
_GPU_PATCHES = 1 << 26
# Pairs of patches of an exact kernel that are computed without refusal, some five seconds on two cores; and at once.
_MOST_PAIRS, _PAIRS = 50_000_000, 1_000_000


@dataclass(frozen=True)
class _Layout:
    """Where patches and regions of an image lie.

    Attributes
    ----------
    image : (height, width, channels)
    patch : (height, width)
    regions : tuple of (top, bottom, left, right)
        Of the positions of patches, row by row.
    """

    image: tuple[int, int, int]
    patch: tuple[int, int]
    regions: tuple[tuple[int, int, int, int], ...]

    @property
    def size(self) -> int:
        """Return the numbers of a patch."""
        return self.patch[0] * self.patch[1] * self.image[2]

    @property
    def whole(self) -> tuple[int, int, int, int]:
        """Return the region of all positions."""
        return 0, self.image[0] - self.patch[0] + 1, 0, self.image[1] - self.patch[1] + 1

    def positions(self, region: tuple[int, int, int, int]) -> int:
        """Return the positions of a region."""
        top, bottom, left, right = region
        return (bottom - top) * (right - left)

    def cut(self, xp: Any, images: Any, region: tuple[int, int, int, int], extra: int = 0) -> Any:
        """Return the patches of a region as columns, image by image, above `extra` uninitialised rows."""
        top, bottom, left, right = region
        (tall, wide), channels = self.patch, self.image[2]
        shape = (len(images), bottom - top, right - left)
        columns = xp.empty((self.size + extra, int(np.prod(shape))), dtype=images.dtype)
        row = 0
        for y in range(tall):
            for x in range(wide):
                for channel in range(channels):
                    part = images[:, top + y : bottom + y, left + x : right + x, channel]
                    columns[row].reshape(shape)[...] = part
                    row += 1
        return columns


class RandomConvolution(FeatureMap):
    r"""Averages over a region of an image of the positive parts of a random filter's answers.

    .. math:: \Phi(x)_\ell = \frac{c_t}{\sqrt m} \cdot \frac{1}{|R_\ell|} \sum_{p \in R_\ell}
        \max(0, \langle w^\ell, u_p(x) \rangle - t), \quad w^\ell \sim N(0, I)

    u_p(x) is the patch of the image at position p, whitened, with a small constant coordinate, on the unit sphere.
    R_ℓ is a cell of a grid of positions; every cell is as likely, and as frequent as the number of features allows.
    c_t makes the mean square of a unit 1.

    Its kernel is the mean over cells R, and over all positions p and r of R, of k_t(⟨u_p(x), u_r(z)⟩), with k_t the
    arc-cosine kernel of degree 1 at a threshold t (:func:`rfviz.kernels.thresholded_relu_rho`).

    Fitting learns the mean and the covariance of patches from the rows, of which it takes at most 2,000.

    Cost: O(n·m·P/G·d) with d numbers in a patch, P positions and G cells. Caveat: it is for images; columns in another
    order are other images.

    Parameters
    ----------
    n_components : int
        Number of features m.
    patch_size : int
        Side of the square patches, in pixels.
    grid : int
        Regions along each side of the image.
    threshold : float
        How much a filter's answer, of variance 1, must exceed to count. 0 is the ReLU.
    floor : float
        Added to the variances of patches along their principal directions before these are made equal, as a share of
        the mean variance: near 0 all directions count alike, noise too; at 100 patches stay as they are.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows. By default as square as their number of columns allows, and `patch_size` and `grid` are then cut to
        what there is.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    weights_ : ndarray of shape (n_components, patch numbers + 1)
        Filters of whitened patches; the last column is for the constant coordinate.
    regions_ : ndarray of shape (n_components,), int
        Which region a feature averages over; regions count row by row.
    mean_ : ndarray of shape (patch numbers,), float64
    whitening_ : ndarray of shape (patch numbers, patch numbers), float64
        Of the patches of the rows that it was fitted on.
    seed_ : int

    References
    ----------
    A. Coates, H. Lee, A. Ng, "An Analysis of Single-Layer Networks in Unsupervised Feature Learning", 2011.
    J. Mairal et al., "Convolutional Kernel Networks", 2014.
    """

    label = "Random convolution"
    look = Look("#195de5", "dash", "hourglass")
    summary = "For images: random filters at every position, averaged over the regions of a grid."
    formula = (
        r"\Phi_\ell(x)=\tfrac{c_t}{\sqrt m}\,\tfrac{1}{|R_\ell|}\textstyle\sum_{p\in R_\ell}"
        r"\max(0,\langle w^\ell,u_p(x)\rangle-t),\quad w\sim\mathcal N(0,I)"
    )
    cost = "O(n·m·P/G·d)"
    reference = "Coates, Lee, Ng 2011"
    rank = 90
    needs_images = True
    from_data = ("mean_", "whitening_")
    patch_size: int = parameter(
        default=5,
        kind="int",
        low=1,
        high=64,
        ui_high=12,
        label="Patch size",
        help="Side of the square that a filter sees, in pixels.",
    )
    grid: int = parameter(
        default=2,
        kind="int",
        low=1,
        high=64,
        ui_high=6,
        label="Regions per side",
        help="A feature averages over one cell of a grid of so many rows and columns. More cells tell more about "
        "where something is, and less about what it is.",
    )
    threshold: float = parameter(
        default=1.0,
        kind="float",
        low=0.0,
        high=6.0,
        ui_high=3.0,
        symbol="t",
        label="Threshold",
        help="What a filter’s answer must exceed, in standard deviations. The larger, the more alike two patches "
        "must be to count as alike.",
    )
    floor: float = parameter(
        default=0.1,
        kind="float",
        low=0.001,
        high=1000.0,
        ui_low=0.01,
        ui_high=100.0,
        log=True,
        label="Variance floor",
        help="Patches are whitened, except directions whose variance is below this share of the mean. Small for "
        "photographs, about 1 to 10 for handwriting.",
    )
    image_shape: Sequence[int] | None = None
    _weights = ("weights_", "regions_")
    _law_missing = "It matters where in the image two rows differ, not only how far."

    def _layout(self, n_features: int) -> _Layout:
        """Return where patches and regions lie in images of `n_features` columns.

        Raises
        ------
        ParameterError
            For a shape of another size; or patches or a grid that do not fit into a shape that was given.
        """
        shape = checked_image_shape(self.image_shape, n_features, "Other maps take data that are no images.")
        image = (shape[0], shape[1], shape[2] if len(shape) == 3 else 1)
        patch = min(self.patch_size, image[0]), min(self.patch_size, image[1])
        positions = image[0] - patch[0] + 1, image[1] - patch[1] + 1
        if self.image_shape is not None:
            if self.patch_size > min(image[:2]):
                raise ParameterError(
                    "patch_size",
                    f"must be at most the shorter side of the image, {min(image[:2])}",
                    self.patch_size,
                    f"Try patch_size={max(min(image[:2]) // 2, 1)}.",
                )
            if self.grid > min(positions):
                raise ParameterError(
                    "grid",
                    f"must be at most the positions of a patch along a side, {min(positions)}",
                    self.grid,
                    "Choose fewer regions, or smaller patches.",
                )
        rows, columns = (np.linspace(0, size, min(self.grid, size) + 1).round().astype(int) for size in positions)
        regions = tuple(
            (int(top), int(bottom), int(left), int(right))
            for top, bottom in itertools.pairwise(rows)
            for left, right in itertools.pairwise(columns)
        )
        return _Layout(image, patch, regions)

    @classmethod
    def for_images(cls, param: Param, image_shape: Sequence[int], values: Mapping[str, Any]) -> Param:
        side = min(image_shape[:2])
        high = {"patch_size": side, "grid": side - values.get("patch_size", 1) + 1}.get(param.name)
        if high is None:
            return param
        return replace(param, default=min(param.default, high), high=high, ui_high=min(param.ui_high or high, high))

    def guessed_image(self, n_features: int) -> tuple[int, ...] | None:
        return self._layout(n_features).image if self.image_shape is None else None

    # --- fitting ------------------------------------------------------------------------------------------------------

    def _fit_statistics(self, X: Any) -> None:
        layout = self._layout(X.shape[1])
        rows = X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _LEARN_FROM)).astype(int))]
        rows = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
        unit = float(square_unit(largest_entry(rows)))
        images = (rows / unit).reshape(-1, *layout.image)
        total, products, count = np.zeros(layout.size), np.zeros((layout.size, layout.size)), 0
        step = max(_TILE[0] * 16 // layout.positions(layout.whole), 1)
        # Around the mean of the first patches, so that the difference of large squares does not cancel.
        origin = layout.cut(np, images[:step], layout.whole).mean(axis=1)
        for start in range(0, len(images), step):
            patches = layout.cut(np, images[start : start + step], layout.whole) - origin[:, None]
            total += patches.sum(axis=1)
            products += patches @ patches.T
            count += patches.shape[1]
        mean = total / count
        variances, directions = np.linalg.eigh(products / count - np.outer(mean, mean))
        variances = np.maximum(variances, 0.0)
        self.mean_ = unit * (origin + mean)
        floor = self.floor * variances.mean()
        if not floor:  # patches that are all equal have no scale of their own
            floor = unit = 1.0
        with np.errstate(over="ignore"):  # which the check of the weights tells
            self.whitening_ = (directions / np.sqrt(variances + floor)) @ directions.T / unit

    def _factors(self) -> list[np.ndarray]:
        return [*super()._factors(), self.whitening_.astype(self.dtype)]

    def learnt_parameters(self) -> list[str]:
        return [*super().learnt_parameters(), "whitening"]

    def _draw(self, n_features: int) -> None:
        layout, m = self._layout(n_features), self.n_components
        self.weights_ = np.empty((m, layout.size + 1), dtype=self.dtype)
        standard_normal(self.seed_, _FILTER_STREAM, out=self.weights_)
        # A random order of all regions, again and again: each is as likely, and as frequent as m allows.
        n_regions = len(layout.regions)
        order = uniform(self.seed_, _REGION_STREAM, 1.0, np.empty((-(-m // n_regions), n_regions)))
        self.regions_ = np.argsort(order, axis=1).astype(np.int32).ravel()[:m]

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {name: getattr(self, name)[:n_components] for name in self._weights}

    # --- cost ---------------------------------------------------------------------------------------------------------

    def _numbers_per_feature(self, n_features: int) -> int:
        return self._layout(n_features).size + 2

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        """Return the multiply-adds of the filters at all their positions, and of whitening the patches."""
        layout = self._layout(n_features)
        positions = layout.positions(layout.whole)
        answers, whitened = self.n_components * positions / len(layout.regions), positions
        if self._is_drawn_for(n_features):
            features = np.bincount(self.regions_, minlength=len(layout.regions))
            sizes = np.array([layout.positions(region) for region in layout.regions])
            answers, whitened = float(features @ sizes), int(sizes[features > 0].sum())
        return round(n_samples * (answers * (layout.size + 2) + whitened * layout.size**2))

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        layout = self._layout(n_features)
        values = n_samples * self.n_components * layout.positions(layout.whole) / len(layout.regions)
        weights = self._stored_bytes(n_features, (layout.size + 1) * self.n_components, self.n_components)
        return Counts(2 * self.multiply_adds(n_samples, n_features), 3 * values, weights)

    # --- mapping ------------------------------------------------------------------------------------------------------

    def _block_weights(self, device: Device) -> dict[str, Any]:
        # Filters region by region; the threshold is one more weight, of a coordinate that is 1.
        order = np.argsort(self.regions_, kind="stable")
        size = 1.0 / np.sqrt(kernels.thresholded_relu_square(self.threshold))
        filters = np.empty((self.n_components, self.weights_.shape[1] + 1), dtype=self.dtype)
        filters[:, :-1], filters[:, -1] = self.weights_[order], -self.threshold
        filters *= filters.dtype.type(size)
        return {
            "filters": filters,
            "columns": order,
            "whitening": self.whitening_.astype(self.dtype),
            "offset": (self.whitening_ @ self.mean_)[:, None].astype(self.dtype),
        }

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        X = X.toarray() if hasattr(X, "indptr") else X
        layout = self._layout(X.shape[1])
        images = X.reshape(-1, *layout.image)
        wide, tall = _TILE
        if xp is not np:
            wide, tall = int(min(_GPU_TILE[0], _GPU_PATCHES // layout.size) * block_share()), _GPU_TILE[1]
        ends = np.cumsum(np.bincount(self.regions_, minlength=len(layout.regions)))
        for region, first, last in zip(layout.regions, ends - np.diff(ends, prepend=0), ends, strict=True):
            n_positions = layout.positions(region)
            step = max(wide // n_positions, 1)
            for start in range(0, len(images) if last > first else 0, step):
                rows = slice(start, min(start + step, len(images)))
                patches = self._unit_patches(xp, layout, images[rows], region, weights)
                for top in range(first, last, tall):
                    part = slice(top, min(top + tall, last))
                    values = scratch.empty((part.stop - top, patches.shape[1]), out.dtype)
                    matmul(xp, weights["filters"][part], patches, out=values)
                    cuda.MEAN_OF_POSITIVE(xp, values, n_positions, weights["columns"][part], scale, out[rows])

    def _unit_patches(self, xp: Any, layout: _Layout, images: Any, region: Any, weights: dict[str, Any]) -> Any:
        """Return whitened patches of length 1, a column each, above a row of ones for the threshold."""
        patches = layout.cut(xp, images, region)
        found = xp.empty((layout.size + 2, patches.shape[1]), dtype=patches.dtype)
        white = found[: layout.size]
        xp.matmul(weights["whitening"], patches, out=white)
        white -= weights["offset"]
        xp.multiply(white, white, out=patches)
        common = _COMMON * layout.size
        shrink = 1.0 / xp.sqrt(patches.sum(axis=0) + patches.dtype.type(common))
        white *= shrink
        found[layout.size] = shrink * patches.dtype.type(np.sqrt(common))
        found[layout.size + 1] = 1.0
        return found

    @property
    def fold_meaning(self) -> str:
        return "where a feature leaves zero: the first patch of its region passes the threshold"

    # --- the kernel ---------------------------------------------------------------------------------------------------

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        check_is_fitted(self)  # fitting learns how patches are whitened
        layout = self._layout(X.shape[1])
        n_Y = len(X if Y is None else Y)
        pairs = sum(layout.positions(region) ** 2 for region in layout.regions)
        if pairs * len(X) * n_Y > _MOST_PAIRS:
            raise SlowKernelError(
                "image_shape",
                f"must have at most {_MOST_PAIRS // (len(X) * n_Y):,} pairs of patches in its regions "
                f"for the exact kernel of {len(X) * n_Y:,} pairs of rows",
                f"{layout.image} with {pairs:,}",
                "Choose fewer rows, a finer grid or larger patches.",
            )
        weights = {"whitening": self.whitening_, "offset": (self.whitening_ @ self.mean_)[:, None]}

        def unit_patches(rows: np.ndarray, region: tuple[int, int, int, int]) -> np.ndarray:
            return self._unit_patches(np, layout, rows.reshape(-1, *layout.image), region, weights)[:-1]

        def of_region(region: tuple[int, int, int, int]) -> np.ndarray:
            n, means = layout.positions(region), np.empty((len(X), n_Y))
            with single_threaded_blas():
                other = unit_patches(X if Y is None else Y, region)
                step = max(_PAIRS // (n * n * n_Y), 1)  # all pairs of patches at once would take gigabytes
                for start in range(0, len(X), step):
                    rows = slice(start, start + step)
                    cosines = np.clip(unit_patches(X[rows], region).T @ other, -1.0, 1.0)
                    values = kernels.thresholded_relu_rho(cosines, self.threshold)
                    means[rows] = values.reshape(-1, n, n_Y, n).mean(axis=(1, 3))
            return means

        K: Any = sum(map_ordered(of_region, layout.regions, worker_count())) / len(layout.regions)
        return (K + K.T) / 2.0 if Y is None else K
