"""The methods that random features are compared with: scikit-learn's exact and approximate ones, run and measured."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from rfviz.backend import gigabytes, memory_budget
from rfviz.errors import DataError, RfvizError
from rfviz.linear_model.targets import Targets
from rfviz.params import Param
from rfviz.progress import Progress, silent

__all__ = [
    "BASELINES",
    "NEIGHBOURS",
    "Baseline",
    "BaselineRefusedError",
    "BaselineResult",
    "array_bytes",
    "run_baseline",
]

DEFAULT_COMPONENTS = 1000
# OpenBLAS ends the process where two threads factor a larger matrix, see :mod:`rfviz.backend.lapack`.
_LARGEST_MATRIX = 15_000
_DOUBLE = 8
# Entries of a penalty grid are per row; first the one that serves without a search.
_ALPHAS = (1e-6, 1e-7, 1e-5, 1e-4, 1e-3)
# Of linear ridge: fine where it matters, since the line is a reference for maps whose penalties are searched as well.
_LINEAR_ALPHAS = (1e-2, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 3e-2, 1e-1, 3e-1, 1.0)
_SVM_CACHE = 25_000_000
_HIDDEN = 100
#: Nearest neighbours with a fixed k, by k: what the paper on random maxout features calls optimal is k = 1 on MNIST.
NEIGHBOURS = {1: "1 nearest neighbour", 3: "3 nearest neighbours"}
# Rows that a network sees in all its passes, of which it makes from 20 to 200.
_ROWS_SEEN = 1_000_000


@dataclass(frozen=True)
class _Setting:
    """What an estimator is built for."""

    classify: bool
    n_train: int
    variance: float
    gamma: float
    n_components: int
    random_state: int


@dataclass(frozen=True)
class Baseline:
    """A method with its costs.

    Attributes
    ----------
    name, title, summary : str
        Key, what a user reads, and one line about it.
    time, memory : str
        Cost of fitting in n rows, d columns, k classes and m components.
    grid_name : str
        Hyper-parameter chosen by hold-out. The penalty ``alpha`` is per row: scikit-learn's, divided by n; of linear
        ridge also by the columns' mean variance, as those of feature maps are.
    grid : tuple of float
        Its values, the first of which serves where there are too few rows to choose.
    build : callable
        ``build(setting, value)`` gives scikit-learn's estimator for a value of the hyper-parameter.
    work_doubles : callable
        ``work_doubles(n_train, n_features, n_classes, n_components)``: numbers of eight bytes in use while fitting.
    codes : bool
        Whether it is a regression that learns ±1 codes of the classes.
    uses : tuple of str
        Which of the common parameters, ``gamma`` and ``n_components``, it takes.
    max_samples : int
        Rows beyond which fitting, or predicting for k-NN, takes many minutes on two cores.
    """

    name: str
    title: str
    summary: str
    time: str
    memory: str
    grid_name: str
    grid: tuple[float, ...]
    max_samples: int
    build: Callable[[_Setting, float], Any] = field(repr=False)
    work_doubles: Callable[[int, int, int, int], int] = field(repr=False)
    codes: bool = False
    uses: tuple[str, ...] = ()

    def work_bytes(self, n_train: int, n_features: int, n_classes: int, n_components: int | None = None) -> int:
        """Estimate the largest memory in use while fitting, in bytes."""
        m = n_components or DEFAULT_COMPONENTS
        return _DOUBLE * self.work_doubles(n_train, n_features, max(n_classes, 1), m)

    def refusal(self, n_train: int, n_features: int, n_classes: int = 0, n_components: int | None = None) -> str:
        """Return why this baseline is hopeless for data of that size, in one sentence; empty if it is not.

        Parameters
        ----------
        n_classes : int
            0 for regression.
        n_components : int, optional
            Of the approximations; 1000 by default.
        """
        if n_train > self.max_samples:
            return (
                f"{self.title} takes too long beyond {self.max_samples:,} training samples ({self.time}) and there are "
                f"{n_train:,}: choose a subsample of {self.max_samples:,} or leave this line out."
            )
        needed, budget = self.work_bytes(n_train, n_features, n_classes, n_components), memory_budget("cpu")
        if needed > budget:
            return (
                f"{self.title} needs about {gigabytes(needed)} ({self.memory}) for {n_train:,} samples of "
                f"{n_features:,} features and the budget is {gigabytes(budget)}: choose fewer samples or leave this "
                "line out."
            )
        return ""


def _knn(setting: _Setting, value: float) -> Any:
    kind = KNeighborsClassifier if setting.classify else KNeighborsRegressor
    return kind(min(int(value), setting.n_train), algorithm="brute")


def _linear_svm(setting: _Setting, value: float) -> Any:
    settings: dict[str, Any] = {"C": value, "max_iter": 2000, "dual": "auto", "random_state": setting.random_state}
    if setting.classify:
        return LinearSVC(**settings)
    return _standardised(LinearSVR(loss="squared_epsilon_insensitive", **settings))


def _rbf_svm(setting: _Setting, value: float) -> Any:
    settings: dict[str, Any] = {"C": value, "gamma": setting.gamma}
    return SVC(**settings) if setting.classify else _standardised(SVR(**settings))


def _standardised(regressor: Any) -> Any:
    # The width of the tube, and C, are in units of the target.
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


def _linear_ridge(setting: _Setting, value: float) -> Any:
    return Ridge(alpha=value * setting.n_train * setting.variance)


def _ridge(setting: _Setting, value: float) -> Any:
    return Ridge(alpha=value * setting.n_train)


def _kernel_ridge(setting: _Setting, value: float) -> Any:
    settings: dict[str, Any] = {"alpha": value * setting.n_train, "kernel": "rbf", "gamma": setting.gamma}
    return KernelRidge(**settings)


def _nystroem(setting: _Setting, value: float) -> Any:
    m = min(setting.n_components, setting.n_train)
    features = Nystroem(gamma=setting.gamma, n_components=m, random_state=setting.random_state)
    return make_pipeline(features, _ridge(setting, value))


def _rbf_sampler(setting: _Setting, value: float) -> Any:
    features = RBFSampler(gamma=setting.gamma, n_components=setting.n_components, random_state=setting.random_state)
    return make_pipeline(features, _ridge(setting, value))


def _network(setting: _Setting, value: float) -> Any:
    settings: dict[str, Any] = {"hidden_layer_sizes": (_HIDDEN,), "alpha": value, "random_state": setting.random_state}
    settings["max_iter"] = min(max(_ROWS_SEEN // setting.n_train, 20), 200)
    network = MLPClassifier(**settings) if setting.classify else _standardised(MLPRegressor(**settings))
    # One factor for all columns: rare pixels of their own scale would drown the others.
    scale = FunctionTransformer(_times, kw_args={"factor": 1.0 / np.sqrt(setting.variance)}, accept_sparse=True)
    return make_pipeline(scale, network)


def _times(X: Any, factor: float) -> Any:
    return X * factor


_ALL = (
    Baseline(
        "knn",
        "k nearest neighbours",
        "Vote of the nearest training samples: no model, all the cost in predicting.",
        "O(1), and O(n·d) a prediction",
        "n·d numbers",
        "n_neighbors",
        (3, 1, 5, 9),
        200_000,
        _knn,
        lambda n, d, k, m: n * d,
    ),
    *(
        Baseline(
            f"knn_{k}",
            title,
            f"Vote of the {k} nearest training samples." if k > 1 else "The label of the nearest training sample.",
            "O(1), and O(n·d) a prediction",
            "n·d numbers",
            "n_neighbors",
            (k,),
            200_000,
            _knn,
            lambda n, d, k, m: n * d,
        )
        for k, title in NEIGHBOURS.items()
    ),
    Baseline(
        "linear_ridge",
        "Linear ridge",
        "Least squares on ±1 codes of the classes, without any features.",
        "O(n·d²)",
        "2·n·d + d² doubles",
        "alpha",
        _LINEAR_ALPHAS,
        5_000_000,
        _linear_ridge,
        lambda n, d, k, m: 2 * n * d + d * d,
        codes=True,
    ),
    Baseline(
        "linear_svm",
        "Linear SVM",
        "One-versus-rest linear support vector machine (squared hinge).",
        "O(n·d·k) a pass",
        "2·n·d doubles",
        "C",
        (1.0, 0.1, 10.0),
        500_000,
        _linear_svm,
        lambda n, d, k, m: 2 * n * d,
    ),
    Baseline(
        "rbf_svm",
        "RBF SVM",
        "Exact support vector machine with the Gaussian kernel, one-versus-one.",
        "O(n²·d) to O(n³)",
        "n·d doubles + 0.2 GB of cache",
        "C",
        (10.0, 1.0, 100.0),
        15_000,
        _rbf_svm,
        lambda n, d, k, m: n * d + _SVM_CACHE,
        uses=("gamma",),
    ),
    Baseline(
        "kernel_ridge",
        "Exact kernel ridge",
        "Ridge regression with the Gaussian kernel itself, on ±1 codes: the limit of Fourier features.",
        "O(n³)",
        "2·n² doubles",
        "alpha",
        _ALPHAS,
        _LARGEST_MATRIX,
        _kernel_ridge,
        lambda n, d, k, m: n * (d + 2 * n + k),
        codes=True,
        uses=("gamma",),
    ),
    Baseline(
        "nystroem",
        "Nystroem + ridge",
        "Features from the Gaussian kernel between the data and m training samples.",
        "O(n·m·(d + m) + m³)",
        "2·n·m + 3·m² doubles",
        "alpha",
        _ALPHAS,
        1_000_000,
        _nystroem,
        lambda n, d, k, m: n * (d + 2 * m) + 3 * m * m,
        codes=True,
        uses=("gamma", "n_components"),
    ),
    Baseline(
        "rbf_sampler",
        "RBFSampler + ridge",
        "scikit-learn's own random Fourier features of the Gaussian kernel.",
        "O(n·m·(d + m))",
        "2·n·m + m² doubles",
        "alpha",
        _ALPHAS,
        1_000_000,
        _rbf_sampler,
        lambda n, d, k, m: n * (d + 2 * m) + m * m,
        codes=True,
        uses=("gamma", "n_components"),
    ),
    Baseline(
        "network",
        "Small network",
        "One hidden layer of 100 ReLUs, trained by Adam (scikit-learn’s).",
        "O(n·d) a pass",
        "2·n·d doubles",
        "alpha",
        (1e-4, 1e-2),
        100_000,
        _network,
        lambda n, d, k, m: 2 * n * d + 8 * _HIDDEN * (d + k),
    ),
)
#: Every baseline by its key, in the order of a legend.
BASELINES: dict[str, Baseline] = {baseline.name: baseline for baseline in _ALL}

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
    """Error, time and memory of one baseline.

    Attributes
    ----------
    error : float
        Share of test samples that are misclassified, or the root mean squared error: see `metric`.
    metric : {"error rate", "RMSE"}
    seconds_fit, seconds_predict : float
        Of the final fit, and of predicting the test samples.
    seconds_search : float
        Of the hold-out search before it.
    bytes_model, bytes_work : int
        Arrays that the fitted model holds (measured), and what fitting needs besides (estimated from the sizes).
    parameters : dict
        Chosen and given.
    losses : ndarray of shape (n_test,)
        1 for each test sample that is misclassified and 0 for others, or its squared error.
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
    losses: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def bytes(self) -> int:
        """Model and work memory together."""
        return self.bytes_model + self.bytes_work

    def to_frame(self) -> pd.DataFrame:
        """Return one row, with units in the column names."""
        return pd.DataFrame(
            {
                "baseline": [self.title],
                self.metric: self.error,
                "test samples": self.n_test,
                "fit (s)": self.seconds_fit,
                "predict (s)": self.seconds_predict,
                "search (s)": self.seconds_search,
                "model (bytes)": self.bytes_model,
                "work (bytes)": self.bytes_work,
                "parameters": ", ".join(f"{key}={value:.4g}" for key, value in self.parameters.items()),
            }
        )


