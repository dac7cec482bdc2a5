"""Pages are found by their files."""

import pytest

from rfviz.ui.page_index import find_pages

PAGE = '''"""A page."""
raise SystemExit("never run")
TITLE = "{title}"
ICON = "x"
GROUP = ""
ORDER = {order}
QUESTION = "Why?"
'''


def test_read_without_running_and_in_order(tmp_path):
    (tmp_path / "second_page.py").write_text(PAGE.format(title="B", order=2), encoding="utf-8")
    (tmp_path / "first.py").write_text(PAGE.format(title="A", order=1), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a page", encoding="utf-8")
    assert [(page.slug, page.title) for page in find_pages(tmp_path)] == [("first", "A"), ("second-page", "B")]


def test_field_that_is_missing_is_named_with_its_file(tmp_path):
    (tmp_path / "half.py").write_text('TITLE = "Half"\nORDER = 1\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"half\.py.*ICON, GROUP, QUESTION"):
        find_pages(tmp_path)


def test_empty_folder(tmp_path):
    assert find_pages(tmp_path) == ()


def test_pages_of_the_laboratory():
    pages = find_pages()
    assert pages[0].slug == "home"
    assert len({page.slug for page in pages}) == len({page.title for page in pages}) == len(pages)
    assert all(page.question.strip().endswith((".", "?")) for page in pages)


def test_every_page_has_a_picture_for_each_colour_scheme():
    """``make screenshots`` takes them."""
    missing = [(page.slug, scheme) for page in find_pages() if page.slug != "home"
               for scheme in ("light", "dark") if page.picture(scheme) is None]  # fmt: skip
    assert not missing
