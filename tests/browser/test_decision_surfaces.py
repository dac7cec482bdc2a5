"""Decision surfaces, as a person uses them: a slider settles the picture, a click anywhere adds a point."""

import pytest

from tests.browser.steps import changes, preset, settle, slider, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG = "decision-surfaces"
MAP, RBF, LINEAR = PANELS = ("surface-map", "surface-rbf", "surface-linear")
# A place of the plane, in the window.
PLACE = """([key, x, y]) => {
  const { xaxis, yaxis } = rf.chart(key)._fullLayout, box = rf.chart(key).getBoundingClientRect();
  return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)];
}"""
POINTS = """(key) => rf.traces(key).filter((t) => /^class/.test(t.name))
  .flatMap((t) => Array.from(t.x).map((x, i) => [t.name, x, t.y[i]]))"""
SIZES = "(key) => { const { xaxis, yaxis } = rf.chart(key)._fullLayout; return [xaxis._length, yaxis._length]; }"
MARK_SIZE = "(key) => rf.traces(key).find((trace) => trace.mode === 'markers').marker.size"

# Whether all panels are squares of the same side, large enough to see something in them.
EQUAL = f"""(keys) => {{
  const sides = keys.flatMap({SIZES});
  return Math.max(...sides) - Math.min(...sides) < 2 && Math.min(...sides) > 120;
}}"""


def opened(app, visit, query="", **options):
    page = visit(app, SLUG + query, **options)
    for key in PANELS:
        wait_for_chart(page, key)
    return page


def place(page, key, x, y):
    return page.evaluate(PLACE, [key, x, y])


def wait_for_points(page, count):
    page.wait_for_function(f"([key, count]) => ({POINTS})(key).length === count", arg=[RBF, count])
    settle(page)


def test_two_spirals_are_one_click_and_the_slider_changes_the_picture_of_the_map_alone(app, visit):
    page = opened(app, visit, "?data=xor&map=RandomReLU&n_components=4")
    changes(page, RBF, lambda: preset(page, SLUG).click())
    wait_for_query(page, data=None, map=None, n_components=None)
    settle(page)
    assert page.get_by_text("arm 2").count() == 1
    others = [page.evaluate("(key) => rf.state(key)", key) for key in (RBF, LINEAR)]
    drawn = page.evaluate("(key) => rf.chart(key).querySelectorAll('.imagelayer image').length", MAP)
    assert drawn == 1
    changes(page, MAP, lambda: slider(page, "Features").press("ArrowRight"))
    settle(page)
    assert page.get_by_text("m = 100 ·").count() == 1
    assert [page.evaluate("(key) => rf.state(key)", key) for key in (RBF, LINEAR)] == others
    wait_for_query(page, n_components="100")


def test_a_click_anywhere_in_the_plane_adds_a_point(app, visit):
    page = opened(app, visit, "?points_from=own&points=-1/0/1,1/0/2")
    # A drag adds nothing, and neither does a click beside the plane.
    page.mouse.move(*place(page, MAP, -0.5, -0.5))
    page.mouse.down()
    page.mouse.move(*place(page, MAP, 0.5, 0.5), steps=4)
    page.mouse.up()
    x, y = place(page, MAP, -1.5, -1.5)
    page.mouse.click(x - 20, y + 15)
    before = page.evaluate("(key) => rf.state(key)", LINEAR)
    page.mouse.click(*place(page, RBF, 0.5, -1.2))
    wait_for_points(page, 3)
    name, x, y = page.evaluate(POINTS, RBF)[1]
    assert name == "class 1" and abs(x - 0.5) < 0.02 and abs(y + 1.2) < 0.02
    assert page.evaluate("(key) => rf.state(key)", LINEAR) != before
    # Two quick clicks of another class, one of them on a point that is there already.
    page.get_by_role("radio", name="Class 3").click()
    settle(page)
    for at in ((-0.5, 1), (1, 0)):
        page.mouse.click(*place(page, MAP, *at))
    wait_for_points(page, 5)
    assert [name for name, *_ in page.evaluate(POINTS, MAP)] == ["class 1", "class 1", "class 2", "class 3", "class 3"]
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_for_points(page, 4)
    page.wait_for_function("new URLSearchParams(location.search).get('points').split(',').length === 4")
    # A class of one's own begins from nothing.
    page.get_by_role("radio", name="Class 1").click()
    settle(page)
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("add points of at least two classes").wait_for()
    settle(page)
    page.mouse.click(*place(page, MAP, -1, 0))
    wait_for_points(page, 1)
    page.get_by_role("radio", name="Class 2").click()
    settle(page)
    page.mouse.click(*place(page, MAP, 1, 0))
    wait_for_points(page, 2)
    page.wait_for_function("(key) => rf.chart(key).querySelectorAll('.imagelayer image').length === 1", arg=MAP)


def test_panels_are_square_and_equal_and_nothing_sticks_out(app, visit):
    page = opened(app, visit, "?map=RandomMaxout&creases=3", size=(1440, 1000))
    wide = page.evaluate(MARK_SIZE, MAP)
    # Marks are as large as their panel allows.
    for width, marks in ((800, "< 0.9 * wide"), (1440, "=== wide")):
        page.set_viewport_size({"width": width, "height": 1000})
        # Charts follow the width a moment later.
        page.wait_for_function(f"(keys) => ({EQUAL})(keys) && !rf.overflowing().length", arg=PANELS)
        page.wait_for_function(f"([key, wide]) => ({MARK_SIZE})(key) {marks}", arg=[MAP, wide])
    # In a low window all are lower, and by the same.
    page.set_viewport_size({"width": 1366, "height": 768})
    page.reload()
    wait_for_chart(page, MAP)
    page.wait_for_function(f"(keys) => ({EQUAL})(keys)", arg=PANELS)
