"""Kernel machines by doubly stochastic gradients: random rows, and random features that are drawn again when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from rfviz.backend import array_namespace, check_memory, get_device, memory_budget, to_host
from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.losses import LOSSES, softmax_probabilities
from rfviz.linear_model.path import LARGEST, ClassifierPath, FeaturePath, RegressorPath, check_grid
from rfviz.linear_model.stochastic import learn_classes
from rfviz.linear_model.targets import Targets, as_numbers
from rfviz.params import Param
from rfviz.random_state import random_rows, seed_from

__all__ = [
    "BLOCK",
    "DoublyStochasticClassifier",
    "DoublyStochasticRegressor",
    "RegeneratedFeatures",
]

#: Features that are drawn at a time, from one child of the seed.
BLOCK = 256
_PROBE_ROWS = 512


class RegeneratedFeatures:
    """Features number 0, 1, 2, … of a map without end.

    Parameters
    ----------
    feature_map : FeatureMap
        Its number of features and its seed are not used.
    X : array or CSR matrix of shape (n_samples, n_features)
        What the map learns its statistics from (``gamma="scale"``); a few of its rows are stored to fit blocks with.

    Raises
    ------
    ParameterError
        For a map whose features do not all count the same.
    """

    def __init__(self, feature_map: Any, seed: int, X: Any) -> None:
        self.seed, self.probe = seed, X[: min(_PROBE_ROWS, X.shape[0])]
        words = [
            p.name
            for p in getattr(feature_map, "params", ())
            if p.kind == "float" and isinstance(getattr(feature_map, p.name), str)
        ]
        self._map: Any = clone(feature_map)
        if words:  # learnt from all rows, once
            probe: Any = clone(feature_map)
            fitted = probe.set_params(n_components=1).fit(X)
            self._map.set_params(**{name: getattr(fitted, f"{name}_") for name in words})
        if np.ndim(self.block(0).shares(BLOCK)):
            raise ParameterError(
                "feature_map",
                "must have features that all count the same",
                type(feature_map).__name__,
                "Set deduplicate=False where the map has it, or choose another map.",
            )

    def block(self, number: int) -> Any:
        """Return the fitted map of features 256·number to 256·number + 255, drawn anew; the same each time."""
        child = np.random.SeedSequence(self.seed, spawn_key=(number,))
        seed = int(child.generate_state(1, np.uint64)[0] >> 1)
        fresh: Any = clone(self._map)
        return fresh.set_params(n_components=BLOCK, random_state=seed).fit(self.probe)

    def values(self, X: Any, block: Any) -> np.ndarray:
        """Return unscaled features of the rows of `X` by one block's map, shape (n_samples, 256), on the host."""
        return np.concatenate([to_host(part) for part in block.transform_blocks(X, scaled=False)])

    def add_scores(self, scores: np.ndarray, X: Any, coef: np.ndarray, block: Any) -> None:
        """Add what a block's first features contribute to `scores` of the rows of `X`; `coef` is (at most 256, k)."""
        done = 0
        for part in block.transform_blocks(X, scaled=False):
            here = scores[done : done + part.shape[0]]
            here += to_host(part[:, : len(coef)] @ array_namespace(part).asarray(coef.astype(part.dtype)))
            done += part.shape[0]


Progress = Callable[[float, str], None]
_CONSTANT_STEPS = 100.0
_CURVATURE = {"ridge": 1.0, "logistic": 0.5}  # largest second derivative of a loss by the scores


