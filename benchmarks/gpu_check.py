"""Whether every scheme computes on this GPU what NumPy computes, and how near it comes to what the GPU allows.

    python benchmarks/gpu_check.py [--seed N] [--quick] [--mnist FILE] [--json PATH]

One command, about ten minutes (--quick: two), on a machine with CuPy, NumPy, scikit-learn and pandas:

1. Correctness, with fresh random input (the seed is printed) and memory that holds NaN beforehand: every scheme and
   setting in float32 and float64, dense and sparse rows, whole and in uneven blocks, by the CUDA kernels and by array
   operations alone, and in TF32 with a tolerance of its own. The reference is NumPy in float64 with the same weights.
2. The GPU's own rates and each scheme's time beside its limit (benchmarks/gpu_roofline.py), kernels and array
   operations turn by turn, in FP32 and in TF32; which kernels were compiled and found right, and what was wrong with
   the others; rows from the host, fetched ahead and one block after the other.
3. Two million compositional features of 10,000 images, streamed, and the exact kernel of 4096 × 4096 pairs.
4. Table 1 of the random maxout paper: one draw, of MNIST where --mnist names it, else of random rows of that shape,
   whose time is the same and whose errors mean nothing.

Exit status: 0 all is well, 1 some error is over its tolerance, 2 there is no GPU. No GPU has been measured yet.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()

import numpy as np
from scipy import sparse

from benchmarks._device_times import time_compositional, time_overlap, time_table1
from benchmarks._rates import about, measure
from benchmarks._report import markdown_table, write_json
from benchmarks.gpu_roofline import roofline
from rfviz.backend import Device, get_device, product_precision, to_host
from rfviz.cuda import kernels_in_use, plain_kernels
from rfviz.errors import ParameterError
from rfviz.features import COMMON_PARAMS, FeatureMap, registry
from rfviz.features.cost import work
from rfviz.lab.accuracy.maxout_table import TABLE_M

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
    """Return a cosine's or sigmoid's largest argument, in tens, at least 1: rounding scales with it."""
    for name in ("frequencies_", "biases_"):
        if hasattr(feature_map, name):
            W = getattr(feature_map, "frequencies_", getattr(feature_map, "weights_", None))
            return max(float(np.abs(X @ W.T.astype(np.float64)).max()) / 10.0, 1.0)
    return 1.0


def check(device: Device, seed: int, n: int = 3001, d: int = 203, m: int = 1000) -> list[dict[str, Any]]:
    """Return a row per feature map, setting and dtype, with its largest error, and whether it is tolerated."""
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
            argument = largest_argument(feature_map, X)
            tolerance = TOLERANCE_UNITS * float(np.finfo(dtype).eps) * np.sqrt(d) * argument
            found = dict(errors(feature_map, X, device))
            rounded = found.pop("tf32", None)
            rows.append(
                {
                    "scheme": name,
                    "settings": ", ".join(f"{k}={v}" for k, v in settings.items()) or "–",
                    "dtype": dtype,
                    **found,
                    "tf32": rounded,
                    "tolerance": tolerance,
                    "ok": max(found.values()) <= tolerance and (rounded or 0.0) <= TF32_TOLERANCE * argument,
                }
            )
    assert {row["scheme"] for row in rows} == set(registry())
    return rows


def main() -> int:
    """Check every feature map on the device, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31, help="of the inputs; from the clock")
    parser.add_argument("--json", type=Path, help="where to write; by default results/gpu-<name>.json")
    parser.add_argument("--mnist", type=Path, help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--quick", action="store_true", help="everything, on smaller data")
    options = parser.parse_args()
    try:
        device = get_device("cuda")
    except ParameterError as error:
        print(f"There is no GPU to check: {error}")
        return 2
    name = device.describe().split(",")[0].lower().replace(" ", "-")
    path = options.json or Path(__file__).parent / "results" / f"gpu-{name}.json"
    found = run(device, options.seed, QUICK if options.quick else Sizes(), options.mnist, path)
    wrong = [row for row in found["checks"] if not row["ok"]]
    print(f"{len(wrong)} over the tolerance" if wrong else f"All {len(found['checks'])} within the tolerance")
    return 1 if wrong else 0


@dataclass(frozen=True)
class Sizes:
    """How large the data of each part are."""

    check: tuple[int, int, int] = (3001, 203, 1000)
    product: int = 8192
    copied: int = 1_000_000_000
    block: tuple[int, int, int] = (16_384, 784, 10_000)
    overlap: tuple[int, int, int] = (65_536, 784, 10_000)
    compositional: tuple[int, int, int] = (2_000_000, 10_000, 4096)
    table: tuple[int, int] = (60_000, 10_000)
    table_m: tuple[int, ...] = TABLE_M


QUICK = Sizes(
    (301, 53, 100), 2048, 100_000_000, (2048, 784, 2000), (8192, 784, 2000), (100_000, 1000, 512), (12_000, 2000),
    (100, 500, 1000),
)  # fmt: skip


def run(device: Device, seed: int, sizes: Sizes, mnist: Path | None, path: Path) -> dict[str, Any]:
    """Run all parts; write what is known after each, so that a machine that is taken away loses little."""
    found: dict[str, Any] = {"gpu": about(device), "seed": seed, "sizes": asdict(sizes)}

    def report(key: str, title: str, value: Any, rows: list[dict[str, Any]]) -> None:
        print(f"\n## {title}\n\n{markdown_table(rows)}", flush=True)
        found[key] = value
        write_json(path, found)

    print(f"{device.describe()}\nSeed {seed}")
    checks = check(device, seed, *sizes.check)
    report("checks", "Largest error over the largest feature", checks, checks)
    rates = measure(device, sizes.product, sizes.copied)
    report("rates", "Rates of the device", asdict(rates), rates.table())
    rows = roofline(device, rates, *sizes.block)
    used, why = kernels_in_use(device.xp)
    found["kernels"] = {"in use": used, "not in use": why}
    report("schemes", "One block of rows, beside its limit", rows, rows)
    print(f"\nKernels in use: {', '.join(used) or 'none'}. {why}")
    rows = time_overlap(device, *sizes.overlap)
    report("overlap", "Rows from the host through a product", rows, rows)
    rows = time_compositional(device, *sizes.compositional, reference)
    report("compositional", "Compositional features and their kernel", rows, rows)
    table = time_table1(device, mnist, sizes.table, sizes.table_m)
    report("table1", "Table 1, one draw", table, [{k: v for k, v in table.items() if k not in ("m", "errors")}])
    return found


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        sys.exit(main())
