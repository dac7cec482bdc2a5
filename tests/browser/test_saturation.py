"""Distance saturation, as a person uses it: the slider answers while it moves, and nothing else moves with it."""

from functools import partial
from urllib.parse import quote

import pytest

from rfviz.features import RandomMaxout
from rfviz.lab.zoom import read_zoom
from tests.browser.steps import (
    EMBEDDING,
    SATURATION,
    changes,
    choose,
    open_more,
    preset,
    settle,
    slider,
    wait_for_chart,
    wait_for_query,
)

pytestmark = pytest.mark.browser

SLUG = "distance-saturation"
# The last trace of the chart: its mode, its first place across, and its heights.
MARK = "(key) => { const last = rf.chart(key).data.at(-1); return [last.mode, last.x[0], ...last.y]; }"
PARAMS = {param.name: param for param in RandomMaxout.params}

LAYOUT = """() => {
  const { top, height, width } = rf.chart('saturation').getBoundingClientRect();
  return [top, height, width, document.querySelector('[data-testid=stMain]').scrollHeight];
}"""

COUNT_MESSAGES = """() => {
  const send = WebSocket.prototype.send;
  let count = 0;
  WebSocket.prototype.send = function (...all) { count += 1; return send.apply(this, all); };
  window.sent = () => count;
}"""


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    return page


def zoom(page):
    """Drag a rectangle over a quarter of the chart, and return the ranges of its axes."""
    box = page.locator(f".st-key-{SATURATION} .js-plotly-plot .nsewdrag").bounding_box()
    before = page.evaluate("rf.range('saturation')")
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.8 * box["height"], steps=4)
    page.mouse.up()
    page.wait_for_function("(before) => rf.range('saturation').join() !== before.join()", arg=before)
    # Plotly moves to the new range over a few frames.
    page.wait_for_function(
        "() => { const now = rf.range('saturation').join(), same = now === window.lastRange; window.lastRange = now;"
        " return same; }",
        polling=150,
    )
    return page.evaluate("rf.range('saturation')")


def test_a_number_is_typed_where_it_stands(page):
    pool = slider(page, "Pool size")
    box = page.locator(".live-slider", has=pool)
    number, field = box.locator("output"), box.locator(".typed")
    number.click()
    field.fill("1000000")  # of no stop: the nearest is the last
    last = pool.get_attribute("max")
    changes(page, SATURATION, lambda: field.press("Enter"))
    assert pool.input_value() == last and not field.is_visible()
    wait_for_query(page, pool_size=number.inner_text().replace(",", ""))
    pool.press("2")  # a digit begins a number, without the mouse
    assert field.input_value() == "2"
    field.press("Escape")
    assert pool.input_value() == last
    pool.press("2")
    changes(page, SATURATION, lambda: field.press("Enter"))
    assert number.inner_text() == "2"


def test_arrow_key_redraws_the_very_chart_in_place(page):
    page.evaluate("rf.chart('saturation').querySelector('.main-svg').mark = rf.chart('saturation').mark = 'same'")
    page.evaluate(f"rf.watch({LAYOUT})")
    history = page.evaluate("history.length")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        settle(page)
        curve = page.evaluate("rf.curves('saturation')[0]")
        changes(page, SATURATION, lambda key=key: slider(page, "Pool size").press(key))
        assert page.evaluate("rf.curves('saturation')[0]") != curve
    wait_for_query(page, pool_size=slider(page, "Pool size").get_attribute("aria-valuetext"))
    assert page.evaluate("history.length") == history
    seen = page.evaluate("rf.seen()")
    assert {tuple(place[:3]) for place in seen} == {tuple(seen[0][:3])}, "the chart moved"
    heights = [place[3] for place in seen]
    assert max(heights) - min(heights) <= 30, "the page jumped by more than a line of text"
    settle(page)
    marks = page.evaluate("[rf.chart('saturation').mark, rf.chart('saturation').querySelector('.main-svg').mark]")
    assert marks == ["same", "same"], "the chart was taken down and built anew, which flickers and forgets"


def test_zoom_survives_a_redraw_and_is_part_of_the_address(page, app, visit):
    asked = len(visit.sent)
    zoomed = zoom(page)
    page.wait_for_function("location.search.startsWith('?zoom=saturation:x,')")
    assert len(visit.sent) == asked, "the server is not told"
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", *["ArrowRight"] * 4):  # past a rounder axis, and beyond
        changes(page, SATURATION, lambda key=key: slider(page, "Pool size").press(key))
        settle(page)
        assert page.evaluate("rf.range('saturation')") == pytest.approx(zoomed)
    wait_for_query(page, pool_size="10")
    address = page.url.split("/", 3)[3]
    assert len(address) < 100 and "%" not in address
    # Elsewhere it shows the same, and the way home leads to the whole chart.
    other = visit(app, address, size=(1000, 900))
    wait_for_chart(other, SATURATION)
    widths = [zoomed[1] - zoomed[0]] * 2 + [zoomed[3] - zoomed[2]] * 2
    apart = [
        (a - b) / width for a, b, width in zip(other.evaluate("rf.range('saturation')"), zoomed, widths, strict=True)
    ]
    assert max(map(abs, apart)) < 1e-3
    other.locator(f".st-key-{SATURATION} .nsewdrag").dblclick()
    wait_for_query(other, zoom=None, pool_size="10")
    assert other.evaluate("rf.range('saturation')") == [0, 2, 0, 1]
    assert other.get_by_test_id("stToast").count() == 0
    # Another page does not take it along, the way back does; other data need other axes.
    page.get_by_role("link", name="Maxout-PCA").click()
    wait_for_chart(page, EMBEDDING)
    wait_for_query(page, zoom=None)
    page.go_back()
    wait_for_chart(page, SATURATION)
    assert page.evaluate("rf.range('saturation')") == range_in(address)
    choose(page, SLUG, "data", "Digits 8×8")
    wait_for_query(page, data="digits", zoom=None)
    assert page.evaluate("rf.range('saturation')") == [0, 2, 0, 1]


