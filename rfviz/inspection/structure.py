"""Linear or not: whether a linear model does as well as one on random features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata
from sklearn.linear_model import RidgeCV

from rfviz.analysis.logistic import fit_logistic
from rfviz.backend import single_threaded_blas
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.features.draws import generator
from rfviz.figures.lines import M_TITLE
from rfviz.figures.template import COLOURS, GREY, map_style, rgba, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT, level
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import SCORES, Picture, Question
from rfviz.inspection.raw import spread_rows
from rfviz.inspection.sample import Sample, scaling_of, take_sample
from rfviz.inspection.words import r_squared, share
from rfviz.linear_model import RidgePathClassifier, RidgePathRegressor
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = [
    "LARGE_GAIN",
    "SCORE",
    "Curve",
    "Gain",
    "Structure",
    "StructureResult",
    "Transformed",
    "agreement_of",
    "inspect_structure",
    "learnable",
    "losses_in_folds",
    "model_name",
    "plot_structure",
    "shown_score",
    "standard_error",
    "stratified_folds",
]

_ROWS, _FOLDS, _FEWEST_ROWS = 2500, 5, 40
_SMALLEST_CLASS, _FEWEST_DIFFERENT = 10, 10
# Of a class with a larger share of the rows only some are used.
_FREQUENT = 0.9
_GRID = (10, 20, 50, 100, 200, 400)
_SPECS: tuple[MapSpec[FeatureMap], ...] = (
    MapSpec(RandomFourier, gamma="median", random_state=0),
    MapSpec(RandomMaxout, pool_size=4, random_state=0),
)
_ALPHAS = np.logspace(-6, 1, 8)
# A difference is claimed where chance would give it once in a hundred data sets, over both maps together.
_FALSE_ALARM = 0.01
# Normal deviate that nine tenths exceed, with the other sign.
_NINE_OF_TEN = 1.28
# Of a target with many zeros or a heavy tail another form is tried.
_ZEROS, _HEAVY = 0.2, 30.0
# Columns predict a label if they leave no more than this share of what a guess gets wrong, or of a target's variance.
_HALF = 0.5
# A linear model that leaves fewer errors than this, and a tenth of a guess's, is suspiciously good.
_TOO_GOOD = 0.005
#: Gain over a linear model, or loss on other folds, that matters in practice, in accuracy or R².
LARGE_GAIN = 0.05
#: How the claimed score of a model is computed.
SCORE = (
    "The share of right labels (`unit` accuracy), or one less the mean squared error over the variance of all targets "
    "(R²). Rows are predicted by `model` after it was fitted to the other four of five `folds`. random: drawn, every "
    "class spread evenly; with other draws the score differs by about `error`. group: whole values of the column, "
    "about as many rows in each fold. order, file: stretches of rows in the order of the column or of the file, of "
    "each class by itself. Up to 2,500 rows are drawn; of a class with more than nine tenths of all rows, as many as "
    "all others have, at least 30. Columns are numbers and indicators of words, scaled by the rows fitted to; rows "
    "with gaps are left out, or filled in with medians, as the user chose, so that of `all rows` there are `usable "
    "rows`. guess: the largest class, or the mean, of the rows fitted to. linear: logistic regression, its inverse "
    "penalty of 0.001 to 100 chosen by the log loss of every fifth row, or ridge regression, its penalty chosen by "
    "leave-one-out errors. Else ridge regression on `features` random features of that name, with seed 0. `error`: of "
    "Nadeau and Bengio (2003), the root of 9/4 of the variance of the rows’ losses over their number."
)


@dataclass(frozen=True)
class Gain:
    """A difference of two scores on the same rows, with its standard error."""

    value: float
    error: float

    def is_real(self, comparisons: int = 1) -> bool:
        """Return whether it is larger than chance explains among this number of comparisons."""
        return bool(self.value > norm.isf(_FALSE_ALARM / comparisons) * self.error)

    def noticed(self, comparisons: int = 1) -> float:
        """Return the difference that would have been called real, in about nine of ten cases."""
        return float((norm.isf(_FALSE_ALARM / comparisons) + _NINE_OF_TEN) * self.error)

    def is_loss(self, comparisons: int = 1) -> bool:
        """Return whether it is negative by more than chance explains."""
        return Gain(-self.value, self.error).is_real(comparisons)


@dataclass(frozen=True, eq=False)
class Curve:
    """Scores of one feature map.

    Attributes
    ----------
    scores, errors : ndarray of shape (len(m_grid),)
        Cross-validated, with standard errors.
    gain : Gain
        Of the largest m over the linear model.
    agreement : float
        How many standard deviations predictions and labels agree more than if the labels were shuffled.
    losses : ndarray of shape (n_rows,)
        Of each row, with the largest m.
    """

    spec: MapSpec[FeatureMap]
    scores: np.ndarray
    errors: np.ndarray
    gain: Gain
    agreement: float
    losses: np.ndarray

    @property
    def label(self) -> str:
        """Its name for users."""
        return self.spec.cls.label


@dataclass(frozen=True, eq=False)
class Transformed:
    """Scores for another form of a target.

    Attributes
    ----------
    zeros : float
        Share of targets that are 0.
    reach : float
        How many times as far from the median as the quartiles are apart the farthest target lies.
    least : float
        The smallest target.
    linear, best : float
        R² of its ranks.
    """

    zeros: float
    reach: float
    least: float
    linear: float
    best: float
    has_signal: bool


@dataclass(frozen=True, eq=False)
class StructureResult:
    """Cross-validated scores: share of right labels, or R² of numbers.

    Attributes
    ----------
    guess : float
        Score of the largest class, or of the mean, of the training rows.
    linear, linear_error : float
        Of logistic regression on the columns, or of ridge regression where the target is a number.
    linear_agreement : float
        As of curves.
    linear_losses, guess_losses : ndarray of shape (n_rows,)
        Of each row.
    m_grid : tuple of int
    curves : tuple of Curve
    rows : ndarray of int, shape (n_rows,)
        Places in the data set of the rows that were used.
    largest : float or None
        The share of the largest class, if rows of it were left out.
    transformed : Transformed or None
        The same of the ranks of a target with many zeros or a heavy tail.
    """

    is_classification: bool
    n_rows: int
    n_folds: int
    guess: float
    linear: float
    linear_error: float
    linear_agreement: float
    linear_losses: np.ndarray
    guess_losses: np.ndarray
    m_grid: tuple[int, ...]
    curves: tuple[Curve, ...]
    rows: np.ndarray
    largest: float | None = None
    transformed: Transformed | None = None

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
        """Whether the predictions of any model agree with the labels by more than chance explains."""
        found = [self.linear_agreement, *(curve.agreement for curve in self.curves)]
        return bool(max(found) > norm.isf(_FALSE_ALARM / len(found)))

    @property
    def is_worse(self) -> bool:
        """Whether every map is worse than the linear model by more than chance explains."""
        return all(curve.gain.is_loss() for curve in self.curves)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model."""
        name = "right labels" if self.is_classification else "R²"
        rows = [("guess", pd.NA, self.guess, np.nan), ("linear", pd.NA, self.linear, self.linear_error)]
        for curve in self.curves:
            rows += [(curve.label, m, *pair) for m, *pair in zip(self.m_grid, curve.scores, curve.errors, strict=True)]
        return pd.DataFrame(rows, columns=["model", "features", name, "standard error"]).astype({"features": "Int64"})