class _DoublyStochastic(FeaturePath):
    """Base of classifier and regressor: blocks of features that are drawn again, steps, scores."""

    feature_map: Any
    m_grid: Sequence[int] | None
    _targets: Targets
    alpha: float
    features_per_step: int
    batch_size: int
    learning_rate: float | str
    random_state: Any
    loss: str
    params: ClassVar[tuple[Param, ...]] = (
        Param("alpha", 1e-6, "float", low=0, log=True, symbol=r"\alpha", label="Penalty"),
        Param("features_per_step", 16, "int", low=1, high=BLOCK, label="Features a step", help="A divisor of 256."),
        Param("batch_size", 256, "int", low=1, label="Rows a step"),
        Param("learning_rate", "auto", "float", low=0, open_low=True, choices=("auto",), label="First step"),
    )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_coef")

    def _check_params(self) -> None:
        if not hasattr(self.feature_map, "transform_blocks"):
            raise ParameterError("feature_map", "must have transform_blocks", self.feature_map, "Pass a FeatureMap.")
        for param in self.params:
            param.validate(getattr(self, param.name))
        if BLOCK % self.features_per_step:
            raise ParameterError("features_per_step", f"must divide {BLOCK}", self.features_per_step, "Try 16.")

    def feature_block(self, number: int) -> Any:
        """Return the fitted map of features 256·number to 256·number + 255, drawn again."""
        return self._features.block(number)

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(
        self, X: Any, loss: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray, progress: Progress | None
    ) -> None:
        """Take a step for each `features_per_step` features; `loss` gives the derivatives of some rows' scores."""
        m, s, k = int(self.feature_map.n_components), self.features_per_step, len(start)
        most = memory_budget("cpu") // (8 * k)
        check_memory(
            8 * k * m, "cpu", f"{k} × {m} coefficients", f"The largest n_components that fits is about {most}."
        )
        seed = seed_from(self.random_state)
        batches = _batches(X.shape[0], min(self.batch_size, X.shape[0]), random_rows(seed))
        coef, intercept = np.zeros((m, k)), start.astype(np.float64)
        intercepts, shrinkage = [], []
        with get_device(getattr(self.feature_map, "device", "cpu")).activate():
            self._features = RegeneratedFeatures(self.feature_map, seed, X)
            width = self._choose_step(X.shape[0])
            block: Any = None
            for step, first in enumerate(range(0, m, s)):
                if first % BLOCK == 0:
                    block = self.feature_block(first // BLOCK)
                rows = next(batches)
                scores, fresh = self._look(X[rows], coef[: first + s], first, intercept, block)
                gradient = loss(scores, rows) / len(rows)
                rate = self.learning_rate_ / np.sqrt(1.0 + step / _CONSTANT_STEPS)
                coef[:first] *= 1.0 - rate * self.alpha
                centre = fresh.mean(axis=0)
                coef[first : first + s] = new = -rate / len(centre) * (fresh - centre).T @ gradient
                intercept = intercept - centre @ new - rate * width * gradient.sum(axis=0)
                if not np.isfinite(intercept).all():
                    raise DataError("The loss is not finite: steps are too long, or the data too large. Rescale them.")
                intercepts.append(intercept)
                shrinkage.append(1.0 - rate * self.alpha)
                if progress is not None:  # each step costs as much as there are features before it
                    progress(min(((first + s) / m) ** 2, 1.0), f"feature {min(first + s, m):,} of {m:,}")
        self._coef, self._intercepts, self._shrinkage = coef, np.array(intercepts), np.cumprod(shrinkage)
        ends = np.array([m]) if self.m_grid is None else -(-check_grid(self.m_grid, m) // s) * s
        self.m_grid_ = np.unique(np.minimum(ends, m))
        self.alpha_ = np.full(len(self.m_grid_), self.alpha)
        grid = self.m_grid_.tolist()
        self.coef_path_ = {end: coef if end == m else coef[:end] * self._shrunk(end) for end in grid}
        self.intercept_path_ = {end: self._intercepts[self._step(end)] for end in grid}

    def _look(
        self, X: Any, coef: np.ndarray, first: int, intercept: np.ndarray, block: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return scores of some rows by the features before `first`, and the values of the other features."""
        scores, start = np.tile(intercept, (X.shape[0], 1)), first - first % BLOCK
        for number in range(first // BLOCK):
            there = slice(number * BLOCK, (number + 1) * BLOCK)
            self._features.add_scores(scores, X, coef[there], self.feature_block(number))
        own = self._features.values(X, block).astype(np.float64)
        scores += own[:, : first - start] @ coef[start:first]
        return scores, own[:, first - start : len(coef) - start]

    def _choose_step(self, n_samples: int) -> float:
        """Set `learning_rate_`; the largest eigenvalue of the kernel's operator, which the intercept steps with."""
        F = self._features.values(self._features.probe, self.feature_block(0)).astype(np.float64)
        if not np.isfinite(F).all():
            raise DataError("The features are not finite: the data are too large for their precision. Rescale them.")
        F -= F.mean(axis=0)
        spectrum = np.linalg.svd(F, compute_uv=False) ** 2 / (BLOCK * len(F))
        width, trace = float(spectrum[0]) or 1.0, float(spectrum.sum())
        # A step sees the operator through a few features and rows, which makes it larger.
        reach = width + trace * (1.0 / self.features_per_step + 1.0 / min(self.batch_size, n_samples))
        automatic = 1.0 / (_CURVATURE[self.loss] * reach + self.alpha)
        self.learning_rate_ = automatic if self.learning_rate == "auto" else float(self.learning_rate)
        return width

    # --- scores -------------------------------------------------------------------------------------------------------

    def _outputs(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        scores = self._scores(X, grid)
        return [self._targets.outputs(some) for some in scores]

    def _scores(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        """Return scores (n_samples, k) after the first m features, for a grid of ends of steps."""
        X = self._checked_rows(X)
        total, found = np.zeros((X.shape[0], self._coef.shape[1])), []
        with get_device(getattr(self.feature_map, "device", "cpu")).activate():
            for number, start in enumerate(range(0, grid[-1], BLOCK)):
                block = self.feature_block(number)
                for m in (m for m in grid if start < m < start + BLOCK):
                    part = total.copy()
                    self._features.add_scores(part, X, self._coef[start:m], block)
                    found.append(self._as_of(m, part))
                if grid[-1] >= start + BLOCK:
                    self._features.add_scores(total, X, self._coef[start : start + BLOCK], block)
                    found += [self._as_of(m, total) for m in grid if m == start + BLOCK]
        return found

    def _as_of(self, m: int, sums: np.ndarray) -> np.ndarray:
        """Return scores as of the first m learned features, from sums with the last coefficients."""
        return sums * self._shrunk(m) + self._intercepts[self._step(m)]

    def _shrunk(self, m: int) -> float:
        """Return the coefficients as of the first m learned features, relative to the last ones."""
        return self._shrinkage[self._step(m)] / self._shrinkage[-1]

    def _step(self, m: int) -> int:
        return -(-m // self.features_per_step) - 1


def _batches(n: int, size: int, rng: np.random.RandomState) -> Iterator[np.ndarray]:
    """Yield rows of batches: passes over all rows, each in a new order; a rest too small for a batch is left."""
    while True:
        order = rng.permutation(n)
        for start in range(0, n - size + 1, size):
            yield np.sort(order[start : start + size])


_COMMON = r"""
    .. math:: f \leftarrow (1 - \gamma_t\alpha) f - \gamma_t\,\frac1b\sum_{i} \ell'(f(x_i), y_i)\,
        \frac1s\sum_{j} \phi_j(x_i)\,\phi_j

    Each step draws b rows and s new features, sets the coefficients of those features once, and never again. Features
    come in blocks of 256, each drawn from the seed and its number; whenever scores are needed the blocks are drawn
    again, so that no weights are stored: memory is O(m·k) for the coefficients, whatever the number of columns, and m
    has no other limit. The first m' features and steps do not depend on m.

    The step is γ₀/√(1 + t/100), with γ₀ = 1/(L(λ + κ(1/s + 1/b)) + α): L bounds the curvature of the loss, λ is the
    largest eigenvalue of the kernel's covariance operator and κ its trace, both from 512 rows. Features are taken about
    their mean over the batch, and an intercept that is not penalised takes what that leaves.

    Cost: O(m²/s·b) feature values to learn, since every step draws all earlier features again, and O(n·m) to predict.
    Caveat: at equal m the error is above that of ridge regression, which revisits all its coefficients.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m; its own seed is not used. Its features must all count the same.
    """
_GRID = """m_grid : sequence of int, optional
        Numbers of features, each taken up to the end of a step; by default the largest alone.
    m : "largest" or int
        The number of features that predicts: the largest, or one of the grid.
    """
_FITTED = """random_state : int, RandomState, Generator or None

    Attributes
    ----------
    m_grid_ : ndarray of int
    m_ : int
        The number of features that predicts.
    coef_path_, intercept_path_ : dict of int to ndarray
        Coefficients of unscaled features, (m, k), and intercepts, (k,), by m; one column for two classes.
    coef_, intercept_ : ndarray
        Those of `m_`, in scikit-learn's shapes.
    learning_rate_ : float
    """


class DoublyStochasticRegressor(RegressorPath, _DoublyStochastic):  # noqa: D101 - __doc__ below
    __doc__ = f"""Kernel ridge regression by doubly stochastic functional gradients.
    {_COMMON}{_GRID}alpha : float
        Penalty per sample.
    features_per_step, batch_size : int
    learning_rate : "auto" or float
        γ₀.
    {_FITTED}
    References
    ----------
    B. Dai et al., "Scalable Kernel Methods via Doubly Stochastic Gradients", 2014.
    """

    loss = "ridge"

    def __init__(
        self,
        feature_map: Any,
        *,
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alpha: float = 1e-6,
        features_per_step: int = 16,
        batch_size: int = 256,
        learning_rate: float | str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.alpha = alpha
        self.features_per_step = features_per_step
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> DoublyStochasticRegressor:
        """Learn m features from targets of shape (n_samples,) or (n_samples, k).

        ``progress(share done, text)`` after each step may raise to stop.
        """
        self._check_params()
        types = [np.float64, np.float32]
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=types, multi_output=True, y_numeric=True)
        self._targets = Targets.of_numbers(y)
        self._is_vector = self._targets.one_dimensional
        Y = self._targets.codes(as_numbers(y))
        self._learn(X, lambda scores, rows: scores - Y[rows], Y.mean(axis=0), progress)
        return self


class DoublyStochasticClassifier(ClassifierPath, _DoublyStochastic):  # noqa: D101 - __doc__ below
    __doc__ = f"""Kernel classification by doubly stochastic functional gradients.
    {_COMMON}loss : {{"logistic", "ridge"}}
        Multinomial logistic loss, or half the squared distance to ±1 codes of the classes.
    {_GRID}alpha : float
        Penalty per sample.
    features_per_step, batch_size : int
    learning_rate : "auto" or float
        γ₀.
    {_FITTED}classes_ : ndarray of shape (n_classes,)

    References
    ----------
    B. Dai et al., "Scalable Kernel Methods via Doubly Stochastic Gradients", 2014.
    """

    params: ClassVar[tuple[Param, ...]] = (
        Param("loss", "logistic", "choice", choices=("logistic", "ridge"), label="Loss"),
        *_DoublyStochastic.params,
    )

    def __init__(
        self,
        feature_map: Any,
        *,
        loss: str = "logistic",
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alpha: float = 1e-6,
        features_per_step: int = 16,
        batch_size: int = 256,
        learning_rate: float | str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.loss = loss
        self.alpha = alpha
        self.features_per_step = features_per_step
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> DoublyStochasticClassifier:
        """Learn m features; ``progress(share done, text)`` after each step may raise to stop."""
        self._check_params()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._targets = Targets.of_labels(y)
        self.classes_ = classes = learn_classes(y)
        if self.loss == "logistic":
            labels, k = np.searchsorted(classes, y), self._targets.n_columns
            self._learn(X, lambda s, rows: LOSSES["logistic"](s, labels[rows])[1], np.zeros(k), progress)
        else:
            codes = self._targets.codes(y)
            self._learn(X, lambda s, rows: s - codes[rows], codes.mean(axis=0), progress)
        return self

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: Any, m: int | None = None) -> np.ndarray:
        """Predict the probability of each class, shape (n_samples, k); for the logistic loss alone."""
        return softmax_probabilities(self._scores(X, [self._check_m(m)])[0])
