"""Pinned charts: what they hold, what differs, and how they go back."""

import json

import pytest

from rfviz.ui.state import pins
from rfviz.ui.state.pins import MOST
from tests.app_pages import SATURATION, changed, opened, page_at, specs
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


def sheets(at):
    return [json.loads(sheet.bytes)["figure"] for sheet in component(at, "rfviz.pin_sheet")]


def in_address(at):
    (found,) = component(at, "rfviz.url")
    return json.loads(found.json)["values"].get("pins", "")


def toasts(at):
    return [toast.value for toast in at.toast]


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


@pytest.mark.slow
@pytest.mark.parametrize("slug", MAIN)
def test_main_charts_can_be_pinned_and_a_link_draws_them_again(slug):
    at = opened(slug)
    (bar,) = component(at, "rfviz.play")
    assert f"{MAIN[slug]}-bar" in bar.id and json.loads(bar.json)["pin"]
    at = pin(changed(at, slug, {"seed": 3}), slug, MAIN[slug])
    assert len(rows(at)) == 1
    link = in_address(at)
    assert link.startswith(f"{MAIN[slug]}:")
    visited = opened(slug, query={"pins": link})
    assert [row["differences"] for row in rows(visited)] == [["seed: 3 (now 0)"] if "seed=3" in link else []]
    assert sheets(visited) == sheets(at)
    assert in_address(visited) == link


def test_link_brings_the_settings_and_the_data_of_its_pins_back():
    link = "saturation:pool_size=64&compare=2,&data=sphere&data.n_samples=50;saturation:"
    at = opened(SATURATION, query={"pins": link, "pool_size": "4"})
    assert rows(at)[0]["differences"][0] == "data set: Sphere (now Circle)"
    assert {"q: 64 (now 4)", "compared with: 2 (now 32)"} < {*rows(at)[0]["differences"]}
    assert rows(at)[1]["differences"] == ["q: 8 (now 4)"]
    before = sheets(at)[0]
    at = changed(at, SATURATION, at.session_state[f"{SATURATION}:pins"][0].values)
    assert rows(at)[0]["differences"] == []
    assert specs(at)[0]["data"] == before["data"]
    # A second run of the page does not take them from the address again.
    at.session_state[f"{SATURATION}:pins"] = []
    assert rows(at.run()) == []


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("nonsense", "must name a chart and settings"),
        ("unheard-of:", "no chart of the name"),
        ("saturation:data=upload-7", "Known:"),
        ("saturation:pool_size=-3", "must be a stop of its slider"),
        ("saturation:pool_size=[[[[", "must be a stop of its slider"),
        (";" * 300, "must name a chart and settings"),
    ],
)
def test_link_of_what_cannot_be_pinned_says_why_and_the_page_is_there(link, reason):
    at = opened(SATURATION, query={"pins": f"{link};saturation:pool_size=16"[:2000]})
    assert any("A pinned chart of the link is left out." in said and reason in said for said in toasts(at))
    assert specs(at) and not at.error
    assert [row["differences"] for row in rows(at)] == ([["q: 16 (now 8)"]] if ";;" not in link else [])


def test_a_pin_of_the_link_that_goes_wrong_is_tried_once(monkeypatch):
    def compute(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(pins, "compute", compute)
    at = page_at(SATURATION, {"pins": "saturation:pool_size=16;saturation:"}).run()
    assert at.exception
    monkeypatch.undo()
    assert not at.run().exception and [row["differences"] for row in rows(at)] == [[]]


def test_pin_of_a_page_that_computes_in_parts_shows_what_is_known():
    short = {"maps": "RandomFourier,", "references": ",", "m_max": "20", "seeds": "1"}
    at = opened("accuracy", query={**short, "pins": "accuracy:maps=RandomFourier,&references=,&m_max=50&seeds=1"})
    assert not at.exception and len(rows(at)) == 1
