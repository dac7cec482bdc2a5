"""Addresses: every page opens by its own, also as the first request that a server gets, and keeps its settings."""

from base64 import b64encode
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from benchmarks._app import server_of
from rfviz.lab.index import NAVIGATION
from rfviz.ui.web.startup import ROUTER
from tests.browser.conftest import running_app
from tests.browser.steps import (
    RACE_MS,
    SATURATION,
    changes,
    check_is_there,
    navigation,
    settle,
    slider,
    unfold,
    wait_for_chart,
    wait_for_query,
)
from tests.browser.test_accuracy import OTHERS, POINTS, left, stop

pytestmark = pytest.mark.browser

BOOT_SCRIPT = ROUTER.parent / "web" / "boot_script.js"
PAGES = {page.slug: page for page in NAVIGATION}
# A race that waits to be started.
LONG = "accuracy?m_max=10000&maps=RandomMaxout,&pools=4&references=linear_ridge,&seeds=10&alpha=1"


@pytest.mark.parametrize(
    ("path", "base"),
    [
        ("/", "/"),
        ("/accuracy", "/"),
        ("/accuracy/", "/"),
        ("/proxy/8501/", "/proxy/8501/"),
        ("/lab/accuracy", "/lab/"),
        ("/proxy/8501", None),
        ("/no-such-page", None),
    ],
)
def test_where_the_server_is_as_the_address_says(browser, path, base):
    page = browser.new_page()
    call = f"({BOOT_SCRIPT.read_text(encoding='utf-8')})(['accuracy'], {{}})"
    there = "const location = { origin: 'http://a', pathname: path }, window = {};"
    told = page.evaluate(f"(path) => {{ {there} {call}; return window.__streamlit?.BACKEND_BASE_URL; }}", path)
    page.close()
    assert told == (base and f"http://a{base}")


ICONS_AFTER_PLOTLY = """() => {
  const [icons, plotly] = ["MaterialSymbols", "plotly"].map((name) =>
    performance.getEntriesByType("resource").find((found) => found.name.includes(name)));
  return icons.startTime > plotly.responseEnd;
}"""


def test_no_pages_folder_lies_beside_the_script_that_streamlit_runs():
    # Or Streamlit would find the pages itself until the script has run once, in a way of its own.
    assert not (ROUTER.parent / "pages").exists()


def test_unknown_address_gives_a_page_of_the_app(app, visit):
    page = visit(app, "hashingg")
    settle(page)
    assert page.locator("h1").inner_text() == "No such page"
    assert navigation(page).get_by_test_id("stSidebarNavLink").count() == len(PAGES)
    assert not page.get_by_role("dialog").count()
    page.get_by_test_id("stMain").get_by_role("link", name="Hashing").click()
    wait_for_chart(page, "hamming")
    assert page.url.endswith("/hashing")


def test_what_changes_travels_compressed(app):
    server = urlsplit(app.url)
    head = {
        "Host": server.netloc,
        "Origin": app.url.rstrip("/"),
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": b64encode(bytes(16)).decode(),
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Extensions": "permessage-deflate",
    }
    connection = HTTPConnection(server.netloc)
    connection.request("GET", "/_stcore/stream", headers=head)
    answer = connection.getresponse()
    assert answer.status == 101 and "permessage-deflate" in answer.headers["Sec-WebSocket-Extensions"]
    connection.close()


@pytest.mark.journey
def test_settings_survive_a_visit_to_another_page(app, visit):
    page = visit(app, "distance-saturation")
    wait_for_chart(page, SATURATION)
    changes(page, SATURATION, lambda: slider(page, "Pool size").press("ArrowRight"))
    settle(page)
    before = page.evaluate("rf.state('saturation')")
    value = slider(page, "Pool size").get_attribute("aria-valuetext")
    wait_for_query(page, pool_size=value)

    navigation(page).get_by_role("link", name=PAGES["maxout-pca"].title).click()
    wait_for_chart(page, "embedding")
    wait_for_query(page, pool_size=None)  # the other page has a pool size of its own
    navigation(page).get_by_role("link", name=PAGES["distance-saturation"].title).click()
    wait_for_chart(page, SATURATION)
    wait_for_query(page, pool_size=value)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == value
    assert page.evaluate("rf.state('saturation')") == before

    page.go_back()
    wait_for_chart(page, "embedding")
    page.go_back()
    wait_for_chart(page, SATURATION)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == value


