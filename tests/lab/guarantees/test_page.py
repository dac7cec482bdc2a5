"""The page on guarantees: what it draws is what the analysis computes, and it answers what cannot be done."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.cache import Cache
from rfviz.experiments.guarantees.compute import compare, measure_errors
from rfviz.experiments.guarantees.describe import count
from rfviz.features import MapSpec, RandomFourier, registry
from rfviz.lab.guarantees.page import PAGE
from rfviz.lab.page import compute as computed
from rfviz.lab.preset import Preset
from tests.app_pages import OFFLINE, array, changed, opened, prose, specs

SLUG = "guarantees"
# All but the first part, which learns with thousands of features.
UNFOLDED = {f"details-{number}": True for number in range(1, 6)}
SMALL = {"points": 8, "draws": 20}


def named(spec, name):
    (found,) = [t for t in spec["data"] if t.get("name") == name]
    return found


def words(at):
    return "\n".join(prose(at))


def test_draws_what_is_measured_and_what_is_guaranteed():
    at = opened(SLUG, {**SMALL, "eps": 0.2, "delta": 0.1} | UNFOLDED)
    sample = prepare_sample(datasets.load("digits"), "unit norm", 8)
    measured = measure_errors(sample, MapSpec(RandomFourier, gamma=1.0), error_grid(2000), 20)
    found = measured.feature_map.applicable_bounds(28, 64, measured.diameter, measured.largest_variance)
    expected = compare(measured, found, 0.2, 0.1)
    (spec,) = specs(at)
    drawn = [c for c in expected.curves if len(c.m)]
    for curve in drawn:
        shown = named(spec, f"{curve.about}: {curve.name}")
        np.testing.assert_allclose(array(shown["x"]), curve.m)
        np.testing.assert_allclose(array(shown["y"]), curve.error, rtol=1e-6)
    rings = [t for t in spec["data"] if t["name"].endswith("at ε")]
    assert [float(array(t["x"])[0]) for t in rings] == [c.features for c in drawn]
    for curve in expected.curves:
        assert count(curve.features) in words(at)
    np.testing.assert_allclose(at.dataframe[0].value["features"], expected.to_frame()["features"])


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
def test_every_data_set_without_download_works(name):
    at = opened(SLUG, {**SMALL, "data": name})
    assert not at.error and not at.warning
    assert specs(at)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", list(registry()))
def test_every_scheme_is_measured_or_says_why_not(scheme):
    at = opened(SLUG, {**SMALL, "map": scheme} | UNFOLDED)
    if at.error:
        assert "closed form" in at.error[0].value
        return
    assert len(specs(at)) == 1
    assert "requires" in words(at) or "No guarantee here" in words(at)


@pytest.mark.slow
def test_compositional_features_are_bounded_as_they_are_drawn_and_not_with_equal_ones_kept_once():
    asked = {**SMALL, "map": "CompositionalFeatures", "data": "moons", "data.n_samples": 60}
    at = opened(SLUG, asked)
    # Theorem 3 with C = √2: 8 log(2/δ)/ε².
    assert "Theorem 3 requires **2,952** features" in words(at) and "No guarantee here" not in words(at)
    assert "2,952" not in words(changed(at, SLUG, {"deduplicate": True})) and "No guarantee here" in words(at)


@pytest.mark.parametrize("how", ["none", "standardise"])
def test_normalisations(how):
    at = opened(SLUG, {**SMALL, "normalise": how, "gamma": 0.01})
    assert not at.error and specs(at)


def test_a_larger_dimension_asks_for_more_of_a_region_only():
    at = opened(SLUG, SMALL)
    before = specs(at)[0]
    after = specs(changed(at, SLUG, {"dimension": 10_000}))[0]
    for name, same in (("all pairs: Hoeffding + union", True), ("everywhere: Rahimi–Recht", False)):
        first = [array(next(t for t in s["data"] if t["name"] == name)["y"])[0] for s in (before, after)]
        assert bool(first[0] == first[1]) is same
    assert before["layout"]["uirevision"] == after["layout"]["uirevision"]


def test_fewer_features_than_were_looked_at_are_said_to_be_so():
    at = opened(SLUG, {**SMALL, "eps": 1.0, "delta": 0.5})
    assert "at most 10 suffice, so the bound is at least" in words(at)


def test_only_what_is_asked_for_is_shown():
    at = opened(SLUG, {**SMALL, "about": ["one pair"]})
    common = {"normal approximation", "extrapolated"}  # entries of the legend
    names = [t["name"] for t in specs(at)[0]["data"] if t["name"] not in common]
    assert all(name.startswith("one pair") or "at ε" in name for name in names)
    at = changed(at, SLUG, {"about": []})
    assert not at.error and len(specs(at)) == 1
    assert any("choose at least one" in info.value for info in at.info)


@pytest.mark.parametrize("theorem", ["kitchen sinks", "compositional", "maxout"])
def test_the_script_has_the_bound_of_the_page(theorem, monkeypatch):
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    preset = Preset({"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": theorem})
    source = PAGE.source(preset)
    found = computed(PAGE, source, PAGE.settings(preset, source), Cache())
    names = {}
    exec(PAGE.script(source, found.settings), names)
    pd.testing.assert_frame_equal(names["frames"]["risk"], found.charts[0].frame, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("theorem", ["kitchen sinks", "compositional", "maxout"])
def test_learning_draws_both_terms(theorem):
    at = opened(SLUG, {"view": "Learning", "theorem": theorem} | UNFOLDED)
    assert not at.error
    spec = specs(at)[0]
    lines = [t for t in spec["data"] if t["mode"] == "lines"]
    total, rows, features = (array(t["y"]) for t in lines)
    np.testing.assert_allclose(total, rows + features)
    assert "half of the risk" in words(at)
    # A class a hundred times as large has terms that are larger, and what is measured does not change.
    at = changed(at, SLUG, {"size": 1.0})
    small = array(specs(at)[0]["data"][0]["y"])
    at = changed(at, SLUG, {"size": 100.0})
    assert (array(specs(at)[0]["data"][0]["y"]) > small).all()
    assert specs(at)[0]["data"][3]["y"] == spec["data"][3]["y"]


def test_the_compositional_theorem_is_asked_about_a_skeleton():
    state = {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": "compositional", "size": 1.0}
    bound = array(specs(opened(SLUG, state))[0]["data"][0]["y"])
    at = opened(SLUG, {**state, "features": "CompositionalFeatures", "turn": 0.25})
    assert not at.error and not at.exception
    n, m = 45, array(specs(at)[0]["data"][0]["x"])
    expected = np.sqrt(2.0) * (np.sqrt(8.0 / n) + 1.0 / np.sqrt(m))
    np.testing.assert_allclose(array(specs(at)[0]["data"][0]["y"]), expected, rtol=1e-4)
    # Waves have C = 1 and two features each: the same second term.
    np.testing.assert_allclose(bound, np.sqrt(8.0 / n) + np.sqrt(2.0 / m), rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("features", [n for n in ("DecisionStumps", "SigmoidalRidge") if n in registry()])
def test_kitchen_sinks_of_other_features(features):
    at = opened(SLUG, {"view": "Learning", "features": features})
    fourier = specs(opened(SLUG, {"view": "Learning"}))[0]
    assert not at.error and specs(at)[0]["data"][3]["y"] != fourier["data"][3]["y"]


@pytest.mark.parametrize("loss", ["hinge", "logistic", "quadratic", "ramp"])
def test_every_loss(loss):
    at = opened(SLUG, {"view": "Learning", "loss": loss})
    assert not at.error and specs(at)


def test_learning_from_points_without_labels_is_refused():
    at = opened(SLUG, {"view": "Learning", "data": "circle"})
    assert len(at.error) == 1 and "labels" in at.error[0].value


@pytest.mark.slow
def test_presets_work():
    at = opened(SLUG)
    for button in [b.label for b in at.button]:
        next(b for b in at.button if b.label == button).click().run()
        assert not at.exception and not at.error
        assert specs(at)
    assert at.session_state[f"{SLUG}.view"] == "Learning"


def test_too_large_a_request_is_refused_before_it_starts(monkeypatch):
    at = opened(SLUG, SMALL)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    at = changed(at, SLUG, {"draws": 1000, "points": 256})
    assert len(at.error) == 1 and "fewer points or draws" in at.error[0].value


@pytest.mark.parametrize("view", ["Kernel", "Learning"])
def test_bound_theory_and_measurement_stand_beside_each_other(view):
    state = {**SMALL, "view": view, "data": "moons", "data.n_samples": 120, "details-0": True}
    at = opened(SLUG, state if view == "Kernel" else {**state, "theorem": "compositional"})
    assert not at.error
    (table,) = [markdown for markdown in prose(at) if "| bound : theory : measured |" in markdown]
    assert "Squared error at most" in table and "15 rows" in table
    assert ("off by at most ε" in table) == (view == "Kernel") and ("(Theorem 5)" in table) == (view == "Learning")


@pytest.mark.parametrize("theorem", ["compositional", "maxout"])
def test_the_complexity_of_the_class_and_what_a_dimension_requires(theorem):
    state = {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": theorem, **UNFOLDED}
    at = opened(SLUG, state)
    assert not at.error and not at.exception
    measured = next(t for t in specs(at)[1]["data"] if t["name"].startswith("measured"))
    mean, dash = array(measured["y"]), array(named(specs(at)[1], "bound of the proof")["y"])
    assert (mean < 1.05 * dash).all() and "Rademacher complexity" in words(at)
    assert ("Theorem 2 requires" in words(at)) == (theorem == "maxout")
    tables = [frame.value for frame in at.dataframe if "d_M" in frame.value]
    own = [frame.value for frame in at.dataframe if "mean excess risk" in frame.value]
    assert len(own) == (theorem == "compositional") and ("With the theorem’s penalty" in words(at)) == len(own)
    assert all((table["mean excess risk"] < table["Theorem 5"]).all() for table in own)
    assert len(tables) == (theorem == "maxout") and all("at most, of 60 points" in set(t["dimension"]) for t in tables)


def test_without_labels_the_kernel_alone_stands_there():
    at = opened(SLUG, {**SMALL, "data": "circle", "details-0": True})
    assert not at.error
    (table,) = [markdown for markdown in prose(at) if "| bound : theory : measured |" in markdown]
    assert "off by at most ε" in table and "Squared error" not in table
    assert "nothing can be predicted here. A learning curve needs labels" in table


def test_without_a_guarantee_none_is_announced():
    at = opened(SLUG, {"map": "RandomActivation", "draws": 20, "n_components": 100})
    said = " ".join(caption.value for caption in at.caption)
    assert "No guarantee is drawn" in said and "Dashed" not in said
