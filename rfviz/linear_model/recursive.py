"""Kernel machines that learn which columns matter: random features, the gradients of their fit, and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import array_namespace, check_memory, get_device, to_host
from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.losses import with_reference
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.path import gram_bytes
from rfviz.linear_model.scoring import feature_chunks, score_blocks
from rfviz.linear_model.stochastic import learn_classes
from rfviz.params import Param
from rfviz.random_state import seed_from

__all__ = ["RecursiveClassifier", "RecursiveRegressor", "Round"]

Progress = Callable[[float, str], None]
# Penalties relative to the mean sum of squares of a feature.
_RELATIVE_ALPHAS = np.logspace(-6, 2, 9)
_HELD, _MOST_HELD, _FEWEST_ROWS = 0.2, 10_000, 5
# Rows whose gradients are averaged: more change the matrix less than another draw of the features does.
_GRADIENT_ROWS = 5000
# Multiply-adds of a Gram matrix below which float64 products take no more than a fraction of a second.
_EXACT_BELOW = 5e9


@dataclass(frozen=True, eq=False)
class Round:
    """What one round found.

    Attributes
    ----------
    error : float
        Mean squared error of the held-out rows.
    alpha : float
        The penalty with that error.
    importances : ndarray of shape (n_features,)
        Mean squared derivatives by the columns, with sum 1.
    """

    error: float
    alpha: float
    importances: np.ndarray


class _Recursive(BaseEstimator):
    """Base of classifier and regressor: rounds, gradients, scores."""

    feature_map: Any
    rounds: int
    matrix: str
    random_state: Any
    params: ClassVar[tuple[Param, ...]] = (
        Param("rounds", 6, "int", low=1, high=100, label="Rounds"),
        Param("matrix", "diagonal", "choice", choices=("diagonal", "full"), label="Matrix"),
    )

    def _learn(self, X: np.ndarray, Y: np.ndarray, progress: Progress | None) -> None:
        """Fit `rounds` machines, each on rows weighted by the gradients of the one before, and hold the best."""
        for param in self.params:
            param.validate(getattr(self, param.name))
        if not _is_paired(self.feature_map):
            rule = "must be a RandomFourier map of an even number of paired features, not structured"
            raise ParameterError("feature_map", rule, self.feature_map, 'Try RandomFourier(1000, gamma="median").')
        if len(X) < _FEWEST_ROWS:
            raise DataError(
                f"Some rows are held out, so there must be {_FEWEST_ROWS} at least; here are {len(X)} "
                f"(with 1 sample nothing is left to learn from). Give more rows."
            )
        device, m = get_device(self.feature_map.device), int(self.feature_map.n_components)
        check_memory(gram_bytes(m), device, f"The Gram matrix of {m} features", "Use fewer features.")
        generator = np.random.default_rng(seed_from(self.random_state))
        order = generator.permutation(len(X))
        n_held = min(max(round(_HELD * len(X)), 1), _MOST_HELD)
        held, train = np.sort(order[:n_held]), np.sort(order[n_held:])
        looked = np.sort(order[n_held:][: max(_GRADIENT_ROWS // Y.shape[1], 500)])
        history: list[Round] = []
        root = np.ones(X.shape[1])  # of the matrix: rows are multiplied with it
        for number, seed in enumerate(generator.integers(2**31, size=self.rounds).tolist()):
            if progress is not None:
                progress(number / self.rounds, f"Round {number + 1} of {self.rounds}")
            Z = _times(X, root)
            fresh: Any = clone(self.feature_map)
            machine = _Machine(fresh.set_params(random_state=seed).fit(Z), root)
            error, alpha, system, blocks = machine.fit(Z, Y, train, held)
            outer = machine.outer_product(Z[looked])
            total = float(np.trace(outer))
            is_flat = not total > 0
            importances = np.full(len(outer), 1.0 / len(outer)) if is_flat else np.diag(outer) / total
            if not history or error < min(one.error for one in history):
                machine.refit(system, blocks, Y, alpha)
                self._machine, self.best_round_ = machine, number
                self.agop_, self.feature_importances_ = outer, importances
            history.append(Round(error, alpha, importances))
            if is_flat:  # the mean is the best prediction, which has no gradients
                break
            root = _root(outer / total * len(outer), self.matrix)
        self.history_ = tuple(history)
        root = self._machine.root
        self.matrix_ = np.diag(root**2) if root.ndim == 1 else root @ root

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "history_")

    @property
    def feature_map_(self) -> Any:
        """The fitted map of the best round, of rows times the root of `matrix_`."""
        check_is_fitted(self)
        return self._machine.feature_map

    def _scores(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        return self._machine.scores(X)

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        checked: Any = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return checked

    def gradients(self, X: Any) -> np.ndarray:
        """Return the gradients of the scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, k, n_features), float64
        """
        X = self._checked(X)
        Z = _times(X, self._machine.root)
        return np.concatenate([np.stack(block, axis=1) for block in self._machine.gradients(Z)])

    def interactions(self, X: Any, columns: Any) -> np.ndarray:
        """Return how much each pair of columns acts together: the root mean square of the scores' mixed derivatives.

        It is 0 where the scores are a sum of a function of all columns but one and a function of all but the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to average over.

        Returns
        -------
        ndarray of shape (len(columns), len(columns)), symmetric
            On its diagonal the second derivatives.
        """
        X = self._checked(X)
        return self._machine.mixed(_times(X, self._machine.root), np.asarray(columns, dtype=int))


class _Machine:
    """Ridge regression on random Fourier features of weighted rows, and its derivatives by the columns."""

    def __init__(self, feature_map: Any, root: np.ndarray) -> None:
        self.feature_map = feature_map
        self.root = root
        self.coef = self.intercept = np.empty(0)

    def fit(
        self, Z: np.ndarray, Y: np.ndarray, train: np.ndarray, held: np.ndarray
    ) -> tuple[float, float, NormalEquations, list[tuple[Any, np.ndarray]]]:
        """Fit the training rows with the penalty that suits the others; return its error, and what a refit needs."""
        m, xp = self.feature_map.n_components, get_device(self.feature_map.device).xp
        system = NormalEquations(m, Y.shape[1], True, xp, len(train) * m**2 < _EXACT_BELOW)
        for _, H, rows in feature_chunks(self.feature_map, Z, train, _untimed):
            system.add(H, Y[rows])
        blocks = [(H, rows) for _, H, rows in feature_chunks(self.feature_map, Z, held, _untimed)]
        alphas = _RELATIVE_ALPHAS * max(system.mean_square(), 1e-12)
        paths = system.solve(alphas.tolist(), [m], quiet=True)
        solved = [(alpha, path[0]) for alpha, path in zip(alphas.tolist(), paths, strict=True) if path is not None]
        scores = score_blocks((H for H, _ in blocks), [solution for _, solution in solved])
        errors = [float(np.mean((one - Y[held]) ** 2)) for one in scores]
        best = int(np.argmin(errors))
        self.coef, self.intercept = map(to_host, solved[best][1])
        return errors[best], solved[best][0], system, blocks

    def refit(self, system: Any, blocks: list[tuple[Any, np.ndarray]], Y: np.ndarray, alpha: float) -> None:
        """Fit the held-out rows too."""
        for H, rows in blocks:
            system.add(H, Y[rows])
        solutions = system.solve([alpha], [self.feature_map.n_components], "float64")[0]
        if solutions is not None:
            self.coef, self.intercept = map(to_host, solutions[0])

    def scores(self, X: np.ndarray) -> np.ndarray:
        blocks = self.feature_map.transform_blocks(_times(X, self.root), scaled=False)
        return score_blocks(blocks, [(self.coef, self.intercept)])[0]

    def gradients(self, Z: np.ndarray) -> Iterator[list[np.ndarray]]:
        """Yield for blocks of weighted rows the gradients of each score, shape (rows, n_features)."""
        frequencies, coef = self._on_device()
        for H in self.feature_map.transform_blocks(Z, scaled=False):
            # The derivative of a cosine by its angle is minus the sine that is the next feature, and so on.
            slopes = (H[:, ::2] * coef[1::2, j] - H[:, 1::2] * coef[::2, j] for j in range(coef.shape[1]))
            yield [_times(to_host(slope @ frequencies).astype(np.float64), self.root) for slope in slopes]

    def outer_product(self, Z: np.ndarray) -> np.ndarray:
        """Return the average gradient outer product, summed over the scores."""
        total = np.zeros((Z.shape[1], Z.shape[1]))
        for block in self.gradients(Z):
            for G in block:
                total += G.T @ G
        return total / len(Z)

    def mixed(self, Z: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the root mean square of the mixed derivatives by pairs of columns."""
        frequencies, coef = self._on_device()
        xp = array_namespace(frequencies)
        root = np.diag(self.root) if self.root.ndim == 1 else self.root
        along = frequencies @ xp.asarray(root[:, columns], dtype=frequencies.dtype)
        one, other = np.triu_indices(len(columns))
        pairs = along[:, one] * along[:, other]
        total = np.zeros(len(one))
        for H in self.feature_map.transform_blocks(Z, scaled=False):
            for j in range(coef.shape[1]):
                bends = -(H[:, ::2] * coef[::2, j] + H[:, 1::2] * coef[1::2, j])
                total += to_host(((bends @ pairs).astype(np.float64) ** 2).sum(axis=0))
        found = np.zeros((len(columns), len(columns)))
        found[one, other] = found[other, one] = np.sqrt(total / len(Z))
        return found

    def _on_device(self) -> tuple[Any, Any]:
        device = get_device(self.feature_map.device)
        frequencies = self.feature_map.frequencies_
        with device.activate():
            return device.asarray(frequencies), device.asarray(self.coef.astype(frequencies.dtype))


