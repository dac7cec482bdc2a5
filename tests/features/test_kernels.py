"""The features against their closed forms: mean and variance over many seeds, brute force, and scikit-learn.

Every statistical test has a false-alarm rate of 1e-5 for all its pairs together (Bonferroni); the seeds are fixed, so
that it can only raise an alarm when the code changes.
"""

import numpy as np
import pytest
from scipy import stats
from sklearn.kernel_approximation import RBFSampler
from sklearn.random_projection import GaussianRandomProjection

from rfviz import kernels
from rfviz.features import (
    DecisionStumps,
    RandomActivation,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
    SharedPoolMaxout,
    SigmoidalRidge,
    registry,
)
from tests.features.cases import APPROXIMATE, CASES, IDS, dense, make, unit_rows

ALARM = 1e-5
SEEDS, FEATURES = 300, 128
# Not of unit length, one row zero, two equal, two opposite.
X = unit_rows(6, 4) * np.array([[0.4, 1.0, 1.7, 0.9, 0.0, 1.0]]).T
X[3], X[5] = X[1], -X[1]
PAIRS = np.triu_indices(len(X))
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)


def mean_alarms(samples, expected, bias=0.0):
    """Return whether the mean of `samples` (seeds, pairs) departs from `expected` by more than `bias`, pair by pair."""
    deviation = samples.mean(axis=0) - expected
    deviation = np.sign(deviation) * np.maximum(np.abs(deviation) - bias, 0.0)
    spread = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    z = np.divide(deviation, spread, out=np.zeros_like(spread), where=spread > 1e-9)
    assert np.abs(deviation[spread <= 1e-9]).max(initial=0.0) < 1e-9  # what is not random must be exact
    return np.abs(z) > stats.t(len(samples) - 1).isf(ALARM / 2 / len(z))


def variance_alarms(samples, expected):
    """Return likewise for the variance: means over many features are nearly normal, so (S − 1)s²/σ² is chi-squared."""
    random = expected > 1e-12
    observed = samples.var(axis=0, ddof=1)
    assert observed[~random].max(initial=0.0) < 1e-12
    law = stats.chi2(len(samples) - 1)
    ratio = (len(samples) - 1) * observed[random] / expected[random]
    return np.minimum(law.cdf(ratio), law.sf(ratio)) < ALARM / 2 / len(expected)


def estimates(case, data=X, seeds=SEEDS):
    """Return kernel estimates over seeds, shape (seeds, rows, rows), and the last map."""
    kernel_hats = np.empty((seeds, len(data), len(data)))
    for seed in range(seeds):
        feature_map = make(case, FEATURES, random_state=seed, dtype="float64").fit(data)
        features = dense(feature_map.transform(data))
        kernel_hats[seed] = features @ features.T
    return kernel_hats, feature_map


def _product_variance(feature_map, data):
    """Return the closed-form variance of the kernel estimate, or None for a map without one."""
    if getattr(feature_map, "receptive_field", None) is not None or isinstance(feature_map, SharedPoolMaxout):
        law = feature_map.product_law(data)  # checked by brute force in tests of their own
        return None if law is None else law.variance(FEATURES)
    if isinstance(feature_map, RandomBinning):
        return feature_map.product_law(data).variance(FEATURES)  # a share of independent events: no other form
    if isinstance(feature_map, RandomFourier):
        if feature_map.spectrum != "gaussian" or feature_map.draw != "iid":
            law = feature_map.product_law(data)
            return law and law.variance(FEATURES)
        draws = FEATURES / 2 if feature_map.paired else FEATURES
        return kernels.fourier_product_variance(feature_map.kernel(data), paired=feature_map.paired) / draws
    if isinstance(feature_map, (RandomMaxout, RandomProjection)):
        norms = np.linalg.norm(data, axis=1)
        scale = np.outer(norms, norms)
        cosines = np.divide(data @ data.T, scale, out=np.zeros_like(scale), where=scale > 0)
        q = getattr(feature_map, "pool_size", 1)
        return scale**2 * kernels.maxout_product_moments(np.clip(cosines, -1, 1), q)[1] / FEATURES
    law = feature_map.product_law(data)
    known = isinstance(feature_map, (DecisionStumps, RandomActivation, SigmoidalRidge))
    return law.variance(FEATURES) if known else None


