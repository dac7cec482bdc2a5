"""Bounds on kernel estimates: the papers' numbers, inverses, monotonicity, and simulations that must not break them."""

import math

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

from rfviz import bounds
from rfviz.errors import ParameterError
from rfviz.features import RandomFourier

BOUNDS = {
    "pair": bounds.fourier_pair(),
    "phase": bounds.phase_pair(),
    "phase, Hoeffding": bounds.phase_pair_hoeffding(),
    "uniform": bounds.fourier_uniform(8, 4.0, 2.0),
    "uniform, phases": bounds.fourier_uniform(8, 4.0, 2.0, paired=False),
    "Sutherland": bounds.sutherland_pairs(8, 4.0, 2.0, 0.5),
    "Sutherland, phases": bounds.sutherland_phases(8, 4.0, 2.0),
    "binning": bounds.binning_pair(),
    "binning, uniform": bounds.binning_uniform(8, 2.0, 0.7),
    "Theorem 3": bounds.bounded_products(1.7, 2),
    "projection": bounds.projection_pair(1.3),
    "piecewise linear": bounds.piecewise_linear_pair(1.4, 1.55, 1.3),
    "Bernstein": bounds.bernstein(0.1, 2.0, 2),
    "union": bounds.fourier_pair().over(4950),
}
every_bound = pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)


# --- the papers' formulas, by hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "m", "eps", "expected"),
    [
        (bounds.fourier_pair(), 1000, 0.1, 2 * math.exp(-2.5)),
        (bounds.phase_pair_hoeffding(), 1000, 0.1, 2 * math.exp(-1.25)),
        (bounds.phase_pair(), 1200, 0.1, 2 * math.exp(-4.0)),
        (bounds.fourier_pair().over(4950), 10_000, 0.1, 9900 * math.exp(-25.0)),
        # 2⁸ (3·2/0.5)² e^(−D·0.25/16) with D = 1000 as printed, and with the 500 frequencies of 1000 paired features.
        (bounds.fourier_uniform(2, 3.0, 2.0, paired=False), 1000, 0.5, 256 * 144 * math.exp(-15.625)),
        (bounds.fourier_uniform(2, 3.0, 2.0), 2000, 0.5, 256 * 144 * math.exp(-15.625)),
        # β_2 = (1 + 1)·2^(14/4); the power of σℓ/ε is 1.
        (bounds.sutherland_pairs(2, 3.0, 2.0), 2000, 0.5, 2 * 2**3.5 * 12 * math.exp(-15.625)),
        # α = ½ + ε/3 = ⅔ in the exponent.
        (bounds.sutherland_pairs(2, 3.0, 2.0, 0.5), 2000, 0.5, 2 * 2**3.5 * 12 * math.exp(-15.625 * 1.5)),
        # β'_1 = 2·2³·√3.
        (bounds.sutherland_phases(1, 3.0, 2.0), 4000, 0.5, 16 * math.sqrt(3) * 12 * math.exp(-15.625)),
        (bounds.binning_pair(), 300, 0.1, 2 * math.exp(-6.0)),
        # 36·2·10000·1·3·exp(−(10000·0.04/8 + ln 0.2)/3)
        (bounds.binning_uniform(2, 3.0), 10_000, 0.2, 2.16e6 * math.exp(-(50 + math.log(0.2)) / 3)),
        (bounds.bounded_products(1.0), 1000, 0.1, 2 * math.exp(-5.0)),
        (bounds.bernstein(0.1, 2.0), 1000, 0.1, 2 * math.exp(-10 / (0.2 + 0.4 / 3))),
        # η = 0.4/2².
        (bounds.projection_pair(2.0), 1000, 0.4, 4 * math.exp(-500 * (0.1 - math.log(1.1)))),
        # 4²(√(6/600)·3·2·3 + 4·(9 + 1)/600) is the error at s = 3, with R = 4, σ = 3 and L = 2.
        (bounds.piecewise_linear_pair(2.0, 9.0, 4.0), 600, 16 * (1.8 + 40 / 600), 4 * math.exp(-4.5)),
    ],
)
def test_value_by_hand(bound, m, eps, expected):
    assert bound.failure(m, eps) == pytest.approx(min(expected, 1.0), rel=1e-12)


