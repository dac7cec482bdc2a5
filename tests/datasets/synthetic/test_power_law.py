"""The spectrum of waves against its closed form: exponents, eigenvalues, the target's power."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import RandomFourier, RandomMaxout
from rfviz.theory import KernelSpectrum, kernel_spectrum, predicted_error

K = np.arange(1, 501.0)


def exponent(values, first, last):
    """Minus the slope of a straight line through values against their rank, on logarithmic axes."""
    ranks = np.arange(first, last + 1)
    return -np.polyfit(np.log(ranks), np.log(values[first - 1 : last]), 1)[0]


@pytest.mark.parametrize("slope", [1.1, 2.0, 4.0])
def test_rows_have_norm_1_and_waves_the_power_of_the_closed_form(slope):
    n = 5000
    data = datasets.load("power_law", n_samples=n, frequencies=500, slope=slope)
    X, power = data.X.astype(float), K**-slope / np.sum(K**-slope)
    assert np.abs(np.linalg.norm(X, axis=1) - 1).max() < 1e-5
    # Squares of cosines of uniform angles have the mean 1/2 and the variance 1/8; |z| > 5 of any of 1,000: below 1e-3.
    found = np.square(X).mean(axis=0) / np.tile(power, 2)
    assert np.abs((found - 0.5) / np.sqrt(0.125 / n)).max() < 5
    s, t = X[::2], X[1::2]
    angle = np.arctan2(s[:, 500], s[:, 0]) - np.arctan2(t[:, 500], t[:, 0])
    np.testing.assert_allclose((s * t).sum(axis=1), np.cos(np.outer(angle, K)) @ power, atol=1e-4)


@pytest.mark.parametrize("slope", [1.5, 2.0, 3.0])
def test_eigenvalues_of_the_linear_kernel_fall_with_the_slope(slope):
    data = datasets.load("power_law", n_samples=1000, frequencies=500, slope=slope)
    X = data.X.astype(float)
    found = kernel_spectrum(X @ X.T, data.y).eigenvalues
    expected = np.repeat(K**-slope / np.sum(K**-slope) / 2, 2)
    # Twins come apart as random angles do not fill the circle evenly: less than a fifth at the first of 1,000 rows.
    assert np.abs(np.log(found[:60].reshape(-1, 2).mean(axis=1) / expected[:60:2])).max() < 0.2
    assert exponent(found, 4, 60) == pytest.approx(exponent(expected, 4, 60), abs=0.08)
    assert exponent(found, 4, 60) == pytest.approx(slope, abs=0.12)


def test_a_smooth_function_of_the_kernel_inherits_the_slope_at_high_frequencies():
    # Its Fourier coefficients on 2¹⁴ equal angles: the eigenvalues on the circle.
    u = 2 * np.pi * np.arange(2**14) / 2**14
    for slope in (1.5, 2.0, 3.0):
        inner = np.cos(np.outer(u, K)) @ (K**-slope / np.sum(K**-slope))
        values = np.fft.rfft(np.exp(-2.0 * (1.0 - inner))).real[1:] / len(u)
        assert exponent(values, 50, 250) == pytest.approx(slope, abs=0.2)
    data = datasets.load("power_law", n_samples=50)
    kernel = RandomFourier(2, gamma=1.0).fit(data.X).kernel(data.X)
    np.testing.assert_allclose(kernel, np.exp(-2.0 * (1.0 - data.X @ data.X.T)), atol=1e-5)
    linear = RandomMaxout(2, pool_size=1).fit(data.X).kernel(data.X)
    np.testing.assert_allclose(linear, data.X @ data.X.T, atol=1e-5)


@pytest.mark.parametrize("target_slope", [1.5, 2.5, 6.0])
def test_the_target_has_the_power_of_the_closed_form(target_slope):
    n = 5000
    data = datasets.load("power_law", n_samples=n, frequencies=500, target_slope=target_slope)
    angle = np.arctan2(data.X[:, 500].astype(float), data.X[:, 0].astype(float))
    waves = np.hstack([np.cos(np.outer(angle, K[:20])), np.sin(np.outer(angle, K[:20]))])
    found = np.linalg.lstsq(np.column_stack([waves, np.ones(n)]), data.y, rcond=None)[0]
    power = (np.square(found[:20]) + np.square(found[20:40])) / 2
    # What the waves left out add to each coefficient: variance of the rest, over n.
    rest = np.sum(K[20:] ** -target_slope)
    assert np.abs(np.sqrt(power) - K[:20] ** (-target_slope / 2)).max() < 5 * np.sqrt(2 * rest / n) + 1e-3


@pytest.mark.parametrize(("slope", "target_slope"), [(2.0, 2.0), (1.5, 4.0), (3.0, 2.0)])
def test_with_many_rows_the_error_falls_as_the_scaling_law_says(slope, target_slope):
    spectrum = KernelSpectrum(np.repeat(K**-slope, 2), np.repeat(K**-target_slope / 2, 2), 0.0, 10**9)
    m = np.geomspace(10, 100, 11).round()
    error = predicted_error(spectrum, 1e6, m, 1e-6).test
    law = -np.polyfit(np.log(m), np.log(error), 1)[0]
    assert law == pytest.approx(min(slope, target_slope - 1.0), abs=0.15)


def test_rows_and_phases_stay():
    data = datasets.load("power_law", n_samples=60)
    few = datasets.load("power_law", n_samples=20)
    np.testing.assert_array_equal(data.X[:20], few.X)
    np.testing.assert_allclose(data.y[:20], few.y)
    other = datasets.load("power_law", n_samples=20, random_state=1)
    assert not np.array_equal(few.X, other.X) and few.target_names == () and few.y.dtype == np.float64


def test_rejects():
    with pytest.raises(ParameterError, match=r"slope must be a finite number from 1\.1 to 4"):
        datasets.load("power_law", slope=1.0)
    datasets.set_memory_limit(1_000_000)
    with pytest.raises(MemoryBudgetError, match="Lower n_samples"):
        datasets.load("power_law", n_samples=20_000)
