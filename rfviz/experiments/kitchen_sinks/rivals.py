"""Other ways to the same sum of K functions: matching pursuit among drawn features, and all weights fitted together.

Both minimise the quadratic loss of the paper's equation 2: matching pursuit chooses one drawn feature after another and
fits the weights of those it has, and a network with one hidden layer fits the features as well, by L-BFGS.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from rfviz.analysis.splits import Split
from rfviz.backend import check_memory, to_host
from rfviz.errors import DataError
from rfviz.experiments.kitchen_sinks.boosting import check_classes
from rfviz.experiments.kitchen_sinks.weights import feature_sums
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["RivalSegment", "joint_fit", "matching_pursuit", "pursue"]

# A feature whose rest is a smaller share of it is a sum of those that were chosen.
_REST = 1e-9
#: Steps of L-BFGS.
JOINT_STEPS = 200


@dataclass(frozen=True, eq=False)
class RivalSegment:
    """One method at some numbers of functions.

    Attributes
    ----------
    k_grid : ndarray of int
    errors : ndarray
        Share of wrong test rows.
    seconds_fit, seconds_predict : ndarray
        Of that many functions, from the beginning.
    """

    k_grid: np.ndarray
    errors: np.ndarray
    seconds_fit: np.ndarray
    seconds_predict: np.ndarray


def pursue(gram: np.ndarray, cross: np.ndarray, most: int, progress: Progress = silent) -> tuple[np.ndarray, ...]:
    """Choose features by orthogonal matching pursuit: each time that which goes furthest with what is left.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        HᵀH of the features.
    cross : ndarray of shape (n, k)
        HᵀY; a feature is judged by the sum of its squares over several targets.
    most : int
        How many to choose; fewer are chosen once all others are sums of them.

    Returns
    -------
    chosen : ndarray of int, shape (K,)
    triangle : ndarray of shape (K, K)
        Upper factor of the Gram matrix of these, in this order.
    sides : ndarray of shape (K, k)
        The weights of the first j are ``solve_triangular(triangle[:j, :j], sides[:j])``.
    """
    norms, rest = gram.diagonal(), gram.diagonal().copy()
    left = cross.astype(float)
    is_free = norms > 0
    rows, sides, chosen = np.empty((most, len(gram))), np.empty((most, cross.shape[1])), []
    for step in range(most):
        progress(step / most, f"function {step + 1:,} of {most:,}")
        is_free &= rest > _REST * norms
        if not is_free.any():
            break
        scores = np.square(left).sum(axis=1) / np.where(norms > 0, norms, 1.0)
        best = int(np.argmax(np.where(is_free, scores, -1.0)))
        root = np.sqrt(rest[best])
        rows[step] = (gram[best] - rows[:step, best] @ rows[:step]) / root
        sides[step] = left[best] / root
        left -= rows[step][:, None] * sides[step]
        rest -= np.square(rows[step])
        is_free[best] = False
        chosen.append(best)
    done = len(chosen)
    return np.array(chosen, dtype=int), np.triu(rows[:done, chosen]), sides[:done]


def matching_pursuit(
    split: Split, spec: MapSpec[FeatureMap], pool: int, k_grid: Sequence[int], progress: Progress = silent
) -> RivalSegment:
    """Choose features among `pool` drawn ones, one after another, and test the least-squares weights of the first K.

    Parameters
    ----------
    split : Split
        With classes.
    spec : MapSpec
        With its seed.
    k_grid : sequence of int
        Rising, at most `pool`.

    Raises
    ------
    DataError
        For targets that are not classes, and for features that are the boxes of grids.
    MemoryBudgetError
        Where the Gram matrix of the pool would not fit.
    """
    check_classes(split)
    if spec.cls.sparse_output:
        raise DataError(
            f"Matching pursuit chooses among single features, and {spec.cls.label} has many columns for each of its "
            "grids. Put another family first."
        )
    grid = np.array(sorted({min(int(k), pool) for k in k_grid}))
    check_memory(24 * pool**2, "cpu", f"The Gram matrix of {pool} features", "Choose a smaller K.")
    begun = time.perf_counter()
    feature_map, targets = spec.make(n_components=pool).fit(split.X_train), Targets.learn(split.y_train)
    codes, n = targets.codes(split.y_train), len(split.X_train)
    progress(0.0, f"Gram matrix of {pool:,} features")
    # The ones give the sums of the features, for the intercept.
    gram, cross = feature_sums(feature_map, split.X_train, np.column_stack([codes, np.ones(n)]))
    means, mean_codes = cross[:, -1] / n, codes.mean(axis=0)
    gram -= n * np.outer(means, means)
    cross = cross[:, :-1] - n * np.outer(means, mean_codes)
    before = time.perf_counter() - begun
    ticks: list[float] = []

    def tick(share: float | None, text: str) -> None:
        ticks.append(time.perf_counter() - begun)
        progress(share, text)

    chosen, triangle, sides = pursue(gram, cross, int(grid[-1]), tick)
    ticks.append(time.perf_counter() - begun)
    begun = time.perf_counter()
    blocks = feature_map.transform_blocks(split.X_test, scaled=False)
    H = np.concatenate([to_host(block)[:, chosen] for block in blocks]).astype(np.float64) - means[chosen]
    features = time.perf_counter() - begun
    errors, fit, predict = [], [], []
    for k in np.minimum(grid, len(chosen)):
        begun = time.perf_counter()
        weights = solve_triangular(triangle[:k, :k], sides[:k])
        solved = time.perf_counter()
        scores = H[:, :k] @ weights + mean_codes
        errors.append(float(np.mean(targets.errors(scores, split.y_test))))
        fit.append(max(ticks[k], before) + solved - begun)
        predict.append(features + time.perf_counter() - solved)
    return RivalSegment(grid, np.array(errors), np.array(fit), np.array(predict))


def joint_fit(split: Split, k: int, progress: Progress = silent) -> RivalSegment:
    """Fit K functions tanh(w·x + b) and their weights together, by L-BFGS on the quadratic loss.

    It is scikit-learn's network with one hidden layer, with its small penalty, and at most 200 steps.

    Parameters
    ----------
    split : Split
        With classes.
    k : int
        Number of functions.

    Raises
    ------
    DataError
        For targets that are not classes.
    """
    check_classes(split)
    progress(0.0, f"{k:,} functions and their weights")
    targets, begun = Targets.learn(split.y_train), time.perf_counter()
    codes = targets.codes(split.y_train)
    network = MLPRegressor(
        hidden_layer_sizes=(k,), activation="tanh", solver="lbfgs", max_iter=JOINT_STEPS, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # that it may stop at its last step is said
        network.fit(split.X_train.astype(np.float64), codes if codes.shape[1] > 1 else codes[:, 0])
    fitted = time.perf_counter()
    scores = np.asarray(network.predict(split.X_test.astype(np.float64))).reshape(len(split.X_test), -1)
    done = time.perf_counter()
    error = float(np.mean(targets.errors(scores, split.y_test)))
    return RivalSegment(np.array([k]), *(np.array([v]) for v in (error, fitted - begun, done - fitted)))
