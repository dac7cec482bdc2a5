"""Recall of the true neighbours by hash codes against the length of the code, and its cost next to exact search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.mapping import points_for
from rfviz.backend import check_memory
from rfviz.experiments.hashing.hamming import PackedCodes, hamming_blocks, pack
from rfviz.experiments.hashing.points import HashPoints, make_hash
from rfviz.features import FeatureMap, MapSpec, RandomMaxout, RandomProjection
from rfviz.progress import Progress, silent

__all__ = ["RecallCurve", "RecallResult", "code_lengths", "expected_recall", "recall_curves"]


@dataclass(frozen=True, eq=False)
class RecallCurve:
    """Recall of one kind of code against its length.

    Attributes
    ----------
    spec : MapSpec
        The map of the longest code, first draw.
    symbols : ndarray of shape (k,)
        Lengths m.
    recalls : ndarray of shape (n_draws, k)
        Mean over the queries, for every draw of the map.
    encode_seconds, search_seconds : float
        To hash a query, and to search its code among all, at the longest code; measured, means over the queries.
    """

    label: str
    spec: MapSpec[FeatureMap]
    symbols: np.ndarray
    recalls: np.ndarray
    encode_seconds: float
    search_seconds: float

    @property
    def bits(self) -> np.ndarray:
        """Bits of a code, at every length."""
        return self.symbols * _symbol_bits(self.spec)

    @property
    def projections(self) -> np.ndarray:
        """Projections per point that hashing takes, at every length."""
        return self.symbols * (self.spec.get("pool_size") or 1)

    @property
    def mean(self) -> np.ndarray:
        """Mean recall over the draws."""
        return self.recalls.mean(axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation over the draws; zero for a single one."""
        return self.recalls.std(axis=0, ddof=1) if len(self.recalls) > 1 else np.zeros(self.recalls.shape[1])


