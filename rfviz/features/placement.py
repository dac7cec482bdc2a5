"""Where an analysis maps its rows: on a GPU only if recorded figures say that it is faster there.

A page that is about features computes on the device that its user chose. An analysis that maps a few rows on its way
is slower there: the way to a GPU and back takes longer than the features. Whether it is comes from the least work of
the map (:mod:`rfviz.features.cost`), the rates of the GPU at hand, and what sessions on GPUs have recorded in
``benchmarks/results``; a test holds the constants here to those files. A map, or a computation, without a record
stays on the processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rfviz.backend import core_count, get_device, get_rates, memory_budget
from rfviz.features.cost import Where, note_where, work

if TYPE_CHECKING:
    from rfviz.features.base import FeatureMap

__all__ = ["LOWEST_SHARES", "Afterwards", "on_processor", "placed"]

Map = TypeVar("Map", bound="FeatureMap")

#: The lowest recorded share of the GPU's limit, by map: over its settings in float32, on an H100 and an H200.
LOWEST_SHARES = {
    "CompositionalFeatures": 0.1,
    "DecisionStumps": 0.22,
    "HybridCompositional": 0.67,
    "RandomActivation": 0.59,
    "RandomBinning": 0.027,
    "RandomConvolution": 0.22,
    "RandomFourier": 0.056,
    "RandomMaxout": 0.84,
    "RandomPool": 0.52,
    "RandomProjection": 0.95,
    "RandomReLU": 0.84,
    "SharedPoolMaxout": 0.27,
    "SigmoidalRidge": 0.84,
    "StructuredMaxout": 0.02,
}
#: Share of the limit of products in float64 that the Gram matrix of a ridge regression had, at the least.
GRAM_SHARE = 0.6
#: Seconds of the first ridge regression of a process whose kernels are compiled, and bytes a second of a transform
#: whose rows come from the host and whose features go back: the slowest on record.
START_S, BUS = 0.025, 4.9e9
#: Operations a second of one core in float32, the fastest on record; half in float64.
CORE = 165e9


class Afterwards(NamedTuple):
    """What follows on the device that maps the rows, so that the features stay there.

    Attributes
    ----------
    operations : float
        Of products in float64.
    moved, held : float
        Bytes that cross the bus both ways, next to the rows, and that are held next to the features.
    """

    operations: float
    moved: float
    held: float


def placed(feature_map: Map, n_samples: int, n_features: int, then: Afterwards | None = None) -> Map:
    """Set the device of a map to the processor, or to a GPU for rows that it maps sooner, and return the map.

    Parameters
    ----------
    feature_map : FeatureMap
        Its device is the one that it may compute on; by default the session's.
    n_samples, n_features : int
        Rows to be mapped, and their columns.
    then : Afterwards, optional
        Without it the features themselves go back to the host.
    """
    device = get_device(feature_map.device)
    if device.is_gpu and not _is_faster(feature_map, n_samples, n_features, then):
        device = get_device("cpu")
    feature_map.device = device.name
    return feature_map


def on_processor(what: str) -> str:
    """Return ``"cpu"``, for a computation that was never timed on a GPU; `what` names it for the user."""
    if get_device().is_gpu:
        note_where(Where(frozenset((False,)), (float("inf"), f"{what} not measured on a GPU")))
    return "cpu"


def _is_faster(feature_map: FeatureMap, n: int, d: int, then: Afterwards | None) -> bool:
    """Return whether the map's GPU is faster than the processor can be at best, and has the memory."""
    cost, label, device = work(feature_map, n, d), feature_map.label, get_device(feature_map.device)
    if then is None:
        then = Afterwards(0.0, cost.bytes_out, 0.0)
    elif cost.bytes + then.held > memory_budget(device):
        note_where(Where(why=(float("inf"), f"“{label}” of {n:,} rows does not fit into the GPU’s memory")))
        return False
    rate = CORE * core_count()
    host = cost.flops / (0.5 * rate if cost.double else rate) + then.operations / (0.5 * rate)
    share = LOWEST_SHARES.get(type(feature_map).__name__)
    if share is None:
        note_where(Where(why=(host, f"“{label}” was not measured on a GPU")))
        return False
    there = START_S + (cost.bytes_in + then.moved) / BUS
    if there < host:  # else the rates of the GPU, which take a while to measure, change nothing
        rates = get_rates(device)
        there += rates.limit(cost) / share + then.operations / (GRAM_SHARE * rates.double_products)
    times = f"{_seconds(there)} on the GPU with the way there and back, {_seconds(host)} on the processor at best"
    note_where(Where(why=(host, f"“{label}” of {n:,} rows takes about {times}, by recorded figures")))
    return there < host


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.0f} ms" if seconds >= 1e-3 else "under 1 ms"