def test_theorem_3_asks_for_what_the_paper_prints():
    for norm_, eps, delta in [(1.0, 0.1, 0.05), (math.sqrt(2), 0.05, 0.01), (3.0, 0.2, 0.1)]:
        printed = 2 * norm_**4 * math.log(2 / delta) / eps**2
        assert bounds.bounded_products(norm_).features(eps, delta) == math.ceil(printed)


def test_projections_are_bounded_as_by_dasgupta_and_gupta():
    """Their lemma 2.2 for x + z and x − z, four sides in all, is as sharp up to ε³."""
    for eps in (0.05, 0.2, 0.5):
        printed = 4 * math.exp(-500 * (eps**2 / 2 - eps**3 / 3))
        assert 0.0 < bounds.projection_pair().failure(1000, eps) <= printed
    # The squared length of one vector, where the law is known: x = z.
    for m, eps in [(20, 0.3), (200, 0.1), (200, 0.4), (5, 3.0)]:
        exact = chi2.sf(m * (1 + eps), m) + chi2.cdf(m * (1 - eps), m)
        assert exact <= bounds.projection_pair().failure(m, eps)


def test_theorem_6():
    assert [bounds.sphere_norm(d) for d in (1, 2, 8)] == [1.0, 1.0, 2.0]
    assert bounds.sphere_norm(8, 3) == 8.0
    # With Theorem 3, d²·log(2/δ)/(2ε²) features for an inner product in d dimensions.
    asked = bounds.bounded_products(bounds.sphere_norm(10)).features(0.1, 0.05)
    assert asked == math.ceil(100 * math.log(40) / 0.02)


def test_constants_stay_below_those_that_are_quoted():
    largest = max(np.exp(bounds.sutherland_pairs(d, 1.0, 1.0).log_failure(0.0, 1.0)) for d in range(1, 400))
    phases = max(np.exp(bounds.sutherland_phases(d, 1.0, 1.0).log_failure(0.0, 1.0)) for d in range(1, 400))
    assert 64.0 < largest <= 66.0 + 1e-9
    assert 95.0 < phases <= 98.0 + 1e-9


# --- shape and inverses -----------------------------------------------------------------------------------------------


@every_bound
def test_falls_in_m_and_in_the_error(bound):
    m, eps = np.geomspace(1, 1e9, 60), np.geomspace(1e-4, 10, 50)
    assert (np.diff(bound.failure(m, 0.1)) <= 0).all()  # capped at 1, where binning's grows
    assert (np.diff(bound.failure(1e5, eps)) <= 0).all()
    assert (np.diff(bound.error(m, 0.05)) < 0).all()


@every_bound
@pytest.mark.parametrize("eps", [1e-6, 0.03, 0.4])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-12])
def test_number_of_features_is_the_least_that_suffices(bound, eps, delta):
    m = bound.features(eps, delta)
    assert m % bound.step == 0
    assert bound.failure(m, eps) <= delta * (1 + 1e-6)
    if m > bound.step and m - bound.step > bound.falls_from(eps) and m < 1e9:
        assert bound.failure(m - bound.step, eps) > delta


@every_bound
def test_error_undoes_the_number_of_features(bound):
    for eps in (0.02, 0.1, 0.3):
        m = bound.features(eps, 0.05)
        assert bound.error(m, 0.05) == pytest.approx(eps, rel=bound.step / m + 1e-9)
    m = np.array([1e3, 1e5, 1e7])
    np.testing.assert_allclose(bound.failure(m, bound.error(m, 0.05)), 0.05, rtol=1e-8)