def range_in(address):
    """Return the range of both axes that an address holds."""
    ranges = read_zoom(address.split("zoom=")[1])[0][SATURATION]
    return [*ranges["x"], *ranges["y"]]


@pytest.mark.journey
def test_dragging_redraws_before_the_mouse_is_released(page):
    history = page.evaluate("history.length")
    element = slider(page, "Pool size")
    box = element.bounding_box()
    share = element.evaluate("(input) => (input.value - input.min) / (input.max - input.min)")
    thumb = 16
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + thumb / 2 + share * (box["width"] - thumb), middle)
    page.mouse.down()
    states = [page.evaluate("rf.state('saturation')")]
    for target in (0.5, 0.65, 0.8, 0.95):
        place = box["x"] + target * box["width"]
        move = partial(page.mouse.move, place, middle, steps=3)
        states.append(changes(page, SATURATION, move, at_rest=False))
    while_dragging = element.get_attribute("aria-valuetext")
    page.mouse.up()
    settle(page)
    assert len(set(states)) >= 4
    assert element.get_attribute("aria-valuetext") == while_dragging
    wait_for_query(page, pool_size=while_dragging)
    assert page.evaluate("history.length") <= history + 1


def test_many_key_presses_end_where_the_slider_stands_and_a_preset_restores_the_paper(page):
    changes(page, SATURATION, preset(page, SLUG).click)
    settle(page)
    paper = page.evaluate("rf.state('saturation')")
    element = slider(page, "Pool size")
    element.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    wanted = element.get_attribute("aria-valuetext")
    wait_for_query(page, pool_size=wanted)
    settle(page)
    assert element.get_attribute("aria-valuetext") == wanted
    page.wait_for_function(
        "(name) => rf.traces('saturation').some((t) => t.name?.startsWith(name + ':'))", arg=f"q = {wanted}"
    )
    changes(page, SATURATION, lambda: slider(page, "Features").press("ArrowLeft"))
    changes(page, SATURATION, lambda: choose(page, SLUG, "data", "Digits 8×8"))
    wait_for_query(page, data="digits")
    preset(page, SLUG).click()
    page.wait_for_function("(paper) => rf.state('saturation') === paper", arg=paper)
    wait_for_query(page, data=None, pool_size=None, n_components=None)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == "8"


def test_link_with_settings_shows_them(app, visit):
    page = visit(app, f"{SLUG}?pool_size=16&n_components=500")
    wait_for_chart(page, SATURATION)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == "16"
    assert slider(page, "Features").get_attribute("aria-valuetext") == "500"
    assert page.get_by_test_id("stToast").count() == 0
    wait_for_query(page, pool_size="16", n_components="500")
    # The link says all there is to say: what it shows is what its sender saw.
    other = visit(app, page.url.split("/", 3)[3])
    wait_for_chart(other, SATURATION)
    assert other.evaluate("rf.state('saturation')") == page.evaluate("rf.state('saturation')")


def test_hostile_link_is_clamped_and_says_so(app, visit):
    values = {
        "pool_size": "99999",
        "n_components": "abc",
        "map": "<script>document.title = 'hacked'</script>",
        "normalise": "'; DROP TABLE",
        "data": "../../etc/passwd",
        "data.n_samples": "nan",
        "seed": "1e999",
        "compare": ",[],{},32",
        "zoom": "saturation:x,9,1;saturation:y,1e999,2;<script>document.title = 'hacked'</script>:x,1,2;nobody:x,1,2",
        "open": "numbers,<script>document.title = 'hacked'</script>",
    }
    page = visit(app, f"{SLUG}?" + "&".join(f"{name}={quote(value)}" for name, value in values.items()))
    page.get_by_test_id("stToast").first.wait_for()
    wait_for_chart(page, SATURATION)
    largest = max(PARAMS["pool_size"].stops())
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == str(largest)
    wait_for_query(page, pool_size=str(largest), n_components=None, map=None, data=None, normalise=None, seed=None)
    wait_for_query(page, zoom=None, open="numbers")
    assert page.evaluate("rf.range('saturation')")[:2] == [0, 2]
    assert page.get_by_test_id("stToast").filter(has_text="zoom").count() == 1
    assert "hacked" not in page.title()
    assert page.locator("script", has_text="hacked").count() == 0


