"""How many true neighbours hash codes find, against the length of the code, and what that costs beside exact search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.hamming import PackedCodes, hamming_blocks, pack
from rfviz.analysis.hash_points import HashPoints, make_hash
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import check_memory

__all__ = ["SIMHASH", "RecallCurve", "RecallResult", "code_lengths", "expected_recall", "recall_curves"]

SIMHASH = "RandomProjection"


@dataclass(frozen=True, eq=False)
class RecallCurve:
    """Recall of one kind of code against its length.

    Attributes
    ----------
    label, scheme : str
    pool_size : int
        Symbols there are; 2 for signs.
    symbol_bits : int
        Bits of a symbol.
    symbols : ndarray of shape (k,)
        Lengths m.
    recalls : ndarray of shape (n_draws, k)
        Mean over the queries, for every draw of the map.
    encode_seconds, search_seconds : float
        To hash a query, and to search its code among all, at the longest code; measured, means over the queries.
    """

    label: str
    scheme: str
    pool_size: int
    symbol_bits: int
    symbols: np.ndarray
    recalls: np.ndarray
    encode_seconds: float
    search_seconds: float

    @property
    def bits(self) -> np.ndarray:
        """Bits of a code, at every length."""
        return self.symbols * self.symbol_bits

    @property
    def projections(self) -> np.ndarray:
        """Projections that hashing one point takes, at every length."""
        return self.symbols * (1 if self.scheme == SIMHASH else self.pool_size)

    @property
    def mean(self) -> np.ndarray:
        return self.recalls.mean(axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation over the draws; zero for a single one."""
        return self.recalls.std(axis=0, ddof=1) if len(self.recalls) > 1 else np.zeros(self.recalls.shape[1])


