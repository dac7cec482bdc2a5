"""The index: every page of the folder once, with what the front page shows of it, and the facts of lessons."""

from pathlib import Path

import pytest

from rfviz.lab.facts import FACTS
from rfviz.lab.index import NAVIGATION, PAGES

SCRIPTS = Path(__file__).parents[2] / "pages"


def test_the_navigation_holds_every_page_of_the_folder_once():
    assert sorted(entry.path for entry in NAVIGATION) == sorted(SCRIPTS.glob("*.py"))
    assert NAVIGATION[0].slug == "home"
    assert len({entry.title for entry in NAVIGATION}) == len(NAVIGATION)
    assert all(entry.question.strip().endswith((".", "?")) for entry in NAVIGATION)


def test_every_page_has_a_picture_for_each_colour_scheme():
    missing = [
        (page.slug, scheme)
        for page in NAVIGATION
        if page.slug != "home"
        for scheme in ("light", "dark")
        if page.picture(scheme) is None
    ]
    assert not missing, "take them: python assets/screenshots.py <slug>"


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.slug)
def test_every_page_that_computes_is_found_by_its_name(entry):
    page = entry.load()
    assert page.slug == entry.slug and page.entry is entry


def test_facts_are_known_before_their_page_is_imported():
    assert all(FACTS[name].cache_info().maxsize for name in FACTS)  # each is there, and remembers its values
    assert FACTS["hashing.log2"](8) == 3
    for name in ("hashing.no_such_fact", "hashing.math", "no_such_page.log2", "log2", ""):
        assert name not in FACTS
