"""Ridge regression on the first m random features, for every m of a grid at the price of the largest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import Device, check_memory, get_device, memory_budget, to_host
from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.chunks import feature_chunks
from rfviz.linear_model.dual_path import DualSystem
from rfviz.linear_model.grid import check_grid, gram_bytes, largest_affordable_m
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.scoring import score_blocks
from rfviz.linear_model.sparse_path import SparseSystem
from rfviz.linear_model.targets import Targets
from rfviz.params import Param

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["RidgePath"]

# Penalties relative to the mean eigenvalue of the Gram matrix, without those that are 0 for want of rows.
_RELATIVE_ALPHAS = np.logspace(-7, 0, 8)
_MAX_HOLDOUT = 10_000
# Multiply-adds of a Gram matrix below which float64 products take no more than a second or two.
_EXACT_BELOW = 5e10


class RidgePath(BaseEstimator):
    r"""Ridge solutions on the first m features of a nested map, for every m of a grid, from one pass over the rows.

    .. math:: \min_{\beta} \lVert Y - H_{:,:m}\beta \rVert^2 + \alpha \lVert\beta\rVert^2, \qquad m \in \text{grid}

    with H the *unscaled* features, so that one penalty, and one Cholesky factor, serves every m. On features scaled by
    1/√m the same solution has the penalty α/m.

    Cost: O(n·m²) for the Gram matrix, O(m³) for one factor a penalty, O(m²) for each further m; O(m²) memory whatever
    the number of rows. Fewer rows than features are solved in the dual. For sparse features m counts components,
    however many columns they take, and a solution has a coefficient for each column.

    Rows that come in parts (:meth:`partial_fit`, :meth:`fit_blocks`) are only summed, by
    :class:`rfviz.linear_model.NormalEquations`: memory does not grow with them, and in float64 neither their order nor
    their partition matters. Several penalties are then compared by generalised cross-validation, or by the squared
    error on parts that are held out; both need the sums alone.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m.
    m_grid : sequence of int, optional
        Numbers of features; by default about twenty, evenly on a logarithmic scale.
    alphas : float, sequence of float or "auto"
        Penalties to choose from by hold-out, for each m on its own; ``"auto"`` spans seven orders of magnitude below
        the mean eigenvalue of the Gram matrix; eigenvalues that are 0 for want of rows do not count.
    holdout : float
        Share of the rows held out to choose the penalty; used for the final fit too. Not needed for a single penalty.
    fit_intercept : bool
    solver : {"auto", "primal", "dual"}
        ``"auto"`` takes the cheaper. Sparse features (RandomBinning) stay sparse in both, and have a third way.
    precision : {"auto", "float32", "float64"}
        Of the factorisation; ``"auto"`` goes by the condition number.
    random_state : int
        Which rows are held out.

    Attributes
    ----------
    m_grid_ : ndarray of int
    alphas_ : ndarray
        The penalties that were compared.
    alpha_ : ndarray of shape (len(m_grid_),)
        The penalty chosen for each m.
    holdout_errors_ : ndarray of shape (len(alphas_), len(m_grid_)) or None
        By which they were compared: the share of errors, or the squared error for numbers and for rows in parts.
    sums_ : NormalEquations
        Of the rows that came in parts; those held out are not among them.
    coef_, intercept_ : dict of int to ndarray
        Coefficients (m, k), or (columns of m, k), and intercepts (k,) by m.
    classes_ : ndarray or None
        Labels, or None for regression.
    timings_ : dict of str to float
        Seconds for features, Gram matrix and factorisations.
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        m_grid: Sequence[int] | None = None,
        alphas: Any = "auto",
        holdout: float = 0.2,
        fit_intercept: bool = True,
        solver: str = "auto",
        precision: str = "auto",
        random_state: int = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.alphas = alphas
        self.holdout = holdout
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.precision = precision
        self.random_state = random_state

    def fit(self, X: Any, y: Any, progress: Callable[[float, str], None] | None = None) -> RidgePath:
        """Fit all m.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, k)
            Labels, or regression targets.
        progress : callable, optional
            ``progress(share, text)``; may raise to stop.

        Raises
        ------
        DataError
            For labels that cannot be learnt from.
        MemoryBudgetError
            Where the Gram matrix would not fit; the message names the largest m that does.
        """
        report = progress or (lambda share, text: None)
        X, y = self._validated(X, y, first=True)
        self._forget_sums()
        self._prepare(Targets.learn(y))
        fresh: Any = clone(self.feature_map)
        self.map_ = fresh.set_params(n_components=int(self.m_grid_[-1])).fit(X)
        with get_device(self.map_.device).activate(), self.map_.resident():
            self._fit_whole(X, y, report)
        return self

    def _fit_whole(self, X: Any, y: Any, report: Callable[[float, str], None]) -> None:
        Y = self._targets.codes(y)
        choosing = isinstance(self.alphas, str) or np.size(self.alphas) > 1
        train, held = self._split(y) if choosing else (np.arange(len(Y)), np.arange(0))

        system = self._system(X[:1], len(train), Y.shape[1])
        for share, H, rows in self._chunks(X, train):
            self._timed("Gram matrix", system.add, H, Y[rows])
            report(0.8 * share, "Features and Gram matrix")
        self.alphas_ = self._penalties(system, len(train))
        self.holdout_errors_, best = None, np.zeros(len(self.m_grid_), dtype=int)
        if choosing:
            report(0.82, f"Comparing {len(self.alphas_)} penalties")
            best = self._choose(system, X, Y, y, held)
        self.alpha_ = self.alphas_[best]
        report(0.95, "Almost done")
        self._solve_chosen(system, best)

    def _validated(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        if not hasattr(self.feature_map, "transform_blocks"):
            hint = "Known: the classes of rfviz.features, such as RandomFourier()."
            raise ParameterError("feature_map", "must be a feature map", self.feature_map, hint)
        if y is None:
            raise DataError("y must hold labels or targets, one a sample; it is None. Give fit(X, y).")
        types = [np.float64, np.float32]
        checked: Any = validate_data(
            self, X, y, reset=first, accept_sparse="csr", dtype=types, multi_output=True, y_numeric=False
        )
        return checked

    def _prepare(self, targets: Targets) -> None:
        self._targets, self.classes_ = targets, targets.classes
        self.m_grid_ = check_grid(self.m_grid, self.feature_map.n_components)
        self.timings_ = {"features": 0.0, "Gram matrix": 0.0, "factorisation": 0.0}

    # --- rows in parts ------------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any, classes: Any = None, held_out: bool = False) -> RidgePath:
        """Add rows to those of earlier calls, and fit all m to all of them.

        Each call solves again, O(m³) a penalty; :meth:`fit_blocks` solves once. A call after :meth:`fit`, which keeps
        no sums, starts again.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, k)
        classes : array-like, optional
            All labels, needed with the first call; None for regression.
        held_out : bool
            Whether these rows are to choose the penalty; they join the final fit too.

        Raises
        ------
        DataError
            For a label that is not among the classes, other columns than before, or NaN.
        ParameterError
            For a map that learns from rows (``gamma="scale"``), unless it is fitted already.
        """
        self._add_part(X, y, classes, held_out)
        self._solve_sums()
        return self

    def fit_blocks(
        self,
        blocks: Iterable[tuple[Any, Any]],
        classes: Any = None,
        held_out: Iterable[tuple[Any, Any]] = (),
        progress: Callable[[float, str], None] | None = None,
    ) -> RidgePath:
        """Fit all m to rows that come block by block, in memory for one block and the sums.

        Parameters
        ----------
        blocks : iterable of (X, y)
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
            for index, (X, y) in enumerate(some):
                try:
                    if np.shape(X)[0]:
                        self._add_part(X, y, classes, held)
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

    def fit_sums(self, sums: NormalEquations, held_out: NormalEquations | None = None) -> RidgePath:
        """Fit all m to sums that other processes made with :meth:`sums_of`; these are not copied.

        Parameters
        ----------
        sums : NormalEquations
        held_out : NormalEquations, optional
            Of rows that are to choose the penalty; they join the final fit too.
        """
        self.sums_, self._held_sums = sums, held_out
        self._solve_sums()
        return self

    def begin(self, X: Any, y: Any, classes: Any = None) -> RidgePath:
        """Draw the map for rows like these, of which only the columns and the kind of target count.

        Copies of a path that has begun, on any machine, give sums that can be merged.
        """
        X, y = self._validated(X, y, first=True)
        self._forget_sums()
        if classes is None and np.asarray(y).dtype.kind != "f":
            raise ParameterError("classes", "must hold all labels", classes, "Give them with the first rows.")
        self._prepare(Targets.learn(y if classes is None else np.asarray(classes), labels=classes is not None))
        self.map_ = self._stateless_map(X)
        return self

    def sums_of(self, X: Any, y: Any) -> NormalEquations:
        """Return the sums of some rows, on the device of the map; after :meth:`begin`."""
        sums = self._no_sums()
        self._add_to(sums, *self._validated(X, y, first=False))
        return sums

    def _forget_sums(self) -> None:
        for name in ("sums_", "_held_sums"):
            self.__dict__.pop(name, None)

    def _add_part(self, X: Any, y: Any, classes: Any, held_out: bool) -> None:
        if not hasattr(self, "sums_"):
            self.begin(X, y, classes)
            self.sums_, self._held_sums = self._no_sums(), None
        X, y = self._validated(X, y, first=False)
        if held_out and self._held_sums is None:
            self._held_sums = self._no_sums()
        self._add_to(self._held_sums if held_out else self.sums_, X, y)

    def _no_sums(self) -> NormalEquations:
        m = int(self.m_grid_[-1])
        device = self._check_gram_memory(m)
        with device.activate():
            return NormalEquations(m, self._targets.n_columns, self.fit_intercept, device.xp)

    def _add_to(self, sums: Any, X: Any, y: Any) -> None:
        Y = self._targets.known_codes(y)
        rows = sums.n_samples + len(Y)
        sums.exact = self.map_.dtype == "float64" or rows * len(sums.cross) ** 2 < _EXACT_BELOW
        with get_device(self.map_.device).activate(), self.map_.resident():
            for _, H, part in self._chunks(X, np.arange(len(Y))):
                self._timed("Gram matrix", sums.add, H, Y[part])

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
        return given.prefix(m)

    def _solve_sums(self) -> None:
        sums, held = self.sums_, self._held_sums
        if not sums.n_samples:
            raise DataError("All rows are held out, so none are left to learn from. Hold out fewer.")
        grid = [int(m) for m in self.m_grid_]
        self.alphas_ = self._penalties(sums, sums.n_samples)
        self.holdout_errors_, best = None, np.zeros(len(grid), dtype=int)
        with get_device(self.map_.device).activate():
            if held is not None:
                paths = self._timed("factorisation", sums.solve, list(self.alphas_), grid, self.precision, True)
                self.holdout_errors_ = np.array([
                    np.full(len(grid), np.inf) if path is None else [held.squared_error(*model) for model in path]
                    for path in paths
                ])  # fmt: skip
                sums.merge(held)
            elif len(self.alphas_) > 1:
                errors = self._timed("factorisation", sums.cross_validated_errors, list(self.alphas_), grid)
                self.holdout_errors_ = errors
            if self.holdout_errors_ is not None:
                best = np.argmin(self.holdout_errors_, axis=0)
            self.alpha_ = self.alphas_[best]
            self._solve_chosen(sums, best)
            if held is not None:  # more rows may come
                sums.remove(held)

    def _solve_chosen(self, system: Any, best: np.ndarray) -> None:
        self.coef_, self.intercept_ = {}, {}
        for index in np.unique(best):
            grid = [int(m) for m in self.m_grid_[best == index]]
            paths = self._timed("factorisation", system.solve, [self.alphas_[index]], grid, self.precision)
            for m, (coef, intercept) in zip(grid, paths[0], strict=True):
                self.coef_[m], self.intercept_[m] = to_host(coef), to_host(intercept)

    def _choose(self, system: Any, X: Any, Y: np.ndarray, y: Any, held: np.ndarray) -> np.ndarray:
        """Choose the best penalty for each m by the held-out rows, which then join the system."""
        blocks = [(H, rows) for _, H, rows in self._chunks(X, held)]
        errors = np.zeros((len(self.alphas_), len(self.m_grid_)))
        squares = np.zeros_like(errors)
        codes = Y[held]
        grid = [int(m) for m in self.m_grid_]
        # A solution on sparse features has a coefficient for each of many columns: those of one penalty at a time.
        single = isinstance(system, SparseSystem)
        batches = [[alpha] for alpha in self.alphas_] if single else [list(self.alphas_)]
        solve = partial(self._timed, "factorisation", system.solve)
        for a, path in enumerate(path for some in batches for path in solve(some, grid, self.precision, True)):
            if path is None:  # a penalty below the rounding of the sums is no candidate
                errors[a] = np.inf
                continue
            for j, scores in enumerate(score_blocks((H for H, _ in blocks), path)):
                errors[a, j] = self._targets.errors(scores, y[held]).mean()
                squares[a, j] = np.mean((scores - codes) ** 2)
        self.holdout_errors_ = errors
        for H, rows in blocks:
            system.add(H, Y[rows])
        # Few held-out rows often make the same errors under several penalties; the squared loss tells those apart.
        return np.argmin(errors + 1e-9 * squares / (1e-12 + np.nanmax(squares)), axis=0)

    def _split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        holdout = Param("holdout", 0.2, "float", low=0.0, open_low=True, high=0.5).validate(self.holdout)
        order = np.random.default_rng(self.random_state).permutation(len(y))
        n_held = min(max(round(holdout * len(y)), 1), _MAX_HOLDOUT)
        return np.sort(order[n_held:]), np.sort(order[:n_held])

    def _system(self, sample: Any, n_rows: int, n_targets: int) -> Any:
        """Choose the equations that suit the features: sparse, dual or primal."""
        first = next(iter(self.map_.transform_blocks(sample, scaled=False)))
        solver = Param("solver", "auto", "choice", choices=("auto", "primal", "dual")).validate(self.solver)
        m, points = int(self.m_grid_[-1]), len(self.m_grid_)
        if hasattr(first, "indptr"):
            columns = sum(self.map_.columns(int(m)) for m in self.m_grid_)
            what = f"The sparse features of {n_rows} rows, and coefficients on {columns} columns,"
            check_memory(40 * n_rows * m + 24 * n_targets * columns, "cpu", what, "Use fewer features.")
            self.solver_ = "sparse"
            return SparseSystem(self.fit_intercept, self.map_.columns, solver)
        if solver == "auto":
            primal = n_rows * m**2 + 8 * m**3 / 3
            dual = n_rows**2 * m + 8 * points * n_rows**3 / 3
            solver = "dual" if dual < primal and not get_device(self.map_.device).is_gpu else "primal"
        self.solver_ = solver
        if solver == "dual":
            check_memory(4 * 8 * n_rows * m, "cpu", f"{n_rows} rows of {m} features", "Use fewer features.")
            return DualSystem(self.fit_intercept)
        device = self._check_gram_memory(m)
        return NormalEquations(m, n_targets, self.fit_intercept, device.xp, n_rows * m**2 < _EXACT_BELOW)

    def _check_gram_memory(self, m: int) -> Device:
        device = get_device(self.map_.device)
        budget = memory_budget(device)
        check_memory(
            gram_bytes(m, device.is_gpu), device, f"The Gram matrix of {m} features",
            f"The largest number of features that fits is about {largest_affordable_m(budget, device.is_gpu)}."
            + self._way_out(),
        )  # fmt: skip
        return device

    def _way_out(self) -> str:
        return "" if self.classes_ is None else " The losses logistic and hinge (StochasticPath) need no such matrix."

    def _penalties(self, system: Any, n_rows: int) -> np.ndarray:
        if isinstance(self.alphas, str):
            Param("alphas", "auto", "choice", choices=("auto",)).validate(self.alphas)
            m = int(self.m_grid_[-1])
            columns = self.map_.columns(m)
            # Of sparse features m are not 0 in a row, however many columns they take.
            mean = system.mean_square() * columns / m * max(1.0, m / n_rows)
            return _RELATIVE_ALPHAS * max(mean, 1e-12)
        alphas = np.sort(np.atleast_1d(np.asarray(self.alphas, dtype=np.float64)))
        if not (np.isfinite(alphas).all() and (alphas > 0).all()):
            raise ParameterError("alphas", "must be 'auto' or positive numbers", self.alphas, "Try alphas='auto'.")
        return alphas

    def _chunks(self, X: Any, rows: np.ndarray) -> Iterator[tuple[float, Any, np.ndarray]]:
        return feature_chunks(self.map_, X, rows, partial(self._timed, "features"))

    def _timed(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        begun = time.perf_counter()
        result = function(*args)
        get_device(self.map_.device).synchronize()
        self.timings_[name] += time.perf_counter() - begun
        return result

    # --- prediction ---------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any, m: int | None = None) -> np.ndarray:
        """Return scores of shape (n_samples, k) with the first m features; the largest m of the grid by default."""
        return self._score_blocks(X, [self._check_m(m)])[0]

    def predict(self, X: Any, m: int | None = None) -> np.ndarray:
        """Predict labels, or regression targets, with the first m features; the largest m of the grid by default."""
        return self._targets.predictions(self.decision_function(X, m))

    def score(self, X: Any, y: Any, m: int | None = None) -> float:
        """Return the accuracy, or for regression R², with the first m features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        m : int, optional
            Of the grid; the largest by default.
        """
        error = self.error(self.decision_function(X, m), y)
        if self.classes_ is not None:
            return 1.0 - error
        spread = float(np.var(np.asarray(y, dtype=np.float64), axis=0).mean())
        return 1.0 - error / spread if spread > 0 else float(error == 0)

    def score_path(self, X: Any, y: Any) -> np.ndarray:
        """Return the share of errors (or mean squared error) for every m of the grid, in one pass over the rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, k)

        Returns
        -------
        ndarray of shape (len(m_grid_),)
        """
        return np.array([self.error(scores, y) for scores in self.decision_path(X)])

    def decision_path(self, X: Any) -> list[np.ndarray]:
        """Return scores of shape (n_samples, k) for every m of the grid, in one pass over the rows."""
        return self._score_blocks(X, [int(m) for m in self.m_grid_])

    def error(self, scores: np.ndarray, y: Any) -> float:
        """Return the share of wrong labels, or mean squared error, of scores that :meth:`decision_path` gave."""
        return float(self._targets.errors(scores, y).mean())

    def _check_m(self, m: int | None) -> int:
        check_is_fitted(self)
        if m is None:
            return int(self.m_grid_[-1])
        if m not in self.coef_:
            raise ParameterError("m", f"must be one of {[int(v) for v in self.m_grid_]}", m, "Put it into m_grid.")
        return int(m)

    def _score_blocks(self, X: Any, grid: list[int]) -> list[np.ndarray]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        solutions = [(self.coef_[m], self.intercept_[m]) for m in grid]
        return score_blocks(self.map_.transform_blocks(X, scaled=False), solutions)
