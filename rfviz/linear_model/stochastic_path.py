"""Stochastic gradients for every number of features of a grid, on features that are computed once for all of them."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from rfviz.backend import array_namespace, get_device, to_host
from rfviz.errors import DataError
from rfviz.linear_model.descent import Descent, feature_moments, schedule, shuffled_blocks
from rfviz.linear_model.losses import softmax_probabilities
from rfviz.linear_model.path import LARGEST, ClassifierPath, check_grid
from rfviz.linear_model.stochastic import (
    PROBE_ROWS,
    StochasticClassifier,
    epoch_report,
    known_classes,
    learn_classes,
    positions,
)
from rfviz.params import Param
from rfviz.random_state import random_rows

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["StochasticPath"]

_RATE_FACTOR = Param("rate_factor", 1.0, "float", low=0, open_low=True)


class StochasticPath(ClassifierPath):
    r"""A :class:`StochasticClassifier` on the first m features of a nested map, for every m of a grid.

    Unlike ridge regression, whose solutions for all m follow from one factor, each m has weights of its own that take
    their own steps. What they share is the features, most of the cost of a pass: a block is computed once, and every m
    learns from its first m columns.

    Cost: O(n·d·m) a pass for the features of the largest m, and O(n·k·Σm) for the steps. Memory: O(k·Σm) and a block
    of features; no Gram matrix, so m may be far larger than :class:`rfviz.linear_model.RidgePathClassifier` can hold.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m.
    loss : {"logistic", "hinge", "exponential"}
    m_grid : sequence of int, optional
        Numbers of features; by default about twenty, evenly on a logarithmic scale.
    m : "largest" or int
        The number of features that predicts: the largest, or one of the grid.
    alpha : float
        Penalty per sample on the scaled features, the same for every m.
    epochs, batch_size : int or "auto"
        See :class:`StochasticClassifier`.
    rate_factor : float
        First steps, as a multiple of those that the size of the features suggests. Many passes over rows that change
        bear more than 1.
    random_state : int, RandomState, Generator or None
        Order of the rows.

    Attributes
    ----------
    m_grid_ : ndarray of int
    alpha_ : ndarray of shape (len(m_grid_),)
        `alpha` on the unscaled features: times m.
    coef_path_, intercept_path_ : dict of int to ndarray
        Coefficients (m, k) for unscaled features, and intercepts (k,), by m; a single column for two classes.
    coef_, intercept_ : ndarray
        Those of `m_`, in scikit-learn's shapes.
    classes_ : ndarray
    feature_map_ : FeatureMap
    timings_ : dict
        Seconds for ``"features"``, and for the steps of each m.
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        loss: str = "logistic",
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alpha: float = 1e-6,
        epochs: int | str = "auto",
        batch_size: int | str = "auto",
        rate_factor: float = 1.0,
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.loss = loss
        self.m_grid = m_grid
        self.m = m
        self.alpha = alpha
        self.epochs = epochs
        self.batch_size = batch_size
        self.rate_factor = rate_factor
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, progress: Callable[[float, str], None] | None = None) -> StochasticPath:
        """Learn all m from all rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, numbers or text.
        progress : callable, optional
            ``progress(share, text)`` after each block of features; may raise to stop.

        Raises
        ------
        DataError
            For a single class, targets that are not classes, or features that are not finite.
        ParameterError, MemoryBudgetError
            For a parameter that breaks its rule, or weights that do not fit.
        """
        settings = self._settings()
        X, y = self._validated(X, y, first=True)
        self.classes_ = learn_classes(y)
        labels = np.searchsorted(self.classes_, y)
        epochs, batch_size = schedule(len(y), self.epochs, self.batch_size)
        rng = random_rows(self.random_state)
        orders = [rng.permutation(len(y)) for _ in range(epochs)]
        descents = self._begin(X, X[orders[0][:PROBE_ROWS]], settings)
        with get_device(self.feature_map_.device).activate():
            for epoch, order in enumerate(orders):
                self._pass(descents, X, labels, order, batch_size, epoch_report(progress, epoch, epochs))
        return self._store(descents)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, *, progress: Callable[[float, str], None] | None = None
    ) -> StochasticPath:
        """Learn all m from these rows once, in the order given, starting from the present weights.

        Rows that change from pass to pass (images that are cropped anew) are learnt from in this way, and so are rows
        that do not fit into memory.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            The first call also fits the feature map.
        y : array-like of shape (n_samples,)
        classes : array-like of shape (k,), optional
            All labels that will ever come; needed in the first call, and the same afterwards if given.
        progress : callable, optional
            As in :meth:`fit`. If it stops the call, the weights of earlier calls stay.

        Raises
        ------
        DataError, ParameterError
            For a label that is not among the classes, a first call that names none, and as :meth:`fit`.
        """
        settings, is_first = self._settings(), not hasattr(self, "_descents")
        known = known_classes(classes, None if is_first else self.classes_)
        X, y = self._validated(X, y, first=is_first)
        labels = positions(y, known)
        self.classes_ = known
        if is_first:
            descents = self._begin(X, X[:PROBE_ROWS], settings)
        else:
            device = get_device(self.feature_map_.device)
            descents = {m: descent.moved(device) for m, descent in self._descents.items()}
        _, batch_size = schedule(len(y), self.epochs, self.batch_size)
        with get_device(self.feature_map_.device).activate():
            self._pass(descents, X, labels, np.arange(len(y)), batch_size, epoch_report(progress, 0, 1))
        return self._store(descents)

    def save(self, path: str | Path) -> None:
        """Write the weights and the state of the optimiser to an .npz file, without pickle."""
        check_is_fitted(self)
        classes = np.array(self.classes_.tolist())  # text as characters, not as Python's objects
        held: dict[str, Any] = {"seed": str(self.feature_map_.seed_), "classes": classes, "m_grid": self.m_grid_}
        for m, descent in self._descents.items():
            held |= {f"{m}:{name}": array for name, array in descent.arrays().items()}
        np.savez(path, **held)

    def load(self, path: str | Path, X: Any) -> StochasticPath:
        """Read what :meth:`save` wrote, to predict or to continue with :meth:`partial_fit`; parameters are not changed.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows to fit the map to, as at first; if it learns nothing from the data, any row will do.

        Raises
        ------
        DataError
            If the file is none of these, or of a map of another seed or size.
        """
        checked: Any = check_array(X, accept_sparse="csr")  # pyright: ignore[reportArgumentType] - it takes words, too
        try:
            with np.load(path, allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
            seed, grid, classes = str(found["seed"]), found["m_grid"], found["classes"]
            descents: dict[int, Descent] = {}
            for m in map(int, grid):
                arrays = {name.partition(":")[2]: array for name, array in found.items() if name.startswith(f"{m}:")}
                descents[m] = Descent.of_arrays(arrays, {})
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise DataError(f"{Path(path).name} holds no path that was saved ({error}).") from None
        feature_map, outputs = self._drawn(checked, grid), 1 if len(classes) == 2 else len(classes)
        wrong = [m for m, one in descents.items() if one.weights[0].shape != (feature_map.columns(m), outputs)]
        if wrong:
            raise DataError(
                f"{Path(path).name} has coefficients for other features at m = {wrong[0]}. Give the same map."
            )
        if str(feature_map.seed_) != seed:
            raise DataError(
                f"{Path(path).name} was learnt on features of seed {seed}, not {feature_map.seed_}. Give it."
            )
        self._take(feature_map, grid, self._settings())
        validate_data(self, X, skip_check_array=True)  # from here on, only rows with these columns
        self.classes_ = classes
        for descent, settings in zip(descents.values(), self._settings_of_m(), strict=True):
            descent.settings = settings
        return self._store(descents)

    def _validated(self, X: Any, y: Any, first: bool) -> tuple[Any, np.ndarray]:
        types = [np.float64, np.float32]
        checked: Any = validate_data(self, X, y, reset=first, accept_sparse="csr", dtype=types)
        return checked

    def _begin(self, X: Any, probe: Any, settings: dict[str, Any]) -> dict[int, Descent]:
        """Draw the map, and start one descent for each m, from zero."""
        grid = check_grid(self.m_grid, self.feature_map.n_components)
        self._take(self._drawn(X, grid), grid, settings)
        with get_device(self.feature_map_.device).activate():
            return self._start(probe)

    def _drawn(self, X: Any, grid: np.ndarray) -> FeatureMap:
        fresh: Any = clone(self.feature_map)
        return fresh.set_params(n_components=int(grid[-1])).fit(X)

    def _take(self, feature_map: FeatureMap, grid: np.ndarray, settings: dict[str, Any]) -> None:
        for name in ("_descents", "coef_path_", "intercept_path_"):  # of an earlier map
            vars(self).pop(name, None)
        self.feature_map_, self.m_grid_, self._chosen = feature_map, grid, settings
        self.alpha_ = settings["alpha"] * grid
        self.timings_ = {"features": 0.0} | {int(m): 0.0 for m in grid}

    def _store(self, descents: dict[int, Descent]) -> StochasticPath:
        self._descents = {m: descent.moved(get_device("cpu")) for m, descent in descents.items()}
        self.coef_path_, self.intercept_path_ = {}, {}
        for m, descent in self._descents.items():
            coef, self.intercept_path_[m] = descent.solution()
            self.coef_path_[m] = np.ascontiguousarray(coef.T)
        return self

    def _settings(self) -> dict[str, Any]:
        chosen = {name: getattr(self, name) for name in ("loss", "alpha", "epochs", "batch_size")}
        defaults = StochasticClassifier(self.feature_map).get_params(deep=False)
        found = {p.name: p.validate(chosen.get(p.name, defaults[p.name])) for p in StochasticClassifier.params}
        return found | {"rate_factor": _RATE_FACTOR.validate(self.rate_factor)}

    def _start(self, probe: Any) -> dict[int, Descent]:
        mean, spread, dtype, is_sparse = feature_moments(self.feature_map_.transform_blocks(probe, scaled=False))
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        device = get_device(self.feature_map_.device)
        columns = {int(m): self.feature_map_.columns(int(m)) for m in self.m_grid_}
        Descent.check_memory(sum(columns.values()), outputs, dtype, device, "weights of all points of the curve")
        starts = {}
        for (m, end), settings in zip(columns.items(), self._settings_of_m(), strict=True):
            moments = mean[:end], spread[:end], dtype, is_sparse
            starts[m] = Descent.start(moments, outputs, device, settings)
        return starts

    def _settings_of_m(self) -> list[dict[str, Any]]:
        return [{**self._chosen, "alpha": float(alpha)} for alpha in self.alpha_]

    def _pass(
        self,
        descents: dict[int, Descent],
        X: Any,
        labels: np.ndarray,
        order: np.ndarray,
        batch_size: int,
        report: Callable[[float, float], None],
    ) -> None:
        """Learn from every row once, in the order given."""
        done, total, loss = 0, 0.0, 0.0
        begun = time.perf_counter()
        for block, rows, cuts in shuffled_blocks(self.feature_map_, X, order, batch_size, scaled=False):
            block = descents[int(self.m_grid_[-1])].centred(block)
            self.timings_["features"] += time.perf_counter() - begun
            for m, descent in descents.items():
                begun = time.perf_counter()
                loss = descent.learn(block[:, : self.feature_map_.columns(m)], labels[rows], cuts)
                self.timings_[m] += time.perf_counter() - begun
            done, total = done + len(rows), total + loss
            if not np.isfinite(total):
                raise DataError("The loss is not finite: features differ too much in size. Rescale the data.")
            report(done / len(order), total / done)
            begun = time.perf_counter()

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: Any, m: int | None = None) -> np.ndarray:
        """Predict the probability of each class, shape (n_samples, k), float64; for the logistic loss alone."""
        scores = self.decision_function(X, m)
        return softmax_probabilities(scores[:, None] if scores.ndim == 1 else scores)

    def _outputs(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        X = self._checked_rows(X)
        parts: list[list[np.ndarray]] = [[] for _ in grid]
        device = get_device(self.feature_map_.device)
        with device.activate():
            # Blocks that did not fit on the device come from the host.
            both = {np: [(self.coef_path_[m], self.intercept_path_[m]) for m in grid]}
            for block in self.feature_map_.transform_blocks(X, scaled=False):
                xp = array_namespace(block)
                if xp not in both:
                    both[xp] = [(device.asarray(coef), device.asarray(intercept)) for coef, intercept in both[np]]
                for part, (coef, intercept) in zip(parts, both[xp], strict=True):
                    part.append(to_host(block[:, : len(coef)] @ coef + intercept))
        joined = [np.concatenate(part) for part in parts]
        return [scores[:, 0] for scores in joined] if len(self.classes_) == 2 else joined
