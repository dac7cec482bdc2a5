"""Every page does without a browser what it does in one, and writes a script that does it again."""

import ast
import builtins
import json
import os
import runpy
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError, RfvizError
from rfviz.lab.index import PAGES, find_page
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset, read_preset, write_preset
from rfviz.lab.script import notebook
from tests.app_pages import array
from tests.lab.record import RECORD, assert_same, digests
from tests.page_settings import CASES, OTHERS, SLUGS, computed, values_of

ROOT = Path(__file__).parents[2]
# In place of a browser: what "figure.show()" opens is fetched, once per figure.
LOOK = """
import sys, urllib.request
page = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1]).read().decode()
with open("seen.txt", "a") as seen:
    seen.write("plotly" if "Plotly.newPlot(" in page else "nothing")
"""

# In place of settings that take long where every option is tried with them.
LIGHTER = {
    "accuracy": {"seeds": 1, "maps": ["RandomMaxout"], "m_max": 20},
    "kitchen-sinks": {"draws": 1, "k_max": 20},
    "decision-surfaces": {"loss": "ridge"},
}
# Defaults that take seconds. Their other cases, of the same code and the same scripts, do not.
LONG = {("accuracy", 0), ("kitchen-sinks", 0), ("speech", 0), ("learning-curve", 0)}
# Their features are counted, not computed: they export no map.
WITHOUT_MAPS = {"pixel-cooccurrence", "errata"}

every_page = pytest.mark.parametrize("slug", SLUGS)
every_setting = pytest.mark.parametrize(("slug", "number"), CASES)
every_computed_setting = pytest.mark.parametrize(
    ("slug", "number"), [pytest.param(*case, marks=pytest.mark.slow if case in LONG else ()) for case in CASES]
)


def asked(slug, number):
    """Return the page, its source and settings, and the preset that answered."""
    page, preset = find_page(slug), Preset(values_of(slug, number))
    source = page.source(preset)
    return page, source, page.settings(preset, source), preset


def test_every_page_has_settings_to_be_tested_with():
    assert OTHERS.keys() == {page.slug for page in PAGES}


# Here rather than in a file of its own: what other tests have computed is not computed again.
@every_computed_setting
def test_numbers_are_those_of_the_record(slug, number):
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert_same(digests(slug, number), record[f"{slug} {number}"], f"{slug}, case {number}")


def test_the_record_holds_every_case_and_no_other():
    assert sorted(json.loads(RECORD.read_text(encoding="utf-8"))) == sorted(f"{slug} {n}" for slug, n in CASES)


def tried(slug, control):
    """Return the options of a control to try: of the many data sets a third, and another third on the next page."""
    options = control.options or (False, True)
    return options[SLUGS.index(slug) % 3 :: 3] if control.name == "data" else options


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # some options do not suit the others
@every_page
def test_every_option_of_every_choice_gives_a_picture_or_a_sentence(slug):
    page, base, cache = find_page(slug), OTHERS[slug][0] | LIGHTER.get(slug, {}), Cache()

    def show(values):
        panel = Preset(values)
        source = page.source(panel)
        for chart in compute(page, source, page.settings(panel, source), cache).charts:
            assert chart.figure.data is not None and chart.alt and chart.words is not None
        return panel

    choices = [control for control in show(base).controls.values() if control.kind in ("word", "switch")]
    n_shown = 0
    for name, option in [(c.name, option) for c in choices for option in tried(slug, c)]:
        with suppress(RfvizError):  # a sentence for the user
            show({**base, name: option})
            n_shown += 1
    assert n_shown >= len(choices), "most options suit"


def assert_same_picture(one, other):
    """Assert that two figures show the same along the same axes."""
    assert len(one["data"]) == len(other["data"])
    for mine, theirs in zip(one["data"], other["data"], strict=True):
        for axis in {*"xyz"} & (mine.keys() | theirs.keys()):
            if mine[axis] == theirs[axis]:  # words are no numbers
                continue
            drawn, shown = array(mine[axis]), array(theirs[axis])
            if drawn.dtype.kind in "fiu" and shown.dtype.kind in "fiu":
                # Of numbers that are rounded to three decimals a last bit may fall to the other side.
                is_rounded = axis == "z" and np.allclose(shown, shown.round(3), rtol=0, atol=1e-6, equal_nan=True)
                np.testing.assert_allclose(drawn, shown, rtol=1e-3, atol=1.01e-3 if is_rounded else 1e-5)
            else:
                assert drawn.tolist() == shown.tolist()
    for axis in ("xaxis", "yaxis"):
        assert one["layout"].get(axis, {}).get("title") == other["layout"].get(axis, {}).get("title")


def assert_same_charts(charts, frames, figures):
    """Assert that a script made the charts of its page."""
    assert len(frames) == len(figures) == len(charts)
    for chart, frame, figure in zip(charts, frames, figures, strict=True):
        if not chart.name.endswith("-seconds"):  # measured anew
            pd.testing.assert_frame_equal(frame, chart.frame, rtol=1e-4, atol=1e-6)
            assert_same_picture(json.loads(figure.to_json()), json.loads(chart.figure.to_json()))


