"""Ridge solutions for every m where there are fewer rows than features: the n × n kernel matrix grows with m."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rfviz.backend import to_host
from rfviz.backend.lapack import factor, invert_triangle, solve_definite, solve_triangle
from rfviz.linear_model.system import LeftOut, Model, System, leave_one_out_error

__all__ = ["DualSystem", "Intercept", "solve_dual"]


class DualSystem(System):
    """Rows stored as they come, solved through (HHᵀ + μI)a = Y, coef = Hᵀa.

    On the host, because few rows are small. Cost O(n²·m + n³) a grid point and penalty.

    Parameters
    ----------
    centred : bool
        Whether to fit an intercept.
    """

    def __init__(self, centred: bool = True) -> None:
        self.centred = centred
        self._blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._gathered: _Rows | None = None

    def add(self, H: np.ndarray, Y: np.ndarray, weights: np.ndarray | None = None) -> None:
        root = np.ones(len(Y)) if weights is None else np.sqrt(weights)
        self._blocks.append((np.asarray(to_host(H), dtype=np.float64), Y, root))
        self._gathered = None

    def mean_square(self) -> float:
        H = self._rows().H
        return float(np.einsum("ij,ij->", H, H) / H.shape[1])

    def together(self, m_grid: Sequence[int], n_alphas: int) -> bool:
        return False

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Model] | None]:
        rows = self._rows()
        solutions: dict[tuple[float, int], Model] = {}
        for m in sorted(m_grid):
            K = rows.kernel(m)
            for alpha in alphas:
                A = K.copy()
                A[np.diag_indices_from(A)] += alpha
                solutions[alpha, m] = rows.model(solve_definite(A, rows.Y), m)
        return [[solutions[alpha, m] for m in m_grid] for alpha in alphas]

    def evaluate(
        self, alpha: float, m_grid: Sequence[int], left_out: LeftOut | None = None, precision: str = "auto"
    ) -> list[tuple[Model, float]] | None:
        """Return the solutions for a penalty, and their errors over all rows."""
        rows, found = self._rows(), []
        for m in m_grid:
            solved = solve_dual(rows.kernel(m), rows.Y, alpha, rows.intercept)
            if solved is None:
                return None
            found.append((rows.model(solved[0], m), solved[1]))
        return found

    def _rows(self) -> _Rows:
        if self._gathered is None:
            parts = zip(*self._blocks, strict=True)
            H, Y, root = (part[0] if len(part) == 1 else np.concatenate(part) for part in parts)
            self._blocks = [(H, Y, root)]
            self._gathered = _Rows(H, Y, root, self.centred)
        return self._gathered


class _Rows:
    """All rows about their mean, times the roots of their weights."""

    def __init__(self, H: np.ndarray, Y: np.ndarray, root: np.ndarray, centred: bool) -> None:
        self.mean, self.target_mean = np.zeros(H.shape[1]), np.zeros(Y.shape[1])
        direction = np.zeros(len(H))
        if centred:
            share = root**2 / np.sum(root**2)
            self.mean, self.target_mean, direction = share @ H, share @ Y, np.sqrt(share)
        self.H = (H - self.mean) * root[:, None]
        self.Y = (Y - self.target_mean) * root[:, None]
        self.intercept = Intercept(direction, float(np.einsum("ij,ij->", self.H, self.H)) / len(H))
        self._kernel, self._m = self.intercept.matrix(), 0

    def kernel(self, m: int) -> np.ndarray:
        """Return HHᵀ of the first m features, which is cheap if m is not below that of the last call."""
        if m < self._m:
            self._kernel, self._m = self.intercept.matrix(), 0
        part = self.H[:, self._m : m]
        self._kernel += part @ part.T
        self._m = m
        return self._kernel

    def model(self, a: np.ndarray, m: int) -> Model:
        coef = self.H[:, :m].T @ a
        return coef, self.target_mean - self.mean[:m] @ coef


@dataclass(frozen=True, eq=False)
class Intercept:
    """The direction of an intercept among rows, times the roots of their weights.

    Rows about their mean have the eigenvalue 0 in it, and their inverse 1/μ, which drowns all else where the penalty μ
    is small. With an eigenvalue like the others instead, solutions for targets about their mean stay what they are.

    Attributes
    ----------
    direction : ndarray of shape (n,)
        Of length 1; zeros without an intercept.
    """

    direction: np.ndarray
    eigenvalue: float

    def matrix(self) -> np.ndarray:
        """Return the matrix that is added to the kernel matrix."""
        return self.eigenvalue * np.outer(self.direction, self.direction)

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        """Return the change of the diagonal of the inverse that :meth:`matrix` causes."""
        return self.direction**2 / max(self.eigenvalue + alpha, np.finfo(np.float64).tiny)


def solve_dual(K: np.ndarray, Y: np.ndarray, alpha: float, intercept: Intercept) -> tuple[np.ndarray, float] | None:
    r"""Solve (K + μI)a = Y, and predict each row by a fit to all others.

    With B the inverse on the complement of the intercept's direction, the residual of row i in the fit to all others is
    :math:`a_i / B_{ii}`: neither leverages nor residuals of the fit to all rows are computed, which lose their digits
    where that fit is nearly perfect.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Of rows about their mean, times the roots of their weights, with the intercept's matrix; not changed.
    Y : ndarray of shape (n, k)
        Likewise.

    Returns
    -------
    (ndarray of shape (n, k), float) or None
        a, and the mean squared error, weighted; None if the penalty is below the rounding.
    """
    A = np.array(K, order="F")
    A[np.diag_indices_from(A)] += alpha
    L = factor(A)
    if L is None:
        return None
    a = solve_triangle(L, solve_triangle(L, Y), transposed=True)
    inverse = np.tril(invert_triangle(L))
    slack = np.einsum("ij,ij->j", inverse, inverse) - intercept.inverse_diagonal(alpha)
    return a, float(leave_one_out_error(a, slack))
