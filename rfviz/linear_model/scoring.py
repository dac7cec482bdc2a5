"""Scores of linear models on blocks of features, for several numbers of features at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import array_namespace, to_host

__all__ = ["host_if_sparse", "score_blocks", "scores_of"]


def host_if_sparse(block: Any) -> Any:
    """The block, brought to the host if it is a CSR matrix: there its solver is."""
    return to_host(block) if hasattr(block, "indptr") else block


def scores_of(H: Any, coef: Any, intercept: Any) -> Any:
    """Scores of the rows of `H` by its first columns, as many as there are coefficients; float64 of shape (rows, k)."""
    if sparse.issparse(H):
        return H[:, : len(coef)] @ coef + intercept
    return (H[:, : len(coef)] @ coef.astype(H.dtype)).astype(np.float64) + intercept


def score_blocks(blocks: Iterable[Any], solutions: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    """Scores of all rows for each (coef, intercept), in one pass over the blocks; on the host."""
    parts: list[list[np.ndarray]] = [[] for _ in solutions]
    moved = None
    for H in map(host_if_sparse, blocks):
        if moved is None:
            xp = array_namespace(H)
            moved = [(xp.asarray(coef), xp.asarray(intercept)) for coef, intercept in solutions]
        for part, (coef, intercept) in zip(parts, moved, strict=True):
            part.append(to_host(scores_of(H, coef, intercept)))
    return [np.concatenate(part) for part in parts]
