"""Play, pins, undo and redo, as a person uses them."""

import json

import pytest

from tests.browser.steps import SATURATION, changes, choose, open_more, settle, slider, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG = "distance-saturation"
BAR = "[...rf.everything()].find((e) => e.matches('.bar'))"
SHOWN = f"Number({BAR}.dataset.shown ?? -1)"
AT_END = "[...rf.everything()].some((e) => e.getAttribute?.('aria-label') === 'Play again')"


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def reach(page, place):
    """Wait until the frame at that place, or a later one, is shown."""
    page.wait_for_function(f"(place) => {SHOWN} >= place", arg=place)


def scrubber(page):
    return page.get_by_role("slider", name="Frame: m")


@pytest.mark.journey
def test_it_plays_pauses_steps_and_keeps(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    paper = page.evaluate("rf.state('saturation')")
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    press(page, "Play m")
    reach(page, 0.5)
    sent = len(visit.sent)
    curve, place = page.evaluate("rf.curves('saturation')[0]"), page.evaluate(SHOWN)
    reach(page, place + 3)
    assert page.evaluate("rf.state('saturation')") != paper
    assert page.evaluate("rf.curves('saturation')[0]") == pytest.approx(curve), "the expected curve knows no m"
    # Space is the same as the button, where nothing has the focus.
    page.evaluate("rf.focused().blur()")
    page.keyboard.press("Space")
    page.wait_for_function(f"Number.isInteger({SHOWN})")
    at = page.evaluate(SHOWN)
    page.wait_for_timeout(300)
    assert page.evaluate(SHOWN) == at, "paused"
    press(page, "Step forward")
    assert page.evaluate(SHOWN) == at + 1
    press(page, "Step back")
    press(page, "Step back")
    assert page.evaluate(SHOWN) == at - 1
    assert "RMS deviation" in scrubber(page).get_attribute("aria-valuetext")
    # Faster, to the end; all of it without a word to the server.
    page.get_by_role("combobox", name="Speed").select_option("4")
    press(page, "Play")
    last = int(scrubber(page).get_attribute("max"))
    reach(page, last)
    assert len(visit.sent) == sent, "no message while it plays"
    assert abs(page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") - height) <= 2
    page.get_by_role("combobox", name="Speed").select_option("0.5")
    press(page, "Play again")
    scrubber(page).fill("10")  # while it plays
    assert page.evaluate(SHOWN) == 10
    film = page.evaluate("rf.state('saturation')")
    value = scrubber(page).get_attribute("aria-valuetext").partition(".")[0].split("= ")[1]
    page.get_by_role("button", name=f"Keep m = {value}").click()
    wait_for_query(page, n_components=value)
    settle(page)
    assert slider(page, "Features").get_attribute("aria-valuetext") == value
    assert film != paper and page.evaluate("rf.state('saturation')") != paper
    # The film is still there: it depends on everything but m.
    assert scrubber(page).is_visible()
    changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    settle(page)
    assert not scrubber(page).is_visible(), "these frames were of another pool size"


def frames_of(page, label):
    """Touch a slider, and wait until the frames of its stops are there."""
    slider(page, label).focus()
    loaded = "performance.getEntriesByType('resource').some((e) => e.name.endsWith('?slider') && e.responseEnd)"
    page.wait_for_function(loaded)
    settle(page)


@pytest.mark.journey
def test_a_dragged_slider_draws_frames_and_tells_the_server_its_last_value(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    frames_of(page, "Features")
    moved = slider(page, "Features")
    box = moved.bounding_box()
    height, sent = box["y"] + box["height"] / 2, len(visit.sent)
    page.mouse.move(box["x"] + 0.5 * box["width"], height)
    pictures, ranges = {}, page.evaluate("rf.range('saturation')")
    value, picture = moved.get_attribute("aria-valuetext"), page.evaluate("rf.state('saturation')")
    page.mouse.down()
    for share in (0.5, *(0.1 + 0.8 * abs(step / 15 - 1) for step in range(30))):
        page.mouse.move(box["x"] + share * box["width"], height)
        if moved.get_attribute("aria-valuetext") != value:  # drawn with the next frame of the screen
            page.wait_for_function("(before) => rf.state('saturation') !== before", arg=picture)
        value, picture = moved.get_attribute("aria-valuetext"), page.evaluate("rf.state('saturation')")
        assert pictures.setdefault(value, picture) == picture
    assert len(visit.sent) == sent, "no message while it is dragged"
    assert len(set(pictures.values())) == len(pictures) > 8, "a picture for each value"
    said = page.locator(".live").inner_text()
    assert "RMS deviation" in said
    frame = picture
    page.mouse.up()
    wait_for_query(page, n_components=value.replace(",", ""))
    settle(page)
    # The server's own picture has taken the frame's place, and is the same.
    assert page.evaluate("rf.range('saturation')") == pytest.approx(ranges)
    assert page.evaluate("rf.state('saturation')") == frame
    assert page.locator(".live").inner_text() == ""
    assert not page.locator(".of-another-frame").count()
    # And back again to where it was: nothing is left of the frames.
    sent = len(visit.sent)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.3 * box["width"], height)
    page.wait_for_function("(frame) => rf.state('saturation') !== frame", arg=frame)
    assert page.locator(".of-another-frame").count()
    while moved.get_attribute("aria-valuetext") != value:
        moved.press("ArrowRight")
    page.mouse.up()
    settle(page)
    assert page.evaluate("rf.state('saturation')") == frame and not page.locator(".of-another-frame").count()
    assert len(visit.sent) == sent


def test_keys_draw_frames_and_tell_the_server_when_they_rest(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    frames_of(page, "Pool size")
    sent = len(visit.sent)
    # As fast as a key that is held: each step as soon as the last one is drawn. A busy machine may draw so slowly that
    # the keys rest meanwhile.
    rests = slider(page, "Pool size").evaluate("""async (input) => {
      let rests = 0;
      for (let step = 0; step < 5; step++) {
        const before = rf.state("saturation"), since = performance.now();
        input.stepUp();
        input.dispatchEvent(new Event("input"));
        for (let frame = 0; rf.state("saturation") === before; frame++) {
          if (frame > 300) throw new Error("A step draws nothing.");
          await new Promise(requestAnimationFrame);
        }
        rests += performance.now() - since >= 140;
      }
      return rests;
    }""")
    wait_for_query(page, pool_size=slider(page, "Pool size").get_attribute("aria-valuetext"))
    settle(page)
    assert len(visit.sent) - sent <= 3 + rests
    # Also where a key goes down while the server still answers the last one.
    for _ in range(5):
        slider(page, "Pool size").press("ArrowRight")
        page.wait_for_timeout(165)
        slider(page, "Pool size").press("ArrowRight")
        wait_for_query(page, pool_size=slider(page, "Pool size").get_attribute("aria-valuetext"))
    settle(page)
    # Frames of the other map do not fit any more; they are asked for as soon as its slider is moved.
    changes(page, SATURATION, lambda: slider(page, "Features").press("ArrowLeft"))
    settle(page)
    assert not page.locator(".of-another-frame").count()


def test_a_late_answer_does_not_bring_an_older_picture_back(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    frames_of(page, "Pool size")
    page.evaluate("""() => {
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (...data) { setTimeout(() => send.apply(this, data), 700); };
    }""")
    page.evaluate("rf.watch(() => rf.state('saturation'))")
    for _ in range(2):
        changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"), at_rest=False)
        page.wait_for_timeout(400)  # the first value is on its way to the server
    wait_for_query(page, pool_size=slider(page, "Pool size").get_attribute("aria-valuetext"))
    settle(page)
    assert len(page.evaluate("rf.seen()")) == 3, "three values, one after the other"


def test_a_slider_without_frames_leaves_others_theirs_and_its_last_value_counts(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    page.route("**/rfviz/animation/*", lambda route: route.fulfill(body='{"error": "There are none."}\n'))
    for name in ("Features", "Seed"):
        with page.expect_event("requestfinished", lambda request: request.url.endswith("?slider")):
            slider(page, name).focus()
    # To and fro, where the server answers so late that the second value is sent before: the last is the first again.
    page.evaluate("""() => {
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (...data) { setTimeout(() => send.apply(this, data), 2500); };
    }""")
    values = []
    for key, pause in (("ArrowRight", 1700), ("ArrowRight", 100), ("ArrowLeft", 0)):
        slider(page, "Features").press(key)
        values.append(slider(page, "Features").get_attribute("aria-valuetext").replace(",", ""))
        page.wait_for_timeout(pause)
    assert values[0] == values[2] != values[1]
    for value in values[1:]:
        wait_for_query(page, n_components=value)


def test_a_step_without_a_frame_takes_the_place_of_a_frame_before(app, visit):
    page = visit(app, "hashing")
    wait_for_chart(page, "hamming")
    missing = int(slider(page, "Pool size").input_value()) + 2

    def leave_out(route):
        """Answer as a server that has not computed the frame of one stop yet."""
        *_, found = map(json.loads, route.fetch().text().splitlines())
        found["stops"] = [-1 if stop == missing else stop for stop in found["stops"]]
        route.fulfill(body=json.dumps(found) + "\n")

    page.route("**/rfviz/animation/*", leave_out)
    frames_of(page, "Pool size")
    slider(page, "Pool size").evaluate("""(input) => {
      for (let step = 0; step < 2; step++) {
        input.stepUp();
        input.dispatchEvent(new Event("input"));
      }
    }""")
    settle(page)
    assert slider(page, "Pool size").input_value() == str(missing)
    assert page.locator(".live").inner_text() == ""
    assert not page.locator(".of-another-frame").count()


def test_who_wants_no_motion_gets_steps(app, visit):
    page = visit(app, SLUG, reduced_motion="reduce")
    wait_for_chart(page, SATURATION)
    press(page, "Play m")
    reach(page, 0)
    page.wait_for_timeout(400)
    assert page.evaluate(SHOWN) == 0, "nothing moves by itself"
    assert not page.get_by_role("button", name="Pause", exact=True).count()
    changes(page, SATURATION, lambda: press(page, "Step forward"))


@pytest.mark.parametrize(
    ("slug", "chart", "reel"),
    [
        ("maxout-pca", "embedding", "m"),
        ("decision-surfaces", "surface-map", "m"),
        ("binning", "shared", "P"),
        ("pixel-cooccurrence?features=20000", "maps", "m"),
    ],
)
def test_other_pages_play(app, visit, slug, chart, reel):
    page = visit(app, slug, size=(800, 1000))
    wait_for_chart(page, chart)
    press(page, f"Play {reel}")
    reach(page, 1)
    # A chart that nobody sees waits, and shows the latest frame once it is scrolled into view.
    seen = page.locator(f"[class*=st-key-{chart}] .js-plotly-plot").first.scroll_into_view_if_needed
    changes(page, chart, seen, at_rest=False)
    sent = len(visit.sent)
    # On a busy machine it may have come to its end by now.
    page.wait_for_function(f"(place) => {SHOWN} > place || {AT_END}", arg=page.evaluate(SHOWN))
    assert len(visit.sent) == sent
    assert page.evaluate("rf.overflowing()") == []


def test_pins_compare_and_bring_back(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    paper = page.evaluate("rf.state('saturation')")
    press(page, "Pin this chart, to compare it with others")
    card = page.locator(".pins .card")
    card.locator(".main-svg").first.wait_for()
    open_more(page)
    changes(page, SATURATION, lambda: page.get_by_role("button", name="32", exact=True).click())
    page.keyboard.press("Escape")
    settle(page)
    for _ in range(6):  # to where the axis would end sooner
        changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    changes(page, SATURATION, lambda: choose(page, SLUG, "data", "Sphere"))
    settle(page)
    words = card.inner_text()
    assert "q: 8 (now 24)" in words and "data set: Circle (now Sphere)" in words
    same = (
        "[rf.range('saturation').join(), (({ xaxis, yaxis }) => [...xaxis.range, ...yaxis.range].join())"
        "(document.querySelector('.pins .plot')._fullLayout)]"
    )
    page.wait_for_function(f"new Set({same}).size === 1")
    page.get_by_label("Same axes").uncheck()
    page.wait_for_function(f"new Set({same}).size === 2")
    assert page.evaluate("rf.overflowing()") == []
    # Back to what was pinned, and undone again.
    card.locator(".go").click()
    page.wait_for_function("(paper) => rf.state('saturation') === paper", arg=paper)
    wait_for_query(page, pool_size=None, data=None)
    settle(page)
    page.evaluate("rf.focused().blur()")
    page.keyboard.press("Control+z")
    wait_for_query(page, pool_size="24", data="sphere")
    settle(page)
    # Who opens the link sees the same chart pinned, and has it as large as the live one.
    wait_for_query(page, pins="saturation:")
    page.reload()
    wait_for_chart(page, SATURATION)
    card.locator(".main-svg").first.wait_for()
    words = card.inner_text()
    assert "q: 8 (now 24)" in words and "data set: Circle (now Sphere)" in words
    width = "(e) => e.querySelector('.main-svg').getBoundingClientRect().width"
    small = card.evaluate(width)
    card.get_by_role("button", name="Enlarge this pinned chart").click()
    page.wait_for_function(f"(small) => ({width})(document.querySelector('.pins .card')) > 3 * small", arg=small)
    height = "document.querySelector('%s').clientHeight"
    assert page.evaluate(height % ".pins .plot") == page.evaluate(height % ".st-key-saturation .live-chart")
    card.get_by_role("button", name="Enlarge this pinned chart").click()
    page.wait_for_function(f"(small) => ({width})(document.querySelector('.pins .card')) === small", arg=small)
    page.get_by_role("button", name="Remove this pinned chart").click()
    page.wait_for_function("!document.querySelector('.pins .card')")
    wait_for_query(page, pins=None)


def test_undo_brings_the_old_picture_back(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, SATURATION)
    undo, redo = (page.get_by_role("button", name=f"{name} a change of the controls") for name in ("Undo", "Redo"))
    assert undo.is_disabled() and redo.is_disabled()
    paper = page.evaluate("rf.state('saturation')")
    # One burst of keys is one step; sent one by one, a busy machine would let them rest between.
    slider(page, "Pool size").evaluate("""(input) => {
      for (let step = 0; step < 3; step++) (input.stepUp(), input.dispatchEvent(new Event("input")));
    }""")
    wait_for_query(page, pool_size="14")
    settle(page)
    played = page.evaluate("rf.state('saturation')")
    undo.click()
    page.wait_for_function("(paper) => rf.state('saturation') === paper", arg=paper)
    wait_for_query(page, pool_size=None)
    assert undo.is_disabled()
    page.keyboard.press("Control+Shift+Z")
    page.wait_for_function("(played) => rf.state('saturation') === played", arg=played)
    wait_for_query(page, pool_size="14")
    # In a field for text the keys mean the text.
    field = page.locator("[data-testid=stSidebar] input[type=number]").first
    field.focus()
    page.keyboard.press("Control+z")
    page.wait_for_timeout(300)
    assert redo.is_disabled()
