"""Guarantees as experiments: the numbers of the steps written out, and settings that a theorem is not about refused."""

import json

import numpy as np
import pytest

from rfviz import bounds, datasets
from rfviz.analysis.kernel_sample import error_grid
from rfviz.analysis.splits import make_split
from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments import KernelGuarantees, LearningGuarantees
from rfviz.experiments.guarantees.risk import measure_risk
from rfviz.features import CompositionalFeatures, DecisionStumps, MapSpec, RandomFourier, RandomMaxout

WAVES, PAIRS, POOLS = RandomFourier(300, gamma=1.0, paired=False), RandomFourier(300, gamma=1.0), RandomMaxout(300)


FLAT = CompositionalFeatures(300, deduplicate=False)


def over(activation):
    """Return a skeleton of two spheres under one node."""
    base = {"kind": "sphere", "dimension": 4}
    node = {"activation": activation, "in": [0, 1]}
    return json.dumps({"inputs": [{"base": base, "count": 2}], "nodes": [node]})


@pytest.fixture(scope="module")
def moons():
    return datasets.load("moons", n_samples=60)


def test_hoeffdings_number_of_features_is_that_of_its_formula(moons):
    found = KernelGuarantees(feature_map=PAIRS, eps=0.2, delta=0.1, points=8, draws=20).run(moons)
    needed = found.numbers.comparison.to_frame().set_index("statement")["features"]
    # P ≤ 2 exp(−m ε² / 4) for pairs of a cosine and a sine.
    assert needed["Hoeffding"] == np.ceil(4.0 * np.log(2.0 / 0.1) / 0.2**2)
    assert set(found.to_frame()["about"]) == {"one pair", "all pairs", "everywhere"}
    one = KernelGuarantees(feature_map=PAIRS, eps=0.2, delta=0.1, points=8, draws=20, shown=["one pair"]).run(moons)
    assert set(one.to_frame()["about"]) == {"one pair"}


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_the_bound_is_that_of_the_steps(moons, delta):
    found = LearningGuarantees(feature_map=WAVES, delta=delta, rows=10_000).run(moons).to_frame()
    spec = MapSpec(RandomFourier, gamma=1.0, paired=False)
    measured = measure_risk(make_split(moons, "unit norm", 0.25), spec, error_grid(1000), 3)
    size, n = float(np.median(measured.size, axis=0)[measured.place(300)]), 10_000
    # The hinge loss has slope 1, and is 1 for the function 0; the theorem fails with probability 2δ′ = δ.
    expected = bounds.kitchen_sinks_risk(1.0, size, 1.0, delta / 2.0).total(n, measured.m_grid)
    np.testing.assert_allclose(found["bound"], expected)
    assert (np.diff(found["bound"]) < 0).all()


def test_what_is_measured_is_measured_once_for_all_bounds(moons, monkeypatch):
    cache = Cache()
    LearningGuarantees(feature_map=WAVES).run(moons, cache=cache)
    monkeypatch.setattr(RandomFourier, "fit", None)  # fails if anything is computed again
    for setting in ({"loss": "ramp"}, {"delta": 0.2}, {"rows": 1000}, {"size": 3.0}):
        LearningGuarantees(feature_map=WAVES, **setting).run(moons, cache=cache)


@pytest.mark.parametrize(
    ("theorem", "good", "bad", "rule"),
    [
        ("kitchen sinks", WAVES, PAIRS, "at most 1"),
        ("kitchen sinks", DecisionStumps(300), POOLS, "at most 1"),
        ("compositional", PAIRS, WAVES, "paired=True"),
        ("compositional", FLAT, CompositionalFeatures(300), "independent, bounded"),
        ("compositional", FLAT, CompositionalFeatures(300, deduplicate=False, skeleton=over("relu")), "spheres"),
        ("compositional", FLAT, RandomFourier(300, draw="orthogonal"), "independent"),
        ("maxout", POOLS, PAIRS, "RandomMaxout"),
    ],
)
def test_a_theorem_is_asked_about_its_own_features_alone(theorem, good, bad, rule):
    loss = "ramp" if theorem == "maxout" else "hinge"
    assert LearningGuarantees(feature_map=good, theorem=theorem, loss=loss).m == 300
    with pytest.raises(ParameterError, match=f"feature_map must .*{rule}.* for the theorem of {theorem}"):
        LearningGuarantees(feature_map=bad, theorem=theorem, loss=loss)


def test_values_that_no_curve_is_measured_for_are_refused():
    with pytest.raises(ParameterError, match=r"delta must be one of 0\.5, 0\.2"):
        KernelGuarantees(feature_map=PAIRS, delta=0.03)
    with pytest.raises(ParameterError, match="shown must hold only 'one pair'"):
        KernelGuarantees(feature_map=PAIRS, shown=["two pairs"])
    with pytest.raises(ParameterError, match="loss must be 'ramp'"):
        LearningGuarantees(feature_map=POOLS, theorem="maxout")


@pytest.mark.parametrize(
    ("skeleton", "largest"),
    # A real feature is √2 times a product of base features, each at most 1, or √(d/2) on a sphere.
    [(None, np.sqrt(2.0)), (over("identity"), np.sqrt(2.0) * np.sqrt(4 / 2))],
)
def test_the_bound_of_a_skeleton_has_the_largest_feature_in_it(skeleton, largest):
    rows = np.random.default_rng(0).normal(size=(60, 8))
    data = datasets.from_arrays(rows, (rows[:, 0] > 0).astype(int), name="halves")
    drawn = CompositionalFeatures(300, deduplicate=False, skeleton=skeleton)
    found = LearningGuarantees(feature_map=drawn, theorem="compositional", size=3.0, rows=500, normalise="none")
    frame = found.run(data).to_frame()
    expected = 3.0 * largest * (np.sqrt(8.0 / 500) + 1.0 / np.sqrt(frame["m"]))
    np.testing.assert_allclose(frame["bound"], expected, rtol=1e-12)
    F = np.abs(drawn.fit_transform(rows / np.linalg.norm(rows.reshape(60, 2, 4), axis=2).repeat(4, axis=1)))
    assert np.sqrt(300) * F.max() <= largest * (1.0 + 1e-5)