def test_half_a_million_pairs_stay_usable(app, visit):
    page = visit(app, f"{SLUG}?data.n_samples=1000")
    wait_for_chart(page, SATURATION)
    page.set_default_timeout(5000)
    for _ in range(3):
        changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    kinds = page.evaluate("rf.traces('saturation').map((t) => [t.type, t.x?.length ?? 0])")
    assert max(length for _, length in kinds) < 2000, "pairs are drawn as density, not as marks"


def test_every_map_has_its_cloud_and_an_unfolded_part_stays_open(page):
    page.wait_for_function("rf.drawnPictures('saturation').length === 2")
    open_more(page)
    page.get_by_role("button", name="64", exact=True).click()
    page.wait_for_function("rf.drawnPictures('saturation').length === 3")
    settle(page)
    fold = page.locator("[data-testid=stExpander]").filter(has_text="Numbers")
    assert not page.locator("[data-testid=stDataFrame]").count(), "nothing is made for a part that is folded"
    fold.locator("summary").click()
    page.locator("[data-testid=stDataFrame]").wait_for()
    # To a value that nobody has asked for yet, and back to one that is kept.
    slider(page, "Seed").focus()
    for key in ("End", "ArrowLeft", "End"):
        changes(page, SATURATION, lambda key=key: page.keyboard.press(key))
        settle(page)
        assert page.locator("[data-testid=stDataFrame]").is_visible()


def test_a_server_that_does_not_answer_is_waited_for_in_words(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    page.evaluate("() => { window.send = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }")
    slider(page, "Pool size").press("ArrowRight")
    page.get_by_text("Waiting for the server").wait_for()
    page.evaluate("() => { WebSocket.prototype.send = window.send; }")
    slider(page, "Pool size").press("ArrowRight")
    page.get_by_text("Waiting for the server").wait_for(state="detached")
    wait_for_query(page, pool_size=slider(page, "Pool size").get_attribute("aria-valuetext"))
    settle(page)
    # Who leaves a page that waits reads no more of it.
    page.evaluate("() => { window.send = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }")
    slider(page, "Pool size").press("ArrowRight")
    page.get_by_text("Waiting for the server").wait_for()
    page.evaluate("() => { WebSocket.prototype.send = window.send; }")
    page.get_by_role("link", name="Lessons", exact=True).click()
    page.get_by_text("Waiting for the server").wait_for(state="detached")


def test_who_goes_on_reads_of_a_server_that_is_silent_and_of_no_other(app, visit):
    page = visit(app, "hashing")
    page.route("**/rfviz/animation/*", lambda route: route.fulfill(body='{"error": "There are none."}\n'))
    wait_for_chart(page, "hamming")  # the slider has no frames: the server hears of every step
    page.evaluate("""() => new MutationObserver(() => (window.waited ||= !!document.querySelector(".rfviz-waiting")))
      .observe(document.body, { childList: true })""")

    def go_on() -> bool:
        for step in range(36):
            slider(page, "Pool size").press("ArrowLeft" if step % 4 > 1 else "ArrowRight")
            page.wait_for_timeout(100)
        return bool(page.evaluate("window.waited"))

    assert not go_on()
    settle(page)
    assert not page.evaluate("window.waited")
    page.evaluate("() => { WebSocket.prototype.send = () => {}; }")
    assert go_on()


def test_a_click_shows_the_formula_with_the_numbers_of_a_pair(app, visit):
    page = visit(app, "distance-saturation", size=(1366, 768))
    wait_for_chart(page, SATURATION)
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    # On its way the pointer shows what the first feature makes of a pair, and the server is not asked.
    settle(page)
    page.evaluate(COUNT_MESSAGES)
    card = page.locator(".mechanism-card")
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.8 * box["height"])
    card.wait_for()
    told = card.inner_text()
    assert "Feature 1" in told and "wins for" in told and card.locator("svg line").count() == 8 + 2
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.35 * box["height"])
    page.wait_for_function("(told) => document.querySelector('.mechanism-card').innerText !== told", arg=told)
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.9 * box["height"])  # far from every pair
    card.wait_for(state="hidden")
    assert page.evaluate("() => window.sent()") == 0
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    page.get_by_text("Your pair").wait_for()
    page.get_by_text("Choose two rows, x and z").wait_for()
    settle(page)
    marked = page.evaluate(
        "(key) => { const d = rf.chart(key).data.at(-1); return [d.mode, d.x[0], ...d.y]; }", SATURATION
    )
    assert marked[0] == "markers" and abs(marked[1] - 1.2) < 0.1
    # The mark follows the slider, once the server has heard of where the frames in the browser have gone.
    slider(page, "Pool size").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "([key, x, y]) => { const d = rf.chart(key).data.at(-1); return d.x[0] === x && d.y[0] < y; }",
        arg=[SATURATION, *marked[1:3]],
    )
    # The address has the pair, and the part that is open.
    page.wait_for_function("() => new URLSearchParams(location.search).has('pair')")
    page.reload()
    page.get_by_text("Your pair").wait_for()
    page.get_by_text("Choose two rows, x and z").wait_for()
