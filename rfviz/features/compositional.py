"""Random features of compositional kernels: the base of maps over a skeleton, the map, and how it is evaluated.

Angles lie as one row a column of the data, samples side by side, and a feature adds up a few of those rows. On the
processor that is SciPy's sparse product, tile by tile, so that what it writes is still in the cache when the cosine is
taken; it holds the interpreter for a moment a tile only, and blocks of rows are mapped on all cores. On a GPU a thread
adds up a feature of a few samples, or it is that sparse product.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from rfviz import bounds, cuda, kernels
from rfviz.backend import Device, check_memory, get_device, to_host
from rfviz.errors import MemoryBudgetError, ParameterError, warn
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import Scratch, fits_on_gpu
from rfviz.features.compositional_draws import CHUNK, REAL, SINE, draw_features
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import BY_COLUMN, Look, Step, number, scaled_step
from rfviz.features.precision import check_angles, evenly, largest_entry
from rfviz.features.receptive import checked_image_shape
from rfviz.params import Param, parameter
from rfviz.skeleton import PRESETS, as_skeleton, image_shape_of

if TYPE_CHECKING:
    from rfviz.skeleton import Skeleton

__all__ = [
    "TURN",
    "Arrays",
    "CompositionalFeatures",
    "SkeletonMap",
    "device_arrays",
    "host_arrays",
    "map_on_device",
    "map_on_host",
]

TURN: Any = Param(
    "turn",
    0.5,
    "float",
    low=0.0,
    open_low=True,
    high=1e6,
    ui_low=0.05,
    ui_high=10.0,
    log=True,
    label="Turn",
    help="Part of a full circle that an input of 1 makes. With 0.5, black and white pixels are opposite.",
)
# What a feature value costs relative to a multiply-add of a matrix product, to tell which jobs are large.
_COST_OF_A_VALUE = 150
# Bytes that a feature takes for a moment while it is drawn.
_DRAWING_BYTES = 100
# Allocations up to this size are always allowed.
_SMALL = 100_000_000
_MOST_ENTRIES = int(np.iinfo(np.int32).max)
# Samples of a tile, and numbers in it: 1 MB in float32. Rows of a power of two would share few places of the cache,
# which makes turning them a third slower; small tiles leave the cores waiting for the interpreter.
_SAMPLES, _TILE = 240, 262_144


class SkeletonMap(FeatureMap):
    """Base of the feature maps over a computation skeleton, a parameter that may be more than the name of a preset."""

    skeleton: Any
    turn: float
    image_shape: Sequence[int] | None

    def _check_param(self, param: Param, value: Any) -> Any:
        if param.name == "skeleton":
            from rfviz.skeleton import Skeleton

            is_json = isinstance(value, str) and value.lstrip().startswith("{")
            if value is None or is_json or isinstance(value, (Skeleton, Mapping)):
                return value
        return super()._check_param(param, value)

    def _draw(self, n_features: int) -> None:
        self.skeleton_ = self._skeleton_for(n_features)

    @property
    def _is_preset(self) -> bool:
        return self.skeleton is None or (isinstance(self.skeleton, str) and not self.skeleton.lstrip().startswith("{"))

    def _skeleton_for(self, n_features: int) -> Skeleton:
        shape = None
        if self.image_shape is not None and not self._is_preset:
            rule = "must be None for a skeleton of one's own, which says itself where its inputs lie"
            raise ParameterError("image_shape", rule, self.image_shape, "Leave it out, or take a preset.")
        if self.image_shape is not None:
            shape = checked_image_shape(self.image_shape, n_features, "Leave it out for data that are no images.")
        return as_skeleton(self.skeleton, n_features, self.turn, shape)

    def guessed_image(self, n_features: int) -> tuple[int, ...] | None:
        # A flat skeleton does not see where inputs lie.
        if self.image_shape is not None or not self._is_preset or self.skeleton in (None, "flat"):
            return None
        return image_shape_of(n_features)

    def _check_precision(self, X: Any) -> None:
        rows = evenly(X)
        for group in self.skeleton_.inputs:
            columns = rows[:, group.columns]
            if group.base.kind in ("circle", "gaussian"):
                radians = largest_entry(X[:, group.columns]) * group.base.unit_angle
                check_angles(radians, "The angles that the data stand for", self.dtype)
            if group.base.kind == "circle":
                _warn_of_whole_turns(columns.data if sparse.issparse(columns) else columns, group.base.turn)

    def _input_kind(self) -> str:
        """Return what an input is, and what the numbers of its name count."""
        shape = self.skeleton_.image_shape
        return "input" if shape is None else f"pixel (row, column{', colour' * (shape[2] > 1)})"

    def _input_name(self, column: int) -> str:
        """Return the name of an input in a formula: numbers from 1."""
        shape = self.skeleton_.image_shape
        if shape is None:
            return str(column + 1)
        *pixel, colour = (int(place) + 1 for place in np.unravel_index(column, shape))
        return ",".join(map(str, [*pixel, colour] if shape[2] > 1 else pixel))

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        # On the host in the end; a GPU computes it where the map has one.
        device, skeleton = get_device(self.device), self._skeleton_for(X.shape[1])
        found: list[np.ndarray] = []

        def on_gpu() -> None:
            with device.activate():
                rows = [None if A is None else device.asarray(A) for A in (X, Y)]
                found.append(to_host(kernels.compositional(*rows, skeleton=skeleton)))

        if device.is_gpu and fits_on_gpu(on_gpu, device):
            return found[0]
        return kernels.compositional(X, Y, skeleton=skeleton)


def _warn_of_whole_turns(values: np.ndarray, turn: float) -> None:
    """Warn where whole numbers go around the circle, as pixels from 0 to 255 do, so that many are the same point."""
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if (high - low) * turn < 1.0 or not np.array_equal(values, np.round(values)):
        return
    warn(
        f"The data are whole numbers from {low:g} to {high:g}, but with turn={turn:g} values {1.0 / turn:g} apart are "
        f"the same point of the circle. Scale them to 0…1, or use turn={0.5 / (high - low):.3g}.",
        UserWarning,
    )


class CompositionalFeatures(SkeletonMap):
    r"""Products of a few base features along random paths through a computation skeleton.

    .. math:: \Phi(x)_\ell = \sqrt{2\,w_\ell}\,\cos\Bigl(\sum_j N_{\ell j}\theta_j(x) + b_\ell\Bigr), \qquad
        b_\ell \in \{0, \pi/2\}

    At a node, a feature draws how many children it multiplies from the coefficients of the node's dual activation,
    and chooses each among the in-edges; at an input it draws a random feature of the base space, here z^{±1} of a point
    z = e^{iθ} on the circle. Hence N is a sparse matrix of small integers. (Binary and categorical inputs are angles
    too, Gaussian ones have real multiples, spheres also have moduli that are multiplied.) The weight w is 1/m, or with
    `deduplicate` the share of the draws that were equal to this feature. A feature that is ±1 whatever the data needs
    no second quadrature: it is used without the √2.

    Its kernel is that of the skeleton: see :func:`rfviz.kernels.compositional`.

    Cost: O(m·C) to draw and O(n·m·C) to map, C the skeleton's expected paths per feature, whatever the number of
    inputs. Caveats: the variance is that of cosines, however small a part of the kernel depends on the data; a row with
    very large multiples, which the ReLU draws now and then, loses digits in float32.

    **Inputs.** In a preset every column of the data is a point on a circle: the value v has the angle 2π·turn·v, any
    real value is accepted, and values 1/turn apart are the same point. With the default ``turn=0.5`` pixels from 0 to 1
    lie on half a circle. What the other base spaces make of a value is said in :mod:`rfviz.skeleton.bases`.

    **Nested.** ``prefix(m)`` equals fitting with ``n_components=m`` and the same seed. With `deduplicate` both are the
    first m different features, weighted by their shares of the draws before the (m + 1)-th different one appears, which
    makes the estimate unbiased; since these weights depend on m, `prefix` draws again, and *unscaled* features
    (``transform_blocks(scaled=False)``) leave them out. Where a skeleton does not have m different features, drawing
    stops after 64·m draws (32768 at least) and the columns that are left are zero; see `n_different_`.

    Parameters
    ----------
    n_components : int
        Number of features m.
    skeleton : str, Skeleton, mapping or None
        The name of a preset, which takes the columns of the data as an image (see `image_shape`); or a skeleton, or its
        JSON form as an object or as text, for data with just as many columns as it takes. None is ``"flat"``.
    turn : float
        For presets: part of a full turn that an input of 1 makes.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows, for presets; by default as square as their number of columns allows.
    deduplicate : bool
        Whether equal features are stored once, with their weight, and drawing goes on until m different ones are found.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    skeleton_ : Skeleton
    ends_, columns_, multiples_ : ndarray
        N in compressed rows: feature i adds ``multiples_[e]`` times the angle of column ``columns_[e]`` for e from
        ``ends_[i]`` to ``ends_[i + 1]``.
    kinds_ : ndarray of shape (n_different_,), int8
        0: √2·cos; 1: √2·cos(· + π/2); 2: a cosine that is ±1 whatever the data.
    modulus_ends_, modulus_columns_, powers_ : ndarray
        Likewise the moduli that a feature multiplies; without spheres there are none.
    multiplicities_ : ndarray of shape (n_different_,), int32
        Draws that each feature stands for.
    n_draws_, n_different_ : int
        All draws; features that are not zero.
    bytes_per_feature_ : float
    seed_ : int

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from rfviz.features import CompositionalFeatures
    >>> X = np.random.default_rng(0).random((3, 576))
    >>> CompositionalFeatures(5000, skeleton="2 convolutions").fit_transform(X).shape
    (3, 5000)
    """

    label = "Compositional"
    look = Look("#b5609a", "longdash", "triangle-down")
    _law_missing = BY_COLUMN
    summary = "Products of a few inputs that meet in a network of convolutions: sparse, cheap, local."
    formula = (
        r"\Phi_\ell(x)=\sqrt{2w_\ell}\,\cos\bigl(\textstyle\sum_j N_{\ell j}\,\theta_j(x)+b_\ell\bigr),"
        r"\quad b_\ell\in\{0,\tfrac{\pi}{2}\}"
    )
    cost = "O(n·m·paths)"
    reference = "Daniely, Frostig, Gupta, Singer 2017"
    rank = 100
    feature_norm = float(np.sqrt(2.0))
    plane_params: ClassVar[Mapping[str, Any]] = {
        "skeleton": '{"inputs": [{"base": {"kind": "gaussian", "dimension": 1, "scale": 1.0}, "count": 2}], '
        '"nodes": [{"activation": "relu", "in": [0, 1]}]}'
    }
    skeleton: Any = parameter(
        default="flat",
        kind="choice",
        choices=PRESETS,
        label="Skeleton",
        help="Which inputs meet in a feature: any (flat), or those that share windows of convolutions.",
    )
    turn: float = TURN
    image_shape: Sequence[int] | None = None
    deduplicate: bool = parameter(
        default=True,
        kind="bool",
        label="Keep equal features once",
        help="Equal features become one with a weight, and drawing goes on until all are different.",
    )
    _weights = (
        "ends_", "columns_", "multiples_", "kinds_", "modulus_ends_", "modulus_columns_", "powers_", "multiplicities_",
    )  # fmt: skip

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _entries_per_feature(self, skeleton: Skeleton) -> float:
        """Return the expected entries of a row of N, at most."""
        paths = min(skeleton.complexity, skeleton.n_inputs)
        return paths * max(g.base.dimension if g.base.kind == "gaussian" else 1 for g in skeleton.inputs)

    def weight_bytes(self, n_features: int) -> int:
        """Return the bytes that fitting on `n_features` columns takes; of the weights themselves once fitted."""
        if hasattr(self, "bytes_per_feature_"):
            return int(self.bytes_per_feature_ * self.n_components)
        skeleton = self._skeleton_for(n_features)
        return int(self.n_components * (_DRAWING_BYTES + 24 * self._entries_per_feature(skeleton)))

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        skeleton = self._skeleton_for(n_features)
        return int(self._entries_per_feature(skeleton) * self.n_components * n_samples)

    def _work(self, n_samples: int, n_features: int) -> int:
        return _COST_OF_A_VALUE * self.n_components * n_samples

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m = self.n_components
        if self._is_drawn_for(n_features):
            entries, moduli = len(self.columns_), len(self.modulus_columns_)
        else:
            entries, moduli = m * self._entries_per_feature(self._skeleton_for(n_features)), 0
        each = 2 * (entries + moduli) + m * (FUNCTION + 2) + (m * FUNCTION if moduli else 0)
        return Counts(0, n_samples * (each + n_features), self._stored_bytes(n_features, entries, entries + 2 * m))

    def _check_weight_memory(self, n_features: int) -> None:
        if hasattr(self, "bytes_per_feature_"):
            del self.bytes_per_feature_
        super()._check_weight_memory(n_features)

    def _draw(self, n_features: int) -> None:
        super()._draw(n_features)
        self.skeleton_.check_sampling()
        needed = int(CHUNK * 64 * self._entries_per_feature(self.skeleton_))
        if needed > _SMALL:  # features are drawn by chunks, however few are wanted
            check_memory(needed, "cpu", "Drawing features of this skeleton", "Choose one with a lower complexity.")
        features = draw_features(self.skeleton_, self.seed_, self.n_components, self.deduplicate)
        rows = features.rows
        self.ends_, self.modulus_ends_ = (
            ends.astype(np.int32 if ends[-1] < 2**31 else np.int64) for ends in (rows.ends, rows.modulus_ends)
        )
        self.columns_, self.modulus_columns_ = (
            c.astype(_smallest(n_features), copy=False) for c in (rows.columns, rows.modulus_columns)
        )
        self.multiples_ = _compact(rows.multiples, self.dtype)
        self.powers_ = _compact(rows.powers, self.dtype)
        self.kinds_ = rows.kinds
        self._set_counts(features.multiplicities, features.n_draws)

    def _set_counts(self, multiplicities: np.ndarray, n_draws: int) -> None:
        self.multiplicities_, self.n_draws_, self.n_different_ = multiplicities, n_draws, len(multiplicities)
        self.bytes_per_feature_ = sum(getattr(self, name).nbytes for name in self._weights) / self.n_components

    def prefix(self, n_components: int) -> CompositionalFeatures:
        smaller = super().prefix(n_components)
        if self.deduplicate:
            counts = draw_features(self.skeleton_, self.seed_, smaller.n_components, True)
            multiplicities, n_draws = counts.multiplicities, counts.n_draws
        else:
            multiplicities, n_draws = self.multiplicities_[: smaller.n_components], smaller.n_components
        for name, value in self._first(len(multiplicities)).items():
            setattr(smaller, name, value)
        smaller._set_counts(multiplicities, n_draws)
        return smaller

    def shares(self, n_components: int) -> float | np.ndarray:
        if not self.deduplicate:
            return super().shares(n_components)
        smaller = self.prefix(n_components)
        shares = np.zeros(n_components)  # columns beyond the different features are zero
        shares[: smaller.n_different_] = smaller.multiplicities_ / smaller.n_draws_
        return shares

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {}  # how many there are is known only when the draws have been counted again: see prefix

    def _first(self, n: int) -> dict[str, np.ndarray]:
        """Return the arrays of the first `n` different features."""
        entries, moduli = int(self.ends_[n]), int(self.modulus_ends_[n])
        return {
            "ends_": self.ends_[: n + 1],
            "columns_": self.columns_[:entries],
            "multiples_": self.multiples_[:entries],
            "kinds_": self.kinds_[:n],
            "modulus_ends_": self.modulus_ends_[: n + 1],
            "modulus_columns_": self.modulus_columns_[:moduli],
            "powers_": self.powers_[:moduli],
        }

    def why_no_bound(self) -> str:
        if self.deduplicate:
            return (
                "Equal features are kept once, so that the features are not independent, which the bounds ask for. "
                "Theorem 3 is about all features as they are drawn."
            )
        if self._pair_bound(1.0) is None:
            return "Features of spheres are larger than 1 and are multiplied without end, so that they have no bound."
        return ""

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        largest = self.largest_feature()
        return None if largest is None else bounds.bounded_products(largest)

    def largest_error(self) -> float | None:
        largest = self.largest_feature()
        return None if largest is None else largest**2 + 1.0

    def largest_feature(self) -> float | None:
        largest = 1.0  # presets are over circles
        if not self._is_preset:
            from rfviz.skeleton import Skeleton

            made = self.skeleton if isinstance(self.skeleton, Skeleton) else Skeleton(self.skeleton)
            largest = made.feature_bound
        return math.sqrt(2.0) * largest if math.isfinite(largest) else None

    # --- mapping ------------------------------------------------------------------------------------------------------

    def _check_input(self, X: Any, names: bool = True) -> Any:
        X = super()._check_input(X, names)
        for group in self.skeleton_.inputs:
            if group.base.kind == "categorical":
                columns = X[:, group.columns]
                group.base.check(columns.toarray() if sparse.issparse(columns) else columns)
        return X

    def _scale(self) -> np.ndarray:
        """Return the square root of each feature's share of the draws."""
        return np.sqrt(self.multiplicities_ / self.n_draws_)

    def _block_weights(self, device: Device) -> dict[str, Any]:
        weights = super()._block_weights(device)
        if not device.is_gpu:
            return host_arrays(weights, self.dtype, self.n_features_in_)
        return device_arrays(weights, self.dtype) | {"amplitude": self._amplitude(1.0)}

    def _amplitude(self, scale: Any) -> np.ndarray:
        return (np.where(self.kinds_ == REAL, 1.0, np.sqrt(2.0)) * scale).astype(self.dtype)

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: Any, out: Any, scratch: Scratch) -> None:
        if xp is np:
            map_on_host(X, weights, self.skeleton_, self._amplitude(scale), out)
        else:
            if "scaled" not in weights:  # the same for all blocks, and too long to bring along with each
                scales = np.broadcast_to(scale, self.n_different_).astype(self.dtype)
                weights["scaled"] = weights["amplitude"] * xp.asarray(scales)
            map_on_device(xp, X, weights, self.skeleton_, weights["scaled"], out)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        if feature >= self.n_different_ or len(self.modulus_columns_):
            return []
        entries = slice(int(self.ends_[feature]), int(self.ends_[feature + 1]))
        angles = np.zeros(len(x))
        for group in self.skeleton_.inputs:
            angles[group.columns] = group.base.angles(np, x.astype(np.float64)[group.columns][:, None])[0][:, 0]
        columns, multiples = self.columns_[entries], self.multiples_[entries].astype(np.float64)
        words = f"Each {self._input_kind()} gives an angle; the feature takes it as often as its paths end there."
        steps = []
        for column, multiple, angle in zip(columns.tolist(), multiples.tolist(), angles[columns].tolist(), strict=True):
            name, term = rf"\theta_{{{self._input_name(column)}}}", multiple * angle
            latex = rf"{number(multiple)}\cdot {name}={number(multiple)}\cdot {number(angle)}={number(term)}"
            steps.append(Step(words, latex, term))
        offset = float(np.pi / 2) if self.kinds_[feature] == SINE else 0.0
        total = float(sum(step.value for step in steps)) + offset
        value = float(np.cos(total))
        added = r"+\tfrac{\pi}{2}" if offset else ""
        steps.append(
            Step(
                "A product of waves adds their angles. Take the cosine of the sum.",
                rf"\cos\bigl(\textstyle\sum_j N_j\theta_j{added}\bigr)=\cos({number(total)})={number(value)}",
                value,
            )
        )
        scale = float(self._amplitude(1.0)[feature] * self._scale()[feature])
        return [*steps, scaled_step(scale, value, "Scale by the weight of the feature.")]


