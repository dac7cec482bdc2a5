"""Random binning against loops over repetitions and rows, and what only a map with sparse output has to do."""

import pickle
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import integrate, sparse, stats
from sklearn.base import clone

from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import RandomBinning, binning
from rfviz.features.binning import PROFILES, HatMixture, RationalHats, SingleHat, joint_codes
from rfviz.features.precision import LostBinsWarning

ALARM = 1e-5
rng = np.random.default_rng(0)
X, NEW = rng.standard_normal((40, 3)), 2.0 * rng.standard_normal((25, 3))
every_profile = pytest.mark.parametrize("profile", [*PROFILES, RationalHats(2.5)], ids=str)


@dataclass(frozen=True)
class TwoHats(HatMixture):
    """The example of the documentation."""

    wide: float = 3.0

    def value(self, t):
        return 0.5 * (1.0 - t).clip(0.0) + 0.5 * (1.0 - t / self.wide).clip(0.0)

    def pitches(self, generator, shape):
        return generator.choice([1.0, self.wide], shape)


def boxes(feature_map, data):
    """Return the joint bins as tuples of Python integers, by loops: (repetitions, rows)."""
    return [
        [
            tuple(int(np.ceil((x[j] - shifts[j]) / pitches[j])) for j in range(len(x)))
            for x in np.asarray(data, dtype=float)
        ]
        for pitches, shifts in zip(feature_map.pitches_, feature_map.shifts_, strict=True)
    ]


@every_profile
def test_features_by_brute_force(profile):
    feature_map = RandomBinning(30, gamma=0.7, profile=profile, dtype="float64").fit(X)
    seen, found = boxes(feature_map, X), boxes(feature_map, NEW)
    Phi, codes = feature_map.transform(NEW), feature_map.codes(NEW)
    assert sparse.issparse(Phi) and Phi.format == "csr" and Phi.has_sorted_indices
    column = 0
    for p in range(30):
        different = set(seen[p])
        own = Phi[:, column : column + len(different)].toarray()
        column += len(different)
        assert feature_map.columns(p + 1) == column
        for i, box in enumerate(found[p]):
            # One entry where some row of fit lies in the same box, and none in a box that was not seen.
            assert own[i].sum() == pytest.approx((box in different) / np.sqrt(30))
            for j in range(i):
                assert (codes[i, p] == codes[j, p]) == (box == found[p][j])
                both = box == found[p][j] and box in different
                assert own[i] @ own[j] == pytest.approx(both / 30)
    assert Phi.shape == (25, column) == (25, len(feature_map.get_feature_names_out()))


def test_unseen_boxes_are_zeros_that_leave_the_products_with_seen_rows_right():
    feature_map = RandomBinning(400, gamma=2.0).fit(X)
    products = (feature_map.transform(NEW) @ feature_map.transform(X).T).toarray()
    shares = np.mean(feature_map.codes(NEW)[:, None, :] == feature_map.codes(X)[None, :, :], axis=2)
    np.testing.assert_allclose(products, shares, atol=1e-6)
    assert feature_map.transform(np.full((1, 3), 1e3)).nnz == 0
    assert feature_map.transform(X).nnz == 400 * len(X)


@every_profile
def test_pitch_law_is_the_second_derivative_of_the_kernel(profile):
    # k(t) = E max(0, 1 − t/δ): the mean over draws of the pitch against the closed form, at a false-alarm rate.
    feature_map = RandomBinning(4000, gamma=1.0, profile=profile).fit(X[:1, :1] * np.ones((1, 10)))
    mixture = PROFILES[profile] if isinstance(profile, str) else profile
    t = np.array([0.05, 0.3, 0.9, 2.0, 7.0])
    hats = np.maximum(0.0, 1.0 - t / feature_map.pitches_.reshape(-1, 1))
    spread = hats.std(axis=0, ddof=1) / np.sqrt(len(hats))
    deviation = np.abs(hats.mean(axis=0) - mixture.value(t))
    assert (deviation <= stats.norm.isf(ALARM / 2 / len(t)) * spread + 1e-12).all()
    assert mixture.value(np.zeros(1))[0] == 1.0
    slope = (mixture.value(np.array([1e-7]))[0] - 1.0) / 1e-7
    assert mixture.inverse_pitch == pytest.approx(-slope, rel=1e-5)


def test_shifts_are_uniform_within_their_pitch():
    feature_map = RandomBinning(2000, gamma=3.0).fit(X)
    shares = (feature_map.shifts_ / feature_map.pitches_).ravel()
    assert stats.kstest(shares, "uniform").pvalue > ALARM
    assert stats.kstest(feature_map.pitches_.ravel() * 3.0, stats.gamma(2.0).cdf).pvalue > ALARM


