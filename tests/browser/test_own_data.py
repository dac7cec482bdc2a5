"""A reader brings a table, then images: preview, choices, chart; on every page, and gone with the page."""

from urllib.parse import quote

import pytest

from tests.browser.steps import EMBEDDING, SATURATION, control, settle, wait_for_chart, wait_for_query
from tests.datasets.files.samples import csv, database, pictures, table

pytestmark = pytest.mark.browser


def choose_file(page, name, content, kind):
    page.locator("[role=dialog] input[type=file]").set_input_files({"name": name, "mimeType": kind, "buffer": content})


def bring(page, name, content, kind):
    """Choose a file in the dialog, and wait for its preview."""
    choose_file(page, name, content, kind)
    page.locator(".st-key-own-use").wait_for()
    settle(page)


def use(page):
    page.locator(".st-key-own-use button").click()
    page.wait_for_selector("[role=dialog]", state="detached")
    settle(page)


def test_a_table_and_images_of_ones_own(app, visit):
    page = visit(app, "distance-saturation?data=own", size=(800, 1000))
    page.wait_for_selector("[role=dialog]")
    choose_file(page, "people.csv", b"a,b\n1,2\n3,4,5\n6,7\n", "text/csv")
    page.get_by_text("line 3 has 3 cells").wait_for()
    bring(page, "people.csv", csv(), "text/csv")
    dialog = page.locator("[role=dialog]")
    assert "60 rows of 6 numbers, 2 classes" in dialog.inner_text()
    assert dialog.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1")  # nothing sticks out
    use(page)
    wait_for_chart(page, SATURATION)
    wait_for_query(page, data="own:people")
    assert "1,770 pairs of 60 points" in page.locator("[data-testid=stMain]").inner_text()
    # The session's other pages offer them, until the page is loaded anew.
    page.get_by_role("link", name="Maxout-PCA").click()
    wait_for_chart(page, EMBEDDING)
    page.get_by_text("Your file people.csv (yours) is loaded.").wait_for()
    page.get_by_role("button", name="Use it here").click()
    wait_for_query(page, data="own:people")
    page.locator(".st-key-own-offer").wait_for(state="detached")
    wait_for_chart(page, EMBEDDING)
    control(page, "maxout-pca", "data").get_by_role("combobox").click()
    assert page.get_by_role("option", name="people.csv (yours)").count() == 1
    page.get_by_role("option", name="Your own data…").click()
    page.wait_for_selector("[role=dialog]")
    bring(page, "pets.zip", pictures(24), "application/zip")
    use(page)
    wait_for_chart(page, EMBEDDING)
    wait_for_query(page, data="own:pets")
    page.wait_for_function("() => rf.pictures('embedding').length === 24")
    page.reload()
    page.get_by_text("This address was made with somebody’s own data, “pets”").wait_for()
    wait_for_chart(page, EMBEDDING)
    assert not page.get_by_test_id("stToast").count()  # it is said once


def test_a_dialog_that_is_closed_leaves_the_page_as_it_was(app, visit):
    page = visit(app, "distance-saturation?data=sphere")
    wait_for_chart(page, SATURATION)
    control(page, "distance-saturation", "data").get_by_role("combobox").click()
    page.get_by_role("option", name="Your own data…").click()
    page.wait_for_selector("[role=dialog]")
    settle(page)
    page.keyboard.press("Escape")
    page.wait_for_selector("[role=dialog]", state="detached")
    wait_for_query(page, data="sphere")


def test_names_that_look_like_pictures_stay_names(app, visit):
    """Neither what a link says nor what a file holds makes the browser ask another host for anything."""
    picture = "![x](http://foreign.invalid/a.png)"
    page = visit(app, f"distance-saturation?seed={quote(picture)}&data={quote('own:' + picture)}&hide={quote(picture)}")
    for place in ("stToast", "stAlert"):
        page.locator(f"[data-testid={place}]", has_text=picture[:12]).first.wait_for()
        assert not page.locator(f"[data-testid={place}] img").count()
    page = visit(app, "quick-inspection?data=own")
    page.wait_for_selector("[role=dialog]")
    rows = "".join(f"{i % 7},{i * i % 11},3,{picture if i % 2 else 'price ($) or cost ($)'}\n" for i in range(40))
    bring(page, "names.csv", f"a,b,{picture},label\n{rows}".encode(), "text/csv")
    use(page)
    page.get_by_text(f"“{picture}” has a single value").wait_for()
    assert not page.locator("[data-testid=stMain] .katex").count()


def test_files_that_are_not_read_are_refused_in_words(app, visit):
    page = visit(app, "quick-inspection?data=own", size=(1000, 1000))
    page.wait_for_selector("[role=dialog]")
    alert = page.locator("[role=dialog] [role=alert]")
    for name, said in (("table.xlsx", "Save it again as .xlsx"), ("data.json", "its bytes are those of a ZIP archive")):
        choose_file(page, name, b"PK\x03\x04 and so on", "application/octet-stream")
        alert.filter(has_text=said).wait_for()
    # Of a file with several tables one is chosen.
    shop = database(orders=table(80), prices=table(60)[["height", "age"]])
    choose_file(page, "shop.db", shop, "application/octet-stream")
    page.get_by_text("80 rows, 6 columns").wait_for()
    page.locator(".st-key-own-part").get_by_role("combobox").click()
    page.get_by_role("option", name="prices").click()
    page.get_by_text("60 rows, 2 columns").wait_for()
    page.get_by_role("button", name="Another file").click()
    # Numbers beyond those of Arrow are shown, and used.
    rows = "".join(f"{2**64 + i},{2**63 + i},{i % 7},{'ab'[i % 2]}\n" for i in range(60))
    bring(page, "long.csv", ("huge,hash,size,label\n" + rows).encode(), "text/csv")
    use(page)
    wait_for_query(page, data="own:long")
    page.get_by_text("60 rows of 3 columns in 2 classes").wait_for()