def test_a_first_request_is_answered_and_pages_and_a_race_go_on_when_a_killed_server_is_started_again(visit, tmp_path):
    with running_app(tmp_path) as server:
        page = visit(server, "distance-saturation?pool_size=12")
        # A server may treat its first request otherwise than later ones; test_looks opens every page as a later one.
        check_is_there(page, "distance-saturation")
        assert page.evaluate(ICONS_AFTER_PLOTLY), "the icons' font holds up a first chart"
        slider(page, "Pool size").press("ArrowRight")
        wait_for_query(page, pool_size="14")
        untouched = visit(server, "hashing")
        wait_for_chart(untouched, "hamming")
        for one in (page, untouched):
            one.evaluate("() => (window.isOld = true)")
        race = visit(server, LONG)
        wait_for_chart(race, "accuracy")
        race.get_by_role("button", name="Start", exact=True).click()
        race.wait_for_function(f"({POINTS})() > 4 && ({OTHERS})().length", timeout=RACE_MS)
        points, others = race.evaluate(POINTS), race.evaluate(OTHERS)
        race.close()
        port = int(server.url.rpartition(":")[2])
        server_of(server.url).kill()
    # While nobody answers: what the browser says, and Streamlit's page where that takes long.
    visit.allowed += [
        "WebSocket",
        "Failed to load resource",
        "ERR_CONNECTION",
        "No response received",
        "Is Streamlit still running",
    ]
    page.get_by_role("heading", name="The server does not answer").wait_for()
    page.get_by_text("Your settings are kept").wait_for()
    assert not page.get_by_text("yourscript.py").is_visible()
    with running_app(tmp_path, port) as server:
        page.wait_for_function("() => !window.isOld", timeout=RACE_MS)
        wait_for_chart(page, SATURATION)
        wait_for_query(page, pool_size="14")
        assert slider(page, "Pool size").get_attribute("aria-valuetext") == "14"
        # Where nothing was moved before, Streamlit's page asks for nothing until something is.
        slider(untouched, "Pool size").press("ArrowRight")
        untouched.wait_for_function("() => !window.isOld")
        changes(untouched, "hamming", lambda: slider(untouched, "Pool size").press("ArrowRight"))
        page.close()
        untouched.close()
        race = visit(server, LONG)
        race.get_by_role("button", name="Resume", exact=True).wait_for()
        wait_for_chart(race, "accuracy")
        assert race.evaluate(POINTS) >= points
        assert race.evaluate(OTHERS) == others
        found, missing = race.evaluate(POINTS), left(race)
        race.get_by_role("button", name="Resume", exact=True).click()
        race.wait_for_function(f"({POINTS})() > {found}", timeout=RACE_MS)
        stop(race)
        assert 0 < left(race) < missing
        race.close()


def test_gallery_leads_to_every_page(app, visit):
    page = visit(app)
    settle(page)
    unfold(page, "This machine")
    cards = page.get_by_test_id("stMain").get_by_role("link")
    links = {slug: cards.and_(page.get_by_role("link", name=other.title)) for slug, other in PAGES.items()}
    for slug in PAGES.keys() - {"home"}:
        assert links[slug].evaluate("(link) => link.href") == f"{app.url}/{slug}"  # test_looks opens them all
    links["zoo"].click()
    check_is_there(page, "zoo")
    page.go_back()
    check_is_there(page, "home")