def test_density_of_the_rational_pitches():
    for power in (0.5, 1.0, 3.0):
        law = RationalHats(power)
        mass, _ = integrate.quad(lambda d, a=power: a * (a + 1) * d * (1 + d) ** (-a - 2), 0, np.inf)
        assert mass == pytest.approx(1.0)
        draws = law.pitches(np.random.default_rng(1), (5000, 1))[:, 0]
        beta_prime = stats.betaprime(2.0, power)
        assert stats.kstest(draws, beta_prime.cdf).pvalue > ALARM


@pytest.mark.slow
def test_no_two_boxes_share_a_code():
    # A million boxes that are hard on a multiplicative hash: far apart, with differences that are multiples of 4096.
    grid = 4096.0 * np.stack(np.meshgrid(*[np.arange(-50, 50)] * 3), axis=-1).reshape(-1, 3)
    multipliers = np.array([RandomBinning(1, random_state=seed).fit(X).multipliers_ for seed in range(2)])
    for own in multipliers:
        codes = joint_codes(grid, np.ones((1, 3)), np.zeros((1, 3)), own)[0]
        assert len(np.unique(codes)) == len(grid)


@pytest.mark.parametrize("gamma", [0.001, 0.05, 1.0, 20.0])
def test_columns_without_a_cut_are_left_out_and_change_nothing(gamma, monkeypatch):
    # The same codes to the last bit, whichever columns are looked at.
    wide = rng.standard_normal((60, 40))
    feature_map = RandomBinning(100, gamma=gamma).fit(wide)
    expected = feature_map.codes(wide)
    monkeypatch.setattr(binning, "_add_cut_columns", lambda *args: False)
    assert np.array_equal(feature_map.codes(wide), expected)
    assert np.array_equal(feature_map.codes(wide[7:9]), expected[7:9])


def test_codes_are_exact_and_the_same_for_any_type_of_the_data():
    whole = np.round(20 * X)
    feature_map = RandomBinning(50, gamma=0.2).fit(whole)
    expected = feature_map.codes(whole)
    for data in (whole.astype(np.float32), whole.astype(np.int16), sparse.csr_matrix(whole)):
        assert np.array_equal(feature_map.codes(data), expected)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e12, 1e100, -1e280])
def test_far_rows_share_a_box_only_where_they_are_near(scale):
    # As nanoseconds since 1970: numbers of bins beyond 2⁶³, which integers do not hold.
    times = scale * np.array([[1.7e18], [1.7e18 + 1e9], [1.6e18], [1.7e18], [-1.7e18]])
    with pytest.warns(LostBinsWarning, match="rounding decides which near points share a bin"):
        features = RandomBinning(200, gamma=10.0).fit(times).transform(times).toarray()
    expected = np.eye(5)
    expected[0, 3] = expected[3, 0] = 1.0
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-6)


@pytest.mark.usefixtures("fake_gpu")
def test_codes_on_the_gpu_are_those_of_the_host():
    host, gpu = (RandomBinning(70, device=device).fit(X) for device in ("cpu", "cuda"))
    assert np.array_equal(gpu.bins_, host.bins_) and np.array_equal(gpu.ends_, host.ends_)
    assert np.array_equal(gpu.codes(NEW), host.codes(NEW))


def test_a_full_gpu_gives_way_to_the_host(fake_gpu):
    host, gpu = (RandomBinning(300, device=device).fit(X) for device in ("cpu", "cuda"))
    fake_gpu.memory.limit = fake_gpu.memory.used + 20_000
    with pytest.warns(UserWarning, match="Out of memory on cuda:0: computed on the CPU instead"):
        assert abs(gpu.transform(NEW) - host.transform(NEW)).max() == 0
    with pytest.warns(UserWarning, match="computed on the CPU instead"):
        assert np.array_equal(RandomBinning(300, device="cuda").fit(X).bins_, host.bins_)


def test_prefix_has_the_first_columns():
    large = RandomBinning(300, dtype="float64").fit(X)
    small = large.prefix(40)
    columns = large.columns(40)
    assert small.transform(X).shape == (40, columns) and columns < large.transform(X).shape[1]
    first = large.transform(NEW)[:, :columns] * np.sqrt(300 / 40)
    assert abs(small.transform(NEW) - first).max() < 1e-14
    assert np.array_equal(small.codes(NEW), large.codes(NEW)[:, :40])


