"""Figure 1 of the notes: one frequency and the circle, and the mean over frequencies, which is the kernel."""

import re

import numpy as np
import pytest
from scipy.integrate import quad

from rfviz.cache import Cache
from rfviz.experiments import BuildAMap
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset
from tests.app_pages import array


def test_points_lie_on_the_circle_at_their_angle():
    result = BuildAMap(what="density", formula="exp(-x^2/2)", omega=1.5, m=10).run()
    frame = result.to_frame("built-circle")
    np.testing.assert_allclose(frame["cos ωx"] + 1j * frame["sin ωx"], np.exp(1.5j * frame["x"]), atol=1e-12)
    assert frame["x"].iloc[[0, -1]].tolist() == [-3, 3]


@pytest.mark.parametrize(
    ("what", "formula", "kernel"),
    [("density", "exp(-x^2/2)", np.exp(-0.5)), ("density", "exp(-x)", 0.5), ("kernel", "exp(-x)", np.exp(-1.0))],
)
def test_the_sentence_has_the_angle_and_the_mean_over_frequencies(what, formula, kernel):
    chart = BuildAMap(what=what, formula=formula, omega=2.5, m=10).run().charts["built-circle"]
    found = re.search(r"cos ω = (\S+)\. .* k\(1\) = (\S+)\.$", chart.words.replace("−", "-"))
    product, mean = map(float, found.groups())
    assert product == pytest.approx(np.cos(2.5), abs=1e-3) and "143° apart" in chart.words
    assert mean == pytest.approx(kernel, abs=0.02)
    if formula == "exp(-x^2/2)":  # the mean of cos ω over the density, by quadrature
        weights = lambda w: np.exp(-w * w / 2)  # noqa: E731
        assert mean == pytest.approx(
            quad(lambda w: np.cos(w) * weights(w), 0, 20)[0] / quad(weights, 0, 20)[0], abs=1e-3
        )


def test_a_function_has_no_frequency():
    assert "built-circle" not in BuildAMap(formula="relu(x)", m=10).run().charts


def test_the_frequency_can_be_played():
    page = find_page("build-a-map")
    panel = Preset({"what": "density", "density": "exp(-x^2/2)", "m": 10, "omega": 2.0})
    source = page.source(panel)
    settings = page.settings(panel, source)
    assert settings.omega == 2.0 and not panel.unasked()
    result = page.run(source, settings, Cache())
    (played,) = (spec for spec in page.animations(source, settings, result, panel) if spec.control == "omega")
    animation, x = played.render(Cache(), 1.0), np.linspace(-3, 3, 121)
    assert len(animation.values) > 20 and 2.0 in animation.values
    for omega, frame in zip(animation.values, animation.frames, strict=True):
        points = frame["built-circle"].to_plotly_json()["data"][2]
        np.testing.assert_allclose(array(points["x"]) + 1j * array(points["y"]), np.exp(1j * omega * x), atol=1e-6)
