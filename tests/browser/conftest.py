"""A running app and a browser that looks at it.

The browser is the one named by ``RFVIZ_CHROMIUM``, else a Chromium or Chrome on the path, first of all Debian's
``chromium-headless-shell``. Without one these tests are skipped, except where ``CI`` is set: there they fail.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks._chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = Path(__file__).parent / "artifacts"
HELPERS = Path(__file__).parent / "chart_helpers.js"

START_SECONDS = 300
WAIT_MS = 30_000
# Nothing listens there, so whatever wants the network learns at once that there is none.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
# Streamlit probes where its server is, relative to the page, before it tries the root.
HARMLESS = re.compile(r"/_stcore/(health|host-config)$")
# What the app says where something unforeseen happened, and what Streamlit does.
BROKEN = ("Something went wrong", "Traceback (most recent call last)")


# --- the app ----------------------------------------------------------------------------------------------------------


@dataclass
class Server:
    """A running app."""

    url: str
    log_path: Path
    read: int = 0

    def new_log(self) -> str:
        """Return what it has logged since this was asked last."""
        text = self.log_path.read_text(encoding="utf-8", errors="replace")
        new, self.read = text[self.read :], len(text)
        return new


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _is_healthy(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/rfviz/health", timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


# The port follows.
CHECKOUT = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", "--server.port")


@contextmanager
def running_app(
    folder: Path, port: int | None = None, starting: Sequence[str] = CHECKOUT, cwd: Path = ROOT, **environment: str
) -> Iterator[Server]:
    """Run a fresh server whose downloads go to an empty folder, with no network and no setting of the developer's."""
    port = port or free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("RFVIZ_", "STREAMLIT_"))}
    env |= NO_NETWORK | {"no_proxy": "localhost,127.0.0.1", "RFVIZ_CACHE": str(folder / "cache"), **environment}
    log_path = folder / f"server-{port}.log"
    command = [*starting, str(port)]
    with log_path.open("w") as log:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=log, stderr=subprocess.STDOUT)
    server = Server(f"http://localhost:{port}", log_path)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _is_healthy(server.url):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"The app did not start:\n{server.new_log()}")
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="package")
def app(browser, tmp_path_factory) -> Iterator[Server]:
    """Start the app once for all tests that only visit it."""
    with running_app(tmp_path_factory.mktemp("app")) as server:
        yield server


# --- the browser ------------------------------------------------------------------------------------------------------


# For the package, not the session: while it runs, other tests could not start an event loop of their own.
@pytest.fixture(scope="package")
def browser():
    """Launch a headless Chromium whose contexts know nothing of one another."""
    reason = ""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "Playwright is not installed (requirements-dev.txt)"
    path = find_chromium()
    if not path:
        reason = "No Chromium was found; install one, or set RFVIZ_CHROMIUM to its path"
    if reason:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def homes(browser):
    """Give the contexts of those who visit pages at once, made as they come: scripts stay compiled, 2/5 of a visit."""
    return []


@dataclass
class Visit:
    """Pages opened by one test, and all that went wrong in them."""

    homes: list[Any]
    browser: Any
    problems: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)  # parts of console errors that a test provokes
    sent: list[int] = field(default_factory=list)  # sizes of the messages to the server
    contexts: list[Any] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)

    def __call__(
        self,
        server: Server,
        path: str = "",
        size: tuple[int, int] = (1440, 1000),
        permissions=(),
        before: Callable[[Any], Any] | None = None,
        **media,
    ):
        """Open a page of the app, each of a test as somebody else, who remembers nothing of other tests.

        `before` is called with the empty page, for what is to hold when the app comes.
        """
        if len(self.contexts) == len(self.homes):
            self.homes.append(self.browser.new_context())
        context = self.homes[len(self.contexts)]
        self.contexts.append(context)
        context.grant_permissions(list(permissions))
        if server not in self.servers:
            server.new_log()
            self.servers.append(server)
        if not context.pages:
            context.new_page().add_init_script(path=HELPERS)
        page = context.pages[0]
        session = context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(**{"color_scheme": "light", "reduced_motion": "null", **media})
        page.set_default_timeout(WAIT_MS)
        for event, listener in self._listeners.items():
            page.on(event, listener)
        if before:
            before(page)
        page.goto(f"{server.url}/{path.lstrip('/')}")
        page.wait_for_selector("h1")
        return page

    def close(self, reuse: bool = True) -> None:
        """Close all pages but the first of each visitor, which forgets all that was, where it can be used again."""
        for context in self.contexts:
            for number, page in enumerate(context.pages):
                if page.url.startswith("http"):
                    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
                for event, listener in self._listeners.items():
                    page.remove_listener(event, listener)
                page.unroute_all()
                page.goto("about:blank") if reuse and not number else page.close()
            context.clear_cookies()
            context.clear_permissions()
        self.contexts.clear()

    @cached_property
    def _listeners(self) -> dict[str, Callable[[Any], None]]:
        return {
            "console": self._on_console,
            "pageerror": lambda error: self.problems.append(f"error in the page: {error}"),
            "request": lambda request: self._on_request(request.url),
            "websocket": lambda socket: socket.on("framesent", lambda frame: self.sent.append(len(frame))),
        }

    def _on_console(self, message) -> None:
        probing = HARMLESS.search(urlsplit(message.location.get("url", "")).path)
        if message.type == "error" and not probing and not any(part in message.text for part in self.allowed):
            self.problems.append(f"console: {message.text} ({message.location.get('url')})")

    def _on_request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("localhost", "127.0.0.1"):
            self.problems.append(f"request to a foreign host: {url}")

    @property
    def pages(self) -> list:
        return [page for context in self.contexts for page in context.pages if page.url != "about:blank"]

    def look_for_wreckage(self) -> None:
        """Note what must not be on any page, nor in the server's log."""
        for page in self.pages:
            for text in BROKEN:
                if page.get_by_text(text).count():
                    self.problems.append(f"“{text}” at {page.url}")
            if page.locator("[data-testid=stException]").count():
                self.problems.append(f"an exception is shown at {page.url}")
        for server in self.servers:
            log = server.new_log()
            if "Traceback" in log:
                self.problems.append(f"the server logged an exception:\n{log}")

    def take_screenshots(self, name: str) -> None:
        ARTIFACTS.mkdir(exist_ok=True)
        for index, page in enumerate(self.pages):
            page.screenshot(path=ARTIFACTS / f"{re.sub(r'[^a-zA-Z0-9_.-]+', '-', name)}-{index}.png", full_page=True)


@pytest.fixture
def visit(homes, browser, request) -> Iterator[Visit]:
    """Return ``visit(server, path, **options)``, which opens a page; whatever goes wrong in it fails the test."""
    opened = Visit(homes, browser)
    yield opened
    opened.look_for_wreckage()
    report = getattr(request.node, "rep_call", None)
    is_well = not opened.problems and report is not None and not report.failed
    if not is_well:
        opened.take_screenshots(request.node.name)
    opened.close(reuse=is_well)
    assert not opened.problems, "\n".join(dict.fromkeys(opened.problems))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Let fixtures know how the test went."""
    report = yield
    setattr(item, f"rep_{report.when}", report)
    return report


def pytest_collection_modifyitems(items):
    """Give the tests in here a second try, in a window of its own, where pages are drawn late for want of a processor.

    What fails twice fails. The summary names what needed a second try: a test that is often there is a fault.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
