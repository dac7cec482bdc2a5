"""Ridge solutions for every m where there are fewer rows than features: the n × n kernel matrix grows with m."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz.backend import to_host
from rfviz.backend.lapack import solve_definite

__all__ = ["DualSystem"]


class DualSystem:
    """Rows stored as they come, solved through (HHᵀ + μI)a = Y, coef = Hᵀa.

    Has the interface of :class:`rfviz.linear_model.normal_equations.NormalEquations`; on the host, because so few rows
    are small. Cost O(n²·m + n³) a grid point and penalty.

    Parameters
    ----------
    centred : bool
        Whether to fit an intercept.
    """

    def __init__(self, centred: bool = True) -> None:
        self.centred = centred
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, H: np.ndarray, Y: np.ndarray) -> None:
        """Add rows: H of shape (rows, m), Y of shape (rows, k)."""
        self._blocks.append((np.asarray(to_host(H), dtype=np.float64), Y))

    def mean_square(self) -> float:
        """Return the mean over the features of their sum of squares, about the mean where `centred`."""
        H, _, _, _ = self._rows()
        return float(np.einsum("ij,ij->", H, H) / H.shape[1])

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[tuple[Any, Any]]]:
        """Solve ridge regression for every penalty and every m, always in float64; as `NormalEquations`."""
        H, Y, mean, target_mean = self._rows()
        K = np.zeros((len(H), len(H)))
        solutions: dict[tuple[float, int], tuple[Any, Any]] = {}
        done = 0
        for m in sorted(m_grid):
            K += H[:, done:m] @ H[:, done:m].T
            done = m
            for alpha in alphas:
                A = K.copy()
                A[np.diag_indices_from(A)] += alpha
                coef = H[:, :m].T @ solve_definite(A, Y)
                solutions[alpha, m] = coef, target_mean - mean[:m] @ coef
        return [[solutions[alpha, m] for m in m_grid] for alpha in alphas]

    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        H = np.concatenate([block for block, _ in self._blocks])
        Y = np.concatenate([block for _, block in self._blocks])
        mean, target_mean = np.zeros(H.shape[1]), np.zeros(Y.shape[1])
        if self.centred:
            mean, target_mean = H.mean(axis=0), Y.mean(axis=0)
        return H - mean, Y - target_mean, mean, target_mean
