"""Animations: what is sent once can be unpacked to every frame, and every frame is the page's own picture."""

import base64
import copy
import io
import json

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image
from scipy.spatial.distance import pdist

from rfviz.figures.quick import QuickFigure
from rfviz.lab.animation import Animation, one_by_one
from rfviz.lab.cache import Cache
from rfviz.ui.widgets.play import encode, play_key
from tests.app_pages import array, changed, opened

# Page → control of its first animation, chart, and settings that make the page quick.
PAGES = {
    "distance-saturation": ("n_components", "saturation", {}),
    "maxout-pca": ("n_components", "embedding", {}),
    "pixel-cooccurrence": ("features", "maps", {"features": 20_000}),
    "decision-surfaces": ("n_components", "surface-map", {"data.n_samples": 100}),
    "kernel-approximation": ("m", "kernel-error", {"m_max": 200, "draws": 2}),
}


def unpacked(animation):
    """Return the frames of an animation, as the browser makes them."""
    frames = []
    for changes in animation["changes"]:
        figures = copy.deepcopy(animation["first"])
        for path, value in changes:
            place = figures
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = value
        frames.append(figures)
    return frames


def component(at, name):
    return [element.proto for element in at.get("bidi_component") if element.proto.component_name == name]


def played(at, slug, number):
    """Press Play and return an animation, by its number."""
    bar = json.loads(component(at, "rfviz.play")[0].json)
    at.session_state[play_key(slug)] = bar["animations"][number]["id"]
    at.run()
    assert not at.exception
    animation = json.loads(component(at, "rfviz.animation")[0].bytes)
    assert "error" not in animation, animation
    return animation


def drawn(at, chart):
    """Return the figure of a chart as the page sends it."""
    for proto in component(at, "rfviz.live_chart"):
        if f"-{chart}" in proto.id or chart in proto.id:
            return json.loads(proto.bytes)["figure"]
    raise AssertionError(chart)


def pixels(image):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(image["source"].partition(",")[2]))).convert("RGBA"), int)


def assert_same_picture(frame, page, is_embedding):
    """Assert the same numbers in all traces, the same pictures behind them, and the same words in them."""
    assert [t["type"] for t in frame["data"]] == [t["type"] for t in page["data"]]
    for one, other in zip(frame["data"], page["data"], strict=True):
        assert one.get("name") == other.get("name")
        if is_embedding:
            continue
        for name in ("x", "y", "z"):
            if name in other:
                np.testing.assert_allclose(array(one[name]), array(other[name]), rtol=1e-4, atol=1e-5)
    if is_embedding:  # turned, which changes no distance
        a, b = (np.column_stack([array(f["data"][0][name]) for name in "xy"]) for f in (frame, page))
        np.testing.assert_allclose(pdist(a), pdist(b), atol=1e-4 * np.ptp(b))
        return
    for one, other in zip(frame["layout"].get("images", []), page["layout"].get("images", []), strict=True):
        apart = np.abs(pixels(one) - pixels(other)).max(axis=2) > 40
        assert apart.mean() < 0.002  # pairs on the edge of a cell


