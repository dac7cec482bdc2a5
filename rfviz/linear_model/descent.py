"""Stochastic gradient descent of a linear classifier's weights, on the device that the features are on."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy import sparse

from rfviz import cuda
from rfviz.backend import Device, array_namespace, check_memory, memory_budget, to_host
from rfviz.errors import DataError
from rfviz.linear_model.losses import LOSSES

__all__ = ["Descent", "batch_ends", "feature_moments", "schedule", "shuffled_blocks"]

# How far a first step moves the scores of a typical row, by loss. Chosen on maxout, Fourier and linear features of
# digits: twice as far learns a little more in five passes, but the hinge, which has kinks, then ends farther off, and
# the exponential, whose slope grows with the step, soon makes three times as many errors.
_REACH = {"logistic": 4.0, "hinge": 2.0, "exponential": 1.0}
# Iterate t of T weighs about (t/T)^_LATENESS in the average: the last quarter of the path makes two thirds of it.
_LATENESS = 3.0
_SGD_CONSTANT_STEPS = 100.0
# Coefficients, gradient, squares, average, and two temporaries of a step.
_ARRAYS = 6
# On digits the error falls until some 400 steps of 64 rows and stays; on MNIST's rows that is less than five passes.
_FEWEST_STEPS, _PASSES, _BATCHES = 400, (5, 50), (32, 256)
# Rows are shuffled by copying this much input at a time.
_CHUNK_BYTES = 256_000_000


def schedule(n_samples: int, epochs: int | str, batch_size: int | str) -> tuple[int, int]:
    """Return passes over the rows and rows of a step, where either may be ``"auto"``: few rows are met more often.

    Parameters
    ----------
    epochs, batch_size : int or "auto"

    Returns
    -------
    epochs, batch_size : int
    """
    if batch_size == "auto":
        batch_size = int(np.clip(2 ** round(np.log2(max(n_samples, 1) / 20)), *_BATCHES))
    rows = int(batch_size)
    if epochs == "auto":
        epochs = int(np.clip(-(-_FEWEST_STEPS * rows // n_samples), *_PASSES))
    return int(epochs), rows


def shuffled_blocks(
    feature_map: Any, X: Any, order: np.ndarray, batch_size: int, **options: Any
) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
    """Yield features of the rows of `X` in the order given: (block, its rows, where batches end within it).

    Batches do not depend on how the rows fall into blocks, which are the caller's to change. `options` go to
    ``transform_blocks``.
    """
    n_samples, done = len(order), 0
    ends = batch_ends(n_samples, batch_size)
    row_bytes = (X.data.nbytes if sparse.issparse(X) else X.nbytes) // n_samples + 1
    chunk = max(_CHUNK_BYTES // row_bytes, batch_size)
    # Any object with `transform_blocks` will do; only a feature map of ours can keep its weights on the device.
    stay = getattr(feature_map, "resident", nullcontext)
    with stay():
        for start in range(0, n_samples, chunk):
            for block in feature_map.transform_blocks(X[order[start : start + chunk]], **options):
                stop = done + block.shape[0]
                cuts = ends[np.searchsorted(ends, done, "right") : np.searchsorted(ends, stop, "right")]
                yield block, order[done:stop], cuts - done
                done = stop


def feature_moments(blocks: Iterable[Any]) -> tuple[Any, Any, np.dtype, bool]:
    """Measure the moments of the features of some rows.

    Returns
    -------
    mean, spread : array of shape (m,), float64
        Mean and standard deviation of each feature; of sparse ones zero and the mean absolute value.
    dtype : dtype
        Of the features.
    is_sparse : bool

    Raises
    ------
    DataError
        Where a feature is not finite.
    """
    total: Any = 0.0
    squares: Any = 0.0
    rows, is_sparse, dtype = 0, False, np.dtype(np.float64)
    for block in blocks:
        is_sparse, dtype = hasattr(block, "indptr"), block.dtype
        rows += block.shape[0]
        if is_sparse:
            total = total + abs(block).sum(axis=0).astype(np.float64).ravel()
        else:
            total = total + block.sum(axis=0, dtype=np.float64)
            squares = squares + (block * block).sum(axis=0, dtype=np.float64)
    xp = array_namespace(total)
    mean = xp.asarray(total).ravel() / rows
    if not bool(xp.isfinite(mean).all()):
        raise DataError("The features are not finite: the data are too large for their precision. Rescale them.")
    if is_sparse:
        return 0 * mean, mean, dtype, True
    return mean, xp.sqrt(xp.maximum(squares / rows - mean * mean, 0.0)), dtype, False


def batch_ends(n_samples: int, batch_size: int) -> np.ndarray:
    """Return where batches end that are equally large but for one row: a small last one would step on very few rows."""
    n_batches = -(-n_samples // batch_size)
    return np.arange(1, n_batches + 1) * n_samples // n_batches


class Descent:
    """Weights, the state of the optimiser, and the steps that change them.

    Dense features are taken about their mean in the rows seen first. With an intercept this changes no minimum, but
    features with a large mean (maxout's) would otherwise all pull in the one direction of the intercept.
    Coefficients and intercept are parallel entries of lists: both take the same steps, at rates of their own.
    """

    def __init__(self, settings: dict[str, Any], rates: tuple[float, float], shift: Any, weights: list[Any]) -> None:
        self.settings, self.rates, self.shift, self.weights = settings, rates, shift, weights
        self.averages = [w.copy() for w in weights]
        self.squares = [0 * w for w in weights]
        self.steps = 0
        self._gradients: list[Any] = []
        self._rows = 0

    @classmethod
    def start(cls, moments: tuple[Any, ...], n_outputs: int, device: Device, settings: dict[str, Any]) -> Descent:
        """Return weights of zero for features that look like `moments` (of :func:`feature_moments`).

        Raises
        ------
        MemoryBudgetError
            Where they would not fit.
        """
        mean, spread, dtype, is_sparse = moments
        cls.check_memory(len(mean), n_outputs, dtype, device, "weights")
        xp = array_namespace(mean)
        weights = [xp.zeros((len(mean), n_outputs), dtype=dtype), xp.zeros(n_outputs, dtype=dtype)]
        centred = settings["fit_intercept"] and not is_sparse
        if not (centred or is_sparse):
            spread = xp.sqrt(spread * spread + mean * mean)
        if float(spread.sum()) == 0:  # a single row
            spread = abs(mean)
        return cls(settings, _rates(spread, settings), mean.astype(dtype) if centred else None, weights)

    @staticmethod
    def check_memory(n_features: int, n_outputs: int, dtype: np.dtype, device: Device, what: str) -> None:
        """Refuse weights that, with the state of their optimiser, would not fit into memory."""
        one = _ARRAYS * n_outputs * dtype.itemsize
        check_memory(
            one * n_features,
            device,
            f"Learning {n_outputs} × {n_features} {what}",
            f"The largest number of features that fits is about {memory_budget(device) // one}.",
        )

    def centred(self, block: Any) -> Any:
        """Take features about their mean, in place; sparse ones, or ones without an intercept, stay as they are.

        Once for all descents that learn from the first columns of the same features.
        """
        if self.shift is not None:
            block -= self.shift
        return block

    def learn(self, block: Any, labels: np.ndarray, cuts: np.ndarray) -> float:
        """Take a step at each of the rows `cuts`, where a batch ends; the rest of the block begins the next one.

        Parameters
        ----------
        block : array or CSR matrix of shape (rows, m)
            Features, of :meth:`centred`.
        labels : ndarray of shape (rows,)
            Positions of the classes.
        cuts : ndarray of int
            Ends of batches, ascending.

        Returns
        -------
        float
            Sum of the losses of the rows, each before it was learned.
        """
        xp = array_namespace(self.weights[0])
        labels = xp.asarray(labels)
        losses, start = [], 0
        for stop in map(int, cuts):
            losses.append(self._accumulate(block[start:stop], labels[start:stop]))
            self._step()
            start = stop
        if start < block.shape[0]:
            losses.append(self._accumulate(block[start:], labels[start:]))
        return float(xp.concatenate(losses).sum())

    def _accumulate(self, rows: Any, labels: Any) -> Any:
        """Add rows to the gradient of the batch that is under way; return their losses."""
        coef, intercept = self.weights
        loss, by_score = LOSSES[self.settings["loss"]](rows @ coef + intercept, labels)
        parts = [rows.T @ by_score, by_score.sum(axis=0)]
        if not self._gradients:
            self._gradients, self._rows = parts, 0
        else:
            for gradient, part in zip(self._gradients, parts, strict=True):
                gradient += part
        self._rows += rows.shape[0]
        return loss

    def _step(self) -> None:
        xp, settings = array_namespace(self.weights[0]), self.settings
        self.steps += 1
        share = (1 + _LATENESS) / (self.steps + _LATENESS)
        cooling = (1 + self.steps / _SGD_CONSTANT_STEPS) ** -0.5
        both = zip(self.weights, self._gradients, self.squares, self.averages, self.rates, strict=True)
        for part, (weight, gradient, squares, average, rate) in enumerate(both):
            if part == 1 and not settings["fit_intercept"]:
                break
            alpha = settings["alpha"] if part == 0 else 0.0
            if settings["optimizer"] == "adagrad":  # which cools by itself
                cuda.ADAGRAD(xp, weight, squares, average, gradient, self._rows, alpha, rate, share)
                continue
            gradient /= self._rows
            gradient += alpha * weight
            weight -= (rate * cooling) * gradient
            average += share * (weight - average)
        self._gradients = []

    def penalty(self) -> float:
        """Return the penalty on the coefficients as they are."""
        coef = self.weights[0]
        return 0.5 * self.settings["alpha"] * float((coef * coef).sum())

    def moved(self, device: Device) -> Descent:
        """Return a copy whose arrays are on `device`."""
        other = copy.copy(self)
        for name in ("weights", "averages", "squares"):
            there = [(array, device.asarray(to_host(array))) for array in getattr(self, name)]
            setattr(other, name, [moved.copy() if moved is array else moved for array, moved in there])
        other.shift = None if self.shift is None else device.asarray(to_host(self.shift))
        return other

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays needed to continue, without the settings, by name and on the host."""
        found = {
            f"{name}_{part}": to_host(array)
            for name in ("weights", "averages", "squares")
            for part, array in enumerate(getattr(self, name))
        }
        found |= {"rates": np.array(self.rates), "steps": np.array(self.steps)}
        return found if self.shift is None else found | {"shift": to_host(self.shift)}

    @classmethod
    def of_arrays(cls, found: Mapping[str, np.ndarray], settings: dict[str, Any]) -> Descent:
        """Return the inverse of :meth:`arrays`, on the host."""
        first, second = map(float, found["rates"])
        descent = cls(settings, (first, second), found.get("shift"), [found["weights_0"], found["weights_1"]])
        descent.averages, descent.squares = (
            [found[f"{name}_{part}"] for part in (0, 1)] for name in ("averages", "squares")
        )
        descent.steps = int(found["steps"])
        return descent

    def solution(self) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients (k, m) and intercept (k,) for unscaled features, on the host."""
        coef, intercept = map(to_host, self.averages if self.settings["average"] else self.weights)
        if self.shift is not None:
            intercept = intercept - to_host(self.shift).astype(np.float64) @ coef
        return coef.T, np.asarray(intercept, dtype=coef.dtype)


def _rates(spread: Any, settings: dict[str, Any]) -> tuple[float, float]:
    """Return the first steps of coefficients and intercept; a given rate serves both."""
    if settings["learning_rate"] != "auto":
        return settings["learning_rate"], settings["learning_rate"]
    # AdaGrad's first step is ±rate in every coordinate, that of gradient descent follows the features themselves.
    adagrad = settings["optimizer"] == "adagrad"
    size = float(spread.sum() if adagrad else (spread * spread).sum())
    reach = _REACH[settings["loss"]] * settings.get("rate_factor", 1.0)
    return reach / size if size > 0 else reach, reach
