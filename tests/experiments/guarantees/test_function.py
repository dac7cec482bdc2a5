"""Corollary 4 as it is drawn, against the paper's formulas written out here."""

import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rfviz import datasets
from rfviz.analysis.kernel_sample import prepare_sample
from rfviz.errors import ParameterError
from rfviz.experiments import FunctionGuarantees
from rfviz.features import CompositionalFeatures, RandomFourier, RandomMaxout
from tests.app_pages import changed, opened, specs
from tests.lab.sentences import Sentence

SMALL = {"points": 16, "draws": 60, "normalise": "none"}


def test_distances_are_those_of_waves_that_are_drawn_here():
    """f_ω by its definition, a mean of f̌(ω)ψ(ω, x), with frequencies of this test, against the page's distances."""
    result = FunctionGuarantees(feature_map=RandomFourier(100, gamma=1.0), **SMALL).run("moons").numbers
    sample = prepare_sample(datasets.load("moons"), "none", 16)
    X, y = sample.original, datasets.load("moons").y[sample.rows]
    K = rbf_kernel(X, gamma=1.0)
    alpha = np.linalg.solve(K + 0.1 * np.eye(16), np.where(y == y[0], 1.0, -1.0))
    f = K @ alpha
    assert result.norm == pytest.approx(math.sqrt(alpha @ K @ alpha)) and np.allclose(result.values, f)
    rng, m = np.random.default_rng(8), int(result.m_grid[result.place(100)])
    found = []
    for _ in range(200):
        psi = np.exp(1j * X @ (math.sqrt(2) * rng.standard_normal((2, m // 2))))
        weights = alpha @ psi
        found.append(math.sqrt(np.mean((f - (psi.conj() @ weights).real / (m // 2)) ** 2)))
    measured = result.distances[:, result.place(100)]
    error = math.hypot(np.std(found) / math.sqrt(200), measured.std() / math.sqrt(60))
    assert abs(measured.mean() - np.mean(found)) < 5 * error  # a false alarm in one of two million
    assert (result.mean < result.bound).all()
    assert np.allclose(result.bound, math.sqrt(2) * result.norm / np.sqrt(result.m_grid))


@pytest.mark.parametrize("data", ["moons", "circle"])
def test_the_sentence_is_what_is_drawn(data):
    asked = CompositionalFeatures(200, skeleton="flat", deduplicate=False)
    result = FunctionGuarantees(feature_map=asked, eps=0.2, **SMALL).run(data)
    frame, found = result.to_frame(), result.numbers
    said = Sentence(result.charts["function"].words)
    place = found.place(200)
    said.says(
        "C‖f‖/√m, at m = {} by {}; measured: {}", frame["m"][place], frame["C‖f‖/√m"][place], frame["distance"][place]
    )
    said.says("it requires {} features", math.ceil(2 * found.norm**2 / 0.04))
    assert ("without labels" in result.charts["function"].words) == (data == "circle")
    assert found.largest == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("asked", [RandomMaxout(100), CompositionalFeatures(100, skeleton="flat")])
def test_features_that_are_unbounded_or_not_independent_are_refused(asked):
    with pytest.raises(ParameterError, match="bounded and independent, of which Corollary 4 speaks"):
        FunctionGuarantees(feature_map=asked, **SMALL).run("moons")


def test_the_page_draws_it_and_refuses_what_it_is_not_about():
    asked = {"view": "Function", "data": "moons", "data.n_samples": 60, "points": 8, "draws": 20}
    at = opened("guarantees", asked)
    assert not at.error and [t["name"] for t in specs(at)[0]["data"]][-1] == "Corollary 4: C‖f‖/√m"
    assert "Corollary 4" in changed(at, "guarantees", {"map": "RandomMaxout"}).error[0].value
