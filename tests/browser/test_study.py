"""A student in a study: the first questions, the lesson, the second questions; the file has the answers and no more."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from rfviz.lab.facts import FACTS
from rfviz.lab.index import ASSETS
from rfviz.lessons import read_items
from rfviz.study import read_log
from rfviz.ui.teaching.lesson_panel import all_lessons
from tests.browser.conftest import running_app
from tests.browser.steps import SATURATION, settle, wait_for_chart, wait_for_query

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = next(lesson for lesson in all_lessons()[0] if lesson.slug == "saturation")
ITEMS = read_items(ASSETS / "questions" / "saturation.md", FACTS)
VISIBLE = """() => ['.js-plotly-plot', '.st-key-controls', '[data-testid=stSidebar]', '.st-key-title-tools']
  .filter((part) => [...document.querySelectorAll(part)].some((found) => found.offsetWidth))"""
SIZES = ((1440, 1000), (390, 844))
# Nothing is wider than the window.
FITS = """() => { const main = document.querySelector("[data-testid=stMain]");
  return main.scrollWidth <= main.clientWidth; }"""


def answer(page):
    """Answer a test with the first answer to each question, once without the last."""
    groups = page.locator(".st-key-lesson-panel [role=radiogroup]")
    assert groups.count() == len(ITEMS)
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(VISIBLE) == []  # a closed book
        assert page.locator(".st-key-lesson-panel h2").evaluate("(title) => title.getBoundingClientRect().top >= 0")
        assert page.evaluate(FITS) and not page.locator(".katex-error").count()
    serious = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious
    for number in range(len(ITEMS)):
        if number == len(ITEMS) - 1:
            page.get_by_role("button", name="Send").click()
            page.get_by_text(f"Not answered yet: {len(ITEMS)}.").wait_for()
            settle(page)
        groups.nth(number).locator("label").first.click()
    page.get_by_role("button", name="Send").click()


def resize(page, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    settle(page)


def panel_says(page, title):
    page.locator(".st-key-lesson-panel h2", has_text=title).wait_for()
    settle(page)


def test_a_student_from_the_first_question_to_the_last(browser, visit, tmp_path):
    """On a laptop, and for the second half of the lesson with a phone."""
    log = tmp_path / "study.csv"
    with running_app(tmp_path, RFVIZ_STUDY=str(log)) as app:
        page = visit(app, f"{LESSON.page}?lesson=saturation", size=SIZES[0])
        panel_says(page, "A study")
        for size in SIZES:
            resize(page, size)
            assert page.evaluate(VISIBLE) == []
        resize(page, SIZES[0])
        page.get_by_role("button", name="I agree").click()
        panel_says(page, "First questions")
        answer(page)
        page.wait_for_function("() => !document.querySelector('.st-key-lesson-panel h2')?.innerText.includes('First')")
        settle(page)
        page.reload()
        settle(page)
        rows, _ = read_log(log)
        assert len(rows) == len(ITEMS)
        if rows[0].group == "control":
            panel_says(page, "Second questions")
            answer(page)
        wait_for_chart(page, SATURATION)
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_role("dialog").wait_for()
        settle(page)
        link = page.get_by_label("Address of this page")
        assert "lesson=saturation" in link.input_value() and rows[0].student not in link.input_value()
        page.keyboard.press("Escape")
        resize(page, SIZES[1])
        for number in range(1, len(LESSON.steps) + 1):
            wait_for_query(page, lesson="saturation", step=str(number), student=rows[0].student)
            settle(page)
            page.locator(".st-key-lesson-next button").click()
        if rows[0].group == "lesson":
            panel_says(page, "Second questions")
            answer(page)
        page.get_by_text("The questions of the study.").wait_for()
        page.get_by_text("What is right").click()
        settle(page)
        assert page.evaluate(FITS)
        page.locator(".st-key-lesson-next button").click()
        wait_for_query(page, lesson=None, student=None)
        visit.look_for_wreckage()
        visit.close()
    rows, mistakes = read_log(log)
    assert not mistakes and len(log.read_text().splitlines()) == 1 + 2 * len(ITEMS)
    assert {row.student for row in rows} == {rows[0].student} and {row.chosen for row in rows} == {1}
    assert [row.right for row in rows] == [
        int(ITEMS[n % 4].forms[row.form].options[0].right) for n, row in enumerate(rows)
    ]
    # Nothing else of the visit: every cell is a name of the plan, a number, or the student's.
    words = {"saturation", "lesson", "control", "first", "second", "A", "B", *(item.name for item in ITEMS)}
    cells = {cell for line in log.read_text().splitlines()[1:] for cell in line.split(",")}
    assert all(cell in words or re.fullmatch(r"[0-9a-f]{16}|\d", cell) for cell in cells)
