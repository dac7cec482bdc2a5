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
from rfviz.linear_model.cholesky_path import largest_eigenvalue, solve_path, solve_with_leverages
from rfviz.linear_model.dual_path import Intercept, solve_dual
from rfviz.linear_model.penalty import EXPECTED_PENALTIES
from rfviz.linear_model.system import LeftOut, Model, System, leave_one_out_error

__all__ = ["SparseSystem"]

_TOLERANCE, _MOST_ITERATIONS = 1e-7, 2000
# Rows that conjugate gradients leave out, one at a time.
_FEW = 32
_PANEL = 512
# Seconds on a core: of a multiply-add of a product of sparse matrices, of one with a dense matrix, and of a
# factorisation; and how many iterations are expected.
_SPARSE_PRODUCT, _DENSE_PRODUCT, _FACTOR, _ITERATIONS = 3e-9, 1e-9, 5e-11, 60


class SparseSystem(System):
    """Sparse rows stored as they come, and never made dense.

    They are on the host. Conjugate gradients go to a relative residual of 1e-7, and predict only a few of the rows that
    are left out, each of which is one more right-hand side.

    Parameters
    ----------
    centred : bool
        Whether to fit an intercept; means are subtracted from products, so that zeros stay zeros.
    columns : callable
        Number of features m to the columns of the first m; by default m itself.
    route : {"auto", "dual", "primal", "gradients"}
        HHᵀ, HᵀH, conjugate gradients, or the one of these that should take the least time in the memory there is.
    """

    def __init__(self, centred: bool = True, columns: Callable[[int], int] = lambda m: m, route: str = "auto") -> None:
        self.centred, self.columns, self.route = centred, columns, route
        self._blocks: list[tuple[Any, np.ndarray, np.ndarray]] = []
        self._rows: _Rows | None = None

    def add(self, H: Any, Y: np.ndarray, weights: np.ndarray | None = None) -> None:
        root = np.ones(len(Y)) if weights is None else np.sqrt(weights)
        self._blocks.append((sparse.csr_matrix(H, dtype=np.float64), Y, root))
        self._rows = None

    def mean_square(self) -> float:
        rows = self._gathered()
        return rows.sum_of_squares() / rows.H.shape[1]

    def together(self, m_grid: Sequence[int], n_alphas: int) -> bool:
        return self._route(m_grid, n_alphas) == "primal"

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Model] | None]:
        rows, ends = self._gathered(), [self.columns(int(m)) for m in m_grid]
        route = self._route(m_grid, len(alphas))
        if route == "primal":
            paths = [rows.primal(alpha, ends, precision, quiet) for alpha in alphas]
        else:
            paths = rows.dual(alphas, ends) if route == "dual" else rows.gradients(alphas, ends)
        return [None if path is None else [rows.model(coef) for coef in path] for path in paths]

    def evaluate(
        self, alpha: float, m_grid: Sequence[int], left_out: LeftOut, precision: str = "auto"
    ) -> list[tuple[Model, float]] | None:
        rows, ends = self._gathered(), [self.columns(int(m)) for m in m_grid]
        route = self._route(m_grid, EXPECTED_PENALTIES)
        if route == "primal":
            scored = rows.evaluate_primal(alpha, ends, left_out, precision)
        elif route == "dual":
            scored = rows.evaluate_dual(alpha, ends)
        else:
            scored = rows.evaluate_gradients(alpha, ends, left_out.some(_FEW))
        return None if scored is None else [(rows.model(coef), error) for coef, error in scored]

    def _gathered(self) -> _Rows:
        if self._rows is None:
            blocks = self._blocks
            joined = sparse.vstack([H for H, _, _ in blocks], format="csr") if len(blocks) > 1 else blocks[0][0]
            Y, root = (np.concatenate([block[place] for block in blocks]) for place in (1, 2))
            self._blocks = [(joined, Y, root)]
            self._rows = _Rows(*self._blocks[0], self.centred)
        return self._rows

    def _route(self, m_grid: Sequence[int], n_alphas: int) -> str:
        """Choose the quickest route whose matrices fit into memory; the first choice stays, with its matrices."""
        if self.route == "auto":
            ends = sorted(self.columns(int(m)) for m in m_grid)
            self.route = _quickest_route(self._gathered(), ends, n_alphas)
        return self.route


