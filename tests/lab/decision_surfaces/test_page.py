"""The page of decision surfaces: its pictures are the analysis's answers, points can be drawn, what fails is said."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from rfviz import datasets
from rfviz.analysis.plane import plane_of
from rfviz.analysis.splits import make_split
from rfviz.cache import Cache
from rfviz.experiments.decision_surfaces.compute import M_GRID, map_surfaces
from rfviz.experiments.decision_surfaces.experiment import PANELS
from rfviz.experiments.decision_surfaces.figures import CLASS_COLOURS, surface_image
from rfviz.experiments.decision_surfaces.svm import svm_surface
from rfviz.features import MapSpec, RandomFourier, registry
from rfviz.lab.decision_surfaces import views
from rfviz.lab.decision_surfaces.own_points import MOST_POINTS
from rfviz.lab.decision_surfaces.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from rfviz.words import per_cent
from tests.app_pages import array, assert_refused, changed, opened, prose, specs

SLUG = "decision-surfaces"
UNFOLDED = {f"details-{number}": True for number in range(2)}


def surface_of(source):
    """Return the pixels of a picture behind a plane."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))).convert("RGBA"), dtype=int)


MOONS = {"data": "moons", "data.n_samples": 100}


def pictures(at):
    return [spec["layout"]["images"][0]["source"] for spec in specs(at)]


def headings(at):
    return [h.proto.body for h in at.get("html") if "accuracy" in h.proto.body or "waiting" in h.proto.body]


def points(at):
    return [[t for t in spec["data"] if t["name"].startswith("class")] for spec in specs(at)]


@pytest.mark.parametrize("scheme", ["RandomMaxout", "RandomFourier"])
def test_gradients_are_drawn_of_maxout_alone(scheme):
    state = MOONS | {"map": scheme, "n_components": 20} | {f"details-{number}": True for number in range(3)}
    at = opened(SLUG, state)
    assert not at.error and not at.exception
    drawn = [t for spec in specs(at) for t in spec["data"] if t["name"] == "gradients"]
    said = [markdown for markdown in prose(at) if "Arrows show the gradient" in markdown]
    fallen = [markdown for markdown in prose(at) if "equations 4 and 5 derive from its Theorem 1" in markdown]
    assert len(drawn) == len(said) == len(fallen) == (scheme == "RandomMaxout")


def test_panels_are_the_analysis():
    at = opened(SLUG, MOONS | {"n_components": 20, "gamma": 2.0, "C": 1.0, "seed": 3} | UNFOLDED)
    split = make_split(datasets.load("moons", n_samples=100), "none")
    plane = plane_of(split.X_train)
    own = map_surfaces(split, plane, MapSpec(RandomFourier, gamma=2.0, random_state=3))
    svms = [svm_surface(split, plane, kernel, 1.0, 2.0) for kernel in ("rbf", "linear")]
    surfaces = [own.at(20), *svms]
    for spec, surface, source in zip(specs(at), surfaces, pictures(at), strict=True):
        assert source == surface_image(surface, np.arange(2), plane)["source"]
        assert spec["layout"]["xaxis"]["range"] == list(plane.x) and spec["layout"]["yaxis"]["range"] == list(plane.y)
        drawn = [t for t in spec["data"] if t["name"] in split.target_names]
        assert sum(len(array(t["x"])) for t in drawn) == len(split.X_train)
        missed = [t for t in spec["data"] if t["name"] == "missed"]
        assert sum(len(array(t["x"])) for t in missed) == len(surface.wrong)
    for heading, surface in zip(headings(at), surfaces, strict=True):
        assert f"test accuracy {per_cent(surface.accuracy)}" in heading
    table = at.dataframe[0].value
    np.testing.assert_allclose(table["test accuracy, %"], [100 * s.accuracy for s in own.surfaces])
    assert table["m"].tolist() == list(M_GRID)
    apart = table.set_index("m")["apart"]
    assert any(f"**{apart[20] or 'none'}** of these points" in m for m in prose(at))


def test_the_slider_changes_the_first_panel_alone():
    at = opened(SLUG, MOONS | {"n_components": 10})
    before = pictures(at)
    after = pictures(changed(at, SLUG, {"n_components": 200}))
    assert before[0] != after[0] and before[1:] == after[1:]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", list(registry()))
