"""What is taken away can be opened elsewhere, and holds what was shown."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from rfviz.cache import Cache
from rfviz.errors import MemoryBudgetError
from rfviz.experiments.base import Chart
from rfviz.experiments.speech.compute import frames_of
from rfviz.features import registry
from rfviz.lab import export
from rfviz.lab.index import find_page
from rfviz.lab.page import MapExport
from rfviz.lab.preset import Preset
from rfviz.lab.report import Entry, write_report

X = np.random.default_rng(0).random((50, 6))
LABELLED = dict.fromkeys(
    [
        "accuracy",
        "distance-saturation",
        "guarantees",
        "hashing",
        "kernel-approximation",
        "kitchen-sinks",
        "maxout-pca",
        "quick-inspection",
    ],
    "digits",
) | dict.fromkeys(["binning", "decision-surfaces"], "moons")
FRAME = pd.DataFrame({"name": ["a", "<b>"], "value": [1.5, np.nan], 3: [1, 2], "mixed": [1, "x"]})
FIGURE = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), {"height": 300, "title": {"text": "</script><b>"}})


def test_page_holds_all_it_needs():
    page = export.write_html(FIGURE, "a < b & c")
    assert "<title>a &lt; b &amp; c</title>" in page
    assert "Plotly.newPlot(" in page and "<script src" not in page and len(page) > 1_000_000


def test_tables_come_back():
    again = pd.read_csv(io.StringIO(export.write_csv(FRAME)))
    assert again["name"].tolist() == ["a", "<b>"] and again["value"].tolist()[0] == 1.5
    again = pd.read_parquet(io.BytesIO(export.write_parquet(FRAME)))
    assert list(again.columns) == ["name", "value", "3", "mixed"]
    assert again["mixed"].tolist() == ["1", "x"] and np.isnan(again["value"][1])


@pytest.mark.parametrize("name", list(registry()))
@pytest.mark.parametrize("rows", [None, 7])
def test_features_are_those_of_the_map(name, rows, tmp_path):
    scheme = registry()[name]
    found = MapExport(name, scheme(n_components=12), X)
    fitted = export.write_features(found, tmp_path / "features.npz", rows)
    expected = fitted.transform(X[:rows])
    if scheme.sparse_output:
        assert abs(sparse.load_npz(tmp_path / "features.npz") - expected).max() == 0
    else:
        held = np.load(tmp_path / "features.npz", allow_pickle=False)["Phi"]
        assert held.dtype == expected.dtype and np.array_equal(held, expected)
        assert export.feature_bytes(found, rows) == expected.nbytes
    assert export.features_in_memory(found, rows) == (tmp_path / "features.npz").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["features.npz"]


@pytest.mark.parametrize(("slug", "data"), LABELLED.items())
def test_features_come_with_the_labels_of_their_own_rows(slug, data):
    page, preset = find_page(slug), Preset({"data": data})
    source = page.source(preset)
    maps = page.maps(source, page.settings(preset, source), Cache())
    assert maps
    for found in maps:
        small = replace(found, feature_map=found.feature_map.set_params(n_components=10))
        held = np.load(io.BytesIO(export.features_in_memory(small, 200)), allow_pickle=False)
        y, names = held["y"], held["target_names"]
        assert len(y) == min(200, len(found.X)) and y.max() < len(names)
        # Nearest rows have the same label; labels of other rows would agree by chance.
        distances = cdist(found.X[: len(y)], found.X[: len(y)])
        np.fill_diagonal(distances, np.inf)
        assert np.mean(y[distances.argmin(axis=1)] == y) > 0.75


def test_frames_of_speech_come_with_their_states():
    page, preset = find_page("speech"), Preset({"speakers": 4, "sentences": 2})
    source = page.source(preset)
    cache = Cache()
    found = page.maps(source, page.settings(preset, source), cache)[0]
    y, names = found.labels
    assert len(y) == len(found.X) and y.min() == -1 and y.max() < len(names) == len(set(names))
    spoken = cache.call(frames_of, source).corpus.test[0].phones
    assert names[y[0]] == f"{spoken[0]} 1" and list(dict.fromkeys(names[i].split()[0] for i in y[:12])) == [*spoken[:2]]


def test_without_labels_features_come_alone(tmp_path):
    found = MapExport("maxout", registry()["RandomMaxout"](n_components=12), X)
    export.write_features(found, tmp_path / "alone.npz")
    assert np.load(tmp_path / "alone.npz").files == ["Phi"]


def test_a_download_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(export, "MOST_BYTES", 1000)
    found = MapExport("maxout", registry()["RandomMaxout"](n_components=12), X)
    with pytest.raises(MemoryBudgetError, match="Take a sample"):
        export.features_in_memory(found)
    assert export.features_in_memory(found, 10)


def test_report_holds_everything_and_nothing_that_runs():
    chart = Chart("c", lambda: FIGURE, lambda: FRAME, "An <alt>.", "**Bold** & <i>.\n\nSecond.")
    entry = Entry("page", "Title <x>", "Question?", {"q": 8, "maps": ["a", "b"]}, (chart,), "print('<script>')")
    text = write_report([entry, Entry("other", "Other", "Why?", {}, (chart,))], "today", "CPU")
    # Followed by the place of a chart: the script itself has the name, too.
    assert len(re.findall(r'Plotly\.newPlot\(\s*"', text)) == 2 and "<script src" not in text
    for words in (
        "<strong>Bold</strong> &amp; &lt;i&gt;",
        "Title &lt;x&gt;",
        "An &lt;alt&gt;.",
        "<dt>maps</dt><dd>a,b</dd>",
        "print(&#x27;&lt;script&gt;&#x27;)",
        "&lt;b&gt;",
        'href="#other"',
        "on CPU",
    ):
        assert words in text
    assert "</script><b>" not in text


def test_report_cuts_long_tables():
    chart = Chart("c", lambda: FIGURE, lambda: pd.DataFrame({"x": range(100)}), "Alt.")
    text = write_report([Entry("page", "Title", "Question?", {}, (chart,))], "today")
    assert "80 more rows" in text and json.dumps(99) + "</td>" not in text
