"""How fast compositional features are drawn and mapped, beside Algorithm 1 as a recursion and a sparse product.

    python benchmarks/compositional.py [--quick] [--json PATH]

Goals, on two cores, for the skeleton with two convolutions over 24 × 24 pixels: 4 million features drawn a second, and
90 million feature values mapped a second. The last table is the exact kernel of the paper's Figure 3.
"""

# ruff: noqa: E402 - OpenBLAS must be told which kernels to use before NumPy loads it
from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rfviz._blas import choose_openblas_kernels

choose_openblas_kernels()

import numpy as np
from scipy import sparse

from benchmarks._report import machine, markdown_table, write_json
from rfviz import kernels
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import Skeleton, preset

GOALS = {"features drawn a second": 4e6, "values mapped a second": 90e6}


def best_seconds(run: Callable[[], Any], repetitions: int) -> float:
    """Return the shortest of several runs, after one that nobody times."""
    run()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def recursive_feature(skeleton: Skeleton, rng: np.random.Generator) -> dict[int, int]:
    """Draw one feature by Algorithm 1 as the paper writes it: multiples of the angles, by input."""
    multiples: dict[int, int] = {}

    def walk(v: int) -> None:
        if v < skeleton.n_inputs:
            multiples[v] = multiples.get(v, 0) + (1 if rng.random() < 0.5 else -1)
            return
        layer = next(layer for layer in skeleton.layers if v < layer.stop)
        edges = layer.edges[v - layer.first]
        for _ in range(int(layer.activation.draw(rng, 1)[0])):
            walk(int(edges[rng.integers(len(edges))]))

    walk(skeleton.n_nodes - 1)
    return multiples


def time_drawing(skeleton: Skeleton, m: int, repetitions: int) -> list[dict[str, Any]]:
    """Time drawing all features at once, each once, and one by one."""
    X, rng, few = np.zeros((1, skeleton.n_columns)), np.random.default_rng(0), max(m // 500, 100)
    rows = []
    for name, deduplicate in (("all at once", False), ("all at once, equal ones kept once", True)):
        feature_map = CompositionalFeatures(m, skeleton=skeleton, deduplicate=deduplicate, device="cpu").fit(X)
        seconds = best_seconds(lambda feature_map=feature_map: feature_map.fit(X), repetitions)
        rows.append(
            {
                "way": name,
                "features": m,
                "draws": feature_map.n_draws_,
                "s": seconds,
                "million draws/s": feature_map.n_draws_ / seconds / 1e6,
                "bytes/feature": feature_map.bytes_per_feature_,
            }
        )
    seconds = best_seconds(lambda: [recursive_feature(skeleton, rng) for _ in range(few)], 1)
    naive = {"way": "one by one, by recursion", "features": few, "draws": few, "s": seconds}
    return [*rows, naive | {"million draws/s": few / seconds / 1e6, "bytes/feature": None}]


def time_mapping(skeleton: Skeleton, m: int, n: int, repetitions: int) -> list[dict[str, Any]]:
    """Measure feature values a second: ours, SciPy's sparse product, and feature by feature."""
    X = np.random.default_rng(0).random((n, skeleton.n_columns), dtype=np.float32)
    feature_map = CompositionalFeatures(m, skeleton=skeleton, device="cpu").fit(X)
    m = feature_map.n_different_  # all of them, for these skeletons
    ends, columns, multiples = feature_map.ends_, feature_map.columns_.astype(np.int32), feature_map.multiples_
    N = sparse.csr_matrix((multiples.astype(np.float32), columns, ends), shape=(m, skeleton.n_columns))
    bias = np.where(feature_map.kinds_ == 1, np.float32(np.pi / 2), np.float32(0.0))

    def ours() -> None:
        for _ in feature_map.transform_blocks(X):
            pass

    scale = feature_map._scale().astype(np.float32) * np.float32(np.sqrt(2.0))
    out = np.empty((256, m), dtype=np.float32)

    def product() -> None:
        for start in range(0, n, len(out)):
            angles = N @ np.ascontiguousarray((np.float32(np.pi) * X[start : start + len(out)]).T)
            out[...] = angles.T
            out[...] += bias
            np.cos(out, out=out)
            out[...] *= scale

    few = X[:64]

    def one_by_one() -> None:
        for i in range(m):
            entries = slice(ends[i], ends[i + 1])
            np.cos(np.float32(np.pi) * (few[:, columns[entries]] @ multiples[entries]) + bias[i])

    ways = {"ours": (ours, n), "scipy.sparse product": (product, n), "feature by feature": (one_by_one, len(few))}
    rows = []
    for name, (run, samples) in ways.items():
        seconds = best_seconds(run, repetitions if name == "ours" else 1)
        rows.append({"way": name, "values": samples * m, "s": seconds, "million values/s": samples * m / seconds / 1e6})
    return rows


def time_kernel(n: int, repetitions: int) -> list[dict[str, Any]]:
    """Time the exact kernel of n images of 24 × 24 pixels in three colours."""
    X = np.random.default_rng(0).random((n, 24 * 24 * 3))
    rows = []
    for name in ("flat", "deep"):
        skeleton = preset(name, (24, 24, 3))
        seconds = best_seconds(lambda s=skeleton: kernels.compositional(X, skeleton=s), repetitions)
        rows.append({"skeleton": name, "pairs": n * n, "edges": skeleton.n_edges, "s": seconds})
    return rows


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the features and images")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "compositional-cpu.json")
    options = parser.parse_args()
    m, n = (50_000, 512) if options.quick else (500_000, 4096)
    about = machine()
    print(f"{about['processor']}, {about['blas']}")
    tables: dict[str, list] = {}
    for name in ("2 convolutions", "deep", "flat"):
        skeleton = preset(name, (24, 24))
        tables[f"drawing, {name}"] = time_drawing(skeleton, m, options.repetitions)
        tables[f"mapping, {name}"] = time_mapping(skeleton, m // 25, n, options.repetitions)
    tables["exact kernel"] = time_kernel(48 if options.quick else 128, options.repetitions)
    for title, rows in tables.items():
        print(f"\n## {title[0].upper()}{title[1:]}\n\n{markdown_table(rows)}")
    rates = (
        1e6 * tables["drawing, 2 convolutions"][0]["million draws/s"],
        1e6 * tables["mapping, 2 convolutions"][0]["million values/s"],
    )
    goals = [
        {"goal": name, "rate": rate, "over the goal": rate / goal}
        for (name, goal), rate in zip(GOALS.items(), rates, strict=True)
    ]
    print(f"\n## Goals\n\n{markdown_table(goals)}")
    write_json(options.json, {**tables, "goals": goals})


if __name__ == "__main__":
    main()
