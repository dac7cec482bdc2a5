"""What the laboratory says is wrong in the papers, by quadrature and simulation that use nothing of the library.

Where draws decide, a z-score beyond 5 fails: a false alarm in one of two million, for each of a dozen comparisons.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr, owens_t
from scipy.stats import chi2, norm

from rfviz.bounds import maxout_risk
from rfviz.bounds.fourier import fourier_uniform, sutherland_pairs
from rfviz.kernels import maxout_theorem1_as_printed
from rfviz.lab.distance_saturation import text as saturation
from rfviz.lab.guarantees import text as guarantees

RNG = np.random.default_rng(20)


def both_below(s, t, rho):
    """Return P(X < s, Y < t) of standard normal numbers of correlation ρ, by Owen's function."""
    s, t = (np.where(np.abs(v) < 1e-12, 1e-12, v) for v in (s, t))
    root = math.sqrt(1 - rho * rho)
    halves = np.where(s * t > 0, 0.0, 0.5)
    return (
        (ndtr(s) + ndtr(t)) / 2
        - owens_t(s, (t - rho * s) / (s * root))
        - owens_t(t, (s - rho * t) / (t * root))
        - halves
    )


def maxima(q, rho, n=201, end=8.0):
    """Return κ, the mean products of two maxima of q where the same number is the largest and where not, K, h₁², σ²."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = end * x, end * w
    s, t, weights = x[:, None], x[None, :], np.outer(w, w)
    density = np.exp(-(s * s - 2 * rho * s * t + t * t) / (2 * (1 - rho * rho))) / (
        2 * np.pi * math.sqrt(1 - rho * rho)
    )
    below = np.clip(both_below(s, t, rho), 0, 1)
    same = q * density * below ** (q - 1)
    kappa, product = (weights * same).sum(), (weights * same * s * t).sum()
    largest = w * q * norm.pdf(x) * ndtr(x) ** (q - 1)
    mean, square = (largest * x).sum(), (largest * x * x).sum()
    # Hoeffding's formula for the covariance.
    K = mean**2 + (weights * (below**q - np.outer(ndtr(x) ** q, ndtr(x) ** q))).sum()
    return kappa, product / kappa, (K - product) / (1 - kappa), K, mean**2, square


def test_both_flaws_of_theorem_1_have_the_numbers_that_are_said():
    kappa, same, different, K, _, square = maxima(4, 0.3)
    mended = kappa * 0.3 * square + (1 - kappa) * different
    said = " ".join(saturation.ERRATUM.split()), " ".join(maxout_theorem1_as_printed.__doc__.split())
    assert f"product is {different:.2f}, not 0." in said[0]
    assert f"here {0.3 * square:.3f}," in said[0] and f"The mean is {same:.2f}." in said[0]
    assert f"gives a kernel of {mended:.3f} there; it is {K:.2f}." in said[0]
    assert (
        f"means are {different:.2f} (different argmax) and {same:.2f} (the same), not 0 and {0.3 * square:.3f}"
        in said[1]
    )
    assert f"E h(x)h(z) is {K:.2f}" in said[1]
    # The quadrature itself, by draws.
    x = RNG.standard_normal((400_000, 4))
    z = 0.3 * x + math.sqrt(1 - 0.09) * RNG.standard_normal(x.shape)
    equal, products = x.argmax(1) == z.argmax(1), x.max(1) * z.max(1)
    for sample, expected in (
        (products[equal], same),
        (products[~equal], different),
        (products, K),
        (1.0 * equal, kappa),
    ):
        assert abs(sample.mean() - expected) < 5 * sample.std() / math.sqrt(len(sample))


def opposite(q):
    """Return the kernel of opposite points: E max·(−min), by the joint density of both."""
    x, w = np.polynomial.legendre.leggauss(400)
    high, low = 8 * x[:, None], 8 * x[None, :]
    joint = q * (q - 1) * norm.pdf(high) * norm.pdf(low) * np.clip(ndtr(high) - ndtr(low), 0, 1) ** (q - 2)
    return -64 * (np.outer(w, w) * joint * high * low * (high > low)).sum()


def test_far_points_do_not_have_a_kernel_near_0():
    shares, constants = [], []
    for q in (4, 8, 32):
        _, _, _, _, constant, square = maxima(q, 0.0)
        shares.append(100 * opposite(q) / square)
        constants.append(100 * constant / square)
    said = " ".join(saturation.ERRATUM.split())
    assert "{:.0f}, {:.0f} and {:.0f}% of $\\sigma^2$ with $q=4$, 8 and 32".format(*shares) in said
    assert "makes up {:.0f}, {:.0f} and {:.0f}% of $\\sigma^2$".format(*constants) in said


@pytest.mark.parametrize("q", [2, 3, 8])
def test_where_theorem_1_is_wrong_and_where_not(q):
    for rho in (-0.9, -0.5, 0.0, 0.4, 0.9):
        kappa, _, _, K, _, square = maxima(q, rho)
        assert square * rho * kappa + 1e-3 < K
    # At ρ = −1 no projection is the largest for both, so that κ and the printed kernel are 0.
    assert (abs(opposite(q)) < 0.02) == (q == 2)  # a jump at the diagonal costs q = 2 its digits
    said = " ".join(maxout_theorem1_as_printed.__doc__.split())
    assert "**wrong** for q > 1 and −1 < ρ < 1. At ρ = −1 it is wrong for q > 2; for q = 2 both are 0." in said


def test_what_theorem_2_leaves_out_of_its_failure():
    """The longest of q projections in two dimensions: their squares are chi-squared."""
    shares = [1 - chi2.cdf(1.5**2 * 2, 2) ** q for q in (1, 4, 32)]
    said = " ".join(guarantees.ERRATA.split())
    assert "with probability {:.2f}, {:.2f} and {:.2f} for $q=1$, 4 and 32".format(*shares) in said
    longest = np.linalg.norm(RNG.standard_normal((100_000, 4, 2)), axis=2).max(axis=1)
    assert abs((longest > 1.5 * math.sqrt(2)).mean() - shares[1]) < 5 * math.sqrt(0.25 / 100_000)
    assert "multiplied by $q$ and by $m$" in said and "so that $C'$ hides" not in said
    assert "multiplied by q and by m" in " ".join(maxout_risk.__doc__.split())


@pytest.mark.parametrize("d", [2, 20])
def test_averages_of_maxout_features_are_off_by_sigma_over_root_m_whatever_m_and_d(d):
    """√m times the L² distance of the mean of m features of points of a sphere from its limit, 95% quantile."""
    q, X = 4, RNG.standard_normal((40, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    mean, square = (value**power for value, power in zip(maxima(q, 0.0)[4:], (0.5, 1), strict=True))
    errors = []
    for m in (10, 100, 1000):
        found = []
        for _ in range(150):
            h = (RNG.standard_normal((m, q, d)) @ X.T).max(axis=1)
            found.append(math.sqrt(m * np.mean((h.mean(axis=0) - mean) ** 2)))
        errors.append(np.quantile(found, 0.95))
    # The root mean square is the standard deviation of a feature; the tail above it does not grow with m.
    assert max(errors) < 2.6 * math.sqrt(square - mean**2) and max(errors) < 1.4 * min(errors)


def test_the_steepest_point_is_random():
    """E sup‖∇(s − k)‖² exceeds σ_p² = 1 for one frequency in one dimension; the step of the proof says it does not."""
    places = np.linspace(0, 10, 1501)
    slope = -places * np.exp(-(places**2) / 2)
    frequencies = RNG.standard_normal(6000)
    steepest = np.abs(-frequencies[:, None] * np.sin(frequencies[:, None] * places) - slope).max(axis=1)
    # Less the square of the frequency, whose mean is known, there is little left to scatter.
    more = steepest**2 - frequencies**2
    value, error = 1 + more.mean(), more.std() / math.sqrt(len(more))
    assert value - 5 * error > 1
    assert abs(value - 1.17) < 5 * error + 0.005
    for said in (guarantees.ERRATA, fourier_uniform.__doc__):
        assert "1.17" in said
    assert "steepest point" in " ".join(sutherland_pairs.__doc__.split()) and "for it too" in guarantees.ERRATA
