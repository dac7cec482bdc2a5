"""Maxout-PCA, as a person uses it: images as marks, a card that follows the pointer, selection, three dimensions."""

import pytest

from tests.browser.steps import (
    EMBEDDING,
    changes,
    control,
    open_more,
    overlapping,
    preset,
    settle,
    slider,
    unfold,
    wait_for_chart,
    wait_for_query,
)

pytestmark = pytest.mark.browser

SLUG = "maxout-pca"

# Rows of the first trace whose marks stand clearest of all others, the clearest first.
CLEAREST = """() => {
  const places = Array.from(rf.traces('embedding')[0].x, (_, row) => rf.pixel('embedding', 0, row));
  const gap = (row) => Math.min(...places.map((p, i) => i === row ? Infinity
    : Math.hypot(p[0] - places[row][0], p[1] - places[row][1])));
  return places.map((_, row) => row).sort((a, b) => gap(b) - gap(a));
}"""

RINGED = "rf.traces('embedding').slice(1).find((t) => t.x.length === 1)"


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, EMBEDDING)
    return page


def point_at(page, row):
    """Put the pointer on a point and wait until the card shows it; returns the place in the window."""
    label = page.evaluate("(row) => rf.traces('embedding')[0].text[row]", row)
    # Plotly looks at the pointer now and then: a busy browser may miss a single visit, and so may a card that is just
    # being attached.
    for _ in range(60):
        x, y = page.evaluate("(row) => rf.pixel('embedding', 0, row)", row)
        page.mouse.move(x - 40, y - 40)
        page.mouse.move(x, y, steps=3)
        page.wait_for_timeout(100)
        if page.evaluate("rf.card()").split("\n")[1] == label:
            return x, y
    raise AssertionError(f"the card never shows {label}")


def test_every_frame_is_drawn_and_has_a_card_and_none_hides_another(page, visit):
    pictures = page.evaluate("rf.pictures('embedding')")
    assert len(pictures) == 33
    assert not overlapping(pictures, 0.0)
    page.wait_for_function("rf.drawnPictures('embedding').length === 33")
    drawn = page.evaluate("rf.drawnPictures('embedding')")
    assert not overlapping(drawn, 0.5)
    assert min(right - left for left, right, _, _ in drawn) >= 20, "too small to recognise"
    # The card follows the pointer without asking the server.
    rows = page.evaluate(CLEAREST)[:2]
    asked = len(visit.sent)
    cards = []
    for row in rows:
        point_at(page, row)
        cards.append(page.evaluate("rf.card()"))
    assert cards[0] != cards[1]
    assert len(visit.sent) == asked
    # It follows after a redraw, too.
    changes(page, EMBEDDING, lambda: slider(page, "Seed").press("ArrowRight"))
    settle(page)
    point_at(page, rows[0])
    unfold(page, "Order")
    spearman = float(page.get_by_test_id("stMetricValue").inner_text())
    assert 0.9 < spearman <= 1.0


@pytest.mark.journey
def test_click_selects_a_point(page):
    for row in page.evaluate(CLEAREST)[:2]:
        place = page.evaluate("(row) => [rf.traces('embedding')[0].x[row], rf.traces('embedding')[0].y[row]]", row)
        page.mouse.click(*point_at(page, row))
        page.wait_for_function(
            "(place) => rf.traces('embedding').some((t, i) => i && t.x.length === 1 && t.x[0] === place[0] && "
            "t.y[0] === place[1])",
            arg=place,
        )
        settle(page)


def test_selection_survives_a_redraw_and_the_way_to_others(page, app, visit):
    row = page.evaluate(CLEAREST)[0]
    label = page.evaluate("(row) => rf.traces('embedding')[0].text[row]", row)
    changes(page, EMBEDDING, lambda: page.mouse.click(*point_at(page, row)))
    settle(page)
    changes(page, EMBEDDING, lambda: slider(page, "Seed").press("ArrowRight"))
    settle(page)
    ringed = f"{RINGED}?.x[0]"
    assert page.evaluate(ringed) == page.evaluate("(row) => rf.traces('embedding')[0].x[row]", row)
    assert page.evaluate("rf.card()").split("\n")[1] == label
    # It is in the address, and a step that can be undone.
    wait_for_query(page, point=str(row + 1), seed="1")
    other = visit(app, page.url.split("/", 3)[3])
    wait_for_chart(other, EMBEDDING)
    assert other.evaluate(ringed) == page.evaluate(ringed)
    other.wait_for_function("(label) => rf.card().split('\\n')[1] === label", arg=label)
    for key, there in (("Control+z", None), ("Control+z", False), ("Control+Shift+z", True)):
        changes(page, EMBEDDING, lambda key=key: page.keyboard.press(key))
        settle(page)
        assert there is None or page.evaluate(f"!!{RINGED}") == there
    wait_for_query(page, point=str(row + 1), seed=None)
    # A double click beside the points selects none.
    page.locator(f".st-key-{EMBEDDING} .nsewdrag").dblclick(position={"x": 8, "y": 8})
    page.wait_for_function(f"!{RINGED}")
    wait_for_query(page, point=None)


def test_three_dimensions_and_back_to_the_paper_by_a_preset(app, visit):
    page = visit(app, f"{SLUG}?data=circle&map=RandomFourier&n_components=200&normalise=none&seed=7")
    wait_for_chart(page, EMBEDDING)
    preset(page, SLUG).click()
    page.wait_for_function("rf.pictures('embedding').length === 33")
    page.wait_for_function("() => location.search === '?n_components=10000'")
    settle(page)
    paper = page.evaluate("rf.state('embedding')")
    open_more(page)
    control(page, SLUG, "dimensions").get_by_text("3", exact=True).click()
    page.wait_for_function("rf.traces('embedding').some((t) => t.type === 'scatter3d' && t.x.length === 33)")
    page.wait_for_function("!!rf.chart('embedding').querySelector('canvas')")
    settle(page)
    wait_for_query(page, dimensions="3")
    assert page.get_by_text("WebGL is not supported").count() == 0
    changes(page, EMBEDDING, lambda: slider(page, "Pool size").press("ArrowLeft"))
    settle(page)
    preset(page, SLUG).click()
    page.wait_for_function("(paper) => rf.state('embedding') === paper", arg=paper)
    page.wait_for_function("() => location.search === '?n_components=10000'")


def test_digits_show_a_readable_sample(app, visit):
    page = visit(app, f"{SLUG}?data=digits&n_components=500")
    wait_for_chart(page, EMBEDDING)
    points = page.evaluate("rf.traces('embedding').filter((t) => t.mode === 'markers').map((t) => t.x.length)")
    assert sum(points) == 1797
    assert len(points) == 10
    pictures = page.evaluate("rf.pictures('embedding')")
    assert 30 <= len(pictures) <= 150
    assert not overlapping(pictures, 1e-9)
    changes(page, EMBEDDING, lambda: slider(page, "Pool size").press("ArrowLeft"))


def test_listeners_do_not_add_up_while_a_slider_moves(page):
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def listeners():
        settle(page)
        devtools.send("HeapProfiler.collectGarbage")
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "JSEventListeners")

    def step(times):
        for number in range(times):
            slider(page, "Pool size").press(["ArrowRight", "ArrowLeft"][number % 2])
            settle(page)

    step(4)  # with what the first steps set up once
    before = listeners()
    step(8)
    assert listeners() <= before + 1
