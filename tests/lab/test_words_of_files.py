"""Words of a file are shown as they are written, also where they read as a tag."""

import json

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz.cache import Cache
from rfviz.datasets.files import read_upload
from rfviz.datasets.files.own import own_spec_of
from rfviz.figures.traces import plotly_json
from rfviz.lab.index import find_page
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset


def table():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2)).round(4)
    names = np.where(X[:, 0] * X[:, 1] > 0, "<i>yes</i>", "no & <b>")
    return pd.DataFrame({"<u>one": X[:, 0], "<u>other": X[:, 1], "label": names})


@pytest.mark.parametrize("slug", ["quick-inspection", "maxout-pca", "decision-surfaces"])
def test_names_of_classes_and_columns_are_no_tags_in_a_chart(slug):
    own = own_spec_of(read_upload("table.csv", table().to_csv(index=False).encode()), {})
    page, panel = find_page(slug), Preset({"data": own.name}, own=own)
    source = page.source(panel)
    charts = compute(page, source, page.settings(panel, source), Cache()).charts
    drawn = [json.loads(plotly_json(chart.figure.to_dict())) for chart in charts if chart.html is None]
    shown = json.dumps(drawn, ensure_ascii=False)
    assert not [tag for tag in ("<i>", "</i>", "<u>", "& <b>") if tag in shown]
    assert "&lt;i&gt;yes&lt;/i&gt;" in shown and "no &amp; &lt;b&gt;" in shown


def test_findings_as_html_say_of_what_and_keep_their_lines_apart():
    page = rfviz.inspect(table()).to_html()
    assert "60 rows, inspected on" in page and "&lt;i&gt;yes&lt;/i&gt;" in page
    assert "fine<br>\nNo column is constant" in page
