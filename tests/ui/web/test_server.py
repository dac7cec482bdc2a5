"""The web server around Streamlit: small scripts, preload headers, a static file cache, packets that do not wait."""

import asyncio
import base64
import gzip
import hashlib
import json
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import AsyncMock

import plotly.graph_objects as go
import pytest
import streamlit as st
from plotly.offline import get_plotlyjs_version
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from rfviz.figures import plotly_js
from rfviz.lab.export import write_html
from rfviz.lab.index import NAVIGATION
from rfviz.ui.web import preload
from rfviz.ui.web.boot_script import InjectBootScript, boot_script
from rfviz.ui.web.component_scripts import component_script, script_addresses, script_route
from rfviz.ui.web.headers import PageHeaders, content_security_policy
from rfviz.ui.web.health_route import health_route
from rfviz.ui.web.plotly_routes import plotly_address, plotly_routes
from rfviz.ui.web.startup import disable_nagle, lifespan, wait_until_ready
from rfviz.ui.web.static_cache import StaticCache
from tests.asgi import fetch

ROOT = Path(__file__).parents[3]


@pytest.fixture
def bundle(tmp_path):
    """Return a folder in which npm has installed the bundle, as far as can be told from outside."""
    package = tmp_path / "node_modules" / plotly_js.NPM_PACKAGE
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"version": get_plotlyjs_version()}))
    (package / "plotly-cartesian.min.js").write_text("/* a third of it */")
    return tmp_path


def test_an_installed_bundle_is_used_where_it_suffices(bundle, monkeypatch):
    found = plotly_js.find_bundle(bundle)
    (*_, whole) = plotly_js.scripts()
    monkeypatch.setattr(plotly_js, "scripts", lambda: (found, whole))
    assert plotly_js.needed_script(["scatter", "heatmap"]) is found
    assert plotly_js.needed_script(["scatter", "scatter3d"]) is whole
    assert found.text in write_html(go.Figure([{"type": "scatter"}]))
    assert whole.text in write_html(go.Figure([{"type": "surface"}]))


def test_a_bundle_of_another_version_or_half_installed_is_not_used(bundle):
    package = bundle / "node_modules" / plotly_js.NPM_PACKAGE
    for text in ('{"version": "0.0.1"}', "{", "{}", "[]"):
        (package / "package.json").write_text(text)
        assert plotly_js.find_bundle(bundle) is None
    (package / "package.json").write_text(json.dumps({"version": get_plotlyjs_version()}))
    (package / "plotly-cartesian.min.js").unlink()
    assert plotly_js.find_bundle(bundle) is None
    assert plotly_js.find_bundle(bundle / "nowhere") is None


def test_every_script_draws_what_it_says():
    for script in plotly_js.scripts():
        assert script.version == get_plotlyjs_version()
        for kind in script.traces or {"scatter", "scatter3d"}:
            assert any(f"name:{quote}{kind}{quote}" in script.text for quote in "\"'`")


def test_a_page_to_take_away_holds_the_script_it_needs():
    for kinds in (["scatter", "heatmap"], ["scatter", "scatter3d"]):
        page = write_html(go.Figure([{"type": kind} for kind in kinds]))
        assert plotly_js.needed_script(kinds).text in page


def test_scripts_are_sent_packed_and_kept_for_ever():
    app = Starlette(routes=plotly_routes(), middleware=[Middleware(StaticCache, folders=["/rfviz/"])])
    for script in plotly_js.scripts():
        for encoding, unpack in (("gzip", gzip.decompress), ("identity", bytes)):
            status, headers, body = fetch(app, plotly_address(script), encoding)
            assert status == 200 and unpack(body).decode() == script.text
            assert headers.get("Content-Encoding", "identity") == encoding
            assert int(headers["Content-Length"]) == len(body)
            assert "immutable" in headers["Cache-Control"] and headers["Vary"] == "Accept-Encoding"


