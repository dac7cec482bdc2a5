"""Facts about test errors."""

from __future__ import annotations

import functools

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, mean_and_spread, run_segment
from rfviz.analysis.splits import Split, make_split
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab.accuracy.baselines import run_baseline
from rfviz.lab.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M
from rfviz.lab.facts import at, fact

__all__: list[str] = []


@functools.lru_cache(maxsize=4)
def _split(name: str) -> Split:
    return make_split(datasets.load(name), "none")


@functools.lru_cache(maxsize=16)
def _errors(q: int) -> dict[int, float]:
    """Return the test error in per cent of maxout on the digits by number of features."""
    specs = [MapSpec(RandomMaxout, pool_size=q, random_state=seed) for seed in range(2)]
    grids = [tuple(int(m) for m in grid) for grid in grid_segments(1000)]
    runs = [[run_segment(_split("digits"), spec, grid) for grid in grids] for spec in specs]
    frame = mean_and_spread(runs)
    return dict(zip(map(int, frame["m"]), map(float, 100 * frame["error"]), strict=True))


@fact
def digits_error(q: int, m: int) -> float:
    """Return the test error in per cent of ridge regression on m maxout features of the digits, mean of 2 draws."""
    return at(_errors(q), m)


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
    split = _split("digits")
    return 100 * run_baseline(name, split.X_train, split.y_train, split.X_test, split.y_test).error
