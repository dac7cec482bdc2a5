"""The normal equations of ridge regression, accumulated over row blocks in memory that does not grow with the rows."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import blas

from rfviz.linear_model.cholesky_path import largest_eigenvalue, solve_path

__all__ = ["NormalEquations"]

_blas: Any = blas  # its functions are generated, and no type checker sees them
Solution = tuple[Any, Any]
_PANEL = 512
# Rows whose products are summed in float32 before they join the float64 sums.
_FLOAT32_ROWS = 8192


class NormalEquations:
    """Sums over rows from which every ridge solution follows: HᵀH, HᵀY, and the means for an intercept.

    Products run in the features' own precision, or in float64 where `exact`; a few thousand rows at a time are summed
    in it, where float32 loses little, and all of them in float64, since over a million rows it would lose much.

    Parameters
    ----------
    n_components : int
        Columns m of H.
    n_targets : int
        Columns k of Y.
    centred : bool
        Whether to accumulate means for an intercept. Rows are then taken about the mean of the first block, because
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
        # Fortran order lets BLAS add to them in place. Only the lower triangles are filled.
        self._gram = xp.zeros((n_components, n_components), dtype=np.float64, order="F")
        self._partial: Any = None  # float32 sums that have not joined them yet
        self._partial_rows = 0
        self.cross = xp.zeros((n_components, n_targets), dtype=np.float64)
        self._sum = xp.zeros(n_components, dtype=np.float64)
        self._target_sum = xp.zeros(n_targets, dtype=np.float64)
        self._shift: Any = None
        self._scratch: Any = None

    @property
    def gram(self) -> Any:
        """Return the lower triangle of HᵀH of all rows so far, float64 of shape (m, m)."""
        self._join()
        return self._gram

    def add(self, H: Any, Y: Any) -> None:
        """Add a block of rows.

        Parameters
        ----------
        H : array of shape (rows, m)
            Features; not changed.
        Y : array of shape (rows, k)
        """
        Y = self.xp.asarray(Y)
        if self.exact:
            H = H.astype(np.float64)
        if self.centred:
            if self._shift is None:
                self._shift = H.mean(axis=0)
            H = self.xp.subtract(H, self._shift, out=self._room(H))
        self.n_samples += len(H)
        # One product gives HᵀY and the sums of H: the last column of the targets is one.
        targets = self.xp.empty((len(Y), Y.shape[1] + 1), dtype=H.dtype)
        targets[:, :-1], targets[:, -1] = Y, 1.0
        self._add_square(self.xp.ascontiguousarray(H).T)
        cross = self._times(H.T, targets).astype(np.float64)
        self.cross += cross[:, :-1]
        self._sum += cross[:, -1]
        self._target_sum += Y.sum(axis=0, dtype=np.float64)

    def _room(self, H: Any) -> Any:
        """Return a buffer for the centred block, reused since fresh memory costs more than the sums."""
        if self._scratch is None or self._scratch.dtype != H.dtype or len(self._scratch) < len(H):
            self._scratch = self.xp.empty(H.shape, dtype=H.dtype)
        return self._scratch[: len(H)]

    def _add_square(self, Ht: Any) -> None:
        """Add HᵀH, its lower triangle only, at half the cost of the product, in place.

        `Ht` is what Fortran sees of a C-ordered H, so nothing is copied.
        """
        if Ht.dtype == np.float64:
            self._gram = _symmetric_update(self.xp, Ht, self._gram, 1.0)
            return
        if self._partial is None:
            self._partial = self.xp.zeros(self._gram.shape, dtype=np.float32, order="F")
        self._partial = _symmetric_update(self.xp, Ht, self._partial, float(self._partial_rows > 0))
        self._partial_rows += Ht.shape[1]
        if self._partial_rows >= _FLOAT32_ROWS:
            self._join()

    def _times(self, Ht: Any, targets: Any) -> Any:
        """Return HᵀY; on the host by SciPy's BLAS, since the threads of NumPy's own would go on spinning."""
        if self.xp is not np:
            return Ht @ targets
        return (_blas.dgemm if Ht.dtype == np.float64 else _blas.sgemm)(1.0, Ht, targets.T, trans_b=True)

    def _join(self) -> None:
        if self._partial_rows:
            for start in range(0, len(self._gram), _PANEL):
                part = np.s_[start:, start : start + _PANEL]
                self._gram[part] += self._partial[part]
            self._partial_rows = 0

    def _release(self) -> None:
        """Give back the buffers of :meth:`add`, for solving needs the room."""
        self._join()
        self._partial = self._scratch = None

    def mean_square(self) -> float:
        """Return the features' mean sum of squares (about the mean if `centred`): the scale of penalties."""
        diagonal = self.gram.diagonal() - (self._sum**2 / self.n_samples if self.centred else 0.0)
        return float(diagonal.mean())

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Solution] | None]:
        """Solve ridge regression for every penalty and every m.

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
        self._release()
        gram, cross = self._system(m_max)
        largest = largest_eigenvalue(gram, self.xp)
        paths = [solve_path(gram, cross, alpha, m_grid, self.xp, precision, quiet, largest) for alpha in alphas]
        return [None if path is None else [(coef, self._intercept(coef)) for coef in path] for path in paths]

    def _system(self, m: int) -> tuple[Any, Any]:
        """Return copies of the Gram matrix and right-hand side of the first m features, about means if `centred`."""
        gram, cross = self.gram[:m, :m].copy(order="F"), self.cross[:m].copy()
        _mirror(self.xp, gram)
        if self.centred:
            total = self._sum[:m]
            for start in range(0, m, _PANEL):  # an outer product of all features would be one more matrix
                panel = slice(start, start + _PANEL)
                gram[:, panel] -= self.xp.outer(total, total[panel] / self.n_samples)
            cross -= self.xp.outer(total, self._target_sum) / self.n_samples
        return gram, cross

    def _intercept(self, coef: Any) -> Any:
        if not self.centred:
            return self.xp.zeros(coef.shape[1])
        m = len(coef)
        mean = self._sum[:m] / self.n_samples + self._shift[:m]
        return self._target_sum / self.n_samples - mean @ coef


def _symmetric_update(xp: Any, Ht: Any, total: Any, going_on: float) -> Any:
    """Return the lower triangle of ``going_on * total + Ht @ Ht.T``, in the memory of `total`, in Fortran order."""
    if xp is np:
        update = _blas.dsyrk if Ht.dtype == np.float64 else _blas.ssyrk
        return update(1.0, Ht, beta=going_on, c=total, lower=True, overwrite_c=True)
    try:
        update = importlib.import_module(f"{xp.__name__}.cublas").syrk
    except (ImportError, AttributeError):  # a version without it: both triangles, at twice the cost
        total *= going_on
        total += Ht @ Ht.T
        return total
    return update("N", Ht, out=total, alpha=1.0, beta=going_on, lower=True)


def _mirror(xp: Any, gram: Any) -> None:
    """Copy the lower triangle to the upper one, in place, by panels that stay in the cache."""
    for start in range(0, len(gram), _PANEL):
        stop = min(start + _PANEL, len(gram))
        corner = xp.tril(gram[start:stop, start:stop])
        gram[start:stop, start:stop] = corner + xp.tril(corner, -1).T
        gram[start:stop, stop:] = gram[stop:, start:stop].T
