"""A page of the framework as the browser gets it: its charts, with what is said of them."""

import json

import pytest

from rfviz.lab.index import PAGES
from tests.app_pages import opened
from tests.page_settings import computed


@pytest.mark.parametrize("slug", [page.slug for page in PAGES])
def test_every_chart_comes_with_its_description_and_the_main_one_with_its_words(slug):
    at, charts = opened(slug), computed(slug, 0).charts
    mounted = [element.proto for element in at.get("bidi_component")]
    sent = [json.loads(c.bytes) for c in mounted if c.component_name == "rfviz.live_chart"]
    assert all(chart["alt"].strip() for chart in sent)
    if charts[0].on_page:
        assert sent[0]["alt"] == charts[0].alt
        assert any(charts[0].words in markdown.value for markdown in at.markdown)
