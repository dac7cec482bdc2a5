"""Ridge solutions for every m on sparse features, which stay sparse: by whichever small matrix there is, or by none.

Three ways give the same solutions. Fewer rows than columns: the n × n matrix HHᵀ, which grows with m. Few columns: HᵀH,
whose Cholesky factor serves every m. Neither matrix fits, or both cost too much: conjugate gradients on the smaller
side, which need no more than products with H.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import memory_budget
from rfviz.backend.lapack import solve_definite
from rfviz.linear_model.cholesky_path import largest_eigenvalue, solve_path

__all__ = ["SparseSystem"]

_TOLERANCE, _MOST_ITERATIONS = 1e-7, 2000
_PANEL = 512
# Seconds on a core: of a multiply-add of a product of sparse matrices, of one with a dense matrix, and of a
# factorisation; and how many iterations are expected.
_SPARSE_PRODUCT, _DENSE_PRODUCT, _FACTOR, _ITERATIONS = 3e-9, 1e-9, 5e-11, 60


class SparseSystem:
    """Sparse rows stored as they come, and never made dense.

    Has the interface of :class:`rfviz.linear_model.normal_equations.NormalEquations`; on the host.

    Parameters
    ----------
    centred : bool
        Whether to fit an intercept; means are subtracted from products, so that zeros stay zeros.
    columns : callable
        Number of features m to the columns of the first m; by default m itself.
    route : {"auto", "dual", "primal", "gradients"}
        HHᵀ, HᵀH, conjugate gradients, or what is expected to take the least time in the memory there is.
    """

    def __init__(self, centred: bool = True, columns: Callable[[int], int] = lambda m: m, route: str = "auto") -> None:
        self.centred, self.columns, self.route = centred, columns, route
        self._blocks: list[tuple[Any, np.ndarray]] = []
        self._rows: _Rows | None = None

    def add(self, H: Any, Y: np.ndarray) -> None:
        """Add rows: a CSR matrix of shape (rows, columns), and Y of shape (rows, k)."""
        self._blocks.append((sparse.csr_matrix(H, dtype=np.float64), Y))
        self._rows = None

    def mean_square(self) -> float:
        """Return the mean over the columns of their sum of squares, about the mean where `centred`."""
        rows = self._gathered()
        return float((rows.H.data @ rows.H.data - rows.H.shape[0] * (rows.mean @ rows.mean)) / rows.H.shape[1])

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[tuple[Any, Any]] | None]:
        """Solve ridge regression for every penalty and every m; see `NormalEquations`.

        Those of conjugate gradients to a relative residual of 1e-7.
        """
        rows = self._gathered()
        ends = [self.columns(int(m)) for m in m_grid]
        route = self._route(rows, sorted(ends), len(alphas)) if self.route == "auto" else self.route
        if route == "primal":
            paths = rows.primal(alphas, ends, precision, quiet)
        else:
            paths = rows.dual(alphas, ends) if route == "dual" else rows.gradients(alphas, ends)
        return [None if path is None else [(coef, rows.intercept(coef)) for coef in path] for path in paths]

    def _gathered(self) -> _Rows:
        if self._rows is None:
            self._rows = _Rows(self._blocks, self.centred)
            self._blocks = [(self._rows.H, np.concatenate([Y for _, Y in self._blocks]))]
        return self._rows

    @staticmethod
    def _route(rows: _Rows, ends: list[int], n_alphas: int) -> str:
        """Choose the quickest way whose matrices fit."""
        (n, c), nnz, k, solves = rows.H.shape, rows.H.nnz, rows.Y.shape[1], n_alphas * len(ends)
        per_row, per_column = nnz**2 / n, rows.pairs
        seconds = {
            "dual": per_column * _SPARSE_PRODUCT + solves * n**3 / 3 * _FACTOR,
            "primal": per_row * _SPARSE_PRODUCT + n_alphas * c**3 / 3 * _FACTOR,
            "gradients": solves * _ITERATIONS * 2 * nnz * k * _DENSE_PRODUCT,
        }
        budget = memory_budget("cpu")
        # The matrix of each m is cached for the next penalty.
        needed = {"dual": 8 * n**2 * (len(ends) + 2), "primal": 8 * 4 * c**2, "gradients": 0}
        return min((name for name in seconds if needed[name] <= budget), key=lambda name: seconds[name])


class _Rows:
    """All rows at once, about their mean, with the matrices that were made of them."""

    def __init__(self, blocks: list[tuple[Any, np.ndarray]], centred: bool) -> None:
        self.H: Any = sparse.vstack([H for H, _ in blocks], format="csr") if len(blocks) > 1 else blocks[0][0]
        Y = np.concatenate([Y for _, Y in blocks])
        self.mean, self.target_mean = np.zeros(self.H.shape[1]), np.zeros(Y.shape[1])
        if centred:
            self.mean, self.target_mean = np.asarray(self.H.mean(axis=0)).ravel(), Y.mean(axis=0)
        self.Y = Y - self.target_mean
        self._by_column: Any = None
        self._kernels: dict[int, np.ndarray] = {}
        self._gram: tuple[np.ndarray, float] | None = None

    @property
    def pairs(self) -> float:
        """Count the pairs of rows that share a column, over all columns: the multiply-adds of HHᵀ."""
        counts = np.bincount(self.H.indices, minlength=self.H.shape[1]).astype(np.float64)
        return float(counts @ counts)

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        return self.target_mean - self.mean[: len(coef)] @ coef

    def first(self, end: int, start: int = 0) -> Any:
        """Return the columns from `start` to `end`, as CSR."""
        if self._by_column is None:
            self._by_column = self.H.tocsc()
        return self._by_column[:, start:end].tocsr()

    def dual(self, alphas: Sequence[float], ends: list[int]) -> list[list[np.ndarray]]:
        """Solve by (HHᵀ + αI)a = Y and Hᵀa."""
        for end in sorted(set(ends) - set(self._kernels)):
            below = max((e for e in self._kernels if e < end), default=0)
            K = np.zeros((self.H.shape[0],) * 2)
            _add_products(K, self.first(end, below))
            K = _centred(K) if self.mean.any() else K
            # Centring is linear: about their means, too, products of more columns are sums.
            self._kernels[end] = K + self._kernels[below] if below else K
        coefs: list[list[np.ndarray]] = [[] for _ in alphas]
        for end in ends:
            part, mean = self.first(end), self.mean[:end]
            for path, alpha in zip(coefs, alphas, strict=True):
                A = self._kernels[end].copy()
                A[np.diag_indices_from(A)] += alpha
                a = solve_definite(A, self.Y)
                path.append(part.T @ a - np.outer(mean, a.sum(axis=0)))
        return coefs

    def primal(
        self, alphas: Sequence[float], ends: list[int], precision: str, quiet: bool
    ) -> list[list[np.ndarray] | None]:
        """Solve by one Cholesky factor of HᵀH + αI for each penalty."""
        if self._gram is None or len(self._gram[0]) < max(ends):
            gram = np.zeros((max(ends),) * 2, order="F")
            _add_products(gram, self.first(max(ends)).T.tocsr())
            gram -= np.outer(self.H.shape[0] * self.mean[: len(gram)], self.mean[: len(gram)])
            self._gram = gram, largest_eigenvalue(gram)
        gram, largest = self._gram
        cross = self.first(len(gram)).T @ self.Y
        return [solve_path(gram, cross, alpha, ends, np, precision, quiet, largest) for alpha in alphas]

    def gradients(self, alphas: Sequence[float], ends: list[int]) -> list[list[np.ndarray]]:
        """Solve by conjugate gradients in the smaller dimension; each solution begins where the last one ended."""
        coefs = [[np.empty(0)] * len(ends) for _ in alphas]
        for index in np.argsort(ends):
            part, mean = self.first(ends[index]), self.mean[: ends[index]]
            forth = _Centred(part, mean)
            guess = None
            for path, alpha in sorted(zip(coefs, alphas, strict=True), key=lambda pair: -pair[1]):
                if part.shape[0] < part.shape[1]:
                    guess = _conjugate_gradients(lambda v, a=alpha, f=forth: f @ (f.back(v)) + a * v, self.Y, guess)
                    path[index] = forth.back(guess)
                else:
                    right = forth.back(self.Y)
                    guess = _conjugate_gradients(lambda v, a=alpha, f=forth: f.back(f @ v) + a * v, right, guess)
                    path[index] = guess.copy()
        return coefs


class _Centred:
    """H less its mean row, as an operator."""

    def __init__(self, H: Any, mean: np.ndarray) -> None:
        self.H, self.transposed, self.mean = H, H.T.tocsr(), mean

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        return self.H @ v - self.mean @ v

    def back(self, a: np.ndarray) -> np.ndarray:
        return self.transposed @ a - np.outer(self.mean, a.sum(axis=0))


def _add_products(total: np.ndarray, H: Any) -> None:
    """Add HHᵀ by panels of rows, so that the sparse result of a panel is all that is there besides."""
    across = H.T.tocsr()
    for panel in _panels(H.shape[0]):
        total[panel] += (H[panel] @ across).toarray()


def _panels(n: int) -> Iterator[slice]:
    return (slice(start, start + _PANEL) for start in range(0, n, _PANEL))


def _centred(K: np.ndarray) -> np.ndarray:
    mean = K.mean(axis=0)
    return K - mean[:, None] - mean[None, :] + mean.mean()


def _conjugate_gradients(
    product: Callable[[np.ndarray], np.ndarray], right: np.ndarray, start: np.ndarray | None
) -> np.ndarray:
    """Solve ``product(v) = right`` for all columns at once, each with steps of its own."""
    v = np.zeros_like(right) if start is None else start.copy()
    residual = right - product(v) if start is not None else right.copy()
    direction, squares = residual.copy(), np.einsum("ij,ij->j", residual, residual)
    small = _TOLERANCE**2 * np.maximum(np.einsum("ij,ij->j", right, right), 1e-300)
    for _ in range(_MOST_ITERATIONS):
        active = squares > small
        if not active.any():
            break
        image = product(direction)
        curvature = np.einsum("ij,ij->j", direction, image)
        step = np.divide(squares, curvature, out=np.zeros_like(squares), where=active & (curvature > 0))
        v += step * direction
        residual -= step * image
        fresh = np.einsum("ij,ij->j", residual, residual)
        direction *= np.divide(fresh, squares, out=np.zeros_like(fresh), where=active)
        direction += residual
        squares = fresh
    return v
