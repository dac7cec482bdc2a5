"""How near every feature map comes to what the device allows: its time beside the least that its work can take.

Every map maps one block of rows that lie on the device, by the CUDA kernels and by array operations alone, in float32
and in TF32. The limit is the longer of two times: the operations of the map at the rate of products, and its rows,
weights and features, once each, at the rate of copies (:mod:`rfviz.features.cost`). A share of 1 would be a map that
does nothing but what it must. Random binning takes rows from the host, so that their way is in its time. On the CPU the
same is measured with NumPy, by way of the blocks that the library computes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._rates import Rates, turn_by_turn
from rfviz.backend import Device, product_precision
from rfviz.cuda import plain_kernels
from rfviz.features import FeatureMap, registry
from rfviz.features.blocks import Scratch
from rfviz.features.cost import work

__all__ = ["SETTINGS", "roofline"]

#: What is timed of each scheme beside its defaults.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "RandomMaxout": [{}, {"pool_size": 1}, {"pool_size": 16}],
    "RandomFourier": [{}, {"paired": False}, {"draw": "structured"}],
    "SigmoidalRidge": [{}, {"activation": "logistic"}],
    "CompositionalFeatures": [{}, {"skeleton": "deep"}],
}
Map = Callable[[], Any]


def roofline(
    device: Device, rates: Rates, n: int = 16_384, d: int = 784, m: int = 10_000, turns: int = 7
) -> list[dict[str, Any]]:
    """Return one row per feature map, setting and precision.

    Parameters
    ----------
    device : Device
    rates : Rates
        Of that device.
    n, d, m : int
        Rows, columns and features; of random binning a tenth as many grids as features.
    turns : int
    """
    host = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    rows = []
    for name, scheme in registry().items():
        for setting in SETTINGS.get(name, [{}]):
            count = max(m // 10, 1) if scheme.sparse_output else m
            feature_map = scheme(count, device=device.name, **setting).fit(host[: min(n, 1000)])
            rows += _of_one(device, rates, feature_map, setting, host, turns)
            device.release()
    return rows


def _of_one(
    device: Device, rates: Rates, feature_map: FeatureMap, setting: dict[str, Any], host: np.ndarray, turns: int
) -> list[dict[str, Any]]:
    least = work(feature_map, *host.shape)
    precisions = ["float32", "tf32"] if device.is_gpu and least.products else ["float32"]
    rows = []
    for precision in precisions:
        with device.activate(), product_precision(precision):
            seconds = turn_by_turn(device, ways_to_map(device, feature_map, host), turns)
        limit, best = rates.limit(least, precision), min(seconds["kernels" if device.is_gpu else "arrays"])
        moving = least.bytes / rates.copy
        rows.append(
            {
                "scheme": type(feature_map).__name__,
                "settings": ", ".join(f"{k}={v}" for k, v in setting.items()) or "–",
                "precision": "float64" if least.double else precision,
                "GFLOP": least.flops / 1e9,
                "MB": least.bytes / 1e6,
                "bound by": "memory" if moving >= limit else "operations",
                "limit ms": 1e3 * limit,
                "kernels ms": 1e3 * min(seconds["kernels"]) if device.is_gpu else None,
                "arrays ms": 1e3 * min(seconds["arrays"]),
                "share of the limit": limit / best,
            }
        )
    return rows


def ways_to_map(device: Device, feature_map: FeatureMap, host: np.ndarray) -> dict[str, Map]:
    """Return the calls that map all rows: by array operations, and on a GPU by kernels too."""
    if not device.is_gpu:
        return {"arrays": lambda: [None for _ in feature_map.transform_blocks(host)]}
    kernels = _on_rows(device, feature_map, host)
    arrays = _on_rows(device, feature_map, host)

    def plain() -> None:
        with plain_kernels():
            arrays()

    return {"kernels": kernels, "arrays": plain}


def _on_rows(device: Device, feature_map: FeatureMap, host: np.ndarray) -> Map:
    """Return the call that maps rows that are on the device already; of one with sparse output, the transfer too."""
    if feature_map.sparse_output:
        return lambda: [None for _ in feature_map.transform_blocks(host)]
    xp, X, scratch = device.xp, device.asarray(host), Scratch(device.xp)
    weights = {name: device.asarray(value) for name, value in feature_map._block_weights(device).items()}
    out = xp.empty((len(host), feature_map.n_components), dtype=host.dtype)
    return lambda: feature_map._map_block(xp, X, weights, feature_map._scale(), out, scratch)