@every_computed_setting
def test_script_gives_the_same_numbers(slug, number, tmp_path, monkeypatch, recwarn):
    found = computed(slug, number)
    path, shown = tmp_path / "script.py", []

    def show(figure):
        shown.append(figure)

    path.write_text(found.page.script(found.source, found.settings), encoding="utf-8")
    monkeypatch.setattr(go.Figure, "show", show)
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path), run_name="__main__")
    frames = list(names["frames"].values()) if "frames" in names else [names["frame"]]
    assert_same_charts(found.charts, frames, shown)
    assert not [warning for warning in recwarn if "script.py" in str(warning.filename)]


@pytest.mark.slow
def test_a_script_runs_in_a_process_of_its_own(tmp_path):
    found = computed("kernel-approximation", 1)
    (tmp_path / "script.py").write_text(found.page.script(found.source, found.settings), encoding="utf-8")
    (tmp_path / "look.py").write_text(LOOK, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLOTLY_RENDERER": "browser", "OPENBLAS_NUM_THREADS": "1"}
    environment["BROWSER"] = f"{sys.executable} look.py %s &"
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert (tmp_path / "seen.txt").read_text() == "plotly" * len(found.charts)


@every_computed_setting
def test_charts_are_complete(slug, number):
    charts = computed(slug, number).charts
    assert len({chart.name for chart in charts}) == len(charts) >= 1
    for chart in charts:
        assert len(chart.frame) and chart.alt.strip().endswith(".")
        assert chart.figure.layout.height and len(chart.figure.data)
    assert charts[0].words


def undefined(script):
    """Return the names that a script uses and nothing in it gives: found without running it."""
    nodes = list(ast.walk(ast.parse(script)))
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    given = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    given |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    given |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler))}
    imports = [name for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names]
    given |= {name.asname or name.name.partition(".")[0] for name in imports}
    return used - given - set(dir(builtins))


@every_setting
def test_script_is_short_and_a_notebook(slug, number):
    page, source, settings, _ = asked(slug, number)
    script = page.script(source, settings)
    assert "streamlit" not in script and "rfviz.ui" not in script
    assert len(script.splitlines()) < 80
    held = json.loads(notebook(script))
    cells = [cell["source"] for cell in held["cells"] if cell["cell_type"] == "code"]
    assert ast.dump(ast.parse("\n\n".join(cells))) == ast.dump(ast.parse(script.split('"""', 2)[2]))
    assert not undefined(script)
    assert held["nbformat"] == 4


@every_page
def test_presets_are_legal_as_they_stand(slug, monkeypatch):
    """What a button sets is what the page then shows: nothing is replaced and nothing ignored."""
    page, load = find_page(slug), datasets.load

    def load_at_hand(name, progress=None, **values):
        """Load images in place of what would have to be downloaded; its settings are asked for all the same."""
        at_hand = datasets.specs()[name].source in ("generated", "bundled")
        return load(name, progress, **values) if at_hand else load("photo_patches", max_samples=100)

    monkeypatch.setattr(datasets, "load", load_at_hand)
    for _, values in page.presets.values():
        preset = Preset(values)
        page.settings(preset, page.source(preset))
        assert preset.unasked() == []


@every_setting
def test_settings_survive_json(slug, number):
    page, _, _, preset = asked(slug, number)
    named, again = read_preset(write_preset(slug, preset.answers))
    other = Preset(again)
    page.settings(other, page.source(other))
    assert (named, other.answers) == (slug, preset.answers)


@every_setting
def test_maps_are_those_of_the_page(slug, number):
    page, source, settings, _ = asked(slug, number)
    maps = page.maps(source, settings, Cache())
    assert bool(maps) == (slug not in WITHOUT_MAPS)
    for found in maps:
        assert found.label
        small = found.feature_map.set_params(n_components=10).fit(found.X)
        assert small.transform(found.X[:3]).shape == (min(3, len(found.X)), small.columns(10))


def test_a_page_that_computes_nothing_is_refused():
    with pytest.raises(ParameterError, match=r"Known: .*distance-saturation"):
        find_page("home")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pool_size": 100_000}, "pool_size must be a stop of its slider, from 1 to .*nearest"),
        ({"pool_size": "many"}, "pool_size must be"),
        ({"map": "pickle"}, "map must be one of .*RandomMaxout"),
        ({"printed": "perhaps"}, "printed must be true or false"),
        ({"data": "nothing"}, "There is no data set 'nothing'"),
        ({"data.n_samples": 10**9}, r"data\.n_samples must be"),
    ],
)
def test_wrong_values_are_refused_in_one_sentence(values, words):
    page, preset = find_page("distance-saturation"), Preset(values)
    with pytest.raises((ParameterError, DataError), match=words):
        page.settings(preset, page.source(preset))


def test_a_point_that_is_not_there_is_refused_in_one_sentence():
    page, preset = find_page("maxout-pca"), Preset({"point": 99})
    with pytest.raises(ParameterError, match=r"point must be an integer from 0 to 33.* 99.*nearest is 33"):
        page.settings(preset, page.source(preset))


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
    [
        "",
        "{",
        "[]",
        '{"values": {}}',
        '{"page": 3}',
        '{"page": "x", "values": [1]}',
        "http://[",
        "[" * 100_000,
        '{"page": "x", "values": {"a": {}}}',
        '{"page": "x", "values": {"a": [[1]]}}',
        '{"page": "x", "values": {"a": null}}',
    ],
)
def test_what_is_no_preset_is_refused(text):
    with pytest.raises(DataError):
        read_preset(text)
