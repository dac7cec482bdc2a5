"""The page on pixel co-occurrence: what it draws is what the analysis computes, its table of layers can be edited."""

from dataclasses import replace

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.experiments import PixelCooccurrence
from rfviz.experiments.pixel_cooccurrence.compute import exact_map, pixel_map, sample_features
from rfviz.experiments.pixel_cooccurrence.experiment import drawn_sample
from rfviz.lab.pixel_cooccurrence.page import PAGE
from rfviz.skeleton import PRESETS, convolutions, preset
from tests.app_pages import array, changed, opened, prose, specs

SLUG = "pixel-cooccurrence"
SMALL = {"side": 12, "features": 10_000}
UNFOLDED = {f"details-{number}": True for number in range(5)}


def maps(at):
    return [array(t["z"]).ravel() for t in specs(at)[0]["data"] if t["type"] == "heatmap"]


def buttons(at, label):
    return [b for b in at.button if b.label == label]


def cell(at, place, field):
    found = [w for w in [*at.number_input, *at.selectbox] if w.key.startswith(f"{SLUG}:row:{place}:{field}:")]
    return found[0]


def layers(at):
    return at.session_state[f"{SLUG}.layers"] if at.session_state[f"{SLUG}.skeleton"] == "own" else None


@pytest.mark.parametrize("name", PRESETS)
def test_draws_the_counted_and_the_exact_map(name):
    at = opened(SLUG, SMALL | {"skeleton": name, "row": 5, "column": 8, "seed": 2})
    skeleton, pixel = preset(name, (12, 12, 1), shrink=True), 4 * 12 + 7
    expected = pixel_map(sample_features(skeleton, 10_000, 2), pixel, 10_000)
    counted, exact = maps(at)
    np.testing.assert_allclose(counted, expected.correlation, atol=1e-6)
    np.testing.assert_allclose(exact, expected.exact.correlation, atol=1e-6)
    chart = specs(at)[0]
    # Half of the blue colours, or less, are left out where no correlation has them.
    axis, lowest = (
        chart["layout"]["coloraxis"],
        min(array(t["z"]).min() for t in chart["data"] if t["type"] == "heatmap"),
    )
    assert axis["cmin"] == (-axis["cmax"] if lowest < -0.25 * axis["cmax"] else -0.25 * axis["cmax"]) and lowest < 0
    clicked = [t["customdata"] for t in chart["data"] if t["type"] == "heatmap"]
    assert clicked[0][4][7] == clicked[1][4][7] == pixel
    marks = [t for t in chart["data"] if t["type"] == "scatter"]
    assert marks[0]["x"][0] == 7 and marks[0]["y"][0] == 4
    rms = next(t for t in specs(at)[2]["data"] if t["name"].startswith("counted"))
    np.testing.assert_allclose(array(rms["y"]), expected.rms)


def test_a_layer_is_added_changed_moved_and_removed():
    at = opened(SLUG, SMALL | {"skeleton": "1 convolution"})
    before = maps(at)[1]
    buttons(at, "Add a layer")[0].click().run()
    assert layers(at) == ["5/2/relu", "3/2/relu", "relu"]
    after = maps(at)[1]
    assert not np.array_equal(before, after)
    cell(at, 1, "size").set_value(2).run()
    cell(at, 1, "kind").set_value("exponential").run()
    cell(at, 1, "number").set_value(0.5).run()
    assert layers(at) == ["5/2/relu", "2/2/exponential/0.5", "relu"]
    own = convolutions((12, 12, 1), [(5, 2, "relu"), (2, 2, {"kind": "exponential", "scale": 0.5})], "relu")
    np.testing.assert_allclose(maps(at)[1], exact_map(own, 5 * 12 + 5).correlation, atol=1e-6)
    buttons(at, "Move layer 1 farther from the image")[0].click().run()
    assert layers(at) == ["2/2/exponential/0.5", "5/2/relu", "relu"]
    buttons(at, "Move layer 2 nearer to the image")[0].click().run()
    buttons(at, "Remove layer 1")[0].click().run()
    assert layers(at) == ["2/2/exponential/0.5", "relu"]
    assert not at.exception and not at.error


