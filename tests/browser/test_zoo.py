"""The zoo in a browser: pictures are drawn, the ring moves them all, sliders and presets answer, links lead on."""

import pytest

from rfviz.features import registry
from tests.browser.steps import settle, slider, wait_for_query

pytestmark = pytest.mark.browser


def panels(page, name):
    """Return the canvases of one kind: "feature", "sampled" or "exact"."""
    places = {"feature": 1, "sampled": 2, "exact": 3}
    return page.locator(f".zoo .panel:nth-child({places[name]}) canvas")


def pictures(page, name):
    return [canvas.evaluate("(c) => c.toDataURL()") for canvas in panels(page, name).all()]


def shown(page):
    return page.locator(".zoo").get_attribute("data-shown")


def moves(page, act):
    """Act, and wait until the cards show something else."""
    before = shown(page)
    act()
    page.locator(f".zoo:not([data-shown='{before}'])").wait_for(state="attached")
    settle(page)


@pytest.fixture
def zoo(app, visit):
    page = visit(app, "zoo", (1440, 1100))
    page.locator(".zoo .card").first.wait_for()
    settle(page)
    return page


def test_default_shows_every_map_fits_and_can_be_downloaded(zoo):
    assert zoo.locator(".zoo .card").count() == len(registry())
    for name in ("feature", "sampled", "exact"):
        drawn = pictures(zoo, name)
        assert len(drawn) == len(registry())
        # The kernel of shared-pool maxout is that of maxout.
        assert len(set(drawn)) >= len(drawn) - (2 if name == "exact" else 0)
    for canvas in panels(zoo, "exact").all():
        assert "exact kernel around the point 0.9, 0.6" in canvas.get_attribute("aria-label")
    for width in (800, 1440):
        zoo.set_viewport_size({"width": width, "height": 900})
        zoo.wait_for_function(
            """() => [...document.querySelectorAll('.zoo .card')].every((card) => {
              const { left, right } = card.getBoundingClientRect();
              return left >= 0 && right <= window.innerWidth && card.scrollWidth <= card.clientWidth + 1;
            })"""
        )
    zoo.get_by_role("button", name="Share", exact=True).click()
    dialog = zoo.get_by_role("dialog")
    dialog.get_by_role("tab", name="Numbers").click()
    with zoo.expect_download() as waiting:
        dialog.get_by_role("button", name="CSV", exact=True).click()
    assert waiting.value.path().read_text(encoding="utf-8").startswith("map,")


def test_a_slider_and_a_preset_change_the_sampled_kernels_only_and_a_link_opens_a_page_with_the_map(zoo):
    before = {name: pictures(zoo, name) for name in ("feature", "sampled", "exact")}
    moves(zoo, lambda: slider(zoo, "Features m").press("ArrowLeft"))
    assert pictures(zoo, "exact") == before["exact"]
    assert pictures(zoo, "feature") == before["feature"]
    assert all(a != b for a, b in zip(pictures(zoo, "sampled"), before["sampled"], strict=True))
    moves(zoo, lambda: zoo.get_by_role("button", name="Ten features").click())
    wait_for_query(zoo, m="10")
    ten = pictures(zoo, "sampled")
    zoo.reload()  # by the address alone
    zoo.locator(".zoo .card").first.wait_for()
    settle(zoo)
    assert pictures(zoo, "sampled") == ten
    zoo.get_by_role("link", name="Decision stumps in distances").click()
    zoo.wait_for_url("**/distance-saturation?map=DecisionStumps")
    settle(zoo)
    assert zoo.get_by_text("Decision stumps").first.is_visible()


@pytest.mark.journey
def test_the_ring_is_dragged_in_one_picture_and_moves_in_all(zoo):
    before = pictures(zoo, "exact")
    box = panels(zoo, "sampled").first.bounding_box()
    x, y = box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.75
    moves(zoo, lambda: zoo.mouse.click(x, y))
    after = pictures(zoo, "exact")
    assert all(a != b for a, b in zip(after, before, strict=True))
    assert len({ring.evaluate("(r) => r.style.left + r.style.top") for ring in zoo.locator(".zoo .ring").all()}) == 1
    wait_for_query(zoo, x="-1.5", y="-1.5")
    zoo.mouse.move(x, y)
    zoo.mouse.down()
    zoo.mouse.move(box["x"] + box["width"] * 0.9, y, steps=6)
    zoo.mouse.up()
    wait_for_query(zoo, x="2.4", y="-1.5")
