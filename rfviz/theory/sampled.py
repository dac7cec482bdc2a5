"""Learning curves of a population of rows, predicted from the kernel of a sample of them, however many are learnt from.

:mod:`rfviz.theory.learning_curve` takes the rows of its spectrum for the population itself, which is right where far
fewer are trained on. A sample overfits: its eigenvalues are not the population's, and its eigenvectors explain all of
its targets. But ridge regression on it is a measurement. With the penalty κ it acts like the penalty γ on the
population's kernel, 1/γ = tr (K+κ)⁻¹, and there

    z = Σ λ/(λ+γ) = tr K(K+κ)⁻¹   and   Σ γ v²/(λ+γ) = γ yᵀ(K+κ)⁻¹y

are the population's sums that the prediction is made of; the others are their derivatives by ln γ. The theory takes
rows to be alike. Where they are not, their leave-one-out errors are larger than it says; by this factor the prediction
is corrected at the same γ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rfviz.theory.learning_curve import check, falls_slowly, first_within
from rfviz.theory.spectrum import decompose

__all__ = ["SampledCurve", "SampledError", "sampled_curve"]

# Penalties, as parts of the largest eigenvalue and of the trace; rows are left out at some of them.
_PENALTIES, _STEP, _LEAST, _MOST = 401, 8, 1e-10, 10.0
# More rows than the sample has are known about as long as it fits no more than this share of its own.
_RESOLVED = 0.5


@dataclass(frozen=True, eq=False)
class SampledError:
    """Predicted errors; arrays of the shape of n, m and alpha together.

    Attributes
    ----------
    test : ndarray
        Mean squared errors of other rows, as parts of the targets' variance.
    alpha : ndarray
        Penalties on features scaled by 1/√m.
    is_reliable : ndarray of bool
        False where so few eigenvalues lie about γ that single draws decide, see
        :class:`rfviz.theory.PredictedError`, and where more rows are learnt from than the sample can tell about.
    """

    test: np.ndarray
    alpha: np.ndarray
    is_reliable: np.ndarray


@dataclass(frozen=True, eq=False)
class SampledCurve:
    """What a sample of rows says about its population, at rising penalties; arrays of one shape.

    Attributes
    ----------
    n_rows : int
        Rows of the sample.
    gamma : ndarray
        The penalty on the population's eigenvalues.
    z : ndarray
        Σ λ/(λ+γ).
    in_part : ndarray
        z less the sum of its squared terms.
    bias, spread : ndarray
        Σ γ²v²/(λ+γ)² and Σ λγv²/(λ+γ)² of the target's power v², as parts of its variance.
    unlike : ndarray
        Leave-one-out errors as parts of those of rows that are alike.
    """

    n_rows: int
    gamma: np.ndarray
    z: np.ndarray
    in_part: np.ndarray
    bias: np.ndarray
    spread: np.ndarray
    unlike: np.ndarray

    def predict(self, n: ArrayLike, m: ArrayLike, alpha: ArrayLike | None = None) -> SampledError:
        """Predict the errors of ridge regression with an intercept, on m random features of n rows.

        Parameters
        ----------
        n, m, alpha : array_like
            Broadcast against each other. Infinite m is the exact kernel; by default the best penalty for each n and m.

        Raises
        ------
        ParameterError
            Unless n ≥ 2, m ≥ 1 and alpha > 0.
        """
        n, m, given = np.broadcast_arrays(n, m, np.nan if alpha is None else alpha)
        n, m, given = (np.asarray(value, dtype=np.float64) for value in (n, m, given))
        check("n", n, n >= 2, "must be at least 2")
        check("m", m, m >= 1, "must be at least 1")
        if alpha is not None:
            check("alpha", given, (given > 0) & np.isfinite(given), "must be a positive number")
        error, penalty = self._errors(n, m)
        least = np.minimum(n, m)[..., None]
        sure = falls_slowly(self.z, self.z - self.in_part, least)
        sure &= (n[..., None] <= self.n_rows) | (self.z <= _RESOLVED * self.n_rows)
        if alpha is None:
            place = error.argmin(axis=-1)[..., None]
            found = (np.take_along_axis(values, place, -1)[..., 0] for values in (error, penalty, sure))
            return SampledError(*found)
        test, is_reliable = np.empty(n.shape), np.empty(n.shape, dtype=bool)
        for at in np.ndindex(n.shape):
            known = np.isfinite(error[at]) & (penalty[at] > 0)
            steps, wanted = np.log(penalty[at][known]), np.log(given[at])
            test[at] = np.exp(np.interp(wanted, steps, np.log(error[at][known])))
            nearest = np.abs(steps - wanted).argmin()
            is_reliable[at] = sure[at][known][nearest]
        return SampledError(test, given, is_reliable)

    def features_needed(self, n: int, within: float = 0.05) -> int | None:
        """Return the smallest m from which on the error stays within a share of the exact kernel's, at best penalties.

        Returns
        -------
        int or None
            None if that takes more than ten million features, or if the sample cannot tell the exact kernel's error.

        Raises
        ------
        ParameterError
            Unless n ≥ 2 and `within` is positive.
        """
        if not self.knows_exact(n):
            return None
        return first_within(lambda m: self.predict(n, m).test, within)

    def knows_exact(self, n: int) -> bool:
        """Return whether the sample tells the error of the exact kernel of n rows."""
        error, _ = self._errors(np.array(float(n)), np.array(np.inf))
        return n <= self.n_rows or bool(self.z[error.argmin()] <= _RESOLVED * self.n_rows)

    def _errors(self, n: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return errors at every γ, infinite where it is out of reach, and the penalties that lead there."""
        n, m, z, part = n[..., None], m[..., None], self.z, self.in_part
        of_rows, q = n - 1.0 - z, z - part  # an intercept takes a degree of freedom
        is_open = (of_rows > 0) & (m > z)
        with np.errstate(divide="ignore", invalid="ignore"):
            few, free = 1.0 / (m - q), np.where(np.isinf(m), 1.0, (m - z) / m)
            left = np.where(np.isinf(m), 1.0, (m - z) / (m - q))
            factor = (n - 1.0) / (part * (of_rows * few + left) + of_rows * left)
            error = factor * (self.bias + part * few * self.spread) * (1.0 + 1.0 / n) * self.unlike
        return np.where(is_open, error, np.inf), np.where(is_open, of_rows * self.gamma * free, 0.0)


