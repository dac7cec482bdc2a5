"""Whether every scheme computes on this GPU what NumPy computes, and how fast beside the bare matrix product.

    python benchmarks/gpu_check.py [--seed N] [--json PATH]

Correctness: fresh random input (the seed is printed), memory that holds NaN beforehand, float32 and float64, dense and
sparse rows, whole and in uneven blocks. The reference is NumPy in float64 with the same weights. Speed: CUDA events
around one block on the device, turn by turn with the cuBLAS product of the same size, in FP32 and in TF32.

Exit status: 0 all is well, 1 some error is over its tolerance, 2 there is no GPU.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()

import numpy as np
from scipy import sparse

from benchmarks._report import markdown_table, median_ratio, write_json
from rfviz.backend import Device, get_device, to_host
from rfviz.errors import ParameterError
from rfviz.features import COMMON_PARAMS, FeatureMap, registry
from rfviz.features.blocks import Scratch

# Rounding of a sum of d products grows as √d; a result in TF32, whose unit is 5e-4, is far over this in float32.
TOLERANCE_UNITS = 20


def variants(scheme: type[FeatureMap]) -> list[dict[str, Any]]:
    """Settings of a scheme to check, from what it declares."""
    values = {}
    for param in scheme.params:
        if param.name in {common.name for common in COMMON_PARAMS}:
            continue
        if param.kind == "bool":
            values[param.name] = [True, False]
        elif param.kind == "choice":
            values[param.name] = list(param.choices)
        elif param.name == "n_projections":  # no fewer than a feature takes
            values[param.name] = [16, param.default]
        elif param.kind == "range":
            values[param.name] = [param.default, (3, 9)]
        elif param.kind == "int":
            values[param.name] = sorted({param.clamp(value) for value in (1, 2, 4, 16)})
        else:
            values[param.name] = [param.default]
    return [dict(zip(values, setting, strict=True)) for setting in itertools.product(*values.values())]


def changed_once(scheme: type[FeatureMap]) -> list[dict[str, Any]]:
    """The defaults, and each of the values of :func:`variants` alone: settings to time."""
    settings: list[dict[str, Any]] = [{}]
    defaults = {param.name: param.default for param in scheme.params}
    for setting in variants(scheme):
        alone = {name: value for name, value in setting.items() if value != defaults[name]}
        if len(alone) == 1:
            settings.append(alone)
    return settings


def poison(device: Device, n_bytes: int) -> None:
    """Leave NaN in the memory pool, in pieces as large as those that the map will ask for."""
    with device.activate():
        pieces = [device.xp.full(n_bytes // 8, np.nan) for _ in range(4)]
        del pieces


def reference(feature_map: FeatureMap, X: np.ndarray) -> np.ndarray:
    """The features in NumPy and float64, with the very weights of `feature_map`."""
    settings = {**feature_map.get_params(), "device": "cpu", "dtype": "float64"}
    exact = type(feature_map)(**settings).fit(X)
    for name in feature_map._weights:
        if hasattr(feature_map, name):
            weights = getattr(feature_map, name)
            setattr(exact, name, weights.astype(np.float64) if weights.dtype.kind == "f" else weights)
    return exact.transform(X)


def errors(feature_map: FeatureMap, X: np.ndarray, device: Device) -> Iterator[tuple[str, float]]:
    """Largest error over the largest feature, for each way to ask for the features."""
    expected = reference(feature_map, X)
    scale = np.abs(expected).max()
    n_bytes = (expected.data if sparse.issparse(expected) else expected).size * np.dtype(feature_map.dtype).itemsize
    stack = sparse.vstack if feature_map.sparse_output else np.vstack
    asked = {
        "dense": lambda: feature_map.transform(X),
        "CSR": lambda: feature_map.transform(sparse.csr_matrix(X)),
        "blocks": lambda: stack([to_host(block) for block in feature_map.transform_blocks(X, len(X) // 3 + 1)]),
    }
    for name, ask in asked.items():
        poison(device, n_bytes)
        error = abs(ask() - expected).max() / scale
        yield name, float(error) if np.isfinite(error) else float("inf")


def largest_phase(feature_map: FeatureMap, X: np.ndarray) -> float:
    """Of a cosine, in tens of radians, at least 1: rounding a phase moves the cosine as much as the phase is large."""
    if not hasattr(feature_map, "frequencies_"):
        return 1.0
    return max(float(np.abs(X @ feature_map.frequencies_.T.astype(np.float64)).max()) / 10.0, 1.0)


def check(device: Device, seed: int, n: int = 3001, d: int = 203, m: int = 1000) -> list[dict[str, Any]]:
    """One row per scheme, setting and dtype, with its largest error and whether that is within the tolerance."""
    rng = np.random.default_rng(seed)
    rows = []
    for (name, scheme), dtype in itertools.product(registry().items(), ("float32", "float64")):
        for settings in variants(scheme):
            # Values that float32 holds exactly and a third of them zero, so that the inputs are the same for all.
            X = rng.standard_normal((n, d)).astype(np.float32).astype(np.float64)
            X[rng.random((n, d)) < 1 / 3] = 0.0
            feature_map = scheme(m, random_state=int(rng.integers(2**31)), device=device.name, dtype=dtype, **settings)
            try:
                feature_map.fit(X)
            except ParameterError:  # two settings that exclude each other
                continue
            tolerance = TOLERANCE_UNITS * float(np.finfo(dtype).eps) * np.sqrt(d) * largest_phase(feature_map, X)
            found = dict(errors(feature_map, X, device))
            rows.append(
                {
                    "scheme": name,
                    "settings": ", ".join(f"{k}={v}" for k, v in settings.items()) or "–",
                    "dtype": dtype,
                    **found,
                    "tolerance": tolerance,
                    "ok": max(found.values()) <= tolerance,
                }
            )
    assert {row["scheme"] for row in rows} == set(registry())
    return rows


def event_seconds(device: Device, functions: dict[str, Callable[[], Any]], turns: int) -> dict[str, list[float]]:
    """Seconds on the device's own clock, the functions taking turns, after one turn to warm up."""
    cuda = device.xp.cuda
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(turns + 1):
        for name, function in functions.items():
            start, stop = cuda.Event(), cuda.Event()
            start.record()
            function()
            stop.record()
            stop.synchronize()
            if turn:
                seconds[name].append(cuda.get_elapsed_time(start, stop) / 1e3)
    return seconds


