"""What stands in the address: read with care, written back exactly."""

import sys
from types import SimpleNamespace

import plotly.graph_objects as go
import pytest

from rfviz.lab.address import format_value, parse_value
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset, read_preset
from rfviz.params import Param
from rfviz.ui import session as door
from rfviz.ui.plain import plain
from rfviz.ui.state import PageState
from rfviz.ui.state import page_state as module
from tests.app_pages import opened

POOL = Param("pool_size", 8, "int", low=1, high=1024)
GAMMA = Param("gamma", 1.0, "float", low=0.0, open_low=True, high=1e12)


@pytest.fixture
def fake(monkeypatch):
    """Put a session and an address in place of Streamlit's; `written` collects what is to go to the address."""
    written, toasts = [], []
    session, query = {}, {}
    monkeypatch.setattr(door, "st", SimpleNamespace(session_state=session))
    streamlit = SimpleNamespace(query_params=query, toast=lambda text, **_: toasts.append(text))
    monkeypatch.setattr(module, "st", streamlit)
    sync = SimpleNamespace(mount=lambda key, data, height: written.append(data))
    monkeypatch.setattr(module, "_sync", sync)
    return SimpleNamespace(session=session, query=query, written=written, toasts=toasts)


def claimed(fake, clean=POOL.clamp, default=8):
    page = PageState("page")
    value = page.register("pool_size", default, clean)
    page.finish()
    assert fake.session["page.pool_size"] == page.value("pool_size") == value
    return value


@pytest.mark.parametrize(
    "value",
    [0, 8, -3, 20_000, 0.05, 1e-9, 2.5e8, True, False, "unit norm", "folder:my data", [], [32], [1, 2.5], ["a", "b"]],
)
def test_a_value_survives_the_address(value):
    assert parse_value(format_value(value)) == value


@pytest.mark.parametrize(
    "text", ["None", "__import__('os')", "{}", "[1]", "null", '"a"', "", "0x10", "a b&c=d#e", "1_000"]
)
def test_what_is_no_number_stays_text(text):
    assert parse_value(text) == text


def test_default_is_used_and_not_written(fake):
    assert claimed(fake) == 8
    assert fake.written[-1]["values"] == {}
    assert not fake.toasts


def test_address_is_read_once(fake):
    fake.query["pool_size"] = "16"
    assert claimed(fake) == 16
    assert fake.written[-1]["path"] == "page"
    assert fake.written[-1]["values"] == {"pool_size": "16"}
    fake.query["pool_size"] = "32"  # the browser's address lags behind the controls
    assert claimed(fake) == 16
    assert not fake.toasts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("99999", 1024),
        ("-7", 1),
        ("abc", 8),
        ("", 8),
        ("nan", 8),
        ("NaN", 8),
        ("Infinity", 8),
        ("1e999", 8),
        ("1,2", 8),
        ("true", 8),
        ("9" * 5000, None),
        ("16.0", 16),
        ("<script>alert(1)</script>", 8),
        ("\x00", 8),
        ("16\n", 16),
    ],
)
def test_hostile_values_are_clamped_with_a_notice(fake, text, value):
    fake.query["pool_size"] = text
    got = claimed(fake)
    assert got in (8, 1024) if value is None else got == value
    assert type(got) is int
    assert len(fake.toasts) == 1
    assert "pool_size" in fake.toasts[0]
    assert len(fake.toasts[0]) < 150, "a notice does not repeat all of a long value"


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 5000 + "}", '{"a":' * 20_000], ids=["lists", "braces", "objects"]
)
def test_deeply_nested_values_are_text(fake, text):
    assert sys.getrecursionlimit() < 5000
    fake.query["pool_size"] = text
    assert claimed(fake) == 8


@pytest.mark.parametrize("text", ["0", "-1", "inf", "1e-400"])
def test_float_that_must_be_positive(fake, text):
    fake.query["gamma"] = text
    page = PageState("page")
    assert page.register("gamma", 1.0, GAMMA.clamp) > 0


def test_cleaning_that_raises_gives_the_default(fake):
    fake.query["pool_size"] = "anything"

    def refuse(value):
        raise ValueError(value)

    assert claimed(fake, refuse) == 8
    assert len(fake.toasts) == 1