@pytest.fixture
def counted():
    """Return an application behind the cache that counts how often it is asked, `app.asked`."""
    asked = []

    def answer(lasts, media_type="text/javascript", status=200):
        def tell(request):
            asked.append(request.headers.get("accept-encoding"))
            headers = {"Cache-Control": "public, immutable" if lasts else "no-cache", "ETag": "one"}
            return Response(b"x" * 5000, status, headers, media_type)

        return tell

    routes = [
        Route("/static/lasts.js", answer(True)),
        Route("/static/other.js", answer(True)),
        Route("/static/changes.js", answer(False)),
        Route("/static/font.woff2", answer(True, "font/woff2")),
        Route("/static/gone.js", answer(True, status=404)),
        Route("/media/lasts.js", answer(True)),
    ]
    app = StaticCache(Starlette(routes=routes), folders=["/static/"], max_bytes=12_000)
    app.asked = asked
    return app


def test_what_never_changes_is_asked_for_once(counted):
    for turn in range(3):
        status, headers, body = fetch(counted, "/static/lasts.js", "gzip" if turn else "identity")
        assert (status, headers["ETag"]) == (200, "one")
        assert (gzip.decompress(body) if turn else body) == b"x" * 5000
    assert counted.asked == [None]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("changes.js", {}),
        ("gone.js", {}),
        ("lasts.js", {"query": b"v=1"}),
        ("lasts.js", {"range": "bytes=0-9"}),
        ("../media/lasts.js", {}),
    ],
)
def test_all_else_comes_from_the_application_every_time(counted, path, more):
    path = path.removeprefix("..") if path.startswith("..") else f"/static/{path}"
    for _ in range(2):
        assert fetch(counted, path, **more)[1].get("Content-Encoding") is None
    assert len(counted.asked) == 2


