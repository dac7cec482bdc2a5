"""Random features of compositional kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from rfviz.backend import Device, check_memory
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch
from rfviz.features.compositional_draws import CHUNK
from rfviz.features.compositional_map import device_arrays, host_arrays, map_on_device, map_on_host
from rfviz.features.compositional_rows import REAL, SINE
from rfviz.features.compositional_unique import draw_features
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.law import BY_COLUMN
from rfviz.features.look import Look
from rfviz.features.skeleton_map import TURN, SkeletonMap
from rfviz.features.steps import Step, number, scaled_step
from rfviz.params import Param
from rfviz.skeleton import PRESETS, Skeleton, graph

__all__ = ["CompositionalFeatures"]

# What a feature value costs relative to a multiply-add of a matrix product, to tell which jobs are large.
_COST_OF_A_VALUE = 150
# Bytes that a feature takes for a moment while it is drawn.
_DRAWING_BYTES = 100
# Bytes that nobody misses.
_SMALL = 100_000_000


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
    device : {"auto", "cpu", "cuda", "cuda:<index>"}
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

    label: ClassVar[str] = "Compositional"
    look: ClassVar[Look | None] = Look("#b5609a", "longdash", "triangle-down")
    _law_missing: ClassVar[str] = BY_COLUMN
    summary: ClassVar[str] = "Products of a few inputs that meet in a network of convolutions: sparse, cheap, local."
    formula: ClassVar[str] = (
        r"\Phi_\ell(x)=\sqrt{2w_\ell}\,\cos\bigl(\textstyle\sum_j N_{\ell j}\,\theta_j(x)+b_\ell\bigr),"
        r"\quad b_\ell\in\{0,\tfrac{\pi}{2}\}"
    )
    cost: ClassVar[str] = "O(n·m·paths)"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta, Singer 2017"
    rank: ClassVar[int] = 100
    feature_norm: ClassVar[float | None] = float(np.sqrt(2.0))
    plane_params: ClassVar[Mapping[str, Any]] = {
        "skeleton": graph([({"kind": "gaussian", "dimension": 1, "scale": 1.0}, 2)], [("relu", [0, 1])])
    }
    params: ClassVar[tuple[Param, ...]] = (
        *COMMON_PARAMS,
        Param(
            "skeleton", "flat", "choice", choices=PRESETS, label="Skeleton",
            help="Which inputs meet in a feature: any (flat), or those that share windows of convolutions.",
        ),
        TURN,
        Param(
            "deduplicate", True, "bool", label="Keep equal features once",
            help="Equal features become one with a weight, and drawing goes on until all are different.",
        ),
    )  # fmt: skip
    _weights: ClassVar[tuple[str, ...]] = (
        "ends_", "columns_", "multiples_", "kinds_", "modulus_ends_", "modulus_columns_", "powers_", "multiplicities_",
    )  # fmt: skip

    def __init__(
        self,
        n_components: int = 1000,
        *,
        skeleton: Any = "flat",
        turn: float = 0.5,
        image_shape: Sequence[int] | None = None,
        deduplicate: bool = True,
        random_state: Any = 0,
        device: str | Device = "auto",
        dtype: str = "float32",
    ) -> None:
        self.n_components = n_components
        self.skeleton = skeleton
        self.turn = turn
        self.image_shape = image_shape
        self.deduplicate = deduplicate
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

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
        self.skeleton_ = self._skeleton_for(n_features)
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
            return "Equal features are kept once, so that the features are not independent, which the bounds ask for."
        return super().why_no_bound()

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
        steps.append(Step("A product of waves adds their angles. Take the cosine of the sum.",
                          rf"\cos\bigl(\textstyle\sum_j N_j\theta_j{added}\bigr)=\cos({number(total)})={number(value)}",
                          value))  # fmt: skip
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
