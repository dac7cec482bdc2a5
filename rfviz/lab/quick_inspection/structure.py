"""Linear or not: whether a linear model does as well as one on random features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.linear_model import RidgeCV

from rfviz.backend import single_threaded_blas
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.features.draws import generator
from rfviz.lab.quick_inspection.sample import Sample, scaling_of, take_sample
from rfviz.linear_model import RidgePath
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["Curve", "Gain", "StructureResult", "inspect_structure", "stratified_folds"]

_ROWS, _FOLDS, _FEWEST_ROWS = 2500, 5, 40
_SMALLEST_CLASS = 10
_GRID = (10, 20, 50, 100, 200, 400)
_SPECS: tuple[MapSpec[FeatureMap], ...] = (
    MapSpec(RandomFourier, gamma="median", random_state=0), MapSpec(RandomMaxout, pool_size=4, random_state=0),
)  # fmt: skip
_ALPHAS = np.logspace(-6, 1, 8)
# A difference is claimed where chance would give it once in a hundred data sets, over both maps together.
_FALSE_ALARM = 0.01


@dataclass(frozen=True)
class Gain:
    """A difference of two scores on the same rows, with its standard error."""

    value: float
    error: float

    def is_real(self, comparisons: int = 1) -> bool:
        """Return whether it is larger than chance explains, among so many comparisons."""
        return bool(self.value > norm.isf(_FALSE_ALARM / comparisons) * self.error)


@dataclass(frozen=True, eq=False)
class Curve:
    """Scores of one feature map.

    Attributes
    ----------
    spec : MapSpec
    scores, errors : ndarray of shape (len(m_grid),)
        Cross-validated, with standard errors.
    gain, over_guess : Gain
        Of the largest m over the linear model, and over the guess.
    reached : int
        The smallest m whose score is within a standard error of that of the largest.
    """

    spec: MapSpec[FeatureMap]
    scores: np.ndarray
    errors: np.ndarray
    gain: Gain
    over_guess: Gain
    reached: int

    @property
    def label(self) -> str:
        """Its name for users."""
        return self.spec.cls.label


@dataclass(frozen=True, eq=False)
class StructureResult:
    """Cross-validated scores: share of right labels, or R² of numbers.

    Attributes
    ----------
    is_classification : bool
    n_rows, n_folds : int
    guess : float
        Score of the largest class, or of the mean, of the training rows.
    linear, linear_error : float
        Of ridge regression on the columns.
    over_guess : Gain
        Of the linear model over the guess.
    m_grid : tuple of int
    curves : tuple of Curve
    """

    is_classification: bool
    n_rows: int
    n_folds: int
    guess: float
    linear: float
    linear_error: float
    over_guess: Gain
    m_grid: tuple[int, ...]
    curves: tuple[Curve, ...]

    @property
    def best(self) -> Curve:
        """The map whose gain over the linear model is the clearest."""
        return max(self.curves, key=lambda curve: curve.gain.value / max(curve.gain.error, 1e-12))

    @property
    def is_nonlinear(self) -> bool:
        """Whether a map is better than the linear model by more than chance explains."""
        return any(curve.gain.is_real(len(self.curves)) for curve in self.curves)

    @property
    def has_signal(self) -> bool:
        """Whether any model is better than the guess by more than chance explains."""
        gains = [self.over_guess, *(curve.over_guess for curve in self.curves)]
        return any(gain.is_real(len(gains)) for gain in gains)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model."""
        name = "right labels" if self.is_classification else "R²"
        rows = [("guess", pd.NA, self.guess, np.nan), ("linear", pd.NA, self.linear, self.linear_error)]
        for curve in self.curves:
            rows += [(curve.label, m, *pair) for m, *pair in zip(self.m_grid, curve.scores, curve.errors, strict=True)]
        return pd.DataFrame(rows, columns=["model", "features", name, "standard error"]).astype({"features": "Int64"})


