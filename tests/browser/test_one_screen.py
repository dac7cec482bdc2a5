"""The window of a laptop holds a page's chart, its controls, the data set, and the sentence that says what is seen."""

import pytest

from rfviz.lab.navigation import NAVIGATION
from tests.browser.steps import settle

pytestmark = pytest.mark.browser

LAPTOP = (1366, 768)
# Lines of the sentence that are seen at least; above the chart of a sweep are its buttons and tabs.
THREE = ["distance-saturation", "maxout-pca", "hashing", "kernel-approximation", "binning", "guarantees",
         "decision-surfaces", "speech"]  # fmt: skip
LINES = dict.fromkeys(THREE, 3) | {"accuracy": 1}
# The places that matter, from the top of the window: the ends of chart and data set, the beginning of the sentence.
PLACES = """() => {
  const box = (element) => element.getBoundingClientRect();
  const chart = document.querySelector(".live-chart");
  const bar = document.querySelector("[class*=-bar-row]");
  const sentence = [...document.querySelectorAll("[data-testid=stMain] .stMarkdown")]
    .find((words) => box(words).top >= box(bar).bottom - 1);
  const labels = [...document.querySelectorAll("[data-testid=stSidebar] label")];
  const label = labels.find((one) => /^(Data set|Speech)/.test(one.innerText));
  return { title: box(document.querySelector("h1")).top, chart: box(chart).bottom, height: box(chart).height,
    data: box(label.parentElement).bottom, sentence: box(sentence).top };
}"""


@pytest.mark.parametrize("slug", LINES)
def test_chart_controls_data_and_sentence_are_seen_together(app, visit, slug):
    assert slug in {page.slug for page in NAVIGATION}
    page = visit(app, f"{slug}?m_max=200&seeds=1" if slug == "accuracy" else slug, LAPTOP)
    page.wait_for_selector(".js-plotly-plot .main-svg")
    settle(page)
    places = page.evaluate(PLACES)
    assert places["title"] >= 40  # not below the bar at the top
    places["sentence"] += 25 * LINES[slug]
    assert max(places[name] for name in ("chart", "data", "sentence")) <= LAPTOP[1], places
    # Squares as wide as their panels are no taller where there is room.
    if slug == "decision-surfaces":
        return
    assert places["height"] >= 300
    # Where there is room the chart has its own height again.
    page.set_viewport_size({"width": 1366, "height": 1400})
    page.wait_for_function(
        "(height) => document.querySelector('.live-chart').getBoundingClientRect().height > height + 40",
        arg=places["height"],
    )