def _smallest(largest: int) -> type:
    return np.uint16 if largest <= 2**16 else np.int32


def _compact(numbers: np.ndarray, dtype: str) -> np.ndarray:
    """Convert whole numbers to the smallest integers that hold them, real ones to the map's precision."""
    if numbers.dtype.kind == "f":
        return numbers.astype(dtype)
    largest = int(np.abs(numbers).max(initial=0))
    return numbers.astype(next(t for t in (np.int8, np.int16, np.int32, np.int64) if largest <= np.iinfo(t).max))


Arrays = dict[str, Any]


def _tables(xp: Any, X: Any, skeleton: Skeleton, multiple: int = 1) -> tuple[Any, Any]:
    """Return angles and logarithms of moduli, a row a column and a last row of 0; None if all moduli are 1.

    Columns, a sample each, are a multiple of `multiple`; what those beyond the samples hold means nothing.
    """
    n = X.shape[0]
    shape = (X.shape[1] + 1, -(-n // multiple) * multiple)
    angles, moduli = xp.empty(shape, dtype=X.dtype), None
    angles[-1] = 0.0
    for group in skeleton.inputs:
        turned, radius = group.base.angles(xp, X[:, group.columns].T)
        angles[group.columns, :n] = turned
        if radius is not None:
            if moduli is None:
                moduli = xp.zeros(shape, dtype=X.dtype)
            # A radius of 0 becomes too small to tell from it, but its logarithm stays a number.
            moduli[group.columns, :n] = xp.log(xp.maximum(radius, X.dtype.type(1e-30)))
    return angles, moduli


def host_arrays(weights: Arrays, dtype: str, n_columns: int) -> Arrays:
    """Convert the map's arrays for the processor: two sparse matrices, the second None if no modulus counts.

    Parameters
    ----------
    weights : dict
        The fitted arrays of the map, by name.
    dtype : str
    n_columns : int
        Of the data.
    """

    def rows(ends: str, columns: str, numbers: str) -> sparse.csr_matrix:
        parts = weights[numbers].astype(dtype), weights[columns].astype(np.int32), weights[ends]
        return sparse.csr_matrix(parts, shape=(len(weights["kinds_"]), n_columns))

    return {
        "multiples": rows("ends_", "columns_", "multiples_"),
        "powers": rows("modulus_ends_", "modulus_columns_", "powers_") if len(weights["powers_"]) else None,
        "bias": _bias(weights, dtype),
    }


def map_on_host(X: np.ndarray, arrays: Arrays, skeleton: Skeleton, amplitude: np.ndarray, out: np.ndarray) -> None:
    """Write the features of `X`, each times its amplitude, to `out`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_columns)
        In the dtype of `out`.
    arrays : dict
        Of :func:`host_arrays`.
    skeleton : Skeleton
    amplitude : ndarray of shape (n_features,)
    out : ndarray of shape (n_samples, n_components)
        Columns beyond `n_features` become zero.
    """
    n_features = len(arrays["bias"])
    out[:, n_features:] = 0.0
    for start in range(0, X.shape[0], _SAMPLES):
        rows = slice(start, min(start + _SAMPLES, X.shape[0]))
        some: Any = X[rows]
        angles, moduli = _tables(np, some.toarray() if sparse.issparse(some) else some, skeleton)
        step = max(_TILE // angles.shape[1], 1)
        for first in range(0, n_features, step):
            part = slice(first, min(first + step, n_features))
            tile = arrays["multiples"][part] @ angles[:-1]
            tile += arrays["bias"][part, None]
            np.cos(tile, out=tile)
            tile *= amplitude[part, None]
            if moduli is not None and arrays["powers"] is not None:
                # By way of logarithms: a factor may overflow where the product does not.
                tile *= np.exp(arrays["powers"][part] @ moduli[:-1])
            out[rows, part] = tile.T


def _bias(weights: Arrays, dtype: str) -> np.ndarray:
    return np.where(weights["kinds_"] == SINE, np.pi / 2, 0.0).astype(dtype)


def device_arrays(weights: Arrays, dtype: str) -> Arrays:
    """Convert the map's arrays for a GPU: entries of two sparse matrices in 32-bit indices, and the biases."""
    for name in ("ends_", "modulus_ends_"):
        if len(weights[name]) and weights[name][-1] > _MOST_ENTRIES:
            raise MemoryBudgetError(
                f"The features have {weights[name][-1]:,} entries; a GPU's kernel counts to {_MOST_ENTRIES:,}. "
                "Use fewer features, or device='cpu'.",
                "cuda",
            )
    arrays = {"bias": _bias(weights, dtype)}
    for name in ("ends_", "columns_", "modulus_ends_", "modulus_columns_"):
        arrays[name] = weights[name].astype(np.int32)
    for name in ("multiples_", "powers_"):
        arrays[name] = weights[name].astype(dtype)
    return arrays


def map_on_device(xp: Any, X: Any, arrays: Arrays, skeleton: Skeleton, amplitude: Any, out: Any) -> None:
    """Map rows as :func:`map_on_host`, on a GPU, with the arrays of :func:`device_arrays`."""
    X = X.toarray() if hasattr(X, "indptr") else X
    angles, moduli = _tables(xp, X, skeleton, cuda.SAMPLES)
    n_features = arrays["bias"].shape[0]
    entries = tuple(arrays[name] for name in ("ends_", "columns_", "multiples_"))
    powers = tuple(arrays[name] for name in ("modulus_ends_", "modulus_columns_", "powers_"))
    cuda.COSINE_SUMS(xp, angles, moduli, entries, powers, arrays["bias"], amplitude, out[:, :n_features])
    out[:, n_features:] = 0.0
