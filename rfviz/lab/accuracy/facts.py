"""Facts about test errors."""

from __future__ import annotations

import functools

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, mean_and_spread, run_segment
from rfviz.analysis.splits import Split, make_split
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomProjection
from rfviz.lab.accuracy.baselines import run_baseline
from rfviz.lab.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M
from rfviz.lab.facts import at, fact

__all__: list[str] = []


_MAPS: dict[str, MapSpec[FeatureMap]] = {"linear": MapSpec(RandomProjection), "fourier": MapSpec(RandomFourier)}


@functools.lru_cache(maxsize=4)
def _split(name: str, how: str = "none") -> Split:
    return make_split(datasets.load(name), how)


@functools.lru_cache(maxsize=8)
def _signs(parity: int, noise: int) -> Split:
    return make_split(datasets.load("binary_toy", n_samples=2000, parity=parity, noise=noise), "none")


@functools.lru_cache(maxsize=32)
def _errors(split: Split, spec: MapSpec[FeatureMap], m_max: int) -> dict[int, float]:
    """Return the test error in per cent by number of features, mean of 2 draws; a split is cached, so it is its key."""
    grids = [tuple(int(m) for m in grid) for grid in grid_segments(m_max)]
    runs = [[run_segment(split, spec.replace(random_state=seed), grid) for grid in grids] for seed in range(2)]
    frame = mean_and_spread(runs)
    return dict(zip(map(int, frame["m"]), map(float, 100 * frame["error"]), strict=True))


@functools.lru_cache(maxsize=32)
def _baseline(name: str, split: Split) -> float:
    return 100 * run_baseline(name, split.X_train, split.y_train, split.X_test, split.y_test).error


def _guess(split: Split) -> float:
    return 100 * float(np.mean(split.y_test != np.bincount(split.y_train).argmax()))


@fact
def digits_error(q: int, m: int) -> float:
    """Return the test error in per cent of ridge regression on m maxout features of the digits, mean of 2 draws."""
    return at(_errors(_split("digits"), MapSpec(RandomMaxout, pool_size=q), 1000), m)


@fact
def test_rows(name: str) -> float:
    """Return the number of test rows of a data set without a split of its own, where a quarter is held out."""
    return float(len(_split(name).y_test))


@fact
def paper_error(q: int, m: int) -> float:
    """Return the test error in per cent on MNIST, as the paper's Table 1 prints it."""
    return PAPER_TABLE_1[q][TABLE_M.index(m)][0]


@fact
def paper_best(m: int) -> float:
    """Return the pool size with the least error in a column of the paper's Table 1."""
    return float(min(PAPER_TABLE_1, key=lambda q: paper_error(q, m)))


@fact
def exact_error(name: str) -> float:
    """Return the test error in per cent of a baseline on the digits: ``"rbf_svm"``, ``"linear_ridge"``."""
    return _baseline(name, _split("digits"))


@fact
def guess_error(data: str) -> float:
    """Return the test error in per cent of who always names the class that most training rows have."""
    return _guess(_split(data))


@fact
def cancer_error(kind: str, m: int) -> float:
    """Return the test error in per cent of m features, "linear" or "fourier", of standardised breast cancer data."""
    return at(_errors(_split("breast_cancer", "standardise"), _MAPS[kind], 500), m)


@fact
def signs_error(kind: str, parity: int, noise: int, m: int) -> float:
    """Return the test error in per cent of m features of ten signs; the label is the product of `parity` of them."""
    return at(_errors(_signs(parity, noise), _MAPS[kind], 1000), m)


@fact
def signs_exact(parity: int, noise: int) -> float:
    """Return the same of the support vector machine with the exact Gaussian kernel."""
    return _baseline("rbf_svm", _signs(parity, noise))


@fact
def signs_guess(parity: int, noise: int) -> float:
    """Return the same of who always names the class that most training rows have."""
    return _guess(_signs(parity, noise))
