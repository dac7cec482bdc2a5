"""Whole computations on a device, timed by the host's clock: streams of rows, compositional features, Table 1."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfviz import kernels
from rfviz.backend import Device, stream_blocks, to_host
from rfviz.experiments.accuracy.maxout_table import TABLE_Q, maxout_table
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import preset

__all__ = ["time_compositional", "time_overlap", "time_table1"]

# A fitted map and rows to the features in NumPy and float64.
Reference = Callable[[Any, np.ndarray], np.ndarray]


def time_compositional(device: Device, m: int, n: int, pairs: int, reference: Reference) -> list[dict[str, Any]]:
    """Time features of images that are streamed, and an exact kernel matrix, on images of 24 × 24 pixels."""
    skeleton, rng = preset("2 convolutions", (24, 24)), np.random.default_rng(0)
    X = rng.random((n, skeleton.n_columns), dtype=np.float32)
    start = time.perf_counter()
    feature_map = CompositionalFeatures(m, skeleton=skeleton, device=device.name).fit(X[:1])
    drawn = time.perf_counter() - start
    check = feature_map.transform(X[:4]), reference(feature_map, X[:4].astype(np.float64))
    rows = [{"what": f"{m} features drawn on the host", "s": drawn, "million values/s": m / drawn / 1e6, "error": None}]
    start = time.perf_counter()
    for block in feature_map.transform_blocks(X):
        del block
    device.synchronize()
    seconds = time.perf_counter() - start
    error = float(np.abs(check[0] - check[1]).max() / np.abs(check[1]).max())
    what = f"{m} features of {n} images"
    rows.append({"what": what, "s": seconds, "million values/s": m * n / seconds / 1e6, "error": error})
    with device.activate():
        images = device.asarray(X[:pairs].astype(np.float64))
        start = time.perf_counter()
        K = kernels.compositional(images, skeleton=skeleton)
        device.synchronize()
        seconds = time.perf_counter() - start
        few = to_host(K[:8, :8])
    exact = kernels.compositional(X[:8].astype(np.float64), skeleton=skeleton)
    error, what = float(np.abs(few - exact[: len(few), : len(few)]).max()), f"exact kernel of {len(images)}² pairs"
    rows.append({"what": what, "s": seconds, "million values/s": K.size / seconds / 1e6, "error": error})
    return rows


def time_overlap(device: Device, n: int, d: int, m: int) -> list[dict[str, Any]]:
    """Time rows from the host through a product: fetched ahead, and one block after the other."""
    X = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    block = max(n // 16, 1)
    with device.activate():
        W = device.asarray(np.random.default_rng(1).standard_normal((d, m), dtype=np.float32))

        def ahead() -> None:
            for rows in stream_blocks(X, block, device, "float32"):
                rows @ W

        def one_by_one() -> None:
            for first in range(0, n, block):
                device.asarray(X[first : first + block]) @ W

        return [
            {"way": name, "ms": 1e3 * best_of(device, way)}
            for name, way in {"fetched ahead": ahead, "one by one": one_by_one}.items()
        ]


def best_of(device: Device, function: Callable[[], Any], turns: int = 5) -> float:
    """Return the seconds of the quickest of several calls, after one to warm up, by the host's clock."""
    seconds = []
    for _ in range(turns + 1):
        device.synchronize()
        start = time.perf_counter()
        function()
        device.synchronize()
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def time_table1(device: Device, mnist: Path | None, sizes: tuple[int, int], m_values: Sequence[int]) -> dict[str, Any]:
    """Time one draw of Table 1, with its errors if the data are MNIST; else on as many random rows as `sizes` says."""
    if mnist is None:
        rng = np.random.default_rng(0)
        parts = [(rng.random((size, 784), dtype=np.float32), rng.integers(0, 10, size)) for size in sizes]
    else:
        with np.load(mnist) as stored:
            parts = [
                (stored[f"X_{p}"].reshape(len(stored[f"y_{p}"]), -1) / np.float32(255), stored[f"y_{p}"].astype(int))
                for p in ("train", "test")
            ]
    start = time.perf_counter()
    n_held = min(10_000, len(parts[0][0]) // 6)
    table = maxout_table(*parts, m_values, TABLE_Q, [0], n_held=n_held, device=device.name)
    device.synchronize()
    seconds = time.perf_counter() - start
    known = None if mnist is None else table.errors.round(6).tolist()
    return {"data": "random" if mnist is None else "MNIST", "m": list(m_values), "seconds": seconds, "errors": known}
