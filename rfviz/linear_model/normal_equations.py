"""The normal equations of ridge regression, accumulated over row blocks in memory that does not grow with the rows."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy.linalg import blas, lapack

from rfviz.backend import matmul, to_host
from rfviz.backend.lapack import add_gram
from rfviz.errors import DataError
from rfviz.linear_model.cholesky_path import (
    cross_validated_errors,
    largest_eigenvalue,
    solve_path,
    solve_with_leverages,
)
from rfviz.linear_model.system import LeftOut, Model, System, leave_one_out_error

__all__ = ["NormalEquations"]

_blas: Any = blas  # their functions are generated, and no type checker sees them
_lapack: Any = lapack
_PANEL = 512
# Rows whose products are summed in float32 before they join the float64 sums.
_FLOAT32_ROWS = 8192
# Noise of sums of float32 products, relative to their largest eigenvalue.
_FLOAT32_NOISE = 1e-7
_ARRAYS = ("cross", "sum", "target_sum", "target_squares", "shift", "target_shift")


class NormalEquations(System):
    """Sums over rows from which every ridge solution follows: HᵀH, HᵀY, YᵀY's diagonal, and means for an intercept.

    Products run in the features' own precision, or in float64 where `exact`; a few thousand rows at a time are summed
    in it, where float32 loses little, and all of them in float64, since over a million rows it would lose much.

    Sums of different rows, from other processes or machines, join by :meth:`merge`; in float64 the order and the
    partition of the rows change the last digits only.

    Parameters
    ----------
    n_components : int
        Columns m of H.
    n_targets : int
        Columns k of Y.
    centred : bool
        Whether to accumulate means for an intercept. Features and targets are then taken about the mean of the largest
        block at the start, because those with a large mean (maxout's) would lose their digits when the mean is
        subtracted from the sums.
    xp : module
        ``numpy`` or ``cupy``.
    exact : bool
        Whether products run in float64 too. The rounding of float32 products is a noise of about 1e-7 of the largest
        eigenvalue, which drowns smaller penalties; for a small matrix exact products cost little.

    Attributes
    ----------
    n_samples : int
        Rows so far whose weight is not 0.
    weight : float
        Sum of the weights of all rows; `n_samples` if none were given.
    """

    def __init__(
        self, n_components: int, n_targets: int, centred: bool = True, xp: Any = np, exact: bool = False
    ) -> None:
        self.xp = xp
        self.exact = exact
        self.centred = centred
        self.n_samples, self.weight = 0, 0.0
        # Fortran order lets BLAS add to them in place. Only the lower triangles are filled.
        self._gram = xp.zeros((n_components, n_components), dtype=np.float64, order="F")
        self._partial: Any = None  # float32 sums that have not joined them yet
        self._partial_rows = 0
        self.cross = xp.zeros((n_components, n_targets), dtype=np.float64)
        self._sum = xp.zeros(n_components, dtype=np.float64)
        self._target_sum = xp.zeros(n_targets, dtype=np.float64)
        self._target_squares = xp.zeros(n_targets, dtype=np.float64)
        # What features and targets are taken about.
        self._shift: Any = xp.zeros(n_components, dtype=np.float64)
        self._target_shift: Any = xp.zeros(n_targets, dtype=np.float64)
        self._rounded = False  # whether there are float32 products among the sums
        self._scratch: Any = None
        self._equations: tuple[Any, Any, float] | None = None  # what evaluate solves, while no rows come

    @property
    def gram(self) -> Any:
        """Return the lower triangle of HᵀH of all rows so far, float64 of shape (m, m)."""
        self._join()
        return self._gram

    def add(self, H: Any, Y: Any, weights: np.ndarray | None = None) -> None:
        """Add a block of rows.

        Parameters
        ----------
        H : array of shape (rows, m)
            Features; not changed.
        Y : array of shape (rows, k)
        weights : ndarray of shape (rows,), optional
            Of the squared errors, at least 0; by default 1.
        """
        if not len(H):
            return
        self._equations = None
        Y = self.xp.asarray(Y, dtype=np.float64)
        if self.exact:
            H = H.astype(np.float64, copy=False)
        if self.centred:
            if len(H) > self.n_samples:
                self._move(H.mean(axis=0), Y.mean(axis=0))
            H = self.xp.subtract(H, self._shift, out=self._room(H))
            Y = Y - self._target_shift
        root: Any = 1.0
        if weights is None:
            self.n_samples, self.weight = self.n_samples + len(H), self.weight + len(H)
        else:
            self.n_samples += int(np.count_nonzero(weights))
            self.weight += float(np.sum(weights))
            root = self.xp.sqrt(self.xp.asarray(weights, dtype=np.float64))
            H = self.xp.multiply(H, root[:, None].astype(H.dtype), out=self._room(H))
            Y = Y * root[:, None]
        # One product gives HᵀY and the sums of H: the last column of the targets is the root of the weight.
        targets = self.xp.empty((len(Y), Y.shape[1] + 1), dtype=H.dtype)
        targets[:, :-1], targets[:, -1] = Y, root
        self._add_square(self.xp.ascontiguousarray(H).T)
        cross = self._times(H.T, targets).astype(np.float64)
        self.cross += cross[:, :-1]
        self._sum += cross[:, -1]
        self._target_sum += Y.sum(axis=0) if weights is None else root @ Y
        self._target_squares += (Y * Y).sum(axis=0)

    def merge(self, other: NormalEquations) -> Self:
        """Add the sums of other rows, which stay as they are; where these are more, about their means.

        Raises
        ------
        DataError
            For sums of other numbers of features or targets, or with an intercept where these have none.
        """
        self._add_sums(self._checked(other), 1.0)
        return self

    def remove(self, other: NormalEquations) -> Self:
        """Subtract the sums of rows that were added before, such as one fold of a cross-validation.

        Raises
        ------
        DataError
            As :meth:`merge`, and for sums of more rows than there are.
        """
        other = self._checked(other)
        if other.n_samples > self.n_samples:
            raise DataError(
                f"There are sums of {self.n_samples} rows, so {other.n_samples} cannot be removed. "
                "Remove rows that were added."
            )
        self._add_sums(other, -1.0)
        return self

    def _checked(self, other: NormalEquations) -> NormalEquations:
        mine, its = ((*one.cross.shape, "with" if one.centred else "without") for one in (self, other))
        if mine != its:
            said = " and ".join(f"{m} features, {k} targets, {word} an intercept" for m, k, word in (mine, its))
            raise DataError(f"Only sums of the same model can be merged; these have {said}. Use one map for all rows.")
        return other if other.xp is self.xp else NormalEquations.from_state(other.state(), self.xp)

    def _move(self, shift: Any, target_shift: Any) -> None:
        """Take all rows about another point."""
        if self.n_samples:
            by, targets_by = self._shift - shift, self._target_shift - target_shift
            self._translate(self, by, targets_by, 1.0)
        self._shift, self._target_shift = shift, target_shift

    def _add_sums(self, other: NormalEquations, sign: float) -> None:
        self._equations = None
        if sign > 0:
            if other.n_samples > self.n_samples:
                self._move(other._shift, other._target_shift)
            self._rounded |= other._rounded
            self.exact &= other.exact
        self._join()
        gram = other.gram
        for rows, panel in _panels(len(gram)):
            self._gram[rows, panel] += sign * gram[rows, panel]
        self.cross += sign * other.cross
        self._sum += sign * other._sum
        self._target_sum += sign * other._target_sum
        self._target_squares += sign * other._target_squares
        if self.centred:
            self._translate(other, other._shift - self._shift, other._target_shift - self._target_shift, sign)
        self.n_samples += int(sign) * other.n_samples
        self.weight += sign * other.weight

    def _translate(self, rows: NormalEquations, by: Any, targets_by: Any, sign: float) -> None:
        """Add the change of the sums that results if each of `rows` and its targets grows by a constant."""
        self._join()
        xp, n = self.xp, rows.weight
        half, whole = rows._sum + 0.5 * n * by, rows._sum + n * by
        for below, panel in _panels(len(by)):
            gained = xp.outer(half[below], by[panel]) + xp.outer(by[below], half[panel])
            width = gained.shape[1]
            gained[:width] = xp.tril(gained[:width])
            self._gram[below, panel] += sign * gained
        self.cross += sign * (xp.outer(whole, targets_by) + xp.outer(by, rows._target_sum))
        self._target_squares += sign * targets_by * (2.0 * rows._target_sum + n * targets_by)
        self._sum += sign * n * by
        self._target_sum += sign * n * targets_by

    def state(self) -> dict[str, np.ndarray]:
        """Return the sums as plain arrays on the host, which :func:`numpy.savez` stores without pickle.

        Returns
        -------
        dict of str to ndarray
            The Gram matrix as its packed lower triangle: 4·m² bytes.
        """
        packed, _ = _lapack.dtrttp(to_host(self.gram), uplo="L")
        arrays = {name: np.asarray(to_host(self._array(name)), dtype=np.float64) for name in _ARRAYS}
        flags = np.array([self.centred, self.exact, self._rounded])
        counts = {"n_samples": np.array(self.n_samples), "weight": np.array(self.weight)}
        return {**counts, "gram": packed, "flags": flags, **arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], xp: Any = np) -> NormalEquations:
        """Return the sums that :meth:`state` gave, on the device that is current for `xp`.

        Raises
        ------
        DataError
            For arrays that are missing, or whose shapes do not fit together.
        """
        missing = sorted({"n_samples", "gram", "flags", *_ARRAYS} - set(state))
        if missing:
            raise DataError(f"Sums need the arrays of NormalEquations.state; {missing[0]!r} is missing. Store all.")
        arrays = {name: np.asarray(state[name], dtype=np.float64) for name in ("gram", *_ARRAYS)}
        m, k = arrays["cross"].shape if arrays["cross"].ndim == 2 else (0, 0)
        vectors = {"gram": m * (m + 1) // 2, "sum": m, "shift": m}
        vectors |= dict.fromkeys(("target_sum", "target_squares", "target_shift"), k)
        for name, length in vectors.items():
            if arrays[name].shape != (length,) or not m:
                rule = f"must be {length} numbers for {m} features and {k} targets"
                raise DataError(f"The array {name!r} {rule}; it has the shape {arrays[name].shape}. Store it again.")
        centred, exact, rounded = (bool(flag) for flag in state["flags"])
        sums = cls(m, k, centred, xp, exact)
        sums.n_samples, sums._rounded = int(state["n_samples"]), rounded
        sums.weight = float(state.get("weight", sums.n_samples))  # sums of earlier versions know no weights
        sums._gram = xp.asarray(np.asfortranarray(_lapack.dtpttr(m, arrays["gram"], uplo="L")[0]))
        sums.cross = xp.asarray(arrays["cross"])
        for name in _ARRAYS[1:]:
            setattr(sums, f"_{name}", xp.asarray(arrays[name]))
        return sums

    def __reduce__(self) -> tuple[Any, ...]:
        return NormalEquations.from_state, (self.state(),)

    def _array(self, name: str) -> Any:
        return self.cross if name == "cross" else getattr(self, f"_{name}")

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
        self._rounded = True
        if self._partial is None:
            self._partial = self.xp.zeros(self._gram.shape, dtype=np.float32, order="F")
        self._partial = _symmetric_update(self.xp, Ht, self._partial, float(self._partial_rows > 0))
        self._partial_rows += Ht.shape[1]
        if self._partial_rows >= _FLOAT32_ROWS:
            self._join()

    def _times(self, Ht: Any, targets: Any) -> Any:
        """Return HᵀY; on the host by SciPy's BLAS, since the threads of NumPy's own would go on spinning."""
        if self.xp is not np:
            return matmul(self.xp, Ht, targets, exact=True)
        return (_blas.dgemm if Ht.dtype == np.float64 else _blas.sgemm)(1.0, Ht, targets.T, trans_b=True)

    def _join(self) -> None:
        if self._partial_rows:
            for part in _panels(len(self._gram)):
                self._gram[part] += self._partial[part]
            self._partial_rows = 0

    def release(self) -> None:
        """Give back the buffers of :meth:`add` and of solving; the sums stay."""
        self._join()
        self._partial = self._scratch = self._equations = None

    def mean_square(self) -> float:
        diagonal = self.gram.diagonal() - (self._sum**2 / self.weight if self.centred else 0.0)
        return float(diagonal.mean())

    def together(self, m_grid: Sequence[int], n_alphas: int) -> bool:
        return True

    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Model] | None]:
        if precision == "auto" and self.exact:
            precision = "float64"
        gram, cross, largest = self._leading(max(m_grid))
        paths = [solve_path(gram, cross, alpha, m_grid, self.xp, precision, quiet, largest) for alpha in alphas]
        return [None if path is None else [(coef, self._intercept(coef)) for coef in path] for path in paths]

    def evaluate(
        self, alpha: float, m_grid: Sequence[int], left_out: LeftOut | None = None, precision: str = "auto"
    ) -> list[tuple[Model, float]] | None:
        """Return the solutions for a penalty, and the mean squared errors of predictions of rows by all others.

        As :meth:`System.evaluate`; without `left_out` of all rows, by :meth:`cross_validated_errors`.
        """
        if left_out is None:
            (path,) = self.solve([alpha], m_grid, precision, quiet=True)
            errors = self.cross_validated_errors([alpha], m_grid)[0].tolist()
            return None if path is None else list(zip(path, errors, strict=True))
        if precision == "auto" and self.exact:
            precision = "float64"
        gram, cross, largest = self._leading(max(m_grid))
        if self._rounded and alpha < _FLOAT32_NOISE * largest:
            return None
        rows, Y, of_intercept = self._about_the_means(left_out, len(gram))
        solved = solve_with_leverages(gram, cross, alpha, m_grid, rows, self.xp, precision, largest)
        if solved is None:
            return None
        models: list[Model] = []
        errors: list[Any] = []
        for m, coef, leverages in zip(m_grid, *solved, strict=True):
            residuals = Y - (rows[:, :m] @ coef.astype(rows.dtype)).astype(np.float64)
            errors.append(leave_one_out_error(residuals, 1.0 - leverages - of_intercept))
            models.append((coef, self._intercept(coef)))
        return list(zip(models, to_host(self.xp.stack(errors)).tolist(), strict=True))

    def _about_the_means(self, left_out: LeftOut, m: int) -> tuple[Any, Any, Any]:
        """Return rows and targets about the means, times the roots of their weights; and the intercept's leverages."""
        xp = self.xp
        rows, Y = left_out.H[:, :m], xp.asarray(left_out.Y, dtype=np.float64)
        if self.exact:
            rows = rows.astype(np.float64, copy=False)
        if self.centred:
            rows = rows - (self._shift[:m] + self._sum[:m] / self.weight).astype(rows.dtype)
            Y = Y - (self._target_shift + self._target_sum / self.weight)
        weights: Any = 1.0
        if left_out.weights is not None:
            weights = xp.asarray(left_out.weights)
            root = xp.sqrt(weights)[:, None]
            rows, Y = rows * root.astype(rows.dtype), Y * root
        return rows, Y, weights / self.weight if self.centred else 0.0

    def cross_validated_errors(self, alphas: Sequence[float], m_grid: Sequence[int]) -> np.ndarray:
        """Return the mean squared error of predictions of each row by all others, by generalised cross-validation.

        It needs the sums alone: every leverage is taken to be the mean of all. A penalty below the rounding of float32
        products has an infinite error.

        Returns
        -------
        ndarray of shape (len(alphas), len(m_grid))
            Means over the targets.
        """
        gram, cross, largest = self._leading(max(m_grid))
        squares = self._target_squares - (self._target_sum**2 / self.weight if self.centred else 0.0)
        noise = _FLOAT32_NOISE * largest if self._rounded else 0.0
        rows = self.n_samples, int(self.centred)
        errors = np.array(
            [
                cross_validated_errors(gram, cross, float(squares.sum()), rows, alpha, m_grid, self.xp)
                if alpha >= noise
                else np.full(len(m_grid), np.inf)
                for alpha in alphas
            ]
        )
        return errors * self.n_samples / self.weight

    def squared_error(self, coef: Any, intercept: Any) -> float:
        """Return the mean squared error of a model on the rows of these sums, over rows and targets.

        Parameters
        ----------
        coef : array of shape (m', k)
            For the first m' features.
        intercept : array of shape (k,)
        """
        xp, m, n = self.xp, len(coef), self.weight
        coef, intercept = xp.asarray(coef), xp.asarray(intercept)
        _mirror(xp, self.gram)
        # The residual of a row is y − coefᵀh − gap, both about their shifts.
        gap = intercept + self._shift[:m] @ coef - self._target_shift
        quadratic = (coef * (self._gram[:m, :m] @ coef)).sum(axis=0) - 2.0 * (coef * self.cross[:m]).sum(axis=0)
        linear = 2.0 * gap * (self._sum[:m] @ coef - self._target_sum) + n * gap * gap
        return float((self._target_squares + quadratic + linear).mean()) / n

    def _leading(self, m: int) -> tuple[Any, Any, float]:
        """Return :meth:`_system` of the first m features and its largest eigenvalue, or an upper bound of it."""
        if self._equations is None or len(self._equations[0]) < m:
            self.release()
            gram, cross = self._system(m)
            self._equations = gram, cross, largest_eigenvalue(gram, self.xp)
        gram, cross, largest = self._equations
        return gram[:m, :m], cross[:m], largest

    def _system(self, m: int) -> tuple[Any, Any]:
        """Return copies of the Gram matrix and right-hand side of the first m features, about means if `centred`."""
        gram, cross = self.gram[:m, :m].copy(order="F"), self.cross[:m].copy()
        _mirror(self.xp, gram)
        if self.centred:
            total = self._sum[:m]
            for start in range(0, m, _PANEL):  # an outer product of all features would be one more matrix
                panel = slice(start, start + _PANEL)
                gram[:, panel] -= self.xp.outer(total, total[panel] / self.weight)
            cross -= self.xp.outer(total, self._target_sum) / self.weight
        return gram, cross

    def _intercept(self, coef: Any) -> Any:
        if not self.centred:
            return self.xp.zeros(coef.shape[1])
        m = len(coef)
        mean = self._sum[:m] / self.weight + self._shift[:m]
        return self._target_shift + self._target_sum / self.weight - mean @ coef


def _panels(m: int) -> Iterator[tuple[slice, slice]]:
    """Yield (rows, columns) of the panels that make up a lower triangle, each from its diagonal downwards."""
    for start in range(0, m, _PANEL):
        yield slice(start, m), slice(start, min(start + _PANEL, m))


def _symmetric_update(xp: Any, Ht: Any, total: Any, going_on: float) -> Any:
    """Return the lower triangle of ``going_on * total + Ht @ Ht.T``, in the memory of `total`, in Fortran order."""
    if xp is np:
        return add_gram(Ht, total, going_on)
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
