"""Linear classification on random features by stochastic gradients, for more features than a Gram matrix can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import array_namespace, get_device, to_host
from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.descent import Descent, feature_moments, schedule, shuffled_blocks
from rfviz.linear_model.losses import LOSSES, softmax_probabilities
from rfviz.params import Param
from rfviz.random_state import random_rows

__all__ = ["PROBE_ROWS", "StochasticClassifier", "epoch_report", "known_classes", "learn_classes", "positions"]

Progress = Callable[[float, str], None]
Report = Callable[[float, float], None]
# The rows whose features say how long a first step may be.
PROBE_ROWS = 256


class StochasticClassifier(ClassifierMixin, BaseEstimator):
    r"""Multinomial logistic regression, or a multiclass support vector machine, on blocks of random features.

    .. math:: \min_{W, b} \; \frac1n \sum_i \ell(W \Phi(x_i) + b,\, y_i) + \frac\alpha2 \lVert W \rVert^2

    Neither the feature matrix nor a Gram matrix is formed: memory is O(m·k) and a block of features, whatever the
    number of rows. Two classes share one weight vector, as in scikit-learn, so that with C = 1/(n·alpha) the minimum is
    that of ``LogisticRegression`` and of ``LinearSVC(loss="hinge")``; for more classes the hinge is that of Crammer and
    Singer. The intercept is not penalised.

    Cost: O(n·(d + k)·m) an epoch for maps of O(d·m) a row, most of it the features, which are computed again each time.
    Caveat: a few epochs stop early, which regularises in addition to `alpha`; watch `loss_curve_` before reading
    `alpha`.

    Parameters
    ----------
    feature_map : FeatureMap
        Cloned and fitted; its `device` is where the weights are while they learn.
    loss : {"logistic", "hinge", "exponential"}
    alpha : float
        Penalty per sample.
    epochs : int or "auto"
        Passes over the rows, each in a new order; ``"auto"`` makes at least 5, and as many as 400 steps take.
    batch_size : int or "auto"
        Rows of a gradient step; ``"auto"`` is a twentieth of the rows, from 32 to 256. Batches of a pass are equally
        large but for one row.
    learning_rate : "auto" or float
        First step; ``"auto"`` makes it move a score by a few units, whatever the scale and number of features.
    optimizer : {"adagrad", "sgd"}
        AdaGrad scales each weight's step by its past gradients; SGD's steps fall as 1/√(1 + t/100).
    average : bool
        Whether to return a mean of the iterates that weighs late ones more (Shamir and Zhang), not the last one.
    fit_intercept : bool
    random_state : int, RandomState, Generator or None
        Order of the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    feature_map_ : FeatureMap
        The fitted map.
    coef_ : ndarray of shape (k, m), or (1, m) for two classes
    intercept_ : ndarray of shape (k,) or (1,)
    loss_curve_ : list of float
        Objective of each pass: mean loss of the rows as they were met, before they were learnt, plus the penalty.
    learning_rate_ : float
        First step of the coefficients.

    References
    ----------
    J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011.
    O. Shamir, T. Zhang, "Stochastic gradient descent for non-smooth optimization", 2013.
    """

    params: ClassVar[tuple[Param, ...]] = (
        Param("loss", "logistic", "choice", choices=tuple(LOSSES), label="Loss"),
        Param("alpha", 1e-6, "float", low=0, log=True, symbol=r"\alpha", label="Penalty"),
        Param("epochs", "auto", "int", low=1, choices=("auto",), label="Passes over the data"),
        Param("batch_size", "auto", "int", low=1, log=True, choices=("auto",), label="Rows a step"),
        Param("learning_rate", "auto", "float", low=0, open_low=True, choices=("auto",), label="First step"),
        Param("optimizer", "adagrad", "choice", choices=("adagrad", "sgd"), label="Optimizer"),
        Param("average", True, "bool", label="Average the iterates"),
        Param("fit_intercept", True, "bool", label="Intercept"),
    )

    def __init__(
        self,
        feature_map: Any,
        loss: str = "logistic",
        alpha: float = 1e-6,
        epochs: int | str = "auto",
        batch_size: int | str = "auto",
        learning_rate: float | str = "auto",
        optimizer: str = "adagrad",
        average: bool = True,
        fit_intercept: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.loss = loss
        self.alpha = alpha
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.average = average
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> StochasticClassifier:
        """Learn from all rows, `epochs` times.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, numbers or text.
        progress : callable, optional
            ``progress(share done, text)`` after each block of features. What it raises ends the fit and comes through;
            nothing is stored then.

        Returns
        -------
        self

        Raises
        ------
        DataError
            For labels of a single class, targets that are not classes, or features that are not finite.
        ParameterError, MemoryBudgetError
            For a parameter that breaks its rule, a learning rate that makes the loss overflow, weights that do not fit.
        """
        settings = self._check_params()
        X, y = self._check_data(X, y, reset=True)
        classes = learn_classes(y)
        labels = np.searchsorted(classes, y)
        feature_map = _fitted(self.feature_map, X)
        rng = random_rows(self.random_state)
        epochs, _ = schedule(len(y), self.epochs, self.batch_size)
        orders = (rng.permutation(len(y)) for _ in range(epochs))
        first = next(orders)
        descent = self._start(feature_map, X[first[:PROBE_ROWS]], len(classes), settings)
        curve: list[float] = []
        for epoch, order in enumerate((first, *orders)):
            report = epoch_report(progress, epoch, epochs)
            curve.append(self._pass(feature_map, descent, X, labels, order, report))
        return self._store(feature_map, classes, descent, curve)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> StochasticClassifier:
        """Learn from these rows once, in the order given, starting from the present weights.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The first call also fits the feature map.
        y : array-like of shape (n_samples,)
        classes : array-like of shape (k,), optional
            All labels that will ever come; needed in the first call, and the same afterwards if given.

        Raises
        ------
        DataError, ParameterError
            For a label that is not among the classes, a first call that names none, and as :meth:`fit`.
        """
        settings = self._check_params()
        known = known_classes(classes, getattr(self, "classes_", None))
        X, y = self._check_data(X, y, reset=not hasattr(self, "classes_"))
        labels = positions(y, known)
        if hasattr(self, "classes_"):
            feature_map, descent = self.feature_map_, self._descent.moved(get_device(_device_of(self.feature_map_)))
            descent.settings = settings
        else:
            feature_map = _fitted(self.feature_map, X)
            descent = self._start(feature_map, X[:PROBE_ROWS], len(known), settings)
        loss = self._pass(feature_map, descent, X, labels, np.arange(len(y)), epoch_report(None, 0, 1))
        return self._store(feature_map, known, descent, [*getattr(self, "loss_curve_", []), loss])

    def _check_params(self) -> dict[str, Any]:
        if not hasattr(self.feature_map, "transform_blocks"):
            raise ParameterError("feature_map", "must have transform_blocks", self.feature_map, "Pass a FeatureMap.")
        return {param.name: param.validate(getattr(self, param.name)) for param in self.params}

    def _check_data(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        checked: Any = validate_data(self, X, y, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32])
        return checked

    def _start(self, feature_map: Any, probe: Any, n_classes: int, settings: dict[str, Any]) -> Descent:
        device = get_device(_device_of(feature_map))
        with device.activate():
            moments = feature_moments(feature_map.transform_blocks(probe))
            return Descent.start(moments, 1 if n_classes == 2 else n_classes, device, settings)

    def _pass(self, feature_map: Any, descent: Descent, X: Any, labels: Any, order: Any, report: Report) -> float:
        """Learn from the rows of `X` in the order given; return the mean objective during the pass."""
        n_samples, total, done = len(order), 0.0, 0
        _, batch_size = schedule(n_samples, self.epochs, self.batch_size)
        with get_device(_device_of(feature_map)).activate():
            for block, rows, cuts in shuffled_blocks(feature_map, X, order, batch_size):
                total += descent.learn(descent.centred(block), labels[rows], cuts)
                done += len(rows)
                report(done / n_samples, total / done)
            objective = total / n_samples + descent.penalty()
        if not np.isfinite(objective):
            if self.learning_rate == "auto":
                raise DataError("The loss is not finite: features differ too much in size. Rescale the data.")
            raise ParameterError("learning_rate", "must keep the loss finite", self.learning_rate, "Try 'auto'.")
        return objective

    def _store(
        self, feature_map: Any, classes: np.ndarray, descent: Descent, curve: list[float]
    ) -> StochasticClassifier:
        # All at once, so that an interrupted fit leaves no mixture of old and new.
        self.feature_map_, self.classes_, self.loss_curve_ = feature_map, classes, curve
        self._descent = descent.moved(get_device("cpu"))
        coef, self.intercept_ = self._descent.solution()
        self.coef_ = np.ascontiguousarray(coef)
        self.learning_rate_ = descent.rates[0]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples, k); for two classes of shape (n_samples,), positive for the second."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        with get_device(_device_of(self.feature_map_)).activate():
            scores = np.concatenate(list(self._score_blocks(X)))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _score_blocks(self, X: Any) -> Iterator[np.ndarray]:
        coef, intercept = None, None
        for block in self.feature_map_.transform_blocks(X):
            if coef is None:
                xp = array_namespace(block)
                coef, intercept = xp.asarray(self.coef_.T), xp.asarray(self.intercept_)
            yield to_host(block @ coef + intercept)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the label with the largest score, shape (n_samples,)."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class, shape (n_samples, k), float64; for the logistic loss alone."""
        scores = self.decision_function(X)
        return softmax_probabilities(scores[:, None] if scores.ndim == 1 else scores)


