"""The quick inspection, as a person uses it: a click shows a row, a link leads to the chart, nothing sticks out."""

import pytest

from tests.browser.steps import control, settle, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, MAPS = "quick-inspection", ("map-plain", "map-maxout", "map-fourier")
# A point of the maxout map that no other point covers.
ALONE = """() => {
  const places = Array.from(rf.traces('map-maxout')[0].x, (_, row) => rf.pixel('map-maxout', 0, row));
  const gap = (row) => Math.min(...places.map((p, i) => i === row ? Infinity
    : Math.hypot(p[0] - places[row][0], p[1] - places[row][1])));
  const best = places.map((_, row) => row).sort((a, b) => gap(b) - gap(a))[0];
  return [...places[best], rf.traces('map-maxout')[0].customdata[best]];
}"""


@pytest.fixture
def page(app, visit):
    # Few rows, so that a point stands alone; nothing is coloured, so that all are in one trace.
    page = visit(app, f"{SLUG}?data=xor&data.n_samples=60&colour=none", size=(1440, 1600))
    for key in MAPS:
        wait_for_chart(page, key)
    return page


def test_maps_fill_their_panels_a_click_shows_the_row_and_a_link_leads_to_its_chart(page):
    settle(page)
    ranges = {key: page.evaluate("(key) => rf.range(key)", key) for key in MAPS}
    for width, height in ((390, 800), (1440, 1600)):
        before = page.evaluate("rf.chart('map-plain')._fullLayout.width")
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(before) => rf.chart('map-plain')._fullLayout.width !== before", arg=before)
        settle(page)
    for key, there in ranges.items():
        same = "([key, there]) => rf.range(key).every((end, i) => Math.abs(end - there[i]) < 0.02 * Math.abs(end))"
        page.wait_for_function(same, arg=[key, there])
    # A click shows the row, and a link leads to its chart.
    assert page.get_by_text("Linear or not").count() == 1
    x, y, row = page.evaluate(ALONE)
    page.mouse.click(x, y)
    wait_for_query(page, row=str(row + 1))
    page.get_by_text(f"Row {row + 1} ·").wait_for()
    for key in MAPS:
        page.wait_for_function("(key) => rf.traces(key).some((t) => t.marker?.symbol === 'circle-open')", arg=key)
    settle(page)
    page.get_by_role("button", name="Show").and_(page.locator(".st-key-quick-inspection-show-distances button")).click()
    wait_for_chart(page, "inspection-distances")
    page.get_by_role("dialog").get_by_text("Python").click()
    page.get_by_role("dialog").get_by_text("result = inspection.answer('distances')").wait_for()
    page.get_by_role("dialog").get_by_label("Close").click()
    page.get_by_role("dialog").wait_for(state="detached")
    settle(page)

    # The other page was seen before, with data of its own: a link counts more than that.
    navigation = page.get_by_test_id("stSidebarNav")
    navigation.get_by_role("link", name="Distance saturation").click()
    wait_for_chart(page, "saturation")
    wait_for_query(page, data=None)
    navigation.get_by_role("link", name="Quick inspection").click()
    wait_for_chart(page, MAPS[0])
    page.get_by_text(f"Row {row + 1} ·").wait_for()
    settle(page)
    link = page.get_by_test_id("stMain").get_by_role("link", name="Distance saturation")
    assert "data=xor" in link.get_attribute("href") and "gamma=median" in link.get_attribute("href")
    link.click()
    wait_for_chart(page, "saturation")
    wait_for_query(page, data="xor", map="RandomFourier", gamma="median", data__n_samples="60")
    assert page.evaluate("rf.traces('saturation').some((t) => /Fourier|γ/.test(t.name))")


def test_maps_are_squares_side_by_side_and_nothing_sticks_out(app, visit):
    page = visit(app, SLUG, size=(1440, 1400))
    for key in MAPS:
        wait_for_chart(page, key)
    box = "(key) => { const { left, top, width, height } = rf.chart(key).getBoundingClientRect(); "
    boxes = [page.evaluate(box + "return [left, top, width, height]; }", key) for key in MAPS]
    assert len({round(top) for _, top, _, _ in boxes}) == 1 and boxes[0][0] < boxes[1][0] < boxes[2][0]
    assert all(0.8 < width / height < 1.25 for _, _, width, height in boxes)
    page.set_viewport_size({"width": 800, "height": 1400})
    page.wait_for_function("() => !rf.overflowing().length")
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    rights = page.evaluate("[...document.querySelectorAll('.live-chart')].map((c) => c.getBoundingClientRect().right)")
    assert max(rights) <= 800
    # Large enough for a hall, and all of one size.
    page = visit(app, f"{SLUG}?present=true", size=(1440, 900))
    for key in MAPS:
        wait_for_chart(page, key)
    sizes = {tuple(round(side / 4) for side in page.evaluate(box + "return [width, height]; }", key)) for key in MAPS}
    assert len(sizes) == 1 and all(width > 350 for width, _ in ([4 * side for side in size] for size in sizes))


def test_cards_of_other_data_do_not_stand_next_to_new_ones(app, visit):
    page = visit(app, f"{SLUG}?data=moons", size=(1440, 1400))
    page.get_by_text("Linear or not").wait_for()
    settle(page)
    page.evaluate("""() => {
      window.seen = [];
      const cards = () => [...document.querySelectorAll('[class*=st-key-findings] [class*=st-key-finding-]')];
      const old = new Set(cards().map((card) => card.innerText));
      new MutationObserver(() => {
        const texts = cards().map((card) => card.innerText);
        const kept = texts.filter((text) => old.has(text)).length;
        window.seen.push([kept, texts.length - kept, texts.filter((text) => /^Rows and labels/m.test(text))[0] || '']);
      }).observe(document.body, {childList: true, subtree: true, characterData: true});
    }""")
    control(page, SLUG, "data").get_by_role("combobox").click()
    page.get_by_role("option", name="Digits").first.click()
    page.get_by_text("1,797 rows of 64 pixel values").wait_for()
    page.get_by_text("There is structure that a linear model misses: it reaches 9").wait_for()
    mixed = [one for one in page.evaluate("window.seen") if "pixel values" in one[2] and one[0]]
    assert not mixed