def test_widths_that_are_learnt():
    table = np.column_stack([X, 5.0 + 0 * X[:, 0]])
    for data in (table, sparse.csr_matrix(table)):
        assert RandomBinning(5).fit(data).gamma_ == pytest.approx(1 / (4 * table.std()), rel=1e-12)
        pairs = np.abs(table[:, None] - table[None]).sum(axis=2)[np.triu_indices(len(table), 1)]
        assert RandomBinning(5, gamma="median").fit(data).gamma_ == pytest.approx(1 / np.median(pairs), rel=1e-12)
    assert RandomBinning(5, gamma="median").fit(np.ones((6, 2))).gamma_ == 1.0


def test_a_width_for_each_column():
    gamma = np.array([0.1, 1.0, 10.0])
    feature_map = RandomBinning(50, gamma=gamma, dtype="float64").fit(X)
    scaled = RandomBinning(50, gamma=1.0, dtype="float64").fit(X * gamma)
    assert np.array_equal(feature_map.transform(X).toarray(), scaled.transform(X * gamma).toarray())
    expected = np.exp(-np.abs((X[:, None] - X[None]) * gamma).sum(axis=2))
    np.testing.assert_allclose(feature_map.kernel(X), expected, atol=1e-14)
    assert np.array_equal(clone(feature_map).gamma, gamma)
    for wrong, message in (([1.0, 2.0], "one for each of the 3 columns"), ([1.0, 0.0, 1.0], "greater than 0")):
        with pytest.raises(ParameterError, match=message):
            RandomBinning(gamma=wrong).fit(X)


def test_a_kernel_of_ones_own():
    feature_map = RandomBinning(3000, gamma=0.5, profile=TwoHats(wide=5.0)).fit(X)
    estimate = (feature_map.transform(X) @ feature_map.transform(X).T).toarray()
    law = feature_map.product_law(X)
    z = np.abs(estimate - feature_map.kernel(X)) / np.sqrt(law.variance(3000) + 1e-9)
    assert z.max() < 6.0
    again = clone(feature_map)
    assert again.profile == TwoHats(wide=5.0)
    assert abs(again.fit(X).transform(X) - feature_map.transform(X)).max() == 0
    assert abs(pickle.loads(pickle.dumps(feature_map)).transform(X) - feature_map.transform(X)).max() == 0


def test_pitches_that_are_none():
    with pytest.raises(ParameterError, match="must draw finite pitches greater than 0"):
        RandomBinning(profile=TwoHats(wide=0.0)).fit(X)
    with pytest.raises(
        ParameterError, match="profile must be one of 'laplacian', 'hat', 'rational', 'own'; got 'gaussian'"
    ):
        RandomBinning(profile="gaussian").fit(X)
    with pytest.raises(ParameterError, match=r"power must be .* greater than 0; got -1"):
        RationalHats(-1)


def test_a_width_beyond_the_digits_of_the_data_is_told():
    with pytest.warns(LostBinsWarning, match=r"gamma=1e\+06 the data reach .* bins .* float32 .*or pass float64"):
        RandomBinning(5, gamma=1e6).fit(X.astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomBinning(5, gamma=1e6).fit(X)  # in double precision there are digits enough
        RandomBinning(5, gamma=100.0).fit(X.astype(np.float32))
    with pytest.warns(LostBinsWarning, match=r"float64 .* Use a smaller gamma, or centre the data\.$"):
        RandomBinning(5, gamma=1.0).fit(X + 1e15)


def test_hoeffding_bound_and_variance():
    law = RandomBinning(profile=SingleHat(), gamma=0.3).product_law(X)
    k = np.prod(np.maximum(0, 1 - 0.3 * np.abs(X[:, None] - X[None])), axis=2)
    np.testing.assert_allclose(law.variance(50), k * (1 - k) / 50, atol=1e-15)
    # 2·exp(−2Pε²) is the probability again.
    assert 2 * np.exp(-2 * 50 * law.bound(50, 0.01) ** 2) == pytest.approx(0.01)


def test_more_boxes_than_memory_are_refused(monkeypatch):
    feature_map = RandomBinning(200).fit(X)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00003")
    for method in (feature_map.transform, feature_map.codes):
        with pytest.raises(
            MemoryBudgetError, match=r"25 × 200 needs .*largest n_components .* or use transform_blocks"
        ):
            method(NEW)
    assert sum(block.shape[0] for block in feature_map.transform_blocks(NEW)) == 25
    with pytest.raises(MemoryBudgetError, match="largest n_components that fits is about 81"):
        RandomBinning(200).fit(X)
