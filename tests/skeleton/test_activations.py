"""Dual activations: the value is the generating function of the draws, which have no end that is cut off.

Statistical tests have a false-alarm rate of 1e-5 each; their seeds are fixed.
"""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from rfviz.errors import ParameterError
from rfviz.skeleton import ACTIVATIONS, activation
from rfviz.skeleton.tails import HEAD, relu_tail, step_tail

ALARM = 1e-5
FORMS = [
    "relu", "step", "erf", "identity", {"kind": "exponential", "scale": 0.25}, {"kind": "exponential", "scale": 9.0},
    {"kind": "polynomial", "degree": 3, "offset": 0.5}, {"kind": "series", "coefficients": [0.2, 0.3, 0.0, 0.5]},
]  # fmt: skip
RHO = np.array([-1.0, -0.7, -0.1, 0.0, 0.4, 0.9, 1.0])
every_form = pytest.mark.parametrize("form", FORMS, ids=str)


def coefficients(act, n):
    """Compute the first coefficients by numerical means: a Fourier series of the value on a circle around 0."""
    radius, points = 0.5, 256
    z = radius * np.exp(2j * np.pi * np.arange(points) / points)
    if act.kind in ("relu", "step"):
        asin = np.arcsin(z)
        values = (np.sqrt(1 - z * z) + (np.pi / 2 + asin) * z) / np.pi if act.kind == "relu" else 0.5 + asin / np.pi
    elif act.kind == "erf":
        values = np.arcsin(2 * z / 3) / np.arcsin(2 / 3)
    else:
        values = act.value(np, z)
    return (np.fft.fft(values) / points).real[:n] / radius ** np.arange(n)


def test_every_kind_is_tested():
    assert {activation(form).kind for form in FORMS} == set(ACTIVATIONS)


@every_form
def test_table_holds_the_coefficients_of_the_value(form):
    act = activation(form)
    head = np.concatenate([act.head(), np.zeros(20)])[:20]
    np.testing.assert_allclose(head, coefficients(act, 20), rtol=0, atol=1e-9)


@every_form
def test_value_and_slope_at_one(form):
    act = activation(form)
    assert act.value(np, np.array([1.0]))[0] == pytest.approx(1.0, abs=1e-15)
    inside = np.array([-0.8, 0.1, 0.7])
    step = 1e-6
    numeric = (act.value(np, inside + step) - act.value(np, inside - step)) / (2 * step)
    np.testing.assert_allclose(act.derivative(inside), numeric, rtol=1e-7)
    assert act.derivative(1.0) == pytest.approx(act.slope)


@every_form
def test_draws_have_the_value_as_generating_function(form):
    act, n = activation(form), 400_000
    drawn = act.draw(np.random.default_rng(0), n).astype(float)
    for rho in RHO:
        powers = rho**drawn
        z = (powers.mean() - act.value(np, np.array([rho]))[0]) / max(powers.std() / np.sqrt(n), 1e-9)
        assert abs(z) < stats.norm.isf(ALARM / 2 / len(RHO))


@pytest.mark.parametrize(("form", "exponent"), [("relu", 1.5), ("step", 0.5)])
def test_heavy_tails_have_their_exact_frequencies(form, exponent):
    n = 4_000_000
    drawn = activation(form).draw(np.random.default_rng(1), n)
    k = np.arange(3_000_000)
    log_central = gammaln(k + 0.5) - gammaln(k + 1.0) - 0.5 * np.log(np.pi)
    a = np.exp(log_central) / np.pi / (2 * k + 1) / ((2 * k + 2) if form == "relu" else 1)
    index = 2 * k + (2 if form == "relu" else 1)
    edges = [2 * HEAD - 6, 2 * HEAD - 1, 2 * HEAD + 1, 2 * HEAD + 5, 90, 150, 300, 1000, 5000, 100_000]
    for low, high in itertools.pairwise(edges):
        p = a[(index > low) & (index <= high)].sum()
        seen = ((drawn > low) & (drawn <= high)).sum()
        assert abs(seen - n * p) < stats.norm.isf(ALARM / 20) * np.sqrt(n * p) + 5
    assert drawn.max() > 0.01 * n ** (1 / exponent)  # what a table would have cut off


@pytest.mark.parametrize("tail", [step_tail, relu_tail])
def test_tail_sums_telescope(tail):
    k = np.arange(HEAD, 2000.0)
    log_central = gammaln(k + 0.5) - gammaln(k + 1.0) - 0.5 * np.log(np.pi)
    sums = np.exp(tail.log_tail(k))
    pieces = np.exp(log_central) / (2 * k + 2) * (1 if tail is step_tail else 3 / (k + 2))
    np.testing.assert_allclose(sums[:-1] - sums[1:], pieces[:-1], rtol=1e-9)
    assert (np.diff(tail.ratio(k)) < 0).all()


BAD = [
    ("tanh", "must have a kind among 'relu'"),
    (None, "must have a kind"),
    ({"kind": "exponential", "scale": -1}, "scale must be a finite number greater than 0"),
    ({"kind": "relu", "scale": 2}, "has no 'scale'"),
    ({"kind": "polynomial", "degree": 0}, "degree must be an integer from 1"),
    ({"kind": "series", "coefficients": [0.5, 0.6]}, "Their sum is 1.1. Divide them by their sum"),
    ({"kind": "series", "coefficients": [1.5, -0.5]}, "Coefficient 1 is negative"),
    ({"kind": "series", "coefficients": ["a"]}, "must be a list"),
    ({"kind": "series", "coefficients": []}, "must be a list"),
    ({"kind": "series"}, "must be a list"),
]


@pytest.mark.parametrize(("form", "message"), BAD)
def test_bad_activations(form, message):
    with pytest.raises(ParameterError, match=message):
        activation(form)


@every_form
def test_form_round_trip(form):
    act = activation(form)
    assert activation(act.to_form()) == act == activation(act)
