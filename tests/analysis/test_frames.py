"""Every frame of a film is what the analysis gives at that number of features, one by one."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.analysis.cooccurrence import exact_map, pixel_map, sample_features
from rfviz.analysis.embedding import embed, exact_components, prepare_points
from rfviz.analysis.frames import affordable, thinned
from rfviz.analysis.frames_cooccurrence import cooccurrence_over_features
from rfviz.analysis.frames_embedding import embedding_over_m, turned_to_agree
from rfviz.analysis.frames_saturation import predicted_deviation, saturation_over_m, seed_band
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.pairs import prepare_pairs
from rfviz.analysis.points import centred_gram
from rfviz.analysis.saturation import saturation
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.features import RandomMaxout, registry
from rfviz.skeleton import preset

GRID = (10, 24, 60)
every_scheme = pytest.mark.parametrize("scheme", list(registry()))


@pytest.fixture(scope="module")
def pairs():
    return prepare_pairs(datasets.load("sphere", n_samples=40), "unit norm")


@pytest.fixture(scope="module")
def points():
    return prepare_points(datasets.load("turning_head"), "unit norm", 2)


@every_scheme
def test_gram_matrices_are_those_of_the_smaller_maps(scheme, pairs):
    whole = registry()[scheme](n_components=60, random_state=3).fit(pairs.original)
    for m, gram in zip(GRID, prefix_grams(whole, pairs.original, GRID), strict=True):
        alone = centred_gram(registry()[scheme](n_components=m, random_state=3).fit_transform(pairs.original))
        np.testing.assert_allclose(gram, alone, atol=3e-6 * np.abs(alone).max())


@every_scheme
def test_saturation_is_that_of_each_m(scheme, pairs):
    setting = {"n_components": 24, "random_state": 1}
    for m, film in zip(GRID, saturation_over_m(pairs, scheme, [setting], ["a"], GRID), strict=True):
        alone = saturation(pairs, scheme, [setting | {"n_components": m}], ["a"])
        (one,), (other,) = film.curves, alone.curves
        assert film.n_components == m
        for name in ("expected", "low", "high", "mean_expected"):
            if getattr(other, name) is None:
                assert getattr(one, name) is None
            else:
                np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(one.counts.sum(axis=0), other.counts.sum(axis=0))
        # Distances on the edge of a cell may fall on either side of it; those of stumps are few values, all on edges.
        moved = np.abs(np.cumsum(one.counts - other.counts, axis=0))
        assert moved.sum() <= (0.2 if scheme == "DecisionStumps" else 0.01) * alone.n_pairs
        assert one.measured_plateau == pytest.approx(other.measured_plateau, rel=1e-5)
        assert film.y_edges[-1] == alone.y_edges[-1]


def test_two_maps_play_together(pairs):
    settings = [{"n_components": 24, "pool_size": q, "random_state": 0} for q in (2, 8)]
    film = saturation_over_m(pairs, "RandomMaxout", settings, ["q = 2", "q = 8"], GRID)[1]
    alone = saturation(pairs, "RandomMaxout", settings, ["q = 2", "q = 8"])
    assert [c.label for c in film.curves] == ["q = 2", "q = 8"]
    for one, other in zip(film.curves, alone.curves, strict=True):
        assert one.rms_deviation == pytest.approx(other.rms_deviation, rel=1e-4)


def test_the_law_predicts_the_deviation_and_falls_as_one_over_the_root(pairs):
    film = saturation_over_m(pairs, "RandomMaxout", [{"pool_size": 4, "random_state": 0}], ["a"], (500, 2000))
    predicted = [predicted_deviation(result) for result in film]
    assert predicted[0] / predicted[1] == pytest.approx(2.0, rel=0.02)
    # Over seeds the mean square of the deviation is what is predicted: z-score, false alarm 1 in 1,000.
    squares = [
        saturation(pairs, "RandomMaxout", [{"n_components": 500, "pool_size": 4, "random_state": s}], ["a"])
        .curves[0].rms_deviation ** 2
        for s in range(60)
    ]  # fmt: skip
    z = (np.mean(squares) - predicted[0] ** 2) / (np.std(squares, ddof=1) / np.sqrt(60))
    assert abs(z) < 3.4
    linear = saturation(pairs, "RandomBinning", [{"n_components": 10, "random_state": 0}], ["a"])
    assert linear.curves[0].expected is not None or predicted_deviation(linear) is None


def test_seeds_are_averaged_where_brute_force_puts_them(pairs):
    results, means = [], []
    for seed in range(5):
        results.append(saturation(pairs, "RandomMaxout", [{"n_components": 50, "random_state": seed}], ["a"]))
        Phi = RandomMaxout(50, random_state=seed).fit_transform(pairs.coordinates).astype(np.float64)
        near = np.abs(pairs.distance - 1.415) < 0.005  # the width of one column
        means.append(pdist(Phi)[near].mean())
    band = seed_band(results)
    column = int(np.argmin(np.abs(band.x - 1.415)))
    cell = results[0].y_edges[1]
    assert band.n_seeds == 5
    assert band.mean[column] == pytest.approx(np.mean(means), abs=cell)
    assert band.high[column] - band.mean[column] == pytest.approx(np.std(means, ddof=1), abs=cell)


@pytest.mark.parametrize("scheme", ["RandomMaxout", "RandomFourier", "RandomBinning", "HybridCompositional"])
def test_embeddings_are_those_of_each_m(scheme, points):
    setting = {"n_components": 24, "random_state": 2}
    exact = exact_components(points, scheme, setting, 2)
    for m, frame in zip(GRID, embedding_over_m(points, scheme, setting, 2, GRID, exact), strict=True):
        alone = embed(points, scheme, setting | {"n_components": m}, 2, exact).features
        np.testing.assert_allclose(
            pdist(frame.coordinates), pdist(alone.coordinates), atol=1e-4 * np.ptp(frame.coordinates)
        )
        np.testing.assert_allclose(frame.explained, alone.explained, atol=1e-5)


def test_frames_are_turned_but_not_bent(points):
    setting = {"n_components": 200, "pool_size": 12, "random_state": 0}
    values = (10, 12, 16, 20, 30, 60, 200)
    frames = embedding_over_m(points, "RandomMaxout", setting, 2, values)
    # As if an eigenvector's sign had flipped, and two had traded places.
    flipped = type(frames[2])("x", frames[2].coordinates[:, ::-1] * [1, -1], frames[2].explained[::-1], None, "")
    turned = turned_to_agree([*frames[:2], flipped, *frames[3:]])
    np.testing.assert_array_equal(turned[-1].coordinates, frames[-1].coordinates)
    for frame, other in zip(turned, frames, strict=True):
        np.testing.assert_allclose(pdist(frame.coordinates), pdist(other.coordinates), atol=1e-12)
        assert frame.explained.sum() == pytest.approx(other.explained.sum())
    jumps = [np.abs(a.coordinates - b.coordinates).max() for a, b in itertools.pairwise(turned)]
    assert max(jumps) < 0.5 * np.ptp(frames[-1].coordinates)


def test_too_many_points_for_a_film_are_refused():
    many = prepare_points(datasets.load("circle", n_samples=2500), "unit norm", 2)
    with pytest.raises(DataError, match="up to 2,000 points"):
        embedding_over_m(many, "RandomMaxout", {"n_components": 20}, 2, (10, 20))


def test_maps_of_pixels_are_those_of_each_number_of_features():
    skeleton = preset("2 convolutions", (12, 12, 1), shrink=True)
    sample, exact, counts = sample_features(skeleton, 20_000, 0), exact_map(skeleton, 30), (1000, 5000, 20_000)
    for count, found in zip(counts, cooccurrence_over_features(sample, 30, counts, exact), strict=True):
        alone = pixel_map(sample_features(skeleton, count, 0), 30, count)
        np.testing.assert_array_equal(found.correlation, alone.correlation)
        np.testing.assert_allclose(found.rms, alone.rms)


def test_what_is_too_large_is_left_out(monkeypatch):
    options = [10, 100, 1000, 10_000, 100_000]
    small = affordable("RandomMaxout", {"pool_size": 4}, (50, 2), options, 100)
    large = affordable("RandomMaxout", {"pool_size": 64}, (2000, 2000), options, 100)
    assert small == options
    assert large[-1] < 100_000 and 100 in large
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    assert affordable("RandomMaxout", {"pool_size": 4}, (50, 2), options, 100) == [10, 100]
    assert thinned(range(100), 5, 33) == [0, 25, 33, 50, 74, 99]
    assert thinned([1, 2, 3], 5, 2) == [1, 2, 3]


def test_memory_is_asked_for_first(monkeypatch, pairs):
    whole = RandomMaxout(1000).fit(pairs.coordinates)
    monkeypatch.setattr("rfviz.analysis.nested.check_memory", lambda *a: (_ for _ in ()).throw(MemoryBudgetError("no")))
    with pytest.raises(MemoryBudgetError):
        next(prefix_grams(whole, pairs.coordinates, GRID))


def test_gpu_gives_the_same_frames(fake_gpu, pairs):
    host = RandomMaxout(60, pool_size=4, device="cpu").fit(pairs.coordinates)
    there = RandomMaxout(60, pool_size=4, device="cuda").fit(pairs.coordinates)
    for a, b in zip(*(prefix_grams(m, pairs.coordinates, GRID) for m in (host, there)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
