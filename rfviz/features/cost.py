"""What mapping costs at least: floating-point operations, and bytes between the chip and its memory.

The counts are of the mathematics, not of an implementation: every product is done once, every row and weight is read
once, every feature written once, and nothing in between leaves the chip. A time divided by what a device needs for this
work (:meth:`Work.limit`) says how far an implementation is from the best that there can be on it.

A multiply-add is two operations; an addition, a comparison, a scaling or a rounding is one; a function such as the
cosine is :data:`FUNCTION`. Weights that a receptive field sets to zero count as the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import clone

from rfviz.features.base import FeatureMap
from rfviz.features.binning import RandomBinning
from rfviz.features.compositional import CompositionalFeatures
from rfviz.features.fourier import RandomFourier
from rfviz.features.hybrid_compositional import HybridCompositional
from rfviz.features.maxout import RandomMaxout
from rfviz.features.projection import RandomProjection
from rfviz.features.random_relu import RandomReLU
from rfviz.features.shared_pool_maxout import SharedPoolMaxout
from rfviz.features.sigmoidal import SigmoidalRidge
from rfviz.features.structured import block_count, padded_size
from rfviz.features.structured_maxout import StructuredMaxout
from rfviz.features.stumps import DecisionStumps
from rfviz.params import Param

__all__ = ["FUNCTION", "Work", "work"]

#: Operations of a cosine, a hyperbolic tangent or an error function: a reduction of the argument by three multiply-adds
#: and a polynomial of about seven.
FUNCTION = 20
_INDEX = 4  # bytes of an index

# Operations in matrix products, all others, bytes of the weights
Counts = tuple[float, float, float]


@dataclass(frozen=True)
class Work:
    """Operations and bytes of mapping some rows.

    Attributes
    ----------
    flops : int
        Floating-point operations.
    bytes : int
        Bytes read from and written to the memory of the device: rows, weights and features once each.
    products : int
        The part of `flops` that is in dense matrix products, which has units of its own on many GPUs.
    bytes_in, bytes_out : int
        The parts of `bytes` that are rows and features: what crosses the bus where they come from and go to the host.
    double : bool
        Whether the operations are in double precision.
    """

    flops: int
    bytes: int
    products: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    double: bool = False

    def limit(self, product_rate: float, bandwidth: float, other_rate: float | None = None) -> float:
        """Seconds that no implementation can beat on a device of these rates.

        Parameters
        ----------
        product_rate : float
            Operations a second of matrix products.
        bandwidth : float
            Bytes a second of the device's memory.
        other_rate : float, optional
            Operations a second of everything else, where that has units of its own and both can run at once (products
            in TF32); None where all operations share one rate.
        """
        if other_rate is None:
            arithmetic = self.flops / product_rate
        else:
            arithmetic = max(self.products / product_rate, (self.flops - self.products) / other_rate)
        return max(arithmetic, self.bytes / bandwidth)


def work(
    scheme: FeatureMap | type[FeatureMap], setting: Mapping[str, Any] | None, n_samples: int, n_features: int
) -> Work:
    """The least work of mapping rows by a scheme.

    Parameters
    ----------
    scheme : FeatureMap or class
        A map whose parameters `setting` changes, or a scheme whose defaults it changes. A map that is fitted on as many
        columns, with nothing changed, is counted as it was drawn; all others by the expected size of a draw.
    setting : mapping or None
        Parameters by name.
    n_samples, n_features : int
        Rows n and columns d.

    Returns
    -------
    Work

    Raises
    ------
    ParameterError
        For a parameter that breaks its rule.
    """
    n = Param("n_samples", 1, "int", low=0).validate(n_samples)
    d = Param("n_features", 1, "int", low=1).validate(n_features)
    chosen = _chosen(scheme, setting or {})
    products, others, weights = _counts(chosen, n, d)
    itemsize = np.dtype(chosen.dtype).itemsize
    binning = isinstance(chosen, RandomBinning)  # whose rows are doubles, and whose features are sparse
    bytes_in = n * d * (8 if binning else itemsize)
    if isinstance(chosen, DecisionStumps):
        bytes_in = n * min(d, chosen.n_components) * itemsize
    bytes_out = n * chosen.n_components * itemsize
    if binning:
        bytes_out += n * chosen.n_components * _INDEX + (n + 1) * _INDEX
    return Work(
        round(products + others), round(bytes_in + weights + bytes_out), round(products), bytes_in, bytes_out,
        binning or chosen.dtype == "float64",
    )  # fmt: skip


def _chosen(scheme: FeatureMap | type[FeatureMap], setting: Mapping[str, Any]) -> FeatureMap:
    """The map to count, its parameters checked."""
    made = scheme() if isinstance(scheme, type) else scheme
    if setting:
        made = clone(made).set_params(**setting)
    for param in made.params:
        made._check_param(param, getattr(made, param.name))
    return made


def _drawn(feature_map: FeatureMap, n_features: int) -> bool:
    return getattr(feature_map, "n_features_in_", None) == n_features


def _weight_bytes(feature_map: FeatureMap, n_features: int, numbers: float, indices: float = 0) -> float:
    """Bytes of the weights as they were drawn, or of so many numbers and indices."""
    if _drawn(feature_map, n_features):
        return sum(getattr(feature_map, name).nbytes for name in feature_map._weights if hasattr(feature_map, name))
    return numbers * np.dtype(feature_map.dtype).itemsize + indices * _INDEX


@singledispatch
def _counts(feature_map: FeatureMap, n: int, d: int) -> Counts:
    """Of a scheme that has no line of its own here: its matrix products, and one operation a feature."""
    m = feature_map.n_components
    numbers = feature_map._numbers_per_feature(d) * m
    return 2 * feature_map.multiply_adds(n, d), n * m, _weight_bytes(feature_map, d, numbers)


@_counts.register
def _(feature_map: RandomProjection, n: int, d: int) -> Counts:
    m = feature_map.n_components
    return 2 * n * m * d, n * d, _weight_bytes(feature_map, d, m * d)  # the rows are scaled, not the features


@_counts.register
def _(feature_map: RandomReLU, n: int, d: int) -> Counts:
    m = feature_map.n_components
    return 2 * n * m * d, 2 * n * m, _weight_bytes(feature_map, d, m * d)


@_counts.register
def _(feature_map: SigmoidalRidge, n: int, d: int) -> Counts:
    m, bias = feature_map.n_components, bool(feature_map.bias)
    return 2 * n * m * d, n * m * (bias + FUNCTION + 1), _weight_bytes(feature_map, d, m * (d + bias))


@_counts.register
def _(feature_map: RandomMaxout, n: int, d: int) -> Counts:
    m, q = feature_map.n_components, feature_map.pool_size
    return 2 * n * m * q * d, n * m * (q - 1) + n * d, _weight_bytes(feature_map, d, m * q * d)


@_counts.register
def _(feature_map: SharedPoolMaxout, n: int, d: int) -> Counts:
    m, q, pool = feature_map.n_components, feature_map.pool_size, feature_map.n_projections
    return 2 * n * pool * d, n * m * (q - 1) + n * d, _weight_bytes(feature_map, d, pool * d, m * q)


@_counts.register
def _(feature_map: StructuredMaxout, n: int, d: int) -> Counts:
    m, q = feature_map.n_components, feature_map.pool_size
    transforms, numbers = _structured(n, m, d)
    return 0, q * (transforms + n * m) + n * m * (q - 1) + n * d, _weight_bytes(feature_map, d, q * (numbers + m))


@_counts.register
def _(feature_map: RandomFourier, n: int, d: int) -> Counts:
    m, frequencies = feature_map.n_components, feature_map._frequency_count(feature_map.n_components)
    phases = 0 if feature_map.paired else m
    others, products, numbers = n * m * (FUNCTION + 1) + n * phases, 2 * n * frequencies * d, frequencies * d
    if feature_map.draw == "structured":
        transforms, numbers = _structured(n, frequencies, d)
        others, products, numbers = others + transforms + n * (d + frequencies), 0, numbers + frequencies
    return products, others, _weight_bytes(feature_map, d, numbers + phases)


def _structured(n: int, n_rows: int, d: int) -> tuple[float, float]:
    """Operations of fast Hadamard transforms with signs, and signs that are stored."""
    blocks, size = block_count(n_rows, d), padded_size(d)
    return 3 * n * blocks * size * (1 + np.log2(size)), 3 * blocks * size


@_counts.register
def _(feature_map: RandomBinning, n: int, d: int) -> Counts:
    grids = feature_map.n_components
    # A difference, a quotient and a rounding for each column of each grid; a product and a sum of the code.
    weights = 8 * (2 * grids * d + d)
    if _drawn(feature_map, d):  # and the boxes that are known
        weights = _weight_bytes(feature_map, d, 0)
    return 0, 5 * n * grids * d, weights


@_counts.register
def _(feature_map: DecisionStumps, n: int, d: int) -> Counts:
    m = feature_map.n_components
    return 0, n * m, _weight_bytes(feature_map, d, m, m)


@_counts.register
def _(feature_map: CompositionalFeatures, n: int, d: int) -> Counts:
    m = feature_map.n_components
    if _drawn(feature_map, d):
        entries, moduli = len(feature_map.columns_), len(feature_map.modulus_columns_)
    else:
        entries, moduli = m * feature_map._entries_per_feature(feature_map._skeleton_for(d)), 0
    each = 2 * (entries + moduli) + m * (FUNCTION + 2) + (m * FUNCTION if moduli else 0)
    return 0, n * (each + d), _weight_bytes(feature_map, d, entries, entries + 2 * m)


@_counts.register
def _(feature_map: HybridCompositional, n: int, d: int) -> Counts:
    m, angles = feature_map.n_components, feature_map._angles(feature_map.n_components)
    phases = 0 if feature_map.paired else m
    numbers = feature_map._numbers_per_feature(d) * m - phases
    if _drawn(feature_map, d):
        numbers = feature_map.weights_.size
    # Both coordinates of every input's point on its circle, then the features.
    others = n * d * (1 + 2 * FUNCTION) + n * m * (FUNCTION + 1) + n * phases
    return 2 * n * numbers, others, _weight_bytes(feature_map, d, numbers + phases, 2 * angles)