def test_every_scheme_is_drawn_with_its_creases(scheme):
    at = opened(SLUG, MOONS | {"map": scheme, "n_components": 20})
    assert not at.error and len(specs(at)) == 3
    plain = pictures(at)
    creased = pictures(changed(at, SLUG, {"creases": 20}))
    assert (plain[0] != creased[0]) == (scheme != "RandomProjection") and plain[1:] == creased[1:]
    assert any("creases" in m or "Dark lines" in m for m in prose(at))


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_other_losses(loss):
    at = opened(SLUG, MOONS | {"loss": loss})
    assert not at.error and len(specs(at)) == 3


def preset(at, label):
    next(b for b in at.button if b.label == label).click().run()
    assert not at.exception and not at.error
    return at


@pytest.mark.slow
@pytest.mark.parametrize("label", ["Two spirals", "The digits’ plane", "Linear features cannot", "Facets of maxout"])
def test_presets_set_everything(label):
    expected = pictures(preset(opened(SLUG), label))
    changed_first = opened(
        SLUG,
        {
            "map": "RandomReLU",
            "data": "xor",
            "C": 0.1,
            "seed": 5,
            "n_components": 4,
            "loss": "hinge",
            "normalise": "standardise",
        },
    )
    assert pictures(changed_first) != expected
    assert pictures(preset(changed_first, label)) == expected


def test_digits_plane_says_that_it_is_a_slice():
    at = preset(opened(SLUG), "The digits’ plane")
    assert any("This is a slice" in m and "64 columns" in m for m in prose(at))
    assert specs(at)[0]["layout"]["xaxis"]["title"]["text"] == "first principal component"
    assert any("of the 1,348 training points" in c.value for c in at.caption)


def test_linear_features_cannot_is_said():
    at = preset(opened(SLUG), "Linear features cannot")
    assert any("**linear**" in m for m in prose(at))


# --- points of one's own ----------------------------------------------------------------------------------------------

OWN = {"points_from": "own"}
PAIR = ["-1/0/1", "1/0/2"]


def test_clicks_add_points_of_the_chosen_class(monkeypatch):
    clicks = {PANELS[1]: [(0.123, -1.004), (0.5, 0.5)]}
    monkeypatch.setattr(views, "selected_places", lambda key: clicks.pop(key, []))
    at = opened(SLUG, OWN | {"points": PAIR, "class": "3"})
    assert at.session_state[f"{SLUG}.points"] == [*PAIR, "0.12/-1/3", "0.5/0.5/3"]
    for marks in points(at):
        assert [t["name"] for t in marks] == ["class 1", "class 2", "class 3"]
        np.testing.assert_allclose(array(marks[2]["x"]), [0.12, 0.5], atol=1e-6)
    assert all(spec["layout"]["dragmode"] is False for spec in specs(at))


def test_undo_and_clear():
    at = opened(SLUG, OWN | {"points": [*PAIR, "0/0/1"]})
    next(b for b in at.button if b.label == "Undo").click().run()
    assert at.session_state[f"{SLUG}.points"] == PAIR
    next(b for b in at.button if b.label == "Clear").click().run()
    assert at.session_state[f"{SLUG}.points"] == [] and len(specs(at)) == 3 and not at.error
    assert not any(spec["layout"]["images"] for spec in specs(at))
    assert len(at.info) == 1 and "two classes" in at.info[0].value and len(headings(at)) == 3
    assert next(b for b in at.button if b.label == "Undo").disabled


@pytest.mark.parametrize("loss", ["ridge", "logistic", "hinge"])
@pytest.mark.parametrize("scheme", ["RandomFourier", "RandomMaxout", "RandomProjection"])
def test_two_points_are_enough(loss, scheme):
    at = opened(SLUG, OWN | {"points": PAIR, "loss": loss, "map": scheme, "n_components": 200})
    assert not at.error and all("training accuracy 100%" in heading for heading in headings(at))
    # The left edge belongs to the left point, the right edge to the right one, in every panel.
    for source in pictures(at):
        image = surface_of(source)
        left, right = image[100, 33, :3], image[100, 166, :3]
        rgb = [np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in CLASS_COLOURS[:2]]
        assert np.abs(left - rgb[0]).sum() < np.abs(left - rgb[1]).sum()
        assert np.abs(right - rgb[1]).sum() < np.abs(right - rgb[0]).sum()