@dataclass(frozen=True, eq=False)
class RecallResult:
    """Curves of recall, and the cost of exact search.

    Attributes
    ----------
    curves : tuple of RecallCurve
        Of maxout codes by rising pool size, and of SimHash last.
    exact_seconds : float
        Of scikit-learn's brute-force search, per query.
    exact_bytes : int
        Its memory per point, in float32.
    chance : float
        Recall of a random guess.
    """

    dataset: str
    k: int
    n_points: int
    n_queries: int
    n_draws: int
    curves: tuple[RecallCurve, ...]
    exact_seconds: float
    exact_bytes: int
    chance: float

    def to_frame(self) -> pd.DataFrame:
        """Return recall with its cost, one row per curve and length."""
        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "code": c.label,
                        "symbols": c.symbols,
                        "bits": c.bits,
                        "projections": c.projections,
                        "bytes a point": np.ceil(c.bits / 8).astype(int),
                        "recall": c.mean,
                        "s.d.": c.deviation,
                    }
                )
                for c in self.curves
            ],
            ignore_index=True,
        )

    def costs(self) -> pd.DataFrame:
        """Return recall and cost of each search at its longest code, exact search last."""
        rows = [
            {
                "search": f"{c.label}, {c.symbols[-1]:,} symbols",
                "recall": c.mean[-1],
                "bytes a point": -(-int(c.bits[-1]) // 8),
                "ms to hash a query": 1e3 * c.encode_seconds,
                "ms to search": 1e3 * c.search_seconds,
            }
            for c in self.curves
        ]
        exact = {
            "search": "exact (scikit-learn)",
            "recall": 1.0,
            "bytes a point": self.exact_bytes,
            "ms to hash a query": 0.0,
            "ms to search": 1e3 * self.exact_seconds,
        }
        return pd.DataFrame([*rows, exact])


def code_lengths(longest: int) -> list[int]:
    """Return the lengths of codes that a curve has: powers of two, 8 or more, and the longest."""
    return sorted({*(1 << e for e in range(3, longest.bit_length()) if 1 << e < longest), longest})


def _symbol_bits(spec: MapSpec[FeatureMap]) -> int:
    """Return the bits of a symbol: ⌈log₂ q⌉, or one of a sign."""
    return max(((spec.get("pool_size") or 1) - 1).bit_length(), 1)


def recall_curves(
    points: HashPoints, pool_sizes: Sequence[int], longest: int, k: int, draws: int, progress: Progress = silent
) -> RecallResult:
    """Measure recall@k of maxout codes of several pools, and of SimHash up to the bits of the longest of them.

    Parameters
    ----------
    pool_sizes : sequence of int
        Each at least 2.
    longest : int
        Symbols of the longest maxout code.
    k : int
        Neighbours that are searched for, at most as many as `points` knows.
    draws : int
        Independent draws of each map: seeds 0, 1, ….

    Raises
    ------
    ParameterError, MemoryBudgetError
        Before anything is computed.
    """
    k, sizes = min(k, points.neighbours.shape[1]), sorted(set(pool_sizes))
    n, n_queries = len(points.original), len(points.queries)
    maxout = MapSpec(RandomMaxout, n_components=longest, random_state=0)
    specs: dict[str, MapSpec[FeatureMap]] = {f"Maxout, q = {q}": maxout.replace(pool_size=q) for q in sizes}
    bits = max(map(_symbol_bits, specs.values()))
    check_memory(
        n * longest * bits * (1 + len(sizes)) + 12 * n_queries * n,
        "cpu",
        f"Codes of {n} points with {longest} symbols",
        "Choose shorter codes, fewer pools or fewer points.",
    )
    specs["SimHash"] = MapSpec(RandomProjection, n_components=longest * bits, random_state=0)
    found: dict[str, list[np.ndarray]] = {label: [] for label in specs}
    seconds: dict[str, tuple[float, float]] = {}
    for draw in range(draws):
        progress(draw / draws, f"Draw {draw + 1} of {draws}: hashing")
        codes = _all_codes(points, specs, draw)
        for number, (label, spec) in enumerate(specs.items()):
            progress((draw + (number + 1) / (len(specs) + 1)) / draws, f"Draw {draw + 1} of {draws}: {label}")
            found[label].append(_recalls(points, codes[label], _symbol_bits(spec), k))
            if draw == 0:
                seconds[label] = _seconds(points, spec, pack(codes[label], _symbol_bits(spec)), k)
    curves = tuple(
        RecallCurve(
            label, spec, np.array(code_lengths(spec.get("n_components"))), np.array(found[label]), *seconds[label]
        )
        for label, spec in specs.items()
    )
    return RecallResult(
        points.name, k, n, n_queries, draws, curves, points.seconds, points.bytes_per_point, k / (n - 1)
    )


def _all_codes(points: HashPoints, specs: Mapping[str, MapSpec[FeatureMap]], seed: int) -> dict[str, np.ndarray]:
    """Return the codes of all pools, at the cost of the largest, and of SimHash."""
    *pools, (name, signs) = specs.items()
    maxout = make_hash(points, pools[-1][1].replace(random_state=seed))
    found = maxout.pool_codes(points_for(maxout, points), [spec.get("pool_size") for _, spec in pools])
    simhash = make_hash(points, signs.replace(random_state=seed))
    codes = {label: found[spec.get("pool_size")] for label, spec in pools}
    return codes | {name: simhash.codes(points_for(simhash, points))}


def _recalls(points: HashPoints, codes: np.ndarray, bits: int, k: int) -> np.ndarray:
    """Return recall at every length: distances grow by the symbols between one length and the next."""
    lengths = code_lengths(codes.shape[1])
    distance = np.zeros((len(points.queries), len(codes)), np.int32)
    recalls = []
    for first, last in zip([0, *lengths], lengths, strict=False):
        packed = pack(codes[:, first:last], bits)
        for start, block in hamming_blocks(packed.rows(points.queries), packed):
            distance[start : start + len(block)] += block
        recalls.append(expected_recall(distance, points.queries, points.neighbours[:, :k]))
    return np.array(recalls)


def expected_recall(distance: np.ndarray, queries: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean share of the true neighbours among the nearest by Hamming distance, with ties drawn by lot.

    Codes are equally far from many points, and which of those a search returns depends on the order of the rows. This
    is the mean over all orders, exactly.

    Parameters
    ----------
    distance : ndarray of shape (n_queries, n), int
    queries : ndarray of shape (n_queries,)
        Row of each query, which does not count as its own neighbour.
    truth : ndarray of shape (n_queries, k)
    """
    k, each = truth.shape[1], np.arange(len(queries))
    others = distance.copy()
    others[each, queries] = np.iinfo(others.dtype).max
    last = np.partition(others, k - 1, axis=1)[:, k - 1 : k]
    sure, tied = (others < last).sum(axis=1), (others == last).sum(axis=1)
    own = others[each[:, None], truth]
    hits = (own < last).sum(axis=1) + (own == last).sum(axis=1) * (k - sure) / tied
    return float(hits.mean() / k)


def _seconds(points: HashPoints, spec: MapSpec[FeatureMap], packed: PackedCodes, k: int) -> tuple[float, float]:
    """Measure the seconds to hash a query, and to find its nearest codes."""
    hashing_map = make_hash(points, spec)
    rows, n = points_for(hashing_map, points)[points.queries], len(points.queries)
    started = time.perf_counter()
    codes = hashing_map.codes(rows)
    hashed = time.perf_counter()
    for _, distance in hamming_blocks(pack(codes, packed.words.shape[1]), packed):
        np.argpartition(distance, min(k, distance.shape[1] - 1), axis=1)
    return (hashed - started) / n, (time.perf_counter() - hashed) / n
