"""Hash codes: against brute force, nested in m and in q, the same on every device, and colliding as the law says."""

import numpy as np
import pytest
from scipy import sparse

from rfviz import kernels
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import DeviceFallbackWarning, HashingMap, RandomMaxout, RandomProjection, registry
from rfviz.features.hashing import code_dtype, row_angles
from tests.features.cases import unit_rows

X = unit_rows(57, 9)
HASHES = [name for name, scheme in registry().items() if issubclass(scheme, HashingMap)]


def brute_force(feature_map, X):
    """Return all projections at once, which the library never stores."""
    return np.argmax(np.einsum("nd,qmd->nqm", X, feature_map.weights_), axis=1)


@pytest.mark.parametrize("q", [1, 2, 5, 257])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_codes_are_the_argmax(q, container):
    feature_map = RandomMaxout(31, pool_size=q, dtype="float64", device="cpu").fit(X)
    codes = feature_map.codes(container(X))
    assert np.array_equal(codes, brute_force(feature_map, X))
    assert codes.dtype == (np.uint16 if q > 256 else np.uint8)


def test_of_equal_projections_the_first_counts():
    rows = np.vstack([X, np.zeros((1, 9))])
    feature_map = RandomMaxout(31, pool_size=5, dtype="float64", device="cpu").fit(rows)
    assert not feature_map.codes(rows)[-1].any()
    feature_map.weights_[4] = feature_map.weights_[1]
    codes = feature_map.codes(rows)
    assert np.array_equal(codes, brute_force(feature_map, rows))
    assert (codes == 1).any() and not (codes == 4).any()


def test_types_hold_every_symbol():
    assert [code_dtype(n).itemsize for n in (1, 2, 256, 257, 65_536, 65_537)] == [1, 1, 1, 2, 2, 4]


@pytest.mark.parametrize("name", HASHES)
def test_first_symbols_are_those_of_the_shorter_code(name):
    large = registry()[name](40, device="cpu", dtype="float64").fit(X)
    small = registry()[name](7, device="cpu", dtype="float64").fit(X)
    assert np.array_equal(small.codes(X), large.codes(X)[:, :7])
    assert np.array_equal(large.prefix(7).codes(X), large.codes(X)[:, :7])


def test_smaller_pools_come_on_the_way():
    large = RandomMaxout(20, pool_size=9, dtype="float64", device="cpu").fit(X)
    codes = large.pool_codes(X, [9, 2, 4])
    assert sorted(codes) == [2, 4, 9]
    for q, found in codes.items():
        assert np.array_equal(found, RandomMaxout(20, pool_size=q, dtype="float64", device="cpu").fit(X).codes(X))
    # A symbol of the large pool that the small one has too is also the small one's.
    within = codes[9] < 4
    assert within.any() and np.array_equal(codes[9][within], codes[4][within])
    with pytest.raises(ParameterError, match="pool_size must be an integer from 1 to 9; got 10"):
        large.pool_codes(X, [2, 10])


def test_two_projections_are_simhash():
    """The argmax of two is the sign of their difference, symbol by symbol; so is the law, 1 − θ/π."""
    pair = RandomMaxout(500, pool_size=2, dtype="float64", device="cpu").fit(X)
    signs = RandomProjection(500, dtype="float64", device="cpu").fit(X)
    signs.weights_ = pair.weights_[1] - pair.weights_[0]
    assert np.array_equal(signs.codes(X), pair.codes(X))
    angle = np.linspace(0.0, 180.0, 181)
    for feature_map in (pair, signs):
        np.testing.assert_allclose(feature_map.collision_law().curve(angle), 1.0 - angle / 180.0, atol=1e-12)
    np.testing.assert_allclose(signs.collision(X), pair.collision(X), atol=1e-12)


@pytest.mark.parametrize("name", HASHES)
def test_collisions_follow_the_law(name):
    """z-scores of the share of equal symbols over 40,000 features, one a pair; false alarms 1 in 1,000."""
    few, m = unit_rows(12, 3, seed=1), 40_000
    feature_map = registry()[name](m, device="cpu").fit(few)
    codes = feature_map.codes(few)
    i, j = np.triu_indices(len(few), 1)
    law = feature_map.collision_law()
    p = law.curve(law.measure(few[i], few[j]))
    np.testing.assert_allclose(p, feature_map.collision(few)[i, j], atol=1e-9)
    measured = (codes[i] == codes[j]).mean(axis=1)
    z = (measured - p) / np.sqrt(p * (1 - p) / m)
    assert np.abs(z).max() < 4.4  # Bonferroni over 66 pairs


