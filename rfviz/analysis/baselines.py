"""What random features are measured against: scikit-learn's exact and approximate methods, run and measured."""

from __future__ import annotations

import dataclasses
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from rfviz.analysis.baseline_methods import BASELINES, DEFAULT_COMPONENTS, Baseline, Setting
from rfviz.analysis.progress import Progress, silent
from rfviz.errors import DataError, RfvizError
from rfviz.linear_model.targets import Targets
from rfviz.params import Param

__all__ = ["BASELINES", "Baseline", "BaselineRefusedError", "BaselineResult", "run_baseline"]

# The grid is searched on this many rows at most, which bounds its time whatever n and, unlike a clock, gives the same
# choice on every machine; a fifth of them are held out.
SEARCH_ROWS, HOLDOUT = 3000, 0.2
# Fewer rows than this leave nothing to hold out.
_MIN_SEARCH_ROWS = 10
_PREDICT_BYTES = 200_000_000

_GAMMA = Param("gamma", "scale", "float", low=0, open_low=True, choices=("scale",))
_COMPONENTS = Param("n_components", DEFAULT_COMPONENTS, "int", low=1)
_NAME = Param("name", "knn", "choice", choices=tuple(BASELINES))


class BaselineRefusedError(RfvizError):
    """A baseline that would take hopelessly long or not fit; its text is the sentence of :meth:`Baseline.refusal`."""


@dataclass(frozen=True, eq=False)
class BaselineResult:
    """How one baseline did.

    Attributes
    ----------
    name, title : str
    error : float
        Share of test samples that are misclassified, or the root mean squared error: see `metric`.
    metric : {"error rate", "RMSE"}
    n_test : int
    seconds_fit, seconds_predict : float
        Of the final fit, and of predicting the test samples.
    seconds_search : float
        Of the hold-out search before it.
    bytes_model, bytes_work : int
        Arrays that the fitted model holds (measured), and what fitting needs beside (estimated from the sizes).
    parameters : dict
        Chosen and given.
    """

    name: str
    title: str
    error: float
    metric: str
    n_test: int
    seconds_fit: float
    seconds_predict: float
    seconds_search: float
    bytes_model: int
    bytes_work: int
    parameters: dict[str, Any]

    @property
    def bytes(self) -> int:
        """Model and work memory together."""
        return self.bytes_model + self.bytes_work

    def to_frame(self) -> pd.DataFrame:
        """One row, with units in the column names."""
        return pd.DataFrame(
            {
                "baseline": [self.title], self.metric: self.error, "test samples": self.n_test,
                "fit (s)": self.seconds_fit, "predict (s)": self.seconds_predict, "search (s)": self.seconds_search,
                "model (bytes)": self.bytes_model, "work (bytes)": self.bytes_work,
                "parameters": ", ".join(f"{key}={value:.4g}" for key, value in self.parameters.items()),
            }
        )  # fmt: skip


def run_baseline(
    name: str,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    n_components: int | None = None,
    gamma: float | str = "scale",
    random_state: int = 0,
    progress: Progress = silent,
) -> BaselineResult:
    """Choose the hyper-parameter by hold-out, fit on all training samples, and measure on the test samples.

    Parameters
    ----------
    name : str
        A key of `BASELINES`.
    X_train, X_test : ndarray or CSR matrix of shape (n, n_features)
    y_train, y_test : array-like of shape (n,)
        Integers, booleans and text are classes, floating-point numbers regression targets.
    n_components : int, optional
        Of Nystroem (at most n) and RBFSampler; 1000 by default.
    gamma : "scale" or float
        Of every Gaussian kernel exp(−γ‖x−z‖²), so that all lines speak of one kernel; ``"scale"`` is 1/(d·Var X).
    random_state : int
        Of the hold-out and of the approximations.
    progress : callable
        May raise to stop between fits.

    Raises
    ------
    BaselineRefusedError
        Where the size is hopeless.
    DataError
        For one class, or sizes that do not match.
    ParameterError
        For an unknown name or a parameter that breaks its rule.
    """
    baseline = BASELINES[_NAME.validate(name)]
    X_train, y_train, X_test, y_test = _checked(X_train, y_train, X_test, y_test)
    targets = Targets.learn(y_train)
    m = _COMPONENTS.validate(DEFAULT_COMPONENTS if n_components is None else n_components)
    sizes = (*X_train.shape, 0 if targets.classes is None else len(targets.classes), m)
    reason = baseline.refusal(*sizes)
    if reason:
        raise BaselineRefusedError(reason)
    setting = Setting(targets.classes is not None, sizes[0], _gamma_of(X_train, gamma), m, random_state)
    train, test = (_precise(baseline, X_train), y_train), (_precise(baseline, X_test), y_test)
    return _measured(baseline, setting, targets, train, test, baseline.work_bytes(*sizes), progress)


