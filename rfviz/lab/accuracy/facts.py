"""Facts about test errors."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.experiments import Accuracy, Data, as_data
from rfviz.experiments.accuracy.experiment import GAMMA, baseline_of
from rfviz.experiments.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M
from rfviz.experiments.split_data import TEST_SHARE, SplitData
from rfviz.features import FeatureMap, RandomFourier, RandomMaxout, RandomProjection
from rfviz.lab.facts import CACHE, at, fact

__all__: list[str] = []

_MAPS: dict[str, type[FeatureMap]] = {"linear": RandomProjection, "fourier": RandomFourier}


@functools.lru_cache(maxsize=8)
def _signs(parity: int, noise: int) -> Data:
    return as_data(datasets.load("binary_toy", n_samples=2000, parity=parity, noise=noise))


def _errors(data: Data, feature_map: FeatureMap, m_max: int, normalise: str = "none") -> dict[int, float]:
    """Return the test error in per cent by number of features, mean of 2 draws."""
    experiment = Accuracy(maps=[feature_map], m_max=m_max, seeds=2, normalise=normalise)
    frame = experiment.run(data, cache=CACHE).to_frame()
    return dict(zip(map(int, frame["m"]), map(float, frame["error"]), strict=True))


def _split_data(data: Data) -> SplitData:
    return SplitData(data, "none", TEST_SHARE.default)


def _baseline(name: str, data: Data) -> float:
    return 100 * CACHE.call(baseline_of, _split_data(data), name, GAMMA.default).error


def _guess(data: Data) -> float:
    split = _split_data(data).split(CACHE)
    return 100 * float(np.mean(split.y_test != np.bincount(split.y_train).argmax()))


@fact
def digits_error(q: int, m: int) -> float:
    """Return the test error in per cent of ridge regression on m maxout features of the digits, mean of 2 draws."""
    return at(_errors(as_data("digits"), RandomMaxout(pool_size=q), 1000), m, "m")


@fact
def test_rows(name: str) -> float:
    """Return the number of test rows of a data set without a split of its own, where a quarter is held out."""
    return float(len(_split_data(as_data(name)).split(CACHE).y_test))


@fact
def paper_error(q: int, m: int) -> float:
    """Return the test error in per cent on MNIST, as the paper's Table 1 prints it."""
    errors = at(PAPER_TABLE_1, q, "q")
    by_m: dict[int, tuple[float, float]] = dict(zip(TABLE_M, errors, strict=True))
    return at(by_m, m, "m")[0]


@fact
def paper_best(m: int) -> float:
    """Return the pool size with the least error in a column of the paper's Table 1."""
    return float(min(PAPER_TABLE_1, key=lambda q: paper_error(q, m)))


@fact
def exact_error(name: str) -> float:
    """Return the test error in per cent of a baseline on the digits: ``"rbf_svm"``, ``"linear_ridge"``."""
    return _baseline(name, as_data("digits"))


@fact
def guess_error(data: str) -> float:
    """Return the test error in per cent of who always names the class that most training rows have."""
    return _guess(as_data(data))


@fact
def cancer_error(kind: str, m: int) -> float:
    """Return the test error in per cent of m features, "linear" or "fourier", of standardised breast cancer data."""
    return at(_errors(as_data("breast_cancer"), at(_MAPS, kind, "kind")(), 500, "standardise"), m, "m")


@fact
def signs_error(kind: str, parity: int, noise: int, m: int) -> float:
    """Return the test error in per cent of m features of ten signs; the label is the product of `parity` of them."""
    return at(_errors(_signs(parity, noise), at(_MAPS, kind, "kind")(), 1000), m, "m")


@fact
def signs_exact(parity: int, noise: int) -> float:
    """Return the same of the support vector machine with the exact Gaussian kernel."""
    return _baseline("rbf_svm", _signs(parity, noise))


@fact
def signs_guess(parity: int, noise: int) -> float:
    """Return the same of who always names the class that most training rows have."""
    return _guess(_signs(parity, noise))
