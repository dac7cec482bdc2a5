"""The page on maps of one's own: drawn curves, formulas in the address, and links to other pages."""

from urllib.parse import urlencode

import numpy as np
import pytest

from rfviz.formula import parse_formula
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset, read_preset
from tests.app_pages import array, changed, opened, prose, specs

SLUG = "build-a-map"
# Formulas with commas and signs, as an address and a control hold them.
FORMULAS = ["max(-0.5, min(2, x))", "points(-3, 3, 1, -0.25, 1)", "2", "relu(x) - relu(-x)*0.1", "x^2 - 1"]


def drawn(at, name="built-from"):
    """Return the curve of the chart of what is written, and that of the kernel, by their places and values."""
    titles = {"built-from": "feature f(⟨w, x⟩)", "built-kernel": "kernel k"}
    spec = next(s for s in specs(at) if s["layout"]["yaxis"]["title"]["text"] == titles[name])
    return next((array(t["x"]), array(t["y"])) for t in spec["data"] if t["mode"] == "lines" and not t.get("fill"))


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_comes_from_the_address(formula):
    at = opened(SLUG, query={"function": formula})
    assert at.session_state[f"{SLUG}.function"] == formula
    x, y = drawn(at)
    np.testing.assert_allclose(y, parse_formula(formula)(x), atol=1e-9)
    assert not at.error and not at.toast


@pytest.mark.slow
def test_weights_of_other_lengths_change_the_kernel_here_and_on_other_pages():
    at = opened(SLUG, query={"function": "sin(4*x)"})
    plain = drawn(at, "built-kernel")[1]
    changed(at, SLUG, {"weights": "four lengths"})
    mixed = drawn(at, "built-kernel")[1]
    assert np.abs(mixed - plain).max() > 0.05 and not at.error
    links = " ".join(str(element.proto) for element in at.get("page_link"))
    assert "weights=four" in links.replace("%20", " ").replace("+", " ")
    on_data = opened("accuracy", {"maps": ["RandomActivation"], "function": "sin(4*x)", "weights": "four lengths"})
    assert not on_data.error and on_data.session_state["accuracy.weights"] == "four lengths"
    changed(at, SLUG, {"what": "pool"})
    assert not any(box.label == "Weights w" for box in at.selectbox) and not at.error


def test_a_curve_that_is_drawn_becomes_the_formula():
    at = opened(SLUG)
    before = drawn(at, "built-kernel")[1]
    curve = [(x, float(np.abs(x) - 1)) for x in np.linspace(-3, 3, 33)]
    at.session_state[f"{SLUG}:curve:function"] = curve
    at.session_state[f"{SLUG}:curve:function:new"] = True
    at.run()
    assert not at.exception
    assert at.session_state[f"{SLUG}.function"].startswith("points(-3, 3, 2, ")
    x, y = drawn(at)
    within = np.abs(x) <= 3
    np.testing.assert_allclose(y[within], np.abs(x[within]) - 1, atol=1e-3)
    assert not np.allclose(drawn(at, "built-kernel")[1], before)


@pytest.mark.parametrize(("what", "lowest"), [("density", 0.0), ("kernel", -0.5)])
def test_a_density_is_not_drawn_below_zero_and_ends_in_nothing(what, lowest):
    at = opened(SLUG, {"what": what})
    at.session_state[f"{SLUG}:curve:{what}"] = [(x, 1.0 if x < 1 else -0.5) for x in np.linspace(0, 5, 33)]
    at.session_state[f"{SLUG}:curve:{what}:new"] = True
    at.run()
    assert not at.exception and not at.error
    formula = parse_formula(at.session_state[f"{SLUG}.{what}"], 0.0)
    values = formula(np.linspace(0, 4.9, 200))
    assert values.min() == pytest.approx(lowest) and formula(np.array([12.0]))[0] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"function": "foo(x)"}, "foo, which is unknown"),
        ({"function": "log(x)"}, "no finite value"),
        ({"what": "density", "density": "cos(x)"}, "Write max(0, …) around it."),
        ({"what": "kernel", "kernel": "x"}, "must be positive at x = 0"),
    ],
)
def test_what_is_no_formula_is_refused_in_a_sentence_and_can_be_mended(state, words):
    at = opened(SLUG, state)
    assert words in at.error[0].value and len(at.error) == 1
    name = next(name for name in state if name != "what")
    assert at.text_input[0].value == state[name]
    assert not changed(at, SLUG, {name: "exp(-x^2)"}).error


