"""The quick inspection as pictures: every finding is readable in full, and every row stands at its place."""

import dataclasses
import re

import numpy as np
import pandas as pd

from rfviz.datasets import load
from rfviz.datasets.files import read_upload
from rfviz.inspection.finding import STATUSES, Finding, plot_findings
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.maps import MAP_NAMES, inspection_style, plot_maps


def test_findings_are_whole_one_below_the_other_and_no_name_is_a_tag():
    findings = [
        Finding(f"Title {i}", f"title-{i}", grade, "“<b>a & b</b>” repeats a column, " * (3 * i + 1))
        for i, grade in enumerate(STATUSES)
    ]
    figure = plot_findings(findings)
    assert [mark.name for mark in figure.data] == list(STATUSES.values())
    titles, texts = figure.layout.annotations[::2], figure.layout.annotations[1::2]
    for finding, title, text in zip(findings, titles, texts, strict=True):
        assert title.text == f"<b>{finding.name}</b>" and title.y == text.y
        said = re.sub("<br>", " ", text.text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        assert said == finding.text.strip() and "<b>" not in text.text
    tops, lines = [text.y for text in texts], [text.text.count("<br>") + 1 for text in texts]
    assert all(below - above >= 19 * n for above, below, n in zip(tops, tops[1:], lines, strict=False))
    assert figure.layout.yaxis.range[0] >= tops[-1] + 19 * lines[-1]


def test_maps_show_each_row_where_it_is_and_ring_the_one_that_is_looked_at():
    data = load("moons", n_samples=60)
    inspection = Inspection(data, seed=1)
    maps = inspection.maps()
    figures, frames = plot_maps(maps, data, "label", row=7), maps.frames()
    assert tuple(figures) == tuple(frames) == MAP_NAMES
    for name, projection in zip(MAP_NAMES, maps.projections, strict=True):
        *points, ring = figures[name].data
        rows = np.concatenate([trace.customdata for trace in points])
        drawn = np.concatenate([np.column_stack([trace.x, trace.y]) for trace in points])
        np.testing.assert_allclose(drawn, projection.coordinates[rows])
        np.testing.assert_allclose([ring.x[0], ring.y[0]], projection.coordinates[7])
        np.testing.assert_array_equal(frames[name].iloc[rows, 1:], drawn)


def test_colours_hold_every_value_but_where_a_huge_one_would_leave_the_others_alike():
    data, rows = load("moons", n_samples=60), np.arange(60)
    np.testing.assert_allclose(inspection_style(data, rows, "c1").values, data.X[:, 0], rtol=1e-6)
    X = data.X.copy()
    X[3, 0] = 1e4
    huge = inspection_style(dataclasses.replace(data, X=X), rows, "c1").values
    np.testing.assert_allclose(huge, np.clip(X[:, 0], *np.percentile(X[:, 0], (1, 99))), rtol=1e-6)
    assert huge.max() < X[3, 0]


def test_columns_of_a_file_are_coloured_by_its_own_numbers():
    age = np.array([20.0, 35.0, np.nan, 50.0, 80.0, 41.0, 33.0, 27.0, 64.0])
    frame = pd.DataFrame({"age": age, "town": list("abaabbaba"), "label": list("xyxyxyxyx")})
    upload = read_upload("people.csv", frame.to_csv(index=False).encode())
    inspection = Inspection(upload.prepare(upload.suggestion.replace({"missing": "impute"})))
    data, raw, rows = inspection.dataset, inspection.raw, np.arange(9)
    style = inspection_style(data, rows, "c1", raw)
    assert np.abs(data.X[:, 0]).max() < 3  # standardised
    assert style.labels[1] == "row 2: age 35" and style.labels[2] == "row 3: age is missing"
    assert style.values.min() >= 20 and style.values.max() > 60
    town = inspection_style(data, rows, "c2", raw)
    assert town.labels[0].endswith("town=b 0") and town.labels[1].endswith("town=b 1")