def test_points_come_from_the_address():
    at = opened(SLUG, query={"points_from": "own", "points": "-1/0/1,1/0/2,0.5/0.25/4", "class": "2"})
    assert at.session_state[f"{SLUG}.points"] == ["-1/0/1", "1/0/2", "0.5/0.25/4"] and not at.toast
    assert len(specs(at)) == 3


@pytest.mark.parametrize(
    "bad", ["9/0/1,1/0/2", "a/b/c,1/0/2", "nan/0/1,1/0/2", "0/0/7,1/0/2", "<b>,1/0/2", "1/0/2/4,1/0/2"]
)
def test_points_that_cannot_be_are_left_out_with_a_notice(bad):
    at = opened(SLUG, query={"points_from": "own", "points": bad})
    assert at.session_state[f"{SLUG}.points"] == ["1/0/2"] and len(at.toast) == 1 and not at.error


def test_there_is_an_end_of_points(monkeypatch):
    many = [f"{x / 100:g}/0/{1 + x % 2}" for x in range(MOST_POINTS)]
    monkeypatch.setattr(views, "selected_places", lambda key: [(0.0, 1.0)] if key == PANELS[0] else [])
    at = opened(SLUG, OWN | {"points": many})
    assert at.session_state[f"{SLUG}.points"] == many
    assert any("all that the address holds" in i.value for i in at.info)


# --- what cannot be ---------------------------------------------------------------------------------------------------


def test_impossible_address_is_corrected_with_a_notice():
    query = {"n_components": "77", "map": "<script>", "data": "circle", "creases": "-4", "C": "x"}
    at = opened(SLUG, query=query)
    assert not at.error and len(at.toast) == len(query) and specs(at)
    assert at.session_state[f"{SLUG}.n_components"] in M_GRID


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1.5,2\n2.5,3\n" * 20, "at least two columns"),
        ("1,2,a\n3,5,b\n" * 4, "at least 20 rows"),
        ("1,2,a\n2,5,a\n3,4,a\n" * 14, "two classes"),
    ],
)
def test_data_without_a_surface_say_so(rows, words, tmp_path):
    head = "x,z,label\n" if rows.count(",") > rows.count("\n") else "x,label\n"
    (tmp_path / "table.csv").write_text(head + rows, encoding="utf-8")
    datasets.set_folder(tmp_path)
    try:
        assert words in assert_refused(opened(SLUG, {"data": "folder:table"}))
    finally:
        datasets.set_folder(None)


def test_too_large_a_request_is_refused_before_it_starts(monkeypatch):
    at = opened(SLUG, MOONS)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    changed(at, SLUG, {"seed": 17})
    assert len(at.error) == 1 and "Decision values" in at.error[0].value and not specs(at)
    monkeypatch.delenv("RFVIZ_MEMORY_GB")
    assert specs(changed(at, SLUG, {"seed": 18}))


def test_classes_are_named_next_to_their_own_marks():
    legend = next(h.proto.body for h in opened(SLUG).get("html") if "arm 2" in h.proto.body)
    assert re.search("●</span> arm 1.*◆</span> arm 2", legend)


@pytest.mark.parametrize(
    ("scheme", "symbols"),
    [
        ("RandomFourier", ["m", "γ", "seed"]),
        pytest.param("RandomMaxout", ["m", "q", "seed"], marks=pytest.mark.slow),
    ],
)
def test_the_width_of_a_kernel_plays_as_pool_sizes_do(scheme, symbols):
    panel, cache = Preset({"map": scheme, "n_components": 50, "data": "moons", "data.n_samples": 60}), Cache()
    source = PAGE.source(panel)
    found = compute(PAGE, source, PAGE.settings(panel, source), cache)
    played = PAGE.animations(source, found.settings, found.result, panel)
    assert [spec.symbol for spec in played] == symbols
    frames = played[1].render(cache, 0.1)  # the present value and the least are drawn however long they take
    other = panel.with_value(played[1].control, frames.values[0])  # from the default, a word for Fourier features
    (alone, *_) = compute(PAGE, source, PAGE.settings(other, source), cache).charts
    figures = (frames.frames[0][alone.name], alone.figure, found.charts[0].figure)
    one, two, before = (surface_of(figure.layout.images[0].source).astype(int) for figure in figures)
    assert np.abs(one - before).max() > 2
    assert one.shape == two.shape and np.abs(one - two).max() <= 2
