"""Every recipe does without a browser what its page does in one, and writes a script that does it again."""

import ast
import builtins
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rfviz import datasets
from rfviz.errors import DataError, ParameterError
from rfviz.recipes import Chart, find, recipes
from rfviz.recipes.base import Bench
from rfviz.recipes.preset import Preset, read_preset, write_preset
from rfviz.recipes.script import notebook
from rfviz.ui.page_index import find_pages

ROOT = Path(__file__).parents[2]
RECIPES = recipes()
# Settings that differ from the defaults of each page, small enough to be computed at once.
OTHERS = {
    "quick-inspection": [
        {"data": "xor", "data.n_samples": 60, "normalise": "none", "seed": 3, "colour": "c2", "row": 5},
    ],
    "zoo": [{"m": 10, "x": -1.5, "y": 0.3, "feature": 7, "seed": 2}],
    "guarantees": [
        {"data": "sphere", "data.n_samples": 50, "scheme": "RandomBinning", "points": 8, "draws": 20, "dimension": 12,
         "about": ["one pair"], "eps": 0.2, "delta": 0.1, "normalise": "none"},
        {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": "maxout", "pool_size": 2, "size": 3.0,
         "rows": 1000},
        {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": "compositional", "loss": "ramp"},
    ],
    "hashing": [
        {"data": "sphere", "data.n_samples": 50, "scheme": "RandomBinning", "n_components": 32, "seed": 3,
         "look": "Near and far", "k": 5, "metric": "euclidean"},
        {"data": "turning_head", "n_components": 48, "beside": False, "look": "Recall", "pools": [4], "longest": 32,
         "draws": 1, "axis": "bits"},
        {"data": "turning_head", "n_components": 16, "scheme": "RandomProjection", "first": 3, "second": 9},
    ],
    "binning": [
        {"data": "xor", "data.n_samples": 40, "view": "All pairs", "p": 3, "shown": 4, "gamma": 5.0, "profile": "hat",
         "point": 7, "seed": 2},
        {"p": 10},
    ],
    "kernel-approximation": [
        {"data": "sphere", "points": 16, "m_max": 100, "m": 38, "odd": False, "draws": 2, "metric": "maximum",
         "schemes": ["RandomMaxout", "RandomFourier"], "pools": [8], "relative": False, "draw": ["orthogonal"]},
        {"points": 16, "m_max": 100, "odd": True, "draws": 1, "schemes": ["CompositionalFeatures"], "both": True},
    ],
    "accuracy": [
        {"data": "digits", "schemes": ["RandomMaxout", "RandomProjection"], "pools": [2], "m_max": 40, "seeds": 2,
         "references": ["linear_ridge"], "doubly": True, "test": 40, "loss": "ridge", "alpha": 1.0},
        {"data": "moons", "schemes": ["RandomFourier"], "m_max": 20, "seeds": 1, "references": [], "grow": "rows",
         "gamma": 1.0},
    ],
    "decision-surfaces": [
        {"data": "moons", "data.n_samples": 100, "scheme": "RandomMaxout", "n_components": 20, "creases": 2, "C": 1.0,
         "svm_gamma": 1.0, "normalise": "standardise", "loss": "hinge", "seed": 3},
        {"points_from": "own", "points": ["-1/0/1", "1/0.25/2", "0.5/0.5/2"], "n_components": 10},
    ],
    "distance-saturation": [
        {"data": "sphere", "data.n_samples": 50, "scheme": "RandomFourier", "n_components": 200, "gamma": 0.5,
         "compare": [2.0], "normalise": "standardise"},
        {"scheme": "RandomProjection", "n_components": 200},
    ],
    "kitchen-sinks": [
        {"k_max": 50, "stumps": 20, "draws": 2, "learners": ["SigmoidalRidge"], "scale": 0.5, "test": 40},
        {"view": "weights", "data": "moons", "learners": ["RandomFourier"], "gamma": 0.5, "k_max": 20, "runs": 5},
    ],
    "pixel-cooccurrence": [
        {"features": 2000, "side": 8, "skeleton": "own", "layers": ["3/1/relu", "exponential/2"], "row": 2,
         "colour": True},
        {"view": "Figure 4", "side": 12, "features": 2000, "seed": 3},
    ],
    "maxout-pca": [
        {"data": "digits", "scheme": "RandomReLU", "n_components": 200, "dimensions": "3"},
        {"data": "circle", "n_components": 200, "point": 8},
        {"n_components": 200, "point": 33},
    ],
}  # fmt: skip

# In place of a browser: what "figure.show()" opens is fetched, once a figure.
LOOK = """
import sys, urllib.request
page = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1]).read().decode()
with open("seen.txt", "a") as seen:
    seen.write("plotly" if "Plotly.newPlot(" in page else "nothing")
"""

every_recipe = pytest.mark.parametrize("slug", RECIPES)
every_setting = pytest.mark.parametrize(
    ("slug", "values"),
    [(slug, values) for slug in RECIPES for values in ({}, *OTHERS[slug])],
    ids=lambda x: x if isinstance(x, str) else ",".join(map(str, list(x.values())[:3])) or "defaults",
)


def computed(slug, values):
    """Recipe, source, settings and charts of these values."""
    recipe, preset = find(slug), Preset(values)
    source = recipe.source(preset)
    settings = recipe.settings(preset, source)
    assert preset.unasked() == []
    return recipe, source, settings, recipe.charts(source, settings, recipe.run(source, settings, Bench()))


def test_every_recipe_belongs_to_a_page():
    assert {page.slug for page in find_pages()} >= RECIPES.keys()
    assert OTHERS.keys() == RECIPES.keys()


@every_setting
def test_script_gives_the_same_numbers(slug, values, tmp_path):
    """In a process of its own, as a person would run it."""
    recipe, source, settings, charts = computed(slug, values)
    code = recipe.script(source, settings)
    ends = "\n".join([
        "", "import pandas as _pandas",
        "_frames = frames if 'frames' in globals() else {'only': frame}",
        "_figures = figures if 'figures' in globals() else {'only': figure}",
        "for _number, (_frame, _figure) in enumerate(zip(_frames.values(), _figures.values())):",
        "    _frame.to_pickle(f'{_number}.pkl')",
        "    open(f'{_number}.json', 'w').write(_figure.to_json())",
    ])  # fmt: skip
    (tmp_path / "script.py").write_text(code + ends, encoding="utf-8")
    (tmp_path / "look.py").write_text(LOOK, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLOTLY_RENDERER": "browser", "OPENBLAS_NUM_THREADS": "1"}
    environment["BROWSER"] = f"{sys.executable} look.py %s &"
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    number = len(list(tmp_path.glob("*.pkl")))
    assert number == len(charts)
    assert (tmp_path / "seen.txt").read_text() == "plotly" * number
    for place, chart in enumerate(charts):
        if chart.name.endswith("-seconds"):  # measured anew
            continue
        pd.testing.assert_frame_equal(pd.read_pickle(tmp_path / f"{place}.pkl"), chart.frame, rtol=1e-4, atol=1e-6)
        drawn = json.loads((tmp_path / f"{place}.json").read_text())
        assert len(drawn["data"]) == len(json.loads(chart.figure.to_json())["data"])


@every_setting
def test_charts_are_complete(slug, values):
    _, _, _, charts = computed(slug, values)
    assert len({chart.name for chart in charts}) == len(charts) >= 1
    for chart in charts:
        assert isinstance(chart, Chart)
        assert len(chart.frame) and chart.alt.strip().endswith(".")
        assert chart.figure.layout.height and len(chart.figure.data)
    assert charts[0].words


def undefined(script):
    """Names that a script uses and nothing in it gives: found without running it."""
    nodes = list(ast.walk(ast.parse(script)))
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    given = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    given |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    given |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler))}
    imports = [name for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names]
    given |= {name.asname or name.name.partition(".")[0] for name in imports}
    return used - given - set(dir(builtins))