def _quickest_route(rows: _Rows, ends: list[int], n_alphas: int) -> str:
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
    """All rows at once, times the roots of their weights and about their mean, with the matrices made of them."""

    def __init__(self, H: Any, Y: np.ndarray, root: np.ndarray, centred: bool) -> None:
        self.H: Any = H if (root == 1).all() else sparse.diags_array(root) @ H
        self.root, self.weight = root, float(root @ root)
        self.mean, self.target_mean, direction = np.zeros(H.shape[1]), np.zeros(Y.shape[1]), np.zeros(len(root))
        if centred:
            self.mean, self.target_mean = self.H.T @ root / self.weight, root**2 @ Y / self.weight
            direction = root / np.sqrt(self.weight)
        self.intercept = Intercept(direction, self.sum_of_squares() / len(root))
        self.Y = (Y - self.target_mean) * root[:, None]
        self._by_column: Any = None
        self._kernels: dict[int, np.ndarray] = {}
        self._gram: tuple[np.ndarray, np.ndarray, float] | None = None
        self._guesses: dict[int, np.ndarray] = {}

    def sum_of_squares(self) -> float:
        """Return the sum of the squares of all features, about their means."""
        return float(self.H.data @ self.H.data - self.weight * (self.mean @ self.mean))

    @property
    def pairs(self) -> float:
        """Count the pairs of rows that share a column, over all columns: the multiply-adds of HHᵀ."""
        counts = np.bincount(self.H.indices, minlength=self.H.shape[1]).astype(np.float64)
        return float(counts @ counts)

    def model(self, coef: np.ndarray) -> Model:
        return coef, self.target_mean - self.mean[: len(coef)] @ coef

    def first(self, end: int, start: int = 0) -> Any:
        """Return the columns from `start` to `end`, as CSR."""
        if self._by_column is None:
            self._by_column = self.H.tocsc()
        return self._by_column[:, start:end].tocsr()

    # --- by (HHᵀ + αI)a = Y and Hᵀa -----------------------------------------------------------------------------------

    def dual(self, alphas: Sequence[float], ends: list[int]) -> list[list[np.ndarray]]:
        self._add_kernels(ends)
        coefs: list[list[np.ndarray]] = [[] for _ in alphas]
        for end in ends:
            across = self._across(end)
            for path, alpha in zip(coefs, alphas, strict=True):
                A = self._kernels[end].copy()
                A[np.diag_indices_from(A)] += alpha
                path.append(across.back(solve_definite(A, self.Y)))
        return coefs

    def evaluate_dual(self, alpha: float, ends: list[int]) -> list[tuple[np.ndarray, float]] | None:
        self._add_kernels(ends)
        found = []
        for end in ends:
            solved = solve_dual(self._kernels[end], self.Y, alpha, self.intercept)
            if solved is None:
                return None
            found.append((self._across(end).back(solved[0]), solved[1]))
        return found

    def _add_kernels(self, ends: list[int]) -> None:
        for end in sorted(set(ends) - set(self._kernels)):
            below = max((e for e in self._kernels if e < end), default=0)
            K = np.zeros((self.H.shape[0],) * 2)
            _add_products(K, self.first(end, below))
            if self.mean.any():  # about the mean: without what lies along the intercept, on both sides
                along = self.intercept.direction
                there = K @ along
                K -= np.outer(along, there) + np.outer(there, along) - (along @ there) * np.outer(along, along)
            # Centring is linear: about their means, too, products of more columns are sums.
            self._kernels[end] = K + (self._kernels[below] if below else self.intercept.matrix())

    # --- by one Cholesky factor of HᵀH + αI for each penalty ----------------------------------------------------------

    def primal(self, alpha: float, ends: list[int], precision: str, quiet: bool) -> list[np.ndarray] | None:
        gram, cross, largest = self._equations(max(ends))
        return solve_path(gram, cross, alpha, ends, np, precision, quiet, largest)

    def evaluate_primal(
        self, alpha: float, ends: list[int], left_out: LeftOut, precision: str
    ) -> list[tuple[np.ndarray, float]] | None:
        gram, cross, largest = self._equations(max(ends))
        taken = left_out.rows
        rows = self.first(len(gram))[taken].toarray() - np.outer(self.root[taken], self.mean[: len(gram)])
        solved = solve_with_leverages(gram, cross, alpha, ends, rows, np, precision, largest)
        if solved is None:
            return None
        found = []
        for end, coef, leverages in zip(ends, *solved, strict=True):
            residuals = self.Y[taken] - rows[:, :end] @ coef
            slack = 1.0 - leverages - self.intercept.direction[taken] ** 2
            found.append((coef, float(leave_one_out_error(residuals, slack))))
        return found

    def _equations(self, end: int) -> tuple[np.ndarray, np.ndarray, float]:
        if self._gram is None or len(self._gram[0]) < end:
            gram = np.zeros((end, end), order="F")
            _add_products(gram, self.first(end).T.tocsr())
            gram -= np.outer(self.weight * self.mean[:end], self.mean[:end])
            self._gram = gram, self.first(end).T @ self.Y, largest_eigenvalue(gram)
        gram, cross, largest = self._gram
        return gram[:end, :end], cross[:end], largest

    # --- by conjugate gradients in the smaller dimension --------------------------------------------------------------

    def gradients(self, alphas: Sequence[float], ends: list[int]) -> list[list[np.ndarray]]:
        """Each solution begins where the last one ended."""
        coefs = [[np.empty(0)] * len(ends) for _ in alphas]
        for index in np.argsort(ends):
            across = self._across(ends[index])
            guess = None
            for path, alpha in sorted(zip(coefs, alphas, strict=True), key=lambda pair: -pair[1]):
                guess = across.solve(alpha, self.Y if across.is_wide else across.back(self.Y), guess)
                path[index] = across.back(guess) if across.is_wide else guess
        return coefs

    def evaluate_gradients(self, alpha: float, ends: list[int], left_out: LeftOut) -> list[tuple[np.ndarray, float]]:
        k, taken = self.Y.shape[1], left_out.rows
        unit = np.zeros((len(self.Y), len(taken)))
        unit[taken, np.arange(len(taken))] = 1.0
        right = np.concatenate([self.Y, unit], axis=1)
        found = []
        for end in ends:
            across = self._across(end)
            guess = across.solve(alpha, right if across.is_wide else across.back(right), self._guesses.get(end))
            self._guesses[end] = guess
            if across.is_wide:  # the residuals and 1 − the leverages, over α
                coef, residuals = across.back(guess[:, :k]), alpha * guess[taken, :k]
                slack = alpha * guess[taken, k + np.arange(len(taken))] - self.intercept.direction[taken] ** 2
            else:
                coef, rows = guess[:, :k], _Centred(across.H[taken], across.mean, across.root[taken])
                residuals = self.Y[taken] - rows @ coef
                slack = 1.0 - np.diag(rows @ guess[:, k:]) - self.intercept.direction[taken] ** 2
            found.append((coef, float(leave_one_out_error(residuals, slack))))
        return found

    def _across(self, end: int) -> _Centred:
        return _Centred(self.first(end), self.mean[:end], self.root)


