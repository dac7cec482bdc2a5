"""The quick inspection: its findings are those of the analyses, and every kind of data gets a plain answer."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.experiments.data import Data
from rfviz.features import DecisionStumps, MapSpec
from rfviz.inspection.inspection import InspectedData, Inspection, computed
from rfviz.inspection.maps import draw_maps
from rfviz.inspection.sample import nearest_rows, take_sample
from rfviz.inspection.structure import inspect_structure
from rfviz.inspection.words import share
from rfviz.lab.quick_inspection.page import PAGE, Settings
from rfviz.ui.cache import STORE
from tests.app_pages import OFFLINE, array, changed, opened, prose, specs

SLUG = "quick-inspection"
TITLES = ["Rows and labels", "Columns", "Missing values", "Odd values", "Leaks", "Exact copies", "Near copies",
          "Distances", "Dimension", "Outliers", "Label errors", "Uncertainty", "Linear or not",
          "Interactions"]  # fmt: skip


def findings(at):
    """Return icon, grade and sentence of each finding, by its title."""
    texts = prose(at)
    found = {}
    for heading, sentence in itertools.pairwise(texts):
        if heading.startswith(":") and ":small[" in heading:
            icon, _, rest = heading.partition(" **")
            title, _, grade = rest.partition("** :small[:gray[")
            found[title] = icon, grade.removesuffix("]]"), sentence
    return found


def by_severity(titles, found):
    """Return titles in the order of the page: warnings, what is worth a look, then the rest in the order of asking."""
    rank = {"warning": 0, "worth a look": 1}
    return sorted(titles, key=lambda title: rank.get(found[title][1], 2))


def shown(at, key):
    """Press Show on the card of a finding, by its short name."""
    at.button(key=f"{SLUG}.show-{key}").click().run()
    assert not at.exception
    return at


def offered(at):
    """Return the short names of the findings that have more to show."""
    start = f"{SLUG}.show-"
    return [button.key.removeprefix(start) for button in at.button if (button.key or "").startswith(start)]


def links(at):
    """Return page and query of each link to another page."""
    return [(link.proto.page, link.proto.query_string) for link in at.get("page_link")]


@pytest.fixture
def folder(tmp_path):
    """Write a table into a data folder, and give its name on the page."""

    def write(name, columns):
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
        datasets.set_folder(tmp_path)
        return f"folder:{name}"

    yield write
    datasets.set_folder(None)


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
def test_every_data_set_without_download_is_inspected(name):
    at = opened(SLUG, {"data": name})
    assert not at.error and not at.warning and not at.info
    assert len(specs(at)) == 3
    found = findings(at)
    left_out = {"Missing values", "Odd values", "Leaks", "Interactions"} if datasets.load(name).image_shape else set()
    left_out |= set() if datasets.load(name).y is not None else {"Label errors", "Uncertainty", "Interactions"}
    expected = [title for title in TITLES if title not in left_out]
    assert [title for title in found if title in TITLES] == by_severity(expected, found)
    assert set(found) - set(expected) <= {"Unseen groups and times", "Dependence", "Drift", "Order"}
    assert all(sentence.endswith((".", "?")) for _, _, sentence in found.values())
    assert f"{datasets.load(name).n_samples:,} rows" in found["Rows and labels"][2]


@pytest.mark.slow
def test_the_default_says_what_the_analyses_find():
    at = opened(SLUG)
    data = datasets.load("breast_cancer")
    maps = draw_maps(data, take_sample(data, most=1000))
    for spec, projection in zip(specs(at)[:3], maps.projections, strict=True):
        drawn = np.concatenate([np.column_stack([array(t["x"]), array(t["y"])]) for t in spec["data"][:2]])
        order = np.concatenate([array(t["customdata"]) for t in spec["data"][:2]]).astype(int)
        np.testing.assert_allclose(np.abs(drawn), np.abs(projection.coordinates[order]), atol=1e-5)
    structure = inspect_structure(data)
    assert share(structure.linear) in findings(at)["Linear or not"][2]
    assert not structure.is_nonlinear and findings(at)["Linear or not"][1] == "fine"
    assert at.subheader[0].value == "14 fine, 1 unclear"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "without"),
    [
        ({}, {"missing", "values", "copies"}),
        ({"data": "photo_patches", "data.max_samples": 400}, {"columns", "missing", "leaks", "interactions"}),
    ],
)
def test_every_finding_shows_what_it_rests_on(values, without, monkeypatch):
    at = opened(SLUG, values)
    keys = offered(at)
    assert len(keys) >= 4 and not without & set(keys)
    sentences = {sentence for _, _, sentence in findings(at).values()}
    dataset = datasets.load(values.get("data", "breast_cancer"))
    pictures = []

    def show(figure):
        pictures.append(figure)

    monkeypatch.setattr("plotly.graph_objects.Figure.show", show)
    for key in keys:
        drawn = specs(shown(at, key))[3:]
        assert any(text.split(" ", 1)[-1] in sentences for text in prose(at)[-8:])
        assert drawn or len(at.dataframe), key
        names = {}
        pictures.clear()
        (code,) = at.code
        exec(code.value, names)  # what it says is what stands above it
        assert names["dataset"].name == dataset.name and len(pictures) == len(drawn)
        for picture, spec in zip(pictures, drawn, strict=True):
            assert [trace.type for trace in picture.data] == [trace["type"] for trace in spec["data"]]
        assert len(names["result"].to_frame()) >= len(at.dataframe[0].value if len(at.dataframe) else [])


def test_pairs_are_looked_at_among_rows_that_agree_in_a_third_column(folder):
    generator = np.random.default_rng(0)
    x = generator.normal(size=300)
    columns = {"x": x, "square": x**2 + 0.05 * generator.normal(size=300), "z": generator.normal(size=300)}
    at = opened(SLUG, {"data": folder("held", columns)})
    for given, said in (
        ("z", "The pair depends on each other among rows with the same “z”"),
        ("x", "No two other columns depend clearly"),
    ):
        asked = shown(at, "dependence").selectbox
        next(box for box in asked if box.label == "Compare rows with the same").select(given)
        shown(at, "dependence")
        assert any(said in markdown for markdown in prose(at))


def test_links_bring_the_data_and_the_setting_along():
    at = opened(SLUG, {"data": "spirals", "data.n_samples": 300, "normalise": "none"})
    queries = [query for _, query in links(at)]
    assert len(queries) >= 6 and all("data=spirals" in query for query in queries)
    assert all("data.n_samples=300" in query for query in queries)
    distances = next(query for query in queries if "gamma=median" in query)
    assert "map=RandomFourier" in distances and "normalise=none" in distances


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["distance-saturation", "maxout-pca", "hashing", "accuracy"])
def test_the_pages_that_links_lead_to_take_their_settings(slug):
    at = opened(SLUG, {"data": "digits"})
    query = next(query for page, query in links(at) if page.split("/")[-1] in (slug, slug.replace("-", "_")))
    assert query
    values = dict(part.split("=") for part in query.replace("%2C", ",").split("&"))
    there = opened(slug, query=values | ({"m_max": "100", "seeds": "1"} if slug == "accuracy" else {}))
    assert not there.error and not there.toast
    assert there.session_state[f"{slug}.data"] == "digits"


@pytest.mark.slow
def test_planted_oddities_are_all_named(folder):
    generator = np.random.default_rng(0)
    X = generator.standard_normal((400, 5))
    y = generator.integers(0, 2, 400)
    X[7] = X[8]
    X[200, :] = 9.0
    columns = {f"m{i}": X[:, i] for i in range(5)}
    columns |= {"flat": 1.0, "inch": X[:, 0] / 2.54, "key": np.arange(400) + 17, "told": 3.0 * y + 0.01 * X[:, 1]}
    columns |= {"label": np.where(y, "yes", "no")}
    columns["key"][7] = columns["key"][8]
    y[7] = y[8]
    columns["told"][7], columns["label"][7] = columns["told"][8], columns["label"][8]
    at = opened(SLUG, {"data": folder("odd", columns)})
    found = findings(at)
    assert "“flat” has a single value" in found["Columns"][2] and "“inch” repeats" in found["Columns"][2]
    assert found["Leaks"][1] == "warning" and "“told”" in found["Leaks"][2]
    assert found["Exact copies"][1] == "worth a look" and "1 row of 400" in found["Exact copies"][2]
    assert found["Outliers"][1] != "fine" and "row 201" in found["Outliers"][2]
    named = opened(SLUG, {"data": folder("named", columns | {"key": np.arange(400)})})
    assert "“key” numbers the rows" in findings(named)["Columns"][2]


@pytest.mark.parametrize(
    ("columns", "charts", "said"),
    [
        ({"a": [1, 2, 4], "b": [0, 3, 1]}, 3, "3 rows of 2 columns, without labels"),
        ({"a": [1.0, 2.0, 1.0]}, 3, "3 rows of 1 column"),
        ({"a": [5] * 3, "label": [1] * 3}, 0, "all are of the class"),
        ({"a": [1.5] * 30, "b": [2] * 30, "label": [1, 2] * 15}, 0, "2 classes of the same size"),
        ({"a": [0.0, 1.0] * 60, "b": [1] * 120, "label": list("abb") * 40}, 3, "“b” has 67"),
        ({"x": np.linspace(-2, 2, 90), "target": np.sin(3 * np.linspace(-2, 2, 90))}, 3, "from −0.999795 to 0.999795"),
        ({"x": np.linspace(-2, 2, 90), "target": [0.5] * 90}, 3, "nothing can be learnt"),
        ({"x": np.linspace(0, 1, 50) ** 2, "frame": range(50)}, 3, "without labels"),
    ],
)
def test_odd_tables_get_plain_sentences(folder, columns, charts, said):
    at = opened(SLUG, {"data": folder("table", columns)})
    assert not at.error and not at.warning
    assert len([s for s in specs(at) if s["layout"]["height"] == 330]) == charts
    found = findings(at)
    left_out = set() if {"label", "target"} & set(columns) else {"Label errors", "Uncertainty", "Interactions"}
    expected = [title for title in TITLES if title not in left_out]
    assert [title for title in found if title in TITLES] == by_severity(expected, found)
    assert said in found["Rows and labels"][2]
    assert at.subheader[0].value != "Looking …"
    for key in offered(at):
        assert not shown(at, key).error


def test_a_click_shows_the_row_and_its_neighbours():
    at = opened(SLUG)
    data = datasets.load("breast_cancer")
    at.session_state["map-maxout:picked"] = 212
    at.run()
    assert not at.exception and at.session_state[f"{SLUG}.row"] == 213
    rows, distance = nearest_rows(take_sample(data), data, 212)
    table = at.dataframe[0].value
    assert table["row"].tolist() == [213, *(rows + 1)]
    np.testing.assert_allclose(table["distance"].iloc[1:], distance)
    assert any("Row 213 · malignant" in m for m in prose(at))
    rings = [t for spec in specs(at)[:3] for t in spec["data"] if t["marker"].get("symbol") == "circle-open"]
    assert len(rings) == 3
    outlier = next(b for b in at.button if b.label == "462")
    outlier.click().run()
    assert at.session_state[f"{SLUG}.row"] == 462 and at.dataframe[0].value["row"].iloc[0] == 462


@pytest.mark.slow
def test_a_row_of_images_is_shown_as_images():
    at = opened(SLUG, {"data": "digits", "row": 5})
    (gallery,) = [html.proto.body for html in at.get("html") if "rfviz-gallery" in html.proto.body]
    assert gallery.count("<img") == 6 and "row 5 · 4" in gallery
    assert len(specs(at)[0]["layout"]["images"]) > 20


@pytest.mark.slow
def test_colours_step_through_labels_and_columns():
    at = opened(SLUG, {"data": "moons"})
    assert at.session_state[f"{SLUG}.colour"] == "label" and len(specs(at)[0]["data"]) == 2
    seen = []
    for _ in range(5):
        next(b for b in at.button if b.label == "›").click().run()
        seen.append(at.session_state[f"{SLUG}.colour"])
    assert seen == ["uncertainty", "c1", "c2", "none", "label"]
    at = changed(at, SLUG, {"colour": "c2"})
    mark = specs(at)[0]["data"][0]
    values = datasets.load("moons").X[:, 1]
    np.testing.assert_allclose(array(mark["marker"]["color"]), values, 1e-5)


def test_new_data_are_asked_the_cheapest_questions_first_and_the_dearest_last(monkeypatch):
    asked, finding, maps = [], Inspection.finding, Inspection.maps
    monkeypatch.setattr(Inspection, "finding", lambda self, one: (asked.append(one), finding(self, one))[1])
    monkeypatch.setattr(Inspection, "maps", lambda self, spec: (asked.append("maps"), maps(self, spec))[1])
    at = opened(SLUG, {"data": "xor", "data.n_samples": 250})
    there = asked.index("maps")
    questions = [one for one in asked if one != "maps"]
    first = questions[: [question.key for question in questions].index("interactions") + 1]
    costs = [question.cost for question in first]
    assert costs == sorted(costs) and set(costs[:there]) == {0} and 0 not in costs[there:]
    assert set(first) == set(questions)  # no other one comes later
    titles = [title for title in findings(at) if title in TITLES]
    assert titles == by_severity([title for title in TITLES if title in titles], findings(at))


def test_findings_are_computed_once():
    def structures():
        """Return the results of "Linear or not" in memory, by their keys."""
        keys = ((key, entry) for key, entry in STORE.entries() if key[0] is computed)
        return {key: id(entry) for key, entry in keys if getattr(key[1][0], "key", "") == "structure"}

    opened(SLUG, {"data": "xor", "seed": 5})
    before = structures()
    changed(opened(SLUG, {"data": "xor", "seed": 6}), SLUG, {"row": 3})
    assert structures() == before
    assert before


def test_the_address_is_cleaned():
    at = opened(SLUG, query={"row": "99999", "colour": "<b>", "normalise": "nonsense"})
    assert at.session_state[f"{SLUG}.row"] == 569 and len(at.toast) == 3 and not at.error


def test_unit_norm_of_a_row_of_zeros_is_refused(folder):
    at = opened(SLUG, {"data": folder("zeros", {"a": [0, 1, 2, 3], "b": [0, 2, 1, 5]}), "normalise": "unit norm"})
    assert len(at.error) == 1 and "normalisation" in at.error[0].value
    assert json.dumps(specs(at)) == "[]"


def shared(at):
    """Return what the page shares, whose dialog is opened."""
    next(button for button in at.button if button.label == "Share").click().run()
    assert not at.exception
    return at.session_state["rfviz:visited"][SLUG]


def test_what_is_shared_is_what_the_page_shows():
    at = opened(SLUG, {"data": "xor", "data.n_samples": 60, "row": 3})
    visit = shared(at)
    main, *maps = visit.charts()
    on_cards = {title: (grade, sentence) for title, (_, grade, sentence) in findings(at).items()}
    assert {row.name: (row.status, row.text) for row in main.frame.itertuples(index=False)} == on_cards
    assert [chart.name for chart in maps][:4] == ["map-plain", "map-maxout", "map-fourier", "balance"]
    assert "row=2" in visit.script()


def test_another_map_is_drawn_and_changes_no_finding():
    small = {"data": "xor", "data.n_samples": 60}
    before = opened(SLUG, small)
    at = opened(SLUG, small | {"map": "RandomReLU", "n_components": 100})
    assert not at.error and not at.warning and not at.info
    assert findings(at) == findings(before)
    first, other = ([tuple(array(t["x"])) for spec in specs(page)[:3] for t in spec["data"]] for page in (before, at))
    traces = len(first) // 3
    second = slice(traces, 2 * traces)
    assert (
        first[:traces] == other[:traces]
        and first[second] != other[second]
        and first[2 * traces :] == other[2 * traces :]
    )
    titles = [text for text in prose(at) if text.endswith("PCA**")]
    assert titles == ["**PCA**", "**Random ReLU PCA**", "**Fourier-PCA**"]
    assert "maps = inspection.maps(MapSpec(RandomReLU, n_components=100" in shared(at).script()
    assert "maps = inspection.maps()\n" in shared(before).script()


def test_the_script_of_another_map_draws_it(monkeypatch):
    figures = []
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda self: figures.append(self))  # noqa: PLW0108 - a method
    source = InspectedData(Data("xor", (("n_samples", 60),), None, datasets.load("xor", n_samples=60)), asked=())
    settings = Settings("none", None, MapSpec(DecisionStumps, n_components=50))
    names = {}
    exec(PAGE.script(source, settings), names)
    maps = names["maps"]
    assert [one.title for one in maps.projections] == ["Plain PCA", "Decision stumps PCA", "Random Fourier PCA"]
    drawn = draw_maps(names["inspection"].dataset, names["inspection"].sample(1000), feature_map=settings.feature_map)
    np.testing.assert_allclose(maps.projections[1].coordinates, drawn.projections[1].coordinates)
    assert figures


def test_two_columns_are_the_first_picture(folder):
    generator = np.random.default_rng(0)
    table = {"u": generator.normal(size=80), "v": 1000.0 * generator.normal(size=80)}
    rest = {name: generator.normal(size=80) for name in "abc"}
    values = {"data": folder("projected", table | rest), "across": "u", "up": "v"}
    at = opened(SLUG, values)
    plane = specs(at)[0]
    (points,) = plane["data"]
    rows = array(points["customdata"]).astype(int)
    np.testing.assert_allclose(array(points["x"]), table["u"][rows])
    np.testing.assert_allclose(array(points["y"]), table["v"][rows])
    assert [plane["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")] == ["u", "v"]
    across, up = (np.ptp(plane["layout"][axis]["range"]) for axis in ("xaxis", "yaxis"))
    assert up > 100 * across and plane["layout"]["yaxis"]["scaleratio"] * up == pytest.approx(across)
    assert any("depend on “u” and “v”" in caption.value for caption in at.caption)
    # Left out, they are seen and not used: all else is that of the table without them.
    alone = opened(SLUG, values | {"apart": True})
    without = opened(SLUG, {"data": folder("rest", rest)})
    drawn = [
        [(trace["x"], trace["y"]) for spec in specs(page)[1:3] for trace in spec["data"]]
        for page in (alone, without, at)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert findings(alone) == findings(without) != findings(at)
    assert any("do without the columns of the first" in caption.value for caption in alone.caption)
    # A click picks a row in all three, as in any map.
    alone.session_state["map-plain:picked"] = 5
    alone.run()
    assert alone.session_state[f"{SLUG}.row"] == 6 and not alone.exception
    names = {}
    exec(shared(alone).script().replace(".show()", ""), names)
    assert list(names["frames"]["map-plain"].columns) == ["row", "u (across)", "v (up)"]
    assert set(names["inspection"].whole.sources) == set(rest)


@pytest.mark.slow
def test_images_with_a_contradicted_label_are_shown(tmp_path):
    data = datasets.load("digits")
    y, wrong = np.asarray(data.y).copy(), np.arange(17, 1797, 90)
    y[wrong] = (y[wrong] + 1) % 10
    np.savez(tmp_path / "wrong.npz", X=(255 * data.X).astype(np.uint8).reshape(-1, 8, 8), y=y)
    datasets.set_folder(tmp_path)
    try:
        at = opened(SLUG, {"data": "folder:wrong"})
    finally:
        datasets.set_folder(None)
    gallery = next(block.proto.body for block in at.get("html") if "rfviz-gallery" in block.proto.body)
    captions = re.findall(r"<figcaption>row ([\d,]+): (\d) → (\d)\?", gallery)
    assert len(captions) == 4
    for row, given, proposed in captions:
        place = int(row.replace(",", "")) - 1
        assert place in wrong
        assert (int(given), int(proposed)) == (y[place], data.y[place])
