"""Every frame of an animation is what the computation gives for that number of features, one by one."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.experiments.distance_saturation.compute import prepare_pairs, saturation
from rfviz.features import MapSpec, RandomBinning, RandomMaxout, map_class, registry
from rfviz.lab.distance_saturation.animation import predicted_deviation, saturation_over_m, seed_band
from rfviz.lab.distance_saturation.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset

GRID = (10, 24, 60)


@pytest.fixture(scope="module")
def pairs():
    return prepare_pairs(datasets.load("sphere", n_samples=40), "unit norm")


@pytest.mark.parametrize("name", list(registry()))
def test_saturation_is_that_of_each_m(name, pairs):
    spec = MapSpec(map_class(name), n_components=24, random_state=1)
    for m, frame in zip(GRID, saturation_over_m(pairs, [spec], ["a"], GRID), strict=True):
        alone = saturation(pairs, [spec.replace(n_components=m)], ["a"])
        (one,), (other,) = frame.curves, alone.curves
        assert frame.n_components == m
        assert [one.exact is None, one.mean_expected is None] == [other.exact is None, other.mean_expected is None]
        if one.exact is not None:
            for field in ("expected", "low", "high"):
                own, given = getattr(one.exact, field), getattr(other.exact, field)
                np.testing.assert_allclose(own, given, rtol=1e-6, atol=1e-6)
        if one.mean_expected is not None:
            np.testing.assert_allclose(one.mean_expected, other.mean_expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(one.counts.sum(axis=0), other.counts.sum(axis=0))
        # Distances on the edge of a cell may fall on either side of it; those of stumps are few values, all on edges.
        moved = np.abs(np.cumsum(one.counts - other.counts, axis=0))
        assert moved.sum() <= (0.2 if name == "DecisionStumps" else 0.01) * alone.n_pairs
        assert one.measured_plateau == pytest.approx(other.measured_plateau, rel=1e-5)
        assert frame.y_edges[-1] == alone.y_edges[-1]


def test_two_maps_play_together(pairs):
    specs = [MapSpec(RandomMaxout, n_components=24, pool_size=q, random_state=0) for q in (2, 8)]
    frame = saturation_over_m(pairs, specs, ["q = 2", "q = 8"], GRID)[1]
    alone = saturation(pairs, specs, ["q = 2", "q = 8"])
    assert [c.label for c in frame.curves] == ["q = 2", "q = 8"]
    for one, other in zip(frame.curves, alone.curves, strict=True):
        assert one.rms_deviation == pytest.approx(other.rms_deviation, rel=1e-4)


def test_the_law_predicts_the_deviation_and_falls_as_one_over_the_root(pairs):
    spec = MapSpec(RandomMaxout, pool_size=4, random_state=0)
    predicted = [predicted_deviation(result) for result in saturation_over_m(pairs, [spec], ["a"], (500, 2000))]
    assert predicted[0] / predicted[1] == pytest.approx(2.0, rel=0.02)
    # Over seeds the mean square of the deviation is what is predicted: z-score, false alarm 1 in 1,000.
    squares = [
        saturation(pairs, [spec.replace(n_components=500, random_state=s)], ["a"]).curves[0].rms_deviation ** 2
        for s in range(60)
    ]
    z = (np.mean(squares) - predicted[0] ** 2) / (np.std(squares, ddof=1) / np.sqrt(60))
    assert abs(z) < 3.4
    linear = saturation(pairs, [MapSpec(RandomBinning, n_components=10, random_state=0)], ["a"])
    assert linear.curves[0].exact is not None or predicted_deviation(linear) is None


def test_seeds_are_averaged_where_brute_force_puts_them(pairs):
    results, means = [], []
    for seed in range(5):
        results.append(saturation(pairs, [MapSpec(RandomMaxout, n_components=50, random_state=seed)], ["a"]))
        Phi = RandomMaxout(50, random_state=seed).fit_transform(pairs.coordinates).astype(np.float64)
        near = np.abs(pairs.distance - 1.415) < 0.005  # the width of one column
        means.append(pdist(Phi)[near].mean())
    band = seed_band(results)
    column = int(np.argmin(np.abs(band.x - 1.415)))
    cell = results[0].y_edges[1]
    assert band.n_seeds == 5
    assert band.mean[column] == pytest.approx(np.mean(means), abs=cell)
    assert band.high[column] - band.mean[column] == pytest.approx(np.std(means, ddof=1), abs=cell)
    heights = [0.5 * (found.y_edges[1:] + found.y_edges[:-1]) for found in results[:2]]
    counts = [found.curves[0].counts[:, column] for found in results[:2]]
    one, other = (at @ n / n.sum() for at, n in zip(heights, counts, strict=True))
    two = seed_band(results[:2])
    assert two.high[column] - two.low[column] == pytest.approx(2 * abs(one - other) / np.sqrt(2))  # two of them: n − 1


@pytest.mark.parametrize(
    ("scheme", "control"), [("RandomMaxout", "pool_size"), ("RandomFourier", "gamma"), ("RandomBinning", "gamma")]
)
def test_what_can_be_compared_is_played(scheme, control):
    panel, cache = Preset({"map": scheme, "n_components": 50, "data.n_samples": 30, "printed": False}), Cache()
    source = PAGE.source(panel)
    found = compute(PAGE, source, PAGE.settings(panel, source), cache)
    (spec,) = [one for one in PAGE.animations(source, found.settings, found.result, panel) if one.control == control]
    played = spec.render(cache, 20.0)
    assert spec.now in played.values and len(played.values) > 5
    value = played.values[-2]
    other = panel.with_value(control, value)
    alone = compute(PAGE, source, PAGE.settings(other, source), cache).charts[0].figure
    for one, expected in zip(played.frames[-2]["saturation"].data, alone.data, strict=True):
        np.testing.assert_allclose(one.y, expected.y)
