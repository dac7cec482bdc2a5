"""Kernel approximation, as a person uses it: sliders answer, maps race, numbers are there."""

import pytest

from tests.browser.steps import changes, control, open_more, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, ERRORS, CLOUD = "kernel-approximation", "kernel-error", "cloud-0"
CURVES = "() => rf.traces('kernel-error').filter((t) => t.mode === 'lines+markers').map((t) => t.name)"


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, ERRORS)
    return page


def test_deep_link_shows_its_settings(app, visit):
    page = visit(app, f"{SLUG}?maps=RandomFourier,&gamma=0.5&m_max=500&draws=4&metric=mae")
    wait_for_chart(page, ERRORS)
    assert page.evaluate(CURVES) == ["Random Fourier"]
    assert slider(page, "Gamma").get_attribute("aria-valuetext") == "0.5"
    open_more(page)
    assert slider(page, "Largest").get_attribute("aria-valuetext") == "500"
    assert page.get_by_test_id("stToast").count() == 0
    assert "MAE" in page.evaluate("rf.chart('kernel-error')._fullLayout.yaxis.title.text")


@pytest.mark.journey
def test_moving_m_moves_the_cloud_and_not_the_curves(page):
    before = page.evaluate("rf.state('kernel-error')")
    frame = page.evaluate("rf.range('cloud-0')")
    changes(page, CLOUD, lambda: slider(page, "Features").press("ArrowRight"))
    settle(page)
    assert page.evaluate("rf.state('kernel-error')") == before
    assert page.evaluate("rf.range('cloud-0')") == frame
    wait_for_query(page, m=slider(page, "Features").get_attribute("aria-valuetext").replace(",", ""))


def test_maps_race_a_click_in_a_cloud_rings_the_pair_in_all_and_every_measure_is_there(page):
    fourier = "rf.traces('kernel-error').find((t) => t.name === 'Random Fourier').y.join()"
    kept = page.evaluate(fourier)
    assert page.evaluate(CURVES) == ["Random Fourier", "Random maxout, q = 4"]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        changes(page, ERRORS, lambda key=key: slider(page, "Pool size").press(key))
    settle(page)
    assert page.evaluate(fourier) == kept
    assert page.evaluate(CURVES) == ["Random Fourier", "Random maxout, q = 5"]
    control(page, SLUG, "maps").get_by_role("combobox").click()
    page.get_by_role("option", name="Projection", exact=True).click()
    page.wait_for_function(f"({CURVES})().length === 3")
    settle(page)
    page.wait_for_function("rf.drawn('cloud-2')")
    # A click in a cloud rings the pair in all of them.
    cloud = page.locator(".js-plotly-plot .nsewdrag").nth(2)
    cloud.scroll_into_view_if_needed()
    settle(page)
    box = cloud.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.get_by_text("Your pair").wait_for()
    page.get_by_text("Choose two rows, x and z").wait_for()
    settle(page)
    for cloud in ("cloud-0", "cloud-1", "cloud-2"):
        assert page.evaluate("(key) => rf.traces(key).at(-1).mode", cloud) == "markers"
    unfold(page, "All measures")
    for metric in ("mae", "rmse", "maximum", "correlation"):
        wait_for_chart(page, f"measure-{metric}")
    unfold(page, "Numbers")
    page.get_by_test_id("stDataFrame").wait_for()
    unfold(page, "How it is computed")
    page.get_by_text("root mean square error", exact=False).first.wait_for()


def test_a_biased_map_shows_marks_above_chance_and_draws_race_side_by_side(page):
    page.get_by_role("button", name="A biased map").click()
    wait_for_query(page, data="sphere")
    settle(page)  # Streamlit takes what a browser still shows for what its reader has chosen
    unfold(page, "Bias and spread")
    page.wait_for_function("() => rf.traces('kernel-spread').some((t) => t.mode === 'markers' && t.x.length > 2)")
    settle(page)
    page.get_by_role("button", name="Better draws").click()
    page.wait_for_function(f"({CURVES})().length === 4")
    settle(page)
    page.wait_for_function("rf.drawn('cloud-3')")
    for width in (800, 1440):
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function("() => !rf.overflowing().length")
    open_more(page)
    pills = control(page, SLUG, "draw")
    page.get_by_text("Smoothness", exact=False).wait_for(state="detached")
    pills.get_by_text("Sobol").click()
    page.wait_for_function(f"({CURVES})().length === 3")
    settle(page)
    wait_for_query(page, draw="iid,orthogonal,structured")
