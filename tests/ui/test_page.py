"""A page of the framework as the browser gets it: its charts, with what is said of them."""

import json
import re

import pytest

from rfviz.lab.index import PAGES
from tests.app_pages import opened, prose, run_to_its_end
from tests.page_settings import OTHERS, computed


def without_times(text):
    """Return the text without what a clock has measured."""
    return re.sub(r"[\d.,]+ (ms|s|times)\b", "…", text)


@pytest.mark.parametrize("slug", [page.slug for page in PAGES])
def test_every_chart_comes_with_its_description_and_the_main_one_with_its_words(slug):
    at, found = opened(slug, OTHERS[slug][0]), computed(slug, 1)
    page, charts = found.page, found.charts
    if page.has_parts(found.source):
        at = run_to_its_end(at)
    mounted = [element.proto for element in at.get("bidi_component")]
    sent = [json.loads(c.bytes) for c in mounted if c.component_name == "rfviz.live_chart"]
    assert all(chart["alt"].strip() for chart in sent)
    if charts[0].on_page:
        assert without_times(charts[0].alt) in [without_times(chart["alt"]) for chart in sent]
        assert any(charts[0].words[:30] in markdown for markdown in prose(at))  # further on are times, too
