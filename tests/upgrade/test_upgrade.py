"""Links, presets, lectures, lessons and fitted maps that earlier versions wrote still open, or say why not."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.errors import ParameterError
from rfviz.features.portable import from_json, to_json
from rfviz.lab.facts import FACTS
from rfviz.lab.index import NAVIGATION, find_page
from rfviz.lab.lecture import line_of, parse_lecture, unpack
from rfviz.lab.preset import Preset, read_preset
from rfviz.lessons import find_lessons
from tests.app_pages import OFFLINE, opened

HELD = Path(__file__).parent
SLUGS = {page.slug for page in NAVIGATION}
WITHOUT_SETTINGS = {"home", "lessons", "your-machine"}
# Those of which the folder has no address: no version that wrote some had them.
NEW_PAGES = {"errata"}
LINES = [line.split(" ", 2) for line in (HELD / "addresses.txt").read_text(encoding="utf-8").splitlines()]
ADDRESSES = {f"{day} {address}": address for day, _, address in LINES}
# What cannot be had any more, by name and value, and what is said instead.
REFUSED = {
    "alpha=hold-out": "alpha must be a stop of its slider, from 0.001 to 1e+06 or 'auto'; got 'hold-out'. "
    "The nearest is auto."
}
MAPS = {
    f"{path.stem} {name}": case
    for path in sorted(HELD.glob("maps-*.json"))
    for name, case in json.loads(path.read_text(encoding="utf-8")).items()
}


def ask(slug, values):
    """Let a page ask for all of its settings, and return what had no effect."""
    page, preset = find_page(slug), Preset(values)
    page.settings(preset, page.source(preset))
    return preset.unasked()


def ask_for_data(values):
    """Check a data set that would have to be downloaded, by its settings alone."""
    spec = datasets.specs()[values["data"]]
    asked = Preset({name: value for name, value in values.items() if name.startswith("data.")})
    for param in spec.params:
        asked.control(param, name=f"data.{param.name}")
    return asked.unasked()


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES.keys())
def test_an_address_opens_with_all_of_its_settings(address):
    slug, values = read_preset(f"http://localhost:8501/{address}")
    refused = [said for setting, said in REFUSED.items() if setting in address.partition("?")[2].split("&")]
    if values.get("data", OFFLINE[0]) not in OFFLINE:
        assert find_page(slug) and ask_for_data(values) == []
    elif refused:
        with pytest.raises(ParameterError) as told:
            ask(slug, values)
        assert [str(told.value)] == refused
    else:
        assert ask(slug, values) == []


def test_the_addresses_are_of_all_pages_and_of_all_names_that_changed():
    pages = {address.partition("?")[0] for address in ADDRESSES.values()}
    missing = SLUGS - WITHOUT_SETTINGS - NEW_PAGES - pages
    assert not missing, f"a page that no release has belongs in NEW_PAGES: {missing}"
    text = "\n".join(ADDRESSES.values())
    assert all(part in text for part in ("?scheme=", "&schemes=", "&beside=", *REFUSED))


@pytest.mark.slow
def test_in_the_browser_an_old_link_opens_and_a_value_that_is_gone_is_said():
    at = opened("hashing", query={"data": "turning_head", "n_components": "48", "scheme": "RandomProjection"})
    assert at.session_state["hashing.map"] == "RandomProjection" and not at.toast
    at = opened("accuracy", query={"alpha": "hold-out", "schemes": "RandomMaxout,", "m_max": "20", "seeds": "1"})
    assert [toast.value for toast in at.toast] == ["alpha=hold-out in the address is not possible here; showing auto."]
    assert at.session_state["accuracy.maps"] == ["RandomMaxout"]


def test_a_preset_of_the_menu_share_is_read():
    slug, values = read_preset((HELD / "preset.json").read_text(encoding="utf-8"))
    assert (slug, values["scheme"]) == ("distance-saturation", "RandomMaxout")
    assert ask(slug, values) == []


def test_a_lecture_opens_from_its_file_and_from_its_link():
    text = (HELD / "lecture.txt").read_text(encoding="utf-8")
    at, _, packed = (HELD / "lecture-link.txt").read_text(encoding="utf-8").strip().partition("-")
    views = parse_lecture(text, SLUGS)
    assert at == "1" and parse_lecture(unpack(packed), SLUGS) == views
    assert len(views) == 14 and views[3].note == "Figure 1 of the paper"
    assert [line_of(view) for view in views] == text.splitlines()


def test_lessons_of_a_teacher_are_read_or_name_the_line_that_has_to_change():
    lessons, mistakes = find_lessons(HELD / "lessons", FACTS, SLUGS)
    # Facts have had their page before their name since 2026-11-28.
    assert lessons == () and mistakes == (
        "hashing.md, line 40: “100 * collision(2, 60)” calls collision, which is unknown. Write hashing.collision.",
        "saturation.md, line 38: “slope(8)” calls slope, which is unknown. Write distance_saturation.slope.",
    )


@pytest.mark.parametrize("case", MAPS.values(), ids=MAPS.keys())
def test_a_fitted_map_gives_the_features_of_its_day(case):
    feature_map = from_json(json.dumps(case["map"]))
    X = (np.arange(192) * 37 % 101).reshape(12, 16) / 101.0  # what it was fitted on
    if "columns" in case["map"]:
        X = pd.DataFrame(X, columns=case["map"]["columns"])
    features = feature_map.transform(X)
    features = features.toarray() if hasattr(features, "toarray") else np.asarray(features)
    assert np.abs(features).max() > 0
    np.testing.assert_allclose(features[:2], case["features"], rtol=0, atol=2e-6)
    assert json.loads(to_json(feature_map))["learnt"] == case["map"]["learnt"]
