"""Base of ridge classifiers and regressors: sums over rows, penalties, and solutions for every m of a grid."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import (
    _check_sample_weight,  # pyright: ignore[reportPrivateUsage] - what its own estimators use, and third parties
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from rfviz.backend import Device, array_namespace, check_memory, get_device, memory_budget, to_host
from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.dual_path import DualSystem
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.path import LARGEST, FeaturePath, check_grid, gram_bytes, largest_affordable_m
from rfviz.linear_model.penalty import EXPECTED_PENALTIES, Evaluate, PenaltySearch
from rfviz.linear_model.scoring import feature_chunks, score_blocks
from rfviz.linear_model.sparse_path import SparseSystem
from rfviz.linear_model.system import LeftOut, System
from rfviz.linear_model.targets import Targets
from rfviz.params import Param
from rfviz.random_state import seed_from

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["CROSS_VALIDATED", "RidgeBase"]

# Rows that are predicted by all others, to compare penalties: as many, or this share of them, up to as many.
_FEWEST_LEFT_OUT, _SHARE_LEFT_OUT, _MOST_LEFT_OUT = 256, 1 / 32, 1024
# Multiply-adds of a Gram matrix below which float64 products take no more than a second or two.
_EXACT_BELOW = 5e10
#: Of the parameter `m`: the number of features whose cross-validated error is least.
CROSS_VALIDATED = "cv"

Progress = Callable[[float, str], None]


class RidgeBase(FeaturePath):
    """Base of classifier and regressor: one pass over the rows, a penalty for each m, and the solutions."""

    feature_map: FeatureMap
    m_grid: Sequence[int] | None
    m: int | str
    alphas: Any
    fit_intercept: bool
    solver: str
    precision: str
    random_state: Any
    _targets: Targets

    @abstractmethod
    def _learn_targets(self, y: Any) -> Targets:
        """Return how `y`, or all labels that there will be, are turned into columns of numbers."""

    def _weights(self, y: Any, sample_weight: Any, X: Any) -> np.ndarray | None:
        """Return the weight of each row, or None if all are 1."""
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, progress: Progress | None = None) -> Self:
        """Fit all m.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or (n_samples, k) for a regressor
        sample_weight : array-like of shape (n_samples,), optional
            Of the squared errors, at least 0.
        progress : callable, optional
            ``progress(share, text)``; may raise to stop.

        Raises
        ------
        DataError
            For targets that cannot be learnt from.
        MemoryBudgetError
            If the Gram matrix would not fit; the message names the largest m that does.
        """
        report = progress or (lambda share, text: None)
        X = self._validated(X, first=True)
        self._prepare(self._learn_targets(self._given(y, X)))
        weights = self._weights(y, sample_weight, X)
        self._forget_sums()
        fresh: Any = clone(self.feature_map)
        self.feature_map_ = fresh.set_params(n_components=int(self.m_grid_[-1])).fit(X)
        with get_device(self.feature_map_.device).activate(), self.feature_map_.resident():
            self._fit_whole(X, self._targets.codes(y), weights, report)
        return self

    def _fit_whole(
        self, X: Any, Y: np.ndarray, weights: np.ndarray | None, report: Callable[[float, str], None]
    ) -> None:
        fixed = self._fixed_penalties()
        given = None if fixed is None or len(fixed) > 1 else fixed[0]
        choosing = given is None
        system = self._system(X[:1], len(Y), Y.shape[1])
        looked = self._rows_to_leave_out(len(Y), weights) if choosing else np.arange(0)
        kept: list[Any] = []
        for share, H, rows in self._chunks(X, np.arange(len(Y))):
            self._timed("Gram matrix", system.add, H, Y[rows], None if weights is None else weights[rows])
            if isinstance(system, NormalEquations) and choosing:
                kept.append(H[array_namespace(H).asarray(np.flatnonzero(np.isin(rows, looked)))])
            report(0.8 * share, "Features and Gram matrix")
        report(0.82, "Choosing the penalty" if choosing else "Solving")
        if given is None:
            H = array_namespace(kept[0]).concatenate(kept) if kept else None
            left_out = LeftOut(looked, H, Y[looked], None if weights is None else weights[looked])
            self._choose(system, partial(system.evaluate, left_out=left_out, precision=self.precision), fixed, len(Y))
        else:
            self._solve_one(system, given)

    def _rows_to_leave_out(self, n: int, weights: np.ndarray | None) -> np.ndarray:
        """Return the rows by which penalties are compared, drawn at random from those that count."""
        some = np.arange(n) if weights is None else np.flatnonzero(weights)
        count = min(max(_FEWEST_LEFT_OUT, round(_SHARE_LEFT_OUT * len(some))), _MOST_LEFT_OUT)
        if len(some) <= count:
            return some
        return np.sort(np.random.default_rng(seed_from(self.random_state)).choice(some, count, replace=False))

    def _given(self, y: Any, X: Any) -> Any:
        if y is None:
            name = type(self).__name__
            raise DataError(f"This {name} estimator requires y to be passed, but the target y is None. Use fit(X, y).")
        check_consistent_length(X, y)
        return y

    def _validated(self, X: Any, first: bool) -> Any:
        if not hasattr(self.feature_map, "transform_blocks"):
            hint = "Known: the classes of rfviz.features, such as RandomFourier()."
            raise ParameterError("feature_map", "must be a feature map", self.feature_map, hint)
        return validate_data(self, X, reset=first, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _prepare(self, targets: Targets) -> None:
        """Check and store the targets and the numbers of features, and discard the state of earlier fits."""
        for name in ("coef_path_", "intercept_path_", "alpha_", "alphas_", "cv_errors_"):
            vars(self).pop(name, None)
        self._targets, self._is_vector = targets, targets.one_dimensional
        if targets.classes is not None:
            self.classes_ = targets.classes
        self.m_grid_ = check_grid(self.m_grid, self.feature_map.n_components)
        if self.m not in (LARGEST, CROSS_VALIDATED):
            self._check_number(self.m)
        self.timings_ = {"features": 0.0, "Gram matrix": 0.0, "factorisation": 0.0}

    def _check_number(self, m: Any) -> None:
        grid = [int(v) for v in self.m_grid_]
        if isinstance(m, str) or m not in grid:
            raise ParameterError("m", f"must be 'largest', 'cv', or one of {grid}", m, "Put it into m_grid.")

    def _fitted_grid(self) -> np.ndarray:
        check_is_fitted(self)
        return self.m_grid_

    def _predicting_m(self) -> Any:
        if self.m != CROSS_VALIDATED:
            return super()._predicting_m()
        if self.cv_errors_ is None:
            remedy = "Give several alphas, or 'auto'."
            raise ParameterError("m", "can be 'cv' only where penalties are compared", self.m, remedy)
        # Of equal errors the first: fewer features.
        return int(self.m_grid_[np.argmin(np.nanmin(self.cv_errors_, axis=0))])

    # --- rows in parts ------------------------------------------------------------------------------------------------

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, held_out: bool = False
    ) -> Self:
        """Add rows to those of earlier calls, and fit all m to all of them.

        Each call solves again, O(m³) a penalty; :meth:`fit_blocks` solves once. A call after :meth:`fit`, which keeps
        no sums, starts again.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or (n_samples, k) for a regressor
        classes : array-like, optional
            All labels that will ever come; a classifier that was not fitted before needs them with the first call.
        sample_weight : array-like of shape (n_samples,), optional
        held_out : bool
            Whether these rows are to choose the penalty; they join the final fit too.

        Raises
        ------
        DataError
            For a label that is not among the classes, other columns than before, or NaN.
        ParameterError
            For a map that learns from rows (``gamma="scale"``), unless it is fitted already.
        """
        self._add_part(X, y, classes, sample_weight, held_out)
        self._solve_sums()
        return self

    def fit_blocks(
        self,
        blocks: Iterable[tuple[Any, ...]],
        classes: Any = None,
        held_out: Iterable[tuple[Any, ...]] = (),
        progress: Progress | None = None,
    ) -> Self:
        """Fit all m to rows that come block by block, in memory for one block and the sums.

        Parameters
        ----------
        blocks : iterable of (X, y) or (X, y, sample_weight)
            Read once. Blocks without rows are passed over.
        classes, held_out
            As in :meth:`partial_fit`; `held_out` are blocks whose rows are to choose the penalty.
        progress : callable, optional
            ``progress(share, text)``; may raise to stop. The share is unknown, so it stays 0 until all blocks are read.

        Raises
        ------
        DataError
            As :meth:`partial_fit`; the message names the block, counted from 0.
        """
        report = progress or (lambda share, text: None)
        self._forget_sums()
        for held, some in ((False, blocks), (True, held_out)):
            for index, (X, y, *weights) in enumerate(some):
                try:
                    if np.shape(X)[0]:
                        self._add_part(X, y, classes, weights[0] if weights else None, held)
                except (DataError, ValueError) as error:
                    if isinstance(error, ParameterError):
                        raise
                    raise DataError(f"{'Held-out block' if held else 'Block'} {index}: {error}") from error
                report(0.0, f"{index + 1} {'held-out ' if held else ''}blocks read")
        if not hasattr(self, "sums_"):
            raise DataError("The blocks hold no rows. Give at least one block with rows.")
        report(0.82, "Solving")
        self._solve_sums()
        return self

    def fit_sums(self, sums: NormalEquations, held_out: NormalEquations | None = None) -> Self:
        """Fit all m to sums that other processes made with :meth:`sums_of`; these are not copied.

        Parameters
        ----------
        held_out : NormalEquations, optional
            Of rows that are to choose the penalty; they join the final fit too.
        """
        self.sums_, self._held_sums = sums, held_out
        self._solve_sums()
        return self

    def begin(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Draw the map for rows like these, of which only the columns and the kind of target count.

        Copies of a path that has begun, on any machine, give sums that can be merged.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or (n_samples, k) for a regressor
        classes : array-like, optional
            All labels that will ever come; a classifier needs them.
        """
        X = self._validated(X, first=True)
        self._forget_sums()
        self._prepare(self._begin_targets(self._given(y, X), classes))
        self.feature_map_ = self._stateless_map(X)
        return self

    @abstractmethod
    def _begin_targets(self, y: Any, classes: Any) -> Targets:
        """Return how targets are turned into columns, from the first rows or from all labels."""

    def _all_labels(self, classes: Any) -> Any:
        """Return the labels that are named, or those of an earlier fit."""
        known = getattr(self, "classes_", None) if classes is None else classes
        if known is None:
            raise ParameterError("classes", "must hold all labels", classes, "Give them with the first rows.")
        return known

    def sums_of(self, X: Any, y: Any, sample_weight: Any = None) -> NormalEquations:
        """Return the sums of some rows, on the device of the map; after :meth:`begin`."""
        sums = self._no_sums()
        self._add_to(sums, self._validated(X, first=False), y, sample_weight)
        return sums

    def _forget_sums(self) -> None:
        for name in ("sums_", "_held_sums"):
            vars(self).pop(name, None)

    def _add_part(self, X: Any, y: Any, classes: Any, sample_weight: Any, held_out: bool) -> None:
        if not hasattr(self, "sums_"):
            self.begin(X, y, classes)
            self.sums_, self._held_sums = self._no_sums(), None
        X = self._validated(X, first=False)
        if held_out and self._held_sums is None:
            self._held_sums = self._no_sums()
        self._add_to(self._held_sums if held_out else self.sums_, X, y, sample_weight)

    def _no_sums(self) -> NormalEquations:
        m = int(self.m_grid_[-1])
        device = self._check_gram_memory(m)
        with device.activate():
            return NormalEquations(m, self._targets.n_columns, self.fit_intercept, device.xp)

    def _add_to(self, sums: Any, X: Any, y: Any, sample_weight: Any) -> None:
        Y = self._targets.known_codes(self._given(y, X))
        weights = self._weights(y, sample_weight, X)
        rows = sums.n_samples + len(Y)
        sums.exact = self.feature_map_.dtype == "float64" or rows * len(sums.cross) ** 2 < _EXACT_BELOW
        with get_device(self.feature_map_.device).activate(), self.feature_map_.resident():
            for _, H, part in self._chunks(X, np.arange(len(Y))):
                self._timed("Gram matrix", sums.add, H, Y[part], None if weights is None else weights[part])

    def _stateless_map(self, X: Any) -> FeatureMap:
        m, given = int(self.m_grid_[-1]), self.feature_map
        name = type(given).__name__
        if given.sparse_output:
            remedy = "Use fit, or a map with dense features."
            raise ParameterError("feature_map", "must not learn its columns from the rows", name, remedy)
        try:
            check_is_fitted(given)
        except NotFittedError:
            if learnt := given.learnt_parameters():
                remedy = "Give numbers, or the map fitted on a sample of the rows."
                raise ParameterError(
                    "feature_map", "must not depend on which rows come first", learnt, remedy
                ) from None
            fresh: Any = clone(given)
            return fresh.set_params(n_components=m).fit(X)
        if X.shape[1] != given.n_features_in_:
            raise DataError(
                f"The rows have {X.shape[1]} columns, and {name} was fitted on {given.n_features_in_}. "
                "Fit it on a sample of these rows."
            ) from None
        return self._without_names(given.prefix(m))

    def _without_names(self, feature_map: Any) -> FeatureMap:
        """Take the names of columns off a map, whose rows come as arrays; they must be those of the rows."""
        names = feature_map.__dict__.pop("feature_names_in_", None)
        own = getattr(self, "feature_names_in_", None)
        if names is not None and own is not None and list(names) != list(own):
            raise DataError(
                f"The rows have the columns {', '.join(map(str, own[:5]))} …, and the map was fitted on "
                f"{', '.join(map(str, names[:5]))} …. Give the columns in the map's order."
            )
        return feature_map

    # --- solving ------------------------------------------------------------------------------------------------------

    def _solve_sums(self) -> None:
        sums, held = self.sums_, self._held_sums
        if not sums.n_samples:
            raise DataError("All rows are held out, so none are left to learn from. Hold out fewer.")
        fixed = self._fixed_penalties()
        with get_device(self.feature_map_.device).activate():
            if fixed is not None and len(fixed) == 1:
                if held is not None:
                    sums.merge(held)
                self._solve_one(sums, fixed[0])
            elif held is None:
                self._choose(sums, partial(sums.evaluate, precision=self.precision), fixed, sums.n_samples)
            else:
                self._choose(sums, partial(self._by_held_sums, sums, held), fixed, sums.n_samples)
                sums.merge(held)
                self._solve_again(sums)
            if held is not None:  # more rows may come
                sums.remove(held)
            sums.release()

    def _by_held_sums(
        self, sums: NormalEquations, held: NormalEquations, alpha: float, grid: list[int]
    ) -> list[tuple[Any, float]] | None:
        """Return the solutions for a penalty, and their errors on rows that are held out."""
        (path,) = sums.solve([alpha], grid, self.precision, quiet=True)
        return None if path is None else [(model, held.squared_error(*model)) for model in path]

    def _solve_one(self, system: System, alpha: float) -> None:
        """Solve for the only penalty there is."""
        self.alphas_, self.cv_errors_ = np.array([alpha]), None
        self.alpha_ = np.full(len(self.m_grid_), alpha)
        self._solve_again(system)

    def _solve_again(self, system: System) -> None:
        """Solve for the penalty of each m."""
        found: dict[int, Any] = {}
        for alpha in np.unique(self.alpha_).tolist():
            grid = [int(m) for m in self.m_grid_[self.alpha_ == alpha]]
            (path,) = self._timed("factorisation", system.solve, [alpha], grid, self.precision)
            found |= dict(zip(grid, path, strict=True))
        self._store(found)

    def _choose(self, system: System, evaluate: Evaluate, fixed: list[float] | None, n_rows: int) -> None:
        """Find the penalty of each m, and its solution."""
        grid = [int(m) for m in self.m_grid_]
        search = PenaltySearch(partial(self._timed, "factorisation", evaluate))
        if fixed is None:
            m = grid[-1]
            # Of sparse features m are not 0 in a row, however many columns they take; and no more eigenvalues are
            # positive than there are rows.
            unit = system.mean_square() * self.feature_map_.columns(m) / m * max(1.0, m / n_rows)
            search.refine(max(unit, 1e-12), grid, system.together(grid, EXPECTED_PENALTIES))
        else:
            search.compare(fixed, grid)
        if len(search.models) < len(grid):
            system.solve([max(search.errors[grid[0]])], grid, self.precision)  # raises an error that names the cause
        self.alphas_, self.cv_errors_ = search.table(grid)
        self.alpha_ = np.array([search.best(m) for m in grid])
        self._store(search.models)

    def _store(self, models: dict[int, Any]) -> None:
        self.coef_path_ = {m: to_host(models[m][0]) for m in sorted(models)}
        self.intercept_path_ = {m: to_host(models[m][1]) for m in sorted(models)}

    def _fixed_penalties(self) -> list[float] | None:
        """Return the penalties to choose from, rising, or None if they are to be searched."""
        if isinstance(self.alphas, str):
            Param("alphas", "auto", "choice", choices=("auto",)).validate(self.alphas)
            return None
        alphas = np.unique(np.asarray(self.alphas, dtype=np.float64))
        if not (len(alphas) and np.isfinite(alphas).all() and (alphas > 0).all()):
            raise ParameterError("alphas", "must be 'auto' or positive numbers", self.alphas, "Try alphas='auto'.")
        return alphas.tolist()

    def _system(self, sample: Any, n_rows: int, n_targets: int) -> System:
        """Choose the equations that suit the features: sparse, dual or primal."""
        first = next(iter(self.feature_map_.transform_blocks(sample, scaled=False)))
        solver = Param("solver", "auto", "choice", choices=("auto", "primal", "dual")).validate(self.solver)
        m, points = int(self.m_grid_[-1]), len(self.m_grid_)
        if hasattr(first, "indptr"):
            columns = sum(self.feature_map_.columns(int(m)) for m in self.m_grid_)
            what = f"The sparse features of {n_rows} rows, and coefficients on {columns} columns,"
            check_memory(40 * n_rows * m + 24 * n_targets * columns, "cpu", what, "Use fewer features.")
            self.solver_ = "sparse"
            return SparseSystem(self.fit_intercept, self.feature_map_.columns, solver)
        if solver == "auto":
            primal = n_rows * m**2 + EXPECTED_PENALTIES * m**3 / 3
            # Of every factor the inverse too, whose columns predict all rows by the others.
            dual = n_rows**2 * m + 2 * EXPECTED_PENALTIES * points * n_rows**3 / 3
            solver = "dual" if dual < primal and not get_device(self.feature_map_.device).is_gpu else "primal"
        self.solver_ = solver
        if solver == "dual":
            check_memory(4 * 8 * n_rows * m, "cpu", f"{n_rows} rows of {m} features", "Use fewer features.")
            return DualSystem(self.fit_intercept)
        device = self._check_gram_memory(m)
        return NormalEquations(m, n_targets, self.fit_intercept, device.xp, n_rows * m**2 < _EXACT_BELOW)

    def _check_gram_memory(self, m: int) -> Device:
        device = get_device(self.feature_map_.device)
        budget = memory_budget(device)
        check_memory(
            gram_bytes(m, device.is_gpu),
            device,
            f"The Gram matrix of {m} features",
            f"The largest number of features that fits is about {largest_affordable_m(budget, device.is_gpu)}."
            + self._way_out(),
        )
        return device

    def _way_out(self) -> str:
        return (
            ""
            if self._targets.classes is None
            else " The losses logistic and hinge (StochasticPath) need no such matrix."
        )

    def _chunks(self, X: Any, rows: np.ndarray) -> Iterator[tuple[float, Any, np.ndarray]]:
        return feature_chunks(self.feature_map_, X, rows, partial(self._timed, "features"))

    def _timed(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        begun = time.perf_counter()
        result = function(*args)
        get_device(self.feature_map_.device).synchronize()
        self.timings_[name] += time.perf_counter() - begun
        return result

    def _outputs(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        X = self._checked_rows(X)
        solutions = [(self.coef_path_[m], self.intercept_path_[m]) for m in grid]
        scores = score_blocks(self.feature_map_.transform_blocks(X, scaled=False), solutions)
        return [self._targets.outputs(some) for some in scores]