@every_setting
def test_script_is_short_and_a_notebook(slug, values):
    recipe, preset = find(slug), Preset(values)
    source = recipe.source(preset)
    script = recipe.script(source, recipe.settings(preset, source))
    assert "streamlit" not in script and "rfviz.ui" not in script
    assert len(script.splitlines()) < 80
    held = json.loads(notebook(script))
    cells = [cell["source"] for cell in held["cells"] if cell["cell_type"] == "code"]
    assert ast.dump(ast.parse("\n\n".join(cells))) == ast.dump(ast.parse(script.split('"""', 2)[2]))
    assert not undefined(script)
    assert held["nbformat"] == 4


@every_recipe
def test_presets_are_legal_as_they_stand(slug, monkeypatch):
    """What a button sets is what the page then shows: nothing is replaced and nothing ignored."""
    recipe, load = find(slug), datasets.load

    def load_at_hand(name, progress=None, **values):
        """Images in place of what would have to be downloaded; its settings are asked for all the same."""
        at_hand = datasets.specs()[name].source in ("generated", "bundled")
        return load(name, progress, **values) if at_hand else load("photo_patches", max_samples=100)

    monkeypatch.setattr(datasets, "load", load_at_hand)
    for _, values in recipe.presets.values():
        preset = Preset(values)
        recipe.settings(preset, recipe.source(preset))
        assert preset.unasked() == []