def inspect_structure(dataset: Dataset, how: str = "automatic", progress: Progress = silent) -> StructureResult:
    """Compare a linear model of the columns with ridge regression on random features, by cross-validation.

    The linear model is logistic regression, or of numbers ridge regression.

    Every row is predicted once, by models trained on four other fifths. Means, widths and penalties are learnt from the
    training rows of each fold.

    Parameters
    ----------
    dataset : Dataset
        With labels; up to 2500 rows are used, drawn at random.
    how : str
        See :data:`rfviz.inspection.sample.SCALING`.

    Raises
    ------
    DataError
        Without labels, or with too few rows of two classes.
    """
    X, y, rows = learnable(dataset)
    is_classes = bool(dataset.target_names)
    result = _compare(X, y, rows, is_classes, scaling_of(dataset, how), progress)
    if is_classes and _has_frequent_class(dataset):
        result = replace(result, largest=float(np.bincount(y).max()) / len(y))
    zeros, reach = (0.0, 0.0) if is_classes else _tail(y)
    if zeros < _ZEROS and reach <= _HEAVY:
        return result
    ranks = norm.ppf((rankdata(y) - 0.5) / len(y))
    other = _compare(X, ranks, rows, False, scaling_of(dataset, how), progress)
    best = max(other.linear, *(curve.scores[-1] for curve in other.curves))
    return replace(result, transformed=Transformed(zeros, reach, float(y.min()), other.linear, best, other.has_signal))