def sampled_curve(K: np.ndarray, y: np.ndarray) -> SampledCurve:
    """Measure what the kernel of a sample of rows and their targets say about their population.

    Costs O(n³): about 2 s of one core for 2,000 rows and ten classes.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The exact kernel of all pairs of rows.
    y : ndarray of shape (n,) or (n, n_outputs)
        Targets; of classes, codes of any two numbers. Their means are taken away, as are those of the features.

    Raises
    ------
    ParameterError, DataError
        See :func:`rfviz.theory.kernel_spectrum`.
    """
    values, vectors, Y = decompose(K, y)
    n = len(Y)
    variance = float(np.square(Y).sum()) / n
    along = vectors.T @ Y
    power = np.square(along).sum(axis=1) / variance
    kappa = np.geomspace(_LEAST * values[0], _MOST * values.sum(), _PENALTIES)
    inverse = 1.0 / (values[:, None] + kappa)
    gamma = 1.0 / inverse.sum(axis=0)
    # The derivatives of γ, z and T = Σ γv²/(λ+γ) by κ.
    d_gamma = np.square(gamma) * np.square(inverse).sum(axis=0)
    z, d_z = values @ inverse, -(values @ np.square(inverse))
    fitted = power @ inverse
    total, d_total = gamma * fitted, d_gamma * fitted - gamma * (power @ np.square(inverse))
    in_part, spread = -d_z * gamma / d_gamma, d_total * gamma / d_gamma
    bias = total - spread
    alike = (n - 1.0) * bias / (n - 1.0 - z + in_part) * (1.0 + 1.0 / n)  # generalised cross-validation
    some = slice(None, None, _STEP)
    slack = np.square(vectors) @ inverse[:, some]
    left_out = [
        (np.square(vectors @ (part[:, None] * along)).sum(axis=1) / np.square(slack[:, place])).mean() / variance
        for place, part in enumerate(inverse[:, some].T)
    ]
    unlike = np.interp(np.log(kappa), np.log(kappa[some]), np.array(left_out) / alike[some])
    return SampledCurve(n, gamma, z, in_part, bias, spread, unlike)