def run_baseline(
    name: str,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    n_components: int | None = None,
    gamma: float | str = "scale",
    value: float | None = None,
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
    value : float, optional
        Of the hyper-parameter, instead of a search.
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
    (n, d), k = X_train.shape, 0 if targets.classes is None else len(targets.classes)
    reason = baseline.refusal(n, d, k, m)
    if reason:
        raise BaselineRefusedError(reason)
    setting = _Setting(
        targets.classes is not None, n, _variance_of(X_train), _gamma_of(X_train, gamma), m, random_state
    )
    train, test = (_precise(baseline, X_train), y_train), (_precise(baseline, X_test), y_test)
    work = baseline.work_bytes(n, d, k, m)
    return _measured(baseline, setting, targets, train, test, work, value, progress)


def _measured(
    baseline: Baseline,
    setting: _Setting,
    targets: Targets,
    train: tuple[Any, np.ndarray],
    test: tuple[Any, np.ndarray],
    work: int,
    value: float | None,
    progress: Progress,
) -> BaselineResult:
    """Search, fit and test, and measure the time of each."""
    started = time.perf_counter()
    value = _search(baseline, setting, targets, *train, progress) if value is None else value
    searched = time.perf_counter()
    progress(0.6, f"Fitting {baseline.title}")
    model = _fit(baseline, setting, targets, value, *train)
    fitted = time.perf_counter()
    progress(0.9, f"Testing {baseline.title}")
    losses = _losses(baseline, targets, model, *test, setting.n_train)
    done = time.perf_counter()
    progress(1.0, f"{baseline.title} done")
    # Support vector machines classify; support vector regression has its own name.
    title = baseline.title if setting.classify else baseline.title.replace("SVM", "SVR")
    return BaselineResult(
        baseline.name,
        title,
        _error(targets, losses),
        "error rate" if setting.classify else "RMSE",
        len(test[1]),
        fitted - searched,
        done - fitted,
        searched - started,
        array_bytes(model),
        work,
        _parameters(baseline, setting, value),
        losses.astype(np.float32),
    )


def _checked(X_train: Any, y_train: Any, X_test: Any, y_test: Any) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Return the data as arrays whose shapes go together."""
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
    return X if baseline.build is _knn else X.astype(np.float64, copy=False)


def _variance_of(X: Any) -> float:
    """Return the mean variance of the columns, or 1 where none varies."""
    means = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    squares = X.multiply(X).mean() if sparse.issparse(X) else np.square(X, dtype=np.float64).mean()
    variance = float(squares - np.mean(means**2))
    return variance if variance > 0 else 1.0


def _gamma_of(X: Any, gamma: float | str) -> float:
    gamma = _GAMMA.validate(gamma)
    if not isinstance(gamma, str):
        return gamma
    variance = float(X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var(dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _search(
    baseline: Baseline, setting: _Setting, targets: Targets, X: Any, y: np.ndarray, progress: Progress
) -> float:
    """Return the value of the grid with the smallest hold-out loss; the first where too few rows are left for that."""
    if len(baseline.grid) == 1:
        return baseline.grid[0]
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
        losses.append(_error(targets, _losses(baseline, targets, model, X[held], y[held], len(kept))))
    return baseline.grid[int(np.argmin(losses))]


def _fit(baseline: Baseline, setting: _Setting, targets: Targets, value: float, X: Any, y: np.ndarray) -> Any:
    model = baseline.build(dataclasses.replace(setting, n_train=len(y)), value)
    with warnings.catch_warnings():
        # A linear SVM that stops at its limit of passes is as good a line as one that goes on for hours.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, targets.codes(y) if baseline.codes else y)


def _error(targets: Targets, losses: np.ndarray) -> float:
    """Return the share of wrong labels, or the root mean squared error."""
    mean = float(np.mean(losses))
    return mean if targets.classes is not None else mean**0.5


def _losses(baseline: Baseline, targets: Targets, model: Any, X: Any, y: np.ndarray, n_train: int) -> np.ndarray:
    """Return the loss of each row, in blocks: a kernel model sees all at once."""
    block = max(_PREDICT_BYTES // (8 * max(n_train, DEFAULT_COMPONENTS)), 1)
    losses = []
    for start in range(0, len(y), block):
        predicted, truth = model.predict(X[start : start + block]), y[start : start + block]
        if targets.classes is None or baseline.codes:
            losses.append(targets.errors(predicted.reshape(len(truth), -1), truth))
        else:
            losses.append(predicted != truth)
    return np.concatenate(losses).astype(np.float64)


def _parameters(baseline: Baseline, setting: _Setting, value: float) -> dict[str, Any]:
    used = {name: getattr(setting, name) for name in baseline.uses}
    if "n_components" in used and baseline.name == "nystroem":
        used["n_components"] = min(used["n_components"], setting.n_train)
    return {baseline.grid_name: value, **used}


def array_bytes(model: Any, seen: set[int] | None = None) -> int:
    """Return the bytes of all arrays that a fitted model holds, each counted once."""
    seen = set() if seen is None else seen
    if id(model) in seen:
        return 0
    seen.add(id(model))
    if isinstance(model, np.ndarray):
        return model.nbytes
    if sparse.issparse(model):
        return model.data.nbytes + model.indices.nbytes + model.indptr.nbytes
    inner = model if isinstance(model, (list, tuple)) else vars(model).values() if hasattr(model, "__dict__") else ()
    return sum(array_bytes(part, seen) for part in inner)