def _is_paired(feature_map: Any) -> bool:
    """Return whether features come as cosines and sines of stored frequencies, whose derivatives are each other."""
    is_dense = getattr(feature_map, "draw", "structured") != "structured"
    return is_dense and bool(getattr(feature_map, "paired", False)) and feature_map.n_components % 2 == 0


def _untimed(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def _times(X: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return rows times a symmetric matrix, or a diagonal one that is given by its diagonal."""
    return X * root if root.ndim == 1 else X @ root


def _root(matrix: np.ndarray, kind: str) -> np.ndarray:
    """Return the square root of a positive semi-definite matrix, or that of its diagonal."""
    if kind == "diagonal":
        return np.sqrt(np.diag(matrix))
    values, axes = eigh(matrix)
    return (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T


_COMMON = r"""
    Each round fits ridge regression f on random Fourier features of M^½x, and takes for the next M the average gradient
    outer product of the fit, so that columns (or directions) that f does not depend on fade:

    .. math:: f(x) = \beta^\top \Phi(M^{1/2} x) + b, \qquad
        M \leftarrow \frac1n \sum_i \nabla f(x_i)\, \nabla f(x_i)^\top

    M has the trace d, and begins as the identity. Features are drawn again in each round; with ``gamma="median"`` their
    width suits the weighted rows. A fifth of the rows (10,000 at most) are held out: they choose the penalty of each
    round, and the round that predicts, which is then fitted to them too.

    Cost: O(n·m·(d + m) + m³) a round. Columns should be of similar scale.

    Parameters
    ----------
    feature_map : RandomFourier
        Of an even number m of paired features; its own seed is not used.
    rounds : int
    matrix : {"diagonal", "full"}
        Whether M weighs columns, or directions too. The diagonal one needs fewer rows and rounds where few columns
        matter; the full one finds combinations of columns, and stores d² numbers a round.
    random_state : int, RandomState, Generator or None
        Of the features, and of which rows are held out.

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        M of the round that predicts.
    agop_ : ndarray of shape (n_features, n_features)
        The average gradient outer product of its fit, not normalised.
    feature_importances_ : ndarray of shape (n_features,)
        The diagonal of `agop_`, with sum 1.
    history_ : tuple of Round
    best_round_ : int
        The round that predicts, from 0.
    """

_REFERENCES = """
    References
    ----------
    A. Radhakrishnan et al., "Mechanism for feature learning in neural networks and backpropagation-free machine
    learning models", 2024; D. Beaglehole et al., "xRFM: Accurate, scalable, and interpretable feature learning models
    for tabular data", arXiv 2508.10053, 2025.
    """


class RecursiveRegressor(RegressorMixin, _Recursive):  # noqa: D101 - __doc__ below
    __doc__ = f"""Regression by a recursive feature machine on random Fourier features.
    {_COMMON}{_REFERENCES}"""

    def __init__(
        self,
        feature_map: Any,
        *,
        rounds: int = 6,
        matrix: str = "diagonal",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.rounds = rounds
        self.matrix = matrix
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> RecursiveRegressor:
        """Learn targets of shape (n_samples,) or (n_samples, k); ``progress(share, text)`` may raise to stop."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], multi_output=True, y_numeric=True)
        self._is_vector = np.ndim(y) == 1
        self._learn(X, np.asarray(y, dtype=np.float64).reshape(len(X), -1), progress)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict targets, in the shape of those that were learnt."""
        scores = self._scores(X)
        return scores[:, 0] if self._is_vector else scores


class RecursiveClassifier(ClassifierMixin, _Recursive):  # noqa: D101 - __doc__ below
    __doc__ = f"""Classification by a recursive feature machine on random Fourier features.

    Scores are fitted to codes, 1 for the class and −1 for all others.
    {_COMMON}classes_ : ndarray
    {_REFERENCES}"""

    def __init__(
        self,
        feature_map: Any,
        *,
        rounds: int = 6,
        matrix: str = "diagonal",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.rounds = rounds
        self.matrix = matrix
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> RecursiveClassifier:
        """Learn labels; ``progress(share, text)`` may raise to stop."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        self.classes_ = learn_classes(y)
        place = np.searchsorted(self.classes_, y)
        columns = np.arange(len(self.classes_)) if len(self.classes_) > 2 else np.array([1])
        self._learn(X, np.where(columns == place[:, None], 1.0, -1.0), progress)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples, k); for two classes of shape (n_samples,), positive for the second."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the label with the largest score, shape (n_samples,)."""
        place = np.argmax(with_reference(self._scores(X)), axis=1)
        return self.classes_[place]
