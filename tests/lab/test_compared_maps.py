"""A map that is registered is on every page that compares maps, with its own parameters, and no page knows its name."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rfviz.experiments.accuracy import Accuracy
from rfviz.features import (
    HybridCompositional,
    MapSpec,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomPool,
    RandomProjection,
    SharedPoolMaxout,
    registry,
)
from rfviz.features.base import _registry
from rfviz.features.blocks import project
from rfviz.features.gaussian import GaussianMap
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset
from rfviz.params import parameter
from tests.app_pages import opened
from tests.lab.sentences import page_at

SPHERE = {"data": "sphere", "data.n_samples": 50}
ONE_MAP = {
    "distance-saturation": {"n_components": 100, **SPHERE},
    "decision-surfaces": {"data": "moons", "data.n_samples": 60, "n_components": 20},
    "maxout-pca": {"n_components": 100, **SPHERE},
    "guarantees": {"points": 8, "draws": 20, **SPHERE},
}
SEVERAL_MAPS = {
    "accuracy": {"data": "digits", "m_max": 20, "seeds": 1, "references": [], "test": 40},
    "kernel-approximation": {"data": "digits", "points": 16, "m_max": 100, "draws": 2},
}


@pytest.fixture
def waves():
    """Register a map whose parameters a page, a map for images and Fourier features have by the same names."""

    class CosineWaves(GaussianMap):
        label = "Cosine waves"
        summary = "Cosines of random projections."
        formula = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\cos(t\langle w^\ell,x\rangle)"
        cost = "O(n·m·d)"
        depth: int = parameter(default=2, kind="int", low=1, high=9, symbol="t", label="Depth", compared=(1, 2, 4))
        threshold: bool = parameter(default=False, kind="bool", label="Threshold")
        alpha: float = parameter(default=0.5, kind="float", low=0.1, high=1.0, log=True, label="Slope")
        gamma: int = parameter(default=3, kind="int", low=1, high=5, label="Gamma", compared=(3, 5))

        def _map_block(self, xp, X, weights, scale, out, scratch):
            project(X, weights["weights_"], out)
            xp.cos(self.depth * out, out=out)
            out *= scale

        def _kernel(self, X, Y):
            squares = [cdist(X, sign * (X if Y is None else Y), "sqeuclidean") for sign in (1, -1)]
            return sum(np.exp(-0.5 * self.depth**2 * distances) for distances in squares) / 2

    yield CosineWaves
    _registry.pop("CosineWaves")


@pytest.fixture
def steps():
    """Register a second map with a parameter of the same name."""

    class CosineSteps(RandomProjection):
        label = "Cosine steps"
        depth: str = parameter(default="low", kind="choice", choices=("low", "high"), label="Depth")

    yield CosineSteps
    _registry.pop("CosineSteps")


def asked(slug, values):
    """Return the settings that a page makes of values, and the controls by name."""
    page, panel = find_page(slug), Preset(values)
    source = page.source(panel)
    settings = page.settings(panel, source)
    assert panel.unasked() == []
    return settings, panel.controls


def versions(settings, cls):
    specs = settings.specs if isinstance(settings, Accuracy) else [one.spec for one in settings.candidates]
    return [spec for spec in specs if spec.cls is cls]


@pytest.mark.parametrize("slug", [*ONE_MAP, *SEVERAL_MAPS])
def test_a_map_is_offered_while_it_is_registered(slug, waves):
    name = "map" if slug in ONE_MAP else "maps"
    assert "CosineWaves" in asked(slug, {})[1][name].options
    _registry.pop("CosineWaves")
    assert "CosineWaves" not in asked(slug, {})[1][name].options
    _registry["CosineWaves"] = waves


@pytest.mark.parametrize("slug", ONE_MAP)
def test_pages_of_one_map_ask_for_its_parameters(slug, waves):
    values = {"map": "CosineWaves", "depth": 4, "threshold": True, "gamma": 5, **ONE_MAP[slug]}
    compared = {"compare": [1, 2]} if slug == "distance-saturation" else {}
    result = page_at(slug, values | compared)
    assert result.charts
    if compared:
        assert list(result.settings.labels) == ["t = 4", "t = 1", "t = 2"]


@pytest.mark.parametrize("slug", SEVERAL_MAPS)
def test_pages_of_several_maps_draw_a_curve_for_each_value(slug, waves):
    values = {"maps": ["CosineWaves", "RandomFourier"], "depth": 4, "further.depth": [1, 2], "gamma": 1.0}
    values |= {"CosineWaves.gamma": 5, "CosineWaves.alpha" if slug == "accuracy" else "alpha": 0.8}
    values["CosineWaves.threshold"] = True
    settings, controls = asked(slug, values | SEVERAL_MAPS[slug])
    specs = versions(settings, waves)
    assert [spec.get("depth") for spec in specs] == [4, 1, 2]
    assert {(spec.get("gamma"), spec.get("alpha"), spec.get("threshold")) for spec in specs} == {(5, 0.8, True)}
    assert [spec.get("gamma") for spec in versions(settings, RandomFourier)] == [1.0]
    assert controls["CosineWaves.gamma"].label == "Cosine waves: Gamma"
    names = [trace.name for trace in page_at(slug, values | SEVERAL_MAPS[slug]).charts[0].figure.data if trace.name]
    for value in (1, 2, 4):
        assert any(name.startswith("Cosine waves, ") and name.endswith(f"= {value}") for name in names), names


@pytest.mark.parametrize("slug", SEVERAL_MAPS)
def test_maps_that_name_a_parameter_alike_are_drawn_together(slug, waves, steps):
    maps = ["RandomConvolution", "RandomFourier", "CosineWaves", "CosineSteps"]
    at = opened(slug, {"maps": maps, **SEVERAL_MAPS[slug]})
    assert not at.exception
    for name in ("threshold", "CosineWaves.threshold", "gamma", "CosineWaves.gamma", "depth", "CosineSteps.depth"):
        assert f"{slug}.{name}" in at.session_state


@pytest.mark.parametrize("slug", SEVERAL_MAPS)
def test_every_map_of_the_package_has_all_its_parameters(slug):
    for cls in registry().values():
        settings, controls = asked(slug, {"maps": [cls.__name__], "data": "digits"})
        (spec,) = versions(settings, cls)
        asked_for = {name.removeprefix(f"{cls.__name__}.") for name in controls} | {"n_components", "dtype"}
        asked_for |= {"skeleton", "pool_size"} if slug == "accuracy" else set()  # under the names of old addresses
        hidden = {param.name for param in cls.params if not param.applies(spec.params)}
        assert {param.name for param in cls.params} <= asked_for | hidden


def test_old_addresses_of_accuracy_give_the_same_curves():
    maps = ["RandomBinning", "RandomFourier", "HybridCompositional", "RandomMaxout", "RandomPool", "SharedPoolMaxout"]
    values = {"data": "moons", "maps": maps, "gamma": 0.5, "spectrum": "matern", "nu": 2.5, "pools": [1, 8]}
    values |= {"n_projections": 40, "rule": "range", "references": ["rbf_svm"]}
    settings, _ = asked("accuracy", values)
    assert settings.gamma == 0.5
    # What the page did not ask for once has its defaults, whatever is said of a parameter of that name.
    assert list(settings.specs) == [
        MapSpec(RandomBinning),
        MapSpec(RandomFourier, gamma=0.5, spectrum="matern", nu=2.5),
        MapSpec(HybridCompositional),
        MapSpec(RandomMaxout, pool_size=1),
        MapSpec(RandomMaxout, pool_size=8),
        MapSpec(RandomPool, pool_size=8, rule="range"),
        MapSpec(SharedPoolMaxout, pool_size=1, n_projections=40),
        MapSpec(SharedPoolMaxout, pool_size=8, n_projections=40),
    ]


def test_old_addresses_of_kernel_approximation_give_the_same_curves():
    maps = ["RandomBinning", "RandomFourier", "HybridCompositional", "RandomMaxout"]
    values = {"data": "moons", "maps": maps, "gamma": 0.5, "draw": ["iid", "orthogonal"], "pool_size": 2, "pools": [8]}
    settings, _ = asked("kernel-approximation", values | {"paired": False, "skeleton": "deep"})
    # One control for all maps that have the parameter.
    assert [one.spec for one in settings.candidates] == [
        MapSpec(RandomBinning, gamma=0.5),
        MapSpec(RandomFourier, gamma=0.5, draw="iid", paired=False),
        MapSpec(RandomFourier, gamma=0.5, draw="orthogonal", paired=False),
        MapSpec(HybridCompositional, skeleton="deep", paired=False),
        MapSpec(RandomMaxout, pool_size=2),
        MapSpec(RandomMaxout, pool_size=8),
    ]


def test_a_size_that_only_other_maps_can_have_is_legal_in_an_address():
    settings, controls = asked("accuracy", {"maps": ["RandomPool"], "pools": [1, 2]})
    assert controls["pools"].options == RandomMaxout.compared().compared
    assert [spec.get("pool_size") for spec in versions(settings, RandomPool)] == [2]