def time_schemes(device: Device, n: int = 16_384, d: int = 784, m: int = 10_000, turns: int = 7) -> list[dict]:
    """Each scheme on one block of rows that lie on the device, beside the product of the same size."""
    rng = np.random.default_rng(0)
    host = rng.standard_normal((n, d), dtype=np.float32)
    rows = []
    for name, scheme in registry().items():
        for settings in changed_once(scheme):
            feature_map = scheme(m, device=device.name, **settings).fit(host[:100])
            columns = max(round(feature_map.multiply_adds(n, d) / (n * d)), 1)
            with device.activate():
                bare, ours = _products(device, feature_map, host, columns)
                seconds = event_seconds(device, {"product": bare, "scheme": ours}, turns)
                del bare, ours
            device.release()
            best = min(seconds["scheme"])
            rows.append(
                {
                    "scheme": name,
                    "settings": ", ".join(f"{k}={v}" for k, v in settings.items()) or "–",
                    "product ms": 1e3 * min(seconds["product"]),
                    "scheme ms": 1e3 * best,
                    "share of the product's speed": 1 / median_ratio(seconds["scheme"], seconds["product"]),
                    "TFLOP/s": 2e-12 * n * d * columns / best,
                }
            )
    return rows


def _products(device: Device, feature_map: FeatureMap, host: np.ndarray, columns: int) -> tuple[Callable, Callable]:
    """The bare product (in pieces of m columns into one buffer) and the scheme, on rows that are on the device."""
    xp, m = device.xp, feature_map.n_components
    X = device.asarray(host)
    W = device.asarray(np.random.default_rng(1).standard_normal((m, host.shape[1]), dtype=np.float32))
    weights = {name: device.asarray(value) for name, value in feature_map._block_weights(device).items()}
    out, scratch = xp.empty((len(host), m), dtype=host.dtype), Scratch(xp)
    pieces = [min(m, columns - start) for start in range(0, columns, m)]
    buffers = {piece: xp.empty((len(host), piece), dtype=host.dtype) for piece in set(pieces)}

    def bare() -> None:
        for piece in pieces:
            xp.matmul(X, W[:piece].T, out=buffers[piece])

    if feature_map.sparse_output:  # these take rows from the host: the way to the device is in their time
        return bare, lambda: [None for _ in feature_map.transform_blocks(host)]
    return bare, lambda: feature_map._map_block(xp, X, weights, feature_map._scale(), out, scratch)


def about(device: Device) -> dict[str, Any]:
    """The GPU and its software."""
    runtime = device.xp.cuda.runtime
    driver = Path("/proc/driver/nvidia/version")
    return {
        "device": device.describe(),
        "cupy": device.xp.__version__,
        "cuda_runtime": runtime.runtimeGetVersion(),
        "cuda_driver": runtime.driverGetVersion(),
        "kernel_module": driver.read_text().split("\n")[0] if driver.exists() else "",
    }


def time_in_tf32() -> list[dict]:
    """The timings of a second process with CUPY_TF32=1, which CuPy reads when it starts."""
    command = [sys.executable, __file__, "--times-only"]
    done = subprocess.run(command, env={**os.environ, "CUPY_TF32": "1"}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31, help="of the inputs; from the clock")
    parser.add_argument("--json", type=Path, help="where to write; by default results/gpu-<name>.json")
    parser.add_argument("--times-only", action="store_true", help="print the timings as JSON and nothing else")
    options = parser.parse_args()
    try:
        device = get_device("cuda")
    except ParameterError as error:
        print(f"There is no GPU to check: {error}")
        return 2
    if options.times_only:
        print(json.dumps(time_schemes(device)))
        return 0
    print(f"{device.describe()}\nSeed {options.seed}\n\n## Largest error over the largest feature\n")
    checks = check(device, options.seed)
    print(markdown_table(checks))
    times = {"FP32": time_schemes(device), "TF32": time_in_tf32()}
    for precision, rows in times.items():
        print(f"\n## One block of 16384 × 784 to 10000 features, {precision}\n\n{markdown_table(rows)}")
    name = device.describe().split(",")[0].lower().replace(" ", "-")
    path = options.json or Path(__file__).parent / "results" / f"gpu-{name}.json"
    write_json(path, {"gpu": about(device), "seed": options.seed, "checks": checks, "times": times})
    wrong = [row for row in checks if not row["ok"]]
    print(f"{len(wrong)} of {len(checks)} over the tolerance" if wrong else f"All {len(checks)} within the tolerance")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
