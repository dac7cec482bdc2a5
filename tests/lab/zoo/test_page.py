"""The zoo's page: all maps, cards that answer the controls and clicks, links that say which map."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from rfviz.errors import ParameterError
from rfviz.experiments.zoo.compute import SIDE, ordered_maps, point_row
from rfviz.features import RandomProjection, registry
from rfviz.lab.index import NAVIGATION
from tests.app_pages import changed, opened, prose

ZOO = "zoo"
NAMES = [cls.__name__ for cls in ordered_maps()]


def gallery(at):
    """Return what is sent to the browser."""
    components = [element.proto for element in at.get("bidi_component")]
    (found,) = [json.loads(c.bytes) for c in components if c.component_name == "rfviz.zoo"]
    return found


@pytest.fixture(scope="module")
def first():
    return gallery(opened(ZOO))


def test_it_comes_first_after_home():
    assert [page.slug for page in NAVIGATION][:2] == ["home", ZOO]


def test_every_map_has_a_card(first):
    assert [card["label"] for card in first["cards"]] == [cls.label for cls in ordered_maps()]
    for card in first["cards"]:
        assert card["summary"] and card["reference"]
        assert not card["problem"] and set(card["pictures"]) == {"feature", "sampled", "exact"}
        assert len({card["pictures"][name] for name in card["pictures"]}) == 3
    colours = [card["colour"] for card in first["cards"]]
    assert len(set(colours)) == len(colours)


@pytest.mark.slow
def test_a_map_that_refuses_the_plane_has_a_card_that_says_why(monkeypatch):
    def refuse(self, X, y=None):
        raise ParameterError("X", "must have three columns", X.shape[1], "Add one.")

    monkeypatch.setattr(RandomProjection, "fit", refuse)
    refused, *others = gallery(opened(ZOO, {"seed": 57}))["cards"]
    assert refused["label"] == RandomProjection.label and "must have three columns" in refused["problem"]
    assert not any(card["problem"] for card in others)


def test_links_open_pages_that_exist_with_the_map(first):
    slugs = {page.slug for page in NAVIGATION}
    for name, card in zip(NAMES, first["cards"], strict=True):
        for link in card["links"]:
            parts = urlsplit(link["href"])
            assert parts.path.lstrip("/") in slugs
            query = parse_qs(parts.query)
            assert query.pop("data", []) == (["digits"] if registry()[name].needs_images else [])
            ((value,),) = query.values()
            assert value.rstrip(",") == name


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_pages_understand_the_links(name, first):
    # The two pages that answer at once.
    card = first["cards"][NAMES.index(name)]
    for link in card["links"][:2]:
        parts = urlsplit(link["href"])
        slug = parts.path.lstrip("/")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        at = opened(slug, query=query)
        assert not at.error and not at.toast
        key = "map" if "map" in query else "maps"
        assert at.session_state[f"{slug}.{key}"] in (name, [name])


@pytest.mark.slow
def test_controls_change_what_they_should(first):
    at = opened(ZOO, {"m": 8})
    few = gallery(at)
    for before, after in zip(first["cards"], few["cards"], strict=True):
        assert before["pictures"]["exact"] == after["pictures"]["exact"]
        assert before["pictures"]["feature"] == after["pictures"]["feature"]
        assert before["pictures"]["sampled"] != after["pictures"]["sampled"]
    moved = gallery(changed(at, ZOO, {"x": -1.5, "m": 100}))
    assert moved["row"] == point_row(-1.5, 0.6)
    for before, after in zip(first["cards"], moved["cards"], strict=True):
        assert before["pictures"]["exact"] != after["pictures"]["exact"]
        assert before["pictures"]["feature"] == after["pictures"]["feature"]
    other = gallery(changed(at, ZOO, {"x": 0.9, "feature": 7}))
    assert [c["pictures"]["exact"] for c in other["cards"]] == [c["pictures"]["exact"] for c in first["cards"]]
    for before, after in zip(first["cards"], other["cards"], strict=True):
        assert before["pictures"]["feature"] != after["pictures"]["feature"]


@pytest.mark.slow
def test_a_click_moves_the_point():
    at = opened(ZOO)
    at.session_state["zoo.gallery:row"] = 5 * SIDE + 7
    at.run()
    assert not at.exception
    assert gallery(at)["row"] == 5 * SIDE + 7
    assert at.session_state["zoo.x"] == pytest.approx(-2.3)
    at.session_state["zoo.gallery:row"] = 10**9  # nothing there
    at.run()
    assert gallery(at)["row"] == 5 * SIDE + 7


def test_folded_parts():
    at = opened(ZOO, {f"details-{number}": True for number in range(3)})
    assert len(at.dataframe[0].value) == len(registry())
    words = "\n".join(prose(at))
    assert all(f"${scheme.formula}$" in words for scheme in registry().values())
    assert "RMS error" in words