@dataclass(frozen=True, eq=False)
class RecallResult:
    """Curves of recall, and what exact search costs.

    Attributes
    ----------
    dataset : str
    k, n_points, n_queries, n_draws : int
    curves : tuple of RecallCurve
    exact_seconds : float
        Of scikit-learn's brute-force search, a query.
    exact_bytes : int
        Bytes that it keeps of a point, in float32.
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
        """One row a curve and length."""
        return pd.concat(
            [
                pd.DataFrame(
                    {"code": c.label, "symbols": c.symbols, "bits": c.bits, "projections": c.projections,
                     "bytes a point": np.ceil(c.bits / 8).astype(int), "recall": c.mean, "s.d.": c.deviation}
                )
                for c in self.curves
            ],
            ignore_index=True,
        )  # fmt: skip

    def costs(self) -> pd.DataFrame:
        """One row a search, at the longest code: recall, bytes a point, milliseconds a query."""
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
        exact = {"search": "exact (scikit-learn)", "recall": 1.0, "bytes a point": self.exact_bytes,
                 "ms to hash a query": 0.0, "ms to search": 1e3 * self.exact_seconds}  # fmt: skip
        return pd.DataFrame([*rows, exact])


def code_lengths(longest: int) -> list[int]:
    """Lengths of codes that a curve has: powers of two from 8 on, and the longest."""
    return sorted({*(1 << e for e in range(3, longest.bit_length()) if 1 << e < longest), longest})


def recall_curves(
    points: HashPoints, pool_sizes: Sequence[int], longest: int, k: int, draws: int, progress: Progress = silent
) -> RecallResult:
    """Recall@k of maxout codes of several pools, and of SimHash up to the bits of the longest of them.

    Parameters
    ----------
    points : HashPoints
    pool_sizes : sequence of int
        Each at least 2.
    longest : int
        Symbols of the longest code.
    k : int
        Neighbours that are searched for, at most as many as `points` knows.
    draws : int
        Independent draws of each map: seeds 0, 1, ….
    progress : callable
        See :data:`rfviz.analysis.progress.Progress`.

    Returns
    -------
    RecallResult

    Raises
    ------
    ParameterError, MemoryBudgetError
        Before anything is computed.
    """
    k, sizes = min(k, points.neighbours.shape[1]), sorted(set(pool_sizes))
    n, n_queries = len(points.original), len(points.queries)
    bits = max((q - 1).bit_length() for q in sizes)
    check_memory(
        n * longest * bits * (1 + len(sizes)) + 12 * n_queries * n, "cpu",
        f"Codes of {n} points with {longest} symbols", "Choose shorter codes, fewer pools or fewer points.",
    )  # fmt: skip
    found: dict[str, list[np.ndarray]] = {}
    seconds: dict[str, tuple[float, float]] = {}
    about = {f"Maxout, q = {q}": ("RandomMaxout", q, longest) for q in sizes}
    about |= {"SimHash": (SIMHASH, 2, longest * bits)}
    for draw in range(draws):
        progress(draw / draws, f"Draw {draw + 1} of {draws}: hashing")
        codes = _all_codes(points, sizes, longest, longest * bits, draw)
        for number, (label, (scheme, q, m)) in enumerate(about.items()):
            progress((draw + (number + 1) / (len(about) + 1)) / draws, f"Draw {draw + 1} of {draws}: {label}")
            width = (q - 1).bit_length()
            found.setdefault(label, []).append(_recalls(points, codes[label], width, k))
            if draw == 0:
                setting = {"n_components": m, "random_state": 0} | ({} if scheme == SIMHASH else {"pool_size": q})
                seconds[label] = _seconds(points, scheme, setting, pack(codes[label], width), k)
    curves = tuple(
        RecallCurve(
            label, scheme, q, (q - 1).bit_length(), np.array(code_lengths(m)), np.array(found[label]), *seconds[label]
        )
        for label, (scheme, q, m) in about.items()
    )
    chance = k / (n - 1)
    return RecallResult(
        points.name, k, n, n_queries, draws, curves, points.seconds, points.bytes_per_point, chance
    )  # fmt: skip


def _all_codes(points: HashPoints, pool_sizes: list[int], longest: int, signs: int, seed: int) -> dict[str, np.ndarray]:
    """Codes of all pools, at the cost of the largest, and SimHash."""
    setting = {"n_components": longest, "pool_size": pool_sizes[-1], "random_state": seed}
    maxout = make_hash(points, "RandomMaxout", setting)
    simhash = make_hash(points, SIMHASH, {"n_components": signs, "random_state": seed})
    X = points.seen_by(maxout)
    codes = {f"Maxout, q = {q}": found for q, found in maxout.pool_codes(X, pool_sizes).items()}
    return codes | {"SimHash": simhash.codes(points.seen_by(simhash))}


def _recalls(points: HashPoints, codes: np.ndarray, symbol_bits: int, k: int) -> np.ndarray:
    """Recall at every length: distances grow by the symbols between one length and the next."""
    lengths = code_lengths(codes.shape[1])
    distance = np.zeros((len(points.queries), len(codes)), np.int32)
    recalls = []
    for first, last in zip([0, *lengths], lengths, strict=False):
        packed = pack(codes[:, first:last], symbol_bits)
        for start, block in hamming_blocks(packed.rows(points.queries), packed):
            distance[start : start + len(block)] += block
        recalls.append(expected_recall(distance, points.queries, points.neighbours[:, :k]))
    return np.array(recalls)


def expected_recall(distance: np.ndarray, queries: np.ndarray, truth: np.ndarray) -> float:
    """Mean share of the true neighbours among the nearest by Hamming distance, where equal ones are drawn by lot.

    Codes are equally far from many points, and which of those a search returns depends on the order of the rows. This
    is the mean over all orders, exactly.

    Parameters
    ----------
    distance : ndarray of shape (n_queries, n), int
    queries : ndarray of shape (n_queries,)
        Row of each query, which does not count as its own neighbour.
    truth : ndarray of shape (n_queries, k)

    Returns
    -------
    float
    """
    k, each = truth.shape[1], np.arange(len(queries))
    others = distance.copy()
    others[each, queries] = np.iinfo(others.dtype).max
    last = np.partition(others, k - 1, axis=1)[:, k - 1 : k]
    sure, tied = (others < last).sum(axis=1), (others == last).sum(axis=1)
    own = others[each[:, None], truth]
    hits = (own < last).sum(axis=1) + (own == last).sum(axis=1) * (k - sure) / tied
    return float(hits.mean() / k)


def _seconds(points: HashPoints, scheme: str, setting: dict, packed: PackedCodes, k: int) -> tuple[float, float]:
    """Seconds to hash a query, and to find its nearest codes."""
    hashing_map = make_hash(points, scheme, setting)
    rows, n = points.seen_by(hashing_map)[points.queries], len(points.queries)
    started = time.perf_counter()
    codes = hashing_map.codes(rows)
    hashed = time.perf_counter()
    for _, distance in hamming_blocks(pack(codes, packed.words.shape[1]), packed):
        np.argpartition(distance, min(k, distance.shape[1] - 1), axis=1)
    return (hashed - started) / n, (time.perf_counter() - hashed) / n
