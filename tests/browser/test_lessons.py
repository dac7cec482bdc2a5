"""A lesson from its card to its end, the presenter's view, and a page with fewer controls: as a reader meets them."""

import pytest

from rfviz.ui.teaching.lesson_panel import all_lessons
from tests.browser.steps import SATURATION, assert_comes, control, settle, slider, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

LESSON = next(lesson for lesson in all_lessons()[0] if lesson.slug == "saturation")
PAGE = LESSON.page
# The panel beside the chart, both within the window; and nothing that is wider than the window.
FITS = """() => {
  const panel = document.querySelector(".st-key-lesson-panel").getBoundingClientRect();
  const chart = document.querySelector(".js-plotly-plot").getBoundingClientRect();
  const main = document.querySelector("[data-testid=stMain]");
  return panel.left >= chart.right && panel.bottom <= innerHeight && panel.right <= innerWidth
    && main.scrollWidth <= main.clientWidth;
}"""
TYPE = """() => [parseFloat(getComputedStyle(document.querySelector("[data-testid=stMain] p")).fontSize),
  document.querySelector(".js-plotly-plot")._fullLayout.font.size,
  document.querySelector(".js-plotly-plot")._fullLayout.xaxis.title.font.size]"""


# Whether the sidebar takes room from the page.
SIDEBAR = "() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right > 0"


# Whether a card is marked so.
MARK = "([card, mark]) => getComputedStyle(document.querySelector(card), '::after').content === mark"


def drawn(page):
    return page.evaluate("(key) => rf.state(key)", SATURATION)


def draw(page):
    """Begin a curve with the keyboard, and draw a straight line over it with the mouse, from the axis."""
    sheet = page.locator(".drawn-curve")
    assert sheet.locator("text").is_visible()
    axes = page.evaluate("(key) => rf.range(key)", SATURATION)
    page.locator(".skip-to-curve").focus()
    page.keyboard.press("Enter")
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert sheet.get_attribute("aria-valuenow") == "2" and not sheet.locator("text").is_visible()
    box = sheet.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    settle(page)
    assert page.evaluate("() => document.querySelector('.drawn-curve path').getAttribute('d').split('L').length") == 33
    assert page.evaluate("(key) => rf.range(key)", SATURATION) == axes and "zoom" not in page.url


def answer(page, step):
    """Predict, look, and go on."""
    settle(page)
    assert not page.evaluate(SIDEBAR)
    show = page.locator(".st-key-lesson-show button").first  # one with a tooltip is there twice
    assert show.is_disabled()
    if step.curve:
        draw(page)
    else:
        page.locator(".st-key-lesson-panel [role=radiogroup] label").nth(step.answer).click()
    page.wait_for_function("() => !document.querySelector('.st-key-lesson-show button').disabled")
    before = drawn(page)
    show.click()
    page.get_by_text("Your dashed curve" if step.curve else "as you predicted").wait_for()
    page.wait_for_function("([key, before]) => rf.state(key) !== before", arg=[SATURATION, before])
    settle(page)
    assert page.evaluate(FITS)
    assert not page.evaluate(SIDEBAR)
    assert not page.locator(".katex-error").count()
    page.locator(".st-key-lesson-next button").click()


def test_a_lesson_from_its_card_to_its_end(app, visit):
    page = visit(app, "lessons")
    page.get_by_role("link", name=LESSON.title).click()
    for number, step in enumerate(LESSON.steps, 1):
        wait_for_chart(page, SATURATION)
        wait_for_query(page, lesson=LESSON.slug, step=str(number))
        if number == 3:  # the address of a step is all that it takes
            wait_for_query(page, compare=None, printed=None)  # 8 and 32, which are the page's own
            page.reload()
            wait_for_chart(page, SATURATION)
            wait_for_query(page, lesson=LESSON.slug, step="3", printed=None)
        answer(page, step)
    page.get_by_text("3 of 3 right.").wait_for()  # since the page was loaded anew
    page.get_by_text("Next lesson").wait_for()
    assert page.locator(".st-key-lesson-panel li").count() == 3  # what to remember
    page.locator(".st-key-lesson-next button").click()
    page.locator(".st-key-lesson-panel").wait_for(state="detached")
    wait_for_query(page, lesson=None, step=None)
    assert_comes(page, SIDEBAR, None, True)
    # The browser knows it, also in a new session.
    page.goto(f"{app.url}/lessons")
    card = f".st-key-lesson-link-{LESSON.slug}"
    page.locator(card).wait_for()
    page.wait_for_function(MARK, arg=[card, '"✓ Done"'])
    assert page.evaluate(MARK, [".st-key-lesson-link-hashing", "none"])


def test_presenting_on_a_projector(app, visit):
    small = visit(app, PAGE, size=(1280, 720))
    wait_for_chart(small, SATURATION)
    plain = small.evaluate(TYPE)
    page = visit(app, f"{PAGE}?lesson=saturation&step=1&present=true", size=(1280, 720))
    wait_for_chart(page, SATURATION)
    assert all(large > 1.2 * size for large, size in zip(page.evaluate(TYPE), plain, strict=True))
    assert page.evaluate(FITS)
    assert page.evaluate(
        "() => document.querySelector('.js-plotly-plot').getBoundingClientRect().bottom <= innerHeight"
    )
    assert not page.get_by_test_id("stSidebar").is_visible()
    before = drawn(page)
    page.keyboard.press("ArrowRight")  # shows the answer
    page.wait_for_function("([key, before]) => rf.state(key) !== before", arg=[SATURATION, before])
    settle(page)
    page.keyboard.press("ArrowRight")  # goes on
    wait_for_query(page, step="2", present="true")
    settle(page)
    page.keyboard.press("ArrowLeft")
    wait_for_query(page, step="1")
    settle(page)
    # In a control the arrows are the control's.
    slider(page, "Pool size").focus()
    page.keyboard.press("ArrowRight")
    wait_for_query(page, step="1", pool_size="2", present="true")
    # An old projector: what is asked and what is seen are still side by side.
    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_function(FITS)
    page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot').getBoundingClientRect().bottom <= innerHeight"
    )


def test_hidden_controls_and_the_frame(app, visit):
    page = visit(app, f"{PAGE}?hide=seed,map,sidebar&seed=3&embed=true", size=(800, 700))
    wait_for_chart(page, SATURATION)
    assert not control(page, PAGE, "map").count() and not slider(page, "Seed").count()
    assert not page.get_by_test_id("stSidebar").is_visible() and not page.get_by_text("Teach", exact=True).count()
    assert page.evaluate("() => document.querySelector('h1').getBoundingClientRect().top < 60")
    slider(page, "Pool size").press("ArrowRight")
    wait_for_query(page, seed="3", hide="seed,map,sidebar", embed="true", pool_size="10")


def test_a_link_for_students(app, visit):
    page = visit(app, f"{PAGE}?zoom=saturation:x,0.5,1.25")
    wait_for_chart(page, SATURATION)
    page.get_by_role("button", name="Teach").click()
    page.get_by_text("Link for students").wait_for()
    page.locator("[data-testid=stCode]", has_text="zoom=saturation:x,0.5,1.25").wait_for()
    settle(page)
    page.locator("[data-testid=stCheckbox]", has_text="Seed").filter(has_not_text="Data").locator("label").click()
    page.locator("[data-testid=stCode]", has_text="hide=seed").wait_for()
    text = page.locator("[data-testid=stCode]").inner_text()
    assert text.strip().endswith(f"/{PAGE}?zoom=saturation:x,0.5,1.25&hide=seed")
