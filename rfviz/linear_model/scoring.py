"""The features of rows, block by block, and scores of linear models on them for several numbers of features at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import array_namespace, device_of, get_device, matmul, to_host

__all__ = [
    "Solutions",
    "feature_chunks",
    "host_if_sparse",
    "score_blocks",
    "scores_of",
]


def host_if_sparse(block: Any) -> Any:
    """Move a CSR block to the host, where its solver is; return any other as it is."""
    return to_host(block) if hasattr(block, "indptr") else block


def scores_of(H: Any, coef: Any, intercept: Any) -> Any:
    """Return scores of the rows of `H` by as many first columns as there are coefficients; float64, (rows, k)."""
    if sparse.issparse(H):
        return H[:, : len(coef)] @ coef + intercept
    return (H[:, : len(coef)] @ coef.astype(H.dtype)).astype(np.float64) + intercept


class Solutions:
    """Linear models of different numbers of features, applied to blocks of features wherever these are.

    On a GPU the coefficients of all models stand side by side, those of fewer features filled up with zeros: one
    product and one way to the host for a block, instead of a copy of its first columns for each model.

    Parameters
    ----------
    solutions : list of (coef, intercept)
        coef of shape (m, k) with m of its own for each; on either device.
    """

    def __init__(self, solutions: list[tuple[Any, Any]]) -> None:
        self._given = solutions
        self._stacked: tuple[Any, Any] | None = None

    def scores(self, H: Any) -> list[np.ndarray]:
        """Return scores of the rows of `H` by each model, float64 of shape (rows, k), on the host."""
        if array_namespace(H) is np:
            return [scores_of(H, to_host(coef), to_host(intercept)) for coef, intercept in self._given]
        with device_of(H):
            if self._stacked is None:
                self._stacked = self._side_by_side(array_namespace(H), H)
            coefs, intercepts = self._stacked
            scores = matmul(array_namespace(H), H[:, : coefs.shape[0]], coefs, exact=True)
            together = to_host(scores.astype(np.float64) + intercepts)
        ends = np.cumsum([coef.shape[1] for coef, _ in self._given])[:-1]
        return np.split(together, ends, axis=1)

    def _side_by_side(self, xp: Any, H: Any) -> tuple[Any, Any]:
        width = sum(coef.shape[1] for coef, _ in self._given)
        coefs = xp.zeros((max(len(coef) for coef, _ in self._given), width), dtype=H.dtype)
        start = 0
        for coef, _ in self._given:
            coefs[: len(coef), start : start + coef.shape[1]] = xp.asarray(coef, dtype=H.dtype)
            start += coef.shape[1]
        return coefs, xp.concatenate([xp.asarray(intercept) for _, intercept in self._given])


def score_blocks(blocks: Iterable[Any], solutions: list[tuple[Any, Any]]) -> list[np.ndarray]:
    """Return scores of all rows for each (coef, intercept), in one pass over the blocks; on the host.

    Parameters
    ----------
    blocks : iterable of array or CSR matrix of shape (rows, m)
    solutions : list of (coef, intercept)
        Of shapes (m', k) and (k,), with m' at most m.

    Returns
    -------
    list of ndarray of shape (n_samples, k)
    """
    parts: list[list[np.ndarray]] = [[] for _ in solutions]
    models = Solutions(solutions)
    for H in map(host_if_sparse, blocks):
        for part, scores in zip(parts, models.scores(H), strict=True):
            part.append(scores)
    return [np.concatenate(part) for part in parts]


_CHUNK_ROWS = 8192
# Rows that go to a GPU from one copy on the host; the map's weights go there once for each.
_UPLOADED_BYTES = 1_000_000_000

Timed = Callable[..., Any]


def feature_chunks(feature_map: Any, X: Any, rows: np.ndarray, timed: Timed) -> Iterator[tuple[float, Any, np.ndarray]]:
    """Yield unscaled features of the rows `rows` of `X`: (share done, features, their rows).

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rows : ndarray of int
    timed : callable
        ``timed(function, *arguments)`` returns what the function does, and takes its time.
    """
    on_gpu = get_device(feature_map.device).is_gpu
    size = max(_UPLOADED_BYTES // (8 * X.shape[1]), _CHUNK_ROWS) if on_gpu else _CHUNK_ROWS
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        blocks = feature_map.transform_blocks(X[part], scaled=False)
        done = 0
        # On the CPU the blocks of a chunk are computed to their end before the caller goes on, so that the caller's own
        # products find all cores free. On a GPU they come one by one, while the rows of the next are fetched.
        for block in _one_by_one(blocks, timed) if on_gpu else timed(_all, blocks):
            yield (start + done + block.shape[0]) / len(rows), block, part[done : done + block.shape[0]]
            done += block.shape[0]


def _one_by_one(blocks: Iterator[Any], timed: Timed) -> Iterator[Any]:
    while (block := timed(next, blocks, None)) is not None:
        yield host_if_sparse(block)


def _all(blocks: Iterator[Any]) -> list[Any]:
    return [host_if_sparse(block) for block in blocks]