@pytest.mark.parametrize("q", [2, 3, 8, 32])
def test_pools_collide_as_kappa(q):
    few, m = unit_rows(8, 2, seed=2), 60_000
    codes = RandomMaxout(m, pool_size=q, random_state=q, device="cpu").fit(few).codes(few)
    i, j = np.triu_indices(8, 1)
    p = kernels.maxout_collision(few, pool_size=q)[i, j]
    measured = (codes[i] == codes[j]).mean(axis=1)
    common = m * p > 50  # where the count of collisions is normal enough; nearly opposite points never collide
    assert measured[m * p < 1e-3].sum() == 0
    z = (measured[common] - p[common]) / np.sqrt(p[common] * (1 - p[common]) / m)
    assert np.abs(z).max() < 4.2  # Bonferroni over 28 pairs: 1 in 1,000


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_device(name, container, fake_gpu):
    on_host = registry()[name](70, device="cpu", dtype="float64").fit(X).codes(X)
    gpu = registry()[name](70, device="cuda", dtype="float64").fit(X)
    codes = gpu.codes(container(X))
    assert isinstance(codes, np.ndarray) and codes.dtype == on_host.dtype
    assert np.array_equal(codes, on_host)
    assert fake_gpu.memory.log


def test_a_full_device_is_left_for_the_cpu(fake_gpu):
    gpu = RandomMaxout(500, device="cuda").fit(X)
    expected = RandomMaxout(500, device="cpu").fit(X).codes(X)
    fake_gpu.memory.limit = 10_000
    with pytest.warns(DeviceFallbackWarning):
        assert np.array_equal(gpu.codes(X), expected)


def test_memory_does_not_grow_with_the_pool(fake_gpu):
    peaks = []
    for q in (2, 32):
        feature_map = RandomMaxout(200, pool_size=q, device="cuda").fit(X)
        fake_gpu.memory.reset_peak()
        feature_map.codes(X)
        peaks.append(fake_gpu.memory.peak - feature_map.weights_.nbytes)
    assert peaks[1] < 1.1 * peaks[0]


def test_codes_beyond_memory_are_refused(monkeypatch):
    feature_map = RandomMaxout(100, device="cpu").fit(X)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.000001")
    with pytest.raises(MemoryBudgetError, match="symbols that fits"):
        feature_map.codes(X)


def test_angles_are_exact_where_the_arc_cosine_is_not():
    angle = np.array([0.0, 1e-9, 1e-4, 1.0, np.pi / 2, 3.0, np.pi])
    Z = np.column_stack([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(row_angles(np.tile([[2.0, 0.0]], (7, 1)), 5 * Z), np.degrees(angle), rtol=1e-9)
    assert row_angles(np.zeros((1, 2)), np.ones((1, 2)))[0] == 90.0


def test_band_is_binomial():
    law = RandomProjection(10).collision_law()
    mean, low, high = law.band(np.array([0.0, 90.0, 180.0]), 100, width=2.0)
    np.testing.assert_allclose(mean, [0.0, 0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose([low[1], high[1]], [0.4, 0.6])
    assert low[0] == high[0] == 0.0


def test_bits_of_a_symbol():
    assert registry()["RandomBinning"](1).symbol_bits == 63
    assert [RandomMaxout(1, pool_size=q).symbol_bits for q in (1, 2, 3, 4, 5, 64, 65)] == [1, 1, 2, 2, 3, 6, 7]
    assert RandomProjection(1).symbol_bits == 1


@pytest.mark.parametrize("scheme, setting", [(RandomMaxout, {"pool_size": 3}), (RandomProjection, {})])
def test_collisions_of_receptive_fields_are_means_over_rectangles(scheme, setting):
    """All pairs within 4.5 standard errors (false alarms: 1 in 3,000); no law of one distance is claimed."""
    images = np.random.default_rng(3).standard_normal((6, 16))
    settings = {"receptive_field": (1, 3), "image_shape": (4, 4), "dtype": "float64", "device": "cpu"}
    feature_map = scheme(20_000, **settings, **setting).fit(images)
    codes = feature_map.codes(images)
    agree = (codes[:, None] == codes[None]).mean(axis=2)
    p = feature_map.collision(images)
    off = ~np.eye(6, dtype=bool)
    assert np.abs((agree - p)[off] / np.sqrt(p * (1 - p) / 20_000)[off]).max() < 4.5
    assert feature_map.collision_law() is None
    assert np.abs(p - scheme(1, **setting).fit(images).collision(images))[off].max() > 0.01


@pytest.mark.parametrize("setting", [{"profile": "hat"}, {"gamma": np.array([1.0, 2.0, 3.0])}])
def test_boxes_have_no_law_of_one_distance_where_columns_differ(setting):
    few = unit_rows(6, 3)
    assert registry()["RandomBinning"](4, **setting).fit(few).collision_law() is None


def test_receptive_fields_have_no_law_of_the_angle_but_collide_as_the_mean_over_rectangles():
    few, m = unit_rows(6, 16, seed=4), 40_000
    fields = RandomMaxout(m, pool_size=3, receptive_field=(2, 3), device="cpu").fit(few)
    assert fields.collision_law() is None
    i, j = np.triu_indices(6, 1)
    p, codes = fields.collision(few)[i, j], fields.codes(few)
    z = ((codes[i] == codes[j]).mean(axis=1) - p) / np.sqrt(p * (1 - p) / m)
    assert np.abs(z).max() < 4.1  # Bonferroni over 15 pairs: 1 in 1,000