def test_value_that_another_choice_made_illegal_is_cleaned(fake):
    claimed(fake)
    fake.session["page.pool_size"] = 500
    assert claimed(fake, Param("pool_size", 8, "int", low=1, high=100).clamp) == 100
    assert not fake.toasts  # the person did not ask for it by the address


def test_what_was_left_at_its_default_follows_it(fake):
    """As the whole of an image does when the images become larger; what somebody has chosen stays."""
    assert claimed(fake, default=8) == 8
    assert claimed(fake, default=28) == 28
    fake.session["page.pool_size"] = 12
    assert claimed(fake, default=28) == 12
    assert claimed(fake, default=8) == 12
    PageState("page").apply({"pool_size": 8})  # chosen, though it is what the default was
    assert claimed(fake, default=28) == 8


def test_preset_sets_what_the_next_run_shows(fake):
    page = PageState("page")
    page.apply({"pool_size": 32})
    assert claimed(fake) == 32
    assert fake.written[-1]["values"] == {"pool_size": "32"}


def test_pages_do_not_share_values(fake):
    fake.session["other.pool_size"] = 99
    assert claimed(fake) == 8


def test_list_of_one_is_told_from_a_value(fake):
    fake.query["compare"] = "8,"
    page = PageState("page")
    assert page.register("compare", [], list) == [8]
    page.finish()
    assert not fake.toasts
    assert fake.written[-1]["values"] == {"compare": "8,"}


def test_choices_may_stand_in_any_order(fake):
    def in_our_order(values):
        return [option for option in ("a", "b", "c") if option in values]

    fake.query["maps"] = "c,a"
    page = PageState("page")
    assert page.register("maps", ["b"], in_our_order) == ["a", "c"]
    fake.query["more"] = "c,z"
    page.register("more", ["b"], in_our_order)
    page.finish()
    assert len(fake.toasts) == 1 and "more=c,z in the address is not possible" in fake.toasts[0]


def test_a_link_from_another_page_counts_more_than_an_old_choice(fake):
    assert claimed(fake) == 8
    PageState("other")  # the reader goes to another page, and there follows a link with a setting
    fake.query["pool_size"] = "16"
    page = PageState("page")
    assert page.register("pool_size", 8, POOL.clamp) == 16
    page.set("pool_size", 24)  # what the reader then changes counts, while the address lags behind
    assert page.register("pool_size", 8, POOL.clamp) == 24 and claimed(fake) == 24


def test_coming_back_without_a_link_finds_the_old_choice(fake):
    fake.query["pool_size"] = "16"
    assert claimed(fake) == 16
    PageState("other")
    fake.query.clear()
    assert claimed(fake) == 16


def test_a_value_outlasts_its_widget(fake):
    """Streamlit drops the state of a widget when another page is shown, but not the value."""
    fake.query["pool_size"] = "16"
    assert claimed(fake) == 16
    PageState("other").finish()
    fake.query.clear()
    fake.session.pop(PageState("page").widget_key("pool_size"), None)
    assert claimed(fake) == 16
    # Another data set may have narrowed what is legal in the meantime.
    assert claimed(fake, Param("pool_size", 8, "int", low=1, high=10).validate) == 8


def test_a_message_from_before_a_preset_speaks_of_widgets_that_are_gone(fake):
    page = PageState("page")
    for name in ("one", "two", "other"):
        page.register(name, False, bool)
    before = {name: page.widget_key(name) for name in ("one", "two", "other")}
    page.apply({"one": True, "two": False})
    after = {name: page.widget_key(name) for name in ("one", "two", "other")}
    assert before["one"] != after["one"], "its value has changed"
    assert (before["two"], before["other"]) == (after["two"], after["other"]), "focus stays where nothing has changed"
    page.apply({"one": False})
    assert page.widget_key("one") not in (before["one"], after["one"])


def test_given_values_are_checked_as_those_of_the_address(fake):
    claimed(fake)
    param = Param("pool_size", 8, "int", low=1, high=100)
    page = PageState("page")
    page.address.give({"pool_size": "500", "gone": "1"})
    page.register("pool_size", 8, param.clamp)
    page.finish()
    assert fake.session["page.pool_size"] == 100
    assert fake.toasts == ["pool_size=500 in this lesson is not possible here; showing 100."]
    page.address.give({"pool_size": None})
    page.register("pool_size", 8, param.clamp)
    assert fake.session["page.pool_size"] == 8  # None stands for the default


