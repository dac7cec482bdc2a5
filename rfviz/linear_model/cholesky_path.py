"""Ridge solutions for every leading block of features from one Cholesky factorisation.

With H the unscaled nested features and A = HᵀH + μI = LLᵀ, the leading block of L is the factor of the leading block of
A. So with u = L⁻¹HᵀY the solution on the first m features is L[:m, :m]⁻ᵀ u[:m], for every m, at the cost of one back
substitution each; or of one for all, since L⁻ᵀ applied to u[:m] with zeros below it gives the same with zeros below it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rfviz.backend import to_host
from rfviz.backend.lapack import factor, invert_triangle, solve_triangle
from rfviz.errors import warn

__all__ = ["ConditionWarning", "cross_validated_errors", "largest_eigenvalue", "solve_path", "solve_with_leverages"]

# Up to this condition a float32 factor, refined with float64 residuals, gives float64 digits at half the cost; beyond
# the second no float64 solution has a digit to trust.
_FLOAT32_LIMIT, _FLOAT64_LIMIT = 1e7, 1e14
# Leverages are not refined: up to this condition those of a float32 factor are right to a per cent.
_FLOAT32_LEVERAGES = 1e5
# Right-hand sides of one substitution on a GPU.
_COLUMNS = 512
_PANEL = 256
_REFINEMENTS = 6
_SMALL_RESIDUAL = 1e-9


class ConditionWarning(UserWarning):
    """A ridge system is so ill-conditioned that it was solved in higher precision, or that its digits are in doubt."""


def largest_eigenvalue(gram: Any, xp: Any = np) -> float:
    """Estimate a positive semi-definite matrix's largest eigenvalue, or a few per cent more, by ten power iterations.

    Parameters
    ----------
    gram : array of shape (m, m)
        Symmetric, float64.
    """
    v = xp.ones(len(gram), dtype=gram.dtype)
    largest = 0.0
    for _ in range(10):
        w = gram @ v
        length = float(xp.linalg.norm(w))
        largest = length / float(xp.linalg.norm(v))
        if length == 0.0:
            return 0.0
        v = w / length
    return 1.05 * largest


def solve_path(
    gram: Any,
    cross: Any,
    alpha: float,
    m_grid: Sequence[int],
    xp: Any = np,
    precision: str = "auto",
    quiet: bool = False,
    largest: float | None = None,
) -> list[Any] | None:
    """Solve for the ridge coefficients on the first m features for every m of a grid.

    Parameters
    ----------
    gram : array of shape (m_max, m_max)
        HᵀH in float64, both triangles. Not changed.
    cross : array of shape (m_max, k)
        HᵀY.
    alpha : float
        Penalty μ > 0 on the unscaled features.
    m_grid : sequence of int
        Numbers of features, each at most m_max.
    precision : {"auto", "float32", "float64"}
        Of the factor; ``"auto"`` takes float32 where the condition allows it. A float32 factor is refined.
    quiet : bool
        Whether many penalties are only being compared: no warnings, and None for one that cannot be solved.
    largest : float, optional
        What :func:`largest_eigenvalue` gave, which is the same for every penalty.

    Returns
    -------
    list of arrays of shape (m, k), float64

    Raises
    ------
    numpy.linalg.LinAlgError
        Where the penalty is below the rounding of the sums, so that the system is not positive definite.

    Warns
    -----
    ConditionWarning
        Where float64 was needed, or is not enough.
    """
    # The smallest eigenvalue is at least alpha.
    bound = ((largest_eigenvalue(gram, xp) if largest is None else largest) + alpha) / alpha
    hopeless = bound > _FLOAT64_LIMIT
    if hopeless and not quiet:
        _warn_of_condition(bound, alpha, "its digits are in doubt. Use a larger alpha.")
    if precision == "float32" or (precision == "auto" and bound <= _FLOAT32_LIMIT):
        solved = _solve_in("float32", gram, cross, alpha, m_grid, xp)
        if solved is not None:
            return solved[0]
    if precision != "float64" and not (quiet or hopeless):
        _warn_of_condition(bound, alpha, "solved in float64.")
    solved = _solve_in("float64", gram, cross, alpha, m_grid, xp)
    if solved is None and not quiet:
        raise np.linalg.LinAlgError(
            f"The ridge system is not positive definite at alpha={alpha:g}, below the rounding. Use a larger alpha."
        )
    return None if solved is None else solved[0]


def solve_with_leverages(
    gram: Any,
    cross: Any,
    alpha: float,
    m_grid: Sequence[int],
    rows: Any,
    xp: Any = np,
    precision: str = "auto",
    largest: float | None = None,
) -> tuple[list[Any], list[Any]] | None:
    r"""Return the solutions of :func:`solve_path`, and the leverages of some rows in the fit of each.

    .. math:: h_m(x) = x_{:m}^\top (H_m^\top H_m + \mu I)^{-1} x_{:m} = \sum_{j \le m} (L^{-1} x)_j^2

    so that one substitution by the factor of all features gives those of every m.

    Parameters
    ----------
    gram, cross, alpha, m_grid, xp, precision, largest
        As :func:`solve_path` takes them; the grid rises.
    rows : array of shape (r, m_max)
        Features of the rows, about the same means as the Gram matrix.

    Returns
    -------
    (list of arrays of shape (m, k), list of arrays of shape (r,)) or None
        None if the penalty is below the rounding.
    """
    bound = ((largest_eigenvalue(gram, xp) if largest is None else largest) + alpha) / alpha
    solved = None
    if precision == "float32" or (precision == "auto" and bound <= _FLOAT32_LEVERAGES):
        solved = _solve_in("float32", gram, cross, alpha, m_grid, xp, rows)
    return _solve_in("float64", gram, cross, alpha, m_grid, xp, rows) if solved is None else solved


def cross_validated_errors(
    gram: Any, cross: Any, square: float, rows: tuple[int, int], alpha: float, m_grid: Sequence[int], xp: Any = np
) -> np.ndarray:
    r"""Return the generalised cross-validation of ridge regression on the first m features, for every m of a grid.

    .. math:: \frac{\lVert Y - \hat Y\rVert^2 / (nk)}{(1 - f/n)^2}, \qquad f = m - \mu\lVert L_m^{-1}\rVert_F^2

    with :math:`L_m` the leading block of L, whose inverse is the leading block of :math:`L^{-1}`: one triangular
    inverse gives the degrees of freedom f of every m.

    Parameters
    ----------
    gram, cross : array
        As :func:`solve_path` takes them.
    square : float
        Sum of the squares of Y.
    rows : (int, int)
        n, and the degrees of freedom that an intercept takes: 1 or 0.

    Returns
    -------
    ndarray of shape (len(m_grid),)
        Infinite where the system cannot be solved.
    """
    A = gram.copy(order="F")
    diagonal = xp.arange(len(A))
    A[diagonal, diagonal] += alpha
    L = _cholesky(A, xp)
    if L is None:
        return np.full(len(m_grid), np.inf)
    u = _solve_triangular(L, cross, xp)
    fitted: list[float] = []
    for some in _groups(m_grid, cross.shape[1], xp):
        lengths = _norms(_back_substituted(L, u, some, xp), some)
        fitted += list(_norms(_side_by_side(u, some, xp), some) ** 2 + alpha * lengths**2)
    inverse = np.cumsum(to_host(_row_squares_of_inverse(L, xp)))
    n, taken = rows
    errors = []
    for m, explained in zip(m_grid, fitted, strict=True):
        free = 1.0 - (taken + m - alpha * inverse[m - 1]) / n
        # A perfect fit leaves the rounding of its sums, which may be negative.
        left = max(square - explained, float(np.finfo(np.float64).eps) * square)
        errors.append(left / (n * cross.shape[1]) / free**2 if free > 0 else np.inf)
    return np.array(errors)


def _row_squares_of_inverse(L: Any, xp: Any) -> Any:
    """Return the sum of squares of each row of L⁻¹; on the host in place of `L`."""
    if xp is not np:
        inverse = _solve_triangular(L, xp.eye(len(L)), xp)
        return (inverse * inverse).sum(axis=1)
    inverse = invert_triangle(L)
    sums = np.zeros(len(L))
    for start in range(0, len(L), _PANEL):
        stop = min(start + _PANEL, len(L))
        columns = inverse[start:, start:stop]
        columns[: stop - start] = np.tril(columns[: stop - start])
        sums[start:] += np.einsum("ij,ij->i", columns, columns)
    return sums


def _warn_of_condition(bound: float, alpha: float, what: str) -> None:
    warn(f"The ridge system's condition is up to {bound:.1e} at alpha={alpha:g}; {what}", ConditionWarning)


def _solve_in(
    precision: str, gram: Any, cross: Any, alpha: float, m_grid: Sequence[int], xp: Any, rows: Any = None
) -> tuple[list[Any], list[Any]] | None:
    """Solve by a factor of that precision, with the leverages of some rows; None if it breaks down.

    It does where the matrix is not definite to rounding, or the refinement of a float32 solution does not converge.
    """
    A = gram.astype(precision, order="F", copy=True)
    diagonal = xp.arange(len(A))
    A[diagonal, diagonal] += A.dtype.type(alpha)
    L = _cholesky(A, xp)
    del A  # on a GPU the factor is not in its place
    if L is None:
        return None
    u = _solve_triangular(L, cross.astype(precision), xp)
    solutions: list[Any] = []
    for some in _groups(m_grid, cross.shape[1], xp):
        together = _back_substituted(L, u, some, xp).astype(np.float64)
        if precision == "float32":
            together = _refined(L, gram, cross, alpha, together, some, xp)
            if together is None:
                return None
        solutions += _apart(together, some)
    return solutions, [] if rows is None else _leverages(L, rows.astype(precision), m_grid, xp)


def _leverages(L: Any, rows: Any, m_grid: Sequence[int], xp: Any) -> list[Any]:
    """Return the sums of squares of the first m entries of L⁻¹x of each row x, for every m of a rising grid."""
    parts = _solve_triangular(L, rows.T, xp)
    total, start = xp.zeros(len(rows)), 0
    found: list[Any] = []
    for m in m_grid:
        part = parts[start:m]
        total = total + (part * part).sum(axis=0)
        start = m
        found.append(total)
    return found


def _groups(m_grid: Sequence[int], k: int, xp: Any) -> Iterator[Sequence[int]]:
    """Yield parts of the grid whose solutions are found together.

    A GPU takes as long for many right-hand sides as for a few, and copies a leading block before it reads it: there all
    m share a substitution by the whole factor. A processor would only multiply zeros.
    """
    size = 1 if xp is np else max(_COLUMNS // k, 1)
    for start in range(0, len(m_grid), size):
        yield m_grid[start : start + size]


def _side_by_side(rows: Any, m_grid: Sequence[int], xp: Any) -> Any:
    """Return the first m rows of an array for every m, with zeros below: k·len(m_grid) columns."""
    k, length = rows.shape[1], max(m_grid) if xp is np else len(rows)
    together = xp.zeros((length, k * len(m_grid)), dtype=rows.dtype, order="F")
    for j, m in enumerate(m_grid):
        together[:m, j * k : (j + 1) * k] = rows[:m]
    return together


def _cut(together: Any, m_grid: Sequence[int]) -> Any:
    """Set all rows beyond the first m of each part to zero, in place."""
    k = together.shape[1] // len(m_grid)
    for j, m in enumerate(m_grid):
        together[m:, j * k : (j + 1) * k] = 0.0
    return together


def _apart(together: Any, m_grid: Sequence[int]) -> list[Any]:
    k = together.shape[1] // len(m_grid)
    return [together[:m, j * k : (j + 1) * k].copy() for j, m in enumerate(m_grid)]


def _back_substituted(L: Any, u: Any, m_grid: Sequence[int], xp: Any) -> Any:
    """Solve L[:m, :m]ᵀ x = u[:m] for every m at once: with zeros below u[:m], x is zero there too."""
    return _substituted(L, _side_by_side(u, m_grid, xp), xp, transposed=True)


def _refined(L: Any, gram: Any, cross: Any, alpha: float, together: Any, m_grid: Sequence[int], xp: Any) -> Any:
    """Add corrections from float64 residuals until these are small; return None if they do not shrink."""
    right = _side_by_side(cross, m_grid, xp)
    gram = gram[: len(right), : len(right)]
    sizes = _norms(right, m_grid)
    last = np.full(len(m_grid), np.inf)
    for _ in range(_REFINEMENTS):
        residual = _cut(right - gram @ together - alpha * together, m_grid)
        left = _norms(residual, m_grid)
        if (left <= _SMALL_RESIDUAL * sizes).all():
            return together
        if not (left < np.maximum(0.5 * last, _SMALL_RESIDUAL * sizes)).all():
            return None
        last = left
        step = _cut(_substituted(L, residual.astype(np.float32), xp), m_grid)
        together = together + _substituted(L, step, xp, transposed=True).astype(np.float64)
    return together


def _norms(together: Any, m_grid: Sequence[int]) -> np.ndarray:
    squares = to_host((together * together).sum(axis=0))
    return np.sqrt(squares.reshape(len(m_grid), -1).sum(axis=1))


def _cholesky(A: Any, xp: Any) -> Any:
    """Return the lower Cholesky factor, on the host in place of `A`, upper triangle untouched; None if indefinite."""
    if xp is not np:
        try:
            # Without this context CuPy returns the part of a factor that it has when it fails: finite, and wrong.
            with importlib.import_module(f"{xp.__name__}x").errstate(linalg="raise"):
                L = xp.linalg.cholesky(A)
        except np.linalg.LinAlgError:
            return None
        return L if bool(xp.isfinite(L.diagonal()).all()) else None
    return factor(A)


def _solve_triangular(L: Any, B: Any, xp: Any, transposed: bool = False) -> Any:
    """Solve L X = B, or Lᵀ X = B."""
    if xp is np:
        return solve_triangle(L, B, transposed)
    solver = importlib.import_module("cupyx.scipy.linalg").solve_triangular
    # The factor is in C order, and cuBLAS copies arrays that are not in Fortran order, as its transpose is.
    return solver(L.T, B, lower=False, trans="N" if transposed else "T")


def _substituted(L: Any, B: Any, xp: Any, transposed: bool = False) -> Any:
    """Solve L[:m, :m] X = B, or its transpose, where B has m rows; on a GPU these are all."""
    if xp is not np:
        return _solve_triangular(L, B, xp, transposed)
    return _back_substitute(L, B) if transposed else _forward_substitute(L, B)


def _back_substitute(L: Any, u: Any) -> Any:
    """Solve L[:m, :m]ᵀ x = u by panels, which read the leading block where it lies instead of copying it for each m."""
    m, panel = len(u), _PANEL
    x = u.copy()
    for stop in range(m, 0, -panel):
        start = max(stop - panel, 0)
        x[start:stop] = _solve_triangular(L[start:stop, start:stop], x[start:stop], np, transposed=True)
        x[:start] -= L[start:stop, :start].T @ x[start:stop]
    return x


def _forward_substitute(L: Any, b: Any) -> Any:
    """Solve L[:m, :m] x = b by panels; see :func:`_back_substitute`."""
    m, panel = len(b), _PANEL
    x = b.copy()
    for start in range(0, m, panel):
        stop = min(start + panel, m)
        x[start:stop] = _solve_triangular(L[start:stop, start:stop], x[start:stop], np)
        x[stop:] -= L[stop:m, start:stop] @ x[start:stop]
    return x