@every_bound
def test_extremes_overflow_nothing(bound):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert bound.features(1e-12, 0.05) == math.inf or bound.features(1e-12, 0.05) > 1e15
        assert 0.0 <= bound.failure(1e15, 10.0) <= bound.failure(1.0, 1e-10) == 1.0
        assert np.isfinite(bound.error(1e12, 1e-300))


def test_no_second_moment_no_uniform_bound():
    assert bounds.fourier_uniform(3, math.inf, 1.0).features(0.1, 0.05) == math.inf
    assert bounds.sutherland_pairs(3, math.inf, 1.0).failure(10**9, 0.5) == 1.0


@pytest.mark.parametrize(("eps", "delta"), [(0.0, 0.1), (-1.0, 0.1), (0.1, 0.0), (0.1, 1.0), (0.1, 2.0)])
def test_impossible_wishes_are_refused(eps, delta):
    with pytest.raises(ParameterError, match="must"):
        bounds.fourier_pair().features(eps, delta)


def test_the_printed_bound_of_binning_depends_on_the_unit_of_length():
    """The same map on the same points, in metres and in kilometres: the bound may be made as small as one likes."""
    values = [
        bounds.binning_log_failure_as_printed(10, 0.1, 2, diameter=c, alpha=1 / c, lipschitz=1 / c)
        for c in (1.0, 1e3, 1e30)
    ]
    assert values[0] > 0  # says nothing, and rightly: a kernel cannot be known to 0.1 everywhere from ten grids
    assert values[2] < math.log(1e-6)
    same = [bounds.binning_uniform(2, c, 1 / c).log_failure(10, 0.1) for c in (1.0, 1e3, 1e30)]
    np.testing.assert_allclose(same, values[0])


# --- expectations -----------------------------------------------------------------------------------------------------


def test_normal_and_chebyshev():
    variance = np.array([0.01, 0.04])
    np.testing.assert_allclose(bounds.normal(variance, 0.05), 1.959964 * np.sqrt(variance), rtol=1e-6)
    np.testing.assert_allclose(bounds.chebyshev(variance, 0.04), 5 * np.sqrt(variance))
    one = bounds.normal_over_pairs(np.array([0.25]), 1, 0.05)
    assert one == pytest.approx(1.959964 * 0.5, rel=1e-6)


def test_union_of_normals_solves_its_equation():
    variances = np.linspace(0.0, 1.0, 50)
    error = bounds.normal_over_pairs(variances, 5000, 0.1)
    tails = 2 * norm.sf(error / np.sqrt(variances[1:]))
    assert tails.sum() * 100 == pytest.approx(0.1, rel=1e-5)
    assert bounds.normal_over_pairs(np.zeros(3), 3, 0.1) == 0.0


# --- simulations ------------------------------------------------------------------------------------------------------