def test_another_preset_replaces_the_rows():
    at = opened(SLUG, SMALL | {"skeleton": "2 convolutions"})
    assert (cell(at, 0, "size").value, cell(at, 1, "size").value) == (5, 4)
    changed(at, SLUG, {"skeleton": "deep"})
    assert cell(at, 0, "kind").value == "exponential" and cell(at, 0, "number").value == 0.25
    changed(at, SLUG, {"skeleton": "flat"})
    assert cell(at, 0, "kind").value == "exponential" and not buttons(at, "Remove layer 1")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["5/2/relu", "9/1/relu", "relu"], "Layer 2: a 9×9 window does not fit into the 4×4 nodes below."),
        (["2/5/relu", "relu"], "Layer 1: a stride of 5 skips pixels because the window is only 2 wide."),
        (["3/2/relu", "step"], "Top layer: step is possible in layer 1 only"),
        (["3/1/polynomial/50", "3/1/polynomial/50", "polynomial/50"], "Top layer: skeleton must have at most"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(rows, words):
    at = opened(SLUG, SMALL | {"skeleton": "own", "layers": rows})
    assert len(at.error) == 1 and words in at.error[0].value and not specs(at)
    assert specs(changed(at, SLUG, {"layers": ["3/2/relu", "relu"]})) and not at.error


def test_setting_of_figure_4():
    at = opened(SLUG, SMALL)
    next(b for b in at.button if b.label == "Figure 4 of the paper").click().run()
    assert not at.exception and not at.error
    assert at.session_state[f"{SLUG}.features"] == 500_000 and at.session_state[f"{SLUG}.colour"]
    counted, exact = specs(at)
    assert sum(t["type"] == "heatmap" for t in counted["data"]) == 16
    first = next(t for t in exact["data"] if t["type"] == "heatmap")
    flat = array(first["z"]).ravel()[:200]  # a ReLU node: as often for all pairs, a little more than by chance
    np.testing.assert_allclose(flat, 0.0088, atol=5e-5)
    assert "| shares a window of layer 2 only |" in "\n".join(prose(at))
    changed(at, SLUG, {"activation": "exponential/1", "windows": "3/1, 6/2 3/1", "side": 12, "features": 10_000})
    counted, exact = specs(at)
    assert sum(t["type"] == "heatmap" for t in counted["data"]) == 12
    first = next(t for t in exact["data"] if t["type"] == "heatmap")
    np.testing.assert_allclose(array(first["z"]).ravel()[:60], 0.0, atol=1e-9)  # nothing but chance
    changed(at, SLUG, {"windows": "3/1, 5/9"})
    assert len(at.error) == 1 and "no stride beyond its window" in at.error[0].value
    changed(at, SLUG, {"windows": "3/1"})
    assert not at.error
    changed(at, SLUG, {"view": "Pixel"})
    assert len(specs(at)) == 3


def test_folded_parts_show_a_feature_sizes_repeats_and_numbers():
    at = opened(SLUG, SMALL | UNFOLDED | {"colour": True})
    assert not at.error and len(specs(at)) == 6
    assert any(r"\cos(" in latex.value for latex in at.latex)
    table = at.dataframe[1].value
    assert len(table) == 144
    np.testing.assert_allclose(table["correlation"], maps(at)[0], atol=1e-6)
    assert "dense: 1,728" in "\n".join(prose(at))
    other = changed(at, SLUG, {"which": 2})
    assert not other.error


def test_a_long_drawing_can_be_stopped():
    settings, cache = PixelCooccurrence(skeleton="flat", side=12, n_features=1_000_000, pixel=3), Cache()
    assert PAGE.cheaper_settings(None, settings, cache) == {"features": 100_000}
    drawn_sample(settings.skeletons["flat"], 0, 130_000, cache)
    assert PAGE.cheaper_settings(None, settings, cache) == {"features": 131_072}
    assert not PAGE.cheaper_settings(None, replace(settings, n_features=500_000), cache), "which is quick"
    assert not PAGE.cheaper_settings(None, replace(settings, skeleton=("50/1/relu", "relu")), cache)


def test_skeleton_goes_out_and_comes_in_as_json():
    at = opened(SLUG, SMALL | UNFOLDED)
    form = convolutions((10, 10, 3), [(4, 3, {"kind": "exponential", "scale": 2.0})], "erf").to_json()
    at.text_area[0].set_value(form).run()
    next(b for b in at.button if b.label == "Use this skeleton").click().run()
    assert layers(at) == ["4/3/exponential/2", "erf"] and at.session_state[f"{SLUG}.side"] == 10
    assert at.code[0].value == form
    for bad, words in (
        ("{", "must be JSON"),
        ('{"image": [40, 40]}', "6 to 32"),
        ('{"image": [9, 9], "top": "x"}', "kind"),
    ):
        at.text_area[0].set_value(bad).run()
        next(b for b in at.button if b.label == "Use this skeleton").click().run()
        assert len(at.error) == 1 and words in at.error[0].value
        assert layers(at) == ["4/3/exponential/2", "erf"]


def test_address_sets_the_skeleton():
    at = opened(SLUG, query={"skeleton": "own", "layers": "4/2/relu,exponential/0.5", "side": "10", "features": "1000"})
    assert layers(at) == ["4/2/relu", "exponential/0.5"] and not at.toast and specs(at)


def test_impossible_address_is_corrected_with_a_notice():
    at = opened(SLUG, query={"skeleton": "<b>", "layers": "5/x/relu,", "side": "999", "row": "-4", "features": "1e12"})
    assert not at.error and len(at.toast) == 5 and specs(at)
    assert at.session_state[f"{SLUG}.side"] == 32 and at.session_state[f"{SLUG}.row"] == 1


def test_too_large_a_request_is_refused_before_it_starts(monkeypatch):
    at = opened(SLUG, SMALL)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    changed(at, SLUG, {"features": 1_000_000, "seed": 17})
    assert len(at.error) == 1 and "Choose fewer features" in at.error[0].value
    monkeypatch.delenv("RFVIZ_MEMORY_GB")
    assert specs(changed(at, SLUG, SMALL))


def test_a_pixel_that_no_window_sees_says_so():
    at = opened(SLUG, SMALL | {"skeleton": "1 convolution", "row": 12, "column": 12})
    assert not at.error
    assert any("No window reaches this pixel" in m for m in prose(at))
    # 5×5 windows in steps of 2 end at the eleventh of twelve rows and columns.
    seen = changed(at, SLUG, {"row": 5, "column": 5})
    assert any("The 23 grey pixels are in no feature" in m for m in prose(seen))
    whole = changed(at, SLUG, {"skeleton": "flat"})
    assert not any("grey pixels" in m for m in prose(whole))
