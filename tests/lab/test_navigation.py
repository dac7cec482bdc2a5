"""The navigation: every page of the folder once, with what the front page shows of it."""

from pathlib import Path

from rfviz.lab.navigation import NAVIGATION

PAGES = Path(__file__).parents[2] / "pages"


def test_the_navigation_holds_every_page_of_the_folder_once():
    assert sorted(entry.path for entry in NAVIGATION) == sorted(PAGES.glob("*.py"))
    assert NAVIGATION[0].slug == "home"
    assert len({entry.title for entry in NAVIGATION}) == len(NAVIGATION)
    assert all(entry.question.strip().endswith((".", "?")) for entry in NAVIGATION)


def test_every_page_has_a_picture_for_each_colour_scheme():
    """``make screenshots`` takes them."""
    missing = [(page.slug, scheme) for page in NAVIGATION if page.slug != "home"
               for scheme in ("light", "dark") if page.picture(scheme) is None]  # fmt: skip
    assert not missing