def exceeds(count, trials, bound):
    """Return whether so many failures are too many for a bound that holds: false alarm below 1e-6."""
    return binom.sf(count - 1, trials, min(bound, 1.0)) < 1e-6


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, 30.0])
@pytest.mark.parametrize("m", [4, 20, 60])
def test_pairs_are_within_their_bounds(angle, m):
    """Estimates of one pair from cosines of a normal angle, with and without a phase."""
    rng = np.random.default_rng(m)
    trials = 20_000
    k = math.exp(-0.5 * angle**2)
    waves = angle * rng.standard_normal((trials, m))
    pairs = np.abs(np.cos(waves[:, : m // 2]).mean(axis=1) - k)
    phases = np.abs((np.cos(waves) + np.cos(rng.uniform(0, 2 * np.pi, (trials, m)))).mean(axis=1) - k)
    for eps in (0.1, 0.3, 0.6, 1.0):
        assert not exceeds((pairs >= eps).sum(), trials, bounds.fourier_pair().failure(m, eps))
        variance = 0.5 * (1 - k**2) ** 2
        if variance:
            sharper = bounds.bernstein(variance, 2.0, 2).failure(m, eps)
            assert not exceeds((pairs >= eps).sum(), trials, sharper)
        for bound in (bounds.phase_pair(), bounds.fourier_pair(False), bounds.phase_pair_hoeffding()):
            assert not exceeds((phases >= eps).sum(), trials, bound.failure(m, eps))


def test_a_wrong_bound_would_be_noticed():
    """The same test with 2e^(−mε²), which is too good to be true for pairs at right angles: it does alarm."""
    rng = np.random.default_rng(0)
    errors = np.abs(np.cos(rng.uniform(0, 2 * np.pi, (20_000, 10))).mean(axis=1))
    wrong = 2 * math.exp(-20 * 1.5 * 0.6**2)
    assert exceeds((errors >= 0.6).sum(), 20_000, wrong)


@pytest.mark.parametrize("k", [0.05, 0.5, 0.9])
def test_binning_of_a_pair_is_within_its_bound(k):
    rng = np.random.default_rng(1)
    for m in (5, 40):
        errors = np.abs(rng.binomial(m, k, 50_000) / m - k)
        for eps in (0.05, 0.2, 0.4):
            assert not exceeds((errors >= eps).sum(), 50_000, bounds.binning_pair().failure(m, eps))


def test_signs_are_within_theorem_3():
    rng = np.random.default_rng(2)
    for m in (5, 40):
        errors = np.abs(1 - 2 * rng.binomial(m, 0.5, 50_000) / m)
        for eps in (0.2, 0.5):
            assert not exceeds((errors >= eps).sum(), 50_000, bounds.bounded_products(1.0).failure(m, eps))


@pytest.mark.parametrize("paired", [True, False])
def test_uniform_errors_are_within_their_bounds(paired):
    """The largest error over a fine grid of an interval, for as many features as make the bounds say something."""
    grid, trials, gamma, m = np.linspace(0, 1, 81)[:, None], 150, 2.0, 800
    sigma = math.sqrt(2 * gamma)
    kinds = [bounds.fourier_uniform(1, sigma, 1.0, paired)]
    kinds += [bounds.sutherland_pairs(1, sigma, 1.0, 0.5)] if paired else [bounds.sutherland_phases(1, sigma, 1.0)]
    worst = []
    for seed in range(trials):
        scheme_map = RandomFourier(m, gamma=gamma, paired=paired, random_state=seed, dtype="float64").fit(grid)
        Phi = scheme_map.transform(grid)
        worst.append(np.abs(Phi @ Phi.T - scheme_map.kernel(grid)).max())
    for bound in kinds:
        for delta in (0.9, 0.5, 0.1):
            assert not exceeds((np.array(worst) >= bound.error(m, delta)).sum(), trials, delta)
    assert kinds[1].features(0.2, 0.1) < kinds[0].features(0.2, 0.1) or not paired


@pytest.mark.slow
@pytest.mark.parametrize("dimension", [1, 2])
def test_uniform_errors_of_binning_are_within_their_bound(dimension):
    """In units of the kernel's width; and in the worst unit the printed formula is broken by nearly every draw."""
    rng = np.random.default_rng(dimension)
    points = rng.uniform(0, 1, (40, dimension))
    k = np.exp(-np.abs(points[:, None] - points).sum(-1))
    trials, m = 100, 600
    worst = []
    for _ in range(trials):
        pitch = rng.gamma(2.0, size=(m, 1, dimension))
        bins = np.floor((points - pitch * rng.uniform(size=pitch.shape)) / pitch)
        shared = np.logical_and.reduce([b[:, :, None] == b[:, None] for b in np.moveaxis(bins, -1, 0)])
        worst.append(np.abs(shared.mean(0) - k).max())
    worst = np.array(worst)
    bound = bounds.binning_uniform(dimension, math.sqrt(dimension))
    for delta in (0.9, 0.5, 0.1):
        assert not exceeds((worst >= bound.error(m, delta)).sum(), trials, delta)
    c = 1e40
    printed = bounds.binning_log_failure_as_printed(m, 0.02, dimension, c * math.sqrt(dimension), 1 / c, 1 / c)
    assert exceeds((worst >= 0.02).sum(), trials, math.exp(printed))