@every_setting
def test_settings_survive_json(slug, values):
    recipe, preset = find(slug), Preset(values)
    recipe.settings(preset, recipe.source(preset))
    page, again = read_preset(write_preset(slug, preset.answers))
    other = Preset(again)
    recipe.settings(other, recipe.source(other))
    assert (page, other.answers) == (slug, preset.answers)


@every_setting
def test_maps_are_those_of_the_page(slug, values):
    recipe, preset = find(slug), Preset(values)
    source = recipe.source(preset)
    for found in recipe.maps(source, recipe.settings(preset, source)):
        assert found.label
        small = found.feature_map.set_params(n_components=10).fit(found.X)
        assert small.transform(found.X[:3]).shape == (min(3, len(found.X)), small.columns(10))


def test_a_page_without_a_recipe_is_refused():
    with pytest.raises(ParameterError, match=r"Known: .*distance-saturation"):
        find("home")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pool_size": 100_000}, "pool_size must be a stop of its slider, from 1 to .*nearest"),
        ({"pool_size": "many"}, "pool_size must be"),
        ({"scheme": "pickle"}, "scheme must be one of .*RandomMaxout"),
        ({"printed": "perhaps"}, "printed must be true or false"),
        ({"data": "nothing"}, "There is no data set 'nothing'"),
        ({"data.n_samples": 10**9}, r"data\.n_samples must be"),
    ],
)
def test_wrong_values_are_refused_in_one_sentence(values, words):
    recipe, preset = find("distance-saturation"), Preset(values)
    with pytest.raises((ParameterError, DataError), match=words):
        recipe.settings(preset, recipe.source(preset))


def test_a_point_that_is_not_there_is_refused_in_one_sentence():
    recipe, preset = find("maxout-pca"), Preset({"point": 99})
    with pytest.raises(ParameterError, match=r"point must be an integer from 0 to 33.* 99.*nearest is 33"):
        recipe.settings(preset, recipe.source(preset))


def test_address_is_a_preset():
    page, values = read_preset(
        "http://localhost:8501/base/distance-saturation?pool_size=16&compare=8,&printed=false&data=circle&hide=seed"
        "&open=numbers&tab=table-1&zoom=saturation:x,1,2"
    )
    assert values.pop("zoom") == "saturation:x,1,2"
    assert page == "distance-saturation"
    assert values == {"pool_size": 16, "compare": [8], "printed": False, "data": "circle"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"values": {}}', '{"page": 3}', '{"page": "x", "values": [1]}', "http://[", "[" * 100_000,
     '{"page": "x", "values": {"a": {}}}',
     '{"page": "x", "values": {"a": [[1]]}}', '{"page": "x", "values": {"a": null}}'],
)  # fmt: skip
def test_what_is_no_preset_is_refused(text):
    with pytest.raises(DataError):
        read_preset(text)
