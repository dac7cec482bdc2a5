"""Distance saturation against brute force, its exact law, and the paper's figure."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets, kernels
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.distance_saturation.compute import (
    SATURATION_SHARE,
    prepare_pairs,
    saturation,
)
from rfviz.features import MapSpec, RandomFourier, RandomMaxout, registry


@pytest.fixture(scope="module")
def circle():
    return prepare_pairs(datasets.load("circle", n_samples=60), "unit norm")


def maxout(pairs, *pool_sizes, n_components=1000, seed=0):
    spec = MapSpec(RandomMaxout, n_components=n_components, random_state=seed)
    specs = [spec.replace(pool_size=q) for q in pool_sizes]
    return saturation(pairs, specs, [f"q = {q}" for q in pool_sizes])


def test_pairs_are_measured_exactly(circle):
    np.testing.assert_allclose(circle.distance, pdist(circle.original), atol=1e-7)
    assert circle.unit_norm


def test_counts_hold_every_pair_where_brute_force_puts_it(circle):
    result = maxout(circle, 8)
    Phi = RandomMaxout(1000, pool_size=8).fit_transform(circle.coordinates).astype(np.float64)
    counts, _, _ = np.histogram2d(pdist(Phi), circle.distance, [result.y_edges, result.x_edges])
    assert result.curves[0].counts.sum() == result.n_pairs == 60 * 59 // 2
    # Distances that fall on the edge of a cell may land on either side of it.
    assert np.abs(result.curves[0].counts - counts).sum() <= 0.02 * result.n_pairs


def test_of_pairs_at_one_distance_all_count():
    """On a regular polygon the nearest hundredth of the pairs, and the farthest, are a choice among equals."""
    pairs = prepare_pairs(datasets.load("circle", n_samples=100, evenly_spaced=True), "unit norm")
    (curve,) = maxout(pairs, 8, n_components=50).curves
    embedded = pdist(RandomMaxout(50, pool_size=8).fit_transform(pairs.coordinates).astype(np.float64))
    sides, diameters = pairs.distance < 1.0001 * pairs.distance.min(), pairs.distance > 1.9999
    assert (sides.sum(), diameters.sum()) == (100, 50)
    assert curve.measured_slope == pytest.approx(np.mean(embedded[sides] / pairs.distance[sides]), rel=1e-4)
    assert curve.measured_plateau == pytest.approx(embedded[diameters].mean(), rel=1e-4)


def test_measured_slope_is_not_the_rounding_of_the_closest_pairs():
    """The closest of 4,950 random pairs on the circle are 0.001 apart, where single precision is wrong by a tenth."""
    pairs = prepare_pairs(datasets.load("circle", n_samples=100), "unit norm")
    spec = MapSpec(RandomMaxout, n_components=1000, pool_size=8, random_state=0)
    single, double = (saturation(pairs, [spec.replace(dtype=name)], ["q"]) for name in ("float32", "float64"))
    assert single.curves[0].measured_slope == pytest.approx(double.curves[0].measured_slope, rel=1e-4)


def test_measured_distances_follow_the_exact_law(circle):
    """z-scores of the mean squared distance over seeds, one per pair of points; false alarms 1 in 1,000."""
    law = RandomMaxout(20, pool_size=8).distance_law()
    mean, variance = law.moments(circle.distance)
    squared = np.array(
        [
            pdist(RandomMaxout(20, pool_size=8, random_state=s).fit_transform(circle.coordinates)) ** 2
            for s in range(200)
        ]
    )
    z = (squared.mean(axis=0) - mean) / np.sqrt(variance / 200)
    assert np.abs(z).max() < 5.2  # Bonferroni over 1,770 pairs


@pytest.mark.parametrize("q", [8, 32])
def test_limits_of_figure_1(circle, q):
    curve = maxout(circle, q).curves[0]
    assert curve.exact.slope == 1.0
    limit = curve.saturation
    assert limit.plateau == pytest.approx(kernels.maxout_plateau(q), abs=1e-12)
    assert limit.radius == pytest.approx(kernels.saturation_distance(q, SATURATION_SHARE), abs=1e-6)
    # Few features in the nearest pairs: the measured slope is that of one draw.
    assert curve.measured_slope == pytest.approx(1.0, abs=0.15)
    assert curve.measured_plateau == pytest.approx(limit.plateau, abs=0.1)


def test_a_larger_pool_saturates_sooner(circle):
    radii = [c.saturation.radius for c in maxout(circle, 2, 8, 32, 128).curves]
    assert radii == sorted(radii, reverse=True)


def test_the_formula_as_printed_is_far_from_the_measured_pairs(circle):
    result = maxout(circle, 8, n_components=4000)
    exact = result.curves[0].exact
    at = np.searchsorted(result.grid, 1.0)
    assert abs(exact.as_printed[at] - exact.expected[at]) > 20 * (exact.high[at] - exact.expected[at])


def test_deviation_falls_with_the_number_of_features(circle):
    few, many = (maxout(circle, 8, n_components=m).curves[0].rms_deviation for m in (100, 10_000))
    assert many < few / 5


def test_away_from_the_sphere_the_pairs_own_expectations_are_shown():
    pairs = prepare_pairs(datasets.load("digits"), "none", max_points=80)
    curve = maxout(pairs, 8, n_components=4000).curves[0]
    assert curve.exact is None
    kernel = kernels.maxout(pairs.original, pool_size=8)
    i, j = np.triu_indices(80, 1)
    own = np.sqrt(kernel[i, i] + kernel[j, j] - 2 * kernel[i, j])
    assert np.nanmax(np.abs(curve.mean_expected)) <= own.max() + 1e-9
    assert curve.rms_deviation < 0.05 * own.mean()


@pytest.mark.parametrize("scheme", registry())
@pytest.mark.parametrize("how", ["unit norm", "standardise", "none"])
def test_every_scheme_and_normalisation(scheme, how):
    pairs = prepare_pairs(datasets.load("sphere", n_samples=40, dimension=5), how)
    result = saturation(pairs, [MapSpec(registry()[scheme], n_components=2000)], ["m"])
    curve = result.curves[0]
    assert curve.counts.sum() == result.n_pairs
    assert curve.rms_deviation < 0.2 * pairs.distance.mean()
    frame = result.to_frame()
    assert len(frame) == 1 and frame["measured slope"].notna().all()
    if curve.exact is not None:
        assert list(result.curves_frame()["map"].unique()) == ["m"]


def test_progress_can_stop_the_computation(circle):
    class StoppedError(Exception):
        pass

    def progress(share, text):
        raise StoppedError

    with pytest.raises(StoppedError):
        saturation(circle, [MapSpec(RandomMaxout)], ["q"], progress)


def test_too_few_points():
    with pytest.raises(DataError, match="at least 3 points"):
        prepare_pairs(datasets.load("circle", n_samples=2), "unit norm")


def test_equal_points():
    data = datasets.Dataset("same", np.ones((5, 2), np.float32))
    with pytest.raises(DataError, match="equal"):
        prepare_pairs(data, "unit norm")


def test_memory_budget(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="fewer points"):
        prepare_pairs(datasets.load("circle", n_samples=1000), "unit norm")


def test_width_is_learnt_from_the_points_themselves():
    # 33 images are written in 33 coordinates; "scale" means the variance of their 10,304 pixels all the same.
    heads = datasets.load("turning_head")
    pairs = prepare_pairs(heads, "none")
    gamma = 1.0 / (pairs.original.shape[1] * pairs.original.var())
    assert pairs.coordinates.shape[1] < pairs.original.shape[1]
    specs = [MapSpec(RandomFourier, n_components=50, gamma=value) for value in ("scale", gamma)]
    learned, given = saturation(pairs, specs, ["scale", "number"]).curves
    np.testing.assert_allclose(learned.exact.expected, given.exact.expected, rtol=1e-6)
    np.testing.assert_array_equal(learned.counts, given.counts)


def test_there_is_no_law_of_distances_for_rectangles():
    pairs = prepare_pairs(datasets.load("digits"), "unit norm")
    spec = MapSpec(RandomMaxout, n_components=400, receptive_field=(3, 5), image_shape=(8, 8))
    result = saturation(pairs, [spec], ["q = 4"])
    (curve,) = result.curves
    assert curve.exact is None and curve.counts.sum() > 0
