"""Guarantees against measurement: errors by brute force, crossings, and bounds that no scheme may break."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import binom

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.splits import make_split
from rfviz.bounds import LOSSES
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.guarantees.compute import ABOUT, DELTAS, compare, measure_errors, needed
from rfviz.experiments.guarantees.risk import measure_risk
from rfviz.features import (
    MAPS,
    CompositionalFeatures,
    HybridCompositional,
    MapSpec,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomPool,
    RandomProjection,
    RandomReLU,
)

GRID = error_grid(200, points=6)
PAIRED, PHASES = MapSpec(RandomFourier, gamma=1.0), MapSpec(RandomFourier, gamma=1.0, paired=False)


@pytest.fixture(scope="module")
def sample():
    return prepare_sample(datasets.load("digits"), n_points=12)


@pytest.fixture(scope="module")
def measured(sample):
    return measure_errors(sample, PAIRED, GRID, 40)


def stated(measured, dimension=None):
    return measured.feature_map.applicable_bounds(
        measured.n_pairs,
        dimension or measured.n_features,
        measured.diameter,
        measured.largest_variance,
        measured.largest_norm,
    )


# --- what is measured -------------------------------------------------------------------------------------------------


def test_errors_are_those_of_maps_that_are_drawn_alone(sample, measured):
    i, j = np.triu_indices(sample.n_points, 1)
    m = int(GRID[3])
    errors = []
    for seed in range(40):
        own = RandomFourier(m, gamma=1.0, random_state=seed, dtype="float64").fit(sample.coordinates)
        Phi = own.transform(sample.coordinates)
        errors.append(np.abs(Phi @ Phi.T - own.kernel(sample.coordinates))[i, j])
    np.testing.assert_allclose(measured.maxima[:, 3], np.max(errors, axis=1), atol=1e-5)
    np.testing.assert_allclose(measured.pair[:, 3], np.quantile(errors, 1 - np.array(DELTAS)), atol=1e-5)
    assert measured.diameter == pytest.approx(pdist(sample.original).max())


def test_worst_draw_where_draws_are_too_few(measured):
    np.testing.assert_array_equal(measured.errors("all pairs", 0.001), measured.maxima.max(axis=0))
    assert (np.diff(measured.pair, axis=0) >= 0).all()


def test_exact_deviations(sample, measured):
    variance = RandomFourier(10, gamma=1.0).fit(sample.original).product_law(sample.original).variance(int(GRID[0]))
    largest = variance[~np.eye(len(variance), dtype=bool)].max()
    assert measured.deviations[0, -1] == pytest.approx(math.sqrt(largest))
    assert measured.largest_variance == pytest.approx(GRID[0] * largest)
    # What is expected of one pair is 1.96 times that.
    assert measured.normal("one pair", 0.05)[0] == pytest.approx(1.959964 * math.sqrt(largest), rel=1e-6)


def test_schemes_without_an_exact_variance_expect_nothing(sample):
    measured = measure_errors(sample, MapSpec(RandomReLU), GRID, 3)
    assert measured.deviations is None and measured.normal("all pairs", 0.05) is None
    assert measured.largest_variance is None
    assert {statement.bound.name for statement in stated(measured)} == {
        "Lipschitz concentration",
        "Lipschitz concentration + union",
    }
    comparison = compare(measured, [], 0.1, 0.05)
    assert [c.kind for c in comparison.curves] == ["measured", "measured"]


def test_memory_is_refused_before_it_is_taken(sample, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0005")
    with pytest.raises(MemoryBudgetError, match="fewer points or draws"):
        measure_errors(sample, PAIRED, GRID, 10_000)


# --- what suffices ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "eps", "expected"),
    [
        ([1.0, 0.1, 0.01], 0.1, (100.0, False)),
        ([1.0, 0.1, 0.01], math.sqrt(0.1), (32.0, False)),  # halfway in logarithms: 31.6
        ([1.0, 0.1, 0.01], 2.0, (10.0, False)),  # from the first point on, at most
        ([1.0, 0.1, 0.01], 0.001, (100_000.0, True)),  # a tenth of the error: a hundred times the features
        ([0.05, 0.2, 0.05], 0.1, (317.0, False)),  # for good: the last time it comes down
    ],
)
def test_where_a_curve_comes_down(errors, eps, expected):
    assert needed(np.array([10, 100, 1000]), np.array(errors), eps) == pytest.approx(expected)


def test_comparison_holds_every_statement(measured):
    comparison = compare(measured, stated(measured), 0.3, 0.05)
    frame = comparison.to_frame()
    assert set(frame["about"]) == set(ABOUT)
    assert frame["about"].tolist() == sorted(frame["about"], key=ABOUT.index)
    for about in ABOUT[:2]:
        enough = comparison.suffices(about).features
        row = frame[(frame["about"] == about) & (frame["statement"].str.startswith("Hoeffding"))].iloc[0]
        assert row["times the measured"] == pytest.approx(row["features"] / enough)
        for curve in comparison.find(about, "bound"):
            assert curve.features > enough
    assert comparison.suffices("everywhere") is comparison.suffices("all pairs")
    long = comparison.curves_frame()
    assert (long.groupby(["about", "statement"])["error"].count() > 1).all()


def test_curves_pass_through_what_they_ask_for(measured):
    comparison = compare(measured, stated(measured), 0.2, 0.05)
    for curve in comparison.curves:
        if curve.kind == "bound" and len(curve.m):
            at = np.exp(np.interp(np.log(curve.features), np.log(curve.m), np.log(curve.error)))
            assert at == pytest.approx(0.2, rel=0.02)


# --- bounds and schemes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        PAIRED,
        PHASES,
        MapSpec(HybridCompositional, paired=False),
        MapSpec(HybridCompositional, paired=True),
        pytest.param(MapSpec(RandomBinning, gamma=0.3), marks=pytest.mark.slow),
        MapSpec(RandomProjection),
        MapSpec(RandomReLU),
        MapSpec(RandomMaxout, pool_size=2),
        MapSpec(RandomMaxout, pool_size=16),
        MapSpec(RandomPool, pool_size=4, rule="median"),
    ],
    ids=str,
)
def test_no_bound_is_broken_by_its_map(sample, spec):
    measured = measure_errors(sample, spec, GRID, 200)
    found = stated(measured)
    assert found
    for statement in found:
        for delta in (0.5, 0.1, 0.02):
            allowed = statement.bound.error(GRID.astype(float), delta)
            if statement.about == "one pair":  # the mean over pairs of the probability, which each pair stays below
                assert (measured.pair[DELTAS.index(delta)] <= allowed).all()
            else:
                failures = (measured.maxima >= allowed).sum(axis=0)
                assert (binom.sf(failures - 1, 200, delta) > 1e-6).all()
    limit = measured.feature_map.largest_error()
    assert limit is None or measured.maxima.max() <= limit


def test_bounds_grow_with_the_points(sample):
    """A kernel that grows with its points has errors, and bounds, of their squared length."""
    far = prepare_sample(datasets.load("digits"), "none", n_points=12)
    near, far = (measure_errors(points, MapSpec(RandomMaxout), GRID, 3) for points in (sample, far))
    assert near.largest_norm == pytest.approx(1.0) and far.largest_norm > 4
    ratio = [stated(one)[0].bound.error(1000.0, 0.05) for one in (far, near)]
    assert ratio[0] / ratio[1] == pytest.approx(far.largest_norm**2, rel=1e-6)


def test_the_bound_of_unbounded_features_is_within_an_order_of_what_is_needed(sample):
    """Else it would be as good as none: nine times the error of normal estimates, for maxout."""
    measured = measure_errors(sample, MapSpec(RandomMaxout), GRID, 3)
    ratio = stated(measured)[0].bound.error(1e5, 0.05) / (
        measured.normal("one pair", 0.05)[-1] * (GRID[-1] / 1e5) ** 0.5
    )
    assert 1.0 < ratio < 10.0


def test_no_bound_is_stated_for_the_range_of_a_pool():
    assert "unbounded" in RandomPool(rule="range").why_no_bound()
    assert not RandomPool(rule="range").applicable_bounds(10, 3, 1.0)
    assert "unbounded" in RandomMaxout(receptive_field=(2, 3)).why_no_bound()


def test_no_bound_where_features_are_not_independent():
    for draw in ("orthogonal", "qmc"):
        feature_map = RandomFourier(gamma=1.0, draw=draw)
        assert "independent" in feature_map.why_no_bound()
        assert not feature_map.applicable_bounds(10, 3, 1.0)
    assert "once" in CompositionalFeatures(deduplicate=True).why_no_bound()


@pytest.mark.parametrize("cls", MAPS)
def test_every_map_has_bounds_or_says_why_not(cls):
    feature_map = cls(**{p.name: 1.0 for p in cls.params if p.name == "gamma"})
    assert bool(feature_map.applicable_bounds(10, 3, 1.0, 0.5)) != bool(feature_map.why_no_bound())


def test_second_moments_of_the_spectra():
    """Kernels with a cusp have no uniform bound; the others one that asks for more the rougher they are."""

    def asked(**setting):
        found = RandomFourier(**{"gamma": 1.0, **setting}).applicable_bounds(10, 3, 2.0)
        return [s.bound.features(0.1, 0.05) for s in found if s.about == "everywhere"]

    assert not asked(spectrum="laplacian") and not asked(spectrum="matern", nu=0.5)
    gaussian, rough, smooth = asked(), asked(spectrum="matern", nu=1.5), asked(spectrum="matern", nu=1e6)
    assert rough[1] > gaussian[1]
    assert smooth[1] == pytest.approx(gaussian[1], rel=1e-5)
    # 2dγ² at γ = 1 is the Gaussian's 2dγ; a width for each column counts by its mean.
    assert asked(spectrum="cauchy")[1] == gaussian[1]
    assert asked(gamma=np.array([0.5, 1.0, 1.5]))[1] == gaussian[1]


def test_variance_of_a_cosine_is_no_larger_than_assumed():
    t = np.linspace(0, 30, 100_001)
    for k, most in ((np.exp(-(t**2)), 0.5), (1 / (1 + t**2), 9 / 16), ((1 + t) * np.exp(-t), 9 / 16)):
        doubled = np.interp(np.minimum(2 * t, 30), t, k)
        assert (0.5 + 0.5 * doubled - k**2).max() <= most + 1e-6


# --- learning ---------------------------------------------------------------------------------------------------------


def test_risks_by_brute_force():
    split = make_split(datasets.load("digits"), "none")
    measured = measure_risk(split, MapSpec(RandomMaxout, pool_size=2), [20, 60], 2)
    assert measured.n_outputs == 10 and measured.size.shape == (2, 2)
    # The quadratic loss of the margin is the squared error of the codes: ridge regression makes it small on training.
    assert (measured.train["quadratic"] < 1.0).all()
    assert (measured.train["quadratic"][:, 1] < measured.train["quadratic"][:, 0]).all()
    for loss in LOSSES:
        assert (measured.gap(loss) >= 0).all()
        assert measured.excess(loss).min() == 0.0
    np.testing.assert_array_less(measured.train["ramp"], measured.train["hinge"])
    # C/m bounds every coefficient, so B ≤ C for coefficients of features scaled by 1/√m.
    assert (measured.radius <= measured.size * (1 + 1e-9)).all()


def test_two_classes_are_one_output():
    data = datasets.load("digits")
    few = type(data)(
        **{**vars(data), "X": data.X[data.y < 2], "y": data.y[data.y < 2], "target_names": data.target_names[:2]}
    )
    measured = measure_risk(make_split(few, "unit norm"), PAIRED, [10, 40], 1)
    assert measured.n_outputs == 1
    assert measured.test["hinge"][0, -1] < 0.2


def test_numbers_are_no_classes():
    split = make_split(datasets.load("digits"), "none")
    numbers = type(split)(**{**vars(split), "target_names": ()})
    with pytest.raises(DataError, match="classes"):
        measure_risk(numbers, MapSpec(RandomFourier), [10], 1)
