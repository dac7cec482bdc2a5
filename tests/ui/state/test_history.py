"""Undo and redo: one step for one thing that a person did."""

import pytest

from rfviz.ui.state.history import DEPTH, History
from tests.app_pages import SATURATION, changed, opened


def recorded(*values):
    """Return a history of these values of q, each a while after the one before."""
    history = History()
    for number, value in enumerate(values):
        history.record({"q": value}, 10.0 * number, 10.0 * number)
    return history


def test_steps_go_back_and_forth():
    history = recorded(1, 2, 3)
    assert (history.back, history.forward) == (2, 0)
    assert history.step(-1) == {"q": 2}
    assert history.step(-1) == {"q": 1}
    assert history.step(-1) is None
    assert history.step(1) == {"q": 2}
    assert (history.back, history.forward) == (1, 1)


def test_a_drag_is_one_step():
    history = recorded(1)
    for number, value in enumerate((2, 3, 4, 5)):
        history.record({"q": value}, 5.0 + 0.3 * number, 5.2 + 0.3 * number)
    assert history.step(-1) == {"q": 1}
    assert history.step(1) == {"q": 5}


def test_a_drag_on_a_slow_page_is_one_step_too():
    history = recorded(1)
    for number, value in enumerate((2, 3, 4)):
        history.record({"q": value}, 10.0 + 5.0 * number, 14.9 + 5.0 * number)
    history.record({"q": 5}, 30.0, 30.1)
    assert history.step(-1) == {"q": 4}
    assert history.step(-1) == {"q": 1}


def test_no_step_leads_to_what_was_dropped():
    history = recorded(1, 7, 8, 1, 9, 7)
    history.remove(lambda values: values["q"] in (7, 8))
    assert history.entries == [{"q": 1}, {"q": 9}] and (history.back, history.forward) == (1, 0)
    history.record({"q": 1}, 100.0, 100.0)  # the page as it is drawn without it
    assert [history.step(-1), history.step(-1), history.step(-1)] == [{"q": 9}, {"q": 1}, None]
    history.remove(lambda values: True)
    assert (history.back, history.forward) == (0, 0)
    history.record({"q": 3}, 200.0, 200.0)
    assert history.entries == [{"q": 3}]


def test_two_controls_at_once_are_two_steps():
    history = History()
    history.record({"q": 1, "m": 1}, 0.0, 0.0)
    history.record({"q": 2, "m": 1}, 5.0, 5.0)
    history.record({"q": 2, "m": 2}, 5.1, 5.1)
    assert history.step(-1) == {"q": 2, "m": 1}
    assert history.step(-1) == {"q": 1, "m": 1}


def test_a_change_after_undo_forgets_what_was_undone():
    history = recorded(1, 2, 3)
    history.step(-1)
    history.record({"q": 2}, 100.0, 100.0)  # the page as it is drawn after the step
    history.record({"q": 9}, 110.0, 110.0)
    assert history.forward == 0
    assert history.step(-1) == {"q": 2}


def test_a_value_that_the_page_makes_legal_after_a_step_is_no_step():
    history = recorded(1, 2, 3)
    history.step(-1)
    history.record({"q": 1.5}, 100.0, 100.0)
    assert (history.back, history.forward) == (1, 1)


def test_controls_that_come_and_go_are_no_change_of_theirs():
    history = History()
    history.record({"map": "a", "q": 1}, 0.0, 0.0)
    history.record({"map": "b", "gamma": 2}, 10.0, 10.0)
    assert history.back == 1
    assert history.step(-1)["q"] == 1


def test_only_so_many_steps_are_kept():
    history = recorded(*range(DEPTH + 30))
    assert history.back == DEPTH
    while history.back:
        oldest = history.step(-1)
    assert oldest == {"q": 29}


def test_lists_are_held_as_they_were():
    values = [1, 2]
    history = recorded(values)
    values.append(3)
    history.record({"q": values}, 20.0, 20.0)
    assert history.step(-1) == {"q": [1, 2]}


@pytest.fixture
def page():
    return opened(SATURATION)


def undo(at, by=-1):
    """Do what the button does before the page is drawn."""
    values = at.session_state[f"{SATURATION}:history"].step(by)
    return changed(at, SATURATION, values)


def test_page_returns_to_what_it_held(page):
    at = changed(page, SATURATION, {"pool_size": 32})
    at.button(key=f"{SATURATION}:preset:Figure 1 of the paper").click().run()
    assert at.session_state[f"{SATURATION}.pool_size"] == 8
    at = undo(at)
    assert at.session_state[f"{SATURATION}.pool_size"] == 32, "a preset can be undone"
    at = undo(undo(at), 1)
    assert at.session_state[f"{SATURATION}.pool_size"] == 32
    history = at.session_state[f"{SATURATION}:history"]
    assert (history.back, history.forward) == (1, 1)


def test_data_sets_can_be_undone(page):
    at = changed(page, SATURATION, {"data": "sphere", "data.n_samples": 50})
    at = undo(at)
    assert at.session_state[f"{SATURATION}.data"] == "circle"
    assert at.session_state[f"{SATURATION}.data.n_samples"] == 100
    assert not at.error
