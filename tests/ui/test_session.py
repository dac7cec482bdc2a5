"""What a session holds: by name, apart for each page, and gone when it is taken."""

from types import SimpleNamespace

import pytest

from rfviz.ui import session
from rfviz.ui.session import SessionValue, remove_all, set_widget_value, widget_value


@pytest.fixture(autouse=True)
def held(monkeypatch):
    """Put an empty session in place of Streamlit's, and let tests declare names of their own."""
    held = {}
    monkeypatch.setattr(session, "st", SimpleNamespace(session_state=held))
    monkeypatch.setattr(session, "_names", set())
    return held


def test_a_value_begins_as_it_is_made_and_stays(held):
    value = SessionValue("steps", list[int])
    assert value.get() == []
    value.get().append(3)
    assert value.get() == [3], "a second call would make another list"
    value.set([4])
    assert value.pop() == [4] and not held
    assert value.pop() == [] and not held


def test_pages_have_values_of_their_own(held):
    value = SessionValue("pins", tuple[str, ...])
    value.of("hashing").set(("a",))
    value.of("zoo").set(("b", "c"))
    set_widget_value("zoo:pinned", True)
    assert value.get() == () and value.of("hashing").get() == ("a",)
    assert sorted(one.get() for one in value.of_all() if one.key != value.key) == [("a",), ("b", "c")]
    for one in value.of_all():
        one.pop()
    assert list(held) == ["zoo:pinned"]


def test_two_values_of_one_name_are_a_mistake():
    first = SessionValue("room", str)
    with pytest.raises(ValueError, match="“room” is the name of another value"):
        SessionValue("room", int)
    assert first.of("page").key != first.key


def test_widgets_are_read_by_their_keys(held):
    set_widget_value("zoo.pool_size:1", 8)
    set_widget_value("zoology.pool_size:1", 9)
    assert widget_value("zoo.pool_size:1") == 8 and widget_value("gone") is None and widget_value("gone", 3) == 3
    remove_all("zoo.")
    assert list(held) == ["zoology.pool_size:1"]
