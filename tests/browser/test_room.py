"""A lecture with phones: one browser leads a lesson, others answer, each as somebody else."""

import csv

import pytest
from axe_playwright_python.sync_playwright import Axe

from rfviz.ui.teaching.lesson_panel import all_lessons
from tests.browser.steps import SATURATION, settle, wait_for_chart

pytestmark = pytest.mark.browser

LESSON = next(lesson for lesson in all_lessons()[0] if lesson.slug == "saturation")
CHOICE, CURVE = LESSON.steps[:2]
PHONE = (390, 780)


def opened(app, visit):
    """Return a lecturer's page at a lesson's beginning, and the code of the room that is opened there."""
    page = visit(app, f"{LESSON.page}?lesson=saturation&step=1&present=true", size=(1280, 720))
    wait_for_chart(page, SATURATION)
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("button", name="Open a room").click()
    code = page.get_by_test_id("stDialog").locator(".room-code code").inner_text()
    page.keyboard.press("Escape")
    page.get_by_test_id("stDialog").wait_for(state="detached")
    return page, code


def joined(app, visit, code):
    """Return two phones that have joined: one has typed the code, the other has followed the picture."""
    typed = visit(app, "join", size=PHONE)
    typed.get_by_label("The code on the screen").fill(f" {code.lower()}")
    typed.get_by_role("button", name="Join").click()
    scanned = visit(app, f"join/{code}", size=PHONE, color_scheme="dark")
    for phone in (typed, scanned):
        phone.locator("fieldset label").first.wait_for()
        assert not [
            found for found in Axe().run(phone).response["violations"] if found["impact"] in ("serious", "critical")
        ]
    return typed, scanned


def room_line(page, text):
    """Wait until the lecturer's line about the room says this."""
    page.locator(".st-key-lesson-panel .room", has_text=text).wait_for()


def swipe(page):
    """Draw a curve that rises to the right top corner, with the pointer."""
    page.locator(".drawn-curve").wait_for()
    box = page.locator(".drawn-curve").bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] - 1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 1, steps=8)
    page.mouse.up()


def test_a_class_answers_from_its_phones(app, visit, tmp_path):
    lecturer, code = opened(app, visit)
    typed, scanned = joined(app, visit, code)
    for phone, choice in ((typed, CHOICE.answer), (scanned, 0)):
        phone.locator("fieldset label").nth(choice).click()
        phone.get_by_text("Sent. You may still change it.").wait_for()
    room_line(lecturer, "2 phones here, 2 answered")

    lecturer.keyboard.press("ArrowRight")
    lecturer.get_by_text("2 answers.").wait_for()
    typed.get_by_text("No more answers.").wait_for()
    assert typed.locator("fieldset input").first.is_disabled()
    lecturer.keyboard.press("ArrowRight")
    lecturer.get_by_text("1 of 2 answers right.").wait_for()
    typed.get_by_text("Right.", exact=True).wait_for()
    scanned.get_by_text("Not this time.").wait_for()
    for phone in (typed, scanned):
        assert phone.locator("fieldset label.right").all_inner_texts() == [CHOICE.options[CHOICE.answer].text]

    settle(lecturer)
    lecturer.keyboard.press("ArrowRight")
    swipe(typed)
    scanned.locator(".drawn-curve").focus()
    for key in ("ArrowUp", *["ArrowRight"] * 32, "ArrowDown"):
        scanned.keyboard.press(key)
    for phone in (typed, scanned):
        phone.get_by_text("Sent. You may still change it.").wait_for()
    room_line(lecturer, "2 answered")
    # A page that is loaded again is the same phone, and shows what it has sent.
    typed.reload()
    typed.locator(".drawn-curve path").wait_for()
    assert len(typed.locator(".drawn-curve path").get_attribute("d").split("L")) == 33
    # So is the lecturer's.
    lecturer.reload()
    wait_for_chart(lecturer, SATURATION)
    room_line(lecturer, code)
    room_line(lecturer, "2 phones here, 2 answered")
    settle(lecturer)
    lecturer.keyboard.press("ArrowRight")
    lecturer.get_by_text("2 curves.").wait_for()
    lecturer.wait_for_function(
        "(key) => rf.chart(key).data.some((trace) => trace.name === '2 predictions')", arg=SATURATION
    )
    settle(lecturer)
    lecturer.keyboard.press("ArrowRight")
    typed.get_by_text("Your curve is off by").wait_for()
    assert typed.locator(".axes .truth").get_attribute("d").count("L") == len(CURVE.curve.places) - 1

    settle(lecturer)
    lecturer.get_by_role("button", name="Teach", exact=True).click()
    with lecturer.expect_download() as download:
        lecturer.get_by_role("button", name="Answers").click()
    download.value.save_as(tmp_path / "answers.csv")
    rows = list(csv.DictReader((tmp_path / "answers.csv").open(encoding="utf-8")))
    assert sum(row["step"] == CHOICE.title for row in rows) == 2
    assert sum(row["step"] == CURVE.title for row in rows) == 66
    settle(lecturer)
    visit.allowed.append("404")
    lecturer.get_by_role("button", name="Close the room").click()
    typed.get_by_text("There is no such room.").wait_for()


def test_a_phone_whose_server_is_gone_says_so_and_goes_on(app, visit):
    _, code = opened(app, visit)
    phone = visit(app, f"join/{code}", size=PHONE)
    phone.locator("fieldset label").first.wait_for()
    visit.allowed.append("Failed to load resource")
    phone.route("**/rfviz/room/**", lambda route: route.abort())
    phone.locator("fieldset label").first.click()
    phone.get_by_text("cannot be reached").wait_for()
    phone.unroute("**/rfviz/room/**")
    phone.locator("fieldset label").nth(1).click()
    phone.get_by_text("Sent. You may still change it.").wait_for()
