"""A preset is asked for, and before the browser shows it something else is changed there."""

from types import SimpleNamespace

import pytest

from rfviz.params import Param
from rfviz.recipes.controls import of_param
from rfviz.ui import state as module
from rfviz.ui.awaited import Awaited
from rfviz.ui.state import PageState

BEFORE = {"data": "digits", "odd": False, "scheme": "maxout"}
PRESET = {"data": "sphere", "odd": True, "scheme": "fourier"}


def awaited(names=tuple(BEFORE), drawn=True):
    """A preset of these controls was asked for, beside which there is a switch."""
    found = Awaited()
    found.add({n: BEFORE[n] for n in names}, {n: PRESET[n] for n in names}, {"relative": True})
    if drawn:
        found.ends({n: PRESET[n] for n in names} | {"relative": True})
    return found


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("names", [["data"], ["data", "odd"], ["data", "odd", "scheme"]])
def test_a_message_from_before_takes_nothing_back(names, drawn):
    found = awaited(names, drawn)
    stale = {name: BEFORE[name] for name in names} | {"relative": False}
    assert found.overtaken(stale) == {name: PRESET[name] for name in names}
    found.ends({name: PRESET[name] for name in names} | {"relative": False})
    # One more click of that kind, and then the browser has caught up.
    assert found.overtaken(stale | {"relative": True}) == {name: PRESET[name] for name in names}
    found.ends({name: PRESET[name] for name in names} | {"relative": True})
    assert found.overtaken({name: PRESET[name] for name in names} | {"relative": True}) == {}
    assert found.overtaken(stale) == {}


def test_the_readers_own_change_among_them_stands():
    found = awaited()
    assert found.overtaken(BEFORE | {"scheme": "binning", "relative": True}) == {"data": "sphere", "odd": True}
    found.ends({"data": "sphere", "odd": True, "scheme": "binning", "relative": True})
    assert found.overtaken(BEFORE | {"scheme": "binning", "relative": True}) == {"data": "sphere", "odd": True}


def test_a_control_whose_ends_are_new_is_set_again_too():
    found = awaited()
    assert found.overtaken(BEFORE | {"odd": None, "relative": False}) == PRESET
    assert found.overtaken(PRESET | {"odd": None, "relative": False}) == {"odd": True}


@pytest.mark.parametrize("names", [["odd"], list(BEFORE)])
def test_what_a_reader_sets_back_stays_set_back(names):
    found = awaited(names)
    assert found.overtaken({name: PRESET[name] for name in names} | {"odd": False, "relative": True}) == {}
    assert found.overtaken({name: BEFORE[name] for name in names} | {"relative": False}) == {}  # nothing is awaited now


def test_what_the_page_makes_legal_is_what_is_awaited():
    found = awaited()
    found.ends(PRESET | {"scheme": "maxout", "relative": True})
    assert found.overtaken(BEFORE | {"relative": False}) == {"data": "sphere", "odd": True}
    found.ends({"odd": True, "relative": False})  # the page has no such controls any more
    assert set(found.wanted) == {"odd"}


def test_two_presets_in_a_row():
    found = awaited(["data"])
    found.add({"data": "sphere", "odd": False}, {"data": "moons", "odd": True}, {"relative": True})
    assert found.overtaken({"data": "digits", "odd": False, "relative": True}) == {"data": "moons", "odd": True}


def test_a_page_asks_for_it_at_the_first_control_of_a_run(monkeypatch):
    session = {}
    streamlit = SimpleNamespace(session_state=session, query_params={}, toast=None)
    monkeypatch.setattr(module, "st", streamlit)
    monkeypatch.setattr(module, "_sync", lambda **_: None)
    switches = {name: of_param(Param(name, False, "bool")) for name in ("one", "two", "other")}

    def run(state):
        for name, control in switches.items():
            state.claim(name, control.default, control.clean)
            state.controls[name] = control
        state.finish()
        return state.values()

    state = PageState("page")
    run(state)
    state.apply({"one": True, "two": True})
    assert run(PageState("page")) == {"one": True, "two": True, "other": False}
    session.update({"page.one": False, "page.two": False, "page.other": True})
    assert run(PageState("page")) == {"one": True, "two": True, "other": True}
    run(PageState("page"))
    session.update({"page.one": False})
    assert run(PageState("page")) == {"one": False, "two": True, "other": True}
    session.update({"page.two": False})
    assert run(PageState("page")) == {"one": False, "two": False, "other": True}
