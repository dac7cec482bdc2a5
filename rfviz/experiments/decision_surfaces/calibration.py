"""From decision values to probabilities: one slope, learned on rows that the classifier has not seen."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.optimize import OptimizeResult, minimize_scalar

from rfviz.linear_model.losses import softmax_probabilities

__all__ = ["calibration_rows", "fit_slope", "probabilities"]

_HELD_SHARE = 0.2
# Fewer training rows than this are too few to hold any out.
_FEWEST_ROWS = 40
_SLOPES = (1e-3, 1e3)


def probabilities(scores: np.ndarray, slope: float) -> np.ndarray:
    r"""Return the soft-max of scaled decision values, :math:`p_j = e^{a s_j} / \sum_l e^{a s_l}`.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    slope : float
        a > 0; it leaves the largest class, and so every boundary, where the decision values put it.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    return softmax_probabilities(slope * scores)


def fit_slope(scores: np.ndarray, labels: np.ndarray) -> float:
    """Return the slope of the soft-max under which these labels are likeliest.

    The truth counts as (N + 1)/(N + k) and each other class as 1/(N + k), N the rows of the true class, so that rows
    without a single error do not lead to an infinite slope (Platt, 1999, for two classes).

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    labels : ndarray of shape (n_samples,), int
        Position of the true class.

    Returns
    -------
    float
        From 0.001 to 1000 over the size of the scores.
    """
    n, k = scores.shape
    counts = np.bincount(labels, minlength=k)[labels]
    targets = np.broadcast_to((1.0 / (counts + k))[:, None], (n, k)).copy()
    targets[np.arange(n), labels] = (counts + 1) / (counts + k)
    size = float(np.abs(scores - scores.mean(axis=1, keepdims=True)).mean())
    if not size:
        return 1.0

    def loss(log_slope: float) -> float:
        scaled = np.exp(log_slope) * scores
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        return float(np.mean(np.log(np.exp(scaled).sum(axis=1)) - (targets * scaled).sum(axis=1)))

    bounds = np.log(_SLOPES) - np.log(size)  # the loss is convex in the slope, so it has one minimum in its logarithm
    found = cast(OptimizeResult, minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3}))
    return float(np.exp(found.x))


def calibration_rows(y: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray] | None:
    """Choose rows to learn from and rows to fit the slope on; return None if there are too few for both.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels.

    Returns
    -------
    learn, held : ndarray of int
        Four fifths and a fifth of the rows; the first hold every class.
    """
    if len(y) < _FEWEST_ROWS:
        return None
    order = np.random.default_rng(seed).permutation(len(y))
    cut = len(y) - max(round(_HELD_SHARE * len(y)), 1)
    learn, held = np.sort(order[:cut]), np.sort(order[cut:])
    return (learn, held) if len(np.unique(y[learn])) == len(np.unique(y)) else None
