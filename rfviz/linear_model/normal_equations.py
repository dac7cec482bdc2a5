"""The normal equations of ridge regression, accumulated over row blocks in memory that does not grow with the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import blas

from rfviz.backend import array_namespace
from rfviz.linear_model.cholesky_path import largest_eigenvalue, solve_path

__all__ = ["NormalEquations"]

Solution = tuple[Any, Any]
_PANEL = 512


class NormalEquations:
    """Sums over rows from which every ridge solution follows: HᵀH, HᵀY, and the means for an intercept.

    Products run block by block in the features' own precision, or in float64 where `exact`, and are summed in float64:
    within a block of a few thousand rows float32 loses little, over a million rows it would lose much.

    Parameters
    ----------
    n_components : int
        Columns m of H.
    n_targets : int
        Columns k of Y.
    centred : bool
        Whether to keep means for an intercept. Rows are then taken about the mean of the first block, because
        features with a large mean (maxout's) would lose their digits when the mean is subtracted from the sums.
    xp : module
        ``numpy`` or ``cupy``.
    exact : bool
        Whether products run in float64 too. The rounding of float32 products is a noise of about 1e-7 of the largest
        eigenvalue, which drowns smaller penalties; where the matrix is small there is no need to put up with it.
    """

    def __init__(
        self, n_components: int, n_targets: int, centred: bool = True, xp: Any = np, exact: bool = False
    ) -> None:
        self.xp = xp
        self.exact = exact
        self.centred = centred
        self.n_samples = 0
        # Fortran order lets LAPACK factorise in place.
        self.gram = xp.zeros((n_components, n_components), dtype=np.float64, order="F")
        self.cross = xp.zeros((n_components, n_targets), dtype=np.float64)
        self._sum = xp.zeros(n_components, dtype=np.float64)
        self._target_sum = xp.zeros(n_targets, dtype=np.float64)
        self._shift: Any = None

    def add(self, H: Any, Y: Any) -> None:
        """Add a block of rows.

        Parameters
        ----------
        H : array of shape (rows, m)
            Features; overwritten where `centred`.
        Y : array of shape (rows, k)
        """
        Y = self.xp.asarray(Y)
        if self.exact:
            H = H.astype(np.float64)
        if self.centred:
            if self._shift is None:
                self._shift = H.mean(axis=0)
            H -= self._shift
            self._sum += H.sum(axis=0, dtype=np.float64)
            self._target_sum += Y.sum(axis=0, dtype=np.float64)
        self.n_samples += len(H)
        self.cross += (H.T @ Y.astype(H.dtype)).astype(np.float64)
        self.gram += _gram(H)

    def mean_square(self) -> float:
        """Mean over the features of their sum of squares (about the mean where `centred`): the scale of penalties."""
        diagonal = self.gram.diagonal() - (self._sum**2 / self.n_samples if self.centred else 0.0)
        return float(diagonal.mean())

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Solution] | None]:
        """Ridge solutions for every penalty and every m.

        Parameters
        ----------
        alphas : sequence of float
        m_grid : sequence of int
        precision : {"auto", "float32", "float64"}
        quiet : bool
            Whether penalties are only being compared: no warnings, and None for one that is below the rounding.

        Returns
        -------
        list of list of (coef, intercept)
            By penalty, then by m; coef of shape (m, k), intercept of shape (k,).
        """
        if precision == "auto" and self.exact:
            precision = "float64"
        m_max = max(m_grid)
        gram, cross = self._system(m_max)
        largest = largest_eigenvalue(gram, self.xp)
        paths = [solve_path(gram, cross, alpha, m_grid, self.xp, precision, quiet, largest) for alpha in alphas]
        return [None if path is None else [(coef, self._intercept(coef)) for coef in path] for path in paths]

    def _system(self, m: int) -> tuple[Any, Any]:
        """Gram matrix and right-hand side of the first m features, about their means where `centred`; copies."""
        gram, cross = self.gram[:m, :m].copy(order="F"), self.cross[:m].copy()
        if self.xp is np:
            _mirror(gram)
        if self.centred:
            total = self._sum[:m]
            gram -= self.xp.outer(total, total) / self.n_samples
            cross -= self.xp.outer(total, self._target_sum) / self.n_samples
        return gram, cross

    def _intercept(self, coef: Any) -> Any:
        if not self.centred:
            return self.xp.zeros(coef.shape[1])
        m = len(coef)
        mean = self._sum[:m] / self.n_samples + self._shift[:m]
        return self._target_sum / self.n_samples - mean @ coef


def _mirror(gram: np.ndarray) -> None:
    """Copy the lower triangle to the upper one, in place, by panels that stay in the cache."""
    for start in range(0, len(gram), _PANEL):
        stop = min(start + _PANEL, len(gram))
        corner = np.tril(gram[start:stop, start:stop])
        gram[start:stop, start:stop] = corner + np.tril(corner, -1).T
        gram[start:stop, stop:] = gram[stop:, start:stop].T


def _gram(H: Any) -> Any:
    """HᵀH; on the host the lower triangle only, at half the cost of the product."""
    if array_namespace(H) is not np:
        return H.T @ H
    syrk = blas.ssyrk if H.dtype == np.float32 else blas.dsyrk
    # H.T is what Fortran sees of a C-ordered H, so nothing is copied.
    return syrk(1.0, np.ascontiguousarray(H).T, lower=True)