class _Centred:
    """Rows less their mean, as an operator; `root` are the roots of their weights."""

    def __init__(self, H: Any, mean: np.ndarray, root: np.ndarray) -> None:
        self.H, self.transposed, self.mean, self.root = H, H.T.tocsr(), mean, root
        self.is_wide = H.shape[0] < H.shape[1]

    def __matmul__(self, v: np.ndarray) -> np.ndarray:
        return self.H @ v - np.outer(self.root, self.mean @ v)

    def back(self, a: np.ndarray) -> np.ndarray:
        return self.transposed @ a - np.outer(self.mean, self.root @ a)

    def solve(self, alpha: float, right: np.ndarray, guess: np.ndarray | None) -> np.ndarray:
        """Solve (HHᵀ + αI)a = right where there are more columns than rows, else (HᵀH + αI)v = right."""

        def product(v: np.ndarray) -> np.ndarray:
            return (self @ self.back(v) if self.is_wide else self.back(self @ v)) + alpha * v

        return _conjugate_gradients(product, right, guess)


def _add_products(total: np.ndarray, H: Any) -> None:
    """Add HHᵀ by panels of rows, so that the sparse result of a panel is all that is there besides."""
    across = H.T.tocsr()
    for panel in _panels(H.shape[0]):
        total[panel] += (H[panel] @ across).toarray()


def _panels(n: int) -> Iterator[slice]:
    return (slice(start, start + _PANEL) for start in range(0, n, _PANEL))


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
