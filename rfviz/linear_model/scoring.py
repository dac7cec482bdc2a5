"""Scores of linear models on blocks of features, for several numbers of features at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import array_namespace, device_of, matmul, to_host

__all__ = ["Solutions", "host_if_sparse", "score_blocks", "scores_of"]


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
