"""Mixtures of hats by a formula: kernel against quadrature, draws against the kernel, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import quad

from rfviz.errors import ParameterError
from rfviz.experiments import Binning
from rfviz.features import RandomBinning
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset

TWO = "exp(-20*(x - 1)^2) + exp(-20*(x - 4)^2)"


def own(density, m=10, **params):
    return RandomBinning(m, gamma=1.0, profile="own", pitch_density=density, **params)


@pytest.mark.parametrize("density", ["x*exp(-x)", TWO, "step(x - 2)*step(3 - x)"])
def test_the_kernel_is_the_integral_of_hats(density):
    functions = {
        "x*exp(-x)": lambda x: x * np.exp(-x),
        TWO: lambda x: np.exp(-20 * (x - 1) ** 2) + np.exp(-20 * (x - 4) ** 2),
    }
    p = functions.get(density, lambda x: float(2 < x < 3))
    cuts = [1, 2, 3, 4]
    whole = quad(p, 0, 20, points=cuts, limit=200)[0]
    X = np.array([[0.0], [0.3], [1.0], [2.5], [7.0]])
    for x, k in zip(X[:, 0], own(density).fit(X).kernel(X[:1], X)[0], strict=True):
        hats = quad(lambda s, x=x: max(0.0, 1 - x / s) * p(s), 1e-9, 20, points=[*cuts, max(x, 0.1)], limit=200)[0]
        assert k == pytest.approx(hats / whole, abs=2e-3)


def test_the_gamma_density_is_the_laplacian_kernel():
    X = np.array([[0.0, 0.0], [0.4, 0.7]])
    assert own("x*exp(-x)").fit(X).kernel(X)[0, 1] == pytest.approx(np.exp(-1.1), abs=2e-3)


def test_boxes_are_shared_as_often_as_the_kernel_says():
    X = np.array([[0.0, 0.0], [0.5, 0.2], [2.0, 0.1]])
    feature_map = own(TWO, 20_000, random_state=0).fit(X)
    codes = feature_map.codes(X)
    pitches = np.ravel(feature_map.pitches_)
    assert set(np.round(pitches)) <= {0, 1, 2, 3, 4, 5} and abs(np.mean(pitches) - 2.5) < 0.05
    for other in (1, 2):
        apart = np.abs(X[other] - X[0])
        # Both hats are nearly single ones: half of the pitches are near 1, half near 4.
        expected = feature_map.kernel(X)[0, other]
        share = np.mean(codes[0] == codes[other])
        assert abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / 20_000)
        rough = np.prod(0.5 * np.maximum(0, 1 - apart) + 0.5 * np.maximum(0, 1 - apart / 4))
        assert expected == pytest.approx(rough, abs=0.02)


@pytest.mark.parametrize("density", ["x - 1", "0*x"])
def test_what_is_not_a_density_is_refused(density):
    with pytest.raises(ParameterError, match="pitch_density must be a density"):
        own(density).fit(np.eye(2))


def test_the_page_draws_the_density_and_its_kernel_and_says_what_a_hat_is_worth():
    page = find_page("binning")
    panel = Preset(page.presets["Two hats"][1] | {"p": 100})
    source = page.source(panel)
    experiment = page.settings(panel, source)
    assert not panel.unasked() and experiment.spec.get("pitch_density") == TWO
    charts = experiment.run(source).charts
    assert list(charts)[-2:] == ["hats-density", "hats-kernel"]
    frame = charts["hats-kernel"].frame.set_index("distance")["kernel"]
    # Narrow hats of mean 1 leave half of their positive part at distance 1, wide ones three quarters of one half.
    s = np.abs(np.random.default_rng(0).normal(1, np.sqrt(1 / 40), 400_000))
    narrow = np.mean(np.maximum(0, 1 - 1 / s))
    s = np.random.default_rng(1).normal(4, np.sqrt(1 / 40), 400_000)
    expected = 0.5 * narrow + 0.5 * np.mean(1 - 1 / s)
    assert frame[1.0] == pytest.approx(expected, abs=0.003)
    assert f"with probability {frame[1.0]:.3f}" in charts["hats-kernel"].words
    plain = Binning(feature_map=RandomBinning(10, gamma=2.0)).run("moons").charts
    assert "hats-kernel" not in plain