def _measured(
    baseline: Baseline, setting: Setting, targets: Targets, train: tuple, test: tuple, work: int, progress: Progress
) -> BaselineResult:
    """Search, fit and test with a clock beside."""
    started = time.perf_counter()
    value = _search(baseline, setting, targets, *train, progress)
    searched = time.perf_counter()
    progress(0.6, f"Fitting {baseline.title}")
    model = _fit(baseline, setting, targets, value, *train)
    fitted = time.perf_counter()
    progress(0.9, f"Testing {baseline.title}")
    error = _error(baseline, targets, model, *test, setting.n_train)
    done = time.perf_counter()
    progress(1.0, f"{baseline.title} done")
    return BaselineResult(
        baseline.name, baseline.title, error, "error rate" if setting.classify else "RMSE", len(test[1]),
        fitted - searched, done - fitted, searched - started,
        _array_bytes(model), work, _parameters(baseline, setting, value),
    )  # fmt: skip


def _checked(X_train: Any, y_train: Any, X_test: Any, y_test: Any) -> tuple:
    """The data as arrays whose shapes go together."""
    X_train, X_test = (X.tocsr() if sparse.issparse(X) else np.asarray(X) for X in (X_train, X_test))
    y_train, y_test = np.asarray(y_train), np.asarray(y_test)
    for part, X, y in (("training", X_train, y_train), ("test", X_test, y_test)):
        if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y) or not len(y):
            raise DataError(
                f"The {part} data need a row of X for each entry of the vector y; X has the shape {X.shape} and y "
                f"{y.shape}. Give as many of both, and one target."
            )
    if X_train.shape[1] != X_test.shape[1]:
        raise DataError(
            f"Training and test data need the same columns; they have {X_train.shape[1]} and {X_test.shape[1]}. "
            f"Prepare both alike."
        )
    return X_train, y_train, X_test, y_test


def _precise(baseline: Baseline, X: Any) -> Any:
    # In single precision the small eigenvalues of a kernel matrix, and with them the ridge solution, are noise.
    return X if baseline.name == "knn" else X.astype(np.float64, copy=False)


def _gamma_of(X: Any, gamma: float | str) -> float:
    gamma = _GAMMA.validate(gamma)
    if gamma != "scale":
        return gamma
    variance = float(X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var(dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _search(baseline: Baseline, setting: Setting, targets: Targets, X: Any, y: np.ndarray, progress: Progress) -> float:
    """The value of the grid with the smallest hold-out loss; the first where there are too few rows to hold any out."""
    rows = np.random.default_rng(setting.random_state).permutation(len(y))[:SEARCH_ROWS]
    if len(rows) < _MIN_SEARCH_ROWS:
        return baseline.grid[0]
    counts = np.unique(y[rows], return_counts=True)[1] if setting.classify else np.zeros(1)
    # Every class in both parts where that is possible.
    stratify = y[rows] if counts.min() > 1 and len(counts) <= HOLDOUT * len(rows) else None
    kept, held = train_test_split(rows, test_size=HOLDOUT, random_state=setting.random_state, stratify=stratify)
    if setting.classify and len(np.unique(y[kept])) < 2:
        return baseline.grid[0]
    losses = []
    for tried, value in enumerate(baseline.grid):
        progress(0.6 * tried / len(baseline.grid), f"{baseline.title}: trying {baseline.grid_name}={value:g}")
        model = _fit(baseline, setting, targets, value, X[kept], y[kept])
        losses.append(_error(baseline, targets, model, X[held], y[held], len(kept)))
    return baseline.grid[int(np.argmin(losses))]


def _fit(baseline: Baseline, setting: Setting, targets: Targets, value: float, X: Any, y: np.ndarray) -> BaseEstimator:
    model = baseline.build(dataclasses.replace(setting, n_train=len(y)), value)
    with warnings.catch_warnings():
        # A linear SVM that stops at its limit of passes is as good a line as one that goes on for hours.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, targets.codes(y) if baseline.codes else y)


def _error(baseline: Baseline, targets: Targets, model: BaseEstimator, X: Any, y: np.ndarray, n_train: int) -> float:
    """Share of wrong labels, or root mean squared error, in blocks: a kernel model meets all its rows at once."""
    block = max(_PREDICT_BYTES // (8 * max(n_train, DEFAULT_COMPONENTS)), 1)
    losses = []
    for start in range(0, len(y), block):
        predicted, truth = model.predict(X[start : start + block]), y[start : start + block]
        if targets.classes is None or baseline.codes:
            losses.append(targets.errors(predicted.reshape(len(truth), -1), truth))
        else:
            losses.append(predicted != truth)
    mean = float(np.mean(np.concatenate(losses)))
    return mean if targets.classes is not None else mean**0.5


def _parameters(baseline: Baseline, setting: Setting, value: float) -> dict[str, Any]:
    used = {name: getattr(setting, name) for name in baseline.uses}
    if "n_components" in used and baseline.name == "nystroem":
        used["n_components"] = min(used["n_components"], setting.n_train)
    return {baseline.grid_name: value, **used}


def _array_bytes(thing: Any, seen: set[int] | None = None) -> int:
    """Bytes of all arrays that a fitted model holds, each counted once."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if sparse.issparse(thing):
        return thing.data.nbytes + thing.indices.nbytes + thing.indptr.nbytes
    inner = thing if isinstance(thing, (list, tuple)) else vars(thing).values() if hasattr(thing, "__dict__") else ()
    return sum(_array_bytes(part, seen) for part in inner)
