"""Logistic regression whose penalty is chosen by held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["fit_logistic"]

# Inverse penalties for columns of variance 1, rising: each fit begins where the one before it ended.
_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2)
_HOLDOUT, _TOLERANCE, _ITERATIONS = 5, 1e-3, 100
# Cells from which products take nearly all of the time: they are in single precision then, whose rounding is a
# thousandth of the tolerance.
_SINGLE_FROM = 1_000_000
# Of a held-out row: that of a chance of 1e-12.
_MOST_LOST = -np.log(1e-12)


def fit_logistic(X: np.ndarray, y: np.ndarray, least: float = _PENALTIES[0]) -> tuple[np.ndarray, np.ndarray]:
    """Fit multinomial logistic regression with a squared penalty, chosen by the log loss of every fifth row.

    Least squares on codes of classes would hide a class that lies between two others: on a line its score is nowhere
    the largest. Logistic regression has no such trouble.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        Codes of two classes at least.
    least : float
        Of the inverse penalties that are tried, from 0.001 to 100.

    Returns
    -------
    coef : ndarray of shape (n_features, k)
        One column a class, or a single one, for the second class, of two.
    intercept : ndarray of shape (k,)
    """
    mean = X.mean(axis=0)
    size = float(np.sqrt(np.mean(np.square(X - mean)))) or 1.0
    Z = ((X - mean) / size).astype(np.float32 if X.size >= _SINGLE_FROM else np.float64, copy=False)
    is_held = np.zeros(len(y), dtype=bool)
    is_held[np.argsort(y, kind="stable")[_HOLDOUT - 1 :: _HOLDOUT]] = True
    # A class without another row has nothing to be held out for.
    is_held &= np.isin(y, y[~is_held])
    tried = [one for one in _PENALTIES if one >= least]
    codes = np.unique(y, return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    is_one = codes[:, None] == np.arange(n_classes)[n_classes == 2 :]
    penalty, weights = 1.0, np.zeros((X.shape[1] + 1, is_one.shape[1]))
    if is_held.any():
        losses, warm = list[float](), weights
        for one in tried:
            warm = _fitted(Z[~is_held], is_one[~is_held], one, warm)
            lost = _loss(_scores(Z[is_held], warm), is_one[is_held])[0]
            losses.append(float(np.mean(np.minimum(lost, _MOST_LOST))))
        penalty = tried[int(np.argmin(losses))]
    weights = _fitted(Z, is_one, penalty, weights)
    coef = weights[:-1] / size
    return coef, weights[-1] - mean @ coef


def _fitted(Z: np.ndarray, is_one: np.ndarray, penalty: float, start: np.ndarray) -> np.ndarray:
    """Return the coefficients, and below them the intercepts, of the least penalised log loss.

    They are those of scikit-learn's ``LogisticRegression``, whose checks of its input take longer than a small fit.
    """
    n, shrink = len(Z), 1.0 / (penalty * len(Z))

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(start.shape)
        losses, slopes = _loss(_scores(Z, weights), is_one)
        slopes /= n
        along = Z.T @ slopes.astype(Z.dtype, copy=False) + shrink * weights[:-1]
        gradient = np.concatenate([along, slopes.sum(axis=0, keepdims=True)])
        return float(losses.sum()) / n + 0.5 * shrink * float(np.vdot(weights[:-1], weights[:-1])), gradient.ravel()

    options = {"maxiter": _ITERATIONS, "maxls": 50, "gtol": _TOLERANCE, "ftol": 64 * np.finfo(float).eps}
    found: Any = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return found.x.reshape(start.shape)


def _scores(Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return scores in double precision, whatever that of the rows is; the intercepts are the last weights."""
    return Z @ weights[:-1].astype(Z.dtype, copy=False) + weights[-1]


def _loss(scores: np.ndarray, is_one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log loss of each row, and its derivatives by the scores, of shape (n, k)."""
    if scores.shape[1] == 1:
        return (np.logaddexp(0.0, scores) - is_one * scores)[:, 0], expit(scores) - is_one
    scores = scores - scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    total = chances.sum(axis=1, keepdims=True)
    return np.log(total[:, 0]) - scores[is_one], chances / total - is_one