@pytest.mark.slow
@every_case
def test_inner_products_have_the_mean_and_variance_of_theory(case):
    # Fewer seeds find a wrong mean, which is all that can be tested where no variance is known.
    known = _product_variance(make(case, FEATURES, dtype="float64").fit(X), X) is not None
    kernel_hats, feature_map = estimates(case, seeds=SEEDS if known else SEEDS // 4)
    samples = kernel_hats[:, *PAIRS]
    kernel = feature_map.kernel(X)
    assert kernel.dtype == np.float64 and np.array_equal(kernel, kernel.T)
    assert not mean_alarms(samples, kernel[PAIRS], 1e-3 * kernel.max() if case in APPROXIMATE else 0.0).any()
    variance = _product_variance(feature_map, X)
    if variance is not None:
        assert not variance_alarms(samples, variance[PAIRS]).any()


def test_the_tests_have_power():
    # A bias of 5 % and a variance 1.5 times too large are both seen.
    samples, feature_map = estimates(("RandomMaxout", {}))
    assert mean_alarms(samples[:, *PAIRS], 1.05 * feature_map.kernel(X)[PAIRS]).any()
    assert variance_alarms(samples[:, *PAIRS], 1.5 * _product_variance(feature_map, X)[PAIRS]).any()


@every_case
def test_kernel_of_two_sets(case):
    feature_map = make(case).fit(X)
    whole = feature_map.kernel(X)
    np.testing.assert_allclose(feature_map.kernel(X[:4], X[2:]), whole[:4, 2:], rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(whole).min() > -1e-9


@pytest.mark.slow
@every_case
def test_distance_law_is_that_of_the_map(case):
    angles = np.array([0.0, 0.03, 0.4, 1.0, 2.0, 3.0, np.pi])
    data = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    distances = np.linalg.norm(data - data[0], axis=1)
    law = make(case, FEATURES).fit(data).distance_law()
    if law is None:
        pytest.skip("no law of distances for this scheme")
    kernel_hats, feature_map = estimates(case, data)
    diagonal = np.einsum("sii->si", kernel_hats)
    squared = diagonal + diagonal[:, :1] - 2.0 * kernel_hats[:, 0]
    mean, variance = law.moments(distances)
    assert not mean_alarms(squared[:, 1:], mean[1:]).any()
    assert not variance_alarms(squared[:, 1:], variance[1:]).any()
    kernel = feature_map.kernel(data)
    np.testing.assert_allclose(mean, np.diag(kernel) + kernel[0, 0] - 2 * kernel[0], rtol=0, atol=1e-9)


@every_case
def test_distance_law_slope_plateau_and_band(case):
    law = make(case).fit(X).distance_law()
    if law is None:
        pytest.skip("no law of distances for this scheme")
    tiny = 1e-5
    assert law.band(np.array([tiny]))[0][0] == pytest.approx(law.slope * tiny, rel=1e-4)
    grid = np.linspace(0, 2, 50)
    mean, low, high = law.band(grid)
    assert (np.diff(mean) >= 0).all() and (low <= mean).all() and (mean <= high).all()
    if law.plateau is None:
        assert law.saturation_radius() is None
        return
    far = law.max_distance if np.isfinite(law.max_distance) else 1e3
    assert law.band(np.array([far]))[0][0] == pytest.approx(law.plateau, rel=1e-9)
    for share in (0.1, 0.5, 0.9, 0.99):
        radius = law.saturation_radius(share)
        assert law.band(np.array([radius]))[0][0] == pytest.approx(share * law.plateau, rel=1e-7)


@pytest.mark.parametrize("pool_size", [2, 4, 100])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_saturation_radius_of_maxout(pool_size, share):
    radius = RandomMaxout(pool_size=pool_size).distance_law().saturation_radius(share)
    assert radius == pytest.approx(kernels.saturation_distance(pool_size, share), rel=1e-9)


def test_saturation_radius_of_fourier():
    # √(2 − 2k) = 0.9·√2 where k = exp(−γδ²) = 0.19.
    radius = RandomFourier(gamma=0.7).distance_law().saturation_radius(0.9)
    assert radius == pytest.approx(np.sqrt(-np.log(0.19) / 0.7), rel=1e-9)


def test_printed_formula_of_the_paper_is_not_the_law():
    law = RandomMaxout(pool_size=4).distance_law()
    assert law.as_printed(np.array([0.0]))[0] == pytest.approx(0.0, abs=1e-6)
    assert law.as_printed(np.array([1.5]))[0] > 1.05 * law.band(np.array([1.5]))[0][0]


# --- by other means ---------------------------------------------------------------------------------------------------


def test_maxout_by_brute_force():
    feature_map = RandomMaxout(9, pool_size=3, dtype="float64", device="cpu").fit(X)
    features = feature_map.transform(X)
    for i, x in enumerate(X):
        for feature in range(9):
            largest = max(float(np.dot(feature_map.weights_[member, feature], x)) for member in range(3))
            assert features[i, feature] == pytest.approx(largest / 3.0, abs=1e-14)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("m", [8, 7])
def test_fourier_by_brute_force(paired, m):
    feature_map = RandomFourier(m, gamma=0.3, paired=paired, dtype="float64", device="cpu").fit(X)
    features = feature_map.transform(X)
    for i, x in enumerate(X):
        for feature in range(m):
            angle = np.dot(feature_map.frequencies_[feature // 2 if paired else feature], x)
            wave = (np.cos, np.sin)[feature % 2](angle) if paired else np.cos(angle + feature_map.phases_[feature])
            assert features[i, feature] == pytest.approx(np.sqrt(2 / m) * wave, abs=1e-14)


def test_a_projection_is_maxout_with_a_pool_of_one():
    one = RandomMaxout(20, pool_size=1, device="cpu").fit_transform(X)
    assert np.array_equal(RandomProjection(20, device="cpu").fit_transform(X), one)


def _errors(transform, kernel, seeds):
    """Return the root mean square error of the kernel estimate, per seed."""
    features = [transform(seed) for seed in range(seeds)]
    return [np.sqrt(np.mean((f @ f.T - kernel) ** 2)) for f in features]


def test_fourier_errs_as_scikit_learns_sampler_does():
    data, gamma = unit_rows(30, 5), 0.8
    kernel = kernels.gaussian(data, gamma=gamma)
    ours, theirs, paired = (
        _errors(lambda seed, make=make: make(seed).fit_transform(data), kernel, 200)
        for make in (
            lambda s: RandomFourier(64, gamma=gamma, paired=False, random_state=s, dtype="float64"),
            lambda s: RBFSampler(gamma=gamma, n_components=64, random_state=s),
            lambda s: RandomFourier(64, gamma=gamma, random_state=s, dtype="float64"),
        )
    )
    assert stats.ks_2samp(ours, theirs).pvalue > ALARM  # the same law
    assert stats.mannwhitneyu(paired, ours, alternative="less").pvalue < ALARM  # pairs do better


def test_projection_errs_as_scikit_learns_does():
    data = unit_rows(30, 5)
    ours, theirs = (
        _errors(lambda seed, make=make: make(seed).fit_transform(data), data @ data.T, 200)
        for make in (
            lambda s: RandomProjection(4, random_state=s, dtype="float64"),
            lambda s: GaussianRandomProjection(4, random_state=s),
        )
    )
    assert stats.ks_2samp(ours, theirs).pvalue > ALARM


@pytest.mark.parametrize("name", registry())
def test_rotation_invariant_schemes(name):
    feature_map = registry()[name](10).fit(X)
    if not feature_map.rotation_invariant:
        pytest.skip("this scheme sees the axes")
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    np.testing.assert_allclose(feature_map.kernel(X @ rotation), feature_map.kernel(X), rtol=0, atol=1e-9)
