"""Bounds on the risk: the papers' numbers, term by term, what they ask for, and what they refuse."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from rfviz import bounds
from rfviz.errors import ParameterError

KITCHEN = bounds.kitchen_sinks_risk(1.0, 5.0, 1.0, math.exp(-2.0))
MAXOUT = bounds.maxout_risk(1.0, 5.0, 1.0, math.exp(-2.0), 1, 100, 10.0, 2.0, 3.0)
COMPOSITIONAL = bounds.compositional_risk(2.0, 5.0, math.sqrt(2.0))


def test_kitchen_sinks_by_hand():
    # 2(4·5 + 2 + 5·√(½·2)) = 54, and 5(1 + √(2·2)) = 15.
    assert KITCHEN.estimation(4.0) == pytest.approx(27.0)
    assert KITCHEN.approximation(9.0) == pytest.approx(5.0)
    assert KITCHEN.total(4.0, 9.0) == pytest.approx(32.0)


def test_maxout_by_hand():
    # q = 1: σ² = 1, so 20 + 2 + 2√4 = 26; d_M(log(2·10) + 2) + log 2 under the root, with C' = 3.
    assert MAXOUT.estimation(4.0) == pytest.approx(13.0)
    root = math.sqrt(3 * (10 * (math.log(20) + 2) + math.log(2)))
    assert MAXOUT.approximation(9.0) == pytest.approx(5 * root)
    larger = bounds.maxout_risk(1.0, 5.0, 1.0, math.exp(-2.0), 8, 100, 10.0, 2.0, 3.0)
    assert larger.estimation(4.0) > MAXOUT.estimation(4.0)


def test_maxout_features_by_hand():
    # ε = 1/√400: 400·3·(10·(log(2·10) + 2) + log 2).
    needed = bounds.maxout_features(0.05, math.exp(-2.0), 1, 100, 10.0, 2.0, 3.0)
    assert needed == pytest.approx(400 * 3 * (10 * (math.log(20) + 2) + math.log(2)))
    # With so many the second term is LCε(1 + √(2 log(1/δ))) = 5·0.05·3.
    assert MAXOUT.approximation(needed) == pytest.approx(0.75)
    # Remark 2.1: R = 4 and B = 3; of points and losses that are less than 1 the theorem speaks as it is.
    larger, less = (
        bounds.maxout_risk(1.0, 5.0, 1.0, math.exp(-2.0), 1, 100, 10.0, 2.0, 3.0, *RB)
        for RB in ((4.0, 3.0), (0.5, 0.5))
    )
    assert larger.total(7.0, 9.0) == pytest.approx(12 * MAXOUT.total(7.0, 9.0))
    assert less.total(7.0, 9.0) == MAXOUT.total(7.0, 9.0)


def test_dimensions_that_points_have_at_most():
    assert bounds.largest_dimension() == math.inf and bounds.largest_dimension(nonzero=3) == math.inf
    # 2^10 points; 5^3 = 125 < 2^7 balls; 4950 planes of 25 balls each, 123,750 < 2^17.
    assert bounds.largest_dimension(1024) == 10 and bounds.largest_dimension(1025) == 11
    assert bounds.largest_dimension(dimension=3) == 7
    assert bounds.largest_dimension(dimension=100, nonzero=2) == 17
    assert bounds.largest_dimension(1e6, 100, 2) == 17 and bounds.largest_dimension(1e6, 3, 2) == 7
    assert bounds.largest_dimension(1) == 1


@pytest.mark.parametrize(("d", "nonzero", "k"), [(2, math.inf, 5), (6, 1, 5)], ids=["a plane", "six lines"])
def test_balls_of_half_the_radius_that_cover_points(d, nonzero, k):
    """Greedy covers of 300 points take no more balls than is said, at every radius about every tenth point."""
    assert bounds.largest_dimension(300, d, nonzero) == k
    rng, most = np.random.default_rng(5), 0
    X = rng.standard_normal((300, d))
    if nonzero == 1:
        X[np.arange(300)[:, None], np.argsort(rng.random(X.shape), axis=1)[:, 1:]] = 0.0
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    for row in range(0, 300, 10):
        for radius in (0.25, 0.5, 1.0, 2.0, 4.0):
            left, balls = apart[row] <= radius, 0
            while left.any():
                left &= apart[np.flatnonzero(left)[0]] > radius / 2
                balls += 1
            most = max(most, balls)
    assert 2 ** (k - 2) < most <= 2**k


def test_compositional_by_hand():
    assert COMPOSITIONAL.estimation(2.0) == pytest.approx(20 * math.sqrt(2.0))
    assert COMPOSITIONAL.approximation(2.0) == pytest.approx(10.0)
    # The λ that the paper sets makes the two terms of its equation (7) equal: their sum is the estimation term.
    rho, B, C, n = 2.0, 5.0, math.sqrt(2.0), 50
    penalty = math.sqrt(2) * rho * C / (math.sqrt(n) * B)
    assert penalty * B**2 + 2 * rho**2 * C**2 / (penalty * n) == pytest.approx(COMPOSITIONAL.estimation(n))


@pytest.mark.parametrize("bound", [KITCHEN, MAXOUT, COMPOSITIONAL], ids=["Theorem 1", "Theorem 2", "Theorem 5"])
def test_inverses(bound):
    excess = 0.5
    n = bound.rows(excess)
    assert bound.estimation(n) <= excess * (1 + 1e-12) < bound.estimation(n - 1)
    assert bound.features(excess, 0.5 * n) == math.inf
    m = bound.features(excess, 4 * n)
    assert bound.total(4 * n, m) <= excess * (1 + 1e-12) < bound.total(4 * n, m - 1)
    values = bound.total(np.geomspace(1, 1e9, 30), np.geomspace(1, 1e9, 30))
    assert (np.diff(values) < 0).all()


@pytest.mark.parametrize("name", bounds.LOSSES)
def test_losses_are_as_steep_as_they_say(name):
    loss = bounds.LOSSES[name]
    for size in (0.5, 3.0):
        z = np.linspace(-size, size, 20_001)
        slope = np.abs(np.diff(loss.value(z)) / np.diff(z)).max()
        assert slope <= loss.lipschitz(size) * (1 + 1e-6)
    assert loss.value(np.array(0.0)) == pytest.approx(loss.at_zero)


def test_function_approximation_of_lemma_1():
    """Lemma 1 of kitchen sinks, by simulation: a mean of random functions is near its expectation in L²."""
    rng = np.random.default_rng(0)
    x, trials, delta, C = np.linspace(0, 1, 50), 4000, 0.2, 2.0
    for m in (3, 30):
        w, b = 5 * rng.standard_normal((trials, m, 1)), rng.uniform(0, 2 * np.pi, (trials, m, 1))
        functions = C * np.cos(w * x + b)  # |α/p| = C, and an expectation of 0 because of the phase
        distance = np.sqrt((functions.mean(axis=1) ** 2).mean(axis=1))
        bound = bounds.kitchen_sinks_risk(1.0, C, 1.0, delta).approximation(m)
        assert binom.sf((distance > bound).sum() - 1, trials, delta) > 1e-6


@pytest.mark.parametrize(
    "make",
    [
        lambda: bounds.kitchen_sinks_risk(1.0, 0.0, 1.0, 0.1),
        lambda: bounds.kitchen_sinks_risk(1.0, 1.0, 1.0, 1.0),
        lambda: bounds.maxout_risk(1.0, 1.0, 1.0, 0.1, 4, 10, -1.0),
        lambda: bounds.maxout_risk(1.0, 1.0, 1.0, 0.1, 4, 10, 1.0, norm=0.0),
        lambda: bounds.maxout_features(0.0, 0.1, 4, 10, 1.0),
        lambda: bounds.compositional_risk(1.0, math.inf),
    ],
)
def test_impossible_constants_are_refused(make):
    with pytest.raises(ParameterError, match="must"):
        make()
