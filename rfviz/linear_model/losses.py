"""Losses of a linear classifier as functions of its scores, each with its derivative, on NumPy or CuPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rfviz import cuda
from rfviz.backend import array_namespace

__all__ = [
    "LOSSES", "Loss", "multiclass_hinge", "pairwise_exponential", "softmax_cross_entropy", "softmax_probabilities",
    "with_reference",
]  # fmt: skip

# loss(scores (n, k), labels (n,)) → (loss of each sample (n,), derivative by the scores (n, k)). With two classes there
# is one column: the score of the second class, that of the first being zero.
Loss = Callable[[Any, Any], tuple[Any, Any]]


def with_reference(scores: Any) -> Any:
    """Return a column a class: a single column is the second class's, and the first class's score is zero."""
    if scores.shape[1] > 1:
        return scores
    return array_namespace(scores).concatenate([0 * scores, scores], axis=1)


def softmax_probabilities(scores: Any) -> Any:
    """Return probabilities exp(s_j) / Σ exp(s_l) of each class, in float64.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes), or (n_samples, 1) for two classes

    Returns
    -------
    array of shape (n_samples, n_classes)
    """
    scores = with_reference(scores.astype(np.float64))
    xp = array_namespace(scores)
    weights = xp.exp(scores - scores.max(axis=1)[:, None])
    return weights / weights.sum(axis=1)[:, None]


def softmax_cross_entropy(scores: Any, labels: Any) -> tuple[Any, Any]:
    r"""Return the multinomial logistic loss, :math:`\log\sum_j e^{s_j} - s_y`; for two classes the logistic loss.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes), or (n_samples, 1) for two classes
    labels : int array of shape (n_samples,)
        Position of each sample's class.

    Returns
    -------
    loss : array of shape (n_samples,)
    gradient : array of the shape of `scores`
    """
    xp, full = array_namespace(scores), with_reference(scores)
    loss, gradient = (xp.empty(shape, dtype=full.dtype) for shape in (len(full), full.shape))
    cuda.SOFTMAX_LOSS(xp, gradient, loss, full, labels)
    return loss, _free_columns(gradient, scores)


def multiclass_hinge(scores: Any, labels: Any) -> tuple[Any, Any]:
    r"""Return Crammer and Singer's hinge loss, :math:`\max_j (s_j + [j \ne y]) - s_y`; for two classes max(0, 1 ∓ s).

    One margin for all classes together, where one-versus-rest would fit each class alone: its prediction is the largest
    score, which is what it trains. Caveat: where no class has half of the probability, even its best scores need not
    put the likeliest class first (Tewari and Bartlett, 2007); the logistic loss does.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes), or (n_samples, 1) for two classes
    labels : int array of shape (n_samples,)

    Returns
    -------
    loss : array of shape (n_samples,)
    gradient : array of the shape of `scores`
        A subgradient: at a tie that of the first of the largest.

    References
    ----------
    K. Crammer, Y. Singer, "On the algorithmic implementation of multiclass kernel-based vector machines", 2001.
    """
    full, truth = with_reference(scores), _one_hot(scores, labels)
    xp = array_namespace(scores)
    raised = full + (1 - truth)
    rival = (xp.arange(full.shape[1]) == raised.argmax(axis=1)[:, None]).astype(scores.dtype)
    loss = raised.max(axis=1) - (full * truth).sum(axis=1)
    return loss, _free_columns(rival - truth, scores)


# By how much a wrong class may lead before the exponential goes on as its tangent, e⁸ ≈ 3000 steep.
_STEEPEST = 8.0


def pairwise_exponential(scores: Any, labels: Any) -> tuple[Any, Any]:
    r"""Return the exponential loss, :math:`\sum_{j \ne y} e^{s_j - s_y}`; for two classes AdaBoost's :math:`e^{\mp s}`.

    Its minimum has half the logarithm of the odds as score for two classes, so that it orders classes rightly. Caveat:
    it is sensitive to wrong labels. Where a wrong class leads by more than 8 the loss goes on as its tangent, since a
    single such row would outweigh thousands of others and, farther out, overflow.

    Parameters
    ----------
    scores : array of shape (n_samples, n_classes), or (n_samples, 1) for two classes
    labels : int array of shape (n_samples,)

    Returns
    -------
    loss : array of shape (n_samples,)
    gradient : array of the shape of `scores`

    References
    ----------
    T. Zhang, "Statistical analysis of some multi-category large margin classification methods", 2004.
    """
    full, truth = with_reference(scores), _one_hot(scores, labels)
    xp = array_namespace(scores)
    lead = full - (full * truth).sum(axis=1)[:, None]
    within = xp.minimum(lead, _STEEPEST)
    slope = xp.exp(within) * (1 - truth)
    loss = (slope * (1 + (lead - within))).sum(axis=1)
    return loss, _free_columns(slope - truth * slope.sum(axis=1)[:, None], scores)


def _one_hot(scores: Any, labels: Any) -> Any:
    n_classes = max(scores.shape[1], 2)
    return (array_namespace(scores).arange(n_classes) == labels[:, None]).astype(scores.dtype)


def _free_columns(gradient: Any, scores: Any) -> Any:
    return gradient if scores.shape[1] > 1 else gradient[:, 1:]


LOSSES: dict[str, Loss] = {
    "logistic": softmax_cross_entropy,
    "hinge": multiclass_hinge,
    "exponential": pairwise_exponential,
}
