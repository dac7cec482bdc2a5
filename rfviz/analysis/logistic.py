"""Logistic regression whose penalty is chosen by held-out rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

__all__ = ["fit_logistic"]

# Inverse penalties for columns of variance 1, rising: each fit begins where the one before it ended.
_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2)
_HOLDOUT, _TOLERANCE, _ITERATIONS = 5, 1e-3, 100


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
    Z = (X - mean) / size
    is_held = np.zeros(len(y), dtype=bool)
    is_held[np.argsort(y, kind="stable")[_HOLDOUT - 1 :: _HOLDOUT]] = True
    # A class without another row has nothing to be held out for.
    is_held &= np.isin(y, y[~is_held])
    tried = [one for one in _PENALTIES if one >= least]
    penalty = 1.0
    model: Any = LogisticRegression(tol=_TOLERANCE, max_iter=_ITERATIONS, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if is_held.any():
            losses = list[float]()
            for model.C in tried:
                model.fit(Z[~is_held], y[~is_held])
                chances = model.predict_proba(Z[is_held])
                own = chances[np.arange(len(chances)), np.searchsorted(model.classes_, y[is_held])]
                losses.append(float(-np.mean(np.log(np.maximum(own, 1e-12)))))
            penalty = tried[int(np.argmin(losses))]
        model.set_params(C=penalty, warm_start=False).fit(Z, y)
    coef = model.coef_.T / size
    return coef, model.intercept_ - mean @ coef
