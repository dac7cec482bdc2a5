"""Co-occurrence of pixels counted in sampled features: against the exact law, brute force, and the features themselves.

Statistical tests compute a p-value over many draws and fail below 1e-6: one false alarm in a million runs of each.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.experiments.pixel_cooccurrence.compute import MAX_FEATURES, capacity, exact_map, pixel_map, sample_features
from rfviz.experiments.pixel_cooccurrence.feature_shapes import (
    bytes_per_feature,
    feature_sizes,
    repeats,
    single_feature,
)
from rfviz.experiments.pixel_cooccurrence.layers import image_of
from rfviz.features import CompositionalFeatures
from rfviz.features.compositional_draws import CHUNK
from rfviz.skeleton import PRESETS, convolutions, flat, graph, pixel_groups, preset

FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def sample():
    return sample_features(preset("2 convolutions", (12, 12, 3), shrink=True), 40_000, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_joint_counts_follow_the_exact_law(name):
    skeleton, n = preset(name, (12, 12), shrink=True), 400_000
    sample = sample_features(skeleton, n, seed=1)
    worst, tests = 1.0, 0
    for pixel in (0, 40, 78, 143):
        result = pixel_map(sample, pixel, n)
        counts = np.rint(result.joint * n).astype(int)
        p = np.array(
            [stats.binomtest(int(k), n, float(q)).pvalue for k, q in zip(counts, result.exact.joint, strict=True)]
        )
        worst, tests = min(worst, float(p.min())), tests + len(p)
    assert worst * tests > FALSE_ALARM  # Bonferroni over all pairs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["1 convolution", "3 convolutions"])
def test_rms_difference_is_as_large_as_predicted(name):
    # Over 60 seeds: the mean square is the predicted variance, up to its own standard error.
    skeleton, n = preset(name, (8, 8), shrink=True), 65_536
    exact = exact_map(skeleton, 27)
    ratio = []
    for seed in range(60):
        result = pixel_map(sample_features(skeleton, n, seed), 27, n, exact)
        ratio.append((result.rms[-1] / result.predicted[-1]) ** 2)
    z = (np.mean(ratio) - 1.0) / (np.std(ratio, ddof=1) / np.sqrt(len(ratio)))
    assert 2 * stats.t.sf(abs(z), len(ratio) - 1) > FALSE_ALARM
    np.testing.assert_allclose(result.predicted * np.sqrt(result.grid), result.predicted[-1] * np.sqrt(n))


def test_counts_are_those_of_brute_force():
    skeleton = convolutions((4, 5, 3), [(2, 1, "relu")], {"kind": "polynomial", "degree": 3})
    sample, n = sample_features(skeleton, 3000), 2500
    sets = [set(sample.pixels[a:b].tolist()) for a, b in itertools.pairwise(sample.starts[: n + 1])]
    for pixel in (0, 7, 19):
        result = pixel_map(sample, pixel, n)
        together = [sum(pixel in s and other in s for s in sets) / n for other in range(20)]
        np.testing.assert_allclose(result.joint, together)
        np.testing.assert_allclose(result.single, [sum(other in s for s in sets) / n for other in range(20)])
        member = np.array([[other in s for other in range(20)] for s in sets], dtype=float)
        for place, m in enumerate(result.grid):
            expected = np.corrcoef(member[:m].T)[pixel]
            if not member[:m, pixel].any():
                assert np.isnan(result.rms[place])
                continue
            rms = np.sqrt(np.mean(np.delete(expected - result.exact.correlation, pixel) ** 2))
            assert result.rms[place] == pytest.approx(rms)
        assert result.occurs == len(sample.features_of(pixel, n)) == sum(pixel in s for s in sets)
        np.testing.assert_array_equal(sample.features_of(pixel, n), [i for i, s in enumerate(sets) if pixel in s])


def test_features_are_those_of_the_map(sample):
    skeleton = sample.skeleton
    fitted = CompositionalFeatures(10_000, skeleton=skeleton, deduplicate=False, random_state=3)
    fitted.fit(np.zeros((1, skeleton.n_columns)))
    # The map draws its own seed from the parameter; with that seed the features are the same.
    same = sample_features(skeleton, 10_000, fitted.seed_)
    groups = pixel_groups(skeleton)
    for i in range(0, 10_000, 7):
        kept = set(groups[fitted.columns_[fitted.ends_[i] : fitted.ends_[i + 1]]].tolist())
        reached = set(same.pixels[same.starts[i] : same.starts[i + 1]].tolist())
        assert kept <= reached  # + and − of one angle cancel
    assert np.mean(np.diff(fitted.ends_) > 0) > 0.3


def test_smaller_samples_are_prefixes_and_larger_ones_go_on(sample):
    more = sample_features(sample.skeleton, 90_000, seed=3, start=sample)
    again = sample_features(sample.skeleton, 90_000, seed=3)
    for name in ("starts", "pixels", "column_starts", "features", "paths"):
        np.testing.assert_array_equal(getattr(more, name), getattr(again, name))
    n = sample.n_features
    np.testing.assert_array_equal(more.starts[: n + 1], sample.starts)
    np.testing.assert_array_equal(more.paths[:n], sample.paths)
    a, b = pixel_map(sample, 60, 30_000), pixel_map(more, 60, 30_000)
    np.testing.assert_array_equal(a.correlation, b.correlation)
    np.testing.assert_array_equal(a.rms, b.rms)


def test_another_seed_gives_other_features(sample):
    other = sample_features(sample.skeleton, 40_000, seed=4)
    assert not np.array_equal(other.paths, sample.paths)


def test_what_is_kept_is_consistent(sample):
    assert sample.n_features % CHUNK == 0 and sample.n_features >= 40_000
    assert sample.n_pixels == 144
    lengths = np.diff(sample.starts)
    assert (sample.paths >= lengths).all() and ((sample.paths == 0) == (lengths == 0)).all()
    assert sample.nbytes < 60 * sample.n_features


def test_sizes_and_mean_paths_follow_the_complexity():
    skeleton, n = flat(50, {"kind": "exponential", "scale": 2.0}), 80_000
    sizes = feature_sizes(sample_features(skeleton, n), n)
    assert sizes.paths.sum() == sizes.pixels.sum() == n
    z = (sizes.mean_paths - 2.0) / np.sqrt(2.0 / n)  # Poisson
    assert 2 * stats.norm.sf(abs(z)) > FALSE_ALARM
    expected = n * stats.poisson.pmf(np.arange(8), 2.0)
    observed = np.append(sizes.paths[:8], sizes.paths[8:].sum())
    assert stats.chisquare(observed, np.append(expected, n - expected.sum())).pvalue > FALSE_ALARM
    assert len(sizes.to_frame()) == 31


def test_repeats_are_those_of_a_dictionary():
    skeleton, n = flat(6, {"kind": "polynomial", "degree": 2}), 9000
    found = repeats(skeleton, n, seed=5)
    seen = {}
    from rfviz.features.compositional_draws import chunks

    for rows in itertools.islice(chunks(skeleton, 5), 2):
        for i in range(CHUNK):
            entries = slice(rows.ends[i], rows.ends[i + 1])
            key = (int(rows.kinds[i]), *rows.columns[entries].tolist(), *rows.multiples[entries].tolist())
            if sum(seen.values()) < n:
                seen[key] = seen.get(key, 0) + 1
    counts = np.array(list(seen.values()))
    assert (found.n_different, found.most) == (len(counts), counts.max())
    for low, different in zip(found.times, found.different, strict=True):
        assert different == ((counts >= low) & (counts < 2 * low)).sum()
    assert found.different.sum() == found.n_different == found.to_frame()["different features"].sum()


def test_one_feature_is_that_of_the_map():
    skeleton = preset("2 convolutions", (9, 9, 3), shrink=True)
    x = np.random.default_rng(0).random((1, 243))
    fitted = CompositionalFeatures(CHUNK + 50, skeleton=skeleton, deduplicate=False, dtype="float64", device="cpu").fit(
        x
    )
    values = next(iter(fitted.transform_blocks(x, scaled=False)))[0]
    for number in (0, 11, 12, 13, CHUNK + 1, CHUNK + 49):
        one = single_feature(skeleton, fitted.seed_, number, x[0])
        bias = np.pi / 2 if one.is_sine else 0.0
        factor = 1.0 if one.is_real else np.sqrt(2.0)
        assert one.value == pytest.approx(factor * np.cos(one.multiples @ one.angles + bias))
        assert one.value == pytest.approx(float(values[number]))
        np.testing.assert_allclose(one.angles, np.pi * x[0, one.columns])
        assert len(one.to_frame()) == len(one.columns)


def test_bytes_are_those_of_the_map():
    skeleton = preset("2 convolutions", (24, 24), shrink=True)
    fitted = CompositionalFeatures(CHUNK, skeleton=skeleton, deduplicate=False).fit(np.zeros((1, 576)))
    assert bytes_per_feature(skeleton) == fitted.bytes_per_feature_ < 40


def test_frames_hold_all_numbers(sample):
    result = pixel_map(sample, 5, 10_000)
    frame = result.to_frame()
    np.testing.assert_array_equal(frame["correlation"], result.correlation)
    np.testing.assert_array_equal(frame["correlation, exact"], result.exact.correlation)
    np.testing.assert_array_equal(result.errors_frame()["features"], result.grid)
    assert result.grid[-1] == 10_000 and (np.diff(result.grid) > 0).all()


def test_a_pixel_that_no_window_sees_is_correlated_with_nothing():
    skeleton = convolutions((7, 7), [(4, 2, "relu")], "relu")  # windows start at 0 and 2: the last row is left over
    result = pixel_map(sample_features(skeleton, 20_000), 48, 20_000)
    assert result.occurs == 0 and not result.correlation.any()
    assert np.isnan(result.rms).all() and not result.predicted.any()


def test_progress_is_told_and_may_stop():
    class StoppedError(Exception):
        pass

    shares = []

    def progress(share, text):
        shares.append(share)
        if share > 0.4:
            raise StoppedError

    with pytest.raises(StoppedError):
        sample_features(flat(10), 100_000, progress=progress)
    assert shares == sorted(shares) and shares[0] == 0.0 and shares[-1] < 0.6


@pytest.mark.parametrize(("n", "expected"), [(1, 8192), (8192, 8192), (8193, 16384), (2_000_000, 2**21)])
def test_capacity_is_a_power_of_two(n, expected):
    assert capacity(n) == expected


def test_refusals(sample, monkeypatch):
    for bad in (0, -1, MAX_FEATURES + 1, 2.5, True):
        with pytest.raises(ParameterError, match="n_features"):
            sample_features(flat(10), bad)
    with pytest.raises(ParameterError, match="pixel must be an integer from 0 to 143"):
        pixel_map(sample, 144, 100)
    with pytest.raises(ParameterError, match="n_features"):
        pixel_map(sample, 0, sample.n_features + 1)
    with pytest.raises(ParameterError, match="start must be a sample of the same skeleton"):
        sample_features(flat(10), 100, start=sample)
    with pytest.raises(ParameterError, match="step"):
        sample_features(convolutions((6, 6), [(3, 1, "relu")], "step"), 100)
    with pytest.raises(DataError, match="432 numbers; got 3"):
        single_feature(sample.skeleton, 0, 0, np.zeros(3))
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="Drawing 1,000,000 features"):
        sample_features(flat(10), 1_000_000)


def test_a_skeleton_over_no_image():
    with pytest.raises(ParameterError, match="over an image"):
        image_of(graph([("circle", 2)], [("relu", [0, 1])]))