@pytest.mark.parametrize("slug", PAGES)
def test_frames_are_the_pictures_of_the_page(slug):
    control, chart, state = PAGES[slug]
    at = opened(slug, state)
    animation = played(at, slug, 0)
    frames = unpacked(animation)
    assert len(frames) == len(animation["captions"]) == len(animation["values"]) >= 8
    assert animation["values"] == sorted(animation["values"])
    for place in (1, len(frames) // 2):
        at = changed(at, slug, {control: animation["values"][place]})
        page = drawn(at, chart)
        assert_same_picture(frames[place][chart], page, chart == "embedding")
    assert not component(at, "rfviz.animation"), "frames are sent once, and not again with every move of a slider"


@pytest.mark.parametrize(("number", "control"), [(1, "pool_size"), (2, "seed")])
def test_pools_and_seeds_are_the_pictures_of_the_page(number, control):
    at = opened("distance-saturation", {"n_components": 100, "compare": []})
    animation = played(at, "distance-saturation", number)
    value = animation["values"][3]
    page = drawn(changed(at, "distance-saturation", {control: value}), "saturation")
    frame = unpacked(animation)[3]["saturation"]
    if control == "seed":
        assert "seeds: mean" in frame["data"].pop()["name"]
        assert len(animation["values"]) >= 6
    assert_same_picture(frame, page, False)


def test_nothing_is_computed_or_sent_before_play_is_pressed(monkeypatch):
    def never(*_):
        raise AssertionError("computed without being asked")

    monkeypatch.setattr("rfviz.lab.distance_saturation.animation.saturation_over_m", never)
    monkeypatch.setattr("rfviz.lab.distance_saturation.animation.one_by_one", never)
    at = changed(opened("distance-saturation"), "distance-saturation", {"pool_size": 16})
    assert not component(at, "rfviz.animation")
    assert len(component(at, "rfviz.play")[0].json) < 500


def test_what_was_asked_for_other_settings_is_forgotten():
    at = opened("distance-saturation")
    at.session_state[play_key("distance-saturation")] = "of settings long gone"
    at.run()
    assert not component(at, "rfviz.animation")
    assert at.session_state[play_key("distance-saturation")] is None


def test_an_animation_that_cannot_be_made_says_so_in_one_sentence():
    at = opened("maxout-pca", {"data": "circle", "data.n_samples": 3000, "n_components": 20})
    bar = json.loads(component(at, "rfviz.play")[0].json)
    at.session_state[play_key("maxout-pca")] = bar["animations"][0]["id"]
    at.run()
    assert "2,000 points" in json.loads(component(at, "rfviz.animation")[0].bytes)["error"]
    assert not at.exception


def test_animations_hold_what_changes_once():
    image = "data:," + "x" * 5000

    def figure(k):
        data = [{"type": "scatter", "x": np.arange(50.0), "y": np.arange(50.0) * k, "name": f"k = {k}"}]
        return QuickFigure(data, {"images": [{"source": image, "x": k}], "xaxis": {"range": [0, k + 1]}, "height": 100})

    frames = [{"chart": figure(k)} for k in (1, 2, 3)]
    animation = json.loads(encode("name", Animation([1, 2, 3], ["a", "b", "c"], frames)))
    assert json.dumps(animation).count(image) == 1
    for k, frame in zip((1, 2, 3), unpacked(animation), strict=True):
        assert frame["chart"]["data"][0]["name"] == f"k = {k}"
        np.testing.assert_array_equal(array(frame["chart"]["data"][0]["y"]), np.arange(50.0) * k)
        assert frame["chart"]["layout"]["xaxis"]["range"] == [0, 4], "one view for all frames"
        assert frame["chart"]["layout"]["images"][0]["x"] == k


def test_frames_with_other_traces_are_exchanged_whole():
    one, two = go.Figure(data=[{"y": [1]}]), go.Figure(data=[{"y": [1]}, {"y": [2]}])
    animation = json.loads(encode("name", Animation([1, 2, 3], [""] * 3, [{"c": one}, {"c": two}, {"c": one}])))
    assert [len(frame["c"]["data"]) for frame in unpacked(animation)] == [1, 2, 1]


def test_slow_pictures_are_fewer(monkeypatch):
    clock = iter(np.arange(0.0, 100.0, 1.0))
    monkeypatch.setattr("rfviz.lab.animation.time.monotonic", lambda: next(clock))
    seen = []
    values, results = one_by_one(list(range(24)), 5, lambda value: seen.append(value) or value, Cache())
    assert results == values
    assert len(values) <= 9 and {0, 5, 23} <= set(values)
    assert len(seen) == len(values), "the present one is not computed twice"
