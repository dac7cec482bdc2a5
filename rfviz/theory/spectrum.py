"""The spectrum of a kernel over a population of rows, and the power of a target along its eigenvectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.optimize import brentq

from rfviz.errors import DataError, ParameterError

__all__ = ["ROUNDING", "KernelSpectrum", "decompose", "kernel_spectrum"]

# Eigenvalues within 2% of each other are taken as one level: sums over them change by less than 1 part in 20,000.
_LEVEL = 0.02
# Eigenvalues below this part of the largest are rounding errors; one as far below zero is not.
ROUNDING, _INDEFINITE = 1e-13, 1e-6
_ALIKE = "The kernel is the same for all pairs of rows: it tells none of them apart."
# Below this part of the trace, all that a sketch leaves is rounding.
_NO_REST = 1e-9
# Powers of the rank, and of the eigenvalue, that the rest is looked for in.
_FALLS, _TILTS = (0.0, 1e4), (-50.0, 50.0)


@dataclass(frozen=True, eq=False)
class KernelSpectrum:
    """Eigenvalues of a kernel over a population, and what of a target lies along each eigenvector.

    Attributes
    ----------
    eigenvalues : ndarray of shape (k,)
        Of the kernel matrix divided by its number of rows, positive, the largest first.
    power : ndarray of shape (k,)
        Mean square of the target along each eigenvector, summed over outputs.
    rest : float
        Mean square of the target outside these eigenvectors.
    n_rows : int
        Rows of the population.
    is_centred : bool
        Whether the features' means are taken away, as a model with an intercept does.
    """

    eigenvalues: np.ndarray
    power: np.ndarray
    rest: float
    n_rows: int
    is_centred: bool = True

    @property
    def variance(self) -> float:
        """Mean square of the target: the error of a model that always answers its mean."""
        return float(self.power.sum() + self.rest)

    @cached_property
    def levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Eigenvalues with nearly equal ones merged, how many each stands for, and their power, as columns."""
        place = np.floor(np.log(self.eigenvalues) / _LEVEL)
        starts = np.flatnonzero(np.diff(place, prepend=np.inf))
        counts = np.diff(starts, append=len(place)).astype(np.float64)
        values, power = (np.add.reduceat(part, starts) for part in (self.eigenvalues, self.power))
        return (values / counts)[:, None], counts[:, None], power[:, None]

    @property
    def trace(self) -> float:
        """Sum of the eigenvalues."""
        return float(self.eigenvalues.sum())

    def with_noise(self, variance: float) -> KernelSpectrum:
        """Return the spectrum with noise of a variance on the targets of its rows: power in all directions alike."""
        if not variance:
            return self
        share = variance / self.n_rows
        left = share * (self.n_rows - len(self.power))
        return replace(self, power=self.power + share, rest=self.rest + left)

    def effective_dimension(self, penalty: float) -> float:
        """Return Σ λ/(λ + penalty): how many directions a ridge penalty per row leaves free."""
        return float(np.sum(self.eigenvalues / (self.eigenvalues + penalty)))


def kernel_spectrum(K: np.ndarray, y: np.ndarray, is_centred: bool = True, *, top: int | None = None) -> KernelSpectrum:
    """Decompose a kernel matrix, and a target along its eigenvectors.

    Costs O(n³): about 1 s for 2,000 rows. With `top` only the largest eigenvalues are computed, by a random sketch, in
    O(n²·top): about 2 s of a core for 4,000 rows and 300 of them. The others go on as a power of their rank, and the
    target's power along them as a power of the eigenvalue: the powers that give the rest of the trace of K and of yᵀKy,
    which are known.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The exact kernel of all pairs of rows.
    y : ndarray of shape (n,) or (n, n_outputs)
        Targets; of classes, one column of 0 and 1 for each. Their means are taken away.
    is_centred : bool
        Whether to take away the features' means, too, as a model with an intercept does.
    top : int, optional
        Eigenvalues to compute. Errors that are predicted from 1.5 for each training row are within 1% on images.

    Raises
    ------
    ParameterError
        If the shapes do not fit each other, or `top` is below 1.
    DataError
        If a value is not finite, the target is constant, or the matrix has negative eigenvalues, as no kernel has.
    """
    K, Y = _checked(K, y, is_centred)
    if top is not None and top < 1:
        raise ParameterError("top", "must be at least 1", top)
    n, trace = len(K), float(np.trace(K)) / len(K)
    values, vectors = _eigen(K, top)
    values = values / n
    along = vectors.T @ Y
    power = np.square(along).sum(axis=1) / n
    kept = values > ROUNDING * values.max()
    found = KernelSpectrum(values[kept], power[kept], float(power[~kept].sum()), n, is_centred)
    return _continued(found, K, Y - vectors[:, kept] @ along[kept], trace) if len(values) < n else found


