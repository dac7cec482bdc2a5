"""Steps of gradient descent on a GPU, in one pass where array operations take ten or more."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.cuda.kernel import Kernel, Launch

__all__ = ["ADAGRAD", "SOFTMAX_LOSS"]

_TINY = 1e-12


def _adagrad(
    xp: Any,
    weights: Any,
    squares: Any,
    averages: Any,
    gradients: Any,
    rows: int,
    alpha: float,
    rate: float,
    share: float,
) -> None:
    gradients /= rows
    if alpha:
        gradients += alpha * weights
    squares += gradients * gradients
    gradients /= xp.sqrt(squares) + _TINY
    weights -= rate * gradients
    averages += share * (weights - averages)


def _launch_adagrad(
    weights: Any, squares: Any, averages: Any, gradients: Any, rows: int, alpha: float, rate: float, share: float
) -> Launch | None:
    arrays, number = (weights, squares, averages, gradients), weights.dtype.type
    if not all(array.flags.c_contiguous and array.dtype == weights.dtype for array in arrays):
        return None
    numbers = (number(value) for value in (rows, alpha, rate, share))
    return weights.size, 1, (*arrays, weights.size, *numbers)


def _sample_adagrad(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    weights, averages, gradients = (rng.standard_normal((41, 3)).astype(dtype) for _ in range(3))
    return weights, rng.random((41, 3)).astype(dtype), averages, gradients, 32, 0.1, 0.5, 0.25


#: ``ADAGRAD(xp, weights, squares, averages, gradients, rows, alpha, rate, share)``: one step on the mean of `rows`
#: gradients and the penalty alpha·‖w‖²/2; averages move by `share` towards the weights, and the gradients are lost.
ADAGRAD = Kernel("steps", "adagrad", _adagrad, _launch_adagrad, _sample_adagrad, result=0)


def _softmax_loss(xp: Any, gradients: Any, losses: Any, scores: Any, labels: Any) -> None:
    every = xp.arange(len(scores))
    scores = scores - scores.max(axis=1)[:, None]  # so that no exponential overflows
    weights = xp.exp(scores)
    total = weights.sum(axis=1)
    losses[...] = xp.log(total) - scores[every, labels]
    gradients[...] = weights / total[:, None]
    gradients[every, labels] -= 1


def _launch_softmax_loss(gradients: Any, losses: Any, scores: Any, labels: Any) -> Launch | None:
    whole = all(array.flags.c_contiguous for array in (gradients, losses, scores, labels))
    if not whole or labels.dtype != np.int64:
        return None
    return len(scores), 1, (gradients, losses, scores, labels, *scores.shape)


def _sample_softmax_loss(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    scores = (50 * rng.standard_normal((41, 3))).astype(dtype)
    gradients, losses = np.full_like(scores, np.nan), np.full(len(scores), np.nan, dtype=dtype)
    return gradients, losses, scores, rng.integers(3, size=len(scores))


#: ``SOFTMAX_LOSS(xp, gradients, losses, scores, labels)``: the losses log Σ exp(s) − s_label of rows of scores, one for
#: each class, and their derivatives.
SOFTMAX_LOSS = Kernel("steps", "softmax_loss", _softmax_loss, _launch_softmax_loss, _sample_softmax_loss, result=0)