def learn_classes(y: Any) -> np.ndarray:
    """Return the labels of `y`, sorted; refuse a single one, and targets that are not labels."""
    try:
        check_classification_targets(y)
    except ValueError as error:  # fractions, or a column a target
        raise DataError(str(error)) from None
    classes = np.unique(y)
    if len(classes) < 2:
        raise DataError(f"Classification needs at least two classes; y holds 1 class, {classes[0]}. Use other data.")
    return classes


def known_classes(classes: Any, known: np.ndarray | None) -> np.ndarray:
    """Return the labels that a first call of ``partial_fit`` names, or those of earlier ones."""
    if known is None:
        if classes is None:
            raise ParameterError("classes", "must be passed on the first call to partial_fit", None, "List all labels.")
        return learn_classes(classes)
    if classes is not None and not np.array_equal(np.unique(classes), known):
        raise DataError(f"classes={classes!r} is not what the first call said; it said {known}. Leave it out.")
    return known


def positions(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the place of each label among the classes; refuse one that is not there."""
    unseen = np.setdiff1d(y, classes)
    if len(unseen):
        raise DataError(f"y holds {unseen[0]}, which is not among the {len(classes)} classes. Name it at first.")
    return np.searchsorted(classes, y)


def _fitted(feature_map: Any, X: Any) -> Any:
    fresh: Any = clone(feature_map)
    return fresh.fit(X)


def _device_of(feature_map: Any) -> Any:
    return getattr(feature_map, "device", "cpu")


def epoch_report(progress: Progress | None, epoch: int, epochs: int) -> Callable[[float, float], None]:
    """Return a function that tells `progress` the share done of all passes, from this one's share and loss."""

    def report(share: float, loss: float) -> None:
        if progress is not None:
            progress((epoch + share) / epochs, f"Epoch {epoch + 1} of {epochs}, loss {loss:.4g}")

    return report
