"""The methods that random features are measured against: what each is, what it costs, and when it is hopeless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from rfviz.backend import gigabytes, memory_budget

__all__ = ["BASELINES", "DEFAULT_COMPONENTS", "Baseline", "Setting"]

DEFAULT_COMPONENTS = 1000
_DOUBLE = 8
# Entries of a penalty grid are per row; first the one that serves without a search.
_ALPHAS = (1e-6, 1e-7, 1e-5, 1e-4, 1e-3)
_SVM_CACHE = 25_000_000


@dataclass(frozen=True)
class Setting:
    """What an estimator is built for."""

    classify: bool
    n_train: int
    gamma: float
    n_components: int
    random_state: int


@dataclass(frozen=True)
class Baseline:
    """One reference line.

    Attributes
    ----------
    name, title, summary : str
        Key, what a person reads, and one line about it.
    time, memory : str
        Cost of fitting in n rows, d columns, k classes and m components.
    grid_name : str
        Hyper-parameter chosen by hold-out. The penalty ``alpha`` is per row: scikit-learn's, divided by n.
    grid : tuple of float
        Its values, the first of which serves where there are too few rows to choose.
    build : callable
        ``build(setting, value)`` gives the estimator for a value of the hyper-parameter.
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
    grid: tuple
    max_samples: int
    build: Callable[[Setting, Any], BaseEstimator] = field(repr=False)
    work_doubles: Callable[[int, int, int, int], int] = field(repr=False)
    codes: bool = False
    uses: tuple[str, ...] = ()

    def work_bytes(self, n_train: int, n_features: int, n_classes: int, n_components: int | None = None) -> int:
        """Estimate of the largest memory in use while fitting, in bytes."""
        m = n_components or DEFAULT_COMPONENTS
        return _DOUBLE * self.work_doubles(n_train, n_features, max(n_classes, 1), m)

    def refusal(self, n_train: int, n_features: int, n_classes: int = 0, n_components: int | None = None) -> str:
        """Why this baseline is hopeless for data of that size, in one sentence; empty where it is not.

        Parameters
        ----------
        n_train, n_features : int
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


def _knn(setting: Setting, value: float) -> BaseEstimator:
    kind = KNeighborsClassifier if setting.classify else KNeighborsRegressor
    return kind(min(value, setting.n_train), algorithm="brute")


def _linear_svm(setting: Setting, value: float) -> BaseEstimator:
    settings = {"C": value, "max_iter": 2000, "dual": "auto", "random_state": setting.random_state}
    if setting.classify:
        return LinearSVC(**settings)
    return _standardised(LinearSVR(loss="squared_epsilon_insensitive", **settings))


def _rbf_svm(setting: Setting, value: float) -> BaseEstimator:
    settings = {"C": value, "gamma": setting.gamma}
    return SVC(**settings) if setting.classify else _standardised(SVR(**settings))


def _standardised(regressor: BaseEstimator) -> BaseEstimator:
    # The width of the tube, and C, are in units of the target.
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


def _ridge(setting: Setting, value: float) -> BaseEstimator:
    return Ridge(alpha=value * setting.n_train)


def _kernel_ridge(setting: Setting, value: float) -> BaseEstimator:
    return KernelRidge(alpha=value * setting.n_train, kernel="rbf", gamma=setting.gamma)


def _nystroem(setting: Setting, value: float) -> BaseEstimator:
    m = min(setting.n_components, setting.n_train)
    features = Nystroem(gamma=setting.gamma, n_components=m, random_state=setting.random_state)
    return make_pipeline(features, _ridge(setting, value))


def _rbf_sampler(setting: Setting, value: float) -> BaseEstimator:
    features = RBFSampler(gamma=setting.gamma, n_components=setting.n_components, random_state=setting.random_state)
    return make_pipeline(features, _ridge(setting, value))


_ALL = (
    Baseline(
        "knn", "k nearest neighbours", "Vote of the nearest training samples: no model, all the cost in predicting.",
        "O(1), and O(n·d) a prediction", "n·d numbers", "n_neighbors", (3, 1, 5, 9), 200_000,
        _knn, lambda n, d, k, m: n * d,
    ),
    Baseline(
        "linear_ridge", "Linear ridge", "Least squares on ±1 codes of the classes, without any features.",
        "O(n·d²)", "2·n·d + d² doubles", "alpha", (1e-2, 1e-6, 1e-4, 1e-3, 1e-1), 5_000_000,
        _ridge, lambda n, d, k, m: 2 * n * d + d * d, codes=True,
    ),
    Baseline(
        "linear_svm", "Linear SVM", "One-versus-rest linear support vector machine (squared hinge).",
        "O(n·d·k) a pass", "2·n·d doubles", "C", (1.0, 0.1, 10.0), 500_000,
        _linear_svm, lambda n, d, k, m: 2 * n * d,
    ),
    Baseline(
        "rbf_svm", "RBF SVM", "Exact support vector machine with the Gaussian kernel, one-versus-one.",
        "O(n²·d) to O(n³)", "n·d doubles + 0.2 GB of cache", "C", (10.0, 1.0, 100.0), 15_000,
        _rbf_svm, lambda n, d, k, m: n * d + _SVM_CACHE, uses=("gamma",),
    ),
    Baseline(
        "kernel_ridge", "Exact kernel ridge", "What ridge on Fourier features tends to: the Gaussian kernel, ±1 codes.",
        "O(n³)", "2·n² doubles", "alpha", _ALPHAS, 20_000,
        _kernel_ridge, lambda n, d, k, m: n * (d + 2 * n + k), codes=True, uses=("gamma",),
    ),
    Baseline(
        "nystroem", "Nystroem + ridge", "Gaussian kernel seen from m training samples, which know the data.",
        "O(n·m·(d + m) + m³)", "2·n·m + 3·m² doubles", "alpha", _ALPHAS, 1_000_000,
        _nystroem, lambda n, d, k, m: n * (d + 2 * m) + 3 * m * m, codes=True, uses=("gamma", "n_components"),
    ),
    Baseline(
        "rbf_sampler", "RBFSampler + ridge", "scikit-learn's own random Fourier features of the Gaussian kernel.",
        "O(n·m·(d + m))", "2·n·m + m² doubles", "alpha", _ALPHAS, 1_000_000,
        _rbf_sampler, lambda n, d, k, m: n * (d + 2 * m) + m * m, codes=True, uses=("gamma", "n_components"),
    ),
)  # fmt: skip
#: Every baseline by its key, in the order of a legend.
BASELINES: dict[str, Baseline] = {baseline.name: baseline for baseline in _ALL}
