"""The base spaces of skeletons on the page: what is said is drawn, and is what the paper's formulas give."""

import math

import numpy as np
import pytest

from rfviz.experiments import BaseSpaces
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset
from tests.app_pages import opened, specs
from tests.lab.sentences import Sentence

SLUG = "build-a-map"
SPACES = ["binary", "circle", "gaussian", "categorical", "sphere"]


@pytest.mark.parametrize("d", [3, 8, 30])
def test_the_sentence_of_the_sphere(d):
    result = BaseSpaces(base="sphere", dimension=d, m=100).run()
    frame, said = result.to_frame("base-kernel"), Sentence(result.charts["base-kernel"].words)
    said.says("In d = {} dimensions", d)
    said.says("√(d/2) = {}", math.sqrt(d / 2))
    said.says("reach √d = {}.", math.sqrt(d))
    asked = [math.ceil(2 * C**4 * math.log(40) / 0.01) for C in (math.sqrt(d / 2), math.sqrt(d), math.sqrt(d), 1)]
    assert "asks for {:,}, {:,}, {:,} features; with C = 1 it would be {:,}".format(*asked) in said.words
    for name in frame.columns[2:]:
        error = math.sqrt(np.mean((frame[name] - frame["kernel"]) ** 2))
        assert f"{name}: **{error:.2g}" in said.words
    # The predicted error of √d⟨w, x⟩, by the fourth moments of a direction: mean over a half circle of cosines ρ.
    rho = np.cos(np.deg2rad(np.linspace(0, 180, 61)))
    predicted = math.sqrt(np.mean(d * (1 + 2 * rho**2) / (d + 2) - rho**2) / 100)
    assert f"(the variance predicts {predicted:.2g})" in said.words


@pytest.mark.parametrize("space", SPACES)
def test_norm_efficient_features_are_told_from_others(space):
    result = BaseSpaces(base=space).run()
    words, frame = result.charts["base-kernel"].words, result.to_frame("base-moduli")
    assert ("*norm-efficient*" in words) == (space != "sphere") == (frame["bound C"].max() == 1)
    assert ("one feature gives the kernel exactly" in words) == (space in ("binary", "circle"))
    errors = result.to_frame("base-errors").iloc[:, 1]
    assert (errors.max() < 1e-9) == (space in ("binary", "circle"))
    assert (frame["largest seen"] <= frame["bound C"] * (1 + 1e-12)).all()
    assert np.allclose(frame["mean square"], 1, atol=0.12)
    assert ("printed" in words) == (space == "categorical")


def test_the_error_of_the_printed_exponent_does_not_fall():
    result = BaseSpaces(base="categorical", categories=4).run()
    frame, words = result.to_frame("base-errors"), result.charts["base-kernel"].words
    right, printed = frame["exp(2πiωx/n)"], frame["exp(iωx/(2πn)), as printed"]
    assert right.iloc[-1] < 0.05 * right.iloc[0] and printed.iloc[-1] > 0.9 * printed.iloc[0]
    limit = [np.exp(1j * k * np.arange(1, 5) / (8 * np.pi)).mean().real - (k == 0) for k in range(4)]
    assert f"its error tends to {math.sqrt(np.mean(np.square(limit))):.2g}, however" in words


@pytest.mark.parametrize("space", SPACES)
def test_the_page_draws_it(space):
    at = opened(SLUG, {"what": "base", "base": space})
    assert not at.error and not at.exception and len(specs(at)) == 3
    moduli = specs(at)[0]
    lines = [shape["x0"] for shape in moduli["layout"]["shapes"]]
    assert lines == ([1.0] if space != "sphere" else [pytest.approx(2.0), pytest.approx(math.sqrt(8))])
    said = [note["text"] for note in moduli["layout"]["annotations"]]
    assert said[0] == f"C = {2 if space == 'sphere' else 1}, the least possible"


def test_a_function_and_a_base_space_follow_each_other():
    page = find_page(SLUG)
    for values in ({"what": "base"}, {"what": "function", "function": "relu(x)"}):
        panel = Preset(values)
        assert page.settings(panel, None).run().charts
        assert not panel.unasked()
