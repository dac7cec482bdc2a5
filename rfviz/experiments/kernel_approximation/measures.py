"""The four measures of the error of kernel estimates over pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["METRICS", "Measures", "correlation_of"]

METRICS = {"rmse": "RMSE", "mae": "MAE", "maximum": "maximum error", "correlation": "correlation"}


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of error over the same pairs; S draws, G numbers of features.

    Attributes
    ----------
    rmse, mae, maximum, correlation : ndarray of shape (S, G)
        Over the pairs of one draw: root mean square, mean absolute and largest absolute error, and the correlation of
        estimate and kernel (NaN where the kernel is constant).
    """

    rmse: np.ndarray
    mae: np.ndarray
    maximum: np.ndarray
    correlation: np.ndarray

    def metric(self, name: str) -> np.ndarray:
        """Return one of :data:`METRICS`, shape (S, G)."""
        return {"rmse": self.rmse, "mae": self.mae, "maximum": self.maximum, "correlation": self.correlation}[name]

    def average(self, name: str, draws: int | None = None) -> np.ndarray:
        """Return a measure over all or the first draws, shape (G,): of the RMSE the root of the mean square."""
        values = self.metric(name)[:draws]
        return np.sqrt(np.mean(values**2, axis=0)) if name == "rmse" else values.mean(axis=0)


def correlation_of(squares: np.ndarray, mean: np.ndarray, covariance: np.ndarray, variance: float) -> np.ndarray:
    """Return the correlation of estimate and kernel.

    Parameters
    ----------
    squares, mean : ndarray
        Mean over pairs of the squared error, and of the error.
    covariance : ndarray
        Of error and kernel.
    variance : float
        Of the kernel; NaN where it is constant.
    """
    # Var(K̂) = Var(K̂ − K) + 2 Cov(K̂ − K, K) + Var(K), of which only the first is costly, and known already.
    variances = np.maximum(squares - mean**2 + 2.0 * covariance + variance, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (covariance + variance) / np.sqrt(variances * variance)
