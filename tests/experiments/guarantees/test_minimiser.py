"""Theorem 5 with its own λ: the minimiser by its gradient and by other solvers, and the bound where it can be wrong."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments import LearningGuarantees, as_data
from rfviz.experiments.guarantees.describe import minimiser_words
from rfviz.experiments.guarantees.minimiser import fit_minimiser, least_risk, measure_minimisers
from rfviz.features import CompositionalFeatures, MapSpec, RandomFourier

G = np.random.default_rng(3)
F = G.normal(size=(40, 6))
Y = np.where(F[:, 0] + G.normal(size=40) > 0.2, 1.0, -1.0)
SKELETON = MapSpec(CompositionalFeatures, deduplicate=False)
WAVES = MapSpec(RandomFourier, gamma=9.0)
LOSS = {"hinge": lambda z: np.maximum(1.0 - z, 0.0), "logistic": lambda z: np.log1p(np.exp(-z))}


def constant(share, n=300):
    """Return rows that are all alike, of which a share is +1: f is a constant, |f| ≤ B, and all has a closed form."""
    return np.zeros((n, 2)), (np.arange(n) < share * n).astype(int)


@pytest.mark.parametrize("penalty", [0.003, 0.3])
@pytest.mark.parametrize("y", [Y, np.ones(40)])
def test_the_gradient_of_the_theorems_objective_vanishes(y, penalty):
    w = fit_minimiser(F, y, "logistic", penalty)
    slope = -y / (1.0 + np.exp(y * (F @ w)))
    np.testing.assert_allclose(F.T @ slope / 40 + 2.0 * penalty * w, 0.0, atol=1e-5)


@pytest.mark.parametrize("penalty", [0.003, 0.3])
def test_the_hinge_is_minimised_up_to_the_value_of_its_dual(penalty):
    w = fit_minimiser(F, Y, "hinge", penalty)
    primal = LOSS["hinge"](Y * (F @ w)).mean() + penalty * w @ w
    # The dual: Σ aᵢ − ‖Σ aᵢ yᵢ Fᵢ‖² / 4λ with 0 ≤ aᵢ ≤ 1/n, never above the primal.
    A = Y[:, None] * F
    found = minimize(
        lambda a: ((A.T @ a) @ (A.T @ a) / (4.0 * penalty) - a.sum(), A @ (A.T @ a) / (2.0 * penalty) - 1.0),
        np.full(40, 0.5 / 40),
        jac=True,
        bounds=[(0.0, 1.0 / 40)] * 40,
        options={"ftol": 1e-14, "gtol": 1e-10, "maxiter": 5000},
    )
    assert -found.fun <= primal + 1e-12
    assert primal == pytest.approx(-found.fun, rel=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("radius", [0.3, 1.0])
def test_the_best_of_a_norm_is_that_of_a_solver_with_a_constraint(loss, radius):
    best, gap = least_risk(F, Y, loss, radius)
    constraint = {"type": "ineq", "fun": lambda w: radius**2 - w @ w}
    value = LOSS[loss]
    other = minimize(lambda w: value(Y * (F @ w)).mean(), np.zeros(6), method="SLSQP", constraints=[constraint])
    assert gap < 1e-3
    assert best - 1e-4 <= other.fun <= best + gap + 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.55, 0.9])
def test_where_all_rows_are_alike_the_excess_is_that_of_a_sum(share):
    # All that is learnt is how many of n rows are +1. k = 1, so the exact kernel's f is one number.
    X, y = constant(share)
    found = measure_minimisers(X, y, MapSpec(RandomFourier, gamma=1.0), "hinge", 1.0, 1.0, 2, n_draws=200)
    assert found.best == pytest.approx(2.0 * (1.0 - share), abs=1e-3) and found.gap < 1e-3
    lam, n = math.sqrt(2.0) / math.sqrt(150), 150
    assert found.penalty == pytest.approx(lam)
    # min p(1 − f)₊ + (1 − p)(1 + f)₊ + λf²: f = (2p − 1)/2λ, at most 1 in size.
    p = np.random.default_rng(1).binomial(n, share, 100_000) / n
    f = np.clip((2.0 * p - 1.0) / (2.0 * lam), -1.0, 1.0)
    excess = (1.0 - share) * (1.0 + f) + share * (1.0 - f) - 2.0 * (1.0 - share)
    mean, error = found.excess.mean(axis=0), found.excess.std(axis=0, ddof=1) / math.sqrt(200)
    assert abs(mean[-1] - excess.mean()) < 5.0 * error[-1] + 2e-3
    assert (found.excess.mean(axis=0) < found.bound).all()
    assert found.bound[-1] == pytest.approx(math.sqrt(8.0 / n))
    # Near a fair coin the bound is of the right size; far from it, it is not.
    assert (found.bound[-1] < 5.0 * mean[-1]) == (share < 0.6)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize(("spec", "norm", "per_draw"), [(SKELETON, 2**0.5, 1), (WAVES, 1.0, 2)])
def test_the_mean_excess_lies_below_the_bound(spec, norm, per_draw, loss):
    rows = np.random.default_rng(0).random((300, 1))
    y = (np.cos(2.0 * np.pi * rows[:, 0]) > 0).astype(int)
    found = measure_minimisers(rows, y, spec, loss, 4.0, norm, per_draw)
    mean, error = found.excess.mean(axis=0), found.excess.std(axis=0, ddof=1) / math.sqrt(len(found.excess))
    assert (mean + 5.0 * error < found.bound).all()
    by_m = [norm * 4.0 * (math.sqrt(8.0 / 150) + math.sqrt(per_draw / m)) for m in (10, 100, 1000)]
    np.testing.assert_allclose(found.bound, [*by_m, 4.0 * math.sqrt(8.0 / 150)])
    assert list(found.to_frame()["m"])[-1] == "exact kernel"


@pytest.mark.parametrize(("radius", "is_above"), [(10.0, True), (1.0, False)])
def test_the_sentence_has_the_numbers_of_the_last_m(radius, is_above):
    data = as_data(datasets.load("moons", n_samples=400))
    waves = RandomFourier(300, gamma=1.0)
    experiment = LearningGuarantees(feature_map=waves, theorem="compositional", size=radius, normalise="none")
    cache = Cache()
    found = experiment.minimisers(data, experiment.compute(data, cache), cache)
    said, frame = minimiser_words(found), found.to_frame()
    assert found.n == 150 and f"B = {radius:.3g}" in said and "m = 1,000 and n = 150 rows" in said
    assert (frame["mean excess risk"].iloc[-2] > 0) == is_above
    assert ("times as much" in said) is is_above and ("may be above B" in said) is (not is_above)


def test_other_theorems_and_losses_have_no_penalty_of_their_own():
    data, cache = as_data(datasets.load("moons", n_samples=100)), Cache()
    waves = RandomFourier(300, gamma=1.0)
    ramp = LearningGuarantees(feature_map=waves, theorem="compositional", loss="ramp")
    with pytest.raises(ParameterError, match="loss must be 'hinge' or 'logistic'"):
        ramp.minimisers(data, ramp.compute(data, cache), cache)
    sinks = LearningGuarantees(feature_map=RandomFourier(300, gamma=1.0, paired=False))
    with pytest.raises(ParameterError, match="theorem must be 'compositional'"):
        sinks.minimisers(data, sinks.compute(data, cache), cache)
