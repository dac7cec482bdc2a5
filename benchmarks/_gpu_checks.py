"""Whether every feature map computes on a GPU what NumPy computes, with fresh random input and memory that holds NaN.

Every map and setting in float32 and float64, dense and sparse rows, whole and in uneven blocks, by the CUDA kernels and
by array operations alone, and in TF32 with a tolerance of its own. The reference is NumPy in float64 with the same
weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import Device, is_device_lost, product_precision, to_host
from rfviz.cuda import plain_kernels
from rfviz.errors import ParameterError
from rfviz.features import COMMON_PARAMS, FeatureMap, RandomActivation, SigmoidalRidge, registry
from rfviz.features.cost import work

__all__ = ["check", "reference", "variants"]

# Rounding of a sum of d products grows as √d; a result in TF32, whose unit is 5e-4, is far over this in float32.
TOLERANCE_UNITS = 20
# TF32 knows a factor to 2^-11 where it rounds and to 2^-10 where it cuts off; errors of many products nearly cancel.
TF32_TOLERANCE = 2.0**-7


def variants(scheme: type[FeatureMap]) -> list[dict[str, Any]]:
    """Return the settings of a feature map to check, from what it declares."""
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


def poison(device: Device, n_bytes: int) -> None:
    """Fill the memory pool with NaN, in pieces as large as those that the map will ask for."""
    with device.activate():
        pieces = [device.xp.full(n_bytes // 8, np.nan) for _ in range(4)]
        del pieces


def reference(feature_map: FeatureMap, X: np.ndarray) -> np.ndarray:
    """Return the features in NumPy and float64, with the very weights of `feature_map`."""
    settings = {**feature_map.get_params(), "device": "cpu", "dtype": "float64"}
    exact = type(feature_map)(**settings).fit(X)
    for name in feature_map._weights:
        if hasattr(feature_map, name):
            weights = getattr(feature_map, name)
            setattr(exact, name, weights.astype(np.float64) if weights.dtype.kind == "f" else weights)
    return exact.transform(X)


def errors(feature_map: FeatureMap, X: np.ndarray, device: Device) -> Iterator[tuple[str, float]]:
    """Return the largest error over the largest feature, for each way to ask for the features."""
    expected = reference(feature_map, X)
    scale = np.abs(expected).max()
    n_bytes = (expected.data if sparse.issparse(expected) else expected).size * np.dtype(feature_map.dtype).itemsize
    stack = sparse.vstack if feature_map.sparse_output else np.vstack
    asked = {
        "dense": lambda: feature_map.transform(X),
        "CSR": lambda: feature_map.transform(sparse.csr_matrix(X)),
        "blocks": lambda: stack([to_host(block) for block in feature_map.transform_blocks(X, len(X) // 3 + 1)]),
        "arrays": lambda: _by_arrays(feature_map, X),
    }
    if feature_map.dtype == "float32" and work(feature_map, *X.shape).products:
        asked["tf32"] = lambda: _in_tf32(feature_map, X)
    for name, ask in asked.items():
        poison(device, n_bytes)
        error = abs(ask() - expected).max() / scale
        yield name, float(error) if np.isfinite(error) else float("inf")


def _by_arrays(feature_map: FeatureMap, X: np.ndarray) -> Any:
    with plain_kernels():
        return feature_map.transform(X)


def _in_tf32(feature_map: FeatureMap, X: np.ndarray) -> Any:
    with product_precision("tf32"):
        return feature_map.transform(X)


def largest_argument(feature_map: FeatureMap, X: np.ndarray) -> float:
    """Return the largest argument of a cosine, sigmoid or other function, in tens, at least 1: rounding scales with it.

    Features that grow with their argument need no more tolerance, as it is relative to them.
    """
    W = getattr(feature_map, "frequencies_", None)
    if W is None and isinstance(feature_map, (RandomActivation, SigmoidalRidge)):
        W = feature_map.weights_
    return 1.0 if W is None else max(float(np.abs(X @ W.T.astype(np.float64)).max()) / 10.0, 1.0)


def check(device: Device, seed: int, n: int = 3001, d: int = 203, m: int = 1000) -> Iterator[dict[str, Any]]:
    """Yield a row per feature map, setting and dtype, with its largest error, and whether it is tolerated.

    A map that raises is a row that is not; only an error after which the process has lost its GPU ends the check.
    """
    rng = np.random.default_rng(seed)
    for (name, scheme), dtype in itertools.product(registry().items(), ("float32", "float64")):
        for settings in variants(scheme):
            # Values that float32 holds exactly and a third of them zero, so that the inputs are the same for all.
            X = rng.standard_normal((n, d)).astype(np.float32).astype(np.float64)
            X[rng.random((n, d)) < 1 / 3] = 0.0
            feature_map = scheme(m, random_state=int(rng.integers(2**31)), device=device.name, dtype=dtype, **settings)
            shown = ", ".join(f"{k}={v}" for k, v in settings.items()) or "–"
            row: dict[str, Any] = {"scheme": name, "settings": shown, "dtype": dtype}
            try:
                feature_map.fit(X)
            except ParameterError:  # two settings that exclude each other
                continue
            try:
                yield row | _compared(feature_map, X, device)
            except Exception as error:
                yield row | {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
                if is_device_lost(error):
                    raise


def _compared(feature_map: FeatureMap, X: np.ndarray, device: Device) -> dict[str, Any]:
    argument = largest_argument(feature_map, X)
    tolerance = TOLERANCE_UNITS * float(np.finfo(feature_map.dtype).eps) * np.sqrt(X.shape[1]) * argument
    found = dict(errors(feature_map, X, device))
    rounded = found.pop("tf32", None)
    right = max(found.values()) <= tolerance and (rounded or 0.0) <= TF32_TOLERANCE * argument
    return {**found, "tf32": rounded, "tolerance": tolerance, "ok": right}
