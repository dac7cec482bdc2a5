"""A lecture in the menu Teach and in the address: collected, changed, shown, and refused where it is broken."""

import pytest

from rfviz.lab.lecture import pack
from tests.app_pages import page_at, prose

PAGE = "distance-saturation"
TEXT = f"{PAGE}?pool_size=16 | Where does it bend?\nhashing"


def menu_of(at):
    """Open the menu Teach."""
    at.session_state[f"{PAGE}:teach"] = True
    at.run()
    assert not at.exception and not at.error
    return at


def button(at, key):
    return next(button for button in at.button if button.key == key)


def parameter(at):
    """Return the lecture in the address."""
    return "".join(at.query_params["lecture"])


def text_of(at):
    return "\n".join(prose(at))


def test_a_view_is_added_as_the_page_stands_with_its_note():
    at = menu_of(page_at(PAGE, {"pool_size": "16"}, timeout=60))
    at.text_input(key="rfviz:lecture-note").set_value(" Where does\n it bend? ")
    button(at, "lecture-add").click()
    at.run()
    button(at, "lecture-add").click()
    at.run()
    assert at.session_state["rfviz:lecture"].splitlines() == [
        f"{PAGE}?pool_size=16 | Where does it bend?",
        f"{PAGE}?pool_size=16",
    ]
    assert parameter(at).startswith("0-") and not at.exception


def test_lines_are_changed_as_text_and_a_wrong_one_is_named():
    at = menu_of(page_at(PAGE, {"lecture": f"0-{pack(TEXT)}"}, timeout=60))
    box = at.text_area(key="rfviz:lecture-edited")
    assert box.value == TEXT
    box.set_value(f"{TEXT}\nnowhere").run()
    assert "Line 3 names no page of the laboratory: “nowhere”" in at.warning[0].value
    assert not [one for one in at.button if one.key == "lecture-start"]
    at.text_area(key="rfviz:lecture-edited").set_value("hashing").run()
    assert not [one for one in at.warning if "Line" in one.value] and button(at, "lecture-start")
    at.text_area(key="rfviz:lecture-edited").set_value(" ").run()
    assert "lecture" not in at.query_params and not at.exception


def test_the_address_of_a_lecture_shows_where_it_is():
    at = page_at(PAGE, {"lecture": f"1-{pack(TEXT)}", "pool_size": "16", "present": "true"}, timeout=60)
    at.run()
    assert "1 of 2" in text_of(at) and "Where does it bend?" in text_of(at)
    assert button(at, "lecture-back").disabled and not button(at, "lecture-next").disabled
    assert not [one for one in at.button if ":preset:" in (one.key or "")]
    button(at, "lecture-leave").click()
    at.run()
    assert "1 of 2" not in text_of(at) and parameter(at).startswith("0-")
    assert "present" not in at.query_params


def test_a_view_pins_what_its_link_pins_and_no_more():
    text = f"{PAGE}?pins=saturation%3Apool_size%3D4\n{PAGE}?pool_size=16"
    at = page_at(PAGE, {"lecture": f"1-{pack(text)}", "present": "true", "pins": "saturation:pool_size=4"}, timeout=60)
    at.run()
    assert len(at.session_state[f"{PAGE}:pins"]) == 1
    button(at, "lecture-next").click()
    at.run()
    assert "2 of 2" in text_of(at) and at.session_state[f"{PAGE}.pool_size"] == 16
    assert not at.session_state[f"{PAGE}:pins"] and not at.exception


@pytest.mark.parametrize(
    "code", ["", "1", "1-", "x-y", "1-%%%", f"1-{pack(TEXT)[:-5]}", f"1-{pack('nowhere')}", "1-" + "A" * 9000]
)
def test_a_broken_lecture_in_the_address_is_a_sentence(code):
    at = page_at(PAGE, {"lecture": code}, timeout=60)
    at.run()
    assert not at.exception and not at.error and len(at.toast) == 1
    assert "lecture" in at.toast[0].value or "Line 1" in at.toast[0].value
    assert "lecture" not in at.query_params


@pytest.mark.parametrize("at_view", ["99", "-1", "007x", "9999999", ""])
def test_a_view_that_there_is_not(at_view):
    at = page_at(PAGE, {"lecture": f"{at_view}-{pack(TEXT)}"}, timeout=60)
    at.run()
    assert not at.exception and not at.error