def decompose(K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors of a kernel matrix of centred features, and the targets about their mean.

    The constant vector, whose eigenvalue is 0, is not among them: an intercept fits it.

    Returns
    -------
    values : ndarray of shape (n − 1,)
        The largest first; 0 where rounding leaves nothing else.
    vectors : ndarray of shape (n, n − 1)
    Y : ndarray of shape (n, n_outputs)

    Raises
    ------
    ParameterError, DataError
        See :func:`kernel_spectrum`.
    """
    K, Y = _checked(K, y, True)
    K += 2.0 * np.trace(K) / len(K)  # which makes the constant vector the first
    values, vectors = _eigen(K, None)
    values = values[1:]
    if not values[0] > 0:
        raise DataError(_ALIKE)
    return np.where(values > ROUNDING * values[0], values, 0.0), vectors[:, 1:], Y


def _checked(K: np.ndarray, y: np.ndarray, is_centred: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return a kernel matrix, of centred features if asked, and the targets about their mean."""
    K, Y = np.array(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
    Y = Y[:, None] if Y.ndim == 1 else Y
    n = len(K)
    if K.shape != (n, n) or Y.ndim != 2 or len(Y) != n or n < 2:
        raise ParameterError("K", f"must be square, with a row for each of the {len(Y):,} targets", K.shape)
    if not (np.isfinite(K).all() and np.isfinite(Y).all()):
        raise DataError("The kernel matrix and the targets must be finite numbers.")
    Y = Y - Y.mean(axis=0)
    if not np.any(Y):
        raise DataError("The target is the same in all rows: there is nothing to learn.")
    if is_centred:
        mean = K.mean(axis=0)
        K -= mean
        K -= mean[:, None] - mean.mean()
    return K, Y


def _eigen(K: np.ndarray, top: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return all eigenvalues, or the `top` largest, falling, and eigenvectors as columns."""
    try:
        values, vectors = _all(K) if top is None or top >= len(K) else _largest(K, top)
    except LinAlgError as error:
        raise DataError("The eigenvalues of the kernel matrix cannot be computed.") from error
    largest = values.max()
    if not largest > 0:
        raise DataError(_ALIKE)
    if values.min() < -_INDEFINITE * largest:
        raise DataError("The kernel matrix has negative eigenvalues: it is not a kernel of features.")
    return values, vectors


def _all(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all eigenvalues, falling, and eigenvectors as columns; K is overwritten."""
    values, vectors = eigh(K, overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def _largest(K: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the `top` eigenvalues of the largest magnitude, and eigenvectors as columns, by a random sketch."""
    from sklearn.utils.extmath import randomized_svd  # which takes half a second to import

    # Without a basis that is made orthogonal after each step, small eigenvalues would drown in rounding.
    svd: Any = randomized_svd
    vectors, values, right = svd(K, top, n_iter=2, power_iteration_normalizer="QR", random_state=0)
    return values * np.sign(np.einsum("ij,ji->j", vectors, right)), vectors


def _continued(spectrum: KernelSpectrum, K: np.ndarray, rest: np.ndarray, trace: float) -> KernelSpectrum:
    """Add the eigenvalues that a sketch has left out, and the power of the target along them.

    Parameters
    ----------
    rest : ndarray of shape (n, n_outputs)
        What of the target the eigenvectors of the sketch do not reach.
    trace : float
        Sum of all eigenvalues.
    """
    n, values = spectrum.n_rows, spectrum.eigenvalues
    k, left, power = len(values), trace - spectrum.trace, float(np.square(rest).sum()) / n
    ranks = np.log(np.arange(k + 1, n - spectrum.is_centred + 1) / k)
    if not len(ranks) or left <= _NO_REST * trace:
        return replace(spectrum, rest=power)
    fall = _solution(lambda a: float(values[-1] * np.exp(-a * ranks).sum()) - left, _FALLS)
    tail = np.exp(-fall * ranks)
    tail *= left / tail.sum()
    logs = np.log(np.maximum(tail, np.finfo(float).tiny))

    def shares(tilt: float) -> np.ndarray:
        weights = np.exp(tilt * logs - (tilt * logs).max())
        return weights / weights.sum()

    energy = float(np.sum(rest * (K @ rest))) / n**2
    tilt = _solution(lambda b: float(power * (shares(b) @ tail)) - energy, _TILTS)
    return replace(
        spectrum,
        eigenvalues=np.append(values, tail),
        power=np.append(spectrum.power, power * shares(tilt)),
        rest=0.0,
    )


def _solution(excess: Callable[[float], float], ends: tuple[float, float]) -> float:
    """Return where a monotone function is zero, or the end of an interval that is nearest to it."""
    at_ends = [excess(end) for end in ends]
    if at_ends[0] * at_ends[1] < 0:
        found: Any = brentq(excess, *ends)
        return float(found)
    return ends[int(np.argmin(np.abs(at_ends)))]
