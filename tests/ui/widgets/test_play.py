"""Animations: what is sent once can be unpacked to every frame, and every frame is the page's own picture."""

import base64
import copy
import gc
import gzip
import io
import json
import threading
import time

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image
from scipy.spatial.distance import pdist
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect

from rfviz.figures.traces import quick_figure
from rfviz.lab.animation import Animation, AnimationSpec, encode
from rfviz.ui.web.animation_route import animation_route
from tests.app_pages import array, changed, opened
from tests.asgi import fetch

# Page → control of its first animation, chart, and settings that make the page quick.
PAGES = {
    "distance-saturation": ("n_components", "saturation", {}),
    "maxout-pca": ("n_components", "embedding", {}),
    "pixel-cooccurrence": ("features", "maps", {"features": 20_000}),
    "decision-surfaces": ("n_components", "surface-map", {"data.n_samples": 100}),
    "kernel-approximation": ("m", "kernel-error", {"m_max": 200, "draws": 2}),
    "binning": ("p", "shared", {}),
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


def lines(name, query=b""):
    """Return what the server says when a browser asks for an animation: shares that are computed, and the frames."""
    app = Starlette(routes=[animation_route()])
    status, headers, body = fetch(app, f"/rfviz/animation/{name}", query=query)
    assert status == 200 and headers["cache-control"] == "no-store"
    return [json.loads(line) for line in gzip.decompress(body).splitlines()]


def offers(at):
    """Return what the bar of a page can play."""
    return json.loads(component(at, "rfviz.play")[0].json)["animations"]


def played(at, number, query=b""):
    """Press Play and return an animation, by its number."""
    *shares, animation = lines(offers(at)[number]["id"], query)
    assert all(list(line) == ["share"] for line in shares)
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
    animation = played(at, 0)
    frames = unpacked(animation)
    assert len(frames) == len(animation["captions"]) == len(animation["values"]) >= 8
    assert animation["values"] == sorted(animation["values"])
    for place in (1, len(frames) // 2):
        at = changed(at, slug, {control: animation["values"][place]})
        page = drawn(at, chart)
        assert_same_picture(frames[place][chart], page, chart == "embedding")


@pytest.mark.parametrize(("number", "control"), [(1, "pool_size"), (2, "seed")])
def test_pools_and_seeds_are_the_pictures_of_the_page(number, control):
    at = opened("distance-saturation", {"n_components": 100, "compare": []})
    animation = played(at, number)
    value = animation["values"][3]
    page = drawn(changed(at, "distance-saturation", {control: value}), "saturation")
    frame = unpacked(animation)[3]["saturation"]
    if control == "seed":
        assert animation["extra"] == 1, "the page itself has no mean over seeds"
        assert "seeds: mean" in frame["data"].pop()["name"]
        assert len(animation["values"]) >= 6
    assert_same_picture(frame, page, False)


def test_rounds_of_the_search_for_interactions_are_played_one_after_the_other():
    at = opened("quick-inspection", {"data": "xor", "data.n_samples": 400})
    at.button(key="quick-inspection.show-interactions").click().run()
    (offer,) = offers(at)
    assert (offer["symbol"], offer["slider"]) == ("round", "")  # no control follows it
    animation = played(at, 0)
    page = drawn(at, "inspection-importances")["data"]
    assert animation["values"] == [int(trace["name"]) for trace in page] == list(range(1, len(page) + 1))
    for frame, trace in zip(unpacked(animation), page, strict=True):
        (bars,) = frame["inspection-importances"]["data"]
        assert bars["name"] == trace["name"]
        np.testing.assert_array_equal(array(bars["y"]), array(trace["y"]))


def test_nothing_is_computed_or_sent_before_play_is_pressed(monkeypatch):
    def never(*_):
        raise AssertionError("computed without being asked")

    monkeypatch.setattr("rfviz.lab.distance_saturation.animation.saturation_over_m", never)
    monkeypatch.setattr("rfviz.lab.distance_saturation.animation.one_by_one", never)
    at = changed(opened("distance-saturation"), "distance-saturation", {"pool_size": 16})
    assert len(component(at, "rfviz.play")[0].json) < 600


def test_who_touches_a_slider_gets_the_frames_of_its_stops_that_come_at_once():
    at = opened("distance-saturation", {"n_components": 100})
    offer = offers(at)[0]
    assert (offer["symbol"], offer["slider"]) == ("m", "distance-saturation.n_components")
    animation = played(at, 0, query=b"slider")
    labels = json.loads(next(c.json for c in component(at, "rfviz.live_slider") if "Features" in c.json))["labels"]
    assert [labels[stop] for stop in animation["stops"]] == [f"{value:,}" for value in animation["values"]]


def test_frames_are_those_of_the_present_settings():
    at = opened("distance-saturation")
    (before, *_) = offers(at)
    at = changed(at, "distance-saturation", {"n_components": 10})
    assert offers(at)[0]["id"] == before["id"], "frames over m do not hang on m"
    at = changed(at, "distance-saturation", {"pool_size": 3})
    assert offers(at)[0]["id"] != before["id"]


def test_frames_go_with_their_session():
    at = opened("distance-saturation")
    name = offers(at)[0]["id"]
    lines(name, b"slider")
    del at
    gc.collect()
    assert fetch(Starlette(routes=[animation_route()]), f"/rfviz/animation/{name}")[0] == 404


def test_an_animation_that_cannot_be_made_says_so_in_one_sentence():
    at = opened("maxout-pca", {"data": "circle", "data.n_samples": 3000, "n_components": 20})
    assert "2,000 points" in lines(offers(at)[0]["id"])[-1]["error"]


def test_pages_do_not_share_frames(monkeypatch):
    def spec_of(page):
        def render(cache, seconds):
            return Animation([1], [page], [{"chart": go.Figure()}])

        return AnimationSpec("m", "n_components", 1, (1,), ("the same",), render)

    for page in ("distance_saturation", "maxout_pca"):
        monkeypatch.setattr(f"rfviz.lab.{page}.page.animate", lambda *_, page=page: spec_of(page))
    assert played(opened("distance-saturation"), 0)["captions"] == ["distance_saturation"]
    assert played(opened("maxout-pca"), 0)["captions"] == ["maxout_pca"]


def test_a_browser_that_hangs_up_ends_the_computation(monkeypatch):
    ended = threading.Event()

    def render(cache, seconds):
        try:
            while True:
                cache.progress(0.5, "")
                time.sleep(0.01)
        finally:
            ended.set()

    endless = AnimationSpec("m", "n_components", 1, (1,), ("endless",), render)
    monkeypatch.setattr("rfviz.lab.distance_saturation.page.animate", lambda *_: endless)
    monkeypatch.setattr("rfviz.ui.scheduler.background._PATIENCE_S", 600.0)  # after which it would end in any case
    at = opened("distance-saturation")
    sent = []

    def gone(message):
        sent.append(message)
        if len(sent) == 4:
            raise OSError("the connection is closed")

    with pytest.raises(ClientDisconnect):
        fetch(Starlette(routes=[animation_route()]), f"/rfviz/animation/{offers(at)[0]['id']}", hear=gone)
    assert ended.wait(60)


def test_animations_hold_what_changes_once():
    image = "data:," + "x" * 5000

    def figure(k):
        data = [{"type": "scatter", "x": np.arange(50.0), "y": np.arange(50.0) * k, "name": f"k = {k}"}]
        return quick_figure(
            data, {"images": [{"source": image, "x": k}], "xaxis": {"range": [0, k + 1]}, "height": 100}
        )

    frames = [{"chart": figure(k)} for k in (1, 2, 3)]
    animation = json.loads(encode(Animation([1, 2, 3], ["a", "b", "c"], frames), [1, 2, 3, 4]))
    assert json.dumps(animation).count(image) == 1
    assert animation["views"] == {"chart": {"xaxis": [0, 4]}}, "one view that holds all frames"
    assert animation["stops"] == [0, 1, 2] and not animation["complete"]
    for k, frame in zip((1, 2, 3), unpacked(animation), strict=True):
        assert frame["chart"]["data"][0]["name"] == f"k = {k}"
        np.testing.assert_array_equal(array(frame["chart"]["data"][0]["y"]), np.arange(50.0) * k)
        assert frame["chart"]["layout"]["xaxis"]["range"] == [0, k + 1]
        assert frame["chart"]["layout"]["images"][0]["x"] == k


def test_frames_with_other_traces_are_exchanged_whole():
    one, two = go.Figure(data=[{"y": [1]}]), go.Figure(data=[{"y": [1]}, {"y": [2]}])
    animation = json.loads(encode(Animation([1, 2, 3], [""] * 3, [{"c": one}, {"c": two}, {"c": one}]), [1, 2, 3]))
    assert [len(frame["c"]["data"]) for frame in unpacked(animation)] == [1, 2, 1]