def _tail(y: np.ndarray) -> tuple[float, float]:
    """Return the share of zeros of a target, and how many times as far from the middle as usual it reaches."""
    low, middle, high = np.quantile(y, (0.25, 0.5, 0.75))
    spread = high - low if high > low else float(np.mean(np.abs(y - middle)))
    return float(np.mean(y == 0)), float(np.abs(y - middle).max()) / max(float(spread), 1e-300)


def _compare(
    X: np.ndarray, y: np.ndarray, rows: np.ndarray, is_classes: bool, how: str, progress: Progress
) -> StructureResult:
    """Predict every row by models trained on four other fifths."""
    folds = stratified_folds(y if is_classes else np.zeros(len(y)), _FOLDS)
    grid = tuple(m for m in _GRID if m <= max(len(y) // 2, _GRID[1]))
    guess, linear = np.empty(len(y)), np.empty(len(y))
    losses = {spec: np.empty((len(grid), len(y))) for spec in _SPECS}
    predicted = {name: np.empty(len(y), dtype=y.dtype) for name in ("linear", *_SPECS)}
    with single_threaded_blas():  # short calls, which end sooner than other threads wake up
        for fold in range(_FOLDS):
            said, test, train = f"Linear against kernel: part {fold + 1} of {_FOLDS}", folds == fold, folds != fold
            progress(fold / _FOLDS, said)
            A, B = _fold_inputs(X[train], X[test], how)
            guess[test] = _guess_losses(y[train], y[test])
            targets, scores = _linear_scores(A, y[train], B)
            linear[test], predicted["linear"][test] = targets.errors(scores, y[test]), targets.predictions(scores)
            for number, spec in enumerate(_SPECS):
                progress((fold + (number + 1) / 3) / _FOLDS, said)
                targets, path = _path_scores(spec, grid, A, y[train], B)
                losses[spec][:, test] = [targets.errors(scores, y[test]) for scores in path]
                predicted[spec][test] = targets.predictions(path[-1])
    agreement = {name: agreement_of(found, y, folds, is_classes) for name, found in predicted.items()}
    return _summary(is_classes, y, rows, grid, guess, linear, losses, agreement)


def agreement_of(predicted: np.ndarray, y: np.ndarray, folds: np.ndarray, is_classes: bool) -> float:
    """Return how many standard deviations predictions agree more with labels than with shuffled ones.

    Labels are thought to be shuffled within each fold, whose predictions do not know them: the mean and the variance of
    the number of matches, or of the sum of products of ranks, are then known exactly.

    Parameters
    ----------
    predicted, y : ndarray of shape (n,)
    folds : ndarray of int, shape (n,)
    """
    excess = variance = 0.0
    for fold in np.unique(folds):
        p, t = predicted[folds == fold], y[folds == fold]
        n = len(p)
        if n < 2:
            continue
        if is_classes:
            kinds = np.unique(np.concatenate([p, t]))
            a, b = (np.array([np.sum(side == kind) for kind in kinds], dtype=float) for side in (p, t))
            mean = float(a @ b) / n
            excess += float(np.sum(p == t)) - mean
            # Var Σ_c N_cc of a table with given margins.
            same = float(np.sum(a * (a - 1) * b * (b - 1))) / (n * (n - 1))
            cross = float((a @ b) ** 2 - np.sum(a * a * b * b)) / (n * (n - 1))
            variance += same + cross + mean - mean**2
        else:
            x, z = rankdata(p), rankdata(t)
            x, z = x - x.mean(), z - z.mean()
            excess += float(x @ z)
            variance += float(x @ x) * float(z @ z) / (n - 1)
    return excess / np.sqrt(variance) if variance > 0 else 0.0


def _has_frequent_class(dataset: Dataset) -> bool:
    return dataset.y is not None and np.bincount(dataset.y).max() > _FREQUENT * len(dataset.y)


def learnable(dataset: Dataset, most: int = _ROWS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose the rows to use, and return them, not scaled, with their labels and places.

    Parameters
    ----------
    dataset : Dataset
    most : int
        Rows at most.

    Raises
    ------
    DataError
        Where nothing can be learnt from them.
    """
    if dataset.y is None:
        raise DataError("There are no labels to learn. Name the column that holds them.")
    if dataset.n_samples < _FEWEST_ROWS:
        raise DataError(f"Learning needs at least {_FEWEST_ROWS} rows to hold some out; there are {dataset.n_samples}.")
    rows = take_sample(dataset, "none", most).places
    if dataset.target_names and _has_frequent_class(dataset):
        rows = np.sort(spread_rows(dataset.n_samples, most, dataset.y, times=1))
    y = dataset.y[rows]
    if dataset.target_names:
        counts = np.sort(np.unique(y, return_counts=True)[1])[::-1]
        if len(counts) < 2 or counts[1] < _SMALLEST_CLASS:
            raise DataError(f"Learning needs two classes of at least {_SMALLEST_CLASS} rows each.")
    elif not np.var(y) > 0:
        raise DataError("The target is the same number in every row: there is nothing to learn.")
    X = dataset.X[rows].astype(np.float64)
    # Of rows that are nearly all equal, most are equal to one of a few.
    n_other = min(int(np.any(row != X, axis=1).sum()) for row in X[:: max(len(X) // 5, 1)])
    if n_other < _FEWEST_DIFFERENT:
        but = f" but {n_other}" if n_other else ""
        raise DataError(f"All rows{but} are equal in the columns used: there is too little to learn from.")
    return X, y, rows


def stratified_folds(y: np.ndarray, n_folds: int) -> np.ndarray:
    """Return a fold for each row, at random, with every class spread evenly over the folds.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels.

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


def _linear_scores(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> tuple[Targets, np.ndarray]:
    """Return scores of a linear model: logistic regression, or of numbers ridge regression, on the columns."""
    targets = Targets.learn(y)
    if targets.classes is not None:
        coef, intercept = fit_logistic(X, np.searchsorted(targets.classes, y))
        return targets, X_test @ coef + intercept
    size = max(float(np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=0))), 1e-12)
    ridge = RidgeCV(alphas=_ALPHAS * size).fit(X, targets.codes(y))
    return targets, ridge.predict(X_test).reshape(len(X_test), -1)


def _path_scores(
    spec: MapSpec[FeatureMap], grid: Sequence[int], X: np.ndarray, y: np.ndarray, X_test: np.ndarray
) -> tuple[Targets, list[np.ndarray]]:
    """Return the scores for every m of the grid."""
    targets = Targets.learn(y)
    kind = RidgePathRegressor if targets.classes is None else RidgePathClassifier
    return targets, kind(spec.make(n_components=grid[-1]), m_grid=list(grid)).fit(X, y).decision_path(X_test)


def _summary(
    is_classes: bool,
    y: np.ndarray,
    rows: np.ndarray,
    grid: tuple[int, ...],
    guess: np.ndarray,
    linear: np.ndarray,
    losses: dict[MapSpec[FeatureMap], np.ndarray],
    agreement: Mapping[Any, float],
) -> StructureResult:
    """Turn the losses of single rows into scores with standard errors."""
    unit = 1.0 if is_classes else float(np.var(y))

    def score(loss: np.ndarray) -> float:
        return float(1.0 - loss.mean() / unit)

    def error(loss: np.ndarray) -> float:
        return standard_error(loss) / unit

    curves = []
    for spec, loss in losses.items():
        scores, errors = np.array([score(row) for row in loss]), np.array([error(row) for row in loss])
        gain = Gain(scores[-1] - score(linear), error(linear - loss[-1]))
        curves.append(Curve(spec, scores, errors, gain, agreement[spec], loss[-1]))
    return StructureResult(
        is_classes,
        len(y),
        _FOLDS,
        score(guess),
        score(linear),
        error(linear),
        agreement["linear"],
        linear,
        guess,
        grid,
        tuple(curves),
        rows,
    )


def standard_error(loss: np.ndarray) -> float:
    """Return the standard error of a mean of cross-validated losses, or of differences of two."""
    # Models of two folds share most of their training rows; Nadeau and Bengio (2003) make up for it by this factor.
    shared = 1.0 + _FOLDS / (_FOLDS - 1)
    return float(np.sqrt(shared * np.var(loss, ddof=1) / len(loss)))


def losses_in_folds(
    X: np.ndarray, y: np.ndarray, folds: np.ndarray, spec: MapSpec[FeatureMap] | None, how: str
) -> np.ndarray:
    """Return the loss of each row, predicted by a model trained on the other folds.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Class codes or targets.
    folds : ndarray of int, shape (n,)
    spec : MapSpec or None
        Features to learn from; None for the columns themselves.
    how : str
        A normalisation.
    """
    losses = np.empty(len(y))
    grid = [max(m for m in _GRID if m <= max(len(y) // 2, _GRID[1]))]
    with single_threaded_blas():
        for fold in np.unique(folds).tolist():
            test, train = folds == fold, folds != fold
            A, B = _fold_inputs(X[train], X[test], how)
            if y.dtype.kind != "f" and len(np.unique(y[train])) < 2:
                losses[test] = y[test] != y[train][0]
                continue
            targets, scores = _linear_scores(A, y[train], B) if spec is None else (Targets.learn(y[train]), None)
            if spec is not None:
                targets, path = _path_scores(spec, grid, A, y[train], B)
                scores = path[-1]
            losses[test] = targets.errors(scores, y[test])  # pyright: ignore[reportArgumentType]
    return losses


class Structure(Question[StructureResult]):
    """Whether random features learn what a linear model does not."""

    name, key = "Linear or not", "structure"
    cost = 5
    settings = ("normalise",)
    formats: ClassVar = {"standard error": "%.4f", **SCORES}
    method = (
        "**Linear or not.** Five-fold cross-validation: logistic regression on the columns (of numbers to predict, "
        "ridge regression), and ridge regression on up to 400 random features of them. Scaling, widths and "
        "penalties are learnt within the training rows. A gain counts as real where chance would bring it about "
        "once in a hundred data sets, with the errors of Nadeau and Bengio (2003); the gain that is said to be "
        "noticed would be found in about nine of ten. Whether predictions agree with labels at all is judged "
        "against shuffled labels. If one class has nine tenths of the rows, only as many of its rows are used as "
        "all others have together, so that a guess is right half of the time."
    )

    kinds: ClassVar = {
        "score": SCORE,
        "gain": (
            "The score of `model` less that of a linear model on the same rows and folds. `error`: as of a score, of "
            "the differences of losses. If the gain is no larger than chance brings in one of a hundred tables (over "
            "both maps), one of `least` would have been in about nine of ten."
        ),
        "agreement": (
            "How many standard deviations the predictions of `model` agree more with the labels (the number of "
            "matches, or the sum of products of ranks) than labels shuffled within folds. Predictions that agree by "
            "less than what chance brings in one of a hundred tables, over all models, find nothing."
        ),
        "largest class share": (
            "The share of the largest class among the rows that were used, where only some of its rows are."
        ),
        "zeros": "The share of targets that are 0, told next to other peculiarities of a target.",
        "farthest target": (
            "How far the farthest target lies from the median, over the distance of the quartiles (or the mean "
            "absolute deviation from the median, if these are equal)."
        ),
        "least target": "The smallest target that was used.",
        "score of ranks": "The largest score, as above, of the normal scores of the target’s ranks, of all models.",
    }

    def compute(self, inspection: Inspection) -> StructureResult:
        return inspect_structure(inspection.dataset, inspection.source.normalise, inspection.progress)

    def claims(self, result: StructureResult, inspection: Inspection) -> Iterator[Claim]:
        n, best, label = result.n_rows, result.best, inspection.raw.label_columns
        unit = {"unit": "accuracy" if result.is_classification else "R²"}
        random = unit | {"folds": "random", "scaling": inspection.source.normalise}
        yield Claim("score", result.guess, label, n, of=random | {"model": "guess"} | inspection.rows.counts)
        yield Claim("score", result.linear, label, n, of=random | {"model": "linear", "error": result.linear_error})
        yield Claim("agreement", result.linear_agreement, label, n, of={"model": "linear"})
        for curve in sorted(result.curves, key=lambda curve: curve is not best):
            model, n_curves = {"model": curve.label, "features": result.m_grid[-1]}, len(result.curves)
            error, gain = float(curve.errors[-1]), curve.gain
            yield Claim("score", float(curve.scores[-1]), label, n, of=random | model | {"error": error})
            least = None if gain.is_real(n_curves) else gain.noticed(n_curves)
            yield Claim("gain", float(gain.value), label, n, least, unit | model | {"error": gain.error})
            yield Claim("agreement", curve.agreement, label, n, of=model)
        if result.largest is not None:
            yield Claim("largest class share", result.largest, label, n)
        if (other := result.transformed) is not None:
            yield Claim("zeros", other.zeros, label, n)
            yield Claim("farthest target", other.reach, label, n)
            yield Claim("least target", other.least, label, n)
            yield Claim("score of ranks", float(other.best), label, n, of=unit | {"is learnt": other.has_signal})
        splits = inspection.answer("groups")  # by its name, for it asks this question itself
        if splits is not None and (worst := splits.worst) is not None:
            model = {"model": splits.model, "folds": worst.kind, "scaling": inspection.source.normalise}
            group = (worst.column,) if worst.column else ()
            yield Claim("score", worst.score, (*group, *label), n, of=unit | model)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        guess, linear, best, *others = claims.of("score")
        gain, n, is_classes = claims.of("gain")[0], guess.n_rows, guess.of["unit"] == "accuracy"
        apart = next((claim for claim in others if claim.of["folds"] != "random"), None)
        values = {"maps": ["RandomFourier", "RandomMaxout"], "normalise": inspection.source.normalise}
        line, top, guessed = map(shown_score, (linear, best, guess))
        guessed = guessed if is_classes else "R² 0"
        of = f"by {counted(n, 'row')}{inspection.rows.of_all(n)}{_of_the_largest(claims)}"
        step = f"{100 * abs(gain.value):.1f} ± {100 * gain.of['error']:.1f} points"
        gains = [Gain(claim.value, claim.of["error"]) for claim in claims.of("gain")]
        ranks, status = claims.get("score of ranks"), "look"
        if apart is not None:
            unseen = {
                "group": "unseen “{}”",
                "order": "unseen stretches of “{}”",
                "file": "unseen stretches of the file",
            }
            text = (
                f"On random rows a linear model reaches {line} and random features {top}, but "
                f"{model_name(apart)} only {shown_score(apart)} on {unseen[apart.of['folds']].format(*apart.columns)}: "
                "judge models there, not on random rows"
            )
        elif any(one.is_real(len(gains)) for one in gains):
            text = (
                f"There is structure that a linear model misses: it reaches {line}, {best.of['model']} features {top} "
                f"({step} more)"
            )
        elif not _has_signal(claims):
            what = "the labels depend" if is_classes else "the target depends"
            literally = max(linear.value, best.value) <= (guess.value if is_classes else 0.0)
            text = (
                f"A linear model ({line}) and random features ({top}) are no better than a guess ({guessed})"
                f"{'' if literally else ' by more than chance brings'}: neither finds that {what} on the columns"
            )
            if ranks is not None:
                text += f". The target has {_peculiarity(claims)}"
                if ranks.of["is learnt"]:
                    text += f"; its ranks can be learnt (R² {ranks.value:.2f}), so predict {_other_form(claims)}"
                else:
                    text += "; its ranks cannot be learnt either"
        elif ranks is not None and ranks.value > max(linear.value, best.value) + 0.1:
            text = (
                f"A linear model reaches {line} and random features {top}, but R² {ranks.value:.2f} of the target’s "
                f"ranks. The target has {_peculiarity(claims)}: predict {_other_form(claims)}"
            )
        elif all(one.is_loss() for one in gains):
            text = (
                f"A linear model reaches {line}, random features {top}: {step} less. {best.of['features']} features "
                "with one width for all columns can blur what single columns say"
            )
            status = "fine"
        else:
            clear = is_classes and linear.value > guess.value + 0.5 * linear.of["error"]
            label = "label" if is_classes else "target"
            unexplained = (1.0 - linear.value) / (1.0 - guess.value if is_classes else 1.0)
            tell = "predict" if unexplained <= _HALF else "tell something about"
            shown = f"; a guess, {guessed}" if clear else ""
            text = (
                f"The columns {tell} the {label}: a linear model reaches {line}, random features {top}{shown}. "
                f"{_no_gain(gains[0], gain.least)}"
            )
            status = "fine"
        if is_classes and 1.0 - linear.value <= min(_TOO_GOOD, 0.1 * (1.0 - guess.value)):
            text += ". So few errors are rare: check that no columns were computed from the label"
            status = "look"
        return self.say(status, f"{text}. Judged {of}.", "accuracy", values)

    def pictures(self, result: StructureResult) -> Iterator[Picture]:
        words = "Scores of random features against their number, and of a linear model."
        yield Picture("structure", result, plot_structure, words)

    def note(self, result: StructureResult) -> str:
        return f"Cross-validated on {result.n_rows:,} rows in {result.n_folds} parts."


def shown_score(claim: Claim) -> str:
    """Write a claimed score in its unit."""
    return share(claim.value) if claim.of["unit"] == "accuracy" else r_squared(claim.value)


def model_name(claim: Claim) -> str:
    """Return what a claim calls its model, as a part of a sentence."""
    return "a linear model" if claim.of["model"] == "linear" else f"{claim.of['model']} features"


def _has_signal(claims: Claims) -> bool:
    found = [claim.value for claim in claims.of("agreement")]
    return max(found) > norm.isf(_FALSE_ALARM / len(found))


def _of_the_largest(claims: Claims) -> str:
    """Say how many rows are of the largest class, where only some of these are used."""
    part = claims.value("largest class share")
    if part is None:
        return ""
    return f", {'half' if abs(part - 0.5) < 0.005 else share(part)} of them of the largest class"


def _peculiarity(claims: Claims) -> str:
    """Return a clause about many zeros or a heavy tail of a target."""
    zeros, reach = claims.value("zeros"), claims.value("farthest target")
    said = [f"{share(zeros)} zeros"] if zeros >= _ZEROS else []
    said += [f"values up to {reach:,.0f} times as far from the middle as usual"] if reach > _HEAVY else []
    return " and ".join(said)


def _other_form(claims: Claims) -> str:
    """Return what to predict instead of a target: only numbers above 0 have a logarithm."""
    return "its logarithm or its rank" if claims.value("least target") > 0 else "its rank"


def _no_gain(gain: Gain, least: float | None) -> str:
    """Say of a difference that is not real how large it is, and how large it had to be."""
    if not gain.error:
        return "Random features get the same rows right: a linear model is enough"
    verb = "lose" if gain.value < 0 else "gain"
    size = f"Random features {verb} {100 * abs(gain.value):.1f} ± {100 * gain.error:.1f} points, which may be chance"
    if gain.value >= LARGE_GAIN:
        return f"{size}: only more rows can tell"
    least = least or 0.0
    noticed = f"{size}; a gain of {100 * least:.1f} points would have been noticed"
    return noticed if least >= LARGE_GAIN else f"{noticed}, so a linear model is enough"


def plot_structure(result: StructureResult, revision: str = "") -> go.Figure:
    """Draw cross-validated scores against the number of features, and those of a linear model and of a guess.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    ends = np.array([result.m_grid[0], result.m_grid[-1]], dtype=float)
    unit = 100.0 if result.is_classification else 1.0
    traces = [
        level("linear model", ends, unit * result.linear, unit * result.linear_error, COLOURS[2], "dashdot"),
        level(
            "always the largest class" if result.is_classification else "always the mean",
            ends,
            unit * result.guess,
            0.0,
            GREY,
            "dot",
        ),
    ]
    for curve in result.curves:
        style = map_style(curve.spec.cls)
        traces.append(
            trace(
                "scatter",
                x=np.array(result.m_grid, dtype=float),
                y=unit * curve.scores,
                mode="lines+markers",
                name=curve.label,
                line={"color": style.colour, "dash": style.dash, "width": 2.5},
                marker={"symbol": style.symbol, "size": 9},
                error_y={"type": "data", "array": unit * curve.errors, "color": rgba(style.colour, 0.6), "width": 3},
                hovertemplate="%{x:.0f} features: %{y:.3g}<extra>" + curve.label + "</extra>",
            )
        )
    return styled(
        traces,
        x=M_TITLE,
        y="right labels, %" if result.is_classification else "R²",
        height=HEIGHT,
        revision=revision,
        xaxis={"type": "log", "tickvals": list(result.m_grid), "ticktext": [str(m) for m in result.m_grid]},
    )
