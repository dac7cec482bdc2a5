"""The error of ridge regression on random features, predicted from the spectrum of their exact kernel.

Simon, Karkada, Ghosh and Belkin, "More is better: when infinite overparameterization is optimal and overfitting is
obligatory" (ICLR 2024), section 4; error terms in Defilippis, Loureiro and Misiakiewicz (NeurIPS 2024). The formulas
below are theirs, rearranged so that no two large numbers are subtracted near m = n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rfviz.errors import ParameterError
from rfviz.theory.spectrum import KernelSpectrum

__all__ = [
    "PredictedError",
    "best_penalty",
    "check",
    "falls_slowly",
    "features_needed",
    "first_within",
    "predicted_error",
]

# Numbers in one block of eigenvalues times cases.
_BLOCK = 1 << 20
_MOST_STEPS, _EXACT = 100, 1e-12
# Measured on images and on points of the plane: within 5% where two fifths of the fitted directions are shrunk in part,
# or where there are four times as many rows and features as directions.
_IN_PART, _FEW = 0.4, 0.25
# Penalties that are tried first, as parts of the kernel's trace times the rows.
_PENALTIES = np.logspace(-10.0, 2.0, 37)
_REFINED = np.linspace(-1.0, 1.0, 9)
#: The largest number of features that is tried.
_MOST_FEATURES = 10_000_000


@dataclass(frozen=True, eq=False)
class PredictedError:
    """Predicted mean squared errors, summed over outputs; arrays of the shape of n, m and alpha together.

    Attributes
    ----------
    test : ndarray
        Of rows that were not trained on.
    train : ndarray
        Of the training rows.
    gamma : ndarray
        The penalty on an eigenvalue of the kernel that acts as the features, their number and the penalty together.
    is_reliable : ndarray of bool
        False where few eigenvalues lie about γ, though nearly as many directions are fitted as there are rows or
        features: the spectrum falls so fast that single draws decide, and errors can be many times those predicted.
    """

    test: np.ndarray
    train: np.ndarray
    gamma: np.ndarray
    is_reliable: np.ndarray


def predicted_error(
    spectrum: KernelSpectrum,
    n: ArrayLike,
    m: ArrayLike,
    alpha: ArrayLike,
    *,
    noise: float = 0.0,
    from_population: bool = False,
) -> PredictedError:
    """Predict the errors of ridge regression on m random features of n rows.

    Features are scaled by 1/√m, so that their inner products estimate the kernel; `alpha` is added to the eigenvalues
    of their Gram matrix of n rows. Cost: some 20 passes over eigenvalues times cases.

    Parameters
    ----------
    n, m, alpha : array_like
        Broadcast against each other. Infinite m is the exact kernel.
    noise : float
        Variance of noise on the targets, on test rows as well.
    from_population : bool
        Whether the test rows are those of the spectrum's own rows that were not trained on.

    Raises
    ------
    ParameterError
        Unless n ≥ 2 (and below the population's rows where it is tested on the others), m ≥ 1 and alpha > 0.
    """
    check("noise", np.asarray(noise), np.asarray(noise) >= 0, "must not be negative")
    n, m, alpha = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (n, m, alpha)))
    if from_population:  # where the noise is a part of the target, in all directions alike
        spectrum, noise = spectrum.with_noise(noise), 0.0
    most = spectrum.n_rows if from_population else np.inf
    check("n", n, (n >= 2) & (n < most), f"must be at least 2{f' and below {most:,}' if from_population else ''}")
    check("m", m, m >= 1, "must be at least 1")
    check("alpha", alpha, (alpha > 0) & np.isfinite(alpha), "must be a positive number; take 1e-9 for nearly none")
    shape, free = n.shape, n.ravel() - spectrum.is_centred  # an intercept takes a degree of freedom
    m, alpha = m.ravel(), alpha.ravel()
    step = max(_BLOCK // len(spectrum.levels[0]), 1)
    parts = [
        _solve(spectrum, free[i : i + step], m[i : i + step], alpha[i : i + step], noise)
        for i in range(0, len(m), step)
    ]
    test, train, gamma, is_reliable = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = n.ravel()
    if spectrum.is_centred:
        test, train = test * (1.0 + 1.0 / n), train * (1.0 - 1.0 / n)
    if from_population:
        # The population's error is that of training and other rows together.
        share = n / spectrum.n_rows
        test = (test - share * train) / (1.0 - share)
    return PredictedError(*(part.reshape(shape) for part in (test, train, gamma, is_reliable)))


def best_penalty(
    spectrum: KernelSpectrum, n: ArrayLike, m: ArrayLike, *, noise: float = 0.0, from_population: bool = False
) -> tuple[np.ndarray, PredictedError]:
    """Return the penalty with the least predicted test error for each n and m, and the errors there.

    Raises
    ------
    ParameterError
        See :func:`predicted_error`.
    """
    n, m = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64))
    centre = (n * spectrum.trace)[..., None]
    powers = np.log(_PENALTIES)
    chosen = np.zeros(n.shape)
    for steps in (powers, (powers[1] - powers[0]) * _REFINED):
        tried = centre * np.exp(chosen[..., None] + steps)
        found = predicted_error(
            spectrum, n[..., None], m[..., None], tried, noise=noise, from_population=from_population
        )
        chosen = chosen + steps[found.test.argmin(axis=-1)]
    alpha = centre[..., 0] * np.exp(chosen)
    return alpha, predicted_error(spectrum, n, m, alpha, noise=noise, from_population=from_population)


def features_needed(
    spectrum: KernelSpectrum,
    n: int,
    alpha: float | None = None,
    *,
    within: float = 0.05,
    noise: float = 0.0,
    from_population: bool = False,
) -> int | None:
    """Return the smallest m from which on the predicted test error stays within a share of the exact kernel's.

    Parameters
    ----------
    alpha : float, optional
        By default the best for each m, and for the kernel.
    within : float
        0.05: at most 5% more than the exact kernel.

    Returns
    -------
    int or None
        None if that takes more than ten million features.

    Raises
    ------
    ParameterError
        See :func:`predicted_error`; `within` must be positive.
    """

    def error(m: np.ndarray) -> np.ndarray:
        if alpha is None:
            return best_penalty(spectrum, n, m, noise=noise, from_population=from_population)[1].test
        return predicted_error(spectrum, n, m, alpha, noise=noise, from_population=from_population).test

    return first_within(error, within)


def first_within(error: Callable[[np.ndarray], np.ndarray], within: float) -> int | None:
    """Return the smallest m from which on a curve stays within a share of its value at infinity.

    Parameters
    ----------
    error : callable
        Returns the errors of numbers of features, infinity among them.

    Returns
    -------
    int or None
        None if that takes more than ten million features.

    Raises
    ------
    ParameterError
        Unless `within` is positive.
    """
    check("within", np.asarray(within), np.asarray(within) > 0, "must be a positive share, such as 0.05")
    limit = (1.0 + within) * error(np.array([np.inf]))[0]
    tried = np.unique(np.round(np.geomspace(1, _MOST_FEATURES, 141)).astype(np.int64))
    above = np.flatnonzero(error(tried) > limit)
    if not len(above):
        return 1
    if above[-1] == len(tried) - 1:
        return None
    low, high = tried[above[-1]], tried[above[-1] + 1]
    while high - low > 1:
        inner = np.unique(np.linspace(low, high, 18).astype(np.int64)[1:-1])
        above = np.flatnonzero(error(inner) > limit)
        place = above[-1] if len(above) else -1
        ends = np.concatenate([[low], inner, [high]])
        low, high = ends[place + 1], ends[place + 2]
    return int(high)


def check(name: str, values: np.ndarray, is_right: np.ndarray, rule: str) -> None:
    """Raise a :class:`ParameterError` with the first value that is not right."""
    if not np.all(is_right):
        raise ParameterError(name, rule, np.ravel(values)[~np.ravel(is_right)][0].item())


def _solve(
    spectrum: KernelSpectrum, n: np.ndarray, m: np.ndarray, alpha: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return test and training error, γ and whether they are reliable, of some cases.

    γ solves z + α/κ = n with z = Σ λ/(λ+γ) and κ = γ(m−z)/m, whose left side falls as γ grows.
    """
    values, counts, power = spectrum.levels

    def at(gamma: np.ndarray, some: np.ndarray | slice) -> tuple[np.ndarray, ...]:
        """Return z, Σ (λ/(λ+γ))², and the degrees of freedom n − z that the rows have left, from α."""
        share = values / (values + gamma)
        z, q = (counts * share).sum(axis=0), (counts * share * share).sum(axis=0)
        with np.errstate(divide="ignore"):
            return z, q, alpha[some] / (gamma * np.maximum(1.0 - z / m[some], 0.0))

    low = np.log(alpha / n)
    high = np.log(np.maximum(2.0 * spectrum.trace / m, (spectrum.trace + 2.0 * alpha) / n)) + 1.0
    log_gamma, open_ = 0.5 * (low + high), np.arange(len(n))
    for _ in range(_MOST_STEPS):
        now = log_gamma[open_]
        z, q, of_rows = at(np.exp(now), open_)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            excess = np.log((z + of_rows) / n[open_])
            slope = (z - q + of_rows * (1.0 + (z - q) / (m[open_] - z))) / (z + of_rows)
            following = now + excess / slope
        too_small = ~(excess <= 0)
        low[open_] = np.where(too_small, now, low[open_])
        high[open_] = np.where(too_small, high[open_], now)
        # A step of Newton where it stays between the ends, else one half of the way.
        inside = (following > low[open_]) & (following < high[open_])
        following = np.where(inside, following, 0.5 * (low[open_] + high[open_]))
        log_gamma[open_] = following
        open_ = open_[np.abs(following - now) > _EXACT * np.maximum(np.abs(now), 1.0)]
        if not len(open_):
            break
    gamma = np.exp(log_gamma)
    z, q, of_rows = at(gamma, slice(None))
    weight = power / np.square(values + gamma)
    bias, spread = weight.sum(axis=0), (values * weight).sum(axis=0)
    # Of infinitely many features, all but a vanishing part are left.
    with np.errstate(invalid="ignore"):
        few, left = 1.0 / (m - q), np.where(np.isinf(m), 1.0, (m - z) / (m - q))
    n = z + of_rows  # as exact as these are, so that errors of rounding cancel
    factor = n / ((z - q) * (of_rows * few + left) + of_rows * left)
    error = factor * (gamma * gamma * bias + gamma * (z - q) * few * spread + spectrum.rest + noise)
    return error, np.square(of_rows / n) * error, gamma, falls_slowly(z, q, np.minimum(n, m))


def falls_slowly(z: np.ndarray, q: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return whether eigenvalues fall slowly enough about γ, or there are far more rows and features than directions.

    Parameters
    ----------
    z, q : ndarray
        Sums of λ/(λ+γ) and of its square.
    least : ndarray
        The smaller of the numbers of rows and of features.
    """
    return (z - q >= _IN_PART * z) | (z <= _FEW * least)