def test_what_is_hidden_is_not_drawn_and_unknown_names_are_said_once(fake):
    for _ in range(2):
        page = PageState("page")
        page.hidden, page.possible = {"pool_size", "gamma", "nonsense", "other"}, lambda: {"gamma"}
        page.register("pool_size", 8, int)
        assert not page.draws("pool_size", "Pool size") and page.draws("seed", "Seed")
        page.only = {"gamma"}
        assert not page.draws("seed", "Seed")
        page.finish()
    assert fake.toasts == ["hide=nonsense,other in the address: this page has nothing of that name."]
    assert page.last() == ({"pool_size": "Pool size", "seed": "Seed"}, {})


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("pool_siz", "pool_siz in the address has no effect here. Did you mean pool_size?"),
        ("x,<b>", "<b>, x in the address have no effect here. Use the controls on the page."),
        ("a" * 50, f"{'a' * 37}… in the address has no effect here. Use the controls on the page."),
        # What the laboratory itself writes, what it wrote once, and what others append.
        (
            "lesson,step,present,hide,lecture,open,tab,pair,pins,zoom,embed,embed_options,utm_source,fbclid,gclid,mc_cid",
            "",
        ),
        ("scheme,schemes", ""),
    ],
)
def test_names_that_no_control_has_are_said_once(fake, names, said):
    fake.query |= dict.fromkeys(names.split(","), "")
    page = PageState("page")
    for _ in range(2):  # a fragment ends more than once
        page.register("pool_size", 8, POOL.clamp)
        page.register("map", "", str)
        page.finish()
    assert [toast for toast in fake.toasts if "zoom" not in toast] == [plain(said)] * bool(said)
    PageState("page").finish()
    assert len(fake.toasts) <= 2


def test_the_command_line_takes_no_notice_of_what_others_append():
    address = "http://localhost/hashing?utm_source=mail&fbclid=x&lecture=1-x&seed=3"
    assert read_preset(address) == ("hashing", {"seed": 3})


def test_a_control_that_is_drawn_later_still_takes_its_value(fake):
    fake.query["pool_size"] = "16"
    page = PageState("page")
    page.finish()
    assert page.register("pool_size", 8, POOL.clamp) == 16


def test_what_is_open_is_in_the_address_and_is_no_setting(fake):
    fake.query["open"] = "numbers,<b>"
    page = PageState("page")
    assert page.address.view("open", ["method", "numbers"]) == ["numbers"]
    assert page.address.view("open", ["method", "numbers"]) == []  # once: what the reader then folds stays folded
    page.view["open"], page.view["tab"] = "method", ""
    page.finish()
    assert fake.toasts == ["open in the address: not all of what it names is on this page."]
    assert fake.written[-1]["values"] == {"open": "method"} == page.last()[1]
    assert page.changed() == {} == page.values()


@pytest.mark.parametrize(("zoom", "said"), [("chart:x,1,2", 0), ("other:x,1,2", 1), ("chart:x,2,1", 1), ("", 1)])
def test_a_zoom_that_is_not_possible_is_said_once(fake, zoom, said):
    fake.query["zoom"] = zoom
    page = PageState("page")
    for _ in range(2):  # a fragment ends more than once
        page.address.add_chart("chart", go.Figure())
        page.finish()
    assert len(fake.toasts) == said and not any("chart" in toast for toast in fake.toasts)
    PageState("page").finish()
    assert len(fake.toasts) == said


def test_a_link_with_a_former_name_of_a_setting_still_opens():
    at = opened("distance-saturation", query={"scheme": "RandomFourier", "n_components": "200", "hide": "scheme"})
    assert at.session_state["distance-saturation.map"] == "RandomFourier" and not at.toast
    several = opened("kernel-approximation", query={"schemes": "RandomFourier,", "m_max": "100", "draws": "2"})
    assert several.session_state["kernel-approximation.maps"] == ["RandomFourier"]
    slug, values = read_preset("http://localhost/distance-saturation?scheme=RandomFourier&n_components=200")
    panel = Preset(values)
    find_page(slug).settings(panel, find_page(slug).source(panel))
    assert panel.answers["map"] == "RandomFourier"