def test_who_hangs_up_leaves_others_the_whole_file():
    async def answer(scope, receive, send):
        headers = [(b"cache-control", b"public, immutable")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x" * 5000, "more_body": True})
        if (await receive())["type"] != "http.disconnect":  # as a FileResponse does
            await send({"type": "http.response.body", "body": b"y" * 5000})

    app = StaticCache(answer, folders=["/static/"])
    scope = {"type": "http", "method": "GET", "path": "/static/a.js", "query_string": b"", "headers": []}
    asyncio.run(app(scope, AsyncMock(return_value={"type": "http.disconnect"}), AsyncMock()))
    for _ in range(2):
        assert fetch(app, "/static/a.js")[2] == b"x" * 5000 + b"y" * 5000


def test_what_is_packed_already_stays_as_it_is_and_memory_has_an_end(counted):
    for _ in range(2):
        assert fetch(counted, "/static/font.woff2", "gzip")[1].get("Content-Encoding") is None
    assert len(counted.asked) == 1
    fetch(counted, "/static/lasts.js")
    assert len(counted.asked) == 2
    fetch(counted, "/static/other.js")  # 5,000 bytes are no longer left for it
    fetch(counted, "/static/other.js")
    assert len(counted.asked) == 4


def test_single_pages_need_more():
    named = {name for page in NAVIGATION for name in page.elements}
    assert named and all(any((preload._STATIC / "static" / "js").glob(f"{name}.*.js")) for name in named)
    plain, more = preload.preloaded("/base/no-such-page"), preload.preloaded("/base/accuracy/")
    assert plain == preload.preloaded("/") and any("/Multiselect." in link for _, link in set(more) - set(plain))


@pytest.mark.parametrize(
    ("path", "relation"), [("/", "prefetch"), ("/base/zoo/", "prefetch"), ("/hashing", "preload; as=script")]
)
def test_pages_without_charts_leave_plotly_to_idle_time(path, relation):
    address = plotly_address(plotly_js.scripts()[0])
    assert [link for _, link in preload.preloaded(path) if address in link] == [f"<{address}>; rel={relation}"]


@pytest.mark.parametrize("path", ["/", "/accuracy"])
def test_pages_name_what_will_be_needed(path):
    routes = [Route(path, lambda _: HTMLResponse("<p>")), Route("/data", lambda _: PlainTextResponse("text"))]
    app = Starlette(
        routes=[*routes, *plotly_routes(), script_route()],
        middleware=[Middleware(PageHeaders, makers=[preload.preloaded])],
    )
    links = fetch(app, path)[1].getlist("link")
    addresses = [re.match(r"<(.+)>; rel=(preload; as=script|modulepreload|prefetch)$", link)[1] for link in links]
    assert len(addresses) == len(set(addresses)) > 10
    for address in addresses:
        assert (preload._STATIC / address.removeprefix("/")).is_file() or fetch(app, address)[0] == 200
    found = [name for name in preload._MODULES if any(f"/{name}." in address for address in addresses)]
    assert len(found) > len(preload._MODULES) / 2, "Streamlit has other names for its modules"
    assert "link" not in fetch(app, "/data")[1]


PAGE = "<!DOCTYPE html><html><head><title>é</title></head><body></body></html>"


def page_app():
    """Return an application with a page as Streamlit serves it, and other answers."""
    marks = {"ETag": "one", "Last-Modified": "then", "Cache-Control": "no-cache"}
    routes = [
        Route("/accuracy", lambda _: HTMLResponse(PAGE, headers=marks)),
        Route("/data", lambda _: PlainTextResponse("</head>", headers=marks)),
        Route("/odd", lambda _: HTMLResponse(PAGE, headers={"Content-Encoding": "br"})),
    ]
    told = Middleware(InjectBootScript, slugs=["accuracy", "</script>"])
    return Starlette(routes=routes, middleware=[told, Middleware(GZipMiddleware, minimum_size=1)])


def test_scripts_of_components_are_files(tmp_path):
    one, other = tmp_path / "one.js", tmp_path / "other.js"
    one.write_text("const ONE = 1;")
    other.write_text("export default () => ONE + ZERO;")
    inline = component_script(one, other, before="const ZERO = 0;")
    (address,) = [address for address in script_addresses() if "other" in address]
    assert address in inline and "ONE" not in inline
    app = Starlette(routes=[script_route()])
    status, headers, body = fetch(app, address)
    assert status == 200 and "immutable" in headers["cache-control"] and "javascript" in headers["content-type"]
    assert body.decode().splitlines() == ["const ZERO = 0;", "const ONE = 1;", "export default () => ONE + ZERO;"]
    assert fetch(app, "/rfviz/scripts/another.js")[0] == 404
    assert ("link", f"<{address}>; rel=modulepreload") in preload.preloaded("/accuracy")
    other.write_text("export default () => 0;")
    assert component_script(one, other) != inline, "another text has another address, so that none is out of date"


def test_a_page_preloads_no_font_that_the_theme_does_not_use():
    page = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    assert 'as="font"' in page  # else this release needs no help
    told = Middleware(InjectBootScript, slugs=["accuracy"])
    app = Starlette(routes=[Route("/accuracy", lambda _: HTMLResponse(page))], middleware=[told])
    sent = fetch(app, "/accuracy")[2].decode()
    assert 'as="font"' not in sent and sent.count("modulepreload") == page.count("modulepreload") > 10


@pytest.mark.parametrize(("encoding", "unpack"), [("gzip", gzip.decompress), ("identity", bytes)])
def test_pages_are_told_where_their_server_is(encoding, unpack):
    status, headers, body = fetch(page_app(), "/accuracy", encoding)
    page = unpack(body).decode()
    assert status == 200 and int(headers["content-length"]) == len(body)
    assert page.replace(boot_script(["accuracy", "</script>"]), "") == PAGE and page.count("</script>") == 1
    assert page.index("window.__streamlit") < page.index("</head>")
    # Placeholders that pulse are drawn anew sixty times a second, without a GPU by the processor.
    assert re.search(r"<style>\[data-testid=stSkeleton\] { animation: none[^<]*</style></head>", page)
    # What a browser has kept is another page where the laboratory has other pages.
    assert "etag" not in headers and "last-modified" not in headers and headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_pages_run_the_scripts_that_they_came_with_and_no_others(encoding):
    page = PAGE.replace("<head>", "<head><script>\n first = 1\n</script>")
    assert page != PAGE
    app = Starlette(
        routes=[Route("/accuracy", lambda _: HTMLResponse(page))],
        middleware=[Middleware(InjectBootScript, slugs=["accuracy"]), Middleware(GZipMiddleware, minimum_size=1)],
    )
    (policy,) = fetch(app, "/accuracy", encoding)[1].getlist("content-security-policy")
    own = boot_script(["accuracy"]).partition("<script>")[2].partition("</script>")[0]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in ("\n first = 1\n", own)]
    assert policy.split() == [
        "script-src",
        "'self'",
        "blob:",
        "'unsafe-eval'",
        *(f"'sha256-{digest}'" for digest in digests),
    ]