def inspect_structure(dataset: Dataset, how: str = "automatic", progress: Progress = silent) -> StructureResult:
    """Compare ridge regression on the columns with ridge regression on random features, by cross-validation.

    Every row is predicted once, by models trained on four other fifths. Means, widths and penalties are learnt from the
    training rows of each fold.

    Parameters
    ----------
    dataset : Dataset
        With labels; up to 2500 rows are used, drawn at random.
    how : str
        See :data:`rfviz.lab.quick_inspection.sample.SCALING`.
    progress : callable

    Raises
    ------
    DataError
        Without labels, or with too few rows of two classes.
    """
    X, y = _learnable(dataset)
    is_classes = bool(dataset.target_names)
    folds = stratified_folds(y if is_classes else np.zeros(len(y)), _FOLDS)
    grid, how = tuple(m for m in _GRID if m <= max(len(y) // 2, _GRID[1])), scaling_of(dataset, how)
    guess, linear = np.empty(len(y)), np.empty(len(y))
    losses = {spec: np.empty((len(grid), len(y))) for spec in _SPECS}
    with single_threaded_blas():  # short calls, which end sooner than other threads wake up
        for fold in range(_FOLDS):
            said, test, train = f"Linear against kernel: part {fold + 1} of {_FOLDS}", folds == fold, folds != fold
            progress(fold / _FOLDS, said)
            A, B = _fold_inputs(X[train], X[test], how)
            guess[test] = _guess_losses(y[train], y[test])
            linear[test] = _linear_losses(A, y[train], B, y[test])
            for number, spec in enumerate(_SPECS):
                progress((fold + (number + 1) / 3) / _FOLDS, said)
                losses[spec][:, test] = _path_losses(spec, grid, A, y[train], B, y[test])
    return _summary(is_classes, y, grid, guess, linear, losses)


def _learnable(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Choose the rows to use, and return them with their labels.

    Raises
    ------
    DataError
        Where nothing can be learnt from them.
    """
    if dataset.y is None:
        raise DataError("There are no labels to learn. Give the file a column called label or target.")
    if dataset.n_samples < _FEWEST_ROWS:
        raise DataError(f"Learning needs at least {_FEWEST_ROWS} rows to hold some out; there are {dataset.n_samples}.")
    rows = take_sample(dataset, "none", _ROWS).rows
    y = dataset.y[rows]
    if dataset.target_names:
        counts = np.sort(np.unique(y, return_counts=True)[1])[::-1]
        if len(counts) < 2 or counts[1] < _SMALLEST_CLASS:
            raise DataError(f"Learning needs two classes of at least {_SMALLEST_CLASS} rows each.")
    elif not np.ptp(y) > 0:
        raise DataError("The target is the same number in every row: there is nothing to learn.")
    return dataset.X[rows].astype(np.float64), y


def stratified_folds(y: np.ndarray, n_folds: int) -> np.ndarray:
    """Return a fold for each row, at random, with every class spread evenly over the folds.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels.
    n_folds : int

    Returns
    -------
    ndarray of int, shape (n,)
        From 0 to `n_folds` − 1.
    """
    order = generator(0, 4).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    folds = np.empty(len(y), dtype=int)
    folds[order] = np.arange(len(y)) % n_folds
    return folds


def _fold_inputs(train: np.ndarray, test: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts in the units of the training rows; of wide data in a basis of their span."""
    sample: Sample = take_sample(Dataset("fold", train), how, len(train), train.size)
    n, both = len(train), np.concatenate([sample.X, sample.scaled(test)])
    if both.shape[1] > 2 * len(both):
        values, vectors = np.linalg.eigh(both @ both.T)
        both = vectors * np.sqrt(np.maximum(values, 0.0))
    return both[:n], both[n:]


def _guess_losses(y: np.ndarray, y_test: np.ndarray) -> np.ndarray:
    """Return the losses of the mean, or of the largest class."""
    if y.dtype.kind == "f":
        return (y_test - y.mean()) ** 2
    values, counts = np.unique(y, return_counts=True)
    return (y_test != values[np.argmax(counts)]).astype(float)


def _linear_losses(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> np.ndarray:
    """Return the losses of ridge regression on the columns, its penalty by leave-one-out within the training rows."""
    targets = Targets.learn(y)
    size = max(float(np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=0))), 1e-12)
    ridge = RidgeCV(alphas=_ALPHAS * size).fit(X, targets.codes(y))
    return targets.errors(ridge.predict(X_test).reshape(len(y_test), -1), y_test)


def _path_losses(
    spec: MapSpec[FeatureMap], grid: Sequence[int], X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray
) -> np.ndarray:
    """Return the losses for every m, shape (len(grid), n_test)."""
    path = RidgePath(spec.make(n_components=grid[-1]), m_grid=list(grid)).fit(X, y)
    targets = Targets.learn(y)
    return np.stack([targets.errors(scores, y_test) for scores in path.decision_path(X_test)])


def _summary(
    is_classes: bool,
    y: np.ndarray,
    grid: tuple[int, ...],
    guess: np.ndarray,
    linear: np.ndarray,
    losses: dict[MapSpec[FeatureMap], np.ndarray],
) -> StructureResult:
    """Turn the losses of single rows into scores with standard errors."""
    unit = 1.0 if is_classes else float(np.var(y))

    def score(loss: np.ndarray) -> float:
        return float(1.0 - loss.mean() / unit)

    def error(loss: np.ndarray) -> float:
        # Models of two folds share most of their training rows; Nadeau and Bengio (2003) make up for it by this factor.
        shared = 1.0 + _FOLDS / (_FOLDS - 1)
        return float(np.sqrt(shared * np.var(loss, ddof=1) / len(loss)) / unit)

    curves = []
    for spec, loss in losses.items():
        scores, errors = np.array([score(row) for row in loss]), np.array([error(row) for row in loss])
        gain = Gain(scores[-1] - score(linear), error(linear - loss[-1]))
        over = Gain(scores[-1] - score(guess), error(guess - loss[-1]))
        reached = grid[int(np.argmax(scores >= scores[-1] - errors[-1]))]
        curves.append(Curve(spec, scores, errors, gain, over, reached))
    over = Gain(score(linear) - score(guess), error(guess - linear))
    return StructureResult(
        is_classes, len(y), _FOLDS, score(guess), score(linear), error(linear), over, grid, tuple(curves)
    )
