"""Controls follow their declarations."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from rfviz import datasets
from rfviz.errors import ParameterError
from rfviz.features import registry
from rfviz.lab import maps
from rfviz.lab.controls import _nearest, of_param
from rfviz.params import Param
from rfviz.ui import controls
from rfviz.ui import session as door
from rfviz.ui.controls import PagePanel
from rfviz.ui.state import PageState, page_state
from rfviz.words import shown

PARAMS = [p for scheme in registry().values() for p in scheme.params] + [
    p for spec in datasets.specs().values() for p in spec.params
]
SLIDERS = [p for p in PARAMS if p.kind in ("int", "float") and p.name != "random_state"]


@pytest.fixture
def panel(monkeypatch):
    """Return a panel whose widgets only record how they were called, in `panel.drawn`."""
    drawn, session = [], {}

    def widget(kind):
        def draw(label, *args, key, on_change, **options):
            drawn.append((kind, label, args, options))

        return draw

    def slider(key, control, value, on_change):
        labels = [control.title(option) for option in control.options]
        drawn.append(("slider", control.label, (list(control.options), labels), {"help": control.help}))

    kinds = ("toggle", "segmented_control", "selectbox", "number_input", "pills", "slider", "text_input")
    fake = SimpleNamespace(query_params={}, **{kind: widget(kind) for kind in kinds})
    monkeypatch.setattr(door, "st", SimpleNamespace(session_state=session))
    monkeypatch.setattr(controls, "st", fake)
    monkeypatch.setattr(page_state, "st", fake)
    monkeypatch.setattr(controls, "live_slider", slider)
    panel = PagePanel(PageState("page"))
    panel.drawn, panel.query, panel.session = drawn, fake.query_params, session
    return panel


@pytest.mark.parametrize("param", SLIDERS, ids=lambda p: p.name)
def test_every_stop_of_a_slider_is_legal(panel, param):
    value = panel.control(param, None if param.default not in param.choices else param.stops()[0])
    ((kind, _, (options, labels), _),) = panel.drawn
    assert kind == "slider"
    assert value in options
    assert [param.validate(option) for option in options] == options
    numbers = [option for option in options if not isinstance(option, str)]
    assert numbers == sorted(set(numbers))
    assert len(labels) == len(options) == len(set(labels)), "two stops that read the same"
    assert len(options) <= 110, "more stops than pixels to tell them apart"


@pytest.mark.parametrize("param", PARAMS, ids=lambda p: p.name)
def test_every_control_has_a_label_and_help(panel, param):
    panel.control(param)
    ((_, label, _, options),) = panel.drawn
    assert label.strip()
    assert options.get("help")


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, None), ("8,20", (8, 20)), ("20,8", (8, 20)), ("0,99", (1, 28)), ("28,28", None), ("x", None), ("8", None)],
)
def test_a_slider_with_two_ends_in_the_address(panel, text, expected):
    if text:
        panel.query["sides"] = text
    param = Param("sides", None, "range", low=1, high=28, label="Sides", help="Pixels.")
    assert panel.control(param) == expected
    ((kind, _, bounds, _),) = panel.drawn
    assert kind == "slider" and bounds == (1, 28)


def test_receptive_fields_are_offered_for_images_alone(panel):
    assert maps.receptive_field(panel, None) == {} and not panel.drawn
    assert maps.receptive_field(panel, (6, 9, 3)) == {}
    panel.session["page.receptive_field"] = (2, 5)
    assert maps.receptive_field(panel, (6, 9, 3)) == {"receptive_field": (2, 5), "image_shape": (6, 9, 3)}
    assert [bounds for _, _, bounds, _ in panel.drawn] == [(1, 9), (1, 9)]


def test_default_of_the_page_is_a_stop(panel):
    param = Param("gamma", "scale", "float", low=0.01, high=100.0, log=True, choices=("scale",))
    assert panel.control(param, 0.777) == 0.777
    assert panel.control(param, "scale", name="other") == "scale"


def test_value_between_stops_goes_to_the_nearest(panel):
    panel.query["n"] = "1013"
    param = Param("n", 100, "int", low=10, high=10_000, log=True)
    assert panel.control(param) == 1000


def test_word_that_is_no_option_is_refused():
    with pytest.raises(ParameterError):
        _nearest(["scale", 1.0], "word")
    assert _nearest(["scale", 1.0, 3.0], 2.9) == 3.0


def test_few_short_words_lie_side_by_side_and_many_in_a_menu(panel):
    assert panel.choice("dimensions", ("2", "3"), "2", "Dimensions") == "2"
    assert panel.choice("data", ("circle", "turning_head", "digits"), "circle", "Data") == "circle"
    assert [kind for kind, *_ in panel.drawn] == ["segmented_control", "selectbox"]


def test_choice_that_reads_as_a_number_comes_back_from_the_address(panel):
    panel.query["dimensions"] = "3"
    assert panel.choice("dimensions", ("2", "3"), "2", "Dimensions") == "3"


@pytest.mark.parametrize(
    ("text", "expected"), [("8,64", [8, 64]), ("64,8", [8, 64]), (",", []), ("7,x,32", [32]), ("8,", [8])]
)
def test_several_keeps_what_is_offered(panel, text, expected):
    panel.query["compare"] = text
    assert panel.several("compare", [1, 8, 32, 64], [32], "Compare with", "") == tuple(expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [(20_000, "20,000"), (0.05, "0.05"), (8, "8"), (2.0, "2"), ("scale", "scale"), (True, "True")],
)
def test_numbers_are_shown_as_people_write_them(value, text):
    assert shown(value) == text


def test_choices_are_shown_by_their_titles(panel):
    param = Param("draw", "qmc", "choice", choices=("iid", "qmc"), titles=("Random", "Sobol"), help="How.")
    assert panel.control(param) == "qmc"
    ((kind, _, (options,), shown),) = panel.drawn
    assert kind == "segmented_control" and options == ("iid", "qmc")
    assert [shown["format_func"](option) for option in options] == ["Random", "Sobol"]


@pytest.mark.parametrize(("spectrum", "there"), [("matern", True), ("gaussian", False), ("cauchy", False)])
def test_smoothness_is_asked_for_only_where_it_has_an_effect(panel, spectrum, there):
    panel.query.update(map="RandomFourier", spectrum=spectrum, nu="2.5")
    setting = maps.choose_map(panel, {}).params
    assert setting["spectrum"] == spectrum
    assert ("nu" in setting) == there and ("Smoothness ν" in [label for _, label, *_ in panel.drawn]) == there
    assert setting.get("nu", 2.5) == 2.5


def test_a_widget_from_before_a_preset_sets_nothing():
    """Its value comes with a message that left the browser before the page showed the preset's."""

    def page():
        from rfviz.ui.controls import PagePanel
        from rfviz.ui.state import PageState

        PagePanel(PageState("page")).choice("word", ["first word", "second word", "third word"], "first word", "Word")

    at = AppTest.from_function(page).run()
    assert at.selectbox[0].set_value("second word").run().session_state["page.word"] == "second word"
    at.session_state["page.word"] = "third word"
    at.session_state["page:generations"] = {"word": 1}
    assert at.selectbox[0].set_value("first word").run().session_state["page.word"] == "third word"


@pytest.mark.parametrize("text", ["abc", "", None, float("nan")])
def test_what_is_no_number_gives_the_default_of_the_page(text):
    pool = next(p for p in registry()["RandomMaxout"].params if p.name == "pool_size")
    assert pool.default != 16 and of_param(pool, 16).clean(text) == 16
    assert of_param(pool).clean(text) == pool.default


def test_a_slider_stops_at_its_marks_also_where_it_is_not_logarithmic():
    threshold = of_param(Param("threshold", 0.0, "float", -2.0, 2.0, marks=(-1.0, -0.5, 0.5, 1.0)))
    assert list(threshold.options) == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert threshold.clean(0.4) == 0.5