@pytest.mark.parametrize("path", ["/data", "/odd", "/no-such-page"])
def test_what_is_no_page_or_cannot_be_read_stays_as_it_is(path):
    _, headers, body = fetch(page_app(), path, "identity")
    assert b"__streamlit" not in body and int(headers["content-length"]) == len(body)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_what_listens_hands_on_that_packets_do_not_wait(family):
    if family == socket.AF_INET6 and not socket.has_ipv6:
        family = socket.AF_INET
    with socket.socket(family) as server, socket.socket(family) as client:
        try:
            server.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        except OSError:  # no such network here
            return
        server.listen()
        disable_nagle()
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert not client.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), "only servers are changed"


def test_pages_show_no_pictures_of_other_hosts():
    routes = [Route("/", lambda _: HTMLResponse("page")), Route("/data", lambda _: PlainTextResponse("data"))]
    app = Starlette(routes=routes, middleware=[Middleware(PageHeaders, makers=[content_security_policy])])
    policy = fetch(app, "/")[1]["content-security-policy"]
    assert "img-src 'self' data: blob:" in policy.split("; ")
    assert "content-security-policy" not in fetch(app, "/data")[1]


def test_the_server_serves_while_it_imports_what_pages_need(monkeypatch):
    may_end = threading.Event()
    monkeypatch.setattr("rfviz.ui.web.warm_up.warm_up", may_end.wait)
    page = threading.Thread(target=wait_until_ready)

    async def serve():
        async with lifespan(None):
            page.start()
            assert page.is_alive() and not may_end.is_set()
            may_end.set()
            page.join()

    asyncio.run(serve())


def test_health_is_told_when_pages_come_at_once(monkeypatch):
    may_end, app = threading.Event(), Starlette(routes=[health_route()])
    monkeypatch.setattr("rfviz.ui.web.warm_up.warm_up", may_end.wait)

    def status():
        with ThreadPoolExecutor(1) as pool:  # a loop of its own
            return pool.submit(fetch, app, "/rfviz/health").result()[0]

    async def serve():
        async with lifespan(None):
            assert status() == 503
            may_end.set()
            wait_until_ready()
            assert status() == 200

    asyncio.run(serve())


def test_a_page_is_not_kept_waiting_where_the_imports_fail(monkeypatch, caplog):
    def fail():
        raise ImportError("half of it")

    monkeypatch.setattr("rfviz.ui.web.warm_up.warm_up", fail)

    async def serve():
        async with lifespan(None):
            wait_until_ready()

    asyncio.run(serve())
    assert "half of it" in caplog.text


def test_the_application_imports_nothing_that_computes():
    """Streamlit has opened the port before it runs ``app.py``: who connects waits meanwhile."""
    command = "import sys, app; print({'numpy', 'pandas', 'scipy', 'sklearn'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