def test_the_verdict_is_in_the_sentence():
    for formula, words in (("max(0, 1 - x)", "It is a kernel"), ("max(0, 1 - x^2)", "It is no kernel")):
        at = opened(SLUG, {"what": "kernel", "kernel": formula})
        assert any(words in element for element in prose(at))


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["distance-saturation", "decision-surfaces"])
def test_a_map_that_was_built_can_be_used_on_other_pages(slug):
    at = opened(slug, query={"map": "RandomActivation", "function": "max(0, x)^2", "n_components": "100"})
    assert not at.error and at.text_input[0].value == "max(0, x)^2"
    at = opened(slug, query={"map": "RandomFourier", "spectrum": "own", "density": "exp(-x)", "gamma": "1"})
    assert not at.error and at.text_input[0].value == "exp(-x)"


def test_a_map_that_was_built_races_against_others():
    small = {"data": "moons", "m_max": "20", "seeds": "1", "references": ","}
    own = {"function": "max(0, x)^2", "spectrum": "own", "density": "exp(-x)", "rule": "range"}
    names = "RandomActivation,RandomFourier,RandomPool"
    values = read_preset("http://localhost/accuracy?" + urlencode(small | own | {"maps": names}))[1]
    preset = Preset(values)
    page = find_page("accuracy")
    source = page.source(preset)
    specs = page.settings(preset, source).specs
    assert preset.unasked() == []
    assert [spec.get("function") or spec.get("density") or spec.get("rule") for spec in specs] == [
        "exp(-x)",
        "max(0, x)^2",
        "range",
    ]


@pytest.mark.parametrize(
    ("what", "wrong"),
    [("function", "x**2 + unknown"), ("kernel", "sin(x"), ("density", "cos(x)")],
)
def test_a_typing_error_keeps_the_last_picture_below_one_sentence(what, wrong):
    at = opened(SLUG, {"what": what, what: "exp(-x^2)", "m": 100})
    before = [drawn_in(spec) for spec in specs(at)]
    changed(at, SLUG, {what: wrong})
    (error,) = at.error
    assert [drawn_in(spec) for spec in specs(at)] == before and len(before) >= 3
    assert at.text_input[0].value == wrong, "to be mended where it stands"
    assert any("still that of `exp(-x^2)`" in caption.value for caption in at.caption)
    # As it was typed: neither bold nor code. A backslash is Markdown's way to say so.
    assert "**" not in error.value and "plateau" not in error.value
    if wrong != "cos(x)":
        assert wrong in error.value.replace("\\", "")
        assert "Write it as in max(0, x)" in error.value.replace("\\", "")
    # The other controls still move the picture.
    moved = [drawn_in(spec) for spec in specs(changed(at, SLUG, {"m": 1000}))]
    assert moved != before and len(at.error) == 1
    changed(at, SLUG, {what: "max(0, 1 - x)"})
    assert not at.error and not any("still that of" in caption.value for caption in at.caption)


def drawn_in(spec):
    """Return all numbers of a chart."""
    return [array(trace["y"]).tolist() for trace in spec["data"]]


def test_a_link_to_what_is_no_formula_shows_the_default_below_the_sentence():
    at = opened(SLUG, query={"function": "sin(x"})
    assert len(at.error) == 1 and len(specs(at)) >= 3
    assert any("still that of" in caption.value for caption in at.caption)


def test_on_other_pages_too_a_typing_error_keeps_the_picture():
    state = {"map": "RandomActivation", "function": "sin(x)", "n_components": 100}
    at = opened("distance-saturation", state)
    before = drawn_in(specs(at)[0])
    changed(at, "distance-saturation", {"function": "sin(x"})
    assert len(at.error) == 1 and drawn_in(specs(at)[0]) == before
    assert any("last settings that could be drawn" in caption.value for caption in at.caption)
    # Of other data the last picture would be wrong.
    changed(at, "distance-saturation", {"data.n_samples": 50})
    assert len(at.error) == 1 and not specs(at)
