"""Lemmas 1 and 4: distances from a function of the class, against sums that NumPy and SciPy do alone."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.stats import binom

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks import describe
from rfviz.experiments.kitchen_sinks.approximation import DELTA, Distances, DistancesRun, distances_to_target
from rfviz.features import DecisionStumps, MapSpec, RandomBinning, RandomReLU

GRID = (4, 16, 60)


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


@pytest.fixture(scope="module")
def terms(split):
    """Return the stumps of p on the test rows, signed as they go with the classes, by NumPy alone."""
    stumps = DecisionStumps(5000, random_state=0).fit(split.X_train)
    H, H_test = (np.sqrt(5000) * stumps.transform(X).astype(float) for X in (split.X_train, split.X_test))
    assert set(np.unique(H.round(4))) == {-1.0, 1.0}
    return (np.where((2.0 * split.y_train - 1) @ H < 0, -1.0, 1.0) * H_test).T


@pytest.fixture(scope="module")
def found(split):
    spec = MapSpec(DecisionStumps)
    runs = tuple(distances_to_target(split, spec.replace(random_state=seed), GRID) for seed in range(2))
    return Distances(np.array(GRID), runs)


def test_the_mean_square_is_the_variance_of_one_draw(found, terms):
    assert found.size == pytest.approx(1.0)
    variance = np.mean(terms.var(axis=0))  # of one stump, mean over the rows
    np.testing.assert_allclose(found.expected, np.sqrt(variance / np.array(GRID)), rtol=1e-6)
    squares = found.means**2
    z = (squares.mean(axis=0) - variance / np.array(GRID)) / (squares.std(axis=0, ddof=1) / np.sqrt(len(squares)))
    assert np.abs(z).max() < 5  # a false alarm in half a million


def test_no_more_draws_are_far_away_than_lemma_4_allows(found):
    for k, distances in zip(GRID, found.means.T, strict=True):
        for t in (1.2, 1.6, 2.0):
            beyond = int((distances > t / np.sqrt(k)).sum())
            assert binom.sf(beyond - 1, len(distances), np.exp(-0.5 * (t - 1) ** 2)) > 1e-6
    tail = found.tail_frame()
    assert (tail["share of draws"].diff().dropna() <= 0).all() and tail["share of draws"].iloc[-1] == 0
    assert tail["share allowed"].iloc[0] == 1


def test_the_nearest_weights_are_those_of_bounded_least_squares(split, terms):
    run = distances_to_target(split, MapSpec(DecisionStumps, random_state=3), GRID)
    target = terms.mean(axis=0)
    drawn = terms[np.random.default_rng([0, 3]).integers(5000, size=GRID[-1])]
    for place, k in enumerate(GRID):
        best = lsq_linear(drawn[:k].T, target, bounds=(-1 / k, 1 / k), tol=1e-12)
        distance = np.sqrt(np.mean((best.x @ drawn[:k] - target) ** 2))
        assert run.nearest[place] == pytest.approx(distance, rel=0.02)
        mean = np.sqrt(np.mean((drawn[:k].mean(axis=0) - target) ** 2))
        assert run.means[0, place] == pytest.approx(mean) and run.nearest[place] <= mean * (1 + 1e-9)


def test_features_without_a_bound_have_the_largest_norm_in_place_of_c(split):
    run = distances_to_target(split, MapSpec(RandomReLU), (10,))
    relu = RandomReLU(5000, random_state=0).fit(split.X_train)
    norms = np.sqrt(5000 * np.mean(np.square(relu.transform(split.X_test), dtype=float), axis=0))
    assert run.largest == pytest.approx(norms.max(), rel=1e-4) and run.largest > 2


@pytest.mark.parametrize("view", ["weights", "constraint", "lemmas"])
def test_boxes_are_refused_where_single_features_are_meant(view):
    with pytest.raises(DataError, match="many columns for each of its K grids"):
        KitchenSinks(maps=[RandomBinning()], view=view, k_max=20, runs=1).run("breast_cancer")


def test_the_sentence_counts_the_draws_beyond_the_bound():
    means = np.full((20, 2), 0.1)
    inside = Distances(np.array([4, 16]), (DistancesRun(means, np.array([0.05, 0.02]), 1.0, 1.0, 0.3),))
    assert f"bound for δ = {DELTA:g} none is." in describe.distances_explanation(inside, "Random stumps")
    means = means.copy()
    means[0, 1] = 1.0  # the bound is 0.86 there
    outside = Distances(np.array([4, 16]), (DistancesRun(means, np.array([0.05, 0.02]), 1.0, 1.0, 0.3),))
    assert "2.50% of all are." in describe.distances_explanation(outside, "Random stumps")


def test_the_view_draws_both_lemmas():
    asked = KitchenSinks(maps=[DecisionStumps()], view="lemmas", k_max=30, runs=1)
    result = asked.run("breast_cancer")
    assert list(result.charts) == ["sinks-distance", "sinks-tail"]
    frame = result.to_frame()
    assert frame["K"].iloc[-1] == 30 and (frame["distance"] < frame["C/√K"]).all()
    for chart in result.charts.values():
        assert chart.figure.data and chart.alt in (result.summary(), chart.alt)
