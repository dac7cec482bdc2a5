"""How many features suffice to learn: predicted and measured by other means, and sentences where true and where not."""

import re

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.experiments import KernelGuarantees, LearningGuarantees, as_data
from rfviz.experiments.guarantees.describe import count, kernel_sufficing, risk_sufficing
from rfviz.features import RandomActivation, RandomBinning, RandomFourier, RandomMaxout
from rfviz.theory import features_needed, kernel_spectrum

SMALL = {"points": 8, "draws": 20}


@pytest.fixture(scope="module")
def alike():
    """Return rows in all directions alike, whose features are alike, and two classes of them."""
    g = np.random.default_rng(0)
    X = g.normal(size=(480, 15))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0.3).astype(int)
    return as_data(Dataset("alike", X, y, target_names=("low", "high")))


def told(experiment, data):
    """Return the table and the sentences, what was learnt, and the rest that was found."""
    cache = Cache()
    found, learnt = experiment.compute(data, cache), experiment.learnt(data, cache)
    if isinstance(experiment, KernelGuarantees):
        return kernel_sufficing(found.comparison, learnt), learnt, found
    return risk_sufficing(experiment.quadratic_bound(found), learnt), learnt, found


@pytest.mark.parametrize("eps", [0.05, 0.3])
def test_what_suffices_is_predicted_from_the_kernel_and_measured(alike, eps):
    words, learnt, _ = told(KernelGuarantees(feature_map=RandomFourier(gamma=1.0), eps=eps, **SMALL), alike)
    X, y = alike.dataset.X, alike.dataset.y
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    spectrum = kernel_spectrum(rbf_kernel(X, gamma=1.0), np.eye(2)[y])
    assert learnt.curve.n == 60  # an eighth of the rows
    assert learnt.predicted == features_needed(spectrum, 60, within=eps, from_population=True)
    ratio = learnt.curve.test.mean(axis=0) / np.mean([draw.test[-1] for draw in learnt.curve.draws])
    place = int(np.searchsorted(learnt.curve.m_grid, learnt.measured))
    assert (ratio[place:] <= 1.0 + eps).all() and ratio[place - 1] > 1.0 + eps
    assert f"predicts m = {learnt.predicted:,} for a squared error within {100 * eps:g}% of" in words
    assert f"4 draws of up to {learnt.curve.m_grid[-1]:,} features: {learnt.measured:,}." in words
    assert f"60 rows | – : {learnt.predicted:,} : {learnt.measured:,} |" in words
    assert "reliable" not in words and "doubtful" not in words
    # A few per cent of the error are a large part of m, which falls as one over the excess.
    assert 0.5 < learnt.measured / learnt.predicted < 2.0


def test_the_kernels_own_bounds_stand_beside_it(alike):
    words, learnt, found = told(KernelGuarantees(feature_map=RandomFourier(gamma=1.0), eps=0.3, **SMALL), alike)
    for about in ("one pair", "all pairs"):
        kinds = (found.comparison.find(about, kind) for kind in ("bound", "expected", "measured"))
        by_kind = [next(curve for curve in curves if len(curve.m)) for curves in kinds]
        bound, theory, measured = (count(curve.features) for curve in by_kind)
        assert f"{about}, off by at most ε ({by_kind[0].name}) | {bound} : {theory} : {measured} |" in words
    ratio = found.comparison.find("all pairs", "bound")[0].features / learnt.measured
    said = float(re.search(r"pairs, (?:only )?([\d.,]+)(?: times|% of) what was measured for learning", words)[1])
    assert said == pytest.approx(ratio if ratio >= 1 else 100 * ratio, rel=0.06)


def test_a_bound_below_what_learning_takes_is_not_said_to_be_above():
    # An error of 1 in a kernel of at most 1 says nothing; twice the squared error on a straight line is not much.
    X = np.random.default_rng(0).normal(size=(480, 15))
    line = as_data(Dataset("line", X, X[:, :6].sum(axis=1)))
    wide = RandomFourier(gamma=0.1)
    experiment = KernelGuarantees(feature_map=wide, eps=1.0, delta=0.5, normalise="none", **SMALL)
    words, learnt, found = told(experiment, line)
    asked = found.comparison.find("all pairs", "bound")[0].features
    assert asked < learnt.measured
    assert f"requires {count(asked)} for the kernel of all pairs, only {100 * asked / learnt.measured:.0f}% of" in words


def test_theory_that_is_not_reliable_is_said_not_to_be():
    moons = as_data(datasets.load("moons", n_samples=200))
    words, learnt, _ = told(KernelGuarantees(feature_map=RandomMaxout(pool_size=4), **SMALL), moons)
    assert f"{learnt.predicted:,} (doubtful)" in words
    assert "The theory is **not reliable** here" in words and "single draws decide" in words


def test_where_no_bound_is_known_none_is_counted():
    moons = as_data(datasets.load("moons", n_samples=200))
    words, _, _ = told(KernelGuarantees(feature_map=RandomActivation(), **SMALL), moons)
    assert "off by at most ε | – : " in words


def test_whole_grids_of_boxes_are_not_features_of_the_theory():
    moons = as_data(datasets.load("moons", n_samples=100))
    words, learnt, _ = told(KernelGuarantees(feature_map=RandomBinning(gamma=1.0), **SMALL), moons)
    assert learnt.predicted is None
    assert "Nothing is predicted" in words and "whole grid of boxes" in words and "predicts m" not in words


def test_the_bound_on_the_risk_is_that_of_the_quadratic_loss(alike):
    waves = RandomFourier(300, gamma=1.0, paired=False)
    experiment = LearningGuarantees(feature_map=waves, size=2.0, delta=0.1)
    words, learnt, _ = told(experiment, alike)
    share = alike.dataset.y.mean()
    assert learnt.risk == pytest.approx(learnt.curve.exact * 4.0 * share * (1.0 - share))  # variance of ±1
    # Slope 2(1 + C) on [−C, C], and the theorem's own δ is half of the user's.
    scale = 2.0 * (1.0 + 2.0) * 2.0 * (1.0 + np.sqrt(2.0 * np.log(1.0 / 0.05)))
    asked = np.ceil((scale / (0.05 * learnt.risk)) ** 2)
    assert f"(Theorem 1) | {count(asked)} : {learnt.predicted:,} : {learnt.measured:,} |" in words
    assert f"The second term of Theorem 1 requires {count(asked)} to be as small for the quadratic loss" in words


def test_a_theorem_on_bounded_losses_is_not_applied_to_squares(alike):
    experiment = LearningGuarantees(feature_map=RandomMaxout(300, pool_size=2), theorem="maxout", loss="ramp")
    words, learnt, _ = told(experiment, alike)
    assert "says nothing of the squared error" in words and "Theorem 2" not in words
    assert f"| – : {learnt.predicted:,}" in words


def test_without_labels_only_the_kernel_is_spoken_of():
    circle, experiment = as_data("circle"), KernelGuarantees(feature_map=RandomFourier(gamma=1.0), **SMALL)
    with pytest.raises(DataError, match="needs labels"):
        experiment.learnt(circle, Cache())
    words = kernel_sufficing(experiment.compute(circle, Cache()).comparison, "No labels.")
    assert "Squared error" not in words and words.endswith("No labels.")
