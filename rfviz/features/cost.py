"""The least cost of mapping: floating-point operations, and bytes between the chip and its memory.

The counts are of the mathematics, not of an implementation: every product is done once, every row and weight is read
once, every feature written once, and nothing in between leaves the chip. A time divided by what a device needs for this
work (:meth:`Work.limit`) says how far an implementation is from the best that there can be on it.

A multiply-add is two operations; an addition, a comparison, a scaling or a rounding is one; a function such as the
cosine is :data:`FUNCTION`. Weights that a receptive field sets to zero count as the others.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rfviz.backend import get_device
from rfviz.params import Param

__all__ = ["FUNCTION", "INDEX_BYTES", "Counts", "Meter", "Where", "Work", "metered", "note", "note_where", "work"]

# The hooks of a map that it asks are not for users.
# pyright: reportPrivateUsage=false


if TYPE_CHECKING:
    from rfviz.features.base import FeatureMap


#: Operations of a cosine, a hyperbolic tangent or an error function: a reduction of the argument by three multiply-adds
#: and a polynomial of about seven.
FUNCTION = 20
#: Bytes of an index.
INDEX_BYTES = 4


class Counts(NamedTuple):
    """Operations of mapping some rows, in matrix products and all others, and bytes of the weights."""

    products: float
    others: float
    weight_bytes: float


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
        """Return the seconds that no implementation can beat on a device of these rates.

        Parameters
        ----------
        product_rate : float
            Operations a second of matrix products.
        bandwidth : float
            Bytes a second of the device's memory.
        other_rate : float, optional
            Operations a second of everything else, where that has units of its own and both can run at once (products
            in TF32), or None if all operations share one rate.
        """
        if other_rate is None:
            arithmetic = self.flops / product_rate
        else:
            arithmetic = max(self.products / product_rate, (self.flops - self.products) / other_rate)
        return max(arithmetic, self.bytes / bandwidth)


def work(feature_map: FeatureMap, n_samples: int, n_features: int) -> Work:
    """Return the least work of mapping rows.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted on as many columns, it is counted as it was drawn; otherwise by the expected size of a draw.
    n_samples, n_features : int
        Rows n and columns d.

    Raises
    ------
    ParameterError
        For a parameter that breaks its rule.
    """
    n = Param("n_samples", 1, "int", low=0).validate(n_samples)
    d = Param("n_features", 1, "int", low=1).validate(n_features)
    for param in feature_map.params:
        feature_map._check_param(param, getattr(feature_map, param.name))
    counts, m = feature_map._operations(n, d), feature_map.n_components
    double, itemsize = feature_map._computes_in_double(), np.dtype(feature_map.dtype).itemsize
    bytes_in = n * feature_map._columns_read(d) * (8 if double else itemsize)
    bytes_out = n * m * itemsize
    if feature_map.sparse_output:
        bytes_out += n * m * INDEX_BYTES + (n + 1) * INDEX_BYTES
    return Work(
        round(counts.products + counts.others),
        round(bytes_in + counts.weight_bytes + bytes_out),
        round(counts.products),
        bytes_in,
        bytes_out,
        double,
    )


class Where(NamedTuple):
    """Where features were computed, and why there.

    Attributes
    ----------
    on_gpu : frozenset of bool
        Whether on a GPU; both if some were and some were not, empty if there were none.
    why : (float, str)
        Of the longest computation whose place was chosen: about how many seconds it takes, and the reason, a sentence
        without its end; empty if none was chosen.
    """

    on_gpu: frozenset[bool] = frozenset()
    why: tuple[float, str] = (0.0, "")

    def __or__(self, other: Any) -> Where:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the places of both."""
        return Where(self.on_gpu | other.on_gpu, max(self.why, other.why))


class Meter:
    """A record of mapped rows and of where they were mapped.

    Attributes
    ----------
    mapped : list of (feature_map, shape)
        Each map, with the shape of the rows.
    where : Where
    """

    def __init__(self) -> None:
        self.mapped: list[tuple[Any, tuple[int, int]]] = []
        self.where = Where()


_open: ContextVar[Meter | None] = ContextVar("rfviz_meter", default=None)


@contextmanager
def metered() -> Generator[Meter, None, None]:
    """Record what the calling thread maps, in the meter that this yields and in those around it."""
    meter, around = Meter(), _open.get()
    token = _open.set(meter)
    try:
        yield meter
    finally:
        _open.reset(token)
        if around is not None:
            around.mapped += meter.mapped
            around.where |= meter.where


def note(feature_map: Any, shape: tuple[int, int]) -> None:
    """Record that `feature_map` is about to map rows of this shape; free while no measurement is open."""
    meter = _open.get()
    if meter is not None:
        meter.mapped.append((feature_map, shape))
        is_gpu = get_device(getattr(feature_map, "device", "cpu")).is_gpu
        meter.where |= Where(frozenset((is_gpu,)))


def note_where(where: Where) -> None:
    """Record where something was computed, or why it is about to be there."""
    meter = _open.get()
    if meter is not None:
        meter.where |= where
