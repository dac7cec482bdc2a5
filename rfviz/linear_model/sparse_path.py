"""Ridge solutions for every m on sparse features, by conjugate gradients that start from the last solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

__all__ = ["SparseSystem"]

_TOLERANCE = 1e-6


class SparseSystem:
    """Sparse rows kept as they come; never made dense, and no Gram matrix is formed.

    Has the interface of :class:`rfviz.linear_model.normal_equations.NormalEquations`. Cost: the number of non-zeros
    times the iterations. The solution for the last penalty and the last m is where the next one starts.

    Parameters
    ----------
    centred : bool
        Whether to fit an intercept; the means are subtracted inside the product, so that zeros stay zeros.
    """

    def __init__(self, centred: bool = True) -> None:
        self.centred = centred
        self._blocks: list[tuple[Any, np.ndarray]] = []

    def add(self, H: Any, Y: np.ndarray) -> None:
        """Add rows: a CSR matrix of shape (rows, m), and Y of shape (rows, k)."""
        self._blocks.append((H, Y))

    def mean_square(self) -> float:
        """Mean over the features of their sum of squares, about the mean where `centred`."""
        H, _, mean, _ = self._rows()
        return float((H.multiply(H).sum() - H.shape[0] * (mean @ mean)) / H.shape[1])

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[tuple[Any, Any]]]:
        """Ridge solutions for every penalty and every m, to a relative residual of 1e-6; see `NormalEquations`."""
        H, Y, mean, target_mean = self._rows()
        columns = H.tocsc()
        solutions: dict[tuple[float, int], tuple[Any, Any]] = {}
        for alpha in alphas:
            coef = np.zeros((0, Y.shape[1]))
            for m in sorted(m_grid):
                start = np.zeros((m, Y.shape[1]))
                start[: len(coef)] = coef
                coef = _solve(columns[:, :m].tocsr(), Y, mean[:m], alpha, start)
                solutions[alpha, m] = coef, target_mean - mean[:m] @ coef
        return [[solutions[alpha, m] for m in m_grid] for alpha in alphas]

    def _rows(self) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
        H = sparse.vstack([block for block, _ in self._blocks], format="csr", dtype=np.float64)
        Y = np.concatenate([block for _, block in self._blocks])
        mean, target_mean = np.zeros(H.shape[1]), np.zeros(Y.shape[1])
        if self.centred:
            mean, target_mean = np.asarray(H.mean(axis=0)).ravel(), Y.mean(axis=0)
        return H, Y - target_mean, mean, target_mean


def _solve(H: Any, Y: np.ndarray, mean: np.ndarray, alpha: float, start: np.ndarray) -> np.ndarray:
    n, m = H.shape

    def product(v: np.ndarray) -> np.ndarray:
        v = v.ravel()
        return H.T @ (H @ v) - n * mean * (mean @ v) + alpha * v

    operator = LinearOperator((m, m), matvec=product, dtype=np.float64)
    right = H.T @ Y  # Y is centred, so the mean of H drops out
    columns = [cg(operator, right[:, j], x0=start[:, j], rtol=_TOLERANCE)[0] for j in range(Y.shape[1])]
    return np.stack(columns, axis=1)
