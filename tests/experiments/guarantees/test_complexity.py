"""The Rademacher complexity of the theorems' classes, against all signs, and against draws that use no library.

Where draws decide, a z-score beyond 5 fails: a false alarm in one of two million.
"""

import itertools
import math

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.datasets import load
from rfviz.experiments import LearningGuarantees
from rfviz.experiments.guarantees.complexity import measure_complexity
from rfviz.experiments.guarantees.describe import complexity_words
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from tests.test_errata import maxima

RNG = np.random.default_rng(11)
X = RNG.standard_normal((8, 3))
SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=len(X))))


def z_score(found, expected, error=0.0):
    return abs(found.mean[-1] - expected) / math.hypot(found.error[-1], error)


def test_of_linear_features_it_is_a_mean_of_lengths_over_all_signs():
    found = measure_complexity(X, MapSpec(RandomMaxout, n_components=50, pool_size=1), 3.0, 1.0)
    # A normal projection of the vector Σ σ_i x_i/n has the mean magnitude √(2/π) times its length.
    expected = 3.0 * math.sqrt(2 / math.pi) * np.linalg.norm(SIGNS @ X / len(X), axis=1).mean()
    assert list(found.n_grid) == [8] and z_score(found, expected) < 5
    assert found.error[0] < 0.05 * expected


def test_the_closed_form_is_the_supremum_over_the_corners_of_the_ball():
    """Five maxout features with |α| ≤ C/5: over all signs of α, for all signs of rows, in draws by hand."""
    found = measure_complexity(X, MapSpec(RandomMaxout, n_components=5, pool_size=4), 2.0, 1.0)
    corners = np.array(list(itertools.product((-0.4, 0.4), repeat=5)))
    values = []
    for _ in range(400):
        h = (RNG.standard_normal((5, 4, 3)) @ X.T).max(axis=1)
        values.append(np.abs(SIGNS @ h.T @ corners.T / len(X)).max(axis=1).mean())
    assert z_score(found, np.mean(values), np.std(values) / math.sqrt(len(values))) < 5


def test_of_a_norm_it_is_the_largest_product_with_a_vector_of_that_length():
    found = measure_complexity(X, MapSpec(RandomFourier, n_components=6, gamma=0.5), 2.0, 1.0, is_norm=True)
    values = []
    for _ in range(400):
        waves = X @ RNG.standard_normal((3, 3))  # frequencies of variance 2γ = 1
        Phi = np.hstack([np.cos(waves), np.sin(waves)]) / math.sqrt(3)
        values.append(2.0 * np.linalg.norm(SIGNS @ Phi / len(X), axis=1).mean())
    assert z_score(found, np.mean(values), np.std(values) / math.sqrt(len(values))) < 5
    assert found.mean[0] < found.bound[0] == pytest.approx(2.0 / math.sqrt(8))


@pytest.mark.parametrize(
    ("feature_map", "theorem", "loss", "root"),
    [
        (RandomMaxout(50, pool_size=8), "maxout", "ramp", math.sqrt(maxima(8, 0.0)[5])),
        (RandomFourier(50, gamma=1.0, paired=False), "kitchen sinks", "hinge", 1.0),
        (RandomFourier(50, gamma=1.0), "compositional", "hinge", 1.0),
    ],
)
def test_the_bound_is_the_proofs_and_holds(feature_map, theorem, loss, root):
    experiment = LearningGuarantees(feature_map=feature_map, theorem=theorem, loss=loss, size=2.5)
    result = experiment.run(load("moons", n_samples=60))
    found = experiment.complexity(result.data, result.numbers, Cache())
    np.testing.assert_allclose(found.bound, 2.5 * root / np.sqrt(found.n_grid), rtol=1e-5)
    assert (found.mean - 5 * found.error < found.bound).all() and (np.diff(found.mean) < 0).all()
    said = complexity_words(found, "B" if theorem == "compositional" else "C")
    ratio = found.bound[-1] / found.mean[-1]
    assert f"{ratio:.3g} times as much" in said or f"{ratio:.2g} times as much" in said
    assert ("√(π/2)" in said) == (theorem != "compositional")
