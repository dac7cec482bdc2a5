"""Data that a person brings, and data that cannot be had: what works appears, what does not is said in one sentence."""

import numpy as np
import pytest

from rfviz import datasets
from tests.browser.conftest import running_app
from tests.browser.steps import (
    EMBEDDING,
    SATURATION,
    changes,
    check_is_there,
    choose,
    control,
    settle,
    slider,
    unfold,
    wait_for_chart,
    wait_for_query,
)

pytestmark = pytest.mark.browser

SLUG = "distance-saturation"
N_IMAGES = 40


@pytest.fixture(scope="module")
def app_with_folder(browser, tmp_path_factory):
    """Start an app whose data folder holds images, two tables, one of prices, and a file that is none."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (N_IMAGES, 8, 8), dtype=np.uint8)
    np.savez(folder / "pictures.npz", X=images, y=np.arange(N_IMAGES) % 3, order=np.arange(N_IMAGES))
    rows = [
        f"{a:.4f},{b:.4f},{c:.4f},{'even' if i % 2 else 'odd'}" for i, (a, b, c) in enumerate(rng.normal(size=(50, 3)))
    ]
    (folder / "table.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n", encoding="utf-8")
    prices = "".join(f"{i},{i % 7},{0.5 + i / 3}\n" for i in range(60))
    (folder / "prices.csv").write_text("a,b,target\n" + prices, encoding="utf-8")
    (folder / "damaged.npz").write_bytes(b"PK\x03\x04 this is no archive")
    with running_app(tmp_path_factory.mktemp("app"), RFVIZ_DATA=str(folder)) as server:
        yield server


def the_one_alert(page):
    """Return the text of the only alert on the page, its second paragraph being what is shown instead."""
    page.get_by_test_id("stAlert").first.wait_for()
    settle(page)
    alerts = page.get_by_test_id("stAlert")
    assert alerts.count() == 1
    return alerts.inner_text()


def test_files_of_the_folder_appear(app_with_folder, visit):
    page = visit(app_with_folder)
    check_is_there(page, "home")
    unfold(page, "Data sets")
    for name in ("pictures", "table", "prices", "damaged"):
        page.wait_for_function(
            "(name) => [...document.querySelectorAll('td')].some((e) => e.textContent.includes(name))",
            arg=name,
        )


def test_images_of_the_folder_are_drawn(app_with_folder, visit):
    page = visit(app_with_folder, "maxout-pca?data=folder:pictures&n_components=200")
    wait_for_chart(page, EMBEDDING)
    assert page.evaluate("rf.pictures('embedding').length") == N_IMAGES
    assert page.get_by_test_id("stAlert").count() == 0


def test_table_of_the_folder_can_be_chosen(app_with_folder, visit):
    page = visit(app_with_folder, SLUG)
    wait_for_chart(page, SATURATION)
    control(page, SLUG, "data").get_by_role("combobox").click()
    before = page.evaluate("rf.state('saturation')")
    page.keyboard.type("table")
    page.get_by_role("option").filter(has_text="table").click()
    page.wait_for_function("(before) => rf.state('saturation') !== before", arg=before)
    wait_for_query(page, data="folder:table")
    changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    assert page.get_by_test_id("stAlert").count() == 0


def test_numbers_as_targets_give_one_sentence(app_with_folder, visit):
    page = visit(app_with_folder, "kitchen-sinks?data=folder:prices&learners=DecisionStumps,&draws=1&k_max=100")
    page.get_by_text("prices has numbers as targets").wait_for()
    choose(page, "kitchen-sinks", "data", "Breast cancer")
    wait_for_chart(page, "sinks-error")


def test_data_that_cannot_be_had_give_a_sentence_and_the_default(app_with_folder, visit):
    damaged = visit(app_with_folder, f"{SLUG}?data=folder:damaged")
    wait_for_chart(damaged, SATURATION)
    text = the_one_alert(damaged)
    assert "damaged.npz" in text
    assert len(text) < 400
    # Nor is there a network to download from.
    page = visit(app_with_folder, SLUG)
    wait_for_chart(page, SATURATION)
    before = page.evaluate("rf.state('saturation')")
    assert damaged.evaluate("rf.state('saturation')") == before
    choose(page, SLUG, "data", datasets.spec("mnist").title)
    text = the_one_alert(page)
    assert "MNIST" in text
    assert len(text) < 400
    wait_for_chart(page, SATURATION)
    assert page.evaluate("rf.state('saturation')") == before
    # The page goes on working with what it shows instead.
    changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    assert "MNIST" in the_one_alert(page)
