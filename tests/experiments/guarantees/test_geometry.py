"""What Theorem 2 requires for ε = 1/√n: by hand, and what is said of points of each kind."""

import math

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.datasets import load
from rfviz.datasets.base import Dataset
from rfviz.errors import ParameterError
from rfviz.experiments import LearningGuarantees
from rfviz.experiments.guarantees.describe import required_words
from rfviz.features import RandomFourier, RandomMaxout

RNG = np.random.default_rng(3)
N = 200
SPARSE = np.zeros((N, 100))
SPARSE[np.arange(N)[:, None], np.argsort(RNG.random((N, 100)), axis=1)[:, :2]] = RNG.standard_normal((N, 2))
ANGLE = RNG.uniform(0, 2 * np.pi, N)
CURVE = np.column_stack([f(k * ANGLE) / k for k in (1, 2, 3) for f in (np.cos, np.sin)])
GRID = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), -1).reshape(-1, 2)[RNG.integers(0, 36, N)] + 1.0
# Every row has one 0 in a place of its own.
MASKED = RNG.standard_normal((N, 6)) * (np.arange(6) != RNG.integers(0, 6, N)[:, None])


LABELS = RNG.integers(0, 2, N)
ALL = [SPARSE, CURVE, GRID, MASKED]
# What is measured of a map does not change with the constants: once for each of these.
DATA = [Dataset("points", X.astype(np.float32), LABELS, ("a", "b")) for X in ALL]
CACHE = Cache()


def run(X, **more):
    place = next(place for place, one in enumerate(ALL) if one is X)
    experiment = LearningGuarantees(feature_map=RandomMaxout(60), theorem="maxout", loss="ramp", delta=0.3, **more)
    return experiment, experiment.run(DATA[place], cache=CACHE)


def words(X, **more):
    experiment, numbers = run(X, **more)[0], run(X, **more)[1].numbers
    required = experiment.required_features(numbers)
    return required_words(numbers.geometry, required, numbers.rows, experiment.m, experiment.constant), required


def hand(n, d, k, q=4, constant=1.0):
    """Return m for ε = 1/√n, δ = 0.1 and points of a sphere, whose diameter is 2."""
    return math.ceil(constant * n * (k * math.log(2 * math.sqrt(d) / 0.1) + math.log(q + 1)))


def test_sparse_signals_by_hand():
    said, required = words(SPARSE, constant=2.0, rows=10_000)
    # 2 of 100: 4950 planes of 25 balls each, 123,750 < 2^17; 200 points < 2^8; 5^100 < 2^233.
    assert list(required["d_M"])[1:] == [8, 17, 233]
    assert list(required["features m"])[1:] == [hand(10_000, 100, k, constant=2.0) for k in (8, 17, 233)]
    assert "s = 2 of 100 numbers other than 0, they have at most 17" in said and "at most 233" in said
    assert "ε = 1/√n = 0.010" in said and "n = 10,000 rows" in said and "You have m = 60." in said


def test_points_of_a_curve_have_about_one_dimension():
    said, required = words(CURVE)
    assert required["dimension"][0] == "estimated from the rows" and required["d_M"][0] in (1, 2)
    assert "A row has up to 6 of 6 numbers other than 0, so these are not sparse signals." in said
    assert "200 points have a dimension of at most log₂ of their number, 8 (Remark 2.2)" in said
    m, n = required["features m"][0], 150
    assert m == hand(n, 6, required["d_M"][0]) and f"requires **{m:,}** features" in said
    assert f"{m / n:.2g} times the rows" in said
    # Few features, for a constant that makes them so.
    assert "% of the rows" in words(CURVE, constant=0.001)[0]


def test_few_zeros_do_not_make_sparse_signals():
    said, required = words(MASKED)
    assert "Rows have at most 5 of 6 numbers other than 0: too many for sparse signals" in said
    # 6 choices of 5^5 balls are 18,750 > 5^6; so the columns alone say as much, 5^6 < 2^14.
    assert list(required["d_M"])[1:] == [8, 14, 14]


def test_where_distances_tell_no_dimension_the_number_of_points_is_taken():
    result = run(GRID, normalise="none")[1]
    said, required = words(GRID, normalise="none")
    assert result.numbers.geometry.estimate is None and result.numbers.intrinsic == 8 == required["d_M"][0]
    assert "The dimension is not estimated. " in said and "estimated from the rows" not in set(required["dimension"])
    assert "The intrinsic dimension is 8, which 200 points do not exceed" in result.chart().words
    assert "estimated from the data." in run(CURVE)[1].chart().words


def test_a_chosen_dimension_stands_first_and_is_in_the_bound():
    _, required = words(CURVE, intrinsic=5)
    assert required["dimension"][0] == "chosen" and required["d_M"][0] == 5 and len(required) == 4
    five, fifty = (run(CURVE, intrinsic=k, size=2.0)[1] for k in (5, 50))
    root = [math.sqrt(k * math.log(2 * math.sqrt(6) / 0.1) + math.log(5)) for k in (5, 50)]
    scales = [found.numbers.bound.approximation_scale for found in (five, fifty)]
    assert scales[1] / scales[0] == pytest.approx(root[1] / root[0])
    assert "The intrinsic dimension is 50, as chosen." in fifty.chart().words


def test_longer_points_multiply_the_bound_by_the_longest():
    """Remark 2.1; C is given, so that nothing else changes."""
    unit, longer = (run(CURVE, size=2.0, intrinsic=3, normalise=how)[1] for how in ("unit norm", "none"))
    R = np.linalg.norm(CURVE, axis=1).max()
    bounds = [found.numbers.bound.total(7, 9) for found in (unit, longer)]
    assert R > 1.1 and bounds[1] / bounds[0] == pytest.approx(R, rel=1e-5)
    assert f"The longest row has the length {R:.3g}, by which both terms are multiplied" in longer.chart().words
    assert "The longest row" not in unit.chart().words


def test_other_theorems_ask_for_no_dimension():
    experiment = LearningGuarantees(feature_map=RandomFourier(50, gamma=1.0, paired=False))
    numbers = experiment.run(load("moons", n_samples=60)).numbers
    assert numbers.geometry is None
    with pytest.raises(ParameterError, match="must be 'maxout'"):
        experiment.required_features(numbers)
