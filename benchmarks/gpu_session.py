"""All that a GPU can tell in one command of ten minutes: right results, rates, and how near the maps come to them.

    python benchmarks/gpu_session.py --out DIR [--parts env,kernels,…] [--budget S] [--mnist FILE] [--seed N] [--small]
        [--device cuda]

Each part runs in a process of its own with a limit of time, and appends its rows to DIR/<part>.jsonl as it goes: one
that crashes the GPU's context, hangs or raises loses nothing but its own rest. DIR/gpu-session.json gathers all of them
after each part. What matters most comes first; --budget ends the last ones. --device cpu runs the parts that need no
GPU, --small all of them in seconds; RFVIZ_FAKE_GPU=1 takes the tests' stand-in for a GPU.

Exit status: 0 all is well, 1 some part failed or some result is over its tolerance, 2 there is no such device. An
H100 and an H200 have been measured: results/gpu-session-*.json; -h100-first is before what the first run taught.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()

import numpy as np

from benchmarks import _gpu_checks
from benchmarks._device_times import time_compositional, time_overlap, time_table1
from benchmarks._rates import about, measure, turn_by_turn
from benchmarks._report import machine
from benchmarks._roofline import roofline
from rfviz import cuda
from rfviz.backend import Device, get_device, matmul, product_precision
from rfviz.errors import ParameterError
from rfviz.experiments.accuracy.maxout_table import TABLE_M
from rfviz.features import RandomBinning, RandomFourier, RandomMaxout, RandomProjection
from rfviz.linear_model import RidgePathClassifier, RidgePathRegressor, StochasticPath

Rows = Iterator[dict[str, Any]]
# Relative to the largest: coefficients of float32 sums, whose order is another one on a GPU.
_TOLERANCE = 1e-2


def env(device: Device, options: argparse.Namespace) -> Rows:
    """Describe the device and the machine."""
    yield {**about(device), **machine()}
    if device.is_gpu:
        asked = "name,driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu,memory.used,pcie.link.gen.current"
        command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
            yield {"nvidia-smi": done.stdout.strip().splitlines()}
        except OSError as error:
            yield {"nvidia-smi": str(error)}


def cold(device: Device, options: argparse.Namespace) -> Rows:
    """Time what a new process waits for: the first product, the first factor, and the first call of a few maps."""
    xp, X = device.xp, np.random.default_rng(0).standard_normal((1000, 64), dtype=np.float32)
    first = {
        "product": lambda: matmul(xp, xp.ones((512, 512), "float32"), xp.ones((512, 512), "float32")),
        "factor": lambda: xp.linalg.cholesky(xp.eye(512)),
        "RandomMaxout": lambda: RandomMaxout(1000, device=device.name).fit_transform(X),
        "RandomFourier": lambda: RandomFourier(1000, device=device.name).fit_transform(X),
        "ridge regression": lambda: RidgePathRegressor(
            RandomMaxout(1000, device=device.name), solver="primal", alphas=10.0
        ).fit(X, X[:, 0]),
    }
    for turn in ("first", "second"):
        for what, work in first.items():
            begun = time.perf_counter()
            work()
            device.synchronize()
            yield {"turn": turn, "what": what, "s": time.perf_counter() - begun}


def kernels(device: Device, options: argparse.Namespace) -> Rows:
    """Compile and try every CUDA kernel in both precisions."""
    for name in cuda.__all__:
        kernel = getattr(cuda, name)
        if not isinstance(kernel, cuda.Kernel):
            continue
        for dtype in ("float64",) if kernel.name.startswith("bin") else ("float32", "float64"):
            begun = time.perf_counter()
            works = kernel.works(device.xp, np.dtype(dtype))
            yield {"kernel": kernel.name, "dtype": dtype, "ok": works, "s": time.perf_counter() - begun}
    yield {"faults": cuda.kernels_in_use(device.xp)[1]}


def sanitizer(device: Device, options: argparse.Namespace) -> Rows:
    """Run the trials of the kernels under compute-sanitizer, which finds accesses out of bounds."""
    apart = argparse.Namespace(**{**vars(options), "out": options.out / "sanitizer"})
    command = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9", *_child("kernels", apart)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=55)
    except OSError as error:
        yield {"skipped": str(error)}
        return
    yield {"ok": done.returncode == 0, "returned": done.returncode, "tail": done.stdout.splitlines()[-5:]}


def check_quick(device: Device, options: argparse.Namespace) -> Rows:
    """Check every map and setting on small data."""
    return _gpu_checks.check(device, options.seed, *((50, 7, 20) if options.small else (301, 53, 100)))


def check(device: Device, options: argparse.Namespace) -> Rows:
    """Check every map and setting on data of full size."""
    return _gpu_checks.check(device, options.seed, *((50, 7, 20) if options.small else (3001, 203, 1000)))


def parity(device: Device, options: argparse.Namespace) -> Rows:
    """Compare codes, few rows, repeated calls and linear models with those of the CPU."""
    rng = np.random.default_rng(options.seed)
    n, d, m = (120, 6, 20) if options.small else (4001, 61, 1003)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    both = device.name, "cpu"
    for make in (RandomMaxout, RandomProjection, RandomBinning):
        one, other = (make(m if make is not RandomBinning else max(m // 10, 2), device=w).fit(X).codes(X) for w in both)
        share = float((one == other).mean())
        yield {"codes of": make.__name__, "equal": share, "ok": share > 0.9999}  # but for ties
    for make in (RandomMaxout, RandomFourier):
        feature_map = make(m, device=device.name).fit(X)
        same = np.array_equal(feature_map.transform(X), feature_map.transform(X))
        yield {"twice the same": make.__name__, "ok": bool(same)}
    for rows in (1, 7, 129):
        one, other = (RandomMaxout(m, device=w).fit(X).transform(X[:rows]) for w in both)
        yield {"rows": rows} | _apart(one, other, 1e-5)
    grid = [max(m // 10, 1), m // 2, m]
    for precision in ("auto", "float32", "float64"):
        settings = {"m_grid": grid, "alphas": 10.0, "solver": "primal", "precision": precision}
        one, other = (RidgePathClassifier(RandomMaxout(m, device=w), **settings).fit(X, y) for w in both)
        for k in grid:
            yield {"ridge": precision, "m": k, "s": one.timings_} | _apart(
                one.coef_path_[k], other.coef_path_[k], _TOLERANCE
            )
    yield from _penalties(both, X, y, m)
    one, other = (
        StochasticPath(RandomFourier(m, gamma=1 / d, device=w), m_grid=grid, epochs=2).fit(X, y).decision_path(X)
        for w in both
    )
    for k, a, b in zip(grid, one, other, strict=True):
        yield {"stochastic": k} | _apart(a, b, 5 * _TOLERANCE)


def _penalties(both: tuple[str, str], X: np.ndarray, y: np.ndarray, m: int) -> Rows:
    """Compare the penalties that leave-one-out errors choose, and the models, in every solver, whole and in parts."""
    few = slice(0, m // 2)
    for solver, rows, make in (
        ("primal", slice(None), lambda w: RandomMaxout(m, device=w)),
        ("dual", few, lambda w: RandomMaxout(m, device=w)),
        ("auto", slice(None), lambda w: RandomBinning(max(m // 50, 2), gamma=0.02, device=w)),
    ):
        paths = [RidgePathClassifier(make(w), solver=solver, random_state=1).fit(X[rows], y[rows]) for w in both]
        alike = bool(np.allclose(paths[0].alpha_, paths[1].alpha_, rtol=1e-6))
        said = [path.decision_path(X[:500])[-1] for path in paths]
        row = {"leave one out": solver, "same penalties": alike, "s": [path.timings_ for path in paths]}
        row |= _apart(*said, _TOLERANCE)
        yield row | {"ok": row["ok"] and alike}
    target = X[:, 0] * X[:, 1]
    paths = [RidgePathRegressor(RandomMaxout(m, device=w), random_state=1) for w in both]
    for path in paths:
        path.fit_blocks((X[k : k + 500], target[k : k + 500]) for k in range(0, len(X), 500))
    yield {"rows in parts": "regressor"} | _apart(*(path.predict(X[:500]) for path in paths), _TOLERANCE)


def _apart(found: np.ndarray, expected: np.ndarray, tolerance: float) -> dict[str, Any]:
    error = float(np.abs(found - expected).max() / max(float(np.abs(expected).max()), 1e-30))
    return {"error": error, "ok": error <= tolerance}


def tiles(device: Device, options: argparse.Namespace) -> Rows:
    """Time the products of one block, some rows at a time, with and without their maximum: what maxout.py decides."""
    n, d, m, pool = (96, 8, 64, 4) if options.small else (16_384, 784, 10_000, 4)
    xp, rng = device.xp, np.random.default_rng(0)
    X, W = (device.asarray(rng.standard_normal(shape, dtype=np.float32)) for shape in ((n, d), (m * pool, d)))
    out, scratch = xp.empty((n, m), dtype=np.float32), xp.empty((n, m * pool), dtype=np.float32)

    def run(high: int, maximum: bool) -> None:
        for start in range(0, n, high):
            rows = slice(start, start + high)
            part = matmul(xp, X[rows], W.T, out=scratch[: len(X[rows])])
            if maximum:
                cuda.GROUP_MAX(xp, part, pool, out[rows])

    for precision in ("float32", "tf32"):
        with product_precision(precision):
            for high in (n // 16, n // 8, n // 4, n // 2, n):
                both, bare = (_ms(device, lambda f=f, h=high: run(h, f)) for f in (True, False))
                times = {"ms": both, "product ms": bare, "TFLOP/s": 2e-9 * n * m * pool * d / both}
                yield {"precision": precision, "rows": high, "MB": 4e-6 * high * m * pool} | times


class _Unaligned(RandomMaxout):
    """Maxout of rows that get no columns of zeros."""

    _projections = ()


def widths(device: Device, options: argparse.Namespace) -> Rows:
    """Time products and a map of rows that are no multiple of 16 bytes, as they are and with columns of zeros.

    In float32 the map gets none: only the products tell what they would bring.
    """
    n, m, all_columns = (96, 20, (5, 8)) if options.small else (16_384, 10_000, (41, 54, 105, 203, 561))
    xp, rng = device.xp, np.random.default_rng(0)
    out = xp.empty((n, 4 * m), dtype=np.float32)
    for d in all_columns:
        host = rng.standard_normal((n, d), dtype=np.float32)
        wide, many = np.pad(host, ((0, 0), (0, -d % 4))), np.tile(host, (4, 1))
        maps = {
            "": _Unaligned(m, device=device.name).fit(host),
            "aligned ": RandomMaxout(m, device=device.name).fit(host),
        }
        for precision in ("float32", "tf32"):
            functions, found = {}, []
            with product_precision(precision), contextlib.ExitStack() as stack:
                for name, rows in (("", host), ("aligned ", wide)):
                    weights = maps[name].weights_.reshape(4 * m, d)
                    X, W = map(device.asarray, (rows, np.pad(weights, ((0, 0), (0, rows.shape[1] - d)))))
                    functions[f"{name}product ms"] = lambda X=X, W=W: matmul(xp, X, W.T, out=out)
                    if precision == "tf32":
                        stack.enter_context(maps[name].resident())
                        functions[f"{name}map ms"] = lambda one=maps[name], X=many: deque(one.transform_blocks(X), 0)
                        found.append(maps[name].transform(host[:1000]))
                seconds = turn_by_turn(device, functions, 1 if options.small else 7)
            times = {name: 1e3 * float(np.median(values)) for name, values in seconds.items()}
            row = {"precision": precision, "columns": d, "aligned columns": wide.shape[1], **times}
            yield row | (_apart(found[1], found[0], 1e-4) if found else {})


def solves(device: Device, options: argparse.Namespace) -> Rows:
    """Time ridge regression for a grid of m, in both precisions, with one penalty and with one chosen for each m."""
    n, m = (64, 32) if options.small else (16_384, 10_000)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 50)), rng.integers(0, 10, n)
    for alphas, dtypes in ((10.0, ("float32", "float64")), ("auto", ("float32",))):
        for dtype, precision in itertools.product(dtypes, ("float32", "float64")):
            path = RidgePathClassifier(
                RandomMaxout(m, dtype=dtype, device=device.name), solver="primal", alphas=alphas, precision=precision
            )
            for turn in range(2):
                path.fit(X, y)
                row = {"features": dtype, "factor": precision, "alphas": alphas, "m": m, "turn": turn}
                yield row | {"points": len(path.m_grid_)} | {f"{k} s": seconds for k, seconds in path.timings_.items()}


def rates(device: Device, options: argparse.Namespace) -> Rows:
    """Measure products and copies, and time every map beside the limit that they set."""
    size, copied = (32, 40_000) if options.small else (8192, 1_000_000_000)
    found = measure(device, size, copied, 1 if options.small else 3)
    yield {"rates": asdict(found)}
    n, d, m = (20, 16, 10) if options.small else (16_384, 784, 10_000)
    yield from roofline(device, found, n, d, m, turns=1 if options.small else 3)


def transfers(device: Device, options: argparse.Namespace) -> Rows:
    """Time rows on their way: fetched ahead, one by one, back to fresh memory and to memory in use."""
    yield from time_overlap(device, *((32, 16, 10) if options.small else (65_536, 784, 10_000)))
    size = 100_000 if options.small else 160_000_000
    there, host = device.xp.ones(size, dtype=np.float32), np.ones(size, np.float32)
    for what, way in {"to fresh memory": there.get, "to memory in use": lambda: there.get(out=host)}.items():
        seconds = []
        for _ in range(3):
            begun = time.perf_counter()
            way()
            seconds.append(time.perf_counter() - begun)
        yield {"way": what, "GB": 4e-9 * size, "s": seconds}
    n, d, m = (200, 16, 10) if options.small else (65_536, 784, 10_000)
    feature_map = RandomProjection(m, device=device.name).fit(np.ones((2, d)))
    X, seconds = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32), []
    for _ in range(3):
        begun = time.perf_counter()
        feature_map.transform(X)
        seconds.append(time.perf_counter() - begun)
    yield {"way": "transform, from the host and back", "GB": 4e-9 * n * m, "s": seconds}


def table1(device: Device, options: argparse.Namespace) -> Rows:
    """Compute one draw of Table 1 of the random maxout paper, twice: the first call is cold."""
    sizes, m = ((240, 30), (5, 10)) if options.small else ((60_000, 10_000), TABLE_M)
    for turn in range(2):
        yield {"turn": turn} | time_table1(device, options.mnist, sizes, m)


def compositional(device: Device, options: argparse.Namespace) -> Rows:
    """Stream two million compositional features of 10,000 images, and compute the exact kernel of 4096² pairs."""
    sizes = (60, 12, 9) if options.small else (2_000_000, 10_000, 4096)
    return iter(time_compositional(device, *sizes, _gpu_checks.reference))


def pages(device: Device, options: argparse.Namespace) -> Rows:
    """Time what every page computes with its default settings, the second of two runs, on the device and the CPU."""
    try:
        import plotly  # noqa: F401 # pyright: ignore[reportUnusedImport] - figures are part of it
    except ImportError as error:
        yield {"skipped": str(error)}
        return
    from rfviz.cli import main as command
    from rfviz.lab.index import PAGES

    for slug in [page.slug for page in PAGES if page.slug != "speech"][: 2 if options.small else None]:
        seconds = {}
        for name in (device.name, "cpu"):
            os.environ["RFVIZ_DEVICE"] = name
            for _ in range(2):
                begun = time.perf_counter()
                with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                    status = command(["run", slug, "--out", folder, "--quiet"])
                seconds[name] = time.perf_counter() - begun
        yield {"page": slug, "ok": status == 0} | {f"{name} s": value for name, value in seconds.items()}


def _ms(device: Device, function: Callable[[], Any]) -> float:
    seconds = sorted(turn_by_turn(device, {"x": function}, 3)["x"])
    return 1e3 * seconds[len(seconds) // 2]


#: Parts, the dearest knowledge first: seconds that one may take, and whether it needs a GPU.
PARTS: dict[str, tuple[Callable[[Device, argparse.Namespace], Rows], int, bool]] = {
    "env": (env, 40, False),
    "cold": (cold, 60, False),
    "kernels": (kernels, 60, True),
    "sanitizer": (sanitizer, 60, True),
    "check_quick": (check_quick, 150, False),
    "parity": (parity, 60, False),
    "solves": (solves, 60, False),
    "tiles": (tiles, 60, True),
    "widths": (widths, 60, True),
    "transfers": (transfers, 40, True),
    "rates": (rates, 120, False),
    "table1": (table1, 90, False),
    "compositional": (compositional, 60, False),
    "check": (check, 150, False),
    "pages": (pages, 150, False),
}


def run_part(name: str, options: argparse.Namespace) -> int:
    """Run one part in this process, writing its rows as they come."""
    path = options.out / f"{name}.jsonl"
    failed = False

    def write(row: dict[str, Any]) -> None:
        with path.open("a") as file:
            file.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")

    try:
        device = get_device(options.device)
        with device.activate(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row in PARTS[name][0](device, options):
                write(row)
                failed |= row.get("ok") is False
    except BaseException as error:
        write({"ok": False, "error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-3000:]})
        failed = True
    return int(failed)


def _child(name: str, options: argparse.Namespace) -> list[str]:
    command = [sys.executable, __file__, "--out", str(options.out), "--device", options.device, "--part", name]
    command += ["--seed", str(options.seed), *(["--small"] if options.small else [])]
    return command + (["--mnist", str(options.mnist)] if options.mnist else [])


def run_parts(names: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Run parts in processes of their own; write what is known after each."""
    deadline, found = time.monotonic() + options.budget, {}
    for name in names:
        rows_file = options.out / f"{name}.jsonl"
        rows_file.unlink(missing_ok=True)
        begun = time.monotonic()
        limit = min(PARTS[name][1], deadline - begun)
        part: dict[str, Any] = {"returned": None, "stderr": "no time left"}
        if limit >= 1:
            try:
                done = subprocess.run(_child(name, options), capture_output=True, text=True, check=False, timeout=limit)
                part = {"returned": done.returncode, "stderr": done.stderr[-1500:] if done.returncode else ""}
            except subprocess.TimeoutExpired:
                part = {"returned": 124, "stderr": f"ended after {limit:.0f} s"}
        part["s"] = round(time.monotonic() - begun, 1)
        part["rows"] = [json.loads(line) for line in rows_file.read_text().splitlines()] if rows_file.exists() else []
        found[name] = part
        gathered = {"machine": machine(), "seed": options.seed, "small": options.small, "parts": found}
        (options.out / "gpu-session.json").write_text(json.dumps(gathered, indent=1, ensure_ascii=False) + "\n")
        wrong = [row for row in part["rows"] if row.get("ok") is False]
        print(
            f"{name}: {len(part['rows'])} rows, {len(wrong)} wrong, {part['s']} s {part['stderr'][-200:]}", flush=True
        )
        for row in wrong[:5]:
            print("   ", json.dumps(row, ensure_ascii=False)[:250])
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--budget", type=float, default=570.0, help="seconds for all parts")
    parser.add_argument("--mnist", type=Path, help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31, help="of the inputs; from the clock")
    parser.add_argument("--small", action="store_true", help="everything, on tiny data")
    parser.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if os.environ.get("RFVIZ_FAKE_GPU"):
        from tests import fake_cupy

        sys.modules.update(fake_cupy.build())
    options.out.mkdir(parents=True, exist_ok=True)
    if options.part:
        return run_part(options.part, options)
    try:
        device = get_device(options.device)
    except ParameterError as error:
        print(f"There is no such device: {error}")
        return 2
    names = [name for name in options.parts.split(",") if device.is_gpu or not PARTS[name][2]]
    found = run_parts(names, options)
    return int(any(part["returned"] != 0 for part in found.values()))


if __name__ == "__main__":
    sys.exit(main())
