"""Pinned charts: what they hold, what differs, and how they go back."""

import json

import pytest

from rfviz.ui.state.pins import MOST
from tests.app_pages import SATURATION, changed, opened, specs
from tests.ui.widgets.test_play import component

CHART = "saturation"
MAIN = {"hashing": "hamming", "binning": "boxes", "decision-surfaces": "surface-map", "guarantees": "guarantees",
        "kernel-approximation": "kernel-error", "pixel-cooccurrence": "maps", "maxout-pca": "embedding"}  # fmt: skip


def pin(at, slug=SATURATION, chart=CHART):
    """Press the button: what it does before the page is drawn."""
    at.session_state[f"{slug}:pin"] = chart
    at.run()
    assert not at.exception
    return at


def rows(at):
    found = component(at, "rfviz.pins")
    return json.loads(found[0].bytes)["pins"] if found else []


def test_pin_holds_the_picture_and_says_what_differs():
    at = opened(SATURATION)
    before = specs(at)[0]
    at = changed(pin(at), SATURATION, {"pool_size": 16, "data": "sphere"})
    (row,) = rows(at)
    assert row["differences"][0] == "data set: Circle (now Sphere)" or "q: 8 (now 16)" in row["differences"]
    assert "q: 8 (now 16)" in row["differences"] and "data set: Circle (now Sphere)" in row["differences"]
    sheet = json.loads(component(at, "rfviz.pin_sheet")[0].bytes)
    assert sheet["figure"]["data"] == before["data"]
    assert sheet["figure"]["layout"]["yaxis"]["range"] == before["layout"]["yaxis"]["range"]
    assert specs(at)[0]["data"] != before["data"]


def test_pin_of_the_present_settings_differs_in_nothing():
    assert rows(pin(opened(SATURATION)))[0]["differences"] == []


def test_only_the_latest_few_are_kept_and_any_can_go():
    at = opened(SATURATION)
    for q in (2, 4, 8, 16, 32):
        at = pin(changed(at, SATURATION, {"pool_size": q}))
    names = [row["name"] for row in rows(at)]
    assert len(set(names)) == MOST
    assert rows(at)[0]["differences"] == ["q: 4 (now 32)"]
    held = at.session_state[f"{SATURATION}:pins"]
    at.session_state[f"{SATURATION}:pins"] = [one for one in held if one.name != names[1]]
    at.run()
    assert [row["name"] for row in rows(at)] == [names[0], *names[2:]]


def test_pin_brings_its_settings_back():
    at = pin(opened(SATURATION, {"pool_size": 64, "compare": [2]}))
    (held,) = at.session_state[f"{SATURATION}:pins"]
    at = changed(at, SATURATION, {"pool_size": 8, "compare": [], "data": "sphere"})
    at = changed(at, SATURATION, held.values)
    assert rows(at)[0]["differences"] == []
    assert at.session_state[f"{SATURATION}.data"] == "circle"


def test_pins_send_nothing_where_there_are_none():
    at = opened(SATURATION)
    assert not component(at, "rfviz.pins") and not component(at, "rfviz.pin_sheet")


@pytest.mark.parametrize("slug", MAIN)
def test_main_charts_can_be_pinned(slug):
    at = opened(slug)
    (bar,) = component(at, "rfviz.play")
    assert f"{MAIN[slug]}-bar" in bar.id and json.loads(bar.json)["pin"]
    assert len(rows(pin(at, slug, MAIN[slug]))) == 1
